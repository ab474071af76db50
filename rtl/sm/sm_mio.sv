/// The memory pipe (MIO) of the sub-cores: queue slots, address unit, credits.
///
/// Operation n of a sub-core enters the address unit with the credit that n - Credits gives when
/// the memory stage takes it. It leaves the unit at once, an indexed load of constants after its
/// replays. It has a queue slot until au_release after that. All three happen here, at the issue
/// when the credit is known, else at the micro-operation that brings the credit. Counts are modulo
/// 16: at most SlotEntries are issued and not sent, at most Credits are sent and not served.
/// Latency: stage update decides; the rings are written behind it. Throughput: a visit each clock.
/// Rules: one visit to a sub-core at a time, from select to row.
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
module sm_mio #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic [TimeW-1:0]    au_delay_i, au_interval_i, au_release_i,  /// parameters
  input  logic                scrub_all_i,
  input  logic [TimeW-1:0]    scrub_floor_i,

  // stages select to choose: the operation that waits first for a credit
  input  logic [RowW-1:0]     sel_row_i, rel_row_i,  /// the sub-core visited
  output logic                cho_queued_o,  /// there is one
  output logic [WarpBits-1:0] cho_late_warp_o,
  output logic [2:0]          cho_late_bar_o,  /// its counter of operands

  // stage look reads the counts, stage update the rings
  input  logic [RowW-1:0]     cod_row_i, loo_row_i,
  /* verilator lint_off UNUSEDSIGNAL */      // its low bits
  input  logic [WarpBits-1:0] loo_warp_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                loo_scrub_i,

  // stage update
  input  logic [RowW-1:0]     upd_row_i,
  input  logic [WarpBits-1:0] upd_warp_i,
  input  logic [TimeW-1:0]    upd_at_i,
  input  logic                upd_init_i, upd_scrub_i,
  input  logic                upd_credit_i,  /// the memory stage took an operation,
  /* verilator lint_off UNUSEDSIGNAL */      // of a time
  input  logic [ExtraW-1:0]   upd_extra_i,   /// at
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                upd_issue_i,   /// an instruction of this pipe issues,
  input  logic [63:0]         upd_head_i,    /// its packet,
  input  logic [10:0]         upd_constant_i,  /// line of constants,
  input  logic [CtaBits-1:0]  upd_cta_i,     /// CTA slot
  input  logic [6:0]          upd_constants_i,  /// whose constants
  input  logic                upd_late_i,    /// credit: for the operation that waits,
  output logic                upd_waits_o,   /// the operation issued waits for a credit
  output logic                upd_enter_o,   /// an operation enters the address unit
  output logic [TimeW-1:0]    upd_release_o, /// and its operands are released at
  output logic [TimeW-1:0]    upd_place_o,   /// issue: the slot after the next is free at
  output logic                upd_filled_o,  /// credit: the queue was full, the pipe is free when
                                             /// the operands are released
  output logic [2:0]          upd_bar_o,     /// issue: the counter that counts it
  output logic [3:0]          upd_entry_o,   /// issue: its number
  output logic                upd_full_o,    /// the queue is full now
  // to the memory stage
  output logic [WarpBits+58:0] upd_op_o,     /// issue: the operation, mem_op_t
  output logic                upd_arrive_we_o,     /// an operation arrives
  output logic [2:0]          upd_arrive_entry_o,  /// with this number, modulo 8,
  output logic [TimeW-1:0]    upd_arrive_o,        /// at
  output logic [3:0]          upd_sent_o           /// operations sent, this one included
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"
`include "cell/earliest.svh"

  logic [CountsW-1:0] counts_mem [MaxSm*SubPerSm];   // mio_t
  time_t              unit_mem [MaxSm*SubPerSm];     // the last one left the address unit
  time_t              credit_mem [MaxSm*SubPerSm];   // next entry not before
  time_t              places_mem [MaxSm*SubPerSm*8]; // slot free at, per entry
  time_t              credits_mem [MaxSm*SubPerSm << CreditBits];  // credit back at
  logic [LateW-1:0]   late_mem [MaxSm*SubPerSm*8];   // waits for a credit
  time_t              late_at_mem [MaxSm*SubPerSm*8];  // its issue time
  logic [ReplayW-1:0] late_replay_mem [MaxSm*SubPerSm*8];  // cycles of its replays

  // ---------------------------------------------------------------- stages select to choose
  /* verilator lint_off UNUSEDSIGNAL */      // a part
  mio_t  rel_counts;
  /* verilator lint_on UNUSEDSIGNAL */
  late_t min_late;
  logic  rel_queued, min_queued;
  `STAGE(rel_counts, counts_mem[sel_row_i])
  assign rel_queued = rel_counts.issued != rel_counts.sent;
  `STAGE(min_queued, rel_queued)
  `STAGE(cho_queued_o, min_queued)
  `STAGE(min_late, late_mem[{rel_row_i, rel_counts.sent[2:0]}])
  `STAGE(cho_late_warp_o, min_late.warp)
  `STAGE(cho_late_bar_o, min_late.rd_bar)

  // ---------------------------------------------------------------- stage look: addresses
  mio_t       loo_counts, upd_counts;
  logic [2:0] loo_place, loo_late;
  logic [CreditBits-1:0] loo_credit;
  `STAGE(loo_counts, counts_mem[cod_row_i])
  assign loo_place  = loo_scrub_i ? loo_warp_i[2:0] : 3'(loo_counts.issued - 4'd4);
  assign loo_late   = loo_scrub_i ? loo_warp_i[2:0] : loo_counts.sent[2:0];
  assign loo_credit = loo_scrub_i ? loo_warp_i[2:0]
                                : CreditBits'(32'(loo_counts.sent) + 1 - Credits);

  // ---------------------------------------------------------------- stage update
  time_t upd_unit, upd_credit, upd_place, upd_credits, upd_late_at;
  logic [ReplayW-1:0] upd_late_replay, upd_own_replay, upd_replay;
  mio_t  upd_new;
  time_t upd_back;                          // the credit is back at
  time_t upd_new_credit;
  logic  upd_credit_we;
  `STAGE(upd_counts, loo_counts)
  `STAGE(upd_unit, unit_mem[loo_row_i])
  `STAGE(upd_credit, credit_mem[loo_row_i])
  `STAGE(upd_place, places_mem[{loo_row_i, loo_place}])
  `STAGE(upd_credits, credits_mem[{loo_row_i, loo_credit}])
  `STAGE(upd_late_at, late_at_mem[{loo_row_i, loo_late}])
  `STAGE(upd_late_replay, late_replay_mem[{loo_row_i, loo_late}])

  /* verilator lint_off UNUSEDSIGNAL */  // a part
  head_t upd_head;
  /* verilator lint_on UNUSEDSIGNAL */
  assign upd_head = upd_head_i;
  assign upd_place_o = upd_place;
  assign upd_entry_o = upd_counts.issued;
  assign upd_sent_o  = upd_init_i ? '0 : upd_new.sent;
  assign upd_full_o  = QueueBits'(upd_new.issued - upd_new.sent) >= QueueBits'(SlotEntries);

  assign upd_own_replay = upd_head.mem == MemConst
      ? {upd_head.bar_id[1:0], upd_head.bar_arrive, upd_head.bar_warps} : '0;
  assign upd_replay     = upd_credit_i ? upd_late_replay : upd_own_replay;

  // When the operation enters: of three times the latest.
  time_t upd_new_unit, upd_enters;           // the second: Pipelined
  if (Pipelined) begin : gen_at_once
    time_t issued, unit, credit;
    always_comb begin : enters
      issued = (upd_credit_i ? upd_late_at : upd_at_i) + au_delay_i;
      unit   = upd_unit + au_interval_i;
      credit = upd_credit;
      if (upd_credit_i) credit = upd_extra_i[TimeW-1:0] + StageDelay;
      upd_enters = TimeW'(last_of_four({1'b0, issued}, {1'b0, unit}, {1'b0, credit}, Never));
    end
  end else begin : gen_wanted
    assign upd_enters = '0;
  end

  always_comb begin : update
    time_t issued_at, credit_at;
    upd_waits_o    = 1'b0;
    upd_enter_o    = 1'b0;
    upd_new_unit   = 'x;
    upd_filled_o   = 1'b0;
    upd_new        = upd_counts;
    upd_new_credit = 'x;
    upd_credit_we  = 1'b0;
    upd_back       = 'x;
    upd_bar_o      = 'x;
    upd_op_o       = 'x;
    issued_at      = 'x;
    credit_at      = 'x;
    if (upd_issue_i) begin
      upd_waits_o = upd_counts.issued != upd_counts.sent
                    || QueueBits'(upd_counts.sent - upd_counts.served) >= QueueBits'(Credits);
      upd_enter_o    = !upd_waits_o;
      upd_new.issued = upd_counts.issued + 1'b1;
      issued_at      = upd_at_i;
      credit_at      = upd_credit;
      upd_bar_o      = result_bar(upd_head.mem, upd_head.perform, upd_head.wr_bar);
      upd_op_o       = {upd_head.mem, upd_warp_i, upd_bar_o, upd_head.perform, upd_head.slot,
                        upd_head.lines, upd_head.passes, upd_head.bar_id, upd_head.bar_arrive,
                        upd_head.bar_warps, upd_cta_i, upd_constants_i, upd_constant_i};
    end else if (upd_credit_i) begin
      upd_back       = TimeW'(upd_extra_i) + StageDelay;
      upd_enter_o    = upd_late_i;
      upd_new.served = upd_counts.served + 1'b1;
      issued_at      = upd_late_at;
      credit_at      = upd_back;
      upd_filled_o   = upd_late_i && QueueBits'(upd_counts.issued - upd_counts.sent)
                                     == QueueBits'(SlotEntries);
      upd_new_credit = upd_back;
      upd_credit_we  = QueueBits'(upd_counts.sent - upd_counts.served) == QueueBits'(Credits);
    end
    if (upd_enter_o) begin
      upd_new_unit   = Pipelined ? upd_enters
          : latest(latest(issued_at + au_delay_i, upd_unit + au_interval_i), credit_at);
      upd_new.sent   = upd_counts.sent + 1'b1;
      upd_new_credit = upd_credits;
      upd_credit_we  = 1'b1;
    end
  end

  // It leaves after its replays. What is added to the latest time is summed while that is found,
  // and chosen behind the sum: yosys would make one sum of three numbers of both, a level more.
  time_t upd_leaves, upd_arrival;
  always_comb begin : leaves
    time_t own_released, late_released, own_arrival, late_arrival;  // from the entry
    own_released  = TimeW'(upd_own_replay) + au_release_i;
    late_released = TimeW'(upd_late_replay) + au_release_i;
    own_arrival   = TimeW'(upd_own_replay) + StageDelay;
    late_arrival  = TimeW'(upd_late_replay) + StageDelay;
    upd_leaves    = upd_new_unit + TimeW'(upd_replay);
    upd_release_o = upd_new_unit + (upd_credit_i ? late_released : own_released);
    upd_arrival   = upd_new_unit + (upd_credit_i ? late_arrival : own_arrival);
  end

  // ---------------------------------------------------------------- writes
  logic       upd_each;
  logic [2:0] upd_own;                      // ring entry that has the number of the warp
  assign upd_each = upd_init_i || upd_scrub_i;
  assign upd_own  = upd_warp_i[2:0];

  // What the memory stage will find (an operation arrives), and what the memories keep.
  time_t upd_keep_unit, upd_keep_credit, upd_keep_place, upd_keep_credits, upd_keep_late_at;
  always_comb begin : values
    upd_arrive_we_o    = 1'b0;
    upd_arrive_entry_o = upd_counts.sent[2:0];
    upd_arrive_o       = 'x;
    upd_keep_unit      = upd_leaves;
    upd_keep_credit    = upd_new_credit;
    upd_keep_place     = upd_release_o;
    upd_keep_credits   = upd_back;
    upd_keep_late_at   = upd_at_i;
    if (upd_enter_o) begin
      upd_arrive_we_o = 1'b1;
      upd_arrive_o    = upd_arrival;
    end else if (upd_scrub_i) begin
      upd_arrive_we_o    = 1'b1;
      upd_arrive_entry_o = upd_own;
      upd_arrive_o       = fresh(upd_place - au_release_i + StageDelay, scrub_all_i, scrub_floor_i);
      upd_keep_unit      = fresh(upd_unit, scrub_all_i, scrub_floor_i);
      upd_keep_credit    = fresh(upd_credit, scrub_all_i, scrub_floor_i);
      upd_keep_place     = fresh(upd_place, scrub_all_i, scrub_floor_i);
      upd_keep_credits   = fresh(upd_credits, scrub_all_i, scrub_floor_i);
      upd_keep_late_at   = fresh(upd_late_at, scrub_all_i, scrub_floor_i);
    end else if (upd_init_i) begin
      upd_arrive_we_o    = 1'b1;
      upd_arrive_entry_o = upd_own;
      upd_keep_unit      = LongAgo;
      upd_keep_credit    = '0;
      upd_keep_place     = '0;
      upd_keep_credits   = '0;
    end
  end

  always_ff @(posedge clk_i) begin : write
    if (upd_issue_i || upd_credit_i || upd_each) begin
      if (!upd_scrub_i) `STORE(counts_mem[upd_row_i], upd_init_i ? '0 : upd_new);
      if (upd_credit_we || upd_each) `STORE(credit_mem[upd_row_i], upd_keep_credit);
      if (upd_arrive_we_o) begin
        `STORE(unit_mem[upd_row_i], upd_keep_unit);
        `STORE(places_mem[{upd_row_i, upd_arrive_entry_o}], upd_keep_place);
      end
      if (upd_waits_o)
        `STORE(late_mem[{upd_row_i, upd_counts.issued[2:0]}], {upd_warp_i, upd_head.rd_bar});
      if (upd_waits_o || upd_scrub_i)
        `STORE(late_at_mem[{upd_row_i, upd_scrub_i ? upd_own : upd_counts.issued[2:0]}],
               upd_keep_late_at);
      if (upd_waits_o)
        `STORE(late_replay_mem[{upd_row_i, upd_counts.issued[2:0]}], upd_own_replay);
      if (upd_credit_i || upd_each)
        `STORE(credits_mem[{upd_row_i, upd_each ? upd_own : upd_counts.served[2:0]}],
               upd_keep_credits);
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (!upd_init_i && (upd_scrub_i || upd_issue_i || upd_credit_i)) begin
      `ASSERT(QueueBound,
              QueueBits'(upd_counts.issued - upd_counts.sent) <= QueueBits'(SlotEntries))
      `ASSERT(CreditBound, QueueBits'(upd_counts.sent - upd_counts.served) <= QueueBits'(Credits))
      // a queue builds up only when there is no credit
      `ASSERT_IF(QueueWaits, upd_counts.issued != upd_counts.sent,
                 QueueBits'(upd_counts.sent - upd_counts.served) == QueueBits'(Credits))
      `ASSERT_IF(CreditHeld, upd_credit_i, upd_counts.sent != upd_counts.served)
      `ASSERT_IF(QueueNotFull, upd_issue_i,
                 QueueBits'(upd_counts.issued - upd_counts.sent) < QueueBits'(SlotEntries))
      `ASSERT_IF(ReplayBound, upd_issue_i && upd_head.mem == MemConst, upd_head.bar_id[3:2] == '0)
    end
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
