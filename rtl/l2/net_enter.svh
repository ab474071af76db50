// Requests of the SMs, from the port into the calendar.
//
// They wait in a ring until the calendar has a clock for them. Meanwhile their slice is found, with
// one product in each of the stages low, quotient, slice and place, which go through the ring one
// behind the other; then the request enters, or leaves for another instance.
// Latency: five clocks in the pipelined build, none in simulation; one request per clock.
task automatic reset_enter();
  ring_wr_q       `Q '0;
  ring_low_q      `Q '0;
  ring_quotient_q `Q '0;
  ring_slice_q    `Q '0;
  ring_place_q    `Q '0;
  ring_rd_q       `Q '0;
  req_ready_o     <= 1'b0;
endtask

task automatic accept_request();
  logic [RingBits:0] used;
  logic              push;
  used = ring_wr_q - ring_rd_q;
  push = req_valid_i && req_ready_o;
  if (push) begin
    busy_d = 1'b1;
    ring_mem[ring_wr_q[RingBits-1:0]] `Q req_i;
    ring_wr_q `Q ring_wr_q + 1'b1;
  end
  req_ready_o <= used + (RingBits+1)'(push) < (RingBits+1)'(RingSize);
endtask

task automatic enter_low();
  if (ring_low_q != ring_wr_q) begin
    busy_d  = 1'b1;
    enter_d = ring_mem[ring_low_q[RingBits-1:0]];
    low_part_mem[ring_low_q[RingBits-1:0]] `Q low_part_of(line_high(enter_d.addr));
    ring_low_q `Q ring_low_q + 1'b1;
  end
endtask

task automatic enter_quotient();
  if (ring_quotient_q != ring_low_q) begin
    busy_d = 1'b1;
    quotient_mem[ring_quotient_q[RingBits-1:0]]
        `Q quotient_of(low_part_mem[ring_quotient_q[RingBits-1:0]]);
    ring_quotient_q `Q ring_quotient_q + 1'b1;
  end
endtask

task automatic enter_slice();
  logic [7:0]  slice;
  /* verilator lint_off UNUSEDSIGNAL */  // the quotient says what the high bits would
  logic [22:0] low;
  /* verilator lint_on UNUSEDSIGNAL */
  if (ring_slice_q != ring_quotient_q) begin
    busy_d  = 1'b1;
    enter_d = ring_mem[ring_slice_q[RingBits-1:0]];
    low     = low_part_mem[ring_slice_q[RingBits-1:0]];
    slice   = slice_of(enter_d.addr, low[7:0],
                       quotient_mem[ring_slice_q[RingBits-1:0]]);
    entry_mem[ring_slice_q[RingBits-1:0]] `Q entry_of(slice, enter_d.sm[1]);
    ring_slice_q `Q ring_slice_q + 1'b1;
  end
endtask

task automatic enter_place();
  logic [7:0] slice;
  if (ring_place_q != ring_slice_q) begin
    busy_d = 1'b1;
    slice  = entry_mem[ring_place_q[RingBits-1:0]];
    place_mem[ring_place_q[RingBits-1:0]] `Q {is_here(slice), local_slice(slice)};
    ring_place_q `Q ring_place_q + 1'b1;
  end
endtask

// The oldest request enters the calendar, or leaves for another instance.
task automatic insert_request();
  logic   here;
  slice_t place;
  if (ring_rd_q != ring_place_q && phase_q != Extract && !insert_d && !keep_q && !alloc_d
      && alloc_ok_d && !remote_valid_q && !remote_we_d) begin
    busy_d = 1'b1;
    node_d = ring_mem[ring_rd_q[RingBits-1:0]];
    {here, place} = place_mem[ring_rd_q[RingBits-1:0]];
    if (here) begin
      alloc_d         = 1'b1;
      node_we_d       = 1'b1;
      insert_d        = 1'b1;
      insert_source_d = SourceBits'(node_d.sm);
      insert_time_d   = node_d.at + net_request_q;
      insert_node_d   = alloc_node_d;
      insert_dest_d   = 8'(place);
      trip_we_d       = 1'b1;
      trip_at_d       = alloc_node_d;
      trip_d          = TripNone;
    end else begin
      remote_d         = '0;
      remote_d.at      = node_d.at;
      remote_d.kind    = EvRequest;
      remote_d.sm      = node_d.sm;
      remote_d.warp    = node_d.warp;
      remote_d.slot    = node_d.slot;
      remote_d.sectors = node_d.sectors;
      remote_d.bar     = node_d.bar;
      remote_d.mshr    = node_d.mshr;
      remote_d.cached  = node_d.cached;
      remote_d.slice   = entry_mem[ring_rd_q[RingBits-1:0]];
      remote_d.req     = node_d.kind;
      remote_d.perform = node_d.perform;
      remote_d.full    = node_d.full;
      remote_d.lanes   = node_d.lanes;
      remote_d.addr    = node_d.addr;
      remote_q       `Q remote_d;
      remote_valid_q `Q 1'b1;
    end
    ring_rd_q `Q ring_rd_q + 1'b1;
  end
endtask
