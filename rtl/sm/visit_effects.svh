// What visits change in the state of the engine itself: contexts of open sub-cores, queues to the
// memory stage and to the host.
task automatic reset_visits();
  wake_rd_q       `Q '0;
  room_q          `Q 1'b0;
  ctx_busy_q      `Q '0;
  outside_q       `Q 1'b0;
  resume_wr_q     `Q '0;
  resumed_count_q `Q '0;
  for (int s = 0; s < NumSlots; s++) slot_done_q[s] `Q '0;
endtask

task automatic visit_effects();
  effects_of_select();
  effects_of_choose();
  if (upd_valid) effects_of_update();
  if (rdy_valid && !rdy_stopped) hint_packet();
  if (row_valid) effects_of_row();
endtask

task automatic effects_of_select();
  if (scrub_q) scrub_step();
  if (wake_pop)  wake_rd_q  `Q wake_rd_q + 1'b1;
  if (sel_valid) begin
    if (sel_in_slot) ctx_busy_d[sel_ctx] = 1'b1;
    else if (sel_kind != KindInit && sel_kind != KindScrub) begin
      outside_d    = 1'b1;
      outside_sm_d = sel_sm;
      outside_q    `Q 1'b1;
      outside_sm_q `Q sel_sm;
    end
  end
endtask

// A sub-core was looked at.
task automatic effects_of_choose();
  if (go_mark) begin
    ctx_bound_q[cho_ctx]    `Q go_bound;
    ctx_runnable_d[cho_ctx] = go_runnable;
    if (!go) ctx_busy_d[cho_ctx] = 1'b0;
    if (go_starved) ctx_starved_q[cho_ctx] `Q 1'b1;
  end
endtask

// Stage update: queues to the host.
task automatic effects_of_update();
  needs_mem[upd_id] `Q upd_needs;
  if (upd_want) begin
    want_q      <= 1'b1;
    want_word_q <= {upd_sm, upd_warp, upd_sub, upd_want_word};
    told_d = 1'b1;
  end
  if (upd_issue && !upd_mio && upd_head.perform) begin
    perform_q      <= 1'b1;
    perform_word_q <= {upd_at, upd_sm, upd_warp, upd_sub, upd_head.slot};
    told_d = 1'b1;
  end
  issue_valid_o <= upd_issue;
  issue_sm_o    <= 8'(upd_sm);
  issue_warp_o  <= {upd_warp, upd_sub};
  issue_time_o  <= in_full(upd_at);
endtask

// The sub-core may have something to do earlier now; the visit is over.
task automatic effects_of_row();
  bound_t bound;
  logic   starved;
  if (row_in_slot) begin
    bound = row_bound;
    // The visited warp may go on.
    if (!row_own[0] && (row_kind == KindResume
                        || (row_kind == KindCount && row_arg.bar != NoBar && row_waits)))
      bound = first(bound, {1'b0, row_own_at});
    starved = ctx_starved_q[row_ctx] && row_kind != KindWake;
    if (row_kind == KindWake) slot_wait_q[row_slot] `Q 1'b0;
    bound   = first(ctx_bound_q[row_ctx], bound);
    if (row_kind != KindIssue) begin
      ctx_starved_q[row_ctx]  `Q starved;
      ctx_bound_q[row_ctx]    `Q bound;
      ctx_runnable_d[row_ctx] = slot_open_q[row_slot] && !starved
                                && due(bound, slot_end_q[row_slot]);
    end else if (row_stays) begin
      // Another warp may issue in place of the one whose code was not there. Nothing may before
      // operands that are late have been read, or while the sub-core waits for a constant; stage
      // relative sees to that anyway.
      bound = {1'b0, row_next_we ? row_next[TimeW-1:0] : row_at};
      ctx_bound_q[row_ctx]    `Q bound;
      ctx_runnable_d[row_ctx] = due(bound, slot_end_q[row_slot]);
    end
    if (row_arg.micro) slot_done_q[row_slot] `Q slot_done_q[row_slot] + 1'b1;
    if (row_arg.micro || row_kind != KindCount) ctx_busy_d[row_ctx] = 1'b0;
  end else begin
    if (row_kind != KindInit && row_kind != KindScrub) outside_q `Q 1'b0;
    if (row_kind == KindWake && parked_q[row_sm]) begin
      // Only now, with its warp at hand, may the SM go on.
      parked_q[row_sm]  `Q 1'b0;
      resume_mem[resume_wr_q] `Q row_sm;
      resume_wr_q     `Q (resume_wr_q == SmBits'(MaxSm - 1)) ? '0 : resume_wr_q + 1'b1;
      resumed_count_q `Q resumed_count_q + 1'b1;
    end
  end
endtask

// Whether the queues have room for what visits push: half is enough for those under way.
task automatic note_room();
  room_q `Q !events_half && !rewake_half;
endtask

// What the memory stage changes in the state of slots.
task automatic memory_effects();
  if (row_push != Never) slot_lsu_q[row_slot] `Q first(slot_lsu_q[row_slot], row_push);
  if (act_end) begin
    slot_lsu_q[act_slot]   `Q first(first(slot_lsu_q[act_slot], act_first),
                                    row_slot == act_slot ? row_push : Never);
    slot_reply_q[act_slot] `Q act_next_fill;
    slot_pass_q[act_slot]  `Q 1'b0;
    slot_wait_q[act_slot]  `Q act_no_word;
  end
  if (micro_push) slot_sent_q[act_slot] `Q slot_sent_q[act_slot] + 1'b1;
  if (report) told_d = 1'b1;
endtask
