/* run.js - the page of a run: its sections, from the data that page_data.c writes. */
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

/* ---- head */

function headSection() {
  const {run} = data;
  const head = document.getElementById("head");
  const nodes = data.nodes ? `${data.nodes.count} nodes (${data.nodes.name}), ` : "";
  head.append(
      el("h1", null, run.program.split("/").pop()),
      el("p", null,
         `${nodes}${run.gpu}, ${run.sms} SMs` +
             (gpus.size > 1 ? `, ${gpus.size} GPUs with launches` : "") +
             (run.timing === "none" ? ", without timing" : "")),
      facts([
        ["Program", el("span", {class: "code"}, run.program)],
        [
          "Arguments",
          Array.isArray(run.arguments) ? el("span", {class: "code"}, run.arguments.join(" ")) : null
        ],
        ["Ended", `${run.ended}`],
        ["Simulated time", run.timing === "none" ? null : time(statistic("host_time"))],
        ["Time in kernels", totalPs ? time(totalPs) : null],
        ["Launches", whole(run.launches)],
        ["Copies and fills", whole(run.copies)],
        ["Heddle", [run.heddle_version, run.heddle_revision].filter(Boolean).join(", ")],
      ]));
  for (const note of run.notes || []) head.append(el("p", {class: "empty"}, note));
  for (const found of data.findings || [])
    head.append(
        el("p", {class: "empty"}, el("strong", {class: "worse"}, "Finding: "),
           `${found.kind} in ${found.kernel}, ${whole(found.count)} times: ${found.first}`));
  for (const given of run.interrupted || [])
    head.append(
        el("p", {class: "empty"}, el("strong", {class: "worse"}, "Given up: "),
           JSON.stringify(given)));
}

/* ---- kernels */

/* The launches of a group that are on the page. */
function launchesOf(group) {
  const place = data.groups.indexOf(group);
  return data.launches.filter(([g]) => g === place)
      .map(([, launch, , stream, start, end, cycles, overhead, sub,
             cpi]) => ({launch, stream, start, end, cycles, overhead, sub, cpi}));
}

function launchTable(group) {
  const rows = launchesOf(group), node = el("div");
  node.append(facts([
    ["Registers", whole(value(group, "registers"))],
    ["Shared memory", bytes(value(group, "shared_bytes"))],
    ["First launch", whole(group.first_launch)],
  ]));
  if (group.cpi) node.append(el("p", null, stackText(group.cpi)));
  if (rows.length < group.launches)
    node.append(
        el("p", {class: "faint"},
           `${rows.length} of ${whole(group.launches)} launches are on this page: ` +
               "kernels.csv.zst of the report has all."));
  if (!rows.length) return node;
  addTable(node, {
    id: "launches" + data.groups.indexOf(group),
    rows,
    most: 50,
    columns: withValues(
        [
          {key: "launch", head: "Launch", value: (r) => r.launch},
          {key: "stream", head: "Stream", value: (r) => r.stream},
          {key: "start", head: "Start", value: (r) => r.start, show: (r) => time(r.start)},
          {
            key: "time",
            head: "Time",
            value: (r) => r.end - r.start,
            show: (r) => time(r.end - r.start)
          },
          {
            key: "cycles",
            head: "Cycles",
            value: (r) => (group.timed ? r.cycles : null),
            show: (r) => whole(r.cycles)
          },
          {
            key: "overhead",
            head: "Launch overhead",
            value: (r) => (group.timed ? r.overhead : null),
            show: (r) => whole(r.overhead)
          },
          {
            key: "cpi",
            head: "CPI stack",
            value: (r) => (r.cpi ? r.sub : null),
            show: (r) => (r.cpi ? stackBar(r.cpi) : "-")
          },
        ],
        rows)
  });
  return node;
}

function kernelSection() {
  const node = section(
      "kernels", "Kernels",
      "Launches of a kernel with the same shape, registers " +
          "and shared memory are one row. Cycles are those of one launch, on average.");
  if (!data.groups.length) return empty(node, untimedReason());
  if (data.groups_all > data.groups.length)
    node.append(
        el("p", {class: "faint"},
           `The ${data.groups.length} rows with most time of ` +
               `${data.groups_all}; the others took ${time(data.groups_others_ps)}.`));
  const bandwidth = (g) => value(g, "dram_bytes_per_s");
  const cause = (g) => topCause(g.cpi);
  addTable(node, {
    id: "",
    rows: data.groups,
    sort: "time",
    detail: launchTable,
    text: (g) => `${g.name} ${g.shape}`,
    columns: withValues(
        [
          ...nameColumns(),
          {
            key: "launches",
            head: "Launches",
            value: (g) => g.launches,
            show: (g) => whole(g.launches)
          },
          {
            key: "time",
            head: "Time",
            value: (g) => g.time_ps || null,
            show: (g) => time(g.time_ps)
          },
          {
            key: "share",
            head: "Share",
            value: (g) => ratio(g.time_ps || null, totalPs),
            show: (g) => percent(ratio(g.time_ps, totalPs))
          },
          {
            key: "cycles",
            head: "Cycles",
            title: "core cycles of a launch, its overhead included",
            value: (g) => (g.timed ? g.cycles / g.launches : null),
            show: (g) => (g.timed ? (g.estimated ? "~" : "") + whole(g.cycles / g.launches) : "-")
          },
          numberColumn("warp_instructions", "Warp instructions", whole),
          numberColumn("ipc", "IPC", digits),
          numberColumn("l1_hit_rate", "L1 hits", percent),
          numberColumn("l2_hit_rate", "L2 hits", percent),
          {
            key: "dram",
            head: "Device memory",
            title: "bytes in a second of the execution",
            value: bandwidth,
            show: (g) => rate(bandwidth(g), "B/s")
          },
          numberColumn("occupancy.achieved", "Occupancy", percent),
          {
            key: "cause",
            head: "Largest loss",
            title: "largest part of the CPI stack but issued",
            value: (g) => (cause(g) ? cause(g)[0] : null),
            show: (g) => (cause(g) ? `${cause(g)[0]} ${percent(cause(g)[1])}` : "-")
          },
        ],
        data.groups),
  });
}

/* ---- CPI stack, occupancy, diagnosis */

function cpiSection() {
  const node = section(
      "cpi", "CPI stack",
      "What the sub-cores of the SMs did in each cycle of the " +
          "executions: issue an instruction, or wait for one cause. Most time comes first; " +
          "+ shows launches.");
  const timed = data.groups.filter((g) => g.cpi);
  if (!timed.length) return empty(node, untimedReason());
  const all = data.cpi.map((_, i) => timed.reduce((sum, g) => sum + (g.cpi[i] || 0), 0));
  node.append(
      stackLegend([all]), el("h3", null, "All kernels, weighted by time"), stackBar(all),
      el("p", {class: "faint"}, stackText(all)));
  const shown = timed.slice(0, 100);
  addTable(node, {
    id: "cpi",
    rows: shown,
    most: 30,
    text: (g) => `${g.name} ${g.shape}`,
    detail: (g) => {
      const rows = launchesOf(g).filter((r) => r.cpi).slice(0, 100), list = el("div");
      list.append(el("p", null, stackText(g.cpi)));
      for (const r of rows)
        list.append(
            el("div", {class: "faint"}, `launch ${r.launch}, ${whole(r.cycles)} cycles`),
            stackBar(r.cpi));
      if (rows.length < g.launches)
        list.append(el("p", {class: "faint"}, `${rows.length} of ${whole(g.launches)} launches`));
      return list;
    },
    columns: [
      ...nameColumns(),
      {
        key: "share",
        head: "Time",
        value: (g) => ratio(g.time_ps, totalPs),
        show: (g) =>
            el("span", null, meter(ratio(g.time_ps, totalPs)),
               " " + percent(ratio(g.time_ps, totalPs)))
      },
      {
        key: "stack",
        head: "Cycles of the sub-cores",
        left: true,
        value: (g) => (topCause(g.cpi) || [""])[0],
        show: (g) => stackBar(g.cpi)
      },
    ],
  });
}

function occupancySection() {
  const node = section(
      "occupancy", "Occupancy",
      "Warps on an SM, of those that it can hold: what " +
          "fits, what was there on average while it had any, and what keeps more from fitting.");
  const rows = data.groups.filter((g) => isNumber(value(g, "occupancy.theoretical")));
  if (!rows.length) return empty(node, untimedReason());
  const both = (path) => (g) =>
      el("span", null, meter(value(g, path)), " " + percent(value(g, path)));
  addTable(node, {
    id: "occupancy",
    rows,
    text: (g) => `${g.name} ${g.shape}`,
    most: 50,
    columns: withValues(
        [
          ...nameColumns(),
          {
            key: "theoretical",
            head: "Theoretical",
            value: (g) => value(g, "occupancy.theoretical"),
            show: both("occupancy.theoretical")
          },
          {
            key: "achieved",
            head: "Achieved",
            value: (g) => value(g, "occupancy.achieved"),
            show: both("occupancy.achieved")
          },
          {key: "limiter", head: "Limited by", left: true, value: (g) => g.limiter},
          numberColumn("resident_ctas", "CTAs on an SM", whole),
          numberColumn("registers", "Registers", whole),
          {
            key: "shared",
            head: "Shared memory",
            value: (g) => value(g, "shared_bytes"),
            show: (g) => bytes(value(g, "shared_bytes"))
          },
        ],
        rows)
  });
}

function diagnosisSection() {
  const node = section("diagnosis", "Diagnosis", "What makes a kernel slow, and at which line.");
  if (!isTimed()) return empty(node, untimedReason());
  const rows = data.groups.flatMap((g) => (g.diagnosis || []).map((d) => ({g, d})));
  if (!rows.length)
    return empty(node, "No rule of docs/diagnosis.md holds for a kernel of this run.");
  const place = ({d}) =>
      (d.file ? `${d.file.split("/").pop()}:${d.line}` :
           d.ptx_line ? `PTX line ${d.ptx_line}` :
                        "");
  addTable(node, {
    id: "diagnosis",
    rows,
    most: 60,
    text: ({g, d}) => `${g.name} ${d.rule} ${d.text}`,
    columns: [
      {key: "name", head: "Kernel", left: true, value: ({g}) => `${g.name}  ${g.shape}`},
      {
        key: "share",
        head: "Time",
        value: ({g}) => ratio(g.time_ps, totalPs),
        show: ({g}) => percent(ratio(g.time_ps, totalPs))
      },
      {key: "place", head: "Where", left: true, value: place},
      {
        key: "text",
        head: "What to do",
        left: true,
        value: ({d}) => d.text,
        show: ({d}) =>
            el("span", null, d.text, el("br"), el("span", {class: "faint"}, d.evidence || ""))
      },
    ]
  });
}

/* ---- calls and copies */

function callSection() {
  const node = section("calls", "CUDA calls and copies");
  if (data.calls_note) node.append(el("p", {class: "faint"}, data.calls_note + "."));
  addTable(node, {
    id: "calls",
    sort: "count",
    text: ([name]) => name,
    most: 60,
    rows: data.calls,
    columns: withValues(
        [
          {
            key: "name",
            head: "Call",
            left: true,
            value: (c) => c[0],
            show: (c) => el("span", {class: "code"}, c[0] + (c[4] ? "" : " (not supported)"))
          },
          {key: "count", head: "Calls", value: (c) => c[1], show: (c) => whole(c[1])},
          {
            key: "time",
            head: "Time",
            title: "simulated time of the host threads",
            value: (c) => c[5],
            show: (c) => time(c[5])
          },
          {key: "longest", head: "Longest", value: (c) => c[6], show: (c) => time(c[6])},
        ],
        data.calls)
  });
  node.append(el("h3", null, "Copies and fills"));
  if (!data.copies.length) {
    empty(node, "The run copied nothing.");
  } else {
    const kinds = new Map();
    for (const [kind, , , n, from, to] of data.copies) {
      const sum = kinds.get(kind) || {kind, count: 0, bytes: 0, ps: 0};
      kinds.set(kind, {kind, count: sum.count + 1, bytes: sum.bytes + n, ps: sum.ps + (to - from)});
    }
    if (data.copies.length < data.run.copies)
      node.append(
          el("p", {class: "faint"},
             `${data.copies.length} of ${whole(data.run.copies)} ` +
                 "copies are on this page: copies.csv.zst of the report has all."));
    addTable(node, {
      id: "copies",
      rows: [...kinds.values()],
      sort: "bytes",
      columns: withValues(
          [
            {key: "kind", head: "Kind", left: true, value: (k) => k.kind},
            {key: "count", head: "Number", value: (k) => k.count, show: (k) => whole(k.count)},
            {key: "bytes", head: "Bytes", value: (k) => k.bytes, show: (k) => bytes(k.bytes)},
            {key: "time", head: "Time", value: (k) => k.ps || null, show: (k) => time(k.ps)},
            {
              key: "rate",
              head: "Rate",
              value: (k) => (k.ps ? k.bytes / k.ps * 1e12 : null),
              show: (k) => rate(k.ps ? k.bytes / k.ps * 1e12 : null, "B/s")
            },
          ],
          [...kinds.values()])
    });
  }
  addTimeline(node);
}

/* ---- configuration, nodes, statistics, host */

function configurationSection() {
  const node = section(
      "configuration", "Configuration",
      "The parameters of the simulated GPU. " +
          "Status and source say where a value comes from; those that --set changed come first.");
  if (!data.parameters.length)
    return empty(
        node, "report.json has no parameters: it is of an older Heddle, run the program again.");
  const rows = data.parameters.slice().sort((a, b) => b[6] - a[6]);
  const changed = rows.filter((p) => p[6]).length;
  node.append(
      el("p", null,
         `${data.run.gpu_file}: ${changed ? `${changed} of ` : ""}${rows.length} ` +
             `parameters${changed ? " were changed with --set" : ", as in the file"}.`));
  addTable(node, {
    id: "parameters",
    rows,
    most: 40,
    text: (p) => p.join(" "),
    columns: [
      {
        key: "name",
        head: "Parameter",
        left: true,
        value: (p) => p[0],
        show: (p) => el("span", {class: "code"}, p[6] ? el("strong", null, p[0] + " (set)") : p[0])
      },
      {key: "value", head: "Value", value: (p) => p[1]},
      {key: "unit", head: "Unit", left: true, value: (p) => p[2]},
      {key: "status", head: "Status", left: true, value: (p) => p[3]},
      {key: "source", head: "Source", left: true, value: (p) => p[4]},
      {key: "where", head: "Set in", left: true, value: (p) => p[5].split("/").pop()},
    ]
  });
}

function nodeSection() {
  if (!data.nodes) return;
  const node = section("nodes", "Nodes", `Design ${data.nodes.design}.`);
  addTable(node, {
    id: "nodes",
    rows: data.nodes.list,
    columns: [
      {key: "node", head: "Node", value: (n) => n.node},
      {key: "program", head: "Program", left: true, value: (n) => n.program},
      {key: "ended", head: "Ended", left: true, value: (n) => n.ended},
      {key: "end", head: "Simulated time", value: (n) => n.end_ps, show: (n) => time(n.end_ps)},
      {key: "launches", head: "Launches", value: (n) => n.launches},
      {key: "copies", head: "Copies", value: (n) => n.copies},
      {
        key: "sent",
        head: "Sent",
        value: (n) => (n.nic ? n.nic.bytes_sent : null),
        show: (n) => bytes(n.nic ? n.nic.bytes_sent : null)
      },
      {
        key: "received",
        head: "Received",
        value: (n) => (n.nic ? n.nic.bytes_received : null),
        show: (n) => bytes(n.nic ? n.nic.bytes_received : null)
      },
    ]
  });
}

function statisticSection() {
  const node = section("statistics", "Statistics", "Of the whole run.");
  addTable(node, {
    id: "statistics",
    rows: data.statistics,
    most: 100,
    text: (s) => s.join(" "),
    columns: [
      {
        key: "name",
        head: "Statistic",
        left: true,
        value: (s) => s[0],
        show: (s) => el("span", {class: "code"}, s[0])
      },
      {key: "value", head: "Value", value: (s) => s[2], show: (s) => whole(s[2])},
      {key: "unit", head: "Unit", left: true, value: (s) => s[1]},
      {key: "meaning", head: "Meaning", left: true, value: (s) => s[4]},
    ]
  });
}

function hostSection() {
  const {run} = data;
  const seconds = (x) => (isNumber(x) ? `${x.toPrecision(4)} s` : null);
  const node = section(
      "host", "Host time",
      "What the simulation took on this machine. It enters " +
          "no simulated time.");
  node.append(facts([
    ["Wall time", seconds(run.wall_s)],
    ["Start-up", seconds(run.startup_s)],
    ["Simulation", seconds(run.simulate_s)],
    [
      "Speed",
      isNumber(run.warp_instructions_per_s) ?
          `${whole(run.warp_instructions_per_s)} warp instructions a second` :
          null
    ],
    ["Memory", isNumber(run.peak_rss_bytes) ? bytes(run.peak_rss_bytes) : null],
    ["SM groups, threads", `${run.sm_groups}, ${run.threads}`],
  ]));
  const other = section("command", "Command line");
  const names =
      Object.keys(run).filter((k) => !/^(notes|interrupted|sampling)$/.test(k) && run[k] !== null);
  other.append(
      el("p", {class: "code"},
         run.program + (Array.isArray(run.arguments) ? " " + run.arguments.join(" ") : "")),
      el("p", {class: "faint"}, `Report: ${data.directory}`),
      facts(names.map(
          (k) => [k, typeof run[k] === "object" ? JSON.stringify(run[k]) : String(run[k])])));
}

headSection();
kernelSection();
cpiSection();
rooflineSection();
memorySection();
occupancySection();
diagnosisSection();
sourceSection();
callSection();
nodeSection();
configurationSection();
statisticSection();
hostSection();
showSection();
document.body.setAttribute("data-complete", "yes");
