/// Packs events four to a beat and writes the beats to the event ring over AXI4; writes the report
/// of a run behind them.
///
/// Beats are gathered to bursts of up to BurstBeats. flush_i fills the last beat up with zeros and
/// writes all. A full ring stops the writer, and then the engines: the run ends (full_o).
/// No output depends on an input of the same clock.
/* verilator lint_off BLKSEQ */  // values inside one clock
module event_writer (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [63:0]  ring_i,          /// address of the ring, aligned to 4 KiB
  input  logic [31:0]  size_i,          /// beats, a power of two
  input  logic [31:0]  head_i,          /// beats that the host has taken
  input  logic [63:0]  status_i,        /// address of the report
  output logic [31:0]  written_o,       /// beats written and acknowledged or on their way
  output logic         full_o,          /// no event can be taken until the host has taken beats

  input  logic         valid_i,         /// an event; stable until ready_o
  input  logic [127:0] event_i,
  output logic         ready_o,
  input  logic         flush_i,         /// no more events: write what is here, as far as it goes
  output logic         flushed_o,       /// all that fits is written and acknowledged
  output logic         empty_o,         /// nothing is left here
  input  logic         report_valid_i,  /// write the report; with flushed_o, until report_done_o
  input  logic [511:0] report_i,
  output logic         report_done_o,   /// the report is acknowledged, one clock

  // AXI4 write channels
  output logic [63:0]  awaddr_o,
  output logic [7:0]   awlen_o,
  output logic         awvalid_o,
  input  logic         awready_i,
  output logic [511:0] wdata_o,
  output logic         wlast_o,
  output logic         wvalid_o,
  input  logic         wready_i,
  input  logic         bvalid_i
);
  localparam int unsigned DepthBits  = 5;    // beats held here
  localparam int unsigned BurstBeats = 16;
  localparam int unsigned PageBeats  = 64;   // beats in 4 KiB
  typedef enum logic [1:0] { Wait, Burst, Report } state_e;

  logic [511:0]       beat_mem [1 << DepthBits];
  logic [DepthBits:0] put_q, got_q;          // beats put into and got out of beat_mem
  logic [383:0]       part_q;                // the first events of a beat
  logic [1:0]         events_q;              // how many
  state_e             state_q;
  logic [31:0]        written_q;             // beats, modulo 2^32
  logic [4:0]         left_q;                // beats of the burst after the one at wdata_o
  logic [3:0]         answers_q;             // bursts that are not acknowledged
  logic               hold_q;                // no event can be taken
  // inside one clock
  logic               take, push, begun;
  logic [DepthBits:0] count;
  logic [31:0]        offset, space, length;
  logic [511:0]       beat;

  assign ready_o   = !hold_q;
  assign written_o = written_q;

  always_ff @(posedge clk_i) begin : pack
    take = valid_i && !hold_q;
    // filled up only when it can be the last beat of the run
    push = (take && events_q == 2'd3) || (flush_i && hold_q && events_q != 2'd0 && put_q == got_q
                                          && state_q == Wait && written_q - head_i != size_i);
    if (take) begin
      case (events_q)
        2'd0:    part_q[127:0]   <= event_i;
        2'd1:    part_q[255:128] <= event_i;
        2'd2:    part_q[383:256] <= event_i;
        default: ;
      endcase
    end
    if (push) begin
      beat = {event_i, part_q};
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
    end else begin
      if (push) put_q <= put_q + 1'b1;
      if (take) events_q <= events_q + 1'b1;
      else if (push) events_q <= '0;
      // one place is kept for the beat that is filling up
      hold_q  <= flush_i || put_q - got_q >= (DepthBits+1)'((1 << DepthBits) - 2);
      empty_o <= !take && !push && events_q == '0 && put_q == got_q && state_q == Wait;
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
    end else if (state_q != Wait || put_q != got_q || flush_i || answers_q != '0) begin
      begun = 1'b0;
      if (awready_i) awvalid_o <= 1'b0;
      case (state_q)
        Wait: begin
          count = put_q - got_q;
          if (count != '0 && (hold_q || count >= (DepthBits+1)'(BurstBeats))) begin
            // the burst that may begin: inside the ring, its free part, and 4 KiB
            offset = written_q & (size_i - 1);
            space  = size_i - (written_q - head_i);
            length = PageBeats - {26'd0, offset[5:0]};
            if (32'(count) < length) length = 32'(count);
            if (BurstBeats < length) length = BurstBeats;
            if (size_i - offset < length) length = size_i - offset;
            if (space < length) length = space;
            if (length != '0 && answers_q < 4'd8) begin
              begun     = 1'b1;
              state_q   <= Burst;
              awvalid_o <= 1'b1;
              awaddr_o  <= ring_i + {26'd0, offset, 6'd0};
              awlen_o   <= length[7:0] - 8'd1;
              written_q <= written_q + length;
              left_q    <= length[4:0] - 5'd1;
              wvalid_o  <= 1'b1;
              wlast_o   <= length == 32'd1;
              wdata_o   <= beat_mem[got_q[DepthBits-1:0]];
              got_q     <= got_q + 1'b1;
            end else if (space == '0) begin
              full_o    <= 1'b1;
              flushed_o <= flush_i && answers_q == '0;
            end
          end else if (flush_i && empty_o && answers_q == '0) begin
            flushed_o <= 1'b1;
          end
          if (report_valid_i && !report_done_o && !begun) begin
            state_q   <= Report;
            left_q    <= '0;
            awvalid_o <= 1'b1;
            awaddr_o  <= status_i;
            awlen_o   <= '0;
            wvalid_o  <= 1'b1;
            wlast_o   <= 1'b1;
            wdata_o   <= report_i;
          end
        end
        Burst: begin
          if (wvalid_o && wready_i) begin
            wvalid_o <= left_q != '0;
            wlast_o  <= left_q == 5'd1;
            left_q   <= left_q - 1'b1;
            if (left_q != '0) begin
              wdata_o <= beat_mem[got_q[DepthBits-1:0]];
              got_q   <= got_q + 1'b1;
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
endmodule
