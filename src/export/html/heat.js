/* CPUs over time.  What no event tells of is hatched: unknown, never idle. */

const LEVELS = 10;

/* What a cell can show: value(cell, width of the column in ns), scale of the value to 0…1, text. */
const MEASURES = [
  {
    key: "busy",
    label: "busy",
    value: (c) => (c.busy + c.idle ? c.busy / (c.busy + c.idle) : null),
    show: (v) => `${(100 * v).toFixed(v && v < 0.1 ? 1 : 0)} %`,
  },
  {
    key: "decisions",
    label: "wakees put here",
    value: (c) => c.decisions,
    show: (v) => whole(Math.round(v)),
    most: true,
  },
  { key: "moved", label: "wakees moved here", value: (c) => c.moved, show: (v) => whole(Math.round(v)), most: true },
  { key: "max_wait", label: "longest wait", value: (c) => c.max_wait, show: (v) => duration(Math.round(v)), log: true },
];

function heatData(run) {
  const bin = run.facts.bin_ns,
    span = Math.max(0, run.facts.dur);
  const nr = Math.floor(span / bin) + 1;
  const rows = run.cpus.map((cpu) => ({ cpu, cells: new Array(nr).fill(null) }));
  const at = new Map(rows.map((row) => [row.cpu.cpu, row]));
  for (const cell of run.heat) {
    const row = at.get(cell.cpu);
    if (row && cell.bin >= 0 && cell.bin < nr) row.cells[cell.bin] = cell;
  }
  const none = { busy: 0, idle: 0, runs: 0, decisions: 0, moved: 0, max_wait: null };
  const wide = (i) => Math.max(1, Math.min(bin, span - i * bin));
  for (const row of rows)
    row.cells = row.cells.map((cell, i) => ({
      ...(cell || none),
      known: Math.min(1, cell ? (cell.busy + cell.idle) / wide(i) : 0),
    }));
  return { bin, span, nr, rows, wide };
}

/* CPUs that share a cache lie together, a little apart from the others. */
function placeRows(rows, height) {
  let y = 0,
    last = null;
  for (const row of rows) {
    const group = `${row.cpu.node} ${row.cpu.llc}`;
    if (last !== null && group !== last) y += Math.max(2, height * 0.4);
    row.y = y;
    row.first = group !== last;
    y += height;
    last = group;
  }
  return y;
}

function level(measure, value, most) {
  if (value === null) return null;
  const share = measure.log
    ? value <= 1000
      ? 0
      : Math.log(value / 1000) / Math.log(Math.max(most, 1001) / 1000)
    : value / (measure.most ? most || 1 : 1);
  return value === 0 && !measure.log ? 0 : Math.max(measure.log ? 0 : 1, Math.min(LEVELS, Math.ceil(share * LEVELS)));
}

/* How much of a cell's height is coloured: what is known of its time, or some of it where something is known to have come. */
function colouredShare(measure, cell) {
  return measure.key !== "busy" && measure.value(cell) > 0 ? Math.max(0.5, cell.known) : cell.known;
}

function box(left, top, width, height) {
  return `M${left.toFixed(1)},${top.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;
}

/* One path per colour: tens of thousands of cells stay quick. */
function drawCells(svg, data, measure, most, x, height) {
  const paths = new Array(LEVELS + 1).fill("");
  let unknown = "";
  for (const row of data.rows) {
    row.cells.forEach((cell, i) => {
      const left = x(i * data.bin);
      const width = Math.max(0.6, x(i * data.bin + data.wide(i)) - left) + 0.3;
      const share = colouredShare(measure, cell);
      const at = share > 0 ? level(measure, measure.value(cell), most) : null;
      if (at !== null) paths[at] += box(left, row.y, width, height * share);
      if (share < 0.999) unknown += box(left, row.y + height * share, width, height * (1 - share));
    });
  }
  svg.append("path").attr("class", "unknown-time").attr("d", unknown);
  paths.forEach((d, i) => svg.append("path").attr("class", `h${i}`).attr("d", d));
}

function cellLines(data, row, i, gap) {
  const cell = row.cells[i],
    wide = data.wide(i);
  const lines = [`CPU ${row.cpu.cpu}, ${duration(i * data.bin)} + ${duration(wide)}`];
  if (cell.known <= 0) lines.push("nothing is known: neither idle nor busy");
  else {
    lines.push(
      `busy ${percent(cell.busy, wide)}, idle ${percent(cell.idle, wide)}${cell.known < 0.999 ? `, unknown ${percent(Math.max(0, wide - cell.busy - cell.idle), wide)}` : ""}`,
    );
    lines.push(
      `${several(cell.runs, "run")}, ${several(cell.decisions, "wakee")} put here, ${whole(cell.moved)} of them moved` +
        (cell.max_wait === null ? "" : `, longest wait ${duration(cell.max_wait)}`),
    );
  }
  if (gap)
    lines.push(
      `${several(gap.gaps, "gap")} in the events: ${gap.lost === null ? "an unknown number" : whole(gap.lost)} lost`,
    );
  return lines;
}

function drawHeat(parent, run, data, measure, readout, width) {
  const left = 62,
    right = width - 8,
    nr = data.rows.length;
  const height = Math.max(4, Math.min(24, 560 / nr));
  const bottom = placeRows(data.rows, height) + 4,
    top = 4;
  const svg = drawingOf(
    parent,
    width,
    top + bottom + 34,
    "CPUs over time; arrow keys move over it, the line below tells the cell",
  )
    .attr("class", "cells")
    .attr("tabindex", 0)
    .attr("role", "application");
  const inner = svg.append("g").attr("transform", `translate(0,${top})`);
  const x = d3
    .scaleLinear()
    .domain([0, Math.max(1, data.span)])
    .range([left, right]);
  const most = measure.most || measure.log ? d3.max(data.rows, (r) => d3.max(r.cells, measure.value)) || 0 : 1;
  inner
    .append("rect")
    .attr("class", "frame")
    .attr("x", left - 1)
    .attr("y", -1)
    .attr("width", right - left + 2)
    .attr("height", bottom - 2);
  drawCells(inner, data, measure, most, x, height - (height > 8 ? 1 : 0.3));
  const skip = Math.ceil(12 / height);
  data.rows.forEach((row, i) => {
    if (i % skip === 0 || (row.first && height >= 8)) {
      inner
        .append("text")
        .attr("class", "soft")
        .attr("x", left - 8)
        .attr("y", row.y + height / 2)
        .attr("dy", "0.35em")
        .attr("text-anchor", "end")
        .text(`CPU ${row.cpu.cpu}`);
    }
  });
  const at = new Map(data.rows.map((row) => [row.cpu.cpu, row])),
    gaps = new Map();
  for (const gap of run.gaps) {
    const row = at.get(gap.cpu);
    if (!row || gap.bin < 0 || gap.bin >= data.nr) continue;
    gaps.set(`${gap.cpu} ${gap.bin}`, gap);
    const from = x(Math.max(0, gap.from_bin) * data.bin),
      to = x(gap.bin * data.bin + data.wide(gap.bin));
    inner
      .append("rect")
      .attr("class", "gap")
      .attr("x", from)
      .attr("y", row.y + height - Math.max(2, height * 0.16) - 1)
      .attr("width", Math.max(2, to - from))
      .attr("height", Math.max(2, height * 0.16));
    inner
      .append("path")
      .attr("class", "gap")
      .attr("d", "M-4.5,0h9L0,6z")
      .attr("transform", `translate(${(from + to) / 2},${row.y})`);
  }
  svg
    .append("g")
    .attr("class", "axis")
    .attr("transform", `translate(0,${top + bottom})`)
    .call(
      d3
        .axisBottom(x)
        .ticks(Math.max(2, Math.floor(width / 130)))
        .tickFormat((ns) => duration(ns).replace(/\.0+ /, " ")),
    );

  const cursor = inner.append("rect").attr("class", "cursor").attr("visibility", "hidden");
  let row = 0,
    column = 0;
  const tell = () => {
    cursor
      .attr("visibility", "visible")
      .attr("x", x(column * data.bin) - 1)
      .attr("y", data.rows[row].y - 1)
      .attr("width", Math.max(3, x(column * data.bin + data.wide(column)) - x(column * data.bin) + 2))
      .attr("height", height + 1);
    readout.textContent = cellLines(data, data.rows[row], column, gaps.get(`${data.rows[row].cpu.cpu} ${column}`)).join(
      " · ",
    );
  };
  svg.node().addEventListener("keydown", (event) => {
    const step = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      PageUp: [0, -10],
      PageDown: [0, 10],
      Home: [0, -data.nr],
      End: [0, data.nr],
    }[event.key];
    if (!step) return;
    event.preventDefault();
    row = Math.max(0, Math.min(nr - 1, row + step[0]));
    column = Math.max(0, Math.min(data.nr - 1, column + step[1]));
    tell();
  });
  svg.node().addEventListener("focus", () => {
    if (svg.node().matches(":focus-visible")) tell();
  });
  svg.node().addEventListener("mousemove", (event) => {
    const box = svg.node().getBoundingClientRect(),
      zoom = width / box.width;
    const px = (event.clientX - box.left) * zoom,
      py = (event.clientY - box.top) * zoom - top;
    const found = data.rows.findIndex((r) => py >= r.y && py < r.y + height);
    if (found < 0 || px < left || px > right) return;
    row = found;
    column = Math.max(0, Math.min(data.nr - 1, Math.floor(x.invert(px) / data.bin)));
    tell();
  });
  return most;
}

function heatKey(measure, most) {
  const text = (share) =>
    measure.show(measure.log ? 1000 * Math.pow(Math.max(most, 1001) / 1000, share) : share * most);
  const ramp = (svg) => {
    svg.attr("width", (LEVELS + 1) * 14);
    for (let i = 0; i <= LEVELS; i++)
      svg
        .append("rect")
        .attr("class", `h${i}`)
        .attr("x", i * 14)
        .attr("width", 14)
        .attr("height", 10)
        .attr("y", 1);
  };
  const marks = [[ramp, `${measure.log ? `up to ${duration(1000)}` : text(0)} to ${text(1)}`]];
  marks.push([swatch("f-unknown"), "unknown"]);
  marks.push([(svg) => svg.append("path").attr("class", "gap").attr("d", "M3,2h12L9,10z"), "events lost"]);
  return key(marks);
}

function drawCpus(parent, run) {
  if (run.facts.dur === null || !run.cpus.length) {
    parent.append(note("The trace holds no event."));
    return;
  }
  const data = heatData(run);
  parent.append(
    note(
      `A row per CPU, ${run.facts.topology_known ? "those that share a cache together" : "in order of their numbers, as it is not known which share a cache"}; ` +
        `a column per ${duration(data.bin)}. A cell is coloured as far as it is known what the CPU did, and hatched for the rest.`,
    ),
  );
  let measure = MEASURES[0];
  const choices = MEASURES.map((m, i) => {
    const input = make("input", { type: "radio", name: "measure", value: m.key, checked: i === 0 });
    input.addEventListener("change", () => {
      measure = m;
      draw(figure.clientWidth);
    });
    return make("label", null, input, m.label);
  });
  const figure = make("figure", { class: "heat" }),
    legend = make("div"),
    readout = make("p", { class: "readout", role: "status" });
  parent.append(
    make(
      "div",
      { class: "controls" },
      make("fieldset", null, make("legend", null, "Show"), make("span", { class: "segments" }, ...choices)),
    ),
    legend,
    figure,
    readout,
  );
  function draw(width) {
    figure.replaceChildren();
    readout.textContent = "Point at a cell, or move over it with the arrow keys.";
    legend.replaceChildren(heatKey(measure, drawHeat(figure, run, data, measure, readout, width)));
  }
  follow(figure, draw);
  const sums = data.rows.map(({ cpu, cells }) => ({
    ...cpu,
    busy: d3.sum(cells, (c) => c.busy),
    idle: d3.sum(cells, (c) => c.idle),
    runs: d3.sum(cells, (c) => c.runs),
    decisions: d3.sum(cells, (c) => c.decisions),
    moved: d3.sum(cells, (c) => c.moved),
  }));
  table(
    parent,
    [
      { key: "cpu", label: "CPU", type: "number" },
      { key: "node", label: "Node", type: "number" },
      { key: "llc", label: "Cache of CPU", type: "number" },
      { key: "core", label: "Core of CPU", type: "number" },
      {
        key: "share",
        label: "Busy",
        type: "number",
        value: (c) => (c.busy + c.idle ? c.busy / (c.busy + c.idle) : null),
        show: (v, c) => percent(c.busy, c.busy + c.idle),
      },
      { key: "busy", label: "Busy for", type: "number", show: duration },
      { key: "idle", label: "Idle for", type: "number", show: duration },
      {
        key: "dark",
        label: "Unknown for",
        type: "number",
        value: (c) => Math.max(0, data.span - c.busy - c.idle),
        show: duration,
      },
      { key: "runs", label: "Runs", type: "number" },
      { key: "decisions", label: "Wakees put here", type: "number" },
      { key: "moved", label: "Moved here", type: "number" },
      { key: "nr_events", label: "Events", type: "number" },
      { key: "gaps", label: "Gaps", type: "number" },
      { key: "lost", label: "Lost", type: "number" },
    ],
    sums,
    { name: "CPUs" },
  );
}
