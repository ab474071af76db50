/// Window unit: which SMs have a slot, and how far each may run ahead.
///
/// The top opens a window; all SMs are looked at once, and one with something to do before its end
/// gets a slot. There it runs in short windows: first the memory stage as far as is safe (a pass),
/// then the sub-cores (the slot is open). When nothing is left to do before the window's end the SM
/// leaves its slot. It also leaves when all that is left waits for the host: it is parked, other
/// SMs go on, and a wake-up brings it back.
/// A move has five steps: look (which slot or SM), bounds (from when on its units have work), times
/// (how far they may go), work (whether anything happens until then), move. A visit that begins
/// meanwhile to a slot in which nothing was under way is a wake-up, and a Launch may come for an SM
/// that is to be loaded: the last step sees either, and nothing moves.
/// Latency: a clock for each step when Pipelined, else none. Throughput: a slot begins each clock,
/// one after another; of SMs to be loaded one at a time.
/// Rules: go_i only with idle_o. In the clock of hold_o no wake-up or launch of slot move_slot_o
/// is chosen, and if hold_load_o none of an SM without a slot. What
/// slot_*_i, ctx_*_i and parked_*_i say is that of read_slot_o and read_sm_o in the same clock. The
/// reply shown is that of load_sm_o when port_free_i.
`include "cell/one_hot.svh"
`include "cell/stage.svh"
`include "heddle_assert.svh"
`include "sm_parameters.svh"
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
/* verilator lint_off BLKSEQ */  // the clock of the rules
module sm_window #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // from and to heddle_run
  input  logic                go_i,
  input  logic                cmd_valid_i,   /// a command is accepted,
  input  logic                cmd_ready_i,   /// when both are high
  input  logic [TimeW-1:0]    window_end_i,
  input  logic [31:0]         reached_i,
  output logic                idle_o,
  output logic                parked_o,
  output logic                rested_o,      /// nothing is left in this window, whatever else is
                                             /// under way
  output logic [32:0]         next_o,

  // from and to the other units
  input  logic                busy_i,        /// something else is under way
  input  logic                scrub_i,       /// no move begins
  input  logic                launch_i,      /// a Launch has come,
  input  logic [TimeW-1:0]    launch_at_i,   /// for this time
  output logic                hold_o,        /// the last step,
  output logic                hold_load_o,   /// of an SM to be loaded
  output logic [TimeW-1:0]    window_end_o,  /// nothing happens at or after it

  // parameters
  input  logic [SmBits-1:0]   last_sm_i,     /// number of the last SM
  input  logic [SmBits-1:0]   instances_i,   /// core instances,
  input  logic [SmBits-1:0]   instance_i,    /// and which one this is
  input  logic [TimeW-1:0]    fill_delay_i,

  // the reply port
  input  logic                port_free_i,   /// what it shows is of load_sm_o
  input  logic                reply_valid_i,
  input  logic [TimeW-1:0]    reply_at_i,
  output logic [SmBits-1:0]   load_sm_o,     /// the next SM to look at
  output logic                loading_o,     /// not all SMs have been looked at

  // which slot
  input  logic [NumSlots-1:0] used_i,        /// slots that have an SM
  input  logic [NumSlots-1:0] quiet_i,       /// those of them in which nothing is under way
  input  logic [NumSlots-1:0] visited_i,     /// a visit is
  // or which SM
  input  logic                resume_valid_i,  /// one was woken up:
  input  logic [SmBits-1:0]   resume_sm_i,
  input  logic                waits_i,       /// SMs wait for the host
  input  logic                outside_i,     /// a visit to an SM without slot is under way:
  input  logic [SmBits-1:0]   outside_sm_i,

  // step bounds
  output logic                read_o,        /// a slot is read,
  output logic [SlotBits-1:0] read_slot_o,
  input  logic [SmBits-1:0]   slot_sm_i,
  input  logic                slot_open_i,
  input  logic [TimeW:0]      slot_lsu_i,
  input  logic [TimeW:0]      slot_reply_i,
  input  logic                slot_wait_i,
  input  logic [BoundsW-1:0]  ctx_bounds_i,
  input  logic [SubPerSm-1:0] ctx_starved_i,
  output logic                read_parked_o, /// or an SM without one
  output logic [SmBits-1:0]   read_sm_o,
  input  logic [BoundsW-1:0]  parked_subs_i, /// per sub-core: bound_t
  input  logic [TimeW:0]      parked_lsu_i,
  input  logic [TimeW:0]      parked_reply_i,

  // step move
  output logic [SlotBits-1:0] move_slot_o,
  output logic [SmBits-1:0]   move_sm_o,
  output logic [BoundsW-1:0]  move_subs_o,   /// its units have work from: sub-cores,
  output logic [TimeW:0]      move_lsu_o,    /// memory stage,
  output logic [TimeW:0]      move_reply_o,  /// reply port
  output logic                load_o,        /// the SM gets the slot
  output logic                pass_o,        /// the memory stage runs
  output logic                open_o,        /// sub-cores run,
  output logic [SubPerSm-1:0] work_o,        /// these have work,
  output logic [TimeW-1:0]    end_o,         /// until
  output logic                leave_o,       /// the SM leaves the slot,
  output logic                park_o,        /// parked
  output logic                resume_pop_o   /// the SM that was woken up has been looked at
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "cell/earliest.svh"
  logic   loading_q;                         // not all SMs shown
  sm_t    load_sm_q;                         // the one whose reply the port shows
  logic   shown_q;                           // next SM to look at:
  sm_t    shown_sm_q;
  bound_t shown_reply_q;                     // its first reply
  slot_t  turn_q;                            // slot looked at first
  time_t  window_end_q;
  bound_t next_q;                            // earliest work after this window

  /// a bound and a number of cycles
  function automatic bound_t plus(input bound_t a, input time_t cycles);
    plus = {a[TimeW], a[TimeW-1:0] + cycles};
  endfunction
  /// the earlier of a bound and the window's end
  function automatic time_t clip(input bound_t a, input time_t window_end);
    clip = due(a, window_end) ? a[TimeW-1:0] : window_end;
  endfunction
  // ---------------------------------------------------------------- look
  // A slot in which nothing is under way, or else an SM for an empty slot: one that was woken up,
  // or the next one that was not looked at.
  logic [NumSlots-1:0] moving;               // slots of which a later step is at work
  logic   loads_one;                         // an SM is to be loaded there
  logic   look, look_load, look_resume;
  slot_t  look_slot;
  sm_t    look_sm;
  always_comb begin : choice
    logic [NumSlots-1:0] quiet, behind, one;
    look        = 1'b0;
    look_load   = 1'b0;
    look_resume = 1'b0;
    look_slot   = '0;
    look_sm     = '0;
    behind      = '0;
    one         = '0;
    quiet       = quiet_i & ~moving;
    if (!scrub_i) begin
      if (quiet != '0) begin
        look      = 1'b1;
        behind    = quiet & ({NumSlots{1'b1}} << turn_q);
        one       = (behind != '0) ? behind : quiet;
        one       = `FIRST_ONE(one);
        look_slot = SlotBits'(`NUMBER_OF(one));
      end else if ((resume_valid_i || shown_q) && used_i != '1 && !loads_one) begin
        look_load   = 1'b1;
        look_resume = resume_valid_i;
        look_sm     = resume_valid_i ? resume_sm_i : shown_sm_q;
        look        = !(outside_i && outside_sm_i == look_sm) && !launch_i;
        one         = ~used_i;
        one         = `FIRST_ONE(one);
        look_slot   = SlotBits'(`NUMBER_OF(one));
      end
    end
  end

  // ---------------------------------------------------------------- bounds
  logic   bou_valid, bou_load, bou_resume;
  slot_t  bou_slot;
  sm_t    bou_sm, bou_load_sm;
  bound_t bou_lsu, bou_reply;
  logic [SubPerSm-1:0] bou_starved;
  logic   bou_waits;                         // its memory stage, for line words
  bounds_t bou_subs;
  `STAGE_VALID(bou_valid, look)
  `STAGE(bou_load, look_load)
  `STAGE(bou_resume, look_resume)
  `STAGE(bou_slot, look_slot)
  `STAGE(bou_load_sm, look_sm)
  assign read_o        = bou_valid && !bou_load;
  assign read_parked_o = bou_valid && bou_load;
  assign read_slot_o   = bou_slot;
  assign read_sm_o     = bou_load_sm;
  always_comb begin : bounds
    if (`WANTED(bou_valid)) begin
      bou_sm      = bou_load ? bou_load_sm : slot_sm_i;
      bou_subs    = bou_load ? parked_subs_i : ctx_bounds_i;
      bou_lsu     = bou_load ? parked_lsu_i : slot_lsu_i;
      bou_reply   = !bou_load ? slot_reply_i : bou_resume ? parked_reply_i : shown_reply_q;
      bou_starved = bou_load ? '0 : ctx_starved_i;
      bou_waits   = !bou_load && slot_wait_i;
    end
  end

  // ---------------------------------------------------------------- times
  // How far the units of the SM can go. What a sub-core does from its bound on reaches the memory
  // stage StageDelay later, and what that does from its bound on reaches the sub-cores StageDelay
  // later; a reply reaches both at once.
  logic    tim_valid, tim_load, tim_resume, tim_launch, tim_waits, tim_open;
  slot_t   tim_slot;
  sm_t     tim_sm;
  bounds_t tim_subs;
  bound_t  tim_lsu, tim_reply, tim_next;
  time_t   tim_lsu_until, tim_sub_until;
  logic [SubPerSm-1:0] tim_starved;
  `STAGE_VALID(tim_valid, bou_valid)
  `STAGE({tim_load, tim_resume, tim_waits, tim_open, tim_slot, tim_sm},
         ({bou_load, bou_resume, bou_waits, slot_open_i, bou_slot, bou_sm}))
  `STAGE(tim_launch, launch_i)
  `STAGE(tim_subs, bou_subs)
  `STAGE(tim_lsu, bou_lsu)
  `STAGE(tim_reply, bou_reply)
  `STAGE(tim_starved, bou_starved)
`include "window_times.svh"

  // ---------------------------------------------------------------- work
  // Whether anything happens until then that does not wait for the host.
  logic    wor_valid, wor_load, wor_resume, wor_launch, wor_waits, wor_open, wor_lsu_work;
  slot_t   wor_slot;
  sm_t     wor_sm;
  bounds_t wor_subs;
  bound_t  wor_lsu, wor_reply, wor_next;
  time_t   wor_lsu_until, wor_sub_until;     // ends of its short windows
  logic [SubPerSm-1:0] wor_starved, wor_sub_work;
  `STAGE_VALID(wor_valid, tim_valid)
  `STAGE({wor_load, wor_resume, wor_waits, wor_open, wor_slot, wor_sm},
         ({tim_load, tim_resume, tim_waits, tim_open, tim_slot, tim_sm}))
  `STAGE(wor_launch, tim_launch || launch_i)
  `STAGE(wor_subs, tim_subs)
  `STAGE(wor_lsu, tim_lsu)
  `STAGE(wor_reply, tim_reply)
  `STAGE(wor_next, tim_next)
  `STAGE({wor_lsu_until, wor_sub_until}, ({tim_lsu_until, tim_sub_until}))
  `STAGE(wor_starved, tim_starved)
  always_comb begin : work
    if (`WANTED(wor_valid)) begin
      wor_lsu_work = (due(wor_lsu, wor_lsu_until) && !wor_waits)
                     || (due(wor_reply, wor_lsu_until)
                         && !(wor_waits && due(wor_lsu, wor_reply[TimeW-1:0])));
      for (int s = 0; s < SubPerSm; s++)
        wor_sub_work[s] = due(wor_subs[s*(TimeW+1) +: TimeW+1], wor_sub_until) && !wor_starved[s];
    end
  end

  // ---------------------------------------------------------------- move
  // What follows, unless something has changed meanwhile. In a slot, when the memory stage is done,
  // the sub-cores run; when they are done, the next short window begins. The SM leaves its slot
  // when nothing is left in this window; or parked, when all that is left waits for the host.
  logic    mov_valid, mov_load, mov_resume, mov_launch, mov_open, mov_lsu_work;
  slot_t   mov_slot;
  sm_t     mov_sm;
  bounds_t mov_subs;
  bound_t  mov_lsu, mov_reply, mov_next;
  time_t   mov_lsu_until, mov_sub_until;
  logic [SubPerSm-1:0] mov_sub_work;
  logic    loads, keeps, looked;             // an SM was looked at: its work is later
  `STAGE_VALID(mov_valid, wor_valid)
  `STAGE({mov_load, mov_resume, mov_open, mov_slot, mov_sm},
         ({wor_load, wor_resume, wor_open, wor_slot, wor_sm}))
  `STAGE(mov_launch, wor_launch || launch_i)
  `STAGE(mov_subs, wor_subs)
  `STAGE(mov_lsu, wor_lsu)
  `STAGE(mov_reply, wor_reply)
  `STAGE(mov_next, wor_next)
  `STAGE({mov_lsu_until, mov_sub_until}, ({wor_lsu_until, wor_sub_until}))
  `STAGE(mov_lsu_work, wor_lsu_work)
  `STAGE(mov_sub_work, wor_sub_work)
  if (Pipelined) begin : gen_steps
    assign moving      = (NumSlots'(bou_valid) << bou_slot) | (NumSlots'(tim_valid) << tim_slot)
                         | (NumSlots'(wor_valid) << wor_slot) | (NumSlots'(mov_valid) << mov_slot);
    assign loads_one   = (bou_valid && bou_load) || (tim_valid && tim_load)
                         || (wor_valid && wor_load) || (mov_valid && mov_load);
    assign hold_o      = mov_valid;
    assign hold_load_o = mov_valid && mov_load;
  end else begin : gen_one
    // all steps in the clock of look, which sees the visits of this clock
    assign {moving, loads_one, hold_o, hold_load_o} = '0;
  end
  always_comb begin : move
    logic begins;
    looked       = 1'b0;
    loads        = 1'b0;
    keeps        = 1'b0;
    begins       = 1'b0;
    pass_o       = 1'b0;
    open_o       = 1'b0;
    leave_o      = 1'b0;
    park_o       = 1'b0;
    if (mov_valid) begin
      if (mov_load) begin
        looked = !(outside_i && outside_sm_i == mov_sm) && !mov_launch && !launch_i;
        loads  = looked && due(mov_next, window_end_q);
        keeps  = looked && !loads;
        begins = loads;
      end else if (!visited_i[mov_slot]) begin
        if (!mov_open) open_o = 1'b1;
        else if (!due(mov_next, window_end_q)) begin
          keeps   = 1'b1;
          leave_o = 1'b1;
        end else if (mov_lsu_work || mov_sub_work != '0) begins = 1'b1;
        else begin
          park_o  = 1'b1;
          leave_o = 1'b1;
        end
      end
      // a short window of the SM
      if (begins) begin
        pass_o = mov_lsu_work;
        open_o = !mov_lsu_work;
      end
    end
  end

  assign move_slot_o  = mov_slot;
  assign move_sm_o    = mov_sm;
  assign move_subs_o  = mov_subs;
  assign move_lsu_o   = mov_lsu;
  assign move_reply_o = mov_reply;
  assign load_o       = loads;
  assign work_o       = mov_sub_work;
  assign end_o        = pass_o ? mov_lsu_until : mov_sub_until;
  assign resume_pop_o = looked && mov_resume;

  // ---------------------------------------------------------------- state
  // Inputs of the engine are looked at in the clocked block alone.
  logic   taken;                             // the SM that was shown has been looked at
  bound_t next_d;                            // without what begins in this clock
  assign load_sm_o    = load_sm_q;
  assign loading_o    = loading_q || shown_q;
  assign window_end_o = window_end_q;
  assign taken        = looked && !mov_resume;
  always_comb begin : next
    if (`WANTED(keeps || launch_i))
      next_d = first(first(next_q, keeps ? mov_next : Never), {!launch_i, launch_at_i});
  end

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) begin
      loading_q <= 1'b0;
      load_sm_q <= '0;
      shown_q   <= 1'b0;
      turn_q    <= '0;
      next_q    <= Never;
      idle_o    <= 1'b0;
      parked_o  <= 1'b0;
      rested_o  <= 1'b0;
      next_o    <= {1'b1, 32'd0};
    end else begin
      if (taken) shown_q <= 1'b0;
      if (loading_q && port_free_i && (!shown_q || taken)) begin
        shown_q       <= 1'b1;
        shown_sm_q    <= load_sm_q;
        shown_reply_q <= {!reply_valid_i, TimeW'(reply_at_i + fill_delay_i)};
        load_sm_q     <= load_sm_q + instances_i;
        loading_q     <= {1'b0, load_sm_q} + {1'b0, instances_i} <= {1'b0, last_sm_i};
      end
      if (go_i) begin
        window_end_q <= window_end_i;
        loading_q    <= 1'b1;
        load_sm_q    <= instance_i;
        next_q       <= Never;
        next_o       <= {1'b1, 32'd0};
      end else if (keeps || launch_i) begin
        next_q <= next_d;
        if (!Pipelined) next_o <= {next_d[TimeW], full_time(next_d[TimeW-1:0], reached_i)};
      end
      // in time for idle_o, which comes two clocks behind
      if (Pipelined) next_o <= {next_q[TimeW], full_time(next_q[TimeW-1:0], reached_i)};
      if (look && !look_load) turn_q <= look_slot + 1'b1;
      // Idle: nothing is under way, and nothing more happens in this window without the host.
      idle_o   <= 1'b0;
      rested_o <= 1'b0;
      if (used_i == '0 && !go_i) begin
        idle_o   <= !loading_o && !resume_valid_i && !(cmd_valid_i && cmd_ready_i) && !busy_i;
        rested_o <= !loading_o && !resume_valid_i && !waits_i;
      end
      parked_o <= waits_i;
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      // a slot has one move at a time
      `ASSERT_IF(UnitLegal, Pipelined, !(bou_valid && tim_valid && bou_slot == tim_slot)
                                       && !(tim_valid && wor_valid && tim_slot == wor_slot)
                                       && !(wor_valid && mov_valid && wor_slot == mov_slot))
      `ASSERT_IF(UnitLoads, mov_valid && mov_load, !used_i[mov_slot])
      `ASSERT_IF(UnitMoves, mov_valid && !mov_load, used_i[mov_slot])
      `ASSERT_IF(UnitSm, mov_valid, mov_sm <= last_sm_i)
      // the end of a short window is not behind that of the window
      `ASSERT_IF(UntilInWindow, mov_valid, !earlier(window_end_q, mov_lsu_until)
                                           && !earlier(window_end_q, mov_sub_until))
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
