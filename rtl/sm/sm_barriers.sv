/// Memory stage: ends of warps and of CTAs, and CTA barriers.
///
/// A barrier is complete when its count reaches the number its arrivals name, or that of the live
/// warps. Ends of warps and arrivals may be seen in any order: the time of completion is that of
/// the latest. The state of a barrier means something when the CTA has it in `used`. The end of a
/// warp looks at the barriers of its CTA, one a visit; one that is complete lets the waiting warps
/// go on, one a visit. A launch sets the CTA's state.
/// Latency: none beside that of the stages. Throughput: a visit, an end and a launch each clock.
/// Rules: as sm_passes. No launch while launch_hold_o. A CTA is launched behind the event that ends
/// the one before in its slot.
`include "cell/one_hot.svh"
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_barriers #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic [31:0]         reached_i,
  input  logic [TimeW-1:0]    barrier_latency_i,  /// parameter

  // stage update of a visit: a warp ends
  input  logic [SmBits-1:0]   upd_sm_i,
  input  logic                upd_exit_i,
  input  logic [TimeW-1:0]    upd_at_i,
  input  logic [CtaBits-1:0]  upd_cta_i,
  input  logic                upd_init_i,
  // a launch: a CTA of warps
  input  logic                launch_i,
  input  logic [SmBits-1:0]   launch_sm_i,
  input  logic [CtaBits-1:0]  launch_cta_i,
  input  logic [5:0]          launch_warps_i,
  input  logic [31:0]         launch_at_i,
  output logic                launch_hold_o,  /// none in this clock

  // memory stage
  /* verilator lint_off UNUSEDSIGNAL */      // not used when Pipelined
  input  logic                visit_i,       /// there is a visit, without registers between
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [SmBits-1:0]   nxt_sm_i, ops_sm_i, ptr_sm_i, mis_sm_i, tag_sm_i, act_sm_i,
  output logic                kin_exit_o,    /// a warp has ended
  input  logic                mis_exit_i, tag_exit_i, act_exit_i,  /// it is looked at
  input  logic                mis_bars_i, act_bars_i,    /// a barrier of its CTA is
  input  logic [CtaBits-1:0]  wrd_cta_i,     /// a warp arrives: CTA slot,
  input  logic [3:0]          wrd_bar_i,     /// barrier
  input  logic                act_arrive_i,
  /* verilator lint_off UNUSEDSIGNAL */      // a part
  input  logic [63:0]         act_op_i,      /// mem_op_t
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [SubBits-1:0]  act_sub_i,
  input  logic [TimeW-1:0]    tag_look_i,    /// at
  input  logic                act_open_i,    /// a waiting warp goes on
  output logic                act_ended_o,   /// a CTA has ended,
  output logic [TimeW-1:0]    act_ended_at_o,  /// at
  output logic [CtaBits-1:0]  act_cta_o,     /// its slot
  output logic                act_more_bars_o, act_more_open_o,  /// left to do
  output logic [5:0]          act_warp_o,    /// who goes on: {sub-core, warp},
  output logic [TimeW-1:0]    act_open_at_o, /// at

  input  logic                init_i,
  input  logic [SmBits-1:0]   init_sm_i
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"
  localparam int BarsW = CtaBits + 16;

  logic [ExitW-1:0]      exit_mem [MaxSm*WarpsPerSm*2];  // ends of warps: time, CTA slot
  logic [6:0]            exits_mem [MaxSm];              // so many of an SM,
  logic [6:0]            seen_mem [MaxSm];               // and looked at
  logic [CtaW-1:0]       cta_mem [MaxSm << CtaBits];
  logic [GroupW-1:0]     group_mem [MaxSm << (CtaBits + 4)];  // {CTA, barrier}
  logic [WarpsPerSm-1:0] wait_mem [MaxSm << (CtaBits + 4)];   // warps that wait there
  logic [BarsW-1:0]      bars_mem [MaxSm];               // {CTA slot, barriers to look at}
  logic [WarpsPerSm-1:0] open_mem [MaxSm];               // warps to let go on, ...
  time_t                 open_at_mem [MaxSm];            // ... at

  /// a time near the present, in full
  function automatic full_t in_full(input time_t at, input logic [31:0] present);
    in_full = full_time(at, present);
  endfunction
  /// the later of two times in full, whatever their age; `ahead` of both
  function automatic full_t later(input full_t a, input full_t b, input full_t ahead);
    later = ahead - a < ahead - b ? a : b;
  endfunction

  // ---------------------------------------------------------------- from the sub-cores
  logic [6:0] upd_exits;
  assign upd_exits = exits_mem[upd_sm_i];
  always_ff @(posedge clk_i) begin : ends
    if (upd_exit_i || upd_init_i) begin
      `STORE(exit_mem[{upd_sm_i, upd_exits}], ({upd_at_i, upd_cta_i}));
      `STORE(exits_mem[upd_sm_i], upd_init_i ? '0 : upd_exits + 1'b1);
    end
  end

  // ---------------------------------------------------------------- which end, which barrier
  logic [6:0]       hed_exits, hed_seen, cmp_seen, pck_seen, kin_seen, ops_seen, ptr_seen,
                    wrd_seen, mis_seen, tag_seen, act_seen;
  logic             hed_exit, cmp_exit, pck_exit;
  logic [ExitW-1:0] ptr_exit, wrd_exit, mis_exit;
  time_t            tag_exit_at;
  `STAGE_WANTED(hed_exits, exits_mem[nxt_sm_i], visit_i)
  `STAGE_WANTED(hed_seen, seen_mem[nxt_sm_i], visit_i)
  assign hed_exit = hed_exits != hed_seen;
  `STAGE(cmp_exit, hed_exit)
  `STAGE(pck_exit, cmp_exit)
  `STAGE(kin_exit_o, pck_exit)
  `STAGE(cmp_seen, hed_seen)
  `STAGE(pck_seen, cmp_seen)
  `STAGE(kin_seen, pck_seen)
  `STAGE(ops_seen, kin_seen)
  `STAGE(ptr_seen, ops_seen)
  `STAGE(wrd_seen, ptr_seen)
  `STAGE(mis_seen, wrd_seen)
  `STAGE(tag_seen, mis_seen)
  `STAGE(act_seen, tag_seen)
  `STAGE_WANTED(ptr_exit, exit_mem[{ops_sm_i, ops_seen}], visit_i)
  `STAGE(wrd_exit, ptr_exit)
  `STAGE(mis_exit, wrd_exit)
  `STAGE(tag_exit_at, mis_exit[ExitW-1 -: TimeW])

  logic [BarsW-1:0] wrd_bars_word, mis_bars_word;
  cta_t        mis_old_cta, mis_op_cta, mis_cta, tag_cta, act_cta;
  logic [15:0] mis_bars, mis_one, mis_left, tag_left, act_left;
  logic [3:0]  mis_op_bar, mis_bar, tag_bar, act_bar;
  logic        act_bar_visit;
  `STAGE_WANTED(wrd_bars_word, bars_mem[ptr_sm_i], visit_i)
  `STAGE(mis_bars_word, wrd_bars_word)
  `STAGE(mis_op_cta, wrd_cta_i)
  `STAGE(mis_op_bar, wrd_bar_i)
  assign {mis_old_cta, mis_bars} = mis_bars_word;
  always_comb begin : which
    if (`WANTED(visit_i)) begin
      mis_one  = `FIRST_ONE(mis_bars);
      mis_cta  = mis_exit_i ? mis_exit[CtaBits-1:0] : mis_bars_i ? mis_old_cta : mis_op_cta;
      mis_bar  = mis_bars_i ? 4'(`NUMBER_OF(mis_one)) : mis_op_bar;
      mis_left = mis_bars & ~mis_one;
    end
  end

  logic [CtaW-1:0]       tag_state, act_state_word;
  logic [GroupW-1:0]     tag_group, act_group_word;
  logic [WarpsPerSm-1:0] tag_waits, act_old_waits, act_open;
  time_t                 act_open_at;
  `STAGE_WANTED(tag_state, cta_mem[{mis_sm_i, mis_cta}], act_cta_we)
  `STAGE_WANTED(tag_group, group_mem[{mis_sm_i, mis_cta, mis_bar}], act_bar_visit)
  `STAGE_WANTED(tag_waits, wait_mem[{mis_sm_i, mis_cta, mis_bar}], act_bar_visit)
  `STAGE(tag_cta, mis_cta)
  `STAGE(tag_bar, mis_bar)
  `STAGE(tag_left, mis_left)
  `STAGE(act_cta, tag_cta)
  `STAGE(act_bar, tag_bar)
  `STAGE(act_left, tag_left)
  `STAGE(act_state_word, tag_state)
  `STAGE(act_group_word, tag_group)
  `STAGE(act_old_waits, tag_waits)
  `STAGE_WANTED(act_open, open_mem[tag_sm_i], act_open_i)
  `STAGE_WANTED(act_open_at, open_at_mem[tag_sm_i], act_open_i)

  // The time of the end or of the arrival, in full.
  full_t tag_full, act_full;
  always_comb begin : full
    if (`WANTED(act_cta_we))
      tag_full = in_full(tag_exit_i ? tag_exit_at : tag_look_i, reached_i);
  end
  `STAGE(act_full, tag_full)

  // ---------------------------------------------------------------- effects
  cta_state_t            act_state;
  group_t                act_group;
  logic [WarpsPerSm-1:0] act_waits, act_one, act_new_open;
  logic [5:0]            act_need;
  logic                  act_complete, act_cta_we;
  logic [15:0]           act_bars;
  /* verilator lint_off UNUSEDSIGNAL */      // a part
  mem_op_t               act_op;
  /* verilator lint_on UNUSEDSIGNAL */
  full_t                 act_ahead, act_ended;
  /* verilator lint_off UNUSEDSIGNAL */      // its high bits
  full_t                 act_at;
  /* verilator lint_on UNUSEDSIGNAL */
  time_t                 act_new_open_at;
  assign act_op        = MemOpW'(act_op_i);
  assign act_bar_visit = act_arrive_i || act_bars_i;
  assign act_cta_we    = act_exit_i || act_bar_visit;
  assign launch_hold_o = act_cta_we;
  assign act_cta_o     = act_cta;
  assign act_open_at_o = act_open_at;
  always_comb begin : effects
    act_ended_o     = 1'b0;
    act_ended_at_o  = 'x;
    act_more_bars_o = 1'b0;
    act_more_open_o = 1'b0;
    act_complete    = 1'b0;
    act_bars        = '0;
    if (`WANTED(act_cta_we || act_open_i)) begin
      act_ahead = reached_i + 32'(2*ScrubMargin);  // of all times that are compared
      act_state = act_state_word;
      act_ended = act_state.ended;
      act_group = act_group_word;
      act_waits = act_old_waits;
      act_need  = act_state.live;
      act_bars  = act_bars_i ? act_left : '0;
      if (act_exit_i) begin
        act_state.live  = act_state.live - 1'b1;
        act_state.ended = later(act_state.ended, act_full, act_ahead);
        act_ended_o     = act_state.live == '0;
        act_ended_at_o  = TimeW'(act_state.ended);
        act_bars        = act_ended_o ? '0 : act_state.used;
      end
      if (act_arrive_i) begin
        if (!act_state.used[act_bar]) begin
          act_group = '0;
          act_waits = '0;
        end
        act_group.all   = act_op.bar_warps == '0;
        act_group.count = act_group.count + 1'b1;
        act_group.at    = act_full;
        if (!act_op.bar_arrive) act_waits[{act_sub_i, act_op.warp}] = 1'b1;
        if (!act_group.all) act_need = act_op.bar_warps;
      end
      // no end in this visit
      act_at = act_group.all ? later(act_group.at, act_ended + 32'(ExitDelay), act_ahead)
                             : act_group.at;
      act_new_open_at = TimeW'(act_at) + barrier_latency_i;
      if (act_bar_visit) begin
        act_complete = act_group.count >= act_need && (act_arrive_i || act_group.all);
        act_state.used[act_bar] = !act_complete;
      end
      // Let the waiting warps go on.
      act_one      = `FIRST_ONE(act_open);
      act_warp_o   = 6'(`NUMBER_OF(act_one));
      act_new_open = act_open_i ? act_open & ~act_one : act_waits;
      act_more_open_o = act_open_i ? act_new_open != '0 : act_complete && act_waits != '0;
      act_more_bars_o = act_open_i ? act_left_open : act_bars != '0;
    end
  end
  // behind the last of them: other barriers
  logic mis_left_open, tag_left_open, act_left_open;
  assign mis_left_open = mis_bars != '0;
  `STAGE(tag_left_open, mis_left_open)
  `STAGE(act_left_open, tag_left_open)

  // ---------------------------------------------------------------- writes
  logic [CtaW-1:0] launch_state;
  assign launch_state = {launch_warps_i, launch_at_i - 32'(ExitDelay), 16'd0};
  always_ff @(posedge clk_i) begin : write
    if (launch_i || act_cta_we)
      `STORE(cta_mem[launch_i ? {launch_sm_i, launch_cta_i} : {act_sm_i, act_cta}],
             launch_i ? launch_state : act_state);
    if (act_bar_visit) begin
      `STORE(group_mem[{act_sm_i, act_cta, act_bar}], act_group);
      `STORE(wait_mem[{act_sm_i, act_cta, act_bar}], act_waits);
      `STORE(open_at_mem[act_sm_i], act_new_open_at);
    end
    if (act_bar_visit || act_open_i) `STORE(open_mem[act_sm_i], act_new_open);
    if (act_cta_we) `STORE(bars_mem[act_sm_i], ({act_cta, act_bars}));
    if (init_i || act_exit_i)
      `STORE(seen_mem[init_i ? init_sm_i : act_sm_i], init_i ? '0 : act_seen + 1'b1);
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;
  /* verilator lint_off UNUSEDSIGNAL */      // a part
  cta_state_t  was_state;
  group_t      was_group;
  /* verilator lint_on UNUSEDSIGNAL */

  always_ff @(posedge clk_i) begin : rules
    if (!init_i) begin
      was_state = act_state_word;
      was_group = act_group_word;
      // the ends of warps of an SM that have not been looked at
      `ASSERT_IF(ExitBound, act_exit_i, 7'(exits_mem[act_sm_i] - act_seen) <= 7'(WarpsPerSm))
      `ASSERT_IF(ExitThere, act_exit_i, exits_mem[act_sm_i] != act_seen)
      // the warp that ends is one of its CTA's
      `ASSERT_IF(ExitAlive, act_exit_i, was_state.live != '0)
      // a barrier that nobody has come to is not in use
      `ASSERT_IF(BarrierUsed, act_bars_i, was_state.used[act_bar] && was_group.count != '0)
      `ASSERT_IF(BarrierAlive, act_arrive_i, was_state.live != '0)
      `ASSERT_IF(OpenSomeone, act_open_i, act_open != '0)
      `ASSERT_IF(CtaWriteOne, launch_i, !act_cta_we)
    end
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
