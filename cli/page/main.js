/* Puts the parts together: which kernel, file and line are chosen, which view is shown. */

const tabs = [
  {id: "source", name: "Source", draw: drawSource, make: makeSource},
  {id: "tables", name: "Tables", draw: drawTables},
  {id: "charts", name: "Lanes and waves", draw: drawCharts},
  {id: "coverage", name: "Coverage", draw: drawCoverage},
];

function showTab(id) {
  for (const tab of tabs) {
    const on = tab.id === id;
    by("tab-" + tab.id).setAttribute("aria-selected", String(on));
    by("tab-" + tab.id).tabIndex = on ? 0 : -1;
    by("panel-" + tab.id).hidden = !on;
    if (on && tab.drawn !== state.kernel) {
      tab.drawn = state.kernel;
      tab.draw(by("panel-" + id));
    }
  }
  state.tab = id;
  remember();
}

function makeTabs() {
  const list = document.querySelector(".tabs"), panels = document.querySelector(".panels");
  for (const [i, tab] of tabs.entries()) {
    list.append(h("button", {type: "button", role: "tab", id: "tab-" + tab.id, "aria-controls": "panel-" + tab.id, onclick: () => showTab(tab.id), onkeydown: e => {
      const turn = e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? tabs.length - 1 : 0;
      if (turn) {
        showTab(tabs[(i + turn) % tabs.length].id);
        by("tab-" + state.tab).focus();
      }
    }}, tab.name));
    const panel = h("div", {role: "tabpanel", id: "panel-" + tab.id, class: "panel", "aria-labelledby": "tab-" + tab.id, hidden: true, tabindex: tab.make ? null : 0});
    panels.append(panel);
    if (tab.make)
      tab.make(panel);
  }
}

function kernelFacts(k) {
  const d = k.dispatches, why = blind(k), parts = [k.arch, some(d.count, "dispatch") + (d.observed === d.count ? ", all observed" : ", " + count(d.observed) + " observed")];
  if (d.count)
    parts.push("grid " + d.grid.join("×") + ", work-group " + d.workgroup.join("×") + (d.shapes > 1 ? " and " + some(d.shapes - 1, "other shape") : ""), time(d.duration_ns) + softwareTime(d.time_source));
  if (k.coverage.text && d.observed)
    parts.push(k.coverage.text);
  if (observedAlone(k))
    parts.push((k.not_instrumented ? "compiled without Lanescope: " : "in some recordings compiled without Lanescope: there ") + "each machine instruction is a row");
  return [parts.join(" · "), why ? h("span", {class: "warn"}, " " + why) : null, k.reason ? h("span", {class: "warn"}, " ~ " + k.reason) : null].filter(x => x);
}

function openKernel(kernel) {
  const worst = kernel.lines[0], paths = filesOf(kernel);
  state.kernel = kernel;
  state.file = worst && worst.file ? worst.file : paths[0] || "";
  state.line = worst && worst.file ? worst.line : 0;
  timeline.dispatch = 0;
  by("kernel-title").replaceChildren(headingOf(kernel));
  by("kernel-facts").replaceChildren(...kernelFacts(kernel));
  for (const tab of tabs)
    tab.drawn = null;
  const row = kernels.shown.indexOf(kernel);
  if (kernels.rows.at !== row)
    kernels.rows.choose(row, false);
  drawCode();
  drawLine();
  showTab(state.tab || "source");
}

function openFile(path) {
  state.file = path;
  const worst = state.kernel.lines.find(l => l.file === path);
  state.line = worst ? worst.line : 0;
  if (state.tab === "source")
    drawSource();
  else
    tabs[0].drawn = null;
  drawLine();
  drawCodeMarks();
  remember();
}

/* move: the source follows. */
function chooseLine(path, line, move) {
  const other = path !== state.file;
  state.file = path;
  state.line = line;
  if (move && state.tab !== "source")
    showTab("source");
  if (other)
    drawSource();
  else if (move) {
    source.rows.choose(line - 1, false);
    source.rows.reveal(line - 1, true);
  }
  drawLine();
  drawCodeMarks();
  remember();
}

/* The address says what is shown, so that a link can. */
function remember() {
  const parts = [report.kernels.indexOf(state.kernel) + 1, report.files.findIndex(f => f.path === state.file) + 1, state.line, state.tab];
  try {
    history.replaceState(null, "", "#" + parts.join(","));
  } catch (e) {
    /* a page without an address of its own */
  }
}

function recall() {
  const [k, f, line, tab] = location.hash.slice(1).split(",");
  const kernel = report.kernels[Number(k) - 1], file = report.files[Number(f) - 1];
  if (tabs.some(t => t.id === tab))
    state.tab = tab;
  openKernel(kernel || report.kernels.find(x => x.dispatches.count) || report.kernels[0]);
  if (kernel && file && Number(line) > 0 && state.tab === "source")
    chooseLine(file.path, Number(line), true);
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function nameTheme() {
  by("theme").textContent = isDark() ? "Light" : "Dark";
  by("theme").setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
}

function turnTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
}

by("theme").addEventListener("click", turnTheme);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", nameTheme);
nameTheme();
makeRecording();
if (report.kernels.length) {
  makeTabs();
  makeKernels();
  makeCode();
  makeSearch();
  makeKeys();
  recall();
} else {
  by("kernel-title").replaceChildren("No kernels");
  by("kernel-facts").replaceChildren("The recording holds none.");
}
document.documentElement.dataset.ready = "true";
