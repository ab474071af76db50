// Two partitions: what a slice and its mirror, the slice of the same lines in the other partition,
// say to each other. One of the two is a line's home, where all that writes it is served, and all
// reads that L1 does not keep: the point of coherence. The other one holds copies for its SMs.
//
// A read that L1 keeps and that misses in the copies fetches the sectors from home; all else
// passes on to home and its answer comes back the same way. A line at home knows whether it may
// have been copied; when it is written the copy is dropped.
// Messages leave through two ports of the slice, one for requests, one for the rest, and arrive
// net_cross later.

// A message, in a node, to the mirror of the slice in work.
task automatic cross_over(input node_t node, input trip_e trip, input logic [3:0] sectors,
                          input time_t at);
  time_t      leave;
  if (trip == TripFetch || trip == TripPass) begin
    leave = latest(at, clock_now_d.far_at);
    {clock_q.far_at, clock_q.far_less}
        = taken_until(leave, earlier(at, clock_now_d.far_at) ? clock_now_d.far_less : 8'd0,
                       flits(sectors));
    insert_source_d = SourceBits'(FirstFar) + SourceBits'(global_q);
  end else begin
    leave = latest(at, clock_now_d.back_at);
    {clock_q.back_at, clock_q.back_less}
        = taken_until(leave, earlier(at, clock_now_d.back_at) ? clock_now_d.back_less : 8'd0,
                       flits(sectors));
    insert_source_d = SourceBits'(FirstBack) + SourceBits'(global_q);
  end
  trip_we_d       = 1'b1;
  trip_at_d       = node;
  trip_d          = trip;
  insert_d        = 1'b1;
  insert_time_d   = leave + net_cross_q;
  insert_node_d   = node;
  insert_dest_d   = 8'(mirror_q);
endtask

// Sectors that a copy lacks: a request without data, in a node of its own.
task automatic fetch_line(input logic [3:0] asked);
  alloc_d        = 1'b1;
  node_we_d      = 1'b1;
  node_d         = node_q;
  node_d.sectors = asked;
  node_d.perform = 1'b0;
  cross_over(alloc_node_d, TripFetch, 4'd0, service_q + l2_miss_q);
endtask

// A request that is served at home: it takes the slice's time here as well.
task automatic slice_pass();
  if (in_state(SlicePass)) begin
    if (!Pipelined) clock_now_d = clock_q;
    busy_d = 1'b1;
    {clock_q.free_at, clock_q.free_less}
        = taken_until(service_q, less_q, flits(node_q.sectors));
    cross_over(head_q, TripPass, node_q.kind == ReqWrite ? node_q.sectors : 4'd0,
               service_q + l2_miss_q);
    note_hash({global_q, node_q.kind, 12'd0, 1'b1});
    pop_request();
    slice_state_q = SliceRead;
  end
endtask

// Its answer.
task automatic slice_passed();
  if (in_state(SlicePassed) && !remote_waits_d && !reply_pop_i) begin
    if (!Pipelined) clock_now_d = clock_q;
    busy_d  = 1'b1;
    reply_d = answer_mem[head_q];
    send_reply(head_q, node_q.sm, TripNone, service_q + l2_fill_q);
    pop_back();
    try_again();
    slice_state_q = SliceRead;
  end
endtask

// At home: the line has been written, its copy must go.
task automatic slice_tell();
  if (in_state(SliceTell) && alloc_ok_d) begin
    if (!Pipelined) clock_now_d = clock_q;
    busy_d    = 1'b1;
    alloc_d   = 1'b1;
    node_we_d = 1'b1;
    node_d    = node_q;
    cross_over(alloc_node_d, TripDrop, 4'd0, service_q + l2_miss_q);
    slice_state_q = SliceRead;
  end
endtask

// The copy goes; sectors that it has asked for still come. Also for a line of FillL2.
task automatic slice_drop();
  if (in_state(SliceDrop) && (op_q == OpDrop || !reply_pop_i)) begin
    busy_d = 1'b1;
    way_we_d   = hit_q;
    way_at_d   = way_q;
    way_tag_d  = node_q.addr;
    way_line_d = {5'd0, way_line_q[11:8], 8'd0};
    if (op_q == OpDrop) begin
      slice_state_q = SliceCopy;
    end else begin
      free_d      = 1'b1;
      free_node_d = head_q;
      pop_back();
      try_again();
      slice_state_q = SliceRead;
    end
  end
endtask
