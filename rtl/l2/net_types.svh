// What several modules of the network engine have in common: what a message is, and how long it
// takes. Vectors, not structs, cross function arguments and ports, for yosys 0.23.
`include "net_lists.svh"

/* verilator lint_off UNUSEDPARAM */        // not every module uses all of them
localparam int NumWays = 16;                // of a set
localparam int WayBits = 4;
localparam int TagW    = 32;                // a way's line number

typedef logic [SliceBits-1:0] slice_t;
typedef logic [WayBits-1:0]   way_t;

// Which of a slice's messages is in work.
typedef enum logic [2:0] {
  OpRequest,                                // of an SM
  OpFar,                                    // of the other partition
  OpFill,                                   // memory's reply
  OpBack,                                   // from the other partition: sectors, an answer, a drop
  OpCopy,                                   // (no message:) a line of FillL2
  OpDrop                                    // its copy in the other partition
} slice_op_e;

// What a slice does with it.
typedef enum logic [2:0] {
  ActServe,                                 // the request, or the line of FillL2, here
  ActPass,                                  // the request is served at its line's home
  ActPassed,                                // its answer goes on to the SM
  ActFill,                                  // sectors come
  ActDrop,                                  // the copy of a line goes
  ActWritten                                // memory has taken a write: nothing
} act_e;

// What a message between the partitions is.
typedef enum logic [2:0] {
  TripNone,                                 // the request of an SM, where it was sent
  TripFetch,                                // sectors for a copy
  TripPass,                                 // a request that is served at home only
  TripFetched,                              // the sectors come
  TripPassed,                               // its answer comes
  TripDrop,                                 // a copy is no longer valid
  TripWritten                               // (no message:) memory has taken a write
} trip_e;
localparam int TripW = 3;
localparam int NoteW = 4 + TripW;           // kept beside a message: {sectors of an answer, trip_e}

// What leaves a slice.
typedef enum logic [1:0] {
  SendAnswer,                               // to the SM, or back where the request came from
  SendFetch,                                // to the line's home: sectors are wanted,
  SendPass,                                 // or the request itself
  SendDrop                                  // from home: the copy must go
} send_e;

localparam logic [2:0] BarStores = 3'd6;    // counts outstanding stores: acknowledgements
localparam logic [2:0] BarNone   = 3'd7;
/* verilator lint_on UNUSEDPARAM */

/// when something is free again that is taken, at `at`, for `busy` / 256 cycles: {cycle, less};
/// `less` is what is left over of the one before, 0 if it was free
function automatic logic [TimeW+7:0] taken_until(input time_t at, input logic [7:0] less,
                                                 input logic [23:0] busy);
  logic [23:0] span, cycles;
  span   = busy - 24'(less);
  cycles = (span + 24'd255) >> 8;
  taken_until = {at + TimeW'(cycles), 8'd0 - span[7:0]};
endfunction

/// sectors set
function automatic logic [2:0] count4(input logic [3:0] set);
  count4 = 3'(set[0]) + 3'(set[1]) + 3'(set[2]) + 3'(set[3]);
endfunction

/// 1/256 cycles that sectors take in a slice or one of its ports: a flit at least; a flit has 1, 2
/// or 4 sectors, as the shift 0, 1, 2 says
function automatic logic [23:0] flits(input logic [3:0] sectors, input logic [1:0] flit_shift,
                                      input logic [15:0] flit_time);
  logic [2:0] count;
  count = count4(sectors);
  case (flit_shift)
    2'd0:    count = (count == '0) ? 3'd1 : count;
    2'd1:    count = (count > 3'd2) ? 3'd2 : 3'd1;
    default: count = 3'd1;
  endcase
  flits = 24'(count) * 24'(flit_time);
endfunction
