// The stages of a visit to a sub-core: modules, and the wires between them. sm_visits.sv lists the
// stages; a name begins with the stage that has the value.

// ---------------------------------------------------------------- the visits under way
/* verilator lint_off UNUSEDSIGNAL */  // some of these only rules look at, of some a part is used
logic     sel_valid, rel_valid, min_valid, cho_valid, fet_valid, cod_valid, loo_valid, upd_valid,
          rdy_valid, row_valid;
logic     sel_in_slot, rel_in_slot, row_in_slot;
logic     rel_issue, min_issue, cho_issue, fet_issue, cod_issue, loo_issue, upd_may_issue;
logic     fet_take, cod_init, loo_init, upd_init, rdy_init, row_init, cod_scrub, loo_scrub,
          upd_scrub, rdy_scrub, row_scrub, cod_come, loo_come, upd_count;
kind_e    sel_kind, rel_kind, upd_kind, row_kind;
ctx_t     sel_ctx, sel_turn, rel_ctx, cho_ctx, rdy_ctx, row_ctx;
warp_id_t sel_id, rel_id, cho_id, fet_id, cod_id, loo_id, upd_id, rdy_id, row_id;
arg_t     sel_arg, cho_arg, cod_arg, loo_arg, upd_arg, rdy_arg, row_arg;
time_t    sel_at, rel_at, cod_at, loo_at, upd_at, rdy_visit_at, row_at;
extra_t   sel_extra, loo_extra, upd_extra;
/* verilator lint_on UNUSEDSIGNAL */
full_t    cod_after, upd_after;
logic     upd_late;
bar_t     upd_late_bar;
// of the number of a warp
row_t     sel_row, rel_row, fet_row, cod_row, loo_row, upd_row, rdy_row, row_row;
sm_t      sel_sm, upd_sm, row_sm;
sub_t     upd_sub;
warp_t    cod_warp, loo_warp, upd_warp, rdy_warp, row_warp;
slot_t    row_slot;
assign sel_row  = sel_id[IdW-1:WarpBits];
assign rel_row  = rel_id[IdW-1:WarpBits];
assign fet_row  = fet_id[IdW-1:WarpBits];
assign row_slot = row_ctx[CtxBits-1:SubBits];
assign sel_sm = sel_row[RowW-1:SubBits];
assign {upd_sm, upd_sub} = upd_row;
assign row_sm   = row_id[IdW-1 -: SmBits];
`STAGE(cod_row, fet_row)
`STAGE(loo_row, cod_row)
`STAGE(upd_row, loo_row)
`STAGE(rdy_row, upd_row)
`STAGE(row_row, rdy_row)
assign cod_warp = cod_id[WarpBits-1:0];
`STAGE(loo_warp, cod_warp)
`STAGE(upd_warp, loo_warp)
`STAGE(rdy_warp, upd_warp)
`STAGE(row_warp, rdy_warp)

sm_visits #(`SM_PASS) visits (
  .clk_i, .rst_ni,
  .sel_valid_i(sel_valid), .sel_kind_i(sel_kind), .sel_in_slot_i(sel_in_slot),
  .sel_ctx_i(sel_ctx), .sel_id_i(sel_id), .sel_arg_i(sel_arg), .sel_at_i(sel_at),
  .sel_extra_i(sel_extra),
  .rel_valid_o(rel_valid), .min_valid_o(min_valid), .cho_valid_o(cho_valid),
  .rel_issue_o(rel_issue), .min_issue_o(min_issue), .cho_issue_o(cho_issue),
  .rel_kind_o(rel_kind), .rel_in_slot_o(rel_in_slot), .rel_ctx_o(rel_ctx),
  .cho_ctx_o(cho_ctx), .rel_id_o(rel_id), .cho_id_o(cho_id), .cho_arg_o(cho_arg),
  .rel_at_o(rel_at),
  .go_i(go), .go_id_i(go_id), .go_arg_i(go_arg), .go_at_i(go_at), .go_late_i(go_late),
  .go_late_bar_i(go_late_bar), .go_after_i(cho_after),
  .fet_valid_o(fet_valid), .cod_valid_o(cod_valid), .loo_valid_o(loo_valid),
  .upd_valid_o(upd_valid), .rdy_valid_o(rdy_valid), .row_valid_o(row_valid),
  .fet_issue_o(fet_issue), .cod_issue_o(cod_issue), .loo_issue_o(loo_issue),
  .upd_issue_o(upd_may_issue), .fet_take_o(fet_take),
  .cod_init_o(cod_init), .loo_init_o(loo_init), .upd_init_o(upd_init), .rdy_init_o(rdy_init),
  .row_init_o(row_init), .cod_scrub_o(cod_scrub), .loo_scrub_o(loo_scrub),
  .upd_scrub_o(upd_scrub), .rdy_scrub_o(rdy_scrub), .row_scrub_o(row_scrub),
  .cod_come_o(cod_come), .loo_come_o(loo_come), .upd_count_o(upd_count),
  .upd_kind_o(upd_kind), .row_kind_o(row_kind), .row_in_slot_o(row_in_slot),
  .rdy_ctx_o(rdy_ctx), .row_ctx_o(row_ctx),
  .fet_id_o(fet_id), .cod_id_o(cod_id), .loo_id_o(loo_id), .upd_id_o(upd_id), .rdy_id_o(rdy_id),
  .row_id_o(row_id), .cod_arg_o(cod_arg), .loo_arg_o(loo_arg), .upd_arg_o(upd_arg),
  .rdy_arg_o(rdy_arg), .row_arg_o(row_arg),
  .cod_at_o(cod_at), .loo_at_o(loo_at), .upd_at_o(upd_at),
  .rdy_at_o(rdy_visit_at), .row_at_o(row_at),
  .cod_after_o(cod_after), .upd_after_o(upd_after), .loo_extra_o(loo_extra),
  .upd_extra_o(upd_extra), .upd_late_o(upd_late), .upd_late_bar_o(upd_late_bar)
);

// ---------------------------------------------------------------- select
logic   micro_pop, rewake_half, rewake_busy, again_busy, sel_bound;
logic   go_again, row_half;
arg_t   go_again_arg;
time_t  sel_own_at;
logic   upd_rewake;
assign row_half    = row_valid && row_kind == KindCount && !row_arg.micro;

sm_select #(`SM_PASS) select (
  .clk_i, .rst_ni, .init_o(init), .init_count_o(init_count),
  .scrub_i(scrub), .scrub_visit_i(scrub_visit), .scrub_count_i(scrub_count),
  .room_i(!events_half && !rewake_half),
  .micro_valid_i(micro_valid), .micro_visit_i(micro_visit),
  .micro_at_i(micro_at), .micro_extra_i(micro_extra),
  .micro_pop_o(micro_pop),
  .wake_valid_i(wake_valid), .wake_i(wake), .wake_at_i(wake_at), .wake_pop_o(wake_pop),
  .rewake_i(upd_rewake), .rewake_id_i(upd_id), .rewake_half_o(rewake_half),
  .rewake_busy_o(rewake_busy),
  .again_i(go_again), .again_slot_i(cho_ctx[CtxBits-1:SubBits]), .again_id_i(cho_id),
  .again_arg_i(go_again_arg), .again_at_i(cho_at), .half_i(row_half),
  .row_i(row_valid && row_in_slot), .half_ctx_i(row_ctx), .again_busy_o(again_busy),
  .runnable_i(ctx_runnable), .busy_i(ctx_busy), .slot_used_i(slot_used),
  .slot_sm_i(slot_sms), .outside_i(outside), .hold_i(win_hold),
  .hold_slot_i(move_slot), .hold_load_i(win_hold_load),
  .valid_o(sel_valid), .kind_o(sel_kind), .in_slot_o(sel_in_slot), .ctx_o(sel_ctx),
  .id_o(sel_id), .arg_o(sel_arg), .turn_ctx_o(sel_turn), .bound_o(sel_bound), .at_o(sel_own_at),
  .extra_o(sel_extra)
);
assign sel_at = sel_bound ? sel_bound_at : sel_own_at;

// ---------------------------------------------------------------- relative, minimum, choose
logic   cho_ready, cho_queued, go, go_late, go_mark, go_runnable, go_starved;
time_t  cho_at, go_at;
full_t  cho_after;
rel_t   cho_rel;
warp_t  cho_warp, cho_late_warp;
bar_t   cho_late_bar, go_late_bar;
warp_id_t go_id;
arg_t   go_arg;
bound_t go_bound;

// what stage row tells sm_pick
logic [4*WarpsPerSub-1:0] row_others;
logic [WarpsPerSub-1:0]   row_await;
time_t      row_free, row_own_at;
logic [1:0] row_own;
logic       row_full, row_keep, row_release, row_issue, row_fresh, row_next_we;
full_t      row_next;

sm_pick #(`SM_PASS) pick (
  .clk_i, .reached_i, .policy_i(policy),
  .sel_issue_i(sel_bound), .sel_row_i(sel_row), .rel_issue_i(rel_issue), .rel_at_i(rel_at),
  .min_issue_i(min_issue),
  .cho_at_o(cho_at), .cho_rel_o(cho_rel), .cho_warp_o(cho_warp), .cho_ready_o(cho_ready),
  .cho_after_o(cho_after),
  .rdy_valid_i(rdy_valid), .rdy_row_i(rdy_row), .row_valid_i(row_valid), .row_init_i(row_init),
  .row_scrub_i(row_scrub), .row_row_i(row_row), .row_warp_i(row_warp), .row_at_i(row_at),
  .row_others_i(row_others), .row_free_i(row_free),
  .row_full_i(row_full), .row_own_at_i(row_own_at), .row_own_i(row_own), .row_keep_i(row_keep),
  .row_release_i(row_release), .row_await_i(row_await), .row_greedy_we_i(row_issue),
  .row_fresh_i(row_fresh), .row_next_we_i(row_next_we), .row_next_i(row_next),
  .scrub_all_i(scrub_all), .scrub_floor_i(scrub_floor)
);

sm_choose #(`SM_PASS) choose (
  .valid_i(cho_valid), .issue_i(cho_issue), .id_i(cho_id), .arg_i(cho_arg), .at_i(cho_at),
  .end_i(slot_ends[cho_ctx[CtxBits-1:SubBits]*TimeW +: TimeW]),
  .rel_i(cho_rel), .warp_i(cho_warp), .ready_i(cho_ready),
  .queued_i(cho_queued), .late_warp_i(cho_late_warp), .late_bar_i(cho_late_bar),
  .go_o(go), .id_o(go_id), .arg_o(go_arg), .at_o(go_at), .late_o(go_late), .late_bar_o(go_late_bar),
  .mark_o(go_mark), .bound_o(go_bound), .runnable_o(go_runnable), .starved_o(go_starved),
  .again_o(go_again), .again_arg_o(go_again_arg)
);

// ---------------------------------------------------------------- fetch: packets
ptr_t      rdy_rd, fet_rd, cod_written, loo_written, upd_written;
/* verilator lint_off UNUSEDSIGNAL */  // a part
operands_t cod_operands, loo_operands;
/* verilator lint_on UNUSEDSIGNAL */
logic [HeadW-1:0] cod_next, loo_next, upd_next;
const_line_t upd_constant;
logic      rdy_stopped;

sm_packets #(`SM_PASS) packets (
  .clk_i, .init_i(init), .init_id_i(init_id),
  .look_i(cmd_look), .id_i(cmd_id), .beat_i(cmd_beat), .store_i(cmd_packets), .needs_o(cmd_needs),
  .fet_valid_i(fet_valid), .cod_valid_i(cod_valid), .loo_valid_i(loo_valid),
  .upd_valid_i(upd_valid), .fet_id_i(fet_id), .cod_id_i(cod_id), .loo_id_i(loo_id),
  .upd_id_i(upd_id), .upd_needs_i(upd_needs), .fet_issue_i(fet_issue), .fet_take_i(fet_take),
  .fet_rd_i(fet_rd), .cod_operands_o(cod_operands), .cod_next_o(cod_next),
  .cod_written_o(cod_written), .hint_i(rdy_valid && !rdy_stopped), .hint_id_i(rdy_id),
  .hint_rd_i(rdy_rd)
);
`STAGE(loo_operands, cod_operands)
`STAGE(loo_next, cod_next)
`STAGE(loo_written, cod_written)
`STAGE(upd_next, loo_next)
`STAGE(upd_written, loo_written)
`STAGE(upd_constant, loo_operands.constant)

// ---------------------------------------------------------------- code, look
logic       cod_fetched, cod_looked, loo_conflict, loo_looked, loo_there,
            loo_late, loo_missed;
/* verilator lint_off UNUSEDSIGNAL */  // a part
head_t      cod_head, loo_head;
/* verilator lint_on UNUSEDSIGNAL */
logic [7:0] cod_recent;
logic [BankedBars-1:0] loo_met;
constants_t loo_constants;
/* verilator lint_off UNUSEDSIGNAL */  // a part
class_t     loo_class, upd_class, rdy_class;
/* verilator lint_on UNUSEDSIGNAL */
logic [5:0] rdy_cls;
time_t      loo_issue_at, loo_missed_at;
logic [3:0] loo_hold;
`STAGE(loo_head, cod_head)

sm_classes classes (
  .clk_i, .set_i(cmd_class), .number_i(cmd_number[5:0]), .value_i(cmd_value),
  .loo_cls_i(loo_head.cls), .loo_class_o(loo_class), .rdy_cls_i(rdy_cls), .rdy_class_o(rdy_class)
);

sm_write_ports #(`SM_PASS) write_ports (
  .clk_i, .reached_i, .one_port_i(one_write_port), .scrub_all_i(scrub_all),
  .fet_row_i(fet_row), .cod_at_i(cod_at), .cod_after_i(cod_after), .cod_recent_o(cod_recent),
  .loo_row_i(loo_row), .upd_row_i(upd_row), .upd_init_i(upd_init), .upd_scrub_i(upd_scrub),
  .upd_after_i(upd_after), .upd_move_i(upd_issue || upd_missed), .upd_next_i(upd_none_at),
  .upd_write_i(upd_issue && upd_class.ports), .upd_latency_i(upd_class.latency),
  .upd_banks_i(upd_head.dst)
);

sm_operands #(`SM_PASS) operands (
  .clk_i, .scrub_all_i(scrub_all), .scrub_floor_i(scrub_floor),
  .cod_row_i(cod_row), .loo_issue_i(loo_issue), .loo_warp_i(loo_warp), .loo_at_i(loo_at),
  .loo_ports_i(loo_class.ports), .loo_reuse_i(loo_class.reuse), .loo_src_i(loo_operands.src),
  .loo_even_i(loo_operands.even), .loo_odd_i(loo_operands.odd), .loo_keep_i(loo_operands.reuse),
  .loo_issue_at_o(loo_issue_at),
  .upd_row_i(upd_row), .upd_init_i(upd_init), .upd_scrub_i(upd_scrub), .upd_issue_i(upd_issue)
);

sm_code #(`SM_PASS) codes (
  .clk_i, .ways_i(code_ways), .sets_i(code_sets), .prefetch_i(code_prefetch),
  .scrub_all_i(scrub_all), .scrub_floor_i(scrub_floor),
  .cod_row_i(cod_row), .cod_come_i(cod_come), .cod_scrub_i(cod_scrub), .cod_init_i(cod_init),
  .cod_init_set_i(CodeBits'({cod_arg.bar[1:0], cod_warp})),
  .cod_wanted_i(cod_issue && cod_operands.fetch && !cod_fetched), .cod_line_i(cod_operands.line),
  .loo_issue_i(loo_issue), .loo_init_i(loo_init), .loo_scrub_i(loo_scrub), .loo_warp_i(loo_warp),
  .loo_at_i(loo_at), .loo_come_i(loo_come), .loo_epoch_i(loo_arg.cta),
  .loo_first_i(loo_extra[LineNoW-1:0]), .loo_mask_i({loo_arg.lines[1:0], loo_arg.delta}),
  .loo_conflict_i(loo_conflict), .loo_start_i(loo_operands.start),
  .loo_launched_i(loo_operands.launched), .loo_looked_o(loo_looked), .loo_there_o(loo_there),
  .loo_late_o(loo_late),
  .upd_row_i(upd_row), .upd_warp_i(upd_warp), .upd_init_i(upd_init), .upd_ask_o(upd_ask),
  .upd_ask_word_o(upd_ask_word), .upd_miss_o(upd_code_miss), .upd_release_o(upd_release),
  .upd_await_o(upd_await),
  .upd_wait_o(upd_wait), .upd_wait_at_o(upd_wait_at), .upd_keep_o(upd_keep)
);

sm_constant #(`SM_PASS) constant (
  .clk_i, .ways_i(const_ways), .sets_i(const_sets), .miss_i(const_miss),
  .hold_i(const_hold), .scrub_all_i(scrub_all), .scrub_floor_i(scrub_floor),
  .cod_row_i(cod_row), .cod_warp_i(cod_warp), .cod_init_i(cod_init), .cod_scrub_i(cod_scrub),
  .cod_line_i(cod_operands.constant),
  .cod_wanted_i(cod_issue && cod_operands.constant != '0 && cod_head.mem == MemNone
                && !cod_looked),
  .loo_issue_i(loo_issue && !loo_conflict && !loo_late), .loo_at_i(loo_at),
  .loo_constants_i(loo_constants), .loo_missed_o(loo_missed), .loo_there_o(loo_missed_at),
  .loo_hold_o(loo_hold),
  .upd_row_i(upd_row), .upd_init_i(upd_init), .upd_scrub_i(upd_scrub), .upd_missed_i(upd_missed)
);

// ---------------------------------------------------------------- update
logic       upd_conflict, upd_looked, upd_there, upd_code_late, upd_missed, upd_ask,
            upd_code_miss, upd_release, upd_wait, upd_keep, upd_issue, upd_needs, upd_want,
            upd_mio, upd_waits, upd_enter, upd_filled, upd_full, upd_arrive_we, upd_banks_we;
time_t      upd_issue_at, upd_missed_at, upd_ends_at, upd_stall, upd_op_release,
            upd_place, upd_arrive;
logic [3:0] upd_hold, upd_held;
head_t      upd_head;
logic [AskW-1:0] upd_ask_word;
logic [WarpsPerSub-1:0] upd_await;
bound_t     upd_wait_at;
cause_t     upd_old_cause, upd_cause;
logic [11:0] upd_old_kinds, upd_kinds;
cta_t       upd_cta;
constants_t upd_constants;
logic [31:0] upd_want_word;
logic [6:0] upd_now;
logic [BankedBars-1:0] upd_met;
bar_t       upd_bar;
entry_t     upd_entry, upd_sent;
logic [2:0] upd_arrive_entry;
mem_op_t    upd_op;
time_t      upd_none_at;                     // nothing issues in the sub-core before:
full_t      upd_none_before;                 // in full
`STAGE(upd_conflict, loo_conflict)
`STAGE(upd_looked, loo_looked)
`STAGE(upd_there, loo_there)
`STAGE(upd_code_late, loo_late)
`STAGE(upd_missed, loo_missed)
`STAGE(upd_missed_at, loo_missed_at)
`STAGE(upd_hold, loo_hold)
`STAGE(upd_class, loo_class)
`STAGE(upd_issue_at, loo_issue_at)
`STAGE(upd_met, loo_met)
assign upd_mio         = upd_class.pipe == MioPipe;
assign upd_held        = upd_missed ? upd_hold : 4'(upd_issue_at - upd_at);
assign upd_none_at     = upd_missed ? upd_at + TimeW'(upd_hold) : upd_issue_at + 1'b1;
assign upd_none_before = full_time(upd_none_at, reached_i);

sm_warp #(`SM_PASS) warps (
  .clk_i, .buffer_half_i(buffer_half), .scrub_all_i(scrub_all),
  .scrub_floor_i(scrub_floor),
  .go_issue_i(go), .go_id_i(go_id), .fet_rd_o(fet_rd),
  .fet_id_i(fet_id), .cod_head_o(cod_head), .cod_fetched_o(cod_fetched),
  .cod_looked_o(cod_looked), .loo_constants_o(loo_constants), .loo_id_i(loo_id),
  .upd_valid_i(upd_valid), .upd_kind_i(upd_kind), .upd_id_i(upd_id), .upd_lines_i(upd_arg.lines),
  .upd_new_cta_i(upd_arg.cta), .upd_new_constants_i(upd_arg.delta), .upd_at_i(upd_at),
  .upd_issue_at_i(upd_issue_at), .upd_next_i(upd_next), .upd_written_i(upd_written),
  .upd_conflict_i(upd_conflict), .upd_looked_i(upd_looked), .upd_there_i(upd_there),
  .upd_late_i(upd_code_late), .upd_missed_i(upd_missed), .upd_constant_i(upd_missed_at),
  .upd_latency_i(upd_class.latency), .upd_sleeping_i(upd_class.sleeping),
  .upd_blocking_i(upd_class.blocking), .upd_cause_i(upd_cause), .upd_kinds_i(upd_kinds),
  .upd_issue_o(upd_issue), .upd_head_o(upd_head), .upd_ends_at_o(upd_ends_at),
  .upd_stall_o(upd_stall), .upd_cause_o(upd_old_cause), .upd_kinds_o(upd_old_kinds),
  .upd_cta_o(upd_cta), .upd_constants_o(upd_constants),
  .upd_needs_o(upd_needs), .upd_want_o(upd_want), .upd_want_word_o(upd_want_word),
  .upd_rewake_o(upd_rewake),
  .rdy_stall_o(rdy_stall), .rdy_stands_o(rdy_stands), .rdy_has_o(rdy_has), .rdy_cls_o(rdy_cls),
  .rdy_mask_o(rdy_mask), .rdy_rd_o(rdy_rd)
);

sm_mio #(`SM_PASS) mio (
  .clk_i, .au_delay_i(au_delay), .au_interval_i(au_interval), .au_release_i(au_release),
  .scrub_all_i(scrub_all), .scrub_floor_i(scrub_floor),
  .sel_row_i(sel_row), .rel_row_i(rel_row), .cho_queued_o(cho_queued),
  .cho_late_warp_o(cho_late_warp), .cho_late_bar_o(cho_late_bar),
  .cod_row_i(cod_row), .loo_row_i(loo_row), .loo_warp_i(loo_warp), .loo_scrub_i(loo_scrub),
  .upd_row_i(upd_row), .upd_warp_i(upd_warp), .upd_at_i(upd_at), .upd_init_i(upd_init),
  .upd_scrub_i(upd_scrub), .upd_credit_i(upd_valid && upd_arg.credit), .upd_extra_i(upd_extra),
  .upd_issue_i(upd_issue && upd_mio), .upd_head_i(upd_head), .upd_constant_i(upd_constant),
  .upd_cta_i(upd_cta), .upd_constants_i(upd_constants), .upd_late_i(upd_late),
  .upd_waits_o(upd_waits), .upd_enter_o(upd_enter),
  .upd_release_o(upd_op_release), .upd_place_o(upd_place), .upd_filled_o(upd_filled),
  .upd_bar_o(upd_bar), .upd_entry_o(upd_entry), .upd_full_o(upd_full), .upd_op_o(upd_op),
  .upd_arrive_we_o(upd_arrive_we), .upd_arrive_entry_o(upd_arrive_entry),
  .upd_arrive_o(upd_arrive), .upd_sent_o(upd_sent)
);

sm_cause #(`SM_PASS) causes (
  .clk_i, .reached_i, .loo_row_i(loo_row), .upd_row_i(upd_row), .upd_init_i(upd_init),
  .upd_at_i(upd_at), .upd_issue_i(upd_issue), .upd_missed_i(upd_missed), .upd_held_i(upd_held),
  .upd_after_i(upd_after), .upd_last_i(upd_head.last),
  .upd_mio_i(upd_mio && upd_issue), .upd_mem_i(upd_head.mem),
  .upd_stall_count_i(upd_head.stall), .upd_mask_i(upd_head.wait_mask),
  .upd_wr_bar_i(upd_head.wr_bar), .upd_rd_bar_i(upd_head.rd_bar),
  .upd_latency_i(upd_class.latency), .upd_sleeping_i(upd_class.sleeping),
  .upd_blocking_i(upd_class.blocking), .upd_now_i(upd_now), .upd_met_i(upd_met),
  .upd_stall_i(upd_stall), .upd_cause_i(upd_old_cause), .upd_kinds_i(upd_old_kinds),
  .upd_cause_o(upd_cause), .upd_kinds_o(upd_kinds), .upd_banks_we_o(upd_banks_we),
  .gap_o(gap), .gap_cycles_o(gap_cycles), .gap_cause_o(gap_cause)
);

logic wants, performs;
assign wants    = upd_valid && upd_want;
assign performs = upd_issue && !upd_mio && upd_head.perform;

// ---------------------------------------------------------------- ready, row
logic       rdy_stands, rdy_has, rdy_waits, rdy_wait, rdy_keep, rdy_release, rdy_issue,
            rdy_fresh, rdy_next_we, rdy_stays, row_waits, row_stays, rdy_enter, rdy_ask, rdy_exit,
            rdy_bound_we;
time_t      rdy_stall, rdy_at, rdy_arrive, rdy_pipe_bound;
logic [6:0] rdy_mask;
bound_t     rdy_wait_at, rdy_bound, rdy_push, row_push;
logic [WarpsPerSub-1:0] rdy_await;
full_t      rdy_next;
`STAGE(rdy_wait, upd_wait)
`STAGE(rdy_wait_at, upd_wait_at)
`STAGE(rdy_keep, upd_keep)
`STAGE(rdy_release, upd_release)
`STAGE(rdy_await, upd_await)
`STAGE(rdy_issue, upd_issue)
`STAGE(rdy_fresh, upd_head.do_yield)
`STAGE(rdy_next_we, upd_issue || upd_missed)
`STAGE(rdy_next, upd_none_before)
`STAGE(rdy_enter, upd_enter)
`STAGE(rdy_arrive, upd_arrive)
`STAGE(rdy_ask, upd_valid && upd_ask)
`STAGE(rdy_exit, upd_issue && upd_head.last)
// The visit issued nothing, or the sub-core stands still behind it.
`STAGE(rdy_stays, !upd_issue || upd_held != '0)
`STAGE(row_release, rdy_release)
`STAGE(row_await, rdy_await)
`STAGE(row_issue, rdy_issue)
`STAGE(row_fresh, rdy_fresh)
`STAGE(row_next_we, rdy_next_we)
`STAGE(row_next, rdy_next)
`STAGE(row_push, rdy_push)
`STAGE(row_stays, rdy_stays)
`STAGE(row_waits, rdy_waits)

// Work for the memory stage from: an operation arrives, code is asked for, a warp ends.
always_comb begin : stage_work
  rdy_push = Never;
  if (rdy_enter) rdy_push = {1'b0, rdy_arrive};
  if (rdy_ask) rdy_push = first(rdy_push, {1'b0, TimeW'(rdy_visit_at + code_way)});
  if (rdy_exit) rdy_push = first(rdy_push, {1'b0, rdy_visit_at});
end

// Work for the sub-core: code has come, or a slot of the memory pipe is free.
always_comb begin : more_work
  rdy_bound = Never;
  if (rdy_valid && rdy_release) rdy_bound = {1'b0, rdy_visit_at};
  if (rdy_bound_we) rdy_bound = {1'b0, rdy_pipe_bound};
end

sm_scoreboard #(`SM_PASS) scoreboard (
  .clk_i, .scrub_all_i(scrub_all), .scrub_floor_i(scrub_floor),
  .fet_issue_i(fet_issue), .fet_id_i(fet_id),
  .cod_issue_i(cod_issue), .cod_at_i(cod_at), .cod_mask_i(cod_head.wait_mask),
  .cod_recent_i(cod_recent), .loo_conflict_o(loo_conflict), .loo_met_o(loo_met),
  .loo_valid_i(loo_valid), .loo_id_i(loo_id), .upd_id_i(upd_id), .upd_at_i(upd_at),
  .upd_launch_i(upd_valid && upd_kind == KindLaunch), .upd_count_i(upd_count),
  .upd_count_bar_i(upd_arg.bar), .upd_delta_i(upd_arg.delta), .upd_timed_i(upd_arg.timed),
  .upd_may_i(upd_may_issue), .upd_mask_i(upd_head.wait_mask), .upd_issue_i(upd_issue),
  .upd_issue_at_i(upd_issue_at), .upd_ends_at_i(upd_ends_at), .upd_mio_i(upd_mio),
  .upd_bar_i(upd_bar), .upd_waits_i(upd_waits),
  .upd_release_i(upd_op_release), .upd_enter_i(upd_enter), .upd_late_bar_i(upd_late_bar),
  .upd_kind_we_i(upd_banks_we), .upd_wr_bar_i(upd_head.wr_bar),
  .upd_banks_i(upd_mio ? upd_head.dst : 2'd0), .upd_rd_bar_i(upd_head.rd_bar),
  .upd_now_o(upd_now),
  .rdy_valid_i(rdy_valid), .rdy_id_i(rdy_id), .rdy_init_i(rdy_init), .rdy_scrub_i(rdy_scrub),
  .rdy_bar_i(rdy_arg.bar), .rdy_stopped_i(rdy_stands),
  .rdy_mask_i(rdy_mask), .rdy_stall_i(rdy_stall), .rdy_stopped_o(rdy_stopped),
  .rdy_waits_o(rdy_waits), .rdy_at_o(rdy_at)
);

sm_row #(`SM_PASS) pipes (
  .clk_i, .scrub_all_i(scrub_all), .scrub_floor_i(scrub_floor),
  .loo_row_i(loo_row), .upd_row_i(upd_row), .upd_warp_i(upd_warp), .upd_init_i(upd_init),
  .upd_scrub_i(upd_scrub), .upd_at_i(upd_at), .upd_issue_i(upd_issue),
  .upd_pipe_i(upd_class.pipe), .upd_issue_at_i(upd_issue_at),
  .upd_interval_i(upd_class.interval), .upd_place_i(upd_place), .upd_filled_i(upd_filled),
  .upd_release_i(upd_op_release), .upd_full_i(upd_full),
  .rdy_bound_we_o(rdy_bound_we), .rdy_bound_o(rdy_pipe_bound),
  .rdy_valid_i(rdy_valid), .rdy_row_i(rdy_row), .rdy_warp_i(rdy_warp), .rdy_scrub_i(rdy_scrub),
  .rdy_has_i(rdy_has),
  .rdy_pipe_i(rdy_class.pipe), .rdy_stopped_i(rdy_stopped), .rdy_at_i(rdy_at),
  .rdy_keep_i(rdy_keep), .rdy_wait_i(rdy_wait), .rdy_wait_at_i(rdy_wait_at),
  .row_others_o(row_others), .row_free_o(row_free),
  .row_full_o(row_full), .row_own_at_o(row_own_at), .row_own_o(row_own), .row_keep_o(row_keep)
);
