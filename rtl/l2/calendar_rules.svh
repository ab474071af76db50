// Rules of the calendar: groups and what was found ahead, the bucket in work, what enters.
int unsigned rules_clock;

always_ff @(posedge clk_i) begin : rules
  if (rst_ni) begin
    if (!init_q) begin
      for (int g = 0; g < NumGroups; g++)
        `ASSERT(GroupKnown, groups_q[g] == (group_mem[g] != '0))
    end
    // what was found ahead holds still
    `ASSERT_IF(NearHolds, near_valid_q, near_q == near_buckets() && far_q == next_group())
    `ASSERT_IF(LookHolds, look_valid_q, look_q == next_bucket(near_buckets(), next_group()))
    `ASSERT_IF(InitAlone, init_q, !extract_i && !insert_i)
    // what is taken out of a bucket, is while messages are taken out
    `ASSERT_IF(BucketPhase, lanes_q != '0 || bits_q != '0 || keep_q, extract_i)
    `ASSERT_IF(BucketInWindow, lanes_q != '0 || bits_q != '0, earlier(bucket_q, window_end_i))
    // a message for the bucket in work would otherwise be met a turn of the wheel later
    `ASSERT_IF(CursorBehindBucket, lanes_q != '0 || bits_q != '0, cursor_q == bucket_q + 1'b1)
    // a list is in order of time, and its source's bit stands in the bucket of its head or before
    `ASSERT_IF(ReadNotPast, pop_valid_q && pop_list_q[ListW-1],
               !earlier(head_time_q, pop_bucket_q))
    `ASSERT_IF(ReadNotBehindLast, pop_valid_q && pop_list_q[ListW-1],
               !earlier(last_time_q, head_time_q))
    // a source is under way once
    `ASSERT_IF(PickOne, read_valid_q && pop_valid_q, read_source_q != pop_source_q)
    // a message that enters would land in a bucket that is being emptied
    `ASSERT_IF(InsertPhase, insert_i, !extract_i)
    // requests, and what goes to the other partition, go to a slice; replies to an SM
    `ASSERT_IF(InsertSlice, insert_i && (32'(insert_source_i) < FirstSlice
                                         || (32'(insert_source_i) >= FirstFar
                                             && 32'(insert_source_i) < FirstOutside)),
               32'(insert_dest_i) < NumSlices)
  end
  rules_clock = rst_ni ? rules_clock + 1 : 0;
end
