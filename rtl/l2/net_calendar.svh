// Calendar: messages of many sources, given out in order of (time, source).
//
// Each source hands in its messages in order of time, so it has a list; and a wheel of 256 buckets,
// one per cycle, says which sources have a message in that cycle. Extraction goes through the
// buckets and takes the head of the list of each source found there. A message further ahead than
// the wheel is met too early: its source's bit then stays in the bucket for the next turn (keep).
// Messages are inserted outside of the phase Extract, a clock after they were made, and taken out
// in it.
// Throughput: one message per clock in simulation, three clocks per message in the pipelined build.

/// word of a bucket's bits with one more source
function automatic logic [31:0] with_bit(input logic [31:0] word, input logic [4:0] number);
  with_bit = word | (32'd1 << number);
endfunction

task automatic reset_calendar();
  groups_q     `Q '0;
  cursor_q     `Q '0;
  lanes_q      `Q '0;
  bits_q       `Q '0;
  sent_q       `Q 1'b0;
  done_q       `Q 1'b0;
  keep_q       `Q 1'b0;
  pick_valid_q `Q 1'b0;
  read_valid_q `Q 1'b0;
  looked_q     `Q 1'b0;
  enter_valid_q `Q 1'b0;
endtask

/// {none, time} of the first bucket at or after the cursor
function automatic bound_t next_bucket();
  logic [WheelBits-6:0] from, group;
  logic [31:0]          here;
  logic [NumGroups-1:0] behind;
  logic [WheelBits-1:0] bucket, ahead;
  from   = cursor_q[WheelBits-1:5];
  here   = group_mem[from] & (32'hffff_ffff << cursor_q[4:0]);
  group  = from;
  if (here == '0) begin
    behind = groups_q & ({NumGroups{1'b1}} << from << 1);
    if (behind == '0) behind = groups_q;
    group  = (WheelBits-5)'(lowest32(32'(behind)));
    here   = group_mem[group];
  end
  bucket = {group, lowest32(here)};
  ahead  = bucket - cursor_q[WheelBits-1:0];
  next_bucket = {groups_q == '0, cursor_q + TimeW'(ahead)};
endfunction

// The next bucket, ...
task automatic calendar_look();
  if (phase_q == Extract && lanes_q == '0 && bits_q == '0 && sent_q == done_q && !keep_q
      && !looked_q) begin
    busy_d = 1'b1;
    look_q   `Q next_bucket();
    looked_q `Q 1'b1;
  end
endtask

// ... before the window's end, or the end of the phase.
task automatic calendar_find();
  logic [WheelBits-1:0] bucket;
  logic [31:0]          rest;
  if (looked_q) begin
    busy_d = 1'b1;
    looked_q `Q 1'b0;
    bucket = look_q[WheelBits-1:0];
    if (due(look_q, window_end_q)) begin
      rest       = group_mem[bucket[WheelBits-1:5]] & ~(32'd1 << bucket[4:0]);
      bucket_q   `Q look_q[TimeW-1:0];
      lanes_q    `Q lane_mem[bucket];
      cursor_q   `Q look_q[TimeW-1:0] + 1'b1;
      lane_we_d  = 1'b1;
      lane_at_d  = bucket;
      lane_d     = '0;
      group_we_d = 1'b1;
      group_at_d = bucket[WheelBits-1:5];
      group_d    = rest;
      groups_q[bucket[WheelBits-1:5]] `Q rest != '0;
    end else begin
      cursor_q  `Q window_end_q;
      phase_q   `Q Serve;
      todo_q    `Q active_q;
      slices_next_q `Q Never;
      replied_o <= 1'b1;
    end
  end
endtask

// The next 32 sources of the bucket.
task automatic calendar_lane();
  logic [LaneBits-1:0] lane;
  if (lanes_q != '0 && bits_q == '0 && sent_q == done_q && !keep_q) begin
    busy_d   = 1'b1;
    lane     = LaneBits'(lowest32(32'(lanes_q)));
    lane_q   `Q lane;
    bits_q   `Q bit_mem[{bucket_q[WheelBits-1:0], lane}];
    lanes_q  `Q lanes_q & ~(NumLanes'(1) << lane);
    bit_we_d = 1'b1;
    bit_at_d = {bucket_q[WheelBits-1:0], lane};
    bit_d    = '0;
  end
endtask

// One source: its list, then the time of the head and what comes after it.
task automatic calendar_pick();
  source_t source;
  logic    valid;
  valid  = bits_q != '0 && sent_q == done_q && !keep_q;
  source = {lane_q, lowest32(bits_q)};
  pick_valid_q `Q valid;
  if (valid) begin
    busy_d        = 1'b1;
    bits_q        `Q bits_q & (bits_q - 1'b1);
    pick_source_q `Q source;
    pick_list_q   `Q source_mem[source];
    sent_q        `Q !sent_q;
  end
endtask

task automatic calendar_read();
  read_valid_q `Q pick_valid_q;
  if (pick_valid_q) begin
    busy_d = 1'b1;
    read_time_q `Q time_mem[pick_list_q.head];
    read_next_q `Q next_mem[pick_list_q.head];
    read_dest_q `Q dest_mem[pick_list_q.head];
    read_last_q `Q last_mem[pick_source_q];
    read_trip_q `Q trip_mem[pick_list_q.head];
    if (32'(pick_source_q) >= FirstSlice) read_reply_q `Q reply_mem[pick_list_q.head];
  end
endtask

task automatic calendar_pop();
  logic  taken;
  time_t ahead;
  if (read_valid_q) begin
    busy_d   = 1'b1;
    done_q   `Q sent_q;
    source_d = pick_list_q;
    taken    = pick_list_q.some && read_time_q == bucket_q;
    if (taken) begin
      source_d.some = pick_list_q.head != pick_list_q.tail;
      source_d.head = read_next_q;
      source_we_d   = 1'b1;
      source_at_d   = pick_source_q;
      if (32'(pick_source_q) < FirstSlice) deliver_request(pick_list_q.head);
      else if (32'(pick_source_q) < FirstFar) deliver_reply(pick_list_q.head);
      else deliver_far(pick_list_q.head);
    end
    ahead = read_last_q - bucket_q;
    keep_q        `Q source_d.some && ahead >= TimeW'(1 << WheelBits);
    keep_source_q `Q pick_source_q;
  end
endtask

// Into the queue of its slice.
task automatic deliver_request(input node_t node);
  queue_d = queue_mem[read_dest_q[SliceBits-1:0]];
  link_d      = queue_d.some;
  link_from_d = queue_d.tail;
  link_to_d   = node;
  if (!queue_d.some) queue_d.head = node;
  queue_d.some = 1'b1;
  queue_d.tail = node;
  queue_we_d   = 1'b1;
  queue_at_d   = read_dest_q[SliceBits-1:0];
  active_q[read_dest_q[SliceBits-1:0]] `Q 1'b1;
endtask

// From the other partition: requests have a queue, the rest another one.
task automatic deliver_far(input node_t node);
  logic request;
  request     = read_trip_q == TripFetch || read_trip_q == TripPass;
  far_d       = far_mem[read_dest_q[SliceBits-1:0]];
  back_d      = back_mem[read_dest_q[SliceBits-1:0]];
  link_d      = request ? far_d.some : back_d.some;
  link_from_d = request ? far_d.tail : back_d.tail;
  link_to_d   = node;
  if (request) begin
    if (!far_d.some) far_d.head = node;
    far_d.some = 1'b1;
    far_d.tail = node;
  end else begin
    if (!back_d.some) back_d.head = node;
    back_d.some = 1'b1;
    back_d.tail = node;
  end
  far_we_d   = request;
  back_we_d  = !request;
  queue_at_d = read_dest_q[SliceBits-1:0];
  active_q[read_dest_q[SliceBits-1:0]] `Q 1'b1;
endtask

// Into the queue of its SM.
task automatic deliver_reply(input node_t node);
  smq_d = sm_mem[read_dest_q];
  link_d      = smq_d.some;
  link_from_d = smq_d.tail;
  link_to_d   = node;
  if (!smq_d.some) begin
    smq_d.head   = node;
    shown_we_d   = 1'b1;
    shown_d      = 1'b1;
    shown_word_d = read_reply_q;
  end else if (smq_d.head == smq_d.tail) begin
    ready_we_d   = 1'b1;
    ready_at_d   = read_dest_q;
    ready_node_d = node;
    ready_d      = read_reply_q;
  end
  smq_d.some = 1'b1;
  smq_d.tail = node;
  smq_we_d   = 1'b1;
  smq_at_d   = read_dest_q;
endtask

// The message insert_*_d enters with the next clock.
task automatic insert_latch();
  enter_valid_q `Q insert_d;
  if (insert_d) begin
    busy_d = 1'b1;
    enter_source_q `Q insert_source_d;
    enter_time_q   `Q insert_time_d;
    enter_node_q   `Q insert_node_d;
    enter_dest_q   `Q insert_dest_d;
  end
endtask

// It enters, or a source goes back into its bucket. Last of the calendar's tasks.
task automatic calendar_insert();
  logic [WheelBits-1:0] bucket;
  source_t              source;
  if (keep_q ? !bit_we_d && !lane_we_d : enter_valid_q) begin
    busy_d = 1'b1;
    bucket = keep_q ? bucket_q[WheelBits-1:0] : enter_time_q[WheelBits-1:0];
    source = keep_q ? keep_source_q : enter_source_q;
    bit_we_d   = 1'b1;
    bit_at_d   = {bucket, source[SourceBits-1:5]};
    bit_d      = with_bit(bit_mem[bit_at_d], source[4:0]);
    lane_we_d  = 1'b1;
    lane_at_d  = bucket;
    lane_d     = lane_mem[bucket] | (NumLanes'(1) << source[SourceBits-1:5]);
    group_we_d = 1'b1;
    group_at_d = bucket[WheelBits-1:5];
    group_d    = with_bit(group_mem[group_at_d], bucket[4:0]);
    groups_q[group_at_d] `Q 1'b1;
    if (keep_q) begin
      keep_q `Q 1'b0;
    end else begin
      source_d = source_mem[source];
      if (source_d.some && !earlier(last_mem[source], enter_time_q)) fault_d = FaultRequestOrder;
      link_d      = source_d.some;
      link_from_d = source_d.tail;
      link_to_d   = enter_node_q;
      if (!source_d.some) source_d.head = enter_node_q;
      source_d.some = 1'b1;
      source_d.tail = enter_node_q;
      source_we_d   = 1'b1;
      source_at_d   = source;
      time_mem[enter_node_q] `Q enter_time_q;
      dest_mem[enter_node_q] `Q enter_dest_q;
      last_mem[source]       `Q enter_time_q;
    end
  end
endtask
