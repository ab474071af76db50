/// Memory stage: an SM's cache of indexed constants.
///
/// The memory stage takes an indexed constant: from when on the SM's cache has its line, which is
/// asked for at a time. A line that is not there enters in the place of the oldest one of its set.
/// Latency: none beside that of the stages. Throughput: a visit each clock.
/// Rules: as sm_passes.
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
module sm_indexed #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic [TimeW-1:0]    const_fill_i,  /// parameter: what a miss takes longer
  input  logic                scrub_all_i,
  input  logic [TimeW-1:0]    scrub_floor_i,

  input  logic                tag_scrub_i,   /// the set's times are scrubbed,
  input  logic [1:0]          tag_set_i,     /// of this set
  /* verilator lint_off UNUSEDSIGNAL */      // not used when Pipelined
  input  logic                tag_const_i,   /// a constant is looked for:
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [SmBits-1:0]   tag_sm_i, act_sm_i,
  input  logic [17:0]         tag_line_i,    /// {whose, line}
  input  logic                act_indexed_i, /// it is taken,
  input  logic [TimeW-1:0]    act_asked_i,   /// and asked for at
  output logic [TimeW-1:0]    act_there_o,   /// it is there from; if none is taken, the time itself
  input  logic                act_scrub_i,
  input  logic                init_i,
  input  logic [SmBits-1:0]   init_sm_i,
  input  logic [1:0]          init_set_i
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"
  logic [SmConstW-1:0] set_mem [MaxSm << SmConstBits];

  logic [SmConstBits-1:0] tag_set, act_at;
  logic [SmConstW-1:0]    act_set, act_new;
  logic [ConstTagW-1:0]   act_tag;
  logic [2:0]             act_way;
  logic                   act_found, act_we;
  time_t                  act_from, act_old;  // one way at most has it
  assign tag_set = tag_scrub_i ? tag_set_i : tag_line_i[SmConstBits-1:0];
  `STAGE(act_at, tag_set)
  `STAGE(act_tag, tag_line_i)
  `STAGE_WANTED(act_set, set_mem[{tag_sm_i, tag_set}], tag_scrub_i || tag_const_i)

  always_comb begin : look
    act_there_o = act_asked_i;
    act_we      = 1'b0;
    act_new     = 'x;
    act_way     = 'x;
    act_found   = 1'b0;
    act_from    = 'x;
    act_old     = 'x;
    if (act_indexed_i) begin
      act_old  = '0;
      act_way  = act_set[SmConstWays*ConstWayW +: 3];
      for (int w = 0; w < SmConstWays; w++)
        if (act_set[w*ConstWayW +: ConstTagW] == act_tag) begin
          act_found = 1'b1;
          act_old   = act_old | act_set[w*ConstWayW + ConstTagW +: TimeW];
        end
      act_from = act_found ? act_old : act_asked_i + const_fill_i;
      act_there_o = latest(act_asked_i, act_from);
      act_we      = !act_found;
      act_new     = act_set;
      for (int w = 0; w < SmConstWays; w++)
        if (32'(act_way) == w) act_new[w*ConstWayW +: ConstWayW] = {act_from, act_tag};
      act_new[SmConstWays*ConstWayW +: 3] = act_way + 1'b1;
    end else if (act_scrub_i) begin
      act_we  = 1'b1;
      act_new = act_set;
      for (int w = 0; w < SmConstWays; w++)
        act_new[w*ConstWayW + ConstTagW +: TimeW]
          = fresh(act_set[w*ConstWayW + ConstTagW +: TimeW], scrub_all_i, scrub_floor_i);
    end
  end

  always_ff @(posedge clk_i) begin : write
    if (init_i || act_we)
      `STORE(set_mem[init_i ? {init_sm_i, init_set_i} : {act_sm_i, act_at}],
             init_i ? '0 : act_new);
  end
endmodule
