/// Network and L2 as an ideal memory: every request is answered net_request + l2_latency + net_reply
/// cycles after it left its SM. A first stage of the engine that docs/timing-model.md rule 9 describes.
module net_engine #(
  parameter int unsigned MaxSms    = 128,
  parameter int unsigned QueueBits = 12       // replies in flight per SM
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  // commands DramReply, Set, FlushL2, FillL2, Remote
  input  logic         cmd_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic [511:0] cmd_i,
  output logic         cmd_ready_o,

  // windows, from and to heddle_run
  input  logic         go_i,                  /// one clock: serve up to window_end_i
  input  logic [31:0]  window_end_i,
  input  logic [31:0]  reached_i,             /// everything before is simulated
  output logic         idle_o,                /// done with the window and with commands
  output logic         replied_o,             /// the SMs may take the replies of this window
  output logic [32:0]  next_o,                /// {never, time} of the next work, with idle_o
  output logic [3:0]   fault_o,               /// enum fault

  // requests from the SMs; those of one SM have increasing times
  input  logic         req_valid_i,
  input  logic [127:0] req_i,
  output logic         req_ready_o,

  // the next reply of SM reply_sm_i in order of time
  input  logic [7:0]   reply_sm_i,
  output logic         reply_valid_o,
  output logic [63:0]  reply_o,
  input  logic         reply_pop_i,           /// it was taken, one clock later

  output logic         ev_valid_o,
  output logic [127:0] ev_o,
  input  logic         ev_ready_i,

  output logic [63:0]  accesses_o,
  output logic [63:0]  hits_o,
  output logic [63:0]  reads_o,
  output logic [63:0]  writes_o,
  output logic [63:0]  hash_o
);
  localparam int unsigned SmBits = $clog2(MaxSms);
  logic [63:0] reply_mem [MaxSms << QueueBits];
  logic [QueueBits-1:0] wr_mem [MaxSms], rd_mem [MaxSms];
  logic [15:0] pending_q;
  logic [31:0] net_request_q, l2_latency_q, net_reply_q;
  heddle_pkg::command_t command;
  heddle_pkg::request_t request;
  heddle_pkg::reply_t   reply_d;
  heddle_pkg::event_t   event_d;
  logic [SmBits-1:0] sm, reply_sm;
  logic take;
  /* verilator lint_on UNUSEDSIGNAL */

  assign command  = cmd_i[127:0];
  assign request  = req_i;
  assign sm       = request.sm[SmBits-1:0];
  assign reply_sm = reply_sm_i[SmBits-1:0];
  assign cmd_ready_o   = 1'b1;
  assign idle_o        = 1'b1;
  assign replied_o     = 1'b1;
  assign fault_o       = heddle_pkg::FaultNone;
  assign next_o        = {pending_q == '0, reached_i};
  assign req_ready_o   = !ev_valid_o || ev_ready_i;
  assign take          = req_valid_i && req_ready_o;
  assign reply_valid_o = wr_mem[reply_sm] != rd_mem[reply_sm];
  assign reply_o       = reply_mem[{reply_sm, rd_mem[reply_sm]}];
  assign reads_o       = '0;
  assign writes_o      = '0;
  assign hash_o        = '0;

  always_comb begin
    reply_d         = '0;
    reply_d.at      = request.at + net_request_q + l2_latency_q + net_reply_q;
    reply_d.warp    = request.warp;
    reply_d.bar     = request.bar;
    reply_d.mshr    = request.mshr;
    reply_d.cached  = request.cached;
    reply_d.sectors = (request.kind == heddle_pkg::ReqWrite || request.bar == 3'd6)
                      ? '0 : request.sectors;
    event_d         = '0;
    event_d.at      = request.at + net_request_q;
    event_d.kind    = heddle_pkg::EvPerform;
    event_d.sm      = request.sm;
    event_d.warp    = request.warp;
    event_d.slot    = request.slot;
    event_d.sectors = request.sectors;
    event_d.addr    = request.addr;
  end

  initial for (int i = 0; i < MaxSms; i++) begin wr_mem[i] = '0; rd_mem[i] = '0; end

  always_ff @(posedge clk_i) begin
    if (take) reply_mem[{sm, wr_mem[sm]}] <= reply_d;
    if (take) wr_mem[sm] <= wr_mem[sm] + 1'b1;
    if (reply_pop_i) rd_mem[reply_sm] <= rd_mem[reply_sm] + 1'b1;
    if (!rst_ni) begin
      pending_q     <= '0;
      ev_valid_o    <= 1'b0;
      accesses_o    <= '0;
      hits_o        <= '0;
      net_request_q <= 32'(heddle_pkg::DefaultNetRequest);
      l2_latency_q  <= 32'(heddle_pkg::DefaultL2Latency);
      net_reply_q   <= 32'(heddle_pkg::DefaultNetReply);
    end else begin
      pending_q <= pending_q + 16'(take) - 16'(reply_pop_i);
      if (ev_ready_i) ev_valid_o <= 1'b0;
      if (take) begin
        ev_valid_o <= request.perform;
        ev_o       <= event_d;
        accesses_o <= accesses_o + 64'($countones(request.sectors));
        hits_o     <= hits_o + 64'($countones(request.sectors));
      end
      if (cmd_valid_i && command.kind == heddle_pkg::CmdSet) begin
        if (32'(command.id) == heddle_pkg::ParamNetRequest) net_request_q <= command.value;
        if (32'(command.id) == heddle_pkg::ParamL2Latency) l2_latency_q <= command.value;
        if (32'(command.id) == heddle_pkg::ParamNetReply) net_reply_q <= command.value;
      end
    end
  end

endmodule
