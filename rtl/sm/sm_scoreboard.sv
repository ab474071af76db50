/// The dependency counters of the warps: when the next instruction's operands are there.
///
/// A counter is a number of operations whose end is unknown, and the latest known end. A warp whose
/// next instruction waits for a number stands still; else it is ready at a known time. An end in
/// the future needs no event.
/// A result of the memory pipe under a counter waits for the write port of its bank: stage code
/// compares the ends with the writes that sm_write_ports has counted.
/// Latency: stage code tells of conflicts, stage ready of the time. Throughput: a visit each clock.
/// Rules: one visit to a warp at a time.
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "cell/lanes.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
module sm_scoreboard #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                scrub_all_i,
  input  logic [TimeW-1:0]    scrub_floor_i,

  // stage code: whether a result that the warp waits for cannot be written yet
  input  logic                fet_issue_i,   /// stage fetch: a visit that may issue,
  input  logic [IdW-1:0]      fet_id_i,      /// the warp
  input  logic                cod_issue_i,   /// a visit that may issue
  input  logic [TimeW-1:0]    cod_at_i,
  input  logic [6:0]          cod_mask_i,    /// counters that its instruction waits for
  input  logic [7:0]          cod_recent_i,  /// banks written: two bits a cycle, the present one
                                             /// the highest, and three before
  output logic                loo_conflict_o,  /// it cannot be written now
  output logic [5:0]          loo_met_o,     /// counters whose result could not until now

  // stage update: what the visit does to counters
  input  logic                loo_valid_i,   /// stage look: a visit,
  input  logic [IdW-1:0]      loo_id_i,      /// the warp
  input  logic [IdW-1:0]      upd_id_i,
  input  logic [TimeW-1:0]    upd_at_i,
  input  logic                upd_launch_i,
  input  logic                upd_count_i,   /// a micro-operation
  input  logic [2:0]          upd_count_bar_i,  /// adds to this counter
  input  logic [6:0]          upd_delta_i,   /// so many, two's complement,
  input  logic                upd_timed_i,   /// and an operation ends
  input  logic [6:0]          upd_mask_i,    /// counters that its instruction waits for
  input  logic                upd_may_i,     /// a visit that may issue
  input  logic                upd_issue_i,   /// an instruction issues,
  input  logic [TimeW-1:0]    upd_issue_at_i,  /// has its operands like an issue at,
  input  logic [TimeW-1:0]    upd_ends_at_i, /// and its result at, but:
  input  logic                upd_mio_i,     /// it goes to the memory pipe
  input  logic [2:0]          upd_bar_i,     /// which counts it here,
  input  logic                upd_waits_i,   /// it waits there for a credit,
  input  logic [TimeW-1:0]    upd_release_i, /// or releases its operands at
  input  logic                upd_enter_i,   /// credit: another operation does so,
  input  logic [2:0]          upd_late_bar_i,  /// its counter of operands
  input  logic                upd_kind_we_i, /// an instruction's counters
  input  logic [2:0]          upd_wr_bar_i,  /// of its result,
  input  logic [1:0]          upd_banks_i,   /// which is written to these banks,
  input  logic [2:0]          upd_rd_bar_i,  /// of its operands
  output logic [6:0]          upd_now_o,     /// counters whose end is the present

  // stage ready: when the next instruction may issue
  input  logic                rdy_valid_i,
  input  logic [IdW-1:0]      rdy_id_i,
  input  logic                rdy_init_i, rdy_scrub_i,
  input  logic [2:0]          rdy_bar_i,     /// the visit's counter
  input  logic                rdy_stopped_i, /// it waits for something else
  input  logic [6:0]          rdy_mask_i,    /// counters that it waits for
  input  logic [TimeW-1:0]    rdy_stall_i,   /// ready by its stall alone
  output logic                rdy_stopped_o, /// it waits for an event,
  output logic                rdy_waits_o,   /// for the visit's counter among others
  output logic [TimeW-1:0]    rdy_at_o       /// or may issue at
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"
`include "cell/earliest.svh"
  localparam int LatestWrite = 3;            // a result waits for no longer

  counts_t                 count_mem [MaxSm*WarpsPerSm];  // operations whose end is unknown
  times_t                  until_mem [MaxSm*WarpsPerSm];  // latest known end
  logic [2*BankedBars-1:0] banks_mem [MaxSm*WarpsPerSm];  // per counter: banks of its result

  // ---------------------------------------------------------------- stage code
  times_t                  cod_until;
  logic [2*BankedBars-1:0] cod_banks;
  logic                    cod_conflict;
  logic [BankedBars-1:0]   cod_met;
  `STAGE_KEEP(cod_until, until_mem[fet_id_i], fet_issue_i)
  `STAGE(cod_banks, banks_mem[fet_id_i])

  always_comb begin : conflicts
    time_t      ago;
    logic [7:0] banked;
    logic [3:0] met;                         // of these cycles
    cod_conflict = 1'b0;
    cod_met      = '0;
    ago    = 'x;
    banked = 'x;
    met    = 'x;
    if (cod_issue_i && cod_mask_i[BankedBars-1:0] != '0 && cod_recent_i != '0)
      for (int c = 0; c < BankedBars; c++)
        if (cod_mask_i[c] && cod_banks[2*c +: 2] != '0) begin
          ago    = cod_at_i - cod_until[c*TimeW +: TimeW];
          banked = cod_recent_i & {4{cod_banks[2*c +: 2]}};
          met    = {banked[7:6] != '0, banked[5:4] != '0, banked[3:2] != '0, banked[1:0] != '0};
          if (ago < TimeW'(LatestWrite) && (met | 4'(4'b0111 >> ago[1:0])) == '1)
            cod_conflict = 1'b1;
          if (ago <= TimeW'(LatestWrite) && (met[2:0] | 3'(3'b111 >> ago[1:0])) == '1)
            cod_met[c] = 1'b1;
        end
  end
  `STAGE(loo_conflict_o, cod_conflict)
  `STAGE(loo_met_o, cod_met)

  // ---------------------------------------------------------------- stage update
  counts_t                 upd_counts;
  times_t                  upd_until;
  logic [2*BankedBars-1:0] upd_banks, upd_new_banks;
  `STAGE_KEEP(upd_counts, count_mem[loo_id_i], loo_valid_i)
  `STAGE_KEEP(upd_until, until_mem[loo_id_i], loo_valid_i)
  `STAGE(upd_banks, banks_mem[loo_id_i])

  always_comb begin : now
    upd_now_o = '0;
    if (upd_may_i && upd_mask_i != '0)
      upd_now_o = {upd_until[6*TimeW +: TimeW] == upd_at_i, upd_until[5*TimeW +: TimeW] == upd_at_i,
                   upd_until[4*TimeW +: TimeW] == upd_at_i, upd_until[3*TimeW +: TimeW] == upd_at_i,
                   upd_until[2*TimeW +: TimeW] == upd_at_i, upd_until[1*TimeW +: TimeW] == upd_at_i,
                   upd_until[0*TimeW +: TimeW] == upd_at_i};
  end

  // A counter gets a number of operations, one gets one, and one or two operations end.
  bar_t              upd_add_bar, upd_hold_bar, upd_end_bar, upd_read_bar;
  logic [CountW-1:0] upd_add;
  time_t             upd_end_at, upd_read_at;
  always_comb begin : operations
    upd_add_bar  = NoBar;
    upd_add      = CountW'(1);
    upd_hold_bar = NoBar;
    upd_end_bar  = NoBar;
    upd_end_at   = upd_ends_at_i;
    upd_read_bar = NoBar;
    upd_read_at  = upd_issue_at_i + OperandDelay;
    if (upd_issue_i) begin
      if (!upd_mio_i) begin
        upd_end_bar  = upd_wr_bar_i;
        upd_read_bar = upd_rd_bar_i;
      end else begin
        upd_add_bar = upd_bar_i;
        upd_read_at = upd_release_i;
        if (upd_waits_i) upd_hold_bar = upd_rd_bar_i;
        else upd_read_bar = upd_rd_bar_i;
      end
    end else if (upd_count_i) begin
      upd_add_bar = upd_count_bar_i;
      upd_add     = {{(CountW-7){upd_delta_i[6]}}, upd_delta_i};
      if (upd_timed_i) upd_end_bar = upd_count_bar_i;
      upd_end_at  = upd_enter_i && upd_late_bar_i != NoBar ? upd_release_i : upd_at_i;
    end
  end

  // The last operation decides where a result is written.
  always_comb begin : banks
    upd_new_banks = '0;
    if (upd_kind_we_i) begin
      upd_new_banks = upd_banks;
      for (int c = 0; c < BankedBars; c++) begin
        if (32'(upd_rd_bar_i) == c) upd_new_banks[c*2 +: 2] = '0;
        if (32'(upd_wr_bar_i) == c) upd_new_banks[c*2 +: 2] = upd_banks_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin : keep_banks
    if (upd_kind_we_i || upd_launch_i) `STORE(banks_mem[upd_id_i], upd_new_banks);
  end

  // ---------------------------------------------------------------- stage ready
  counts_t rdy_old_counts, rdy_counts;
  times_t  rdy_old_until, rdy_until;
  bar_t    rdy_add_bar, rdy_hold_bar, rdy_end_bar, rdy_read_bar;
  logic [CountW-1:0] rdy_add;
  time_t   rdy_end_at, rdy_read_at;
  logic    rdy_count_we, rdy_until_we;
  `STAGE(rdy_old_counts, upd_counts)
  `STAGE(rdy_old_until, upd_until)
  `STAGE(rdy_add_bar, upd_add_bar)
  `STAGE(rdy_add, upd_add)
  `STAGE(rdy_hold_bar, upd_hold_bar)
  `STAGE(rdy_end_bar, upd_end_bar)
  `STAGE(rdy_end_at, upd_end_at)
  `STAGE(rdy_read_bar, upd_read_bar)
  `STAGE(rdy_read_at, upd_read_at)

  always_comb begin : counters
    rdy_counts   = 'x;
    rdy_until    = 'x;
    rdy_count_we = 1'b0;
    rdy_until_we = 1'b0;
    if (rdy_valid_i) begin
      rdy_counts   = rdy_old_counts;
      rdy_until    = rdy_old_until;
      rdy_count_we = rdy_add_bar != NoBar || rdy_hold_bar != NoBar;
      rdy_until_we = rdy_end_bar != NoBar || rdy_read_bar != NoBar;
      `LANE_ADD(rdy_counts, rdy_add_bar, NoBar, NumDepends, CountW, rdy_add)
      `LANE_ADD(rdy_counts, rdy_hold_bar, NoBar, NumDepends, CountW, CountW'(1))
      `LANE_LATEST(rdy_until, rdy_end_bar, NoBar, NumDepends, TimeW, rdy_end_at)
      `LANE_LATEST(rdy_until, rdy_read_bar, NoBar, NumDepends, TimeW, rdy_read_at)
      if (rdy_init_i) begin
        rdy_counts   = '0;
        rdy_until    = '0;
        rdy_count_we = 1'b1;
        rdy_until_we = 1'b1;
      end
      if (rdy_scrub_i) begin
        for (int c = 0; c < NumDepends + 1; c++)
          rdy_until[c*TimeW +: TimeW]
              = fresh(rdy_old_until[c*TimeW +: TimeW], scrub_all_i, scrub_floor_i);
        rdy_until_we = 1'b1;
      end
    end
  end

  // Of the ends that the warp waits for, of which the visit may have brought two, the latest.
  time_t rdy_latest;
  if (Pipelined) begin : gen_at_once
    bound_t     end0, end1, end2, end3, end4, end5, end6, ends, reads;
    logic [7:0] mask;
    always_comb begin : late
      mask  = {1'b0, rdy_mask_i};
      end0  = {!mask[0], rdy_old_until[0*TimeW +: TimeW]};
      end1  = {!mask[1], rdy_old_until[1*TimeW +: TimeW]};
      end2  = {!mask[2], rdy_old_until[2*TimeW +: TimeW]};
      end3  = {!mask[3], rdy_old_until[3*TimeW +: TimeW]};
      end4  = {!mask[4], rdy_old_until[4*TimeW +: TimeW]};
      end5  = {!mask[5], rdy_old_until[5*TimeW +: TimeW]};
      end6  = {!mask[6], rdy_old_until[6*TimeW +: TimeW]};
      ends  = {!mask[rdy_end_bar], rdy_end_at};
      reads = {!mask[rdy_read_bar], rdy_read_at};
      rdy_latest = TimeW'(last_of_four(last_of_four(end0, end1, end2, end3),
                                       last_of_four(end4, end5, end6, {1'b0, rdy_stall_i}),
                                       ends, reads));
    end
  end else begin : gen_in_turn
    assign rdy_latest = '0;
  end

  always_comb begin : ready
    time_t      wait_at [8];
    logic [7:0] mask;
    rdy_stopped_o = rdy_stopped_i;
    rdy_at_o      = rdy_stall_i;
    rdy_waits_o   = 1'b0;
    mask          = {1'b0, rdy_mask_i};
    for (int c = 0; c < 8; c++) wait_at[c] = 'x;
    if (rdy_valid_i) begin
      rdy_waits_o = mask[rdy_bar_i];
      if (mask != '0) begin
        for (int c = 0; c < NumDepends; c++) begin
          wait_at[c] = mask[c] ? rdy_until[c*TimeW +: TimeW] : rdy_stall_i;
          if (mask[c] && rdy_counts[c*CountW +: CountW] != '0) rdy_stopped_o = 1'b1;
        end
        rdy_at_o = Pipelined ? rdy_latest
            : latest(latest(latest(wait_at[0], wait_at[1]), latest(wait_at[2], wait_at[3])),
                     latest(latest(wait_at[4], wait_at[5]), latest(wait_at[6], rdy_stall_i)));
      end
    end
  end

  always_ff @(posedge clk_i) begin : keep
    if (rdy_count_we) `STORE(count_mem[rdy_id_i], rdy_counts);
    if (rdy_until_we) `STORE(until_mem[rdy_id_i], rdy_until);
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (upd_may_i)
      for (int c = 0; c < NumDepends; c++) begin
        // Within a pass of the memory stage a count may be negative: lines that join a request
        // under way can come before the misses of their operation are counted.
        `ASSERT(CountPositive, !upd_counts[c*CountW + CountW - 1])
        // an instruction issues when everything that it waits for is over
        `ASSERT_IF(IssueCounted, upd_mask_i[c], upd_counts[c*CountW +: CountW] == '0)
        `ASSERT_IF(IssueEnded, upd_mask_i[c],
                   !earlier(upd_at_i, upd_until[c*TimeW +: TimeW]))
      end
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
