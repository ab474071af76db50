// Window unit, slots and their sub-cores, SMs without a slot, scrubbing: modules, and the wires
// between them. A name begins with what it tells of: scrub_ scrubbing, ctx_ sub-cores of slots,
// slot_, outside_ and parked_ SMs without a slot, win_, read_ and move_ the window unit.

logic      scrub, scrub_visit;         // scrubbing is under way; a visit of it, to
logic [SmBits+5:0] scrub_count;        // {SM, warp}
logic      scrub_all;                  // all stored times are old; else those
time_t     scrub_floor;                // before this floor (scrub_times.svh)
ctx_set_t  ctx_busy, ctx_runnable;     // a visit is under way; has work in its short window
time_t     sel_bound_at;               // the sub-core in stage select has work from
logic      outside, outside_seen;      // a visit to an SM without a slot is under way: now; as
                                       // the window unit sees it,
/* verilator lint_off UNUSEDSIGNAL */  // some of these only rules look at
sm_t       outside_sm;                 // to this SM
time_t     window_end;
logic      loading;                    // not all SMs have been looked at in this window
/* verilator lint_on UNUSEDSIGNAL */
logic [NumSlots-1:0]        slot_used, slot_open, slot_pass, slot_active, slot_visited, slot_quiet;
logic [NumSlots*SmBits-1:0] slot_sms;
logic [NumSlots*TimeW-1:0]  slot_ends;
logic      win_hold, win_hold_load;    // no wake-up or launch for a slot, for an SM without one
logic      win_busy, win_waits;        // something is under way; SMs are parked
sm_t       load_sm;                    // the next SM to look at
logic      resume, resume_pop;         // a parked SM was woken up: this one
sm_t       resume_sm;
// What the window unit reads of a slot, or of an SM without one
logic      read_slot, read_open, read_wait, read_parked;
slot_t     read_slot_at;
sm_t       read_sm, read_parked_at;
bound_t    read_lsu, read_reply;
bounds_t   read_bounds;
logic [SubPerSm-1:0] read_starved;
bounds_t   parked_subs;
bound_t    parked_lsu, parked_reply;
// Its move: what happens to the slot and its SM, whose units have work from these times on
logic      move_load, move_pass, move_open, move_leave, move_park;
slot_t     move_slot;
sm_t       move_sm;
bounds_t   move_subs;
bound_t    move_lsu, move_reply;
logic [SubPerSm-1:0] move_work;
time_t     move_end;

// ---------------------------------------------------------------- scrubbing
sm_scrub #(`SM_PASS) scrubbing (
  .clk_i, .rst_ni, .go_i, .cmd_valid_i, .cmd_ready_i(cmd_ready_o), .reached_i,
  .period_i(scrub_period), .last_sm_i(last_sm),
  .busy_i(rel_valid || min_valid || cho_valid || fet_valid || cod_valid || loo_valid || upd_valid
          || rdy_valid || row_valid || lsu_busy),
  .scrub_o(scrub), .visit_o(scrub_visit), .count_o(scrub_count),
  .all_o(scrub_all), .floor_o(scrub_floor)
);

// ---------------------------------------------------------------- slots
sm_contexts #(`SM_PASS) contexts (
  .clk_i, .rst_ni,
  .sel_valid_i(sel_valid && sel_in_slot), .sel_ctx_i(sel_ctx), .sel_turn_i(sel_turn),
  .sel_at_o(sel_bound_at),
  .runnable_o(ctx_runnable), .busy_o(ctx_busy),
  .cho_mark_i(go_mark), .cho_ctx_i(cho_ctx), .cho_go_i(go), .cho_bound_i(go_bound),
  .cho_runnable_i(go_runnable), .cho_starved_i(go_starved),
  .row_valid_i(row_valid && row_in_slot), .row_ctx_i(row_ctx), .row_kind_i(row_kind),
  .row_micro_i(row_arg.micro), .rdy_ctx_i(rdy_ctx), .rdy_bound_i(rdy_bound),
  // the visited warp may go on
  .row_own_i(!row_own[0] && (row_kind == KindResume
                             || (row_kind == KindCount && row_arg.bar != NoBar && row_waits))),
  .row_own_at_i(row_own_at), .row_stays_i(row_stays),
  .row_next_i(row_next_we ? row_next[TimeW-1:0] : row_at),
  .slot_used_i(slot_used), .slot_open_i(slot_open), .slot_end_i(slot_ends),
  .active_o(slot_active), .visited_o(slot_visited),
  .read_i(read_slot), .read_slot_i(read_slot_at), .bounds_o(read_bounds),
  .starved_o(read_starved),
  .move_slot_i(move_slot), .load_i(move_load), .load_bounds_i(move_subs),
  .open_i(move_open), .open_work_i(move_work)
);

sm_slots #(`SM_PASS) slots (
  .clk_i, .rst_ni,
  .used_o(slot_used), .sm_o(slot_sms), .open_o(slot_open), .pass_o(slot_pass), .end_o(slot_ends),
  .row_slot_i(row_slot), .row_wake_i(row_valid && row_in_slot && row_kind == KindWake),
  .row_micro_i(row_valid && row_in_slot && row_arg.micro), .row_push_i(row_push),
  .pass_end_i(act_end), .pass_end_slot_i(act_slot), .pass_end_lsu_i(act_first),
  .pass_end_reply_i(act_next_fill), .pass_end_wait_i(act_no_word),
  .micro_push_i(micro_push), .micro_slot_i(act_slot),
  .active_i(slot_active), .quiet_o(slot_quiet),
  .read_i(read_slot), .read_slot_i(read_slot_at), .read_sm_o(read_sm), .read_open_o(read_open),
  .read_lsu_o(read_lsu), .read_reply_o(read_reply), .read_wait_o(read_wait),
  .move_slot_i(move_slot), .load_i(move_load), .load_sm_i(move_sm), .load_lsu_i(move_lsu),
  .load_reply_i(move_reply), .pass_i(move_pass), .open_i(move_open), .end_i(move_end),
  .leave_i(move_leave)
);

// ---------------------------------------------------------------- SMs without a slot
logic sel_outside, row_outside;        // a visit to one begins, ends
always_comb begin : outside_begins
  sel_outside = 1'b0;
  if (!sel_in_slot) sel_outside = sel_valid && sel_kind != KindInit && sel_kind != KindScrub;
end
always_comb begin : outside_ends
  row_outside = 1'b0;
  if (!row_in_slot) row_outside = row_valid && row_kind != KindInit && row_kind != KindScrub;
end
sm_parked #(`SM_PASS) parked (
  .clk_i, .rst_ni, .init_i(init), .init_sm_i(init_sm),
  .launch_i(cmd_launch), .launch_sm_i(cmd_sm), .launch_at_i(TimeW'(cmd_launch_at)),
  .sel_valid_i(sel_outside), .sel_sm_i(sel_sm), .row_valid_i(row_outside),
  .row_wake_i(row_outside && row_kind == KindWake), .row_sm_i(row_sm),
  .outside_o(outside), .seen_o(outside_seen), .seen_sm_o(outside_sm), .waits_o(win_waits),
  .resume_valid_o(resume), .resume_sm_o(resume_sm), .resume_pop_i(resume_pop),
  .read_i(read_parked), .read_sm_i(read_parked_at), .read_subs_o(parked_subs),
  .read_lsu_o(parked_lsu), .read_reply_o(parked_reply),
  .load_i(move_load), .leave_i(move_leave), .park_i(move_park), .move_sm_i(move_sm),
  .leave_subs_i(move_subs), .leave_lsu_i(move_lsu), .leave_reply_i(move_reply)
);

// ---------------------------------------------------------------- windows
// All that may be under way without a slot.
assign win_busy = init || scrub || cmd_busy || flushing || lsu_busy || ctx_busy != '0 || outside
                  || rewake_busy || again_busy || req_valid_o || wants || performs || report
                  || events_busy;

/* verilator lint_off UNUSEDSIGNAL */  // a part
reply_t reply_word;
/* verilator lint_on UNUSEDSIGNAL */
assign reply_word = reply_i;

sm_window #(`SM_PASS) windows (
  .clk_i, .rst_ni, .go_i, .cmd_valid_i, .cmd_ready_i(cmd_ready_o),
  .window_end_i(window_end_i[TimeW-1:0]), .reached_i, .idle_o, .parked_o, .rested_o, .next_o,
  .busy_i(win_busy), .scrub_i(scrub), .launch_i(cmd_launch), .launch_at_i(TimeW'(cmd_launch_at)),
  .hold_o(win_hold), .hold_load_o(win_hold_load), .window_end_o(window_end),
  .last_sm_i(last_sm), .instances_i(sm_step), .instance_i(first_sm),
  .fill_delay_i(fill_delay),
  .port_free_i(!nxt_valid), .reply_valid_i, .reply_at_i(reply_word.at[TimeW-1:0]),
  .load_sm_o(load_sm), .loading_o(loading),
  .used_i(slot_used), .quiet_i(slot_quiet), .visited_i(slot_visited),
  .resume_valid_i(resume), .resume_sm_i(resume_sm), .waits_i(win_waits),
  .outside_i(outside_seen), .outside_sm_i(outside_sm),
  .read_o(read_slot), .read_slot_o(read_slot_at), .slot_sm_i(read_sm), .slot_open_i(read_open),
  .slot_lsu_i(read_lsu), .slot_reply_i(read_reply), .slot_wait_i(read_wait),
  .ctx_bounds_i(read_bounds), .ctx_starved_i(read_starved),
  .read_parked_o(read_parked), .read_sm_o(read_parked_at), .parked_subs_i(parked_subs),
  .parked_lsu_i(parked_lsu), .parked_reply_i(parked_reply),
  .move_slot_o(move_slot), .move_sm_o(move_sm), .move_subs_o(move_subs), .move_lsu_o(move_lsu),
  .move_reply_o(move_reply), .load_o(move_load),
  .pass_o(move_pass), .open_o(move_open), .work_o(move_work), .end_o(move_end),
  .leave_o(move_leave), .park_o(move_park), .resume_pop_o(resume_pop)
);
