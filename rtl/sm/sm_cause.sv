/// What cycles without an issue are lost to (the CPI stack), in stage update.
///
/// The warp that issues was the first that could. What ended in this very cycle is what it waited
/// for: operands of the instruction before that were late, a constant of another warp, its launch,
/// a CTA barrier, a dependency counter, its stall, or else its pipe. A warp whose constant is
/// missed counts as one that issues: what follows is lost to the next.
/// Latency: stage update. Throughput: a visit each clock.
/// Rules: upd_issue_i and upd_missed_i exclude each other.
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
module sm_cause #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic [31:0]         reached_i,     /// everything before is simulated

  input  logic [RowW-1:0]     loo_row_i,     /// stage look: the sub-core visited
  input  logic [RowW-1:0]     upd_row_i,     /// stage update
  input  logic                upd_init_i,
  input  logic [TimeW-1:0]    upd_at_i,
  input  logic                upd_issue_i,   /// an instruction issues
  input  logic                upd_missed_i,  /// or misses its constant
  input  logic [3:0]          upd_held_i,    /// the sub-core stands still for so many cycles
  input  logic [31:0]         upd_after_i,   /// nothing has issued before
  input  logic                upd_last_i,    /// the instruction is the warp's last one,
  input  logic                upd_mio_i,     /// goes to the memory pipe
  input  logic [3:0]          upd_mem_i,     /// its kind there,
  input  logic [3:0]          upd_stall_count_i,  /// stall count,
  input  logic [6:0]          upd_mask_i,    /// counters that it waits for,
  input  logic [2:0]          upd_wr_bar_i, upd_rd_bar_i,  /// its own,
  input  logic [15:0]         upd_latency_i, /// and of its class
  input  logic                upd_sleeping_i, upd_blocking_i,
  input  logic [6:0]          upd_now_i,     /// counters whose end is the present
  input  logic [5:0]          upd_met_i,     /// counters whose result could not be written before
  input  logic [TimeW-1:0]    upd_stall_i,   /// of the warp: ready by stall alone,
  input  logic [3:0]          upd_cause_i,   /// what that stall is,
  input  logic [11:0]         upd_kinds_i,   /// what counts in its counters
  output logic [3:0]          upd_cause_o,   /// issue: what the next cycles will be lost to,
  output logic [11:0]         upd_kinds_o,   /// what counts in its counters then,
  output logic                upd_banks_we_o,  /// which change

  output logic                gap_o,         /// cycles without an issue have ended: a clock later
  output logic [31:0]         gap_cycles_o,
  output logic [3:0]          gap_cause_o
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"

  logic [4:0] held_mem [MaxSm*SubPerSm];     // {for a constant, not for late operands; cycles}
  logic [4:0] upd_old_held;
  logic   upd_counts, upd_gap;
  full_t  upd_gap_cycles;
  cause_t upd_gap_cause;
  assign upd_counts = upd_issue_i || upd_missed_i;
  `STAGE(upd_old_held, held_mem[loo_row_i])

  always_comb begin : gap
    logic stalled;
    full_t at;
    upd_gap        = 1'b0;
    upd_gap_cycles = 'x;
    upd_gap_cause  = 'x;
    stalled        = 1'bx;
    at             = 'x;
    if (upd_counts) begin
      at             = full_time(upd_at_i, reached_i);
      stalled        = upd_stall_i == upd_at_i;
      upd_gap_cause  = !upd_mio_i ? WaitPipe
                       : is_global(upd_mem_i) ? WaitLgThrottle : WaitMioThrottle;
      if (stalled) upd_gap_cause = upd_cause_i;
      upd_gap_cycles = at - upd_after_i + 32'(upd_old_held[3:0]);
      upd_gap        = upd_gap_cycles != '0;
      if (upd_gap && upd_mask_i != '0
          && !(stalled && (upd_gap_cause == WaitNoWarp || upd_gap_cause == WaitBarrier))) begin
        for (int c = NumDepends - 1; c >= 0; c--)
          if (upd_mask_i[c] && (upd_now_i[c] || (c < BankedBars && upd_met_i[c % BankedBars])))
            upd_gap_cause = c == 32'(StoreBar) ? (upd_last_i ? WaitDrain : WaitMembar)
                            : upd_kinds_i[c*2 +: 2] == KindSfu    ? WaitSfu
                            : upd_kinds_i[c*2 +: 2] == KindShared ? WaitShared : WaitMemory;
      end
      // or nothing was lost
      if (at == upd_after_i) upd_gap_cause = upd_old_held[4] ? WaitConstant : WaitRegister;
    end
  end

  // What the next cycles will be lost to; its operation counts in one or two dependency counters.
  always_comb begin : cause
    logic [1:0] kind;
    upd_cause_o = WaitStall;
    if (upd_blocking_i && upd_latency_i > 16'(upd_stall_count_i)) upd_cause_o = WaitMembar;
    if (upd_sleeping_i) upd_cause_o = WaitSleep;
    kind = !upd_mio_i ? KindSfu : is_global(upd_mem_i) ? KindMemory : KindShared;
    upd_kinds_o    = upd_kinds_i;
    upd_banks_we_o = 1'b0;
    if (upd_issue_i && (upd_wr_bar_i != NoBar || upd_rd_bar_i != NoBar)) begin
      upd_banks_we_o = 1'b1;
      for (int c = 0; c < NumDepends - 1; c++)
        if (32'(upd_rd_bar_i) == c || 32'(upd_wr_bar_i) == c) upd_kinds_o[c*2 +: 2] = kind;
    end
  end

  always_ff @(posedge clk_i) begin : write
    gap_o        <= upd_gap;
    gap_cycles_o <= upd_gap_cycles;
    gap_cause_o  <= upd_gap_cause;
    if (upd_counts || upd_init_i)
      `STORE(held_mem[upd_row_i], upd_init_i ? '0 : {upd_missed_i, upd_held_i});
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    // nothing issues before the operands of the issue before have been read
    `ASSERT_IF(IssueAfterLast, upd_counts,
               32'(full_time(upd_at_i, reached_i) - upd_after_i) < 32'h8000_0000)
    `ASSERT(IssueOrMiss, !(upd_issue_i && upd_missed_i))
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
