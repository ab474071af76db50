// Rules of a visit: who is visited, when an instruction issues, the memory pipe of a sub-core.
`ifdef HEDDLE_ASSERT
// Stages 1 to 5: whom a visit concerns.
task automatic rules_select();
  ctx_t ctx;
  ctx = {sel_visit_q.slot, sel_visit_q.sub};
  `ASSERT_IF(VisitSm, sel_valid_q, 32'(sel_visit_q.sm) < MaxSm)
  `ASSERT_IF(InitSlot, sel_valid_q && sel_visit_q.kind inside {KindInit, KindScrub},
             !sel_visit_q.in_slot)
  // warps issue, and the memory stage works, in slots only
  `ASSERT_IF(KindInSlot, sel_valid_q && sel_visit_q.kind inside {KindIssue, KindCount, KindResume,
                                                                 KindCode}, sel_visit_q.in_slot)
  `ASSERT_IF(AgainIsCount, again_q, again_visit_q.kind == KindCount && again_visit_q.in_slot)
`ifdef HEDDLE_NBA
  `ASSERT(SelectTurn, select_turn_q < 3'(VisitClocks))
  // Stages 6 to 10 share registers (update.svh).
  `ASSERT(LateStagesOne, $onehot0({fet_valid_q, cod_valid_q, up_update_valid_q, up_ready_valid_q,
                                   up_row_valid_q}))
  `ASSERT(EarlyStagesOne, $onehot0({sel_valid_q, key_valid_q, min_valid_q, cho_valid_q}))
  // one visit to a sub-core at a time, one to all SMs without a slot
  `ASSERT_IF(VisitIsBusy, sel_valid_q && sel_visit_q.in_slot, ctx_busy_q[ctx])
  `ASSERT_IF(VisitOfSlot, sel_valid_q && sel_visit_q.in_slot,
             slot_used_q[sel_visit_q.slot] && slot_sm_q[sel_visit_q.slot] == sel_visit_q.sm)
  `ASSERT_IF(VisitOutside, sel_valid_q && sel_visit_q.kind inside {KindWake, KindLaunch}
                           && !sel_visit_q.in_slot,
             outside_q && outside_sm_q == sel_visit_q.sm)
  `ASSERT_IF(VisitEnds, up_row_valid_q && fet_visit_q.in_slot,
             ctx_busy_q[{fet_visit_q.slot, fet_visit_q.sub}])
`endif
  // an SM that gets a slot while a visit to it is under way would be read too early
  for (int s = 0; s < NumSlots; s++)
    `ASSERT_IF(OutsideStays, outside_q && slot_used_q[s], slot_sm_q[s] != outside_sm_q)
endtask

// Behind stage 5: the warp as it was read.
task automatic rules_visit();
  if (fet_valid_q && fet_visit_q.kind != KindInit) begin
    `ASSERT(HeadOne, !(fet_board_q.has && fet_board_q.hold))
    `ASSERT_IF(WaitsAlive, fet_board_q.waiting, fet_board_q.live)
    // the host sends no more packets than there is room for
    `ASSERT(PacketRoom, ptr_t'(fet_written_q - fet_board_q.rd) <= ptr_t'(1 << BufferBits))
    `ASSERT_IF(ResumeWaits, fet_visit_q.kind == KindResume, fet_board_q.waiting)
    `ASSERT_IF(LaunchDead, fet_visit_q.kind == KindLaunch, !fet_board_q.live)
  end
endtask

// An instruction issues when everything that it waits for is over; fetch, and stages 2 to 4 from
// the row of the sub-core, must agree on this.
task automatic rules_issue();
  logic [3:0] pipe;
  if (fet_valid_q && fet_visit_q.kind == KindIssue) begin
    pipe = fet_class_q[fet_visit_q.warp*4 +: 4];
    `ASSERT(IssueAlive, fet_board_q.has && fet_board_q.live && !fet_board_q.waiting)
    `ASSERT(IssueInSlotTime, earlier(fet_at_q, min_end_q))
    // nothing issues before the operands of the issue before have been read
    `ASSERT(IssueAfterLast, !sooner(in_full(fet_at_q), fet_after_q))
    `ASSERT(IssueStalled, !earlier(fet_at_q, fet_stall_q))
    `ASSERT_IF(IssuePipeFree, pipe < 4'(NumPipes) && pipe != MioPipe,
               !earlier(fet_at_q, fet_free_q[pipe*TimeW +: TimeW]))
    for (int c = 0; c < NumDepends; c++) begin
      // Within a pass of the memory stage a count may be negative: lines that join a request under
      // way can come before the misses of their operation are counted.
      `ASSERT(CountPositive, !fet_counts_q[c*CountW + CountW - 1])
      `ASSERT_IF(IssueCounted, fet_head_q.wait_mask[c], fet_counts_q[c*CountW +: CountW] == '0)
      `ASSERT_IF(IssueEnded, fet_head_q.wait_mask[c],
                 !earlier(fet_at_q, fet_until_q[c*TimeW +: TimeW]))
    end
  end
endtask

// Operations of a sub-core in the memory pipe: issued, in the address unit, taken (mio.svh).
task automatic rules_mio();
  entry_t queued, credits;
  queued  = fet_sched_q.issued - fet_sched_q.sent;
  credits = fet_sched_q.sent - fet_sched_q.served;
  if (fet_valid_q && fet_visit_q.kind != KindInit) begin
    `ASSERT(QueueBound, queued <= entry_t'(SlotEntries))
    `ASSERT(CreditBound, credits <= entry_t'(Credits))
    // a queue builds up only when there is no credit
    `ASSERT_IF(QueueWaits, queued != '0, credits == entry_t'(Credits))
    `ASSERT_IF(CreditHeld, fet_visit_q.credit, credits != '0)
    `ASSERT_IF(QueueNotFull, fet_visit_q.kind == KindIssue && fet_class_q[fet_visit_q.warp*4 +: 4]
                             == MioPipe, queued < entry_t'(SlotEntries))
  end
endtask
`endif
