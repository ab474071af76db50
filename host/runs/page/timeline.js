/* timeline.js - what a run did over simulated time: calls, kernels and copies as spans, CTAs by SM,
 * and counters, on a canvas that zooms and pans. It shows trace.json (page_timeline.c); without
 * that file, the launches and copies of the report. The part that is shown is in the address
 * (timeline.from, timeline.to: ps; timeline.sm: GPU and SM whose CTAs have lanes of their own). */
"use strict";

const TIMELINE = {
  left: 190,
  span: 16,
  sm: 5,
  count: 44,
  head: 22,
  axis: 24,
  colours: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c00", "#7f7f7f"]
};

/* A colour for a name, in turn; a kernel's is that of its CTAs, whose names lack its types. */
const nameColours = new Map();
function nameColour(name) {
  const short = name.replace(/^void /, "").replace(/(?<=.)[<(].*/, "");
  if (!nameColours.has(short))
    nameColours.set(short, TIMELINE.colours[nameColours.size % TIMELINE.colours.length]);
  return nameColours.get(short);
}

/* ---- rows, from top to bottom: {kind, height, label, ...}
 *   head   the name of a group
 *   spans  items {from, to, name, text}
 *   sm     CTAs of an SM as shades: `ctas`, as items, or else `heat` from..to
 *   count  points [time, value], value from that time on */

/* The rows of trace.json. */
function tracedRows(t) {
  const groups = new Map();
  const group = (name) => {
    if (!groups.has(name)) groups.set(name, []);
    return groups.get(name);
  };
  t.names.forEach(nameColour);  // whatever part of the time is drawn first
  for (const row of t.rows) {
    const items = [];
    let at = 0;
    for (let i = 0; i < row.spans.length; i += 3) {
      const from = at + row.spans[i], to = from + row.spans[i + 1],
            name = t.names[row.spans[i + 2]];
      items.push({from, to, name, text: `${name}, ${time(to - from)} from ${time(from)} on`});
      at = to;
    }
    group(row.group).push({kind: "spans", label: row.name, items, left: row.left});
  }
  for (const c of t.counters) {
    const points = [];
    for (let i = 0; i < c.points.length; i += 2) points.push([c.points[i], c.points[i + 1]]);
    group(c.group).push({
      kind: "count",
      label: c.name,
      unit: c.unit,
      points,
      most: points.reduce((most, p) => Math.max(most, p[1]), 0)
    });
  }
  t.sms.forEach((gpu, g) => {
    const items = smItems(t, gpu), lanes = smLanes(items, g);
    group(gpu.group).push(...lanes, ...gpu.names.map((label, sm) => ({
                                                       kind: "sm",
                                                       label,
                                                       gpu,
                                                       gpuNumber: g,
                                                       sm,
                                                       heat: gpu.heat[sm],
                                                       ctas: items && items[sm],
                                                       from: gpu.from,
                                                       to: gpu.to
                                                     })));
  });
  return [...groups].flatMap(([name, rows]) => [{kind: "head", label: name}, ...rows]);
}

/* The CTAs of each SM; null: the page has only their means. */
function smItems(t, gpu) {
  if (!gpu.ctas) return null;
  const items = gpu.names.map(() => []);
  for (let i = 0; i < gpu.ctas.length; i += 7) {
    const [from, length, sm, lane, launch, cta, number] = gpu.ctas.slice(i, i + 7);
    const name = t.names[number];
    items[sm].push({
      from,
      to: from + length,
      lane,
      name,
      text: `CTA ${cta} of launch ${launch}, ${name}: ${time(length)} from ${time(from)} on`
    });
  }
  return items;
}

/* The lanes of the SM that is chosen. */
function smLanes(items, g) {
  const [chosenGpu, chosen] = (getState("timeline.sm") || "0.0").split(".").map(Number);
  if (!items || chosenGpu !== g) return [];
  const lanes = new Map();
  for (const item of items[chosen] || []) {
    if (!lanes.has(item.lane)) lanes.set(item.lane, []);
    lanes.get(item.lane).push(item);
  }
  return [...lanes]
      .sort((a, b) => a[0] - b[0])
      .map(([lane, items]) => ({kind: "spans", label: `SM ${chosen}, CTA slot ${lane}`, items}));
}

/* The rows of the report alone. */
function reportRows() {
  const lanes = new Map();
  const add = (device, stream, from, to, name, text) => {
    if (!isNumber(from) || !isNumber(to)) return;
    const key = `GPU ${device}, stream ${stream}`;
    if (!lanes.has(key)) lanes.set(key, {device, stream, items: []});
    lanes.get(key).items.push({from, to, name, text});
  };
  for (const [group, number, device, stream, from, to] of data.launches) {
    const name = group === null ? "a kernel" : data.groups[group].name;
    add(device, stream, from, to, name, `launch ${number}: ${name}, ${time(to - from)}`);
  }
  for (const [kind, device, stream, n, from, to] of data.copies)
    add(device, stream, from, to, kind, `${kind}: ${bytes(n)}, ${time(to - from)}`);
  return [...lanes]
      .sort(([, a], [, b]) => a.device - b.device || a.stream - b.stream)
      .map(([label, {items}]) => ({kind: "spans", label, items}));
}

function rowHeight(row) {
  return row.kind === "spans" ? TIMELINE.span + 2 :
      row.kind === "sm"       ? TIMELINE.sm :
      row.kind === "count"    ? TIMELINE.count :
                                TIMELINE.head;
}

/* The first and the last time of all rows. */
function rowsRange(rows) {
  let from = Infinity, to = -Infinity;
  const see = (a, b) => {
    from = Math.min(from, a);
    to = Math.max(to, b);
  };
  for (const row of rows) {
    for (const i of row.items || []) see(i.from, i.to);
    for (const p of row.points || []) see(p[0], p[0]);
    if (row.kind === "sm") see(row.from, row.to);
  }
  return [from, to];
}

/* ---- the picture */

/* What a canvas shows: its rows, and the part of the time. */
function timelineView(canvas, makeRows) {
  let rows = makeRows();
  const [first, last] = rowsRange(rows);
  let width = 0;
  const view = {
    first,
    last,
    from: first,
    to: last,
    rows: () => rows,
    x: (ps) => TIMELINE.left + (ps - view.from) / (view.to - view.from) * (width - TIMELINE.left),
    at: (x) => view.from + (x - TIMELINE.left) / (width - TIMELINE.left) * (view.to - view.from),
    /* Shows from..to, at least a nanosecond, and keeps within the run. */
    show(from, to) {
      const length = Math.min(Math.max(to - from, 1000), last - first);
      view.from = Math.min(Math.max(from, first), last - length);
      view.to = view.from + length;
      const whole = view.from === first && view.to === last;
      setState("timeline.from", whole ? null : String(Math.round(view.from)));
      setState("timeline.to", whole ? null : String(Math.round(view.to)));
      view.draw();
    },
    zoom(factor, around) {
      const middle = around === undefined ? (view.from + view.to) / 2 : around;
      view.show(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
    },
    move(share) {
      const by = share * (view.to - view.from);
      view.show(view.from + by, view.to + by);
    },
    readState() {
      const from = Number(getState("timeline.from")), to = Number(getState("timeline.to"));
      rows = makeRows();
      view.from = from && to > from ? Math.max(first, from) : first;
      view.to = from && to > from ? Math.min(last, to) : last;
      view.draw();
    },
    draw() {
      const scale = window.devicePixelRatio || 1;
      const height = rows.reduce((sum, row) => sum + rowHeight(row), TIMELINE.axis);
      width = Math.max(480, canvas.parentNode.clientWidth || 1200);
      canvas.width = width * scale;
      canvas.height = height * scale;
      canvas.style.width = width + "px";
      canvas.style.height = height + "px";
      const c = canvas.getContext("2d");
      c.scale(scale, scale);
      canvas.dataset.drawn = String(drawRows(c, view, width, height));
    }
  };
  return view;
}

function drawRows(c, view, width, height) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const ink = {text: colour("--text"), faint: colour("--faint"), line: colour("--line")};
  let drawn = 0, y = TIMELINE.axis;
  c.font = "12px system-ui, sans-serif";
  c.textBaseline = "middle";
  drawAxis(c, view, ink, width, height);
  for (const row of view.rows()) {
    const h = rowHeight(row);
    row.y = y;
    if (row.kind === "head") {
      c.fillStyle = ink.text;
      c.font = "bold 12px system-ui, sans-serif";
      c.fillText(row.label, 0, y + h / 2 + 2);
      c.font = "12px system-ui, sans-serif";
    } else {
      drawLabel(c, row, ink, y, h);
      c.save();
      c.beginPath();
      c.rect(TIMELINE.left, y, width - TIMELINE.left, h);
      c.clip();
      drawn += row.kind === "spans" ? drawSpans(c, view, row, y) :
          row.kind === "sm"         ? drawShades(c, view, row, y) :
                                      drawCounter(c, view, row, ink, y, width);
      c.restore();
    }
    y += h;
  }
  return drawn;
}

/* The label of a row; of the thin rows of SMs, each tenth. */
function drawLabel(c, row, ink, y, h) {
  if (row.kind === "sm" && row.sm % 10) return;
  c.fillStyle = ink.faint;
  let text = row.label;
  while (text.length > 4 && c.measureText(text).width > TIMELINE.left - 12)
    text = text.slice(0, -2).replace(/\u2026?$/, "\u2026");
  c.fillText(text, 4, row.kind === "count" ? y + 12 : y + h / 2);
  if (row.kind === "count") c.fillText(`${digits(row.most)} ${row.unit}`.slice(0, 30), 4, y + 27);
}

function drawAxis(c, view, ink, width, height) {
  const least = (view.to - view.from) / Math.max(2, (width - TIMELINE.left) / 130);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least);
  c.strokeStyle = ink.line;
  c.fillStyle = ink.faint;
  c.lineWidth = 1;
  for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
    const x = Math.round(view.x(at)) + 0.5;
    c.beginPath();
    c.moveTo(x, TIMELINE.axis - 6);
    c.lineTo(x, height);
    c.stroke();
    c.fillText(time(at), x + 3, 9);
  }
}

function drawSpans(c, view, row, y) {
  let drawn = 0;
  for (const item of row.items) {
    if (item.to < view.from || item.from > view.to) continue;
    const from = Math.max(view.x(item.from), TIMELINE.left - 1);
    const w = Math.max(1, Math.min(view.x(item.to), 1e5) - from);
    const colour = nameColour(item.name);
    c.fillStyle = colour;
    c.fillRect(from, y + 1, w > 3 ? w - 1 : w, TIMELINE.span);
    drawn++;
    if (w < 30) continue;
    c.save();
    c.beginPath();
    c.rect(from, y, w - 3, TIMELINE.span + 2);
    c.clip();
    c.fillStyle = onColour(colour);
    c.fillText(item.name, from + 3, y + 1 + TIMELINE.span / 2);
    c.restore();
  }
  return drawn;
}

/* Mean resident CTAs of a part of the time: the shade. */
function shadeAt(row, part) {
  const step = row.heat.charCodeAt(part) - 48;
  return step > 0 ? step / (row.gpu.steps - 1) : 0;
}

function drawShades(c, view, row, y) {
  const parts = row.heat.length, length = (row.to - row.from) / parts;
  let drawn = 0;
  c.fillStyle = "#0072b2";
  if (row.ctas) {
    c.globalAlpha = 0.45; /* several at a time are darker */
    for (const cta of row.ctas) {
      if (cta.to < view.from || cta.from > view.to) continue;
      const x = Math.max(view.x(cta.from), 0);
      c.fillRect(x, y, Math.max(1, Math.min(view.x(cta.to), 1e5) - x), TIMELINE.sm - 1);
      drawn++;
    }
    return drawn;
  }
  for (let p = 0; p < parts; p++) {
    const from = row.from + p * length, share = shadeAt(row, p);
    if (!share || from + length < view.from || from > view.to) continue;
    c.globalAlpha = 0.2 + 0.8 * share;
    const x = view.x(from);
    c.fillRect(x, y, Math.max(1, view.x(from + length) - x), TIMELINE.sm - 1);
    drawn++;
  }
  return drawn;
}

function drawCounter(c, view, row, ink, y, width) {
  const base = y + TIMELINE.count - 3, high = TIMELINE.count - 8;
  let drawn = 0;
  c.fillStyle = nameColour(row.label);
  row.points.forEach(([at, value], i) => {
    const to = i + 1 < row.points.length ? row.points[i + 1][0] : at;
    if (to < view.from || at > view.to) return;
    const x = view.x(at), h = row.most ? value / row.most * high : 0;
    c.fillRect(x, base - h, Math.max(1, view.x(to) - x), h);
    drawn++;
  });
  c.strokeStyle = ink.line;
  c.beginPath();
  c.moveTo(TIMELINE.left, base + 0.5);
  c.lineTo(width, base + 0.5);
  c.stroke();
  return drawn;
}

/* ---- what the pointer is at */

function rowAt(view, y) {
  return view.rows().find((row) => y >= row.y && y < row.y + rowHeight(row));
}

/* A text for a place on the canvas; "": there is nothing. */
function textAt(view, x, y) {
  const row = rowAt(view, y), ps = view.at(x);
  if (!row || row.kind === "head" || x < TIMELINE.left) return row ? row.label : "";
  if (row.kind === "spans") {
    const near = (view.to - view.from) / 400;
    const hit = row.items.find((i) => i.from <= ps && ps < i.to) ||
        row.items.find((i) => i.from - near <= ps && ps < i.to + near);
    return hit ? hit.text : row.label;
  }
  if (row.kind === "count") {
    let value = null;
    for (const [at, v] of row.points)
      if (at <= ps) value = v;
    return value === null ? row.label : `${row.label}: ${digits(value)} ${row.unit} at ${time(ps)}`;
  }
  if (row.ctas) {
    const n = row.ctas.filter((cta) => cta.from <= ps && ps < cta.to).length;
    return `${row.label}: ${n} CTAs at ${time(ps)}`;
  }
  const part = Math.floor((ps - row.from) / (row.to - row.from) * row.heat.length);
  if (part < 0 || part >= row.heat.length) return row.label;
  return `${row.label}: about ${digits(shadeAt(row, part) * row.gpu.most)} CTAs at ${time(ps)}`;
}

/* Lets pointer and keys move the view. */
function steer(canvas, view, tip, said) {
  let held = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const by = event.deltaY || event.deltaX;
    view.zoom(by > 0 ? 1.25 : 0.8, view.at(place(event)[0]));
  }, {passive: false});
  canvas.addEventListener("pointerdown", (event) => {
    held = {x: place(event)[0], from: view.from, to: view.to, moved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    if (held) {
      const by = (held.x - x) / (canvas.clientWidth - TIMELINE.left) * (held.to - held.from);
      held.moved = held.moved || Math.abs(held.x - x) > 3;
      if (held.moved) view.show(held.from + by, held.to + by);
      return;
    }
    tip.textContent = textAt(view, x, y);
    tip.hidden = !tip.textContent;
    tip.style.left = Math.min(x + 14, canvas.clientWidth - 200) + "px";
    tip.style.top = y + 16 + "px";
  });
  canvas.addEventListener("pointerleave", () => {
    tip.hidden = true;
  });
  canvas.addEventListener("pointerup", (event) => {
    const [x, y] = place(event), row = rowAt(view, y);
    if (held && !held.moved) {
      said.textContent = textAt(view, x, y);
      if (row && row.kind === "sm" && row.gpu.ctas) {
        setState("timeline.sm", `${row.gpuNumber}.${row.sm}`);
        view.readState();
      }
    }
    held = null;
  });
  canvas.addEventListener("keydown", (event) => {
    const keys = {
      ArrowLeft: () => view.move(-0.2),
      ArrowRight: () => view.move(0.2),
      "+": () => view.zoom(0.5),
      "-": () => view.zoom(2),
      0: () => view.show(view.first, view.last)
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
}

/* ---- the section */

/* The tracks as a table, for those who do not see the picture. */
function trackTable(rows) {
  const list = [];
  let group = "";
  for (const row of rows) {
    if (row.kind === "head") group = row.label;
    if (row.kind !== "spans" || row.label.includes("CTA slot")) continue;
    list.push({
      group,
      label: row.label,
      spans: row.items.length + (row.left || 0),
      busy: row.items.reduce((sum, i) => sum + i.to - i.from, 0)
    });
  }
  const node = el("div");
  addTable(node, {
    id: "tracks",
    rows: list,
    most: 20,
    text: (t) => t.group + " " + t.label,
    columns: [
      {key: "group", head: "Of", left: true, value: (t) => t.group},
      {key: "track", head: "Track", left: true, value: (t) => t.label},
      {key: "spans", head: "Spans", value: (t) => t.spans, show: (t) => whole(t.spans)},
      {key: "busy", head: "Time", value: (t) => t.busy, show: (t) => time(t.busy)}
    ]
  });
  return node;
}

function timelineNotes(node, t) {
  const cut = t ? t.instants.filter((i) => i.name.startsWith("truncated")) : [];
  for (const i of cut) node.append(el("p", {class: "empty"}, `${i.name}: ${time(i.at)}.`));
  if (!t) {
    const shown = data.launches.length + data.copies.length;
    const left = data.run.launches + data.run.copies - shown;
    if (left > 0)
      node.append(el(
          "p", {class: "faint"},
          `${whole(left)} launches and copies between the first and the last ones are left out.`));
    return;
  }
  const left = t.rows.reduce((sum, row) => sum + row.left, 0);
  if (left)
    node.append(
        el("p", {class: "faint"},
           `${whole(left)} shorter spans are not on this page: trace.json has them.`));
  if (t.sms.length && !t.sms[0].ctas)
    node.append(
        el("p", {class: "faint"},
           `${whole(t.ctas)} CTAs: this page has their means by SM, trace.json has each.`));
}

function timelineSection() {
  const node = section(
      "timeline", "Timeline",
      "Simulated time. Drag to move; Ctrl or Shift and the wheel, or + and \u2212, to zoom; " +
          "0 shows all. Click a row of an SM to see its CTAs.");
  const t = data.timeline;
  if (data.timeline_note) node.append(el("p", {class: "faint"}, data.timeline_note + "."));
  const make = () => (t ? tracedRows(t) : reportRows());
  const rows = make(), [first, last] = rowsRange(rows);
  if (!(last > first)) {
    empty(node, data.run.timing === "none" ? untimedReason() : "Nothing took any time.");
    return;
  }
  timelineNotes(node, t);
  const spans = rows.reduce((sum, row) => sum + (row.items || []).length, 0);
  const counters = rows.filter((row) => row.kind === "count").length;
  const canvas = el("canvas", {
    role: "img",
    tabindex: "0",
    "aria-label": `${whole(spans)} spans, ${whole(t ? t.ctas : 0)} CTAs and ${
        counters} counters, in ${time(last - first)}`
  });
  const tip = el("div", {class: "tip", hidden: true});
  const said = el("p", {class: "faint", "aria-live": "polite"});
  const view = timelineView(canvas, make);
  const button = (label, title, click) =>
      el("button", {type: "button", "aria-label": title, title, click}, label);
  node.append(
      el("div", {class: "tools"}, button("+", "Zoom in", () => view.zoom(0.5)),
         button("\u2212", "Zoom out", () => view.zoom(2)),
         button("\u2190", "Earlier", () => view.move(-0.5)),
         button("\u2192", "Later", () => view.move(0.5)),
         button("All", "The whole run", () => view.show(view.first, view.last))),
      el("div", {class: "timeline"}, canvas, tip), said,
      el("details", null, el("summary", null, "Tracks"), trackTable(rows)));
  steer(canvas, view, tip, said);
  view.readState();
  watchState(() => view.readState(), canvas);
  window.addEventListener("resize", () => view.draw());
}
