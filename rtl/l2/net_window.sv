/// Windows: their phases, when the engine is idle, and what comes next.
///
/// A window begins with the messages that arrive in it (Extract). When they are all in their
/// queues the SMs may take replies, and the slices serve what has come (Serve). Before that,
/// stored times that are long past are made recent ones (Scrub), at least once in
/// scrub_period_i, and sets that must not be used as they are are emptied (Clear).
/// Scrubbing: when a slice or a port is free again is compared with the arrival of what comes
/// next. A time before the floor becomes the floor, which is past for whatever comes
/// (docs/timing-model.md, rule 15). All other times that are kept are those of messages under
/// way, or are looked at only while there is one.
/// Latency: a phase takes one clock at least, and ends in the clock in which it is said that its
/// work is done; idle_o follows two clocks behind the last one. Throughput: one window at a time.
/// Rules: go_i only with idle_o and without a command. Nothing begins without wake_i or go_i.
/// Scrubbing goes through all slices, one per clock.
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // values inside one clock
module net_window (
  input  logic        clk_i,
  input  logic        rst_ni,

  // from and to heddle_run
  input  logic        go_i,
  input  logic [31:0] window_end_i,
  input  logic [31:0] reached_i,
  output logic        idle_o,
  output logic        replied_o,
  output logic [32:0] next_o,           /// {never, time} of the next work, with idle_o
  output logic [heddle_pkg::FaultW-1:0] fault_o,  /// the first fault; stays

  // from and to the others
  input  logic        wake_i,           /// idle or not: something begins,
  input  logic        busy_i,           /// is done, or is on its way
  input  logic        empty_i,          /// there is no node left
  input  logic        order_i,          /// messages of a source are not in order
  input  logic [heddle_pkg::FaultW-1:0] queues_fault_i,
  input  logic [heddle_pkg::FaultW-1:0] serve_fault_i,
  input  logic [heddle_pkg::FaultW-1:0] flush_fault_i,
  input  logic [heddle_pkg::FaultW-1:0] parameter_fault_i,
  input  logic [32:0] calendar_next_i,
  input  logic [32:0] queues_next_i,
  output logic [31:0] window_end_o,
  output logic        rests_o,
  input  logic        clear_i,          /// sets must be emptied
  output logic        flush_o,          /// for one clock: this begins
  input  logic        flushing_i,
  output logic        extract_o,
  input  logic        extracted_i,      /// in the last clock of extract_o
  output logic        serve_o,
  input  logic        served_i,
  input  logic [31:0] scrub_period_i,
  output logic        scrub_o,
  output logic [6:0]  scrub_slice_o,
  output logic        scrub_all_o,      /// all stored times are old
  output logic [31:0] scrub_floor_o     /// what an old one becomes
);
`include "heddle_import.svh"
  localparam int TimeW = 32;
`include "heddle_time.svh"
  localparam int NumSlices = 96;
  localparam time_t ScrubMargin = TimeW'(1 << 16);
  typedef enum logic [2:0] { Rest, Scrub, Clear, Extract, Serve } phase_e;

  phase_e phase_q;
  time_t  scrubbed_q;                   // time of the last scrub
  logic   scrub_wait_q;                 // the last clock that is scrubbed is written
  // values inside one clock
  time_t  since;
  logic   scrubs, quiet;

  assign rests_o   = phase_q == Rest;
  assign extract_o = phase_q == Extract;
  assign serve_o   = phase_q == Serve;

  always_ff @(posedge clk_i) begin : windows
    if (!rst_ni) begin
      flush_o      <= 1'b0;
      phase_q      <= Rest;
      idle_o       <= 1'b0;
      replied_o    <= 1'b1;
      next_o       <= Never;
      fault_o      <= FaultNone;
      scrubbed_q   <= '0;
      scrub_o      <= 1'b0;
      scrub_wait_q <= 1'b0;
    end else if (!idle_o || go_i || wake_i) begin
      flush_o <= 1'b0;
      case (phase_q)
        Rest:
          if (go_i) begin
            since        = reached_i - scrubbed_q;
            scrubs       = since >= scrub_period_i;
            window_end_o <= window_end_i;
            replied_o    <= 1'b0;
            phase_q      <= scrubs ? Scrub : clear_i ? Clear : Extract;
            flush_o      <= clear_i && !scrubs;
            if (scrubs) begin
              scrub_o       <= 1'b1;
              scrub_slice_o <= '0;
              scrub_all_o   <= since[TimeW-1];
              scrub_floor_o <= reached_i - ScrubMargin;
              scrubbed_q    <= reached_i;
            end
          end
        Scrub: begin
          scrub_slice_o <= scrub_slice_o + 1'b1;
          scrub_o       <= scrub_o && scrub_slice_o != 7'(NumSlices - 1);
          scrub_wait_q  <= scrub_o;
          if (!scrub_o && !scrub_wait_q) begin
            phase_q <= clear_i ? Clear : Extract;
            flush_o <= clear_i;
          end
        end
        Clear: if (!flush_o && !flushing_i) phase_q <= Extract;
        Extract:
          if (extracted_i) begin
            phase_q   <= Serve;
            replied_o <= 1'b1;
          end
        default: if (served_i) phase_q <= Rest;
      endcase
      if (fault_o == FaultNone)
        fault_o <= parameter_fault_i != FaultNone ? parameter_fault_i
                   : flush_fault_i != FaultNone ? flush_fault_i
                   : serve_fault_i != FaultNone ? serve_fault_i
                   : queues_fault_i != FaultNone ? queues_fault_i
                   : order_i ? FaultRequestOrder : empty_i ? FaultRequestPool : FaultNone;
      quiet = phase_q == Rest && !go_i && !wake_i && !busy_i;
      idle_o <= quiet;
      if (quiet && !idle_o) next_o <= first(calendar_next_i, queues_next_i);
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;
  logic        was_window;              // there was a window since reset
  phase_e      was_phase;
  logic [FaultW-1:0] was_fault;

  /// a phase, and the one in the clock after
  function automatic logic phase_follows(input phase_e was, input phase_e now);
    case (was)
      Rest:    phase_follows = now inside {Rest, Scrub, Clear, Extract};
      Scrub:   phase_follows = now inside {Scrub, Clear, Extract};
      Clear:   phase_follows = now inside {Clear, Extract};
      Extract: phase_follows = now inside {Extract, Serve};
      default: phase_follows = now inside {Serve, Rest};
    endcase
  endfunction

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT(PhaseLegal, phase_q inside {Rest, Scrub, Clear, Extract, Serve})
      `ASSERT(PhaseFollows, phase_follows(was_phase, phase_q))
      `ASSERT_IF(GoWhenIdle, go_i, idle_o)
      // idle: heddle_run may open a window, or report
      `ASSERT_IF(IdleRests, idle_o, phase_q == Rest)
      // The SMs may take replies when those of the window are all in their queues, and not before.
      `ASSERT_IF(RepliedLate, phase_q inside {Scrub, Clear, Extract}, !replied_o)
      `ASSERT_IF(RepliedThen, phase_q == Serve, replied_o)
      // sets have been emptied before they are used
      `ASSERT_IF(ServeCleared, phase_q == Serve, !clear_i)
      // nothing before a window's end is left behind
      `ASSERT_IF(NextNotPast, idle_o && was_window && !next_o[32], !due(next_o, window_end_o))
      `ASSERT_IF(QueuesNextNotPast, idle_o && was_window, !due(queues_next_i, window_end_o))
      // the host reads the first fault only
      `ASSERT_IF(FaultStays, was_fault != FaultNone, fault_o == was_fault)
      `ASSERT_IF(ScrubPhase, scrub_o, phase_q == Scrub && 32'(scrub_slice_o) < NumSlices)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
    was_window  = rst_ni && (was_window || go_i);
    was_phase   = rst_ni ? phase_q : Rest;
    was_fault   = rst_ni ? fault_o : FaultNone;
  end
`endif
endmodule
