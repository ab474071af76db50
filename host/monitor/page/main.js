/* main.js - the page of a monitor: its sections, and what happens every second. */
"use strict";

const parts = {};

function button(label, title, click) {
  return el("button", {type: "button", title, click}, label);
}

/* Does something with the run, says what came of it, and looks again. */
async function act(name) {
  const answer = await tell(name);
  parts.said.textContent = !answer ? "The run cannot be reached." :
      !answer.done                 ? answer.why[0].toUpperCase() + answer.why.slice(1) + "." :
      answer.file                  ? `Written: ${answer.file}` :
                                     "";
  await look();
}

function makeHead() {
  document.getElementById("head").append(
      el("h1", null, (data.program || "").split("/").pop()),
      el("p", null,
         `${data.gpu}, ${data.sms} SMs` + (data.gpus > 1 ? `, ${data.gpus} GPUs` : "") +
             (data.nodes ? `, ${data.nodes} nodes` : "") + ` (--timing ${data.timing})`),
      el("p", {class: "tools"}, parts.state = el("span", {class: "state", role: "status"}),
         button("Pause", "Hold up the simulation", () => act("pause")),
         button("Continue", "Let the simulation go on", () => act("continue")),
         button("Step", "Go on until a kernel ends, then pause", () => act("step")),
         button("Snapshot", "Write the report of this moment", () => act("snapshot")),
         parts.said = el("span", {role: "status"})));
}

function makeSections() {
  parts.progress = el("div");
  parts.stack = el("div");
  parts.queues = el("div");
  parts.map = el("div");
  parts.warps = el("div", {id: "warps"});
  section("progress", "Progress").append(parts.progress);
  section(
      "cpi", "CPI stack",
      "Of the kernels that run now, since the first of them began. Cycles of warps that " +
          "still wait count as no_warp until they issue.")
      .append(parts.stack);
  section("queues", "Queues", "Operations of each stream that have not ended.")
      .append(parts.queues);
  section(
      "sms", "SMs",
      "CTAs / warps of each SM. The bar is its instructions per cycle since the last look, " +
          "full at one for each sub-core.")
      .append(parts.map);
  section(
      "warps", "Warps",
      "Where the warps of the chosen SM stand. The executor runs ahead of the timing core: " +
          "an instruction is done first and issued later.")
      .append(parts.warps);
}

function showState(status) {
  parts.state.textContent = status.state;
  parts.state.className = "state " + status.state;
}

function kernelName(kernel) {
  return kernel.name === null ? "(a name that is no text)" : kernel.name;
}

function showProgress(status) {
  const k = status.kernel;
  const rows = [
    [
      "Wall time",
      seconds(status.wall_s) +
          (status.paused_s > 0 ? ` (${seconds(status.paused_s)} of it paused)` : "")
    ],
    ["Launches that have ended", whole(status.launches_ended)],
  ];
  if (!isNumber(status.age_s) || status.age_s > 2)
    rows.push([
      "Now",
      "nothing is simulated" +
          (isNumber(status.age_s) ? `; what follows was seen ${seconds(status.age_s)} ago` : ""),
    ]);
  for (const gpu of status.gpus)
    rows.push([
      `GPU ${gpu.device}`,
      (gpu.timed ? `${time(gpu.time_ps)}, cycle ${whole(gpu.cycle)}, ` : "") +
          `launches issued: ${whole(gpu.launches)}, of these waiting: ` +
          whole(gpu.launches_queued) + (gpu.dead ? "; stopped by an error" : ""),
    ]);
  const bars = [];
  if (k) {
    rows.push([
      "Latest kernel",
      `${kernelName(k)}, launch ${whole(k.launch)}` + (data.gpus > 1 ? ` on GPU ${k.device}` : "")
    ]);
    rows.push([
      "Of it",
      `${whole(k.ctas_done)} of ${whole(k.ctas)} CTAs` +
          (k.cycles ?
               `, ${whole(k.cycles)} cycles, ${whole(k.warp_instructions)} warp instructions` :
               "") +
          `, ${seconds(k.wall_s)}` + (k.left_s === null ? "" : `, ${seconds(k.left_s)} left`),
    ]);
    bars.push(el("progress", {
      max: Math.max(k.ctas, 1),
      value: k.ctas_done,
      "aria-label": "CTAs of the kernel that have ended",
    }));
  }
  renew(parts.progress, facts(rows), bars);
}

/* A stack of status.json in the order of data.cpi. */
function stackOf(cpi) {
  return data.cpi.map(({name}) => cpi[name] || 0);
}

function showStacks(status) {
  const timed = status.gpus.filter((gpu) => gpu.cpi);
  if (!timed.length) {
    renew(
        parts.stack,
        el("p", {class: "empty"},
           data.timed ? "No kernel is being timed." :
                        "--timing none runs kernels without cycles."));
    return;
  }
  renew(parts.stack, timed.map((gpu) => {
    const c = gpu.counters, stack = stackOf(gpu.cpi);
    return el(
        "div", null,
        el("h3", null,
           gpu.kernels.map(kernelName).join(", ") + (gpu.more_kernels ? " and others" : "") +
               (data.gpus > 1 ? ` on GPU ${gpu.device}` : "")),
        stackBar(stack), stackLegend([stack]), facts([
          ["L1 hits", percent(ratio(c.l1_hits, c.l1_accesses))],
          ["L2 hits", percent(ratio(c.l2_hits, c.l2_accesses))],
          [
            "Device memory",
            `${bytes(32 * c.dram_reads)} read, ${bytes(32 * c.dram_writes)} written, ` +
                `${whole(gpu.memory_reads)} reads under way`
          ],
        ]));
  }));
}

function showQueues(status) {
  const rows = [];
  for (const gpu of status.gpus) {
    for (const s of gpu.streams)
      rows.push([
        gpu.device,
        s.stream,
        s.operations,
        s.kernel || s.first,
        s.state,
        gpu.kernels.filter((k) => k.stream === s.stream)
            .map(
                (k) => `${whole(k.ctas_resident)} CTAs on SMs, ` +
                    `${whole(k.ctas - k.ctas_done - k.ctas_resident)} wait`)
            .join("; "),
      ]);
    if (gpu.more_operations) rows.push([gpu.device, "others", gpu.more_operations, "", "", ""]);
  }
  renew(
      parts.queues,
      rows.length ?
          table(["GPU", "Stream", "Operations", "First of them", "It", ""], rows, [3, 4, 5]) :
          el("p", {class: "empty"}, "No operation is under way."));
}

async function showSm() {
  const chosen = chosenSm();
  showWarps(
      parts.warps,
      chosen && data.timed ? await ask(`warps.json?sm=${chosen[1]}&gpu=${chosen[0]}`) : null);
}

/* Looks at the run and shows it. Returns whether there is more to come. */
async function look() {
  const status = await ask("status.json");
  if (!status) {
    parts.state.textContent = "gone";
    parts.state.className = "state gone";
    return false;
  }
  showState(status);
  showProgress(status);
  showStacks(status);
  showQueues(status);
  showMap(parts.map, await ask("sms.json"), (id) => {
    setState("sm", id);
    look();
  });
  await showSm();
  document.body.setAttribute("data-complete", "yes");
  return status.state !== "ended";
}

async function run() {
  if (await look()) setTimeout(run, EVERY_MS);
}
makeHead();
makeSections();
watchState(look, document.body);
run();
