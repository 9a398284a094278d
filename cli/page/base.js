/* Small helpers. Texts of the report become text nodes, never markup. */

/* h("p", {class: "dim", onclick: f}, "text", child, ...) */
function h(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {}))
    if (key.startsWith("on"))
      element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(key, value === true ? "" : value);
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false)
      element.append(child);
  return element;
}

function by(id) {
  return document.getElementById(id);
}

const grouped = new Intl.NumberFormat("en-US");
const twoDigits = new Intl.NumberFormat("en-US", {minimumFractionDigits: 2, maximumFractionDigits: 2});

function count(value) {
  if (value === null || value === undefined)
    return "–";
  if (Math.abs(value) < 1e7)
    return grouped.format(Math.round(value));
  for (const [unit, size] of [["T", 1e12], ["G", 1e9], ["M", 1e6]])
    if (Math.abs(value) >= size)
      return twoDigits.format(value / size) + unit;
}

/* A value of a metric of the report. */
function show(metric, value) {
  if (value === null || value === undefined)
    return "–";
  return metric && metric.ratio ? twoDigits.format(value) + (metric.unit === "%" ? " %" : "") : count(value);
}

function percent(part, whole) {
  const value = whole > 0 ? 100 * part / whole : 0;
  return value > 0 && value < 0.1 ? "< 0.1 %" : value.toFixed(value < 9.95 ? 1 : 0) + " %";
}

function time(ns) {
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]])
    if (ns >= size)
      return twoDigits.format(ns / size) + " " + unit;
  return count(ns) + " ns";
}

/* The unit of a metric beside a number, as common/plural.h has it: " cycles", of one " cycle". */
function unitOf(metric, value) {
  const unit = metric && metric.unit || "";
  if (!unit || unit === "%")
    return "";
  if (value !== 1 || unit.length < 3 || unit.includes("/") || unit.endsWith("ss"))
    return " " + unit;
  return " " + unit.replace(/ies$|(?<=s|sh|nch|tch|x)es$|s$/, end => end === "ies" ? "y" : "");
}

/* "1 line", "3 lines" */
function some(n, noun) {
  return count(n) + " " + noun + (n === 1 ? "" : noun.endsWith("h") ? "es" : "s");
}

function sizes(list) {
  return list.map(n => n || "any number of").join("/") + " B";
}

/* Long names of templates differ at their ends. */
function middle(text, most) {
  const part = Math.floor((most - 1) / 2);
  return text.length <= most ? text : text.slice(0, part) + "…" + text.slice(-part);
}

/* A bar of `share` of its width. */
function bar(share) {
  const inner = h("span", {class: "bar-inner"});
  inner.style.width = Math.round(100 * Math.max(0, Math.min(1, share))) + "%";
  return h("span", {class: "bar-outer", "aria-hidden": "true"}, inner);
}
