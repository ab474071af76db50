/* source.js - what each source line, PTX line or machine instruction of a kernel did. */
"use strict";

/* The counts of a table row as an object by name, with the sums of instructions. */
function addCounts(sum, instruction) {
  const pairs = instruction[4];
  for (let i = 0; i < pairs.length; i += 2) {
    const name = data.source.counts[pairs[i]][0];
    sum[name] = (sum[name] || 0) + pairs[i + 1];
  }
  return sum;
}

/* What a row weighs: cycles in which it issued or kept its sub-core waiting; without those, its
 * executions. */
function weightOf(counts) {
  if (!data.source.issues) return counts.warps || 0;
  return Object.entries(counts).reduce(
      (sum, [name, n]) => (name === "issued" || name.startsWith("wait_") ? sum + n : sum), 0);
}

/* The wait that took most cycles; "": none did. */
function topWait(counts) {
  let best = "";
  for (const [name, n] of Object.entries(counts))
    if (name.startsWith("wait_") && (!best || n > counts[best])) best = name;
  return best ? best.slice(5) : "";
}

/* Rows of a list of numbers and texts, as a map. */
function textLines(list) {
  const lines = new Map();
  for (let i = 0; i < list.length; i += 2) lines.set(list[i], list[i + 1]);
  return lines;
}

/* The parts of a kernel in a view, {title, note, rows}; a row is {number, text, counts, inside}:
 * the instructions that it stands for, or no counts for a text without instructions. */
function sourceParts(kernel, view) {
  const {files, modules} = data.source;
  if (view === "mir") {
    const rows = kernel.instructions.map(
        (i, number) => ({number, text: i[0], counts: addCounts({}, i), inside: []}));
    return [{title: "Machine code (MIR)", rows}];
  }
  const parts = new Map();
  for (const instruction of kernel.instructions) {
    const [, file, line, ptx] = instruction;
    const key = view === "ptx" ? kernel.module : file;
    const number = view === "ptx" ? ptx : line;
    if (!parts.has(key)) parts.set(key, new Map());
    const rows = parts.get(key);
    if (!rows.has(number)) rows.set(number, {number, text: "", counts: {}, inside: []});
    addCounts(rows.get(number).counts, instruction);
    rows.get(number).inside.push(instruction);
  }
  return [...parts].map(([key, rows]) => {
    if (key === null)
      return {
        title: "Instructions without a source line (compile with -lineinfo)",
        rows: [...rows.values()]
      };
    const texts = textLines(view === "ptx" ? modules[key] : files[key].lines);
    for (const [number, text] of texts) {
      if (rows.has(number))
        rows.get(number).text = text;
      else if (view !== "ptx" && isNear(number, rows))
        rows.set(number, {number, text, inside: []});
    }
    return {
      title: view === "ptx" ? "PTX" : files[key].path,
      note: view === "ptx" ? null : files[key].missing,
      rows: [...rows.values()].sort((a, b) => a.number - b.number),
    };
  });
}

/* Whether a line is near one of the kernel's own. */
function isNear(number, rows) {
  for (let by = 1; by <= 4; by++) {
    const above = rows.get(number - by), below = rows.get(number + by);
    if ((above && above.counts) || (below && below.counts)) return true;
  }
  return false;
}

const SOURCE_COLUMNS = [
  ["of the kernel", "share of the kernel's cycles of issues and waits, or of its executions"],
  ["Waits for", "largest cause of its waits"],
  ["Executions", "by warps"],
  ["Lanes", "threads that execute it, of 32"],
  ["Sectors", "of 32 bytes, for each access of a warp"],
  ["Conflicts", "cycles of shared memory that are bank conflicts"],
  ["L1 hits", "sectors that were found in L1"],
];

function sourceCells(counts, all) {
  const share = ratio(weightOf(counts), all);
  const of = (name, total) => ratio(counts[name] || 0, counts[total]);
  return [
    el("span", null, meter(share), " " + percent(share)),
    topWait(counts) || "-",
    whole(counts.warps),
    digits(of("threads", "warps")),
    digits(of("sectors", "requests")),
    percent(of("conflict_passes", "shared_passes")),
    percent(of("l1_hits", "l1_sectors")),
  ].map((cell) => el("td", null, cell));
}

/* A row of a table: a line, or an instruction of one. Its text comes last, so that a long one hides
 * nothing. */
function sourceLine(attributes, number, cells, text) {
  return el("tr", attributes, el("td", null, number), cells, el("td", {class: "text"}, text));
}
const noCells = () => SOURCE_COLUMNS.map(() => el("td"));

/* A row of the table, and below it, behind a button, its instructions. */
function sourceRow(row, all, hot) {
  if (!row.counts) return [sourceLine({class: "faint"}, row.number, noCells(), row.text)];
  const inside = row.inside.map(
      (i) => sourceLine(
          {class: "detail", hidden: true}, "", sourceCells(addCounts({}, i), all), "    " + i[0]));
  const button = inside.length ? opener("Instructions", (open) => {
    for (const line of inside) line.hidden = !open;
  }) : null;
  if (button && getState("lines") === "all") button.click();
  return [
    sourceLine(
        {class: hot.has(row) ? "hot" : null}, [button, row.number || "-"],
        sourceCells(row.counts, all), row.text),
    ...inside
  ];
}

function sourceTable(part, all, hot) {
  const body = el("tbody");
  let last = null;
  for (const row of part.rows) {
    if (last !== null && row.number > last + 4)
      body.append(sourceLine({class: "faint"}, "\u22ee", noCells(), ""));
    body.append(...sourceRow(row, all, hot));
    last = row.number;
  }
  const heads = SOURCE_COLUMNS.map(([head, title]) => el("th", {scope: "col", title}, head));
  return el(
      "div", {class: "wide"},
      el("table", {class: "source"},
         el("thead", null,
            el("tr", null, el("th", {scope: "col"}, "Line"), heads,
               el("th", {scope: "col", class: "left"}, "Text"))),
         body));
}

function showKernelSource(node, kernel, view) {
  const parts = sourceParts(kernel, view);
  const rows = parts.flatMap((p) => p.rows.filter((r) => r.counts));
  const all = rows.reduce((sum, row) => sum + weightOf(row.counts), 0);
  const hot = new Set(rows.slice()
                          .sort((a, b) => weightOf(b.counts) - weightOf(a.counts))
                          .slice(0, 5)
                          .filter((row) => weightOf(row.counts) > 0.02 * all));
  node.replaceChildren();
  for (const part of parts) {
    node.append(el("h3", null, part.title));
    if (part.note) node.append(el("p", {class: "faint"}, part.note));
    node.append(sourceTable(part, all, hot));
  }
}

function sourceSection() {
  const node = section(
      "source", "Source",
      "What each line did, exactly, over all timed launches. " +
          "The five hottest lines are marked; + shows a line's machine instructions.");
  const {source} = data;
  if (source.note) return empty(node, source.note);
  if (!source.kernels.length) return empty(node, untimedReason());
  if (source.kernels.length < source.all)
    node.append(
        el("p", {class: "faint"},
           `The ${source.kernels.length} kernels with most time of ` +
               `${source.all}: heddle annotate shows all.`));
  if (!source.issues)
    node.append(
        el("p", {class: "faint"},
           "This run's core did not tell of issues: lines are weighed by their executions."));
  const hasSource = (k) =>
      k.instructions.some(([, file]) => file !== null && source.files[file].lines.length);
  const kernelChoice =
      el("select", {
        "aria-label": "Kernel",
        change: () => {
          setState("source", kernelChoice.value);
          show();
        }
      },
         source.kernels.map(
             (k, i) =>
                 el("option", {value: i}, gpus.size > 1 ? `${k.name}, GPU ${k.device}` : k.name)));
  const viewChoice =
      el("select", {
        "aria-label": "View",
        change: () => {
          setState("view", viewChoice.value);
          show();
        }
      },
         [["source", "source"], ["ptx", "PTX"], ["mir", "machine code"]].map(
             ([value, name]) => el("option", {value}, name)));
  const below = el("div");
  function show() {
    const kernel = source.kernels[Number(getState("source"))] || source.kernels[0];
    const view = getState("view") || (hasSource(kernel) ? "source" : "ptx");
    kernelChoice.value = String(source.kernels.indexOf(kernel));
    viewChoice.value = view;
    showKernelSource(below, kernel, viewChoice.value || "source");
  }
  node.append(
      el("div", {class: "tools"}, el("label", null, "Of ", kernelChoice),
         el("label", null, "by ", viewChoice)),
      below);
  watchState(show, below);
  show();
}
