// Windows: which SMs have a slot, and how far each may run ahead.
//
// The top opens a window; all SMs are looked at once, and one with something to do before its end
// gets a slot. There it runs in short windows: first the memory stage as far as is safe
// (slot_pass_q), then the sub-cores (slot_open_q). When nothing is left to do before the window's
// end the SM leaves its slot. It also leaves when all that is left waits for the host: it is
// parked, other SMs go on, and a wake-up brings it back.
//
// In five steps, a clock each in the pipelined build: look (which slot or SM), bounds, times, work,
// move. A visit that begins meanwhile to a slot in which nothing was under way is a wake-up; the
// last step sees it, and none begins in the same clock (hold_i of sm_select).
// Reads  the reply port, all bounds, ctx_busy_q, parked_mem, launch_mem.
// Writes slot state, ctx_bound_q, ctx_runnable_d, parked_mem, the status outputs.
task automatic reset_window();
  for (int s = 0; s < NumSlots; s++) begin
    slot_sent_q[s]  `Q '0;
  end
  ctx_runnable_q `Q '0;
  ctx_starved_q  `Q '0;
  slot_pass_q    `Q '0;
  slot_used_q    `Q '0;
  slot_open_q    `Q '0;
  slot_wait_q    `Q '0;
  parked_q       `Q '0;
  parked_count_q `Q '0;
  resume_rd_q    `Q '0;
  turn_q         `Q '0;
  loading_q      `Q 1'b0;
  load_sm_q      `Q '0;
  next_q         `Q Never;
  win_state_q    `Q WinLook;
  idle_o         <= 1'b0;
  parked_o       <= 1'b0;
  next_o         <= {1'b1, 32'd0};
endtask

/// a bound and a number of cycles
function automatic bound_t plus(input bound_t a, input time_t cycles);
  plus = {a[TimeW], a[TimeW-1:0] + cycles};
endfunction

/// the earlier of a bound and the window's end
function automatic time_t clip(input bound_t a, input time_t window_end);
  clip = due(a, window_end) ? a[TimeW-1:0] : window_end;
endfunction

/// the contexts of a slot
function automatic ctx_set_t slot_set(input slot_t slot);
  slot_set = NumCtx'({SubPerSm{1'b1}}) << {slot, {SubBits{1'b0}}};
endfunction

/// the slots of a set of contexts
function automatic logic [NumSlots-1:0] slots_in(input ctx_set_t set);
  for (int s = 0; s < NumSlots; s++) slots_in[s] = |set[s*SubPerSm +: SubPerSm];
endfunction

task automatic window();
  next_d      = first(next_q, next_launch_d);
  parked_we_d = 1'b0;
  if (init_d) begin
    parked_we_d = 1'b1;
    parked_sm_d = sel_sm;
  end else begin
    window_look();
    if (win_state_q != WinLook) begin
      window_bounds();
      window_times();
      window_work();
      window_move();
    end
  end
  if (parked_we_d) parked_mem[parked_sm_d] `Q init_d ? {(SubPerSm + 2){Never}} : win_q;
  if (go_i) begin
    window_end_q `Q TimeW'(window_end_i);
    loading_q    `Q 1'b1;
    load_sm_q    `Q instance_q;
    next_d = Never;
    scrub_start();
  end
  next_q `Q next_d;
  next_o <= {next_d[TimeW], in_full(next_d[TimeW-1:0])};
  status();
endtask

// A slot in which nothing is under way, or else an SM for an empty slot: one that was woken up, or
// the next one that was not looked at.
task automatic window_look();
  logic [NumSlots-1:0] still, quiet, behind, one;
  ctx_set_t            runnable;
  logic                resume;
`ifdef HEDDLE_NBA
  runnable = ctx_runnable_q;  // where this changes now there is a visit
`else
  runnable = ctx_runnable_d;
`endif
  if (win_state_q == WinLook && !scrub_q) begin
    // Only the sub-cores of an open slot are runnable.
    still = slot_used_q & ~slot_pass_q & ~slots_in(visited() | runnable);
    quiet = '0;
    if (still != '0)
      for (int s = 0; s < NumSlots; s++)
        quiet[s] = still[s] && slot_sent_q[s] == slot_done_q[s];
    win_launch_q `Q 1'b0;
    if (quiet != '0) begin
      behind = quiet & ({NumSlots{1'b1}} << turn_q);
      one    = (behind != '0) ? behind : quiet;
      one    = `FIRST_ONE(one);
      win_load_q  `Q 1'b0;
      win_slot_q  `Q SlotBits'(`NUMBER_OF(one));
      win_state_q `Q WinBounds;
    end else if (slot_used_q != '1) begin
      resume = resume_rd_q != resume_wr_q;
      load_d = resume ? resume_mem[resume_rd_q] : load_sm_q;
      // The reply port shows load_sm_q only while the memory stage does not use it.
      if ((resume || (port_loads_d && loading_q)) && !outside(load_d) && !launch_cta_d) begin
        win_load_q   `Q 1'b1;
        win_resume_q `Q resume;
        win_sm_q     `Q load_d;
        one = ~slot_used_q;
        one = `FIRST_ONE(one);
        win_slot_q   `Q SlotBits'(`NUMBER_OF(one));
        win_reply_q  `Q {!reply_valid_i, TimeW'(reply_word_d.at[TimeW-1:0] + fill_delay_q)};
        win_state_q  `Q WinBounds;
      end
    end
  end
endtask

/// sub-cores to which a visit is under way; in the pipelined build without the visit chosen now,
/// which the last step sees if it matters
function automatic ctx_set_t visited();
`ifdef HEDDLE_NBA
  visited = ctx_busy_q;
`else
  visited = ctx_busy_q | ctx_busy_d;
`endif
endfunction

/// a visit to this SM, which has no slot, is under way
function automatic logic outside(input sm_t sm);
`ifdef HEDDLE_NBA
  outside = outside_q && outside_sm_q == sm;
`else
  outside = (outside_q || outside_d) && (outside_sm_q == sm || outside_sm_d == sm);
`endif
endfunction

// From when on its units have work.
task automatic window_bounds();
  bound_t launch;
  ctx_t   ctx;
  if (win_state_q == WinBounds) begin
    ctx = {win_slot_q, {SubBits{1'b0}}};
    if (win_load_q) begin
      parked_d = parked_mem[win_sm_q];
      launch   = {!launched_q[win_sm_q], launch_mem[win_sm_q]};
      for (int s = 0; s < SubPerSm; s++)
        win_q.subs[s*(TimeW+1) +: TimeW+1] `Q first(parked_d.subs[s*(TimeW+1) +: TimeW+1], launch);
      win_q.lsu   `Q parked_d.lsu;
      win_q.reply `Q win_resume_q ? parked_d.reply : win_reply_q;
      win_starved_q `Q '0;
      win_waits_q   `Q 1'b0;
    end else begin
      turn_q      `Q win_slot_q + 1'b1;
      for (int s = 0; s < SubPerSm; s++)
        win_q.subs[s*(TimeW+1) +: TimeW+1] `Q ctx_bound_q[ctx + CtxBits'(s)];
      win_q.lsu   `Q slot_lsu_q[win_slot_q];
      win_q.reply `Q slot_reply_q[win_slot_q];
      win_sm_q      `Q slot_sm_q[win_slot_q];
      win_starved_q `Q ctx_starved_q[ctx +: SubPerSm];
      win_waits_q   `Q slot_wait_q[win_slot_q];
    end
    win_launch_q `Q launch_cta_d;
    win_state_q  `Q WinTimes;
  end
endtask

// How far the units of the SM can go.
//
// What a sub-core does from its bound on reaches the memory stage StageDelay later, and what that
// does from its bound on reaches the sub-cores StageDelay later; a reply reaches both at once.
task automatic window_times();
  bound_t sub_bound;
  time_t  lsu_until, sub_until;
  if (win_state_q == WinTimes) begin
    // the first two and the last two; of two sub-cores these are the same
    sub_bound = first(first(win_q.subs[0 +: TimeW+1], win_q.subs[TimeW+1 +: TimeW+1]),
                      first(win_q.subs[(SubPerSm-2)*(TimeW+1) +: TimeW+1],
                            win_q.subs[(SubPerSm-1)*(TimeW+1) +: TimeW+1]));
    lsu_until = clip(first(first(plus(sub_bound, StageDelay), plus(win_q.lsu, RoundTrip)),
                           plus(win_q.reply, StageDelay)), window_end_q);
    sub_until = clip(first(first(plus(sub_bound, RoundTrip), plus(win_q.lsu, StageDelay)),
                           win_q.reply), window_end_q);
    win_lsu_until_q `Q lsu_until;
    win_sub_until_q `Q sub_until;
    win_next_q      `Q first(first(sub_bound, win_q.lsu), win_q.reply);
    win_launch_q    `Q win_launch_q || launch_cta_d;
    win_state_q     `Q WinWork;
  end
endtask

// Whether anything happens until then that does not wait for the host.
task automatic window_work();
  if (win_state_q == WinWork) begin
    win_lsu_work_q `Q (due(win_q.lsu, win_lsu_until_q) && !win_waits_q)
                      || (due(win_q.reply, win_lsu_until_q)
                          && !(win_waits_q && due(win_q.lsu, win_q.reply[TimeW-1:0])));
    for (int s = 0; s < SubPerSm; s++)
      win_sub_work_q[s] `Q due(win_q.subs[s*(TimeW+1) +: TimeW+1], win_sub_until_q)
                           && !win_starved_q[s];
    win_launch_q   `Q win_launch_q || launch_cta_d;
    win_state_q    `Q WinMove;
  end
endtask

// What follows, unless something has changed meanwhile. In a slot, when the memory stage is done,
// the sub-cores run; when they are done, the next short window begins. The SM leaves its slot when
// nothing is left in this window; or parked, when all that is left waits for the host.
task automatic window_move();
  if (win_state_q == WinMove) begin
    win_state_q `Q WinLook;
    if (win_load_q) begin
      if (!outside(win_sm_q) && !win_launch_q && !launch_cta_d) load_slot();
    end else if ((visited() & slot_set(win_slot_q)) == '0) begin
      if (!slot_open_q[win_slot_q]) begin
        open_slot();
      end else if (!due(win_next_q, window_end_q)) begin
        next_d = first(next_d, win_next_q);
        leave_slot();
      end else if (win_lsu_work_q || win_sub_work_q != '0) begin
        begin_window();
      end else begin
        parked_q[win_sm_q] `Q 1'b1;
        parked_count_q     `Q parked_count_q + 1'b1;
        leave_slot();
      end
    end
  end
endtask

// A short window of the SM.
task automatic begin_window();
  if (win_lsu_work_q) begin
    slot_end_q[win_slot_q]  `Q win_lsu_until_q;
    slot_open_q[win_slot_q] `Q 1'b0;
    slot_pass_q[win_slot_q] `Q 1'b1;
  end else begin
    open_slot();
  end
endtask

task automatic open_slot();
  slot_open_q[win_slot_q] `Q 1'b1;
  slot_end_q[win_slot_q]  `Q win_sub_until_q;
  ctx_runnable_d[{win_slot_q, {SubBits{1'b0}}} +: SubPerSm] = win_sub_work_q;
endtask

task automatic leave_slot();
  slot_used_q[win_slot_q] `Q 1'b0;
  parked_we_d = 1'b1;
  parked_sm_d = win_sm_q;
endtask

// The SM gets the slot if there is something to do before the window's end.
task automatic load_slot();
  if (due(win_next_q, window_end_q)) begin
    launched_q[win_sm_q]     `Q 1'b0;
    slot_used_q[win_slot_q]  `Q 1'b1;
    slot_sm_q[win_slot_q]    `Q win_sm_q;
    slot_lsu_q[win_slot_q]   `Q win_q.lsu;
    slot_reply_q[win_slot_q] `Q win_q.reply;
    for (int s = 0; s < SubPerSm; s++) begin
      ctx_starved_q[{win_slot_q, SubBits'(s)}] `Q 1'b0;
      ctx_bound_q[{win_slot_q, SubBits'(s)}]   `Q win_q.subs[s*(TimeW+1) +: TimeW+1];
    end
    slot_wait_q[win_slot_q] `Q 1'b0;
    begin_window();
  end else begin
    next_d = first(next_d, win_next_q);
  end
  if (win_resume_q) begin
    resume_rd_q `Q (resume_rd_q == SmBits'(MaxSm - 1)) ? '0 : resume_rd_q + 1'b1;
  end else begin
    loading_q `Q {1'b0, load_sm_q} + {1'b0, instances_q} <= {1'b0, last_sm_q};
    load_sm_q `Q load_sm_q + instances_q;
  end
endtask

// Idle: nothing is under way, and nothing more happens in this window without the host.
task automatic status();
  logic busy;
  busy = 1'b1;
  if (slot_used_q == '0 && ctx_busy_q == '0)
    busy = init || scrub_q || loading_q || go_i || resume_rd_q != resume_wr_q || flush_q
           || flush_d || cmd_busy || (cmd_valid_i && cmd_ready_o)
           || rewake_busy || again_busy || upd_rewake || go_again || outside_q || req_valid_o
           || told_d || want_q || perform_q || report_q || events_busy;
  idle_o   <= !busy;
  parked_o <= parked_count_q != resumed_count_q;
endtask
