// Rules of the queues of the slices: the slice in work, its times, memory's replies.
int unsigned  rules_clock;                 // clocks since reset
slice_state_e was_state;

task automatic rules();
  if (rst_ni) begin
    `ASSERT(SliceLegal, state_q <= SliceWork)
    `ASSERT_IF(SliceFollows, Pipelined, slice_follows(was_state, state_q))
    `ASSERT_IF(SliceInRange, state_q != SliceIdle, 32'(slice_q) < NumSlices)
    `ASSERT_IF(SlicePhase, state_q != SliceIdle, serve_i)
    `ASSERT_IF(TodoPhase, todo_q != '0, serve_i)
    `ASSERT(TodoActive, (todo_q & ~active_q) == '0)
    // the calendar and memory append between the slices' turns
    `ASSERT_IF(ArriveAlone, arrive_i || dram_i || scrub_i, state_q == SliceIdle && !serve_i)
    `ASSERT_IF(ArriveInRange, arrive_i, 32'(arrive_slice_i) < NumSlices)
    `ASSERT_IF(DramInRange, dram_i, 32'(dram_slice_i) < NumSlices)
    `ASSERT_IF(WorkIsState, work_o, state_q == SliceWork && slice_o == slice_q)
    `ASSERT_IF(DoneInWork, done_i && serve_i, work_o)
    rules_message();
  end
  rules_clock = rst_ni ? rules_clock + 1 : 0;
  was_state   = rst_ni ? state_q : SliceIdle;
endtask

// The message in work, until it has left its list.
task automatic rules_message();
  `ASSERT_IF(OpLegal, work_o, op_o inside {OpRequest, OpFar, OpFill, OpBack})
  `ASSERT_IF(FarPartitions, work_o && op_o inside {OpFar, OpBack}, two_i)
  // what is popped is the head of its list
  `ASSERT_IF(HeadOfRequests, pop_i && op_o == OpRequest, queue_q.some && head_o == queue_q.head)
  `ASSERT_IF(HeadOfFar, pop_i && op_o == OpFar, far_q.some && head_o == far_q.head)
  `ASSERT_IF(HeadOfFills, pop_i && op_o == OpFill, fills_q.some && head_o == fills_q.head)
  `ASSERT_IF(HeadOfBack, pop_i && op_o == OpBack, back_q.some && head_o == back_q.head)
  `ASSERT_IF(NotStuck, pick_o && op_o == OpRequest, !clock_q.stuck)
  `ASSERT_IF(NotFarStuck, pick_o && op_o == OpFar, !clock_q.far_stuck)
  // time
  `ASSERT_IF(ServiceInWindow, work_o, earlier(service_o, window_end_i))
  `ASSERT_IF(ServiceWhenFree, pick_o && op_o inside {OpRequest, OpFar},
             !earlier(service_o, clock_q.free_at))
  // memory's entries: taken when an event leaves, given back when its answer is in work
  `ASSERT_IF(EntriesHeld, pick_o && op_o == OpFill, entries_o != '0)
  `ASSERT_IF(TakeOrAgain, take_i || stuck_i, !again_i)
endtask

/// a state of the slice in work, and the one in the clock after
function automatic logic slice_follows(input slice_state_e was, input slice_state_e now);
  case (was)
    SliceIdle:   slice_follows = now inside {SliceIdle, SliceLoad};
    SliceLoad:   slice_follows = now == SliceRead;
    SliceRead:   slice_follows = now == SliceFirst;
    SliceFirst:  slice_follows = now == SliceDecide;
    SliceDecide: slice_follows = now inside {SliceWork, SliceBack};
    SliceBack:   slice_follows = now == SliceIdle;
    default:     slice_follows = now inside {SliceWork, SliceRead};
  endcase
endfunction
