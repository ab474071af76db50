// Windows, events, and the memories' write ports.
task automatic reset_window();
  phase_q     `Q Rest;
  free_rd_q   `Q '0;
  free_wr_q   `Q '0;
  fresh_q     `Q '0;
  idle_o      <= 1'b0;
  replied_o   <= 1'b1;
  next_o      <= Never;
  fault_o     <= FaultNone;
  pop_valid_q   `Q 1'b0;
  third_valid_q `Q 1'b0;
  found_valid_q `Q 1'b0;
  perform_valid_q    `Q 1'b0;
  write_valid_q      `Q 1'b0;
  read_event_valid_q `Q 1'b0;
  remote_valid_q     `Q 1'b0;
  ev_valid_o  <= 1'b0;
  accesses_q `Q '0;
  hits_q `Q '0;
  reads_q `Q '0;
  writes_q `Q '0;
  hash_q `Q '0;
  mix_valid_q `Q 1'b0;
  settled_q   `Q 1'b0;
endtask

// A window begins: the messages that arrive in it are taken from the calendar. Sets that were never
// used are emptied first, and times that are long past are made recent ones.
task automatic begin_window();
  logic scrub;
  if (go_i) begin
    scrub_start(scrub);
    busy_d       = 1'b1;
    window_end_q `Q window_end_i;
    replied_o    <= 1'b0;
    phase_q      `Q scrub ? Scrub : clear_q ? Clear : Extract;
    if (clear_q && !scrub) start_flush(1'b1);
  end else if (phase_q == Scrub && slice_state_q == SliceIdle) begin
    busy_d  = 1'b1;
    phase_q `Q clear_q ? Clear : Extract;
    if (clear_q) start_flush(1'b1);
  end else if (phase_q == Clear && flush_q == FlushNone) begin
    busy_d  = 1'b1;
    phase_q `Q Extract;
  end
endtask

// Nodes: one may be taken and one given back per clock.
task automatic offer_node();
  alloc_ok_d   = free_rd_q != free_wr_q || fresh_q != (NodeBits+1)'(NumNodes);
  alloc_node_d = (free_rd_q != free_wr_q) ? free_mem[free_rd_q[NodeBits-1:0]]
                                          : fresh_q[NodeBits-1:0];
  if (!alloc_ok_d) fault_d = FaultRequestPool;
endtask

task automatic settle_nodes();
  if (alloc_d) begin
    if (free_rd_q != free_wr_q) free_rd_q `Q free_rd_q + 1'b1;
    else fresh_q `Q fresh_q + 1'b1;
  end
  if (free_d) begin
    free_mem[free_wr_q[NodeBits-1:0]] `Q free_node_d;
    free_wr_q `Q free_wr_q + 1'b1;
  end
  if (node_we_d) node_mem[alloc_node_d] `Q node_d;
  if (reply_we_d) reply_mem[reply_node_d] `Q reply_d;
endtask

// One event per clock. Those of a request go out in this order before the next one is served.
task automatic events();
  if (!ev_valid_o || ev_ready_i) begin
    ev_valid_o <= perform_valid_q || write_valid_q || read_event_valid_q || remote_valid_q;
    if (perform_valid_q) begin
      ev_o <= perform_q;
      perform_valid_q `Q 1'b0;
    end else if (write_valid_q) begin
      ev_o <= write_q;
      write_valid_q `Q 1'b0;
    end else if (read_event_valid_q) begin
      ev_o <= read_event_q;
      read_event_valid_q `Q 1'b0;
    end else if (remote_valid_q) begin
      ev_o <= remote_q;
      remote_valid_q `Q 1'b0;
    end
  end
endtask

// What is kept from the clock before means nothing: in synthesis it must not become flip-flops.
`ifdef HEDDLE_NBA
task automatic forget();
  trip_d          = TripNone;
  insert_source_d = '0;
  insert_time_d   = '0;
  insert_node_d   = '0;
  insert_dest_d   = '0;
  free_node_d     = '0;
  node_d          = '0;
  enter_d         = '0;
  reply_node_d    = '0;
  reply_d         = '0;
  link_from_d     = '0;
  link_to_d       = '0;
  trip_at_d       = '0;
  source_at_d     = '0;
  source_d        = '0;
  bit_at_d        = '0;
  bit_d           = '0;
  group_d         = '0;
  lane_at_d       = '0;
  lane_d          = '0;
  group_at_d      = '0;
  queue_at_d      = '0;
  fills_at_d      = '0;
  queue_d         = '0;
  far_d           = '0;
  back_d          = '0;
  fills_d         = '0;
  clock_at_d      = '0;
  clock_d         = '0;
  smq_at_d        = '0;
  smq_d           = '0;
  shown_d         = '0;
  shown_word_d    = '0;
  ready_at_d      = '0;
  ready_node_d    = '0;
  ready_d         = '0;
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
`endif

// Every memory has its write port here.
task automatic write_memories();
  if (link_d) next_mem[link_from_d] `Q link_to_d;
  if (source_we_d) source_mem[source_at_d] `Q source_d;
  if (bit_we_d) bit_mem[bit_at_d] `Q bit_d;
  if (lane_we_d) lane_mem[lane_at_d] `Q lane_d;
  if (group_we_d) group_mem[group_at_d] `Q group_d;
  if (queue_we_d) queue_mem[queue_at_d] `Q queue_d;
  if (far_we_d) far_mem[queue_at_d] `Q far_d;
  if (back_we_d) back_mem[queue_at_d] `Q back_d;
  if (fills_we_d) fills_mem[fills_at_d] `Q fills_d;
  if (trip_we_d) trip_mem[trip_at_d] `Q trip_d;
  if (clock_we_d) clock_mem[clock_at_d] `Q clock_d;
  if (smq_we_d) sm_mem[smq_at_d] `Q smq_d;
  if (wait_we_d) wait_mem[wait_at_d] `Q wait_d;
  if (wait_link_d) wait_next_mem[wait_from_d] `Q wait_at_d;
  write_row();
  if (ready_we_d) begin
    ready_mem[ready_at_d]      `Q ready_d;
    ready_node_mem[ready_at_d] `Q ready_node_d;
  end
  if (shown_we_d) begin
    shown_mem[smq_at_d]       <= shown_word_d;
    shown_valid_mem[smq_at_d] <= shown_d;
  end
endtask

// A set: one way of it, what is beside the ways, or nothing any more. Synthesis writes whole words,
// made of what was read: sixteen lanes with an enable each are as many write ports to yosys, which
// then takes ten times as long.
task automatic write_row();
`ifdef HEDDLE_NBA
  row_t row;
  row     = row_clear_d ? row_at_d : row_q;
  tags_d  = tags_q;
  lines_d = lines_q;
  for (int w = 0; w < NumWays; w++)
    if (32'(way_at_d) == w) begin
      tags_d[w*TagW +: TagW]  = way_tag_d;
      lines_d[w*WayW +: WayW] = way_line_d;
    end else if (clean_we_d && 32'(over_way_q) == w) begin
      lines_d[w*WayW + 4 +: 4] = '0;
    end
  if (row_clear_d) begin
    lines_d = '0;
    set_d   = '0;
  end
  if (way_we_d) tag_mem[row_q] <= tags_d;
  if (way_we_d || row_clear_d) line_mem[row] <= lines_d;
  if (set_we_d || row_clear_d) set_mem[row] <= set_d;
`else
  if (row_clear_d) begin
    line_mem[row_at_d] = '0;
    set_mem[row_at_d]  = '0;
  end else begin
    if (set_we_d) set_mem[row_q] = set_d;
    if (way_we_d) begin
      tag_mem[row_q][way_at_d*TagW +: TagW]  = way_tag_d;
      line_mem[row_q][way_at_d*WayW +: WayW] = way_line_d;
    end
    if (clean_we_d) line_mem[row_q][over_way_q*WayW + 4 +: 4] = '0;
  end
`endif
endtask

// Idle: nothing happened in this clock and nothing is left; then next_q is looked for, and what it
// is says next_o a clock later, if it is quiet still.
task automatic end_window();
  quiet_d = !busy_d && !go_i && phase_q == Rest && ring_rd_q == ring_wr_q && !keep_q
            && slice_state_q == SliceIdle && flush_q == FlushNone && !beat_valid_q
            && !perform_valid_q && !write_valid_q && !read_event_valid_q && !remote_valid_q
            && !ev_valid_o;
  settled_q `Q quiet_d;
  if (quiet_d) next_q `Q next_bucket();
  if (fault_o == FaultNone) fault_o <= fault_d;
endtask

task automatic rest();
  idle_o <= quiet_d && settled_q;
  if (quiet_d) next_o <= first(next_q, slices_next_q);
endtask
