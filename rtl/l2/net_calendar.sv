/// Calendar: messages of many sources, given out in order of (time, source).
///
/// Each source hands in its messages in order of time, so it has a list; and a wheel of 256
/// buckets, one per cycle, says which sources have a message in that cycle. To take messages out is
/// to go through the buckets and take the head of the list of each source found there. A message
/// further ahead than the wheel is met too early: its source's bit then stays in the bucket for the
/// next turn (keep).
/// Steps: near (the buckets behind the cursor), look (for the next one), find (it lies in the
/// window), lane (32 of its sources), pick (one of them), read (the head of its list), pop.
/// Pipelined, each takes a clock, else all share one; a source is not under way twice, since two
/// clocks lie between the last pick of a bucket and the first of the next. Near and look run all
/// the time, beside the other steps, and start again when a bucket, or the cursor, has changed.
/// Latency: from extract_i to the first message the steps behind look, five clocks, or one; from an
/// insert to next_o three or one.
/// Throughput: a message each clock, Pipelined but for two clocks a bucket; an insert each clock.
/// Rules: inserts come while not extract_i, for a time not before the last window's end; those of
/// a source have increasing times (else order_o). extract_i stays until done_o, and window_end_i
/// with it. Nothing is inserted or taken before ready_o.
`include "heddle_macros.svh"
`include "cell/stage.svh"
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // values inside one clock
module net_calendar #(
  parameter int NodeBits  = 16,                /// log2 of the messages
  parameter bit Pipelined = `HEDDLE_PIPELINED  /// each step takes a clock
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                ready_o,          /// memories have been emptied since reset
  output logic                busy_o,           /// next_o is not right yet
  output logic [32:0]         next_o,           /// {none, time} of the first message
  output logic                order_o,          /// a message is not later than the one before

  // messages in
  input  logic                insert_i,
  input  logic [8:0]          insert_source_i,
  input  logic [31:0]         insert_time_i,
  input  logic [NodeBits-1:0] insert_node_i,
  input  logic [7:0]          insert_dest_i,    /// slice of this instance, or SM
  input  logic                insert_remote_i,  /// between windows, from another instance: time
  input  logic [31:0]         reached_i,        /// may have gone on since the last window, to this

  // messages out
  input  logic                extract_i,        /// those before window_end_i
  input  logic [31:0]         window_end_i,
  output logic                done_o,           /// there are none: the last clock of extract_i
  output logic                out_o,            /// a message:
  output logic [8:0]          out_source_o,
  output logic [31:0]         out_time_o,
  output logic [NodeBits-1:0] out_node_o,
  output logic [7:0]          out_dest_o
);
`include "heddle_import.svh"
  localparam int TimeW = 32;
`include "heddle_time.svh"
`include "net_lists.svh"
  localparam int WheelBits = 8;             // cycles ahead that have a bucket of their own
  localparam int LaneBits  = SourceBits - 5;
  localparam int NumLanes  = 1 << LaneBits; // words of 32 sources in a bucket
  localparam int GroupBits = WheelBits - 5;
  localparam int NumGroups = 1 << GroupBits;  // words of 32 buckets
  localparam int PlaceBits = WheelBits + LaneBits;

  typedef logic [WheelBits-1:0] bucket_t;
  typedef logic [LaneBits-1:0]  lane_t;
  typedef logic [NumLanes-1:0]  lanes_t;
  typedef logic [GroupBits-1:0] group_t;
  typedef logic [PlaceBits-1:0] place_t;

  logic [ListW-1:0]     source_mem [NumSources];    // messages of a source in order of time
  time_t                last_mem [NumSources];      // time of its last message
  time_t                time_mem [NumNodes];        // of a message: its time, ...
  logic [7:0]           dest_mem [NumNodes];        // ... where it goes, ...
  node_t                next_mem [NumNodes];        // ... the next one of its source
  logic [31:0]          bit_mem [1 << PlaceBits];   // {bucket, lane}: sources
  lanes_t               lane_mem [1 << WheelBits];  // of a bucket: lanes that are not 0
  logic [31:0]          group_mem [NumGroups];      // buckets with a lane
  logic [NumGroups-1:0] groups_q;                   // groups that are not 0

  logic                 init_q;                     // memories are being emptied
  logic [PlaceBits-1:0] init_at_q;
  logic                 fresh_q;                    // next_q is right
  bound_t               next_q;
  time_t                cursor_q;                   // no message is earlier
  time_t                bucket_q;                   // time of the bucket in work
  lanes_t               lanes_q;                    // of it: lanes to do
  lane_t                lane_q;                     // the lane in work
  logic [31:0]          bits_q;                     // of it: sources to do
  logic                 keep_q;                     // put keep_source_q back into the bucket
  source_t              keep_source_q;
  bucket_t              keep_bucket_q;              // this one
  // between two steps, when Pipelined: enter, look, find, read, pop
  logic                 enter_valid_q, near_valid_q, look_valid_q, read_valid_q, pop_valid_q;
  logic                 enter_remote_q;
  source_t              enter_source_q;
  time_t                enter_time_q;
  node_t                enter_node_q;
  logic [7:0]           enter_dest_q;
  logic [31:0]          near_q;                     // near_buckets(),
  logic [GroupBits:0]   far_q;                      // next_group(),
  bound_t               look_q;                     // next_bucket() of these
  source_t              read_source_q, pop_source_q;
  logic [ListW-1:0]     read_list_q, pop_list_q;
  time_t                pop_bucket_q;
  time_t                head_time_q, last_time_q;
  node_t                head_next_q;
  logic [7:0]           head_dest_q;

  // values inside one clock
  logic    extracts, enter, settles, settled, looks, finds, found, ends, last, takes_lane, picks;
  logic    reads, pops, taken, keeps, moves;           // the cursor moves
  logic    enter_remote;
  time_t   enter_time, bucket, head_time, last_time, far_ahead;
  source_t enter_source, read_source, source;
  logic [7:0] head_dest;
  node_t   enter_node, head_next;
  logic [31:0] near;
  logic [GroupBits:0] far;
  bound_t  look, find;
  lanes_t  lanes;
  lane_t   lane;
  logic [31:0] bits;
  logic [ListW-1:0] list_word;
  list_t   list;
  // what memories get
  logic    bit_we, source_we;
  logic    marks, stays;                        // a bucket's lanes, and its group: it has buckets
  place_t  bit_at;
  bucket_t lane_at;
  group_t  group_at;
  source_t source_at;
  logic [31:0] bit_d, group_d;
  logic [NumGroups-1:0] this_group;
  lanes_t  lane_d;
  list_t   source_d;

  assign ready_o = !init_q;
  assign busy_o  = !fresh_q || enter_valid_q || init_q || out_o;
  assign next_o  = next_q;

  /// buckets at or after the cursor in its group
  function automatic logic [31:0] near_buckets();
    near_buckets = group_mem[cursor_q[WheelBits-1:5]] & (32'hffff_ffff << cursor_q[4:0]);
  endfunction

  /// {it is one of the next turn, number} of the first group behind that of the cursor
  function automatic logic [GroupBits:0] next_group();
    logic [NumGroups-1:0] behind;
    logic                 turns;
    behind     = groups_q & ({NumGroups{1'b1}} << cursor_q[WheelBits-1:5] << 1);
    turns      = behind == '0;
    if (turns) behind = groups_q;
    next_group = {turns, GroupBits'(lowest32(32'(behind)))};
  endfunction

  /// {none, time} of the first bucket at or after the cursor
  function automatic bound_t next_bucket(input logic [31:0] beside, input logic [GroupBits:0] then);
    group_t                   group;
    logic [31:0]              here;
    logic                     turns;
    logic [TimeW-WheelBits-1:0] turn;
    group = then[GroupBits-1:0];
    here  = group_mem[group];
    turns = then[GroupBits];
    if (beside != '0) begin
      group = cursor_q[WheelBits-1:5];
      here  = beside;
      turns = 1'b0;
    end
    turn        = cursor_q[TimeW-1:WheelBits] + (TimeW-WheelBits)'(turns);
    next_bucket = {groups_q == '0, turn, group, lowest32(here)};
  endfunction

  always_ff @(posedge clk_i) begin : work
    extracts      = extract_i && !done_o;
    enter         = Pipelined ? enter_valid_q : insert_i;
    enter_valid_q <= Pipelined && rst_ni && insert_i;
    out_o         <= 1'b0;
    done_o        <= 1'b0;
    order_o       <= 1'b0;
    if (insert_i) begin
      enter_remote_q <= insert_remote_i;
      enter_source_q <= insert_source_i;
      enter_time_q   <= insert_time_i;
      enter_node_q   <= insert_node_i;
      enter_dest_q   <= insert_dest_i;
    end
    if (!rst_ni) begin
      init_q       <= 1'b1;
      init_at_q    <= '0;
      fresh_q      <= 1'b0;
      cursor_q     <= '0;
      groups_q     <= '0;
      lanes_q      <= '0;
      bits_q       <= '0;
      keep_q       <= 1'b0;
      near_valid_q <= 1'b0;
      look_valid_q <= 1'b0;
      read_valid_q <= 1'b0;
      pop_valid_q  <= 1'b0;
    end else if (extracts || enter || !fresh_q) begin
      bit_we    = 1'b0;
      bit_at    = '0;
      bit_d     = '0;
      marks     = 1'b0;
      lane_at   = '0;
      lane_d    = '0;
      group_d   = '0;
      stays     = 1'b0;
      source_we = 1'b0;
      source_at = '0;
      source_d  = '0;
      moves     = 1'b0;
      looks     = extracts && lanes_q == '0 && bits_q == '0 && !keep_q;
      settles   = !extracts && !enter && !init_q;
      look_ahead();
      settled   = settles && (!Pipelined || near_valid_q);
      if (settled) next_q <= look;
      fresh_q <= settled;
      if (init_q) empty();
      else if (keep_q || enter) put_in();
      else if (extracts) take_out();
      group_at = lane_at[WheelBits-1:5];
      if (bit_we) `STORE(bit_mem[bit_at], bit_d);
      if (marks) begin
        `STORE(lane_mem[lane_at], lane_d);
        `STORE(group_mem[group_at], group_d);
        // for a bit that is assigned by its number, yosys has a negation in front of a shifter
        this_group = NumGroups'(1) << group_at;
        groups_q   <= stays ? groups_q | this_group : groups_q & ~this_group;
      end
      if (Pipelined) begin
        near_valid_q <= !marks && !moves;
        look_valid_q <= near_valid_q && !marks && !moves;
      end
      if (source_we) `STORE(source_mem[source_at], source_d);
    end
  end

  // A word of every memory that must be empty.
  task automatic empty();
    init_q    <= init_at_q != '1;
    init_at_q <= init_at_q + 1'b1;
    bit_we    = 1'b1;
    bit_at    = init_at_q;
    marks     = 1'b1;
    lane_at   = init_at_q[WheelBits-1:0];
    source_we = 1'b1;
    source_at = init_at_q[SourceBits-1:0];
  endtask

  // A source into a bucket.
  task automatic put(input bucket_t number, input source_t sender);
    bit_we  = 1'b1;
    bit_at  = {number, sender[SourceBits-1:5]};
    bit_d   = bit_mem[bit_at] | (32'd1 << sender[4:0]);
    marks   = 1'b1;
    lane_at = number;
    lane_d  = lane_mem[lane_at] | (NumLanes'(1) << sender[SourceBits-1:5]);
    group_d = group_mem[number[WheelBits-1:5]] | (32'd1 << number[4:0]);
    stays   = 1'b1;
  endtask

  // The source that is kept, or that of a message which enters.
  task automatic put_in();
    enter_source = Pipelined ? enter_source_q : insert_source_i;
    enter_time   = Pipelined ? enter_time_q : insert_time_i;
    keep_q       <= 1'b0;
    put(keep_q ? keep_bucket_q : enter_time[WheelBits-1:0],
        keep_q ? keep_source_q : enter_source);
    if (!keep_q) append();
  endtask

  // A message joins those of its source.
  task automatic append();
    enter_remote = Pipelined ? enter_remote_q : insert_remote_i;
    enter_node   = Pipelined ? enter_node_q : insert_node_i;
    list_word    = source_mem[enter_source];
    list         = list_word;
    order_o   <= list.some && !earlier(last_mem[enter_source], enter_time);
    if (list.some) `STORE(next_mem[list.tail], enter_node);
    source_we = 1'b1;
    source_at = enter_source;
    source_d  = list;
    if (!list.some) source_d.head = enter_node;
    source_d.some = 1'b1;
    source_d.tail = enter_node;
    `STORE(time_mem[enter_node], enter_time);
    `STORE(dest_mem[enter_node], Pipelined ? enter_dest_q : insert_dest_i);
    `STORE(last_mem[enter_source], enter_time);
    // a bucket behind the present would be taken for one ahead
    if (enter_remote && (groups_q == '0 || earlier(cursor_q, reached_i))) begin
      cursor_q <= reached_i;
      moves    = 1'b1;
    end
  endtask

  // The steps near and look: the next bucket.
  task automatic look_ahead();
    near = near_q;
    far  = far_q;
    if (Pipelined) begin
      near_q <= near_buckets();
      far_q  <= next_group();
    end else if (looks || settles) begin
      near = near_buckets();
      if (near == '0) far = next_group();
    end
    if (`WANTED(looks || settles)) look = next_bucket(near, far);
    if (Pipelined) look_q <= look;
  endtask

  // The steps from find to pop; nothing is kept.
  task automatic take_out();
    bucket = bucket_q;
    lanes  = lanes_q;
    lane   = lane_q;
    bits   = bits_q;
    // find: the next bucket lies before the window's end
    finds = looks && (!Pipelined || look_valid_q);
    find  = Pipelined ? look_q : look;
    found = finds && due(find, window_end_i);
    ends  = finds && !found && !read_valid_q && !pop_valid_q;
    moves = found || ends;
    if (ends) begin
      done_o   <= 1'b1;
      cursor_q <= window_end_i;
    end
    if (found) begin
      bucket_q <= find[TimeW-1:0];
      cursor_q <= find[TimeW-1:0] + 1'b1;
      lanes_q  <= lane_mem[find[WheelBits-1:0]];
      if (!Pipelined) bucket = find[TimeW-1:0];
      if (!Pipelined) lanes  = lane_mem[find[WheelBits-1:0]];
      marks   = 1'b1;
      lane_at = find[WheelBits-1:0];
      group_d = group_mem[find[WheelBits-1:5]] & ~(32'd1 << find[4:0]);
      stays   = group_d != '0;
    end
    // lane: the next 32 of its sources, when the last one of those before is picked, or was
    last       = Pipelined ? (bits_q & (bits_q - 1'b1)) == '0 : bits_q == '0;
    takes_lane = lanes != '0 && last;
    if (takes_lane) begin
      lane    = LaneBits'(lowest32(32'(lanes)));
      lane_q  <= lane;
      lanes_q <= lanes & (lanes - 1'b1);
      bit_we  = 1'b1;
      bit_at  = {bucket[WheelBits-1:0], lane};
      if (!Pipelined) bits = bit_mem[bit_at];
    end
    // pick: one of them
    if (Pipelined) lane = lane_q;
    picks       = bits != '0;
    read_source = {lane, lowest32(bits)};
    list_word   = read_list_q;
    if (picks) begin
      bits_q        <= bits & (bits - 1'b1);
      read_source_q <= read_source;
      read_list_q   <= source_mem[read_source];
      if (!Pipelined) list_word = source_mem[read_source];
    end
    if (Pipelined && takes_lane) bits_q <= bit_mem[bit_at];
    read_valid_q <= Pipelined && picks;
    // read: the head of its list
    reads     = Pipelined ? read_valid_q : picks;
    list      = list_word;
    source    = Pipelined ? read_source_q : read_source;
    head_time = head_time_q;
    head_next = head_next_q;
    head_dest = head_dest_q;
    last_time = last_time_q;
    if (reads) begin
      head_time_q  <= time_mem[list.head];
      head_next_q  <= next_mem[list.head];
      last_time_q  <= last_mem[source];
      if (Pipelined) begin
        head_dest_q  <= dest_mem[list.head];
        pop_list_q   <= list_word;
        pop_source_q <= source;
        pop_bucket_q <= bucket_q;
      end
      if (!Pipelined) head_time = time_mem[list.head];
      if (!Pipelined) head_next = next_mem[list.head];
      if (!Pipelined) head_dest = dest_mem[list.head];
      if (!Pipelined) last_time = last_mem[source];
    end
    pop_valid_q <= Pipelined && reads;
    // pop: it leaves, if this is its time
    pops     = Pipelined ? pop_valid_q : picks;
    if (Pipelined) begin
      list   = pop_list_q;
      source = pop_source_q;
      bucket = pop_bucket_q;
    end
    taken    = pops && list.some && head_time == bucket;
    source_d = list;
    if (taken) begin
      source_d.some = list.head != list.tail;
      source_d.head = head_next;
      source_we     = 1'b1;
      source_at     = source;
      out_o         <= 1'b1;
      out_source_o  <= source;
      out_time_o    <= bucket;
      out_node_o    <= list.head;
      out_dest_o    <= head_dest;
    end
    far_ahead = last_time - bucket;
    keeps     = pops && source_d.some && far_ahead >= TimeW'(1 << WheelBits);
    if (keeps) begin
      keep_q        <= 1'b1;
      keep_source_q <= source;
      keep_bucket_q <= bucket[WheelBits-1:0];
    end
  endtask
`ifdef HEDDLE_ASSERT
`include "calendar_rules.svh"
`endif
endmodule
