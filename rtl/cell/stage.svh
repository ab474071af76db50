// A boundary between two stages of a pipeline: a register when Pipelined, else a wire, so that a
// visit passes all stages in one clock. The only difference between the form that is synthesised
// and the one that simulates fastest; between two boundaries the text is the same.
//
//   `STAGE(loo_at, cod_at)                  what stage look has is what stage code had
//   `STAGE_VALID(loo_valid, cod_valid)      as STAGE, but cleared by reset
//   `STAGE_KEEP(set, code_mem[at], wanted)  a memory is read, by a clock or without one, when it is
//                                           wanted; else the value means nothing: a wire keeps what
//                                           it had, which costs a simulation nothing
//   `STAGE_WANTED(set, from, wanted)        as STAGE, and kept as above without a clock
`ifndef HEDDLE_STAGE_SVH
`define HEDDLE_STAGE_SVH
`include "heddle_macros.svh"
`define STAGE(to, from) \
  if (Pipelined) begin \
    always_ff @(posedge clk_i) to <= from; \
  end else begin \
    assign to = from; \
  end
`define STAGE_VALID(to, from) \
  if (Pipelined) begin \
    always_ff @(posedge clk_i) to <= rst_ni && from; \
  end else begin \
    assign to = from; \
  end
`define STAGE_KEEP(to, from, wanted) \
  if (Pipelined) begin \
    always_ff @(posedge clk_i) if (wanted) to <= from; \
  end else begin \
    always_latch if (wanted) to = from; \
  end
`define STAGE_WANTED(to, from, wanted) \
  if (Pipelined) begin \
    always_ff @(posedge clk_i) to <= from; \
  end else begin \
    always_latch if (wanted) to = from; \
  end

// In logic between two boundaries: if (`WANTED(found)) ... Without a clock the values of a block
// keep what they had while nothing is wanted; Pipelined there is no such condition, and no latch.
`define WANTED(condition) (Pipelined ? 1'b1 : (condition))

// A write to a memory, in a clocked block. Whoever reads the memory does so by wires (STAGE without
// a register), which change after all clocked blocks have run, or in the same block at another
// place or earlier in the text. So a processor that simulates may write at once, and needs no copy
// of the word. (HEDDLE_NBA decides, as for the default of Pipelined: yosys 0.23 makes registers of
// a memory that is assigned with = anywhere, even where it never gets to.)
`ifdef HEDDLE_NBA
 `define STORE(word, value) word <= value
`else
 `define STORE(word, value) word = value
`endif
`endif
