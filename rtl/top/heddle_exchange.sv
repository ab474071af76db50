/// Carries requests and replies from one network engine of the kernel to another, and tells them
/// from what the host shall have.
///
/// Each engine has a queue of words that it has sent, and a register for what it receives, which
/// takes the words of the senders in turn. The words of one sender to one receiver stay in order,
/// so that the messages of an SM or a slice do. A full queue holds up the sender's events. It
/// always gets empty again: an engine takes what comes whenever it is not taking messages out of
/// its calendar, and that it does without a neighbour.
/// Latency: two clocks. Throughput: a word each clock from each engine, and to each engine.
/// Rules: events come and go as they do from net_engine: held until they are taken. An event that
/// is no word remote, or whose owner is another instance of the host, or that answers a customer
/// that is no SM, or asks for a line outside the GPU, is offered at ev_valid_o, the word as it
/// comes. A word at valid_o does not change
/// until ready_i. The host's instances do not change while busy_o.
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // the clock of the rules
module heddle_exchange #(
  parameter int Groups = 2,             /// network engines, 2 or 4
  parameter int Bits   = 3              /// log2 of the words in a queue
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         busy_o,          /// a word is here
  input  logic [2:0]   host_shift_i,    /// heddle_split.sv
  input  logic [7:0]   instance_i,

  // from the engines: events
  input  logic [Groups-1:0]     valid_i,
  input  logic [Groups*128-1:0] word_i,
  output logic [Groups-1:0]     ready_o,
  // of these, to the host
  output logic [Groups-1:0]     ev_valid_o,
  input  logic [Groups-1:0]     ev_ready_i,
  // to the engines
  output logic [Groups-1:0]     valid_o,
  output logic [Groups*128-1:0] word_o,
  input  logic [Groups-1:0]     ready_i
);
`include "heddle_import.svh"
`include "top/groups.svh"
  localparam int QueueW = GroupBits + 128;

  logic [Groups-1:0]           push, sent, pop;      // into a queue; in it; out of it
  logic [Groups*QueueW-1:0]    head;                 // {receiver, word} that was sent first
  logic [Groups*Groups-1:0]    wanted;               // by receiver: whose first word is for it
  logic [Groups*GroupBits-1:0] turn, last_q;         // by receiver: who is next, who was last
  logic [Groups-1:0]           free;                 // its register can take a word

  logic [Groups-1:0]           here;                 // an event is a word for a group,
  logic [Groups*GroupBits-1:0] owner;                // this one
  // values inside one clock
  logic [7:0]                  number, other;
  /* verilator lint_off UNUSEDSIGNAL */              // the message's affair
  remote_t                     word;
  /* verilator lint_on UNUSEDSIGNAL */

  assign busy_o = sent != '0 || valid_o != '0;

  always_comb begin : owners
    for (int g = 0; g < Groups; g++) begin
      word    = word_i[g*128 +: 128];
      number  = word.kind == EvRequest ? word.slice : word.sm;
      other   = (number ^ instance_i) & ((8'd1 << host_shift_i) - 8'd1);
      here[g] = ((word.kind == EvRequest && word.slice != 8'(CoreOutside))
                 || (word.kind == EvReply && 32'(word.sm) < CoreFirstCustomer)) && other == '0;
      owner[g*GroupBits +: GroupBits] = group_of(number, host_shift_i);
    end
  end

  for (genvar g = 0; g < Groups; g++) begin : gen_sender
    logic [QueueW-1:0] first;
    logic [Bits:0]     count;
    assign ev_valid_o[g] = valid_i[g] && !here[g];
    assign ready_o[g]    = here[g] ? !count[Bits] : ev_ready_i[g];
    assign push[g]       = valid_i[g] && here[g] && !count[Bits];

    fifo #(.Width(QueueW), .Bits(Bits)) queue (
      .clk_i, .rst_ni, .push_i(push[g]), .word_i({owner[g*GroupBits +: GroupBits],
                                                  word_i[g*128 +: 128]}),
      .count_o(count), .valid_o(sent[g]), .word_o(first), .pop_i(pop[g])
    );
    assign head[g*QueueW +: QueueW] = first;
    for (genvar d = 0; d < Groups; d++) begin : gen_wanted
      assign wanted[d*Groups + g] = sent[g] && first[128 +: GroupBits] == GroupBits'(d);
    end
  end

  // A sender's first word is for one receiver, so at most one takes it.
  always_comb begin : takes
    pop = '0;
    for (int d = 0; d < Groups; d++) begin
      free[d] = !valid_o[d] || ready_i[d];
      turn[d*GroupBits +: GroupBits] = turn_of(wanted[d*Groups +: Groups],
                                               last_q[d*GroupBits +: GroupBits]);
      if (free[d] && wanted[d*Groups +: Groups] != '0)
        pop = pop | (Groups'(1) << turn[d*GroupBits +: GroupBits]);
    end
  end

  always_ff @(posedge clk_i) begin : receivers
    for (int d = 0; d < Groups; d++) begin
      if (free[d]) begin
        valid_o[d] <= rst_ni && wanted[d*Groups +: Groups] != '0;
        if (wanted[d*Groups +: Groups] != '0) begin
          last_q[d*GroupBits +: GroupBits] <= turn[d*GroupBits +: GroupBits];
          word_o[d*128 +: 128] <= head[32'(turn[d*GroupBits +: GroupBits])*QueueW +: 128];
        end
      end
    end
    if (!rst_ni) begin
      valid_o <= '0;
      last_q  <= '0;
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned           rules_clock;
  logic [Groups-1:0]     was_event, was_valid;       // an event, a word was not taken
  logic [Groups*128-1:0] was_event_word, was_word;
  logic [10:0]           was_host;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      for (int g = 0; g < Groups; g++) begin
        `ASSERT_IF(SentHeld, was_event[g], valid_i[g]
                   && word_i[g*128 +: 128] == was_event_word[g*128 +: 128])
        `ASSERT_IF(GivenHeld, was_valid[g], valid_o[g]
                   && word_o[g*128 +: 128] == was_word[g*128 +: 128])
        // nothing comes back to who has sent it
        `ASSERT(SentToOther, !wanted[g*Groups + g])
      end
      `ASSERT_IF(HostStable, busy_o, {host_shift_i, instance_i} == was_host)
    end
    rules_clock    = rst_ni ? rules_clock + 1 : 0;
    was_event      = {Groups{rst_ni}} & valid_i & ~ready_o;
    was_event_word = word_i;
    was_valid      = {Groups{rst_ni}} & valid_o & ~ready_i;
    was_word       = word_o;
    was_host       = {host_shift_i, instance_i};
  end
`endif
endmodule
