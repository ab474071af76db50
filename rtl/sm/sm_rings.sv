/// Memory stage: rings of what the sub-cores of an SM send it, and which of them comes first.
///
/// Each sub-core has a ring: how many it has sent, how many have been taken, and when each arrives.
/// What is sent lies with who needs it (sm_arrivals.sv, sm_asks.sv), in the entry of that number.
/// Latency: what is sent is seen in the clock after; stage nxt reads the counts, hed the times, cmp
/// has the first. Throughput: one is sent and one taken each clock.
/// Rules: of a sub-core at most Most are sent and not taken. While the memory stage visits
/// an SM nothing is sent there.
`include "cell/stage.svh"
`include "heddle_assert.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
/// Parameter Bits: of a count.
/// Parameter PlaceBits: log2 of the places of a ring, at most Bits.
/// Parameter Most: sent and not taken, at most.
module sm_rings #(`SM_PARAMETERS, parameter int Bits = 4, parameter int PlaceBits = 3,
                  /* verilator lint_off UNUSEDPARAM */  // a rule's
                  parameter int Most = 4
                  /* verilator lint_on UNUSEDPARAM */) (
  input  logic                clk_i,

  // stage update of a visit
  input  logic [RowW-1:0]     upd_row_i,
  output logic [Bits-1:0]     upd_count_o,   /// sent by the sub-core so far
  input  logic                upd_we_i,      /// another is sent:
  input  logic [PlaceBits-1:0] upd_place_i,  /// its place,
  input  logic [TimeW-1:0]    upd_at_i,      /// it arrives at,
  input  logic [Bits-1:0]     upd_sent_i,    /// sent with it

  // memory stage
  input  logic [SmBits-1:0]   nxt_sm_i, hed_sm_i, act_sm_i,
  /* verilator lint_off UNUSEDSIGNAL */      // not used when Pipelined
  input  logic                visit_i,       /// there is a visit, without registers between
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [4*(TimeW+1)-1:0] cmp_ats_o,  /// per sub-core: the first arrives at, bound_t
  output logic [TimeW:0]      cmp_first_o,   /// the earliest of them
  input  logic [SubBits-1:0]  ops_sub_i,
  output logic [Bits-1:0]     ops_taken_o,   /// of this sub-core: number of the first
  input  logic                act_take_i,    /// it is taken,
  input  logic [SubBits-1:0]  act_sub_i,     /// of this sub-core
  input  logic                init_i,
  input  logic [SmBits-1:0]   init_sm_i
);
`include "heddle_time.svh"
  localparam int CountsW = SubPerSm*Bits;
  typedef logic [SmBits-1:0]   sm_t;
  typedef logic [SubBits-1:0]  sub_t;
  typedef logic [CountsW-1:0]  each_t;       // per sub-core: a count

  time_t at0_mem [MaxSm << PlaceBits];       // of sub-core 0
  time_t at1_mem [MaxSm << PlaceBits];
  time_t at2_mem [MaxSm << PlaceBits];       // where there are four
  time_t at3_mem [MaxSm << PlaceBits];
  each_t sent_mem [MaxSm];
  each_t taken_mem [MaxSm];

  // ---------------------------------------------------------------- sent
  sm_t   upd_sm;
  sub_t  upd_sub;
  each_t upd_sents, upd_new_sents;
  assign {upd_sm, upd_sub} = upd_row_i;
  always_comb begin : counts
    if (`WANTED(upd_we_i)) begin
      upd_sents   = sent_mem[upd_sm];
      upd_count_o = upd_sents[upd_sub*Bits +: Bits];
    end
  end
  always_comb begin : sends
    if (`WANTED(upd_we_i)) begin
      upd_new_sents = upd_sents;
      upd_new_sents[upd_sub*Bits +: Bits] = upd_sent_i;
    end
  end

  always_ff @(posedge clk_i) begin : write
    if (upd_we_i) begin
      `STORE(sent_mem[upd_sm], upd_new_sents);
      case (2'(upd_sub))
        2'd0:    `STORE(at0_mem[{upd_sm, upd_place_i}], upd_at_i);
        2'd1:    `STORE(at1_mem[{upd_sm, upd_place_i}], upd_at_i);
        2'd2:    `STORE(at2_mem[{upd_sm, upd_place_i}], upd_at_i);
        default: `STORE(at3_mem[{upd_sm, upd_place_i}], upd_at_i);
      endcase
    end
  end

  // ---------------------------------------------------------------- the first
  each_t hed_sents, hed_takens, cmp_takens, pck_takens, kin_takens, ops_takens;
  logic [4*Bits-1:0] hed_sent, hed_taken;    // of sub-cores that are not there: 0
  logic   hed_some, cmp_some;                // there is one
  bound_t cmp_at0, cmp_at1, cmp_at2, cmp_at3;
  `STAGE_WANTED(hed_sents, sent_mem[nxt_sm_i], visit_i)
  `STAGE_WANTED(hed_takens, taken_mem[nxt_sm_i], visit_i)
  `STAGE(cmp_takens, hed_takens)
  `STAGE(pck_takens, cmp_takens)
  `STAGE(kin_takens, pck_takens)
  `STAGE(ops_takens, kin_takens)
  assign hed_sent  = (4*Bits)'(hed_sents);
  assign hed_taken = (4*Bits)'(hed_takens);
  assign hed_some  = (Pipelined || visit_i) && hed_sents != hed_takens;
  `STAGE(cmp_some, hed_some)
  `STAGE_WANTED(cmp_at0, ({hed_sent[0*Bits +: Bits] == hed_taken[0*Bits +: Bits],
                          at0_mem[{hed_sm_i, hed_taken[0*Bits +: PlaceBits]}]}), hed_some)
  `STAGE_WANTED(cmp_at1, ({hed_sent[1*Bits +: Bits] == hed_taken[1*Bits +: Bits],
                          at1_mem[{hed_sm_i, hed_taken[1*Bits +: PlaceBits]}]}), hed_some)
  `STAGE_WANTED(cmp_at2, ({hed_sent[2*Bits +: Bits] == hed_taken[2*Bits +: Bits],
                          at2_mem[{hed_sm_i, hed_taken[2*Bits +: PlaceBits]}]}), hed_some)
  `STAGE_WANTED(cmp_at3, ({hed_sent[3*Bits +: Bits] == hed_taken[3*Bits +: Bits],
                          at3_mem[{hed_sm_i, hed_taken[3*Bits +: PlaceBits]}]}), hed_some)
  always_comb begin : earliest
    if (`WANTED(visit_i)) begin
      cmp_ats_o   = {4{Never}};
      cmp_first_o = Never;
      if (cmp_some) begin
        cmp_ats_o   = {cmp_at3, cmp_at2, cmp_at1, cmp_at0};
        cmp_first_o = first(first(cmp_at0, cmp_at1), first(cmp_at2, cmp_at3));
      end
    end
  end

  // ---------------------------------------------------------------- taken
  each_t ptr_takens, wrd_takens, mis_takens, tag_takens, act_takens, act_new_takens;
  always_comb begin : number
    if (`WANTED(visit_i)) ops_taken_o = ops_takens[ops_sub_i*Bits +: Bits];
  end
  `STAGE(ptr_takens, ops_takens)
  `STAGE(wrd_takens, ptr_takens)
  `STAGE(mis_takens, wrd_takens)
  `STAGE(tag_takens, mis_takens)
  `STAGE(act_takens, tag_takens)
  always_comb begin : take
    if (`WANTED(act_take_i)) begin
      act_new_takens = act_takens;
      act_new_takens[act_sub_i*Bits +: Bits] = act_takens[act_sub_i*Bits +: Bits] + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin : takes
    if (init_i || act_take_i)
      `STORE(taken_mem[init_i ? init_sm_i : act_sm_i], init_i ? '0 : act_new_takens);
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;
  logic [Bits-1:0] waiting;

  always_ff @(posedge clk_i) begin : rules
    if (!init_i && act_take_i) begin
      waiting = sent_mem[act_sm_i][act_sub_i*Bits +: Bits] - act_takens[act_sub_i*Bits +: Bits];
      `ASSERT(RingThere, waiting != '0)
      `ASSERT(RingBound, 32'(waiting) <= Most)
    end
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
