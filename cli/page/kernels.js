/* The table of kernels: worst first, or as its heads say. */

/* Times of the software GPU tell nothing about a GPU. */
function timeHead() {
  const sources = new Set(report.kernels.filter(k => k.dispatches.count).map(k => k.dispatches.time_source));
  return sources.size === 1 && sources.has("GPU") ? "Time" : sources.size === 1 ? "Software GPU time" : "Time, partly of a software GPU";
}

const kernelColumns = [
  {name: "Kernel", class: "name", key: k => k.name, up: true},
  {name: "GPU", class: "gpu", key: k => k.arch, up: true},
  {name: "Dispatches", key: k => k.dispatches.count},
  {name: "Observed", key: k => k.dispatches.observed},
  {name: timeHead(), class: "time", key: k => k.dispatches.duration_ns, title: "Of all dispatches"},
  {name: "Worst line", class: "place", key: k => worstLine(k) ? place(k.lines[0].file, k.lines[0].line) : "", up: true},
  {name: "Excess", class: "heat", key: k => k.excess,
   title: "Work beyond need, in about cycles of the memory path: conflict cycles, and cache lines touched less needed"},
  {name: "Exact", key: k => k.exactness.executed ? k.exactness.exact / k.exactness.executed : -1,
   title: "Executed memory instructions whose numbers are exact"},
];

const kernels = {shown: [], column: null, up: false, idle: false, rows: null};

/* Of the executed instructions; where not all that they did was reported, no number is whole. */
function exactText(k) {
  if (!k.exactness.executed || !k.dispatches.observed)
    return "–";
  return k.reason ? "in part" : k.exactness.exact < k.exactness.executed ? percent(k.exactness.exact, k.exactness.executed) : "all";
}

function kernelCells(i) {
  const k = kernels.shown[i], d = k.dispatches, worst = worstLine(k), why = blind(k);
  const most = kernels.most;
  return [
    h("td", {class: "name", title: headingOf(k)}, middle(headingOf(k), 200)),
    h("td", {class: "gpu"}, k.arch),
    h("td", {}, count(d.count)),
    h("td", {}, count(d.observed)),
    h("td", {title: "of all dispatches" + softwareTime(d.time_source)}, d.count ? time(d.duration_ns) : "–"),
    h("td", {class: "place", title: why || ""}, worst ? place(worst.file, worst.line) : why ? why : "–"),
    h("td", {class: "heat"}, d.observed && k.excess !== null ? [h("span", {}, excessMark(k) + count(k.excess)), bar(most ? k.excess / most : 0)] : "–"),
    h("td", {title: k.reason || ""}, exactText(k)),
  ];
}

function sortedKernels() {
  const list = report.kernels.filter(k => kernels.idle || k.dispatches.count);
  if (!kernels.column)
    return list;
  const {key} = kernels.column, sign = kernels.up ? 1 : -1;
  return list.map((k, i) => [key(k), i, k]).sort((a, b) => {
    const c = a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
    return c * sign || a[1] - b[1];
  }).map(entry => entry[2]);
}

function sortKernels(column) {
  kernels.up = kernels.column === column ? !kernels.up : Boolean(column.up);
  kernels.column = column;
  drawKernels();
}

/* The report's own order is that of the excess. */
function kernelHead() {
  const row = h("tr", {});
  for (const column of kernelColumns) {
    const on = kernels.column === column || (!kernels.column && column.name === "Excess");
    const up = kernels.column ? kernels.up : false;
    row.append(h("th", {scope: "col", class: column.class, title: column.title, "aria-sort": on ? (up ? "ascending" : "descending") : "none"},
      h("button", {type: "button", onclick: () => sortKernels(column)}, column.name, on ? h("span", {class: "arrow", "aria-hidden": "true"}, up ? "↑" : "↓") : null)));
  }
  return row;
}

function drawKernels() {
  kernels.shown = sortedKernels();
  kernels.rows.table.tHead.replaceChildren(kernelHead());
  kernels.rows.set(kernels.shown.length, kernels.shown.indexOf(state.kernel));
}

function kernelsTitle() {
  const idle = report.kernels.filter(k => !k.dispatches.count).length;
  const title = by("kernels-title");
  title.replaceChildren("Kernels ", h("span", {class: "dim"}, count(report.kernels.length - idle)));
  if (idle)
    title.after(h("button", {type: "button", id: "idle", "aria-pressed": "false", onclick: e => {
      kernels.idle = !kernels.idle;
      e.target.setAttribute("aria-pressed", String(kernels.idle));
      drawKernels();
    }}, "and " + count(idle) + " that " + (idle === 1 ? "was" : "were") + " not dispatched"));
}

function makeKernels() {
  const scroller = by("kernels").querySelector(".scroll");
  kernels.most = Math.max(0, ...report.kernels.map(k => k.excess || 0));
  kernels.rows = new Rows(scroller, {
    id: "k", label: "Kernels", class: "kernels", head: h("thead", {}), row: kernelCells,
    mark: (tr, i) => tr.classList.toggle("blind", blind(kernels.shown[i]) !== null),
    chosen: i => openKernel(kernels.shown[i]),
  });
  kernelsTitle();
  drawKernels();
}
