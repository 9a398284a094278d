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
/* The kernel's name, with its place where another file has one of that name. */
function headingOf(kernel) {
  const twin = report.kernels.some(k => k !== kernel && k.name === kernel.name && k.arch === kernel.arch && k.file !== kernel.file);
  return twin ? kernel.name + " [" + shortName(kernel.file || "?") + ":" + kernel.line + "]" : kernel.name;
}

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

/* Compiled without Lanescope, and observed by its machine instructions: each is a row. */
function observedAlone(kernel) {
  return kernel.by_instructions && kernel.dispatches.observed > 0;
}

/* "0xbc: ds_read_b32 v2, v5"; null: the row is an access of the source. */
function instructionText(row) {
  if (row.code_offset === null)
    return null;
  const inside = state.kernel && row.function !== state.kernel.name ? row.function + "+" : "";
  return inside + "0x" + row.code_offset.toString(16) + ": " + row.instructions.join(", ");
}

/* The memory instructions of the kernel; where no machine code is stored, those that are rows. */
function instructionsOf(kernel) {
  if (kernel.instructions.length || !observedAlone(kernel))
    return kernel.instructions;
  if (!kernel.rowInstructions) {
    const seen = new Map();
    for (const table of kernel.tables)
      for (const row of table.rows)
        if (row.code_offset !== null)
          seen.set(row.function + "\n" + row.code_offset, {
            function: row.function === kernel.name ? null : row.function, offset: row.code_offset, text: row.instructions.join(", "), file: row.file,
            line: row.line, column: row.columns[0] || 0, counted_file: row.title_file, counted_line: row.title_line, joined: true});
    kernel.rowInstructions = [...seen.values()].sort((a, b) => (a.function || "").localeCompare(b.function || "") || a.offset - b.offset);
  }
  return kernel.rowInstructions;
}

/* Why a kernel has no numbers; null: it has. */
function blind(kernel) {
  const d = kernel.dispatches;
  if (!d.count)
    return "was not dispatched";
  if (observedAlone(kernel))
    return null;
  if (kernel.not_instrumented)
    return "not instrumented: " + kernel.not_instrumented;
  return d.observed ? null : "not observed: " + d.not_observed.map(r => r.reason).join(", ");
}
