// Stage 1, select: choose the next visit and read the row of its sub-core.
//
// Order: memory initialisation; scrubbing; the second half of a micro-operation; micro-operations
// of the memory stage; wake-ups; launches; the runnable sub-cores in turn. A sub-core has at most
// one visit in the pipeline (ctx_busy_q); of SMs that have no slot there is one visit in all. A
// visit every sixth clock (select_turn_d; in simulation every clock), see update.svh.
// Reads  the queues, ctx_runnable_q, ctx_bound_q, slot state, all scheduler rows.
// Writes sel_*_q, the read pointers of the queues, next_ctx_q, init state.
task automatic reset_select();
  init_q       `Q 1'b1;
  init_count_q `Q '0;
  micro_rd_q   `Q '0;
  wake_rd_q    `Q '0;
  rewake_rd_q  `Q '0;
  next_ctx_q   `Q '0;
  sel_valid_q  `Q 1'b0;
  room_q       `Q 1'b0;
endtask

task automatic stage_select();
  ctx_t  ctx;
  time_t  at;
  extra_t credit;
  logic   valid;
  valid   = 1'b0;
  ctx     = '0;
  at      = '0;
  credit  = '0;
  visit_d = '0;
  if (!select_turn_d) begin
    // stages 6 to 10 have a visit
  end else if (init_q) begin
    valid        = 1'b1;
    visit_d.kind = KindInit;
    {visit_d.sm, visit_d.sub, visit_d.warp} =
        {init_count_q[SmBits+InitBits-1:InitBits], init_count_q[SubBits+WarpBits-1:0]};
    visit_d.bar  = {1'b0, init_count_q[InitBits-1:InitBits-2]};
    init_q       `Q init_count_q != {SmBits'(MaxSm - 1), {InitBits{1'b1}}};
    init_count_q `Q init_count_q + 1'b1;
  end else if (scrub_q) begin
    valid = !scrub_last_q;
    scrub_visit();
  end else if (again_q) begin
    valid   = 1'b1;
    visit_d = again_visit_q;
    at      = again_at_q;
    ctx     = {visit_d.slot, visit_d.sub};
  end else if (room_q) begin
    if (micro_rd_q != micro_wr_q) begin
      visit_d = micro_mem[micro_rd_q];
      at      = micro_at_mem[micro_rd_q];
      credit  = micro_credit_mem[micro_rd_q];
      ctx     = {visit_d.slot, visit_d.sub};
      valid   = !ctx_busy_q[ctx];
      if (valid) micro_rd_q `Q micro_rd_q + 1'b1;
    end
    if (!valid && rewake_rd_q != rewake_wr_q) begin
      visit_d      = '0;
      visit_d.kind = KindWake;
      {visit_d.sm, visit_d.sub, visit_d.warp} = rewake_mem[rewake_rd_q];
      select_outside();
      ctx   = {visit_d.slot, visit_d.sub};
      valid = visit_d.in_slot ? !ctx_busy_q[ctx] : !outside_q;
      if (valid) rewake_rd_q `Q rewake_rd_q + 1'b1;
    end
    if (!valid && wake_rd_q != wake_wr_q) begin
      wake_d       = wake_mem[wake_rd_q];
      at           = wake_at_mem[wake_rd_q];
      visit_d      = '0;
      visit_d.kind = wake_d.launch ? KindLaunch : KindWake;
      visit_d.cta  = wake_d.cta;
      visit_d.delta = wake_d.constants;
      {visit_d.sm, visit_d.sub, visit_d.warp} = {wake_d.sm, wake_d.warp};
      select_outside();
      ctx   = {visit_d.slot, visit_d.sub};
      valid = visit_d.in_slot ? !ctx_busy_q[ctx] : !outside_q;
      if (valid) wake_rd_q `Q wake_rd_q + 1'b1;
    end
    if (!valid) begin
      visit_d = '0;
      select_ctx(valid, ctx);
      at = ctx_bound_q[ctx][TimeW-1:0];
    end
  end
  sel_valid_q `Q valid;
  if (valid) begin
    if (visit_d.in_slot) ctx_busy_d[ctx] = 1'b1;
    else if (visit_d.kind != KindInit && visit_d.kind != KindScrub) begin
      outside_d    = 1'b1;
      outside_sm_d = visit_d.sm;
      outside_q    `Q 1'b1;
      outside_sm_q `Q visit_d.sm;
    end
    select_row(at, credit);
  end
endtask

// Whether the SM of visit_d has a slot, and which.
task automatic select_outside();
  for (int s = 0; s < NumSlots; s++)
    if (slot_used_q[s] && slot_sm_q[s] == visit_d.sm) begin
      visit_d.in_slot = 1'b1;
      visit_d.slot    = SlotBits'(s);
    end
endtask

// Whether the queues have room for what visits push: half is enough for those in the pipeline.
task automatic note_room();
  logic [WakeBits-1:0] rewakes;
  rewakes = rewake_wr_q - rewake_rd_q;
  room_q `Q !events_half && !rewakes[WakeBits-1];
endtask

// The next runnable sub-core in turn.
task automatic select_ctx(output logic valid, output ctx_t ctx);
  ctx_set_t waiting, behind, one;
  waiting = ctx_runnable_q & ~ctx_busy_q;
  behind  = waiting & ({NumCtx{1'b1}} << next_ctx_q);
  one     = (behind != '0) ? behind : waiting;
  one     = one & (~one + 1'b1);
  ctx     = CtxBits'({|(16'(one) & 16'hff00), |(16'(one) & 16'hf0f0), |(16'(one) & 16'hcccc),
                      |(16'(one) & 16'haaaa)});
  valid   = waiting != '0;
  if (valid) begin
    visit_d.kind    = KindIssue;
    visit_d.in_slot = 1'b1;
    visit_d.slot    = ctx[CtxBits-1:SubBits];
    visit_d.sub     = ctx[SubBits-1:0];
    visit_d.sm      = slot_sm_q[visit_d.slot];
    next_ctx_q `Q ctx + 1'b1;
  end
endtask

task automatic select_row(input time_t at, input extra_t credit);
  row_t row;
  row = {visit_d.sm, visit_d.sub};
  sel_visit_q  `Q visit_d;
  sel_at_q     `Q at;
  sel_credit_q `Q credit;
  sel_end_q    `Q slot_end_q[visit_d.slot];
  sel_sched_q  `Q sched_mem[row];
  if (visit_d.kind == KindIssue) begin
    sel_ready_q `Q ready_mem[row];
    sel_after_q `Q next_mem[row];
  end
endtask
