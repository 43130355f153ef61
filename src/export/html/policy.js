/* One policy: where it and the kernel put the wakee when they differ, between whom, and by which of its steps. */

/* Kernel's distance down, policy's across; the darker the more decisions. */
function differenceTable(parent, run, policy, what, title) {
  const cells = run.differences.filter((d) => d.replay === policy.replay && d.what === what);
  if (!cells.length) return;
  const names =
    what === "place"
      ? [
          ["stays", "stays"],
          ["moves", "moves"],
          [null, "unknown"],
        ]
      : DISTANCES.map(([k, v]) => [k === "unknown" ? null : k, v]);
  const used = (side) => names.filter(([k]) => cells.some((c) => c[side] === k && c.count));
  const of = d3.sum(cells, (c) => c.count);
  const head = make(
    "tr",
    null,
    make("th", { scope: "col" }, "Kernel ↓, policy →"),
    ...used("policy").map(([, v]) => make("th", { scope: "col", class: "number" }, v)),
  );
  const rows = used("kernel").map(([k, v]) =>
    make(
      "tr",
      null,
      make("th", { scope: "row" }, v),
      ...used("policy").map(([q]) => {
        const found = cells.find((c) => c.kernel === k && c.policy === q);
        return make("td", { class: "number" }, found ? `${whole(found.count)} (${percent(found.count, of)})` : "");
      }),
    ),
  );
  parent.append(
    make(
      "div",
      null,
      make("h3", null, title),
      make(
        "div",
        { class: "table", tabindex: "0", role: "region", "aria-label": title },
        make("table", null, make("tbody", null, head, ...rows)),
      ),
    ),
  );
}

function drawPolicy(parent, run, policy) {
  parent.append(
    make("p", null, `${policy.label}: ${policy.summary || "?"}.`, policy.origin ? ` From: ${policy.origin}.` : ""),
  );
  const forks = policy.fork_decisions
    ? `${percent(policy.fork_agree, policy.fork_decisions)} of ${several(policy.fork_decisions, "new task")}`
    : "";
  const execs = policy.exec_decisions
    ? `${percent(policy.exec_agree, policy.exec_decisions)} of ${several(policy.exec_decisions, "exec")}`
    : "";
  if (forks || execs) parent.append(note(`Placed like the kernel did: ${[forks, execs].filter(Boolean).join(", ")}.`));
  const both = make("div", { class: "columns" });
  differenceTable(both, run, policy, "waker_distance", "Where they differ: how far from the waker's CPU");
  differenceTable(both, run, policy, "prev_distance", "Where they differ: how far from the previous CPU");
  parent.append(both);
  if (!policy.differ) parent.append(note("It never answers with another CPU than the kernel."));
  const halves = make("div", { class: "columns" });
  const pairs = make("div", null, make("h3", null, "Between whom they differ most"));
  if (policy.summary_only) pairs.append(note("This replay kept counts only (--summary-only)."));
  else {
    table(
      pairs,
      [
        { key: "waker", label: "Waker", type: "name" },
        { key: "wakee", label: "Wakee", type: "name" },
        { key: "differ", label: "Differ", type: "number" },
        {
          key: "extra",
          label: "Mean extra",
          type: "number",
          value: (d) => (d.priced ? d.extra / d.priced : null),
          show: duration,
          none: "no price",
        },
        {
          key: "worse",
          label: "Worse",
          type: "number",
          value: (d) => (d.priced ? d.worse / d.priced : null),
          show: (v, d) => percent(d.worse, d.priced),
          none: "no price",
        },
        {
          key: "better",
          label: "Better",
          type: "number",
          value: (d) => (d.priced ? d.better / d.priced : null),
          show: (v, d) => percent(d.better, d.priced),
          none: "no price",
        },
      ],
      run.price_pairs.filter((d) => d.replay === policy.replay),
      { name: "Pairs where the policy differs", sort: ["differ", -1] },
    );
  }
  const steps = make("div", null, make("h3", null, "By the step that answered"));
  table(
    steps,
    [
      { key: "reason", label: "Step", type: "name" },
      { key: "decisions", label: "Decisions", type: "number" },
      {
        key: "agree",
        label: "Agree",
        type: "number",
        value: (d) => d.agree / d.decisions,
        show: (v, d) => percent(d.agree, d.decisions),
      },
      { key: "interesting", label: "Interesting", type: "number" },
      {
        key: "interesting_agree",
        label: "Agree there",
        type: "number",
        none: "none is interesting",
        value: (d) => (d.interesting ? d.interesting_agree / d.interesting : null),
        show: (v, d) => percent(d.interesting_agree, d.interesting),
      },
    ],
    run.reasons.filter((d) => d.replay === policy.replay),
    { name: "Steps of the policy", sort: ["decisions", -1] },
  );
  halves.append(pairs, steps);
  parent.append(halves);
}
