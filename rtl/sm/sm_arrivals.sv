/// Memory stage: operations that the sub-cores have sent, and which the stage takes next.
///
/// Stage update of a visit to a sub-core writes an operation when it issues, and the time at which
/// it arrives when that is known. Counts are modulo 16.
/// Latency: an operation is seen in the clock after it was written. Throughput: one is written and
/// one taken each clock.
/// Rules: at most Credits operations of a sub-core are there. While the memory stage visits an SM
/// nothing arrives there.
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE
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
  logic [MemOpW-1:0] queue_mem [MaxSm*SubPerSm << QueueBits];
  always_ff @(posedge clk_i) begin : write
    if (upd_op_we_i) `STORE(queue_mem[{upd_row_i, upd_entry_i}], upd_op_i);
  end

  // ---------------------------------------------------------------- when they arrive
  logic [4*(TimeW+1)-1:0] cmp_ats, pck_ats, kin_ats;
  bound_t cmp_head;
  sub_t   kin_sub, ops_sub;
  entry_t ops_entry;
  sm_rings #(`SM_PASS, .Bits(QueueBits), .PlaceBits(CreditBits), .Most(Credits)) rings (
    /* verilator lint_off PINCONNECTEMPTY */  // sm_mio.sv counts
    .upd_count_o(),
    /* verilator lint_on PINCONNECTEMPTY */
    .clk_i, .upd_row_i, .upd_we_i(upd_arrive_we_i),
    .upd_place_i(upd_arrive_entry_i), .upd_at_i(upd_arrive_i), .upd_sent_i, .nxt_sm_i, .hed_sm_i,
    .act_sm_i, .visit_i, .cmp_ats_o(cmp_ats), .cmp_first_o(cmp_head), .ops_sub_i(ops_sub),
    .ops_taken_o(ops_entry), .act_take_i, .act_sub_i, .init_i, .init_sm_i
  );
  `STAGE(pck_head_o, cmp_head)
  `STAGE(pck_ats, cmp_ats)
  `STAGE(kin_ats, pck_ats)

  // Of those that are there when the stage is free: the sub-core whose turn it is.
  logic [3:0] kin_here;
  time_t      kin_behind;
  always_comb begin : turn
    if (`WANTED(visit_i)) begin
      kin_behind = kin_look_i + 1'b1;
      for (int s = 0; s < 4; s++)
        kin_here[s] = due(kin_ats[s*(TimeW+1) +: TimeW+1], kin_behind);
      kin_sub = kin_turn_i;
      if (!kin_here[2'(kin_sub)]) kin_sub = kin_sub + 1'b1;
      if (!kin_here[2'(kin_sub)]) kin_sub = kin_sub + 1'b1;
      if (!kin_here[2'(kin_sub)]) kin_sub = kin_sub + 1'b1;
    end
  end
  `STAGE(ops_sub, kin_sub)
  assign ops_sub_o = ops_sub;
  `STAGE_KEEP(ptr_op_o, queue_mem[{ops_sm_i, ops_sub, ops_entry}], ops_take_i)
endmodule
