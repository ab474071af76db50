/// Reciprocals of the parameters by which the network engine divides: of the odd factor of the
/// number of slices, of the number of sets, of the number of instances.
///
/// With a reciprocal a division is a product: for x < 2^n and a divisor d <= 2^k,
/// floor(x / d) = (x * (floor(2^(n+k) / d) + 1)) >> (n + k). The functions of net_where.svh use
/// them.
/// Latency: a clock per bit, 31, 21 or 17. Throughput: one reciprocal at a time.
/// Rules: start_i lasts one clock and comes while not busy_o. The divisor is not 0 (what comes of 0
/// is not used). The outputs change in the last clock only.
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // values inside one clock
module net_reciprocal (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  logic [1:0]  kind_i,           /// of the slices' odd factor 0, of the sets 1, instances 2
  input  logic [9:0]  by_i,             /// the divisor
  output logic        busy_o,

  output logic [30:0] slice_inv_o,      /// n = 23, k = 7
  output logic [7:0]  slice_wrap_o,     /// 2^16 modulo the odd factor
  output logic [20:0] set_inv_o,        /// n = 10, k = 10
  output logic [16:0] instance_inv_o    /// n = 8, k = 8
);
`include "heddle_import.svh"
`include "net_where.svh"
  localparam int DefaultOdd = DefaultNumSlices / (DefaultNumSlices & (~DefaultNumSlices + 1));
  localparam logic [1:0] OfSlices = 2'd0, OfSets = 2'd1;

  logic [4:0]  left_q;                  // bits to do
  logic [1:0]  kind_q;
  logic [9:0]  by_q;
  logic        first_q;                 // the first bit is the 1 of 1000...0
  logic [9:0]  rest_q;                  // of the long division
  logic [29:0] inv_q;                   // its bits so far
  // values inside one clock
  logic [10:0] high;
  logic        more;
  logic [9:0]  rest;
  logic [30:0] inv;

  assign busy_o = left_q != '0;

  always_ff @(posedge clk_i) begin : divide
    if (!rst_ni) begin
      left_q         <= '0;
      slice_inv_o    <= SliceInvW'((1 << (SliceInvW - 1)) / DefaultOdd + 1);
      slice_wrap_o   <= 8'(65536 % DefaultOdd);
      set_inv_o      <= SetInvW'((1 << (SetInvW - 1)) / DefaultL2Sets + 1);
      instance_inv_o <= InstanceInvW'((1 << (InstanceInvW - 1)) / DefaultInstances + 1);
    end else if (start_i) begin
      left_q  <= kind_i == OfSlices ? 5'(SliceInvW)
                 : kind_i == OfSets ? 5'(SetInvW) : 5'(InstanceInvW);
      kind_q  <= kind_i;
      by_q    <= by_i;
      first_q <= 1'b1;
      rest_q  <= '0;
    end else if (busy_o) begin
      high    = {rest_q, first_q};
      more    = high >= {1'b0, by_q};
      rest    = more ? high[9:0] - by_q : high[9:0];
      inv     = {inv_q, more};
      left_q  <= left_q - 1'b1;
      first_q <= 1'b0;
      rest_q  <= rest;
      inv_q   <= inv[29:0];
      if (kind_q == OfSlices && 32'(left_q) == SliceInvW - 16) slice_wrap_o <= rest[7:0];
      if (left_q == 5'd1) begin
        inv = inv + 1'b1;
        unique case (kind_q)
          OfSlices: slice_inv_o    <= inv;
          OfSets:   set_inv_o      <= inv[SetInvW-1:0];
          default:  instance_inv_o <= inv[InstanceInvW-1:0];
        endcase
      end
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT_IF(DivideAlone, start_i, !busy_o)
      `ASSERT(DivideShort, 32'(left_q) <= (kind_q == OfSlices ? SliceInvW
                                           : kind_q == OfSets ? SetInvW : InstanceInvW))
      // the remainder of a long division
      `ASSERT_IF(DivideRest, busy_o && by_q != '0, rest_q < by_q)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
