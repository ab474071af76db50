// Sizes and types of the network engine. Vectors, not structs, cross function arguments, for yosys
// 0.23.

// ---------------------------------------------------------------- what is held
localparam int NodeBits  = 16;              // messages in the network or waiting for memory
localparam int NumNodes  = 1 << NodeBits;
localparam int SmBits    = 8;
localparam int SliceBits = 7;               // slices, global or of this instance
localparam int NumSlices = 96;
localparam int RowBits   = 15;              // sets of all slices of this instance
localparam int NumRows   = 1 << RowBits;
localparam int NumWays   = 16;
localparam int WayBits   = 4;
localparam int TagW      = 32;              // a way's line number
localparam int WayW      = 16;             // a way's sector bits: {full, in flight, dirty, valid}

// ---------------------------------------------------------------- the calendar
// Sources of messages: SMs (requests) from 0 on, slices (replies) from FirstSlice on.
localparam int SourceBits  = 8;
localparam int NumSources  = 1 << SourceBits;
localparam int FirstSlice  = NumSources - NumSlices;
localparam int WheelBits   = 8;             // cycles ahead that have a bucket of their own
localparam int LaneBits    = SourceBits - 5;
localparam int NumLanes    = 1 << LaneBits; // words of 32 sources in a bucket
localparam int NumGroups   = 1 << (WheelBits - 5);  // words of 32 buckets

typedef logic [NodeBits-1:0]   node_t;
typedef logic [SliceBits-1:0]  slice_t;
typedef logic [RowBits-1:0]    row_t;
typedef logic [WayBits-1:0]    way_t;
typedef logic [SourceBits-1:0] source_t;
typedef logic [NumSlices-1:0]  slice_set_t;

// A first-in first-out list of nodes, linked through next_mem (or wait_next_mem).
typedef struct packed {
  logic  some;                              // not empty
  node_t head;
  node_t tail;
} list_t;
localparam int ListW = 1 + 2*NodeBits;

// What a slice is about to do: its times and whether it waits for memory to free a way.
typedef struct packed {
  logic  stuck;                             // no way free: the next DramReply comes first
  time_t free_at;                           // earliest service
  time_t port_at;                           // reply port is free
} clock_t;
localparam int ClockW = 1 + 2*TimeW;

// Beside the ways of a set.
typedef struct packed {
  list_t waiting;                           // requests that wait for memory, in order of service
  way_t  pointer;                           // replaced next
} set_t;
localparam int SetW = ListW + WayBits;

// A request that waits for memory.
typedef struct packed {
  logic [3:0] asked;                        // sectors of its own DramRead, 0: not in flight
  logic [3:0] need;                         // sectors still to come
  logic [3:0] answer;                       // sectors of its reply
} wait_t;
localparam int WaitW = 12;

typedef enum logic [1:0] { Rest, Clear, Extract, Serve } phase_e;
typedef enum logic [3:0] {
  SliceIdle, SliceLoad, SliceRead, SliceDecide, SliceFetch, SliceTags, SliceServe, SliceFill,
  SliceWaiter, SliceWake, SliceCopy
} slice_state_e;
typedef enum logic [1:0] { OpRequest, OpFill, OpCopy } slice_op_e;
typedef enum logic [1:0] { FlushNone, FlushRead, FlushWays, FlushScan } flush_e;

localparam logic [2:0] BarStores = 3'd6;    // counts outstanding stores: acknowledgements
localparam logic [2:0] BarNone   = 3'd7;

// ---------------------------------------------------------------- small functions
/// number of the lowest set bit of 32
function automatic logic [4:0] lowest32(input logic [31:0] set);
  logic [31:0] one;
  one = set & (~set + 1'b1);
  lowest32 = {|(one & 32'hffff0000), |(one & 32'hff00ff00), |(one & 32'hf0f0f0f0),
              |(one & 32'hcccccccc), |(one & 32'haaaaaaaa)};
endfunction

/// sectors set
function automatic logic [2:0] count4(input logic [3:0] set);
  count4 = 3'(set[0]) + 3'(set[1]) + 3'(set[2]) + 3'(set[3]);
endfunction
