// One lane of a vector, at a place that is known only when it runs. In synthesis every lane has its
// own adder or comparison, since a shifter to one place for all and back would be longer than all
// else; a processor that simulates goes to the place. Nothing happens for lane `none`.
`ifndef HEDDLE_LANES_SVH
`define HEDDLE_LANES_SVH
`include "heddle_macros.svh"
`ifdef HEDDLE_NBA
 // of a word of a memory, which keeps it
 `define LANE_KEEP(mem, addr, lane, num, width, value) \
   for (int l = 0; l < num; l++) \
     if (32'(lane) == l) mem[addr][l*width +: width] <= value;
 `define LANE_ADD(vector, lane, none, num, width, value) \
   for (int l = 0; l < num; l++) \
     if (32'(lane) == l) vector[l*width +: width] = vector[l*width +: width] + value;
 `define LANE_LATEST(vector, lane, none, num, width, value) \
   for (int l = 0; l < num; l++) \
     if (32'(lane) == l) vector[l*width +: width] = latest(vector[l*width +: width], value);
`else
 `define LANE_KEEP(mem, addr, lane, num, width, value) \
   mem[addr][lane*width +: width] = value;
 `define LANE_ADD(vector, lane, none, num, width, value) \
   if (lane != none) vector[lane*width +: width] = vector[lane*width +: width] + value;
 `define LANE_LATEST(vector, lane, none, num, width, value) \
   if (lane != none) vector[lane*width +: width] = latest(vector[lane*width +: width], value);
`endif
`endif
