/// Requests of the SMs, from the port to the calendar.
///
/// They wait in a ring until the calendar has a clock for them. Meanwhile their slice is found,
/// with one product in each of the steps low, quotient, slice and place, which go through the ring
/// one behind the other; then the request enters, or leaves for another instance, or for memory
/// outside the GPU, whose lines belong to no slice. Pipelined, the slice's partition is a step of
/// its own, behind slice.
/// Latency: seven clocks, or six. Throughput: one request per clock.
/// Rules: a request does not change until it is accepted. insert_i and leave_i are given only
/// with insert_o and leave_o. Parameters change only while not busy_o.
`include "heddle_macros.svh"
`include "cell/stage.svh"
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // values inside one clock
module net_ingress #(
  parameter bit Pipelined = `HEDDLE_PIPELINED
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         busy_o,              /// a request is here

  // requests from the SMs
  input  logic         req_valid_i,
  input  logic [127:0] req_i,
  output logic         req_ready_o,

  // parameters
  input  logic [2:0]   twos_i,              /// the number of slices is odd_i << twos_i
  input  logic [7:0]   odd_i,
  input  logic [30:0]  slice_inv_i,         /// net_reciprocal.sv
  input  logic [7:0]   slice_wrap_i,
  input  logic         fold_i,              /// the slice's low bits are those of all fields
  input  logic [1:0]   field_bits_i,        /// fields of 4 bits and so many
  input  logic [1:0]   interleave_i,        /// lines together in a slice: 1, 2, 4 as 0, 1, 2
  input  logic         two_i,               /// two partitions
  input  logic [6:0]   half_i,              /// slices of a partition
  input  logic [7:0]   instances_i,
  input  logic [7:0]   instance_i,          /// this one
  input  logic [16:0]  instance_inv_i,
  // which pieces of 2^23 lines are outside the GPU: all are set, those outside last, or none
  input  logic         outside_set_i,
  input  logic [7:0]   outside_i,           /// of eight pieces,
  input  logic [5:0]   outside_at_i,        /// these

  output logic [127:0] word_o,              /// the oldest request, or word remote of it
  // to the calendar, if its slice is here
  output logic         insert_o,
  output logic [6:0]   insert_slice_o,      /// number of its slice here
  input  logic         insert_i,            /// it enters
  // to another instance, or outside the GPU
  output logic         leave_o,
  input  logic         leave_i              /// it is taken
);
`include "heddle_import.svh"
`include "net_where.svh"
  localparam int RingBits = 3;              // requests not yet in the calendar
  localparam int RingSize = 1 << RingBits;
  typedef logic [RingBits:0]   ring_t;
  typedef logic [RingBits-1:0] place_t;

  logic [RequestW-1:0] ring_mem [RingSize];     // requests that came ...
  logic [23:0]         low_mem [RingSize];      // ... what is known of their slice so far ...
  logic [7:0]          quotient_mem [RingSize];
  logic [9:0]          line_mem [RingSize];     // ... {outside, bit 1 of its SM, slice} ...
  logic [7:0]          slice_mem [RingSize];    // ... it ...
  logic [6:0]          place_mem [RingSize];    // ... its number in its instance
  ring_t write_q, low_q, quotient_q, line_q, slice_q, place_q, read_q;
  logic [7:0] outside_mem [64];             // pieces of the lines, by eight; ...
  logic  some_outside_q;                    // ... meaningful with this

  logic  head_valid_q;                      // the oldest request has left the ring:
  logic  head_here_q;                       // its slice is here
  // values inside one clock
  ring_t used;
  logic  accepts, moves;
  place_t at;
  /* verilator lint_off UNUSEDSIGNAL */     // of a request, and of its low part
  logic [RequestW-1:0] word;
  request_t            request;
  logic [23:0]         low;                   // {outside, part}
  /* verilator lint_on UNUSEDSIGNAL */
  logic [7:0] slice, pieces;
  logic [6:0] place;
  logic       outside, second, here;          // no slice; the second partition; this instance
  remote_t    remote;

  assign busy_o        = read_q != write_q || head_valid_q;
  assign insert_o      = head_valid_q && head_here_q;
  assign leave_o       = head_valid_q && !head_here_q;

  always_ff @(posedge clk_i) begin : ring
    if (!rst_ni) begin
      write_q      <= '0;
      low_q        <= '0;
      quotient_q   <= '0;
      line_q       <= '0;
      slice_q      <= '0;
      place_q      <= '0;
      read_q       <= '0;
      head_valid_q <= 1'b0;
      req_ready_o  <= 1'b0;
    end else if (req_valid_i || busy_o || !req_ready_o) begin
      used    = write_q - read_q;
      accepts = req_valid_i && req_ready_o;
      if (accepts) begin
        `STORE(ring_mem[write_q[RingBits-1:0]], req_i);
        write_q <= write_q + 1'b1;
      end
      req_ready_o <= used + (RingBits+1)'(accepts) < (RingBits+1)'(RingSize);
      if (low_q != write_q) find_low();
      if (quotient_q != low_q) find_quotient();
      if (Pipelined && line_q != quotient_q) find_line_slice();
      if (slice_q != (Pipelined ? line_q : quotient_q)) find_slice();
      if (place_q != slice_q) find_place();
      moves = read_q != place_q && (!head_valid_q || insert_i || leave_i);
      if (moves) move_on();
      if (moves || insert_i || leave_i) head_valid_q <= moves;
    end
  end

  always_ff @(posedge clk_i) begin : outsides
    if (outside_set_i) `STORE(outside_mem[outside_at_i], outside_i);
    if (!rst_ni) some_outside_q <= 1'b0;
    else if (outside_set_i && outside_i != '0) some_outside_q <= 1'b1;
  end

  task automatic find_low();
    at      = low_q[RingBits-1:0];
    word    = ring_mem[at];
    request = word;
    pieces  = outside_mem[request.addr[31:26]];
    outside = some_outside_q && pieces[request.addr[25:23]];
    `STORE(low_mem[at],
           {outside, low_part_of(line_high(group_of(request.addr, interleave_i), twos_i),
                                 slice_wrap_i)});
    low_q       <= low_q + 1'b1;
  endtask

  task automatic find_quotient();
    at = quotient_q[RingBits-1:0];
    `STORE(quotient_mem[at], quotient_of(low_mem[at][22:0], slice_inv_i));
    quotient_q       <= quotient_q + 1'b1;
  endtask

  // The slice of the request's line in the first partition.
  task automatic line_slice(input place_t number);
    word    = ring_mem[number];
    request = word;
    low     = low_mem[number];
    outside = low[23];
    slice   = 8'(remainder_of(low[7:0], quotient_mem[number], odd_i) << twos_i)
              | slice_low_of(group_of(request.addr, interleave_i), fold_i, field_bits_i, twos_i);
  endtask

  task automatic find_line_slice();
    at = line_q[RingBits-1:0];
    line_slice(at);
    `STORE(line_mem[at], {outside, request.sm[1], slice});
    line_q       <= line_q + 1'b1;
  endtask

  // With two partitions a request goes to a slice of its own: SMs belong to them in turn by pairs,
  // as bit 1 of their number says.
  task automatic find_slice();
    at = slice_q[RingBits-1:0];
    if (Pipelined) begin
      {outside, second, slice} = line_mem[at];
    end else begin
      line_slice(at);
      second = request.sm[1];
    end
    if (two_i && (slice >= 8'(half_i)) != second) slice = mirror_of(slice, half_i);
    if (outside) slice = 8'(CoreOutside);
    `STORE(slice_mem[at], slice);
    slice_q       <= slice_q + 1'b1;
  endtask

  // The instance of a slice is the remainder, its number there the quotient.
  task automatic find_place();
    at    = place_q[RingBits-1:0];
    slice = slice_mem[at];
    `STORE(place_mem[at], 7'(instances_i == 8'd1 ? slice : by_instances(slice, instance_inv_i)));
    place_q       <= place_q + 1'b1;
  endtask

  // The oldest request to the port: for another instance, or outside, as a word remote.
  task automatic move_on();
    at     = read_q[RingBits-1:0];
    read_q <= read_q + 1'b1;
    word   = ring_mem[at];
    slice  = slice_mem[at];
    place  = place_mem[at];
    here   = !slice[7]                        // so is CoreOutside alone
             && (instances_i == 8'd1 || slice - 8'(place) * instances_i == instance_i);
    head_here_q    <= here;
    insert_slice_o <= place;
    if (!here) begin
      request        = word;
      remote         = '0;
      remote.at      = request.at;
      remote.kind    = EvRequest;
      remote.sm      = request.sm;
      remote.warp    = request.warp;
      remote.slot    = request.slot;
      remote.sectors = request.sectors;
      remote.bar     = request.bar;
      remote.mshr    = request.mshr;
      remote.cached  = request.cached;
      remote.slice   = slice;
      remote.req     = request.kind;
      remote.perform = request.perform;
      remote.full    = request.full;
      remote.turns   = request.turns;
      remote.addr    = request.addr;
      word           = remote;
    end
    word_o <= word;
  endtask
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned  rules_clock;
  logic         was_req;                    // a request was not taken
  logic [127:0] was_req_word;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      // kept by whoever sends requests
      `ASSERT_IF(RequestHeld, was_req, req_valid_i)
      `ASSERT_IF(RequestStable, was_req, req_i == was_req_word)
      // what is accepted has a place in the ring
      `ASSERT_IF(RequestRoom, req_ready_o, ring_t'(write_q - read_q) < ring_t'(RingSize))
      // The steps go through the ring one behind the other.
      `ASSERT(RingBound, ring_t'(write_q - read_q) <= ring_t'(RingSize))
      `ASSERT(RingPlace, ring_t'(write_q - place_q) <= ring_t'(write_q - read_q))
      `ASSERT(RingSlice, ring_t'(write_q - slice_q) <= ring_t'(write_q - place_q))
      `ASSERT_IF(RingLine, Pipelined, ring_t'(write_q - line_q) <= ring_t'(write_q - slice_q))
      `ASSERT(RingQuotient,
              ring_t'(write_q - quotient_q) <= ring_t'(write_q - (Pipelined ? line_q : slice_q)))
      `ASSERT(RingLow, ring_t'(write_q - low_q) <= ring_t'(write_q - quotient_q))
      `ASSERT_IF(IngressOffered, insert_i || leave_i, insert_i ? insert_o : leave_o)
    end
    rules_clock  = rst_ni ? rules_clock + 1 : 0;
    was_req      = rst_ni && req_valid_i && !req_ready_o;
    was_req_word = req_i;
  end
`endif
endmodule
