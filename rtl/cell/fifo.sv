/// Queue: words leave in the order in which they came. Its memory is RAM of LUTs.
///
/// Latency: a word is shown in the clock after its push. Throughput: a push and a pop each clock.
/// No output depends on an input of the same clock.
/// Rules: no push while full (count_o is 1 << Bits), no pop while empty. The queue does not check;
/// who pushes keeps room for what is under way.
`include "heddle_assert.svh"
`include "cell/stage.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
module fifo #(
  parameter int Width = 8,              /// bits of a word
  parameter int Bits  = 4               /// log2 of the words that it holds
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             push_i,
  input  logic [Width-1:0] word_i,
  output logic [Bits:0]    count_o,     /// words held
  output logic             valid_o,     /// there is one
  output logic [Width-1:0] word_o,      /// the oldest
  input  logic             pop_i        /// it is taken
);
  logic [Width-1:0] word_mem [1 << Bits];
  logic [Bits-1:0]  first_q;            // where the oldest word lies
  logic [Bits:0]    count_q;

  assign count_o = count_q;
  assign valid_o = count_q != '0;
  assign word_o  = word_mem[first_q];  // means nothing without valid_o

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= '0;
      count_q <= '0;
    end else if (push_i || pop_i) begin
      if (push_i) `STORE(word_mem[Bits'(first_q + count_q[Bits-1:0])], word_i);
      count_q <= count_q + (Bits+1)'(push_i) - (Bits+1)'(pop_i);
      if (pop_i) first_q <= first_q + 1'b1;
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT(FifoBound, count_q <= (Bits+1)'(1 << Bits))
      `ASSERT_IF(FifoPushRoom, push_i, !count_q[Bits])
      `ASSERT_IF(FifoPopWord, pop_i, count_q != '0)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
