/// In place of sm_engine in the test of rings and runs: it keeps launches and answers each, when
/// its time comes, with `warps` Perform events that count up in addr. Launches with cta 31 park
/// until a Packets command has come. It makes no requests; its counters all read as MaxSm.
module sm_engine #(
  parameter int MaxSm = 128,
  /* verilator lint_off UNUSEDPARAM */
  parameter int SubBits = 2,
  parameter int TimeW = 32,
  parameter bit Dense = 1'b0
  /* verilator lint_on UNUSEDPARAM */
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         cmd_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic [511:0] cmd_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic         cmd_ready_o,
  input  logic         go_i,
  input  logic [31:0]  window_end_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic [31:0]  reached_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic         idle_o,
  output logic         parked_o,
  output logic         rested_o,
  output logic [32:0]  next_o,
  output logic         req_valid_o,
  output logic [127:0] req_o,
  input  logic         req_ready_i,
  output logic [7:0]   reply_sm_o,
  input  logic         reply_valid_i,
  input  logic [63:0]  reply_i,
  output logic         reply_pop_o,
  output logic [7:0]   reply_pop_sm_o,
  output logic         ev_valid_o,
  output logic [127:0] ev_o,
  input  logic         ev_ready_i,
  input  logic [2:0]   stat_index_i,
  output logic [63:0]  stat_o,
  output logic         issue_valid_o,
  output logic [7:0]   issue_sm_o,
  output logic [5:0]   issue_warp_o,
  output logic [31:0]  issue_time_o
);
  localparam int unsigned Depth = 4096;
  localparam logic [4:0] Parks = 5'd31;
  logic [127:0] launch_mem [Depth];
  logic [11:0]  wr_q, rd_q;
  logic [31:0]  count_q, packets_q, used_q, end_q;
  logic [5:0]   left_q;
  logic         begun_q;
  /* verilator lint_off UNUSEDSIGNAL */
  heddle_pkg::command_t command, head;
  /* verilator lint_on UNUSEDSIGNAL */
  heddle_pkg::event_t   event_d;

  assign command     = cmd_i[127:0];
  assign head        = launch_mem[rd_q];
  assign cmd_ready_o = idle_o;
  assign rested_o    = idle_o && !parked_o;
  assign next_o      = {wr_q == rd_q, head.at};
  assign req_valid_o = 1'b0;
  assign req_o       = '0;
  assign reply_sm_o  = '0;
  assign reply_pop_o = 1'b0;
  assign reply_pop_sm_o = '0;
  assign issue_sm_o    = head.sm;
  assign issue_warp_o  = head.warp;
  assign issue_time_o  = head.at;
  assign stat_o        = 64'(MaxSm);
  assign issue_valid_o = ev_valid_o && ev_ready_i;

  always_comb begin
    event_d      = '0;
    event_d.kind = heddle_pkg::EvPerform;
    event_d.at   = head.at;
    event_d.sm   = head.sm;
    event_d.warp = head.warp;
    event_d.addr = count_q;
  end
  assign ev_o = event_d;

  always_ff @(posedge clk_i) begin
    if (cmd_valid_i && cmd_ready_o) begin
      if (command.kind == heddle_pkg::CmdLaunch) begin
        launch_mem[wr_q] <= cmd_i[127:0];
        wr_q <= wr_q + 1'b1;
      end
      if (command.kind == heddle_pkg::CmdPackets) begin
        packets_q <= packets_q + 1;
        parked_o  <= 1'b0;
        if (parked_o) idle_o <= 1'b0;
      end
    end
    if (go_i) begin
      idle_o <= 1'b0;
      end_q  <= window_end_i;
    end
    if (!idle_o) begin
      if (wr_q == rd_q || head.at - end_q < 32'h8000_0000) begin
        idle_o <= 1'b1;
      end else if (head.cta == Parks && packets_q == used_q) begin
        idle_o   <= 1'b1;
        parked_o <= 1'b1;
      end else if (!begun_q) begin
        begun_q    <= 1'b1;
        left_q     <= head.warps;
        ev_valid_o <= head.warps != '0;
      end else if (!ev_valid_o || ev_ready_i) begin
        if (ev_valid_o) begin
          count_q <= count_q + 1;
          left_q  <= left_q - 1'b1;
        end
        if (!ev_valid_o || left_q == 6'd1) begin
          ev_valid_o <= 1'b0;
          begun_q    <= 1'b0;
          rd_q       <= rd_q + 1'b1;
          if (head.cta == Parks) used_q <= used_q + 1;
        end
      end
    end
    if (!rst_ni) begin
      idle_o     <= 1'b1;
      parked_o   <= 1'b0;
      ev_valid_o <= 1'b0;
      begun_q    <= 1'b0;
      wr_q       <= '0;
      rd_q       <= '0;
      count_q    <= '0;
      packets_q  <= '0;
      used_q     <= '0;
      left_q     <= '0;
    end
  end

  logic unused;
  assign unused = &{1'b0, req_ready_i, reply_valid_i, reply_i, stat_index_i};
endmodule
