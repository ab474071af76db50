// The command port and the parameters: modules, and the wires between them. Packets, classes, line
// words and launches are kept by the modules that read them.

// ---------------------------------------------------------------- wires of several files
logic         events_half, events_busy;  // queues of events to the host: no visit begins; not empty
logic         report_room;               // there is room for an event of the memory stage
logic         flushing;                  // sets of L1 are being emptied
logic         launch_hold;               // no launch now (sm_barriers.sv)
logic         init;                      // after reset: memories are initialised,
logic [SmBits+InitBits-1:0] init_count;  // by visits with these numbers: {SM, set}
sm_t          init_sm;                   // the SM of one,
warp_id_t     init_id;                   // and its warp
assign init_sm = init_count[SmBits+InitBits-1:InitBits];
assign init_id = {init_sm, init_count[SubBits+WarpBits-1:0]};
logic         gap;                       // cycles without an issue have ended:
full_t        gap_cycles;                // so many,
cause_t       gap_cause;                 // of this cause

// ---------------------------------------------------------------- commands
/* verilator lint_off UNUSEDSIGNAL */  // a part
logic [511:0] cmd_beat;                  // the beat in work
/* verilator lint_on UNUSEDSIGNAL */
logic         cmd_busy;                  // a beat or a wake-up is under way
logic         cmd_look;                  // the beat has packets or line words
logic         cmd_needs;                 // its warp may stand without instruction,
logic         cmd_lines_wanted;          // its SM's memory stage without line word
warp_id_t     cmd_id;                    // its warp
sm_t          cmd_sm;                    // its SM
logic [2:0]   cmd_packets, cmd_lines;    // these payload words are packets, line words
logic [2:0]   cmd_line_twos;             // both halves of the word are a line word
logic         cmd_set, cmd_class;        // a parameter, a row of the class table:
logic [15:0]  cmd_number;                // of this number
logic [31:0]  cmd_value;                 // gets this value
logic         cmd_flush, cmd_launch;     // L1 is emptied; a warp begins
logic [31:0]  cmd_launch_at;             // when
logic [5:0]   cmd_launch_warps;          // with so many in its CTA
cta_t         cmd_launch_cta;            // in this slot of CTAs
logic         wake_valid, wake_pop;      // a wake-up or a launch is a visit to come
logic [WakeW-1:0] wake;
time_t        wake_at;
sm_command #(`SM_PASS) commands (
  .clk_i, .rst_ni, .busy_o(cmd_busy), .cmd_valid_i, .cmd_i, .cmd_ready_o,
  .init_i(init), .hold_i(scrub || flushing), .launch_hold_i(launch_hold),
  .beat_o(cmd_beat), .look_o(cmd_look), .id_o(cmd_id), .sm_o(cmd_sm),
  .needs_i(cmd_needs), .lines_wanted_i(cmd_lines_wanted),
  .fet_valid_i(fet_valid), .fet_id_i(fet_id),
  .packets_o(cmd_packets), .lines_o(cmd_lines), .line_twos_o(cmd_line_twos),
  .set_o(cmd_set), .class_o(cmd_class), .number_o(cmd_number),
  .value_o(cmd_value), .flush_o(cmd_flush), .launch_o(cmd_launch),
  .launch_cta_o(cmd_launch_cta), .launch_warps_o(cmd_launch_warps),
  .launch_at_o(cmd_launch_at),
  .wake_valid_o(wake_valid), .wake_o(wake), .wake_at_o(wake_at), .wake_pop_i(wake_pop)
);

// ---------------------------------------------------------------- parameters, command Set
sm_t         set_last, set_instances, set_instance;  // as the host has set them:
sm_t         last_sm;                    // number of the last SM
sm_t         sm_step, first_sm;          // from one SM here to the next; the first
logic [7:0]  counted_sm;                 // the GPU's number of issue_sm_o
ptr_t        buffer_half;                // half of the packets buffered
logic [1:0]  policy;                     // 0 CGGTY, 1 GTO, 2 LRR
full_t       scrub_period;               // most cycles between two scrubs
logic        one_write_port;             // one a bank
// instruction caches
logic [2:0]  code_ways;
logic        code_sets;                  // 64 sets, not 32
logic [3:0]  code_prefetch;              // lines
time_t       code_way;                   // from a sub-core to the SM's cache, or back
logic        code_shared;                // the SM's is as it is, else it has every line
logic [31:0] code_base;
// caches of constants
logic [2:0]  const_ways;
logic        const_sets;                 // 8 sets, not 4
time_t       const_miss;                 // look-up to issue
logic [3:0]  const_hold;                 // nothing issues for so long
logic        const_shared;               // the SM's is as it is, else it has every line
time_t       const_fill;                 // what a miss there takes longer
// memory pipe and memory stage
time_t       au_delay, au_interval, au_release, stage_interval, l1_latency, shared_latency,
             shuffle_latency, const_latency, barrier_latency, miss_delay, fill_delay, port_queue;
logic [3:0]  l1_ways;
logic        l1_sets;                    // 256 sets, not 128
logic [8:0]  credits;                    // parameter port_credits
logic [2:0]  reply_rate;
logic [1:0]  port_shift;                 // parameter port_time: 1, 2, 4 as 0, 1, 2

sm_params #(`SM_PASS) params (
  .clk_i, .rst_ni, .set_i(cmd_set), .id_i(cmd_number), .value_i(cmd_value), .last_sm_o(set_last),
  .instances_o(set_instances), .instance_o(set_instance), .buffer_half_o(buffer_half),
  .policy_o(policy), .au_delay_o(au_delay), .au_interval_o(au_interval),
  .au_release_o(au_release), .stage_interval_o(stage_interval), .l1_latency_o(l1_latency),
  .shared_latency_o(shared_latency), .shuffle_latency_o(shuffle_latency),
  .const_latency_o(const_latency), .barrier_latency_o(barrier_latency), .l1_ways_o(l1_ways),
  .l1_sets_o(l1_sets), .credits_o(credits), .miss_delay_o(miss_delay),
  .fill_delay_o(fill_delay), .reply_rate_o(reply_rate), .port_queue_o(port_queue),
  .port_shift_o(port_shift), .code_ways_o(code_ways), .code_sets_o(code_sets),
  .code_prefetch_o(code_prefetch), .code_way_o(code_way), .code_shared_o(code_shared),
  .code_base_o(code_base), .const_ways_o(const_ways), .const_sets_o(const_sets),
  .const_miss_o(const_miss), .const_hold_o(const_hold), .const_shared_o(const_shared),
  .const_fill_o(const_fill), .write_ports_o(one_write_port), .scrub_period_o(scrub_period)
);

sm_numbers #(.SmBits(SmBits), .Dense(Dense)) numbers (
  .clk_i, .rst_ni, .set_i(cmd_set), .id_i(cmd_number), .value_i(cmd_value),
  .last_sm_i(set_last), .instances_i(set_instances), .instance_i(set_instance),
  .last_sm_o(last_sm), .step_o(sm_step), .first_o(first_sm), .sm_i(issue_sm_o), .sm_o(counted_sm)
);
