// What the stages of the SM engine hand on to each other: registers, `_q`, and values inside one
// clock or one visit, `_d`. The rest of its state: sm_state.svh, where (1) is explained.

// ---------------------------------------------------------------- stage registers
// Named after the stage that writes them.
logic                             sel_valid_q, key_valid_q, min_valid_q, cho_valid_q, fet_valid_q,
                                  cod_valid_q;
logic                             up_update_valid_q, up_ready_valid_q, up_row_valid_q;
`ifdef HEDDLE_NBA
logic [2:0]                       select_turn_q;
bound_t                           push_q;                                   // push_d before
slot_t                            push_slot_q;
`endif
visit_t                           sel_visit_q, key_visit_q, min_visit_q, cho_visit_q, fet_visit_q;
time_t                            sel_at_q, key_at_q, min_at_q, cho_at_q, fet_at_q;
time_t                            sel_end_q, key_end_q, min_end_q;          // window end
extra_t                           sel_credit_q, key_credit_q, min_credit_q, cho_credit_q,
                                  fet_credit_q;  // credit: start of operation
sched_t                           sel_sched_q, fet_sched_q;
full_t                            sel_after_q, fet_after_q;                 // next_mem
warp_t                            min_last_q;                               // of sched_t, ...
entry_t                           min_issued_q, min_sent_q, cho_issued_q, cho_sent_q;  // ... too
logic [WarpsPerSub*IssueW-1:0]    sel_ready_q;                              // row of ready_mem
key_t                             key_q [WarpsPerSub];                      // sort key per warp
times_t                           fet_until_q;                              // of the warp (1)
logic [WarpsPerSub*IssueW-1:0]    fet_ready_q;                              // rows of the sub-core
logic [WarpsPerSub*4-1:0]         fet_class_q;
logic [NumPipes*TimeW-1:0]        fet_free_q;
/* verilator lint_off UNUSEDSIGNAL */  // of these a part
sched_t                           key_sched_q;
key_t                             min_key_q;                                // smallest key
/* verilator lint_on UNUSEDSIGNAL */
late_t                            key_late_q, min_late_q;                   // late operation
time_t                            key_late_at_q, min_late_at_q, cho_late_at_q, fet_late_at_q;
bar_t                             cho_late_bar_q, fet_late_bar_q;
logic                             cho_late_q, fet_late_q;                   // it has its credit
board_t                           cho_board_q, fet_board_q;                 // of the warp
head_t                            fet_head_q, fet_next_q;                   // packet, one after it
ptr_t                             fet_written_q;                            // packets written
lines_t                           fet_lines_q;                              // of the warp
time_t                            fet_stall_q;                              // of the warp
time_t                            fet_unit_q, fet_credit_at_q;              // of the sub-core
time_t                            fet_bank0_q, fet_bank1_q;                 // of the sub-core
logic [KeptW-1:0]                 fet_kept0_q, fet_kept1_q;                 // of the sub-core
operands_t                        fet_operands_q;                           // of the packet
logic [CodeW-1:0]                 cod_set_q;                                // instruction cache
stream_t                          cod_stream_q;
logic [WarpsPerSub-1:0]           fet_await_q;                              // of the sub-core
time_t                            fet_place_q;                              // next but one MIO slot
time_t                            fet_credits_q;                            // next but one credit

// ---------------------------------------------------------------- inside one clock
logic                             select_turn_d;   // stage 1 may choose a visit
logic                             window_turn_d;   // the window unit may begin to look
ctx_set_t                         ctx_busy_d;      // select sets, choose and update clear
ctx_set_t                         ctx_runnable_d;  // choose, update and window write
/* verilator lint_off UNUSEDSIGNAL */  // in the pipelined build nobody asks in the same clock
logic                             outside_d;       // select: a visit to an SM without slot ...
sm_t                              outside_sm_d;    // ... this one
/* verilator lint_on UNUSEDSIGNAL */
bound_t                           next_d;          // window: new next_q
logic                             parked_we_d;     // window: an SM is parked ...
sm_t                              parked_sm_d;     // ... this one
sm_t                              load_d;          // window: SM looked at
logic                             port_loads_d;    // the reply port shows load_sm_q
logic                             told_d;          // an event is pushed
logic                             events_half, events_busy, report_room;  // of sm_events
bound_t                           push_d;          // update: work for the memory stage from ...
slot_t                            push_slot_d;     // ... in this slot
bound_t                           pushed_d;        // that work as the memory stage sees it ...
slot_t                            pushed_slot_d;   // ... (pipelined: a clock later)
logic                             beat_done_d;     // command: the beat is worked off
logic                             counts_clear_d;  // command: initialises a warp's counts
warp_id_t                         counts_id_d;     // warp whose counts are written: ...
logic                             packets_we_d, lines_we_d;
ptr_t                             packets_d;       // ... packets in its buffer so far,
logic [15:0]                      lines_d;         // line words
logic                             flush_d;         // command: L1 becomes empty
logic                             launch_cta_d;    // command: command_d is a Launch ...
bound_t                           next_launch_d;   // ... at this time
// Update: what its stages hand on to each other; held for the clocks of a visit there.
row_t                             up_row_d;        // sub-core
warp_id_t                         up_id_d;         // warp
ctx_t                             up_ctx_d;        // context of the sub-core
board_t                           up_board_d;      // new values of the warp ...
head_t                            up_head_d;
lines_t                           up_lines_d;
time_t                            up_stall_d;
sched_t                           up_sched_d;      // ... and of the sub-core
time_t                            up_at_d;         // issue, later by what its operands are late
time_t                            up_bank0_d, up_bank1_d;
logic                             up_kept_we_d;
logic [KeptW-1:0]                 up_kept0_d, up_kept1_d;
logic                             up_late_d;       // its code or constant comes later: no issue
logic                             up_code_we_d, up_stream_we_d, up_await_we_d, up_ask_we_d;
logic [CodeW-1:0]                 up_code_d;       // set of the instruction cache
stream_t                          up_stream_d;
logic [WarpsPerSub-1:0]           up_await_d;      // warps that wait for their code
logic                             up_release_d;    // they wait no longer
logic                             up_wait_d;       // the warp waits for its code now,
logic                             up_keep_d;       // it did before: its lane stays as it is
ask_t                             ask_d;           // what it asks for
time_t                            up_unit_d;       // entry to the address unit ...
logic                             up_enter_d;      // ... happens
time_t                            up_credit_d;     // credit_mem
logic [3:0]                       up_lane_d;       // pipe of its next instruction
logic [3:0]                       up_pipe_d;       // pipe ...
time_t                            up_free_d;       // ... is free at ...
logic                             up_full_d;       // ... or, MIO, after a credit
logic                             up_piped_d;      // its next instruction needs a pipe ...
time_t                            up_piped_at_d;   // ... that is free at
`ifdef HEDDLE_NBA
bar_t                             up_add_bar_d;    // counter that an operation adds to, ...
logic [CountW-1:0]                up_add_d;        // ... this,
bar_t                             up_hold_bar_d;   // one that it adds 1 to,
bar_t                             up_end_bar_d, up_read_bar_d;  // counters of which operations ...
time_t                            up_end_at_d, up_read_at_d;    // ... end at these times
`endif
logic [IssueW-1:0]                up_issue_at_d;   // lane of the warp in ready_mem
time_t                            up_ready_d;      // next instruction may issue at
logic                             up_take_d;       // next packet is wanted
logic                             up_waits_d;      // next instruction waits for the counter
logic                             up_issue_d, up_count_we_d, up_until_we_d, up_lines_we_d,
                                  up_sched_we_d, up_free_we_d, up_credit_we_d, up_init_d,
                                  up_scrub_d;
logic                             up_park_d;       // an operation waits for a credit
bound_t                           up_bound_d;      // sub-core has work from, by this visit
visit_t                           visit_d;         // struct temporaries: yosys has no locals
wake_t                            wake_d;          // of struct type
late_t                            late_d;
watch_t                           watch_d;         // memory stage: what a sub-core waits for
sub_t                             watch_sub_d;
sm_code_t                         sm_code_d;       // a way of the SM's instruction cache
logic [3:0]                       sm_code_way_d;
logic [SmCodeWays*SmCodeW-1:0]    code_row_d;
logic                             watch_we_d, sm_code_we_d, sm_way_we_d;
mem_op_t                          mem_op_d;
parked_t                          parked_d;
// Memory stage: one write a clock to each of its memories and queues.
logic                             init_d;          // the visit in select initialises
logic                             scrub_sm_d;      // ... is the first that scrubs an SM
logic                             lsu_room_d;      // the queues have room for a step
logic                             micro_d;         // push visit_d as a micro-operation ...
time_t                            micro_at_d;      // ... at this time
extra_t                           micro_credit_d;  // ... with this beside it
logic                             report_d;        // push an event ...
logic [NoticeW-1:0]               report_word_d;
logic                             saved_we_d, line_we_d, victim_we_d, waiter_we_d,
                                  cta_we_d, group_we_d;
stage_t                           lsu_saved_d;
logic [NumWays-1:0]               tag_we_d;        // ways
logic [SmBits+SetBits-1:0]        tag_set_d;
logic [TagW-1:0]                  tag_d;
logic [VictimW-1:0]               victim_d;
logic [NumMshr-1:0]               mshr_we_d;       // entries
logic [SmBits+MshrSetBits-1:0]    mshr_set_d;
logic [NumMshr*MshrW-1:0]         mshrs_d;         // ... their values
mshr_t                            mshr_d;
logic [7:0]                       waiter_mshr_d;
logic [2:0]                       waiter_at_d;
waiter_t                          waiter_d;
cta_t                             cta_d;
cta_state_t                       cta_state_d;
group_t                           group_d;
logic                             up_exit_d;
logic [6:0]                       up_exit_wr_d;
ptr_t                             line_rd_d;
logic [WarpsPerSm-1:0]            waiting_d;
request_t                         request_d;
/* verilator lint_off UNUSEDSIGNAL */  // words with reserved bits
class_t                           up_class_d;      // class of the instruction issued, of the next
reply_t                           reply_word_d;    // what the reply port shows
command_t                         command_d;
/* verilator lint_on UNUSEDSIGNAL */
