// Which form the text has: pipelined, for synthesis (and the test builds with HEDDLE_NBA), or the
// one that simulates fastest. Both give the same results, because these depend on target time alone
// (cell/stage.svh, sm/README.md).
`ifndef HEDDLE_MACROS_SVH
`define HEDDLE_MACROS_SVH
`ifdef SYNTHESIS
 `define HEDDLE_NBA
`endif
// The default of the parameter Pipelined: whether between the steps of a module there are registers
// (each step takes a clock) or wires (all share one).
`ifdef HEDDLE_NBA
 `define HEDDLE_PIPELINED 1'b1
`else
 `define HEDDLE_PIPELINED 1'b0
`endif
// A hint to the processor that simulates: this word of a memory will be read soon.
`ifdef VERILATOR
 `define PREFETCH(word) $c("__builtin_prefetch(&", word, ");");
`else
 `define PREFETCH(word)
`endif
`endif
