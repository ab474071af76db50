// Stages 9 and 10, the rest: every other memory is written here, once, then the sub-core's bound.

task automatic update_rows();
  logic [CodeBits-1:0] set;
  if (!up_scrub_d) begin
    `LANE(class_mem, up_row_d, fet_visit_q.warp, WarpsPerSub, 4, up_lane_d)
  end
  if (up_free_we_d) begin
    `LANE(free_mem, up_row_d, up_pipe_d, NumPipes, TimeW, up_free_d)
  end
  if (up_sched_we_d)  sched_mem[up_row_d]  `Q up_sched_d;
  if (up_credit_we_d) credit_mem[up_row_d] `Q up_credit_d;
  if (up_issue_d || up_missed_d || up_init_d) next_mem[up_row_d] `Q up_next_d;
  if (up_issue_d || up_missed_d || up_init_d || up_scrub_d) wrote_mem[up_row_d] `Q up_wrote_d;
  if (up_issue_d || up_init_d || up_scrub_d) begin
    bank0_mem[up_row_d] `Q up_bank0_d;
    bank1_mem[up_row_d] `Q up_bank1_d;
  end
  if (up_kept_we_d) begin
    kept0_mem[up_row_d] `Q up_kept0_d;
    kept1_mem[up_row_d] `Q up_kept1_d;
  end
  set = code_set(fet_operands_q.line[CodeBits-1:0]);
  if (up_init_d) set = CodeBits'({fet_visit_q.bar[1:0], fet_visit_q.warp});
  if (up_code_we_d || up_init_d) code_mem[{up_row_d, set}] `Q up_code_d;
  if (up_missed_d || up_init_d || up_scrub_d)
    const_mem[{up_row_d, up_init_d || up_scrub_d ? fet_visit_q.warp[ConstBits-1:0]
                                   : const_set(fet_operands_q.constant[ConstBits-1:0])}]
      `Q up_const_d;
  if (up_stream_we_d || up_init_d) stream_mem[up_row_d] `Q up_stream_d;
  if (up_await_we_d || up_init_d)  await_mem[up_row_d]  `Q up_await_d;
  if (up_ask_we_d || up_init_d) ask_store();
  mio_store();
endtask

// An ask for code leaves for the SM's cache.
task automatic ask_store();
  logic [SubPerSm*AskBits-1:0] sent;
  logic [AskBits-1:0]          entry;
  sent  = up_init_d ? '0 : asks_mem[fet_visit_q.sm];
  entry = sent[fet_visit_q.sub*AskBits +: AskBits];
  ask_mem[{up_row_d, entry}] `Q ask_d;
  case (2'(fet_visit_q.sub))
    2'd0:    ask0_mem[{fet_visit_q.sm, entry}] `Q fet_at_q + code_way_q;
    2'd1:    ask1_mem[{fet_visit_q.sm, entry}] `Q fet_at_q + code_way_q;
    2'd2:    ask2_mem[{fet_visit_q.sm, entry}] `Q fet_at_q + code_way_q;
    default: ask3_mem[{fet_visit_q.sm, entry}] `Q fet_at_q + code_way_q;
  endcase
  if (!up_init_d) sent[fet_visit_q.sub*AskBits +: AskBits] = entry + 1'b1;
  asks_mem[fet_visit_q.sm] `Q sent;
endtask

task automatic update_warp();
  board_mem[up_id_d] `Q up_board_d;
  stall_mem[up_id_d] `Q up_stall_d;
  needs_mem[up_id_d] `Q up_board_d.live && !up_board_d.has;
  if (up_take_d)      head_mem[up_id_d]  `Q up_head_d;
  if (up_count_we_d)  count_mem[up_id_d] `Q up_counts_d;
  if (up_until_we_d)  until_mem[up_id_d] `Q up_until_d;
  if (up_lines_we_d)  lines_mem[up_id_d] `Q up_lines_d;
  if (up_banks_we_d)  banks_mem[up_id_d] `Q up_banks_d;
endtask

// The sub-core may have something to do earlier now; the visit is over.
task automatic update_context();
  bound_t bound;
  logic   starved;
  if (fet_visit_q.in_slot) begin
    case (fet_visit_q.kind)
      KindCount:  if (fet_visit_q.bar != NoBar && up_waits_d) note_bound();
      KindResume: note_bound();
      default: ;
    endcase
    starved = ctx_starved_q[up_ctx_d] && fet_visit_q.kind != KindWake;
    if (fet_visit_q.kind == KindWake) slot_wait_q[fet_visit_q.slot] `Q 1'b0;
    bound   = first(ctx_bound_q[up_ctx_d], up_bound_d);
    if (fet_visit_q.kind != KindIssue) begin
      ctx_starved_q[up_ctx_d]  `Q starved;
      ctx_bound_q[up_ctx_d]    `Q bound;
      ctx_runnable_d[up_ctx_d] = slot_open_q[fet_visit_q.slot] && !starved
                                 && due(bound, slot_end_q[fet_visit_q.slot]);
    end else if (up_late_d || up_sched_d.held != '0) begin
      // Another warp may issue in place of the one whose code was not there. Nothing may before
      // operands that are late have been read, or while the sub-core waits for a constant; stage 2
      // sees to that anyway.
      bound = {1'b0, up_late_d && !up_missed_d ? fet_at_q : up_next_d[TimeW-1:0]};
      ctx_bound_q[up_ctx_d]    `Q bound;
      ctx_runnable_d[up_ctx_d] = due(bound, slot_end_q[fet_visit_q.slot]);
    end
    if (fet_visit_q.micro) slot_done_q[fet_visit_q.slot] `Q slot_done_q[fet_visit_q.slot] + 1'b1;
    if (fet_visit_q.micro || fet_visit_q.kind != KindCount) ctx_busy_d[up_ctx_d] = 1'b0;
  end else begin
    outside_q `Q 1'b0;
    if (fet_visit_q.kind == KindWake && parked_q[fet_visit_q.sm]) begin
      // Only now, with its warp at hand, may the SM go on.
      parked_q[fet_visit_q.sm] `Q 1'b0;
      resume_mem[resume_wr_q]  `Q fet_visit_q.sm;
      resume_wr_q     `Q (resume_wr_q == SmBits'(MaxSm - 1)) ? '0 : resume_wr_q + 1'b1;
      resumed_count_q `Q resumed_count_q + 1'b1;
    end
  end
endtask

task automatic note_bound();
  if (!up_issue_at_d[0]) up_bound_d = first(up_bound_d, {1'b0, up_ready_d});
endtask
