/// Stage select: the next visit.
///
/// Order: memory initialisation; scrubbing; the second of two visits; micro-operations of the
/// memory stage; wake-ups; launches; the runnable sub-cores in turn. A sub-core has at most one
/// visit in the pipeline (busy_i), so no stage ever sees a sub-core half written. To SMs without a
/// slot there is one visit in all.
/// Latency: none; Pipelined, the sub-core in turn is looked for in the clock before. Throughput: a
/// visit each clock.
/// Rules: a pop lasts one clock, in which the queue shows what is taken. room_i leaves room in all
/// queues for what visits under way push.
`include "cell/one_hot.svh"
`include "heddle_assert.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // the clock of the rules
module sm_select #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                init_o,        /// after reset: memories are initialised,
  output logic [SmBits+7:0]   init_count_o,  /// by visits, of which this is the number: {SM, set}

  input  logic                scrub_i,       /// scrubbing: no other visit,
  input  logic                scrub_visit_i, /// and one now
  input  logic [SmBits+5:0]   scrub_count_i, /// visit to make: {SM, warp}

  input  logic                room_i,        /// a visit may push
  // micro-operations of the memory stage
  input  logic                micro_valid_i,
  input  logic [VisitW-1:0]   micro_visit_i,
  input  logic [TimeW-1:0]    micro_at_i,    /// takes effect at
  input  logic [ExtraW-1:0]   micro_extra_i,
  output logic                micro_pop_o,
  // launches and wake-ups of the host
  input  logic                wake_valid_i,
  input  logic [IdW+CtaBits+7:0] wake_i,     /// wake_t
  input  logic [TimeW-1:0]    wake_at_i,
  output logic                wake_pop_o,
  // packets behind a Hold
  input  logic                rewake_i,      /// another visit to
  input  logic [IdW-1:0]      rewake_id_i,   /// this warp
  output logic                rewake_half_o, /// such visits fill half of their queue
  output logic                rewake_busy_o, /// there are some
  // second visits
  input  logic                again_i,       /// a visit has become two: the second one
  input  logic [SlotBits-1:0] again_slot_i,
  input  logic [IdW-1:0]      again_id_i,
  input  logic [ArgW-1:0]     again_arg_i,
  input  logic [TimeW-1:0]    again_at_i,
  /* verilator lint_off UNUSEDSIGNAL */      // used when Pipelined
  input  logic                row_i,         /// a visit is over,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                half_i,        /// the first of two,
  input  logic [CtxBits-1:0]  half_ctx_i,    /// to this sub-core
  output logic                again_busy_o,  /// there are second visits to make

  // sub-cores with a slot
  input  logic [NumCtx-1:0]   runnable_i,    /// they have work inside the window
  input  logic [NumCtx-1:0]   busy_i,        /// a visit is under way
  input  logic [NumSlots-1:0] slot_used_i,
  input  logic [NumSlots*SmBits-1:0] slot_sm_i,
  input  logic                outside_i,     /// a visit to an SM without slot is under way
  input  logic                hold_i,        /// no wake-up or launch: the window unit moves
  input  logic [SlotBits-1:0] hold_slot_i,   /// this slot,
  input  logic                hold_load_i,   /// or an SM to a slot

  output logic                valid_o,       /// a visit
  output logic [2:0]          kind_o,        /// kind_e
  output logic                in_slot_o,     /// its SM has a slot,
  output logic [CtxBits-1:0]  ctx_o,         /// and the sub-core this place
  output logic [IdW-1:0]      id_o,          /// the warp
  output logic [ArgW-1:0]     arg_o,         /// arg_t
  output logic [CtxBits-1:0]  turn_ctx_o,    /// the sub-core whose turn it is
  output logic                bound_o,       /// the visit takes effect at its bound, else
  output logic [TimeW-1:0]    at_o,          /// at
  output logic [ExtraW-1:0]   extra_o
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
  // up to half of their places are for what stages behind this one push
  localparam int AgainBits  = 3;
  localparam int RewakeBits = 5;

  logic                       init_q;
  logic [SmBits+InitBits-1:0] init_count_q;  // visits made
  ctx_t                       next_ctx_q;    // context first in turn; Pipelined: whose turn it is
  ctx_set_t                   half_q;        // the first of two visits is over

  logic                       again_valid, again_ready, rewake_valid, again_pop, rewake_pop;
  logic [AgainBits:0]         agains;
  logic [RewakeBits:0]        rewakes;
  /* verilator lint_off UNUSEDSIGNAL */     // a part
  visit_t                     micro_visit;
  /* verilator lint_on UNUSEDSIGNAL */
  slot_t                      again_slot;
  warp_id_t                   again_id;
  logic [ArgW-1:0]            again_arg;
  time_t                      again_at;
  warp_id_t                   rewake_id;
  wake_t                      wake;
  ctx_t                       again_ctx, micro_ctx;
  assign init_o        = init_q;
  assign init_count_o  = init_count_q;
  assign micro_visit   = micro_visit_i;
  assign wake          = wake_i;
  assign rewake_half_o = rewakes[RewakeBits] || rewakes[RewakeBits-1];
  assign rewake_busy_o = rewake_valid;
  assign again_busy_o  = again_valid;
  assign again_ctx     = {again_slot, again_id[WarpBits +: SubBits]};
  assign micro_ctx     = {micro_visit.slot, micro_visit.sub};

  fifo #(.Width(SlotBits + IdW + ArgW + TimeW), .Bits(AgainBits)) again_fifo (
    .clk_i, .rst_ni, .push_i(again_i),
    .word_i({again_slot_i, again_id_i, again_arg_i, again_at_i}), .count_o(agains),
    .valid_o(again_valid), .word_o({again_slot, again_id, again_arg, again_at}),
    .pop_i(again_pop)
  );
  fifo #(.Width(IdW), .Bits(RewakeBits)) rewake_fifo (
    .clk_i, .rst_ni, .push_i(rewake_i), .word_i(rewake_id_i), .count_o(rewakes),
    .valid_o(rewake_valid), .word_o(rewake_id), .pop_i(rewake_pop)
  );

  assign again_ready = again_valid && half_q[again_ctx];

  // Pipelined, the next runnable sub-core in turn is looked for in the clock before: one that has
  // none of these visits, or the end of one. A micro-operation may come first nevertheless.
  logic found;
  if (Pipelined) begin : gen_find
    ctx_set_t waiting, behind, one, one_behind;  // behind: from the last one in turn on
    ctx_t     number, number_behind;
    logic     found_q;                       // next_ctx_q is the one
    always_comb begin : find
      waiting = runnable_i & ~(busy_i & ~(NumCtx'(row_i && !half_i) << half_ctx_i))
                & ~(NumCtx'(found_q) << next_ctx_q);
      behind  = waiting & ({NumCtx{1'b1}} << next_ctx_q);
      one           = `FIRST_ONE(waiting);
      one_behind    = `FIRST_ONE(behind);
      number        = CtxBits'(`NUMBER_OF(one));
      number_behind = CtxBits'(`NUMBER_OF(one_behind));
    end
    assign found = found_q && runnable_i[next_ctx_q] && !busy_i[next_ctx_q];
    always_ff @(posedge clk_i) begin : next
      if (!rst_ni) begin
        found_q    <= 1'b0;
        next_ctx_q <= '0;
      end else if (bound_o || !found) begin
        found_q    <= waiting != '0;
        next_ctx_q <= behind != '0 ? number_behind : number;
      end
    end
    assign turn_ctx_o = next_ctx_q;
  end else begin : gen_now
    assign found = 1'b0;
    always_ff @(posedge clk_i) begin : next
      if (!rst_ni) next_ctx_q <= '0;
      else if (bound_o) next_ctx_q <= turn_ctx + 1'b1;
    end
    assign turn_ctx_o = turn_ctx;
  end

  // What is not needed is not computed: the processor that simulates does one thing at a time.
  ctx_t turn_ctx;
  always_comb begin : select
    ctx_set_t waiting, one;
    logic     rewake, in_slot, free;
    slot_t    slot;
    warp_id_t id;
    valid_o     = 1'b0;
    kind_o      = KindIssue;
    in_slot_o   = 1'b1;
    ctx_o       = '0;
    id_o        = '0;
    arg_o       = '0;
    at_o        = '0;
    extra_o     = '0;
    bound_o     = 1'b0;
    again_pop   = 1'b0;
    rewake_pop  = 1'b0;
    micro_pop_o = 1'b0;
    wake_pop_o  = 1'b0;
    turn_ctx    = '0;
    rewake      = rewake_valid;
    in_slot     = 1'b0;
    free        = 1'b0;
    slot        = '0;
    id          = rewake ? rewake_id : {wake.sm, wake.warp};
    waiting     = runnable_i & ~busy_i;
    one         = '0;
    if (init_q || scrub_i) begin
      valid_o   = init_q || scrub_visit_i;
      kind_o    = init_q ? KindInit : KindScrub;
      in_slot_o = 1'b0;
      id_o      = scrub_count_i;
      if (init_q) begin
        id_o  = {init_count_q[SmBits+InitBits-1:InitBits], init_count_q[SubBits+WarpBits-1:0]};
        arg_o = {1'b0, init_count_q[InitBits-1:InitBits-2], {(ArgW-3){1'b0}}};
      end
    end else if (again_ready) begin
      valid_o   = 1'b1;
      kind_o    = KindCount;
      ctx_o     = again_ctx;
      id_o      = again_id;
      arg_o     = again_arg;
      at_o      = again_at;
      again_pop = 1'b1;
    end else if (room_i) begin
      if (micro_valid_i && !busy_i[micro_ctx]
          && !(micro_visit.arg.credit && (agains[AgainBits] || agains[AgainBits-1]))) begin
        valid_o     = 1'b1;
        kind_o      = micro_visit.kind;
        ctx_o       = micro_ctx;
        id_o        = {micro_visit.sm, micro_visit.sub, micro_visit.warp};
        arg_o       = micro_visit.arg;
        at_o        = micro_at_i;
        extra_o     = micro_extra_i;
        micro_pop_o = 1'b1;
      end else if (rewake || wake_valid_i) begin
        // whether the SM of the warp has a slot, which, and whether its sub-core is busy
        for (int s = 0; s < NumSlots; s++)
          if (slot_used_i[s]
              && (Pipelined ? (rewake ? slot_sm_i[s*SmBits +: SmBits] == rewake_id[IdW-1 -: SmBits]
                                      : slot_sm_i[s*SmBits +: SmBits] == wake.sm)
                            : slot_sm_i[s*SmBits +: SmBits] == id[IdW-1 -: SmBits])) begin
            in_slot = 1'b1;
            slot    = slot | SlotBits'(s);
            free    = free || (!busy_i[{SlotBits'(s), id[WarpBits +: SubBits]}]
                               && !(hold_i && hold_slot_i == SlotBits'(s)));
          end
        if (in_slot ? free : !outside_i && !hold_load_i) begin
          valid_o    = 1'b1;
          kind_o     = !rewake && wake.launch ? KindLaunch : KindWake;
          in_slot_o  = in_slot;
          ctx_o      = {slot, id[WarpBits +: SubBits]};
          id_o       = id;
          rewake_pop = rewake;
          wake_pop_o = !rewake;
          if (!rewake) begin
            arg_o = {3'd0, wake.constants, 9'd0, wake.cta};
            at_o  = wake_at_i;
          end
        end
      end
      if (!valid_o && (Pipelined ? found : waiting != '0)) begin
        // the next runnable sub-core in turn
        if (Pipelined) begin
          turn_ctx = next_ctx_q;
        end else begin
          one = waiting & ({NumCtx{1'b1}} << next_ctx_q);
          if (one == '0) one = waiting;
          one      = `FIRST_ONE(one);
          turn_ctx = CtxBits'(`NUMBER_OF(one));
        end
        valid_o  = 1'b1;
        ctx_o    = turn_ctx;
        for (int s = 0; s < NumSlots; s++)
          if (32'(turn_ctx[CtxBits-1:SubBits]) == s)
            id_o = {slot_sm_i[s*SmBits +: SmBits], turn_ctx[SubBits-1:0], WarpBits'(0)};
        bound_o = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) begin
      init_q       <= 1'b1;
      init_count_q <= '0;
      half_q       <= '0;
    end else begin
      if (init_q) begin
        init_q       <= init_count_q != {SmBits'(MaxSm - 1), {InitBits{1'b1}}};
        init_count_q <= init_count_q + 1'b1;
      end
      if (again_pop) half_q[again_ctx] <= 1'b0;
      if (half_i) half_q[half_ctx_i] <= 1'b1;
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      // a sub-core is busy until the second of two visits is over
      `ASSERT_IF(AgainBusy, again_pop, busy_i[again_ctx])
      `ASSERT_IF(HalfBusy, Pipelined && half_i, busy_i[half_ctx_i])
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
