/// Replies that have come to the SMs: a queue for each, and the port through which they are taken.
///
/// Of each SM the first reply is shown and the second one held ready. Behind a pop the steps third,
/// read and hold look for the one that is second then; Pipelined, each takes a clock, else none.
/// Latency: the next reply is shown in the clock after its delivery or the pop.
/// Throughput: Pipelined a pop in four clocks, a delivery in three; else one of either per clock.
/// Rules: reply_pop_i lasts one clock and takes what was shown in the clock before; reply_sm_i does
/// not change between the two. Deliveries and pops do not mix: replied_i says that all have come.
/// A node is written before it is delivered, and read_i comes with its deliver_i (Pipelined: in the
/// clock before).
`include "heddle_macros.svh"
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // the clock of the rules
module net_reply #(
  parameter int NodeBits  = 16,
  parameter bit Pipelined = `HEDDLE_PIPELINED
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                ready_o,          /// memories have been emptied since reset
  output logic                busy_o,           /// a pop has steps to do

  // from the slices, or another instance: the reply of a node
  input  logic                write_i,
  input  logic [NodeBits-1:0] write_node_i,
  input  logic [63:0]         write_word_i,

  // from the calendar
  input  logic                read_i,           /// this one will be delivered
  input  logic [NodeBits-1:0] read_node_i,
  input  logic                deliver_i,        /// it has come to its SM
  input  logic [NodeBits-1:0] deliver_node_i,
  input  logic [7:0]          deliver_sm_i,

  // to the SMs
  input  logic [7:0]          reply_sm_i,
  output logic                reply_valid_o,
  output logic [63:0]         reply_o,
  input  logic                reply_pop_i,
  /* verilator lint_off UNUSEDSIGNAL */         // a rule's
  input  logic                replied_i,
  /* verilator lint_on UNUSEDSIGNAL */

  // to the pool
  output logic                free_o,
  output logic [NodeBits-1:0] free_node_o
);
`include "heddle_import.svh"
`include "net_lists.svh"
  typedef logic [SmBits-1:0] sm_t;

  logic [ReplyW-1:0] reply_mem [NumNodes];      // the reply of a node
  node_t             next_mem [NumNodes];       // the next of the same SM
  logic [ListW-1:0]  sm_mem [NumSms];           // replies that have come to an SM
  logic [ReplyW-1:0] shown_mem [NumSms];        // the first of them
  logic              shown_valid_mem [NumSms];  // there is one
  logic [ReplyW-1:0] ready_mem [NumSms];        // the second, if there is one
  node_t             ready_node_mem [NumSms];   // its node
  sm_t               shown_sm_q;                // reply_sm_i, a clock ago
  logic              init_q;                    // memories are being emptied
  sm_t               init_at_q;

  assign reply_valid_o = shown_valid_mem[reply_sm_i];
  assign reply_o       = shown_mem[reply_sm_i];
  assign ready_o       = !init_q;

  // ---------------------------------------------------------------- the SM's queue
  sm_t   at;
  logic [ListW-1:0] held_word;
  list_t held, held_d;
  logic  some, one;                             // there is a reply, just one
  node_t second;                                // node of the one that is held ready
  logic  lists, links, shows, shown_valid;
  logic [ReplyW-1:0] shown, delivered;

  flow #(.Width(ReplyW), .Pipelined(Pipelined)) u_delivered (
    .clk_i, .valid_i(read_i), .word_i(reply_mem[read_node_i]), .word_o(delivered)
  );

  assign at          = reply_pop_i ? shown_sm_q : deliver_sm_i;
  assign held_word = sm_mem[at];
  assign held        = held_word;
  assign some        = held.some;
  assign one         = held.head == held.tail;
  assign second      = ready_node_mem[shown_sm_q];
  assign lists       = reply_pop_i || deliver_i;
  assign links       = deliver_i && !reply_pop_i && some;
  assign shows       = reply_pop_i || (deliver_i && !some);
  assign shown_valid = reply_pop_i ? !one : 1'b1;
  assign shown       = reply_pop_i ? ready_mem[shown_sm_q] : delivered;

  always_comb begin : queue
    held_d = held;
    if (reply_pop_i) begin
      held_d.some = !one;
      held_d.head = second;
    end else begin
      if (!some) held_d.head = deliver_node_i;
      held_d.some = 1'b1;
      held_d.tail = deliver_node_i;
    end
  end

  // ---------------------------------------------------------------- what is second then
  logic  seeks;                                 // there is a third
  logic  thirds, third_pending, reads, read_pending, holds, hold_pending;
  node_t first_node, third_node, hold_node;
  sm_t   seek_sm;
  logic [ReplyW-1:0] hold_word;

  assign seeks  = reply_pop_i && !one && second != held.tail;
  assign busy_o = third_pending || read_pending || hold_pending || init_q || free_o;

  step #(.Pipelined(Pipelined)) u_third_step (
    .clk_i, .rst_ni, .valid_i(seeks), .valid_o(thirds), .pending_o(third_pending)
  );
  flow #(.Width(SmBits + NodeBits), .Pipelined(Pipelined)) u_third (
    .clk_i, .valid_i(seeks), .word_i({shown_sm_q, second}), .word_o({seek_sm, first_node})
  );
  step #(.Pipelined(Pipelined)) u_read_step (
    .clk_i, .rst_ni, .valid_i(thirds), .valid_o(reads), .pending_o(read_pending)
  );
  flow #(.Width(NodeBits), .Pipelined(Pipelined)) u_read (
    .clk_i, .valid_i(thirds), .word_i(next_mem[first_node]), .word_o(third_node)
  );
  step #(.Pipelined(Pipelined)) u_hold_step (
    .clk_i, .rst_ni, .valid_i(reads), .valid_o(holds), .pending_o(hold_pending)
  );
  flow #(.Width(ReplyW), .Pipelined(Pipelined)) u_hold (
    .clk_i, .valid_i(reads), .word_i(reply_mem[third_node]), .word_o(hold_word)
  );
  flow #(.Width(NodeBits), .Pipelined(Pipelined)) u_hold_node (
    .clk_i, .valid_i(reads), .word_i(third_node), .word_o(hold_node)
  );

  // ---------------------------------------------------------------- registers and memories
  logic delivers_second;
  sm_t  list_at;

  assign delivers_second = deliver_i && some && one;
  assign list_at         = init_q ? init_at_q : at;

  always_ff @(posedge clk_i) begin : memories
    if (write_i) reply_mem[write_node_i] <= write_word_i;
    if (links) next_mem[held.tail] <= deliver_node_i;
    if (lists || init_q) sm_mem[list_at] <= init_q ? '0 : held_d;
    if (shows || init_q) shown_valid_mem[list_at] <= !init_q && shown_valid;
    if (shows) shown_mem[at] <= shown;
    if (holds || delivers_second) begin
      ready_mem[holds ? seek_sm : deliver_sm_i]      <= holds ? hold_word : delivered;
      ready_node_mem[holds ? seek_sm : deliver_sm_i] <= holds ? hold_node : deliver_node_i;
    end
  end

  always_ff @(posedge clk_i) begin : registers
    shown_sm_q <= reply_sm_i;
    free_o     <= rst_ni && reply_pop_i;
    if (reply_pop_i) free_node_o <= held.head;
    if (!rst_ni) begin
      init_q    <= 1'b1;
      init_at_q <= '0;
    end else if (init_q) begin
      init_q    <= init_at_q != '1;
      init_at_q <= init_at_q + 1'b1;
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;
  logic [7:0]  was_pop;                         // clocks since the last pop, at most 255

  /* verilator lint_off UNUSEDSIGNAL */         // the word's fields
  logic [ListW-1:0] asked_word;
  list_t asked;
  /* verilator lint_on UNUSEDSIGNAL */
  assign asked_word = sm_mem[reply_sm_i];
  assign asked      = asked_word;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      // what is popped was shown in the clock before
      `ASSERT_IF(PopShown, reply_pop_i, shown_valid_mem[shown_sm_q])
      `ASSERT_IF(PopSameSm, reply_pop_i, reply_sm_i == shown_sm_q)
      `ASSERT_IF(PopReplied, reply_pop_i, replied_i)
      `ASSERT_IF(PopNoDelivery, reply_pop_i, !deliver_i)
      `ASSERT_IF(DeliverReady, deliver_i, !init_q)
      if (!init_q) begin
        `ASSERT(ShownIsHead, shown_valid_mem[reply_sm_i] == asked.some)
        `ASSERT_IF(ReadyIsSecond, asked.some && asked.head != asked.tail && !third_pending
                                  && !read_pending && !hold_pending,
                   ready_node_mem[reply_sm_i] == next_mem[asked.head])
      end
      if (Pipelined) begin
        // what follows a pop takes three clocks, and one pop at a time
        `ASSERT_IF(PopsApart, reply_pop_i, was_pop >= 8'd4)
        `ASSERT(PopStepsApart, $onehot0({third_pending, read_pending, hold_pending}))
        // a delivery writes the same memories
        `ASSERT_IF(PopStepsPhase, deliver_i, !third_pending && !read_pending && !hold_pending)
      end
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
    was_pop     = !rst_ni ? '1 : reply_pop_i ? 8'd1 : was_pop == '1 ? was_pop : was_pop + 1'b1;
  end
`endif
endmodule
