/// Slots: which SM has each, whether its memory stage works (a pass) or its sub-cores run (it is
/// open), until when, from when on the memory stage has work, and the micro-operations under way.
///
/// With Pipelined the window unit sees what there was before this clock, else what visits and the
/// memory stage change in this clock too.
/// Latency: what is changed is seen in the next clock. Throughput: a visit, a micro-operation and a
/// move each clock.
/// Rules: the window unit moves only slots that are quiet, or not used. A pass ends in a slot that
/// has one; micro-operations of a pass are pushed not after its end.
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
/* verilator lint_off BLKSEQ */  // values inside one clock, STORE
module sm_slots #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                rst_ni,

  output logic [NumSlots-1:0] used_o,        /// the slot has an SM:
  output logic [NumSlots*SmBits-1:0] sm_o,   /// this one
  output logic [NumSlots-1:0] open_o,        /// its sub-cores run,
  output logic [NumSlots-1:0] pass_o,        /// or the memory stage does,
  output logic [NumSlots*TimeW-1:0] end_o,   /// until

  // visits that are over
  input  logic [SlotBits-1:0] row_slot_i,
  input  logic                row_wake_i,    /// packets or line words have come
  input  logic                row_micro_i,   /// a micro-operation is done
  input  logic [TimeW:0]      row_push_i,    /// work for the memory stage

  // memory stage
  input  logic                pass_end_i,    /// the pass is over
  input  logic [SlotBits-1:0] pass_end_slot_i,
  input  logic [TimeW:0]      pass_end_lsu_i,    /// it has work from
  input  logic [TimeW:0]      pass_end_reply_i,  /// the next reply takes effect not before
  input  logic                pass_end_wait_i,   /// it waits for line words
  input  logic                micro_push_i,  /// a micro-operation is on its way
  input  logic [SlotBits-1:0] micro_slot_i,

  // window unit
  input  logic [NumSlots-1:0] active_i,      /// slots with visits, now or next
  output logic [NumSlots-1:0] quiet_o,       /// slots in which nothing is under way
  input  logic                read_i,
  input  logic [SlotBits-1:0] read_slot_i,
  output logic [SmBits-1:0]   read_sm_o,
  output logic                read_open_o,
  output logic [TimeW:0]      read_lsu_o,
  output logic [TimeW:0]      read_reply_o,
  output logic                read_wait_o,
  input  logic [SlotBits-1:0] move_slot_i,
  input  logic                load_i,        /// an SM gets the slot,
  input  logic [SmBits-1:0]   load_sm_i,
  input  logic [TimeW:0]      load_lsu_i,
  input  logic [TimeW:0]      load_reply_i,
  input  logic                pass_i,        /// a pass begins,
  input  logic                open_i,        /// or sub-cores run,
  input  logic [TimeW-1:0]    end_i,         /// until
  input  logic                leave_i        /// the SM leaves
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
  logic [NumSlots-1:0]       used_q, open_q, pass_q;
  logic [NumSlots-1:0]       wait_q;         // its memory stage waits for line words
  logic [NumSlots*SmBits-1:0] sm_q;
  logic [NumSlots*TimeW-1:0] end_q;
  bound_t                    lsu_q [NumSlots];    // memory stage has work from
  bound_t                    reply_q [NumSlots];  // next reply takes effect not before
  logic [FlightBits-1:0]     sent_q [NumSlots];   // micro-operations sent ...
  logic [FlightBits-1:0]     done_q [NumSlots];   // ... and those done
  assign used_o = used_q;
  assign open_o = open_q;
  assign pass_o = pass_q;
  assign sm_o   = sm_q;
  assign end_o  = end_q;

  // ---------------------------------------------------------------- what happens in this clock
  logic [NumSlots-1:0] pass_d, wait_d;       // before the move
  logic   row_pushes;
  bound_t row_lsu, pass_end_lsu;             // from when on the stage has work, with what comes
  assign row_pushes = !row_push_i[TimeW];
  always_comb begin : changes
    pass_d       = pass_q;
    wait_d       = wait_q;
    row_lsu      = 'x;
    pass_end_lsu = 'x;
    if (row_wake_i) wait_d[row_slot_i] = 1'b0;
    if (row_pushes) row_lsu = first(lsu_q[row_slot_i], row_push_i);
    if (pass_end_i) begin
      pass_d[pass_end_slot_i] = 1'b0;
      wait_d[pass_end_slot_i] = pass_end_wait_i;
      pass_end_lsu = first(pass_end_lsu_i, row_pushes && row_slot_i == pass_end_slot_i
                                           ? row_lsu : lsu_q[pass_end_slot_i]);
    end
  end

  // ---------------------------------------------------------------- what the window unit sees
  always_comb begin : quiet
    quiet_o = used_q & ~(Pipelined ? pass_q : pass_d) & ~active_i;
    if (quiet_o != '0)
      for (int s = 0; s < NumSlots; s++)
        if (Pipelined)
          quiet_o[s] = quiet_o[s] && sent_q[s] == done_q[s];
        else
          quiet_o[s] = quiet_o[s]
                       && FlightBits'(sent_q[s] - done_q[s])
                          == FlightBits'(row_micro_i && 32'(row_slot_i) == s)
                             - FlightBits'(micro_push_i && 32'(micro_slot_i) == s);
  end

  always_comb begin : reads
    if (`WANTED(read_i)) begin
      read_sm_o    = sm_q[read_slot_i*SmBits +: SmBits];
      read_open_o  = open_q[read_slot_i];
      read_lsu_o   = lsu_q[read_slot_i];
      read_reply_o = reply_q[read_slot_i];
      read_wait_o  = wait_q[read_slot_i];
      if (!Pipelined) begin
        read_wait_o = wait_d[read_slot_i];
        if (row_pushes && row_slot_i == read_slot_i) read_lsu_o = row_lsu;
        if (pass_end_i && pass_end_slot_i == read_slot_i) begin
          read_lsu_o   = pass_end_lsu;
          read_reply_o = pass_end_reply_i;
        end
      end
    end
  end

  // ---------------------------------------------------------------- state
  always_ff @(posedge clk_i) begin : state
    if (!rst_ni) begin
      used_q <= '0;
      open_q <= '0;
      pass_q <= '0;
      wait_q <= '0;
      for (int s = 0; s < NumSlots; s++) begin
        `STORE(sent_q[s], '0);
        `STORE(done_q[s], '0);
      end
    end else begin
      if (micro_push_i) `STORE(sent_q[micro_slot_i], sent_q[micro_slot_i] + 1'b1);
      if (row_micro_i) `STORE(done_q[row_slot_i], done_q[row_slot_i] + 1'b1);
      if (row_pushes) `STORE(lsu_q[row_slot_i], row_lsu);
      if (pass_end_i) begin
        `STORE(lsu_q[pass_end_slot_i], pass_end_lsu);
        `STORE(reply_q[pass_end_slot_i], pass_end_reply_i);
      end
      pass_q <= pass_d;
      wait_q <= wait_d;
      // A pass finds what there is to do itself.
      if (load_i || pass_i) begin
        `STORE(lsu_q[move_slot_i], pass_i ? Never : load_lsu_i);
        wait_q[move_slot_i] <= 1'b0;
      end
      if (load_i) begin
        `STORE(reply_q[move_slot_i], load_reply_i);
        used_q[move_slot_i] <= 1'b1;
        for (int s = 0; s < NumSlots; s++)
          if (32'(move_slot_i) == s) sm_q[s*SmBits +: SmBits] <= load_sm_i;
      end
      if (leave_i) used_q[move_slot_i] <= 1'b0;
      if (pass_i) pass_q[move_slot_i] <= 1'b1;
      if (pass_i || open_i) begin
        open_q[move_slot_i] <= open_i;
        for (int s = 0; s < NumSlots; s++)
          if (32'(move_slot_i) == s) end_q[s*TimeW +: TimeW] <= end_i;
      end
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      // An SM is in one slot: two would work on the same memories.
      for (int s = 1; s < NumSlots; s++)
        for (int o = 0; o < s; o++)
          `ASSERT_IF(SlotSmOnce, used_q[s] && used_q[o],
                     sm_q[s*SmBits +: SmBits] != sm_q[o*SmBits +: SmBits])
      for (int s = 0; s < NumSlots; s++) begin
        // micro-operations: the queue, and the visits in the pipeline
        `ASSERT(FlightBound, FlightBits'(sent_q[s] - done_q[s])
                             <= FlightBits'((1 << MicroBits) + 2))
        `ASSERT_IF(FlightEmpty, !used_q[s], sent_q[s] == done_q[s])
      end
      // the memory stage goes first, then the sub-cores
      `ASSERT(PassUsed, (pass_q & ~used_q) == '0)
      `ASSERT(PassNotOpen, (pass_q & open_q & used_q) == '0)
      `ASSERT_IF(PassEnds, pass_end_i, pass_q[pass_end_slot_i])
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
