// Rules of visits: who is visited, and when.
`ifdef HEDDLE_ASSERT
task automatic rules_select();
  `ASSERT_IF(VisitSm, rel_valid, 32'(rel_id[IdW-1 -: SmBits]) < MaxSm)
  `ASSERT_IF(InitSlot, rel_valid && rel_kind inside {KindInit, KindScrub}, !rel_in_slot)
  // warps issue, and the memory stage works, in slots only
  `ASSERT_IF(KindInSlot, rel_valid && rel_kind inside {KindIssue, KindCount, KindResume, KindCode},
             rel_in_slot)
  `ASSERT_IF(VisitOfSlot, rel_valid && rel_in_slot,
             slot_used[rel_ctx[CtxBits-1:SubBits]]
             && slot_sms[rel_ctx[CtxBits-1:SubBits]*SmBits +: SmBits] == rel_id[IdW-1 -: SmBits])
  // one visit to a sub-core at a time, one to all SMs without a slot
  `ASSERT_IF(VisitIsBusy, Pipelined && rel_valid && rel_in_slot, ctx_busy[rel_ctx])
  `ASSERT_IF(VisitOutside, Pipelined && rel_valid && rel_kind inside {KindWake, KindLaunch}
                           && !rel_in_slot,
             outside && outside_sm == rel_id[IdW-1 -: SmBits])
  `ASSERT_IF(IssueInSlotTime, row_valid && row_kind == KindIssue,
             earlier(row_at, slot_ends[row_slot*TimeW +: TimeW]))
endtask

// SMs that have a slot.
task automatic rules_slots();
  for (int s = 0; s < NumSlots; s++) begin
    `ASSERT_IF(SlotSm, slot_used[s], slot_sms[s*SmBits +: SmBits] <= last_sm)
    `ASSERT_IF(SlotEndInWindow, slot_used[s],
               !earlier(window_end, slot_ends[s*TimeW +: TimeW]))
    // an SM that gets a slot while a visit to it is under way would be read too early
    `ASSERT_IF(OutsideStays, Pipelined && outside && slot_used[s],
               slot_sms[s*SmBits +: SmBits] != outside_sm)
  end
endtask
`endif
