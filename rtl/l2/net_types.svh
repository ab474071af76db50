// Sizes and types of the network engine. Vectors, not structs, cross function arguments, for yosys
// 0.23.

`include "net_lists.svh"
`include "net_where.svh"

localparam int NumRows = 1 << RowBits;      // sets of all slices of this instance
localparam int NumWays = 16;
localparam int WayBits = 4;
localparam int TagW    = 32;                // a way's line number
localparam int WayW    = 17;                // {copied, full, in flight, dirty, valid}: but for the
                                            // first, a bit of each sector

typedef logic [SliceBits-1:0] slice_t;
typedef logic [RowBits-1:0]   row_t;
typedef logic [WayBits-1:0]   way_t;
typedef logic [NumSlices-1:0] slice_set_t;

// What a slice is about to do: its times and whether requests wait for what comes back.
typedef struct packed {
  logic  stuck;                             // requests of SMs: what comes back goes first
  logic  far_stuck;                         // those of the other partition
  logic [9:0] entries;                      // of memory that are taken
  time_t free_at;                           // earliest service; the cycle, less free_less / 256:
  time_t port_at;                           // port of replies to SMs is free
  time_t far_at, back_at;                   // ports to the other partition are free
  logic [7:0] free_less, port_less, far_less, back_less;
} clock_t;
localparam int ClockW = 12 + 4*TimeW + 32;

// Beside the ways of a set.
typedef struct packed {
  list_t waiting;                           // requests that wait for memory, in order of service
  way_t  pointer;                           // replaced next
  logic [3:0] fetches;                      // ways that wait for the other partition
} set_t;
localparam int SetW = ListW + WayBits + 4;
localparam int MaxFetches = 8;              // of a set; the other ways can be freed by memory alone

// A request that waits for memory.
typedef struct packed {
  logic [3:0] asked;                        // sectors of its own DramRead, 0: not in flight
  logic [3:0] need;                         // sectors still to come
  logic [3:0] answer;                       // sectors of its reply
} wait_t;
localparam int WaitW = 12;

typedef enum logic [2:0] { Rest, Scrub, Clear, Extract, Serve } phase_e;
typedef enum logic [4:0] {
  SliceIdle, SliceLoad, SliceRead, SliceDecide, SliceFetch, SliceLow, SliceQuotient, SliceHome,
  SlicePlace, SliceRow, SliceTags, SliceMatch, SliceWay, SliceClean, SliceServe, SlicePass,
  SliceFill, SliceWaiter, SliceHere, SliceWake, SliceTell, SliceDrop, SlicePassed, SliceCopy,
  SliceScrub
} slice_state_e;
typedef enum logic [2:0] {
  OpRequest,                                // of an SM
  OpFar,                                    // of the other partition
  OpFill,                                   // memory's reply
  OpBack,                                   // from the other partition: sectors, an answer, a drop
  OpCopy,                                   // a line of FillL2
  OpDrop                                    // its copy in the other partition
} slice_op_e;

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
typedef logic [TripW-1:0] trip_t;           // as memories hold it: yosys casts to no enum
typedef enum logic [2:0] { FlushNone, FlushCheck, FlushRead, FlushWays, FlushScan } flush_e;

localparam logic [2:0] BarStores = 3'd6;    // counts outstanding stores: acknowledgements
localparam logic [2:0] BarNone   = 3'd7;

// ---------------------------------------------------------------- small functions
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
