/// Packs events four to a beat and writes the beats to the event ring over AXI4; writes the report
/// of a run behind them.
///
/// Beats are gathered to bursts of up to BurstBeats. A burst is measured in one clock, and begins
/// in the next one. flush_i fills the last beat up with zeros and writes all. A full ring stops
/// the writer, and then the engines: the run ends (full_o). Each beat, and the report, carries the
/// check of its contents and its number; the report has the number of the next beat.
/// Latency: an event waits until BurstBeats beats are full, or for flush_i, and two clocks more.
/// Throughput: an event each clock, which is a beat in four.
/// Rules: no output depends on an input of the same clock. flush_i stays until flushed_o.
/// report_valid_i comes with flushed_o and stays until report_done_o. Addresses and data stay until
/// taken. written_o is at most size_i ahead of head_i.
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // values inside one clock
module event_writer #(
  parameter int unsigned ReportBits = 192   /// of a report that are used
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [63:0]  ring_i,          /// address of the ring, aligned to 4 KiB
  input  logic [31:0]  size_i,          /// beats, a power of two
  input  logic [31:0]  head_i,          /// beats that the host has taken
  input  logic [63:0]  status_i,        /// address of the report
  output logic [31:0]  written_o,       /// beats written and acknowledged or on their way
  output logic         full_o,          /// the ring is full, one clock in two; the writer stops

  input  logic         valid_i,         /// an event; stays until ready_o, ...
  input  logic [127:0] event_i,         /// ... but another one may come before it
  output logic         ready_o,
  input  logic         flush_i,         /// no more events: write what is here, as far as it goes
  output logic         flushed_o,       /// all that fits is written and acknowledged
  output logic         empty_o,         /// nothing is left here
  input  logic         report_valid_i,  /// write the report; with flushed_o, until report_done_o
  input  logic [ReportBits-1:0] report_i,  /// upper bits of the beat, the rest is 0
  output logic         report_done_o,   /// the report is acknowledged, one clock
  output logic [3:0]   fault_o,         /// enum fault: None or Bus; stays

  // AXI4 write channels
  output logic [63:0]  awaddr_o,
  output logic [7:0]   awlen_o,
  output logic         awvalid_o,
  input  logic         awready_i,
  output logic [511:0] wdata_o,
  output logic         wlast_o,
  output logic         wvalid_o,
  input  logic         wready_i,
  input  logic         berror_i,        /// with bvalid_i: memory could not write
  input  logic         bvalid_i
);
  localparam int unsigned DepthBits  = 5;    // beats held here
  localparam int unsigned BurstBeats = 16;
  localparam int unsigned PageBeats  = 64;   // beats in 4 KiB
  typedef enum logic [1:0] { Wait, Burst, Report } state_e;
  `include "cell/check.svh"

  logic [511:0]       beat_mem [1 << DepthBits];
  logic [DepthBits:0] put_q;                 // beats put into beat_mem, and ...
  logic [31:0]        got_q;                 // ... got out of it: since reset, modulo 2^32
  logic [127:0]       part_mem [4];          // the first events of a beat
  logic [1:0]         events_q;              // how many
  state_e             state_q;
  logic [31:0]        written_q;             // beats, modulo 2^32
  logic [4:0]         left_q;                // beats of the burst after the one at wdata_o
  logic [3:0]         answers_q;             // bursts that are not acknowledged
  logic               measured_q;            // the next burst is:
  logic [4:0]         most_q;                // beats held here, inside the ring and 4 KiB
  logic [31:0]        space_q;               // free beats of the ring
  logic               hold_q;                // no event can be taken
  logic [DepthBits:0] count;                 // beats in beat_mem
  // inside one clock
  logic               take, push, begun;
  logic [31:0]        last;                  // of the ring
  logic [5:0]         behind;                // beats after the first, to the end of ring or page
  logic [4:0]         most, length;
  logic [511:0]       beat, goes;

  /// the beat with its check in the low bits of its first three events
  function automatic logic [511:0] stamped(input logic [511:0] word, input logic [31:0] number);
    logic [7:0] check;
    stamped          = word;
    stamped[2:0]     = '0;
    stamped[130:128] = '0;
    stamped[257:256] = '0;
    check = folded(stamped) ^ folded_number(number);
    stamped[2:0]     = check[2:0];
    stamped[130:128] = check[5:3];
    stamped[257:256] = check[7:6];
  endfunction

  assign count     = put_q - got_q[DepthBits:0];
  assign ready_o   = !hold_q;
  assign written_o = written_q;

  always_ff @(posedge clk_i) begin : pack
    take = valid_i && !hold_q;
    // A beat is filled up only when it can be the last of the run, and the ring has a place for it:
    // then none is behind it in the measure.
    push = (take && events_q == 2'd3)
           || (flush_i && events_q != 2'd0 && measured_q && most_q == '0 && space_q != '0);
    if (take) part_mem[events_q] <= event_i;
    if (push) begin
      beat = {event_i, part_mem[2], part_mem[1], part_mem[0]};
      if (!take) begin
        beat[511:384] = '0;
        if (events_q < 2'd3) beat[383:256] = '0;
        if (events_q < 2'd2) beat[255:128] = '0;
      end
      beat_mem[put_q[DepthBits-1:0]] <= beat;
    end
    if (!rst_ni) begin
      events_q <= '0;
      put_q    <= '0;
      hold_q   <= 1'b0;
      empty_o  <= 1'b1;
    end else if (valid_i || flush_i || hold_q || !empty_o) begin
      if (push) put_q <= put_q + 1'b1;
      if (take) events_q <= events_q + 1'b1;
      else if (push) events_q <= '0;
      // one place is kept for the beat that is filling up
      hold_q  <= flush_i || count >= (DepthBits+1)'((1 << DepthBits) - 2);
      empty_o <= !take && !push && events_q == '0 && count == '0 && state_q == Wait;
    end
  end

  always_ff @(posedge clk_i) begin : write
    report_done_o <= 1'b0;
    full_o        <= 1'b0;
    flushed_o     <= 1'b0;
    if (!rst_ni) begin
      state_q   <= Wait;
      got_q     <= '0;
      written_q <= '0;
      left_q    <= '0;
      answers_q <= '0;
      awvalid_o <= 1'b0;
      wvalid_o  <= 1'b0;
      wlast_o   <= 1'b0;
      measured_q <= 1'b0;
      fault_o    <= heddle_pkg::FaultNone;
    end else if (state_q != Wait || count != '0 || flush_i || answers_q != '0) begin
      begun = 1'b0;
      goes  = report_valid_i ? {report_i, {(512-ReportBits){1'b0}}}
                             : beat_mem[got_q[DepthBits-1:0]];
      goes  = stamped(goes, got_q);
      if (bvalid_i && berror_i) fault_o <= heddle_pkg::FaultBus;
      if (awready_i) awvalid_o <= 1'b0;
      case (state_q)
        Wait: begin
          measured_q <= 1'b0;
          last       = size_i - 1;
          if (report_valid_i && !report_done_o) begin
            state_q   <= Report;
            left_q    <= '0;
            awvalid_o <= 1'b1;
            awaddr_o  <= status_i;
            awlen_o   <= '0;
            wvalid_o  <= 1'b1;
            wlast_o   <= 1'b1;
            wdata_o   <= goes;
          end else if (measured_q) begin
            length = space_q < 32'(most_q) ? space_q[4:0] : most_q;
            if (length != '0 && answers_q < 4'd8) begin
              begun     = 1'b1;
              state_q   <= Burst;
              awvalid_o <= 1'b1;
              awaddr_o  <= ring_i + {26'd0, written_q & last, 6'd0};
              awlen_o   <= {3'd0, length} - 8'd1;
              written_q <= written_q + 32'(length);
              left_q    <= length - 1'b1;
              wvalid_o  <= 1'b1;
              wlast_o   <= length == 5'd1;
              wdata_o   <= goes;
              got_q     <= got_q + 1;
            end else if (space_q == '0) begin
              full_o    <= 1'b1;
              flushed_o <= flush_i && answers_q == '0;
            end
          end else if (!report_valid_i
                       && (count >= (DepthBits+1)'(BurstBeats)
                           || (hold_q && (count != '0 || events_q != '0)))) begin
            // The ring's size is a power of two, and so is a page.
            behind = 6'(PageBeats - 1) & ~written_q[5:0] & last[5:0];
            most   = behind < 6'(BurstBeats) ? behind[4:0] + 1'b1 : 5'(BurstBeats);
            if (count < {1'b0, most}) most = count[4:0];
            measured_q <= 1'b1;
            most_q     <= most;
            space_q    <= size_i - (written_q - head_i);
          end else if (flush_i && empty_o && answers_q == '0) begin
            flushed_o <= 1'b1;
          end
        end
        Burst: begin
          if (wvalid_o && wready_i) begin
            wvalid_o <= left_q != '0;
            wlast_o  <= left_q == 5'd1;
            left_q   <= left_q - 1'b1;
            if (left_q != '0) begin
              wdata_o <= goes;
              got_q   <= got_q + 1;
            end
          end
          if ((!wvalid_o || (wready_i && left_q == '0)) && (!awvalid_o || awready_i))
            state_q <= Wait;
        end
        default: begin
          if (wready_i) wvalid_o <= 1'b0;
          if (bvalid_i) begin  // the only answer that is outstanding
            state_q       <= Wait;
            report_done_o <= 1'b1;
          end
        end
      endcase
      if (state_q != Report)
        answers_q <= answers_q + {3'd0, begun} - {3'd0, bvalid_i};
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned  rules_clock;
  logic         was_address, was_data, was_event;  // an address, a beat, an event was not taken
  logic [71:0]  was_burst;
  logic [512:0] was_data_word;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT_IF(WriteHeld, was_address, awvalid_o)
      `ASSERT_IF(WriteStable, was_address, {awaddr_o, awlen_o} == was_burst)
      `ASSERT_IF(DataHeld, was_data, wvalid_o)
      `ASSERT_IF(DataStable, was_data, {wlast_o, wdata_o} == was_data_word)
      // AXI forbids bursts across 4 KiB
      `ASSERT_IF(WriteInPage, awvalid_o, {2'd0, awaddr_o[11:6]} + awlen_o < 8'(PageBeats))
      `ASSERT_IF(WriteLength, awvalid_o, awlen_o < 8'(BurstBeats))
      `ASSERT_IF(WriteInRing, awvalid_o && state_q == Burst,
                 ((awaddr_o - ring_i) >> 6) + 64'(awlen_o) < 64'(size_i))
      `ASSERT_IF(LastOfBurst, wvalid_o, wlast_o == (left_q == '0))
      `ASSERT(StateLegal, state_q inside {Wait, Burst, Report})
      `ASSERT_IF(ChannelsWait, state_q == Wait, !awvalid_o && !wvalid_o)
      // what is put into beat_mem does not overwrite what was not got out of it
      `ASSERT(BeatsBound, count <= (DepthBits+1)'(1 << DepthBits))
      `ASSERT_IF(EventRoom, ready_o, count < (DepthBits+1)'(1 << DepthBits))
      `ASSERT(AnswersBound, answers_q <= 4'd8)
      // kept by memory: it acknowledges what was written
      `ASSERT_IF(AnswerAwaited, bvalid_i, answers_q != '0 || state_q == Report)
      // what the host has not taken is not overwritten
      `ASSERT(RingSpace, written_q - head_i <= size_i)
      // the host goes on taking beats
      `ASSERT_IF(MeasuredSpace, measured_q, space_q <= size_i - (written_q - head_i))
      `ASSERT_IF(MeasuredBeats, measured_q,
                 32'(most_q) <= 32'(count) && state_q == Wait)
      `ASSERT_IF(FlushedAnswered, flushed_o, answers_q == '0)
      `ASSERT_IF(ReportAnswered, state_q == Report, answers_q == '0)
      `ASSERT_IF(EmptyIs, empty_o, events_q == '0 && count == '0)
      `ASSERT_IF(EventHeld, was_event, valid_i)
      `ASSERT_IF(EventSizePower, awvalid_o, $onehot(size_i))
      // the number in a beat's check is that of its place
      `ASSERT_IF(NumberIsPlace, state_q == Wait, got_q == written_q)
    end
    rules_clock   = rst_ni ? rules_clock + 1 : 0;
    was_address   = rst_ni && awvalid_o && !awready_i;
    was_burst     = {awaddr_o, awlen_o};
    was_data      = rst_ni && wvalid_o && !wready_i;
    was_data_word = {wlast_o, wdata_o};
    was_event     = rst_ni && valid_i && !ready_o;
  end
`endif
endmodule
