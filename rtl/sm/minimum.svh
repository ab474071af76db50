// Stage 3, minimum: the smallest of the keys, as a tree.
//
// Of the warps that share the smallest distance, and starve or do not, the greedy one goes first.
// Reads  key_*_q.
// Writes min_*_q.
task automatic stage_minimum();
  key_t best [WarpsPerSub];
  key_t greedy;
  logic use_it;
  min_valid_q `Q key_valid_q;
  if (key_valid_q) begin
    if (key_visit_q.kind == KindIssue) begin
      for (int w = 0; w < WarpsPerSub; w++) best[w] = key_q[w];
      for (int half = WarpsPerSub/2; half > 0; half = half/2)
        for (int w = 0; w < half; w++)
          if (best[w+half] < best[w]) best[w] = best[w+half];
      greedy    = key_q[key_sched_q.last];
      use_it    = policy_q != 2'd2 && !key_sched_q.fresh
                  && greedy[KeyBits-1:WarpBits] == best[0][KeyBits-1:WarpBits];
      min_key_q `Q use_it ? greedy : best[0];
    end
    min_visit_q   `Q key_visit_q;
    min_at_q      `Q key_at_q;
    min_credit_q  `Q key_credit_q;
    min_end_q     `Q key_end_q;
    min_last_q    `Q key_sched_q.last;
    min_issued_q  `Q key_sched_q.issued;
    min_sent_q    `Q key_sched_q.sent;
    min_late_q    `Q key_late_q;
    min_late_at_q `Q key_late_at_q;
  end
endtask
