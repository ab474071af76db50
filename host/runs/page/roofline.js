/* roofline.js - the hierarchical roofline: what kernels do in a second, by the operations that they
 * do for each byte of L1, L2 and device memory, below what the GPU can do at most. */
"use strict";

/* Kinds of operations: the counters that add up to them (and how much each counts), and the GPU's
 * peak. A fused multiply-add is two operations. */
const OPERATIONS =
    ["fp32", "fp64", "fp16"]
        .map((type) => ({
               id: type,
               name: type.toUpperCase(),
               unit: "FLOP",
               peak: type + "_per_s",
               parts: [[type + "_add", 1], [type + "_mul", 1], [type + "_fma", 2]],
             }))
        .concat(
            [
              ["tensor_fp16", "Tensor FP16"],
              ["tensor_tf32", "Tensor TF32"],
              ["tensor_fp64", "Tensor FP64"],
            ].map(([id,
                    name]) => ({id, name, unit: "FLOP", peak: id + "_per_s", parts: [[id, 1]]})),
            [{
              id: "integer",
              name: "Integer",
              unit: "OP",
              peak: "integer_per_s",
              parts: [["integer", 1]]
            }]);

/* Levels of memory: their bytes, the GPU's peak, and their marks. */
const LEVELS = [
  {
    id: "l1",
    name: "L1",
    peak: "l1_bytes_per_s",
    colour: "#009e73",
    bytes: (g) => 32 * value(g, "l1_accesses"),
    mark: (x, y) => svg("circle", {cx: x, cy: y, r: 6})
  },
  {
    id: "l2",
    name: "L2",
    peak: "l2_bytes_per_s",
    colour: "#d55e00",
    bytes: (g) => 32 * value(g, "l2_accesses"),
    mark: (x, y) => svg("rect", {x: x - 5, y: y - 5, width: 10, height: 10})
  },
  {
    id: "dram",
    name: "device memory",
    peak: "dram_bytes_per_s",
    colour: "#0072b2",
    bytes: (g) => value(g, "dram_read_bytes") + value(g, "dram_write_bytes"),
    mark: (x, y) =>
        svg("polygon", {points: `${x},${y - 7} ${x + 7},${y} ${x},${y + 7} ${x - 7},${y}`})
  },
];

function operationsOf(group, kind) {
  return kind.parts.reduce(
      (sum, [name, weight]) => sum + weight * (value(group, "operations." + name) || 0), 0);
}

/* Seconds in which the group's launches executed. */
function executionSeconds(group) {
  return (group.cycles - group.launch_cycles) / data.peaks.core_hz;
}

/* The points of a kind: a group, what it does in a second, and operations per byte of each level.
 */
function rooflinePoints(kind) {
  return data.groups.filter((g) => g.cpi && executionSeconds(g) > 0 && operationsOf(g, kind) > 0)
      .slice(0, 30)
      .map((group) => ({
             group,
             speed: operationsOf(group, kind) / executionSeconds(group),
             levels: LEVELS.map((level) => ({level, bytes: level.bytes(group)}))
                         .filter(({bytes: n}) => n > 0)
                         .map(({level,
                                bytes: n}) => ({level, intensity: operationsOf(group, kind) / n})),
           }));
}

function drawRoofline(kind, points) {
  const W = 900, H = 480, LEFT = 84, RIGHT = 20, TOP = 16, BOTTOM = 48;
  const peak = data.peaks[kind.peak];
  const slopes = LEVELS.map((level) => ({level, bandwidth: data.peaks[level.peak]}))
                     .filter(({bandwidth}) => bandwidth > 0);
  const at = points.flatMap((p) => p.levels.map(({intensity}) => intensity))
                 .concat(slopes.map(({bandwidth}) => peak / bandwidth));
  const x0 = Math.floor(Math.log10(Math.min(...at) / 1.5)),
        x1 = Math.ceil(Math.log10(Math.max(...at) * 4));
  const y0 = Math.floor(Math.log10(Math.min(...points.map((p) => p.speed)) / 1.5));
  const y1 = Math.log10(peak * 2.5);
  const x = (v) => LEFT + (Math.log10(v) - x0) / (x1 - x0) * (W - LEFT - RIGHT);
  const y = (v) => H - BOTTOM - (Math.log10(v) - y0) / (y1 - y0) * (H - TOP - BOTTOM);
  const picture = svg("svg", {
    viewBox: `0 0 ${W} ${H}`,
    width: W,
    height: H,
    role: "img",
    "aria-label": `Roofline of ${kind.name} operations; the table below has its figures`
  });
  for (let e = x0; e <= x1; e++)
    picture.append(
        svg("line", {class: "grid", x1: x(10 ** e), x2: x(10 ** e), y1: TOP, y2: H - BOTTOM}),
        svg("text", {x: x(10 ** e), y: H - BOTTOM + 18, "text-anchor": "middle"}, digits(10 ** e)));
  for (let e = y0; e <= y1; e++)
    picture.append(
        svg("line", {class: "grid", x1: LEFT, x2: W - RIGHT, y1: y(10 ** e), y2: y(10 ** e)}),
        svg("text", {x: LEFT - 6, y: y(10 ** e) + 4, "text-anchor": "end"},
            rate(10 ** e, kind.unit + "/s")));
  picture.append(
      svg("text", {x: (LEFT + W - RIGHT) / 2, y: H - 10, "text-anchor": "middle"},
          `operations (${kind.unit}) for each byte`));
  for (const {level, bandwidth} of slopes) {
    const begin = Math.max(10 ** x0, 10 ** y0 / bandwidth), end = peak / bandwidth;
    if (begin >= end) continue;
    picture.append(
        svg("line", {
          class: "roof",
          stroke: level.colour,
          style: `stroke:${level.colour}`,
          x1: x(begin),
          y1: y(begin * bandwidth),
          x2: x(end),
          y2: y(peak)
        },
            svg("title", null, `${level.name}: ${rate(bandwidth, "B/s")}`)));
  }
  slopes.forEach(
      ({level, bandwidth}, i) => picture.append(
          level.mark(W - RIGHT - 230, H - BOTTOM - 58 + 20 * i),
          svg("text", {x: W - RIGHT - 216, y: H - BOTTOM - 54 + 20 * i},
              `${level.name}, ${rate(bandwidth, "B/s")}`)));
  picture.querySelectorAll("circle, rect, polygon").forEach((node, i) => {
    node.setAttribute("fill", slopes[i].level.colour);
  });
  const ridge = Math.min(...slopes.map(({bandwidth}) => peak / bandwidth));
  picture.append(
      svg("line", {
        class: "roof",
        x1: x(Math.max(ridge, 10 ** x0)),
        x2: W - RIGHT,
        y1: y(peak),
        y2: y(peak)
      }),
      svg("text", {x: W - RIGHT, y: y(peak) - 6, "text-anchor": "end"},
          `${kind.name}: ${rate(peak, kind.unit + "/s")}`));
  for (const p of points.filter(({levels}) => levels.length)) {
    const marks = p.levels.map(({level, intensity}) => {
      const mark = level.mark(x(intensity), y(p.speed));
      const text = `${p.group.name} ${p.group.shape}: ${rate(p.speed, kind.unit + "/s")}, ` +
          `${digits(intensity)} ${kind.unit} for each byte of ${level.name}`;
      return fill(
          mark, {fill: level.colour, stroke: "var(--page)", tabindex: 0, "aria-label": text},
          [svg("title", null, text)]);
    });
    const ends = p.levels.map(({intensity}) => x(intensity));
    picture.append(
        svg("line", {
          class: "joined",
          x1: Math.min(...ends),
          x2: Math.max(...ends),
          y1: y(p.speed),
          y2: y(p.speed)
        }),
        ...marks);
  }
  return picture;
}

/* The figures of the picture. */
function rooflineTable(node, kind, points) {
  const level = (id) => (p) => {
    const found = p.levels.find((l) => l.level.id === id);
    return found ? found.intensity : null;
  };
  addTable(node, {
    id: "roofline",
    rows: points,
    sort: "speed",
    columns: [
      {key: "name", head: "Kernel", left: true, value: (p) => p.group.name + "  " + p.group.shape},
      {
        key: "speed",
        head: kind.unit + "/s",
        value: (p) => p.speed,
        show: (p) => rate(p.speed, kind.unit + "/s")
      },
      {
        key: "peak",
        head: "of the peak",
        value: (p) => p.speed / data.peaks[kind.peak],
        show: (p) => percent(p.speed / data.peaks[kind.peak])
      },
      ...LEVELS.map((l) => ({
                      key: l.id,
                      head: `${kind.unit} per byte of ${l.name}`,
                      value: level(l.id),
                      show: (p) => digits(level(l.id)(p))
                    })),
    ],
  });
}

function rooflineSection() {
  const node = section(
      "roofline", "Roofline",
      "Up to thirty kernels with most time. A kernel has a " +
          "point for each level of memory; the level whose point lies at its slope limits it.");
  if (!isTimed()) return empty(node, untimedReason());
  if (!data.peaks || !isNumber(data.peaks.core_hz))
    return empty(
        node,
        "report.json has no peaks of the GPU: it is of an older Heddle, run the program again.");
  const kinds =
      OPERATIONS.filter((kind) => data.peaks[kind.peak] > 0 && rooflinePoints(kind).length);
  if (!kinds.length) return empty(node, "No timed launch did an operation that a roofline counts.");
  const weight = (kind) => rooflinePoints(kind).reduce(
      (sum, p) => sum + operationsOf(p.group, kind) / data.peaks[kind.peak], 0);
  /* Integer operations come with any program: other kinds are shown before them. */
  const usual = kinds.slice().sort(
      (a, b) => (a.id === "integer") - (b.id === "integer") || weight(b) - weight(a))[0];
  const choice =
      el("select", {
        "aria-label": "Operations",
        change: () => {
          setState("operations", choice.value);
          show();
        }
      },
         kinds.map((kind) => el("option", {value: kind.id}, kind.name)));
  const below = el("div");
  function show() {
    const kind = kinds.find((k) => k.id === getState("operations")) || usual;
    const points = rooflinePoints(kind);
    choice.value = kind.id;
    below.replaceChildren(drawRoofline(kind, points));
    rooflineTable(below, kind, points);
  }
  node.append(el("div", {class: "tools"}, el("label", null, "Operations: ", choice)), below);
  watchState(show, below);
  show();
}
