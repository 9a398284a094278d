/* The report, and what is looked up in it. The numbers are those of the JSON: nothing is computed anew. */

const report = JSON.parse(by("report").textContent);
const files = new Map(report.files.map(f => [f.path, f]));
const metrics = new Map(report.metrics.map(m => [m.handler + "\n" + m.name, m]));

/* What is chosen now. */
const state = {kernel: null, file: null, line: 0};

function metric(handler, name) {
  return metrics.get(handler + "\n" + name);
}

function textLines(file) {
  if (!file)
    return [];
  if (!file.split)
    file.split = file.text === null ? [] : file.text.replace(/\n$/, "").split("\n");
  return file.split;
}

function shortName(path) {
  const file = files.get(path);
  return file ? file.short : path.replace(/.*\//, "") || "(no file)";
}

function place(path, line) {
  return shortName(path) + (line ? ":" + line : " (no line)");
}

/* Lines with numbers of a kernel: worst first, and by place. */
function linesOf(kernel) {
  if (!kernel.byPlace)
    kernel.byPlace = new Map(kernel.lines.map(l => [l.file + "\n" + l.line, l]));
  return kernel.byPlace;
}

function lineAt(kernel, path, line) {
  return linesOf(kernel).get(path + "\n" + line);
}

/* The files that the kernel has lines in, worst first. */
function filesOf(kernel) {
  const seen = [...new Set(kernel.lines.map(l => l.file))].filter(path => path);
  if (!seen.length && files.has(kernel.file))
    seen.push(kernel.file);
  return seen;
}

/* Rows of all tables that are called after a line. */
function rowsAt(kernel, path, line) {
  if (!kernel.rowsByPlace) {
    kernel.rowsByPlace = new Map();
    for (const table of kernel.tables)
      for (const row of table.rows) {
        const key = row.title_file + "\n" + row.title_line;
        kernel.rowsByPlace.set(key, [...(kernel.rowsByPlace.get(key) || []), {table, row}]);
      }
  }
  return kernel.rowsByPlace.get(path + "\n" + line) || [];
}

function worstLine(kernel) {
  return kernel.lines.length && kernel.lines[0].excess > 0 ? kernel.lines[0] : null;
}

/* Of a sum with estimates every share is one. */
function shareText(kernel, line) {
  return excessMark(kernel) + percent(line.excess, kernel.excess);
}

function excessMark(kernel) {
  return kernel.reason || kernel.exactness.estimated ? "~" : "";
}

function softwareTime(source) {
  return source && source !== "GPU" ? " (" + source + ")" : "";
}

/* Why a kernel has no numbers; null: it has. */
function blind(kernel) {
  const d = kernel.dispatches;
  if (!d.count)
    return "was not dispatched";
  if (kernel.not_instrumented)
    return "not instrumented: " + kernel.not_instrumented;
  return d.observed ? null : "not observed: " + d.not_observed.map(r => r.reason).join(", ");
}
