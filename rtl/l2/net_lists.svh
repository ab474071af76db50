// Nodes, which messages lie in, and lists of them. Vectors, not structs, cross function arguments
// and ports, for yosys 0.23.
`include "net_sources.svh"
/* verilator lint_off UNUSEDPARAM */        // not every module uses all of them
localparam int NumNodes  = 1 << NodeBits;   // messages in the network or waiting for memory
/* verilator lint_on UNUSEDPARAM */

typedef logic [NodeBits-1:0]   node_t;
typedef logic [SourceBits-1:0] source_t;

// A first-in first-out list of nodes, linked through a memory of the next ones.
typedef struct packed {
  logic  some;                              // not empty
  node_t head;
  node_t tail;
} list_t;
/* verilator lint_off UNUSEDPARAM */
localparam int ListW = 1 + 2*NodeBits;
/* verilator lint_on UNUSEDPARAM */

/// number of the lowest set bit of 32
function automatic logic [4:0] lowest32(input logic [31:0] set);
  logic [31:0] one;
  one = set & (~set + 1'b1);
  lowest32 = {|(one & 32'hffff0000), |(one & 32'hff00ff00), |(one & 32'hf0f0f0f0),
              |(one & 32'hcccccccc), |(one & 32'haaaaaaaa)};
endfunction

/// number of the lowest slice of a set
function automatic logic [SliceBits-1:0] lowest_slice(input logic [NumSlices-1:0] set);
  if (set[31:0] != '0) lowest_slice = {2'd0, lowest32(set[31:0])};
  else if (set[63:32] != '0) lowest_slice = {2'd1, lowest32(set[63:32])};
  else lowest_slice = {2'd2, lowest32(set[95:64])};
endfunction
