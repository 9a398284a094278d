/* What the numbers stand for: counted exactly, estimated, not joined, not observed. */

/* Parts of a whole, with patterns beside colours and a list beside the picture. */
function partsPicture(parts, whole) {
  let x = 0;
  const rects = parts.filter(p => p.n > 0).map(p => {
    const width = 1000 * p.n / whole, rect = svg("rect", {x, y: 0, width, height: 14, class: "part-" + p.kind}, svg("title", {}, p.text));
    x += width;
    return rect;
  });
  return svg("svg", {class: "parts", viewBox: "0 0 1000 14", preserveAspectRatio: "none", role: "img", "aria-label": parts.map(p => p.text).join(", ")},
    rects);
}

function instructionParts(kernel) {
  const e = kernel.exactness, c = kernel.coverage, idle = Math.max(0, c.observed - (e.executed - e.not_counted));
  return [
    {kind: "exact", n: e.exact, text: count(e.exact) + " counted exactly"},
    {kind: "estimated", n: e.estimated, text: count(e.estimated) + " estimated"},
    {kind: "idle", n: idle, text: count(idle) + " observed, not executed"},
    {kind: "unseen", n: Math.max(0, c.instructions - c.observed), text: count(Math.max(0, c.instructions - c.observed)) + " not observed"},
  ];
}

function coverageSummary(kernel) {
  const parts = instructionParts(kernel).filter(p => p.n > 0), whole = parts.reduce((sum, p) => sum + p.n, 0);
  if (!whole)
    return null;
  return h("section", {}, h("h3", {}, "Memory instructions"), partsPicture(parts, whole),
    h("ul", {class: "legend"}, parts.map(p => h("li", {}, svg("svg", {viewBox: "0 0 14 14", "aria-hidden": "true"}, svg("rect", {width: 14, height: 14, class: "part-" + p.kind})), p.text))),
    h("p", {}, kernel.coverage.text));
}

function notObserved(kernel) {
  const list = kernel.coverage.not_observed;
  return list.length ? h("section", {}, h("h3", {}, "Not observed"), h("ul", {}, list.map(r => h("li", {}, count(r.count) + " × " + r.reason)))) : null;
}

function unexplained(kernel) {
  const list = kernel.coverage.unexplained;
  if (!list.length)
    return null;
  return h("section", {}, h("h3", {}, "Not joined"),
    h("p", {class: "dim"}, "Instructions of the original kernel that no observed access explains: the numbers leave them out."),
    h("ul", {}, list.slice(0, MOST_ROWS).map(u => h("li", {}, h("span", {class: "mono"}, u.instruction), " × " + count(u.count) + " at ", placeLink(u.file, u.line),
      u.executions === null ? ", executions unknown" : ", " + some(u.executions, "execution")))));
}

function estimates(kernel) {
  const rows = [];
  for (const table of kernel.tables)
    for (const row of table.rows)
      if (row.sites_estimated || row.phases_assumed)
        rows.push(row);
  if (!rows.length)
    return null;
  return h("section", {}, h("h3", {}, "Estimated or assumed"), h("ul", {}, rows.slice(0, MOST_ROWS).map(row => h("li", {}, placeLink(row.title_file, row.title_line), " " + accessTitle(row) + ": " +
    [row.sites_estimated ? "~ " + (row.reason || "estimated") : null, row.phases_assumed ? "^ phases assumed" : null].filter(x => x).join("; ")))));
}

function dispatchFacts(kernel) {
  const d = kernel.dispatches, t = kernel.transport, r = kernel.resources;
  const facts = [["Dispatches", count(d.count) + ", " + count(d.observed) + " observed" + d.not_observed.map(x => "; " + count(x.count) + " not: " + x.reason).join("")],
    ["Time", time(d.duration_ns) + softwareTime(d.time_source)],
    ["Grid, work-group", d.grid.join(" × ") + ", " + d.workgroup.join(" × ") + (d.shapes > 1 ? " and " + some(d.shapes - 1, "other shape") : "")],
    ["Registers", [r.vgprs + " VGPR", r.agprs ? r.agprs + " AGPR" : null, r.sgprs + " SGPR"].filter(x => x).join(", ")],
    ["Memory", count(r.lds_bytes) + " B of LDS, " + count(r.scratch_bytes) + " B of scratch"],
    ["Messages", count(t.messages) + " in " + some(t.chunks, "chunk") + (t.dropped ? ", " + count(t.dropped) + " dropped" : "") + (t.bad ? ", " + count(t.bad) + " damaged" : "")]];
  return h("section", {}, h("h3", {}, "Dispatches"), h("dl", {class: "pairs"}, facts.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)))));
}

function drawCoverage(panel) {
  const kernel = state.kernel, why = blind(kernel);
  panel.replaceChildren(h("div", {class: "page"},
    why ? h("p", {class: "warn"}, why) : null,
    kernel.reason ? h("p", {class: "warn"}, "~ the numbers are too small: " + kernel.reason) : null,
    kernel.coverage.contradictions ? h("p", {class: "warn"}, "Executions of " + some(kernel.coverage.contradictions, "counted instruction") + " contradict each other") : null,
    coverageSummary(kernel), notObserved(kernel), unexplained(kernel), estimates(kernel), dispatchFacts(kernel)));
}
