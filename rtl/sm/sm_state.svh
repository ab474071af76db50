// All state of the SM engine, grouped by the unit that owns it. `_q` are registers, `_mem` are
// memories with one write site, `_d` are values inside one clock. A memory word is a vector
// (yosys 0.23 builds no memory from an array of structs); *W is the width of its struct.
//
// (1) Stands apart from what is copied with it: neighbours are copied in one piece by a model in C,
// cut differently in two places, and the processor then waits for its stores (docs/speed.md).

// ---------------------------------------------------------------- from the sub-cores to the stage
logic [AskW-1:0]                  ask_mem [MaxSm*SubPerSm << AskBits];  // to the SM's cache
time_t                            ask0_mem [MaxSm << AskBits], ask1_mem [MaxSm << AskBits],
                                  ask2_mem [MaxSm << AskBits], ask3_mem [MaxSm << AskBits];
logic [SubPerSm*AskBits-1:0]      asks_mem [MaxSm];             // per sub-core: asks sent

logic [MemOpW-1:0]                queue_mem [MaxSm*SubPerSm << QueueBits];  // operations
time_t                            arrive0_mem [MaxSm << CreditBits];  // at the stage, sub-core 0
time_t                            arrive1_mem [MaxSm << CreditBits];  // sub-core 1
time_t                            arrive2_mem [MaxSm << CreditBits];  // sub-core 2, where there
time_t                            arrive3_mem [MaxSm << CreditBits];  // are four; sub-core 3
logic [SubPerSm*QueueBits-1:0]    sent_mem [MaxSm];             // per sub-core: operations sent

// ---------------------------------------------------------------- of commands
logic [15:0]                      line_wr_mem [MaxSm*WarpsPerSm];    // line words written
logic [LineW-1:0]                 even_mem [MaxSm*WarpsPerSm << (BufferBits - 1)];  // line words
logic [LineW-1:0]                 odd_mem [MaxSm*WarpsPerSm << (BufferBits - 1)];
time_t                            launch_mem [MaxSm];           // earliest launch not yet taken
logic [MaxSm-1:0]                 launched_q;                   // there is one

// ---------------------------------------------------------------- outputs of sm_params.sv
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
full_t                            scrub_period_q;               // most cycles between two scrubs

// ---------------------------------------------------------------- scrubbing
full_t                            scrubbed_q;                   // time of the last one
logic                             scrub_q;                      // one is under way
logic                             scrub_last_q;                 // its last visit has begun
logic [SmBits+5:0]                scrub_count_q;                // visit to make: {SM, warp}
logic [1:0]                       scrub_wait_q;                 // clocks to the next visit
logic [1:0]                       scrub_set_q;                  // of an SM's constants
logic                             scrub_all_q;                  // all stored times are old
time_t                            scrub_floor_q;                // what an old one becomes

// ---------------------------------------------------------------- micro-operations to select
logic [VisitW-1:0]                micro_mem [1 << MicroBits];   // visit to make
time_t                            micro_at_mem [1 << MicroBits];      // when it takes effect
extra_t                           micro_credit_mem [1 << MicroBits];  // time of the credit
logic [MicroBits-1:0]             micro_wr_q;                   // written by the memory stage
logic [MicroBits-1:0]             micro_rd_q;                   // written by select

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

// ---------------------------------------------------------------- memory stage, per SM
logic [SubPerSm*QueueBits-1:0]    taken_mem [MaxSm];            // per sub-core: operations taken
logic [SubPerSm*AskBits-1:0]      asked_mem [MaxSm];            // per sub-core: asks taken
logic [StageW-1:0]                lsu_mem [MaxSm];              // state between two passes ...
logic [MemOpW-1:0]                lsu_op_mem [MaxSm];           // ... operation in work ...
logic [6*TimeW-1:0]               lsu_time_mem [MaxSm];         // ... the six times below
logic [SmConstW-1:0]              sm_const_mem [MaxSm << SmConstBits];  // indexed constants ...
logic [SmCodeWays*SmCodeW-1:0]    sm_code_mem [MaxSm << SmCodeBits];  // instruction cache ...
logic [3:0]                       sm_way_mem [MaxSm << SmCodeBits];   // ... next way
logic [WatchW-1:0]                watch_mem [MaxSm*SubPerSm];   // what sub-cores wait for there
ptr_t                             line_rd_mem [MaxSm*WarpsPerSm];  // next line word of a warp
logic [MaxSm-1:0]                 lsu_wait_q;                   // line words have not come
logic [NumWays*TagW-1:0]          tag_mem [MaxSm << SetBits];   // L1: per way
logic [VictimW-1:0]               victim_mem [MaxSm << SetBits];  // L1: {epoch, next way}
logic [NumMshr*MshrW-1:0]         mshr_mem [MaxSm << MshrSetBits];
logic [WaiterW-1:0]               waiter_mem [MaxSm << (MshrSetBits + 5)];  // {MSHR, 1 to 7}
logic [CtaW-1:0]                  cta_mem [MaxSm << CtaBits];
logic [GroupW-1:0]                group_mem [MaxSm << (CtaBits + 4)];  // {CTA, barrier}
logic [WarpsPerSm-1:0]            wait_mem [MaxSm << (CtaBits + 4)];   // warps that wait there
logic [ExitW-1:0]                 exit_mem [MaxSm*WarpsPerSm*2];  // ends of warps: time, CTA slot
logic [6:0]                       exit_wr_mem [MaxSm];          // written by update
logic [EpochBits-1:0]             epoch_q;                      // of L1
logic                             flush_q;                      // the epochs are used up
logic [SmBits+SetBits-1:0]        flush_set_q;

// ---------------------------------------------------------------- memory stage, in a pass
lsu_state_e                       lsu_state_q;
slot_t                            lsu_slot_q;                   // slot it works for
sm_t                              lsu_sm_q;                     // SM in that slot
time_t                            lsu_end_q;                    // end of its short window
stage_t                           lsu_q;
mem_op_t                          lsu_op_q;                     // operation in work
time_t                            lsu_free_q;                   // stage is free at
time_t                            lsu_port_q;                   // request port is free at
time_t                            lsu_enter_q;                  // reply port is free at
time_t                            lsu_base_q;                   // first look-up, plus stalls
time_t                            lsu_took_q;                   // start of the operation
time_t                            lsu_code_q;                   // instruction cache is free at
bound_t                           lsu_look_q;                   // next look-up or start
bound_t                           lsu_fill_q;                   // next reply takes effect
sub_t                             lsu_head_sub_q;               // sub-core of the next operation
bound_t                           lsu_ask_q;                    // next ask of code is taken
sub_t                             lsu_ask_sub_q;                // its sub-core
logic [SubPerSm*AskBits-1:0]      lsu_asked_q;                  // per sub-core: asks taken
/* verilator lint_off UNUSEDSIGNAL */  // of this a part
ask_t                             ask_q;                        // the ask in work,
/* verilator lint_on UNUSEDSIGNAL */
watch_t                           watch_q;                      // what its sub-core waits for,
logic [CodeAhead:0]               ask_left_q;                   // lines not yet looked up, ...
logic [CodeAhead:0]               ask_hits_q, ask_waits_q;      // ... there, on their way
logic [3:0]                       ask_line_q;                   // line looked up, behind the base
logic [SmCodeWays*SmCodeW-1:0]    code_set_q;                   // its set, or that of a reply
logic [3:0]                       code_next_q;                  // next way of the set
line_no_t                         code_line_q;                  // line that has come
logic [SmCodeBits-1:0]            code_index_q;                 // its set
logic                             code_asks_q;                  // for an ask, not a reply
sub_t                             code_sub_q;                   // sub-core that is told next
logic [SmConstW-1:0]              sm_const_q;                   // set of constants,
logic [SmConstBits-1:0]           sm_const_at_q;                // its number
logic [SubPerSm*QueueBits-1:0]    lsu_taken_q;                  // per sub-core: operations taken
mem_op_t                          lsu_take_q;                   // the next operation
ptr_t                             lsu_line_rd_q;                // next line word
/* verilator lint_off UNUSEDSIGNAL */  // reserved bits
line_t                            lsu_line_q;                   // line to look up
/* verilator lint_on UNUSEDSIGNAL */
logic [NumWays*TagW-1:0]          look_tags_q;                  // its L1 set
logic [NumMshr*MshrW-1:0]         look_mshrs_q;                 // its MSHR set
logic [NumWays*TagW-1:0]          fill_tags_q;                  // L1 set of a reply
logic [VictimW-1:0]               fill_victim_q;
logic [NumMshr*MshrW-1:0]         fill_mshrs_q;                 // MSHR set of a reply
logic [7:0]                       lsu_mshr_q;                   // MSHR of a reply: {set, entry}
logic [3:0]                       lsu_come_q;                   // its sectors
logic [3:0]                       lsu_waiter_q, lsu_waiters_q;  // next to wake, how many
logic [NumMshr-1:0]               lsu_done_q;                   // MSHRs whose operations wake next
waiter_t                          lsu_wake_q;
time_t                            lsu_exit_at_q;                // end of a warp
cta_t                             lsu_cta_q;                    // its, or a barrier's, CTA slot ...
logic [3:0]                       lsu_bar_q;                    // ... number ...
lsu_state_e                       lsu_then_q;                   // ... what follows
logic [15:0]                      lsu_bars_q;                   // barriers to look at
logic [WarpsPerSm-1:0]            lsu_open_q;                   // warps to resume ...
time_t                            lsu_open_at_q;                // ... at

// ---------------------------------------------------------------- to sm_counters and sm_events
// What they take lasts one clock; they are modules, so these are registers in every build.
logic [3:0]                       l1_sectors_q, l1_hits_q;      // L1 was asked for, and found
logic                             want_q, perform_q, report_q;  // an event: ...
logic [WantW-1:0]                 want_word_q;                  // {SM, warp, packets, lines}
logic [PerformW-1:0]              perform_word_q;               // {time, SM, warp, slot}
logic [NoticeW-1:0]               report_word_q;                // {end of CTA, time, SM, warp or
                                                                // CTA slot, slot}
logic                             room_q;                       // room for what is under way
