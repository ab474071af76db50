/// Events of the SM engine to the host: three queues, and the port that they share.
///
/// Wants go first, so that the last one of a warp is out before the end of its CTA.
/// Latency: an event is on the port two clocks after its push at the earliest. Throughput: one a
/// clock.
/// Rules: a push lasts one clock. Who starts what may push looks at half_o and report_room_o, which
/// leave room for what is under way already. An event stays on the port until ev_ready_i.
/* verilator lint_off BLKSEQ */  // values inside one clock
module sm_events #(
  parameter int SmBits = 8,            /// bits of an SM's number
  parameter int TimeW  = 32            /// bits that are kept of a time
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [31:0]         reached_i,      /// everything before is simulated

  input  logic                want_i,         /// a warp's buffer has room
  input  logic [SmBits+37:0]  want_word_i,    /// {SM, warp, packets, line words} used
  input  logic                perform_i,      /// an operation of the issue stages takes effect
  input  logic [TimeW+SmBits+10:0] perform_word_i,  /// {time, SM, warp, slot}
  input  logic                report_i,       /// one of the memory stage does, or a CTA ends
  input  logic [TimeW+SmBits+11:0] report_word_i,   /// {a CTA, time, SM, warp or CTA slot, slot}

  output logic                half_o,         /// wants or performs fill half of their queue
  output logic                report_room_o,  /// there is room for reports
  output logic                busy_o,         /// events have not left

  output logic                ev_valid_o,
  output logic [127:0]        ev_o,           /// word event
  input  logic                ev_ready_i
);
`include "heddle_import.svh"
`include "heddle_time.svh"
  localparam int Bits       = 5;              // of each queue
  localparam int ReportRoom = 12;             // words in use that leave room for steps under way

  logic [Bits:0] wants, performs, reports;    // words held
  logic          want_valid, perform_valid, report_valid;
  logic          want_pop, perform_pop, report_pop;
  logic [SmBits-1:0] want_sm, perform_sm, report_sm;
  logic [5:0]    want_warp, perform_warp, report_number;
  logic [15:0]   want_packets, want_lines;
  logic [4:0]    perform_slot, report_slot;
  time_t         perform_at, report_at;
  logic          report_cta;                  // the end of a CTA, not an operation
  logic          free;                        // the port is free after this clock
  event_t        event_d;                     // inside one clock

  fifo #(.Width(SmBits + 38), .Bits(Bits)) want_fifo (
    .clk_i, .rst_ni, .push_i(want_i), .word_i(want_word_i), .count_o(wants),
    .valid_o(want_valid), .word_o({want_sm, want_warp, want_packets, want_lines}),
    .pop_i(want_pop)
  );
  fifo #(.Width(TimeW + SmBits + 11), .Bits(Bits)) perform_fifo (
    .clk_i, .rst_ni, .push_i(perform_i), .word_i(perform_word_i), .count_o(performs),
    .valid_o(perform_valid), .word_o({perform_at, perform_sm, perform_warp, perform_slot}),
    .pop_i(perform_pop)
  );
  fifo #(.Width(TimeW + SmBits + 12), .Bits(Bits)) report_fifo (
    .clk_i, .rst_ni, .push_i(report_i), .word_i(report_word_i), .count_o(reports),
    .valid_o(report_valid),
    .word_o({report_cta, report_at, report_sm, report_number, report_slot}),
    .pop_i(report_pop)
  );

  assign half_o        = wants[Bits] || wants[Bits-1] || performs[Bits] || performs[Bits-1];
  assign report_room_o = 32'(reports) < ReportRoom;
  assign busy_o        = want_valid || perform_valid || report_valid || ev_valid_o;

  assign free        = !ev_valid_o || ev_ready_i;
  assign want_pop    = free && want_valid;
  assign perform_pop = free && !want_valid && perform_valid;
  assign report_pop  = free && !want_valid && !perform_valid && report_valid;

  always_ff @(posedge clk_i) begin : port
    if (!rst_ni) begin
      ev_valid_o <= 1'b0;
    end else if (busy_o && free) begin
      event_d = '0;
      if (want_valid) begin
        event_d.kind = EvWant;
        event_d.sm   = 8'(want_sm);
        event_d.warp = want_warp;
        event_d.id   = want_packets;
        event_d.addr[15:0] = want_lines;
      end else if (perform_valid) begin
        event_d.kind = EvPerform;
        event_d.at   = full_time(perform_at, reached_i);
        event_d.sm   = 8'(perform_sm);
        event_d.warp = perform_warp;
        event_d.slot = perform_slot;
      end else begin
        event_d.kind = report_cta ? EvCtaDone : EvPerform;
        event_d.at   = full_time(report_at, reached_i);
        event_d.sm   = 8'(report_sm);
        event_d.slot = report_slot;
        if (report_cta) event_d.id = 16'(report_number);
        else event_d.warp = report_number;
      end
      ev_valid_o <= want_valid || perform_valid || report_valid;
      ev_o       <= event_d;
    end
  end
endmodule
