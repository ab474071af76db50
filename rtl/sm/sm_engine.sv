/// Timing engine of all SMs of an SM group, on one datapath multiplexed over host clocks.
///
/// One visit to one sub-core enters the pipeline per clock. A visit does not simulate a target
/// cycle: it jumps to the earliest target time at which a warp of the sub-core can issue. All
/// messages between units carry a target time, so the order of visits changes no result. The rules
/// of time: docs/timing-model.md. The words on the ports: docs/core-words.md.
///
/// The stages of a visit are modules (visit_path.svh, sm_visits.sv). Beside them the memory stage
/// (lsu*.svh, barrier.svh) works on one SM, and the window unit opens and closes SMs.
///
/// Latency: a visit passes ten stages, each in a clock when Pipelined, else all in one clock.
/// Throughput: a visit each clock, to a sub-core without another visit under way.
/// Rules: go_i lasts one clock, while idle and with no command under way; window_end_i is later
/// than before. Commands, requests and events stay until taken. Requests of an SM have strictly
/// increasing times. reply_sm_o does not change between the clock in which a reply is shown and the
/// one of reply_pop_o, which takes it.
`include "heddle_macros.svh"
`include "heddle_assert.svh"
`include "cell/one_hot.svh"
`include "cell/stage.svh"
`include "sm_parameters.svh"
/* verilator lint_off BLKSEQ */  // `Q is blocking in simulation by design

/// Parameter MaxSm: SMs held, at most 256; a power of two simulates fastest.
/// Parameter SubBits: the 64 warps of an SM divide among 1 << SubBits sub-cores, two (of 32 warps)
/// or four (of 16).
/// Parameter TimeW: bits that are kept of a time, 16 to 32 (scrub.svh).
/// Parameter Pipelined: registers between the stages of a visit.
module sm_engine #(`SM_PARAMETERS) (
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
  output logic [32:0]  next_o,         /// idle: {never, time}: no work before it but for replies

  // requests to the network, each SM's in order of time
  output logic         req_valid_o,
  output logic [127:0] req_o,          /// word request; stable until taken
  input  logic         req_ready_i,
  // replies of the network: of one SM, the next in order of (time, slice)
  output logic [7:0]   reply_sm_o,     /// whose replies are looked at
  input  logic         reply_valid_i,  /// there is one, in the clock of reply_sm_o
  input  logic [63:0]  reply_i,        /// word reply
  output logic         reply_pop_o,    /// it is taken: in the next clock the one after it is shown

  // events to the host
  output logic         ev_valid_o,
  output logic [127:0] ev_o,           /// word event; stable until taken
  input  logic         ev_ready_i,

  // counters
  /// 0 issued, 1 issue hash, 2 L1 sectors, 3 of these hit, 16 + n cycles without an issue, cause n
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
`include "sm_state.svh"
`include "sm_stages.svh"
`include "visit_path.svh"
`include "scrub.svh"
`include "command.svh"
`include "hints.svh"
`include "visit_effects.svh"
`include "lsu.svh"
`include "lsu_start.svh"
`include "lsu_line.svh"
`include "lsu_reply.svh"
`include "lsu_code.svh"
`include "lsu_constant.svh"
`include "barrier.svh"
`include "lsu_store.svh"
`include "window.svh"
`include "sm_rules.svh"
`include "visit_rules.svh"
`include "slot_rules.svh"
`include "lsu_rules.svh"

  if (SubBits != 1 && SubBits != 2) $error("SubBits must be 1 or 2");
  if (TimeW < 16 || TimeW > 32) $error("TimeW must be 16 to 32");

  assign reply_sm_o = (lsu_state_q == LsuIdle) ? 8'(load_sm_q) : 8'(lsu_sm_q);

  sm_counters #(.CauseW(CauseW)) counters (
    .clk_i, .rst_ni,
    .issue_i(issue_valid_o), .issue_sm_i(issue_sm_o), .issue_warp_i(issue_warp_o),
    .issue_time_i(issue_time_o),
    .gap_i(gap), .gap_cycles_i(gap_cycles), .gap_cause_i(gap_cause),
    .l1_sectors_i(l1_sectors_q), .l1_hits_i(l1_hits_q),
    .index_i(stat_index_i), .value_o(stat_o)
  );

  sm_events #(.SmBits(SmBits), .TimeW(TimeW)) events (
    .clk_i, .rst_ni, .reached_i,
    .want_i(want_q), .want_word_i(want_word_q),
    .perform_i(perform_q), .perform_word_i(perform_word_q),
    .report_i(report_q), .report_word_i(report_word_q),
    .half_o(events_half), .report_room_o(report_room), .busy_o(events_busy),
    .ev_valid_o, .ev_o, .ev_ready_i
  );

  always_ff @(posedge clk_i) begin : engine
    `RULES(rules)
    issue_valid_o  <= 1'b0;
    l1_sectors_q   <= '0;
    l1_hits_q      <= '0;
    want_q         <= 1'b0;
    perform_q      <= 1'b0;
    report_q       <= 1'b0;
    told_d         = 1'b0;
    reply_pop_o    <= 1'b0;
    if (req_ready_i) req_valid_o <= 1'b0;
    ctx_busy_d     = ctx_busy_q;
    ctx_runnable_d = ctx_runnable_q;
    outside_d      = 1'b0;
    reply_word_d   = reply_i;
    port_loads_d   = loading_q && lsu_state_q == LsuIdle;
    if (!rst_ni) begin
      reset_launches();
      reset_scrub();
      reset_visits();
      reset_lsu();
      reset_window();
    end else begin
      visit_effects();
      command();
      lsu();
      note_room();
      window();
      ctx_busy_q     `Q ctx_busy_d;
      ctx_runnable_q `Q ctx_runnable_d;
    end
  end
endmodule
