// Rules of the ring of requests (net_enter.svh) and of the calendar (net_calendar.svh).
`ifdef HEDDLE_ASSERT
typedef logic [RingBits:0] ring_t;

// The stages go through the ring one behind the other.
task automatic rules_ring();
  ring_t used, placed, sliced, quotients, lows;      // entries behind each pointer
  used      = ring_wr_q - ring_rd_q;
  placed    = ring_wr_q - ring_place_q;
  sliced    = ring_wr_q - ring_slice_q;
  quotients = ring_wr_q - ring_quotient_q;
  lows      = ring_wr_q - ring_low_q;
  `ASSERT(RingBound, used <= ring_t'(RingSize))
  `ASSERT(RingPlace, placed <= used)
  `ASSERT(RingSlice, sliced <= placed)
  `ASSERT(RingQuotient, quotients <= sliced)
  `ASSERT(RingLow, lows <= quotients)
endtask

task automatic rules_calendar();
  if (!init_q) begin
    for (int g = 0; g < NumGroups; g++)
      `ASSERT(GroupKnown, groups_q[g] == (group_mem[g] != '0))
  end
  // what is taken out of a bucket, is in Extract
  `ASSERT_IF(BucketPhase, lanes_q != '0 || bits_q != '0 || keep_q || looked_q, phase_q == Extract)
  `ASSERT_IF(BucketInWindow, lanes_q != '0 || bits_q != '0, earlier(bucket_q, window_end_q))
  // a message for the bucket in work would otherwise be met a turn of the wheel later
  `ASSERT_IF(CursorBehindBucket, lanes_q != '0 || bits_q != '0, cursor_q == bucket_q + 1'b1)
  `ASSERT_IF(KeepSource, keep_q, 32'(keep_source_q) < FirstBack + NumSlices)
  `ASSERT_IF(EnterSource, enter_valid_q, 32'(enter_source_q) < FirstBack + NumSlices)
  `ASSERT_IF(PickSource, pick_valid_q, 32'(pick_source_q) < FirstBack + NumSlices)
  // a list is in order of time, and its source's bit stands in the bucket of its head or before
  `ASSERT_IF(ReadNotPast, read_valid_q && pick_list_q.some && phase_q == Extract,
             !earlier(read_time_q, bucket_q))
  `ASSERT_IF(ReadNotBehindLast, read_valid_q && pick_list_q.some && phase_q == Extract,
             !earlier(read_last_q, read_time_q))
`ifdef HEDDLE_NBA
  // One source is under way: the next one may be in the same list of a slice.
  `ASSERT(PickOne, !(pick_valid_q && read_valid_q))
  `ASSERT(PickToggles, (sent_q != done_q) == (pick_valid_q || read_valid_q))
`endif
endtask
`endif
