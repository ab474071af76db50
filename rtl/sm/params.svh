// Run-time parameters, command Set. Those of the network belong to the other engine.
task automatic reset_params();
  last_sm_q         `Q SmBits'(DefaultNumSm - 1);
  instances_q       `Q SmBits'(DefaultInstances);
  instance_q        `Q SmBits'(DefaultInstance);
  buffer_half_q     `Q (BufferBits + 1)'(DefaultBufferPackets / 2);
  set_policy(2'(DefaultPolicy));
  au_delay_q        `Q TimeW'(DefaultAuDelay);
  au_interval_q     `Q TimeW'(DefaultAuInterval);
  au_release_q      `Q TimeW'(DefaultAuRelease);
  stage_interval_q  `Q TimeW'(DefaultStageInterval);
  l1_latency_q      `Q TimeW'(DefaultL1Latency);
  shared_latency_q  `Q TimeW'(DefaultSharedLatency);
  shuffle_latency_q `Q TimeW'(DefaultShuffleLatency);
  const_latency_q   `Q TimeW'(DefaultConstLatency);
  barrier_latency_q `Q TimeW'(DefaultBarrierLatency);
  l1_ways_q         `Q 4'(DefaultL1Ways);
  l1_sets_q         `Q DefaultL1Sets > 128;
  credits_q         `Q 9'(DefaultPortCredits);
  miss_delay_q      `Q TimeW'(DefaultMissDelay);
  fill_delay_q      `Q TimeW'(DefaultFillDelay);
  reply_rate_q      `Q 3'(DefaultReplyRate);
  port_queue_q      `Q TimeW'(DefaultPortQueue);
  port_shift_q      `Q 2'(DefaultPortTime >> 1);
  code_ways_q       `Q 3'(DefaultCodeWays);
  code_sets_q       `Q DefaultCodeSets > 32;
  code_prefetch_q   `Q 4'(DefaultCodePrefetch);
  code_way_q        `Q TimeW'(DefaultCodeWay);
  code_shared_q     `Q DefaultCodeShared != 0;
  code_base_q       `Q 32'(DefaultCodeBase);
  const_ways_q      `Q 3'(DefaultConstWays);
  const_sets_q      `Q DefaultConstSets > 4;
  const_miss_q      `Q TimeW'(DefaultConstMiss);
  const_hold_q      `Q 4'(DefaultConstHold);
  const_shared_q    `Q DefaultConstShared != 0;
  const_fill_q      `Q TimeW'(DefaultConstFill);
  write_ports_q     `Q DefaultWritePorts != 0;
  scrub_period_q    `Q ScrubMost;
endtask

task automatic command_set();
  logic [31:0] value;
  value = command_d.value;
  case (32'(command_d.id))
    ParamNumSm:          last_sm_q         `Q SmBits'(value - 1);
    ParamInstances:      instances_q       `Q SmBits'(value);
    ParamInstance:       instance_q        `Q SmBits'(value);
    ParamBufferPackets:  buffer_half_q     `Q value[BufferBits+1:1];
    ParamPolicy:         set_policy(value[1:0]);
    ParamAuDelay:        au_delay_q        `Q TimeW'(value);
    ParamAuInterval:     au_interval_q     `Q TimeW'(value);
    ParamAuRelease:      au_release_q      `Q TimeW'(value);
    ParamStageInterval:  stage_interval_q  `Q TimeW'(value);
    ParamL1Latency:      l1_latency_q      `Q TimeW'(value);
    ParamSharedLatency:  shared_latency_q  `Q TimeW'(value);
    ParamShuffleLatency: shuffle_latency_q `Q TimeW'(value);
    ParamConstLatency:   const_latency_q   `Q TimeW'(value);
    ParamBarrierLatency: barrier_latency_q `Q TimeW'(value);
    ParamL1Ways:         l1_ways_q         `Q value[3:0];
    ParamL1Sets:         l1_sets_q         `Q value > 32'd128;
    ParamPortCredits:    credits_q         `Q value[8:0];
    ParamMissDelay:      miss_delay_q      `Q TimeW'(value);
    ParamFillDelay:      fill_delay_q      `Q TimeW'(value);
    ParamReplyRate:      reply_rate_q      `Q value[2:0];
    ParamPortQueue:      port_queue_q      `Q TimeW'(value);
    ParamPortTime:       port_shift_q      `Q value[2:1];
    ParamCodeWays:       code_ways_q       `Q value[2:0];
    ParamCodeSets:       code_sets_q       `Q value > 32'd32;
    ParamCodePrefetch:   code_prefetch_q   `Q value[3:0];
    ParamCodeWay:        code_way_q        `Q TimeW'(value);
    ParamCodeShared:     code_shared_q     `Q value[0];
    ParamCodeBase:       code_base_q       `Q value;
    ParamConstWays:      const_ways_q      `Q value[2:0];
    ParamConstSets:      const_sets_q      `Q value > 32'd4;
    ParamConstMiss:      const_miss_q      `Q TimeW'(value);
    ParamConstHold:      const_hold_q      `Q value[3:0];
    ParamConstShared:    const_shared_q    `Q value[0];
    ParamConstFill:      const_fill_q      `Q TimeW'(value);
    ParamWritePorts:     write_ports_q     `Q value[0];
    ParamScrub:          scrub_period_q    `Q value == '0 || value > ScrubMost ? ScrubMost : value;
    default: ;
  endcase
endtask

task automatic set_policy(input logic [1:0] policy);
  policy_q `Q policy;
  for (int w = 0; w < WarpsPerSub; w++)
    order_q[w] `Q KeyW'(w) ^ (policy == 2'd0 ? KeyW'(WarpsPerSub - 1) : '0);
endtask
