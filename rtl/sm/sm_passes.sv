/// Memory stage: its visits to SMs, and what each of them does.
///
/// In a pass the memory stage does all that happens in an SM before the end of its short window, in
/// order of target time: replies of the network, starts of operations, look-ups of their lines.
/// Each is a visit; results for sub-cores are micro-operations. These take effect at the end of the
/// window or later, but for those of replies, which is why the sub-cores wait for the pass.
///
/// A visit that leaves something to do, such as to wake a second operation, says so, and the next
/// one to the SM goes on with that.
/// Steps: beg (an SM whose turn it is), nxt (counts and times), hed (heads of its queues), cmp (the
/// earliest of each), pck (when it would happen), kin (what comes first), ops (operation, ask, end
/// of a warp), ptr (place of its line word), wrd (line word), mis (set of MSHRs), tag (set of L1),
/// act (effects). Pipelined, each takes a clock; else all share one.
/// Latency: twelve stages. Throughput: a visit each clock, to an SM without another under way.
/// Rules: a slot in pass_i keeps its SM and its end. room_i says that all queues have room for a
/// word of each visit under way.
`include "cell/one_hot.svh"
`include "cell/stage.svh"
`include "heddle_assert.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_passes #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                hold_i,        /// no visit begins
  input  logic                room_i,        /// the queues have room for another one
  output logic                busy_o,        /// visits are under way

  // slots
  input  logic [NumSlots-1:0] pass_i,        /// these wait for the memory stage
  output logic [SlotBits-1:0] beg_slot_o,    /// next,
  input  logic [SmBits-1:0]   beg_sm_i,      /// its SM
  output logic [SlotBits-1:0] kin_slot_o,
  input  logic [TimeW-1:0]    kin_end_i,     /// end of its short window

  // scrubbing
  input  logic                scrub_i,       /// an SM is scrubbed now,
  input  logic [SmBits-1:0]   scrub_sm_i,    /// this one,
  input  logic [1:0]          scrub_set_i,   /// and this set of its constants
  output logic [1:0]          ops_set_o,
  input  logic                init_i,        /// memories are initialised,
  input  logic [SmBits-1:0]   init_sm_i,     /// of this SM

  // the SM of each stage; there is a visit in it
  output logic                nxt_valid_o, ptr_valid_o, mis_valid_o, tag_valid_o,
                              act_valid_o,
  output logic [SmBits-1:0]   nxt_sm_o, hed_sm_o, cmp_sm_o, ops_sm_o, ptr_sm_o,
                              wrd_sm_o, mis_sm_o, tag_sm_o, act_sm_o,

  // what comes first
  output logic [3:0]          cmp_more_o, pck_more_o,  /// pass_e left to do, or PassEnd
  input  logic                kin_exit_i,    /// a warp has ended
  input  logic                kin_active_i,  /// an operation on global memory is in work
  input  logic [TimeW:0]      kin_look_i,    /// next look-up or start, bound_t
  input  logic [TimeW:0]      kin_fill_i,    /// next reply takes effect
  input  logic [TimeW:0]      kin_ask_i,     /// next ask of code is taken
  output logic                ops_valid_o,
  output logic [3:0]          ops_kind_o, ptr_kind_o, mis_kind_o, tag_kind_o,
                              act_kind_o,    /// pass_e: what the visit does
  output logic [SlotBits-1:0] act_slot_o,
  input  logic [3:0]          act_more_i     /// left to do, or PassEnd
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
  logic [3:0]          more_mem [MaxSm];     // left to do of the visit before
  logic [NumSlots-1:0] busy_q;               // a visit is under way
  logic [NumSlots-1:0] waiting, one;

  logic  beg_valid, nxt_valid, hed_valid, cmp_valid, pck_valid, kin_valid, ops_valid, ptr_valid,
         wrd_valid, mis_valid, tag_valid, act_valid;
  logic  beg_scrub, nxt_scrub, hed_scrub, cmp_scrub, pck_scrub, kin_scrub;
  logic [1:0] beg_set, nxt_set, hed_set, cmp_set, pck_set, kin_set;
  slot_t beg_slot, nxt_slot, hed_slot, cmp_slot, pck_slot, kin_slot, ops_slot, ptr_slot, wrd_slot,
         mis_slot, tag_slot, act_slot;
  sm_t   beg_sm, nxt_sm, hed_sm, cmp_sm, pck_sm, kin_sm, ops_sm, ptr_sm, wrd_sm, mis_sm, tag_sm,
         act_sm;
  logic [3:0] cmp_more, pck_more, kin_more, kin_kind, ops_kind, ptr_kind, wrd_kind, mis_kind,
              tag_kind, act_kind;

  // ---------------------------------------------------------------- which SM
  always_comb begin : begin_visit
    waiting   = Pipelined ? pass_i & ~busy_q : pass_i;
    beg_scrub = scrub_i;
    beg_valid = scrub_i;
    if (waiting != '0) beg_valid = scrub_i || (room_i && !hold_i);
  end
  always_comb begin : first_waiting
    if (`WANTED(beg_valid)) begin
      one      = `FIRST_ONE(waiting);
      beg_slot = SlotBits'(`NUMBER_OF(one));
    end
  end
  assign beg_slot_o = beg_slot;
  always_comb begin : whose
    if (`WANTED(beg_valid)) beg_sm = scrub_i ? scrub_sm_i : beg_sm_i;
  end
  assign beg_set    = scrub_set_i;

  `define ALONG(to, from) \
    `STAGE_VALID(to``_valid, from``_valid) \
    `STAGE(to``_sm, from``_sm) \
    `STAGE(to``_slot, from``_slot)
  `ALONG(nxt, beg)
  `ALONG(hed, nxt)
  `ALONG(cmp, hed)
  `ALONG(pck, cmp)
  `ALONG(kin, pck)
  `ALONG(ops, kin)
  `ALONG(ptr, ops)
  `ALONG(wrd, ptr)
  `ALONG(mis, wrd)
  `ALONG(tag, mis)
  `ALONG(act, tag)
  `undef ALONG
  `STAGE(nxt_scrub, beg_scrub)
  `STAGE(hed_scrub, nxt_scrub)
  `STAGE(cmp_scrub, hed_scrub)
  `STAGE(pck_scrub, cmp_scrub)
  `STAGE(kin_scrub, pck_scrub)
  `STAGE(nxt_set, beg_set)
  `STAGE(hed_set, nxt_set)
  `STAGE(cmp_set, hed_set)
  `STAGE(pck_set, cmp_set)
  `STAGE(kin_set, pck_set)
  `STAGE(ops_set_o, kin_set)
  `STAGE(cmp_more, more_mem[hed_sm])
  `STAGE(pck_more, cmp_more)
  `STAGE(kin_more, pck_more)

  // ---------------------------------------------------------------- what comes first
  // Ends of warps first (they have no order), then what comes first; of the same cycle a reply, a
  // look-up, an ask for code.
  always_comb begin : choose
    kin_kind = PassEnd;
    if (kin_valid) begin
      if (kin_scrub) kin_kind = PassScrub;
      else if (kin_more != PassEnd) kin_kind = kin_more;
      else if (kin_exit_i) kin_kind = PassExit;
      else if (due(kin_fill_i, kin_end_i) && !due(kin_look_i, kin_fill_i[TimeW-1:0])
               && !due(kin_ask_i, kin_fill_i[TimeW-1:0])) kin_kind = PassReply;
      else if (due(kin_ask_i, kin_end_i) && !due(kin_look_i, kin_ask_i[TimeW-1:0] + 1'b1))
        kin_kind = PassAsk;
      else if (due(kin_look_i, kin_end_i)) kin_kind = kin_active_i ? PassLine : PassTake;
    end
  end
  assign kin_slot_o = kin_slot;
  `STAGE(ops_kind, kin_kind)
  `STAGE(ptr_kind, ops_kind)
  `STAGE(wrd_kind, ptr_kind)
  `STAGE(mis_kind, wrd_kind)
  `STAGE(tag_kind, mis_kind)
  `STAGE(act_kind, tag_kind)

  assign {nxt_valid_o, ops_valid_o, ptr_valid_o, mis_valid_o, tag_valid_o, act_valid_o}
       = {nxt_valid, ops_valid, ptr_valid, mis_valid, tag_valid, act_valid};
  assign {nxt_sm_o, hed_sm_o, cmp_sm_o, ops_sm_o, ptr_sm_o, wrd_sm_o, mis_sm_o, tag_sm_o,
          act_sm_o}
       = {nxt_sm, hed_sm, cmp_sm, ops_sm, ptr_sm, wrd_sm, mis_sm, tag_sm, act_sm};
  assign {cmp_more_o, pck_more_o, ops_kind_o, ptr_kind_o, mis_kind_o, tag_kind_o, act_kind_o}
       = {cmp_more, pck_more, ops_kind, ptr_kind, mis_kind, tag_kind, act_kind};
  assign act_slot_o = act_slot;
  assign busy_o = Pipelined && (beg_valid || nxt_valid || hed_valid || cmp_valid || pck_valid
                                || kin_valid || ops_valid || ptr_valid || wrd_valid || mis_valid
                                || tag_valid || act_valid);

  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) begin
      busy_q <= '0;
    end else if (Pipelined) begin
      if (beg_valid && !beg_scrub) busy_q[beg_slot] <= 1'b1;
      if (act_valid && act_kind != PassScrub) busy_q[act_slot] <= 1'b0;
    end
    if (init_i || act_valid)
      `STORE(more_mem[init_i ? init_sm_i : act_sm], init_i ? PassEnd : act_more_i);
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT_IF(PassLegal, kin_valid, kin_kind <= PassTell)
      // what goes on is one of those that visits leave
      `ASSERT_IF(MoreLegal, act_valid,
                 act_more_i == PassEnd || act_more_i inside {[PassWake:PassTell]})
      // nothing at or after the end of the short window
      `ASSERT_IF(LookInPass, kin_valid && kin_kind inside {PassTake, PassLine},
                 due(kin_look_i, kin_end_i))
      `ASSERT_IF(FillInPass, kin_valid && kin_kind == PassReply, due(kin_fill_i, kin_end_i))
      `ASSERT_IF(AskInPass, kin_valid && kin_kind == PassAsk, due(kin_ask_i, kin_end_i))
      `ASSERT_IF(ScrubInPass, scrub_i, pass_i == '0)
      // one visit to an SM at a time
      `ASSERT_IF(PassBusy, Pipelined && act_valid && act_kind != PassScrub, busy_q[act_slot])
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
