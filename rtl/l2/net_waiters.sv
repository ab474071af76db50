/// Requests that wait for sectors: what each of them needs, and who is answered when some come.
///
/// When sectors have come for a line, all requests that wait in its set are looked at, in order
/// of service (walk). One that needs nothing more is answered; the others keep their order.
/// Latency: a request is looked at in two clocks, the next one two clocks later; without Pipelined
/// in the clock of start_i, each further one in a clock of its own. All of it waits for ready_i.
/// Throughput: one walk at a time.
/// Rules: add_i and start_i come while no walk is under way, not both. start_i comes only with
/// ready_i, its list is not empty. last_o is the last clock of a walk.
`include "heddle_macros.svh"
`include "cell/stage.svh"
`include "heddle_assert.svh"
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
/* verilator lint_off BLKSEQ */  // STORE, the clock of the rules
module net_waiters #(
  parameter int NodeBits  = 16,
  parameter bit Pipelined = `HEDDLE_PIPELINED
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                runs_i,         /// net_fetch.sv
  // a request that waits from now on, behind those of waiting_i
  input  logic                add_i,
  input  logic [NodeBits-1:0] node_i,
  input  logic [7:0]          sm_i,
  input  logic [5:0]          warp_i,
  input  logic [2:0]          bar_i,
  input  logic [8:0]          mshr_i,
  input  logic                cached_i,
  input  logic [2:0]          trip_i,         /// trip_e
  input  logic [3:0]          need_i,         /// sectors that it waits for,
  input  logic [3:0]          answer_i,       /// and those of its answer
  input  logic [31:0]         line_i,         /// of the request, or of what has come
  input  logic [2*NodeBits:0] waiting_i,      /// who waits in the set

  // sectors have come for the line
  input  logic                start_i,
  input  logic [3:0]          come_i,
  output logic                last_o,
  output logic [2*NodeBits:0] stay_o,         /// with last_o: who goes on waiting

  // an answer: the request, which does not wait any more
  input  logic                ready_i,        /// it is taken
  output logic                wake_o,
  output logic [NodeBits-1:0] wake_node_o,
  output logic [7:0]          wake_sm_o,
  output logic [5:0]          wake_warp_o,
  output logic [2:0]          wake_bar_o,
  output logic [8:0]          wake_mshr_o,
  output logic                wake_cached_o,
  output logic [2:0]          wake_trip_o,
  output logic [3:0]          wake_sectors_o
);
  localparam int TimeW = 32;
`include "heddle_time.svh"
`include "net_types.svh"
  // A request that waits.
  typedef struct packed {
    logic [3:0]  need;                        // sectors still to come
    logic [3:0]  answer;                      // sectors of its answer
    logic [2:0]  trip;
    logic [7:0]  sm;
    logic [5:0]  warp;
    logic [2:0]  bar;
    logic [8:0]  mshr;
    logic        cached;
    logic [31:0] line;
  } wait_t;
  localparam int WaitW = 38 + 32;

  logic [WaitW-1:0] wait_mem [NumNodes];
  node_t            next_mem [NumNodes];      // the next one of the set
  list_t            walk_q, stay_q;           // requests to look at, those that go on waiting
  logic             walking_q;
  logic             read_q;                   // the first of walk_q has been read, when Pipelined
  logic [3:0]       come_walk_q;
  logic [31:0]      line_walk_q;

  logic             begins, reads, looks, stays;
  logic [3:0]       come, need;
  logic [31:0]      line;
  logic [WaitW-1:0] word;
  node_t            next;
  wait_t            waiter, added;
  list_t            walk, stay, kept, waiting;

  // the walk as it is, or as it begins in this clock
  assign waiting   = waiting_i;
  always_comb begin : moves
    if (`WANTED(runs_i)) begin
      begins = !Pipelined && start_i;
      reads  = Pipelined ? walking_q && !read_q : walking_q || start_i;
      looks  = (Pipelined ? walking_q && read_q : walking_q || start_i) && ready_i;
    end
  end
  always_comb begin : as_it_is
    if (`WANTED(reads)) begin
      walk = begins ? waiting : walk_q;
      kept = begins ? '0 : stay_q;
      come = begins ? come_i : come_walk_q;
      line = begins ? line_i : line_walk_q;
    end
  end
  `STAGE_KEEP(word, wait_mem[walk.head], reads)
  `STAGE_KEEP(next, next_mem[walk.head], reads)

  assign waiter = word;
  assign stay_o = stay;
  always_comb begin : wakes
    if (`WANTED(runs_i)) begin
      need   = waiter.line == line ? waiter.need & ~come : waiter.need;
      wake_o = looks && need == '0;
      stays  = looks && need != '0;
      last_o = looks && walk.head == walk.tail;
    end
  end
  assign wake_node_o    = walk.head;
  assign wake_sm_o      = waiter.sm;
  assign wake_warp_o    = waiter.warp;
  assign wake_bar_o     = waiter.bar;
  assign wake_mshr_o    = waiter.mshr;
  assign wake_cached_o  = waiter.cached;
  assign wake_trip_o    = waiter.trip;
  assign wake_sectors_o = waiter.answer;

  always_comb begin : who_stays
    if (`WANTED(looks)) begin
      stay = kept;
      if (stays) begin
        if (!kept.some) stay.head = walk.head;
        stay.some = 1'b1;
        stay.tail = walk.head;
      end
    end
  end

  always_ff @(posedge clk_i) begin : walks
    if (runs_i || !rst_ni) step();
  end

  task automatic step();
    if (`WANTED(stays)) begin
      added      = waiter;
      added.need = need;
    end
    if (add_i) begin
      added.need   = need_i;
      added.answer = answer_i;
      added.trip   = trip_i;
      added.sm     = sm_i;
      added.warp   = warp_i;
      added.bar    = bar_i;
      added.mshr   = mshr_i;
      added.cached = cached_i;
      added.line   = line_i;
    end
    if (add_i || stays) `STORE(wait_mem[add_i ? node_i : walk.head], added);
    if (add_i ? waiting.some : stays && kept.some)
      `STORE(next_mem[add_i ? waiting.tail : kept.tail], add_i ? node_i : walk.head);
    if (!rst_ni) begin
      walking_q <= 1'b0;
      read_q    <= 1'b0;
    end else if (start_i || walking_q) begin
      walking_q <= !last_o;
      read_q    <= Pipelined && reads;
      if (start_i) begin
        come_walk_q <= come_i;
        line_walk_q <= line_i;
        walk_q      <= waiting;
        stay_q      <= '0;
      end
      if (looks) begin
        walk_q.some <= walk.some;
        walk_q.tail <= walk.tail;
        walk_q.head <= next;
        stay_q      <= stay;
      end
    end
  endtask
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT_IF(WalkAlone, start_i, !walking_q && !add_i)
      `ASSERT_IF(AddRests, add_i, !walking_q)
      `ASSERT_IF(StartReady, start_i, ready_i)
      // sectors come for somebody
      `ASSERT_IF(SomeoneWaits, walking_q, walk_q.some)
      `ASSERT_IF(ReadWalks, read_q, walking_q && Pipelined)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
