/// Nodes: one per message in the network or waiting for memory. Those that are free.
///
/// Two users take nodes. One is offered the next node in the clock in which it takes it; the other,
/// whose wish comes a clock late, has a node set aside for it (the spare).
/// Latency: a node that is given back can be taken in the next clock. Throughput: one is taken, one
/// given back each clock; of spares one in three clocks.
/// Rules: take_i only with ok_o, spare_take_i only with spare_ok_o.
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // the clock of the rules
module net_pool #(
  parameter int NodeBits = 16
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
  logic                spare_q;               // a node is set aside
  logic                again, taken, set_aside;

  assign again        = read_q != write_q;
  assign empty_o      = !again && fresh_q[NodeBits];
  assign node_o       = again ? free_mem[read_q[NodeBits-1:0]] : fresh_q[NodeBits-1:0];
  assign set_aside    = !empty_o && !spare_q;
  assign ok_o         = !empty_o && spare_q;  // else it becomes the spare
  assign spare_ok_o   = spare_q;
  assign taken        = set_aside || take_i;

  always_ff @(posedge clk_i) begin : nodes
    if (free_i) free_mem[write_q[NodeBits-1:0]] <= free_node_i;
    if (set_aside) spare_node_o <= node_o;
    if (!rst_ni) begin
      read_q  <= '0;
      write_q <= '0;
      fresh_q <= '0;
      spare_q <= 1'b0;
    end else begin
      if (free_i) write_q <= write_q + 1'b1;
      if (taken && again) read_q <= read_q + 1'b1;
      if (taken && !again) fresh_q <= fresh_q + 1'b1;
      if (set_aside || spare_take_i) spare_q <= set_aside;
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
      `ASSERT_IF(TakeSpare, spare_take_i, spare_q)
      `ASSERT_IF(FreeWasUsed, free_i, {1'b0, free_node_i} < fresh_q)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
