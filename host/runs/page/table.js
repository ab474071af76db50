/* table.js - a table that sorts by any column, filters by text and opens details of a row. */
"use strict";

/* Adds a table to a node.
 *   id       of its state: "ID.sort", "ID.order", "ID.filter", "ID.open" (all: with the details of
 *            each row); "" for the main one of the page
 *   columns  {key, head, title, left, value(row), show(row)}: value() is what is sorted by, show()
 *            what stands there, a text or a node (default: the value)
 *   rows     any objects
 *   sort     key of the column that it is sorted by at first, descending; without: as the rows are
 *   text     text(row): what the filter looks at; without: no filter
 *   detail   detail(row): a node below the row, made when it is opened; null: the row has none
 *   most     rows that are shown before a button shows all */
function addTable(node, options) {
  const {id, columns, rows, detail} = options;
  const name = (key) => (id ? id + "." : "") + key;
  const most = options.most || 200;
  let all = false;
  const body = el("tbody");
  const count = el("span", {class: "faint", "aria-live": "polite"});
  const heads = columns.map(
      (column) =>
          el("th", {
            scope: "col",
            class: column.left ? "left" : null,
            title: column.title,
          },
             el("button", {type: "button", click: () => sortBy(column.key)}, column.head)));
  const filter = options.text && rows.length > 5 ? el("input", {
    type: "search",
    placeholder: "Filter",
    "aria-label": "Filter rows",
    input: () => {
      setState(name("filter"), filter.value);
      show();
    },
  }) :
                                                   null;
  const more =
      el("button", {
        type: "button",
        click: () => {
          all = true;
          show();
        }
      },
         "Show all");

  function order() {
    const key = getState(name("sort")) || options.sort;
    const up = getState(name("order")) === "up";
    return {column: columns.find((c) => c.key === key), up};
  }

  /* A second click on a column turns its order around. */
  function sortBy(key) {
    const now = order();
    const up = now.column && now.column.key === key ? !now.up : false;
    setState(name("sort"), key);
    setState(name("order"), up ? "up" : null);
    show();
  }

  /* Undefined values come last, whatever the order. */
  function compare(a, b, up) {
    const none = (x) => x === null || x === undefined || (typeof x === "number" && isNaN(x));
    if (none(a) || none(b)) return none(a) - none(b);
    const smaller =
        typeof a === "string" || typeof b === "string" ? String(a).localeCompare(String(b)) : a - b;
    return up ? smaller : -smaller;
  }

  function rowOf(row) {
    const cells = columns.map((column) => {
      const shown = column.show ? column.show(row) : column.value(row);
      return el(
          "td", {class: column.left ? "left" : null},
          shown === null || shown === undefined ? "-" : shown);
    });
    const line = el("tr", null, cells);
    if (!detail) return [line];
    const below = el("tr", {class: "detail", hidden: true}, el("td", {colspan: columns.length}));
    const open = opener("Details", (shown) => {
      below.hidden = !shown;
      if (!below.firstChild.hasChildNodes()) below.firstChild.append(detail(row) || "-");
    });
    cells[0].prepend(open);
    if (getState(name("open")) === "all") open.click();
    return [line, below];
  }

  function show() {
    const {column, up} = order();
    const wanted = (getState(name("filter")) || "").toLowerCase();
    let chosen = rows.slice();
    if (filter) {
      if (filter.value.toLowerCase() !== wanted) filter.value = wanted;
      if (wanted) chosen = chosen.filter((row) => options.text(row).toLowerCase().includes(wanted));
    }
    if (column) chosen.sort((a, b) => compare(column.value(a), column.value(b), up));
    heads.forEach((head, i) => {
      if (columns[i] === column)
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
      else
        head.removeAttribute("aria-sort");
    });
    const shown = all ? chosen : chosen.slice(0, most);
    body.replaceChildren(...shown.flatMap(rowOf));
    more.hidden = shown.length === chosen.length;
    count.textContent = chosen.length === rows.length && more.hidden ?
        "" :
        `${shown.length} of ${rows.length} rows`;
  }

  node.append(
      el("div", {class: "tools"}, filter, count, more),
      el("div", {class: "wide"},
         el("table", {id: id ? "table-" + id : "table"}, el("thead", null, el("tr", null, heads)),
            body)));
  watchState(show, body);
  show();
}
