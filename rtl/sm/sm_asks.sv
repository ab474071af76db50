/// Memory stage: what the sub-cores ask of their SM's instruction cache, and which ask is next.
///
/// Stage update of a visit to a sub-core writes an ask, with the time at which it is there. The
/// cache takes one a cycle: the earliest, of the lowest sub-core among equals.
/// Latency: an ask is seen in the clock after it was written. Throughput: one is written and one
/// taken each clock.
/// Rules: as sm_passes; a sub-core has at most 1 << AskBits asks under way (sm_types.svh).
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_asks #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                scrub_all_i,
  input  logic [TimeW-1:0]    scrub_floor_i,

  // stage update of a visit
  input  logic [RowW-1:0]     upd_row_i,
  input  logic                upd_ask_i,     /// an ask:
  input  logic [LineNoW+CtaBits+6:0] upd_word_i,  /// ask_t,
  input  logic [TimeW-1:0]    upd_at_i,      /// there at
  input  logic                upd_init_i,

  // memory stage
  /* verilator lint_off UNUSEDSIGNAL */      // not used when Pipelined
  input  logic                visit_i,       /// there is a visit, without registers between
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [SmBits-1:0]   nxt_sm_i, hed_sm_i, ops_sm_i, act_sm_i,
  input  logic                pck_more_i,    /// the visit goes on with an ask,
  input  logic [SubBits-1:0]  pck_sub_i,     /// of this sub-core
  output logic [TimeW:0]      kin_ask_o,     /// when it is taken, or was: bound_t
  output logic [SubBits-1:0]  ops_sub_o,
  /* verilator lint_off UNUSEDSIGNAL */      // not used when Pipelined
  input  logic                ops_ask_i,     /// it is taken, or gone on with
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [LineNoW+CtaBits+6:0] ptr_word_o,  /// ask_t
  output logic [TimeW-1:0]    act_ask_o,
  input  logic                act_first_i,   /// it is taken,
  input  logic                act_last_i,    /// all of its lines have been looked up,
  input  logic [SubBits-1:0]  act_sub_i,     /// of this sub-core
  input  logic                act_scrub_i,
  input  logic                init_i,
  input  logic [SmBits-1:0]   init_sm_i
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"
  logic [AskW-1:0] ask_mem [MaxSm*SubPerSm << AskBits];
  time_t           free_mem [MaxSm];         // the cache is free at

  logic [AskBits-1:0] upd_entry, ops_entry;
  always_ff @(posedge clk_i) begin : write
    if (upd_ask_i) `STORE(ask_mem[{upd_row_i, upd_entry}], upd_word_i);
  end

  // ---------------------------------------------------------------- the next
  logic [4*(TimeW+1)-1:0] cmp_ats;
  bound_t cmp_head, pck_head, pck_ask, kin_ask;
  time_t  cmp_free, pck_free, kin_free;
  sub_t   cmp_sub, pck_sub, kin_sub, ops_sub;
  sm_rings #(`SM_PASS, .Bits(AskBits), .PlaceBits(AskBits), .Most((1 << AskBits) - 1)) rings (
    .clk_i, .upd_row_i, .upd_count_o(upd_entry), .upd_we_i(upd_ask_i || upd_init_i),
    .upd_place_i(upd_entry), .upd_at_i, .upd_sent_i(upd_init_i ? '0 : upd_entry + 1'b1),
    .nxt_sm_i, .hed_sm_i, .act_sm_i, .visit_i, .cmp_ats_o(cmp_ats), .cmp_first_o(cmp_head),
    .ops_sub_i(ops_sub), .ops_taken_o(ops_entry), .act_take_i(act_last_i), .act_sub_i, .init_i,
    .init_sm_i
  );
  always_comb begin : whose
    if (`WANTED(visit_i)) begin
      cmp_sub = '0;
      if (!cmp_head[TimeW])
        for (int s = SubPerSm - 1; s >= 0; s--)
          if (cmp_ats[s*(TimeW+1) +: TimeW+1] == cmp_head) cmp_sub = SubBits'(s);
    end
  end
  `STAGE(pck_head, cmp_head)
  `STAGE(pck_sub, cmp_sub)
  `STAGE_WANTED(cmp_free, free_mem[hed_sm_i], visit_i)
  `STAGE(pck_free, cmp_free)
  always_comb begin : taken_at
    if (`WANTED(visit_i))
      pck_ask = pck_more_i ? {1'b0, pck_free - 1'b1}
                           : {pck_head[TimeW], latest(pck_head[TimeW-1:0], pck_free)};
  end
  `STAGE(kin_ask, pck_ask)
  `STAGE_WANTED(kin_sub, pck_more_i ? pck_sub_i : pck_sub, visit_i)
  `STAGE(kin_free, pck_free)
  assign kin_ask_o = kin_ask;

  // ---------------------------------------------------------------- taken
  time_t ops_ask, ptr_ask, wrd_ask, mis_ask, tag_ask, act_ask;
  time_t ops_free, ptr_free, wrd_free, mis_free, tag_free, act_free, act_new_free;
  `STAGE(ops_sub, kin_sub)
  assign ops_sub_o = ops_sub;
  logic [AskW-1:0] ptr_word;
  `STAGE_WANTED(ptr_word, ask_mem[{ops_sm_i, ops_sub, ops_entry}], ops_ask_i)
  assign ptr_word_o = ptr_word;
  `STAGE(ops_ask, kin_ask[TimeW-1:0])
  `STAGE(ptr_ask, ops_ask)
  `STAGE(wrd_ask, ptr_ask)
  `STAGE(mis_ask, wrd_ask)
  `STAGE(tag_ask, mis_ask)
  `STAGE(act_ask, tag_ask)
  `STAGE(ops_free, kin_free)
  `STAGE(ptr_free, ops_free)
  `STAGE(wrd_free, ptr_free)
  `STAGE(mis_free, wrd_free)
  `STAGE(tag_free, mis_free)
  `STAGE(act_free, tag_free)
  assign act_ask_o = act_ask;
  always_comb begin : next_free
    if (`WANTED(act_first_i || act_scrub_i))
      act_new_free = act_scrub_i ? fresh(act_free, scrub_all_i, scrub_floor_i) : act_ask + 1'b1;
  end
  always_ff @(posedge clk_i) begin : takes
    if (init_i || act_first_i || act_scrub_i)
      `STORE(free_mem[init_i ? init_sm_i : act_sm_i], init_i ? '0 : act_new_free);
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (!init_i) begin
      `ASSERT_IF(AskWhenFree, act_first_i, !earlier(act_ask, act_free))
    end
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
