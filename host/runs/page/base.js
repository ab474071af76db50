/* base.js - elements, numbers and the state of a page.
 *
 * Texts of the data become text nodes and attributes, never HTML. The state lies in the address
 * behind "#" (sort=cycles&filter=gemm), so a view of the page can be linked to. */
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

/* ---- elements */

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function")
      node.addEventListener(name, value);
    else
      node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

/* A new element of HTML, el("p", {class: "faint", click: f}, "text", other), or of SVG. */
function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}
function svg(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/* Adds a section to the page, with its entry in the list of sections. Returns it. */
function section(id, title, explanation) {
  const node =
      el("section", {id: "section-" + id, "aria-labelledby": "title-" + id},
         el("h2", {id: "title-" + id}, title),
         explanation ? el("p", {class: "faint"}, explanation) : null);
  document.getElementById("main").append(node);
  document.getElementById("nav").append(
      el("a", {
        href: "#section=" + id,
        click: (event) => {
          event.preventDefault();
          setState("section", id);
          showSection();
        },
      },
         title));
  return node;
}

/* A button that opens and closes what is below a row: calls toggle(open). */
function opener(label, toggle) {
  const button =
      el("button", {
        type: "button",
        class: "open",
        "aria-expanded": "false",
        "aria-label": label,
        click: () => {
          const open = button.getAttribute("aria-expanded") !== "true";
          button.setAttribute("aria-expanded", String(open));
          button.textContent = open ? "\u2212" : "+";
          toggle(open);
        },
      },
         "+");
  return button;
}

/* Says why a section has nothing to show. */
function empty(node, why) {
  node.append(el("p", {class: "empty"}, why));
}

/* A list of names and values; rows without a value are left out. */
function facts(rows) {
  const list = el("dl", {class: "facts"});
  for (const [name, value] of rows) {
    if (value === null || value === undefined || value === "") continue;
    list.append(el("dt", null, name), el("dd", null, value));
  }
  return list;
}

/* ---- numbers: "-" is undefined */

function isNumber(x) {
  return typeof x === "number" && Number.isFinite(x);
}

function whole(x) {
  if (!isNumber(x)) return "-";
  return String(Math.round(x)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/* Four digits, with thousands apart. */
function digits(x) {
  if (!isNumber(x)) return "-";
  if (Math.abs(x) >= 1000 || Number.isInteger(x)) return whole(x);
  return String(Number(x.toPrecision(4)));
}

/* A quantity with a prefix of its unit; `names` begins with the one for 1. */
function scaled(x, step, names) {
  if (!isNumber(x)) return "-";
  let i = 0;
  while (Math.abs(x) >= step && i + 1 < names.length) {
    x /= step;
    i++;
  }
  return Number(x.toPrecision(4)) + "\u00a0" + names[i];
}
function bytes(x) {
  return scaled(x, 1000, ["B", "kB", "MB", "GB", "TB", "PB"]);
}
function time(ps) {
  return scaled(ps, 1000, ["ps", "ns", "\u00b5s", "ms", "s"]);
}
function rate(x, unit) {
  return scaled(x, 1000, ["", "k", "M", "G", "T", "P"].map((prefix) => prefix + unit));
}
function watts(x) {
  return scaled(x, 1000, ["W", "kW"]);
}
function joules(nj) {
  return scaled(nj, 1000, ["nJ", "\u00b5J", "mJ", "J", "kJ"]);
}
function percent(x) {
  return isNumber(x) ? (100 * x).toFixed(1) + "\u00a0%" : "-";
}
function change(x) {
  return isNumber(x) ? (x > 0 ? "+" : "") + (100 * x).toFixed(1) + "\u00a0%" : "-";
}
function ratio(part, all) {
  return isNumber(part) && all > 0 ? part / all : null;
}

/* ---- state */

let watchers = [];

function readState() {
  return new URLSearchParams(location.hash.slice(1));
}
function getState(name) {
  return readState().get(name);
}

/* Sets a value of the state; null takes it out. Does not call the watchers. */
function setState(name, value) {
  const state = readState();
  if (value === null || value === "")
    state.delete(name);
  else
    state.set(name, value);
  history.replaceState(null, "", "#" + state.toString());
}

/* Calls f when the address changes, as long as `node` is in the page. */
function watchState(f, node) {
  watchers.push({f, node});
}

function showSection() {
  const node = document.getElementById("section-" + getState("section"));
  if (node) node.scrollIntoView();
}
window.addEventListener("hashchange", () => {
  watchers = watchers.filter(({node}) => node.isConnected);
  for (const {f} of watchers.slice()) f();
  showSection();
});
