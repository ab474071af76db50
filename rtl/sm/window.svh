// Windows: which SMs have a slot, and how far each may run ahead.
//
// The top opens a window; all SMs are looked at once, and one with something to do before its end
// gets a slot. There it runs in short windows: first the memory stage as far as is safe
// (slot_pass_q), then the sub-cores (slot_open_q). When nothing is left to do before the window's
// end the SM leaves its slot. It also leaves when all that is left waits for the host: it is
// parked, other SMs go on, and a wake-up brings it back.
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
  idle_o         <= 1'b0;
  parked_o       <= 1'b0;
  next_o         <= Never;
endtask

/// a bound and a number of cycles
function automatic bound_t plus(input bound_t a, input time_t cycles);
  plus = {a[TimeW], a[TimeW-1:0] + cycles};
endfunction

/// the earlier of a bound and the window's end
function automatic time_t clip(input bound_t a, input time_t window_end);
  clip = due(a, window_end) ? a[TimeW-1:0] : window_end;
endfunction

/// the slots of a set of contexts
function automatic logic [NumSlots-1:0] slots_in(input ctx_set_t set);
  slots_in = {|set[15:12], |set[11:8], |set[7:4], |set[3:0]};
endfunction

task automatic window();
  logic [NumSlots-1:0] still, quiet, behind, one;
  slot_t slot;
  next_d      = first(next_q, next_launch_d);
  parked_we_d = 1'b0;
  if (init_d) begin
    parked_we_d    = 1'b1;
    parked_sm_d    = sel_visit_q.sm;
    parked_d.sub0  = Never;
    parked_d.sub1  = Never;
    parked_d.sub2  = Never;
    parked_d.sub3  = Never;
    parked_d.lsu   = Never;
    parked_d.reply = Never;
  end else begin
    // Only the sub-cores of an open slot are runnable.
    still = slot_used_q & ~slot_pass_q & ~slots_in(ctx_busy_q | ctx_busy_d | ctx_runnable_d);
    quiet = '0;
    if (still != '0)
      for (int s = 0; s < NumSlots; s++)
        quiet[s] = still[s] && slot_sent_q[s] == slot_done_q[s];
    if (quiet != '0) begin
      behind = quiet & ({NumSlots{1'b1}} << turn_q);
      one    = (behind != '0) ? behind : quiet;
      one    = one & (~one + 1'b1);
      slot   = {one[3] | one[2], one[3] | one[1]};
      turn_q `Q slot + 1'b1;
      move_slot(slot);
    end else if (slot_used_q != '1) begin
      load_slot();
    end
  end
  if (parked_we_d) parked_mem[parked_sm_d] `Q parked_d;
  if (go_i) begin
    window_end_q `Q window_end_i;
    loading_q    `Q 1'b1;
    load_sm_q    `Q instance_q;
    next_d = Never;
  end
  next_q `Q next_d;
  next_o <= next_d;
  status();
endtask

// The memory stage is done: the sub-cores run. The sub-cores are done: the next short window.
task automatic move_slot(input slot_t slot);
  bound_t next;
  ctx_t   ctx;
  ctx = {slot, {SubBits{1'b0}}};
  parked_d.sub0  = ctx_bound_q[ctx];
  parked_d.sub1  = ctx_bound_q[ctx + 4'd1];
  parked_d.sub2  = ctx_bound_q[ctx + 4'd2];
  parked_d.sub3  = ctx_bound_q[ctx + 4'd3];
  parked_d.lsu   = slot_lsu_q[slot];
  parked_d.reply = slot_reply_q[slot];
  short_windows(ctx_starved_q[ctx +: SubPerSm], slot_wait_q[slot]);
  if (!slot_open_q[slot]) begin
    open_slot(slot, ctx_starved_q[ctx +: SubPerSm]);
  end else begin
    next = first(first(sub_bound_d, parked_d.lsu), parked_d.reply);
    if (!due(next, window_end_q)) begin
      next_d = first(next_d, next);
      leave_slot(slot);
    end else if (lsu_work_d || sub_work_d) begin
      begin_window(slot, ctx_starved_q[ctx +: SubPerSm]);
    end else begin
      parked_q[slot_sm_q[slot]] `Q 1'b1;
      parked_count_q            `Q parked_count_q + 1'b1;
      leave_slot(slot);
    end
  end
endtask

// How far the units of the SM in parked_d can go, and whether anything happens until then that
// does not wait for the host.
//
// What a sub-core does from its bound on reaches the memory stage StageDelay later, and what that
// does from its bound on reaches the sub-cores StageDelay later; a reply reaches both at once.
task automatic short_windows(input logic [SubPerSm-1:0] starved, input logic waits);
  sub_bound_d = first(first(parked_d.sub0, parked_d.sub1), first(parked_d.sub2, parked_d.sub3));
  lsu_until_d = clip(first(first(plus(sub_bound_d, StageDelay), plus(parked_d.lsu, RoundTrip)),
                           plus(parked_d.reply, StageDelay)), window_end_q);
  sub_until_d = clip(first(first(plus(sub_bound_d, RoundTrip), plus(parked_d.lsu, StageDelay)),
                           parked_d.reply), window_end_q);
  lsu_work_d  = (due(parked_d.lsu, lsu_until_d) && !waits)
                || (due(parked_d.reply, lsu_until_d)
                    && !(waits && due(parked_d.lsu, parked_d.reply[TimeW-1:0])));
  sub_work_d  = (due(parked_d.sub0, sub_until_d) && !starved[0])
                || (due(parked_d.sub1, sub_until_d) && !starved[1])
                || (due(parked_d.sub2, sub_until_d) && !starved[2])
                || (due(parked_d.sub3, sub_until_d) && !starved[3]);
endtask

// A short window of the SM whose bounds are in parked_d.
task automatic begin_window(input slot_t slot, input logic [SubPerSm-1:0] starved);
  if (lsu_work_d) begin
    slot_end_q[slot]   `Q lsu_until_d;
    slot_open_q[slot]  `Q 1'b0;
    slot_pass_q[slot]  `Q 1'b1;
  end else begin
    open_slot(slot, starved);
  end
endtask

task automatic open_slot(input slot_t slot, input logic [SubPerSm-1:0] starved);
  slot_open_q[slot]  `Q 1'b1;
  slot_end_q[slot]   `Q sub_until_d;
  ctx_runnable_d[{slot, 2'd0}] = due(parked_d.sub0, sub_until_d) && !starved[0];
  ctx_runnable_d[{slot, 2'd1}] = due(parked_d.sub1, sub_until_d) && !starved[1];
  ctx_runnable_d[{slot, 2'd2}] = due(parked_d.sub2, sub_until_d) && !starved[2];
  ctx_runnable_d[{slot, 2'd3}] = due(parked_d.sub3, sub_until_d) && !starved[3];
endtask

task automatic leave_slot(input slot_t slot);
  slot_used_q[slot]  `Q 1'b0;
  parked_we_d = 1'b1;
  parked_sm_d = slot_sm_q[slot];
endtask

// An empty slot takes an SM that was woken up, else the next one that was not looked at.
task automatic load_slot();
  bound_t next, launch;
  slot_t  slot;
  logic   resume;
  resume = resume_rd_q != resume_wr_q;
  load_d = resume ? resume_mem[resume_rd_q] : load_sm_q;
  slot   = !slot_used_q[0] ? 2'd0 : !slot_used_q[1] ? 2'd1 : !slot_used_q[2] ? 2'd2 : 2'd3;
  // The reply port shows load_sm_q only while the memory stage does not use it.
  if ((resume || (port_loads_d && loading_q))
      && !((outside_q || outside_d) && (outside_sm_q == load_d || outside_sm_d == load_d))
      && !launch_cta_d) begin
    parked_d = parked_mem[load_d];
    launch   = {!launched_q[load_d], launch_mem[load_d]};
    parked_d.sub0 = first(parked_d.sub0, launch);
    parked_d.sub1 = first(parked_d.sub1, launch);
    parked_d.sub2 = first(parked_d.sub2, launch);
    parked_d.sub3 = first(parked_d.sub3, launch);
    if (!resume) parked_d.reply = {!reply_valid_i, reply_word_d.at + fill_delay_q};
    short_windows('0, 1'b0);
    next = first(first(sub_bound_d, parked_d.lsu), parked_d.reply);
    if (due(next, window_end_q)) begin
      launched_q[load_d] `Q 1'b0;
      slot_used_q[slot]  `Q 1'b1;
      slot_sm_q[slot]    `Q load_d;
      slot_lsu_q[slot]   `Q parked_d.lsu;
      slot_reply_q[slot] `Q parked_d.reply;
      for (int s = 0; s < SubPerSm; s++) ctx_starved_q[{slot, SubBits'(s)}] `Q 1'b0;
      ctx_bound_q[{slot, 2'd0}] `Q parked_d.sub0;
      ctx_bound_q[{slot, 2'd1}] `Q parked_d.sub1;
      ctx_bound_q[{slot, 2'd2}] `Q parked_d.sub2;
      ctx_bound_q[{slot, 2'd3}] `Q parked_d.sub3;
      slot_wait_q[slot] `Q 1'b0;
      begin_window(slot, '0);
    end else begin
      next_d = first(next_d, next);
    end
    if (resume) begin
      resume_rd_q `Q (resume_rd_q == SmBits'(MaxSm - 1)) ? '0 : resume_rd_q + 1'b1;
    end else begin
      loading_q `Q {1'b0, load_sm_q} + {1'b0, instances_q} <= {1'b0, last_sm_q};
      load_sm_q `Q load_sm_q + instances_q;
    end
  end
endtask

// Idle: nothing is under way, and nothing more happens in this window without the host.
task automatic status();
  logic busy;
  busy = 1'b1;
  if (slot_used_q == '0 && ctx_busy_q == '0)
    busy = init_q || loading_q || go_i || resume_rd_q != resume_wr_q || flush_q || flush_d
           || beat_valid_q || (cmd_valid_i && cmd_ready_o) || wake_rd_q != wake_wr_q
           || rewake_rd_q != rewake_wr_q || outside_q || events_d || req_valid_o;
  idle_o   <= !busy;
  parked_o <= parked_count_q != resumed_count_q;
endtask
