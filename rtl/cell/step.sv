/// That a step of a unit has work for the next one: a register (Pipelined) or a wire. The words
/// between the two go through flow.sv.
///
/// Latency: one clock or none. Throughput: one each clock.
module step #(
  parameter bit Pipelined = 1'b1
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic valid_o,
  output logic pending_o                /// from a register: something is under way here
);
  logic valid_q;

  assign valid_o   = Pipelined ? valid_q : valid_i;
  assign pending_o = Pipelined && valid_q;

  always_ff @(posedge clk_i) valid_q <= rst_ni && valid_i;
endmodule
