/* What was recorded, and what is to be known of it: programs, notes, findings of the check for races. */

const noteLevels = ["error", "warning", "note"];

function levelOf(note) {
  return noteLevels[Math.max(0, Math.min(2, note.level))];
}

function databaseFacts(d) {
  const facts = [["Recording", d.path], ["Program", d.command || "unknown"], ["GPU", d.gpu || "unknown"], ["Process", d.pid + " on " + (d.hostname || "unknown host")],
    ["Created", d.created], ["Runtime", d.runtime || "unknown"]];
  return h("section", {}, d.partial ? h("p", {class: "warn"}, "Partial: the program did not end normally, or still runs; what was committed is shown") : null,
    d.filters ? h("p", {class: "warn"}, d.filters) : null,
    h("dl", {class: "pairs"}, facts.map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)))));
}

function findingText(f) {
  return (f.severity === "note" ? "note: " : "") + ({race: "race", lanes: "lanes of one store", uninit: "read of unwritten LDS"}[f.kind] || f.kind) + " in " + f.space + ", " + (f.kernel || "an unknown kernel") + ", " + some(f.count, "time");
}

function findings() {
  return report.findings.length ? h("section", {}, h("h3", {}, "Check"), h("ul", {}, report.findings.map(f => h("li", {}, findingText(f), h("ul", {}, f.accesses.map(a =>
    h("li", {}, a.access + " at ", a.file ? placeLink(a.file, a.line, a.column) : "(no line information)", " ", h("span", {class: "mono"}, a.instruction), a.inlined ? " " + a.inlined : ""))))))) : null;
}

function notes() {
  return report.notes.length ? h("section", {}, h("h3", {}, "Notes"), h("ul", {}, report.notes.map(n =>
    h("li", {class: n.level < 2 ? "warn" : null}, levelOf(n) + ": " + n.text + (n.count > 1 ? " (" + count(n.count) + " times)" : ""))))) : null;
}

/* Prices as on another GPU are never shown without saying so. */
function pricedAs() {
  return report.as ? h("section", {}, h("h3", {}, "As on " + report.as.gpu), h("ul", {}, report.as.assumes.map(text => h("li", {class: "warn"}, text)))) : null;
}

function summaryText() {
  const warnings = report.notes.filter(n => n.level < 2).length, partial = report.databases.filter(d => d.partial || d.filters).length;
  return [report.as ? h("span", {class: "warn"}, "As on " + report.as.gpu + ", recorded on " + report.as.recorded_on + ": not measured") : null,
    h("span", {}, report.exactness.text || "Nothing was executed that counts"),
    partial ? h("span", {class: "warn"}, some(partial, "recording") + " in part") : null,
    report.findings.length ? h("span", {class: "warn"}, some(report.findings.length, "finding") + " of the check") : null,
    warnings ? h("span", {class: "warn"}, some(warnings, "warning")) : null,
    h("span", {class: "dim"}, "About the recording")].filter(x => x);
}

function makeRecording() {
  const first = report.databases[0], names = report.databases.length > 1 ? " and " + some(report.databases.length - 1, "other recording") : "";
  by("what").replaceChildren(first ? middle(first.command || first.path, 60) + names : "", h("span", {class: "dim"}, first ? first.gpu : ""), report.as ? h("span", {class: "warn"}, " as on " + report.as.gpu) : "");
  by("what").title = report.databases.map(d => d.command || d.path).join("\n");
  document.title = (first && first.command ? middle(first.command, 60) + " · " : "") + "Lanescope report";
  const box = by("recording"), facts = box.querySelector(".facts");
  box.querySelector("summary").replaceChildren(...summaryText());
  const shown = report.databases.slice(0, 50);
  facts.replaceChildren(...[pricedAs(), findings(), notes(), ...shown.map(databaseFacts), shown.length < report.databases.length ? h("p", {class: "dim"}, some(report.databases.length - 50, "more recording")) : null].filter(x => x));
  box.open = report.findings.length > 0 || report.notes.some(n => n.level <= 0);
}
