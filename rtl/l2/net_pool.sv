/// Nodes: one per message in the network or waiting for memory. Those that are free.
///
/// Two users take nodes; for each a node is kept in a register. What the second one says (the
/// spare) comes a clock late: a node is still shown in the clock in which it is taken.
/// Latency: a node that is given back can be shown two clocks later. Throughput: one is taken, one
/// given back each clock; of spares one in two clocks.
/// Rules: take_i only with ok_o, spare_take_i only with spare_ok_o.
`include "heddle_assert.svh"
`include "cell/stage.svh"
/* verilator lint_off BLKSEQ */  // values inside one clock
module net_pool #(
  parameter int NodeBits = 16          /// log2 of the nodes
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                ok_o,           /// this node can be taken:
  output logic [NodeBits-1:0] node_o,
  input  logic                take_i,
  output logic                spare_ok_o,     /// this one as well:
  output logic [NodeBits-1:0] spare_node_o,
  input  logic                spare_take_i,
  output logic                empty_o,        /// there is no node
  input  logic                free_i,         /// this node is given back:
  input  logic [NodeBits-1:0] free_node_i
);
  localparam int NumNodes = 1 << NodeBits;

  logic [NodeBits-1:0] free_mem [NumNodes];   // nodes to use again, a ring
  logic [NodeBits:0]   read_q, write_q;       // its ends
  logic [NodeBits:0]   fresh_q;               // nodes from here on were never used
  // values inside one clock
  logic                again, offers, sets_aside;
  logic [NodeBits-1:0] next;

  assign empty_o = read_q == write_q && fresh_q[NodeBits];

  always_ff @(posedge clk_i) begin : nodes
    if (free_i) `STORE(free_mem[write_q[NodeBits-1:0]], free_node_i);
    if (!rst_ni) begin
      read_q     <= '0;
      write_q    <= '0;
      fresh_q    <= '0;
      ok_o       <= 1'b0;
      spare_ok_o <= 1'b0;
    end else begin
      if (free_i) write_q <= write_q + 1'b1;
      sets_aside = (!spare_ok_o || spare_take_i) && !empty_o;
      offers     = (!ok_o || take_i) && !sets_aside && !empty_o;
      if (sets_aside || offers) begin
        again = read_q != write_q;
        next  = again ? free_mem[read_q[NodeBits-1:0]] : fresh_q[NodeBits-1:0];
        if (again) read_q <= read_q + 1'b1;
        else fresh_q <= fresh_q + 1'b1;
        if (sets_aside) spare_node_o <= next;
        else node_o <= next;
      end
      if (take_i || offers) ok_o <= offers;
      if (spare_take_i || sets_aside) spare_ok_o <= sets_aside;
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT(FreshBound, fresh_q <= (NodeBits+1)'(NumNodes))
      // only nodes that were used once can be free again
      `ASSERT(FreeBound, (NodeBits+1)'(write_q - read_q) <= fresh_q)
      `ASSERT_IF(TakeOffered, take_i, ok_o)
      `ASSERT_IF(TakeSpare, spare_take_i, spare_ok_o)
      `ASSERT_IF(FreeWasUsed, free_i, {1'b0, free_node_i} < fresh_q)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
