// The memory stage: modules, and the wires between them. sm_passes.sv lists the stages of its
// visits to SMs; a name begins with the stage that has the value (beg_ to act_). What begins with
// sel_ or upd_ comes from visits to sub-cores (visit_path.svh), cmd_ from the command port.
//
// Up to stage kin all modules say when they have something to do, and sm_passes chooses what comes
// first. From stage ops on the visit is of that kind: it reads what it needs in the stages between,
// and changes the state of all modules in stage act.

// ---------------------------------------------------------------- visits
logic     lsu_busy, nxt_valid, ops_valid, ptr_valid, mis_valid, tag_valid, act_valid;
sm_t      beg_sm, nxt_sm, hed_sm, cmp_sm, ops_sm, ptr_sm, wrd_sm, mis_sm, tag_sm, act_sm;
slot_t    beg_slot, kin_slot, act_slot;
logic [3:0] cmp_more, pck_more, ops_kind, ptr_kind, mis_kind, tag_kind, act_kind, act_more;
logic [1:0] ops_scrub_set, ptr_scrub_set, wrd_scrub_set, mis_scrub_set, tag_scrub_set;
logic     memory_room, port_half, micro_half;  // the queues to the outside have room; fill half
logic     scrub_sm;
bound_t   kin_look, kin_fill, kin_ask;  // next: look-up or start, reply, ask for code
logic     kin_exit, kin_active;         // a warp has ended; an operation has lines left
time_t    kin_end;                      // end of the slot's short window
logic [SmBits+SetBits-1:0] init_set;    // set of L1 that is initialised
always_comb begin : slot_of
  if (`WANTED(nxt_valid)) begin
    beg_sm  = slot_sms[beg_slot*SmBits +: SmBits];
    kin_end = slot_ends[kin_slot*TimeW +: TimeW];
  end
end
assign init_set = init_count;
// Scrubbing: the visits to warps 0, 2, 4 and 6 of an SM's first sub-core start one to the SM, each
// for another set of its constants.
always_comb begin : scrub_begin
  scrub_sm = 1'b0;
  if (scrub) scrub_sm = (Pipelined ? scrub_visit : sel_valid) && scrub_count[5:3] == '0
                        && !scrub_count[0];
end
assign memory_room = !port_half && !micro_half && report_room;

sm_passes #(`SM_PASS) passes (
  .clk_i, .rst_ni, .hold_i(init || cmd_flush || flushing), .room_i(memory_room),
  .busy_o(lsu_busy), .pass_i(slot_pass), .beg_slot_o(beg_slot), .beg_sm_i(beg_sm),
  .kin_slot_o(kin_slot), .kin_end_i(kin_end), .scrub_i(scrub_sm),
  .scrub_sm_i(scrub_count[SmBits+5:6]), .scrub_set_i(scrub_count[SmConstBits:1]),
  .ops_set_o(ops_scrub_set),
  .init_i(init), .init_sm_i(init_sm),
  .nxt_valid_o(nxt_valid), .ops_valid_o(ops_valid), .ptr_valid_o(ptr_valid),
  .mis_valid_o(mis_valid), .tag_valid_o(tag_valid),
  .act_valid_o(act_valid), .nxt_sm_o(nxt_sm), .hed_sm_o(hed_sm), .cmp_sm_o(cmp_sm),
  .ops_sm_o(ops_sm), .ptr_sm_o(ptr_sm), .wrd_sm_o(wrd_sm), .mis_sm_o(mis_sm),
  .tag_sm_o(tag_sm), .act_sm_o(act_sm), .cmp_more_o(cmp_more), .pck_more_o(pck_more),
  .kin_exit_i(kin_exit), .kin_active_i(kin_active), .kin_look_i(kin_look), .kin_fill_i(kin_fill),
  .kin_ask_i(kin_ask), .ops_kind_o(ops_kind), .ptr_kind_o(ptr_kind), .mis_kind_o(mis_kind),
  .tag_kind_o(tag_kind), .act_kind_o(act_kind), .act_slot_o(act_slot), .act_more_i(act_more)
);

// What a visit does. A take does what its operation asks for, which stage ptr has.
logic ops_take, ops_ask, ptr_take, ptr_some, ptr_line, ptr_ask, ptr_asks, mis_line, mis_reply,
      mis_wake, mis_tell, mis_exit, mis_bars, tag_scrub, tag_take, tag_some, tag_exit,
      act_take, act_reply, act_wake, act_tell, act_scrub, act_end, act_exit, act_bars, act_open,
      act_first_ask, act_ask, act_line, act_ends, act_look_up, act_no_word;
always_comb begin : decode
  {ops_take, ptr_take, ptr_some, act_take, mis_reply, mis_wake, mis_tell, mis_exit, mis_bars,
   act_reply, act_wake, act_tell, tag_scrub, tag_take, tag_some, tag_exit, act_scrub, act_exit,
   act_bars, act_open, ops_ask, ptr_ask, ptr_asks, act_first_ask, act_ask, act_line, act_ends} = '0;
  if (`WANTED(nxt_valid)) begin
    ops_take  = ops_valid && ops_kind == PassTake;
    ops_ask   = ops_valid && (ops_kind == PassAsk || ops_kind == PassAsks);
    ptr_take  = ptr_kind == PassTake;
    ptr_some  = ptr_valid && (ptr_take || ptr_kind == PassLine);
    ptr_ask   = ptr_valid && ptr_kind == PassAsk;
    ptr_asks  = ptr_valid && ptr_kind == PassAsks;
    mis_reply = mis_valid && mis_kind == PassReply;
    mis_wake  = mis_valid && mis_kind == PassWake;
    mis_tell  = mis_valid && mis_kind == PassTell;
    mis_exit  = mis_valid && mis_kind == PassExit;
    mis_bars  = mis_valid && mis_kind == PassBars;
    tag_scrub = tag_valid && tag_kind == PassScrub;
    tag_take  = tag_valid && tag_kind == PassTake;
    tag_exit  = tag_valid && tag_kind == PassExit;
    tag_some  = tag_take || (tag_valid && tag_kind == PassLine);
    act_take  = act_valid && act_kind == PassTake;
    act_reply = act_valid && act_kind == PassReply;
    act_wake  = act_valid && act_kind == PassWake;
    act_tell  = act_valid && act_kind == PassTell;
    act_scrub = act_valid && act_kind == PassScrub;
    act_exit  = act_valid && act_kind == PassExit;
    act_bars  = act_valid && act_kind == PassBars;
    act_open  = act_valid && act_kind == PassOpen;
    act_first_ask = act_valid && act_kind == PassAsk;
    act_ask   = act_first_ask || (act_valid && act_kind == PassAsks);
    act_line  = act_valid && act_kind == PassLine;
    act_ends  = act_valid && act_kind == PassEnd;
  end
end
// A line is looked up when its word has come; if not, the pass ends here. A take leaves that to the
// next visit.
always_comb begin : line
  ptr_line = 1'b0;
  if (ptr_some) ptr_line = !ptr_take || ptr_lines;
end
always_comb begin : ending
  act_look_up = 1'b0;
  act_no_word = 1'b0;
  act_end     = 1'b0;
  if (act_valid) begin
    act_look_up = act_word_there;
    act_no_word = act_line && !act_word_there;
    act_end     = act_no_word || act_ends;
  end
end

// ---------------------------------------------------------------- operations
bound_t  pck_head;
// when: the SM's port is free; the visit's look-up; a reply fills; an indexed constant is asked
// for, and there; the count falls; the operation was taken
time_t   cmp_port, tag_look, act_look, act_fill_at, act_asked, act_there, act_count_at, act_took;
sub_t    kin_turn, ops_sub, act_op_sub;
logic [MemOpW-1:0] ptr_taken;
logic [SubBits+WarpBits-1:0] ptr_warp;
logic    ptr_lines, wrd_there, act_word_there, act_done, act_stall, act_for_port, act_indexed,
         act_performed, act_count, act_timed, act_credit, act_full, act_answer, act_filled,
         act_line_reply, act_code_reply;
cta_t    wrd_cta;
logic [3:0] wrd_bar_id;
logic [ConstTagW-1:0] tag_constant;
logic [2:0] act_sectors;                // of the line that is looked up
/* verilator lint_off UNUSEDSIGNAL */  // a part
logic [63:0] act_op_word;               // the operation in work
mem_op_t act_op;
line_t   mis_word, act_word;
/* verilator lint_on UNUSEDSIGNAL */
bar_t    act_bar;
logic [6:0] act_delta;
logic [5:0] act_used, act_mshr_set;
assign act_op = MemOpW'(act_op_word);

sm_arrivals #(`SM_PASS) arrivals (
  .clk_i, .upd_row_i(upd_row), .upd_op_we_i(upd_issue && upd_mio), .upd_entry_i(upd_entry),
  .upd_op_i(upd_op), .upd_arrive_we_i(upd_valid && upd_arrive_we),
  .upd_arrive_entry_i(upd_arrive_entry), .upd_arrive_i(upd_arrive), .upd_sent_i(upd_sent),
  .visit_i(nxt_valid), .nxt_sm_i(nxt_sm),
  .hed_sm_i(hed_sm), .ops_sm_i(ops_sm), .act_sm_i(act_sm), .pck_head_o(pck_head),
  .kin_look_i(kin_look[TimeW-1:0]), .kin_turn_i(kin_turn), .ops_take_i(ops_take),
  .ops_sub_o(ops_sub), .ptr_op_o(ptr_taken), .act_take_i(act_take), .act_sub_i(act_op_sub),
  .init_i(init), .init_sm_i(init_sm)
);

sm_operation #(`SM_PASS) operation (
  .clk_i, .stage_interval_i(stage_interval), .l1_latency_i(l1_latency),
  .shared_latency_i(shared_latency), .shuffle_latency_i(shuffle_latency),
  .const_latency_i(const_latency), .port_queue_i(port_queue), .const_shared_i(const_shared),
  .scrub_all_i(scrub_all), .scrub_floor_i(scrub_floor), .visit_i(nxt_valid),
  .hed_sm_i(hed_sm), .cmp_sm_i(cmp_sm), .ops_sm_i(ops_sm), .mis_sm_i(mis_sm), .tag_sm_i(tag_sm),
  .act_sm_i(act_sm), .cmp_port_i(cmp_port), .pck_head_i(pck_head), .kin_look_o(kin_look),
  .kin_active_o(kin_active),
  .kin_turn_o(kin_turn), .ops_sub_i(ops_sub), .ptr_take_i(ptr_take), .ptr_op_i(ptr_taken),
  .ptr_warp_o(ptr_warp), .ptr_lines_o(ptr_lines), .wrd_cta_o(wrd_cta), .wrd_bar_id_o(wrd_bar_id),
  .tag_constant_o(tag_constant), .tag_some_i(tag_some), .tag_take_i(tag_take),
  .act_op_o(act_op_word), .tag_look_o(tag_look), .act_look_o(act_look),
  .act_sub_o(act_op_sub), .act_take_i(act_take), .act_line_i(act_done),
  .act_missed_i(act_missing != '0), .act_step_i(act_word.step), .act_stall_i(act_stall),
  .act_full_i(act_for_port),
  .act_set_i(act_mshr_set), .act_end_i(act_end), .act_answer_i(act_answer),
  .act_fill_i(act_filled), .act_fill_at_i(act_fill_at), .act_scrub_i(act_scrub),
  .act_indexed_o(act_indexed), .act_asked_o(act_asked), .act_there_i(act_there),
  .act_report_o(act_performed), .act_count_o(act_count), .act_bar_o(act_bar),
  .act_delta_o(act_delta), .act_timed_o(act_timed), .act_credit_o(act_credit),
  .act_used_o(act_used), .act_count_at_o(act_count_at), .act_took_o(act_took),
  .init_i(init), .init_sm_i(init_sm)
);

sm_indexed #(`SM_PASS) indexed (
  .clk_i, .const_fill_i(const_fill), .scrub_all_i(scrub_all), .scrub_floor_i(scrub_floor),
  .tag_scrub_i(tag_scrub), .tag_set_i(tag_scrub_set),
  .tag_const_i(tag_take), .tag_sm_i(tag_sm), .act_sm_i(act_sm),
  .tag_line_i(tag_constant), .act_indexed_i(act_indexed), .act_asked_i(act_asked),
  .act_there_o(act_there), .act_scrub_i(act_scrub), .init_i(init), .init_sm_i(init_sm),
  .init_set_i(init_set[SmConstBits-1:0])
);
`STAGE(ptr_scrub_set, ops_scrub_set)
`STAGE(wrd_scrub_set, ptr_scrub_set)
`STAGE(mis_scrub_set, wrd_scrub_set)
`STAGE(tag_scrub_set, mis_scrub_set)

// ---------------------------------------------------------------- lines
// sectors of the line: that L1 has, that are on their way, that have come for the MSHR to join;
// that an MSHR waits for, that a request asks for or sends; that a reply brings
logic [3:0]  act_valid_sectors, act_under_way, act_mshr_there, act_missing, act_send, act_come;
logic [31:0] tag_addr, act_addr;
logic [1:0]  act_entry;
logic        act_join, act_free_mshr, act_load, act_clear, act_keep, act_woken, act_wake_more;
logic [8:0]  mis_mshr;                  // of the reply: {line of code, its MSHR or way}
logic        act_cached, act_code_line_reply;
logic [5:0]  mis_reply_warp, act_reply_warp, act_waiter;
bar_t        act_reply_bar, act_waiter_bar;

sm_lines #(`SM_PASS) lines (
  .clk_i, .rst_ni, .nxt_valid_i(nxt_valid), .nxt_sm_i(nxt_sm), .act_none_i(act_no_word),
  .act_sm_i(act_sm), .cmd_wanted_o(cmd_lines_wanted), .cmd_look_i(cmd_look), .cmd_id_i(cmd_id),
  .cmd_beat_i(cmd_beat), .cmd_lines_i(cmd_lines), .cmd_twos_i(cmd_line_twos),
  .clear_i(init), .clear_id_i(init_id), .ptr_line_i(ptr_line),
  .ptr_id_i({ptr_sm, ptr_warp}), .wrd_there_o(wrd_there),
  .act_there_o(act_word_there), .mis_line_o(mis_word), .act_sectors_o(act_sectors),
  .act_line_o(act_word),
  .act_line_i(act_done)
);
`STAGE(mis_line, wrd_there)

sm_replies #(`SM_PASS) replies (
  .clk_i, .fill_delay_i(fill_delay), .reply_rate_i(reply_rate), .scrub_all_i(scrub_all),
  .scrub_floor_i(scrub_floor), .visit_i(nxt_valid), .hed_sm_i(hed_sm), .act_sm_i(act_sm),
  .nxt_valid_i(reply_valid_i), .nxt_reply_i(reply_i), .kin_fill_o(kin_fill), .mis_mshr_o(mis_mshr),
  .act_code_o(act_code_line_reply), .act_cached_o(act_cached), .mis_warp_o(mis_reply_warp),
  .act_warp_o(act_reply_warp), .act_bar_o(act_reply_bar), .act_come_o(act_come),
  .act_fill_o(act_fill_at), .act_reply_i(act_reply), .act_scrub_i(act_scrub), .init_i(init),
  .init_sm_i(init_sm), .cmp_more_i(cmp_more)
);
// The reply brings a line for L1 or a line of code; or it is an answer, which L1 does not keep.
always_comb begin : reply
  {act_line_reply, act_code_reply, act_answer} = '0;
  if (act_reply) begin
    act_line_reply = act_cached && !act_code_line_reply;
    act_code_reply = act_cached && act_code_line_reply;
    act_answer     = !act_cached && act_reply_bar != NoBar;
  end
end
assign act_filled     = act_line_reply && act_woken;
assign reply_pop_o    = act_reply;
assign reply_pop_sm_o = 8'(act_sm);

sm_mshr #(`SM_PASS) mshrs (
  .clk_i, .visit_i(mis_line || mis_wake || mis_reply), .wrd_sm_i(wrd_sm), .mis_sm_i(mis_sm),
  .tag_sm_i(tag_sm), .act_sm_i(act_sm), .mis_line_i(mis_line), .mis_addr_i(mis_word.addr),
  .mis_wake_i(mis_wake),
  .mis_mshr_i(mis_mshr[7:0]), .tag_addr_o(tag_addr), .act_addr_o(act_addr),
  .act_set_o(act_mshr_set), .act_join_o(act_join), .act_free_o(act_free_mshr),
  .act_entry_o(act_entry), .act_under_way_o(act_under_way), .act_there_o(act_mshr_there),
  .act_keep_i(act_keep), .act_missing_i(act_missing), .act_warp_i({act_op.warp, act_op_sub}),
  .act_bar_i(act_op.bar), .act_reply_i(act_line_reply), .act_come_i(act_come),
  .act_wake_i(act_wake), .act_done_o(act_woken), .act_waiter_o(act_waiter),
  .act_waiter_bar_o(act_waiter_bar), .act_more_o(act_wake_more), .init_i(init),
  .init_set_i(init_set[SmBits+SetBits-1:2])
);

sm_l1 #(`SM_PASS) l1 (
  .clk_i, .rst_ni, .ways_i(l1_ways), .sets_i(l1_sets),
  .visit_i(mis_line || mis_reply), .tag_sm_i(tag_sm), .act_sm_i(act_sm), .tag_addr_i(tag_addr),
  .act_addr_i(act_addr), .act_valid_o(act_valid_sectors), .act_clear_i(act_clear),
  .act_clear_sectors_i(act_word.sectors), .act_fill_i(act_line_reply), .act_come_i(act_come),
  .flush_i(cmd_flush), .flush_sm_i(cmd_sm), .flush_lines_i(cmd_value[L1LinesW-1:0]),
  .busy_i(lsu_busy), .flushing_o(flushing), .init_i(init), .init_set_i(init_set)
);

sm_access #(`SM_PASS) access (
  .act_line_i(act_look_up), .act_mem_i(act_op.mem), .act_sectors_i(act_word.sectors),
  .act_valid_i(act_valid_sectors), .act_under_way_i(act_under_way), .act_there_i(act_mshr_there),
  .act_join_i(act_join), .act_free_i(act_free_mshr), .act_full_i(act_full),
  .act_stall_o(act_stall), .act_for_port_o(act_for_port), .act_done_o(act_done),
  .act_load_o(act_load), .act_clear_o(act_clear), .act_keep_o(act_keep),
  .act_missing_o(act_missing), .act_send_o(act_send)
);

// ---------------------------------------------------------------- code, barriers
sub_t       pck_ask_sub, ops_ask_sub, act_code_sub;
logic [AskW-1:0] ptr_ask_word;
time_t      act_ask_at, act_ended_at, act_open_at;
logic       act_ask_last, act_code_send, act_code_more, act_leave, act_arrive, act_ended,
            act_more_bars, act_more_open;
line_no_t   act_code_line, act_code_base;
logic [3:0] act_code_way;
cta_t       act_epoch, act_cta;
logic [8:0] act_code_lines;
logic [5:0] act_open_warp;

sm_asks #(`SM_PASS) asks (
  .clk_i, .scrub_all_i(scrub_all), .scrub_floor_i(scrub_floor), .upd_row_i(upd_row),
  .upd_ask_i(upd_valid && upd_ask), .upd_word_i(upd_ask_word), .upd_at_i(upd_at + code_way),
  .upd_init_i(upd_init), .visit_i(nxt_valid), .nxt_sm_i(nxt_sm), .hed_sm_i(hed_sm),
  .ops_sm_i(ops_sm), .act_sm_i(act_sm), .pck_more_i(pck_more == PassAsks),
  .pck_sub_i(pck_ask_sub), .kin_ask_o(kin_ask), .ops_sub_o(ops_ask_sub),
  .ops_ask_i(ops_ask), .ptr_word_o(ptr_ask_word),
  .act_ask_o(act_ask_at), .act_first_i(act_first_ask),
  .act_last_i(act_ask_last), .act_sub_i(act_code_sub), .act_scrub_i(act_scrub), .init_i(init),
  .init_sm_i(init_sm)
);

sm_shared_code #(`SM_PASS) shared_code (
  .clk_i, .prefetch_i(code_prefetch), .shared_i(code_shared), .cmp_sm_i(cmp_sm),
  .wrd_sm_i(wrd_sm), .mis_sm_i(mis_sm), .tag_sm_i(tag_sm), .act_sm_i(act_sm),
  .pck_sub_o(pck_ask_sub), .ptr_first_i(ptr_ask),
  .ptr_next_i(ptr_asks), .ptr_word_i(ptr_ask_word),
  .ops_sub_i(ops_ask_sub), .act_ask_i(act_ask), .act_last_o(act_ask_last),
  .act_send_o(act_code_send), .act_line_o(act_code_line), .act_way_o(act_code_way),
  .mis_reply_i(mis_reply && mis_mshr[8]), .mis_index_i(mis_reply_warp),
  .mis_way_i(mis_mshr[3:0]), .act_reply_i(act_code_reply), .act_come_i(act_come),
  .mis_tell_i(mis_tell),
  .act_tell_i(act_tell), .act_more_o(act_code_more),
  .act_leave_o(act_leave), .act_sub_o(act_code_sub), .act_epoch_o(act_epoch),
  .act_base_o(act_code_base), .act_lines_o(act_code_lines), .init_i(init),
  .init_set_i(init_set[SmBits+SetBits-1:2]), .init_sm_i(init_sm),
  .init_row_i(init_id[IdW-1:WarpBits])
);

always_comb begin : arrive
  act_arrive = 1'b0;
  if (act_take) act_arrive = act_op.mem == MemBarrier;
end
sm_barriers #(`SM_PASS) barriers (
  .clk_i, .reached_i, .barrier_latency_i(barrier_latency), .upd_sm_i(upd_sm),
  .upd_exit_i(upd_issue && upd_head.last), .upd_at_i(upd_at), .upd_cta_i(upd_cta),
  .upd_init_i(upd_init), .launch_i(cmd_launch), .launch_sm_i(cmd_sm),
  .launch_cta_i(cmd_launch_cta), .launch_warps_i(cmd_launch_warps), .launch_at_i(cmd_launch_at),
  .launch_hold_o(launch_hold),
  .visit_i(nxt_valid), .nxt_sm_i(nxt_sm), .ops_sm_i(ops_sm), .ptr_sm_i(ptr_sm),
  .mis_sm_i(mis_sm), .tag_sm_i(tag_sm), .act_sm_i(act_sm), .kin_exit_o(kin_exit),
  .mis_exit_i(mis_exit), .tag_exit_i(tag_exit), .act_exit_i(act_exit),
  .mis_bars_i(mis_bars), .act_bars_i(act_bars), .wrd_cta_i(wrd_cta),
  .wrd_bar_i(wrd_bar_id), .act_arrive_i(act_arrive), .act_op_i(act_op_word),
  .act_sub_i(act_op_sub), .tag_look_i(tag_look), .act_open_i(act_open), .act_ended_o(act_ended),
  .act_ended_at_o(act_ended_at), .act_cta_o(act_cta), .act_more_bars_o(act_more_bars),
  .act_more_open_o(act_more_open), .act_warp_o(act_open_warp), .act_open_at_o(act_open_at),
  .init_i(init), .init_sm_i(init_sm)
);

// ---------------------------------------------------------------- out
sm_port #(`SM_PASS) port (
  .clk_i, .rst_ni, .reached_i, .miss_delay_i(miss_delay), .port_shift_i(port_shift),
  .credits_i(credits), .code_base_i(code_base), .scrub_all_i(scrub_all),
  .scrub_floor_i(scrub_floor), .visit_i(nxt_valid), .hed_sm_i(hed_sm), .tag_sm_i(tag_sm),
  .act_sm_i(act_sm), .cmp_port_o(cmp_port), .act_full_o(act_full),
  .act_line_i(act_send != '0), .act_send_i(act_send), .act_sectors_i(act_sectors),
  .act_word_i(act_word),
  .act_op_i(act_op_word), .act_warp_i({act_op.warp, act_op_sub}), .act_keep_i(act_keep),
  .act_mshr_i({act_mshr_set, act_entry}), .act_look_i(act_look), .act_code_i(act_code_send),
  .act_code_line_i(act_code_line), .act_code_way_i(act_code_way), .act_ask_i(act_ask_at),
  .act_answer_i(act_answer), .act_scrub_i(act_scrub), .init_i(init), .init_sm_i(init_sm),
  .half_o(port_half), .req_valid_o, .req_o, .req_ready_i
);

// An answer, or a line, lets an operation go on.
logic       act_come_on;
logic [5:0] act_on_warp;
bar_t       act_on_bar;
always_comb begin : go_on
  act_come_on = 1'b0;
  if (`WANTED(act_reply || act_wake)) begin
    act_come_on = act_answer || (act_woken && act_waiter_bar != NoBar);
    act_on_warp = act_answer ? act_reply_warp : act_waiter;
    act_on_bar  = act_answer ? act_reply_bar : act_waiter_bar;
  end
end

logic                micro_push, micro_valid;
logic [VisitW-1:0]   micro_visit;
time_t               micro_at;
extra_t              micro_extra;
sm_micro #(`SM_PASS) micro (
  .clk_i, .rst_ni, .code_way_i(code_way), .act_sm_i(act_sm), .act_slot_i(act_slot),
  .act_count_i(act_count), .act_op_warp_i({act_op_sub, act_op.warp}),
  .act_op_bar_i(act_bar), .act_delta_i(act_delta), .act_timed_i(act_timed),
  .act_credit_i(act_credit), .act_used_i(act_used), .act_count_at_i(act_count_at),
  .act_took_i(act_took),
  .act_come_i(act_come_on), .act_come_warp_i(act_on_warp), .act_come_bar_i(act_on_bar),
  .act_fill_i(act_fill_at),
  .act_open_i(act_open), .act_open_warp_i(act_open_warp), .act_open_at_i(act_open_at),
  .act_leave_i(act_leave), .act_sub_i(act_code_sub), .act_epoch_i(act_epoch),
  .act_base_i(act_code_base), .act_lines_i(act_code_lines), .act_ask_i(act_ask),
  .act_ask_at_i(act_ask_at), .push_o(micro_push), .half_o(micro_half), .valid_o(micro_valid),
  .visit_o(micro_visit), .at_o(micro_at), .extra_o(micro_extra), .pop_i(micro_pop)
);

// ---------------------------------------------------------------- what follows
// What a visit leaves to the next one.
always_comb begin : leaves
  if (`WANTED(act_valid)) begin
    act_more = PassEnd;
    if (act_wake_more) act_more = PassWake;
    else if (act_code_more) act_more = act_ask ? PassAsks : PassTell;
    else if (act_more_open) act_more = PassOpen;
    else if (act_more_bars) act_more = PassBars;
  end
end

// The end of a pass: when the stage has work next, and when a reply takes effect.
bound_t kin_first, ops_first, ptr_first, wrd_first, mis_first, tag_first, act_first;
bound_t ops_fill, ptr_fill, wrd_fill, mis_fill, tag_fill, act_next_fill;
always_comb begin : next_work
  if (`WANTED(nxt_valid)) kin_first = first(kin_look, kin_ask);
end
`STAGE(ops_first, kin_first)
`STAGE(ptr_first, ops_first)
`STAGE(wrd_first, ptr_first)
`STAGE(mis_first, wrd_first)
`STAGE(tag_first, mis_first)
`STAGE(act_first, tag_first)
`STAGE(ops_fill, kin_fill)
`STAGE(ptr_fill, ops_fill)
`STAGE(wrd_fill, ptr_fill)
`STAGE(mis_fill, wrd_fill)
`STAGE(tag_fill, mis_fill)
`STAGE(act_next_fill, tag_fill)

// Events to the host: an operation is performed, a CTA has ended. Counters: sectors of L1.
logic               report;
logic [NoticeW-1:0] report_word;
logic [3:0]         l1_sectors, l1_hits;
assign report      = act_performed || act_ended;
assign report_word = act_ended ? {1'b1, act_ended_at, act_sm, 6'(act_cta), 5'd0}
                               : {1'b0, act_look, act_sm, act_op.warp, act_op_sub, act_op.slot};
assign l1_sectors  = act_load ? act_word.sectors : '0;
assign l1_hits     = act_load ? act_word.sectors & ~act_send : '0;
