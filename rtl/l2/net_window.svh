// Windows, events, and the memories' write ports.
task automatic reset_window();
  phase_q     = Rest;
  extracting_q <= 1'b0;
  idle_o      <= 1'b0;
  replied_o   <= 1'b1;
  next_o      <= Never;
  fault_o     <= FaultNone;
  perform_valid_q    = 1'b0;
  write_valid_q      = 1'b0;
  read_event_valid_q = 1'b0;
  remote_valid_q     = 1'b0;
  ev_valid_o  <= 1'b0;
  sends_q  <= '0;
  counts_q <= '0;
endtask

// A window begins: the messages that arrive in it are taken from the calendar. Sets that were never
// used are emptied first, and times that are long past are made recent ones.
task automatic begin_window();
  logic scrub;
  if (go_i) begin
    scrub_start(scrub);
    busy_d       = 1'b1;
    window_end_q = window_end_i;
    replied_o    <= 1'b0;
    phase_q      = scrub ? Scrub : clear_q ? Clear : Extract;
    if (clear_q && !scrub) start_flush(1'b1);
  end else if (in_phase(Scrub) && in_state(SliceIdle)) begin
    busy_d  = 1'b1;
    phase_q = clear_q ? Clear : Extract;
    if (clear_q) start_flush(1'b1);
  end else if (in_phase(Clear) && in_flush(FlushNone)) begin
    busy_d  = 1'b1;
    phase_q = Extract;
  end
endtask

// A node may be taken. The spare that is shown is an old one in the clock after it was taken.
task automatic offer_node();
  alloc_ok_d   = spare_ok && !spare_take;
  alloc_node_d = spare_node;
  if (pool_empty) fault_d = FaultRequestPool;
  if (order_wrong) fault_d = FaultRequestOrder;
endtask

// Whether events wait: as the clock begins, when Pipelined, else behind the one that leaves in it.
task automatic look_at_events();
  events_wait_d  = perform_valid_q || write_valid_q || read_event_valid_q;
  remote_waits_d = remote_valid_q;
endtask

// One event per clock. Those of a request go out in this order before the next one is served.
task automatic events();
  if (!ev_valid_o || ev_ready_i) begin
    ev_valid_o <= perform_valid_q || write_valid_q || read_event_valid_q || remote_valid_q
                  || ingress_taken;
    if (ingress_taken) begin
      ev_o <= ingress_word;
    end else if (perform_valid_q) begin
      ev_o <= perform_q;
      perform_valid_q = 1'b0;
    end else if (write_valid_q) begin
      ev_o <= write_q;
      write_valid_q = 1'b0;
    end else if (read_event_valid_q) begin
      ev_o <= read_event_q;
      read_event_valid_q = 1'b0;
    end else if (remote_valid_q) begin
      ev_o <= remote_q;
      remote_valid_q = 1'b0;
    end
  end
endtask

// As the clock begins, when Pipelined: what steps read that are called behind one that writes it.
task automatic remember();
  phase_was_d = phase_q;
  state_was_d = slice_state_q;
  flush_was_d = flush_q;
  slice_was_d = slice_q;
  walk_was_d  = walk_q.head;
  op_was_d    = op_q;
  next_was_d  = slices_next_q;
  look_at_slice();
endtask

// The slice in work, for the steps from read to decide: as the clock begins, or as it is.
task automatic look_at_slice();
  clock_now_d = clock_q;
  queue_now_d = queue_q;
  far_now_d   = far_q;
  back_now_d  = back_q;
  fills_now_d = fills_q;
endtask

// What is kept from the clock before means nothing: in synthesis it must not become flip-flops.
task automatic forget();
  trip_d          = TripNone;
  insert_source_d = '0;
  insert_time_d   = '0;
  insert_node_d   = '0;
  insert_dest_d   = '0;
  free_node_d     = '0;
  node_d          = '0;
  reply_node_d    = '0;
  reply_d         = '0;
  link_from_d     = '0;
  link_to_d       = '0;
  trip_at_d       = '0;
  queue_at_d      = '0;
  fills_at_d      = '0;
  queue_d         = '0;
  far_d           = '0;
  back_d          = '0;
  fills_d         = '0;
  clock_at_d      = '0;
  clock_d         = '0;
  row_at_d        = '0;
  way_at_d        = '0;
  way_tag_d       = '0;
  way_line_d      = '0;
  set_d           = '0;
  wait_at_d       = '0;
  wait_from_d     = '0;
  wait_d          = '0;
  command_d       = '0;
  remote_d        = '0;
  event_d         = '0;
endtask

// Every memory has its write port here.
task automatic write_memories();
  if (link_d) `STORE(next_mem[link_from_d], link_to_d);
  if (queue_we_d) `STORE(queue_mem[queue_at_d], queue_d);
  if (far_we_d) `STORE(far_mem[queue_at_d], far_d);
  if (back_we_d) `STORE(back_mem[queue_at_d], back_d);
  if (fills_we_d) `STORE(fills_mem[fills_at_d], fills_d);
  if (answer_we_d) `STORE(answer_mem[reply_node_d], reply_d);
  if (clock_we_d) `STORE(clock_mem[clock_at_d], clock_d);
  if (wait_we_d) `STORE(wait_mem[wait_at_d], wait_d);
  if (wait_link_d) `STORE(wait_next_mem[wait_from_d], wait_at_d);
endtask

// A set: one way of it, what is beside the ways, or nothing any more. Whole words are written, made
// of what was read: sixteen lanes with an enable each are as many write ports to yosys, which then
// takes ten times as long.
task automatic write_row();
  row_t row;
  row = row_clear_d ? row_at_d : row_q;
  if (way_we_d) begin
    tags_d = tags_q;
    for (int w = 0; w < NumWays; w++)
      if (32'(way_at_d) == w) tags_d[w*TagW +: TagW] = way_tag_d;
    `STORE(tag_mem[row_q], tags_d);
  end
  if (way_we_d || row_clear_d) begin
    lines_d = lines_q;
    for (int w = 0; w < NumWays; w++)
      if (32'(way_at_d) == w) lines_d[w*WayW +: WayW] = way_line_d;
      else if (clean_we_d && 32'(over_way_q) == w) lines_d[w*WayW + 4 +: 4] = '0;
    if (row_clear_d) lines_d = '0;
    `STORE(line_mem[row], lines_d);
  end
  if (set_we_d || row_clear_d) begin
    if (row_clear_d) set_d = '0;
    `STORE(set_mem[row], set_d);
  end
endtask

// Idle: nothing happened in this clock and nothing is left.
task automatic end_window();
  quiet_d = !busy_d && !go_i && !req_valid_i && in_phase(Rest) && in_state(SliceIdle)
            && in_flush(FlushNone) && !beat_valid_q && !events_wait_d && !remote_waits_d
            && !ev_valid_o && !divide_start && !divide_busy && !send && !ingress_busy
            && !calendar_busy && !reply_busy;
  idle_o <= quiet_d;
  extracting_q <= phase_q == Extract;
  if (quiet_d) next_o <= first(calendar_next, Pipelined ? next_was_d : slices_next_q);
  if (fault_o == FaultNone) fault_o <= fault_d;
endtask
