/// Scrubbing: stored times of long ago become recent ones.
///
/// Time is kept modulo 2^TimeW, and two times can be compared when they are less than half of that
/// apart. A memory that nobody writes for so long would hold a past that looks like a future. So
/// before a window, or a command, that lies period_i after the last time, all stored times are
/// looked at: one visit for each warp of each SM (KindScrub), while nothing else is under way. One
/// that lies before the floor becomes the floor. What compares it with the present finds it past
/// either way, so no result depends on when this happens (docs/timing-model.md, rule 15).
/// Rings whose entries are taken within a window, and bounds, which are never past, are left alone.
/// Where an age matters, or where there are too many entries to visit, a time is kept in full.
/// A period is at most a quarter of the range of times that are near, and no time lies ahead by
/// more than an eighth (register time_bits). The floor lies farther back than what is ever added
/// to a stored time before it is compared.
/// Latency: scrub_o follows a clock behind the command or go_i. Throughput: a visit each clock, or
/// with Pipelined every fourth, for the memory stage needs some clocks beside each.
/// Rules: the other units begin nothing while scrub_o. `reached` does not change while a window is
/// open.
`include "heddle_assert.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // values inside one clock
module sm_scrub #(`SM_PARAMETERS) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                go_i,          /// a window begins
  input  logic                cmd_valid_i,   /// a command is accepted,
  input  logic                cmd_ready_i,   /// when both are high
  input  logic [31:0]         reached_i,
  input  logic [31:0]         period_i,      /// most cycles between two
  input  logic [SmBits-1:0]   last_sm_i,     /// number of the last SM
  input  logic                busy_i,        /// a visit is under way, or the memory stage works
  output logic                scrub_o,       /// it is under way
  output logic                visit_o,       /// a visit, to
  output logic [SmBits+5:0]   count_o,       /// {SM, warp}
  output logic                all_o,         /// all stored times are old
  output logic [TimeW-1:0]    floor_o        /// what an old one becomes
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"
  full_t             scrubbed_q;             // time of the last one
  logic              scrub_q;
  logic              last_q;                 // its last visit has begun
  logic [SmBits+5:0] count_q;                // visit to make
  logic [1:0]        wait_q;                 // clocks to the next visit
  full_t             since;                  // inside one clock
  assign scrub_o = scrub_q;
  assign visit_o = scrub_q && !last_q && wait_q == '0;
  assign count_o = count_q;

  // Inputs of the engine are looked at in the clocked block alone.
  always_ff @(posedge clk_i) begin : state
    since = reached_i - scrubbed_q;
    if (!rst_ni) begin
      scrub_q    <= 1'b0;
      last_q     <= 1'b0;
      scrubbed_q <= '0;
    end else if ((go_i || (cmd_valid_i && cmd_ready_i)) && since >= period_i) begin
      scrub_q    <= 1'b1;
      last_q     <= 1'b0;
      count_q    <= '0;
      wait_q     <= '0;
      scrubbed_q <= reached_i;
      floor_o    <= TimeW'(reached_i) - ScrubMargin;
      all_o      <= since[31:NearW-1] != '0;
    end else if (scrub_q) begin
      // until nothing is under way after the last visit
      if (last_q && !busy_i) scrub_q <= 1'b0;
      wait_q <= Pipelined ? wait_q + 1'b1 : '0;
      if (visit_o) begin
        last_q  <= count_q == {last_sm_i, 6'h3f};
        count_q <= count_q + 1'b1;
      end
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT_IF(ScrubOnce, scrub_q, !go_i)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
