/* run.js - the page of a run, from the data that page_data.c writes: what the other scripts read of
 * it, the head, and the sections in their order. */
"use strict";

/* ---- the data's other half: rows of page_data.c */

const columnPlace = new Map(data.columns.map(([name], i) => [name, i]));

/* A number of a group by its path in report.json, "accesses.global_load.sectors"; null: none. */
function value(group, path) {
  const found = group.values[columnPlace.get(path)];
  return found === undefined ? null : found;
}

/* A statistic of the run; null: none. */
function statistic(name) {
  const row = data.statistics.find(([n]) => n === name);
  return row ? row[2] : null;
}

function isTimed() {
  return data.groups.some((g) => g.timed && g.cycles > 0);
}

/* Why there are no cycles. */
function untimedReason() {
  if (!data.groups.length) return "The run launched no kernel.";
  if (data.run.timing === "none")
    return "The run was functional (--timing none): there are no cycles, caches or stalls.";
  return "No launch was timed: --kernels, --launches or --sample left all of them out.";
}

const gpus = new Set(data.groups.map((g) => g.device));
const totalPs = data.groups.reduce((sum, g) => sum + (g.time_ps || 0), 0) + data.groups_others_ps;

/* The place of a GPU, with several: "1", or node and GPU. */
function gpuOf(group) {
  return group.node === undefined ? String(group.device) : `${group.node}.${group.device}`;
}

/* Columns that name a group. */
function nameColumns() {
  const columns = [
    {key: "name", head: "Kernel", left: true, value: (g) => g.name},
    {key: "shape", head: "CTAs x threads", value: (g) => g.shape},
  ];
  if (gpus.size > 1) columns.push({key: "gpu", head: "GPU", value: (g) => gpuOf(g)});
  return columns;
}

/* A column of a number of the groups, explained by its meaning in docs/statistics.md. */
function numberColumn(path, head, show) {
  const row = data.columns[columnPlace.get(path)];
  return {
    key: path,
    head,
    title: row ? `${row[2]} (${row[1]})` : "",
    value: (g) => value(g, path),
    show: (g) => show(value(g, path))
  };
}

/* Leaves out columns of which no row has a value. */
function withValues(columns, rows) {
  return columns.filter((c) => c.left || rows.some((row) => {
    const x = c.value(row);
    return x !== null && x !== undefined && !(typeof x === "number" && isNaN(x));
  }));
}

/* What the figures of all kernels leave out; null: nothing. */
function cutNote() {
  if (data.groups_all <= data.groups.length) return null;
  return el(
      "p", {class: "faint"},
      `Of the ${data.groups.length} rows with most time, of ${data.groups_all}; the others took ` +
          `${time(data.groups_others_ps)}.`);
}

/* ---- head */

/* Words of a command line; one that is no UTF-8 is not a text in the report. */
function words(list) {
  return list
      .map(
          (w) =>
              (typeof w !== "string"          ? "(bytes)" :
                   /^[\w@%+=:,./-]+$/.test(w) ? w :
                                                `'${w.replace(/'/g, "'\\''")}'`))
      .join(" ");
}

/* A kernel that was given up, and where its warps stood. */
function interruption(k) {
  const places = k.places.map((p) => el("li", null, `${whole(p.warps)} warps like ${p.first}`));
  return el(
      "div", {class: "empty"}, el("strong", {class: "worse"}, "Given up: "),
      `${k.name}, launch ${k.launch}, after ${whole(k.ctas_done)} of ${whole(k.ctas)} CTAs and ` +
          `${whole(k.warp_instructions)} warp instructions`,
      el("ul", null, places));
}

function headSection() {
  const {run} = data, inputs = data.inputs || {}, heddle = inputs.heddle || {};
  const head = document.getElementById("head");
  const nodes = data.nodes ? `${data.nodes.count} nodes (${data.nodes.name}), ` : "";
  head.append(
      el("h1", null, (run.program || "A run").split("/").pop()),
      el("p", null,
         `${nodes}${run.gpu}, ${run.sms} SMs` +
             (gpus.size > 1 ? `, ${gpus.size} GPUs with launches` : "") +
             (run.timing === "none" ? ", without timing" : "")),
      facts([
        ["Program", el("span", {class: "code"}, run.program)],
        ["Arguments", inputs.arguments && el("span", {class: "code"}, words(inputs.arguments))],
        ["Ended", run.ended],
        ["Simulated time", run.timing === "none" ? null : time(statistic("host_time"))],
        ["Time in kernels", totalPs ? time(totalPs) : null],
        ["Launches", whole(run.launches)],
        ["Copies and fills", whole(run.copies)],
        [
          "Heddle",
          [run.heddle_version, heddle.revision && `revision ${heddle.revision}`]
              .filter(Boolean)
              .join(", ")
        ],
      ]));
  for (const note of run.notes || []) head.append(el("p", {class: "empty"}, note));
  for (const found of data.findings || [])
    head.append(
        el("p", {class: "empty"}, el("strong", {class: "worse"}, "Finding: "),
           `${found.kind} in ${found.kernel}, ${whole(found.count)} times: ${found.first}`));
  for (const k of run.interrupted || []) head.append(interruption(k));
  if (data.groups.some((g) => g.estimated))
    head.append(
        el("p", {class: "empty"},
           "With --sample, some launches were not timed: ~ marks cycles that are estimates."));
}

/* ---- the page */

headSection();
kernelSection();
cpiSection();
rooflineSection();
memorySection();
occupancySection();
diagnosisSection();
sourceSection();
timelineSection();
callSection();
nodeSection();
configurationSection();
statisticSection();
hostSection();
commandSection();
showSection();
document.body.setAttribute("data-complete", "yes");
