// One memory of 100 words of 48 bits: a write with an enable for each 16 bits, a read at the clock
// with an enable, one that sees what is written in the same clock, and one without a clock.
module memory (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [2:0]  we_i,
  input  logic [6:0]  waddr_i,
  input  logic [47:0] wdata_i,
  input  logic        re_i,
  input  logic [6:0]  raddr_i,
  output logic [47:0] old_o,
  output logic [47:0] new_o,
  output logic [47:0] now_o
);
  logic [47:0] mem[100];
  logic [6:0]  raddr_q;
  assign now_o = mem[raddr_i];
  assign new_o = mem[raddr_q];
  always_ff @(posedge clk_i) begin
    raddr_q <= raddr_i;
    if (re_i) old_o <= mem[raddr_i];
    if (!rst_ni) old_o <= '0;
    for (int i = 0; i < 3; i++) if (we_i[i]) mem[waddr_i][i*16+:16] <= wdata_i[i*16+:16];
  end
endmodule
