// Slices: one after another, each up to the window's end. First which: its next request or its next
// reply of memory, whichever is earlier; then the set that it concerns.
//
// Tasks in the order of a request: choose (a slice), load (its state), read (heads of its queues),
// decide (what comes first), fetch (request of a memory reply), tags (the set). In simulation all
// happen in one clock, in the pipelined build each takes one. The rest: net_serve.svh and
// net_fill.svh.
task automatic reset_slice();
  slice_state_q `Q SliceIdle;
  active_q      `Q '0;
  todo_q        `Q '0;
  slices_next_q `Q Never;
endtask

/// number of the lowest slice of a set
function automatic slice_t lowest_slice(input slice_set_t set);
  if (set[31:0] != '0) lowest_slice = {2'd0, lowest32(set[31:0])};
  else if (set[63:32] != '0) lowest_slice = {2'd1, lowest32(set[63:32])};
  else lowest_slice = {2'd2, lowest32(set[95:64])};
endfunction

task automatic slice_choose();
  slice_t slice;
  if (slice_state_q == SliceIdle && phase_q == Serve) begin
    busy_d = 1'b1;
    if (todo_q != '0) begin
      slice   = lowest_slice(todo_q);
      slice_q `Q slice;
      todo_q[slice] `Q 1'b0;
      slice_state_q `Q SliceLoad;
    end else begin
      phase_q `Q Rest;
    end
  end
endtask

task automatic slice_load();
  if (slice_state_q == SliceLoad) begin
    queue_q `Q queue_mem[slice_q];
    fills_q `Q fills_mem[slice_q];
    clock_q `Q clock_mem[slice_q];
    slice_state_q `Q SliceRead;
  end
endtask

task automatic slice_read();
  if (slice_state_q == SliceRead) begin
    op_q         `Q OpRequest;
    node_q       `Q node_mem[queue_q.head];
    queue_next_q `Q next_mem[queue_q.head];
    fill_time_q  `Q fill_time_mem[fills_q.head];
    fill_next_q  `Q fill_next_mem[fills_q.head];
    wait_q       `Q wait_mem[fills_q.head];
    slice_state_q `Q SliceDecide;
  end
endtask

task automatic slice_decide();
  time_t service, at;
  logic  request, fill;
  if (slice_state_q == SliceDecide) begin
    busy_d  = 1'b1;
    service = latest(node_q.at + net_request_q, clock_q.free_at);
    request = queue_q.some && !clock_q.stuck;
    fill    = fills_q.some && (!request || !earlier(service, fill_time_q));
    at      = fill ? fill_time_q : service;
    service_q `Q service;
    if ((request || fill) && earlier(at, window_end_q)) begin
      slice_state_q `Q fill ? SliceFetch : SliceTags;
    end else begin
      if (request || fill) slices_next_q `Q first(slices_next_q, {1'b0, at});
      queue_we_d = 1'b1;
      queue_at_d = slice_q;
      queue_d    = queue_q;
      fills_we_d = 1'b1;
      fills_at_d = slice_q;
      fills_d    = fills_q;
      clock_we_d = 1'b1;
      clock_at_d = slice_q;
      clock_d    = clock_q;
      active_q[slice_q]  `Q queue_q.some || fills_q.some;
      slice_state_q      `Q SliceIdle;
    end
  end
endtask

// The request that asked memory.
task automatic slice_fetch();
  if (slice_state_q == SliceFetch) begin
    node_q `Q node_mem[fills_q.head];
    come_q `Q wait_q.asked;
    op_q   `Q OpFill;
    slice_state_q `Q SliceTags;
  end
endtask

task automatic slice_tags();
  row_t row;
  if (slice_state_q == SliceTags) begin
    row = row_of(slice_q, node_q.addr);
    row_q   `Q row;
    tags_q  `Q tag_mem[row];
    lines_q `Q line_mem[row];
    set_q   `Q set_mem[row];
    slice_state_q `Q (op_q == OpFill) ? SliceFill : SliceServe;
  end
endtask
