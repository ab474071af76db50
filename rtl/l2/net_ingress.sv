/// Requests of the SMs, from the port to the calendar.
///
/// They wait in a ring until the calendar has a clock for them. Meanwhile their slice is found,
/// with one product in each of the steps low, quotient, slice and place, which go through the ring
/// one behind the other; then the request enters, or leaves for another instance.
/// Latency: five clocks. Throughput: one request per clock.
/// Rules: a request does not change until it is accepted. insert_i and leave_i are given only
/// with insert_o and leave_o. Parameters change only while not busy_o.
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // the clock of the rules
module net_ingress (
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
  input  logic         two_i,               /// two partitions
  input  logic [6:0]   half_i,              /// slices of a partition
  input  logic [7:0]   instances_i,
  input  logic [7:0]   instance_i,          /// this one
  input  logic [16:0]  instance_inv_i,

  // to the calendar: the oldest request, if its slice is here
  output logic         insert_o,
  output logic [127:0] insert_word_o,
  output logic [6:0]   insert_slice_o,      /// number of its slice here
  input  logic         insert_i,            /// it enters

  // to another instance
  output logic         leave_o,
  output logic [127:0] leave_word_o,        /// word remote
  input  logic         leave_i              /// it is taken
);
`include "heddle_import.svh"
`include "net_where.svh"
  localparam int RingBits = 3;              // requests not yet in the calendar
  localparam int RingSize = 1 << RingBits;
  typedef logic [RingBits:0]   ring_t;
  typedef logic [RingBits-1:0] place_t;

  logic [RequestW-1:0] ring_mem [RingSize];     // requests that came ...
  logic [22:0]         low_mem [RingSize];      // ... what is known of their slice so far ...
  logic [7:0]          quotient_mem [RingSize];
  logic [7:0]          slice_mem [RingSize];    // ... it ...
  logic [7:0]          place_mem [RingSize];    // ... {of this instance, its number here}
  ring_t write_q, low_q, quotient_q, slice_q, place_q, read_q;

  logic  accepts, lows, quotients, slices, places, pops;
  ring_t used;
  place_t write_at, low_at, quotient_at, slice_at, place_at, read_at;
  /* verilator lint_off UNUSEDSIGNAL */     // of a request, and of its low part
  logic [RequestW-1:0] low_word, slice_word;
  request_t            low_request, slice_request, head;
  logic [22:0]         slice_part;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [7:0]          slice, entry, place, instance_of, head_place;
  logic [RequestW-1:0] head_word;
  remote_t             leave;

  assign write_at    = write_q[RingBits-1:0];
  assign low_at      = low_q[RingBits-1:0];
  assign quotient_at = quotient_q[RingBits-1:0];
  assign slice_at    = slice_q[RingBits-1:0];
  assign place_at    = place_q[RingBits-1:0];
  assign read_at     = read_q[RingBits-1:0];
  assign used        = write_q - read_q;
  assign busy_o      = used != '0;

  // ---------------------------------------------------------------- steps
  assign accepts   = req_valid_i && req_ready_o;
  assign lows      = low_q != write_q;
  assign quotients = quotient_q != low_q;
  assign slices    = slice_q != quotient_q;
  assign places    = place_q != slice_q;
  assign pops      = insert_i || leave_i;

  assign low_word      = ring_mem[low_at];
  assign low_request   = low_word;
  assign slice_word    = ring_mem[slice_at];
  assign slice_request = slice_word;
  assign slice_part    = low_mem[slice_at];

  // the line's slice; with two partitions a request goes to a slice of its own: SMs belong to them
  // in turn by pairs, as bit 1 of their number says
  always_comb begin : of_line
    slice = '0;
    entry = '0;
    if (slices) begin
      slice = 8'(remainder_of(slice_part[7:0], quotient_mem[slice_at], odd_i) << twos_i)
              | slice_low_of(slice_request.addr, fold_i, field_bits_i, twos_i);
      entry = slice;
      if (two_i && (slice >= 8'(half_i)) != slice_request.sm[1]) entry = mirror_of(slice, half_i);
    end
  end

  // the instance of a slice is the remainder, its number there the quotient
  always_comb begin : of_slice
    place       = slice_mem[place_at];
    instance_of = instance_i;
    if (instances_i != 8'd1) begin
      place       = by_instances(slice_mem[place_at], instance_inv_i);
      instance_of = slice_mem[place_at] - place * instances_i;
    end
  end

  always_ff @(posedge clk_i) begin : memories
    if (accepts) ring_mem[write_at] <= req_i;
    if (lows) low_mem[low_at] <= low_part_of(line_high(low_request.addr, twos_i), slice_wrap_i);
    if (quotients) quotient_mem[quotient_at] <= quotient_of(low_mem[quotient_at], slice_inv_i);
    if (slices) slice_mem[slice_at] <= entry;
    if (places) place_mem[place_at] <= {instance_of == instance_i, place[6:0]};
  end

  always_ff @(posedge clk_i) begin : pointers
    if (!rst_ni) begin
      write_q     <= '0;
      low_q       <= '0;
      quotient_q  <= '0;
      slice_q     <= '0;
      place_q     <= '0;
      read_q      <= '0;
      req_ready_o <= 1'b0;
    end else begin
      write_q     <= write_q + (RingBits+1)'(accepts);
      low_q       <= low_q + (RingBits+1)'(lows);
      quotient_q  <= quotient_q + (RingBits+1)'(quotients);
      slice_q     <= slice_q + (RingBits+1)'(slices);
      place_q     <= place_q + (RingBits+1)'(places);
      read_q      <= read_q + (RingBits+1)'(pops);
      req_ready_o <= used + (RingBits+1)'(accepts) < (RingBits+1)'(RingSize);
    end
  end

  // ---------------------------------------------------------------- the oldest request
  assign head_word      = ring_mem[read_at];
  assign head           = head_word;
  assign head_place     = place_mem[read_at];
  assign insert_o       = read_q != place_q && head_place[7];
  assign insert_word_o  = head_word;
  assign insert_slice_o = head_place[6:0];
  assign leave_o        = read_q != place_q && !head_place[7];
  assign leave_word_o   = leave;

  always_comb begin : to_instance
    leave = '0;
    if (leave_o) begin
      leave.at      = head.at;
      leave.kind    = EvRequest;
      leave.sm      = head.sm;
      leave.warp    = head.warp;
      leave.slot    = head.slot;
      leave.sectors = head.sectors;
      leave.bar     = head.bar;
      leave.mshr    = head.mshr;
      leave.cached  = head.cached;
      leave.slice   = slice_mem[read_at];
      leave.req     = head.kind;
      leave.perform = head.perform;
      leave.full    = head.full;
      leave.lanes   = head.lanes;
      leave.addr    = head.addr;
    end
  end
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
      `ASSERT(RingQuotient, ring_t'(write_q - quotient_q) <= ring_t'(write_q - slice_q))
      `ASSERT(RingLow, ring_t'(write_q - low_q) <= ring_t'(write_q - quotient_q))
      `ASSERT_IF(IngressOffered, insert_i || leave_i, insert_i ? insert_o : leave_o)
    end
    rules_clock  = rst_ni ? rules_clock + 1 : 0;
    was_req      = rst_ni && req_valid_i && !req_ready_o;
    was_req_word = req_i;
  end
`endif
endmodule
