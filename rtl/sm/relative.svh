// Stage 2, relative: one sort key per warp of the sub-core.
//
// The key is {distance of the issue time from the sub-core's bound, not starving, order}, so the
// smallest key is the earliest event; among equals a warp without packets first, since nothing may
// issue then; then the order of the policy. The greedy warp comes in with the next stage. Lanes are
// words of the processor that simulates, all treated alike, so that it takes eight at a time.
// Reads  sel_*_q, the late operation of a sub-core that gets a credit.
// Writes key_*_q.

// The order of warp w by the policy: order_q[w] + turn.
//   CGGTY: highest number first. GTO: lowest number first. LRR: the one after the last first.
function automatic warp_t policy_turn(input warp_t last);
  policy_turn = policy_q == 2'd2 ? ~last : '0;
endfunction

task automatic stage_relative();
  key_t  lane, base, ahead, order, turn;
  time_t at;
  full_t after;
  logic [2:0] late;
  key_valid_q `Q sel_valid_q;
  if (sel_valid_q) begin
    at = sel_at_q;
    if (sel_visit_q.kind == KindIssue) begin
      // While operands are late nothing issues: a few cycles; else the last issue is past.
      after = sel_after_q - in_full(sel_at_q);
      if (after < LateMost) at = TimeW'(sel_after_q);
      turn = KeyW'(policy_turn(sel_sched_q.last));
      base = KeyW'({at[NearW-1:0], 2'd0});
      for (int w = 0; w < WarpsPerSub; w++) begin
        lane  = KeyW'(sel_ready_q[w*IssueW +: IssueW]);
        ahead = KeyW'(IssueW'(lane - base));                 // {distance, the two flags}
        ahead = ahead[IssueW-1] ? ahead & KeyW'(3) : ahead;  // ready for long
        ahead = ahead > KeyW'({Far, 2'd0}) ? KeyW'({Far, 2'd0}) : ahead;
        ahead = lane[0] ? KeyW'({Blocked, 2'd0}) : ahead;    // stopped
        order = (order_q[w] + turn) & KeyW'(WarpsPerSub - 1);
        key_q[w] `Q ((ahead & ~(KeyW'(1))) << (WarpBits - 1)) | order;
      end
    end else begin
      late = sel_visit_q.kind == KindScrub ? sel_visit_q.warp[2:0] : sel_sched_q.sent[2:0];
      key_late_q    `Q late_mem[{sel_visit_q.sm, sel_visit_q.sub, late}];
      key_late_at_q `Q late_at_mem[{sel_visit_q.sm, sel_visit_q.sub, late}];
    end
    key_visit_q  `Q sel_visit_q;
    key_at_q     `Q at;
    key_credit_q `Q sel_credit_q;
    key_end_q    `Q sel_end_q;
    key_sched_q  `Q sel_sched_q;
  end
endtask
