/* Numbers, times and names as text, and elements that hold them.  Everything becomes text, nothing becomes markup. */

const whole = d3.format(",d");

/* Shares: 0 and 100 % only if it is all or nothing. */
function percent(part, all) {
  if (part === null || all === null || !all) return null;
  const value = (100 * part) / all;
  if (part > 0 && value < 0.1) return "<0.1 %";
  if (part < all && value > 99.9) return ">99.9 %";
  return `${d3.format(".1f")(value)} %`;
}

function duration(ns) {
  if (ns === null) return null;
  const size = Math.abs(ns);
  const [unit, scale] = size < 1e3 ? ["ns", 1] : size < 1e6 ? ["µs", 1e3] : size < 1e9 ? ["ms", 1e6] : ["s", 1e9];
  const digits = unit === "ns" || size / scale >= 100 ? 0 : size / scale >= 10 ? 1 : 2;
  return `${ns < 0 ? "−" : ""}${(size / scale).toFixed(digits)} ${unit}`;
}

function count(number) {
  return number === null ? null : whole(number);
}

/* "1 gap", "2 gaps" */
function several(number, noun) {
  return `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/* An element with attributes and children; children that are no nodes are text. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

function note(text) {
  return make("p", { class: "note" }, text);
}

/* What a mark means, in a line below its drawing: [[class of a filled mark, text]…]. */
function key(entries) {
  const list = make("p", { class: "key" });
  for (const [draw, text] of entries) {
    const item = make("span");
    const svg = d3.select(item).append("svg").attr("width", 22).attr("height", 12).attr("aria-hidden", "true");
    draw(svg);
    item.append(text);
    list.append(item);
  }
  return list;
}

/* A key's mark: a rectangle of that class. */
function swatch(name) {
  return (svg) => svg.append("rect").attr("class", name).attr("width", 18).attr("height", 10).attr("y", 1);
}

/* ---- the box beside the pointer ---- */

const tip = document.getElementById("tip");

function showTip(lines, x, y) {
  tip.textContent = lines.join("\n");
  tip.hidden = false;
  const left = Math.min(x + 14, window.scrollX + document.documentElement.clientWidth - tip.offsetWidth - 8);
  const top = y + 18 + tip.offsetHeight > window.scrollY + window.innerHeight ? y - tip.offsetHeight - 10 : y + 18;
  tip.style.left = `${Math.max(window.scrollX + 4, left)}px`;
  tip.style.top = `${top}px`;
}

function hideTip() {
  tip.hidden = true;
}

/* lines() tells what to show for the element, under the pointer or with the keyboard on it. */
function tips(element, lines) {
  element.addEventListener("mousemove", (event) => showTip(lines(), event.pageX, event.pageY));
  element.addEventListener("mouseleave", hideTip);
  element.addEventListener("focus", () => {
    const box = element.getBoundingClientRect();
    if (element.matches(":focus-visible")) showTip(lines(), box.left + window.scrollX, box.bottom + window.scrollY);
  });
  element.addEventListener("blur", hideTip);
}

/* A drawing of that size, and what its patterns need. */
function drawingOf(parent, width, height, label) {
  const svg = d3
    .select(parent)
    .append("svg")
    .attr("width", width)
    .attr("height", height)
    .attr("viewBox", `0 0 ${width} ${height}`)
    .attr("role", "img")
    .attr("aria-label", label);
  return svg;
}

/* ---- drawings that follow the width of the window ---- */

let drawings = [];

/* Calls draw(width) now and whenever the element's width has changed. */
function follow(element, draw) {
  const drawing = { element, draw, width: 0 };
  drawings.push(drawing);
  redraw(drawing);
}

function redraw(drawing, force) {
  const width = drawing.element.clientWidth;
  if (!width || (width === drawing.width && !force)) return;
  drawing.width = width;
  drawing.draw(width);
}

function redrawAll(force) {
  for (const drawing of drawings) redraw(drawing, force);
}
