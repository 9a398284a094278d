/* What is known of the chosen line: its accesses with all numbers, advice, where it was inlined. */

function metricList(table, row, shows) {
  const list = h("dl", {class: "numbers"});
  for (const column of table.columns) {
    const value = row.metrics[column.metric], m = metric(table.handler, column.metric);
    if (value === undefined || !shows(column, value))
      continue;
    const worst = column.metric === table.worst_metric;
    list.append(h("div", {class: worst ? "worst" : null, title: m && m.description},
      h("dt", {title: column.metric}, column.head),
      h("dd", {}, (row.inexact.includes(column.metric) ? "~" : "") + show(m, value), h("span", {class: "unit"}, unitOf(m, value)))));
  }
  return list;
}

function chainList(row) {
  const places = [{file: row.file, line: row.line, column: row.columns[0], function: row.function}, ...row.inlined_at];
  if (places.length < 2)
    return null;
  return h("details", {class: "chain"}, h("summary", {}, "Inlined through " + some(places.length - 1, "call")),
    h("ol", {}, places.map(p => h("li", {}, h("span", {class: "mono"}, p.function || "?"), " ", placeLink(p.file, p.line, p.column)))));
}

/* A button where the source is at hand, else text. */
function placeLink(path, line, column) {
  const text = place(path, line) + (column ? ":" + column : "");
  return files.has(path) && line ? h("button", {type: "button", class: "link", title: path, onclick: () => chooseLine(path, line, true)}, text)
    : h("span", {title: path}, text);
}

function marksOf(row) {
  const marks = [];
  if (!row.exact)
    marks.push(h("p", {class: "warn"}, "~ not exact" + (row.reason ? ": " + row.reason : "")));
  if (row.phases_assumed)
    marks.push(h("p", {class: "warn"}, "^ assumed: in which groups this GPU’s LDS serves the lanes of such an access has not been measured on it"));
  if (row.isa_merged)
    marks.push(h("p", {class: "dim"}, "* one instruction does this access together with ", row.merged_with.length
      ? row.merged_with.map((p, i) => [i ? ", " : "", placeLink(p.file, p.line)]) : "others of the line"));
  return marks;
}

function accessTitle(row) {
  const columns = row.title_columns.length ? (row.title_columns.length > 1 ? ", columns " : ", column ") + row.title_columns.join(", ") : "";
  return row.address_space + " " + row.access + " " + sizes(row.bytes) + columns;
}

function accessCard({table, row}) {
  const hidden = table.columns.filter(c => c.show === "export" && row.metrics[c.metric] !== undefined);
  return h("section", {class: "access"},
    h("h3", {}, accessTitle(row), h("span", {class: "dim"}, table.title + softwareTime(table.time_source))),
    marksOf(row),
    row.advice.length ? h("ul", {class: "advice", "aria-label": "Advice"}, row.advice.map(text => h("li", {}, text.replaceAll(" -> ", " → ")))) : null,
    metricList(table, row, column => column.show !== "export"),
    hidden.length ? h("details", {}, h("summary", {}, some(hidden.length, "more metric")), metricList(table, row, column => column.show === "export")) : null,
    row.isa.length ? h("p", {class: "isa mono"}, instructionText(row) || row.isa.join(", ")) : null,
    chainList(row));
}

function drawLine() {
  const kernel = state.kernel, rows = rowsAt(kernel, state.file, state.line), line = lineAt(kernel, state.file, state.line);
  const text = (textLines(files.get(state.file))[state.line - 1] || "").trim();
  by("line-title").replaceChildren(state.line ? place(state.file, state.line) : "Line");
  const body = by("line-body");
  body.scrollTop = 0;
  if (!state.line) {
    body.replaceChildren(h("p", {class: "dim"}, "Choose a line to see its accesses, machine code and advice."));
    return;
  }
  body.replaceChildren(
    text ? h("pre", {class: "quote"}, text) : "",
    line && line.excess > 0 ? h("p", {class: "share"}, shareText(kernel, line) + " of the kernel’s excess") : "",
    ...rows.map(accessCard),
    rows.length ? "" : h("p", {class: "dim"}, "Nothing was counted at this line."));
}
