/// The write ports of the register file: which cycles of a sub-core have writes of fixed latency.
///
/// A bank is written once a cycle, and what has a fixed latency goes first. A warp that could issue
/// now, all it waits for being there, finds out in stage code that the last result under one of its
/// counters has met such writes in every cycle since it came (sm_scoreboard). Then it cannot issue,
/// and another one may. So nothing has to be known of a result but when it comes, as of any other,
/// and nobody looks at it before the cycle in which it is wanted, when all writes up to then are
/// known.
/// Latency: stage code shows recent writes, stage update notes new ones. Throughput: a visit each
/// clock.
/// Rules: one visit to a sub-core at a time. upd_write_i comes only with upd_move_i.
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // STORE
module sm_write_ports #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic [31:0]         reached_i,     /// everything before is simulated
  input  logic                one_port_i,    /// parameter: one a bank, not as many as are wanted
  input  logic                scrub_all_i,

  input  logic [RowW-1:0]     fet_row_i,     /// stage fetch: the sub-core visited
  input  logic [TimeW-1:0]    cod_at_i,      /// stage code
  /* verilator lint_off UNUSEDSIGNAL */      // its low bits
  input  logic [31:0]         cod_after_i,   /// nothing issues before
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [7:0]          cod_recent_o,  /// banks written: two bits a cycle, the present one
                                             /// the highest, and three before

  input  logic [RowW-1:0]     loo_row_i,     /// stage look
  input  logic [RowW-1:0]     upd_row_i,     /// stage update
  input  logic                upd_init_i, upd_scrub_i,
  input  logic [31:0]         upd_after_i,   /// nothing has issued before
  input  logic                upd_move_i,    /// nothing issues before
  input  logic [TimeW-1:0]    upd_next_i,    /// this time
  input  logic                upd_write_i,   /// and a result of fixed latency
  input  logic [15:0]         upd_latency_i, /// will be written
  input  logic [1:0]          upd_banks_i    /// to these banks
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
  localparam int WritesBefore = 2;
  localparam int WritesBehind = 29;          // the longest latency that is looked at
  localparam int WritesW      = 2*(WritesBefore + 1 + WritesBehind);
  localparam full_t ScrubMargin = 32'd256;

  // In which cycles results are written to the two banks, a bit each, the lower one that of even
  // registers; the lowest two bits mean the cycle WritesBefore + 1 in front of the next issue.
  logic [WritesW-1:0] wrote_mem [MaxSm*SubPerSm];
  logic [WritesW-1:0] cod_wrote, upd_wrote, upd_new;
  `STAGE(cod_wrote, wrote_mem[fet_row_i])
  `STAGE(upd_wrote, wrote_mem[loo_row_i])

  always_comb begin : recent
    time_t since;
    since        = cod_at_i - TimeW'(cod_after_i);  // not negative: nothing has issued since
    cod_recent_o = since < TimeW'(WritesW/2) ? 8'(cod_wrote >> {since[4:0], 1'b0}) : '0;
  end

  always_comb begin : move
    full_t since;
    logic [4:0] behind;
    upd_new = 'x;
    since   = 'x;
    behind  = 'x;
    if (upd_move_i) begin
      // what lies behind reached_i is short: its sign is known a sum earlier than its full time
      since   = reached_i - upd_after_i + 32'($signed(TimeW'(upd_next_i - TimeW'(reached_i))));
      upd_new = since < 32'(WritesW/2) ? upd_wrote >> {since[4:0], 1'b0} : '0;
      behind  = 5'(WritesBefore) + upd_latency_i[4:0];
      if (upd_write_i && one_port_i && upd_latency_i <= 16'(WritesBehind))
        upd_new = upd_new | (WritesW'(upd_banks_i) << {behind, 1'b0});
    end else if (upd_scrub_i) begin
      since   = reached_i - upd_after_i;     // writes of long ago are over
      upd_new = !scrub_all_i && (since < ScrubMargin || since[31]) ? upd_wrote : '0;
    end else if (upd_init_i) begin
      upd_new = '0;
    end
  end

  always_ff @(posedge clk_i) begin : write
    if (upd_move_i || upd_scrub_i || upd_init_i) `STORE(wrote_mem[upd_row_i], upd_new);
  end
endmodule
