/* Drawings with a row per policy: how often it answers like the kernel, where it does not, and at what price. */

const ROW = 27;
const LABEL = 150;

/* A signed logarithmic scale: zero in the middle, nothing below a microsecond told apart. */
function signedLog(most, left, right) {
  const scale = d3.scaleSymlog().constant(1000).domain([-most, most]).range([left, right]);
  const tick = 10 ** Math.floor(Math.log10(most));
  return { scale, ticks: [-tick, 0, tick] };
}

/* Both ends of a long label: parameters differ at its end. */
function shortened(label) {
  return label.length > 22 ? `${label.slice(0, 8)}…${label.slice(-13)}` : label;
}

/* Rows with their labels; draws into each one from x on, and returns the drawing. */
function rowsOf(parent, policies, width, labelled, choose, title, lines) {
  const left = labelled ? LABEL : 0;
  const svg = drawingOf(parent, width, policies.length * ROW + 26, title);
  const rows = svg
    .selectAll("g.row")
    .data(policies)
    .join("g")
    .attr("class", "row")
    .attr("transform", (d, i) => `translate(0,${i * ROW})`)
    .attr("data-replay", (d) => d.replay);
  rows.append("rect").attr("class", "row-back").attr("width", width).attr("height", ROW);
  if (labelled) {
    rows
      .append("text")
      .attr("x", left - 10)
      .attr("y", ROW / 2)
      .attr("dy", "0.35em")
      .attr("text-anchor", "end")
      .text((d) => shortened(d.label));
  }
  rows.each(function (policy) {
    this.addEventListener("click", () => choose(policy));
    tips(this, () => [policy.label, ...lines(policy)]);
  });
  return { svg, rows, left, right: width - 16, bottom: policies.length * ROW };
}

function axisBelow(drawn, scale, values, format) {
  const axis = d3.axisBottom(scale).tickSize(4).tickFormat(format).tickValues(values);
  const ticks = drawn.svg
    .append("g")
    .attr("class", "axis")
    .attr("transform", `translate(0,${drawn.bottom + 2})`)
    .call(axis);
  /* The outer ones stay inside, away from those of the next drawing. */
  ticks
    .selectAll("text")
    .attr("text-anchor", (v, i) => (i === 0 ? "start" : i === values.length - 1 ? "end" : "middle"))
    .attr("dx", (v, i) => (i === 0 ? -3 : i === values.length - 1 ? 3 : 0));
}

function agreementPanel(parent, policies, width, labelled, choose) {
  const drawn = rowsOf(
    parent,
    policies,
    width,
    labelled,
    choose,
    "Share of decisions answered like the kernel, a row per policy",
    (p) => [
      `all: ${percent(p.agree, p.decisions) || "?"} of ${whole(p.decisions)}`,
      `interesting: ${percent(p.interesting_agree, p.interesting) || "?"} of ${whole(p.interesting)}`,
    ],
  );
  const x = d3
    .scaleLinear()
    .domain([0, 100])
    .range([drawn.left + 8, drawn.right]);
  const share = (part, all) => (all ? (100 * part) / all : null);
  const points = drawn.rows.filter((p) => p.decisions);
  points
    .filter((p) => p.interesting)
    .append("line")
    .attr("class", "m-span")
    .attr("y1", ROW / 2)
    .attr("y2", ROW / 2)
    .attr("x1", (p) => x(share(p.agree, p.decisions)))
    .attr("x2", (p) => x(share(p.interesting_agree, p.interesting)));
  points
    .filter((p) => p.interesting)
    .append("path")
    .attr("class", "m-interesting")
    .attr("d", "M0,-5.5L5.5,0L0,5.5L-5.5,0Z")
    .attr("transform", (p) => `translate(${x(share(p.interesting_agree, p.interesting))},${ROW / 2})`);
  points
    .append("circle")
    .attr("class", "m-all")
    .attr("r", 4)
    .attr("cy", ROW / 2)
    .attr("cx", (p) => x(share(p.agree, p.decisions)));
  axisBelow(drawn, x, [0, 25, 50, 75, 100], (v) => `${v} %`);
}

/* Bars of shares: parts are [class, value(policy)]. */
function barPanel(parent, policies, width, labelled, choose, title, parts, all, lines) {
  const drawn = rowsOf(parent, policies, width, labelled, choose, title, lines);
  const x = d3
    .scaleLinear()
    .domain([0, 1])
    .range([drawn.left + 2, drawn.right]);
  drawn.rows.each(function (policy) {
    let from = 0;
    for (const [name, value] of parts) {
      const share = all(policy) ? value(policy) / all(policy) : 0;
      if (share > 0) {
        d3.select(this)
          .append("rect")
          .attr("class", name)
          .attr("x", x(from))
          .attr("y", 6)
          .attr("height", ROW - 12)
          .attr("width", Math.max(1, x(from + share) - x(from)));
      }
      from += share;
    }
  });
  axisBelow(drawn, x, [0, 0.5, 1], (v) => `${100 * v} %`);
}

const SIDE = 24; /* bins on each side of the one around zero */

/* How the price is spread: a histogram per policy around zero. */
function pricePanel(parent, run, policies, width, labelled, choose) {
  const bins = d3
    .nest()
    .key((d) => d.replay)
    .map(run.prices);
  const most = Math.max(1e6, d3.max(run.prices, (d) => Math.abs(d.lo)) || 0);
  const title = "Expected wait on the policy's CPU less that on the kernel's";
  const drawn = rowsOf(parent, policies, width, labelled, choose, title, (p) => [
    `median ${duration(p.median) || "?"}, mean ${duration(p.mean) || "?"}`,
    "less than 0: the policy's CPU is the better one",
  ]);
  const left = drawn.left + 8;
  const { scale: x, ticks } = signedLog(most, left, drawn.right);
  const step = (drawn.right - left) / (2 * SIDE + 1);
  const lineAt = (parentOf, name, ns, top, bottom) =>
    parentOf.append("line").attr("class", name).attr("x1", x(ns)).attr("x2", x(ns)).attr("y1", top).attr("y2", bottom);
  lineAt(drawn.svg, "zero", 0, 0, drawn.bottom);
  drawn.rows.each(function (policy) {
    const counts = new Array(2 * SIDE + 1).fill(0);
    for (const bin of bins.get(policy.replay) || []) {
      counts[Math.min(2 * SIDE, Math.floor((x(bin.lo) - left) / step))] += bin.count;
    }
    const highest = Math.max(...counts);
    const height = (n) => Math.max(1, ((ROW - 8) * n) / highest);
    d3.select(this)
      .selectAll("rect.bin")
      .data(counts.map((n, i) => ({ n, i })).filter(({ n }) => n))
      .join("rect")
      .attr("class", ({ i }) => `bin ${i < SIDE ? "f-good" : i > SIDE ? "f-bad" : "f-even"}`)
      .attr("x", ({ i }) => left + i * step)
      .attr("width", Math.max(1, step - 0.5))
      .attr("height", ({ n }) => height(n))
      .attr("y", ({ n }) => ROW - 3 - height(n));
    if (policy.median !== null) lineAt(d3.select(this), "median", policy.median, 3, ROW - 2);
  });
  const signed = (ns) => `${ns < 0 ? "−" : "+"}${duration(Math.abs(ns)).replace(/\.0+ /, " ")}`;
  axisBelow(drawn, x, ticks, (ns) => (ns ? signed(ns) : "0"));
}

function policyPanels(parent, run, policies, choose) {
  const panels = make("div", { class: "panels" });
  parent.append(panels);
  const differing = (p) => (p.asked === null ? 0 : p.asked);
  const draw = [
    [
      "Answers like the kernel's",
      [
        [(s) => s.append("circle").attr("class", "m-all").attr("r", 4).attr("cx", 9).attr("cy", 6), "all decisions"],
        [
          (s) =>
            s
              .append("path")
              .attr("class", "m-interesting")
              .attr("d", "M0,-5L5,0L0,5L-5,0Z")
              .attr("transform", "translate(9,6)"),
          "interesting ones",
        ],
      ],
      agreementPanel,
    ],
    [
      "Answers with another CPU",
      [[swatch("f-mark"), "of all decisions"]],
      (...a) =>
        barPanel(
          ...a,
          "Share of decisions answered with another CPU",
          [["f-mark", (p) => p.differ]],
          (p) => p.decisions,
          (p) => [`${whole(p.differ)} of ${whole(p.decisions)}: ${percent(p.differ, p.decisions) || "?"}`],
        ),
    ],
    [
      "Its CPU would have been",
      [
        [swatch("f-good"), "better"],
        [swatch("f-even"), "as good"],
        [swatch("f-bad"), "worse"],
        [swatch("f-unknown"), "no price"],
      ],
      (...a) =>
        barPanel(
          ...a,
          "Of the different answers: better, as good, worse, without a price",
          [
            ["f-good", (p) => p.better],
            ["f-even", (p) => p.priced - p.better - p.worse],
            ["f-bad", (p) => p.worse],
            ["f-unknown", (p) => p.asked - p.priced],
          ],
          differing,
          (p) =>
            p.asked === null
              ? [NO_PRICE]
              : [
                  `better ${whole(p.better)}, as good ${whole(p.priced - p.better - p.worse)}, worse ${whole(p.worse)}, no price ${whole(p.asked - p.priced)}`,
                ],
        ),
    ],
    [
      "Wait expected there, less the kernel's",
      [[(s) => s.append("line").attr("class", "median").attr("x1", 9).attr("x2", 9).attr("y2", 12), "median"]],
      (parentOf, list, ...a) => pricePanel(parentOf, run, list, ...a),
    ],
  ];
  follow(panels, (width) => {
    const columns = width < 620 ? 1 : width < 1000 ? 2 : 4;
    const gap = 30,
      each = (width - LABEL * (columns > 1) - gap * (columns - 1)) / columns;
    panels.style.gridTemplateColumns =
      columns === 1 ? "1fr" : [`${each + LABEL}px`, ...new Array(columns - 1).fill(`${each}px`)].join(" ");
    panels.replaceChildren(
      ...draw.map(([title, marks, panel], i) => {
        const figure = make("figure", null, make("h3", null, title), key(marks));
        const labelled = i % columns === 0;
        panel(figure, policies, columns === 1 ? width : labelled ? each + LABEL : each, labelled, choose);
        return figure;
      }),
    );
    markChosen();
  });
}

let chosenReplay = null;

function markChosen() {
  for (const row of document.querySelectorAll("#policies .row")) {
    row.classList.toggle("chosen", Number(row.dataset.replay) === chosenReplay);
  }
}
