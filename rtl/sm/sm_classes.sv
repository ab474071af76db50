/// Class table: what all instructions of a class have in common, class_t.
///
/// Latency: a row changes in the clock after set_i; reads take none. Throughput: a write and two
/// reads each clock.
/// Rules: no row changes that a visit under way reads.
`include "cell/stage.svh"
/* verilator lint_off BLKSEQ */  // STORE
module sm_classes (
  input  logic        clk_i,
  input  logic        set_i,      /// this row
  input  logic [5:0]  number_i,
  input  logic [31:0] value_i,    /// gets this value

  input  logic [5:0]  loo_cls_i,  /// stage look reads this row,
  output logic [31:0] loo_class_o,
  input  logic [5:0]  rdy_cls_i,  /// stage ready this one
  output logic [31:0] rdy_class_o
);
  logic [31:0] classes_mem [64];

  assign loo_class_o = classes_mem[loo_cls_i];
  assign rdy_class_o = classes_mem[rdy_cls_i];

  always_ff @(posedge clk_i) if (set_i) `STORE(classes_mem[number_i], value_i);
endmodule
