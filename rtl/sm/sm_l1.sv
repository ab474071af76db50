/// Memory stage: the tags of L1.
///
/// A set has up to eight ways; a line takes the way of a pointer that goes round. FlushL1 gives the
/// L1 of an SM a size and begins a new epoch of it, in which no line of an old one counts. When the
/// epochs of the SM are used up, its sets are emptied, one a clock.
/// Latency: none beside that of the stages. Throughput: a visit each clock.
/// Rules: as sm_passes. flush_i lasts one clock, in which no visit begins; the SM has no load under
/// way. None begins while flushing_o.
`include "heddle_assert.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_l1 #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [3:0]          ways_i,        /// parameters: ways of an SM whose size is 0,
  input  logic                sets_i,        /// 256 sets, not 128

  /* verilator lint_off UNUSEDSIGNAL */      // not used when Pipelined
  input  logic                visit_i,       /// there is a visit that looks here, without
                                             /// registers between
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [SmBits-1:0]   tag_sm_i, act_sm_i,
  /* verilator lint_off UNUSEDSIGNAL */      // a part of either
  input  logic [31:0]         tag_addr_i,    /// a line
  input  logic [31:0]         act_addr_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [3:0]          act_valid_o,   /// sectors of it that are there
  input  logic                act_clear_i,   /// sectors that are there are no longer valid:
  input  logic [3:0]          act_clear_sectors_i,  /// these
  input  logic                act_fill_i,    /// sectors have come:
  input  logic [3:0]          act_come_i,    /// these

  input  logic                flush_i,       /// L1 becomes empty
  input  logic [SmBits-1:0]   flush_sm_i,    /// of this SM,
  input  logic [L1LinesW-1:0] flush_lines_i, /// and has so many lines
  input  logic                busy_i,        /// visits are under way, with registers between
  output logic                flushing_o,    /// sets are being emptied
  input  logic                init_i,
  input  logic [SmBits+7:0]   init_set_i     /// this set
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
  logic [NumWays*TagW-1:0] tag_mem [MaxSm << SetBits];     // per way
  logic [VictimW-1:0]      victim_mem [MaxSm << SetBits];  // {epoch, next way}
  logic [SizeW-1:0]        size_mem [MaxSm];               // {epoch, lines, 0: ways_i in each set}
  logic                    flush_q;          // the epochs are used up
  logic [SmBits+SetBits-1:0] flush_set_q;
  assign flushing_o = flush_q;

  function automatic logic [SetBits-1:0] set_of(input logic [15:0] line, input logic all);
    set_of = all ? line[7:0] ^ line[15:8] : {1'b0, line[6:0] ^ line[13:7]};
  endfunction

  // ---------------------------------------------------------------- the SM's size
  logic [SetBits-1:0]      tag_set, act_set;
  logic [EpochBits-1:0]    tag_now, act_now;     // the present epoch
  logic [L1LinesW-1:0]     tag_lines;
  logic [SetBits-1:0]      tag_more;             // sets below have a way more
  logic [3:0]              tag_num, act_num;     // ways of the set
  always_comb begin : size
    if (`WANTED(visit_i)) begin
      {tag_now, tag_lines} = size_mem[tag_sm_i];
      tag_num  = sets_i ? tag_lines[SetBits +: 4] : tag_lines[SetBits-1 +: 4];
      tag_more = sets_i ? tag_lines[SetBits-1:0] : {1'b0, tag_lines[SetBits-2:0]};
      if (tag_set < tag_more) tag_num = tag_num + 1'b1;
      if (tag_lines == '0) tag_num = ways_i;
    end
  end
  `STAGE_WANTED(act_now, tag_now, visit_i)
  `STAGE_WANTED(act_num, tag_num, visit_i)

  // ---------------------------------------------------------------- the set
  logic [NumWays*TagW-1:0] act_tags;
  logic [VictimW-1:0]      act_victim;
  always_comb begin : which
    if (`WANTED(visit_i)) tag_set = set_of(tag_addr_i[15:0], sets_i);
  end
  `STAGE(act_set, tag_set)
  `STAGE_WANTED(act_tags, tag_mem[{tag_sm_i, tag_set}], visit_i)
  `STAGE_WANTED(act_victim, victim_mem[{tag_sm_i, tag_set}], visit_i)

  // ---------------------------------------------------------------- its ways
  logic [NumWays-1:0]   act_hit, act_ways;
  logic [3:0]           act_valid;
  logic [EpochBits-1:0] act_epoch;
  logic [2:0]           act_way;
  logic [VictimW-1:0]   act_new_victim;
  logic [TagW-1:0]      act_tag;
  logic                 act_tag_we;
  always_comb begin : ways
    if (`WANTED(visit_i)) begin
      act_hit   = '0;
      act_valid = '0;
      for (int w = 0; w < NumWays; w++)
        if ((act_tags[w*TagW +: TagW] & ~{{EpochBits{1'b0}}, 4'hf, 25'd0})
            == {act_now, 4'd0, act_addr_i[31:7]} && 4'(w) < act_num) begin
          act_hit[w] = 1'b1;
          act_valid  = act_tags[w*TagW + 25 +: 4];
        end
    end
  end
  assign act_tag_we = act_fill_i || act_clear_i;
  always_comb begin : changes
    if (`WANTED(act_tag_we)) begin
      act_ways = act_hit;
      {act_epoch, act_way} = act_victim;
      if (act_epoch != act_now) act_way = 3'd0;
      act_new_victim = {act_now, {1'b0, act_way} + 4'd1 >= act_num ? 3'd0 : act_way + 1'b1};
      if (act_fill_i && act_hit == '0) act_ways[act_way] = 1'b1;
      act_tag    = {act_now, act_fill_i ? act_valid | act_come_i
                                        : act_valid & ~act_clear_sectors_i, act_addr_i[31:7]};
    end
  end
  assign act_valid_o = act_valid;

  // ---------------------------------------------------------------- writes
  logic [NumWays-1:0]        write_ways;
  logic [SmBits+SetBits-1:0] write_set;
  logic                      empties, victim_we;
  assign empties    = init_i || (flush_q && !busy_i);
  always_comb begin : write_where
    if (`WANTED(empties || act_tag_we))
      write_set = init_i ? init_set_i : flush_q ? flush_set_q : {act_sm_i, act_set};
  end
  always_comb begin : writes
    write_ways = '0;
    victim_we  = 1'b0;
    if (empties || act_tag_we) begin
      write_ways = empties ? '1 : act_ways;
      victim_we  = empties || (act_fill_i && act_hit == '0);
    end
  end

  always_ff @(posedge clk_i) begin : write
    if (write_ways != '0)
      for (int w = 0; w < NumWays; w++)
        if (write_ways[w])
          `STORE(tag_mem[write_set][w*TagW +: TagW], empties ? '0 : act_tag);
    if (victim_we) `STORE(victim_mem[write_set], empties ? '0 : act_new_victim);
  end

  logic [EpochBits-1:0] old_epoch, new_epoch;  // inside one clock
  always_ff @(posedge clk_i) begin : flush
    if (init_i) begin
      `STORE(size_mem[init_set_i[SmBits+SetBits-1:SetBits]], {EpochBits'(1), L1LinesW'(0)});
    end else if (flush_i) begin
      old_epoch = size_mem[flush_sm_i][L1LinesW +: EpochBits];
      new_epoch = old_epoch + 1'b1;
      if (old_epoch == '1) new_epoch = EpochBits'(1);
      `STORE(size_mem[flush_sm_i], {new_epoch, flush_lines_i});
    end
    if (!rst_ni) begin
      flush_q     <= 1'b0;
      flush_set_q <= '0;
    end else if (flush_i) begin
      flush_q     <= old_epoch == '1;
      flush_set_q <= {flush_sm_i, SetBits'(0)};
    end else if (flush_q && !busy_i) begin
      flush_q     <= flush_set_q[SetBits-1:0] != '1;
      flush_set_q <= flush_set_q + 1'b1;
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      // 0 is the epoch of a set that was never filled
      `ASSERT_IF(EpochUsed, act_fill_i || act_clear_i, act_now != '0)
      `ASSERT_IF(LineInOneWay, act_fill_i || act_clear_i, $onehot0(act_hit))
      `ASSERT_IF(FlushNoLoad, flush_i && act_fill_i, act_sm_i != flush_sm_i)
      `ASSERT_IF(FlushAlone, flush_q && !busy_i, !act_fill_i && !act_clear_i)
      // one write a clock: of a line to one way, or of a set that is emptied
      `ASSERT(TagWriteOne, $onehot0(write_ways) || write_ways == '1)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
