/* map.js - the SMs of the GPUs, and the warps of the one that is chosen (state: sm=GPU.SM). */
"use strict";

/* The chosen SM as [gpu, sm], or null. */
function chosenSm() {
  const [gpu, sm] = (getState("sm") || "").split(".").map(Number);
  return Number.isInteger(gpu) && Number.isInteger(sm) && gpu < data.gpus && sm < data.sms ?
      [gpu, sm] :
      null;
}

/* A button for an SM: warps, CTAs, and a bar for the instructions per cycle of its sub-cores. */
function smButton(gpu, i, chosen, change) {
  const ipc = gpu.ipc[i], id = `${gpu.device}.${i}`;
  const text = `SM ${i} of GPU ${gpu.device}: ${gpu.ctas[i]} CTAs, ${gpu.warps[i]} warps, ` +
      `${digits(ipc)} instructions per cycle, ${gpu.loads[i]} loads look up L1`;
  return el(
      "button", {
        type: "button",
        id: "sm-" + id,
        class: ipc > 0 ? "busy" : null,
        title: text,
        "aria-label": text,
        "aria-pressed": String(chosen !== null && chosen.join(".") === id),
        click: () => change(id),
      },
      `${i}: ${gpu.ctas[i]} / ${gpu.warps[i]}`, meter(ipc / data.sub_cores));
}

/* Shows the answer of sms.json. `change(id)`: another SM is chosen. */
function showMap(node, answer, change) {
  if (!answer) return;
  if (answer.why) {
    renew(node, el("p", {class: "empty"}, answer.why));
    return;
  }
  const chosen = chosenSm();
  renew(node, answer.gpus.map((gpu) => {
    const busy = gpu.ipc.filter((ipc) => ipc > 0).length;
    const sum = (list) => list.reduce((all, x) => all + x, 0);
    return el(
        "div", null,
        el("h3", null,
           `GPU ${gpu.device}` + (gpu.node === null ? "" : `, node ${gpu.node}`) + ": " +
               `${busy} of ${gpu.ipc.length} SMs at work, ${whole(sum(gpu.ctas))} CTAs, ` +
               `${whole(sum(gpu.warps))} warps, ${digits(sum(gpu.ipc))} instructions per cycle`),
        el("div", {class: "map"}, gpu.ipc.map((unused, i) => smButton(gpu, i, chosen, change))));
  }));
}

/* Shows the answer of warps.json. */
function showWarps(node, answer) {
  if (!answer) {
    renew(node, el("p", {class: "empty"}, "Choose an SM of the map."));
    return;
  }
  if (answer.why || !answer.warps.length) {
    renew(
        node,
        el("p", {class: "empty"},
           answer.why || `SM ${answer.sm} of GPU ${answer.device} has no warps now.`));
    return;
  }
  const rows = answer.warps.map(
      (w) =>
          [w.slot,
           w.stands,
           w.packets ? w.next + (w.next_line ? `, line ${w.next_line}` : "") : "-",
           w.packets,
           w.waited_for ? `${w.waited_for}, ${whole(w.waited_cycles)}` : "-",
           w.loads,
           `${w.active} / ${w.lanes}`,
           whole(w.executed),
  ]);
  renew(
      node, el("h3", null, `SM ${answer.sm} of GPU ${answer.device}`),
      table(
          [
            "Slot",
            "Where it stands",
            "Issues next",
            "To issue",
            "Waited last for, cycles",
            "Loads",
            "Lanes",
            "Executed",
          ],
          rows, [1, 2, 4]));
}
