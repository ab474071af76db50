/// Run-time parameters of the SM engine, command Set. Those of the network are net_parameters.sv.
///
/// Reset gives the defaults of the tables.
/// Latency: an output changes in the clock after set_i. Throughput: a parameter each clock.
/// Rules: set_i comes while nothing uses the parameter.
`include "heddle_assert.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // the clock of the rules
module sm_params #(`SM_PARAMETERS) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        set_i,
  input  logic [15:0] id_i,                      /// enum param
  input  logic [31:0] value_i,

  output logic [SmBits-1:0]       last_sm_o,           /// number of the last SM
  output logic [SmBits-1:0]       instances_o,         /// core instances
  output logic [SmBits-1:0]       instance_o,          /// this one
  output logic [BufferBits:0]     buffer_half_o,       /// half of the packets buffered
  output logic [1:0]              policy_o,            /// 0 CGGTY, 1 GTO, 2 LRR
  output logic [TimeW-1:0]        au_delay_o,
  output logic [TimeW-1:0]        au_interval_o,
  output logic [TimeW-1:0]        au_release_o,
  output logic [TimeW-1:0]        stage_interval_o,
  output logic [TimeW-1:0]        l1_latency_o,
  output logic [TimeW-1:0]        shared_latency_o,
  output logic [TimeW-1:0]        shuffle_latency_o,
  output logic [TimeW-1:0]        const_latency_o,
  output logic [TimeW-1:0]        barrier_latency_o,
  output logic [3:0]              l1_ways_o,
  output logic                    l1_sets_o,           /// 256 sets, not 128
  output logic [8:0]              credits_o,           /// parameter port_credits
  output logic [TimeW-1:0]        miss_delay_o,
  output logic [TimeW-1:0]        fill_delay_o,
  output logic [2:0]              reply_rate_o,
  output logic [TimeW-1:0]        port_queue_o,
  output logic [1:0]              port_shift_o,        /// parameter port_time: 1, 2, 4 as 0, 1, 2
  output logic [2:0]              code_ways_o,         /// of an instruction cache
  output logic                    code_sets_o,         /// 64 sets, not 32
  output logic [3:0]              code_prefetch_o,     /// lines
  output logic [TimeW-1:0]        code_way_o,
  output logic                    code_shared_o,
  output logic [31:0]             code_base_o,
  output logic [2:0]              const_ways_o,        /// of a cache of constants
  output logic                    const_sets_o,        /// 8 sets, not 4
  output logic [TimeW-1:0]        const_miss_o,        /// look-up to issue
  output logic [3:0]              const_hold_o,        /// nothing issues for so long
  output logic                    const_shared_o,      /// an SM's as it is; 0: it has all lines
  output logic [TimeW-1:0]        const_fill_o,        /// what a miss there takes longer
  output logic                    write_ports_o,       /// one a bank
  output logic [31:0]             scrub_period_o       /// most cycles between two scrubs
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"

  always_ff @(posedge clk_i) begin : parameters
    if (!rst_ni) begin
      last_sm_o         <= SmBits'(DefaultNumSm - 1);
      instances_o       <= SmBits'(DefaultInstances);
      instance_o        <= SmBits'(DefaultInstance);
      buffer_half_o     <= (BufferBits + 1)'(DefaultBufferPackets / 2);
      policy_o          <= 2'(DefaultPolicy);
      au_delay_o        <= TimeW'(DefaultAuDelay);
      au_interval_o     <= TimeW'(DefaultAuInterval);
      au_release_o      <= TimeW'(DefaultAuRelease);
      stage_interval_o  <= TimeW'(DefaultStageInterval);
      l1_latency_o      <= TimeW'(DefaultL1Latency);
      shared_latency_o  <= TimeW'(DefaultSharedLatency);
      shuffle_latency_o <= TimeW'(DefaultShuffleLatency);
      const_latency_o   <= TimeW'(DefaultConstLatency);
      barrier_latency_o <= TimeW'(DefaultBarrierLatency);
      l1_ways_o         <= 4'(DefaultL1Ways);
      l1_sets_o         <= DefaultL1Sets > 128;
      credits_o         <= 9'(DefaultPortCredits);
      miss_delay_o      <= TimeW'(DefaultMissDelay);
      fill_delay_o      <= TimeW'(DefaultFillDelay);
      reply_rate_o      <= 3'(DefaultReplyRate);
      port_queue_o      <= TimeW'(DefaultPortQueue);
      port_shift_o      <= 2'(DefaultPortTime >> 1);
      code_ways_o       <= 3'(DefaultCodeWays);
      code_sets_o       <= DefaultCodeSets > 32;
      code_prefetch_o   <= 4'(DefaultCodePrefetch);
      code_way_o        <= TimeW'(DefaultCodeWay);
      code_shared_o     <= DefaultCodeShared != 0;
      code_base_o       <= 32'(DefaultCodeBase);
      const_ways_o      <= 3'(DefaultConstWays);
      const_sets_o      <= DefaultConstSets > 4;
      const_miss_o      <= TimeW'(DefaultConstMiss);
      const_hold_o      <= 4'(DefaultConstHold);
      const_shared_o    <= DefaultConstShared != 0;
      const_fill_o      <= TimeW'(DefaultConstFill);
      write_ports_o     <= DefaultWritePorts != 0;
      scrub_period_o    <= ScrubMost;
    end else if (set_i) begin
      case (32'(id_i))
        ParamNumSm:          last_sm_o         <= SmBits'(value_i - 1);
        ParamInstances:      instances_o       <= SmBits'(value_i);
        ParamInstance:       instance_o        <= SmBits'(value_i);
        ParamBufferPackets:  buffer_half_o     <= value_i[BufferBits+1:1];
        ParamPolicy:         policy_o          <= value_i[1:0];
        ParamAuDelay:        au_delay_o        <= TimeW'(value_i);
        ParamAuInterval:     au_interval_o     <= TimeW'(value_i);
        ParamAuRelease:      au_release_o      <= TimeW'(value_i);
        ParamStageInterval:  stage_interval_o  <= TimeW'(value_i);
        ParamL1Latency:      l1_latency_o      <= TimeW'(value_i);
        ParamSharedLatency:  shared_latency_o  <= TimeW'(value_i);
        ParamShuffleLatency: shuffle_latency_o <= TimeW'(value_i);
        ParamConstLatency:   const_latency_o   <= TimeW'(value_i);
        ParamBarrierLatency: barrier_latency_o <= TimeW'(value_i);
        ParamL1Ways:         l1_ways_o         <= value_i[3:0];
        ParamL1Sets:         l1_sets_o         <= value_i > 32'd128;
        ParamPortCredits:    credits_o         <= value_i[8:0];
        ParamMissDelay:      miss_delay_o      <= TimeW'(value_i);
        ParamFillDelay:      fill_delay_o      <= TimeW'(value_i);
        ParamReplyRate:      reply_rate_o      <= value_i[2:0];
        ParamPortQueue:      port_queue_o      <= TimeW'(value_i);
        ParamPortTime:       port_shift_o      <= value_i[2:1];
        ParamCodeWays:       code_ways_o       <= value_i[2:0];
        ParamCodeSets:       code_sets_o       <= value_i > 32'd32;
        ParamCodePrefetch:   code_prefetch_o   <= value_i[3:0];
        ParamCodeWay:        code_way_o        <= TimeW'(value_i);
        ParamCodeShared:     code_shared_o     <= value_i[0];
        ParamCodeBase:       code_base_o       <= value_i;
        ParamConstWays:      const_ways_o      <= value_i[2:0];
        ParamConstSets:      const_sets_o      <= value_i > 32'd4;
        ParamConstMiss:      const_miss_o      <= TimeW'(value_i);
        ParamConstHold:      const_hold_o      <= value_i[3:0];
        ParamConstShared:    const_shared_o    <= value_i[0];
        ParamConstFill:      const_fill_o      <= TimeW'(value_i);
        ParamWritePorts:     write_ports_o     <= value_i[0];
        ParamScrub:
          scrub_period_o <= value_i == '0 || value_i > ScrubMost ? ScrubMost : value_i;
        default: ;
      endcase
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT(ScrubPeriod, scrub_period_o != '0 && scrub_period_o <= ScrubMost)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
