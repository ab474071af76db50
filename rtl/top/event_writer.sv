/// Packs events four to a beat and writes the beats to the event ring over AXI4; writes the report
/// of a run behind them.
///
/// Beats are gathered to bursts of up to BurstBeats. flush_i fills the last beat up with zeros and
/// writes all. A full ring stops the writer, and then the engines: the run ends (full_o).
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
  typedef enum logic [1:0] { Wait, Burst, Report } state_e;

  logic [511:0]         beat_mem [1 << DepthBits];
  logic [DepthBits:0]   put_q, got_q;        // beats put into and got out of beat_mem
  logic [383:0]         part_q;              // the first events of a beat
  logic [1:0]           events_q;            // how many
  state_e               state_q;
  logic [31:0]          written_q;           // beats, modulo 2^32
  logic [4:0]           left_q;              // beats of the burst
  logic [3:0]           answers_q;           // bursts that are not acknowledged
  logic [DepthBits:0]   count;
  logic                 hold, take, push, sent;
  logic [31:0]          offset, space, to_wrap;
  logic [6:0]           length;
  logic [511:0]         beat;

  assign count   = put_q - got_q;
  assign hold    = count == 6'(1 << DepthBits);
  assign ready_o = !hold && !flush_i;
  assign take    = valid_i && ready_o;
  assign push    = (take && events_q == 2'd3) || (flush_i && events_q != 2'd0 && !hold);
  assign offset  = written_q & (size_i - 1);
  assign space   = size_i - (written_q - head_i);
  assign to_wrap = size_i - offset;
  assign full_o  = hold && space == '0 && state_q == Wait;
  assign written_o = written_q;
  assign empty_o   = count == '0 && events_q == '0;
  assign flushed_o = state_q == Wait && answers_q == '0 && (empty_o || space == '0);

  // the burst that may begin: inside the ring, its free part, and 4 KiB
  always_comb begin
    length = 7'd64 - {1'b0, offset[5:0]};
    if (32'(count) < 32'(length)) length = 7'(count);
    if (BurstBeats < 32'(length)) length = 7'(BurstBeats);
    if (to_wrap < 32'(length)) length = to_wrap[6:0];
    if (space < 32'(length)) length = space[6:0];
  end

  always_comb begin
    beat = {event_i, part_q};
    if (flush_i) begin
      beat[511:384] = '0;
      if (events_q < 2'd3) beat[383:256] = '0;
      if (events_q < 2'd2) beat[255:128] = '0;
    end
  end

  assign wvalid_o = (state_q == Burst || state_q == Report) && left_q != '0;
  assign wlast_o  = left_q == 5'd1;
  assign wdata_o  = (state_q == Report) ? report_i : beat_mem[got_q[DepthBits-1:0]];
  assign sent     = wvalid_o && wready_i;

  always_ff @(posedge clk_i) begin : pack
    if (take) begin
      case (events_q)
        2'd0:    part_q[127:0]   <= event_i;
        2'd1:    part_q[255:128] <= event_i;
        2'd2:    part_q[383:256] <= event_i;
        default: ;
      endcase
    end
    if (push) beat_mem[put_q[DepthBits-1:0]] <= beat;
    if (!rst_ni) begin
      events_q <= '0;
      put_q    <= '0;
    end else begin
      if (push) put_q <= put_q + 1'b1;
      if (take) events_q <= events_q + 1'b1;
      else if (push) events_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin : write
    report_done_o <= 1'b0;
    if (!rst_ni) begin
      state_q   <= Wait;
      got_q     <= '0;
      written_q <= '0;
      left_q    <= '0;
      answers_q <= '0;
      awvalid_o <= 1'b0;
      awaddr_o  <= '0;
      awlen_o   <= '0;
    end else begin
      if (awready_i) awvalid_o <= 1'b0;
      if (sent) left_q <= left_q - 1'b1;
      if (sent && state_q == Burst) got_q <= got_q + 1'b1;
      answers_q <= answers_q - {3'd0, bvalid_i};
      case (state_q)
        Wait: begin
          if (length != '0 && answers_q < 4'd8
              && (flush_i || length == 7'(BurstBeats) || hold)) begin
            state_q   <= Burst;
            left_q    <= length[4:0];
            awvalid_o <= 1'b1;
            awaddr_o  <= ring_i + {26'd0, offset, 6'd0};
            awlen_o   <= {1'b0, length} - 8'd1;
            written_q <= written_q + 32'(length);
            answers_q <= answers_q + 4'd1 - {3'd0, bvalid_i};
          end else if (report_valid_i) begin
            state_q   <= Report;
            left_q    <= 5'd1;
            awvalid_o <= 1'b1;
            awaddr_o  <= status_i;
            awlen_o   <= '0;
          end
        end
        Burst: if ((left_q == '0 || (sent && wlast_o)) && (!awvalid_o || awready_i))
          state_q <= Wait;
        default: if (bvalid_i) begin  // the only answer that is outstanding
          state_q       <= Wait;
          report_done_o <= 1'b1;
          answers_q     <= answers_q;
        end
      endcase
    end
  end
endmodule
