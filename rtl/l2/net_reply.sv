/// Replies that have come to the SMs: a queue for each, and the port through which they are taken.
///
/// Of each SM the first reply is shown and the second one held ready. Behind a pop the steps third,
/// read and hold look for the one that is second then. A delivery has the steps read and append.
/// Pipelined, each takes a clock, else all share one.
/// Latency: the next reply is shown in the clock after the pop, a delivered one one or two clocks
/// after it came.
/// Throughput: a pop a clock, of an SM in four clocks when Pipelined; a delivery a clock.
/// Rules: reply_pop_i takes the first reply of an SM that has one. Deliveries and pops do not mix:
/// replied_i says that all have come.
/// A node is written before it is delivered.
`include "heddle_macros.svh"
`include "cell/stage.svh"
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // values inside one clock
module net_reply #(
  parameter int NodeBits  = 16,                /// log2 of the messages
  parameter bit Pipelined = `HEDDLE_PIPELINED  /// each step takes a clock
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                ready_o,          /// memories have been emptied since reset
  output logic                busy_o,           /// a pop has steps to do

  // from the slices, or another instance: the reply of a node
  input  logic                write_i,
  input  logic [NodeBits-1:0] write_node_i,
  input  logic [63:0]         write_word_i,

  // from the calendar: a reply has come to its SM
  input  logic                deliver_i,
  input  logic [NodeBits-1:0] deliver_node_i,
  input  logic [7:0]          deliver_sm_i,

  // to the SMs
  input  logic [7:0]          reply_sm_i,
  output logic                reply_valid_o,
  output logic [63:0]         reply_o,
  input  logic                reply_pop_i,
  input  logic [7:0]          reply_pop_sm_i,
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
  logic              init_q;                    // memories are being emptied
  sm_t               init_at_q;

  // between two steps, when Pipelined: third, read, hold; append
  logic              third_valid_q, read_valid_q, hold_valid_q, append_valid_q;
  sm_t               seek_sm_q, read_sm_q, hold_sm_q;
  node_t             second_q, third_node_q, hold_node_q;
  sm_t               append_sm_q;
  node_t             append_node_q;
  logic [ReplyW-1:0] word_q;                    // of the one to hold or to append

  // values inside one clock
  sm_t   at, ready_at, pop_sm;
  logic [ListW-1:0] list_word;
  list_t list, list_d;
  logic  some, one, appends, seeks, thirds, reads, holds, list_we, shows, ready_we;
  node_t second, third, append_node, ready_node;
  logic [ReplyW-1:0] word, shown, ready;

  assign pop_sm        = SmBits'(reply_pop_sm_i);
  assign reply_valid_o = shown_valid_mem[reply_sm_i];
  assign reply_o       = shown_mem[reply_sm_i];
  assign ready_o       = !init_q;
  assign busy_o        = third_valid_q || read_valid_q || hold_valid_q || append_valid_q || init_q
                         || free_o;

  always_ff @(posedge clk_i) begin : work
    if (write_i) `STORE(reply_mem[write_node_i], write_word_i);
    free_o     <= rst_ni && reply_pop_i;
    if (!rst_ni) begin
      init_q         <= 1'b1;
      init_at_q      <= '0;
      third_valid_q  <= 1'b0;
      read_valid_q   <= 1'b0;
      hold_valid_q   <= 1'b0;
      append_valid_q <= 1'b0;
    end else if (reply_pop_i || deliver_i || busy_o) begin
      // a pop: of the second reply and the list
      second  = ready_node_mem[pop_sm];
      appends = Pipelined ? append_valid_q : deliver_i;
      at      = reply_pop_i ? pop_sm : Pipelined ? append_sm_q : deliver_sm_i;
      list_word = sm_mem[at];
      list      = list_word;
      list_d    = list;
      some      = list.some;
      one       = list.head == list.tail;
      list_we   = 1'b0;
      shows     = 1'b0;
      ready_we  = 1'b0;
      shown     = ready_mem[pop_sm];
      seeks     = reply_pop_i && !one && second != list.tail;
      if (reply_pop_i) begin
        free_node_o <= list.head;
        list_we     = 1'b1;
        list_d.some = !one;
        list_d.head = second;
        shows       = 1'b1;
      end
      // third: the node behind the one that is shown now
      if (seeks) begin
        seek_sm_q <= pop_sm;
        second_q  <= second;
      end
      third_valid_q <= Pipelined && seeks;
      thirds        = Pipelined ? third_valid_q : seeks;
      third         = third_node_q;
      if (thirds) begin
        third_node_q <= next_mem[Pipelined ? second_q : second];
        if (!Pipelined) third = next_mem[second];
      end
      read_sm_q    <= seek_sm_q;
      read_valid_q <= Pipelined && thirds;
      // read: its reply; or that of a delivery
      reads = Pipelined ? read_valid_q : seeks;
      word  = reply_mem[deliver_i ? deliver_node_i : third];
      if (reads || deliver_i) word_q <= word;
      if (Pipelined) word = word_q;
      if (reads) hold_node_q <= third;
      hold_sm_q    <= read_sm_q;
      if (deliver_i) begin
        append_sm_q   <= deliver_sm_i;
        append_node_q <= deliver_node_i;
      end
      hold_valid_q   <= Pipelined && reads;
      append_valid_q <= Pipelined && deliver_i;
      // hold: it is the second
      holds      = Pipelined ? hold_valid_q : seeks;
      ready_at   = Pipelined ? hold_sm_q : pop_sm;
      ready_node = Pipelined ? hold_node_q : third;
      ready      = word;
      ready_we   = holds;
      // append: a delivery; the first one is shown, the second one held ready
      append_node = Pipelined ? append_node_q : deliver_node_i;
      if (appends) begin
        list_we = 1'b1;
        if (some) `STORE(next_mem[list.tail], append_node);
        else list_d.head = append_node;
        list_d.some = 1'b1;
        list_d.tail = append_node;
        shows       = !some;
        shown       = word;
        if (some && one) begin
          ready_we   = 1'b1;
          ready_at   = at;
          ready_node = append_node;
          ready      = word;
        end
      end
      if (init_q) begin
        init_q    <= init_at_q != '1;
        init_at_q <= init_at_q + 1'b1;
        at        = init_at_q;
        list_we   = 1'b1;
        list_d    = '0;
        shows     = 1'b1;
      end
      if (list_we) `STORE(sm_mem[at], list_d);
      if (shows) begin
        `STORE(shown_mem[at], shown);
        `STORE(shown_valid_mem[at], list_d.some);
      end
      if (ready_we) begin
        `STORE(ready_mem[ready_at], ready);
        `STORE(ready_node_mem[ready_at], ready_node);
      end
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  /* verilator lint_off UNUSEDSIGNAL */         // the word's fields
  logic [ListW-1:0] asked_word;
  list_t asked;
  /* verilator lint_on UNUSEDSIGNAL */
  assign asked_word = sm_mem[reply_sm_i];
  assign asked      = asked_word;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      // what is popped was shown in the clock before
      `ASSERT_IF(PopShown, reply_pop_i, shown_valid_mem[pop_sm])
      `ASSERT_IF(PopReplied, reply_pop_i, replied_i)
      `ASSERT_IF(PopNoDelivery, reply_pop_i, !deliver_i && !append_valid_q)
      `ASSERT_IF(DeliverReady, deliver_i, !init_q)
      if (!init_q) begin
        `ASSERT(ShownIsHead, shown_valid_mem[reply_sm_i] == asked.some)
        `ASSERT_IF(ReadyIsSecond, asked.some && asked.head != asked.tail && !third_valid_q
                                  && !read_valid_q && !hold_valid_q,
                   ready_node_mem[reply_sm_i] == next_mem[asked.head])
      end
      if (Pipelined) begin
        // what follows a pop takes three clocks, in which none of the same SM comes
        `ASSERT_IF(PopsApart, reply_pop_i,
                   !(third_valid_q && seek_sm_q == pop_sm) && !(read_valid_q && read_sm_q == pop_sm)
                   && !(hold_valid_q && hold_sm_q == pop_sm))
        // a delivery writes the same memories
        `ASSERT_IF(PopStepsPhase, deliver_i, !third_valid_q && !read_valid_q && !hold_valid_q)
      end
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
