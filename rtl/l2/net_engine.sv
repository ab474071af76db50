/// Network and L2 of one core instance: requests of the SMs to the slices, replies back, memory
/// behind.
///
/// A window has two parts (net_window.sv). First the messages that arrive in it are taken from
/// the calendar (net_calendar.sv): requests go to the queues of their slices (net_queues.sv),
/// replies to those of their SMs (net_reply.sv). Then, while the SMs advance, each slice with
/// work is taken up to the window's end, one message after another: net_queues.sv says which,
/// net_fetch.sv what it says, net_tags.sv what its set has; net_serve.sv decides, and its
/// answer leaves through net_port.sv. All messages that come up in a window arrive after its
/// end, so the order of this work changes nothing. Idle slices and empty cycles cost no host
/// clock. This module only wires the others. The rules of time: docs/timing-model.md rule 9.
/// Words on the ports: docs/core-words.md.
///
/// Latency: Pipelined a message is in work for eleven clocks, else for one, if it waits for no
/// neighbour. A window without work ends (idle_o) six clocks after go_i, or five.
/// Throughput: Pipelined a message in 14 clocks, else one each clock.
/// Rules: go_i lasts one clock, while idle_o and with no command under way; window_end_i is later
/// than before. Commands, requests and events do not change until they are taken. Requests of an SM
/// have strictly increasing times. Pops of the same SM are four clocks apart.
`include "heddle_macros.svh"
`include "cell/stage.svh"
/* verilator lint_off LATCH */   // without Pipelined, what nobody looks at keeps what it had

module net_engine #(
  parameter int NodeBits = 16,          // log2 of the messages under way or waiting, 8 to 16
  parameter int RowBits  = 15,          // log2 of the sets of all slices of this instance
  parameter bit Exchange = 1'b0,        // the kernel has other network engines
  parameter bit Pipelined = `HEDDLE_PIPELINED  // each step takes a clock
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  // commands DramReply, Set, FlushL2, UnpinL2, FillL2, Remote; only between windows
  input  logic         cmd_valid_i,
  input  logic [511:0] cmd_i,
  output logic         cmd_ready_o,

  // windows, from and to heddle_run
  input  logic         go_i,                  /// one clock: serve up to window_end_i
  input  logic [31:0]  window_end_i,
  input  logic [31:0]  reached_i,             /// everything before is simulated
  output logic         idle_o,                /// done with the window and with commands
  output logic         replied_o,             /// the SMs may take the replies of this window
  output logic [32:0]  next_o,                /// {never, time} of the next work, with idle_o
  output logic [heddle_pkg::FaultW-1:0] fault_o,  /// enum fault; stays

  // requests from the SMs; those of one SM have increasing times
  input  logic         req_valid_i,
  input  logic [127:0] req_i,
  output logic         req_ready_o,

  // the next reply of SM reply_sm_i in order of (time, slice)
  input  logic [7:0]   reply_sm_i,
  output logic         reply_valid_o,
  output logic [63:0]  reply_o,
  input  logic [7:0]   reply_pop_sm_i,        /// an SM,
  input  logic         reply_pop_i,           /// whose first reply is taken;
                                              /// how often: net_reply.sv

  // words remote of other engines of the kernel, at any time; with Exchange
  /* verilator lint_off UNUSEDSIGNAL */       // without
  input  logic         chip_valid_i,
  input  logic [127:0] chip_word_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic         chip_ready_o,

  output logic         ev_valid_o,            /// event; stable until ev_ready_i
  output logic [127:0] ev_o,
  input  logic         ev_ready_i,

  // counters, docs/timing-model.md
  output logic [63:0]  accesses_o,
  output logic [63:0]  hits_o,
  output logic [63:0]  reads_o,
  output logic [63:0]  writes_o,
  output logic [63:0]  hash_o
);
`include "heddle_import.svh"
  localparam int TimeW = 32;              // 16 bits would not do: docs/timing-model.md rule 15
`include "heddle_time.svh"
`include "net_types.svh"

  if (FirstOutside != NumSms + CoreFirstOutside) $error("answers from outside have other sources");

`include "net_wires.svh"

  // ---------------------------------------------------------------- windows
  net_window u_window (
    .clk_i, .rst_ni, .go_i, .window_end_i, .reached_i, .idle_o, .replied_o, .next_o, .fault_o,
    .wake_i(wakes), .busy_i(busy), .empty_i(pool_empty), .order_i(order_wrong),
    .queues_fault_i(queues_fault), .serve_fault_i(serve_fault), .flush_fault_i(flush_fault),
    .parameter_fault_i(parameter_fault),
    .calendar_next_i(calendar_next), .queues_next_i(queues_next), .window_end_o(window_end),
    .rests_o(rests), .clear_i(clears), .flush_o(window_flush), .flushing_i(flushing),
    .extract_o(extracts), .extracted_i(extracted), .serve_o(serving), .served_i(served),
    .scrub_period_i(scrub_period), .scrub_o(scrub), .scrub_slice_o(scrub_slice),
    .scrub_all_o(scrub_all), .scrub_floor_o(scrub_floor)
  );

  // ---------------------------------------------------------------- commands and parameters
  net_command #(.NodeBits(NodeBits), .Pipelined(Pipelined)) u_command (
    .clk_i, .rst_ni, .busy_o(command_busy), .cmd_valid_i, .cmd_i, .cmd_ready_o,
    .rests_i(command_rests), .setting_i(setting), .instances_i(instances),
    .instance_inv_i(instance_inv), .net_request_i(net_request), .clear_i(clears),
    .spare_ok_i(spare_shown), .spare_node_i(spare_node), .empty_i(pool_empty),
    .spare_take_o(command_take), .set_o(set), .set_id_o(set_id), .set_value_o(set_value),
    .flush_o(command_flush), .unpin_o(command_unpin),
    .copy_o(copy), .copy_line_o(copy_line), .copy_count_o(copy_count),
    .dram_o(dram), .dram_written_o(dram_written), .dram_at_o(dram_at), .remote_o(remote),
    .remote_reply_o(remote_reply), .remote_word_o(remote_word), .remote_answer_o(remote_answer),
    .remote_source_o(remote_source), .remote_time_o(remote_time), .remote_dest_o(remote_dest),
    .slice_o(command_slice), .node_o(command_node)
  );

  net_parameters u_parameters (
    .clk_i, .rst_ni, .setting_o(setting), .fault_o(parameter_fault), .set_i(set), .id_i(set_id),
    .value_i(set_value), .divide_o(divide), .divide_kind_o(divide_kind), .divide_by_o(divide_by),
    .divide_busy_i(divide_busy), .unclear_o(unclear), .num_slices_o(num_slices),
    .instances_o(instances), .instance_o(instance_number), .twos_o(twos), .odd_o(odd),
    .field_bits_o(field_bits), .sets_o(sets), .fold_o(fold), .interleave_o(interleave),
    .two_o(two), .half_o(half), .atomic_time_o(atomic_time), .net_request_o(net_request),
    .net_reply_o(net_reply),
    .net_cross_o(net_cross), .l2_latency_o(l2_latency), .l2_miss_o(l2_miss), .l2_fill_o(l2_fill),
    .flit_shift_o(flit_shift), .flit_time_o(flit_time), .entries_o(entries_max), .fetch_o(fetch),
    .dirty_ways_o(dirty_ways), .pinned_ways_o(pinned_ways), .scrub_period_o(scrub_period)
  );

  net_reciprocal u_reciprocal (
    .clk_i, .rst_ni, .start_i(divide), .kind_i(divide_kind), .by_i(divide_by),
    .busy_o(divide_busy), .slice_inv_o(slice_inv), .slice_wrap_o(slice_wrap), .set_inv_o(set_inv),
    .instance_inv_o(instance_inv)
  );

  // ---------------------------------------------------------------- nodes
  assign spare_take      = serve_take || command_take;
  assign spare_shown     = spare_ok && !spare_take;   // else it is the one that was taken
  // never both a slice's and a reply's: slices wait while a reply is popped
  assign port_free_ready = !serve_free && !reply_free;
  assign frees           = serve_free || reply_free || port_free;
  assign free_node       = reply_free ? reply_node : serve_free ? serve_free_node : port_free_node;

  net_pool #(.NodeBits(NodeBits)) u_pool (
    .clk_i, .rst_ni, .ok_o(pool_ok), .node_o(pool_node), .take_i(ingress_enters || chip_enters),
    .spare_ok_o(spare_ok), .spare_node_o(spare_node), .spare_take_i(spare_take),
    .empty_o(pool_empty), .free_i(frees), .free_node_i(free_node)
  );

  // ---------------------------------------------------------------- requests
  net_ingress #(.Pipelined(Pipelined)) u_ingress (
    .clk_i, .rst_ni, .busy_o(ingress_busy), .req_valid_i, .req_i, .req_ready_o, .twos_i(twos),
    .odd_i(odd), .slice_inv_i(slice_inv), .slice_wrap_i(slice_wrap), .fold_i(fold),
    .field_bits_i(field_bits), .interleave_i(interleave), .two_i(two), .half_i(half),
    .instances_i(instances), .instance_i(instance_number), .instance_inv_i(instance_inv),
    .outside_set_i(set && 32'(set_id) == ParamOutside), .outside_i(set_value[7:0]),
    .outside_at_i(set_value[13:8]), .insert_o(ingress_insert),
    .word_o(ingress_word), .insert_slice_o(ingress_slice), .insert_i(ingress_enters),
    .leave_o(ingress_leave), .leave_i(ingress_taken)
  );

  // ---------------------------------------------------------------- other engines of the kernel
  if (Exchange) begin : gen_exchange
    net_exchange u_exchange (
      .clk_i, .rst_ni, .busy_o(chip_busy), .valid_i(chip_valid_i), .word_i(chip_word_i),
      .ready_o(chip_ready_o), .instances_i(instances), .instance_inv_i(instance_inv),
      .net_request_i(net_request), .offer_o(chip_offer), .reply_o(chip_reply), .word_o(chip_word),
      .answer_o(chip_answer), .source_o(chip_source), .time_o(chip_time), .dest_o(chip_dest),
      .enter_i(chip_enters)
    );
    assign chip_enters = chip_offer && enters_free;
  end else begin : gen_alone
    assign {chip_ready_o, chip_busy, chip_offer, chip_enters, chip_reply} = '0;
    assign {chip_word, chip_answer, chip_source, chip_time, chip_dest} = '0;
  end

  // ---------------------------------------------------------------- calendar
  assign ingress_request = ingress_word;
  // messages of the slices and of commands go first
  assign enters_free     = !extracts && pool_ok && !port_insert && !write_node && !remote && !dram;
  assign ingress_enters  = ingress_insert && !chip_offer && enters_free;
  assign enters          = port_insert || remote || ingress_enters || chip_enters;

  always_comb begin : entering
    if (`WANTED(enters)) begin
      enter_source = port_source;
      enter_time   = port_time;
      enter_node   = port_node;
      enter_dest   = port_dest;
      if (ingress_enters) begin
        enter_source = SourceBits'(ingress_request.sm);
        enter_time   = ingress_request.at + net_request;
        enter_node   = pool_node;
        enter_dest   = 8'(ingress_slice);
      end else if (remote) begin
        enter_source = remote_source;
        enter_time   = remote_time;
        enter_node   = command_node;
        enter_dest   = remote_dest;
      end else if (chip_enters) begin
        enter_source = chip_source;
        enter_time   = chip_time;
        enter_node   = pool_node;
        enter_dest   = chip_dest;
      end
    end
  end

  net_calendar #(.NodeBits(NodeBits), .Pipelined(Pipelined)) u_calendar (
    .clk_i, .rst_ni, .ready_o(calendar_ready), .busy_o(calendar_busy), .next_o(calendar_next),
    .order_o(order_wrong), .insert_i(enters), .insert_source_i(enter_source),
    .insert_time_i(enter_time), .insert_node_i(enter_node), .insert_dest_i(enter_dest),
    .insert_remote_i(remote), .reached_i, .extract_i(extracts), .window_end_i(window_end),
    .done_o(extracted), .out_o(departs), .out_source_o(out_source), .out_time_o(out_time),
    .out_node_o(out_node), .out_dest_o(out_dest)
  );

  // ---------------------------------------------------------------- replies
  assign to_slice = 32'(out_source) < FirstSlice
                    || (32'(out_source) >= FirstFar && 32'(out_source) < FirstOutside);

  net_reply #(.NodeBits(NodeBits), .Pipelined(Pipelined)) u_reply (
    .clk_i, .rst_ni, .ready_o(reply_ready), .busy_o(reply_busy),
    .write_i(port_reply || (remote && remote_reply) || (chip_enters && chip_reply)),
    .write_node_i(remote ? command_node : chip_enters ? pool_node : port_node),
    .write_word_i(remote ? remote_answer : chip_enters ? chip_answer : port_word),
    .deliver_i(departs && !to_slice),
    .deliver_node_i(out_node), .deliver_sm_i(out_dest), .reply_sm_i, .reply_valid_o, .reply_o,
    .reply_pop_i, .reply_pop_sm_i, .replied_i(replied_o), .free_o(reply_free),
    .free_node_o(reply_node)
  );

  // ---------------------------------------------------------------- queues of the slices
  net_queues #(.NodeBits(NodeBits), .Pipelined(Pipelined)) u_queues (
    .clk_i, .rst_ni, .ready_o(queues_ready), .next_o(queues_next), .fault_o(queues_fault),
    .two_i(two), .arrive_i(departs && to_slice), .arrive_source_i(out_source),
    .arrive_time_i(out_time), .arrive_node_i(out_node), .arrive_slice_i(out_dest[6:0]),
    .dram_i(dram), .dram_written_i(dram_written), .dram_node_i(command_node),
    .dram_slice_i(command_slice), .dram_at_i(dram_at), .dram_asked_i(dram_asked), .reached_i,
    .start_i(extracts && extracted), .serve_i(serving), .window_end_i(window_end),
    .served_o(served), .scrub_i(scrub), .scrub_slice_i(scrub_slice), .scrub_all_i(scrub_all),
    .scrub_floor_i(scrub_floor), .work_o(work), .pick_o(pick), .slice_o(queues_slice),
    .op_o(queues_op), .head_o(head), .service_o(service), .entries_o(entries), .take_i(take),
    .busy_i(slice_busy), .pop_i(pop), .again_i(again), .stuck_i(stuck), .add_i(add), .done_i(done)
  );

  // ---------------------------------------------------------------- the message in work
  net_fetch #(.NodeBits(NodeBits), .Pipelined(Pipelined)) u_fetch (
    .clk_i, .rst_ni, .two_i(two), .half_i(half), .twos_i(twos), .odd_i(odd),
    .slice_inv_i(slice_inv), .slice_wrap_i(slice_wrap), .fold_i(fold), .field_bits_i(field_bits),
    .interleave_i(interleave), .instances_i(instances), .instance_i(instance_number),
    .instance_inv_i(instance_inv), .atomic_time_i(atomic_time), .flit_shift_i(flit_shift),
    .flit_time_i(flit_time),
    .enter_i(ingress_enters || chip_enters), .enter_node_i(pool_node),
    .enter_word_i(chip_enters ? chip_word : ingress_word),
    .write_i(write_node), .write_node_i(write_at), .write_word_i(write_word),
    .remote_i(remote && !remote_reply), .remote_node_i(command_node), .remote_word_i(remote_word),
    .note_i(port_note), .note_node_i(port_node), .note_word_i(port_note_word),
    .mark_i(remote || (dram && dram_written)), .mark_node_i(command_node),
    .mark_trip_i(dram ? TripWritten : TripNone), .ask_i(ask), .ask_node_i(ask_node),
    .ask_sectors_i(ask_sectors), .dram_node_i(command_node), .dram_asked_o(dram_asked),
    .work_i(work), .pick_i(pick), .slice_i(queues_slice), .op_i(queues_op), .head_i(head),
    .copy_i(copy), .copy_line_i(copy_line), .copy_count_i(copy_count), .copying_o(copying),
    .done_i(done), .copied_i(copied), .runs_o(runs), .look_o(look), .op_o(op), .act_o(act),
    .slice_o(slice),
    .global_o(global_slice), .mirror_o(mirror), .home_o(home), .line_o(line), .word_o(word),
    .trip_o(trip), .answer_o(answer), .come_o(come), .busy_o(slice_busy)
  );

  // ---------------------------------------------------------------- its set
  assign request = word;
  always_comb begin : customers
    if (`WANTED(runs)) begin
      unpins = request.sm[7:3] == 5'b11110;         // a core of a command processor, 240 to 247
      locks  = home && request.kind == ReqWrite && request.mshr[0] && request.sm[7:4] != '1;
    end
  end

  net_tags #(.NodeBits(NodeBits), .RowBits(RowBits), .Pipelined(Pipelined)) u_tags (
    .clk_i, .rst_ni, .sets_i(sets), .set_inv_i(set_inv), .interleave_i(interleave),
    .fetch_i(fetch), .dirty_ways_i(dirty_ways), .pinned_ways_i(pinned_ways),
    .runs_i(runs), .look_i(look), .act_i(act), .copy_i(op == OpCopy),
    .fill_i(op == OpFill), .slice_i(slice), .line_i(line), .kind_i(request.kind),
    .sectors_i(request.sectors), .full_i(request.full), .come_i(come), .home_i(home),
    .copies_i(trip == TripFetch), .node_i(head), .locked_i(locks), .unpins_i(unpins),
    .pin_o(pin), .found_o(found), .hit_o(hit), .no_way_o(no_way),
    .present_o(present), .missing_o(missing), .merged_o(merged), .asked_o(asked),
    .leaves_o(leaves), .out_line_o(out_line), .out_dirty_o(out_dirty), .out_full_o(out_full),
    .copied_o(had_copy), .too_many_o(too_many), .waits_o(waits), .waiting_o(waiting),
    .commit_i(commit), .walked_i(last), .stay_i(stay), .done_i(done), .flush_read_i(flush_read),
    .flush_row_i(flush_row), .flush_dirty_o(flush_dirty), .flush_pick_i(flush_pick),
    .flush_way_i(flush_way), .flush_clear_i(flush_clear), .flush_unpin_i(flush_unpin)
  );

  net_flush #(.RowBits(RowBits), .Pipelined(Pipelined)) u_flush (
    .clk_i, .rst_ni, .busy_o(flushing), .clear_o(clears), .fault_o(flush_fault),
    .start_i(command_flush || window_flush), .unpin_i(command_unpin),
    .unclear_i(unclear), .num_slices_i(num_slices),
    .instances_i(instances), .instance_i(instance_number), .instance_inv_i(instance_inv),
    .sets_i(sets), .two_i(two), .half_i(half), .read_o(flush_read), .row_o(flush_row),
    .dirty_i(flush_dirty), .pick_o(flush_pick), .way_o(flush_way), .empty_o(flush_clear),
    .unpin_o(flush_unpin), .out_dirty_i(out_dirty), .write_o(flush_write), .global_o(flush_global),
    .ready_i(events_ready), .counts_o(flush_counts)
  );

  // ---------------------------------------------------------------- what is done with it
  net_serve #(.NodeBits(NodeBits), .Pipelined(Pipelined)) u_serve (
    .clk_i, .rst_ni, .fault_o(serve_fault), .entries_max_i(entries_max), .latency_i(l2_latency),
    .miss_i(l2_miss), .fill_i(l2_fill), .runs_i(runs), .work_i(work), .op_i(op), .act_i(act),
    .head_i(head), .service_i(service), .entries_i(entries), .global_i(global_slice), .home_i(home),
    .line_i(line), .word_i(word), .trip_i(trip), .answer_i(answer), .busy_i(slice_busy),
    .found_i(found), .hit_i(hit), .no_way_i(no_way), .present_i(present), .missing_i(missing),
    .merged_i(merged), .asked_i(asked), .leaves_i(leaves), .out_dirty_i(out_dirty),
    .copied_i(had_copy), .too_many_i(too_many), .waits_i(waits), .pin_i(pin),
    .some_i(waiting[2*NodeBits]), .events_ready_i(events_ready), .port_ready_i(port_ready),
    .spare_ok_i(spare_shown),
    .spare_node_i(spare_node), .reply_pop_i, .last_i(last), .commit_o(commit),
    .add_waiter_o(add_waiter), .wait_answer_o(wait_answer), .walk_o(walk), .take_o(take),
    .pop_o(pop), .again_o(again), .stuck_o(stuck), .add_o(add), .done_o(done), .copied_o(copied),
    .send_o(send), .send_kind_o(send_kind), .send_node_o(send_node), .send_at_o(send_at),
    .send_sectors_o(send_sectors), .send_trip_o(send_trip), .send_bar_o(send_bar),
    .wake_at_o(wake_at), .perform_o(perform), .read_o(read), .write_o(write),
    .miss_at_o(miss_at), .write_node_o(write_node), .write_at_o(write_at),
    .write_word_o(write_word), .ask_o(ask), .ask_node_o(ask_node), .ask_sectors_o(ask_sectors),
    .spare_take_o(serve_take), .free_o(serve_free), .free_node_o(serve_free_node),
    .counts_o(counts), .served_o(mix), .served_at_o(mix_at), .served_line_o(mix_line),
    .outcome_o(outcome)
  );

  // ---------------------------------------------------------------- requests that wait
  net_waiters #(.NodeBits(NodeBits), .Pipelined(Pipelined)) u_waiters (
    .clk_i, .rst_ni, .runs_i(runs), .add_i(add_waiter), .node_i(head), .sm_i(request.sm),
    .warp_i(request.warp), .bar_i(request.bar),
    .mshr_i(request.mshr), .cached_i(request.cached), .trip_i(trip),
    .need_i(missing), .answer_i(wait_answer), .line_i(line), .waiting_i(waiting), .start_i(walk),
    .come_i(come), .last_o(last), .stay_o(stay), .ready_i(port_ready), .wake_o(wake),
    .wake_node_o(wake_node), .wake_sm_o(wake_sm), .wake_warp_o(wake_warp), .wake_bar_o(wake_bar),
    .wake_mshr_o(wake_mshr), .wake_cached_o(wake_cached), .wake_trip_o(wake_trip),
    .wake_sectors_o(wake_sectors)
  );

  // ---------------------------------------------------------------- what leaves
  net_port #(.NodeBits(NodeBits), .Pipelined(Pipelined)) u_port (
    .clk_i, .rst_ni, .ready_o(port_ready), .busy_o(port_busy), .instances_i(instances),
    .instance_i(instance_number), .instance_inv_i(instance_inv), .flit_shift_i(flit_shift),
    .flit_time_i(flit_time), .net_reply_i(net_reply), .net_cross_i(net_cross), .slice_i(slice),
    .global_i(global_slice), .mirror_i(mirror), .runs_i(runs), .send_i(send), .kind_i(send_kind),
    .node_i(send_node), .at_i(send_at), .sectors_i(send_sectors), .trip_i(send_trip),
    .sm_i(request.sm), .warp_i(request.warp), .bar_i(send_bar), .mshr_i(request.mshr),
    .cached_i(request.cached), .wake_i(wake), .wake_node_i(wake_node), .wake_at_i(wake_at),
    .wake_sectors_i(wake_sectors), .wake_trip_i(wake_trip), .wake_sm_i(wake_sm),
    .wake_warp_i(wake_warp), .wake_bar_i(wake_bar), .wake_mshr_i(wake_mshr),
    .wake_cached_i(wake_cached), .insert_o(port_insert), .insert_source_o(port_source),
    .insert_time_o(port_time), .insert_node_o(port_node), .insert_dest_o(port_dest),
    .reply_o(port_reply), .reply_word_o(port_word), .note_o(port_note),
    .note_word_o(port_note_word), .remote_o(port_remote), .remote_word_o(port_remote_word),
    .remote_ready_i(port_remote_ready), .free_o(port_free), .free_node_o(port_free_node),
    .free_ready_i(port_free_ready), .scrub_i(scrub), .scrub_slice_i(scrub_slice),
    .scrub_all_i(scrub_all), .scrub_floor_i(scrub_floor)
  );

  net_events #(.NodeBits(NodeBits)) u_events (
    .clk_i, .rst_ni, .ready_o(events_ready), .busy_o(events_busy), .perform_i(perform),
    .write_i(write), .read_i(read), .copy_i(op == OpCopy), .service_i(service),
    .miss_at_i(miss_at), .reached_i, .global_i(global_slice), .node_i(head), .line_i(line),
    .word_i(word), .asked_i(asked), .pin_i(pin), .flush_i(flush_write),
    .flush_global_i(flush_global), .out_line_i(out_line), .out_dirty_i(out_dirty),
    .out_full_i(out_full),
    .leave_i(ingress_leave), .leave_word_i(ingress_word), .leave_ready_o(ingress_taken),
    .remote_i(port_remote), .remote_word_i(port_remote_word), .remote_ready_o(port_remote_ready),
    .ev_valid_o, .ev_o, .ev_ready_i
  );

  net_counters u_counters (
    .clk_i, .rst_ni, .accesses_i(counts[15:12]), .hits_i(counts[11:8]), .reads_i(counts[7:4]),
    .writes_i(counts[3:0] | flush_counts), .served_i(mix), .served_at_i(mix_at),
    .served_line_i(mix_line), .outcome_i(outcome), .accesses_o, .hits_o, .reads_o, .writes_o,
    .hash_o
  );

  // ---------------------------------------------------------------- rest
  assign command_rests = rests && queues_ready && calendar_ready && reply_ready && !port_busy
                         && !flushing && !copying;
  assign wakes = req_valid_i || (cmd_valid_i && cmd_ready_o) || reply_pop_i
                 || (Exchange && chip_valid_i);
  assign busy  = command_busy || setting || flushing
                || copying || port_busy || events_busy || calendar_busy || ingress_busy
                || reply_busy || !queues_ready || chip_busy;
endmodule
