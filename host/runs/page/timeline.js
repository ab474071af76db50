/* timeline.js - kernels and copies over simulated time, a lane for each stream. */
"use strict";

const TIMELINE_COLOURS = {
  kernel: "#0072b2",
  copy: "#e69f00",
  fill: "#999999"
};

/* Kernels and copies of the page as {lane, kind, from, to, text}. */
function timelineItems() {
  const items = data.launches.map(
      ([group, number, device, stream, from, to]) => ({
        device,
        stream,
        kind: "kernel",
        from,
        to,
        text: `launch ${number}: ${group === null ? "a kernel" : data.groups[group].name}, ${
            time(to - from)}`,
      }));
  for (const [kind, device, stream, n, from, to] of data.copies)
    items.push({
      device,
      stream,
      kind: kind === "fill" ? "fill" : "copy",
      from,
      to,
      text: `${kind}: ${bytes(n)}, ${time(to - from)}`
    });
  return items.filter((item) => isNumber(item.from) && isNumber(item.to));
}

function drawTimeline(items, first, last) {
  const W = 1200, LEFT = 120, ROW = 22;
  const lanes = [...new Set(items.map((i) => `${i.device} ${i.stream}`))]
                    .map((key) => key.split(" ").map(Number))
                    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const H = ROW * lanes.length + 34;
  const x = (ps) => LEFT + (ps - first) / (last - first) * (W - LEFT - 10);
  const picture = svg("svg", {
    viewBox: `0 0 ${W} ${H}`,
    width: W,
    height: H,
    role: "img",
    "aria-label":
        `${items.length} kernels and copies on ${lanes.length} streams, in ${time(last - first)}`
  });
  lanes.forEach(
      ([device, stream], i) => picture.append(
          svg("text", {x: LEFT - 8, y: ROW * i + 18, "text-anchor": "end"},
              `GPU ${device}, stream ${stream}`),
          svg("line", {class: "grid", x1: LEFT, x2: W - 10, y1: ROW * i + 22, y2: ROW * i + 22})));
  for (const item of items) {
    const lane = lanes.findIndex(([d, s]) => d === item.device && s === item.stream);
    picture.append(
        svg("rect", {
          x: x(item.from),
          y: ROW * lane + 5,
          width: Math.max(1, x(item.to) - x(item.from)),
          height: 15,
          fill: TIMELINE_COLOURS[item.kind]
        },
            svg("title", null, item.text)));
  }
  for (let i = 0; i <= 4; i++) {
    const ps = first + (last - first) * i / 4;
    picture.append(
        svg("text",
            {x: x(ps),
             y: H - 6,
             "text-anchor": i === 4 ? "end" :
                 i                  ? "middle" :
                                      "start"},
            time(ps)));
  }
  return picture;
}

/* Adds the picture to a section; nothing without items. */
function addTimeline(node) {
  const items = timelineItems();
  if (!items.length) return;
  const first = items.reduce((least, i) => Math.min(least, i.from), Infinity);
  const last = items.reduce((most, i) => Math.max(most, i.to), -Infinity);
  if (last <= first) return;
  const left = data.run.launches + data.run.copies - items.length;
  node.append(
      el("h3", null, "Over simulated time"),
      left > 0 ? el("p", {class: "faint"},
                    `${whole(left)} launches and copies between the first ` +
                        "and the last ones are left out.") :
                 "",
      el("div", {class: "legend"},
         Object.entries(TIMELINE_COLOURS)
             .map(([name,
                    colour]) => el("span", null, el("i", {style: `background:${colour}`}), name))),
      el("div", {class: "wide"}, drawTimeline(items, first, last)));
}
