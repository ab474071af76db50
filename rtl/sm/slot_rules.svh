// Rules of slots and of the window unit (window.svh).
`ifdef HEDDLE_ASSERT
task automatic rules_slots();
  ctx_set_t used, runs;
  for (int c = 0; c < NumCtx; c++) begin
    used[c] = slot_used_q[c >> SubBits];
    runs[c] = slot_used_q[c >> SubBits] && slot_open_q[c >> SubBits];
  end
  // An SM is in one slot: two would work on the same memories.
  for (int s = 1; s < NumSlots; s++)
    for (int o = 0; o < s; o++)
      `ASSERT_IF(SlotSmOnce, slot_used_q[s] && slot_used_q[o], slot_sm_q[s] != slot_sm_q[o])
  for (int s = 0; s < NumSlots; s++) begin
    `ASSERT_IF(SlotSm, slot_used_q[s], slot_sm_q[s] <= last_sm_q)
    `ASSERT_IF(SlotNotParked, slot_used_q[s], !parked_q[slot_sm_q[s]])
    `ASSERT_IF(SlotEndInWindow, slot_used_q[s], !earlier(window_end_q, slot_end_q[s]))
    // micro-operations: the queue, and the visits in the pipeline
    `ASSERT(FlightBound, FlightBits'(slot_sent_q[s] - slot_done_q[s])
                         <= FlightBits'((1 << MicroBits) + 2))
    `ASSERT_IF(FlightEmpty, !slot_used_q[s], slot_sent_q[s] == slot_done_q[s])
  end
  // the memory stage goes first, then the sub-cores
  `ASSERT(PassUsed, (slot_pass_q & ~slot_used_q) == '0)
  `ASSERT(PassNotOpen, (slot_pass_q & slot_open_q & slot_used_q) == '0)
  `ASSERT(RunnableOpen, (ctx_runnable_q & ~runs) == '0)
  `ASSERT(BusyUsed, (ctx_busy_q & ~used) == '0)
  `ASSERT(StarvedStands, (ctx_starved_q & ctx_runnable_q) == '0)
endtask

task automatic rules_bounds();
  for (int c = 0; c < NumCtx; c++)
    `ASSERT_IF(RunnableDue, ctx_runnable_q[c],
               due(ctx_bound_q[c], slot_end_q[c >> SubBits]))
  `ASSERT(ParkedCounted, (SmBits+1)'(parked_count_q - resumed_count_q)
                         == (SmBits+1)'($countones(parked_q)))
  `ASSERT_IF(ResumeNotParked, resume_rd_q != resume_wr_q, !parked_q[resume_mem[resume_rd_q]])
endtask

// The window unit's five steps.
task automatic rules_unit();
  `ASSERT(UnitLegal, win_state_q <= WinMove)
`ifdef HEDDLE_NBA
  `ASSERT(UnitFollows, unit_follows(was_win_state, win_state_q))
`endif
  `ASSERT_IF(UnitLoads, win_state_q != WinLook && win_load_q, !slot_used_q[win_slot_q])
  `ASSERT_IF(UnitMoves, win_state_q != WinLook && !win_load_q,
             slot_used_q[win_slot_q] && !slot_pass_q[win_slot_q])
  for (int s = 0; s < NumSlots; s++)
    `ASSERT_IF(UnitLoadsOnce, win_state_q != WinLook && win_load_q && slot_used_q[s],
               slot_sm_q[s] != win_sm_q)
  `ASSERT_IF(UnitSm, win_state_q inside {WinTimes, WinWork, WinMove}, win_sm_q <= last_sm_q)
  // the end of a short window is not behind that of the window
  `ASSERT_IF(UntilInWindow, win_state_q inside {WinWork, WinMove},
             !earlier(window_end_q, win_lsu_until_q) && !earlier(window_end_q, win_sub_until_q))
endtask

/// a step of the window unit, and the one in the clock after
function automatic logic unit_follows(input win_state_e was, input win_state_e now);
  case (was)
    WinLook:   unit_follows = now inside {WinLook, WinBounds};
    WinBounds: unit_follows = now == WinTimes;
    WinTimes:  unit_follows = now == WinWork;
    WinWork:   unit_follows = now == WinMove;
    default:   unit_follows = now == WinLook;
  endcase
endfunction
`endif
