/// Calendar: messages of many sources, given out in order of (time, source).
///
/// Each source hands in its messages in order of time, so it has a list; and a wheel of 256
/// buckets, one per cycle, says which sources have a message in that cycle. To take messages out is
/// to go through the buckets and take the head of the list of each source found there. A message
/// further ahead than the wheel is met too early: its source's bit then stays in the bucket for the
/// next turn (keep).
/// Steps: look (for the next bucket), find (it lies in the window), lane (32 of its sources), pick
/// (one of them), read (the head of its list), pop. Pipelined, each takes a clock, else all share
/// one.
/// Throughput: one message in three clocks, or one per clock; an insert each clock.
/// Rules: inserts come while not extract_i, for a time not before the last window's end; those of
/// a source have increasing times (else order_o). extract_i stays until done_o, and window_end_i
/// with it. Nothing is inserted or taken before ready_o.
`include "heddle_macros.svh"
`include "heddle_assert.svh"
/* verilator lint_off BLKSEQ */  // the clock of the rules
module net_calendar #(
  parameter int NodeBits  = 16,
  parameter bit Pipelined = `HEDDLE_PIPELINED
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
  output logic                read_o,           /// a reply is read, with or before its out_o
  output logic [NodeBits-1:0] read_node_o,
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
  lanes_t               lanes_q;                    // of the bucket in work: lanes to do
  logic [31:0]          bits_q;                     // of the lane in work: sources to do
  logic                 keep_q;                     // put keep_source_q back into the bucket
  source_t              keep_source_q;

  // ---------------------------------------------------------------- a message comes
  logic    enter, enter_pending, enter_remote;
  source_t enter_source;
  time_t   enter_time;
  node_t   enter_node;
  logic [7:0] enter_dest;

  step #(.Pipelined(Pipelined)) u_enter_step (
    .clk_i, .rst_ni, .valid_i(insert_i), .valid_o(enter), .pending_o(enter_pending)
  );
  flow #(.Width(1 + SourceBits + 8 + NodeBits), .Pipelined(Pipelined)) u_enter (
    .clk_i, .valid_i(insert_i),
    .word_i({insert_remote_i, insert_source_i, insert_dest_i, insert_node_i}),
    .word_o({enter_remote, enter_source, enter_dest, enter_node})
  );
  flow #(.Width(TimeW), .Pipelined(Pipelined)) u_enter_time (
    .clk_i, .valid_i(insert_i), .word_i(insert_time_i), .word_o(enter_time)
  );

  // ---------------------------------------------------------------- look and find
  logic    looks, settles, finds, find_pending, found;
  bound_t  look, find;
  logic    flight, read_pending, pop_pending;   // a source is between pick and pop
  group_t  from, group;
  logic [31:0]          here;
  logic [NumGroups-1:0] behind;
  bucket_t first_bucket, ahead;

  assign flight  = read_pending || pop_pending;
  assign looks   = extract_i && lanes_q == '0 && bits_q == '0 && !flight && !keep_q
                   && !find_pending;
  assign settles = !extract_i && !fresh_q && !enter && !init_q;

  // the first bucket at or after the cursor
  always_comb begin : look_for
    from         = cursor_q[WheelBits-1:5];
    here         = '0;
    group        = from;
    behind       = '0;
    first_bucket = '0;
    ahead        = '0;
    look         = Never;
    if (looks || settles) begin
      here = group_mem[from] & (32'hffff_ffff << cursor_q[4:0]);
      if (here == '0) begin
        behind = groups_q & ({NumGroups{1'b1}} << from << 1);
        if (behind == '0) behind = groups_q;
        group  = GroupBits'(lowest32(32'(behind)));
        here   = group_mem[group];
      end
      first_bucket = {group, lowest32(here)};
      ahead        = first_bucket - cursor_q[WheelBits-1:0];
      look         = {groups_q == '0, cursor_q + TimeW'(ahead)};
    end
  end

  step #(.Pipelined(Pipelined)) u_find_step (
    .clk_i, .rst_ni, .valid_i(looks), .valid_o(finds), .pending_o(find_pending)
  );
  flow #(.Width(TimeW + 1), .Pipelined(Pipelined)) u_find (
    .clk_i, .valid_i(looks), .word_i(look), .word_o(find)
  );

  assign found  = finds && due(find, window_end_i);
  assign done_o = finds && !found;

  // ---------------------------------------------------------------- the bucket: lane and pick
  time_t   bucket;                              // time of the bucket in work
  lanes_t  found_lanes, lanes, lanes_d;
  lane_t   next_lane, lane;                     // the lane in work
  logic    takes_lane, picks;
  logic [31:0] lane_bits, bits, bits_d;
  source_t source;

  flow #(.Width(TimeW), .Pipelined(Pipelined)) u_bucket (
    .clk_i, .valid_i(found), .word_i(find[TimeW-1:0]), .word_o(bucket)
  );
  flow #(.Width(LaneBits), .Pipelined(Pipelined)) u_lane (
    .clk_i, .valid_i(takes_lane), .word_i(next_lane), .word_o(lane)
  );

  assign found_lanes = lane_mem[find[WheelBits-1:0]];
  assign lanes       = !Pipelined && found ? found_lanes : lanes_q;
  assign takes_lane  = lanes != '0 && bits_q == '0 && !flight && !keep_q;
  assign next_lane   = LaneBits'(lowest32(32'(lanes)));
  assign lane_bits   = bit_mem[{bucket[WheelBits-1:0], next_lane}];
  assign bits        = !Pipelined && takes_lane ? lane_bits : bits_q;
  assign picks       = bits != '0 && !flight && !keep_q;
  assign source      = {lane, lowest32(bits)};

  always_comb begin : left
    lanes_d = found ? found_lanes : lanes_q;
    if (takes_lane) lanes_d = lanes & (lanes - 1'b1);
    bits_d = takes_lane ? lane_bits : bits_q;
    if (picks) bits_d = bits & (bits - 1'b1);
  end

  // ---------------------------------------------------------------- its list: read and pop
  logic    reads, pops, taken;
  source_t read_source;
  logic [ListW-1:0] read_list_word;
  list_t   read_list, popped;
  time_t   head_time, last_time, far_ahead;
  node_t   head_next;
  logic    keep_d;

  step #(.Pipelined(Pipelined)) u_read_source_step (
    .clk_i, .rst_ni, .valid_i(picks), .valid_o(reads), .pending_o(read_pending)
  );
  flow #(.Width(SourceBits), .Pipelined(Pipelined)) u_read_source (
    .clk_i, .valid_i(picks), .word_i(source), .word_o(read_source)
  );
  flow #(.Width(ListW), .Pipelined(Pipelined)) u_read_list (
    .clk_i, .valid_i(picks), .word_i(source_mem[source]), .word_o(read_list_word)
  );
  assign read_list   = read_list_word;
  assign read_node_o = read_list.head;
  assign read_o      = reads && 32'(read_source) >= FirstSlice && 32'(read_source) < FirstFar;

  step #(.Pipelined(Pipelined)) u_head_time_step (
    .clk_i, .rst_ni, .valid_i(reads), .valid_o(pops), .pending_o(pop_pending)
  );
  flow #(.Width(TimeW), .Pipelined(Pipelined)) u_head_time (
    .clk_i, .valid_i(reads), .word_i(time_mem[read_list.head]), .word_o(head_time)
  );
  flow #(.Width(NodeBits), .Pipelined(Pipelined)) u_head_next (
    .clk_i, .valid_i(reads), .word_i(next_mem[read_list.head]), .word_o(head_next)
  );
  flow #(.Width(8), .Pipelined(Pipelined)) u_head_dest (
    .clk_i, .valid_i(reads), .word_i(dest_mem[read_list.head]), .word_o(out_dest_o)
  );
  flow #(.Width(TimeW), .Pipelined(Pipelined)) u_last_time (
    .clk_i, .valid_i(reads), .word_i(last_mem[read_source]), .word_o(last_time)
  );

  assign taken        = pops && read_list.some && head_time == bucket;
  assign out_o        = taken;
  assign out_source_o = read_source;
  assign out_time_o   = bucket;
  assign out_node_o   = read_list.head;
  assign far_ahead    = last_time - bucket;
  assign keep_d       = pops && popped.some && far_ahead >= TimeW'(1 << WheelBits);

  always_comb begin : pop
    popped = read_list;
    if (taken) begin
      popped.some = read_list.head != read_list.tail;
      popped.head = head_next;
    end
  end

  // ---------------------------------------------------------------- into a bucket
  // a message that enters, or a source that is kept: extract_i tells the two apart
  logic    puts, appends;
  bucket_t put_bucket;
  source_t put_source;
  logic [ListW-1:0] enter_list_word;
  list_t   enter_list, appended;
  logic [31:0]  put_bits, put_group;
  lanes_t       put_lanes;

  assign puts            = keep_q || enter;
  assign appends         = enter && !keep_q;
  assign put_bucket      = keep_q ? bucket[WheelBits-1:0] : enter_time[WheelBits-1:0];
  assign put_source      = keep_q ? keep_source_q : enter_source;
  assign enter_list_word = source_mem[enter_source];
  assign enter_list      = enter_list_word;
  assign order_o         = appends && enter_list.some
                           && !earlier(last_mem[enter_source], enter_time);
  assign put_bits  = bit_mem[{put_bucket, put_source[SourceBits-1:5]}]
                     | (32'd1 << put_source[4:0]);
  assign put_lanes = lane_mem[put_bucket] | (NumLanes'(1) << put_source[SourceBits-1:5]);
  assign put_group = group_mem[put_bucket[WheelBits-1:5]] | (32'd1 << put_bucket[4:0]);

  always_comb begin : append
    appended = enter_list;
    if (!enter_list.some) appended.head = enter_node;
    appended.some = 1'b1;
    appended.tail = enter_node;
  end

  // ---------------------------------------------------------------- registers and memories
  logic    bit_we, lane_we, group_we, source_we;
  logic [PlaceBits-1:0] bit_at;
  logic [31:0] bit_d, group_d, found_group;
  bucket_t lane_at;
  lanes_t  lane_d;
  group_t  group_at;
  source_t source_at;
  logic [ListW-1:0] source_d;

  assign ready_o     = !init_q;
  assign busy_o      = !fresh_q || enter_pending || init_q;
  assign next_o      = next_q;
  assign found_group = group_mem[find[WheelBits-1:5]] & ~(32'd1 << find[4:0]);

  always_comb begin : ports
    bit_we    = takes_lane || puts || init_q;
    bit_at    = init_q ? init_at_q
                : puts ? {put_bucket, put_source[SourceBits-1:5]}
                       : {bucket[WheelBits-1:0], next_lane};
    bit_d     = puts && !init_q ? put_bits : '0;
    lane_we   = found || puts || init_q;
    lane_at   = init_q ? init_at_q[WheelBits-1:0] : puts ? put_bucket : find[WheelBits-1:0];
    lane_d    = puts && !init_q ? put_lanes : '0;
    group_we  = found || puts || init_q;
    group_at  = lane_at[WheelBits-1:5];
    group_d   = init_q ? '0 : puts ? put_group : found_group;
    source_we = taken || appends || init_q;
    source_at = init_q ? init_at_q[SourceBits-1:0] : appends ? enter_source : read_source;
    source_d  = '0;
    if (!init_q) source_d = appends ? appended : popped;
  end

  always_ff @(posedge clk_i) begin : memories
    if (bit_we) bit_mem[bit_at] <= bit_d;
    if (lane_we) lane_mem[lane_at] <= lane_d;
    if (group_we) group_mem[group_at] <= group_d;
    if (source_we) source_mem[source_at] <= source_d;
    if (appends && enter_list.some) next_mem[enter_list.tail] <= enter_node;
    if (appends) begin
      time_mem[enter_node]   <= enter_time;
      dest_mem[enter_node]   <= enter_dest;
      last_mem[enter_source] <= enter_time;
    end
  end

  always_ff @(posedge clk_i) begin : registers
    if (!rst_ni) begin
      init_q    <= 1'b1;
      init_at_q <= '0;
      fresh_q   <= 1'b0;
      cursor_q  <= '0;
      groups_q  <= '0;
      lanes_q   <= '0;
      bits_q    <= '0;
      keep_q    <= 1'b0;
    end else begin
      if (init_q) begin
        init_q    <= init_at_q != '1;
        init_at_q <= init_at_q + 1'b1;
      end
      if (settles) next_q <= look;
      fresh_q <= (fresh_q || settles) && !enter && !extract_i;
      if (group_we) groups_q[group_at] <= group_d != '0;
      if (found || takes_lane) lanes_q <= lanes_d;
      if (takes_lane || picks) bits_q <= bits_d;
      keep_q <= keep_d;
      if (keep_d) keep_source_q <= read_source;
      if (found) cursor_q <= find[TimeW-1:0] + 1'b1;
      else if (done_o) cursor_q <= window_end_i;
      // a bucket behind the present would be taken for one ahead
      else if (appends && enter_remote && (groups_q == '0 || earlier(cursor_q, reached_i)))
        cursor_q <= reached_i;
    end
  end
`ifdef HEDDLE_ASSERT

  // ---------------------------------------------------------------- rules
  int unsigned rules_clock;

  always_ff @(posedge clk_i) begin : rules
    if (rst_ni) begin
      if (!init_q) begin
        for (int g = 0; g < NumGroups; g++)
          `ASSERT(GroupKnown, groups_q[g] == (group_mem[g] != '0))
      end
      `ASSERT_IF(InitAlone, init_q, !extract_i && !insert_i)
      // what is taken out of a bucket, is while messages are taken out
      `ASSERT_IF(BucketPhase, lanes_q != '0 || bits_q != '0 || keep_q || find_pending, extract_i)
      `ASSERT_IF(BucketInWindow, lanes_q != '0 || bits_q != '0, earlier(bucket, window_end_i))
      // a message for the bucket in work would otherwise be met a turn of the wheel later
      `ASSERT_IF(CursorBehindBucket, lanes_q != '0 || bits_q != '0, cursor_q == bucket + 1'b1)
      `ASSERT_IF(KeepSource, keep_q, 32'(keep_source_q) < FirstBack + NumSlices)
      `ASSERT_IF(PickSource, reads, 32'(read_source) < FirstBack + NumSlices)
      // a list is in order of time, and its source's bit stands in the bucket of its head or before
      `ASSERT_IF(ReadNotPast, pops && read_list.some, !earlier(head_time, bucket))
      `ASSERT_IF(ReadNotBehindLast, pops && read_list.some, !earlier(last_time, head_time))
      // One source is under way.
      `ASSERT(PickOne, !(read_pending && pop_pending))
      // a message that enters would land in a bucket that is being emptied
      `ASSERT_IF(InsertPhase, insert_i, !extract_i)
      `ASSERT_IF(InsertSource, insert_i, 32'(insert_source_i) < FirstBack + NumSlices)
      // requests, and what goes to the other partition, go to a slice; replies to an SM
      `ASSERT_IF(InsertSlice, insert_i && (32'(insert_source_i) < FirstSlice
                                           || 32'(insert_source_i) >= FirstFar),
                 32'(insert_dest_i) < NumSlices)
    end
    rules_clock = rst_ni ? rules_clock + 1 : 0;
  end
`endif
endmodule
