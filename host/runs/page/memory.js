/* memory.js - who moved how many bytes between which memories, of a kernel or of the whole run. */
"use strict";

/* The bytes of flows; undefined ones are null. */
function flowsOf(groups) {
  const sum = (path, factor) => {
    const known = groups.map((g) => value(g, path)).filter(isNumber);
    return known.length ? factor * known.reduce((a, b) => a + b, 0) : null;
  };
  const rateOf = (hits, accesses) => {
    const all = groups.reduce((s, g) => s + (value(g, accesses) || 0), 0);
    const found = groups.reduce((s, g) => s + (value(g, accesses) || 0) * (value(g, hits) || 0), 0);
    return all > 0 ? found / all : null;
  };
  const SECTOR = 32;
  return {
    shared: sum("shared_traffic_bytes", 1),
    l1: sum("l1_accesses", SECTOR),
    l2: sum("l2_accesses", SECTOR),
    read: sum("dram_read_bytes", 1),
    write: sum("dram_write_bytes", 1),
    hostRead: sum("host_read_bytes", 1),
    hostWrite: sum("host_write_bytes", 1),
    peerRead: sum("peer_read_bytes", 1),
    peerWrite: sum("peer_write_bytes", 1),
    migratedIn: sum("migrated_in_bytes", 1),
    migratedOut: sum("migrated_out_bytes", 1),
    l1Hits: rateOf("l1_hit_rate", "l1_accesses"),
    l2Hits: rateOf("l2_hit_rate", "l2_accesses"),
  };
}

/* Bytes of copies of the whole run by kind; from the copies on the page, or the statistics. */
function copiedBytes() {
  const of = (name) => statistic(name);
  return {toDevice: of("link_to_device_bytes"), toHost: of("link_to_host_bytes")};
}

function drawMemory(f, copied) {
  const W = 860, H = 430;
  const boxes = {
    sm: [20, 170, 110, 90, "SMs"],
    shared: [220, 40, 120, 80, "Shared memory"],
    l1: [220, 170, 120, 90, "L1"],
    l2: [440, 170, 120, 90, "L2"],
    host: [690, 10, 130, 80, "Host memory"],
    dram: [690, 170, 130, 90, "Device memory"],
    peer: [690, 340, 130, 80, "Other GPUs"],
  };
  const picture = svg("svg", {
    viewBox: `0 0 ${W} ${H}`,
    width: W,
    height: H,
    role: "img",
    "aria-label": "Bytes moved between memories; the table below has the figures"
  });
  const most = Math.max(
      1,
      ...[f.shared, f.l1, f.l2, f.read, f.write, f.hostRead, f.hostWrite, f.peerRead, f.peerWrite,
          copied && copied.toDevice, copied && copied.toHost]
          .map((x) => x || 0));
  const thick = (n) => (n > 0 ? Math.max(1.5, 22 * Math.sqrt(n / most)) : 0);

  /* A flow from one point to another, with its bytes beside it. */
  function flow(n, x1, y1, x2, y2, text, dx, dy) {
    if (!n) return;
    const width = thick(n), above = -(width / 2 + 9), length = Math.hypot(x2 - x1, y2 - y1);
    const ux = (x2 - x1) / length, uy = (y2 - y1) / length;
    const head = width + 6;
    const bx = x2 - ux * 10, by = y2 - uy * 10;
    const point = (x, y, side, half) => `${x - uy * side * half},${y + ux * side * half}`;
    picture.append(
        svg("polygon", {
          class: "flow",
          points: [
            point(x1, y1, 1, width / 2), point(bx, by, 1, width / 2), point(bx, by, 1, head / 2),
            `${x2},${y2}`, point(bx, by, -1, head / 2), point(bx, by, -1, width / 2),
            point(x1, y1, -1, width / 2)
          ].join(" ")
        },
            svg("title", null, `${text}: ${bytes(n)}`)));
    picture.append(svg(
        "text",
        {x: (x1 + x2) / 2 + (dx || 0), y: (y1 + y2) / 2 + (dy || above), "text-anchor": "middle"},
        bytes(n)));
  }
  for (const [x, y, w, h, name] of Object.values(boxes))
    picture.append(
        svg("rect", {class: "box", x, y, width: w, height: h, rx: 5}),
        svg("text", {x: x + w / 2, y: y + 20, "text-anchor": "middle"}, name));
  const inside = (box, text) => picture.append(
      svg("text", {x: box[0] + box[2] / 2, y: box[1] + 44, "text-anchor": "middle", class: "faint"},
          text));
  if (isNumber(f.l1Hits)) inside(boxes.l1, `hits ${percent(f.l1Hits)}`);
  if (isNumber(f.l2Hits)) inside(boxes.l2, `hits ${percent(f.l2Hits)}`);
  flow(f.shared, 220, 90, 130, 180, "shared memory, read and written", -34, -6);
  flow(f.l1, 220, 215, 130, 215, "sectors that SMs requested of L1");
  flow(f.l2, 440, 215, 340, 215, "sectors that SMs requested of L2");
  flow(f.read, 690, 195, 560, 195, "read from device memory");
  flow(f.write, 560, 240, 690, 240, "written to device memory", 0, 26);
  flow(f.hostRead, 690, 60, 550, 165, "read by kernels from host memory", 36, 26);
  flow(f.hostWrite, 500, 165, 690, 30, "written by kernels to host memory", -44, -8);
  flow(f.peerRead, 690, 370, 550, 265, "read by kernels from other GPUs", 36, -14);
  flow(f.peerWrite, 500, 265, 690, 400, "written by kernels to other GPUs", -44, 16);
  if (copied) {
    flow(copied.toDevice, 712, 90, 712, 170, "copied from the host", 42, 4);
    flow(copied.toHost, 798, 170, 798, 90, "copied to the host", 42, 4);
  }
  return picture;
}

const FLOW_ROWS = [
  ["shared", "SMs - shared memory", "read and written by active lanes"],
  ["l1", "SMs - L1", "sectors of 32 bytes that loads requested"],
  ["l2", "SMs and L1 - L2", "sectors of 32 bytes that were requested, stores included"],
  ["read", "device memory - L2", "read"],
  ["write", "L2 - device memory", "written"],
  ["hostRead", "host memory - kernels", "read over the link"],
  ["hostWrite", "kernels - host memory", "written over the link"],
  ["peerRead", "other GPUs - kernels", "read"],
  ["peerWrite", "kernels - other GPUs", "written"],
  ["migratedIn", "to the GPU", "managed memory, for page faults"],
  ["migratedOut", "to the host", "managed memory that the host touched"],
];

function memorySection() {
  const node = section(
      "memory", "Memory",
      "Bytes between memories. Arrows are as thick as the " +
          "square root of their bytes.");
  if (!isTimed()) return empty(node, untimedReason());
  node.append(cutNote() || "");
  const timed = data.groups.filter((g) => g.cpi).slice(0, 200);
  const choice =
      el("select", {
        "aria-label": "Kernel",
        change: () => {
          setState("memory", choice.value === "all" ? null : choice.value);
          show();
        }
      },
         el("option", {value: "all"}, "the whole run"),
         timed.map((g, i) => el("option", {value: i}, `${g.name}  ${g.shape}`)));
  const below = el("div");
  function show() {
    const one = timed[getState("memory") === null ? -1 : Number(getState("memory"))];
    const f = flowsOf(one ? [one] : data.groups);
    const copied = one ? null : copiedBytes();
    const rows =
        FLOW_ROWS.filter(([key]) => f[key] > 0).map(([key, way,
                                                      what]) => ({way, what, bytes: f[key]}));
    if (copied && copied.toDevice)
      rows.push({way: "host - device memory", what: "copied", bytes: copied.toDevice});
    if (copied && copied.toHost)
      rows.push({way: "device memory - host", what: "copied", bytes: copied.toHost});
    choice.value = one ? String(timed.indexOf(one)) : "all";
    below.replaceChildren(drawMemory(f, copied));
    addTable(below, {
      id: "flows",
      rows,
      columns: [
        {key: "way", head: "Between", left: true, value: (r) => r.way},
        {key: "what", head: "What", left: true, value: (r) => r.what},
        {key: "bytes", head: "Bytes", value: (r) => r.bytes, show: (r) => bytes(r.bytes)},
      ]
    });
  }
  node.append(el("div", {class: "tools"}, el("label", null, "Of ", choice)), below);
  watchState(show, below);
  show();
}
