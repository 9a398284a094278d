/* The memory instructions of the kernel, those of the chosen line marked. */

const code = {rows: null, list: []};

function countedHere(i) {
  return i.counted_line === state.line && i.counted_file === state.file;
}

function standsHere(i) {
  return i.line === state.line && i.file === state.file && state.line > 0;
}

/* Not only by colour: ● counted with the line, ○ compiled from it. */
function codeMark(i) {
  return countedHere(i) ? "●" : standsHere(i) ? "○" : "";
}

function codePlace(i) {
  return i.counted_line !== null ? [i.counted_file, i.counted_line] : [i.file, i.line];
}

/* In another file than the source beside it: then the column needs room for its name. */
function codeIsFar(i) {
  const [path, line] = codePlace(i);
  return line > 0 && path !== state.file;
}

function codeState(i) {
  return i.counted_line === null ? "counted with no line" : i.joined ? "counted with " + place(i.counted_file, i.counted_line)
    : "near " + place(i.counted_file, i.counted_line) + ", whose numbers are estimates";
}

function codeCells(n) {
  const i = code.list[n], [path, line] = codePlace(i);
  return [
    h("td", {class: "sign"}, codeMark(i), codeMark(i) ? h("span", {class: "hidden"}, countedHere(i) ? "counted with the line" : "compiled from the line") : null),
    h("th", {scope: "row"}, i.offset.toString(16).padStart(4, "0")),
    h("td", {class: "at", title: path}, codeIsFar(i) ? h("span", {class: "file"}, shortName(path)) : null, line ? ":" + line : "–"),
    h("td", {class: "text", title: (i.function ? "in " + i.function + ", " : "") + codeState(i)}, i.text),
  ];
}

function drawCode() {
  code.list = instructionsOf(state.kernel);
  by("code-title").replaceChildren("Machine code ", h("span", {class: "dim"}, code.list.length
    ? some(code.list.length, "memory instruction") : "none recorded"));
  code.rows.table.hidden = !code.list.length;
  code.rows.set(code.list.length, -1);
  drawCodeMarks();
}

function drawCodeMarks() {
  const at = code.list.findIndex(countedHere), near = at >= 0 ? at : code.list.findIndex(standsHere);
  code.rows.table.classList.toggle("far", code.list.some(codeIsFar));
  code.rows.at = -1;
  code.rows.draw(true);
  if (near >= 0)
    code.rows.reveal(near, true);
}

function makeCode() {
  code.rows = new Rows(by("code").querySelector(".scroll"), {
    id: "c", label: "Memory instructions", class: "code", row: codeCells,
    head: h("thead", {class: "hidden-head"}, h("tr", {}, ["Mark", "Offset", "Line", "Instruction"].map(text => h("th", {scope: "col"}, h("span", {class: "hidden"}, text))))),
    mark: (tr, n) => {
      tr.classList.toggle("here", countedHere(code.list[n]) || standsHere(code.list[n]));
      tr.classList.toggle("blind", code.list[n].counted_line === null);
    },
    chosen: n => goToCode(code.list[n]),
  });
}

/* The instruction stays where it is under the pointer. */
function goToCode(i) {
  const [path, line] = codePlace(i), top = code.rows.scroller.scrollTop;
  if (line && files.has(path))
    chooseLine(path, line, true);
  code.rows.at = code.list.indexOf(i);
  code.rows.scroller.scrollTop = top;
  code.rows.draw(true);
}
