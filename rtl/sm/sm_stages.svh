// Values inside one clock of the SM engine, `_d`, and what its modules tell each other.

// ---------------------------------------------------------------- inside one clock
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
logic [15:0]                      lines_d;         // command: line words so far
logic                             flush_d;         // command: L1 becomes empty
logic                             launch_cta_d;    // command: a Launch ...
bound_t                           next_launch_d;   // ... at this time
visit_t                           visit_d;         // struct temporaries: yosys has no locals
                                                   // of struct type
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
logic                             sm_const_we_d;   // a line enters ...
logic [SmConstW-1:0]              sm_const_d;      // ... the set
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
ptr_t                             line_rd_d;
logic [WarpsPerSm-1:0]            waiting_d;
request_t                         request_d;
/* verilator lint_off UNUSEDSIGNAL */  // a word with reserved bits
reply_t                           reply_word_d;    // what the reply port shows
/* verilator lint_on UNUSEDSIGNAL */
logic                             gap;             // cycles without an issue have ended: ...
full_t                            gap_cycles;
cause_t                           gap_cause;
