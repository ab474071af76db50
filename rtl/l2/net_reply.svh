// Replies: what the SMs see of them, and how a slice sends one.
//
// reply_pop_i lasts one clock; the SM was shown in the clock before it as well, so a registered
// copy of reply_sm_i names it. What the SM is shown is written with <= in every build.
// Of each SM the first reply is shown, and the second one is held ready: behind a pop the tasks
// next, read and ready look for the one that is second then, a clock each in the pipelined build,
// where pops are therefore at least four clocks apart.

// The SM has taken its first reply: the second one is shown, the node is free.
task automatic reply_pop();
  pop_valid_q `Q 1'b0;
  if (reply_pop_i) begin
    busy_d   = 1'b1;
    smq_d    = sm_mem[shown_sm_q];
    free_d      = 1'b1;
    free_node_d = smq_d.head;
    shown_d     = smq_d.head != smq_d.tail;
    smq_d.some  = shown_d;
    smq_d.head  = ready_node_mem[shown_sm_q];
    smq_we_d    = 1'b1;
    smq_at_d    = shown_sm_q;
    shown_we_d  = 1'b1;
    shown_word_d = ready_mem[shown_sm_q];
    pop_valid_q `Q smq_d.some && smq_d.head != smq_d.tail;
    pop_node_q  `Q smq_d.head;
    pop_sm_q    `Q shown_sm_q;
  end
endtask

// The one after that ...
task automatic reply_next();
  third_valid_q `Q pop_valid_q;
  if (pop_valid_q) begin
    busy_d       = 1'b1;
    third_node_q `Q next_mem[pop_node_q];
    third_sm_q   `Q pop_sm_q;
  end
endtask

// ... its words ...
task automatic reply_read();
  found_valid_q `Q third_valid_q;
  if (third_valid_q) begin
    busy_d       = 1'b1;
    found_q      `Q reply_mem[third_node_q];
    found_node_q `Q third_node_q;
    found_sm_q   `Q third_sm_q;
  end
endtask

// ... are held ready.
task automatic reply_ready();
  if (found_valid_q) begin
    busy_d       = 1'b1;
    ready_we_d   = 1'b1;
    ready_at_d   = found_sm_q;
    ready_node_d = found_node_q;
    ready_d      = found_q;
  end
endtask

/// the SM belongs to this instance
function automatic logic is_here(input logic [7:0] sm);
  is_here = instances_q == 8'd1 || sm - by_instances(sm) * instances_q == instance_q;
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
    reply_we_d   = 1'b1;
    reply_node_d = node;
    cross_over(node, trip == TripFetch ? TripFetched : TripPassed, reply_d.sectors, at);
  end else begin
    leave_for_sm(node, sm, latest(at, clock_q.port_at), earlier(at, clock_q.port_at));
  end
endtask

// Through the reply port; `behind` another one.
task automatic leave_for_sm(input node_t node, input logic [7:0] sm, input time_t leave,
                            input logic behind);
  {clock_q.port_at, clock_q.port_less}
      `Q taken_until(leave, behind ? clock_q.port_less : 8'd0, flits(reply_d.sectors));
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
    remote_q       `Q remote_d;
    remote_valid_q `Q 1'b1;
    remote_we_d    = 1'b1;
    free_d         = 1'b1;
    free_node_d    = node;
  end
endtask
