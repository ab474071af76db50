/// Memory stage: micro-operations, which are visits that it wants to sub-cores.
///
/// Of an operation on a counter of its warp; of a reply, likewise; of a barrier, that a warp goes
/// on; of lines of code, that they leave for a sub-core.
/// Latency: a micro-operation is shown in the clock after its visit. Throughput: one a clock.
/// Rules: a visit makes one at most. half_o leaves room for the visits under way.
`include "heddle_assert.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // the clock of the rules
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_micro #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [TimeW-1:0]    code_way_i,    /// parameter
  input  logic [SmBits-1:0]   act_sm_i,
  input  logic [SlotBits-1:0] act_slot_i,

  input  logic                act_count_i,   /// of an operation:
  input  logic [5:0]          act_op_warp_i, /// {sub-core, warp}
  input  logic [2:0]          act_op_bar_i,
  input  logic [6:0]          act_delta_i,
  input  logic                act_timed_i,
  input  logic                act_credit_i,
  input  logic [5:0]          act_used_i,    /// line words used up
  input  logic [TimeW-1:0]    act_count_at_i,
  input  logic [TimeW-1:0]    act_took_i,    /// taken at
  input  logic                act_come_i,    /// of a reply:
  input  logic [5:0]          act_come_warp_i,  /// {warp, sub-core}
  input  logic [2:0]          act_come_bar_i,
  input  logic [TimeW-1:0]    act_fill_i,
  input  logic                act_open_i,    /// of a barrier:
  input  logic [5:0]          act_open_warp_i,  /// {sub-core, warp}
  input  logic [TimeW-1:0]    act_open_at_i,
  input  logic                act_leave_i,   /// lines of code leave:
  input  logic [SubBits-1:0]  act_sub_i,
  input  logic [CtaBits-1:0]  act_epoch_i,
  input  logic [LineNoW-1:0]  act_base_i,
  input  logic [8:0]          act_lines_i,
  input  logic                act_ask_i,     /// at act_ask_at_i, else at act_fill_i
  input  logic [TimeW-1:0]    act_ask_at_i,

  output logic                push_o,
  output logic                half_o,        /// they fill half of their queue
  // to select
  output logic                valid_o,
  output logic [VisitW-1:0]   visit_o,
  output logic [TimeW-1:0]    at_o,          /// takes effect at
  output logic [ExtraW-1:0]   extra_o,
  input  logic                pop_i
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
  visit_t act_visit;
  time_t  act_at;
  extra_t act_extra;
  logic   act_push;
  assign act_push = act_count_i || act_come_i || act_open_i || act_leave_i;
  assign push_o   = act_push;
  always_comb begin : make
    if (`WANTED(act_push)) begin
      act_visit           = '0;
      act_visit.kind      = KindCount;
      act_visit.in_slot   = 1'b1;
      act_visit.slot      = act_slot_i;
      act_visit.sm        = act_sm_i;
      act_visit.arg.micro = 1'b1;
      act_visit.arg.timed = 1'b1;
      act_extra           = ExtraW'(act_took_i);
      if (act_count_i) begin
        {act_visit.sub, act_visit.warp} = act_op_warp_i;
        act_visit.arg.bar    = act_op_bar_i;
        act_visit.arg.delta  = act_delta_i;
        act_visit.arg.timed  = act_timed_i;
        act_visit.arg.credit = act_credit_i;
        act_visit.arg.lines  = act_used_i;
        act_at               = act_count_at_i;
      end else if (act_come_i) begin
        act_visit.sub        = act_come_warp_i[SubBits-1:0];
        act_visit.warp       = act_come_warp_i[5:SubBits];
        act_visit.arg.bar    = act_come_bar_i;
        act_visit.arg.delta  = '1;
        act_at               = act_fill_i;
      end else if (act_open_i) begin
        act_visit.kind       = KindResume;
        act_visit.arg.timed  = 1'b0;
        {act_visit.sub, act_visit.warp} = act_open_warp_i;
        act_at               = act_open_at_i;
      end else begin
        act_visit.kind       = KindCode;
        act_visit.arg.timed  = 1'b0;
        act_visit.sub        = act_sub_i;
        act_visit.arg.cta    = act_epoch_i;
        {act_visit.arg.lines, act_visit.arg.delta} = 13'(act_lines_i);
        act_at               = (act_ask_i ? act_ask_at_i : act_fill_i) + code_way_i;
        act_extra            = ExtraW'(act_base_i);
      end
    end
  end

  logic [MicroBits:0] count;
  assign half_o = count[MicroBits] || count[MicroBits-1];
  fifo #(.Width(VisitW + TimeW + ExtraW), .Bits(MicroBits)) queue (
    .clk_i, .rst_ni, .push_i(act_push), .word_i({act_visit, act_at, act_extra}), .count_o(count),
    .valid_o, .word_o({visit_o, at_o, extra_o}), .pop_i
  );
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT(MicroOne, $onehot0({act_count_i, act_come_i, act_open_i, act_leave_i}))
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
