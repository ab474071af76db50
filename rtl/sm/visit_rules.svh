// Rules of visits: who is visited, and when.
`ifdef HEDDLE_ASSERT
task automatic rules_select();
  `ASSERT_IF(VisitSm, rel_valid, 32'(rel_id[IdW-1 -: SmBits]) < MaxSm)
  `ASSERT_IF(InitSlot, rel_valid && rel_kind inside {KindInit, KindScrub}, !rel_in_slot)
  // warps issue, and the memory stage works, in slots only
  `ASSERT_IF(KindInSlot, rel_valid && rel_kind inside {KindIssue, KindCount, KindResume, KindCode},
             rel_in_slot)
  `ASSERT_IF(VisitOfSlot, rel_valid && rel_in_slot,
             slot_used_q[rel_ctx[CtxBits-1:SubBits]]
             && slot_sm_q[rel_ctx[CtxBits-1:SubBits]] == rel_id[IdW-1 -: SmBits])
`ifdef HEDDLE_NBA
  // one visit to a sub-core at a time, one to all SMs without a slot
  `ASSERT_IF(VisitIsBusy, rel_valid && rel_in_slot, ctx_busy_q[rel_ctx])
  `ASSERT_IF(VisitOutside, rel_valid && rel_kind inside {KindWake, KindLaunch} && !rel_in_slot,
             outside_q && outside_sm_q == rel_id[IdW-1 -: SmBits])
  `ASSERT_IF(VisitEnds, row_valid && row_in_slot, ctx_busy_q[row_ctx])
`endif
  `ASSERT_IF(IssueInSlotTime, row_valid && row_kind == KindIssue,
             earlier(row_at, slot_end_q[row_slot]))
  // an SM that gets a slot while a visit to it is under way would be read too early
  for (int s = 0; s < NumSlots; s++)
    `ASSERT_IF(OutsideStays, outside_q && slot_used_q[s], slot_sm_q[s] != outside_sm_q)
endtask
`endif
