/// Memory stage: the operation in work of each SM, from its start to its last line.
///
/// An operation that does not touch global memory starts and ends at once. One that does is in work
/// for a line after another, several in the same cycle; a line that finds no MSHR, or too many
/// of the SM's requests unanswered, stalls it until a reply changes that. What it has missed counts
/// at its warp when it ends, stalls, or the pass ends; the first of these gives its credit back.
/// Latency: none beside that of the stages. Throughput: a visit each clock.
/// Rules: as sm_passes. A visit does one of: take, line, stall, end, answer or fill, scrub; a take
/// may have a line or a stall beside it.
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_operation #(`SM_PARAMETERS) (
  input  logic                clk_i,
  // parameters
  input  logic [TimeW-1:0]    stage_interval_i, l1_latency_i, shared_latency_i, shuffle_latency_i,
                              const_latency_i, port_queue_i,
  input  logic                const_shared_i,
  input  logic                scrub_all_i,
  input  logic [TimeW-1:0]    scrub_floor_i,

  /* verilator lint_off UNUSEDSIGNAL */      // not used when Pipelined
  input  logic                visit_i,       /// there is a visit, without registers between
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [SmBits-1:0]   hed_sm_i, cmp_sm_i, ops_sm_i, mis_sm_i, tag_sm_i, act_sm_i,

  // when the next look-up or start is
  input  logic [TimeW-1:0]    cmp_port_i,    /// the request port is free at
  input  logic [TimeW:0]      pck_head_i,    /// the next operation arrives at
  output logic [TimeW:0]      kin_look_o,    /// bound_t
  output logic                kin_active_o,  /// a line is next, not a start
  output logic [SubBits-1:0]  kin_turn_o,    /// sub-core first in turn

  // the operation, new or in work
  input  logic [SubBits-1:0]  ops_sub_i,     /// of a new one
  input  logic                ptr_take_i,    /// it is a new one:
  input  logic [WarpBits+58:0] ptr_op_i,     /// mem_op_t
  output logic [SubBits+WarpBits-1:0] ptr_warp_o,  /// its warp
  output logic                ptr_lines_o,   /// it has lines
  output logic [CtaBits-1:0]  wrd_cta_o,     /// its CTA slot,
  output logic [3:0]          wrd_bar_id_o,  /// barrier
  output logic [17:0]         tag_constant_o,  /// and line of constants
  input  logic                tag_some_i,    /// the visit is for it,
  input  logic                tag_take_i,    /// and it is a new one
  output logic [63:0]         act_op_o,      /// mem_op_t
  output logic [TimeW-1:0]    tag_look_o, act_look_o,  /// the time of the look-up or start
  output logic [SubBits-1:0]  act_sub_o,

  // effects of a visit
  input  logic                act_take_i,    /// it starts
  input  logic                act_line_i,    /// a line is done,
  input  logic                act_missed_i,  /// of which L1 had not all sectors,
  input  logic                act_step_i,    /// behind which the cycle ends;
  input  logic                act_stall_i,   /// or it stalls,
  input  logic                act_full_i,    /// for an answer
  input  logic [5:0]          act_set_i,     /// or for an MSHR of this set
  input  logic                act_end_i,     /// the pass is over
  input  logic                act_answer_i,  /// an answer has come
  input  logic                act_fill_i,    /// an MSHR of the set is free again,
  input  logic [TimeW-1:0]    act_fill_at_i, /// at
  input  logic                act_scrub_i,
  output logic                act_indexed_o, /// takes an indexed constant,
  output logic [TimeW-1:0]    act_asked_o,   /// at
  input  logic [TimeW-1:0]    act_there_i,   /// which is there at
  output logic                act_report_o,  /// it is performed now
  // micro-operation: a counter of its warp
  output logic                act_count_o,
  output logic [2:0]          act_bar_o,
  output logic [6:0]          act_delta_o,
  output logic                act_timed_o,
  output logic                act_credit_o,
  output logic [5:0]          act_used_o,    /// line words used up
  output logic [TimeW-1:0]    act_count_at_o,
  output logic [TimeW-1:0]    act_took_o,    /// when the operation was taken

  input  logic                init_i,
  input  logic [SmBits-1:0]   init_sm_i
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"
  logic [MemOpW-1:0] op_mem [MaxSm];         // the operation
  logic [WorkW-1:0]  work_mem [MaxSm];       // work_t
  time_t             free_mem [MaxSm];       // the stage is free at
  time_t             base_mem [MaxSm];       // first look-up, plus stalls
  time_t             took_mem [MaxSm];       // start of the operation

  // ---------------------------------------------------------------- when it looks next
  time_t  cmp_free, cmp_busy, pck_busy, pck_base;
  bound_t pck_look, kin_look;
  work_t  cmp_work, pck_work, kin_work, ops_work, ptr_work, wrd_work, mis_work, tag_work, act_work;
  `STAGE_WANTED(cmp_free, free_mem[hed_sm_i], visit_i)
  `STAGE_WANTED(cmp_work, work_mem[hed_sm_i], visit_i)
  `STAGE_WANTED(pck_base, base_mem[cmp_sm_i], visit_i)
  `STAGE(pck_work, cmp_work)
  `STAGE(pck_busy, cmp_busy)
  always_comb begin : busy
    if (`WANTED(visit_i)) cmp_busy = latest(cmp_free, cmp_port_i - port_queue_i);
  end
  always_comb begin : look
    if (`WANTED(visit_i)) begin
      pck_look = pck_work.active ? {pck_work.stalled, pck_base + TimeW'(pck_work.look)}
                                 : {pck_head_i[TimeW], latest(pck_head_i[TimeW-1:0], pck_busy)};
    end
  end
  `STAGE(kin_look, pck_look)
  `STAGE(kin_work, pck_work)
  assign kin_look_o   = kin_look;
  assign kin_active_o = kin_work.active;
  assign kin_turn_o   = kin_work.turn;

  // ---------------------------------------------------------------- the operation
  logic [MemOpW-1:0] ptr_old;
  mem_op_t ptr_op, wrd_op, mis_op, tag_op, act_op;
  time_t   ops_look, ptr_look, wrd_look, mis_look, tag_look, act_look;
  sub_t    ptr_new_sub, ptr_sub, wrd_sub, mis_sub, tag_sub, act_sub;
  `STAGE_WANTED(ptr_old, op_mem[ops_sm_i], visit_i)
  always_comb begin : which
    if (`WANTED(visit_i)) begin
      ptr_op  = ptr_take_i ? ptr_op_i : ptr_old;
      ptr_sub = ptr_take_i ? ptr_new_sub : ptr_work.sub;
      ptr_warp_o  = {ptr_sub, ptr_op.warp};
      ptr_lines_o = is_global(ptr_op.mem) && ptr_op.lines != '0;
    end
  end
  `STAGE(ptr_new_sub, ops_sub_i)
  `STAGE(wrd_op, ptr_op)
  `STAGE(mis_op, wrd_op)
  `STAGE(tag_op, mis_op)
  `STAGE(act_op, tag_op)
  `STAGE(wrd_sub, ptr_sub)
  `STAGE(mis_sub, wrd_sub)
  `STAGE(tag_sub, mis_sub)
  `STAGE(act_sub, tag_sub)
  `STAGE(ops_work, kin_work)
  `STAGE(ptr_work, ops_work)
  `STAGE(wrd_work, ptr_work)
  `STAGE(mis_work, wrd_work)
  `STAGE(tag_work, mis_work)
  `STAGE(act_work, tag_work)
  `STAGE(ops_look, kin_look[TimeW-1:0])
  `STAGE(ptr_look, ops_look)
  `STAGE(wrd_look, ptr_look)
  `STAGE(mis_look, wrd_look)
  `STAGE(tag_look, mis_look)
  `STAGE(act_look, tag_look)
  assign wrd_cta_o      = wrd_op.cta;
  assign wrd_bar_id_o   = wrd_op.bar_id;
  assign tag_constant_o = {tag_op.constants, tag_op.constant};
  assign act_op_o       = 64'(act_op);
  assign tag_look_o     = tag_look;
  assign act_look_o     = act_look;
  assign act_sub_o      = act_sub;

  // ---------------------------------------------------------------- its times
  // What it takes: without lines, or if the next line is done and is the last one.
  time_t tag_ends, act_ends, tag_latency, act_latency, tag_old_base, act_old_took, act_old_free;
  logic  tag_lines, act_lines, tag_last, act_last_line;
  always_comb begin : times
    time_t      most;
    logic [5:0] index;
    logic [5:0] passes, looks;               // cycles of data, of look-ups
    if (`WANTED(tag_some_i)) begin
      index       = tag_take_i ? '0 : tag_work.index;
      tag_last    = 6'(index + 1'b1) == tag_op.lines;
      case (tag_op.mem)
        MemSharedLoad, MemSharedStore, MemSharedAtom: tag_latency = shared_latency_i;
        MemShuffle: tag_latency = shuffle_latency_i;
        MemConst:   tag_latency = const_latency_i;
        default:    tag_latency = l1_latency_i;
      endcase
      passes = tag_op.passes;
      looks  = '0;
      if (tag_lines) looks = 6'd1 + (tag_take_i ? '0 : 6'(tag_work.look));
      if (Pipelined) begin                   // each compared with each other at once
        most = passes >= looks ? TimeW'(passes) : TimeW'(looks);
        if (!earlier(stage_interval_i, TimeW'(passes)) && !earlier(stage_interval_i, TimeW'(looks)))
          most = stage_interval_i;
      end else begin
        if (passes < looks) passes = looks;
        most = latest(stage_interval_i, TimeW'(passes));
      end
      tag_ends = (tag_take_i ? tag_look : tag_old_base) + most;
    end
  end
  logic wrd_lines, mis_lines;                // it has lines
  `STAGE(wrd_lines, ptr_lines_o)
  `STAGE(mis_lines, wrd_lines)
  `STAGE(tag_lines, mis_lines)
  `STAGE(act_lines, tag_lines)
  `STAGE(act_ends, tag_ends)
  `STAGE(act_latency, tag_latency)
  `STAGE(act_last_line, tag_last)
  `STAGE_WANTED(tag_old_base, base_mem[mis_sm_i], visit_i)
  `STAGE_WANTED(act_old_took, took_mem[tag_sm_i], visit_i)
  `STAGE_WANTED(act_old_free, free_mem[tag_sm_i], visit_i)

  // ---------------------------------------------------------------- effects
  work_t      act_new;
  time_t      act_base, act_took, act_free;
  logic [5:0] act_index, act_misses;
  logic       act_last, act_short, act_pays, act_work_we, act_base_we, act_free_we;
  logic       act_some;                      // the visit changes it
  always_comb begin : changes
    act_some = 1'b0;
    if (`WANTED(visit_i))
      act_some = act_take_i || act_line_i || act_stall_i || act_end_i || act_answer_i
                 || act_fill_i || act_scrub_i;
  end
  always_comb begin : effects
    act_count_o   = 1'b0;
    act_report_o  = 1'b0;
    if (`WANTED(act_some)) begin
      act_new   = act_work;
      act_short = act_take_i && !act_lines;
      act_base  = act_look;
      act_took  = act_take_i ? act_look : act_old_took;
      if (act_take_i) begin
        act_new.active  = act_lines;
        act_new.sub     = act_sub;
        act_new.index   = '0;
        act_new.look    = '0;
        act_new.misses  = '0;
        act_new.credit  = 1'b1;
        act_new.turn    = act_sub + 1'b1;
      end
      // a line
      act_index   = act_new.index + 1'b1;
      act_misses  = act_new.misses + 6'(act_missed_i);
      act_last    = act_line_i && act_last_line;
      act_free    = act_ends;
      // What is counted of one that goes on, and its credit.
      act_pays = (act_stall_i || (act_end_i && act_work.active))
                 && (act_new.credit || act_new.misses != '0);
      act_count_o    = act_short || act_last || act_pays;
      act_bar_o      = act_pays && act_new.misses == '0 ? NoBar : act_op.bar;
      act_delta_o    = act_pays ? {1'b0, act_new.misses}
                                : act_short ? '1
                                : {1'b0, act_new.misses} - (act_missed_i ? 7'd0 : 7'd1);
      act_timed_o    = !act_pays;
      act_credit_o   = act_new.credit;
      act_used_o     = act_last ? act_index : '0;
      act_count_at_o = act_last ? act_ends + l1_latency_i : act_there_i + act_latency;
      act_took_o     = act_took;
      if (act_line_i) begin
        act_new.index   = act_index;
        act_new.misses  = act_misses;
        act_new.look    = act_new.look + 5'(act_step_i);
      end
      if (act_stall_i) begin
        act_new.stalled    = 1'b1;
        act_new.stall_port = act_full_i;
        act_new.stall_set  = act_set_i;
      end
      if (act_last) act_new.active = 1'b0;
      if (act_short || act_last || act_stall_i || act_end_i) begin
        act_new.credit = 1'b0;
        if (!act_last && !act_short) act_new.misses = '0;
      end
      // The line that stalled is looked up again when the reply is visible.
      act_base_we = act_take_i;
      if (act_work.active && act_work.stalled
          && (act_work.stall_port ? act_answer_i
                                  : act_fill_i && act_work.stall_set == act_set_i)) begin
        act_new.stalled = 1'b0;
        act_base        = act_fill_at_i - TimeW'(act_work.look);
        act_base_we     = 1'b1;
      end
      act_work_we = act_take_i || act_line_i || act_stall_i || act_end_i || act_base_we;
      act_free_we = act_short || act_last || act_scrub_i;
      if (act_scrub_i) act_free = fresh(act_old_free, scrub_all_i, scrub_floor_i);
      act_report_o  = act_short && act_op.perform && !is_global(act_op.mem);
    end
  end
  assign act_asked_o   = act_ends;
  always_comb begin : from_shared
    act_indexed_o = 1'b0;
    if (act_take_i) act_indexed_o = act_op.mem == MemConst && act_op.constant != '0
                                    && const_shared_i;
  end

  always_ff @(posedge clk_i) begin : write
    if (init_i || act_some) begin
      if (init_i || act_work_we)
        `STORE(work_mem[init_i ? init_sm_i : act_sm_i], init_i ? '0 : act_new);
      if (act_take_i) `STORE(op_mem[act_sm_i], act_op);
      if (act_take_i) `STORE(took_mem[act_sm_i], act_look);
      if (init_i || act_base_we)
        `STORE(base_mem[init_i ? init_sm_i : act_sm_i], init_i ? '0 : act_base);
      if (init_i || act_free_we)
        `STORE(free_mem[init_i ? init_sm_i : act_sm_i], init_i ? '0 : act_free);
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (!init_i) begin
      `ASSERT_IF(LineActive, act_line_i || act_stall_i,
                 is_global(act_op.mem) && act_op.lines != '0 && (act_take_i || act_work.active))
      `ASSERT_IF(LineIndex, act_line_i || act_stall_i, act_take_i || act_work.index < act_op.lines)
      // one operation after another
      `ASSERT_IF(TakeWhenFree, act_take_i,
                 !act_work.active && !earlier(act_look, act_old_free))
      `ASSERT_IF(StallActive, act_stall_i, !act_work.stalled)
      `ASSERT(EffectOne, $onehot0({act_line_i, act_stall_i, act_end_i, act_answer_i, act_fill_i,
                                   act_scrub_i}))
    end
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
