/* Puts the page together: a run, its sections in order; again when another run is chosen. */

/* Lines that mean "unknown", for every drawing of the page. */
function addHatch() {
  const svg = d3
    .select(document.body)
    .append("svg")
    .attr("width", 0)
    .attr("height", 0)
    .attr("aria-hidden", "true")
    .attr("focusable", "false");
  const pattern = svg
    .append("defs")
    .append("pattern")
    .attr("id", "hatch")
    .attr("width", 5)
    .attr("height", 5)
    .attr("patternUnits", "userSpaceOnUse");
  pattern.append("rect").attr("width", 5).attr("height", 5);
  pattern.append("path").attr("d", "M-1,1L1,-1M0,5L5,0M4,6L6,4");
}

function aboutOf(run) {
  const f = run.facts;
  const machine = f.topology_known
    ? `${several(f.nr_cpu_ids, "CPU")}, ${several(f.nr_llc, "last-level cache")}, ${several(f.nr_nodes, "node")}, SMT ${f.smt_active ? "on" : "off"}`
    : `${several(f.nr_cpus, "CPU")}, topology unknown`;
  return [
    f.release === null ? "kernel unknown" : `Linux ${f.release}`,
    machine,
    f.clock === null ? "clock unknown" : `clock ${f.clock}`,
    f.format,
  ]
    .filter((x) => x !== null)
    .join(" · ");
}

function show(run) {
  drawings = [];
  hideTip();
  const file = run.facts.file;
  document.title = `${file.slice(file.lastIndexOf("/") + 1)} – rewake`;
  document.getElementById("file").textContent = file.slice(file.lastIndexOf("/") + 1);
  document.getElementById("about").textContent = aboutOf(run);
  const sections = [
    ["trust", drawTrust],
    ["figures", drawFigures],
    ["policies", drawPolicies],
    ["graph", drawGraph],
    ["waits", drawWaits],
    ["cpus", drawCpus],
    ["tasks", drawTasks],
    ["known", drawKnown],
  ];
  for (const [id, draw] of sections) {
    const section = document.getElementById(id),
      head = section.querySelector("h2");
    section.replaceChildren(...(head ? [head] : []));
    draw(section, run);
  }
}

function start() {
  const data = readData();
  addHatch();
  const select = document.getElementById("run");
  select.append(...data.runs.map((run) => make("option", { value: String(run.id) }, `${run.id}: ${run.file}`)));
  select.addEventListener("change", () => show(data.read(Number(select.value))));
  document.getElementById("choose-run").hidden = data.runs.length < 2;
  show(data.read(data.runs[0].id));
  document.getElementById("made").textContent =
    `Made by rewake ${data.version}. Counted from the recording; what is not known is said to be unknown.`;
  let waiting = 0;
  window.addEventListener("resize", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => redrawAll(false));
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTip();
  });
  document.documentElement.dataset.ready = "true";
}

try {
  start();
} catch (error) {
  const failed = document.getElementById("failed");
  failed.textContent = `This page could not be drawn: ${error.message}`;
  failed.hidden = false;
  throw error;
}
