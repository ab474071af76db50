// Assignment to a register or a memory of an engine.
//
// Synthesis (and the HEDDLE_NBA test build): non-blocking. The stages form a pipeline.
// Simulation: blocking. Stages run in program order and a visit flows through all of them in one
// clock. Both give the same results, because a visit depends on target time alone. Outputs are
// always non-blocking (`<=` in the text), since other blocks read them.
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
 /* verilator lint_off WIDTH */  // LANE compares a lane of any width with its int loop variable
 `define Q <=
 // One lane of a wide memory word: constant lane positions become write enables.
 `define LANE(mem, addr, lane, num, width, value) \
   for (int l = 0; l < num; l++) \
     if (lane == l) mem[addr][l*width +: width] <= value;
`else
 `define Q =
 `define LANE(mem, addr, lane, num, width, value) \
   mem[addr][lane*width +: width] = value;
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
