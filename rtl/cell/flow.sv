/// A word between two steps of a unit: a register (Pipelined) or a wire, which remembers the last
/// word. step.sv is the same for the control.
///
/// Synthesis has the register, so that each step takes a clock of its own. Simulation has the wire,
/// so that all steps share a clock: there are fewer clocks to simulate. Both show the same words in
/// the same order, if at most one is under way at a time.
/// Latency: one clock or none. Throughput: a word each clock.
/// word_o keeps its value until the next word comes.
module flow #(
  parameter int Width     = 1,
  parameter bit Pipelined = 1'b1
) (
  input  logic             clk_i,
  input  logic             valid_i,     /// there is a word
  input  logic [Width-1:0] word_i,
  output logic [Width-1:0] word_o
);
  logic [Width-1:0] word_q;

  assign word_o = !Pipelined && valid_i ? word_i : word_q;

  always_ff @(posedge clk_i) if (valid_i) word_q <= word_i;
endmodule
