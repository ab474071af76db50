// Slices: sectors come, at service_q: of memory, to the request in node_q, come_q; or of the other
// partition, those of the message in node_q. Then every request that waits in the set: those that
// need nothing more are answered, the others keep their order.
task automatic slice_fill();
  logic [3:0] valid, dirty, flight, full, come;
  logic       copied;
  if (in_state(SliceFill) && (op_q == OpFill || !reply_pop_i)) begin
    if (!Pipelined) clock_now_d = clock_q;
    busy_d = 1'b1;
    come   = (op_q == OpFill) ? come_q : node_q.sectors;
    {copied, full, flight, dirty, valid} = way_line_q;
    way_we_d   = 1'b1;
    way_at_d   = way_q;
    way_tag_d  = node_q.addr;
    way_line_d = {copied, full | come, flight & ~come, dirty, valid | come};
    try_again();
    if (op_q == OpFill) begin
      pop_fill();
    end else begin
      pop_back();
      free_d      = 1'b1;
      free_node_d = head_q;
    end
    fetched_q     = op_q != OpFill && (flight & ~come) == '0;
    come_q        = come;
    walk_q        = set_q.waiting;
    stay_q.some   = 1'b0;
    slice_state_q = SliceWaiter;
    if (!hit_q || !set_q.waiting.some) fault_d = FaultDramId;
  end
endtask

task automatic slice_waiter();
  node_t node;
  node = Pipelined ? walk_was_d : walk_q.head;
  if (in_state(SliceWaiter)) begin
    waiter_q      = node_mem[node];
    waiter_next_q = wait_next_mem[node];
    wait_q        = wait_mem[node];
    waiter_trip_q = trip_mem[node];
    slice_state_q = SliceHere;
  end
endtask

// Whether an SM of this instance waits: two products, so not in the clock of the answer.
task automatic slice_here();
  if (in_state(SliceHere)) begin
    here_q        = is_here(waiter_q.sm);
    slice_state_q = SliceWake;
  end
endtask

task automatic slice_wake();
  logic       here, done, last;
  logic [3:0] need;
  if (in_state(SliceWake) && !remote_waits_d && !reply_pop_i) begin
    if (!Pipelined) clock_now_d = clock_q;
    busy_d = 1'b1;
    here   = waiter_q.addr == node_q.addr;
    need   = here ? wait_q.need & ~come_q : wait_q.need;
    done   = need == '0;
    last   = walk_q.head == walk_q.tail;
    set_d  = set_q;
    set_d.waiting = stay_q;
    set_d.fetches = set_q.fetches - 4'(fetched_q);
    if (done) begin
      reply_d         = '0;
      reply_d.warp    = waiter_q.warp;
      reply_d.bar     = waiter_q.bar;
      reply_d.mshr    = waiter_q.mshr;
      reply_d.cached  = waiter_q.cached;
      reply_d.sectors = wait_q.answer;
      send_reply(walk_q.head, waiter_q.sm, waiter_trip_q, service_q + l2_fill_q);
    end else begin
      wait_link_d = stay_q.some;
      wait_from_d = stay_q.tail;
      if (!stay_q.some) set_d.waiting.head = walk_q.head;
      set_d.waiting.some = 1'b1;
      set_d.waiting.tail = walk_q.head;
    end
    // its own DramRead has come, when this is the request that asked; nothing may answer that twice
    wait_we_d = 1'b1;
    wait_at_d = walk_q.head;
    wait_d    = wait_q;
    wait_d.need  = need;
    if (here && (wait_q.asked & come_q) != '0) wait_d.asked = '0;
    stay_q       = set_d.waiting;
    walk_q.head  = waiter_next_q;
    set_we_d     = last;
    slice_state_q = last ? SliceRead : SliceWaiter;
  end
endtask
