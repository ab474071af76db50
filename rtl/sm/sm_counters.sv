/// Counters of the SM engine: issues and their hash, L1, misses of code and constants, cycles
/// without an issue by their cause.
///
/// Latency: an input counts in the clock after it; the counter asked for is shown a clock after its
/// index. Throughput: all inputs each clock. Reset clears the causes one a clock.
/// Rules: no gap while the causes are cleared (nothing issues that soon after reset).
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // the clock of the rules
module sm_counters #(
  parameter int CauseW = 4              /// bits of a cause
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              issue_i,        /// a warp instruction issued
  input  logic [7:0]        issue_sm_i,
  input  logic [5:0]        issue_warp_i,
  input  logic [31:0]       issue_time_i,
  input  logic              gap_i,          /// cycles without an issue ended:
  input  logic [31:0]       gap_cycles_i,   /// so many, not 0
  input  logic [CauseW-1:0] gap_cause_i,
  input  logic [3:0]        l1_sectors_i,   /// sectors that L1 was asked for; 0: it was not
  input  logic [3:0]        l1_hits_i,      /// of those, found
  input  logic              fetch_miss_i,   /// a line of code was not there
  input  logic              constant_miss_i,  /// a constant operand was not there

  /// 0 issued, 1 issue hash, 2 L1 sectors, 3 of these hit, 4 misses of code, 5 of constants, 16 + n
  /// cycles without an issue, cause n
  input  logic [4:0]        index_i,
  output logic [63:0]       value_o
);
  logic [63:0]     issued_q, hash_q, l1_sectors_q, l1_hits_q, fetch_misses_q, constant_misses_q;
  logic [63:0]     wait_mem [1 << CauseW];  // cycles without an issue
  logic [CauseW:0] clear_q;                 // causes not cleared since reset
  logic            clearing;

  /// what an issue adds to the hash; docs/timing-model.md
  function automatic logic [63:0] issue_mix(input logic [7:0] sm, input logic [5:0] warp,
                                            input logic [31:0] at);
    logic [63:0] x;
    x = {18'd0, sm, warp, at} * 64'h9e3779b97f4a7c15;
    issue_mix = x ^ (x >> 32);
  endfunction

  /// how many sectors of a mask there are
  function automatic logic [63:0] number_of(input logic [3:0] sectors);
    number_of = 64'(sectors[0]) + 64'(sectors[1]) + 64'(sectors[2]) + 64'(sectors[3]);
  endfunction

  assign clearing = clear_q != '0;

  always_ff @(posedge clk_i) begin : count
    if (!rst_ni) begin
      issued_q     <= '0;
      hash_q       <= '0;
      l1_sectors_q <= '0;
      l1_hits_q    <= '0;
      fetch_misses_q    <= '0;
      constant_misses_q <= '0;
    end else begin
      if (issue_i) begin
        issued_q <= issued_q + 1'b1;
        hash_q   <= hash_q + issue_mix(issue_sm_i, issue_warp_i, issue_time_i);
      end
      if (l1_sectors_i != '0) l1_sectors_q <= l1_sectors_q + number_of(l1_sectors_i);
      if (l1_hits_i != '0)    l1_hits_q    <= l1_hits_q + number_of(l1_hits_i);
      if (fetch_miss_i)    fetch_misses_q    <= fetch_misses_q + 1'b1;
      if (constant_miss_i) constant_misses_q <= constant_misses_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin : causes
    if (gap_i || clearing)
      wait_mem[clearing ? CauseW'(clear_q - 1'b1) : gap_cause_i]
        <= clearing ? '0 : wait_mem[gap_cause_i] + 64'(gap_cycles_i);
    if (!rst_ni) clear_q <= {1'b1, CauseW'(0)};
    else if (clearing) clear_q <= clear_q - 1'b1;
  end

  always_ff @(posedge clk_i) begin : show
    unique case (index_i)
      5'd0:    value_o <= issued_q;
      5'd1:    value_o <= hash_q;
      5'd2:    value_o <= l1_sectors_q;
      5'd3:    value_o <= l1_hits_q;
      5'd4:    value_o <= fetch_misses_q;
      5'd5:    value_o <= constant_misses_q;
      default: value_o <= index_i[4] ? wait_mem[index_i[CauseW-1:0]] : '0;
    endcase
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT(HitsOfSectors, (l1_hits_i & ~l1_sectors_i) == '0)
      `ASSERT(HitsBound, l1_hits_q <= l1_sectors_q)
      `ASSERT_IF(GapCycles, gap_i, gap_cycles_i != '0)
      // a gap in that time would be lost
      `ASSERT_IF(GapAfterClearing, gap_i, !clearing)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
