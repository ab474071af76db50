/// Contexts: the sub-cores of SMs that have a slot. From when on each has work, whether it has work
/// inside its short window (runnable), whether a visit to it is under way (busy), and whether it
/// stands still for want of packets (starved).
///
/// A visit makes its sub-core busy. Stage choose says what it found there, and the end of the visit
/// what has become of it. The window unit sets all sub-cores of a slot. With Pipelined it sees what
/// there was before this clock, else the effects of the visit of this clock too.
/// Latency: what a visit changes is seen in the next clock. Throughput: a visit in each stage.
/// Rules: a sub-core has one visit at a time. The window unit changes a slot only when no visit to
/// it is under way.
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
/* verilator lint_off BLKSEQ */  // values inside one clock, STORE
module sm_contexts #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // stage select
  input  logic                sel_valid_i,   /// a visit begins, to a sub-core with a slot
  input  logic [CtxBits-1:0]  sel_ctx_i,
  input  logic [CtxBits-1:0]  sel_turn_i,    /// the sub-core whose turn it is
  output logic [TimeW-1:0]    sel_at_o,      /// has work from
  output logic [NumCtx-1:0]   runnable_o,
  output logic [NumCtx-1:0]   busy_o,
  // stage choose
  input  logic                cho_mark_i,    /// the sub-core was looked at:
  input  logic [CtxBits-1:0]  cho_ctx_i,
  input  logic                cho_go_i,      /// the visit goes on
  input  logic [TimeW:0]      cho_bound_i,   /// it has work from
  input  logic                cho_runnable_i,
  input  logic                cho_starved_i,
  // stages ready, row
  /* verilator lint_off UNUSEDSIGNAL */      // used when Pipelined
  input  logic [CtxBits-1:0]  rdy_ctx_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [TimeW:0]      rdy_bound_i,   /// work that the visit brought
  input  logic                row_valid_i,   /// the visit is over, to a sub-core with a slot
  input  logic [CtxBits-1:0]  row_ctx_i,
  input  logic [2:0]          row_kind_i,    /// kind_e
  input  logic                row_micro_i,   /// last visit of a micro-operation
  input  logic                row_own_i,     /// the visited warp may go on,
  input  logic [TimeW-1:0]    row_own_at_i,  /// then
  input  logic                row_stays_i,   /// it issued nothing, or the sub-core stands still
  input  logic [TimeW-1:0]    row_next_i,    /// until

  // slots
  /* verilator lint_off UNUSEDSIGNAL */  // only rules look at it
  input  logic [NumSlots-1:0] slot_used_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [NumSlots-1:0] slot_open_i,   /// sub-cores run
  input  logic [NumSlots*TimeW-1:0] slot_end_i,
  output logic [NumSlots-1:0] active_o,      /// slots with a sub-core that is busy or runnable
  output logic [NumSlots-1:0] visited_o,     /// or busy
  // window unit: reads a slot,
  input  logic                read_i,
  input  logic [SlotBits-1:0] read_slot_i,
  output logic [BoundsW-1:0]  bounds_o,      /// per sub-core: bound_t
  output logic [SubPerSm-1:0] starved_o,
  // and moves
  input  logic [SlotBits-1:0] move_slot_i,
  input  logic                load_i,        /// an SM gets the slot,
  input  logic [BoundsW-1:0]  load_bounds_i,
  input  logic                open_i,        /// sub-cores run,
  input  logic [SubPerSm-1:0] open_work_i    /// those that have work
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
  bound_t   bound_q [NumCtx];                // sub-core has work from
  ctx_set_t busy_q, runnable_q, starved_q;
  ctx_set_t busy_d, runnable_d, starved_d;   // after the visits of this clock
  assign busy_o     = busy_q;
  assign runnable_o = runnable_q;
  assign sel_at_o   = bound_q[sel_turn_i][TimeW-1:0];

  // ---------------------------------------------------------------- the end of a visit
  // The sub-core may have something to do earlier now. Another warp may issue in place of one whose
  // code was not there. Nothing may before operands that are late have been read, or while the
  // sub-core waits for a constant; stage relative sees to that anyway.
  logic   row_we, row_runs, row_starves;
  bound_t row_bound;
  slot_t  row_slot;
  assign row_slot = row_ctx_i[CtxBits-1:SubBits];

  // When there is work, the visited warp apart.
  bound_t row_first;
  logic   row_first_due;                     // there is in the short window, by it or the warp
  if (Pipelined) begin : gen_early
    time_t slot_end;
    always_ff @(posedge clk_i) row_first <= first(bound_q[rdy_ctx_i], rdy_bound_i);
    assign slot_end      = slot_end_i[row_slot*TimeW +: TimeW];
    assign row_first_due = due(row_first, slot_end)
                           || (row_own_i && earlier(row_own_at_i, slot_end));
  end else begin : gen_wanted
    assign {row_first, row_first_due} = '0;
  end

  always_comb begin : over
    row_we      = 1'b0;
    row_bound   = 'x;
    row_runs    = 1'bx;
    row_starves = 1'b0;
    if (row_valid_i) begin
      if (row_kind_i != KindIssue) begin
        row_we      = 1'b1;
        row_bound   = Pipelined ? row_first : first(bound_q[row_ctx_i], rdy_bound_i);
        if (row_own_i) row_bound = first(row_bound, {1'b0, row_own_at_i});
        row_starves = starved_q[row_ctx_i] && row_kind_i != KindWake;
        row_runs    = slot_open_i[row_slot] && !row_starves
                      && (Pipelined ? row_first_due
                                    : due(row_bound, slot_end_i[row_slot*TimeW +: TimeW]));
      end else begin
        row_we    = row_stays_i;
        row_bound = {1'b0, row_next_i};
        row_runs  = due(row_bound, slot_end_i[row_slot*TimeW +: TimeW]);
      end
    end
  end

  // ---------------------------------------------------------------- all visits of this clock
  // Pipelined by a mask: yosys makes a shifter of an element that is assigned.
  `define SET_TO(set, at, value) \
    if (Pipelined) set = value ? set | (NumCtx'(1) << at) : set & ~(NumCtx'(1) << at); \
    else set[at] = value;
  always_comb begin : visits
    busy_d     = busy_q;
    runnable_d = runnable_q;
    starved_d  = starved_q;
    if (sel_valid_i) begin `SET_TO(busy_d, sel_ctx_i, 1'b1) end
    if (cho_mark_i) begin
      `SET_TO(runnable_d, cho_ctx_i, cho_runnable_i)
      if (!cho_go_i) begin `SET_TO(busy_d, cho_ctx_i, 1'b0) end
      if (cho_starved_i) begin `SET_TO(starved_d, cho_ctx_i, 1'b1) end
    end
    if (row_valid_i) begin
      if (row_we) begin `SET_TO(runnable_d, row_ctx_i, row_runs) end
      if (row_kind_i != KindIssue) begin `SET_TO(starved_d, row_ctx_i, row_starves) end
      if (row_micro_i || row_kind_i != KindCount) begin `SET_TO(busy_d, row_ctx_i, 1'b0) end
    end
  end
  `undef SET_TO

  // ---------------------------------------------------------------- what the window unit sees
  ctx_set_t seen_busy, seen_runnable, seen_active;
  assign seen_busy     = Pipelined ? busy_q : busy_d;
  assign seen_runnable = Pipelined ? runnable_q : runnable_d;
  assign seen_active   = seen_busy | seen_runnable;
  always_comb begin : slots
    for (int s = 0; s < NumSlots; s++) begin
      // without Pipelined the last step is in the clock of the first, which looked at active_o
      visited_o[s] = Pipelined && seen_busy[s*SubPerSm +: SubPerSm] != '0;
      active_o[s]  = seen_active[s*SubPerSm +: SubPerSm] != '0;
    end
  end

  always_comb begin : reads
    if (`WANTED(read_i)) begin
      for (int s = 0; s < SubPerSm; s++)
        bounds_o[s*(TimeW+1) +: TimeW+1] = bound_q[{read_slot_i, SubBits'(s)}];
      starved_o = starved_q[{read_slot_i, SubBits'(0)} +: SubPerSm];
      if (!Pipelined) begin
        // the visit of this clock is in all stages
        starved_o = starved_d[{read_slot_i, SubBits'(0)} +: SubPerSm];
        if (cho_mark_i && cho_ctx_i[CtxBits-1:SubBits] == read_slot_i)
          bounds_o[cho_ctx_i[SubBits-1:0]*(TimeW+1) +: TimeW+1] = cho_bound_i;
        if (row_we && row_slot == read_slot_i)
          bounds_o[row_ctx_i[SubBits-1:0]*(TimeW+1) +: TimeW+1] = row_bound;
      end
    end
  end

  // ---------------------------------------------------------------- state
  ctx_set_t starved_new, runnable_new;       // after the move
  always_comb begin : moves
    runnable_new = runnable_d;
    starved_new  = starved_d;
    if (open_i) runnable_new[{move_slot_i, SubBits'(0)} +: SubPerSm] = open_work_i;
    if (load_i) starved_new[{move_slot_i, SubBits'(0)} +: SubPerSm] = '0;
  end

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) begin
      busy_q     <= '0;
      runnable_q <= '0;
      starved_q  <= '0;
    end else begin
      busy_q     <= busy_d;
      runnable_q <= runnable_new;
      starved_q  <= starved_new;
      if (cho_mark_i) `STORE(bound_q[cho_ctx_i], cho_bound_i);
      if (row_we) `STORE(bound_q[row_ctx_i], row_bound);
      if (load_i)
        for (int s = 0; s < SubPerSm; s++)
          `STORE(bound_q[{move_slot_i, SubBits'(s)}], load_bounds_i[s*(TimeW+1) +: TimeW+1]);
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;
  ctx_set_t    rules_used, rules_runs;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      for (int c = 0; c < NumCtx; c++) begin
        rules_used[c] = slot_used_i[c >> SubBits];
        rules_runs[c] = slot_used_i[c >> SubBits] && slot_open_i[c >> SubBits];
        `ASSERT_IF(RunnableDue, Pipelined && runnable_q[c],
                   due(bound_q[c], slot_end_i[(c >> SubBits)*TimeW +: TimeW]))
      end
      `ASSERT(RunnableOpen, (runnable_q & ~rules_runs) == '0)
      `ASSERT(BusyUsed, (busy_q & ~rules_used) == '0)
      `ASSERT(StarvedStands, (starved_q & runnable_q) == '0)
      `ASSERT_IF(VisitEnds, Pipelined && row_valid_i, busy_q[row_ctx_i])
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
