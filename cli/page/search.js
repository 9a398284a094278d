/* One field finds kernels, source lines and instructions. */

const MOST_FOUND = 12; /* of each kind */
const search = {found: [], at: -1};

function scan(list, words, textOf, make) {
  const found = [];
  let n = 0;
  for (const [i, item] of list.entries())
    if (words.every(word => textOf(item).toLowerCase().includes(word)) && ++n <= MOST_FOUND)
      found.push(make(item, i));
  return {found, more: Math.max(0, n - MOST_FOUND)};
}

/* The kernel to show a line in: this one when it has numbers there, else the worst that has. */
function kernelOfLine(path, line) {
  const fits = k => lineAt(k, path, line) !== undefined, inFile = k => k.lines.some(l => l.file === path);
  return fits(state.kernel) ? state.kernel : report.kernels.find(fits) || (inFile(state.kernel) ? state.kernel : report.kernels.find(inFile)) || state.kernel;
}

function goTo(kernel, path, line) {
  if (kernel !== state.kernel)
    openKernel(kernel);
  chooseLine(path, line, true);
  showTab("source");
  source.rows.scroller.focus();
}

function find(text) {
  const words = text.toLowerCase().split(/\s+/).filter(w => w), groups = [];
  if (!words.length)
    return groups;
  groups.push(["Kernels", scan(report.kernels, words, k => k.name, k => ({text: middle(headingOf(k), 90), at: k.arch, go: () => { openKernel(k); by("kernels").querySelector(".scroll").focus(); }}))]);
  for (const file of report.files)
    groups.push([file.short, scan(textLines(file), words, line => line, (line, i) => ({text: line.trim(), at: ":" + (i + 1), go: () => goTo(kernelOfLine(file.path, i + 1), file.path, i + 1)}))]);
  if (state.kernel)
    groups.push(["Machine code of " + middle(state.kernel.name, 40), scan(instructionsOf(state.kernel), words, i => i.text, i => ({text: i.text, at: i.offset.toString(16).padStart(4, "0"), go: () => goToCode(i)}))]);
  return groups.filter(([, result]) => result.found.length).slice(0, 12);
}

function drawFound() {
  const field = by("search"), box = by("found"), groups = find(field.value), rows = [];
  search.found = [];
  for (const [title, {found, more}] of groups) {
    rows.push(h("div", {class: "group", role: "presentation"}, title, more ? h("span", {class: "dim"}, "and " + count(more) + " more") : null));
    for (const item of found) {
      const i = search.found.push(item) - 1;
      rows.push(h("div", {role: "option", id: "f-" + i, "aria-selected": "false", onmousedown: e => e.preventDefault(), onclick: () => take(i)}, h("span", {class: "mono"}, item.text), h("span", {class: "dim"}, item.at)));
    }
  }
  if (field.value.trim() && !rows.length)
    rows.push(h("div", {class: "group", role: "presentation"}, "Nothing found"));
  box.replaceChildren(...rows);
  box.hidden = !rows.length;
  field.setAttribute("aria-expanded", String(!box.hidden));
  pointAt(search.found.length ? 0 : -1);
}

function pointAt(i) {
  search.at = i;
  for (const option of by("found").querySelectorAll("[role=option]"))
    option.setAttribute("aria-selected", String(option.id === "f-" + i));
  const now = i >= 0 ? by("f-" + i) : null;
  by("search")[now ? "setAttribute" : "removeAttribute"]("aria-activedescendant", now ? now.id : "");
  if (now)
    now.scrollIntoView({block: "nearest"});
}

function closeSearch() {
  by("found").hidden = true;
  by("search").setAttribute("aria-expanded", "false");
  by("search").removeAttribute("aria-activedescendant");
}

function take(i) {
  const item = search.found[i];
  closeSearch();
  by("search").value = "";
  if (item)
    item.go();
}

function searchKey(e) {
  const n = search.found.length, turn = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
  if (turn && n)
    pointAt((search.at + turn + n) % n);
  else if (e.key === "Enter" && search.at >= 0)
    take(search.at);
  else if (e.key === "Escape") {
    by("search").value = "";
    closeSearch();
    source.rows.scroller.focus();
  } else
    return;
  e.preventDefault();
  e.stopPropagation();
}

function makeSearch() {
  const field = by("search");
  field.addEventListener("input", drawFound);
  field.addEventListener("focus", () => field.value && drawFound());
  field.addEventListener("blur", closeSearch);
  field.addEventListener("keydown", searchKey);
}
