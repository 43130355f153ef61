/* The replays beside each other, as drawings and as a table, and one of them in detail. */

const MOST_ROWS = 60;

const NO_PRICE = "no different answer has a price";

const policyColumns = () => [
  { key: "replay", label: "Replay", type: "number" },
  { key: "label", label: "Policy", type: "name" },
  { key: "decisions", label: "Decisions", type: "number", title: "whose outcome in the kernel is known" },
  {
    key: "agree",
    label: "Agree",
    type: "number",
    value: (p) => (p.decisions ? p.agree / p.decisions : null),
    show: (v, p) => percent(p.agree, p.decisions),
  },
  {
    key: "interesting",
    label: "Interesting",
    type: "number",
    title: "the previous CPU was not idle, or the kernel did not choose it",
  },
  {
    key: "interesting_agree",
    label: "Agree there",
    type: "number",
    value: (p) => (p.interesting ? p.interesting_agree / p.interesting : null),
    show: (v, p) => percent(p.interesting_agree, p.interesting),
  },
  { key: "differ", label: "Differ", type: "number" },
  {
    key: "with_unknown",
    label: "Read unknown",
    type: "number",
    title: "answers that read some input which nobody knows",
  },
  {
    key: "median",
    label: "Median extra",
    type: "number",
    show: duration,
    none: NO_PRICE,
    title: "wait on the policy's CPU less that on the kernel's",
  },
  { key: "mean", label: "Mean extra", type: "number", show: duration, none: NO_PRICE },
  {
    key: "worse",
    label: "Worse",
    type: "number",
    none: NO_PRICE,
    value: (p) => (p.priced ? p.worse / p.priced : null),
    show: (v, p) => percent(p.worse, p.priced),
  },
  {
    key: "better",
    label: "Better",
    type: "number",
    none: NO_PRICE,
    value: (p) => (p.priced ? p.better / p.priced : null),
    show: (v, p) => percent(p.better, p.priced),
  },
  {
    key: "unpriced",
    label: "No price",
    type: "number",
    none: "nothing differs, or the replay kept counts only",
    value: (p) => (p.asked === null ? null : p.asked - p.priced),
  },
];

/* Shown only if there is one: nearly always all of them are 0. */
const rareColumns = () => [
  { key: "unanswered", label: "Unanswered", type: "number" },
  { key: "violations", label: "Violations", type: "number", title: "answers that were no allowed CPU" },
];

function drawPolicies(parent, run) {
  if (!run.policies.length) {
    parent.append(
      note("No policy has been replayed over this run. `rewake replay RUN.db` does so; then export the page again."),
    );
    return;
  }
  parent.append(
    note(
      "Each recorded decision was decided again by each policy, against the state that really was: a different answer does not change " +
        "what follows. Agreement of the policy that models the recorded kernel says how exact the model is. Interesting decisions are those where the " +
        "previous CPU was not idle, or the kernel did not choose it: elsewhere nearly every policy agrees.",
    ),
  );
  const elsewhere = run.policies.filter((p) => p.machine !== "recorded").length;
  if (elsewhere)
    parent.append(
      note(
        `${several(elsewhere, "replay")} decided for another machine (@): there a difference from the kernel is no error.`,
      ),
    );
  const shown = run.policies.slice(0, MOST_ROWS);
  if (shown.length < run.policies.length)
    parent.append(note(`The first ${shown.length} of ${run.policies.length} replays are drawn; the table has all.`));

  const details = make("div", { id: "policy" });
  const select = make(
    "select",
    { id: "choose-policy" },
    ...run.policies.map((p) => make("option", { value: String(p.replay) }, `${p.replay}: ${p.label}`)),
  );
  const choose = (policy) => {
    chosenReplay = policy.replay;
    select.value = String(policy.replay);
    details.replaceChildren();
    drawPolicy(details, run, policy);
    markChosen();
  };
  /* The one that has most to tell. */
  const first = run.policies.reduce((best, p) => (p.differ > best.differ ? p : best));
  chosenReplay = first.replay;
  policyPanels(parent, run, shown, choose);
  table(
    parent,
    [...policyColumns(), ...rareColumns().filter((c) => run.policies.some((p) => p[c.key]))],
    run.policies,
    { name: "Policies", sort: ["replay", 1] },
  );
  select.addEventListener("change", () => choose(run.policies.find((p) => p.replay === Number(select.value))));
  parent.append(
    make("h3", null, "One policy in detail"),
    make("div", { class: "controls" }, make("label", null, "Policy", select)),
    details,
  );
  choose(first);
}
