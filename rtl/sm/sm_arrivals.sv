/// Memory stage: operations that the sub-cores have sent, and which the stage takes next.
///
/// Stage update of a visit to a sub-core writes an operation when it issues, and the time at which
/// it arrives when that is known. Counts are modulo 16.
/// Latency: an operation is seen in the clock after it was written. Throughput: one is written and
/// one taken each clock.
/// Rules: at most Credits operations of a sub-core are there. While the memory stage visits an SM
/// nothing arrives there.
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_arrivals #(`SM_PARAMETERS) (
  input  logic                clk_i,

  // stage update of a visit
  input  logic [RowW-1:0]     upd_row_i,
  input  logic                upd_op_we_i,     /// an operation is issued:
  input  logic [3:0]          upd_entry_i,     /// its number,
  input  logic [WarpBits+58:0] upd_op_i,       /// mem_op_t
  input  logic                upd_arrive_we_i, /// one arrives:
  input  logic [2:0]          upd_arrive_entry_i,  /// its number, modulo 8,
  input  logic [TimeW-1:0]    upd_arrive_i,    /// at
  input  logic [3:0]          upd_sent_i,      /// operations sent, with it

  // memory stage
  /* verilator lint_off UNUSEDSIGNAL */      // not used when Pipelined
  input  logic                visit_i,         /// there is a visit, without registers between
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [SmBits-1:0]   nxt_sm_i, hed_sm_i, ops_sm_i, act_sm_i,
  output logic [TimeW:0]      pck_head_o,      /// the first that arrives, bound_t
  input  logic [TimeW-1:0]    kin_look_i,      /// the stage can take it at
  input  logic [SubBits-1:0]  kin_turn_i,      /// sub-core first in turn
  input  logic                ops_take_i,      /// it takes it
  output logic [SubBits-1:0]  ops_sub_o,       /// of this sub-core
  output logic [WarpBits+58:0] ptr_op_o,
  input  logic                act_take_i,
  input  logic [SubBits-1:0]  act_sub_i,
  input  logic                init_i,
  input  logic [SmBits-1:0]   init_sm_i
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
  localparam int EntriesW = SubPerSm*QueueBits;

  logic [MemOpW-1:0]   queue_mem [MaxSm*SubPerSm << QueueBits];
  time_t               arrive0_mem [MaxSm << CreditBits];  // sub-core 0
  time_t               arrive1_mem [MaxSm << CreditBits];
  time_t               arrive2_mem [MaxSm << CreditBits];  // where there are four
  time_t               arrive3_mem [MaxSm << CreditBits];
  logic [EntriesW-1:0] sent_mem [MaxSm];                   // per sub-core: operations sent
  logic [EntriesW-1:0] taken_mem [MaxSm];                  // taken

  // ---------------------------------------------------------------- from the sub-cores
  logic [EntriesW-1:0] upd_sents, upd_new_sents;
  sm_t  upd_sm;
  sub_t upd_sub;
  assign {upd_sm, upd_sub} = upd_row_i;
  assign upd_sents = sent_mem[upd_sm];
  always_comb begin : arrives
    upd_new_sents = upd_sents;
    upd_new_sents[upd_sub*QueueBits +: QueueBits] = upd_sent_i;
  end

  always_ff @(posedge clk_i) begin : write
    if (upd_op_we_i) `STORE(queue_mem[{upd_row_i, upd_entry_i}], upd_op_i);
    if (upd_arrive_we_i) begin
      `STORE(sent_mem[upd_sm], upd_new_sents);
      case (2'(upd_sub))
        2'd0:    `STORE(arrive0_mem[{upd_sm, upd_arrive_entry_i}], upd_arrive_i);
        2'd1:    `STORE(arrive1_mem[{upd_sm, upd_arrive_entry_i}], upd_arrive_i);
        2'd2:    `STORE(arrive2_mem[{upd_sm, upd_arrive_entry_i}], upd_arrive_i);
        default: `STORE(arrive3_mem[{upd_sm, upd_arrive_entry_i}], upd_arrive_i);
      endcase
    end
  end

  // ---------------------------------------------------------------- the first
  logic [EntriesW-1:0] hed_sents, hed_takens, cmp_takens, pck_takens, kin_takens, ops_takens;
  logic [4*QueueBits-1:0] hed_sent, hed_taken;  // of sub-cores that are not there: 0
  bound_t cmp_at0, cmp_at1, cmp_at2, cmp_at3, cmp_head;
  bound_t pck_at0, pck_at1, pck_at2, pck_at3, kin_at0, kin_at1, kin_at2, kin_at3;
  `STAGE_WANTED(hed_sents, sent_mem[nxt_sm_i], visit_i)
  `STAGE_WANTED(hed_takens, taken_mem[nxt_sm_i], visit_i)
  `STAGE(cmp_takens, hed_takens)
  `STAGE(pck_takens, cmp_takens)
  `STAGE(kin_takens, pck_takens)
  `STAGE(ops_takens, kin_takens)
  assign hed_sent  = (4*QueueBits)'(hed_sents);
  assign hed_taken = (4*QueueBits)'(hed_takens);
  `STAGE_WANTED(cmp_at0, ({hed_sent[3:0] == hed_taken[3:0],
                    arrive0_mem[{hed_sm_i, hed_taken[2:0]}]}), visit_i)
  `STAGE_WANTED(cmp_at1, ({hed_sent[7:4] == hed_taken[7:4],
                    arrive1_mem[{hed_sm_i, hed_taken[6:4]}]}), visit_i)
  `STAGE_WANTED(cmp_at2, ({hed_sent[11:8] == hed_taken[11:8],
                    arrive2_mem[{hed_sm_i, hed_taken[10:8]}]}), visit_i)
  `STAGE_WANTED(cmp_at3, ({hed_sent[15:12] == hed_taken[15:12],
                    arrive3_mem[{hed_sm_i, hed_taken[14:12]}]}), visit_i)
  always_comb begin : earliest
    if (`WANTED(visit_i)) cmp_head = first(first(cmp_at0, cmp_at1), first(cmp_at2, cmp_at3));
  end
  `STAGE(pck_head_o, cmp_head)
  `STAGE(pck_at0, cmp_at0)
  `STAGE(pck_at1, cmp_at1)
  `STAGE(pck_at2, cmp_at2)
  `STAGE(pck_at3, cmp_at3)
  `STAGE(kin_at0, pck_at0)
  `STAGE(kin_at1, pck_at1)
  `STAGE(kin_at2, pck_at2)
  `STAGE(kin_at3, pck_at3)

  // Of those that are there when the stage is free: the sub-core whose turn it is.
  logic [SubPerSm-1:0] kin_here;
  time_t kin_behind;
  sub_t  kin_sub;
  always_comb begin : turn
    if (`WANTED(visit_i)) begin
      kin_behind = kin_look_i + 1'b1;
      kin_here   = SubPerSm'({due(kin_at3, kin_behind), due(kin_at2, kin_behind),
                              due(kin_at1, kin_behind), due(kin_at0, kin_behind)});
      kin_sub = kin_turn_i;
      if (!kin_here[kin_sub]) kin_sub = kin_sub + 1'b1;
      if (!kin_here[kin_sub]) kin_sub = kin_sub + 1'b1;
      if (!kin_here[kin_sub]) kin_sub = kin_sub + 1'b1;
    end
  end

  // ---------------------------------------------------------------- taken
  logic [EntriesW-1:0] ptr_takens, wrd_takens, mis_takens, tag_takens, act_takens, act_new_takens;
  sub_t   ops_sub;
  entry_t ops_entry;
  `STAGE(ops_sub, kin_sub)
  assign ops_sub_o = ops_sub;
  assign ops_entry = ops_takens[ops_sub*QueueBits +: QueueBits];
  `STAGE_KEEP(ptr_op_o, queue_mem[{ops_sm_i, ops_sub, ops_entry}], ops_take_i)
  `STAGE(ptr_takens, ops_takens)
  `STAGE(wrd_takens, ptr_takens)
  `STAGE(mis_takens, wrd_takens)
  `STAGE(tag_takens, mis_takens)
  `STAGE(act_takens, tag_takens)
  always_comb begin : take
    act_new_takens = act_takens;
    act_new_takens[act_sub_i*QueueBits +: QueueBits]
      = act_takens[act_sub_i*QueueBits +: QueueBits] + 1'b1;
  end

  always_ff @(posedge clk_i) begin : takes
    if (init_i || act_take_i)
      `STORE(taken_mem[init_i ? init_sm_i : act_sm_i], init_i ? '0 : act_new_takens);
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;
  entry_t waiting;

  always_ff @(posedge clk_i) begin : rules
    if (!init_i && ops_take_i) begin
      waiting = sent_mem[ops_sm_i][ops_sub*QueueBits +: QueueBits] - ops_entry;
      `ASSERT(ArrivedThere, waiting != '0)
      `ASSERT(ArrivedBound, waiting <= QueueBits'(Credits))
    end
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
