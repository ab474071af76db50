// Memory stage of one SM at a time: its passes, and what it does next.
//
// In a pass the stage does all that happens in an SM before the end of its short window, in order
// of target time: replies of the network, starts of operations, look-ups of their lines. Results
// for sub-cores are micro-operations; they take effect at the end of the window or later, but for
// those of replies, which is why the sub-cores wait for the pass. Registers hold the state of the
// SM during a pass; lsu_*_mem hold it between two.
// One state a clock in synthesis; in simulation the states of one step share a clock, in the order
// of the calls. Memories are written at the end of the clock (lsu_store), so a task that reads what
// another one has just written must be called before it.
task automatic reset_lsu();
  lsu_state_q  `Q LsuIdle;
  micro_wr_q   `Q '0;
  flush_q      `Q 1'b0;
  flush_set_q  `Q '0;
  epoch_q      `Q EpochBits'(1);
  lsu_wait_q   `Q '0;
  req_valid_o  <= 1'b0;
  reply_pop_o  <= 1'b0;
endtask

task automatic lsu();
  init_d = init;
  scrub_sm_d = 1'b0;
  if (scrub)
    scrub_sm_d = sel_valid && sel_kind == KindScrub && sel_sub == '0
                 && sel_id[WarpBits-1:3] == '0 && !sel_id[0];
  if (lsu_state_q == LsuIdle && !init_d && !flush_q && !flush_d && !launch_cta_d) lsu_begin();
  else lsu_step();
endtask

task automatic lsu_step();
  logic [MicroBits-1:0] used;
  micro_d   = 1'b0;
  report_d  = 1'b0;
  tag_we_d  = '0;
  mshr_we_d = '0;
  saved_we_d = 1'b0;
  cta_we_d   = 1'b0;
  group_we_d = 1'b0;
  line_we_d  = 1'b0;
  victim_we_d = 1'b0;
  waiter_we_d = 1'b0;
  watch_we_d   = 1'b0;
  sm_code_we_d = 1'b0;
  sm_way_we_d  = 1'b0;
  sm_const_we_d = 1'b0;
  used       = micro_wr_q - micro_rd_q;
  lsu_room_d = used < {MicroBits{1'b1}} - 1'b1 && report_room;
  if (lsu_state_q != LsuIdle) begin
    lsu_next();
    lsu_pick();
    lsu_ended();
    lsu_exit();
    lsu_exited();
    lsu_group();
    lsu_open();
    lsu_reply();
    lsu_fill();
    lsu_filled();
    lsu_waiter();
    lsu_wake();
    lsu_ask();
    lsu_ask_lines();
    lsu_ask_line();
    lsu_code_set();
    lsu_code();
    lsu_ask_look();
    lsu_code_watch();
    lsu_code_wake();
    lsu_ask_end();
    lsu_take();
    lsu_scrub();
    lsu_start();
    lsu_words();
    lsu_line();
    lsu_tags();
    lsu_access();
    lsu_end();
    lsu_scrubbed();
  end
  lsu_store();
endtask

// Take the SM of the lowest slot that waits; or one that is scrubbed.
task automatic lsu_begin();
  logic [NumSlots-1:0] one;
  slot_t slot;
  sm_t   sm;
  if (stage_pass != '0 || scrub_sm_d) begin
    one  = `FIRST_ONE(stage_pass);
    slot = SlotBits'(`NUMBER_OF(one));
    sm   = scrub_sm_d ? sel_sm : slot_sms[slot*SmBits +: SmBits];
    lsu_slot_q  `Q slot;
    lsu_sm_q    `Q sm;
    lsu_end_q   `Q slot_ends[slot*TimeW +: TimeW];
    lsu_q       `Q lsu_mem[sm];
    lsu_op_q    `Q lsu_op_mem[sm];
    {lsu_free_q, lsu_port_q, lsu_enter_q, lsu_base_q, lsu_took_q, lsu_code_q}
                `Q lsu_time_mem[sm];
    lsu_taken_q `Q taken_mem[sm];
    lsu_asked_q `Q asked_mem[sm];
    lsu_state_q `Q scrub_sm_d ? LsuScrub : LsuNext;
    hint_lines(sm);
    if (scrub_sm_d) begin
      scrub_set_q `Q SmConstBits'(sel_id[WarpBits-1:0] >> 1);
    end else begin
      lsu_wait_q[sm] `Q 1'b0;
    end
  end
endtask

// When the next look-up and the next reply happen.
task automatic lsu_next();
  logic [4*QueueBits-1:0] sent, taken;  // of sub-cores that are not there: 0
  bound_t at0, at1, at2, at3, head;
  time_t  at, busy;
  sub_t   sub;
  logic [SubPerSm-1:0] here;
  if (lsu_state_q == LsuNext && lsu_room_d && !reply_pop_o) begin
    sent  = (4*QueueBits)'(sent_mem[lsu_sm_q]);
    taken = (4*QueueBits)'(lsu_taken_q);
    at0   = {sent[3:0]   == taken[3:0],   arrive0_mem[{lsu_sm_q, taken[2:0]}]};
    at1   = {sent[7:4]   == taken[7:4],   arrive1_mem[{lsu_sm_q, taken[6:4]}]};
    at2   = {sent[11:8]  == taken[11:8],  arrive2_mem[{lsu_sm_q, taken[10:8]}]};
    at3   = {sent[15:12] == taken[15:12], arrive3_mem[{lsu_sm_q, taken[14:12]}]};
    head  = first(first(at0, at1), first(at2, at3));
    at    = latest(latest(head[TimeW-1:0], lsu_free_q), lsu_port_q - port_queue_q);
    here  = SubPerSm'({due(at3, at + 1'b1), due(at2, at + 1'b1), due(at1, at + 1'b1),
                       due(at0, at + 1'b1)});
    sub   = lsu_q.turn;
    if (!here[sub]) sub = sub + 1'b1;
    if (!here[sub]) sub = sub + 1'b1;
    if (!here[sub]) sub = sub + 1'b1;
    lsu_head_sub_q `Q sub;
    lsu_look_q     `Q lsu_q.active ? {lsu_q.stalled, lsu_base_q + TimeW'(lsu_q.index[5:2])}
                                   : {head[TimeW], at};
    busy = reply_busy(reply_word_d.sectors, reply_rate_q);
    lsu_fill_q  `Q {!reply_valid_i,
                    latest(TimeW'(reply_word_d.at), lsu_enter_q) + busy + fill_delay_q};
    lsu_ask_next();
    lsu_state_q `Q LsuPick;
  end
endtask

/// cycles that a reply occupies the SM's port
function automatic time_t reply_busy(input logic [3:0] sectors, input logic [2:0] rate);
  logic [2:0] count;
  count = 3'(sectors[0]) + 3'(sectors[1]) + 3'(sectors[2]) + 3'(sectors[3]);
  case (rate)
    3'd1:    reply_busy = TimeW'(count);
    3'd2:    reply_busy = (TimeW'(count) + TimeW'(1)) >> 1;
    3'd3:    reply_busy = TimeW'(count != 3'd0) + TimeW'(count == 3'd4);
    default: reply_busy = TimeW'(count != 3'd0);
  endcase
endfunction

// Ends of warps first (they have no order), then what comes first; of the same cycle a reply, a
// look-up, an ask for code.
task automatic lsu_pick();
  if (lsu_state_q == LsuPick) begin
    if (exit_wr_mem[lsu_sm_q] != lsu_q.exit_rd) lsu_state_q `Q LsuExit;
    else if (due(lsu_fill_q, lsu_end_q) && !due(lsu_look_q, lsu_fill_q[TimeW-1:0])
             && !due(lsu_ask_q, lsu_fill_q[TimeW-1:0])) lsu_state_q `Q LsuReply;
    else if (due(lsu_ask_q, lsu_end_q)
             && !due(lsu_look_q, lsu_ask_q[TimeW-1:0] + 1'b1)) lsu_state_q `Q LsuAsk;
    else if (!due(lsu_look_q, lsu_end_q)) lsu_state_q `Q LsuEnd;
    else lsu_state_q `Q lsu_q.active ? LsuWords : LsuTake;
  end
endtask

// The pass is over: what was counted of an operation in work goes to its sub-core, the state back.
task automatic lsu_end();
  if (lsu_state_q == LsuEnd) begin
    if (lsu_q.active && (lsu_q.credit || lsu_q.misses != '0)) begin
      push_misses();
      lsu_saved_d        = lsu_q;
      lsu_saved_d.credit = 1'b0;
      lsu_saved_d.misses = '0;
    end else begin
      lsu_saved_d = lsu_q;
    end
    saved_we_d = 1'b1;
    pass_end_q       <= 1'b1;
    pass_end_slot_q  <= lsu_slot_q;
    pass_end_lsu_q   <= first(lsu_look_q, lsu_ask_q);
    pass_end_reply_q <= lsu_fill_q;
    pass_end_wait_q  <= lsu_wait_q[lsu_sm_q];
    lsu_state_q              `Q LsuIdle;
  end
endtask

// A micro-operation on a counter of the warp of the operation in work.
task automatic push_count(input bar_t bar, input logic [6:0] delta, input logic timed,
                          input time_t at, input logic [5:0] lines);
  micro_d         = 1'b1;
  visit_d         = '0;
  visit_d.kind    = KindCount;
  visit_d.in_slot = 1'b1;
  visit_d.slot    = lsu_slot_q;
  visit_d.sub     = lsu_q.sub;
  visit_d.sm      = lsu_sm_q;
  visit_d.warp    = lsu_op_q.warp;
  visit_d.arg.bar = bar;
  visit_d.arg.delta = delta;
  visit_d.arg.timed = timed;
  visit_d.arg.credit = lsu_q.credit;
  visit_d.arg.micro = 1'b1;
  visit_d.arg.lines = lines;
  micro_at_d      = at;
  micro_credit_d  = ExtraW'(lsu_took_q);
endtask

// The operation in work is not at its end, but its misses so far count, and its credit is due.
task automatic push_misses();
  push_count(lsu_q.misses == '0 ? NoBar : lsu_op_q.bar, {1'b0, lsu_q.misses}, 1'b0, '0, '0);
endtask

// A micro-operation for another warp than that of the operation in work.
task automatic address_micro(input logic [5:0] warp);
  visit_d.sub    = warp[SubBits-1:0];
  visit_d.warp   = warp[5:SubBits];
  visit_d.arg.credit = 1'b0;
endtask

// Memory stage, beside the first visits to an SM, every other of which is for a set of its cache of
// constants (lsu_start reads it): times of the stage, and of the set; then they are stored. Those
// of the operation in work are recent, or set anew when a stall ends.
task automatic lsu_scrub();
  if (lsu_state_q == LsuScrub) begin
    lsu_free_q  `Q fresh(lsu_free_q, scrub_all, scrub_floor);
    lsu_port_q  `Q fresh(lsu_port_q, scrub_all, scrub_floor);
    lsu_enter_q `Q fresh(lsu_enter_q, scrub_all, scrub_floor);
    lsu_code_q  `Q fresh(lsu_code_q, scrub_all, scrub_floor);
  end
endtask

task automatic lsu_scrubbed();
  if (lsu_state_q == LsuScrubbed) begin
    lsu_saved_d = lsu_q;
    saved_we_d  = 1'b1;
    sm_const_d  = sm_const_q;
    for (int w = 0; w < SmConstWays; w++)
      sm_const_d[w*ConstWayW + ConstTagW +: TimeW]
          = fresh(sm_const_q[w*ConstWayW + ConstTagW +: TimeW], scrub_all, scrub_floor);
    sm_const_we_d = 1'b1;
    lsu_state_q `Q LsuIdle;
  end
endtask
