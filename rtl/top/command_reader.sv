/// Reads beats of the command ring over AXI4, in bursts that stay inside 4 KiB and the ring.
///
/// Latency: two clocks plus memory; throughput: one beat per clock. Beats are not buffered: the
/// consumer takes them from the read channel itself.
module command_reader (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [63:0] ring_i,     /// address of the ring, aligned to 4 KiB
  input  logic [31:0] size_i,     /// beats, a power of two
  input  logic [31:0] tail_i,     /// beats that the host has written
  input  logic        enable_i,   /// new bursts may begin
  output logic [31:0] taken_o,    /// beats given to the consumer
  output logic        done_o,     /// all beats up to the tail are taken

  // beats, to the consumer
  output logic         valid_o,
  output logic [511:0] beat_o,
  input  logic         ready_i,

  // AXI4 read channels
  output logic [63:0]  araddr_o,
  output logic [7:0]   arlen_o,
  output logic         arvalid_o,
  input  logic         arready_i,
  input  logic [511:0] rdata_i,
  input  logic         rvalid_i,
  output logic         rready_o
);
  localparam int unsigned PageBeats = 64;    // beats in 4 KiB
  localparam int unsigned MaxBeats  = 128;   // requested, not yet taken

  logic [31:0] asked_q, taken_q;             // beats since reset, modulo 2^32
  logic [31:0] offset, left, to_wrap;
  logic [6:0]  to_page, length;

  assign offset  = asked_q & (size_i - 1);
  assign left    = tail_i - asked_q;
  assign to_wrap = size_i - offset;
  assign to_page = 7'(PageBeats) - {1'b0, offset[5:0]};

  always_comb begin
    length = to_page;
    if (to_wrap < 32'(length)) length = to_wrap[6:0];
    if (left < 32'(length)) length = left[6:0];
  end

  assign valid_o  = rvalid_i;
  assign beat_o   = rdata_i;
  assign rready_o = ready_i;
  assign taken_o  = taken_q;
  assign done_o   = taken_q == tail_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      asked_q   <= '0;
      taken_q   <= '0;
      arvalid_o <= 1'b0;
      araddr_o  <= '0;
      arlen_o   <= '0;
    end else begin
      if (rvalid_i && ready_i) taken_q <= taken_q + 1;
      if (arready_i) arvalid_o <= 1'b0;
      if (enable_i && (!arvalid_o || arready_i) && left != '0
          && asked_q - taken_q < 32'(MaxBeats - PageBeats + 1)) begin
        arvalid_o <= 1'b1;
        araddr_o  <= ring_i + {26'd0, offset, 6'd0};
        arlen_o   <= {1'b0, length} - 8'd1;
        asked_q   <= asked_q + 32'(length);
      end
    end
  end
endmodule
