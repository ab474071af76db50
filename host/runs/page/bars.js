/* bars.js - the CPI stack as bars. */
"use strict";

/* Black or white, whichever can be read on a colour "#rrggbb". */
function onColour(colour) {
  const [r, g, b] = [1, 3, 5]
                        .map((i) => parseInt(colour.slice(i, i + 2), 16) / 255)
                        .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000000" : "#ffffff";
}

/* The parts of a stack that are shown: with the state "idle=no", without sub-cores that had no
 * warp. */
function shownParts(parts) {
  return getState("idle") === "no" ?
      parts.map((cycles, i) => (data.cpi[i].name === "no_warp" ? 0 : cycles)) :
      parts;
}

/* A bar of the shares of `parts`, cycles in the order of data.cpi. */
function stackBar(stack) {
  const parts = shownParts(stack);
  const all = parts.reduce((sum, x) => sum + (x || 0), 0);
  const bar = el("div", {class: "bar", role: "img", "aria-label": stackText(stack)});
  parts.forEach((cycles, i) => {
    const share = ratio(cycles, all);
    if (!share) return;
    const {name, colour, meaning} = data.cpi[i];
    bar.append(
        el("span", {
          class: share > 0.01 ? "parted" : null,
          style: `width:${100 * share}%;background:${colour};color:${onColour(colour)}`,
          title: `${name} ${percent(share)}: ${meaning}`,
        },
           share > 0.09 ? `${name} ${(100 * share).toFixed(0)}` : ""));
  });
  return bar;
}

/* The same in words, the largest part first. */
function stackText(stack) {
  const parts = shownParts(stack);
  const all = parts.reduce((sum, x) => sum + (x || 0), 0);
  return parts.map((cycles, i) => [ratio(cycles, all) || 0, data.cpi[i].name])
      .filter(([share]) => share > 0.0005)
      .sort((a, b) => b[0] - a[0])
      .map(([share, name]) => `${name} ${percent(share)}`)
      .join(", ");
}

/* The largest part that is a loss, as [name, share]; null: there is no stack. */
function topCause(parts) {
  if (!parts) return null;
  const all = parts.reduce((sum, x) => sum + (x || 0), 0);
  let best = null;
  parts.forEach((cycles, i) => {
    if (data.cpi[i].name !== "issued" && cycles > 0 && (!best || cycles > parts[best])) best = i;
  });
  return best === null ? null : [data.cpi[best].name, parts[best] / all];
}

/* What each colour means, for the parts that a list of stacks has. */
function stackLegend(stacks) {
  return el(
      "div", {class: "legend"},
      data.cpi.map(
          (part, i) => stacks.some((parts) => parts && parts[i] > 0) ?
              el("span", {title: part.meaning}, el("i", {style: `background:${part.colour}`}),
                 part.name) :
              null));
}

/* A small bar for a share of the whole. */
function meter(share) {
  return el(
      "span", {class: "meter", role: "img", "aria-label": percent(share)},
      el("i", {style: `width:${100 * Math.min(1, share || 0)}%`}));
}
