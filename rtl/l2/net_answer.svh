// How a slice answers, and where its message goes.

/// number here of a slice of this instance, and the other way round
function automatic slice_t local_slice(input logic [7:0] slice);
  local_slice = SliceBits'(instances_q == 8'd1 ? slice : by_instances(slice, instance_inv));
endfunction

function automatic logic [7:0] global_slice(input slice_t slice);
  global_slice = instances_q == 8'd1 ? 8'(slice) : 8'(slice) * instances_q + instance_q;
endfunction

/// the SM, or the slice, belongs to this instance
function automatic logic is_here(input logic [7:0] number);
  is_here = instances_q == 8'd1
            || number - by_instances(number, instance_inv) * instances_q == instance_q;
endfunction

/// 1/256 cycles that sectors take in a slice or one of its ports: a flit at least
function automatic logic [23:0] flits(input logic [3:0] sectors);
  logic [2:0] count;
  count = count4(sectors);
  case (flit_shift_q)
    2'd0:    count = (count == '0) ? 3'd1 : count;
    2'd1:    count = (count > 3'd2) ? 3'd2 : 3'd1;
    default: count = 3'd1;
  endcase
  flits = 24'(count) * 24'(flit_time_q);
endfunction

// The slice in work answers a request: takes its reply port from `at` on. reply_d holds warp, bar,
// mshr, cached and sectors; the node carries the reply from here, unless it leaves for another
// instance (here_q). A request that came from the other partition (trip) is answered there.
task automatic send_reply(input node_t node, input logic [7:0] sm, input logic [TripW-1:0] trip,
                          input time_t at);
  if (trip != TripNone) begin
    answer_we_d  = 1'b1;
    reply_node_d = node;
    cross_over(node, trip == TripFetch ? TripFetched : TripPassed, reply_d.sectors, at);
  end else begin
    leave_for_sm(node, sm, latest(at, clock_now_d.port_at), earlier(at, clock_now_d.port_at));
  end
endtask

// Through the reply port; `behind` another one.
task automatic leave_for_sm(input node_t node, input logic [7:0] sm, input time_t leave,
                            input logic behind);
  {clock_q.port_at, clock_q.port_less}
      = taken_until(leave, behind ? clock_now_d.port_less : 8'd0, flits(reply_d.sectors));
  reply_d.at = leave + net_reply_q;
  if (here_q) begin
    reply_we_d      = 1'b1;
    reply_node_d    = node;
    insert_d        = 1'b1;
    insert_source_d = SourceBits'(FirstSlice) + SourceBits'(global_q);
    insert_time_d   = reply_d.at;
    insert_node_d   = node;
    insert_dest_d   = sm;
  end else begin
    remote_d         = '0;
    remote_d.at      = reply_d.at;
    remote_d.kind    = EvReply;
    remote_d.sm      = sm;
    remote_d.warp    = reply_d.warp;
    remote_d.sectors = reply_d.sectors;
    remote_d.bar     = reply_d.bar;
    remote_d.mshr    = reply_d.mshr;
    remote_d.cached  = reply_d.cached;
    remote_d.slice   = global_q;
    remote_q       = remote_d;
    remote_valid_q = 1'b1;
    free_d         = 1'b1;
    free_node_d    = node;
  end
endtask

// What the tasks of this clock send goes to the other modules as registers, the clock after. There
// is one node at most.
task automatic send_all();
  sends_q <= {mix_d, divide_d, free_d, alloc_d, trip_we_d, reply_we_d, node_we_d, insert_d};
  if (insert_d) begin
    send_source_q <= insert_source_d;
    send_time_q   <= insert_time_d;
    send_dest_q   <= insert_dest_d;
    send_remote_q <= phase_q == Rest;
  end
  if (insert_d || trip_we_d) send_node_q <= trip_we_d ? trip_at_d : insert_node_d;
  if (node_we_d) send_request_q <= node_d;
  if (reply_we_d) send_reply_q <= reply_d;
  if (trip_we_d) send_trip_q <= trip_d;
  if (free_d) give_node_q <= free_node_d;
  counts_q <= {accesses_d, hits_d, reads_d, writes_d};
endtask
