// Stages 8 to 10, update, ready and row: the warp and its sub-core after an issue, a wake-up, a
// launch, a micro-operation.
//
// What they hand on to each other, up_*_d, and the registers of stage 5 keep their values for the
// five clocks that a visit takes here and in stages 6 and 7: stage 1 chooses a visit every sixth
// clock (VisitClocks), so that the second of two visits (again_q) is fetched behind the row of the
// first. In simulation it chooses one every clock, since there a visit passes all stages in one.
//
// A counter is a number of operations whose end is unknown, and the latest known end. A warp whose
// next instruction waits for a number stands still; else it is ready at a known time.
// Reads  fet_*_q, what stage 7 found, the class table.
// Writes all scheduler rows and warp memories, the queues to the memory stage and to the host.
task automatic reset_pipeline();
  key_valid_q   `Q 1'b0;
  min_valid_q   `Q 1'b0;
  cho_valid_q   `Q 1'b0;
  fet_valid_q   `Q 1'b0;
  cod_valid_q   `Q 1'b0;
  up_update_valid_q `Q 1'b0;
  up_ready_valid_q  `Q 1'b0;
  up_row_valid_q    `Q 1'b0;
  again_q       `Q 1'b0;
  ctx_busy_q    `Q '0;
  outside_q     `Q 1'b0;
  rewake_wr_q   `Q '0;
  resume_wr_q   `Q '0;
  resumed_count_q `Q '0;
  for (int s = 0; s < NumSlots; s++) slot_done_q[s] `Q '0;
endtask

task automatic stage_update();
  if (up_update_valid_q) begin
    up_head_d   = fet_head_q;
    up_counts_d = fet_counts_q;
    up_until_d  = fet_until_q;
    up_sched_d  = fet_sched_q;
`ifdef HEDDLE_NBA
    up_add_bar_d  = NoBar;
    up_hold_bar_d = NoBar;
    up_end_bar_d  = NoBar;
    up_read_bar_d = NoBar;
`endif
    up_take_d   = 1'b0;
    up_enter_d  = 1'b0;
    up_init_d   = 1'b0;
    up_scrub_d  = 1'b0;
    up_park_d   = 1'b0;
    up_issue_d  = 1'b0;
    up_exit_d   = 1'b0;
    up_count_we_d  = 1'b0;
    up_until_we_d  = 1'b0;
    up_lines_we_d  = 1'b0;
    up_sched_we_d  = 1'b0;
    up_free_we_d   = 1'b0;
    up_credit_we_d = 1'b0;
    up_banks_we_d  = 1'b0;
    case (fet_visit_q.kind)
      KindIssue: begin
        if (up_late_d) up_kept_we_d = 1'b0;
        if (up_missed_d) constant_missed();
        else if (!up_late_d) update_issue();
      end
      KindCount:  update_count();
      KindResume: begin
        up_board_d.waiting = 1'b0;
        up_stall_d         = latest(fet_stall_q, fet_at_q);
        if (!earlier(fet_at_q, fet_stall_q)) up_board_d.cause = WaitBarrier;
      end
      KindWake:   up_take_d = fet_board_q.live && !fet_board_q.has;
      KindCode:   ;  // stage 7 has seen to it
      KindLaunch: update_launch();
      KindScrub:  update_scrub();
      default:    update_init();
    endcase
    if (up_take_d) update_take();
    if (push_d != Never) push_slot_d = fet_visit_q.slot;
  end
  up_ready_valid_q `Q up_update_valid_q;
endtask

// Stage 9, ready: when the warp may issue next.
task automatic stage_ready();
  if (up_ready_valid_q) begin
`ifdef HEDDLE_NBA
    update_counters();
`endif
    update_ready();
    update_warp();
  end
  up_row_valid_q `Q up_ready_valid_q;
endtask

// Stage 10, row: the row of the sub-core; the visit is over.
task automatic stage_row();
  if (up_row_valid_q) begin
    update_row();
    update_rows();
    update_context();
  end
endtask

// A warp instruction issues.
task automatic update_issue();
  time_t      ends_at;
  logic [3:0] stall;
  up_issue_d    = 1'b1;
  up_take_d     = 1'b1;
  up_board_d.fetched  = 1'b0;
  up_board_d.constant = 1'b0;
  up_pipe_d     = up_class_d.pipe;
  up_next_d     = in_full(up_at_d) + 1'b1;
  up_free_d     = up_at_d + TimeW'(up_class_d.interval);
  up_free_we_d  = up_pipe_d < 4'(NumPipes);
  ends_at       = up_at_d + TimeW'(up_class_d.latency);
  stall         = fet_head_q.stall;
  if (stall == '0) stall = 4'd1;
  if (fet_head_q.do_yield && stall == 4'd1) stall = 4'd2;
  up_stall_d = up_at_d + TimeW'(stall);
  if (up_class_d.blocking) up_stall_d = latest(up_stall_d, ends_at);
  if (up_class_d.sleeping)
    up_stall_d = latest(up_stall_d, up_at_d + TimeW'({fet_head_q.lines, fet_head_q.passes,
        fet_head_q.bar_id, fet_head_q.bar_arrive, fet_head_q.bar_warps}));
  up_sched_we_d    = 1'b1;
  up_sched_d.fresh = fet_head_q.do_yield;
  up_sched_d.last  = fet_visit_q.warp;
  up_sched_d.held  = 4'(up_at_d - fet_at_q);
  up_sched_d.missed = 1'b0;
  up_board_d.consumed = fet_board_q.consumed + 1'b1;
  if (up_pipe_d == MioPipe) begin
    mio_issue();
  end else begin
    note_end(fet_head_q.wr_bar, ends_at);
    note_read(fet_head_q.rd_bar, up_at_d + OperandDelay);
    if (fet_head_q.perform) begin
      perform_q      <= 1'b1;
      perform_word_q <= {fet_at_q, fet_visit_q.sm, fet_visit_q.warp, fet_visit_q.sub,
                         fet_head_q.slot};
      told_d = 1'b1;
    end
  end
  note_gap();
  note_cause();
  write_note();
  if (fet_head_q.last) begin
    up_board_d.live = 1'b0;
    push_exit();
  end
  issue_valid_o <= 1'b1;
  issue_sm_o    <= 8'(fet_visit_q.sm);
  issue_warp_o  <= {fet_visit_q.warp, fet_visit_q.sub};
  issue_time_o  <= in_full(fet_at_q);
endtask

// A micro-operation adds to a counter and perhaps gives a credit.
task automatic update_count();
  time_t at;
  at = fet_at_q;
  if (fet_visit_q.credit) mio_credit();
  if (up_enter_d && fet_late_bar_q != NoBar) at = up_unit_d + au_release_q;
  add_count(fet_visit_q.bar, {{(CountW-7){fet_visit_q.delta[6]}}, fet_visit_q.delta});
  if (fet_visit_q.timed) note_end(fet_visit_q.bar, at);
  if (fet_visit_q.lines != '0) begin
    up_lines_d      = fet_lines_q;
    up_lines_d.used = fet_lines_q.used + 16'(fet_visit_q.lines);
    up_lines_we_d   = 1'b1;
    // Half of the line words were used up since the host heard of it. The host may deliver packets
    // as well then. The write pointer must not come round to `told`, which would look like a
    // delivery of which the host knows already.
    if (16'(up_lines_d.used - fet_lines_q.told) >= 16'(1 << (BufferBits - 1))) begin
      update_want();
      if (fet_board_q.told != fet_written_q) up_board_d.told = fet_written_q - 1'b1;
    end
  end
endtask

// A warp becomes live. Packets may have come before. Its counters are 0, as the last instruction of
// the warp that had its number before has left them, but for that one's stores.
task automatic update_launch();
  up_board_d.cta      = fet_visit_q.cta;
  up_board_d.live     = 1'b1;
  up_board_d.waiting  = 1'b0;
  up_board_d.has      = 1'b0;
  up_board_d.hold     = 1'b0;
  up_board_d.fetched  = 1'b0;
  up_board_d.constant = 1'b0;
  up_board_d.constants = fet_visit_q.delta;
  up_board_d.cause    = WaitNoWarp;
  up_board_d.told     = fet_written_q - 1'b1;
  up_stall_d          = fet_at_q;
  up_banks_d          = '0;
  up_banks_we_d       = 1'b1;
  up_take_d           = 1'b1;
endtask

// Clear the lanes and ring entries that belong to the warp number of an initialisation visit.
task automatic update_init();
  up_init_d     = 1'b1;
  up_board_d    = '0;
  up_sched_d    = '0;
  up_bank0_d    = '0;
  up_bank1_d    = '0;
  up_kept0_d    = '0;
  up_kept1_d    = '0;
  up_kept_we_d  = 1'b1;
  up_wrote_d    = '0;
  up_code_d     = '0;
  up_stream_d   = '0;
  up_stream_d.base  = LineNoW'(-1 - CodeAhead);
  up_stream_d.ahead = {CodeAhead{Never}};
  up_await_d    = '0;
  up_const_d    = '0;
  up_next_d     = '0;
  ask_d         = '0;
  up_sched_we_d = 1'b1;
  up_free_d     = '0;
  up_unit_d     = LongAgo;
  up_pipe_d     = 4'(fet_visit_q.warp);
  up_free_we_d  = up_pipe_d < 4'(NumPipes);
  up_credit_d   = '0;
  up_credit_we_d = 1'b1;
  up_lines_d    = '0;
  up_lines_we_d = 1'b1;
  up_counts_d   = '0;
  up_count_we_d = 1'b1;
  up_until_d    = '0;
  up_until_we_d = 1'b1;
endtask

// The head packet is done with: take the next one from the buffer, if there is one.
task automatic update_take();
  if (fet_written_q != fet_board_q.rd) begin
    if (fet_visit_q.kind == KindWake && fet_board_q.hold)
      up_board_d.consumed = fet_board_q.consumed + 1'b1;  // the Hold vanishes
    up_head_d       = fet_next_q;
    up_board_d.hold = up_head_d.cls == ClassHold;
    up_board_d.has  = up_head_d.cls != ClassHold;
    up_board_d.rd   = fet_board_q.rd + 1'b1;
    if (up_board_d.hold && fet_written_q != up_board_d.rd) begin
      // A packet follows the Hold: another visit takes it.
      rewake_mem[rewake_wr_q] `Q up_id_d;
      rewake_wr_q             `Q rewake_wr_q + 1'b1;
    end
  end else if (fet_visit_q.kind != KindWake) begin
    up_board_d.has  = 1'b0;
    up_board_d.hold = 1'b0;
  end
  // Once per delivery: half of the packets or fewer are left.
  if (up_board_d.consumed != fet_board_q.consumed && fet_visit_q.kind != KindLaunch
      && fet_written_q - fet_board_q.rd <= buffer_half_q
      && fet_written_q != fet_board_q.told) begin
    up_board_d.told = fet_written_q;
    up_lines_d      = fet_lines_q;
    update_want();
  end
endtask

// Tell the host how much of the buffers was used.
task automatic update_want();
  up_lines_d.told = up_lines_d.used;
  up_lines_we_d   = 1'b1;
  want_q      <= 1'b1;
  want_word_q <= {fet_visit_q.sm, fet_visit_q.warp, fet_visit_q.sub, up_board_d.consumed,
                  up_lines_d.used};
  told_d = 1'b1;
endtask

// What a visit does to counters of the warp: one or two get a number of operations, one or two get
// an end. In synthesis stage 9 does it, each counter with its own adders and comparisons; here a
// shifter to one place for all and back would be longer than all else.
`ifdef HEDDLE_NBA
task automatic add_count(input bar_t bar, input logic [CountW-1:0] delta);
  up_add_bar_d = bar;
  up_add_d     = delta;
endtask

task automatic hold_count(input bar_t bar);
  up_hold_bar_d = bar;
endtask

task automatic note_end(input bar_t bar, input time_t at);
  up_end_bar_d = bar;
  up_end_at_d  = at;
endtask

task automatic note_read(input bar_t bar, input time_t at);
  up_read_bar_d = bar;
  up_read_at_d  = at;
endtask

task automatic update_counters();
  for (int c = 0; c < NumDepends; c++) begin
    if (32'(up_add_bar_d) == c)
      up_counts_d[c*CountW +: CountW] = up_counts_d[c*CountW +: CountW] + up_add_d;
    if (32'(up_hold_bar_d) == c)
      up_counts_d[c*CountW +: CountW] = up_counts_d[c*CountW +: CountW] + 1'b1;
    if (32'(up_end_bar_d) == c)
      up_until_d[c*TimeW +: TimeW] = latest(up_until_d[c*TimeW +: TimeW], up_end_at_d);
    if (32'(up_read_bar_d) == c)
      up_until_d[c*TimeW +: TimeW] = latest(up_until_d[c*TimeW +: TimeW], up_read_at_d);
  end
  if (up_add_bar_d != NoBar || up_hold_bar_d != NoBar) up_count_we_d = 1'b1;
  if (up_end_bar_d != NoBar || up_read_bar_d != NoBar) up_until_we_d = 1'b1;
endtask
`else
task automatic add_count(input bar_t bar, input logic [CountW-1:0] delta);
  if (bar != NoBar) begin
    up_counts_d[bar*CountW +: CountW] = up_counts_d[bar*CountW +: CountW] + delta;
    up_count_we_d = 1'b1;
  end
endtask

task automatic hold_count(input bar_t bar);
  add_count(bar, CountW'(1));
endtask

task automatic note_end(input bar_t bar, input time_t at);
  if (bar != NoBar) begin
    up_until_d[bar*TimeW +: TimeW] = latest(up_until_d[bar*TimeW +: TimeW], at);
    up_until_we_d = 1'b1;
  end
endtask

task automatic note_read(input bar_t bar, input time_t at);
  note_end(bar, at);
endtask
`endif

// When the warp's next instruction may issue, as far as is known.
task automatic update_ready();
  time_t      wait_at [8];
  logic [7:0] mask;
  logic       stopped;
  up_lane_d  = Starving;
  stopped    = !up_board_d.live || up_board_d.waiting;
  up_ready_d = up_stall_d;
  mask = (up_board_d.has || up_board_d.hold) ? {1'b0, up_head_d.wait_mask} : '0;
  up_waits_d = mask[fet_visit_q.bar];
  if (mask != '0) begin
    for (int c = 0; c < NumDepends; c++) begin
      wait_at[c] = mask[c] ? up_until_d[c*TimeW +: TimeW] : up_stall_d;
      if (mask[c] && up_counts_d[c*CountW +: CountW] != '0) stopped = 1'b1;
    end
    up_ready_d = latest(latest(latest(wait_at[0], wait_at[1]), latest(wait_at[2], wait_at[3])),
                        latest(latest(wait_at[4], wait_at[5]), latest(wait_at[6], up_stall_d)));
  end
  if (up_board_d.has) begin
    up_class_d = classes_mem[up_head_d.cls];
    up_lane_d  = up_class_d.pipe > FreePipe ? FreePipe : up_class_d.pipe;
    if (up_lane_d < 4'(NumPipes)) up_piped_at_d = fet_free_q[up_lane_d*TimeW +: TimeW];
    if (up_free_we_d && up_lane_d == up_pipe_d) up_piped_at_d = up_free_d;
  end
  if (stopped) up_lane_d = Stopped;
  else hint_packet();
  // One that waits for its code wants no pipe yet.
  up_keep_d = fet_await_q[fet_visit_q.warp] && !up_await_we_d && !up_init_d;
  up_wait_d = up_await_we_d && up_await_d[fet_visit_q.warp] && !up_init_d;
  if (up_keep_d || up_wait_d) up_lane_d = FreePipe;
  if (up_wait_d) up_ready_d = up_stream_d.at[TimeW-1:0];
  up_piped_d = up_lane_d < 4'(NumPipes);
endtask
