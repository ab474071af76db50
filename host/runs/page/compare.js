/* compare.js - the page of `heddle compare --html`, from the object that --json prints. */
"use strict";

const byTime = data.changes_of === "time";
const A = 0, B = 1;

function changeText(x) {
  return el("span", {class: x > 0 ? "worse" : x < 0 ? "better" : null}, change(x));
}

/* By how many cycles each part of a launch changed; none if a run did not time the kernel. */
function partChanges(kernel) {
  return kernel.parts.filter((p) => isNumber(p.a) && isNumber(p.b))
      .map((p) => ({...p, by: p.b - p.a}));
}

/* The parts of a kernel in the order of data.cpi, of one of the runs; without the launch. */
function partsOf(kernel, side) {
  const found = new Map(kernel.parts.map((p) => [p.name, side === A ? p.a : p.b]));
  const parts = data.cpi.map(({name}) => found.get(name) || 0);
  return parts.some((x) => x > 0) ? parts : null;
}

function headSection() {
  const head = document.getElementById("head"), {total} = data;
  const shown = byTime ? total.time_us.map((us) => time(us * 1e6)) : total.cycles.map(whole);
  head.append(el("h1", null, "Two runs"), facts([
                ["A", data.runs[A]], ["B", data.runs[B]],
                [
                  byTime ? "Time of all launches" : "Cycles of all launches",
                  `${shown[A]} \u2192 ${shown[B]}`
                ],
                ["Change", changeText(total.change)]
              ]));
  if (byTime)
    head.append(
        el("p", {class: "empty"},
           "The clocks of the SMs differ: changes are those of times, not of cycles."));
  if (total.timed[A] < total.launches[A] || total.timed[B] < total.launches[B])
    head.append(el(
        "p", {class: "empty"},
        `Timed launches: ${whole(total.timed[A])} of ${whole(total.launches[A])} in A, ` +
            `${whole(total.timed[B])} of ${whole(total.launches[B])} in B; the total is theirs.`));
  if (!isNumber(total.cycles[A]) || !isNumber(total.cycles[B]))
    head.append(
        el("p", {class: "empty"}, "A run without timed launches has no cycles to compare."));
}

function details(kernel) {
  const node = el("div");
  for (const side of [A, B]) {
    const parts = partsOf(kernel, side);
    if (parts) node.append(el("div", {class: "faint"}, side === A ? "A" : "B"), stackBar(parts));
  }
  const parts = partChanges(kernel).filter((p) => Math.abs(p.by) >= 0.5);
  if (parts.length) {
    node.append(el("h3", null, "Cycles of a launch"));
    addTable(node, {
      id: `parts${data.kernels.indexOf(kernel)}`,
      rows: parts,
      columns: [
        {key: "name", head: "Part", left: true, value: (p) => p.name},
        {key: "a", head: "A", value: (p) => p.a, show: (p) => whole(p.a)},
        {key: "b", head: "B", value: (p) => p.b, show: (p) => whole(p.b)},
        {
          key: "by",
          head: "Change",
          value: (p) => p.by,
          show: (p) => (p.by > 0 ? "+" : "") + whole(p.by)
        },
      ]
    });
  }
  if (kernel.counters.length) {
    node.append(el("h3", null, "Counters that moved"));
    addTable(node, {
      id: `counters${data.kernels.indexOf(kernel)}`,
      rows: kernel.counters,
      columns: [
        {
          key: "name",
          head: "Counter",
          left: true,
          value: (c) => c.name,
          show: (c) => el("span", {class: "code"}, c.name)
        },
        {key: "a", head: "A", value: (c) => c.a, show: (c) => digits(c.a)},
        {key: "b", head: "B", value: (c) => c.b, show: (c) => digits(c.b)},
        {key: "unit", head: "Unit", left: true, value: (c) => c.unit},
        {
          key: "follows",
          head: "Only follows the cycles",
          value: (c) => (c.follows_cycles ? "yes" : "no")
        },
      ]
    });
  }
  return node;
}

function kernelSection() {
  const node = section(
      "kernels", "Kernels",
      "Of a launch, on average; kernels with most time in A " +
          "come first. + shows where the cycles went and which counters moved.");
  if (!data.kernels.length) return empty(node, "The runs have no kernel in common.");
  const figure = (side) => (k) => (byTime ? k.time_us[side] * 1e6 : k.cycles[side]);
  const show = (side) => (k) =>
      (k.estimated[side] ? "~" : "") + (byTime ? time : whole)(figure(side)(k));
  const byPart = (k) => partChanges(k).sort((x, y) => Math.abs(y.by) - Math.abs(x.by));
  /* The part that changed most, and the one of those that warps were there for. */
  const largest = (k) => {
    const all = byPart(k), inside = all.filter((p) => !/^(launch|no_warp)$/.test(p.name));
    return [...new Set([all[0], inside[0]])].filter((p) => p && Math.abs(p.by) >= 0.5);
  };
  node.append(stackLegend(data.kernels.flatMap((k) => [partsOf(k, A), partsOf(k, B)])));
  addTable(node, {
    id: "",
    rows: data.kernels,
    detail: details,
    text: (k) => `${k.name} ${k.shapes.join(" ")}`,
    columns: [
      {key: "name", head: "Kernel", left: true, value: (k) => k.name},
      {key: "shape", head: "CTAs x threads", value: (k) => [...new Set(k.shapes)].join(" \u2192 ")},
      {
        key: "launches",
        head: "Launches",
        value: (k) => k.launches[B],
        show: (k) => [...new Set(k.launches.map(whole))].join(" \u2192 ")
      },
      {key: "a", head: byTime ? "Time A" : "Cycles A", value: figure(A), show: show(A)},
      {key: "b", head: byTime ? "Time B" : "Cycles B", value: figure(B), show: show(B)},
      {key: "change", head: "Change", value: (k) => k.change, show: (k) => changeText(k.change)},
      {
        key: "part",
        head: "Most of it",
        left: true,
        value: (k) => (largest(k)[0] || {by: null}).by,
        show: (k) =>
            largest(k).map((p) => `${p.name} ${p.by > 0 ? "+" : ""}${whole(p.by)}`).join(", ") ||
            "-"
      },
      {key: "counters", head: "Counters", value: (k) => k.counters.length},
    ]
  });
}

function onlySection(side, list) {
  if (!list.length) return;
  const node = section(side === A ? "only-a" : "only-b", `Only in ${side === A ? "A" : "B"}`);
  addTable(node, {
    id: `only${side}`,
    rows: list,
    columns: [
      {key: "name", head: "Kernel", left: true, value: (k) => k.name},
      {key: "shape", head: "CTAs x threads", value: (k) => k.shapes[side]},
      {key: "launches", head: "Launches", value: (k) => k.launches[side]},
      {
        key: "cycles",
        head: "Cycles",
        value: (k) => k.cycles[side],
        show: (k) => whole(k.cycles[side])
      },
    ]
  });
}

function differenceSection() {
  const node = section("different", "What else differs");
  if (!data.different.length)
    return empty(node, "Nothing: program, GPU, parameters and Heddle are the same.");
  addTable(node, {
    id: "different",
    rows: data.different,
    most: 400,
    columns: [
      {
        key: "name",
        head: "Name",
        left: true,
        value: (d) => d.name,
        show: (d) => el("span", {class: "code"}, d.name)
      },
      {key: "a", head: "A", left: true, value: (d) => d.a},
      {key: "b", head: "B", left: true, value: (d) => d.b},
      {key: "unit", head: "Unit", left: true, value: (d) => d.unit},
    ]
  });
}

headSection();
kernelSection();
onlySection(A, data.only_a);
onlySection(B, data.only_b);
differenceSection();
showSection();
document.body.setAttribute("data-complete", "yes");
