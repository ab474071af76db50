/// The warps' own state: what a visit does to a warp, in stage update.
///
/// An issue, a wake-up, a launch or a micro-operation; the head packet, the next one that takes its
/// place, the stall, how much of the buffers was used and when the host hears of it.
/// Latency: stage choose gives the warp, stage fetch has its place in the buffer, stage update
/// decides; memories are written behind it. Throughput: a visit each clock.
/// Rules: one visit to a warp at a time.
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
module sm_warp #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic [6:0]          buffer_half_i, /// parameter: half of the packets buffered
  input  logic                scrub_all_i,
  input  logic [TimeW-1:0]    scrub_floor_i,

  input  logic                go_issue_i,    /// stage choose: a visit goes on
  input  logic [IdW-1:0]      go_id_i,       /// to this warp
  output logic [BufferBits:0] fet_rd_o,      /// stage fetch: next packet in the buffer
  input  logic [IdW-1:0]      fet_id_i,
  output logic [63:0]         cod_head_o,    /// stage code: the head packet
  output logic                cod_fetched_o, /// its code was looked for
  output logic                cod_looked_o,  /// its constant was looked for
  output logic [6:0]          loo_constants_o,  /// stage look: whose constants are meant
  input  logic [IdW-1:0]      loo_id_i,

  // stage update: the visit
  input  logic                upd_valid_i,
  input  logic [2:0]          upd_kind_i,
  input  logic [IdW-1:0]      upd_id_i,
  input  logic [5:0]          upd_lines_i,   /// micro-operation: line words used up
  input  logic [CtaBits-1:0]  upd_new_cta_i, /// launch: CTA slot,
  input  logic [6:0]          upd_new_constants_i,  /// whose constants are meant
  input  logic [TimeW-1:0]    upd_at_i,
  input  logic [TimeW-1:0]    upd_issue_at_i,  /// issue: later by what its operands are late
  input  logic [63:0]         upd_next_i,    /// packet after the head
  input  logic [BufferBits:0] upd_written_i, /// packets written to the buffer
  // what keeps the warp from issuing
  input  logic                upd_conflict_i,  /// a result cannot be written yet
  input  logic                upd_looked_i,  /// its code was looked for,
  input  logic                upd_there_i,   /// and is there
  input  logic                upd_late_i,    /// but no issue
  input  logic                upd_missed_i,  /// its constant comes later,
  input  logic [TimeW-1:0]    upd_constant_i,  /// at
  // class of its instruction
  input  logic [15:0]         upd_latency_i,
  input  logic                upd_sleeping_i, upd_blocking_i,
  // of sm_cause
  input  logic [3:0]          upd_cause_i,   /// what the next cycles will be lost to
  input  logic [11:0]         upd_kinds_i,   /// what counts in its dependency counters

  output logic                upd_issue_o,   /// a warp instruction issues:
  output logic [63:0]         upd_head_o,    /// this one,
  output logic [TimeW-1:0]    upd_ends_at_o, /// which takes the latency of its class
  output logic [TimeW-1:0]    upd_stall_o,   /// the warp's stall before the visit,
  output logic [3:0]          upd_cause_o,   /// its cause,
  output logic [11:0]         upd_kinds_o,   /// what counts in its counters
  output logic [CtaBits-1:0]  upd_cta_o,     /// its CTA slot
  output logic [6:0]          upd_constants_o,  /// whose constants are meant
  output logic                upd_needs_o,   /// the warp is live now, without an instruction
  output logic                upd_want_o,    /// the host hears how much of the buffers was used:
  output logic [31:0]         upd_want_word_o,  /// {packets, line words}
  output logic                upd_rewake_o,  /// another visit takes the packet behind a Hold

  // stage ready: the warp after the visit
  output logic [TimeW-1:0]    rdy_stall_o,   /// ready by stall count alone
  output logic                rdy_stands_o,  /// it is not live, or waits at a barrier
  output logic                rdy_has_o,     /// the head packet is an instruction
  output logic [5:0]          rdy_cls_o,     /// its class,
  output logic [6:0]          rdy_mask_o,    /// counters that it waits for
  output logic [BufferBits:0] rdy_rd_o       /// the packet behind it
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"

  logic [BoardW-1:0] board_mem [MaxSm*WarpsPerSm];
  logic [HeadW-1:0]  head_mem [MaxSm*WarpsPerSm];   // packet to issue next
  time_t             stall_mem [MaxSm*WarpsPerSm];  // ready by stall count alone
  logic [LinesW-1:0] lines_mem [MaxSm*WarpsPerSm];

  // ---------------------------------------------------------------- stages fetch to look
  board_t fet_board, cod_board, loo_board;
  `STAGE_KEEP(fet_board, board_mem[go_id_i], go_issue_i)
  `STAGE(cod_board, fet_board)
  `STAGE(loo_board, cod_board)
  `STAGE(cod_head_o, head_mem[fet_id_i])
  assign fet_rd_o        = fet_board.rd;
  assign cod_fetched_o   = cod_board.fetched;
  assign cod_looked_o    = cod_board.constant;
  assign loo_constants_o = loo_board.constants;

  // ---------------------------------------------------------------- stage update
  board_t     upd_board, upd_new;
  head_t      upd_head, upd_next, upd_new_head;
  lines_t     upd_lines, upd_new_lines;
  time_t      upd_stall, upd_new_stall;
  logic       upd_take, upd_lines_we;
  head_t      loo_head;
  `STAGE(loo_head, cod_head_o)
  `STAGE(upd_head, loo_head)
  `STAGE(upd_board, loo_board)
  `STAGE(upd_stall, stall_mem[loo_id_i])
  `STAGE(upd_lines, lines_mem[loo_id_i])
  assign upd_next        = upd_next_i;
  assign upd_head_o      = upd_head;
  assign upd_stall_o     = upd_stall;
  assign upd_cause_o     = upd_board.cause;
  assign upd_kinds_o     = upd_board.kinds;
  assign upd_cta_o       = upd_board.cta;
  assign upd_constants_o = upd_board.constants;
  assign upd_issue_o     = upd_valid_i && upd_kind_i == KindIssue && !upd_conflict_i
                           && !upd_late_i && !upd_missed_i;
  assign upd_ends_at_o   = upd_issue_at_i + TimeW'(upd_latency_i);

  // When the warp may issue after this instruction, by its stall.
  time_t upd_issue_stall;
  always_comb begin : stall
    logic [3:0] count;
    upd_issue_stall = 'x;
    count = 'x;
    if (upd_issue_o) begin
      count = upd_head.stall == '0 ? 4'd1 : upd_head.stall;
      if (upd_head.do_yield && count == 4'd1) count = 4'd2;
      upd_issue_stall = upd_issue_at_i + TimeW'(count);
      if (upd_blocking_i) upd_issue_stall = latest(upd_issue_stall, upd_ends_at_o);
      if (upd_sleeping_i)
        upd_issue_stall = latest(upd_issue_stall, upd_issue_at_i
            + TimeW'({upd_head.lines, upd_head.passes, upd_head.bar_id, upd_head.bar_arrive,
                      upd_head.bar_warps}));
    end
  end

  always_comb begin : update
    upd_new       = upd_board;
    upd_new_head  = upd_head;
    upd_new_stall = upd_stall;
    upd_new_lines = upd_lines;
    upd_lines_we  = 1'b0;
    upd_take      = 1'b0;
    upd_want_o    = 1'b0;
    upd_rewake_o  = 1'b0;
    if (upd_valid_i) begin
      case (upd_kind_i)
        KindIssue:
          if (upd_conflict_i) begin          // tries again in the next cycle
            upd_new_stall = upd_at_i + 1'b1;
            upd_new.cause = WaitStall;       // the counter comes first
          end else begin
            if (upd_looked_i) upd_new.fetched = upd_there_i;
            if (upd_late_i && upd_there_i) begin
              upd_new_stall = upd_at_i;
              upd_new.cause = WaitFetch;
            end
            if (upd_missed_i) begin
              upd_new.constant = 1'b1;
              upd_new.cause    = WaitConstant;
              upd_new_stall    = upd_constant_i;
            end
            if (upd_issue_o) begin
              upd_new.fetched  = 1'b0;
              upd_new.constant = 1'b0;
              upd_new.consumed = upd_board.consumed + 1'b1;
              upd_new.cause    = upd_cause_i;
              upd_new.kinds    = upd_kinds_i;
              upd_new_stall    = upd_issue_stall;
              upd_take         = 1'b1;
              if (upd_head.mem == MemBarrier && !upd_head.bar_arrive) upd_new.waiting = 1'b1;
              if (upd_head.last) upd_new.live = 1'b0;
            end
          end
        KindCount:
          if (upd_lines_i != '0) begin
            upd_new_lines.used = upd_lines.used + 16'(upd_lines_i);
            upd_lines_we       = 1'b1;
            // Half of the line words were used up since the host heard of it. The host may deliver
            // packets as well then. The write pointer must not come round to `told`, which would
            // look like a delivery of which the host knows already.
            if (16'(upd_new_lines.used - upd_lines.told) >= 16'(1 << (BufferBits - 1))) begin
              upd_want_o = 1'b1;
              if (upd_board.told != upd_written_i) upd_new.told = upd_written_i - 1'b1;
            end
          end
        KindResume: begin
          upd_new.waiting = 1'b0;
          upd_new_stall   = latest(upd_stall, upd_at_i);
          if (!earlier(upd_at_i, upd_stall)) upd_new.cause = WaitBarrier;
        end
        KindWake: upd_take = upd_board.live && !upd_board.has;
        KindLaunch: begin
          // Packets may have come before. The counters are 0, as the last instruction of the warp
          // that had its number before has left them, but for that one's stores.
          upd_new.cta       = upd_new_cta_i;
          upd_new.live      = 1'b1;
          upd_new.waiting   = 1'b0;
          upd_new.has       = 1'b0;
          upd_new.hold      = 1'b0;
          upd_new.fetched   = 1'b0;
          upd_new.constant  = 1'b0;
          upd_new.constants = upd_new_constants_i;
          upd_new.cause     = WaitNoWarp;
          upd_new.told      = upd_written_i - 1'b1;
          upd_new_stall     = upd_at_i;
          upd_take          = 1'b1;
        end
        KindScrub: upd_new_stall = fresh(upd_stall, scrub_all_i, scrub_floor_i);
        KindInit: begin
          upd_new       = '0;
          upd_new_lines = '0;
          upd_lines_we  = 1'b1;
        end
        default: ;                           // KindCode is for the sub-core
      endcase
      if (upd_take) begin
        // The head packet is done with: take the next one from the buffer, if there is one.
        if (upd_written_i != upd_board.rd) begin
          if (upd_kind_i == KindWake && upd_board.hold)
            upd_new.consumed = upd_board.consumed + 1'b1;  // the Hold vanishes
          upd_new_head = upd_next;
          upd_new.hold = upd_next.cls == ClassHold;
          upd_new.has  = upd_next.cls != ClassHold;
          upd_new.rd   = upd_board.rd + 1'b1;
          upd_rewake_o = upd_new.hold && upd_written_i != upd_new.rd;
        end else if (upd_kind_i != KindWake) begin
          upd_new.has  = 1'b0;
          upd_new.hold = 1'b0;
        end
        // Once per delivery: half of the packets or fewer are left.
        if (upd_new.consumed != upd_board.consumed && upd_kind_i != KindLaunch
            && (BufferBits+1)'(upd_written_i - upd_board.rd) <= buffer_half_i
            && upd_written_i != upd_board.told) begin
          upd_new.told = upd_written_i;
          upd_want_o   = 1'b1;
        end
      end
      if (upd_want_o) begin
        upd_new_lines.told = upd_new_lines.used;
        upd_lines_we       = 1'b1;
      end
    end
  end
  assign upd_want_word_o = {upd_new.consumed, upd_new_lines.used};
  assign upd_needs_o     = upd_new.live && !upd_new.has;

  always_ff @(posedge clk_i) begin : write
    if (upd_valid_i) begin
      `STORE(board_mem[upd_id_i], upd_new);
      `STORE(stall_mem[upd_id_i], upd_new_stall);
      if (upd_take)     `STORE(head_mem[upd_id_i], upd_new_head);
      if (upd_lines_we) `STORE(lines_mem[upd_id_i], upd_new_lines);
    end
  end

  // ---------------------------------------------------------------- stage ready
  `STAGE(rdy_stall_o, upd_new_stall)
  `STAGE(rdy_stands_o, !upd_new.live || upd_new.waiting)
  `STAGE(rdy_has_o, upd_new.has)
  `STAGE(rdy_cls_o, upd_new_head.cls)
  `STAGE(rdy_mask_o, upd_new.has || upd_new.hold ? upd_new_head.wait_mask : '0)
  `STAGE(rdy_rd_o, upd_new.rd)
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (upd_valid_i && upd_kind_i != KindInit) begin
      `ASSERT(HeadOne, !(upd_board.has && upd_board.hold))
      `ASSERT_IF(WaitsAlive, upd_board.waiting, upd_board.live)
      // the host sends no more packets than there is room for
      `ASSERT(PacketRoom, (BufferBits+1)'(upd_written_i - upd_board.rd)
                          <= (BufferBits+1)'(1 << BufferBits))
      `ASSERT_IF(ResumeWaits, upd_kind_i == KindResume, upd_board.waiting)
      `ASSERT_IF(LaunchDead, upd_kind_i == KindLaunch, !upd_board.live)
      // what stages relative to choose make of the row must agree with the warp itself
      `ASSERT_IF(IssueAlive, upd_kind_i == KindIssue,
                 upd_board.has && upd_board.live && !upd_board.waiting)
      `ASSERT_IF(IssueStalled, upd_kind_i == KindIssue, !earlier(upd_at_i, upd_stall))
    end
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
