/* The source with numbers beside it, and a strip that shows where in a long file the heat is. */

const source = {rows: null, lines: [], columns: [], panel: null};

function heat(tr, line, kernel) {
  const most = kernel.lines[0].excess;
  const share = most > 0 && line.excess > 0 ? line.excess / most : 0;
  tr.classList.add("has");
  if (share > 0)
    tr.style.setProperty("--share", (6 + 26 * share).toFixed(1) + "%");
  tr.classList.toggle("hot", share >= 0.5);
}

function numberCell(column, line) {
  const text = line ? column.text(line) : "";
  const marked = text && !line.exact && !column.bare ? "~" + text : text;
  return h("td", {class: column.class, title: text && line && !line.exact ? "not exact" : null},
    column.share && text ? [h("span", {}, marked), bar(column.share(line))] : marked);
}

function sourceCells(i) {
  const line = lineAt(state.kernel, state.file, i + 1);
  return [
    h("th", {scope: "row"}, String(i + 1)),
    ...source.columns.map(c => numberCell(c, line)),
    h("td", {class: "text"}, source.lines[i].replace(/\r$/, "")),
  ];
}

function sourceHead() {
  return h("tr", {}, h("th", {scope: "col"}, h("span", {class: "hidden"}, "Line")),
    source.columns.map(c => h("th", {scope: "col", class: c.class, title: c.title}, c.head)),
    h("th", {scope: "col", class: "text"}, h("span", {class: "hidden"}, "Source")));
}

/* Widths are fixed, so that rows that scroll in move nothing. */
function sourceWidths() {
  const longest = source.lines.reduce((most, text) => Math.max(most, text.length + 3 * (text.split("\t").length - 1)), 0);
  const widths = [46, ...source.columns.map(c => c.width)];
  const columns = widths.map(width => {
    const col = h("col", {});
    col.style.width = width + "px";
    return col;
  });
  source.rows.table.querySelector("colgroup").replaceChildren(...columns, h("col", {}));
  source.rows.table.style.minWidth = `calc(${widths.reduce((a, b) => a + b)}px + ${Math.min(longest, 1000) + 4}ch)`;
}

/* Where the lines with numbers are. */
function drawStrip() {
  const n = Math.max(1, source.lines.length), strip = source.panel.querySelector(".strip");
  const lines = state.kernel.lines.filter(l => l.file === state.file && l.line);
  const most = state.kernel.lines.length ? state.kernel.lines[0].excess : 0;
  strip.replaceChildren(svg("svg", {viewBox: "0 0 10 1000", preserveAspectRatio: "none", "aria-hidden": "true"},
    lines.slice(0, 500).reverse().map(l => svg("rect", {x: 0, width: 10, y: 1000 * (l.line - 1) / n, height: Math.max(4, 1000 / n),
      class: "mark", "fill-opacity": most > 0 && l.excess > 0 ? 0.35 + 0.65 * l.excess / most : 0.12}))));
  strip.onclick = e => {
    const box = strip.getBoundingClientRect();
    source.rows.choose(Math.min(n - 1, Math.floor(n * (e.clientY - box.top) / box.height)), true);
  };
  strip.hidden = n * ROW < source.rows.scroller.clientHeight;
}

function fileChoice() {
  const paths = filesOf(state.kernel);
  if (paths.length < 2)
    return h("span", {class: "path", title: state.file}, state.file ? shortName(state.file) : "");
  return h("label", {class: "path"}, h("span", {class: "hidden"}, "File"),
    h("select", {onchange: e => openFile(e.target.value)},
      paths.map(path => h("option", {value: path, selected: path === state.file}, shortName(path)))));
}

function fileNote() {
  const file = files.get(state.file);
  if (!file)
    return state.kernel.lines.length ? "The lines of this kernel have no file: it was compiled without -g" : blind(state.kernel) || "No line of this kernel has numbers";
  if (file.text === null)
    return "The text of " + file.path + " is not in the recording: " + file.problem;
  return file.differs ? "Recordings hold different texts of this file: the first one’s is shown" : "";
}

function drawSource() {
  const kernel = state.kernel, file = files.get(state.file);
  source.lines = textLines(file);
  if (!source.lines.length) /* without text: the lines with numbers all the same */
    source.lines = Array(Math.min(20000, Math.max(0, ...kernel.lines.filter(l => l.file === state.file).map(l => l.line)))).fill("");
  source.columns = shownColumns(kernel);
  source.panel.querySelector(".tools").replaceChildren(fileChoice(), h("span", {class: "note", role: "status"}, fileNote()), columnMenu(kernel, drawColumns));
  drawColumns();
}

function drawColumns() {
  source.columns = shownColumns(state.kernel);
  source.rows.table.tHead.replaceChildren(sourceHead());
  sourceWidths();
  source.rows.set(source.lines.length, state.line - 1);
  drawStrip();
}

/* A printout has the lines with numbers, and a few around each. */
function isPrinted(i) {
  const AROUND = 3;
  for (let line = i + 1 - AROUND; line <= i + 1 + AROUND; line++)
    if (lineAt(state.kernel, state.file, line))
      return true;
  return false;
}

function makeSource(panel) {
  source.panel = panel;
  const scroller = h("div", {class: "scroll", tabindex: 0, role: "group", "aria-label": "Source with numbers", id: "source"});
  panel.append(h("div", {class: "tools"}), h("div", {class: "with-strip"}, scroller, h("div", {class: "strip", title: "Lines with numbers in this file"})));
  source.rows = new Rows(scroller, {
    id: "s", label: "Source with numbers", class: "source", head: h("thead", {}), row: sourceCells, printed: isPrinted,
    mark: (tr, i) => {
      const line = lineAt(state.kernel, state.file, i + 1);
      if (line)
        heat(tr, line, state.kernel);
    },
    chosen: i => chooseLine(state.file, i + 1, false),
  });
  source.rows.table.prepend(h("colgroup", {}));
}
