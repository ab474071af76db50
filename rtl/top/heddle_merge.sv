/// Events of all groups to event_writer, in turn; of a group those of the network first, as they
/// are few. Events of SMs get the number that the host knows the SM by.
///
/// Latency: a clock. Throughput: an event each clock.
/// Rules: events come as they do from the engines: held until they are taken. An event at valid_o
/// does not change until ready_i.
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // the clock of the rules
module heddle_merge #(
  parameter int Groups = 2              /// pairs of engines, 2 or 4
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [2:0]   host_shift_i,    /// heddle_split.sv
  input  logic [7:0]   instance_i,

  input  logic [Groups-1:0]     net_valid_i,
  input  logic [Groups*128-1:0] net_word_i,
  output logic [Groups-1:0]     net_ready_o,
  input  logic [Groups-1:0]     sm_valid_i,
  input  logic [Groups*128-1:0] sm_word_i,
  output logic [Groups-1:0]     sm_ready_o,

  output logic         valid_o,
  output logic [127:0] word_o,
  input  logic         ready_i
);
`include "heddle_import.svh"
`include "top/groups.svh"
  logic [Groups-1:0]     wanted, taken;
  logic [Groups*128-1:0] word;          // of each group
  logic [GroupBits-1:0]  turn, last_q;
  logic                  free;
  event_t                own;           // inside one clock

  always_comb begin : numbers
    for (int g = 0; g < Groups; g++) begin
      own    = sm_word_i[g*128 +: 128];
      own.sm = number_of(own.sm, GroupBits'(g), host_shift_i, instance_i);
      word[g*128 +: 128] = net_valid_i[g] ? net_word_i[g*128 +: 128] : own;
    end
  end

  assign free        = !valid_o || ready_i;
  assign wanted      = net_valid_i | sm_valid_i;
  assign turn        = turn_of(wanted, last_q);
  assign taken       = free ? Groups'(1) << turn : '0;
  assign net_ready_o = taken;
  assign sm_ready_o  = taken & ~net_valid_i;

  always_ff @(posedge clk_i) begin : port
    if (!rst_ni) begin
      valid_o <= 1'b0;
      last_q  <= '0;
    end else if (free && (valid_o || wanted != '0)) begin
      valid_o <= wanted != '0;
      if (wanted != '0) begin
        last_q <= turn;
        word_o <= word[32'(turn)*128 +: 128];
      end
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned           rules_clock;
  logic [Groups-1:0]     was_net, was_sm;   // an event was not taken
  logic [Groups*128-1:0] was_net_word, was_sm_word;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      for (int g = 0; g < Groups; g++) begin
        `ASSERT_IF(MergeNetHeld, was_net[g], net_valid_i[g]
                   && net_word_i[g*128 +: 128] == was_net_word[g*128 +: 128])
        `ASSERT_IF(MergeSmHeld, was_sm[g], sm_valid_i[g]
                   && sm_word_i[g*128 +: 128] == was_sm_word[g*128 +: 128])
      end
    end
    rules_clock  = rst_ni ? rules_clock + 1 : 0;
    was_net      = {Groups{rst_ni}} & net_valid_i & ~net_ready_o;
    was_net_word = net_word_i;
    was_sm       = {Groups{rst_ni}} & sm_valid_i & ~sm_ready_o;
    was_sm_word  = sm_word_i;
  end
`endif
endmodule
