// All state of the SM engine, grouped by the unit that owns it. `_q` are registers, `_mem` are
// memories with one write site, `_d` are values inside one clock. A memory word is a vector
// (yosys 0.23 builds no memory from an array of structs); *W is the width of its struct.
//
// (1) Stands apart from what is copied with it: neighbours are copied in one piece by a model in C,
// cut differently in two places, and the processor then waits for its stores (docs/speed.md).

// ---------------------------------------------------------------- warps
logic                             needs_mem [MaxSm*WarpsPerSm];  // live and has no instruction

// ---------------------------------------------------------------- command port
logic                             beat_valid_q;                 // a beat is being worked off
logic [511:0]                     beat_q;
logic [1:0]                       beat_word_q;                  // payload word to do next
ptr_t                             packet_wr_mem [MaxSm*WarpsPerSm];  // packets written
logic [HeadW-1:0]                 buffer_mem [MaxSm*WarpsPerSm << BufferBits];  // packets ...
logic [OperandsW-1:0]             operand_mem [MaxSm*WarpsPerSm << BufferBits];  // ... operands
logic [ClassW-1:0]                classes_mem [64];             // class_t
time_t                            launch_mem [MaxSm];           // earliest launch not yet taken
logic [MaxSm-1:0]                 launched_q;                   // there is one
logic [WakeW-1:0]                 wake_mem [1 << WakeBits];     // queue to select
time_t                            wake_at_mem [1 << WakeBits];  // launch: time ...
logic [WakeBits-1:0]              wake_wr_q;                    // written by command
logic [WakeBits-1:0]              wake_rd_q;                    // written by select

// ---------------------------------------------------------------- parameters, command Set
sm_t                              last_sm_q;                    // number of the last SM
sm_t                              instances_q, instance_q;      // core instances; this one
ptr_t                             buffer_half_q;                // half of the packets buffered
logic [2:0]                       code_ways_q;                  // of an instruction cache
logic                             code_sets_q;                  // 64 sets, not 32
logic [3:0]                       code_prefetch_q;              // lines
time_t                            code_way_q;
logic                             code_shared_q;
logic [2:0]                       const_ways_q;                 // of a cache of constants
logic                             const_sets_q;                 // 8 sets, not 4
time_t                            const_miss_q;                 // look-up to issue
logic [3:0]                       const_hold_q;                 // nothing issues for so long
logic                             const_shared_q;               // an SM's is as it is, else it
                                                                // has every line
time_t                            const_fill_q;                 // what a miss there takes longer
logic                             write_ports_q;                // one a bank
logic [31:0]                      code_base_q;
logic [1:0]                       policy_q;                     // 0 CGGTY, 1 GTO, 2 LRR
time_t                            au_delay_q, au_interval_q, au_release_q, stage_interval_q,
                                  l1_latency_q, shared_latency_q, shuffle_latency_q,
                                  const_latency_q, barrier_latency_q, miss_delay_q, fill_delay_q,
                                  port_queue_q;
logic [3:0]                       l1_ways_q;
logic                             l1_sets_q;     // 256 sets, not 128
logic [8:0]                       credits_q;     // parameter port_credits
logic [2:0]                       reply_rate_q;
logic [1:0]                       port_shift_q;  // parameter port_time: 1, 2, 4 as 0, 1, 2

// ---------------------------------------------------------------- scrubbing
full_t                            scrub_period_q;               // most cycles between two
full_t                            scrubbed_q;                   // time of the last one
logic                             scrub_q;                      // one is under way
logic                             scrub_last_q;                 // its last visit has begun
logic [SmBits+5:0]                scrub_count_q;                // visit to make: {SM, warp}
logic [1:0]                       scrub_wait_q;                 // clocks to the next visit
logic                             scrub_all_q;                  // all stored times are old
time_t                            scrub_floor_q;                // what an old one becomes

// ---------------------------------------------------------------- slots and windows
logic [NumSlots-1:0]              slot_used_q;                  // slot has an SM
logic [NumSlots-1:0]              slot_open_q;                  // its sub-cores run
sm_t                              slot_sm_q [NumSlots];         // SM in the slot
time_t                            slot_end_q [NumSlots];        // end of its window
bound_t                           slot_lsu_q [NumSlots];        // memory stage has work from
// next reply takes effect not before
bound_t                           slot_reply_q [NumSlots];
logic [FlightBits-1:0]            slot_sent_q [NumSlots];       // micro-operations sent ...
logic [FlightBits-1:0]            slot_done_q [NumSlots];       // ... and those done, by update
logic [NumSlots-1:0]              slot_pass_q;                  // waits for the memory stage
logic [NumSlots-1:0]              slot_wait_q;                  // which waits for line words
bound_t                           ctx_bound_q [NumCtx];         // sub-core has work from
ctx_set_t                         ctx_busy_q;                   // a visit is in the pipeline
ctx_set_t                         ctx_runnable_q;               // has work inside the window
ctx_set_t                         ctx_starved_q;                // stands still for want of packets
logic [ParkedW-1:0]               parked_mem [MaxSm];           // SMs without a slot
logic [MaxSm-1:0]                 parked_q;                     // waits for the host
logic [SmBits:0]                  parked_count_q;               // SMs parked in this window ...
logic [SmBits:0]                  resumed_count_q;              // ... and resumed, by update
sm_t                              resume_mem [MaxSm];           // queue of SMs to load again
sm_t                              resume_wr_q;                  // written by update
sm_t                              resume_rd_q;
slot_t                            turn_q;                       // slot looked at first
win_state_e                       win_state_q;
logic                             win_load_q;                   // an SM for an empty slot ...
logic                             win_resume_q;                 // ... that was woken up
logic                             win_launch_q;                 // a Launch has come meanwhile
slot_t                            win_slot_q;
sm_t                              win_sm_q;
bound_t                           win_reply_q;                  // reply shown to the SM
parked_t                          win_q;                        // from when on it has work
logic [SubPerSm-1:0]              win_starved_q;                // of its sub-cores
logic                             win_waits_q;                  // its memory stage, for line words
time_t                            win_lsu_until_q, win_sub_until_q;  // ends of its short windows
logic                             win_lsu_work_q;               // there is work in that of the ...
logic [SubPerSm-1:0]              win_sub_work_q;               // ... stage, of sub-cores
bound_t                           win_next_q;                   // earliest of its work
time_t                            window_end_q;                 // nothing happens at or after
sm_t                              load_sm_q;                    // next SM to look at
logic                             loading_q;                    // not all SMs looked at
bound_t                           next_q;                       // earliest work after this window
logic                             outside_q;                    // a visit to an SM without slot ...
sm_t                              outside_sm_q;                 // ... which must not get one

// ---------------------------------------------------------------- to sm_counters and sm_events
// What they take lasts one clock; they are modules, so these are registers in every build.
logic                             want_q, perform_q;  // an event: ...
logic [WantW-1:0]                 want_word_q;                  // {SM, warp, packets, lines}
logic [PerformW-1:0]              perform_word_q;               // {time, SM, warp, slot}
logic                             room_q;                       // room for what is under way
