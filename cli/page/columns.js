/* Which numbers stand beside the source: a few by default, all that the report has by choice. */

const chosenColumns = {own: null};

/* The average of active lanes; low when a quarter or more of a wavefront's lanes were idle. */
function lanesText(kernel, line) {
  return line.active_lanes === null ? "" : (line.active_lanes <= 0.75 * kernel.lanes ? "↓ " : "") + twoDigits.format(line.active_lanes);
}

function fixedColumns(kernel) {
  const most = kernel.lines.length ? kernel.lines[0].excess : 0;
  const columns = [];
  if (kernel.lines.some(l => l.executions !== null)) {
    columns.push({id: "executions", head: "Exec.", title: "Executions: accesses by wavefronts", width: 62,
      text: l => l.executions === null ? "" : count(l.executions)});
    columns.push({id: "lanes", head: "Lanes", title: "Average of active lanes of " + kernel.lanes + "; ↓: a quarter or more were idle", width: 66,
      text: l => lanesText(kernel, l)});
  }
  if (most > 0)
    columns.unshift({id: "share", head: "Excess", title: "Share of the kernel’s work beyond need", width: 90, class: "heat", bare: true,
      text: l => l.excess > 0 ? shareText(kernel, l) : "", share: l => l.excess / most});
  return columns;
}

/* Cycles of the line rest on phases that nobody has measured on this GPU. */
function assumed(kernel, handler, line) {
  return rowsAt(kernel, line.file, line.line).some(({table, row}) => table.handler === handler && row.phases_assumed);
}

function metricColumn(kernel, table, column) {
  const handler = table.handler, m = metric(handler, column.metric), priced = column.metric === table.worst_metric;
  const value = l => l.metrics[handler] && l.metrics[handler][column.metric];
  return {id: handler + "." + column.metric, head: column.head, width: 80, value,
    title: column.metric + (m && m.unit ? ", " + m.unit : "") + (m && m.description ? ": " + m.description : "") + " (" + handler + ")",
    text: l => value(l) === undefined ? "" : show(m, value(l)) + (priced && assumed(kernel, handler, l) ? "^" : "")};
}

/* All columns that a kernel's lines can have. `first`: shown unless the reader chooses. */
function columnsOf(kernel) {
  const all = fixedColumns(kernel);
  all.forEach(c => c.first = true);
  for (const table of kernel.tables)
    for (const column of table.columns) {
      const c = metricColumn(kernel, table, column), m = metric(table.handler, column.metric);
      const doubled = /^(Executions|Active Lanes)/.test(column.metric) && kernel.lines.some(l => l.executions !== null);
      c.worst = column.metric === table.worst_metric;
      c.first = c.worst || (column.show === "always" && m && m.ratio && !doubled);
      c.first = c.first && all.filter(x => x.first).length < 8;
      all.push(c);
    }
  return all;
}

/* Unless the reader chooses: as many as leave half of the width to the source, what matters most first. */
function fitting(all) {
  const importance = c => c.share ? 0 : c.worst ? 1 : c.value ? 3 : 2;
  const width = source.rows ? source.rows.scroller.clientWidth : innerWidth;
  let room = Math.max(width / 2, 150) - 46;
  const shown = new Set(all.filter(c => c.first).sort((a, b) => importance(a) - importance(b)).filter(c => (room -= c.width) >= 0));
  return all.filter(c => shown.has(c));
}

function shownColumns(kernel) {
  const all = columnsOf(kernel);
  return chosenColumns.own ? all.filter(c => chosenColumns.own.has(c.id)) : fitting(all);
}

/* The menu of columns; changed() draws the source anew. */
function columnMenu(kernel, changed) {
  const list = h("div", {class: "menu"});
  const now = new Set(shownColumns(kernel).map(c => c.id));
  for (const column of columnsOf(kernel))
    list.append(h("label", {title: column.title}, h("input", {type: "checkbox", checked: now.has(column.id), onchange: e => {
      now[e.target.checked ? "add" : "delete"](column.id);
      chosenColumns.own = now;
      changed();
    }}), " " + (column.value ? column.id.replace(".", ": ") : column.head)));
  return h("details", {class: "columns"}, h("summary", {}, "Columns"), list);
}
