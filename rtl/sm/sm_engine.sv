/// Timing engine of all SMs of an SM group, on one datapath multiplexed over host clocks.
///
/// One visit to one sub-core enters the pipeline per clock. A visit does not simulate a target
/// cycle: it jumps to the earliest target time at which a warp of the sub-core can issue. All
/// messages between units carry a target time, so the order of visits changes no result. The rules
/// of time: docs/timing-model.md. The words on the ports: docs/core-words.md.
///
/// This module only wires others: the command port (command_path.svh), the window unit, which
/// lets SMs work in turn (window_path.svh), the stages of visits to sub-cores (visit_path.svh), and
/// those of the memory stage's visits to SMs (memory_path.svh).
///
/// Latency: a visit to a sub-core passes ten stages, one of the memory stage twelve, each in a
/// clock when Pipelined, else all in one clock. Throughput: a visit of either kind each clock, to a
/// sub-core or an SM without another one under way.
/// Rules: go_i lasts one clock, while idle and with no command under way; window_end_i is later
/// than before. Commands, requests and events stay until taken. Requests of an SM have strictly
/// increasing times. A reply is taken some clocks after it was looked at, while others are; of an
/// SM the first one stays the first until reply_pop_o takes it.
`include "heddle_assert.svh"
`include "cell/one_hot.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // the clock of the rules
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had

/// Parameter MaxSm: SMs held, at most 256; a power of two simulates fastest.
/// Parameter SubBits: the 64 warps of an SM divide among 1 << SubBits sub-cores, two (of 32 warps)
/// or four (of 16).
/// Parameter TimeW: bits that are kept of a time, 16 to 32 (sm_scrub.sv).
/// Parameter Pipelined: registers between the stages of a visit.
/// Parameter Dense: the kernel has several engines (sm_numbers.sv).
module sm_engine #(
  `SM_PARAMETERS,
  parameter bit Dense = 1'b0
) (
  input  logic         clk_i,          /// host clock
  input  logic         rst_ni,         /// synchronous reset, active low

  // commands of the host, taken in order; those of the other engine are ignored
  input  logic         cmd_valid_i,
  input  logic [511:0] cmd_i,          /// a beat: word command, up to three payload words
  output logic         cmd_ready_o,

  // windows
  input  logic         go_i,           /// one clock, while idle and not parked: a window begins
  /* verilator lint_off UNUSEDSIGNAL */  // the high bits of a time
  input  logic [31:0]  window_end_i,   /// nothing at or after this cycle happens in it
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [31:0]  reached_i,      /// all before is simulated: with go_i and with commands
  output logic         idle_o,         /// nothing under way; all events have been taken
  output logic         parked_o,       /// idle: the window ends after more packets have come
  output logic         rested_o,       /// nothing but commands can be left of the window
  output logic [32:0]  next_o,         /// idle: {never, time}: no work before it but for replies

  // requests to the network, each SM's in order of time
  output logic         req_valid_o,
  output logic [127:0] req_o,          /// word request; stable until taken
  input  logic         req_ready_i,
  // replies of the network: of one SM, the next in order of (time, slice)
  output logic [7:0]   reply_sm_o,     /// whose replies are looked at
  input  logic         reply_valid_i,  /// there is one, in the clock of reply_sm_o
  input  logic [63:0]  reply_i,        /// word reply
  output logic         reply_pop_o,    /// the first one is taken,
  output logic [7:0]   reply_pop_sm_o, /// of this SM: in the next clock the one after it is shown

  // events to the host
  output logic         ev_valid_o,
  output logic [127:0] ev_o,           /// word event; stable until taken
  input  logic         ev_ready_i,

  // counters
  /// 0 issued, 1 issue hash, 2 L1 sectors, 3 of these hit, 4 misses of code, 5 of constants, 16 + n
  /// cycles without an issue, cause n
  input  logic [4:0]   stat_index_i,
  output logic [63:0]  stat_o,         /// a clock later

  // trace, for tests
  output logic         issue_valid_o,  /// a warp instruction issued
  output logic [7:0]   issue_sm_o,
  output logic [5:0]   issue_warp_o,
  output logic [31:0]  issue_time_o
);
`include "heddle_import.svh"
`include "heddle_time.svh"
`include "sm_types.svh"
`include "scrub_times.svh"
`include "command_path.svh"
`include "window_path.svh"
`include "visit_path.svh"
`include "memory_path.svh"
`include "sm_rules.svh"
`include "visit_rules.svh"

  if (SubBits != 1 && SubBits != 2) $error("SubBits must be 1 or 2");
  if (TimeW < 16 || TimeW > 32) $error("TimeW must be 16 to 32");

  assign reply_sm_o = nxt_valid ? 8'(nxt_sm) : 8'(load_sm);

  sm_trace #(`SM_PASS) trace (
    .clk_i, .rst_ni, .reached_i, .upd_issue_i(upd_issue), .upd_id_i(upd_id), .upd_at_i(upd_at),
    .issue_valid_o, .issue_sm_o, .issue_warp_o, .issue_time_o
  );

  sm_counters #(.CauseW(CauseW)) counters (
    .clk_i, .rst_ni,
    .issue_i(issue_valid_o), .issue_sm_i(counted_sm), .issue_warp_i(issue_warp_o),
    .issue_time_i(issue_time_o),
    .gap_i(gap), .gap_cycles_i(gap_cycles), .gap_cause_i(gap_cause),
    .l1_sectors_i(l1_sectors), .l1_hits_i(l1_hits),
    .fetch_miss_i(upd_valid && upd_code_miss), .constant_miss_i(upd_missed),
    .index_i(stat_index_i), .value_o(stat_o)
  );

  sm_events #(.SmBits(SmBits), .TimeW(TimeW)) events (
    .clk_i, .rst_ni, .reached_i,
    .want_i(wants), .want_word_i({upd_sm, upd_warp, upd_sub, upd_want_word}),
    .perform_i(performs), .perform_word_i({upd_at, upd_sm, upd_warp, upd_sub, upd_head.slot}),
    .report_i(report), .report_word_i(report_word),
    .half_o(events_half), .report_room_o(report_room), .busy_o(events_busy),
    .ev_valid_o, .ev_o, .ev_ready_i
  );
endmodule
