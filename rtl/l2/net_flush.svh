// FlushL2, the emptying of the sets before their first use, FillL2, and the memories after reset.
task automatic reset_flush();
  init_q       = 1'b1;
  init_at_q    = '0;
  clear_q      = 1'b1;
  flush_q      = FlushNone;
endtask

// After reset: one word of every memory of the slices per clock.
task automatic initialise();
  if (init_q) begin
    busy_d     = 1'b1;
    queue_we_d = 1'b1;
    queue_at_d = init_at_q;
    queue_d    = '0;
    far_we_d   = 1'b1;
    far_d      = '0;
    back_we_d  = 1'b1;
    back_d     = '0;
    fills_we_d = 1'b1;
    fills_at_d = init_at_q;
    fills_d    = '0;
    clock_we_d = 1'b1;
    clock_at_d = init_at_q;
    clock_d    = '0;
    init_q    = init_at_q != SliceBits'(NumSlices - 1);
    init_at_q = init_at_q + 1'b1;
  end
endtask

// Empties all sets; `only` without looking at them.
task automatic start_flush(input logic only);
  local_slices_q = by_instances(num_slices_q + instances_q - instance_q - 8'd1,
                                 instance_inv);
  flush_clear_q  = only;
  flush_row_q    = '0;
  flush_slice_q  = '0;
  flush_set_q    = '0;
  flush_q        = FlushCheck;
endtask

// There must be a row for every set; with two partitions a line's two slices are in one instance.
task automatic flush_check();
  logic [7:0]  half;
  logic [31:0] rows;
  if (in_flush(FlushCheck)) begin
    busy_d  = 1'b1;
    half    = 8'(half_q);
    rows    = 32'(local_slices_q) * 32'(sets_q);
    flush_q = rows == '0 ? FlushNone : FlushRead;
    if (rows > 32'(NumRows)
        || (two_q && (num_slices_q[0]
                      || by_instances(half, instance_inv) * instances_q != half))) begin
      fault_d = FaultParameter;
      flush_q = FlushNone;
    end
  end
endtask

task automatic flush_ways();
  if (in_flush(FlushWays)) begin
    for (int w = 0; w < NumWays; w++)
      flush_ways_q[w] = lines_q[w*WayW + 4 +: 4] != '0 && !flush_clear_q;
    flush_q = FlushScan;
  end
endtask

task automatic flush_scan();
  way_t way;
  if (in_flush(FlushScan) && !events_wait_d) begin
    busy_d = 1'b1;
    way    = WayBits'(lowest32(32'(flush_ways_q)));
    if (flush_ways_q != '0) begin
      event_d         = '0;
      event_d.at      = reached_i;
      event_d.kind    = EvDramWrite;
      event_d.sm      = global_slice(flush_slice_q);
      {event_d.full, event_d.sectors} = written_back(lines_q[way*WayW +: WayW]);
      event_d.addr    = tags_q[way*TagW +: TagW];
      write_q       = event_d;
      write_valid_q = 1'b1;
      flush_ways_q  = flush_ways_q & (flush_ways_q - 1'b1);
      writes_d = event_d.sectors;
    end else begin
      row_clear_d = 1'b1;
      row_at_d    = flush_row_q;
      flush_row_q = flush_row_q + 1'b1;
      flush_q     = FlushRead;
      if (flush_set_q + 1'b1 == sets_q) begin
        if (8'(flush_slice_q) + 8'd1 == local_slices_q) begin
          flush_q = FlushNone;
          clear_q = 1'b0;
        end
        flush_set_q   = '0;
        flush_slice_q = flush_slice_q + 1'b1;
      end else begin
        flush_set_q = flush_set_q + 1'b1;
      end
    end
  end
endtask

// The next line of FillL2 goes through the slices' tasks from low to serve.
task automatic slice_copy();
  if (in_state(SliceCopy)) begin
    busy_d = 1'b1;
    if (copy_left_q == '0) begin
      slice_state_q = SliceIdle;
    end else begin
      node_q.addr   = copy_line_q;
      op_q          = OpCopy;
      home_q        = 1'b1;
      copy_line_q   = copy_line_q + 1'b1;
      copy_left_q   = copy_left_q - 1'b1;
      slice_state_q = SliceLow;
    end
  end
endtask
