/* The waker graph: tasks of one name are one node, interrupts are wakers of their own.  Laid out the same way each time. */

const MOST_PAIRS = 250,
  FIRST_PAIRS = 40,
  TICKS = 400;

/* Where most wakees were put; none: no CPU was chosen for any of them. */
function mainDistance(pair) {
  let best = pair.decisions ? "unknown" : "none",
    most = 0;
  for (const [name] of DISTANCES) {
    if (pair[name] > most) {
      best = name;
      most = pair[name];
    }
  }
  return best;
}

const ADDED = ["count", "decisions", "moved", "moved_known", "sync", "sync_known", ...DISTANCES.map(([name]) => name)];

/* Pairs with the digits of their names taken together: kworker/3:1 and kworker/0:2 become kworker/#:#. */
function foldPairs(pairs, fold) {
  const folded = new Map();
  for (const pair of pairs) {
    const end = (node) => {
      const name = fold && node.kind === "task" ? node.name.replace(/\d+/g, "#") : node.name;
      return { id: `${node.kind} ${name}`, name, kind: node.kind };
    };
    const source = end(pair.from),
      target = end(pair.to),
      id = `${source.id}\n${target.id}`;
    let sum = folded.get(id);
    if (!sum) {
      sum = { source, target, max_wait: null, from: source, to: target };
      for (const member of ADDED) sum[member] = 0;
      folded.set(id, sum);
    }
    for (const member of ADDED) sum[member] += pair[member];
    if (pair.max_wait !== null) sum.max_wait = Math.max(sum.max_wait, pair.max_wait);
  }
  return [...folded.values()].sort((a, b) => b.count - a.count);
}

/* Nodes and links of the heaviest pairs, with places.  d3-force starts from a spiral: no chance in it. */
function layOut(pairs, width, height) {
  const nodes = new Map();
  const links = pairs.map((pair) => {
    for (const end of [pair.source, pair.target]) {
      if (!nodes.has(end.id)) nodes.set(end.id, { id: end.id, name: end.name, kind: end.kind, made: 0, received: 0 });
    }
    nodes.get(pair.source.id).made += pair.count;
    nodes.get(pair.target.id).received += pair.count;
    return { pair, source: pair.source.id, target: pair.target.id, distance: mainDistance(pair) };
  });
  const list = [...nodes.values()];
  const most = d3.max(list, (n) => n.made + n.received) || 1;
  for (const node of list) node.r = 6 + 16 * Math.sqrt((node.made + node.received) / most);
  const simulation = d3
    .forceSimulation(list)
    .force(
      "link",
      d3
        .forceLink(links)
        .id((n) => n.id)
        .distance((l) => 46 + l.source.r + l.target.r)
        .strength(0.35),
    )
    .force("charge", d3.forceManyBody().strength(-340))
    .force("x", d3.forceX(width / 2).strength(0.05 * Math.min(1, height / width)))
    .force("y", d3.forceY(height / 2).strength(0.09))
    .force(
      "collide",
      d3.forceCollide((n) => n.r + 13),
    )
    .stop();
  for (let i = 0; i < TICKS; i++) simulation.tick();
  fit(list, width, height);
  quietNames(list);
  return { nodes: list, links };
}

/* As large as the drawing allows, names included; a long layout lies along the drawing's longer side. */
function fit(nodes, width, height) {
  let [left, right] = d3.extent(nodes, (n) => n.x);
  let [top, bottom] = d3.extent(nodes, (n) => n.y);
  if (right - left > bottom - top !== width > height) {
    for (const node of nodes) [node.x, node.y] = [node.y, node.x];
    [left, right, top, bottom] = [top, bottom, left, right];
  }
  const across = 150;
  const down = 90;
  const scale = Math.min(
    1.8,
    (width - across) / Math.max(1, right - left),
    (height - down) / Math.max(1, bottom - top),
  );
  for (const node of nodes) {
    node.x = width / 2 + (node.x - (left + right) / 2) * scale;
    node.y = height / 2 - 6 + (node.y - (top + bottom) / 2) * scale;
    node.r *= Math.max(0.6, Math.min(1, scale));
  }
}

/* Names that would lie on those of heavier nodes are shown for the chosen node only. */
function quietNames(nodes) {
  const placed = [];
  for (const node of [...nodes].sort((a, b) => b.r - a.r)) {
    const half = Math.min(20, node.name.length) * 3.4;
    const box = [node.x - half, node.y + node.r + 1, node.x + half, node.y + node.r + 15];
    node.quiet = placed.some((p) => box[0] < p[2] && p[0] < box[2] && box[1] < p[3] && p[1] < box[3]);
    if (!node.quiet) placed.push(box);
  }
}

/* An arc between the rims of both nodes, or a loop; mutual pairs bend to different sides. */
function linkPath(link) {
  const s = link.source,
    t = link.target;
  if (s === t)
    return `M${s.x - s.r * 0.5},${s.y - s.r * 0.86}A11,11 0 1 1 ${s.x + s.r * 0.5 + 2},${s.y - s.r * 0.86 - 3}`;
  const dx = t.x - s.x,
    dy = t.y - s.y,
    far = Math.hypot(dx, dy) || 1,
    bend = far * 0.14;
  const mx = (s.x + t.x) / 2 - (dy / far) * bend,
    my = (s.y + t.y) / 2 + (dx / far) * bend;
  const rim = (node, gap) => {
    const ex = mx - node.x,
      ey = my - node.y,
      e = Math.hypot(ex, ey) || 1;
    return [node.x + (ex / e) * (node.r + gap), node.y + (ey / e) * (node.r + gap)];
  };
  return `M${rim(s, 1)}Q${mx},${my} ${rim(t, 7)}`;
}

function pairLines(pair) {
  const lines = [`${pair.from.name} → ${pair.to.name}: ${several(pair.count, "wakeup")}`];
  for (const [name, words] of DISTANCES) {
    if (pair[name]) lines.push(`${words}: ${percent(pair[name], pair.decisions)}`);
  }
  if (pair.moved_known) lines.push(`moved: ${percent(pair.moved, pair.moved_known)} of decisions`);
  if (pair.max_wait !== null) lines.push(`longest wait: ${duration(pair.max_wait)}`);
  return lines;
}

function drawGraph(parent, run) {
  if (!run.pairs.length) {
    parent.append(note("Nobody was woken in this run."));
    return;
  }
  parent.append(
    note(
      "Tasks of one name are one circle, its size what they wake and are woken. An interrupt is a waker of its own: the task that it " +
        "interrupted woke nobody. Lines are as wide as there are wakeups; their colour says how far from the waker's CPU most wakees were put.",
    ),
  );
  if (!run.facts.topology_known)
    parent.append(
      note(
        "Which CPUs share a core, a cache or a node is not known of this run: distances are unknown, except the same CPU.",
      ),
    );

  const fold = make("input", { type: "checkbox", id: "fold" });
  const shown = make("input", { type: "range", id: "heaviest", min: "1", max: "1", step: "1" });
  const told = make("output", { for: "heaviest" });
  const zoomIn = make("button", { type: "button", "aria-label": "Larger" }, "+");
  const zoomOut = make("button", { type: "button", "aria-label": "Smaller" }, "−");
  const reset = make("button", { type: "button" }, "Reset");
  parent.append(
    make(
      "div",
      { class: "controls" },
      make("label", null, "Heaviest pairs", shown),
      told,
      make("label", null, fold, "One node for names that differ in digits only"),
      make("span", null, zoomIn, " ", zoomOut, " ", reset),
    ),
  );
  const drawing = make("div", { class: "drawing" });
  const meanings = [...DISTANCES, ["none", "no CPU was chosen"]],
    used = new Set(run.pairs.map(mainDistance));
  parent.append(
    drawing,
    key(
      meanings
        .filter(([name]) => used.has(name))
        .map(([name, words]) => [
          (svg) =>
            svg
              .append("line")
              .attr("class", `edge c-${name}`)
              .attr("stroke-width", 3)
              .attr("x2", 22)
              .attr("y1", 6)
              .attr("y2", 6),
          words,
        ]),
    ),
  );

  let pairs = foldPairs(run.pairs, false),
    pairTable = null,
    selected = null;
  shown.max = String(Math.min(MOST_PAIRS, pairs.length));
  shown.value = String(Math.min(FIRST_PAIRS, pairs.length));

  function draw(width) {
    const height = width < 640 ? width * 1.2 : Math.min(620, width * 0.55);
    const kept = pairs.slice(0, Number(shown.value));
    told.textContent = `${kept.length}: each at least ${several(kept[kept.length - 1].count, "wakeup")}, together ${percent(
      d3.sum(kept, (p) => p.count),
      run.all_wakings,
    )} of all`;
    const { nodes, links } = layOut(kept, width, height);
    drawing.replaceChildren();
    const svg = drawingOf(drawing, width, height, "Who wakes whom; the table below has the same pairs").attr(
      "role",
      "group",
    );
    const defs = svg.append("defs");
    for (const [name] of meanings) {
      defs
        .append("marker")
        .attr("id", `arrow-${name}`)
        .attr("viewBox", "0 0 8 8")
        .attr("refX", 2)
        .attr("refY", 4)
        .attr("markerWidth", 9)
        .attr("markerHeight", 9)
        .attr("markerUnits", "userSpaceOnUse")
        .attr("orient", "auto")
        .append("path")
        .attr("class", `a-${name}`)
        .attr("d", "M0,0.5L8,4L0,7.5Z");
    }
    const inner = svg.append("g");
    /* Few wakeups make no thick line, though there are no more. */
    const widest = Math.min(8, 1.5 + Math.log2(kept[0].count));
    const thick = d3.scaleSqrt().domain([0, kept[0].count]).range([1, widest]);
    const edges = inner
      .append("g")
      .selectAll("path")
      .data(links)
      .join("path")
      .attr("class", (l) => `edge c-${l.distance}`)
      .attr("d", linkPath)
      .attr("stroke-width", (l) => thick(l.pair.count))
      .attr("marker-end", (l) => `url(#arrow-${l.distance})`);
    edges.each(function (link) {
      tips(this, () => pairLines(link.pair));
    });
    const items = inner
      .append("g")
      .selectAll("g")
      .data(nodes)
      .join("g")
      .attr("class", (n) => `node ${n.kind === "task" ? "task" : n.kind === "idle" ? "idle" : "irq"}`)
      .attr("transform", (n) => `translate(${n.x},${n.y})`)
      .attr("tabindex", 0)
      .attr("role", "button")
      .attr("aria-pressed", "false")
      .attr("aria-label", (n) => `${n.name}: wakes ${n.made} times, woken ${n.received} times`);
    items.append("circle").attr("r", (n) => n.r);
    items
      .append("text")
      .classed("quiet", (n) => n.quiet)
      .attr("y", (n) => n.r + 12)
      .attr("text-anchor", "middle")
      .text((n) => (n.name.length > 20 ? `${n.name.slice(0, 19)}…` : n.name));

    const emphasise = () => {
      const near = (n) =>
        !selected ||
        n.id === selected ||
        links.some((l) => (l.source.id === selected && l.target === n) || (l.target.id === selected && l.source === n));
      items
        .classed("faded", (n) => !near(n))
        .classed("chosen", (n) => n.id === selected)
        .attr("aria-pressed", (n) => String(n.id === selected));
      edges.classed("faded", (l) => selected !== null && l.source.id !== selected && l.target.id !== selected);
    };
    items.each(function (node) {
      const choose = () => {
        selected = selected === node.id ? null : node.id;
        emphasise();
        if (pairTable) pairTable.filter(selected && !fold.checked ? node.name : "");
      };
      this.addEventListener("click", choose);
      this.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          choose();
        }
      });
      tips(this, () => [
        node.name,
        node.kind === "task" ? "task" : node.kind,
        `wakes ${whole(node.made)} times`,
        `woken ${whole(node.received)} times`,
      ]);
    });
    if (selected && !nodes.some((n) => n.id === selected)) selected = null;
    emphasise();

    /* The wheel scrolls the page; it zooms with Ctrl. */
    const zoom = d3
      .zoom()
      .scaleExtent([0.5, 6])
      .on("zoom", () => inner.attr("transform", d3.event.transform))
      .filter(() => (d3.event.type === "wheel" ? d3.event.ctrlKey : !d3.event.button));
    svg.call(zoom).on("dblclick.zoom", null);
    zoomIn.onclick = () => svg.call(zoom.scaleBy, 1.4);
    zoomOut.onclick = () => svg.call(zoom.scaleBy, 1 / 1.4);
    reset.onclick = () => svg.call(zoom.transform, d3.zoomIdentity);
  }
  follow(drawing, draw);
  const again = () => draw(drawing.clientWidth);
  shown.addEventListener("input", again);
  fold.addEventListener("change", () => {
    pairs = foldPairs(run.pairs, fold.checked);
    shown.max = String(Math.min(MOST_PAIRS, pairs.length));
    again();
  });

  if (run.pairs.length < run.all_pairs) {
    parent.append(
      note(
        `The ${whole(run.pairs.length)} heaviest of ${whole(run.all_pairs)} pairs are in this page: ${percent(
          d3.sum(run.pairs, (p) => p.count),
          run.all_wakings,
        )} of all wakeups.`,
      ),
    );
  }
  pairTable = table(
    parent,
    [
      { key: "from", label: "Waker", type: "name", value: (p) => p.from.name },
      { key: "to", label: "Wakee", type: "name", value: (p) => p.to.name },
      { key: "count", label: "Wakeups", type: "number" },
      { key: "decisions", label: "Decisions", type: "number" },
      {
        key: "moved",
        label: "Moved",
        type: "number",
        value: (p) => (p.moved_known ? p.moved / p.moved_known : null),
        show: (v, p) => percent(p.moved, p.moved_known),
      },
      {
        key: "sync",
        label: "Sync",
        type: "number",
        value: (p) => (p.sync_known ? p.sync / p.sync_known : null),
        show: (v, p) => percent(p.sync, p.sync_known),
      },
      ...DISTANCES.map(([name, words]) => ({
        key: name,
        label: words[0].toUpperCase() + words.slice(1),
        type: "number",
      })),
      { key: "median_wait", label: "Median wait", type: "number", show: duration },
      { key: "max_wait", label: "Longest wait", type: "number", show: duration },
      { key: "mutual", label: "Mutual", type: "text", show: (v) => (v ? "yes" : "no") },
    ],
    run.pairs,
    { name: "Pairs of waker and wakee", filter: true, sort: ["count", -1] },
  );
}
