/// Memory stage: the SM's instruction cache, which its sub-cores ask for lines (sm_code.sv).
///
/// A visit looks one line of an ask up. What is there is answered, behind the last line, by one
/// micro-operation; what is not comes from L2, and is told to every sub-core that waits for it when
/// all four sectors have come, one a visit. Lines asked for ahead, when many are on their way
/// already, are not fetched: the sub-core asks again for the one that it needs.
/// A line takes the way at the set's pointer, or the next one that is not on its way.
/// Latency: none beside that of the stages. Throughput: a visit each clock.
/// Rules: as sm_passes.
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_shared_code #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic [3:0]          prefetch_i,    /// parameters: lines,
  input  logic                shared_i,      /// the cache is as it is, else it has every line

  input  logic [SmBits-1:0]   cmp_sm_i, wrd_sm_i, mis_sm_i, tag_sm_i, act_sm_i,
  output logic [SubBits-1:0]  pck_sub_o,     /// sub-core of the ask that is gone on with

  // a line of an ask
  input  logic                ptr_first_i,   /// its first,
  input  logic                ptr_next_i,    /// or another one
  input  logic [LineNoW+CtaBits+6:0] ptr_word_i,  /// ask_t
  input  logic [SubBits-1:0]  ops_sub_i,     /// its sub-core
  input  logic                act_ask_i,
  output logic                act_last_o,    /// it was the last one
  output logic                act_send_o,    /// it is requested,
  output logic [LineNoW-1:0]  act_line_o,    /// the line,
  output logic [3:0]          act_way_o,     /// for this way
  // sectors of a line come
  input  logic                mis_reply_i,
  input  logic [5:0]          mis_index_i,   /// its set
  input  logic [3:0]          mis_way_i,
  input  logic                act_reply_i,
  input  logic [3:0]          act_come_i,
  // it is told to another sub-core
  input  logic                mis_tell_i, act_tell_i,
  output logic                act_more_o,    /// an ask has more lines, or more are told

  // micro-operation: lines leave for a sub-core
  output logic                act_leave_o,
  output logic [SubBits-1:0]  act_sub_o,
  output logic [CtaBits-1:0]  act_epoch_o,   /// of the stream
  output logic [LineNoW-1:0]  act_base_o,
  output logic [8:0]          act_lines_o,   /// bit n: line n behind the base

  input  logic                init_i,
  input  logic [SmBits+5:0]   init_set_i,    /// this set,
  input  logic [SmBits-1:0]   init_sm_i,
  input  logic [RowW-1:0]     init_row_i     /// this sub-core
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
  localparam int SetW   = SmCodeWays*SmCodeW;
  localparam int AheadsW = CodeAhead + 1;
  localparam int LeftW  = SubBits + 3*AheadsW;
  typedef logic [CodeAhead:0] ahead_t;

  logic [SetW-1:0]   set_mem [MaxSm << SmCodeBits];
  logic [3:0]        way_mem [MaxSm << SmCodeBits];  // next way
  logic [WatchW-1:0] watch_mem [MaxSm*SubPerSm];     // what sub-cores wait for
  logic [4:0]        flights_mem [MaxSm];            // lines on their way
  logic [LeftW-1:0]  left_mem [MaxSm];               // an ask: {sub-core, lines left, there, not}
  logic [LineNoW+SubBits-1:0] tell_mem [MaxSm];      // {line that has come, who is told next}

  // ---------------------------------------------------------------- which line of the ask
  logic [LeftW-1:0] pck_lefts;
  logic [3*AheadsW-1:0] kin_lefts, ops_lefts, ptr_lefts;
  ahead_t ptr_old_left, ptr_hits, ptr_waits, ptr_left;
  logic   ptr_asks;
  /* verilator lint_off UNUSEDSIGNAL */      // a part
  ask_t   ptr_ask, wrd_ask, mis_ask, tag_ask, act_ask;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [3:0] ptr_n;
  line_no_t   ptr_line;
  `STAGE(pck_lefts, left_mem[cmp_sm_i])
  `STAGE(kin_lefts, pck_lefts[3*AheadsW-1:0])
  `STAGE(ops_lefts, kin_lefts)
  `STAGE(ptr_lefts, ops_lefts)
  assign pck_sub_o = pck_lefts[LeftW-1 -: SubBits];
  assign {ptr_old_left, ptr_hits, ptr_waits} = ptr_lefts;
  assign ptr_ask  = ptr_word_i;
  assign ptr_asks = ptr_first_i || ptr_next_i;
  always_comb begin : lines
    if (`WANTED(ptr_asks)) begin
      ptr_left = ptr_old_left;
      if (ptr_first_i) begin
        for (int n = 1; n <= CodeAhead; n++)
          ptr_left[n] = 5'(n) <= 5'(prefetch_i) && 5'(n) + 5'(ptr_ask.fresh) > 5'(prefetch_i);
        ptr_left[0] = ptr_ask.demand;
      end
      ptr_n = '0;
      for (int i = CodeAhead; i >= 0; i--) if (ptr_left[i]) ptr_n = 4'(i);
      ptr_line = ptr_ask.base + LineNoW'(ptr_n);
    end
  end

  // ---------------------------------------------------------------- along
  sub_t     ptr_sub, wrd_sub, mis_sub, tag_sub, act_sub, mis_watch_sub, mis_tell_sub;
  ahead_t   wrd_left, mis_left, tag_left, act_left, wrd_hits, mis_hits, tag_hits, act_hits,
            wrd_waits, mis_waits, tag_waits, act_waits;
  logic [3:0] wrd_n, mis_n, tag_n, act_n;
  line_no_t wrd_line, mis_line, tag_line, act_asked, mis_told, tag_told, act_told;
  `STAGE(ptr_sub, ops_sub_i)
  `STAGE(wrd_sub, ptr_sub)
  `STAGE(mis_sub, wrd_sub)
  `STAGE(wrd_ask, ptr_ask)
  `STAGE(mis_ask, wrd_ask)
  `STAGE(tag_ask, mis_ask)
  `STAGE(act_ask, tag_ask)
  `STAGE(wrd_left, ptr_left)
  `STAGE(mis_left, wrd_left)
  `STAGE(tag_left, mis_left)
  `STAGE(act_left, tag_left)
  `STAGE(wrd_hits, ptr_first_i ? '0 : ptr_hits)
  `STAGE(mis_hits, wrd_hits)
  `STAGE(tag_hits, mis_hits)
  `STAGE(act_hits, tag_hits)
  `STAGE(wrd_waits, ptr_first_i ? '0 : ptr_waits)
  `STAGE(mis_waits, wrd_waits)
  `STAGE(tag_waits, mis_waits)
  `STAGE(act_waits, tag_waits)
  `STAGE(wrd_n, ptr_n)
  `STAGE(mis_n, wrd_n)
  `STAGE(tag_n, mis_n)
  `STAGE(act_n, tag_n)
  `STAGE(wrd_line, ptr_line)
  `STAGE(mis_line, wrd_line)
  `STAGE(tag_line, mis_line)
  `STAGE(act_asked, tag_line)

  // ---------------------------------------------------------------- its set
  logic [LineNoW+SubBits-1:0] mis_tells;
  logic [SmCodeBits-1:0] mis_index, tag_index, act_index;
  logic [SetW-1:0]   tag_set, act_set;
  logic [3:0]        tag_next, tag_reply_way, act_reply_way;
  logic [WatchW-1:0] tag_watch_word, act_watch_word;
  logic [4:0]        act_flights;
  /* verilator lint_off UNUSEDSIGNAL */      // not used when Pipelined
  logic              mis_reads;
  /* verilator lint_on UNUSEDSIGNAL */
  `STAGE_WANTED(mis_tells, tell_mem[wrd_sm_i], mis_tell_i)
  assign {mis_told, mis_tell_sub} = mis_tells;
  logic wrd_asks, mis_asks;
  `STAGE(wrd_asks, ptr_asks)
  `STAGE(mis_asks, wrd_asks)
  assign mis_reads = mis_reply_i || mis_tell_i || mis_asks;
  always_comb begin : where
    if (`WANTED(mis_reads)) begin
      mis_index     = mis_reply_i ? mis_index_i : mis_line[SmCodeBits-1:0];
      mis_watch_sub = mis_reply_i ? '0 : mis_tell_i ? mis_tell_sub : mis_sub;
    end
  end
  `STAGE_WANTED(tag_set, set_mem[{mis_sm_i, mis_index}], mis_reads)
  `STAGE_WANTED(tag_next, way_mem[{mis_sm_i, mis_index}], mis_reads)
  `STAGE_WANTED(tag_watch_word, watch_mem[{mis_sm_i, mis_watch_sub}], mis_reads)
  `STAGE(tag_sub, mis_watch_sub)
  `STAGE(tag_index, mis_index)
  `STAGE(tag_reply_way, mis_way_i)
  `STAGE(tag_told, mis_told)
  `STAGE(act_set, tag_set)
  `STAGE(act_watch_word, tag_watch_word)
  `STAGE(act_sub, tag_sub)
  `STAGE(act_index, tag_index)
  `STAGE(act_reply_way, tag_reply_way)
  `STAGE(act_told, tag_told)
  `STAGE_WANTED(act_flights, flights_mem[tag_sm_i], mis_reads)

  // what an ask finds
  logic       tag_hit, tag_on_way, act_hit, act_on_way;
  logic [3:0] tag_way, act_ask_way;
  sm_code_t   tag_code;                      // struct temporary: yosys has no locals
  logic       tag_asks;
  `STAGE(tag_asks, mis_asks)
  always_comb begin : match
    if (`WANTED(tag_asks)) begin
      tag_hit    = !shared_i || tag_ask.launched;
      tag_on_way = 1'b0;
      for (int w = 0; w < SmCodeWays; w++) begin
        tag_code = tag_set[w*SmCodeW +: SmCodeW];
        if (tag_code.used && tag_code.tag == tag_line[LineNoW-1:SmCodeBits]) begin
          if (tag_code.come == '1) tag_hit = 1'b1;
          else tag_on_way = 1'b1;
        end
      end
      tag_way = tag_next;
      for (int i = SmCodeWays - 1; i >= 0; i--) begin
        tag_code = tag_set[4'(tag_next + 4'(i))*SmCodeW +: SmCodeW];
        if (!tag_code.used || tag_code.come == '1) tag_way = tag_next + 4'(i);
      end
    end
  end
  `STAGE(act_hit, tag_hit)
  `STAGE(act_on_way, tag_on_way)
  `STAGE(act_ask_way, tag_way)

  // ---------------------------------------------------------------- effects
  sm_code_t   act_code;
  watch_t     act_watch, act_new_watch;
  ahead_t     act_new_left, act_new_hits, act_new_waits;
  line_no_t   act_come_line, act_far;
  logic [3:0] act_way, act_far_ask;
  logic       act_whole, act_set_we, act_watch_we, act_some;
  logic [SetW-1:0] act_new_set;
  logic [4:0] act_new_flights;
  sub_t       act_next_sub;
  assign act_some = act_ask_i || act_reply_i || act_tell_i;
  always_comb begin : effects
    act_last_o   = 1'b0;
    act_send_o   = 1'b0;
    act_more_o   = 1'b0;
    act_leave_o  = 1'b0;
    act_set_we   = 1'b0;
    act_watch_we = 1'b0;
    act_whole    = 1'b0;
    if (`WANTED(act_some)) begin
      act_watch     = act_watch_word;
      act_new_watch = act_watch;
      act_way       = act_reply_i ? act_reply_way : act_ask_way;
      act_code      = act_set[act_reply_way*SmCodeW +: SmCodeW];  // a line of an ask is new
      act_come_line = act_reply_i ? {act_code.tag, act_index} : act_told;
      act_far       = act_come_line - act_watch.base;
      act_far_ask   = act_ask.base[3:0] - act_watch.base[3:0];  // up to CodeAhead, but for another
      act_next_sub  = act_sub + 1'b1;                           // stream
      act_new_flights = act_flights - 1'b1;
      // a line of an ask
      act_send_o    = act_ask_i && !act_hit && !act_on_way
                      && (act_n == '0 || act_flights < 5'(CodeFlights));
      act_new_hits  = act_hits;
      act_new_waits = act_waits;
      act_new_left  = act_left;
      act_new_left[act_n] = 1'b0;
      if (act_hit) act_new_hits[act_n] = 1'b1;
      if ((act_on_way && !act_hit) || act_send_o) act_new_waits[act_n] = 1'b1;
      act_last_o    = act_ask_i && act_new_left == '0;
      act_lines_o   = act_new_hits;
      act_epoch_o   = act_ask.epoch;
      act_base_o    = act_ask.base;
      if (act_send_o) begin
        act_code.used   = 1'b1;
        act_code.come   = '0;
        act_code.tag    = act_asked[LineNoW-1:SmCodeBits];
        act_new_flights = act_flights + 1'b1;
      end
      if (act_ask_i) begin
        act_new_watch.epoch = act_ask.epoch;
        act_new_watch.base  = act_ask.base;
        act_new_watch.lines = act_new_waits
                              | (act_ask.restart ? '0 : act_watch.lines >> act_far_ask);
        act_watch_we = act_last_o;
        act_leave_o  = act_last_o && act_new_hits != '0;
        act_more_o   = !act_last_o;
      end
      // sectors of a line
      if (act_reply_i) begin
        act_code.come = act_code.come | act_come_i;
        act_whole     = act_code.come == '1;
      end
      act_set_we  = act_send_o || act_reply_i;
      act_new_set = act_set;
      for (int w = 0; w < SmCodeWays; w++)
        if (4'(w) == act_way) act_new_set[w*SmCodeW +: SmCodeW] = act_code;
      // a sub-core that waits for it is told
      if (act_whole || act_tell_i) begin
        act_more_o = act_sub != '1;
        if (act_far <= LineNoW'(CodeAhead) && act_watch.lines[act_far[3:0]]) begin
          act_new_watch.lines[act_far[3:0]] = 1'b0;
          act_watch_we = 1'b1;
          act_leave_o  = 1'b1;
        end
        act_lines_o = (CodeAhead + 1)'(1);
        act_epoch_o = act_watch.epoch;
        act_base_o  = act_come_line;
      end
    end
  end
  assign act_sub_o  = act_sub;
  assign act_line_o = act_asked;
  assign act_way_o  = act_ask_way;

  always_ff @(posedge clk_i) begin : write
    if (init_i || act_some) begin
      if (init_i || act_set_we)
        `STORE(set_mem[init_i ? init_set_i : {act_sm_i, act_index}], init_i ? '0 : act_new_set);
      if (init_i || act_send_o)
        `STORE(way_mem[init_i ? init_set_i : {act_sm_i, act_index}],
               init_i ? '0 : act_way + 1'b1);
      if (init_i || act_watch_we)
        `STORE(watch_mem[init_i ? init_row_i : {act_sm_i, act_sub}],
               init_i ? '0 : act_new_watch);
      if (init_i || act_send_o || act_whole)
        `STORE(flights_mem[init_i ? init_sm_i : act_sm_i], init_i ? '0 : act_new_flights);
      if (act_ask_i)
        `STORE(left_mem[act_sm_i], ({act_sub, act_new_left, act_new_hits, act_new_waits}));
      if (act_whole || act_tell_i) `STORE(tell_mem[act_sm_i], ({act_come_line, act_next_sub}));
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;
  /* verilator lint_off UNUSEDSIGNAL */      // a part
  sm_code_t    was_code;
  /* verilator lint_on UNUSEDSIGNAL */

  always_ff @(posedge clk_i) begin : rules
    if (!init_i) begin
      was_code = act_set[act_reply_way*SmCodeW +: SmCodeW];
      // a line that comes was asked for, and keeps its way until it has come
      `ASSERT_IF(CodeFlight, act_reply_i, act_flights != '0)
      `ASSERT_IF(CodeWay, act_reply_i, was_code.used && was_code.come != '1)
      `ASSERT_IF(CodeSectors, act_reply_i, (was_code.come & act_come_i) == '0)
      `ASSERT_IF(AskLeft, ptr_asks, ptr_left != '0)
      `ASSERT_IF(AskLine, act_ask_i, act_left[act_n])
    end
    rules_clock = rules_clock + 1;
  end
`endif
endmodule
