// Values inside one clock of the SM engine, `_d`, and what its modules tell each other.

// ---------------------------------------------------------------- inside one clock
logic                             events_half, events_busy, report_room;  // of sm_events
logic                             scrubs_d;        // command: scrubbing begins
logic                             beat_done_d;     // command: the beat is worked off
logic                             counts_clear_d;  // command: initialises a warp's counts
warp_id_t                         counts_id_d;     // warp whose counts are written: ...
logic                             packets_we_d;
ptr_t                             packets_d;       // ... packets in its buffer so far,
wake_t                            wake_d;          // struct temporary: yosys has no locals
/* verilator lint_off UNUSEDSIGNAL */  // words with reserved bits
command_t                         command_d;
/* verilator lint_on UNUSEDSIGNAL */
logic                             gap;             // cycles without an issue have ended: ...
full_t                            gap_cycles;
cause_t                           gap_cause;
