/* details.js - sections of a run's page about calls and copies, configuration, nodes, statistics
 * and the host. */
"use strict";

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
  /* What the GPU's file says of a parameter that --set changed, if the report has it. */
  const different = (data.inputs || {}).parameters || {};
  const inFile = (p) => (different[p[0]] ? factText(different[p[0]].gpu_file) : null);
  node.append(
      el("p", null,
         `${data.run.gpu_file}: ${changed ? `${changed} of ` : ""}${rows.length} ` +
             `parameters${changed ? " were changed with --set" : ", as in the file"}.`));
  addTable(node, {
    id: "parameters",
    rows,
    most: 40,
    text: (p) => p.join(" "),
    columns: withValues(
        [
          {
            key: "name",
            head: "Parameter",
            left: true,
            value: (p) => p[0],
            show: (p) =>
                el("span", {class: "code"}, p[6] ? el("strong", null, p[0] + " (set)") : p[0])
          },
          {key: "value", head: "Value", value: (p) => p[1]},
          {key: "file", head: "In the file", value: inFile},
          {key: "unit", head: "Unit", left: true, value: (p) => p[2]},
          {key: "status", head: "Status", left: true, value: (p) => p[3]},
          {key: "source", head: "Source", left: true, value: (p) => p[4]},
          {key: "where", head: "Set in", left: true, value: (p) => (p[5] || "").split("/").pop()},
        ],
        rows)
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
  if (data.network)
    node.append(
        el("h3", null, "Network"),
        facts(Object.entries(data.network).map(([name, what]) => [name, factText(what)])));
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
  const {run, host} = data;
  const seconds = (x) => (isNumber(x) ? `${x.toPrecision(4)} s` : null);
  const node = section(
      "host", "Host time",
      "What the simulation took on its machine. It enters " +
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
    ["SM groups", whole(run.sm_groups)],
    ["Threads", whole(run.threads)],
    ...Object.entries(host || {}).map(([name, what]) => [name, factText(what)]),
  ]));
}

/* A value of the report in words; "": there is none. */
function factText(what) {
  if (what === null || what === undefined) return "";
  if (Array.isArray(what)) return what.map(factText).join("; ");
  if (typeof what !== "object") return String(what);
  return Object.entries(what).map(([name, inner]) => `${name} ${factText(inner)}`).join(", ");
}

function commandSection() {
  const {run} = data, inputs = data.inputs || {};
  const node = section("command", "Command line", "What the run was made from.");
  const line = [
    "heddle", "run", ...(inputs.options || []), "--", run.program || "?",
    ...(inputs.arguments || [])
  ];
  node.append(el("p", {class: "code"}, words(line)));
  if (!data.inputs)
    node.append(el("p", {class: "faint"}, "The report does not say the options and arguments."));
  const shown = Object.entries(inputs).filter(
      ([name]) => !["program", "options", "arguments", "parameters"].includes(name));
  node.append(facts([
    ["report", data.directory],
    ...Object.entries(run).filter(([name]) => ["gpu_file", "timing", "exit_status"].includes(name)),
    ...shown,
  ].map(([name, what]) => [name, factText(what)])));
}
