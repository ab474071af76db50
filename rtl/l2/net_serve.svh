// Slices: a request is served, at service_q, in the set that was read. Also a line of FillL2.
//
// Waits until the events of the request before are out, so that their order does not depend on host
// clocks.
/// ways of the set in tags_q, lines_q: that hold the line; that hold nothing; that may leave
function automatic logic [NumWays-1:0] ways_with(input logic [31:0] line);
  for (int w = 0; w < NumWays; w++)
    ways_with[w] = tags_q[w*TagW +: TagW] == line
                   && (lines_q[w*WayW +: 4] | lines_q[w*WayW + 8 +: 4]) != '0;
endfunction

function automatic logic [NumWays-1:0] ways_empty();
  for (int w = 0; w < NumWays; w++)
    ways_empty[w] = (lines_q[w*WayW +: 4] | lines_q[w*WayW + 8 +: 4]) == '0;
endfunction

function automatic logic [NumWays-1:0] ways_movable();
  for (int w = 0; w < NumWays; w++) ways_movable[w] = lines_q[w*WayW + 8 +: 4] == '0;
endfunction

/// the sectors that come when these are fetched from memory: aligned pieces of the line
function automatic logic [3:0] fetched(input logic [3:0] sectors);
  case (fetch_q)
    2'd0:    fetched = sectors;
    2'd1:    fetched = {{2{|sectors[3:2]}}, {2{|sectors[1:0]}}};
    default: fetched = {4{|sectors}};
  endcase
endfunction

/// the hash gets what became of the request in work
task automatic note_hash(input logic [22:0] outcome);
  mix_d = 1'b1;
  mix_at_q   <= service_q;
  mix_line_q <= node_q.addr;
  outcome_q  <= outcome;
endtask

task automatic slice_serve();
  logic [3:0]         sectors, valid, dirty, flight, full, present, missing, merged, asked;
  logic               stuck, copied, out, fetch;
  if (in_state(SliceServe) && !events_wait_d && !remote_waits_d && !reply_pop_i && alloc_ok_d) begin
    if (!Pipelined) clock_now_d = clock_q;
    busy_d  = 1'b1;
    sectors = node_q.sectors;
    stuck   = full_q;
    {copied, full, flight, dirty, valid} = way_line_q;
    if (!hit_q) {copied, full, flight, dirty, valid} = '0;
    present = sectors & valid;
    missing = sectors & ~valid;
    merged  = missing & flight;
    asked   = (node_q.kind == ReqWrite) ? 4'd0 : missing & ~flight;
    if (home_q) asked = fetched(asked) & ~valid & ~flight;
    if (node_q.kind == ReqWrite) merged = '0;
    out     = leaves_q || cleans_q;
    fetch   = !home_q && asked != '0;
    // too much under way: memory's entries, or ways that wait for the other partition
    if (op_q != OpCopy) begin
      if (32'(clock_now_d.entries) + 32'(out) + 32'(home_q && asked != '0) > 32'(entries_q))
        stuck = out || (home_q && asked != '0) || stuck;
      if (fetch && flight == '0 && set_q.fetches == 4'(MaxFetches)) stuck = 1'b1;
    end

    if (stuck && op_q == OpCopy) begin
      slice_state_q = SliceCopy;  // no way for the line: it is left out
    end else if (stuck) begin
      if (op_q == OpFar) clock_q.far_stuck = 1'b1;
      else clock_q.stuck = 1'b1;
      slice_state_q = SliceRead;
    end else begin
      // what leaves
      if (out) begin
        event_d         = '0;
        event_d.at      = (op_q == OpCopy) ? reached_i : service_q + l2_miss_q;
        event_d.kind    = EvDramWrite;
        event_d.id      = 16'(op_q != OpCopy);
        event_d.sm      = global_q;
        event_d.sectors = out_dirty_q;
        event_d.full    = out_full_q;
        event_d.addr    = out_tag_q;
        write_q       = event_d;
        write_valid_q = 1'b1;
        writes_d = out_dirty_q;
      end
      set_d = set_q;
      if (op_q != OpCopy)
        clock_q.entries = clock_now_d.entries + 10'(out) + 10'(home_q && asked != '0);
      if (!hit_q && turn_q) begin
        set_we_d      = 1'b1;
        set_d.pointer = way_q + 1'b1;
      end

      // the sectors
      if (op_q == OpCopy) begin
        valid = 4'hf;
        full  = 4'hf;
        dirty = '0;
        slice_state_q = SliceCopy;
        if (copied) begin
          op_q          = OpDrop;
          slice_q       = mirror_q;
          slice_state_q = SliceRow;
        end
        copied = 1'b0;
      end else begin
        if (node_q.kind == ReqWrite) begin
          valid  = valid | sectors;
          full   = full | (node_q.full & sectors);
        end
        if (node_q.kind != ReqRead) dirty = dirty | sectors;
        if (fetch && flight == '0) begin
          set_we_d      = 1'b1;
          set_d.fetches = set_d.fetches + 1'b1;
        end
        flight = flight | asked;
        serve_request(present, missing, asked);
        {clock_q.free_at, clock_q.free_less} = taken_until(service_q, less_q, serve_busy_q);
        answer_now(present, missing, serve_busy_q);
        if (fetch) fetch_line(asked);
        pop_request();
        // the other partition may hold a copy from now on, or holds one that is no longer right
        slice_state_q = copied && node_q.kind != ReqRead ? SliceTell : SliceRead;
        copied = trip_q == TripFetch || (copied && node_q.kind == ReqRead);
        note_hash({global_q, node_q.kind, present, asked, merged, 1'b1});
        if (trip_q != TripFetch) accesses_d = sectors;
        hits_d = node_q.kind == ReqWrite ? sectors : present | merged;
        if (home_q) reads_d = asked;
      end
      clean_we_d = cleans_q;
      way_we_d   = 1'b1;
      way_at_d   = way_q;
      way_tag_d  = node_q.addr;
      way_line_d = {copied, full, flight, dirty, valid};
    end
  end
endtask

// What the host hears, and the place among those that wait for memory.
task automatic serve_request(input logic [3:0] present, input logic [3:0] missing,
                             input logic [3:0] asked);
  if (node_q.perform) begin
    event_d         = '0;
    event_d.at      = service_q;
    event_d.kind    = EvPerform;
    event_d.sm      = node_q.sm;
    event_d.warp    = node_q.warp;
    event_d.slot    = node_q.slot;
    event_d.sectors = node_q.sectors;
    event_d.addr    = node_q.addr;
    perform_q       = event_d;
    perform_valid_q = 1'b1;
  end
  if (asked != '0 && home_q) begin
    event_d         = '0;
    event_d.at      = service_q + l2_miss_q;
    event_d.kind    = EvDramRead;
    event_d.sm      = global_q;
    event_d.sectors = asked;
    event_d.id      = 16'(head_q);
    event_d.addr    = node_q.addr;
    read_event_q       = event_d;
    read_event_valid_q = 1'b1;
  end
  if (node_q.kind != ReqWrite && missing != '0) begin
    wait_we_d     = 1'b1;
    wait_at_d     = head_q;
    wait_d.asked  = asked;
    wait_d.need   = missing;
    wait_d.answer = in_parts() ? missing : node_q.sectors;
    if (node_q.kind == ReqAtomic) wait_d.answer = (node_q.bar == BarStores) ? 4'd0 : node_q.sectors;
    wait_link_d   = set_d.waiting.some;
    wait_from_d   = set_d.waiting.tail;
    if (!set_d.waiting.some) set_d.waiting.head = head_q;
    set_d.waiting.some = 1'b1;
    set_d.waiting.tail = head_q;
    set_we_d = 1'b1;
  end
  if (present == '0 && missing == '0) fault_d = FaultRequest;
endtask

/// what is present is sent before the rest: reads of SMs that are at their line's home
function automatic logic in_parts();
  in_parts = op_q == OpRequest && home_q;
endfunction

// The reply that needs no memory, if there is one. A Read may get a second one later: this one then
// has a node of its own.
task automatic answer_now(input logic [3:0] present, input logic [3:0] missing,
                          input logic [23:0] busy);
  time_t       at;
  logic        split;
  logic [23:0] cycles;
  reply_d        = '0;
  reply_d.warp   = node_q.warp;
  reply_d.bar    = node_q.bar;
  reply_d.mshr   = node_q.mshr;
  reply_d.cached = node_q.cached;
  cycles = (busy + 24'd255) >> 8;
  at    = service_q + TimeW'(cycles) + l2_latency_q - 1'b1;
  split = 1'b0;
  case (node_q.kind)
    ReqRead: begin
      reply_d.sectors = present;
      split = present != '0 && missing != '0 && in_parts();
      if (split && !node_q.cached) reply_d.bar = BarNone;
    end
    ReqWrite: at = service_q + l2_latency_q;
    default:  if (node_q.bar != BarStores) reply_d.sectors = node_q.sectors;
  endcase
  if (split) alloc_d = 1'b1;
  if (node_q.kind == ReqWrite || missing == '0 || split)
    send_reply(split ? alloc_node_d : head_q, node_q.sm, trip_q, at);
endtask
