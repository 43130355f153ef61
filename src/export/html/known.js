/* The first thing on the page: what is missing or doubtful.  The last: how the rest is known. */

function state(kind, head, items) {
  return make(
    "div",
    { class: `state ${kind}` },
    make("p", null, make("strong", null, head)),
    items.length ? make("ul", null, ...items.map((item) => make("li", null, item))) : null,
  );
}

function lossItems(run) {
  const f = run.facts,
    items = [];
  const unseen = run.cpus.filter((c) => !c.observed).map((c) => c.cpu);
  if (f.nr_gaps) {
    const where = run.cpus
      .filter((c) => c.gaps)
      .map((c) => `CPU ${c.cpu} (${c.lost === null ? "?" : whole(c.lost)} in ${several(c.gaps, "gap")})`);
    items.push(
      `${f.nr_lost === null ? "An unknown number of events" : several(f.nr_lost, "event")} lost in ${several(f.nr_gaps, "gap")}: ` +
        `${where.slice(0, 12).join(", ")}${where.length > 12 ? `, and ${where.length - 12} more CPUs` : ""}. What they decided is unknown.`,
    );
  }
  for (const [member, words] of [
    ["overrun", "overwritten before they were read"],
    ["dropped", "not written for want of room"],
  ]) {
    const sum = d3.sum(run.cpus, (c) => c[member] || 0);
    if (sum) items.push(`${several(sum, "event")} ${words}, by the recorder's own count.`);
  }
  if (unseen.length)
    items.push(
      `${several(unseen.length, "CPU")} without a single event: ${unseen.slice(0, 24).join(", ")}${unseen.length > 24 ? ", …" : ""}. Neither idle nor busy: unknown.`,
    );
  if (f.truncated)
    items.push(
      `The file ends early${f.truncated_at === null ? "" : `: it is readable up to offset ${whole(f.truncated_at)}`}.`,
    );
  if (f.dur !== null && (f.trusted_from === null || f.trusted_to === null || f.trusted_to < f.trusted_from))
    items.push("At no time were all CPUs observed.");
  else if (f.dur !== null && (f.trusted_from > 0 || f.trusted_to < f.dur)) {
    items.push(
      `All CPUs were observed from ${duration(f.trusted_from)} to ${duration(f.trusted_to)} of ${duration(f.dur)} only.`,
    );
  }
  return items;
}

function drawTrust(parent, run) {
  const losses = lossItems(run),
    f = run.facts;
  if (f.dur === null) parent.append(state("bad", "The trace holds no event", []));
  parent.append(
    losses.length
      ? state("bad", "Events are missing", losses)
      : state("fine", "No loss: no event is known to be missing, and every CPU was observed all the time", []),
  );
  const doubts = [];
  if (!f.topology_known)
    doubts.push(
      "Which CPUs share a core, a cache or a node is not known: distances are not, and policies that need them cannot answer.",
    );
  if (!f.nr_probed && f.nr_decisions)
    doubts.push("The kernel's own answers were not probed: they are read from what followed.");
  for (const a of run.anomalies) doubts.push(`${whole(a.count)} × ${a.name}: ${a.help}`);
  if (doubts.length) parent.append(state("warn", `Doubtful: ${several(doubts.length, "remark")}`, doubts));
}

function drawFigures(parent, run) {
  const f = run.facts;
  const figures = [
    [duration(f.dur), "recorded"],
    [count(f.nr_cpus), "CPUs"],
    [count(f.nr_tasks), "tasks"],
    [count(f.nr_wakeups), "wakeups"],
    [count(f.nr_decisions), "placement decisions"],
    [count(f.nr_probed || 0), "calls probed"],
    [count(f.nr_events || 0), "events"],
    [f.nr_lost === null ? null : count(f.nr_lost), `lost in ${several(f.nr_gaps, "gap")}`],
  ];
  parent.append(
    ...figures.map(([value, words]) =>
      make("div", { class: "figure" }, make("b", null, value === null ? "?" : value), make("span", null, words)),
    ),
  );
}

const SOURCES = [
  ["probed", "probed"],
  ["calibrated", "corrected by outcomes"],
  ["rebuilt", "rebuilt from events"],
  ["inferred", "inferred"],
  ["unknown", "unknown"],
];
const TARGETS = [
  ["probe", "probed"],
  ["migrate", "sched_migrate_task"],
  ["wakeup", "sched_wakeup"],
  ["run", "where it ran"],
  ["unknown", "unknown"],
];
const PARTS = ["h9", "h7", "h5", "h3", "f-unknown"];

/* One bar of shares with its key. */
function shares(parent, title, rows, member, names) {
  const of = d3.sum(rows, (r) => r.count);
  if (!of) return;
  const parts = names
    .map(([name, words], i) => [
      d3.sum(
        rows.filter((r) => (r[member] === null ? "unknown" : r[member]) === name),
        (r) => r.count,
      ),
      words,
      PARTS[i],
    ])
    .filter(([n]) => n);
  const figure = make("figure", null, make("h3", null, title));
  const bar = make("div");
  figure.append(bar, key(parts.map(([n, words, name]) => [swatch(name), `${words} ${percent(n, of)}`])));
  parent.append(figure);
  follow(bar, (width) => {
    bar.replaceChildren();
    const svg = drawingOf(
      bar,
      width,
      18,
      `${title}: ${parts.map(([n, words]) => `${words} ${percent(n, of)}`).join(", ")}`,
    );
    let x = 0;
    for (const [n, , name] of parts) {
      svg
        .append("rect")
        .attr("class", name)
        .attr("x", x)
        .attr("width", Math.max(1, (width * n) / of - 1))
        .attr("height", 18);
      x += (width * n) / of;
    }
  });
}

const KINDS = {
  decision: "a CPU was chosen",
  no_choice: "it may run on one CPU only",
  queued: "it was queued already",
  on_cpu: "it was still on a CPU",
  self: "it woke itself",
  other_class: "no fair task",
  new: "a new task",
  spurious: "it was not asleep",
  unknown: "not known",
};
const CENSORED = {
  end: "the trace ended first",
  loss: "events were lost",
  gone: "it was never seen to run",
  running: "it was on a CPU already",
};

function drawKnown(parent, run) {
  const decisions = run.kinds.filter((k) => k.kind === "decision");
  const left = make("div"),
    right = make("div");
  parent.append(make("div", { class: "columns" }, left, right));
  shares(left, "That a CPU was chosen, is known from", decisions, "kind_source", SOURCES);
  shares(left, "The chosen CPU is known from", decisions, "target_source", TARGETS);
  shares(left, "The sync flag of decisions is", decisions, "sync_source", SOURCES);
  const kinds = d3
    .nest()
    .key((k) => k.kind)
    .entries(run.kinds)
    .map(({ key: kind, values }) => ({ kind, count: d3.sum(values, (v) => v.count), meaning: KINDS[kind] }));
  const censored = d3
    .nest()
    .key((k) => k.censor)
    .entries(run.kinds.filter((k) => k.censor !== null))
    .map(({ key: why, values }) => ({ why, count: d3.sum(values, (v) => v.count), meaning: CENSORED[why] }));
  const first = make("div", null, make("h3", null, "Wakeups by kind")),
    second = make("div", null, make("h3", null, "Why the time to first run is missing"));
  table(
    first,
    [
      { key: "kind", label: "Kind", type: "name" },
      { key: "meaning", label: "Meaning", type: "text" },
      { key: "count", label: "Wakeups", type: "number" },
      {
        key: "share",
        label: "Share",
        type: "number",
        value: (k) => k.count,
        show: (v) => percent(v, run.facts.nr_wakeups),
      },
    ],
    kinds,
    { name: "Wakeups by kind", sort: ["count", -1], empty: "There was no wakeup." },
  );
  table(
    second,
    [
      { key: "why", label: "Why", type: "name" },
      { key: "meaning", label: "Meaning", type: "text" },
      { key: "count", label: "Wakeups", type: "number" },
    ],
    censored,
    { name: "Why waits are missing", sort: ["count", -1], empty: "It is known of every wakeup." },
  );
  const label = new Map(run.policies.map((p) => [p.replay, p.label]));
  const of = new Map(run.policies.map((p) => [p.replay, p.decisions]));
  const third = make("div", null, make("h3", null, "Inputs that policies read although nobody knows them"));
  table(
    third,
    [
      { key: "policy", label: "Policy", type: "name", value: (u) => label.get(u.replay) },
      { key: "input", label: "Input", type: "name" },
      { key: "count", label: "Decisions", type: "number" },
      {
        key: "share",
        label: "Share",
        type: "number",
        value: (u) => (of.get(u.replay) ? u.count / of.get(u.replay) : null),
        show: (v, u) => percent(u.count, of.get(u.replay)),
      },
    ],
    run.unknown_inputs,
    {
      name: "Unknown inputs",
      filter: run.unknown_inputs.length > 15,
      sort: ["count", -1],
      empty: run.policies.length ? "There is none." : "No policy has been replayed.",
    },
  );
  const fourth = make("div", null, make("h3", null, "Agreement by how hidden values were known"));
  table(
    fourth,
    [
      { key: "policy", label: "Policy", type: "name", value: (k) => label.get(k.replay) },
      { key: "what", label: "Value", type: "name" },
      { key: "class", label: "Known", type: "name" },
      { key: "decisions", label: "Decisions", type: "number" },
      {
        key: "agree",
        label: "Agree",
        type: "number",
        value: (k) => k.agree / k.decisions,
        show: (v, k) => percent(k.agree, k.decisions),
      },
      {
        key: "interesting_agree",
        label: "Interesting",
        type: "number",
        none: "none is interesting",
        value: (k) => (k.interesting ? k.interesting_agree / k.interesting : null),
        show: (v, k) => percent(k.interesting_agree, k.interesting),
      },
    ],
    run.known_by,
    {
      name: "Agreement by provenance",
      filter: run.known_by.length > 15,
      empty: run.policies.length ? "No hidden value was asked for." : "No policy has been replayed.",
    },
  );
  left.append(first, second);
  right.append(third, fourth);
}

function drawTasks(parent, run) {
  parent.append(
    note(
      `Threads that ran or waited longest${run.facts.nr_tasks > run.tasks.length ? ` (${whole(run.tasks.length)} of ${whole(run.facts.nr_tasks)})` : ""}; waits are of decisions, quantiles exact.`,
    ),
  );
  table(
    parent,
    [
      { key: "name", label: "Task", type: "name" },
      { key: "tid", label: "TID", type: "number", show: String },
      { key: "runs", label: "Runs", type: "number", none: "not seen to run" },
      { key: "cpus", label: "CPUs", type: "number", none: "not seen to run" },
      { key: "ran", label: "Ran for", type: "number", show: duration, none: "not seen to run" },
      { key: "preempted", label: "Preempted", type: "number", none: "not seen to run" },
      { key: "decisions", label: "Decisions", type: "number", none: "never placed" },
      {
        key: "moved",
        label: "Moved",
        type: "number",
        none: "never placed",
        value: (t) => (t.moved_known ? t.moved / t.moved_known : null),
        show: (v, t) => percent(t.moved, t.moved_known),
      },
      { key: "p50", label: "p50 wait", type: "number", show: duration, none: "no wait known" },
      { key: "p99", label: "p99 wait", type: "number", show: duration, none: "no wait known" },
      { key: "max_wait", label: "Longest", type: "number", show: duration, none: "no wait known" },
      { key: "wait", label: "Waited in all", type: "number", show: duration, none: "no wait known" },
      { key: "unknown", label: "Wait unknown", type: "number", none: "never placed" },
      { key: "cgroup", label: "Control group", type: "name", value: (t) => t.cgroup },
    ],
    run.tasks,
    { name: "Tasks", filter: true, sort: ["wait", -1], empty: "No task was seen." },
  );
}
