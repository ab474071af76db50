/* live.js - asks the monitor of a run, and tells it what to do. */
"use strict";

const EVERY_MS = 1000;

/* The answer of a resource of the monitor, as an object; null: the monitor is gone. */
async function ask(name) {
  try {
    const answer = await fetch(name, {cache: "no-store"});
    return answer.ok ? await answer.json() : null;
  } catch (error) {
    return null;
  }
}

/* Asks for something to be done: "pause", "continue", "step" or "snapshot". */
async function tell(name) {
  try {
    const answer = await fetch(name, {method: "POST", cache: "no-store"});
    return answer.ok ? await answer.json() : null;
  } catch (error) {
    return null;
  }
}

/* Replaces what is inside a node; what has the focus keeps it, if its id is there again. */
function renew(node, ...children) {
  const focused = document.activeElement && node.contains(document.activeElement) ?
      document.activeElement.id :
      "";
  node.replaceChildren(...children.flat().filter((child) => child !== null));
  const again = focused && document.getElementById(focused);
  if (again) again.focus();
}

/* A table with heads and rows; cells are texts or nodes, those of the columns `left` to the left.
 */
function table(heads, rows, left) {
  const mark = (i) => (left.includes(i) ? "left" : null);
  return el(
      "div", {class: "wide"},
      el("table", null,
         el("thead", null,
            el("tr", null, heads.map((head, i) => el("th", {class: mark(i)}, head)))),
         el("tbody", null,
            rows.map(
                (row) => el("tr", null, row.map((cell, i) => el("td", {class: mark(i)}, cell)))))));
}

function seconds(s) {
  if (!isNumber(s)) return "-";
  if (s < 90) return s.toFixed(s < 10 ? 1 : 0) + "\u00a0s";
  const minutes = Math.floor(s / 60);
  if (minutes < 90) return minutes + "\u00a0min " + Math.round(s - 60 * minutes) + "\u00a0s";
  return Math.floor(minutes / 60) + "\u00a0h " + (minutes % 60) + "\u00a0min";
}
