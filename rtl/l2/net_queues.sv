/// Queues of the slices, and which message of which slice is in work.
///
/// A slice has four lists: requests of SMs and of other customers, requests of the other partition,
/// what else comes from there, and replies of memory. In phase Serve each slice with a message is
/// taken in turn, up to the window's end: whatever comes first is in work (work_o) until it is
/// done, then the next one. What comes back goes before a request of the same time, and before one
/// that is stuck.
/// Steps: choose (a slice), load (its lists), read (their heads), first (request, and what comes
/// back), decide, put back. Pipelined, each takes a clock; else all share one, with the end of the
/// message before.
/// Latency: six clocks from start_i to work_o, four from done_i; without Pipelined two and one.
/// Throughput: a message in work; one that arrives each clock.
/// Rules: messages arrive and memory replies while not serve_i, in order of time. A message in work
/// does not change; take_i, pop_i, again_i, stuck_i and add_i come while work_o, each once for a
/// message at most, and done_i in the last clock.
`include "heddle_macros.svh"
`include "cell/stage.svh"
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // registers that nobody else reads are assigned with =
module net_queues #(
  parameter int NodeBits  = 16,
  parameter bit Pipelined = `HEDDLE_PIPELINED
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                ready_o,         /// memories have been emptied since reset
  output logic [32:0]         next_o,          /// {never, time} of the first message left
  output logic [heddle_pkg::FaultW-1:0] fault_o,

  // parameters
  input  logic                two_i,           /// two partitions

  // a message arrives
  input  logic                arrive_i,
  input  logic [8:0]          arrive_source_i,
  input  logic [31:0]         arrive_time_i,
  input  logic [NodeBits-1:0] arrive_node_i,
  input  logic [6:0]          arrive_slice_i,  /// number of the slice here

  // memory replies
  input  logic                dram_i,
  input  logic                dram_written_i,  /// it has taken a write
  input  logic [NodeBits-1:0] dram_node_i,     /// the request, or a node that says it
  input  logic [6:0]          dram_slice_i,
  input  logic [31:0]         dram_at_i,
  input  logic [3:0]          dram_asked_i,    /// what that request has asked for
  input  logic [31:0]         reached_i,       /// all before is simulated

  // windows
  input  logic                start_i,         /// serve_i is high from the next clock on
  input  logic                serve_i,
  input  logic [31:0]         window_end_i,
  output logic                served_o,        /// no slice has anything left before it
  input  logic                scrub_i,         /// not while serve_i: the clock of this slice
  input  logic [6:0]          scrub_slice_i,
  input  logic                scrub_all_i,     /// is no earlier than the floor, or is the floor
  input  logic [31:0]         scrub_floor_i,

  // the message in work
  output logic                work_o,
  output logic                pick_o,          /// its first clock
  output logic [6:0]          slice_o,
  output logic [2:0]          op_o,            /// OpRequest, OpFar, OpFill or OpBack
  output logic [NodeBits-1:0] head_o,          /// its node
  output logic [31:0]         service_o,       /// its time
  output logic [9:0]          entries_o,       /// of memory that the slice has taken

  // what becomes of it
  input  logic                take_i,          /// the slice is taken for busy_i / 256 cycles
  input  logic [23:0]         busy_i,
  input  logic                pop_i,           /// it leaves its list
  input  logic                again_i,         /// requests that were stuck are tried again
  input  logic                stuck_i,         /// it is stuck until something comes back
  input  logic [1:0]          add_i,           /// so many more entries are taken
  input  logic                done_i
);
`include "heddle_import.svh"
  localparam int TimeW = 32;
`include "heddle_time.svh"
`include "net_types.svh"
  typedef enum logic [2:0] {
    SliceIdle, SliceLoad, SliceRead, SliceFirst, SliceDecide, SliceBack, SliceWork
  } slice_state_e;
  // What a slice is about to do.
  typedef struct packed {
    logic       stuck;                        // requests of SMs: what comes back goes first
    logic       far_stuck;                    // those of the other partition
    logic [9:0] entries;                      // of memory that are taken
    time_t      free_at;                      // earliest service; the cycle, less free_less / 256
    logic [7:0] free_less;
  } clock_t;
  localparam int ClockW = 20 + TimeW;

  logic [ListW-1:0]     queue_mem [NumSlices];      // requests that have arrived
  logic [ListW-1:0]     far_mem [NumSlices];        // requests of the other partition
  logic [ListW-1:0]     back_mem [NumSlices];       // what else comes from there
  logic [ListW-1:0]     fills_mem [NumSlices];      // replies of memory, in order of time
  logic [ClockW-1:0]    clock_mem [NumSlices];
  node_t                next_mem [NumNodes];        // the next one of the same list, ...
  time_t                time_mem [NumNodes];        // ... and when it arrived
  time_t                fill_time_mem [NumNodes];   // time of a reply of memory
  node_t                fill_next_mem [NumNodes];   // the next one of the slice
  time_t                fill_last_mem [NumSlices];  // time of the slice's last one
  logic                 init_q;                     // memories are being emptied
  slice_t               init_at_q;
  logic                 scrub_valid_q;              // this clock is made a recent one
  slice_t               scrub_slice_q;
  clock_t               scrub_clock_q;
  logic [NumSlices-1:0] active_q;                   // slices with a message
  logic [NumSlices-1:0] todo_q;                     // slices to look at in this window
  slice_state_e         state_q;
  slice_t               slice_q;                    // the slice in work: number, ...
  list_t                queue_q, far_q, back_q, fills_q;  // ... lists, ...
  clock_t               clock_q;                    // ... clock
  time_t                queue_time_q, far_time_q, back_time_q, fill_time_q;  // heads of the lists
  node_t                queue_next_q, far_next_q, back_next_q, fill_next_q;
  logic                 any_q, far_first_q;         // a request can be served; of the other side
  logic                 comes_q, back_first_q;      // something comes back; from the other side
  time_t                arrival_q, come_at_q;       // their times
  logic                 left_q;                     // it has something left, ...
  time_t                at_q;                       // ... then
  logic [7:0]           less_q;                     // service_o begins so much / 256 before

  // values inside one clock
  slice_state_e state_was;                          // as the clock began, when Pipelined
  slice_t  slice_was, slice, clock_from, queue_at, fills_at, clock_at;
  list_t   queue_now, far_now, back_now, fills_now, queue, far, back, fills, list;
  clock_t  clock_now, clock;
  logic    queue_we, far_we, back_we, fills_we, clock_we, link, picks;
  node_t   link_from;
  logic [ClockW-1:0] clock_word;
  logic    far_source, request, far_request, come, bounds, served;
  time_t   service, at, bound;

  assign ready_o = !init_q;

  always_ff @(posedge clk_i) begin : slices
    `RULES(rules)
    if (!rst_ni) begin
      init_q        <= 1'b1;
      init_at_q     = '0;
      scrub_valid_q = 1'b0;
      state_q       = SliceIdle;
      active_q      = '0;
      todo_q        = '0;
      next_o        <= Never;
      fault_o       <= FaultNone;
      served_o      <= 1'b0;
      work_o        <= 1'b0;
      pick_o        <= 1'b0;
    end else if (serve_i || arrive_i || dram_i || start_i || scrub_i || scrub_valid_q || init_q)
      work();
  end

  /// the steps of this clock are those of a state: Pipelined, of the one as the clock began
  function automatic logic in_state(input slice_state_e state);
    in_state = (Pipelined ? state_was : state_q) == state;
  endfunction

  task automatic work();
    {queue_we, far_we, back_we, fills_we, clock_we, link, picks, bounds} = '0;
    if (Pipelined) begin
      {queue, far, back, fills, list, clock} = '0;   // what is kept must not become flip-flops
      {link_from, queue_at, fills_at, clock_at, bound} = '0;
      served    = state_q == SliceIdle && todo_q == '0 && !start_i;
      state_was = state_q;
      slice_was = slice_q;
      look();
    end
    // in Pipelined's order yosys sees a register between two of the steps
    if (in_state(SliceWork)) finish();
    if (Pipelined) begin
      if (in_state(SliceBack)) put_back();
      if (in_state(SliceDecide)) decide();
      if (in_state(SliceFirst)) find_first();
      if (in_state(SliceRead)) read();
      load();
      if (in_state(SliceIdle) && serve_i) choose();
      if (in_state(SliceLoad)) todo_q[slice_was] = 1'b0;
    end else begin
      if (in_state(SliceIdle) && serve_i) choose();
      load();
      if (in_state(SliceRead)) read();
      if (in_state(SliceFirst)) find_first();
      if (in_state(SliceDecide)) decide();
      if (in_state(SliceBack)) put_back();
    end
    if (arrive_i) arrive();
    if (dram_i) memory_replies();
    if (init_q) initialise();
    if (start_i) todo_q = active_q;
    write_memories();
    if (start_i) next_o <= Never;
    else if (bounds) next_o <= first(next_o, {1'b0, bound});
    slice_o   <= slice_q;
    entries_o <= clock_q.entries;
    if (!Pipelined) served = state_q == SliceIdle && todo_q == '0;
    served_o  <= served;
    work_o    <= state_q == SliceWork;
    pick_o    <= picks;
  endtask

  /// the slice in work, as the clock begins or as it is
  task automatic look();
    clock_now = clock_q;
    queue_now = queue_q;
    far_now   = far_q;
    back_now  = back_q;
    fills_now = fills_q;
  endtask

  // What becomes of the message in work.
  task automatic finish();
    if (take_i) {clock_q.free_at, clock_q.free_less} = taken_until(service_o, less_q, busy_i);
    if (again_i && (clock_q.stuck || clock_q.far_stuck)) begin
      if (!earlier(service_o, Pipelined ? clock_now.free_at : clock_q.free_at)) begin
        clock_q.free_at   = service_o;
        clock_q.free_less = '0;
      end
      clock_q.stuck     = 1'b0;
      clock_q.far_stuck = 1'b0;
    end
    if (stuck_i && op_o == OpFar) clock_q.far_stuck = 1'b1;
    else if (stuck_i) clock_q.stuck = 1'b1;
    clock_q.entries = clock_q.entries + 10'(add_i) - 10'(pop_i && op_o == OpFill);
    if (pop_i) begin
      case (op_o)
        OpRequest: {queue_q.some, queue_q.head} = {queue_q.head != queue_q.tail, queue_next_q};
        OpFar:     {far_q.some, far_q.head}     = {far_q.head != far_q.tail, far_next_q};
        OpFill:    {fills_q.some, fills_q.head} = {fills_q.head != fills_q.tail, fill_next_q};
        default:   {back_q.some, back_q.head}   = {back_q.head != back_q.tail, back_next_q};
      endcase
    end
    if (done_i) state_q = SliceRead;
  endtask

  task automatic choose();
    if (todo_q != '0) begin
      slice_q = lowest_slice(todo_q);
      state_q = SliceLoad;
      if (!Pipelined) todo_q[slice_q] = 1'b0;
    end
  endtask

  // Also the clock to scrub: read in one clock, written in the next.
  task automatic load();
    slice      = Pipelined ? slice_was : slice_q;
    clock_from = scrub_i ? scrub_slice_i : slice;
    if (scrub_valid_q) begin
      clock_we      = 1'b1;
      clock_at      = scrub_slice_q;
      clock         = scrub_clock_q;
      clock.free_at = scrub_all_i || earlier(scrub_clock_q.free_at, scrub_floor_i)
                      ? scrub_floor_i : scrub_clock_q.free_at;
    end
    scrub_valid_q = scrub_i;
    if (scrub_i || in_state(SliceLoad)) clock_word = clock_mem[clock_from];
    if (scrub_i) {scrub_slice_q, scrub_clock_q} = {scrub_slice_i, clock_word};
    if (in_state(SliceLoad)) begin
      clock_q = clock_word;
      queue_q = queue_mem[slice];
      far_q   = far_mem[slice];
      back_q  = back_mem[slice];
      fills_q = fills_mem[slice];
      state_q = SliceRead;
    end
  endtask

  task automatic read();
    if (!Pipelined) look();
    queue_time_q = time_mem[queue_now.head];
    queue_next_q = next_mem[queue_now.head];
    if (two_i) begin
      far_time_q  = time_mem[far_now.head];
      far_next_q  = next_mem[far_now.head];
      back_time_q = time_mem[back_now.head];
      back_next_q = next_mem[back_now.head];
    end
    fill_time_q = fill_time_mem[fills_now.head];
    fill_next_q = fill_next_mem[fills_now.head];
    state_q     = SliceFirst;
  endtask

  task automatic find_first();
    request      = queue_now.some && !clock_now.stuck;
    far_request  = far_now.some && !clock_now.far_stuck;
    any_q        = request || far_request;
    far_first_q  = far_request && (!request || earlier(far_time_q, queue_time_q));
    arrival_q    = far_first_q ? far_time_q : queue_time_q;
    comes_q      = fills_now.some || back_now.some;
    back_first_q = back_now.some && (!fills_now.some || earlier(back_time_q, fill_time_q));
    come_at_q    = back_first_q ? back_time_q : fill_time_q;
    state_q      = SliceDecide;
  endtask

  task automatic decide();
    service = latest(arrival_q, clock_now.free_at);
    come    = comes_q && (!any_q || !earlier(service, come_at_q));
    at      = come ? come_at_q : service;
    left_q  = any_q || come;
    at_q    = at;
    state_q = SliceBack;
    if (come ? earlier(come_at_q, window_end_i) : any_q && earlier(service, window_end_i)) begin
      service_o <= at;
      less_q    = earlier(arrival_q, clock_now.free_at) ? clock_now.free_less : 8'd0;
      if (come) begin
        op_o   <= back_first_q ? OpBack : OpFill;
        head_o <= back_first_q ? back_now.head : fills_now.head;
      end else begin
        op_o   <= far_first_q ? OpFar : OpRequest;
        head_o <= far_first_q ? far_now.head : queue_now.head;
      end
      picks   = 1'b1;
      state_q = SliceWork;
    end
  endtask

  // Nothing is left before the window's end.
  task automatic put_back();
    slice   = Pipelined ? slice_was : slice_q;
    bounds  = left_q;
    bound   = at_q;
    state_q = SliceIdle;
    {queue, far, back, fills, clock} = {queue_now, far_now, back_now, fills_now, clock_now};
    write_all(slice);
    active_q[slice] = queue_now.some || far_now.some || back_now.some || fills_now.some;
  endtask

  task automatic write_all(input slice_t to);
    {queue_we, far_we, back_we, fills_we, clock_we} = 5'h1f;
    queue_at = to;
    fills_at = to;
    clock_at = to;
  endtask

  // A message joins the list of its kind.
  task automatic arrive();
    far_source = 32'(arrive_source_i) >= FirstFar && 32'(arrive_source_i) < FirstOther;
    request    = 32'(arrive_source_i) < FirstBack;
    queue_we   = !far_source;
    far_we     = far_source && request;
    back_we    = far_source && !request;
    list       = !far_source ? queue_mem[arrive_slice_i]
                 : request ? far_mem[arrive_slice_i] : back_mem[arrive_slice_i];
    link       = list.some;
    link_from  = list.tail;
    if (!list.some) list.head = arrive_node_i;
    list.some  = 1'b1;
    list.tail  = arrive_node_i;
    queue_at   = arrive_slice_i;
    queue      = list;
    far        = list;
    back       = list;
    active_q[arrive_slice_i] = 1'b1;
  endtask

  // A reply of memory joins those of its slice; it acts when the slice comes to its time.
  task automatic memory_replies();
    fault_o <= FaultNone;
    fills   = fills_mem[dram_slice_i];
    if (!dram_written_i && dram_asked_i == '0) begin
      fault_o <= FaultDramId;
    end else if (earlier(dram_at_i, reached_i)
                 || (fills.some && earlier(dram_at_i, fill_last_mem[dram_slice_i]))) begin
      fault_o <= FaultDramOrder;
    end else begin
      `STORE(fill_time_mem[dram_node_i], dram_at_i);
      `STORE(fill_last_mem[dram_slice_i], dram_at_i);
      if (fills.some) `STORE(fill_next_mem[fills.tail], dram_node_i);
      else fills.head = dram_node_i;
      fills.some = 1'b1;
      fills.tail = dram_node_i;
      fills_we   = 1'b1;
      fills_at   = dram_slice_i;
      bounds     = 1'b1;
      bound      = dram_at_i;
      active_q[dram_slice_i] = 1'b1;
    end
  endtask

  // After reset: the words of a slice per clock.
  task automatic initialise();
    {queue, far, back, fills, clock} = '0;
    write_all(init_at_q);
    init_q    <= init_at_q != SliceBits'(NumSlices - 1);
    init_at_q = init_at_q + 1'b1;
  endtask

  // Every memory has one write port.
  task automatic write_memories();
    if (arrive_i) `STORE(time_mem[arrive_node_i], arrive_time_i);
    if (link) `STORE(next_mem[link_from], arrive_node_i);
    if (queue_we) `STORE(queue_mem[queue_at], queue);
    if (far_we) `STORE(far_mem[queue_at], far);
    if (back_we) `STORE(back_mem[queue_at], back);
    if (fills_we) `STORE(fills_mem[fills_at], fills);
    if (clock_we) `STORE(clock_mem[clock_at], clock);
  endtask
`ifdef HEDDLE_ASSERT
`include "queues_rules.svh"
`endif
endmodule
