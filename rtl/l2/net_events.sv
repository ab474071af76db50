/// Events to the host: what a service says, what leaves in a flush, and what other instances get.
///
/// A service has up to three: it is performed, or a pin begins, ends or is refused; dirty sectors
/// leave; sectors are wanted. They go out in this order, one per clock, before those of the next
/// service.
/// Latency: two clocks, of words remote one. Throughput: one event per clock.
/// Rules: perform_i, write_i, read_i and flush_i come only with ready_o, a flush alone. leave_i and
/// remote_i are held until they are taken; leave_word_i goes before all others.
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // values inside one clock
module net_events #(
  parameter int NodeBits = 16
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                ready_o,        /// events of a service may come
  output logic                busy_o,         /// an event is here

  // a service; of a line of FillL2 only what leaves
  input  logic                perform_i,
  input  logic                write_i,
  input  logic                read_i,
  input  logic                copy_i,         /// it is a line of FillL2
  input  logic [31:0]         service_i,
  input  logic [31:0]         miss_at_i,      /// when it reaches memory
  input  logic [31:0]         reached_i,      /// that of FillL2, and of a flush
  input  logic [7:0]          global_i,       /// the slice
  input  logic [NodeBits-1:0] node_i,
  input  logic [31:0]         line_i,
  /* verilator lint_off UNUSEDSIGNAL */       // the rest of the request
  input  logic [127:0]        word_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [3:0]          asked_i,        /// sectors that are wanted
  input  logic [1:0]          pin_i,          /// enum pin
  // a line that leaves, with write_i or flush_i
  input  logic                flush_i,
  input  logic [7:0]          flush_global_i, /// its slice in a flush
  input  logic [31:0]         out_line_i,
  input  logic [3:0]          out_dirty_i,
  input  logic [3:0]          out_full_i,

  // words remote
  input  logic                leave_i,        /// a request
  input  logic [127:0]        leave_word_i,
  output logic                leave_ready_o,
  input  logic                remote_i,       /// an answer
  input  logic [127:0]        remote_word_i,
  output logic                remote_ready_o,

  output logic                ev_valid_o,     /// event; stable until ev_ready_i
  output logic [127:0]        ev_o,
  input  logic                ev_ready_i
);
`include "heddle_import.svh"

  logic              perform_q, write_q, read_q;      // events that wait, ...
  logic [EventW-1:0] perform_word_q, write_word_q, read_word_q;
  // values inside one clock
  logic     moves;
  /* verilator lint_off UNUSEDSIGNAL */
  request_t request;
  /* verilator lint_on UNUSEDSIGNAL */
  event_t   word;

  assign moves          = !ev_valid_o || ev_ready_i;
  assign leave_ready_o  = leave_i && moves;
  assign remote_ready_o = remote_i && moves && !leave_i && !perform_q && !write_q && !read_q;
  // those of the service before are out, or the last one leaves in this clock
  assign ready_o        = (!perform_q && !write_q && !read_q)
                          || (moves && !leave_i
                              && 2'(perform_q) + 2'(write_q) + 2'(read_q) == 2'd1);
  assign busy_o         = ev_valid_o || perform_q || write_q || read_q;

  always_ff @(posedge clk_i) begin : events
    if (!rst_ni) begin
      perform_q  <= 1'b0;
      write_q    <= 1'b0;
      read_q     <= 1'b0;
      ev_valid_o <= 1'b0;
    end else if (busy_o || perform_i || write_i || read_i || flush_i || leave_i || remote_i) begin
      if (moves) begin
        ev_valid_o <= perform_q || write_q || read_q || leave_i || remote_i;
        if (leave_i) begin
          ev_o <= leave_word_i;
        end else if (perform_q) begin
          ev_o      <= perform_word_q;
          perform_q <= 1'b0;
        end else if (write_q) begin
          ev_o    <= write_word_q;
          write_q <= 1'b0;
        end else if (read_q) begin
          ev_o   <= read_word_q;
          read_q <= 1'b0;
        end else if (remote_i) begin
          ev_o <= remote_word_i;
        end
      end
      request = word_i;
      if (perform_i) begin
        word         = '0;
        word.at      = service_i;
        word.kind    = request.perform ? EvPerform : EvPin;
        word.sm      = request.sm;
        word.warp    = request.warp;
        word.slot    = request.slot;
        word.sectors = request.sectors;
        word.id      = 16'(pin_i);
        word.addr    = line_i;
        perform_q      <= 1'b1;
        perform_word_q <= word;
      end
      if (write_i || flush_i) begin
        word         = '0;
        word.at      = flush_i || copy_i ? reached_i : miss_at_i;
        word.kind    = EvDramWrite;
        word.id      = 16'(!flush_i && !copy_i);
        word.sm      = flush_i ? flush_global_i : global_i;
        word.sectors = out_dirty_i;
        word.full    = out_full_i;
        word.addr    = out_line_i;
        write_q      <= 1'b1;
        write_word_q <= word;
      end
      if (read_i) begin
        word         = '0;
        word.at      = miss_at_i;
        word.kind    = EvDramRead;
        word.sm      = global_i;
        word.sectors = asked_i;
        word.id      = 16'(node_i);
        word.addr    = line_i;
        read_q      <= 1'b1;
        read_word_q <= word;
      end
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned  rules_clock;
  logic         was_ev;                       // an event was not taken
  logic [127:0] was_ev_word;
  /* verilator lint_off UNUSEDSIGNAL */
  event_t       shown;
  /* verilator lint_on UNUSEDSIGNAL */
  assign shown = ev_o;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT_IF(EventHeld, was_ev, ev_valid_o)
      `ASSERT_IF(EventStable, was_ev, ev_o == was_ev_word)
      `ASSERT_IF(EventKind, ev_valid_o,
                 shown.kind inside {EvPerform, EvPin, EvDramRead, EvDramWrite, EvRequest, EvReply})
      `ASSERT_IF(EventRoom, perform_i || write_i || read_i || flush_i, ready_o)
      `ASSERT_IF(FlushEventAlone, flush_i, !perform_i && !write_i && !read_i)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
    was_ev      = rst_ni && ev_valid_o && !ev_ready_i;
    was_ev_word = ev_o;
  end
`endif
endmodule
