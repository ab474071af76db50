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
logic                             beat_done_d;     // command: the beat is worked off
logic                             counts_clear_d;  // command: initialises a warp's counts
warp_id_t                         counts_id_d;     // warp whose counts are written: ...
logic                             packets_we_d;
ptr_t                             packets_d;       // ... packets in its buffer so far,
logic                             flush_d;         // command: L1 becomes empty
logic                             launch_cta_d;    // command: command_d is a Launch ...
bound_t                           next_launch_d;   // ... at this time
wake_t                            wake_d;          // of struct type
parked_t                          parked_d;
logic                             init_d;          // the visit in select initialises
/* verilator lint_off UNUSEDSIGNAL */  // words with reserved bits
reply_t                           reply_word_d;    // what the reply port shows
command_t                         command_d;
/* verilator lint_on UNUSEDSIGNAL */
logic                             gap;             // cycles without an issue have ended: ...
full_t                            gap_cycles;
cause_t                           gap_cause;
