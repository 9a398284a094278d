/* The kernel's tables as the text report has them, and the rows that handlers stored. */

const MOST_ROWS = 200; /* in the document at once */

function tableOf(table) {
  const columns = table.columns.filter(c => c.show === "always" || c.show === "detail" || table.rows.some(r => r.metrics[c.metric] && c.show !== "export"));
  const body = h("tbody", {}, table.rows.slice(0, MOST_ROWS).map(row => h("tr", {},
    h("th", {scope: "row"}, placeLink(row.title_file, row.title_line), h("span", {class: "dim"}, " " + accessTitle(row) + (row.isa_merged ? "*" : "") + (row.phases_assumed ? "^" : "")),
      row.code_offset !== null ? h("span", {class: "mono dim instruction"}, instructionText(row)) : null),
    columns.map(c => h("td", {class: c.metric === table.worst_metric ? "worst" : null},
      (row.inexact.includes(c.metric) ? "~" : "") + show(metric(table.handler, c.metric), row.metrics[c.metric]))))));
  return h("section", {},
    h("h3", {}, table.title + softwareTime(table.time_source)),
    table.note ? h("p", {class: "dim"}, table.note) : null,
    h("div", {class: "wide"}, h("table", {class: "plain"},
      h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "Line"), columns.map(c => h("th", {scope: "col", title: (metric(table.handler, c.metric) || {}).description}, c.head)))), body)),
    table.rows.length > MOST_ROWS ? h("p", {class: "dim"}, some(table.rows.length - MOST_ROWS, "more line") + ": the source shows them") : null);
}

function cellText(value) {
  return value === null || value === undefined ? "" : typeof value === "number" ? (Number.isInteger(value) ? grouped.format(value) : String(value))
    : typeof value === "string" ? value : JSON.stringify(value);
}

function storedTable(table) {
  const keys = [...new Set(table.rows.slice(0, MOST_ROWS).flatMap(r => r.row !== null && typeof r.row === "object" && !Array.isArray(r.row) ? Object.keys(r.row) : ["value"]))];
  const value = (r, key) => r.row !== null && typeof r.row === "object" && !Array.isArray(r.row) ? r.row[key] : r.row;
  return h("details", {class: "stored"}, h("summary", {}, table.handler + ": " + table.table + ", " + some(table.rows.length, "row") + softwareTime(table.time_source)),
    h("div", {class: "wide"}, h("table", {class: "plain"},
      h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "Dispatch"), keys.map(key => h("th", {scope: "col"}, key)))),
      h("tbody", {}, table.rows.slice(0, MOST_ROWS).map(r => h("tr", {}, h("td", {}, cellText(r.dispatch)), keys.map(key => h("td", {class: typeof value(r, key) === "string" ? "left" : null}, cellText(value(r, key))))))))),
    table.rows.length > MOST_ROWS ? h("p", {class: "dim"}, some(table.rows.length - MOST_ROWS, "more row") + ": lanescope report --rows " + table.table + " writes all") : null);
}

function wholeText(kernel, m, value) {
  if (m && m.unit === "ns")
    return time(value) + softwareTime(kernel.dispatches.time_source);
  return show(m, value) + unitOf(m, value);
}

function wholeKernel(kernel) {
  const list = h("dl", {class: "numbers"});
  for (const [handler, values] of Object.entries(kernel.metrics))
    for (const [name, value] of Object.entries(values)) {
      const m = metric(handler, name);
      list.append(h("div", {title: m && m.description}, h("dt", {}, name), h("dd", {}, (kernel.reason ? "~" : "") + wholeText(kernel, m, value))));
    }
  return list.children.length ? h("section", {}, h("h3", {}, "Whole kernel", kernel.dispatches.observed > 1 ? h("span", {class: "dim"}, "sums of " + count(kernel.dispatches.observed) + " dispatches") : null), list) : null;
}

function drawTables(panel) {
  const kernel = state.kernel, stored = kernel.handler_tables.filter(t => t.handler !== "advice");
  const parts = [...kernel.tables.map(tableOf), wholeKernel(kernel), ...stored.map(storedTable)].filter(part => part);
  panel.replaceChildren(h("div", {class: "page"}, parts.length ? parts : h("p", {class: "dim"}, blind(kernel) || "No handler counted anything here.")));
}
