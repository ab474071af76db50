/// Ports through which messages leave the slices: each slice has one to the SMs, and two to the
/// other partition, for requests and for the rest.
///
/// A message leaves when its port is free, and takes it for its flits; it arrives a parameter's
/// time later. Its node goes along, or is given back when the message leaves for another
/// instance, or for a customer that is no SM.
/// Steps: place and clock (whether the SM is one of this instance, when the port is free),
/// leave, send. Pipelined, each takes a clock; else all share that of send_i.
/// Latency: an output is valid in the clock after, Pipelined four clocks after send_i.
/// Throughput: one message at a time, ready_o says when; one per clock without Pipelined.
/// Rules: send_i or wake_i, not both, and only with ready_o; messages of a slice in any order
/// of time. remote_o and free_o are held until they are taken. Scrubbing and reset while idle.
`include "heddle_macros.svh"
`include "cell/stage.svh"
`include "heddle_assert.svh"
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had
/* verilator lint_off BLKSEQ */  // values inside one clock
module net_port #(
  parameter int NodeBits  = 16,
  parameter bit Pipelined = `HEDDLE_PIPELINED
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                ready_o,
  output logic                busy_o,         /// a message is here

  // parameters
  input  logic [7:0]          instances_i,
  input  logic [7:0]          instance_i,     /// this one
  input  logic [16:0]         instance_inv_i,
  input  logic [1:0]          flit_shift_i,
  input  logic [15:0]         flit_time_i,
  input  logic [31:0]         net_reply_i,    /// time to an SM,
  input  logic [31:0]         net_cross_i,    /// to the other partition

  // the slice
  input  logic [6:0]          slice_i,        /// its number here
  input  logic [7:0]          global_i,       /// and among all
  input  logic [6:0]          mirror_i,       /// number here of that in the other partition
  // its message
  input  logic                runs_i,         /// net_fetch.sv
  input  logic                send_i,
  input  logic [1:0]          kind_i,         /// send_e
  input  logic [NodeBits-1:0] node_i,
  input  logic [31:0]         at_i,           /// it leaves then, or later
  input  logic [3:0]          sectors_i,      /// that it carries
  input  logic [2:0]          trip_i,         /// how the request came (trip_e)
  input  logic [7:0]          sm_i,           /// and of which SM, ...
  input  logic [5:0]          warp_i,
  input  logic [2:0]          bar_i,
  input  logic [8:0]          mshr_i,
  input  logic                cached_i,
  // or the answer to one that waited
  input  logic                wake_i,
  input  logic [NodeBits-1:0] wake_node_i,
  input  logic [31:0]         wake_at_i,
  input  logic [3:0]          wake_sectors_i,
  input  logic [2:0]          wake_trip_i,
  input  logic [7:0]          wake_sm_i,
  input  logic [5:0]          wake_warp_i,
  input  logic [2:0]          wake_bar_i,
  input  logic [8:0]          wake_mshr_i,
  input  logic                wake_cached_i,

  // to the calendar
  output logic                insert_o,
  output logic [8:0]          insert_source_o,
  output logic [31:0]         insert_time_o,
  output logic [NodeBits-1:0] insert_node_o,
  output logic [7:0]          insert_dest_o,
  output logic                reply_o,        /// with insert_o: to an SM,
  output logic [63:0]         reply_word_o,
  output logic                note_o,         /// or to the other partition
  output logic [6:0]          note_word_o,    /// {sectors of an answer, trip_e}
  // to another instance, or a customer that is no SM
  output logic                remote_o,
  output logic [127:0]        remote_word_o,
  input  logic                remote_ready_i,
  output logic                free_o,
  output logic [NodeBits-1:0] free_node_o,
  input  logic                free_ready_i,

  input  logic                scrub_i,        /// the clocks of this slice
  input  logic [6:0]          scrub_slice_i,
  input  logic                scrub_all_i,    /// are no earlier than the floor, or are the floor
  input  logic [31:0]         scrub_floor_i
);
`include "heddle_import.svh"
  localparam int TimeW = 32;
`include "heddle_time.svh"
`include "net_types.svh"
`include "net_where.svh"
  // When a port is free: the cycle, less so much / 256. Ports: to the SMs, requests, the rest.
  localparam int FreeW  = TimeW + 8;
  localparam int ClockW = 3 * FreeW;

  // A message on its way through the steps.
  typedef struct packed {
    logic        to_sm;
    logic        asks;                        // a request, to the other partition
    logic [2:0]  trip;                        // what it is there
    slice_t      slice;
    logic [7:0]  number;                      // global number of the slice
    slice_t      mirror;
    node_t       node;
    time_t       at;
    logic [3:0]  sectors;
    logic [7:0]  sm;
    logic [5:0]  warp;
    logic [2:0]  bar;
    logic [8:0]  mshr;
    logic        cached;
    logic        waited;                      // for sectors
  } message_t;

  logic [ClockW-1:0] clock_mem [NumSlices];
  logic              init_q;                  // memory is being emptied
  slice_t            init_at_q;

  // ---------------------------------------------------------------- enter
  logic     enters, clock_valid;
  message_t entering, message;
  always_comb begin : comes
    if (`WANTED(runs_i)) enters = send_i || wake_i;
  end

  always_comb begin : enter
    if (`WANTED(enters)) begin
      entering.slice  = slice_i;
      entering.number = global_i;
      entering.mirror = mirror_i;
      entering.to_sm  = 1'b0;
      entering.asks    = 1'b0;
      entering.waited  = wake_i;
      if (wake_i) begin
        entering.node    = wake_node_i;
        entering.at      = wake_at_i;
        entering.sectors = wake_sectors_i;
        entering.sm      = wake_sm_i;
        entering.warp    = wake_warp_i;
        entering.bar     = wake_bar_i;
        entering.mshr    = wake_mshr_i;
        entering.cached  = wake_cached_i;
        entering.trip    = wake_trip_i;
      end else begin
        entering.node    = node_i;
        entering.at      = at_i;
        entering.sectors = sectors_i;
        entering.sm      = sm_i;
        entering.warp    = warp_i;
        entering.bar     = bar_i;
        entering.mshr    = mshr_i;
        entering.cached  = cached_i;
        entering.trip    = trip_i;
      end
      case (wake_i ? SendAnswer : kind_i)
        SendAnswer: begin
          entering.to_sm = entering.trip == TripNone;
          entering.trip  = entering.trip == TripFetch ? TripFetched : TripPassed;
        end
        SendFetch: begin
          entering.asks  = 1'b1;
          entering.trip = TripFetch;
        end
        SendPass: begin
          entering.asks  = 1'b1;
          entering.trip = TripPass;
        end
        default: entering.trip = TripDrop;
      endcase
    end
  end
  `STAGE_KEEP(message, entering, enters)
  `STAGE_VALID(clock_valid, enters)

  // ---------------------------------------------------------------- clock
  // when the ports are free; of the SM the first product; also a clock to scrub
  logic              leave_valid, scrub_valid;
  slice_t            scrub_at;
  logic [ClockW-1:0] clock;
  logic [7:0]        place;
  `STAGE_KEEP(clock, clock_mem[scrub_i ? scrub_slice_i : message.slice], clock_valid || scrub_i)
  `STAGE_KEEP(place, by_instances(message.sm, instance_inv_i), clock_valid)
  `STAGE_VALID(leave_valid, clock_valid)
  `STAGE_VALID(scrub_valid, scrub_i)
  `STAGE(scrub_at, scrub_slice_i)

  // ---------------------------------------------------------------- leave
  logic        send_valid, steps, behind, here_d, here;
  logic [FreeW-1:0] port;
  time_t       leave_d, leave;
  logic [7:0]  less_d, less;
  logic [23:0] busy_d, busy;
  always_comb begin : leaves
    if (`WANTED(leave_valid)) begin
      port    = message.to_sm ? clock[0 +: FreeW]
                : message.asks ? clock[FreeW +: FreeW] : clock[2*FreeW +: FreeW];
      behind  = earlier(message.at, port[8 +: TimeW]);
      leave_d = behind ? port[8 +: TimeW] : message.at;
      less_d  = behind ? port[7:0] : 8'd0;
      busy_d  = flits(message.sectors, flit_shift_i, flit_time_i);
      here_d  = 32'(message.sm) < CoreFirstCustomer
                && (instances_i == 8'd1 || message.sm - place * instances_i == instance_i);
    end
  end
  `STAGE(leave, leave_d)
  `STAGE(less, less_d)
  `STAGE(busy, busy_d)
  `STAGE(here, here_d)
  `STAGE_VALID(send_valid, leave_valid)

  // ---------------------------------------------------------------- send
  assign steps   = Pipelined && (clock_valid || leave_valid || send_valid);
  assign busy_o  = init_q || scrub_valid || steps || insert_o || remote_o || free_o;
  assign ready_o = !remote_o && !free_o && !steps;

  // values inside one clock
  logic [FreeW-1:0]  free_d;
  logic [ClockW-1:0] clock_d;
  time_t             arrive;
  reply_t            reply;
  remote_t           remote;

  /// a port's clock that is a recent one
  function automatic logic [FreeW-1:0] fresh(input logic [FreeW-1:0] free);
    fresh = scrub_all_i || earlier(free[8 +: TimeW], scrub_floor_i)
            ? {scrub_floor_i, free[7:0]} : free;
  endfunction

  always_ff @(posedge clk_i) begin : sends
    if (busy_o || send_valid || !rst_ni) send();
  end

  task automatic send();
    if (insert_o || !rst_ni) begin
      insert_o <= 1'b0;
      reply_o  <= 1'b0;
      note_o   <= 1'b0;
    end
    if (remote_ready_i || !rst_ni) remote_o <= 1'b0;
    if (free_ready_i || !rst_ni) free_o <= 1'b0;
    if (send_valid) clock_d = clock;
    if (scrub_valid) begin
      clock_d = {fresh(clock[2*FreeW +: FreeW]), fresh(clock[FreeW +: FreeW]),
                 fresh(clock[0 +: FreeW])};
    end else if (send_valid) begin
      free_d = taken_until(leave, less, busy);
      arrive = leave + (message.to_sm ? net_reply_i : net_cross_i);
      if (message.to_sm) clock_d[0 +: FreeW] = free_d;
      else if (message.asks) clock_d[FreeW +: FreeW] = free_d;
      else clock_d[2*FreeW +: FreeW] = free_d;
      insert_time_o <= arrive;
      insert_node_o <= message.node;
      if (!message.to_sm) begin
        insert_o        <= 1'b1;
        note_o          <= 1'b1;
        note_word_o     <= {message.sectors, message.trip};
        insert_source_o <= SourceBits'(message.asks ? FirstFar : FirstBack)
                           + SourceBits'(message.number);
        insert_dest_o   <= 8'(message.mirror);
      end else if (here) begin
        insert_o        <= 1'b1;
        reply_o         <= 1'b1;
        insert_source_o <= SourceBits'(FirstSlice) + SourceBits'(message.number);
        insert_dest_o   <= message.sm;
        reply           = '0;
        reply.at        = arrive;
        reply.warp      = message.warp;
        reply.bar       = message.bar;
        reply.mshr      = message.mshr;
        reply.cached    = message.cached;
        reply.sectors   = message.sectors;
        reply_word_o    <= reply;
      end else begin
        remote_o        <= 1'b1;
        free_o          <= 1'b1;
        free_node_o     <= message.node;
        remote          = '0;
        remote.at       = arrive;
        remote.kind     = EvReply;
        remote.sm       = message.sm;
        remote.warp     = message.warp;
        remote.sectors  = message.sectors;
        remote.bar      = message.bar;
        remote.mshr     = message.mshr;
        remote.cached   = message.cached;
        remote.slice    = message.number;
        remote.perform  = message.waited;
        remote_word_o   <= remote;
      end
    end
    if (init_q) clock_d = '0;
    if (rst_ni && (init_q || scrub_valid || send_valid))
      `STORE(clock_mem[init_q ? init_at_q : scrub_valid ? scrub_at : message.slice], clock_d);
    if (!rst_ni) begin
      init_q    <= 1'b1;
      init_at_q <= '0;
    end else if (init_q) begin
      init_q    <= init_at_q != SliceBits'(NumSlices - 1);
      init_at_q <= init_at_q + 1'b1;
    end
  endtask
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned  rules_clock;
  logic         was_remote;                   // it was not taken
  logic [127:0] was_word;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      `ASSERT_IF(SendReady, send_i || wake_i, ready_o)
      `ASSERT(SendAlone, !(send_i && wake_i))
      `ASSERT_IF(SendInit, send_i || wake_i, !init_q && !scrub_i && !scrub_valid)
      `ASSERT_IF(PortSlice, send_i || wake_i, 32'(slice_i) < NumSlices)
      `ASSERT_IF(RemoteHeld, was_remote, remote_o && remote_word_o == was_word)
      `ASSERT_IF(ReplyEnters, reply_o || note_o, insert_o && !(reply_o && note_o))
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
    was_remote  = rst_ni && remote_o && !remote_ready_i;
    was_word    = remote_word_o;
  end
`endif
endmodule
