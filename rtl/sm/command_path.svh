// The command port and the parameters: modules, and their wires. Packets, classes, line words and
// launches are kept by those who read them.

logic         events_half, events_busy, report_room, flushing, launch_hold;
logic         gap;                         // cycles without an issue have ended: ...
full_t        gap_cycles;
cause_t       gap_cause;
logic         cmd_busy, cmd_look, cmd_needs, cmd_lines_wanted, cmd_set,
              cmd_class, cmd_flush, cmd_launch, wake_valid, wake_pop, init;
logic [2:0]   cmd_packets, cmd_lines, cmd_line_twos;
warp_id_t     cmd_id;
sm_t          cmd_sm;
logic [15:0]  cmd_number;
logic [31:0]  cmd_value, cmd_launch_at;
logic [5:0]   cmd_launch_warps;
cta_t         cmd_launch_cta;
logic [WakeW-1:0] wake;
time_t        wake_at;
/* verilator lint_off UNUSEDSIGNAL */  // a part
logic [511:0] cmd_beat;
/* verilator lint_on UNUSEDSIGNAL */
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
sm_t last_sm;                   // number of the last SM
sm_t instances, this_instance;  // core instances; this one
ptr_t buffer_half;              // half of the packets buffered
logic [2:0] code_ways;          // of an instruction cache
logic code_sets;                // 64 sets, not 32
logic [3:0] code_prefetch;      // lines
time_t code_way;
logic code_shared;
logic [2:0] const_ways;         // of a cache of constants
logic const_sets;               // 8 sets, not 4
time_t const_miss;              // look-up to issue
logic [3:0] const_hold;         // nothing issues for so long
logic const_shared;             // an SM's is as it is, else it
                                  // has every line
time_t const_fill;              // what a miss there takes longer
logic one_write_port;              // one a bank
full_t scrub_period;            // most cycles between two scrubs
logic [31:0] code_base;
logic [1:0] policy;             // 0 CGGTY, 1 GTO, 2 LRR
time_t au_delay, au_interval, au_release, stage_interval,
                                  l1_latency, shared_latency, shuffle_latency,
                                  const_latency, barrier_latency, miss_delay, fill_delay,
                                  port_queue;
logic [3:0] l1_ways;
logic l1_sets;                  // 256 sets, not 128
logic [8:0] credits;            // parameter port_credits
logic [2:0] reply_rate;
logic [1:0] port_shift;         // parameter port_time: 1, 2, 4 as 0, 1, 2

sm_params #(`SM_PASS) params (
  .clk_i, .rst_ni, .set_i(cmd_set), .id_i(cmd_number), .value_i(cmd_value), .last_sm_o(last_sm),
  .instances_o(instances), .instance_o(this_instance), .buffer_half_o(buffer_half),
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
