/* kernels.js - sections of a run's page about its kernels: the table, CPI stacks, occupancy and
 * diagnosis. */
"use strict";

/* The launches of a group that are on the page. */
function launchesOf(group) {
  const place = data.groups.indexOf(group);
  return data.launches.filter(([g]) => g === place)
      .map(([, launch, , stream, start, end, cycles, overhead, sub,
             cpi]) => ({launch, stream, start, end, cycles, overhead, sub, cpi}));
}

/* The units that a group's energy goes to, most first; null: it is not known. */
function energyText(group) {
  const all = value(group, "power.energy"), prefix = "power.units.";
  if (!all) return null;
  return data.columns.map(([path]) => path)
      .filter((path) => path.startsWith(prefix) && value(group, path) > 0)
      .sort((a, b) => value(group, b) - value(group, a))
      .map((path) => `${path.slice(prefix.length)} ${percent(value(group, path) / all)}`)
      .join(", ");
}

function launchTable(group) {
  const rows = launchesOf(group), node = el("div");
  node.append(facts([
    ["Registers", whole(value(group, "registers"))],
    ["Shared memory", bytes(value(group, "shared_bytes"))],
    ["First launch", whole(group.first_launch)],
    ["Energy", energyText(group)],
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
  node.append(cutNote() || "");
  const bandwidth = (g) => value(g, "dram_bytes_per_s");
  const cause = (g) => topCause(g.cpi);
  addTable(
      node, {
        id: "",
        rows: data.groups,
        sort: "time",
        detail: launchTable,
        text: (g) => `${g.name} ${g.shape}`,
        columns:
            withValues(
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
                    show: (g) =>
                        (g.timed ? (g.estimated ? "~" : "") + whole(g.cycles / g.launches) : "-")
                  },
                  numberColumn("warp_instructions", "Warp inst.", whole),
                  numberColumn("ipc", "IPC", digits),
                  numberColumn("l1_hit_rate", "L1 hits", percent),
                  numberColumn("l2_hit_rate", "L2 hits", percent),
                  {
                    key: "dram",
                    head: "DRAM",
                    title: "bytes in a second of the execution",
                    value: bandwidth,
                    show: (g) => rate(bandwidth(g), "B/s")
                  },
                  numberColumn("occupancy.achieved", "Occupancy", percent),
                  numberColumn("power.average_w", "Power", watts),
                  {
                    key: "energy",
                    head: "Energy",
                    title: "of a launch",
                    value: (g) => ratio(value(g, "power.energy"), g.launches),
                    show: (g) => joules(ratio(value(g, "power.energy"), g.launches))
                  },
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

/* The launches of a group as bars. */
function launchBars(group) {
  const rows = launchesOf(group).filter((r) => r.cpi).slice(0, 100);
  const list = el("div", null, el("p", null, stackText(group.cpi)));
  for (const r of rows)
    list.append(
        el("div", {class: "faint"}, `launch ${r.launch}, ${whole(r.cycles)} cycles`),
        stackBar(r.cpi));
  if (rows.length < group.launches)
    list.append(el("p", {class: "faint"}, `${rows.length} of ${whole(group.launches)} launches`));
  return list;
}

function cpiSection() {
  const node = section(
      "cpi", "CPI stack",
      "What the sub-cores of the SMs did in each cycle of the " +
          "executions: issue an instruction, or wait for one cause. Most time comes first; " +
          "+ shows launches.");
  const timed = data.groups.filter((g) => g.cpi);
  if (!timed.length) return empty(node, untimedReason());
  const all = data.cpi.map((_, i) => timed.reduce((sum, g) => sum + (g.cpi[i] || 0), 0));
  const below = el("div");
  const without = el("input", {
    type: "checkbox",
    change: () => {
      setState("idle", without.checked ? "no" : null);
      show();
    }
  });
  function show() {
    without.checked = getState("idle") === "no";
    below.replaceChildren(
        stackLegend([shownParts(all)]), el("h3", null, "All kernels, weighted by time"),
        stackBar(all), el("p", {class: "faint"}, stackText(all)));
    addTable(below, {
      id: "cpi",
      rows: timed.slice(0, 100),
      most: 30,
      detail: launchBars,
      text: (g) => `${g.name} ${g.shape}`,
      columns: [
        ...nameColumns(),
        {
          key: "share",
          head: "Time",
          value: (g) => ratio(g.time_ps, totalPs),
          show: (g) =>
              el("span", null, meter(ratio(g.time_ps, totalPs)), " ",
                 percent(ratio(g.time_ps, totalPs)))
        },
        {
          key: "stack",
          head: "Cycles of the sub-cores",
          left: true,
          value: (g) => (topCause(g.cpi) || [""])[0],
          show: (g) => stackBar(g.cpi)
        },
      ]
    });
  }
  node.append(
      cutNote() || "",
      el("div", {class: "tools"},
         el("label", null, without, " without cycles of sub-cores that had no warp (no_warp)")),
      below);
  watchState(show, below);
  show();
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
