/* Pictures: which wavefront ran where and when, and how many lanes were active. */

const MOST_WAVES = 2000; /* drawn at once */
const timeline = {dispatch: 0};

function storedRows(kernel, handler, table) {
  const found = kernel.handler_tables.find(t => t.handler === handler && t.table === table);
  return found ? {rows: found.rows, source: found.time_source} : {rows: [], source: null};
}

/* 1, 2 or 5 times a power of ten: about `most` steps up to `end`. */
function step(end, most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(end, 1) / most));
  return [1, 2, 5, 10].map(n => n * power).find(size => end / size <= most) || 10 * power;
}

/* RDNA tells the work-group processor, which is two compute units. */
const hasProcessors = kernel => /^gfx1\d/.test(kernel.arch);
const unitWord = kernel => hasProcessors(kernel) ? "work-group processor" : "compute unit";

function unitName(w, kernel) {
  return [w.xcc ? "die " + w.xcc : null, "engine " + w.engine, w.array ? "array " + w.array : null, (hasProcessors(kernel) ? "WGP " : "unit ") + w.unit].filter(x => x).join(", ");
}

/* Wavefronts of a compute unit on as few rows as do not overlap. */
function packed(waves, kernel) {
  const units = new Map();
  for (const w of waves) {
    const key = [w.xcc, w.engine, w.array, w.unit].join(".");
    if (!units.has(key))
      units.set(key, {name: unitName(w, kernel), order: [w.xcc, w.engine, w.array, w.unit], ends: [], waves: [], groups: new Map()});
    const unit = units.get(key);
    let row = unit.ends.findIndex(end => end <= w.start_ns);
    if (row < 0)
      row = unit.ends.push(0) - 1;
    unit.ends[row] = w.start_ns + w.duration_ns;
    if (!unit.groups.has(w.workgroup))
      unit.groups.set(w.workgroup, unit.groups.size);
    unit.waves.push({w, row, odd: unit.groups.get(w.workgroup) % 2});
  }
  return [...units.values()].sort((a, b) => a.order.reduce((c, x, i) => c || x - b.order[i], 0));
}

function timeAxis(end, x, height) {
  const marks = [], size = step(end, 8);
  for (let t = 0; t <= end; t += size)
    marks.push(svg("line", {x1: x(t), x2: x(t), y1: 0, y2: height, class: "grid"}), svg("text", t > end * 0.94 ? {x: x(t) - 3, y: height + 13, class: "tick last"} : {x: x(t) + 3, y: height + 13, class: "tick"}, t ? time(t) : "0"));
  return marks;
}

function wavePicture(waves, source, kernel) {
  const left = 132, width = 980, high = 8, units = packed(waves, kernel);
  const end = Math.max(1, ...waves.map(w => w.start_ns + w.duration_ns)), x = t => left + (width - left - 8) * t / end;
  const parts = [];
  let y = 2;
  for (const unit of units) {
    const top = y, text = unit.name;
    for (const {w, row, odd} of unit.waves)
      parts.push(svg("rect", {x: x(w.start_ns).toFixed(1), width: Math.max(1, x(w.start_ns + w.duration_ns) - x(w.start_ns) - 0.5).toFixed(1), y: top + row * high, height: high - 1,
        class: odd ? "wave-odd" : "wave-even"},
        svg("title", {}, "work-group " + w.workgroup + ", wavefront " + w.wave + ", SIMD " + w.simd + ": from " + time(w.start_ns) + " for " + time(w.duration_ns))));
    y += unit.ends.length * high + 4;
    parts.push(svg("text", {x: left - 8, y: (top + y) / 2 + 2, class: "unit-name"}, text), svg("line", {x1: left, x2: width, y1: y - 2, y2: y - 2, class: "grid"}));
  }
  return svg("svg", {class: "timeline", viewBox: `0 0 ${width} ${y + 18}`, role: "img", "aria-label": `${waves.length} wavefronts on ${units.length} ${unitWord(kernel)}s over ${time(end)}${softwareTime(source)}`},
    timeAxis(end, x, y), parts);
}

function dispatchesOf(rows) {
  const found = new Map();
  for (const r of rows) {
    const key = r.database + ":" + r.dispatch;
    if (!found.has(key))
      found.set(key, []);
    found.get(key).push(r.row);
  }
  return [...found];
}

function unitsTable(kernel, key) {
  const [database, dispatch] = key.split(":").map(Number);
  const units = storedRows(kernel, "wave_timeline", "units").rows.filter(r => r.database === database && r.dispatch === dispatch).map(r => r.row);
  if (!units.length)
    return null;
  const heads = [["Wavefronts", "wavefronts"], ["First", "first_ns"], ["Last", "last_ns"], ["Busy", "busy_ns"], ["Wavefront time", "wavefront_ns"], ["Most at once", "peak"]];
  return h("details", {}, h("summary", {}, "Numbers of " + some(units.length, unitWord(kernel))), h("div", {class: "wide"}, h("table", {class: "plain"},
    h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "Unit"), heads.map(([name]) => h("th", {scope: "col"}, name)))),
    h("tbody", {}, units.slice(0, MOST_ROWS).map(u => h("tr", {}, h("th", {scope: "row"}, unitName(u, kernel)), heads.map(([, key]) => h("td", {}, key.endsWith("_ns") ? time(u[key]) : count(u[key])))))))));
}

function timelineSection(kernel, again) {
  const {rows, source} = storedRows(kernel, "wave_timeline", "waves");
  const usable = rows.filter(r => r.row && Number.isFinite(r.row.start_ns) && Number.isFinite(r.row.duration_ns));
  if (!usable.length)
    return h("section", {}, h("h3", {}, "Wave timeline"), h("p", {class: "dim"}, "Not recorded: lanescope run --handlers wave_timeline brings it."));
  const list = dispatchesOf(usable);
  timeline.dispatch = Math.min(timeline.dispatch, list.length - 1);
  const [key, waves] = list[timeline.dispatch], drawn = waves.slice(0, MOST_WAVES);
  const choice = list.length > 1 ? h("label", {}, "Dispatch ", h("select", {onchange: e => { timeline.dispatch = e.target.selectedIndex; again(); }},
    list.map(([name], i) => h("option", {selected: i === timeline.dispatch}, report.databases.length > 1 ? name : name.split(":")[1])))) : null;
  return h("section", {}, h("h3", {}, "Wave timeline", h("span", {class: "dim"}, some(drawn.length, "wavefront") + (drawn.length < waves.length ? " of " + count(waves.length) : "") + softwareTime(source))),
    choice, h("div", {class: "wide"}, wavePicture(drawn, source, kernel)),
    h("p", {class: "dim"}, "A row of bars for each " + unitWord(kernel) + "; neighbouring work-groups alternate in shade. What ran is the clone with probes: take durations from other runs."),
    unitsTable(kernel, key));
}

/* Executions by the average of active lanes of their row; 0 to `lanes`. */
function laneBins(kernel, table) {
  const bins = Array(kernel.lanes + 1).fill(0);
  for (const row of table.rows) {
    const lanes = row.metrics["Active Lanes/Execution"], executions = row.metrics.Executions;
    if (Number.isFinite(lanes) && executions > 0)
      bins[Math.max(0, Math.min(kernel.lanes, Math.round(lanes)))] += executions;
  }
  return bins;
}

function lanePicture(kernel, table) {
  const bins = laneBins(kernel, table), most = Math.max(...bins), width = 980, left = 64, height = 96, step = (width - left - 8) / (kernel.lanes + 1);
  if (!most)
    return null;
  const parts = [0.5, 1].map(part => [svg("line", {x1: left, x2: width - 8, y1: height * (1 - part) + 8, y2: height * (1 - part) + 8, class: "grid"}),
    svg("text", {x: left - 6, y: height * (1 - part) + 12, class: "unit-name"}, count(most * part))]);
  bins.forEach((n, lanes) => {
    if (n)
      parts.push(svg("rect", {x: left + lanes * step + 1, width: step - 2, y: 8 + height * (1 - n / most), height: Math.max(1, height * n / most), class: lanes <= 0.75 * kernel.lanes ? "lanes idle" : "lanes"},
        svg("title", {}, count(n) + " executions with " + lanes + " of " + kernel.lanes + " lanes on average")));
    if (n || lanes % 16 === 0)
      parts.push(svg("text", {x: left + (lanes + 0.5) * step, y: height + 21, class: "tick middle" + (lanes % 16 ? " minor" : "")}, lanes % 16 === 0 || bins.filter(x => x).length < 12 ? String(lanes) : ""));
  });
  parts.push(svg("line", {x1: left, x2: width - 8, y1: height + 8, y2: height + 8, class: "axis"}));
  const words = bins.map((n, lanes) => n ? `${count(n)} with ${lanes}` : null).filter(x => x).join(", ");
  return svg("svg", {class: "histogram", viewBox: `0 0 ${width} ${height + 26}`, role: "img", "aria-label": "Executions by active lanes: " + words}, parts);
}

function lanesSection(kernel) {
  const tables = kernel.tables.filter(t => t.rows.some(r => Number.isFinite(r.metrics["Active Lanes/Execution"]) && r.metrics.Executions > 0));
  return h("section", {}, h("h3", {}, "Active lanes"),
    tables.length ? h("p", {class: "dim"}, `Executions by active lanes of ${kernel.lanes}, each line’s at its average. Hatched: a quarter or more of the lanes were idle.`) : h("p", {class: "dim"}, "No handler counted active lanes."),
    tables.map(table => h("figure", {}, h("figcaption", {}, table.title), h("div", {class: "wide"}, lanePicture(kernel, table)))));
}

function drawCharts(panel) {
  const again = () => drawCharts(panel);
  panel.replaceChildren(h("div", {class: "page"}, lanesSection(state.kernel), timelineSection(state.kernel, again)));
}
