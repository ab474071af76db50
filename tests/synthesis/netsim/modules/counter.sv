// Registers with and without enable, cleared and set, and a carry chain of 20 bits.
module counter (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        en_i,
  input  logic [19:0] step_i,
  output logic [19:0] up_o,
  output logic [19:0] down_o,
  output logic        less_o,
  output logic        idle_o
);
  always_ff @(posedge clk_i) begin
    less_o <= up_o < down_o;
    if (!rst_ni) begin
      up_o   <= '0;
      down_o <= '1;
      idle_o <= 1'b1;
    end else begin
      idle_o <= !en_i;
      if (en_i) begin
        up_o   <= up_o + step_i;
        down_o <= down_o - step_i;
      end
    end
  end
endmodule
