// Modules of the network engine, and the wires between them.

assign {mix_valid, divide_start, give, spare_take, send_trip, send_reply_word, send_node, send}
       = sends_q;

// ---------------------------------------------------------------- reciprocals of parameters
logic        divide_busy;
logic [30:0] slice_inv;
logic [7:0]  slice_wrap;
logic [20:0] set_inv;
logic [16:0] instance_inv;

net_reciprocal u_reciprocal (
  .clk_i, .rst_ni, .start_i(divide_start), .kind_i(divide_kind_q), .by_i(divide_by_q),
  .busy_o(divide_busy), .slice_inv_o(slice_inv), .slice_wrap_o(slice_wrap), .set_inv_o(set_inv),
  .instance_inv_o(instance_inv)
);

// ---------------------------------------------------------------- nodes
logic  pool_ok, pool_empty, spare_ok, frees, reply_frees;
node_t pool_node, spare_node, free_node, reply_node;

assign frees     = give || reply_frees;     // never both: slices wait while a reply is popped
assign free_node = reply_frees ? reply_node : give_node_q;

net_pool #(.NodeBits(NodeBits)) u_pool (
  .clk_i, .rst_ni, .ok_o(pool_ok), .node_o(pool_node), .take_i(ingress_enters),
  .spare_ok_o(spare_ok), .spare_node_o(spare_node), .spare_take_i(spare_take),
  .empty_o(pool_empty), .free_i(frees), .free_node_i(free_node)
);

// ---------------------------------------------------------------- requests
logic         ingress_busy, ingress_insert, ingress_enters, ingress_leave, ingress_taken;
logic [127:0] ingress_word;
slice_t       ingress_slice;
/* verilator lint_off UNUSEDSIGNAL */
request_t     ingress_request;
/* verilator lint_on UNUSEDSIGNAL */

assign ingress_request = ingress_word;
// messages of the slices go first
assign ingress_enters  = ingress_insert && !extracting_q && pool_ok && !send && !send_node
                         && !send_trip;
assign ingress_taken   = ingress_leave && (!ev_valid_o || ev_ready_i);

net_ingress u_ingress (
  .clk_i, .rst_ni, .busy_o(ingress_busy), .req_valid_i, .req_i, .req_ready_o, .twos_i(twos_q),
  .odd_i(odd_q), .slice_inv_i(slice_inv), .slice_wrap_i(slice_wrap), .fold_i(fold_q),
  .field_bits_i(field_bits_q), .two_i(two_q), .half_i(half_q), .instances_i(instances_q),
  .instance_i(instance_q), .instance_inv_i(instance_inv), .insert_o(ingress_insert),
  .word_o(ingress_word), .insert_slice_o(ingress_slice), .insert_i(ingress_enters),
  .leave_o(ingress_leave), .leave_i(ingress_taken)
);

// the message of a node
always_ff @(posedge clk_i) begin : messages
  if (ingress_enters || send_node)
    `STORE(node_mem[send_node ? send_node_q : pool_node],
           send_node ? send_request_q : ingress_word);
  if (ingress_enters || send_trip)
    `STORE(trip_mem[send_trip ? send_node_q : pool_node], send_trip ? send_trip_q : TripNone);
end

// ---------------------------------------------------------------- calendar
logic       calendar_ready, calendar_busy, order_wrong, extracted, departs;
bound_t     calendar_next;
node_t      out_node;
source_t    out_source;
time_t      out_time;
logic [7:0] out_dest;

// a message of the slices, or a request
logic       enters;
source_t    enter_source;
time_t      enter_time;
node_t      enter_node;
logic [7:0] enter_dest;

assign enters = send || ingress_enters;

always_comb begin : entering
  enter_source = send_source_q;
  enter_time   = send_time_q;
  enter_node   = send_node_q;
  enter_dest   = send_dest_q;
  if (ingress_enters) begin
    enter_source = SourceBits'(ingress_request.sm);
    enter_time   = ingress_request.at + net_request_q;
    enter_node   = pool_node;
    enter_dest   = 8'(ingress_slice);
  end
end

net_calendar #(.NodeBits(NodeBits), .Pipelined(Pipelined)) u_calendar (
  .clk_i, .rst_ni, .ready_o(calendar_ready), .busy_o(calendar_busy), .next_o(calendar_next),
  .order_o(order_wrong), .insert_i(enters), .insert_source_i(enter_source),
  .insert_time_i(enter_time), .insert_node_i(enter_node), .insert_dest_i(enter_dest),
  .insert_remote_i(send && send_remote_q), .reached_i, .extract_i(extracting_q),
  .window_end_i(window_end_q), .done_o(extracted), .out_o(departs), .out_source_o(out_source),
  .out_time_o(out_time), .out_node_o(out_node), .out_dest_o(out_dest)
);

// ---------------------------------------------------------------- replies
logic reply_ready, reply_busy, reply_arrives;

assign reply_arrives = departs && 32'(out_source) >= FirstSlice && 32'(out_source) < FirstFar;

net_reply #(.NodeBits(NodeBits), .Pipelined(Pipelined)) u_reply (
  .clk_i, .rst_ni, .ready_o(reply_ready), .busy_o(reply_busy), .write_i(send_reply_word),
  .write_node_i(send_node_q), .write_word_i(send_reply_q), .deliver_i(reply_arrives),
  .deliver_node_i(out_node), .deliver_sm_i(out_dest), .reply_sm_i, .reply_valid_o, .reply_o,
  .reply_pop_i, .replied_i(replied_o), .free_o(reply_frees), .free_node_o(reply_node)
);

// ---------------------------------------------------------------- counters
net_counters u_counters (
  .clk_i, .rst_ni, .accesses_i(counts_q[15:12]), .hits_i(counts_q[11:8]), .reads_i(counts_q[7:4]),
  .writes_i(counts_q[3:0]), .served_i(mix_valid), .served_at_i(mix_at_q),
  .served_line_i(mix_line_q), .outcome_i(outcome_q), .accesses_o, .hits_o, .reads_o, .writes_o,
  .hash_o
);
