// Stage 2, relative: one sort key per warp of the sub-core.
//
// The key is {distance of the issue time from the sub-core's bound, not starving, order}, so the
// smallest key is the earliest event; among equals a warp without packets first, since nothing may
// issue then; then the order of the policy. The greedy warp comes in with the next stage.
// Reads  sel_*_q, the late operation of a sub-core that gets a credit.
// Writes key_*_q.

/// distance of a time from the base, saturated: 0 when past, Far when far
function automatic rel_t distance(input time_t a, input time_t base);
  time_t d;
  d = a - base;
  if (d[TimeW-1]) d = '0;
  if (d >= {{(TimeW-RelW){1'b0}}, Far}) d = {{(TimeW-RelW){1'b0}}, Far};
  distance = d[RelW-1:0];
endfunction

// The order of warp w by the policy: (w ^ flip) + turn.
//   CGGTY: highest number first. GTO: lowest number first. LRR: the one after the last first.
task automatic policy_order(input warp_t last, output warp_t flip, output warp_t turn);
  flip = policy_q == 2'd0 ? '1 : '0;
  turn = policy_q == 2'd2 ? ~last : '0;
endtask

task automatic stage_relative();
  rel_t       pipe_rel [16];
  rel_t       rel;
  logic [3:0] pipe;
  warp_t      flip, turn, order;
  key_valid_q `Q sel_valid_q;
  if (sel_valid_q) begin
    if (sel_visit_q.kind == KindIssue) begin
      for (int p = NumPipes; p < 15; p++) pipe_rel[p] = '0;
      for (int p = 0; p < NumPipes; p++)
        pipe_rel[p] = distance(sel_free_q[p*TimeW +: TimeW], sel_at_q);
      pipe_rel[Stopped] = Blocked;
      rel = Blocked;
      if (sel_sched_q.issued - sel_sched_q.sent < QueueBits'(SlotEntries))
        rel = distance(sel_place_q, sel_at_q);
      if (rel > pipe_rel[MioPipe]) pipe_rel[MioPipe] = rel;
      policy_order(sel_sched_q.last, flip, turn);
      for (int w = 0; w < WarpsPerSub; w++) begin
        order = (WarpBits'(w) ^ flip) + turn;
        pipe = sel_class_q[w*4 +: 4];
        rel  = distance(sel_ready_q[w*TimeW +: TimeW], sel_at_q);
        if (pipe_rel[pipe] > rel) rel = pipe_rel[pipe];
        key_q[w] `Q KeyW'({rel, pipe != Starving, order});
      end
    end else begin
      key_late_q    `Q late_mem[{sel_visit_q.sm, sel_visit_q.sub, sel_sched_q.sent[2:0]}];
      key_late_at_q `Q late_at_mem[{sel_visit_q.sm, sel_visit_q.sub, sel_sched_q.sent[2:0]}];
    end
    key_visit_q  `Q sel_visit_q;
    key_at_q     `Q sel_at_q;
    key_credit_q `Q sel_credit_q;
    key_end_q    `Q sel_end_q;
    key_sched_q  `Q sel_sched_q;
  end
endtask
