// Requests from the SMs, windows, events, and the memories' write ports.
task automatic reset_window();
  phase_q     `Q Rest;
  fifo_wr_q   `Q '0;
  fifo_rd_q   `Q '0;
  free_rd_q   `Q '0;
  free_wr_q   `Q '0;
  fresh_q     `Q '0;
  req_ready_o <= 1'b0;
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
endtask

// A request waits in a short queue until the calendar has a clock for it.
task automatic accept_request();
  logic [2:0] used;
  logic       push;
  used = fifo_wr_q - fifo_rd_q;
  push = req_valid_i && req_ready_o;
  if (push) begin
    busy_d = 1'b1;
    fifo_mem[fifo_wr_q[1:0]] `Q req_i;
    fifo_wr_q `Q fifo_wr_q + 1'b1;
  end
  req_ready_o <= used + 3'(push) < 3'd4;
endtask

// The oldest request enters the calendar, or leaves for another instance.
task automatic insert_request();
  logic [7:0] slice;
  if (fifo_rd_q != fifo_wr_q && phase_q != Extract && !insert_d && !keep_q && !alloc_d
      && alloc_ok_d && !remote_valid_q && !remote_we_d) begin
    busy_d = 1'b1;
    node_d = fifo_mem[fifo_rd_q[1:0]];
    slice  = entry_of(node_d.addr, node_d.sm[1]);
    if (is_here(slice)) begin
      alloc_d         = 1'b1;
      node_we_d       = 1'b1;
      insert_d        = 1'b1;
      insert_source_d = SourceBits'(node_d.sm);
      insert_time_d   = node_d.at + net_request_q;
      insert_node_d   = alloc_node_d;
      insert_dest_d   = 8'(local_slice(slice));
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
      remote_d.slice   = slice;
      remote_d.req     = node_d.kind;
      remote_d.perform = node_d.perform;
      remote_d.full    = node_d.full;
      remote_d.lanes   = node_d.lanes;
      remote_d.addr    = node_d.addr;
      remote_q       `Q remote_d;
      remote_valid_q `Q 1'b1;
    end
    fifo_rd_q `Q fifo_rd_q + 1'b1;
  end
endtask

// A window begins: the messages that arrive in it are taken from the calendar. Sets that were never
// used are emptied first.
task automatic begin_window();
  if (go_i) begin
    busy_d       = 1'b1;
    window_end_q `Q window_end_i;
    replied_o    <= 1'b0;
    phase_q      `Q clear_q ? Clear : Extract;
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
  end
`endif
endtask

// Idle: nothing happened in this clock and nothing is left; only then next_o is looked for.
task automatic end_window();
  logic quiet;
  quiet = !busy_d && !go_i && phase_q == Rest && fifo_rd_q == fifo_wr_q && !keep_q
          && slice_state_q == SliceIdle && flush_q == FlushNone && !beat_valid_q
          && !perform_valid_q && !write_valid_q && !read_event_valid_q && !remote_valid_q
          && !ev_valid_o;
  idle_o <= quiet;
  if (quiet) next_o <= first(next_bucket(), slices_next_q);
  if (fault_o == FaultNone) fault_o <= fault_d;
endtask
