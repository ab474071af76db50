// What visits change in the state of the engine itself: contexts of open sub-cores, queues to the
// memory stage and to the host.
task automatic reset_visits();
  micro_rd_q      `Q '0;
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
  if (row_valid) effects_of_row();
endtask

task automatic effects_of_select();
  if (scrub_q) scrub_step();
  if (micro_pop) micro_rd_q `Q micro_rd_q + 1'b1;
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

// Stage update: queues to the memory stage, and to the host.
task automatic effects_of_update();
  logic [SubPerSm*QueueBits-1:0] sent;
  logic [SubPerSm*AskBits-1:0]   asks;
  logic [AskBits-1:0]            entry;
  logic [6:0]                    ends;
  logic                          initial_visit;
  initial_visit = upd_init;
  if (upd_issue && upd_mio) queue_mem[{upd_sm, upd_sub, upd_entry}] `Q upd_op;
  if (upd_arrive_we) begin
    sent = sent_mem[upd_sm];
    sent[upd_sub*QueueBits +: QueueBits] = upd_sent;
    sent_mem[upd_sm] `Q sent;
    case (2'(upd_sub))
      2'd0:    arrive0_mem[{upd_sm, upd_arrive_entry}] `Q upd_arrive;
      2'd1:    arrive1_mem[{upd_sm, upd_arrive_entry}] `Q upd_arrive;
      2'd2:    arrive2_mem[{upd_sm, upd_arrive_entry}] `Q upd_arrive;
      default: arrive3_mem[{upd_sm, upd_arrive_entry}] `Q upd_arrive;
    endcase
  end
  if (upd_ask || initial_visit) begin
    asks  = initial_visit ? '0 : asks_mem[upd_sm];
    entry = asks[upd_sub*AskBits +: AskBits];
    ask_mem[{upd_sm, upd_sub, entry}] `Q upd_ask_word;
    case (2'(upd_sub))
      2'd0:    ask0_mem[{upd_sm, entry}] `Q upd_at + code_way_q;
      2'd1:    ask1_mem[{upd_sm, entry}] `Q upd_at + code_way_q;
      2'd2:    ask2_mem[{upd_sm, entry}] `Q upd_at + code_way_q;
      default: ask3_mem[{upd_sm, entry}] `Q upd_at + code_way_q;
    endcase
    if (!initial_visit) asks[upd_sub*AskBits +: AskBits] = entry + 1'b1;
    asks_mem[upd_sm] `Q asks;
  end
  if ((upd_issue && upd_head.last) || initial_visit) begin
    ends = exit_wr_mem[upd_sm];
    exit_mem[{upd_sm, ends}] `Q {upd_at, upd_cta};
    exit_wr_mem[upd_sm]      `Q initial_visit ? '0 : ends + 1'b1;
  end
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
