// Messages that the calendar has taken out join the queue of their slice.
//
// Requests of SMs have one queue, those of the other partition another one, and what else comes
// from there a third.
task automatic arrive();
  logic   request;
  slice_t slice;
  if (departs && 32'(out_source) < FirstSlice) begin
    busy_d      = 1'b1;
    slice       = out_dest[SliceBits-1:0];
    queue_d     = queue_mem[slice];
    link_d      = queue_d.some;
    link_from_d = queue_d.tail;
    link_to_d   = out_node;
    if (!queue_d.some) queue_d.head = out_node;
    queue_d.some = 1'b1;
    queue_d.tail = out_node;
    queue_we_d   = 1'b1;
    queue_at_d   = slice;
    `STORE(time_mem[out_node], out_time);
    active_q[slice]    = 1'b1;
  end else if (departs && 32'(out_source) >= FirstFar) begin
    busy_d      = 1'b1;
    slice       = out_dest[SliceBits-1:0];
    request     = 32'(out_source) < FirstBack;
    far_d       = far_mem[slice];
    back_d      = back_mem[slice];
    link_d      = request ? far_d.some : back_d.some;
    link_from_d = request ? far_d.tail : back_d.tail;
    link_to_d   = out_node;
    if (request) begin
      if (!far_d.some) far_d.head = out_node;
      far_d.some = 1'b1;
      far_d.tail = out_node;
    end else begin
      if (!back_d.some) back_d.head = out_node;
      back_d.some = 1'b1;
      back_d.tail = out_node;
    end
    far_we_d   = request;
    back_we_d  = !request;
    queue_at_d = slice;
    `STORE(time_mem[out_node], out_time);
    active_q[slice]    = 1'b1;
  end
  if (in_phase(Extract) && extracted) begin
    busy_d        = 1'b1;
    phase_q       = Serve;
    todo_q        = active_q;
    slices_next_q = Never;
    replied_o     <= 1'b1;
  end
endtask
