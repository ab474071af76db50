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
full_t                            scrub_period_q;               // most cycles between two scrubs
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

// ---------------------------------------------------------------- to slots and window unit
// What they take lasts one clock; they are modules, so these are registers in every build.
logic                             launch_q;                     // a Launch has come ...
sm_t                              launch_sm_q;                  // ... for this SM ...
time_t                            launch_at_q;                  // ... and time

// ---------------------------------------------------------------- to sm_counters and sm_events
// What they take lasts one clock; they are modules, so these are registers in every build.
logic                             want_q, perform_q;  // an event: ...
logic [WantW-1:0]                 want_word_q;                  // {SM, warp, packets, lines}
logic [PerformW-1:0]              perform_word_q;               // {time, SM, warp, slot}
logic                             room_q;                       // room for what is under way
