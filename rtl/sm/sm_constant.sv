/// The sub-cores' caches of constants (L0), for instructions that read their operands as they
/// issue.
///
/// The line is looked at when a warp could issue such an instruction and has not looked yet. A line
/// that is not there comes after a known time, to whoever looks for it meanwhile; the warp issues
/// then without another look, so that a line which has to make room again was not fetched for
/// nothing. For some cycles the sub-core issues nothing at all.
/// Latency: stage code gives the set's number, stage look tells. Throughput: a visit each clock.
/// Rules: loo_issue_i only when nothing else keeps the warp from issuing. upd_missed_i is what
/// stage look said of the same visit.
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE
module sm_constant #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic [2:0]          ways_i,        /// parameters: ways in use, 0: none
  input  logic                sets_i,        /// 8 sets, not 4
  input  logic [TimeW-1:0]    miss_i,        /// look-up to issue
  input  logic [3:0]          hold_i,        /// cycles in which the sub-core issues nothing
  input  logic                scrub_all_i,
  input  logic [TimeW-1:0]    scrub_floor_i,

  // stage code
  input  logic [RowW-1:0]     cod_row_i,     /// the sub-core visited
  /* verilator lint_off UNUSEDSIGNAL */      // its low bits
  input  logic [WarpBits-1:0] cod_warp_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                cod_init_i, cod_scrub_i,
  input  logic [10:0]         cod_line_i,    /// line of constants, 0: none
  input  logic                cod_wanted_i,  /// an instruction that reads it now and has not looked
  // stage look
  input  logic                loo_issue_i,   /// a visit that may issue, its code being there
  input  logic [TimeW-1:0]    loo_at_i,
  input  logic [6:0]          loo_constants_i,  /// whose constants
  output logic                loo_missed_o,  /// the constant comes later:
  output logic [TimeW-1:0]    loo_there_o,   /// at
  output logic [3:0]          loo_hold_o,    /// the sub-core stands still for so many cycles
  // stage update writes
  input  logic [RowW-1:0]     upd_row_i,
  input  logic                upd_init_i, upd_scrub_i,
  input  logic                upd_missed_i   /// loo_missed_o of this visit
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"

  logic [ConstW-1:0]    const_mem [MaxSm*SubPerSm << ConstBits];  // {next way, ways}
  logic [ConstBits-1:0] cod_set, loo_set, upd_set;
  logic [ConstW-1:0]    loo_ways, loo_new, upd_ways, upd_new, upd_word;
  const_line_t          loo_line;
  logic                 cod_wanted, loo_wanted;
  assign cod_set   = cod_scrub_i || cod_init_i ? ConstBits'(cod_warp_i)
                     : cod_line_i[ConstBits-1:0] & {sets_i, {(ConstBits-1){1'b1}}};

  // ---------------------------------------------------------------- stage look
  assign cod_wanted = cod_wanted_i && ways_i != '0;
  `STAGE_KEEP(loo_ways, const_mem[{cod_row_i, cod_set}], cod_wanted || cod_scrub_i)
  `STAGE(loo_set, cod_set)
  `STAGE(loo_line, cod_line_i)
  `STAGE(loo_wanted, cod_wanted)

  always_comb begin : look
    time_t                at, wait_for;
    logic                 found;
    logic [ConstTagW-1:0] tag;
    logic [1:0]           way;
    loo_missed_o = 1'b0;
    loo_there_o  = 'x;
    loo_hold_o   = 'x;
    loo_new      = 'x;
    at       = 'x;
    wait_for = 'x;
    found    = 1'bx;
    tag      = 'x;
    way      = 'x;
    if (loo_issue_i && loo_wanted) begin
      loo_new = loo_ways;
      tag   = {loo_constants_i, loo_line};
      found = 1'b0;
      at    = loo_at_i + miss_i;
      for (int w = 0; w < ConstWays; w++)
        if (w < 32'(ways_i) && loo_ways[w*ConstWayW +: ConstTagW] == tag) begin
          found = 1'b1;
          at    = loo_ways[w*ConstWayW + ConstTagW +: TimeW];
        end
      loo_missed_o = earlier(loo_at_i, at);
      loo_there_o  = at;
      wait_for     = at - loo_at_i;
      loo_hold_o   = wait_for > TimeW'(hold_i) ? hold_i : wait_for[3:0];
      if (!found) begin
        // the line takes the way at the set's pointer, which moves on
        way = loo_ways[ConstWays*ConstWayW +: 2];
        for (int w = 0; w < ConstWays; w++)
          if (32'(way) == w) loo_new[w*ConstWayW +: ConstWayW] = {at, tag};
        loo_new[ConstWays*ConstWayW +: 2] = {1'b0, way} + 3'd1 >= ways_i ? 2'd0 : way + 2'd1;
      end
    end
  end

  // ---------------------------------------------------------------- stage update
  `STAGE(upd_ways, loo_ways)
  `STAGE(upd_new, loo_new)
  `STAGE(upd_set, loo_set)

  always_comb begin : word
    upd_word = 'x;
    if (upd_missed_i) upd_word = upd_new;
    if (upd_scrub_i) begin
      upd_word = upd_ways;
      for (int w = 0; w < ConstWays; w++)
        upd_word[w*ConstWayW + ConstTagW +: TimeW]
            = fresh(upd_ways[w*ConstWayW + ConstTagW +: TimeW], scrub_all_i, scrub_floor_i);
    end
    if (upd_init_i) upd_word = '0;
  end

  always_ff @(posedge clk_i) begin : write
    if (upd_missed_i || upd_init_i || upd_scrub_i)
      `STORE(const_mem[{upd_row_i, upd_set}], upd_word);
  end
endmodule
