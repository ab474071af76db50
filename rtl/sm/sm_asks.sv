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
  localparam int CountsOfW = SubPerSm*AskBits;

  logic [AskW-1:0]      ask_mem [MaxSm*SubPerSm << AskBits];
  time_t                ask0_mem [MaxSm << AskBits], ask1_mem [MaxSm << AskBits],
                        ask2_mem [MaxSm << AskBits], ask3_mem [MaxSm << AskBits];
  logic [CountsOfW-1:0] sent_mem [MaxSm];    // per sub-core: asks sent
  logic [CountsOfW-1:0] taken_mem [MaxSm];   // asks taken
  time_t                free_mem [MaxSm];    // the cache is free at

  // ---------------------------------------------------------------- from the sub-cores
  sm_t  upd_sm;
  sub_t upd_sub;
  logic [CountsOfW-1:0] upd_sents, upd_new_sents;
  logic [AskBits-1:0]   upd_entry;
  assign {upd_sm, upd_sub} = upd_row_i;
  assign upd_sents = upd_init_i ? '0 : sent_mem[upd_sm];
  assign upd_entry = upd_sents[upd_sub*AskBits +: AskBits];
  always_comb begin : asks
    upd_new_sents = upd_sents;
    if (!upd_init_i) upd_new_sents[upd_sub*AskBits +: AskBits] = upd_entry + 1'b1;
  end

  always_ff @(posedge clk_i) begin : write
    if (upd_ask_i || upd_init_i) begin
      `STORE(ask_mem[{upd_row_i, upd_entry}], upd_word_i);
      case (2'(upd_sub))
        2'd0:    `STORE(ask0_mem[{upd_sm, upd_entry}], upd_at_i);
        2'd1:    `STORE(ask1_mem[{upd_sm, upd_entry}], upd_at_i);
        2'd2:    `STORE(ask2_mem[{upd_sm, upd_entry}], upd_at_i);
        default: `STORE(ask3_mem[{upd_sm, upd_entry}], upd_at_i);
      endcase
      `STORE(sent_mem[upd_sm], upd_new_sents);
    end
  end

  // ---------------------------------------------------------------- the next
  logic [CountsOfW-1:0] hed_sents, hed_takens, cmp_takens, pck_takens, kin_takens, ops_takens;
  logic [4*AskBits-1:0] hed_sent, hed_taken; // of sub-cores that are not there: 0
  logic   hed_some, cmp_some;                // without registers between: there is an ask
  bound_t cmp_at0, cmp_at1, cmp_at2, cmp_at3, cmp_head, pck_head, kin_ask;
  time_t  pck_free, kin_free;
  sub_t   cmp_sub, pck_sub, kin_sub, ops_sub;
  `STAGE_WANTED(hed_sents, sent_mem[nxt_sm_i], visit_i)
  `STAGE_WANTED(hed_takens, taken_mem[nxt_sm_i], visit_i)
  `STAGE(cmp_takens, hed_takens)
  `STAGE(pck_takens, cmp_takens)
  `STAGE(kin_takens, pck_takens)
  `STAGE(ops_takens, kin_takens)
  assign hed_sent  = (4*AskBits)'(hed_sents);
  assign hed_taken = (4*AskBits)'(hed_takens);
  assign hed_some  = hed_sents != hed_takens;
  `STAGE(cmp_some, hed_some)
  `STAGE_WANTED(cmp_at0, ({hed_sent[0*AskBits +: AskBits] == hed_taken[0*AskBits +: AskBits],
                           ask0_mem[{hed_sm_i, hed_taken[0*AskBits +: AskBits]}]}), hed_some)
  `STAGE_WANTED(cmp_at1, ({hed_sent[1*AskBits +: AskBits] == hed_taken[1*AskBits +: AskBits],
                           ask1_mem[{hed_sm_i, hed_taken[1*AskBits +: AskBits]}]}), hed_some)
  `STAGE_WANTED(cmp_at2, ({hed_sent[2*AskBits +: AskBits] == hed_taken[2*AskBits +: AskBits],
                           ask2_mem[{hed_sm_i, hed_taken[2*AskBits +: AskBits]}]}), hed_some)
  `STAGE_WANTED(cmp_at3, ({hed_sent[3*AskBits +: AskBits] == hed_taken[3*AskBits +: AskBits],
                           ask3_mem[{hed_sm_i, hed_taken[3*AskBits +: AskBits]}]}), hed_some)
  always_comb begin : earliest
    cmp_head = Never;
    cmp_sub  = '0;
    if (cmp_some) begin
      cmp_head = first(first(cmp_at0, cmp_at1), first(cmp_at2, cmp_at3));
      cmp_sub  = SubBits'(cmp_at0 == cmp_head ? 2'd0 : cmp_at1 == cmp_head ? 2'd1
                                                     : cmp_at2 == cmp_head ? 2'd2 : 2'd3);
    end
  end
  `STAGE(pck_head, cmp_head)
  `STAGE(pck_sub, cmp_sub)
  time_t cmp_free;
  `STAGE_WANTED(cmp_free, free_mem[hed_sm_i], visit_i)
  `STAGE(pck_free, cmp_free)
  bound_t pck_ask;
  assign pck_ask = pck_more_i ? {1'b0, pck_free - 1'b1}
                              : {pck_head[TimeW], latest(pck_head[TimeW-1:0], pck_free)};
  `STAGE(kin_ask, pck_ask)
  `STAGE(kin_sub, pck_more_i ? pck_sub_i : pck_sub)
  `STAGE(kin_free, pck_free)
  assign kin_ask_o = kin_ask;

  // ---------------------------------------------------------------- taken
  logic [CountsOfW-1:0] ptr_takens, wrd_takens, mis_takens, tag_takens, act_takens, act_new_takens;
  time_t ops_ask, ptr_ask, wrd_ask, mis_ask, tag_ask, act_ask;
  time_t ops_free, ptr_free, wrd_free, mis_free, tag_free, act_free, act_new_free;
  `STAGE(ops_sub, kin_sub)
  assign ops_sub_o = ops_sub;
  logic [AskW-1:0] ptr_word;
  `STAGE_WANTED(ptr_word, ask_mem[{ops_sm_i, ops_sub, ops_takens[ops_sub*AskBits +: AskBits]}],
                ops_ask_i)
  assign ptr_word_o = ptr_word;
  `STAGE(ptr_takens, ops_takens)
  `STAGE(wrd_takens, ptr_takens)
  `STAGE(mis_takens, wrd_takens)
  `STAGE(tag_takens, mis_takens)
  `STAGE(act_takens, tag_takens)
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
  assign act_new_free = act_scrub_i ? fresh(act_free, scrub_all_i, scrub_floor_i)
                                    : act_ask + 1'b1;
  always_comb begin : take
    act_new_takens = act_takens;
    act_new_takens[act_sub_i*AskBits +: AskBits] = act_takens[act_sub_i*AskBits +: AskBits] + 1'b1;
  end

  always_ff @(posedge clk_i) begin : takes
    if (init_i || act_last_i)
      `STORE(taken_mem[init_i ? init_sm_i : act_sm_i], init_i ? '0 : act_new_takens);
    if (init_i || act_first_i || act_scrub_i)
      `STORE(free_mem[init_i ? init_sm_i : act_sm_i], init_i ? '0 : act_new_free);
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (!init_i) begin
      `ASSERT_IF(AskThere, ops_ask_i,
                 sent_mem[ops_sm_i][ops_sub*AskBits +: AskBits]
                 != ops_takens[ops_sub*AskBits +: AskBits])
      `ASSERT_IF(AskWhenFree, act_first_i, !earlier(act_ask, act_free))
    end
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
