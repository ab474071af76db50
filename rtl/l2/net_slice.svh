// Slices: one after another, each up to the window's end. First which: its next request or what
// comes back next, from memory or from the other partition, whichever is earliest; then the set
// that it concerns.
//
// Tasks in the order of a request: choose (a slice), load (its state), read (heads of its queues),
// decide (what comes first), fetch (its message), low, quotient and home (whether the line has its
// home here, with two partitions), row (which set), tags (the set), match (its way), way (what that
// holds). In simulation all happen in one clock, in the pipelined build each takes one. The rest:
// net_clean.svh, net_serve.svh, net_fill.svh and net_cross.svh.
task automatic reset_slice();
  slice_state_q = SliceIdle;
  active_q      = '0;
  todo_q        = '0;
  slices_next_q = Never;
endtask

/// the slice in work, and what is in work
function automatic slice_t slice_now();
  slice_now = Pipelined ? slice_was_d : slice_q;
endfunction

function automatic logic [2:0] op_now();
  op_now = Pipelined ? op_was_d : op_q;
endfunction

/// number of the lowest slice of a set
function automatic slice_t lowest_slice(input slice_set_t set);
  if (set[31:0] != '0) lowest_slice = {2'd0, lowest32(set[31:0])};
  else if (set[63:32] != '0) lowest_slice = {2'd1, lowest32(set[63:32])};
  else lowest_slice = {2'd2, lowest32(set[95:64])};
endfunction

task automatic slice_choose();
  slice_t slice;
  if (in_state(SliceIdle) && in_phase(Serve)) begin
    busy_d = 1'b1;
    if (todo_q != '0) begin
      slice   = lowest_slice(todo_q);
      slice_q = slice;
      todo_q[slice] = 1'b0;
      slice_state_q = SliceLoad;
    end else begin
      phase_q = Rest;
    end
  end
endtask

task automatic slice_load();
  slice_t slice;
  slice = slice_now();
  if (in_state(SliceLoad)) begin
    queue_q = queue_mem[slice];
    far_q   = far_mem[slice];
    back_q  = back_mem[slice];
    fills_q = fills_mem[slice];
    clock_q = clock_mem[slice];
    global_q = global_slice(slice);
    slice_state_q = in_phase(Scrub) ? SliceScrub : SliceRead;
  end
endtask

task automatic slice_read();
  if (in_state(SliceRead)) begin
    if (!Pipelined) look_at_slice();
    queue_time_q = time_mem[queue_now_d.head];
    queue_next_q = next_mem[queue_now_d.head];
    if (two_q) begin
      far_time_q  = time_mem[far_now_d.head];
      far_next_q  = next_mem[far_now_d.head];
      back_time_q = time_mem[back_now_d.head];
      back_next_q = next_mem[back_now_d.head];
    end
    fill_time_q  = fill_time_mem[fills_now_d.head];
    fill_next_q  = fill_next_mem[fills_now_d.head];
    wait_q       = wait_mem[fills_now_d.head];
    slice_state_q = SliceDecide;
  end
endtask

task automatic slice_decide();
  time_t service, at, come_at, arrival;
  logic   request, far_request, far_first, any, come, back_first;
  slice_t slice;
  slice = slice_now();
  if (in_state(SliceDecide)) begin
    if (!Pipelined) look_at_slice();
    busy_d     = 1'b1;
    request    = queue_now_d.some && !clock_now_d.stuck;
    far_request = far_now_d.some && !clock_now_d.far_stuck;
    far_first  = far_request && (!request || earlier(far_time_q, queue_time_q));
    any        = request || far_request;
    arrival    = far_first ? far_time_q : queue_time_q;
    service    = latest(arrival, clock_now_d.free_at);
    back_first = back_now_d.some && (!fills_now_d.some || earlier(back_time_q, fill_time_q));
    come_at    = back_first ? back_time_q : fill_time_q;
    come       = (fills_now_d.some || back_now_d.some) && (!any || !earlier(service, come_at));
    at         = come ? come_at : service;
    service_q = at;
    less_q    = earlier(arrival, clock_now_d.free_at) ? clock_now_d.free_less : 8'd0;
    if (come) begin
      op_q   = back_first ? OpBack : OpFill;
      head_q = back_first ? back_now_d.head : fills_now_d.head;
    end else begin
      op_q   = far_first ? OpFar : OpRequest;
      head_q = far_first ? far_now_d.head : queue_now_d.head;
    end
    if ((any || come) && earlier(at, window_end_q)) begin
      slice_state_q = SliceFetch;
    end else begin
      if (any || come) slices_next_q = first(slices_next_q, {1'b0, at});
      queue_we_d = 1'b1;
      queue_at_d = slice;
      queue_d    = queue_now_d;
      far_we_d   = 1'b1;
      far_d      = far_now_d;
      back_we_d  = 1'b1;
      back_d     = back_now_d;
      fills_we_d = 1'b1;
      fills_at_d = slice;
      fills_d    = fills_now_d;
      clock_we_d = 1'b1;
      clock_at_d = slice;
      clock_d    = clock_now_d;
      active_q[slice] = queue_now_d.some || far_now_d.some || back_now_d.some
                        || fills_now_d.some;
      slice_state_q      = SliceIdle;
    end
  end
endtask

// Its message. That memory has taken a write is all there is to say.
task automatic slice_fetch();
  trip_t trip;
  if (in_state(SliceFetch)) begin
    trip = trip_mem[head_q];
    if (op_now() != OpFill || trip != TripWritten) begin
      node_q = node_mem[head_q];
      trip_q = trip;
      come_q = wait_q.asked;
      home_q = 1'b1;
      slice_state_q = two_q && op_now() == OpRequest ? SliceLow : SliceRow;
    end else if (!reply_pop_i) begin
      if (!Pipelined) clock_now_d = clock_q;
      busy_d      = 1'b1;
      free_d      = 1'b1;
      free_node_d = head_q;
      pop_fill();
      try_again();
      slice_state_q = SliceRead;
    end
  end
endtask

// The slice of the line: whether it is this one, or which one it is for a line of FillL2.
task automatic slice_low();
  if (in_state(SliceLow)) begin
    busy_d = 1'b1;
    slice_low_q   = low_part_of(line_high(node_q.addr, twos_q), slice_wrap);
    slice_state_q = SliceQuotient;
  end
endtask

task automatic slice_quotient();
  if (in_state(SliceQuotient)) begin
    slice_quotient_q = quotient_of(slice_low_q, slice_inv);
    slice_state_q    = SliceHome;
  end
endtask

task automatic slice_home();
  logic [7:0] slice;
  if (in_state(SliceHome)) begin
    slice = 8'(remainder_of(slice_low_q[7:0], slice_quotient_q, odd_q) << twos_q)
            | slice_low_of(node_q.addr, fold_q, field_bits_q, twos_q);
    copy_slice_q = slice;
    if (op_now() == OpCopy) begin
      slice_state_q = SlicePlace;
    end else begin
      home_q        = slice == global_q;
      slice_state_q = SliceRow;
    end
  end
endtask

task automatic slice_place();
  if (in_state(SlicePlace)) begin
    slice_q       = local_slice(copy_slice_q);
    global_q      = copy_slice_q;
    slice_state_q = is_here(copy_slice_q) ? SliceRow : SliceCopy;
  end
endtask

// Which set of the slice: the quotient that leaves it as the remainder.
/// what of a line decides its set: this modulo the number of sets
function automatic logic [9:0] row_fold(input logic [31:0] line);
  logic [25:0] high;
  high     = 26'(line >> 6);
  row_fold = high[9:0] ^ high[19:10] ^ {4'd0, high[25:20]};
endfunction

/// x divided by the number of sets
function automatic logic [9:0] by_sets(input logic [9:0] x);
  by_sets = 10'((32'(x) * 32'(set_inv)) >> (SetInvW - 1));
endfunction

/// the row of a line in the memories of the sets, slice * sets + the remainder; `quotient` is
/// by_sets of row_fold: a stage of its own
function automatic row_t row_of(input slice_t slice, input logic [31:0] line,
                                input logic [9:0] quotient);
  row_of = (RowBits'(slice) - RowBits'(quotient)) * RowBits'(sets_q) + RowBits'(row_fold(line));
endfunction

task automatic slice_row();
  if (in_state(SliceRow)) begin
    busy_d = 1'b1;
    row_quotient_q = by_sets(row_fold(node_q.addr));
    slice_state_q  = SliceTags;
  end
endtask

// The set: of the message, or the next one to flush. One site reads, so that the registers can be
// the memories' own.
task automatic slice_tags();
  row_t row;
  if (in_state(SliceTags) || in_flush(FlushRead)) begin
    row     = in_flush(FlushRead) ? flush_row_q : row_of(slice_now(), node_q.addr, row_quotient_q);
    tags_q  = tag_mem[row];
    lines_q = line_mem[row];
    set_q   = set_mem[row];
    row_q   = row;
  end
  if (in_flush(FlushRead)) begin
    busy_d  = 1'b1;
    flush_q = FlushWays;
  end
  if (in_state(SliceTags)) begin
    slice_state_q = SliceMatch;
    case (op_now())
      OpFill:    slice_then_q = SliceFill;
      OpBack:    slice_then_q = trip_q == TripFetched ? SliceFill
                                 : trip_q == TripPassed ? SlicePassed : SliceDrop;
      OpRequest: slice_then_q = home_q || node_q.cached ? SliceClean : SlicePass;
      OpDrop:    slice_then_q = SliceDrop;
      default:   slice_then_q = SliceClean;
    endcase
  end
endtask

// Its way: that has the line, or else for a request the one that is replaced.
task automatic slice_match();
  logic [NumWays-1:0] hits, empty, movable, behind;
  logic [23:0]        atomic;
  if (in_state(SliceMatch)) begin
    slice_state_q = SliceWay;
    if (two_q) mirror_q = local_slice(mirror_of(global_q, half_q));
    hits   = ways_with(node_q.addr);
    behind = hits;
    if (slice_then_q == SliceClean) begin
      empty   = ways_empty();
      movable = ways_movable();
      if (hits == '0) begin
        behind = movable & ({NumWays{1'b1}} << set_q.pointer);
        if (empty != '0) behind = empty;
        else if (behind == '0) behind = movable;
      end
      turn_q       = empty == '0;
      full_q       = hits == '0 && empty == '0 && movable == '0;
      atomic       = {16'(node_q.lanes) * 16'(atomic_interval_q), 8'd0};
      serve_busy_q = node_q.kind == ReqAtomic && atomic > flits(node_q.sectors)
                      ? atomic : flits(node_q.sectors);
    end
    hit_q = hits != '0;
    way_q = WayBits'(lowest32(32'(behind)));
  end
endtask

// What the way holds.
task automatic slice_way();
  if (in_state(SliceWay)) begin
    way_line_q    = lines_q[way_q*WayW +: WayW];
    here_q        = is_here(node_q.sm);
    slice_state_q = slice_then_q;
  end
endtask

// Something has come back at service_q: requests that wait for such are tried again.
task automatic try_again();
  if (clock_now_d.stuck || clock_now_d.far_stuck) begin
    if (!earlier(service_q, clock_now_d.free_at)) begin
      clock_q.free_at   = service_q;
      clock_q.free_less = '0;
    end
    clock_q.stuck     = 1'b0;
    clock_q.far_stuck = 1'b0;
  end
endtask

// The reply of memory in work is taken off its list.
task automatic pop_fill();
  fills_q.some    = fills_q.head != fills_q.tail;
  fills_q.head    = fill_next_q;
  clock_q.entries = clock_now_d.entries - 1'b1;
endtask

task automatic pop_back();
  back_q.some = back_q.head != back_q.tail;
  back_q.head = back_next_q;
endtask

// The request in work is taken off its queue.
task automatic pop_request();
  if (op_q == OpFar) begin
    far_q.some = far_q.head != far_q.tail;
    far_q.head = far_next_q;
  end else begin
    queue_q.some = queue_q.head != queue_q.tail;
    queue_q.head = queue_next_q;
  end
endtask
