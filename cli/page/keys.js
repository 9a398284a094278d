/* Keys: they work on the list that has the focus, else on the source. */

function focusedRows() {
  const at = document.activeElement && document.activeElement.closest(".scroll");
  return at && at.rows ? at.rows : source.rows;
}

/* The next line with numbers of the file, or the one before. */
function nextNumbers(turn) {
  const lines = state.kernel.lines.filter(l => l.file === state.file && l.line).map(l => l.line).sort((a, b) => a - b);
  const next = turn > 0 ? lines.find(l => l > state.line) : lines.findLast(l => l < state.line);
  if (next)
    chooseLine(state.file, next, true);
}

function goToWorst() {
  const worst = state.kernel.lines[0];
  if (worst)
    chooseLine(worst.file, worst.line, true);
}

function enter() {
  const rows = focusedRows();
  if (rows === kernels.rows)
    source.rows.scroller.focus();
  else if (rows === code.rows && code.rows.at >= 0)
    goToCode(code.list[code.rows.at]);
  else if (rows === source.rows)
    by("line-body").focus();
}

const keyed = {
  "/": () => by("search").focus(),
  "?": () => by("help").showModal(),
  j: () => focusedRows().move(1), ArrowDown: () => focusedRows().move(1),
  k: () => focusedRows().move(-1), ArrowUp: () => focusedRows().move(-1),
  PageDown: () => focusedRows().move(Math.floor(focusedRows().scroller.clientHeight / ROW) - 1),
  PageUp: () => focusedRows().move(1 - Math.floor(focusedRows().scroller.clientHeight / ROW)),
  Home: () => focusedRows().choose(0, true), End: () => focusedRows().choose(focusedRows().n - 1, true),
  n: () => nextNumbers(1), p: () => nextNumbers(-1), w: goToWorst, d: turnTheme, Enter: enter,
  Escape: () => kernels.rows.scroller.focus(),
  1: () => showTab("source"), 2: () => showTab("tables"), 3: () => showTab("charts"), 4: () => showTab("coverage"),
};

/* Buttons, fields and what has keys of its own keep theirs. */
function keysAreTaken(e) {
  const at = e.target.closest("input, select, textarea, button, summary, [role=tab], dialog[open], #line-body");
  if (e.ctrlKey || e.altKey || e.metaKey || by("help").open || !state.kernel)
    return true;
  if (!at)
    return false;
  return at.matches("input, select, textarea") || /^(Enter|Arrow|Page|Home|End| )/.test(e.key);
}

function makeKeys() {
  document.addEventListener("keydown", e => {
    if (!Object.hasOwn(keyed, e.key) || keysAreTaken(e))
      return;
    e.preventDefault();
    keyed[e.key]();
  });
  by("keys").addEventListener("click", () => by("help").showModal());
}
