// Rules of the slices: what is in work, its times, its set, memory's entries.
`ifdef HEDDLE_ASSERT
/// the message in work, head_q, is still the head of its list
function automatic logic holds_head();
  holds_head = slice_state_q inside {SliceFetch, SliceLow, SliceQuotient, SliceHome, SliceRow,
                                     SliceTags, SliceMatch, SliceWay, SliceClean, SliceServe,
                                     SlicePass, SliceFill, SlicePassed, SliceDrop};
endfunction

/// something of a window is in work (not a line of FillL2)
function automatic logic in_work();
  in_work = phase_q == Serve
            && (holds_head()
                || slice_state_q inside {SliceWaiter, SliceHere, SliceWake, SliceTell});
endfunction

task automatic rules_slices();
  `ASSERT(SliceLegal, slice_state_q <= SliceScrub)
  `ASSERT_IF(SliceFollows, Pipelined, slice_follows(was_slice_state, slice_state_q))
  // for a line of FillL2 it is found on the way
  `ASSERT_IF(SliceInRange, !(slice_state_q inside {SliceIdle, SliceCopy, SliceLow, SliceQuotient,
                                                   SliceHome, SlicePlace}),
             32'(slice_q) < NumSlices)
  `ASSERT_IF(SlicePhase, slice_state_q != SliceIdle, phase_q inside {Rest, Scrub, Serve})
  `ASSERT_IF(SliceScrubPhase, slice_state_q == SliceScrub, phase_q == Scrub)
  `ASSERT_IF(SliceCopyRests, slice_state_q inside {SliceCopy, SlicePlace}, phase_q == Rest)
  `ASSERT_IF(TodoPhase, todo_q != '0, phase_q == Serve)
  `ASSERT(TodoActive, (todo_q & ~active_q) == '0)
  `ASSERT_IF(OpLegal, in_work(), op_q inside {OpRequest, OpFar, OpFill, OpBack})
  // head_q is taken off the list that it is the head of
  `ASSERT_IF(HeadOfRequests, in_work() && holds_head() && op_q == OpRequest,
             queue_q.some && head_q == queue_q.head)
  `ASSERT_IF(HeadOfFar, in_work() && holds_head() && op_q == OpFar,
             far_q.some && head_q == far_q.head)
  `ASSERT_IF(HeadOfFills, in_work() && holds_head() && op_q == OpFill,
             fills_q.some && head_q == fills_q.head)
  `ASSERT_IF(HeadOfBack, in_work() && holds_head() && op_q == OpBack,
             back_q.some && head_q == back_q.head)
  `ASSERT_IF(NotStuck, in_work() && holds_head() && op_q == OpRequest, !clock_q.stuck)
  `ASSERT_IF(NotFarStuck, in_work() && holds_head() && op_q == OpFar, !clock_q.far_stuck)
  // what one partition sends the other
  `ASSERT_IF(FarPartitions, in_work() && op_q inside {OpFar, OpBack}, two_q)
  `ASSERT_IF(TellPartitions, slice_state_q inside {SliceTell, SlicePass, SlicePassed}, two_q)
  // time
  `ASSERT_IF(ServiceInWindow, in_work(), earlier(service_q, window_end_q))
  `ASSERT_IF(ServiceWhenFree, in_work() && holds_head() && op_q inside {OpRequest, OpFar},
             !earlier(service_q, clock_q.free_at))
  // memory's entries: counted when an event leaves, given back when its answer is in work
  `ASSERT_IF(EntriesBound, in_work(), clock_q.entries <= entries_q)
  `ASSERT_IF(EntriesHeld, in_work() && fills_q.some, clock_q.entries != '0)
  // the request
  `ASSERT_IF(KindLegal, in_work() && slice_state_q inside {SliceServe, SlicePass},
             node_q.kind inside {ReqRead, ReqWrite, ReqAtomic})
  `ASSERT_IF(SectorsWanted, in_work() && slice_state_q == SliceServe && fault_o == FaultNone,
             node_q.sectors != '0)
endtask

// The set in work.
task automatic rules_lines();
  logic [NumWays-1:0]      with_line;
  logic [NumWays*TagW-1:0] tags;
  logic [NumWays*WayW-1:0] lines;
  logic                    serves;
  serves = slice_state_q == SliceServe;
  if (!init_q && !clear_q && slice_state_q inside {SliceRead, SliceServe, SliceMatch, SliceWaiter,
                                                   SliceWake}) begin
    tags  = tag_mem[row_q];
    lines = line_mem[row_q];
    for (int w = 0; w < NumWays; w++)
      with_line[w] = tags[w*TagW +: TagW] == node_q.addr
                     && (lines[w*WayW +: 4] | lines[w*WayW + 8 +: 4]) != '0;
    `ASSERT(LineInOneWay, $onehot0(with_line))
    for (int w = 0; w < NumWays; w++)
      // an atomic makes sectors dirty before they have come
      `ASSERT_IF(DirtyIsThere, lines[w*WayW + 8 +: 4] == '0,
                 (lines[w*WayW + 4 +: 4] & ~lines[w*WayW +: 4]) == '0)
  end
  `ASSERT_IF(HitHasLine, hit_q && slice_state_q inside {SliceServe, SliceFill, SliceDrop},
             tags_q[way_q*TagW +: TagW] == node_q.addr)
  `ASSERT_IF(FullIsMiss, serves && full_q, !hit_q)
  `ASSERT_IF(LeavesOrCleans, serves, !(leaves_q && cleans_q))
  `ASSERT_IF(LeavesOnMiss, serves && leaves_q, !hit_q)
  // what memory still owes to a way cannot go to another line
  `ASSERT_IF(LeavesMovable, serves && leaves_q && !full_q, way_line_q[11:8] == '0)
  `ASSERT_IF(CleansOther, serves && cleans_q, over_way_q != way_q)
  `ASSERT_IF(OutDirty, serves && (leaves_q || cleans_q), out_dirty_q != '0)
  `ASSERT_IF(OutFull, serves && (leaves_q || cleans_q), (out_full_q & ~out_dirty_q) == '0)
  `ASSERT_IF(FetchesBound, serves, set_q.fetches <= 4'(MaxFetches))
  `ASSERT_IF(FetchesHeld, slice_state_q == SliceWake && fetched_q, set_q.fetches != '0)
  // sectors come for somebody
  `ASSERT_IF(SomeoneWaits, slice_state_q inside {SliceWaiter, SliceHere, SliceWake}
                           && fault_o == FaultNone, set_q.waiting.some)
  `ASSERT_IF(FillHits, slice_state_q == SliceFill && fault_o == FaultNone, hit_q)
endtask

/// a state of the slice in work, and the one in the clock after
function automatic logic slice_follows(input slice_state_e was, input slice_state_e now);
  case (was)
    SliceIdle:     slice_follows = now inside {SliceIdle, SliceLoad, SliceCopy};
    SliceLoad:     slice_follows = now inside {SliceRead, SliceScrub};
    SliceRead:     slice_follows = now == SliceDecide;
    SliceDecide:   slice_follows = now inside {SliceFetch, SliceIdle};
    SliceFetch:    slice_follows = now inside {SliceFetch, SliceLow, SliceRow, SliceRead};
    SliceLow:      slice_follows = now == SliceQuotient;
    SliceQuotient: slice_follows = now == SliceHome;
    SliceHome:     slice_follows = now inside {SlicePlace, SliceRow};
    SlicePlace:    slice_follows = now inside {SliceRow, SliceCopy};
    SliceRow:      slice_follows = now == SliceTags;
    SliceTags:     slice_follows = now == SliceMatch;
    SliceMatch:    slice_follows = now == SliceWay;
    SliceWay:      slice_follows = now inside {SliceClean, SlicePass, SliceFill, SlicePassed,
                                               SliceDrop};
    SliceClean:    slice_follows = now == SliceServe;
    SliceServe:    slice_follows = now inside {SliceServe, SliceRead, SliceTell, SliceCopy,
                                               SliceRow};
    SlicePass:     slice_follows = now == SliceRead;
    SliceFill:     slice_follows = now inside {SliceFill, SliceWaiter};
    SliceWaiter:   slice_follows = now == SliceHere;
    SliceHere:     slice_follows = now == SliceWake;
    SliceWake:     slice_follows = now inside {SliceWake, SliceWaiter, SliceRead};
    SliceTell:     slice_follows = now inside {SliceTell, SliceRead};
    SliceDrop:     slice_follows = now inside {SliceDrop, SliceRead, SliceCopy};
    SlicePassed:   slice_follows = now inside {SlicePassed, SliceRead};
    SliceCopy:     slice_follows = now inside {SliceIdle, SliceLow};
    default:       slice_follows = now inside {SliceLoad, SliceIdle};  // SliceScrub
  endcase
endfunction
`endif
