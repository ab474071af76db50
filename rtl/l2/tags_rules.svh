// Rules of the sets: what is found, what is written.
int unsigned rules_clock;                  // clocks since reset
logic        acts;                         // something is dealt with
ways_t       with_line;
assign acts = commit_i && rst_ni;

always_ff @(posedge clk_i) begin : rules
  if (acts && act_i != ActWritten) begin
    for (int w = 0; w < NumWays; w++) begin
      with_line[w] = tags[w*TagW +: TagW] == line_i
                     && (lines[w*WayW +: 4] | lines[w*WayW + 8 +: 4]) != '0;
      // an atomic makes sectors dirty before they have come
      `ASSERT_IF(DirtyIsThere, lines[w*WayW + 8 +: 4] == '0,
                 (lines[w*WayW + 4 +: 4] & ~lines[w*WayW +: 4]) == '0)
    end
    `ASSERT(LineInOneWay, $onehot0(with_line))
    `ASSERT_IF(HitHasLine, hit, with_line[way])
    `ASSERT_IF(LeavesOrCleans, serves, !(leaves_line && cleans))
    `ASSERT_IF(LeavesOnMiss, serves && leaves_line, !hit)
    // what memory still owes to a way cannot go to another line
    `ASSERT_IF(LeavesMovable, serves && leaves_line, lines[way*WayW + 8 +: 4] == '0)
    `ASSERT_IF(CleansOther, serves && cleans, over_way != way)
    // nor does a pinned way, or its line
    `ASSERT_IF(PinnedStays, serves && !hit, !pinned[way])
    `ASSERT_IF(PinnedDirty, serves && cleans, !pinned[over_way])
    `ASSERT_IF(OutDirty, serves && leaves_o, out_dirty_o != '0)
    `ASSERT_IF(OutFull, serves && leaves_o, (out_full_o & ~out_dirty_o) == '0)
    `ASSERT(FetchesBound, set.fetches <= 4'(MaxFetches))
    `ASSERT_IF(FetchesHeld, act_i == ActFill && fetched, set.fetches != '0)
  end
  if (rst_ni) begin
    `ASSERT_IF(FullIsMiss, found && no_way, !hit)
    `ASSERT_IF(CommitFound, commit_i, found && !no_way)
    // a memory is written once a clock
    `ASSERT_IF(ClearAlone, flush_unpin_i, !commit_i && !walked_i)
    `ASSERT_IF(ClearUnpins, flush_clear_i, flush_unpin_i)
    `ASSERT_IF(LookAlone, look_i, !flush_read_i)
  end
  rules_clock = rst_ni ? rules_clock + 1 : 0;
end
