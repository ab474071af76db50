/// Memory stage: the lines of an SM that are on their way from the network, and who waits for them.
///
/// A load that L1 does not have joins the lowest MSHR of its line that has room, else it takes the
/// lowest free one of the set, else it stalls. A reply counts for all MSHRs of its line; when all
/// sectors that one waits for have come it is free again, and every operation that waits in it is
/// woken: the first in the visit of the reply, each of the others in one of its own.
/// Latency: none beside that of the stages. Throughput: a visit each clock.
/// Rules: as sm_passes.
`include "cell/one_hot.svh"
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_mshr #(`SM_PARAMETERS) (
  input  logic                clk_i,
  /* verilator lint_off UNUSEDSIGNAL */      // not used when Pipelined
  input  logic                visit_i,       /// there is a visit that looks here, without
                                             /// registers between
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [SmBits-1:0]   wrd_sm_i, mis_sm_i, tag_sm_i, act_sm_i,

  input  logic                mis_line_i,    /// a line is looked up, else
  /* verilator lint_off UNUSEDSIGNAL */      // its low bits
  input  logic [31:0]         mis_addr_i,    /// this one
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                mis_wake_i,    /// another operation is woken, else
  input  logic [7:0]          mis_mshr_i,    /// a reply for an MSHR: {set, entry}
  output logic [31:0]         tag_addr_o,    /// the line
  output logic [31:0]         act_addr_o,
  output logic [5:0]          act_set_o,     /// set of MSHRs

  // a line is looked up
  output logic                act_join_o,    /// an MSHR of the line has room, or
  output logic                act_free_o,    /// one is free:
  output logic [1:0]          act_entry_o,   /// this one
  output logic [3:0]          act_under_way_o,  /// sectors of the line on their way
  output logic [3:0]          act_there_o,   /// sectors that have come, of the one to join
  input  logic                act_keep_i,    /// it joins, or takes the free one
  input  logic [3:0]          act_missing_i, /// sectors wanted
  input  logic [5:0]          act_warp_i,    /// who waits,
  input  logic [2:0]          act_bar_i,     /// its counter

  // a reply, or what it leaves to do
  input  logic                act_reply_i,   /// sectors of a line have come:
  input  logic [3:0]          act_come_i,    /// these
  input  logic                act_wake_i,    /// another operation is woken
  output logic                act_done_o,    /// an MSHR is free again: reply or wake,
  output logic [5:0]          act_waiter_o,  /// this warp waited there,
  output logic [2:0]          act_waiter_bar_o,  /// its counter
  output logic                act_more_o,    /// others wait

  input  logic                init_i,
  input  logic [SmBits+5:0]   init_set_i     /// this set
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
  localparam int SetW   = NumMshr*MshrW;
  localparam int WakesW = MshrSetBits + NumMshr + 3;

  logic [SetW-1:0]    mshr_mem [MaxSm << MshrSetBits];
  logic [WaiterW-1:0] waiter_mem [MaxSm << (MshrSetBits + 5)];  // {MSHR, 1 to 7}
  logic [WakesW-1:0]  wake_mem [MaxSm];      // {set, MSHRs whose operations wake, next of them}

  function automatic logic [MshrSetBits-1:0] set_of(input logic [11:0] line);
    set_of = line[5:0] ^ line[11:6];
  endfunction

  /// the line of an MSHR
  function automatic logic [31:0] line_of(input logic [25:0] tag, input logic [5:0] set);
    line_of = {tag, tag[5:0] ^ set};
  endfunction

  // ---------------------------------------------------------------- the set
  logic [WakesW-1:0]  mis_wakes;
  logic [5:0]         mis_set, tag_set, act_set, mis_wake_set;
  logic [NumMshr-1:0] mis_left, tag_left, act_left;
  logic [2:0]         mis_next, tag_next, act_next;
  logic [SetW-1:0]    tag_mshrs, act_mshrs;
  /* verilator lint_off UNUSEDSIGNAL */      // a rule's
  logic [1:0]         tag_reply, act_reply;
  /* verilator lint_on UNUSEDSIGNAL */
  logic               tag_line;
  logic [31:0]        tag_addr, act_addr;
  /* verilator lint_off UNUSEDSIGNAL */      // reserved bits
  mshr_t              tag_of;                // struct temporaries: yosys has no locals
  /* verilator lint_on UNUSEDSIGNAL */
  `STAGE_WANTED(mis_wakes, wake_mem[wrd_sm_i], visit_i)
  assign {mis_wake_set, mis_left, mis_next} = mis_wakes;
  always_comb begin : which_set
    if (`WANTED(visit_i))
      mis_set = mis_line_i ? set_of(mis_addr_i[11:0])
                           : mis_wake_i ? mis_wake_set : mis_mshr_i[7:2];
  end
  `STAGE_WANTED(tag_mshrs, mshr_mem[{mis_sm_i, mis_set}], visit_i)
  `STAGE(tag_set, mis_set)
  `STAGE(tag_left, mis_left)
  `STAGE(tag_next, mis_next)
  `STAGE(tag_reply, mis_mshr_i[1:0])
  `STAGE(tag_line, mis_line_i)
  logic [31:0] tag_own;
  `STAGE(tag_own, mis_addr_i)
  always_comb begin : which_line
    if (`WANTED(visit_i)) begin
      tag_of   = tag_mshrs[tag_reply*MshrW +: MshrW];
      tag_addr = tag_line ? tag_own : line_of(tag_of.tag, tag_set);
    end
  end
  assign tag_addr_o = tag_addr;
  `STAGE(act_addr, tag_addr)
  `STAGE(act_set, tag_set)
  `STAGE(act_left, tag_left)
  `STAGE(act_next, tag_next)
  `STAGE(act_mshrs, tag_mshrs)
  `STAGE(act_reply, tag_reply)
  assign act_addr_o = act_addr;
  assign act_set_o  = act_set;

  // ---------------------------------------------------------------- which of them
  // The lowest MSHR of the line that has room, else the lowest free one.
  logic       tag_join, tag_free;
  logic [1:0] tag_entry;
  logic [3:0] tag_under_way;
  logic [1:0] tag_wake;                      // MSHR whose operations wake
  logic [NumMshr-1:0] tag_one;
  logic [WaiterW-1:0] act_waiter_word;
  /* verilator lint_off UNUSEDSIGNAL */      // a part
  mshr_t      tag_mshr;
  /* verilator lint_on UNUSEDSIGNAL */
  always_comb begin : match
    if (`WANTED(tag_line)) begin
      tag_join      = 1'b0;
      tag_free      = 1'b0;
      tag_entry     = '0;
      tag_under_way = '0;
      for (int m = NumMshr - 1; m >= 0; m--) begin
        tag_mshr = tag_mshrs[m*MshrW +: MshrW];
        if (!tag_mshr.valid) begin
          tag_free  = 1'b1;
          tag_entry = 2'(m);
        end
      end
      for (int m = NumMshr - 1; m >= 0; m--) begin
        tag_mshr = tag_mshrs[m*MshrW +: MshrW];
        if (tag_mshr.valid && tag_mshr.tag == tag_addr[31:6]) begin
          tag_under_way = tag_under_way | (tag_mshr.wanted & ~tag_mshr.come);
          if (tag_mshr.waiters < 4'(MshrRoom)) begin
            tag_join  = 1'b1;
            tag_entry = 2'(m);
          end
        end
      end
    end
  end
  always_comb begin : next_one
    if (`WANTED(act_wake_i)) begin
      tag_one  = `FIRST_ONE(tag_left);
      tag_wake = 2'(`NUMBER_OF(tag_one));
    end
  end
  `STAGE(act_join_o, tag_join)
  `STAGE(act_free_o, tag_free)
  `STAGE(act_entry_o, tag_entry)
  `STAGE(act_under_way_o, tag_under_way)
  `STAGE_WANTED(act_waiter_word, waiter_mem[{tag_sm_i, tag_set, tag_wake, tag_next}],
                act_wake_i)

  // ---------------------------------------------------------------- effects
  /* verilator lint_off UNUSEDSIGNAL */      // a part
  mshr_t              act_fill, act_first;
  /* verilator lint_on UNUSEDSIGNAL */
  mshr_t              act_kept, act_mshr;
  waiter_t            act_new_waiter, act_waiter;
  logic [NumMshr-1:0] act_we, act_match, act_done, act_one, act_now, act_then;
  logic [SetW-1:0]    act_come;              // the set behind a reply
  logic [1:0]         act_wake;
  logic [2:0]         act_next_new;
  logic               act_wakes;
  logic [3:0]         act_number;            // of the operation that is woken, in its MSHR
  logic [NumMshr-1:0] act_whole;             // all of them are
  /* verilator lint_off UNUSEDSIGNAL */      // a part
  mshr_t              act_each;
  /* verilator lint_on UNUSEDSIGNAL */
  always_comb begin : joined
    if (`WANTED(visit_i)) act_fill = act_mshrs[act_entry_o*MshrW +: MshrW];
  end
  assign act_there_o    = act_fill.come;
  always_comb begin : keep
    if (`WANTED(act_keep_i)) begin
      act_new_waiter = {act_warp_i, act_bar_i};
      act_kept = act_mshrs[act_entry_o*MshrW +: MshrW];
      if (act_join_o) begin
        act_kept.wanted  = act_kept.wanted | act_missing_i;
        act_kept.waiters = act_kept.waiters + 1'b1;
      end else begin
        act_kept.valid   = 1'b1;
        act_kept.tag     = act_addr[31:6];
        act_kept.wanted  = act_missing_i;
        act_kept.come    = '0;
        act_kept.waiters = 4'd1;
        act_kept.first   = act_new_waiter;
      end
    end
  end
  always_comb begin : come
    if (`WANTED(act_reply_i))
      for (int m = 0; m < NumMshr; m++) begin
        act_mshr      = act_mshrs[m*MshrW +: MshrW];
        act_match[m]  = act_mshr.valid && act_mshr.tag == act_addr[31:6];
        act_mshr.come = act_mshr.come | act_come_i;
        act_done[m]   = act_match[m] && (act_mshr.wanted & ~act_mshr.come) == '0;
        act_mshr.valid = act_mshr.valid && !act_done[m];
        act_come[m*MshrW +: MshrW] = act_mshr;
      end
  end
  // An operation is woken: the first one that waits in the lowest of the MSHRs, or the next.
  assign act_wakes = act_reply_i || act_wake_i;
  always_comb begin : wake
    act_done_o = 1'b0;
    act_more_o = 1'b0;
    if (`WANTED(act_wakes)) begin
      act_now    = act_reply_i ? act_done : act_left;
      act_one    = `FIRST_ONE(act_now);
      act_wake   = 2'(`NUMBER_OF(act_one));
      if (Pipelined) begin                   // a selection, without a product
        act_first = '0;
        for (int m = 0; m < NumMshr; m++)
          if (act_one[m]) act_first = act_first | act_mshrs[m*MshrW +: MshrW];
      end else begin
        act_first = act_mshrs[act_wake*MshrW +: MshrW];
      end
      act_waiter = act_reply_i || act_next == '0 ? act_first.first : act_waiter_word;
      act_then   = act_now;
      act_next_new = act_reply_i ? 3'd1 : act_next + 1'b1;
      act_number = (act_reply_i ? 4'd0 : 4'(act_next)) + 4'd1;
      if (Pipelined) begin
        for (int m = 0; m < NumMshr; m++) begin
          act_each     = act_mshrs[m*MshrW +: MshrW];
          act_whole[m] = act_one[m] && act_number == act_each.waiters;
        end
        act_then = act_now & ~act_whole;
        if (act_whole != '0) act_next_new = '0;
      end else if (act_number == act_first.waiters) begin
        act_then     = act_now & ~act_one;
        act_next_new = '0;
      end
      act_done_o = act_wakes && act_now != '0;
      act_more_o = act_done_o && act_then != '0;
      {act_waiter_o, act_waiter_bar_o} = act_waiter;
    end
  end

  logic act_some;                            // the set changes
  assign act_some = act_keep_i || act_reply_i;
  always_comb begin : which
    if (`WANTED(act_some)) begin
      act_we = act_reply_i ? act_match : '0;
      if (act_keep_i) act_we[act_entry_o] = 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin : write
    if (init_i || act_some) begin
      for (int m = 0; m < NumMshr; m++)
        if (init_i || act_we[m])
          `STORE(mshr_mem[init_i ? init_set_i : {act_sm_i, act_set}][m*MshrW +: MshrW],
                 init_i ? '0 : act_keep_i ? act_kept : act_come[m*MshrW +: MshrW]);
      if (act_keep_i && act_join_o)
        `STORE(waiter_mem[{act_sm_i, act_set, act_entry_o, act_fill.waiters[2:0]}],
               act_new_waiter);
    end
    if (act_more_o) `STORE(wake_mem[act_sm_i], ({act_set, act_then, act_next_new}));
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;
  /* verilator lint_off UNUSEDSIGNAL */      // a part
  mshr_t       was_mshr;
  /* verilator lint_on UNUSEDSIGNAL */

  always_ff @(posedge clk_i) begin : rules
    if (!init_i) begin
      if (act_keep_i || act_reply_i)
        for (int m = 0; m < NumMshr; m++) begin
          was_mshr = act_mshrs[m*MshrW +: MshrW];
          `ASSERT_IF(MshrWaits, was_mshr.valid,
                     was_mshr.waiters != '0 && was_mshr.waiters <= 4'(MshrRoom))
          // an MSHR is free as soon as everything has come
          `ASSERT_IF(MshrOpen, was_mshr.valid, (was_mshr.wanted & ~was_mshr.come) != '0)
        end
      `ASSERT_IF(KeepRoom, act_keep_i, act_join_o || act_free_o)
      was_mshr = act_mshrs[act_reply*MshrW +: MshrW];
      `ASSERT_IF(FillMshr, act_reply_i, was_mshr.valid)
      `ASSERT_IF(FillWanted, act_reply_i, (act_come_i & ~was_mshr.wanted) == '0)
      was_mshr = act_mshrs[act_wake*MshrW +: MshrW];
      `ASSERT_IF(WakeInRange, act_wake_i, act_left != '0 && 4'(act_next) < was_mshr.waiters
                                          && was_mshr.waiters <= 4'(MshrRoom))
    end
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
