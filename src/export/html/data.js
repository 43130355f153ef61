/* The data block: tables as columns and rows become objects. */

function objects(table) {
  const names = table.columns;
  return table.rows.map((row) => {
    const object = {};
    for (let i = 0; i < names.length; i++) object[names[i]] = row[i];
    return object;
  });
}

function readRun(stored) {
  const run = { id: stored.id };
  for (const [name, value] of Object.entries(stored)) {
    if (value && value.columns) run[name] = objects(value);
    else run[name] = value;
  }
  run.facts = run.run[0];
  /* Replays for another machine come last: their agreement is no measure of a model. */
  run.policies.sort((a, b) => (a.machine !== "recorded") - (b.machine !== "recorded") || a.replay - b.replay);
  for (const policy of run.policies) {
    policy.label =
      policy.policy +
      (policy.params ? ` ${policy.params}` : "") +
      (policy.mode === "open" ? "" : ` (${policy.mode})`) +
      (policy.machine === "recorded" ? "" : ` @ ${policy.machine}`);
    policy.answered = policy.decisions - policy.unanswered;
  }
  const node = new Map(run.nodes.map((n) => [n.node, n]));
  for (const pair of run.pairs) {
    pair.from = node.get(pair.waker);
    pair.to = node.get(pair.wakee);
  }
  return run;
}

/* {version, runs: [id…], read(id)}: a run is made of the block only when it is looked at. */
function readData() {
  const stored = JSON.parse(document.getElementById("data").textContent);
  const made = new Map();
  return {
    version: stored.version,
    runs: stored.runs.map((run) => ({ id: run.id, file: run.run.rows[0][run.run.columns.indexOf("file")] })),
    read(id) {
      if (!made.has(id)) made.set(id, readRun(stored.runs.find((run) => run.id === id)));
      return made.get(id);
    },
  };
}

const DISTANCES = [
  ["same_cpu", "same CPU"],
  ["smt", "same core"],
  ["llc", "same cache"],
  ["node", "same node"],
  ["remote", "other node"],
  ["unknown", "unknown"],
];
const distanceName = new Map(DISTANCES);
