// Assignment to a register or a memory in the parts of the SM engine that are tasks: memory stage,
// command port.
//
// Synthesis (and the HEDDLE_NBA test build): non-blocking. Their states take a clock each.
// Simulation: blocking. Tasks run in program order, and several states share a clock. Both give the
// same results, because these depend on target time alone. Outputs are always non-blocking (`<=` in
// the text), since other blocks read them.
`ifndef HEDDLE_MACROS_SVH
`define HEDDLE_MACROS_SVH
`ifdef SYNTHESIS
 `define HEDDLE_NBA
`endif
// The default of the parameter Pipelined of modules that are written without `Q: whether between
// their steps there are registers (each step takes a clock) or wires (all share one).
`ifdef HEDDLE_NBA
 `define HEDDLE_PIPELINED 1'b1
`else
 `define HEDDLE_PIPELINED 1'b0
`endif
`ifdef HEDDLE_NBA
 `define Q <=
`else
 `define Q =
`endif
// A hint to the processor that simulates: this word of a memory will be read soon.
`ifdef VERILATOR
 `define PREFETCH(word) $c("__builtin_prefetch(&", word, ");");
`else
 `define PREFETCH(word)
`endif
// The same value into the lanes of a mask.
`define LANES(mem, addr, mask, num, width, value) \
  for (int l = 0; l < num; l++) \
    if (mask[l]) mem[addr][l*width +: width] `Q value;
`endif
