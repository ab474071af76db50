// Geometry and types of the SM engine, inside its modules (widths follow the parameters of
// sm_parameters.svh).
/* verilator lint_off UNUSEDPARAM */  // no module uses them all

// ---------------------------------------------------------------- geometry of the target
localparam int WarpsPerSm  = SubPerSm * WarpsPerSub;
localparam int NumDepends = 7;               // dependency counters of a warp, 6: stores
localparam int NumPipes    = 10;              // pipes with a state; higher numbers are never busy
localparam logic [3:0] MioPipe = 4'd9;        // the memory pipe
localparam logic [3:0] FreePipe = 4'd13;      // pipe of a warp whose instruction needs none,
localparam logic [3:0] Starving = 4'd14;      // of one that has no instruction to issue,
localparam logic [3:0] Stopped  = 4'd15;      // of one that cannot issue before an event
localparam int QueueBits   = 4;               // MIO entries of a sub-core, issued to memory stage
localparam int SlotEntries = 5;               // MIO slots of a sub-core
localparam int Credits     = 4;               // operations between address unit and memory stage
localparam int CreditBits  = 3;               // of rings with a place for each

// ---------------------------------------------------------------- geometry of the host
// entries of the queue of micro-operations; half of them are enough for all visits under way
localparam int MicroBits   = Pipelined ? 5 : 4;
localparam int WakeBits    = 4;               // entries of the queues of wake-ups
localparam int InitBits    = 8;               // steps to initialise an SM
localparam int HeadW       = 64;              // the part of a packet that this engine reads
localparam int SetBits     = 8;               // L1 sets, of which 128 or all are in use
localparam int NumWays     = 8;
localparam int L1LinesW    = SetBits + 4;     // lines of L1, up to NumWays in each set
localparam int MshrSetBits = 6;
localparam int CodeBits    = 6;               // sets of an instruction cache, half or all in use
localparam int CodeWays    = 4;
localparam int CodeTagW    = 1 + LineNoW - (CodeBits - 1);  // {valid, tag}
localparam int CodeW       = 2 + CodeWays*CodeTagW;         // {next way, ways}
localparam int CodeAhead   = 8;               // lines of a stream buffer
localparam int AheadW      = TimeW + 1;       // one of them: a bound_t
// Asks of a sub-core on their way to the SM's cache: one of each warp that starts, and as many as
// the buffer has lines, since behind them it waits; in the time of the way no warp starts twice.
localparam int AskBits     = WarpBits + 1;
localparam int SmCodeBits  = 6;               // sets of that cache
localparam int SmCodeWays  = 16;
localparam int SmCodeTagW  = LineNoW - SmCodeBits;
localparam int CodeFlights = 12;              // lines on their way there when nobody asks ahead
localparam int ConstBits   = 3;               // sets of a cache of constants, half or all in use
localparam int ConstWays   = 4;
localparam int ConstLineW  = 11;              // line of constants
localparam int ConstTagW   = 7 + ConstLineW;  // {whose constants, line}, no line 0: never filled
localparam int ConstWayW   = ConstTagW + TimeW;             // {there from, tag}
localparam int SmConstBits = 2;               // sets of an SM's cache of indexed constants
localparam int SmConstWays = 8;
localparam int SmConstW    = 3 + SmConstWays*ConstWayW;     // {next way, ways}
localparam int ConstW      = 2 + ConstWays*ConstWayW;       // {next way, ways}
localparam int NumMshr     = 4;               // MSHRs of a set
localparam int MshrRoom    = 8;               // operations that wait for one
localparam int EpochBits   = 3;               // L1 is emptied by a new epoch; 0: never filled
localparam int SizeW       = EpochBits + L1LinesW;
localparam int FlightBits  = 6;               // counts micro-operations under way
localparam int CountW      = 16;              // a dependency counter
localparam int RelW        = 8;               // saturated distance from a sub-core's time bound
localparam int KeyBits     = RelW + 1 + WarpBits;  // {distance, not starving, order}
localparam int KeyW        = 32;              // a key, zeros above: words are compared fast
// A time of which the sub-core is never far: of the machine that simulates a lane is one word.
localparam int NearW       = TimeW > 30 ? 30 : TimeW;
localparam int IssueW      = 2 + NearW;       // {time, not starving, stopped}: a lane of ready_mem

// ---------------------------------------------------------------- types
typedef logic [SmBits-1:0]                      sm_t;
typedef logic [SlotBits-1:0]                    slot_t;
typedef logic [SubBits-1:0]                     sub_t;
typedef logic [WarpBits-1:0]                    warp_t;
typedef logic [SubBits+WarpBits-1:0]            sm_warp_t;  // {sub-core, warp in it}
typedef logic [CtaBits-1:0]                     cta_t;
typedef logic [CtxBits-1:0]                     ctx_t;      // {slot, sub-core}
typedef logic [SmBits+SubBits-1:0]              row_t;      // {SM, sub-core}
typedef logic [SmBits+SubBits+WarpBits-1:0]     warp_id_t;  // {SM, sub-core, warp}
typedef logic [2:0]                             bar_t;      // counter of a warp, 7: none
typedef logic [QueueBits-1:0]                   entry_t;    // counts MIO operations
typedef logic [BufferBits:0]                    ptr_t;      // counts packets
typedef logic [RelW-1:0]                        rel_t;
typedef logic [LineNoW-1:0]                     line_no_t;
typedef logic [ConstLineW-1:0]                  const_line_t;
typedef logic [6:0]                             constants_t;  // whose constants, of a launch
typedef logic [KeyW-1:0]                        key_t;
typedef logic [BoundsW-1:0]                     bounds_t;   // per sub-core: bound_t
typedef logic [NumCtx-1:0]                      ctx_set_t;
typedef logic [8*CountW-1:0]                    counts_t;   // per counter; lane 7 means nothing
typedef logic [8*TimeW-1:0]                     times_t;    // per counter
typedef logic [31:0]                            full_t;     // a time in full
// What a visit brings beside its time: another one, a number of line words, or a line of code.
typedef logic [ExtraW-1:0]                      extra_t;

localparam bar_t NoBar    = 3'd7;
localparam bar_t StoreBar = 3'd6;
localparam int   BankedBars = 32'(StoreBar);  // counters of results
localparam rel_t Blocked  = {RelW{1'b1}};      // waits for an event, no time known
localparam rel_t Far      = Blocked - 1'b1;    // at least this far away, look again then

// Look-ahead between a sub-core and the memory stage of its SM, both ways, and so the longest
// window; and from the end of a warp to the barriers of its CTA (docs/timing-model.md).
localparam time_t StageDelay = TimeW'(8);
localparam time_t RoundTrip  = TimeW'(16);
localparam time_t ExitDelay  = TimeW'(16);
localparam time_t OperandDelay = TimeW'(4);    // issue to operands read, pipes other than MIO
localparam time_t LongAgo    = -(TimeW'(256));   // before anything else, at reset

// Why a sub-core issues nothing: the core's counters of such cycles, from the first.
localparam int CauseW = 4;
typedef logic [CauseW-1:0] cause_t;
localparam cause_t WaitNoWarp  = '0;
localparam cause_t WaitStall   = CauseW'(CounterWaitStall - CounterWaitNoWarp);
localparam cause_t WaitMemory  = CauseW'(CounterWaitMemory - CounterWaitNoWarp);
localparam cause_t WaitShared  = CauseW'(CounterWaitShared - CounterWaitNoWarp);
localparam cause_t WaitSfu     = CauseW'(CounterWaitSfu - CounterWaitNoWarp);
localparam cause_t WaitPipe    = CauseW'(CounterWaitPipe - CounterWaitNoWarp);
localparam cause_t WaitLgThrottle  = CauseW'(CounterWaitLgThrottle - CounterWaitNoWarp);
localparam cause_t WaitMioThrottle = CauseW'(CounterWaitMioThrottle - CounterWaitNoWarp);
localparam cause_t WaitBarrier = CauseW'(CounterWaitBarrier - CounterWaitNoWarp);
localparam cause_t WaitMembar  = CauseW'(CounterWaitMembar - CounterWaitNoWarp);
localparam cause_t WaitDrain   = CauseW'(CounterWaitDrain - CounterWaitNoWarp);
localparam cause_t WaitSleep   = CauseW'(CounterWaitSleep - CounterWaitNoWarp);
localparam cause_t WaitRegister = CauseW'(CounterWaitRegister - CounterWaitNoWarp);
localparam cause_t WaitFetch   = CauseW'(CounterWaitFetch - CounterWaitNoWarp);
localparam cause_t WaitConstant = CauseW'(CounterWaitConstant - CounterWaitNoWarp);
localparam logic [1:0] KindMemory = 2'd0;     // of board_t: memory,
localparam logic [1:0] KindShared = 2'd1;     // the rest of the memory pipe,
localparam logic [1:0] KindSfu    = 2'd2;     // other units of variable latency

// Upper half of packet_t: what the engine reads of a packet.
typedef struct packed {
  logic [5:0] cls;
  logic [3:0] stall;
  logic       do_yield;
  logic [6:0] wait_mask;
  bar_t       wr_bar;
  bar_t       rd_bar;
  logic [1:0] dst;           // banks of its result: even registers, odd ones
  logic [3:0] spare;
  logic       last;
  logic       perform;
  logic [4:0] slot;
  logic [3:0] mem;
  logic [5:0] lines;
  logic [5:0] passes;
  logic [3:0] bar_id;
  logic       bar_arrive;
  logic [5:0] bar_warps;
} head_t;

// Of the lower half: the operands, and where the instruction lies.
typedef struct packed {
  const_line_t constant;     // line of constants, 0: none
  logic [20:0] src;          // of slot s at 7 * s: register without the lowest bit of its number
  logic [2:0]  even, odd;    // slots that read it in the bank of even, of odd registers
  logic [2:0]  reuse;        // slots that are kept
  logic        start;        // which the launch has fetched
  logic        fetch;        // the line of code is another than that of the instruction before
  logic        launched;     // the SM's cache has the lines from here on since the launch
  line_no_t    line;         // line of code
} operands_t;

// Row of the class table, as command Class brings it.
typedef struct packed {
  logic [15:0] latency;
  logic [7:0]  interval;
  logic [3:0]  pipe;
  logic        reuse;        // its packets' reuse bits count
  logic        ports;        // reads its operands through the ports of the register file
  logic        sleeping;     // the warp waits for as many cycles as its packet says
  logic        blocking;     // the warp waits for the latency
} class_t;

// What a visit to a sub-core does on its way down the pipeline. Its parts go from stage to stage
// each on its own, for a processor that simulates has them at hand then: kind, place (in_slot,
// slot, sub), the number of the warp (SM, sub-core, warp), and an argument.
typedef enum logic [2:0] {
  KindIssue,                 // issues the next warp instruction, if any
  KindCount,                 // micro-operation of the memory stage: adds to a counter of a warp
  KindResume,                // micro-operation: the CTA barrier of a warp is complete
  KindWake,                  // packets have come for a warp that had none
  KindLaunch,                // a warp becomes live
  KindInit,                  // initialises memories
  KindCode,                  // micro-operation: lines of code have come
  KindScrub                  // makes stored times of long ago recent ones (sm_scrub.sv)
} kind_e;
typedef struct packed {
  bar_t       bar;           // Count: which counter
  logic [6:0] delta;         // Count: added to it, two's complement; Launch: its constants_t
  logic       timed;         // Count: takes effect at a time; else at once
  logic       credit;        // Count: the memory stage took an operation of the sub-core
  logic       micro;         // last visit of a micro-operation
  logic [5:0] lines;         // Count: line words used up
  cta_t       cta;           // Launch; Code: epoch of the stream
} arg_t;
typedef struct packed {
  kind_e      kind;
  logic       in_slot;       // the SM has a slot
  slot_t      slot;
  sm_t        sm;            // with the two below the number of the warp, in one piece
  sub_t       sub;
  warp_t      warp;
  arg_t       arg;
} visit_t;

// MIO operations that a sub-core issued, gave to the address unit and had served.
typedef struct packed {
  entry_t     issued;
  entry_t     sent;
  entry_t     served;
} mio_t;

// A warp.
typedef struct packed {
  cta_t        cta;          // CTA slot
  logic        live;
  logic        waiting;      // at a CTA barrier
  logic        has;          // the head packet is an instruction
  logic        hold;         // the head packet is a Hold
  logic        fetched;      // its code was looked for
  logic        constant;     // its constant was looked for
  constants_t  constants;    // whose constants are meant
  ptr_t        rd;           // next packet in the buffer
  ptr_t        told;         // write pointer of the buffer at the last Want event
  logic [15:0] consumed;     // packets
  cause_t      cause;        // what it stalls for
  logic [11:0] kinds;        // per dependency counter: what the operation was that counts there
} board_t;

// Line words of a warp number, modulo 2^16.
typedef struct packed {
  logic [15:0] used;
  logic [15:0] told;         // used at the last Want event
} lines_t;

// Stream buffer of a sub-core: a line, its base, and the lines behind it.
typedef struct packed {
  cta_t                                 epoch;  // counts streams (as wide as visit_t can carry)
  logic                                 told;   // the SM's cache knows of this one
  line_no_t                             base;
  bound_t                               at;     // the base is there from; never: not known yet
  logic [CodeAhead*AheadW-1:0]          ahead;  // line n behind it, at n modulo CodeAhead
} stream_t;

// What a sub-core asks of the SM's instruction cache: its base, and the last lines of the buffer.
typedef struct packed {
  cta_t        epoch;
  logic        restart;      // another stream: the lines asked for before are not wanted
  logic        demand;       // the base
  logic        launched;     // the cache has all of them since the launch
  logic [3:0]  fresh;        // so many of the last lines
  line_no_t    base;
} ask_t;

// Lines that a sub-core waits for at the SM's instruction cache: bit n, line n behind the base.
typedef struct packed {
  cta_t                 epoch;
  line_no_t             base;
  logic [CodeAhead:0]   lines;
} watch_t;

// A line of that cache; it is on its way until all four sectors have come.
typedef struct packed {
  logic                   used;
  logic [3:0]             come;
  logic [SmCodeTagW-1:0]  tag;
} sm_code_t;

// Operation whose entry into the address unit is not known yet.
typedef struct packed { warp_t warp; bar_t rd_bar; } late_t;

// Operation on its way from a sub-core to the memory stage.
typedef struct packed {
  logic [3:0] mem;
  warp_t      warp;
  bar_t       bar;
  logic       perform;
  logic [4:0] slot;
  logic [5:0] lines;
  logic [5:0] passes;
  logic [3:0] bar_id;
  logic       bar_arrive;
  logic [5:0] bar_warps;
  cta_t       cta;
  constants_t constants;     // Const
  const_line_t constant;
} mem_op_t;

// Wake-up or launch, from the command port to select.
typedef struct packed {
  logic launch; sm_t sm; sm_warp_t warp; cta_t cta; constants_t constants;
} wake_t;

// What the memory stage does in a visit to an SM (sm_passes.sv).
typedef enum logic [3:0] {
  PassEnd,                   // nothing more before the end of the short window
  PassExit,                  // a warp has ended
  PassReply,                 // a reply of the network
  PassAsk,                   // a sub-core asks for code: the first line
  PassTake,                  // takes an operation, and looks up its first line if it has some
  PassLine,                  // looks up the next line of the operation in work
  PassScrub,                 // the SM's times are scrubbed
  // goes on with what the visit before began
  PassWake,                  // another operation has its line
  PassBars,                  // a barrier of the CTA of a warp that has ended
  PassOpen,                  // a warp that waited at a barrier goes on
  PassAsks,                  // the next line of an ask
  PassTell                   // another sub-core may wait for the line of code that has come
} pass_e;

// The operation in work, of an SM.
typedef struct packed {
  logic        active;       // there is one, on global memory,
  logic        stalled;      // and it waits for an MSHR,
  logic        stall_port;   // or for an answer to a request that L1 does not keep
  sub_t        sub;          // its sub-core
  logic [5:0]  index;        // its next line
  logic [4:0]  look;         // cycles from its first look-up to the next one, without stalls
  logic [5:0]  misses;       // of its lines, not yet counted at the warp
  logic        credit;       // its credit has not been given back
  logic [5:0]  stall_set;    // MSHR set it waits for
  sub_t        turn;         // sub-core first in turn
} work_t;

// Operation that waits for a line.
typedef struct packed { logic [5:0] warp; bar_t bar; } waiter_t;
// Miss status: a line on its way from the network.
typedef struct packed {
  logic        valid;
  logic [25:0] tag;          // line number without the low six bits
  logic [3:0]  wanted;       // sectors requested
  logic [3:0]  come;         // of those, delivered
  logic [3:0]  waiters;      // operations that wait, 0..8 ...
  waiter_t     first;        // ... the first of them
} mshr_t;

// A CTA, for its barriers and its end.
typedef struct packed {
  logic [5:0]  live;         // warps
  full_t       ended;        // latest end of a warp
  logic [15:0] used;         // barriers whose state means something
} cta_state_t;
// Arrivals at a CTA barrier.
typedef struct packed {
  logic        all;          // complete with all live warps
  logic [5:0]  count;        // warps that have arrived
  full_t       at;           // latest arrival
} group_t;

// Widths of the structs that are memory words.
localparam int CountsW = 3*QueueBits;
localparam int OperandsW = ConstLineW + 3*7 + 3*3 + 3 + LineNoW;
localparam int BoardW  = CtaBits + 5 + 1 + 7 + 2*(BufferBits + 1) + 16 + CauseW + 12;
localparam int LinesW  = 32;
localparam int StreamW = CtaBits + 1 + LineNoW + (CodeAhead + 1)*AheadW;
localparam int AskW    = CtaBits + 3 + 4 + LineNoW;
localparam int WatchW  = CtaBits + LineNoW + CodeAhead + 1;
localparam int SmCodeW = 5 + SmCodeTagW;
localparam int LateW   = WarpBits + 3;
localparam int ReplayW = 9;
localparam int MemOpW  = 4 + WarpBits + 3 + 1 + 5 + 6 + 6 + 4 + 1 + 6 + CtaBits + ConstTagW;
localparam int WakeW   = 1 + SmBits + SubBits + WarpBits + CtaBits + 7;
localparam int ClassW  = 32;
localparam int WorkW   = 1 + 1 + 1 + SubBits + 6 + 5 + 6 + 1 + 6 + SubBits;
localparam int WaiterW = 9;
localparam int MshrW   = 39 + WaiterW;
localparam int VictimW = EpochBits + 3;
localparam int TagW    = 32;                   // {epoch, valid sectors, line without low 7 bits}
localparam int CtaW    = 6 + 32 + 16;
localparam int GroupW  = 1 + 6 + 32;
localparam int ExitW   = TimeW + CtaBits;
localparam int NoticeW = 1 + TimeW + SmBits + 6 + 5;
localparam int PerformW = TimeW + SmBits + SubBits + WarpBits + 5;
localparam int WantW    = SmBits + SubBits + WarpBits + 32;

/// the operation has line words
function automatic logic is_global(input logic [3:0] mem);
  is_global = mem == MemLoad || mem == MemLoadStrong || mem == MemStore || mem == MemRed
              || mem == MemAtom;
endfunction

/// counter of an operation of the memory pipe: stores and reductions share one
function automatic bar_t result_bar(input logic [3:0] mem, input logic perform, input bar_t wr_bar);
  result_bar = mem == MemStore || mem == MemRed || (mem == MemSharedStore && perform) ? StoreBar
                                                                                       : wr_bar;
endfunction
/* verilator lint_on UNUSEDPARAM */
