/* How long woken tasks waited: a curve per class on one logarithmic scale, the tail marked. */

const FACETS = [
  ["waker", "from the waker's CPU", DISTANCES],
  ["prev", "from the previous CPU", DISTANCES],
  [
    "moved",
    "moved or not",
    [
      ["stayed", "stayed"],
      ["moved", "moved"],
      ["unknown", "unknown"],
    ],
  ],
  [
    "context",
    "woken by",
    [
      ["task", "task"],
      ["idle", "idle task"],
      ["softirq", "softirq"],
      ["hardirq", "hardirq"],
      ["nmi", "nmi"],
      ["unknown", "unknown"],
    ],
  ],
  [
    "sync",
    "sync flag",
    [
      ["sync", "sync"],
      ["not sync", "not sync"],
      ["unknown", "unknown"],
    ],
  ],
];
const QUANTILES = [
  ["p50", 0.5],
  ["p90", 0.9],
  ["p99", 0.99],
  ["p999", 0.999],
];
const STRIP = 58;

/* Where a bin of html_waits.sql ends. */
function binEnd(lo) {
  return lo < 16 ? lo + 1 : lo + 2 ** (Math.floor(Math.log2(lo)) - 4);
}

/* A class of waits: bins in order, and what can be said of them. */
function waitClass(name, rows) {
  const bins = rows.filter((r) => r.lo !== null).sort((a, b) => a.lo - b.lo);
  const found = {
    name,
    bins,
    decisions: d3.sum(rows, (r) => r.count),
    known: d3.sum(bins, (r) => r.count),
    max: d3.max(bins, (r) => r.max),
  };
  if (found.max === undefined) found.max = null;
  found.mean = found.known ? d3.sum(bins, (r) => r.sum) / found.known : null;
  for (const [key, share] of QUANTILES) {
    let seen = 0;
    found[key] = null;
    for (const bin of bins) {
      seen += bin.count;
      /* Not above the longest, which is exact. */
      if (seen >= share * found.known) {
        found[key] = Math.min((bin.lo + binEnd(bin.lo)) / 2, found.max);
        break;
      }
    }
  }
  return found;
}

function classesOf(run, facet) {
  const [, , names] = FACETS.find(([key]) => key === facet);
  const rows = run.waits.filter((r) => r.facet === facet);
  const classes = names.map(([key, words]) =>
    waitClass(
      words,
      rows.filter((r) => (r.class === null ? "unknown" : r.class) === key),
    ),
  );
  return [
    waitClass(
      "all",
      run.waits.filter((r) => r.facet === "all"),
    ),
    ...classes,
  ].filter((c) => c.decisions);
}

/* Shares of the class per equal step of the logarithm. */
function density(found, x, width) {
  const steps = Math.max(40, Math.floor(width / 6)),
    heights = new Array(steps).fill(0);
  const [left, right] = x.range();
  for (const bin of found.bins) {
    const from = ((x(Math.max(1, bin.lo)) - left) / (right - left)) * steps,
      to = ((x(binEnd(Math.max(1, bin.lo))) - left) / (right - left)) * steps;
    for (let i = Math.floor(from); i < Math.min(steps, Math.ceil(to)); i++) {
      heights[i] += (bin.count * Math.max(0, Math.min(i + 1, to) - Math.max(i, from))) / (to - from || 1);
    }
  }
  return heights.map((h, i) => [left + ((i + 0.5) * (right - left)) / steps, h / (found.known || 1)]);
}

function drawRidges(parent, classes, width) {
  const label = width < 560 ? 92 : 150,
    left = label + 6,
    right = width - 14;
  const drawn = classes.filter((c) => c.known);
  const svg = drawingOf(
    parent,
    width,
    drawn.length * STRIP + 34,
    "Distribution of waits per class, logarithmic; the table below has the numbers",
  );
  const least = Math.max(
      1,
      d3.min(drawn, (c) => c.bins[0].lo),
    ),
    most = d3.max(drawn, (c) => binEnd(c.max));
  const x = d3
    .scaleLog()
    .domain([least, Math.max(most, least * 10)])
    .range([left, right]);
  const bottom = drawn.length * STRIP + 12;
  const [from, to] = x.domain();
  const steps = to / from > 300 ? [1] : [1, 2, 5];
  const ticks = [];
  for (let ns = 1; ns <= to; ns *= 10)
    ticks.push(...steps.map((step) => step * ns).filter((t) => t >= from && t <= to));
  const axis = svg
    .append("g")
    .attr("class", "axis grid")
    .attr("transform", `translate(0,${bottom})`)
    .call(
      d3
        .axisBottom(x)
        .tickValues(ticks)
        .tickSize(-bottom + 4)
        .tickFormat((ns) => duration(ns).replace(/\.0+ /, " ")),
    );
  axis.selectAll("text").attr("dy", "1.1em");
  drawn.forEach((found, i) => {
    const base = (i + 1) * STRIP + 8;
    const strip = svg.append("g").attr("class", "strip");
    strip
      .append("text")
      .attr("x", label - 6)
      .attr("y", base - 14)
      .attr("text-anchor", "end")
      .text(found.name);
    strip
      .append("text")
      .attr("class", "soft")
      .attr("x", label - 6)
      .attr("y", base)
      .attr("text-anchor", "end")
      .text(whole(found.known));
    const points = density(found, x, right - left),
      highest = d3.max(points, (p) => p[1]) || 1;
    const y = (h) => base - ((STRIP - 14) * h) / highest;
    strip
      .append("path")
      .attr("class", "ridge")
      .attr(
        "d",
        d3
          .area()
          .x((p) => p[0])
          .y0(base)
          .y1((p) => y(p[1]))
          .curve(d3.curveStep)(points),
      );
    strip.append("line").attr("class", "base").attr("x1", left).attr("x2", right).attr("y1", base).attr("y2", base);
    for (const [name] of QUANTILES) {
      strip
        .append("line")
        .attr("class", "q")
        .attr("x1", x(Math.max(1, found[name])))
        .attr("x2", x(Math.max(1, found[name])))
        .attr("y1", base + 4)
        .attr("y2", base - (name === "p50" ? STRIP - 12 : name === "p90" ? 22 : name === "p99" ? 14 : 8));
    }
    strip
      .append("path")
      .attr("class", "q-far")
      .attr("transform", `translate(${x(Math.max(1, found.max))},${base})`)
      .attr("d", "M0,-5L5,0L0,5L-5,0Z");
    strip
      .append("rect")
      .attr("class", "row-back")
      .attr("x", left)
      .attr("width", right - left)
      .attr("y", base - STRIP + 8)
      .attr("height", STRIP);
    tips(strip.node(), () => [
      `${found.name}: ${several(found.known, "wait")}`,
      ...QUANTILES.map(([name, share]) => `p${100 * share}: ${duration(found[name])}`),
      `longest: ${duration(found.max)}`,
    ]);
  });
}

function drawWaits(parent, run) {
  if (!run.waits.length) {
    parent.append(note("There was no placement decision in this run."));
    return;
  }
  parent.append(
    note(
      "Of placement decisions, from sched_waking until the wakee first ran. Each curve has its own height; lines mark the median, p90, p99 and p99.9 " +
        "(shorter and shorter), a diamond the longest. Quantiles are within 3.2 % (they are read from bins), counts, means and longest waits are exact.",
    ),
  );
  const choices = FACETS.map(([facet, words], i) => {
    const input = make("input", { type: "radio", name: "facet", value: facet, checked: i === 0 });
    input.addEventListener("change", () => choose(facet));
    return make("label", null, input, words);
  });
  parent.append(
    make(
      "div",
      { class: "controls" },
      make("fieldset", null, make("legend", null, "By"), make("span", { class: "segments" }, ...choices)),
    ),
  );
  const figure = make("figure"),
    under = make("div");
  parent.append(figure, under);
  let classes = classesOf(run, FACETS[0][0]);
  const draw = (width) => {
    figure.replaceChildren();
    if (classes.some((c) => c.known)) drawRidges(figure, classes, width);
    else figure.append(note("No woken task was seen to run."));
  };
  function choose(facet) {
    classes = classesOf(run, facet);
    if (figure.clientWidth) draw(figure.clientWidth);
    under.replaceChildren();
    table(
      under,
      [
        { key: "name", label: "Class", type: "name" },
        { key: "decisions", label: "Decisions", type: "number" },
        { key: "unseen", label: "Wait unknown", type: "number", value: (c) => c.decisions - c.known },
        { key: "p50", label: "p50", type: "number", show: duration },
        { key: "p90", label: "p90", type: "number", show: duration },
        { key: "p99", label: "p99", type: "number", show: duration },
        { key: "p999", label: "p99.9", type: "number", show: duration },
        { key: "max", label: "Longest", type: "number", show: duration },
        { key: "mean", label: "Mean", type: "number", show: duration },
      ],
      classes,
      { name: "Quantiles of waits" },
    );
  }
  follow(figure, draw);
  choose(FACETS[0][0]);

  parent.append(make("h3", null, "The longest single waits"), note("`rewake explain RUN.db ID` draws the decision."));
  table(
    parent,
    [
      { key: "id", label: "ID", type: "number", show: String },
      { key: "ts", label: "At", type: "number", show: duration, title: "from the begin of the recording" },
      { key: "waker", label: "Waker", type: "name" },
      { key: "wakee", label: "Wakee", type: "name" },
      { key: "cpu", label: "Waker's CPU", type: "number" },
      { key: "prev_cpu", label: "Previous", type: "number" },
      { key: "target_cpu", label: "Chosen", type: "number" },
      { key: "waker_distance", label: "From waker", type: "text", show: (v) => distanceName.get(v) },
      { key: "wakeup_dur", label: "Queued after", type: "number", show: duration },
      { key: "run_dur", label: "Ran after", type: "number", show: duration },
    ],
    run.longest,
    { name: "The longest waits", filter: true, sort: ["run_dur", -1], empty: "No woken task was seen to run." },
  );
}
