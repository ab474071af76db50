// Stage 2, relative: one sort key per warp of the sub-core.
//
// The key is {distance of the issue time from the sub-core's bound, not starving, not the greedy
// warp, order}, so the smallest key is the earliest event; among equals a warp without packets
// first, since nothing may issue then; then the greedy warp, then the order of the policy.
// Reads  sel_*_q, the late operation of a sub-core that gets a credit.
// Writes key_*_q.

/// distance of a time from the base, saturated: 0 when past, Far when far
function automatic rel_t distance(input time_t a, input time_t base);
  time_t d;
  d = a - base;
  if (d[TimeW-1]) distance = '0;
  else if (d >= {{(TimeW-RelW){1'b0}}, Far}) distance = Far;
  else distance = d[RelW-1:0];
endfunction

/// place of a warp in the order of the policy; its own inverse but for LRR
function automatic warp_t order_of(input warp_t warp, input logic [1:0] policy, input warp_t last);
  case (policy)
    2'd0:    order_of = ~warp;               // CGGTY: highest number first
    2'd1:    order_of = warp;                // GTO: lowest number first
    default: order_of = warp - last - 1'b1;  // LRR: the one after the last first
  endcase
endfunction

function automatic warp_t warp_at(input warp_t order, input logic [1:0] policy, input warp_t last);
  case (policy)
    2'd0:    warp_at = ~order;
    2'd1:    warp_at = order;
    default: warp_at = order + last + 1'b1;
  endcase
endfunction

task automatic stage_relative();
  rel_t  pipe_rel [16];
  rel_t  place_rel, ready_rel, rel;
  logic [WarpsPerSub-1:0] other;
  key_valid_q `Q sel_valid_q;
  if (sel_valid_q) begin
    if (sel_visit_q.kind == KindIssue) begin
      for (int p = 0; p < 16; p++) pipe_rel[p] = '0;
      for (int p = 0; p < NumPipes; p++)
        pipe_rel[p] = distance(sel_free_q[p*TimeW +: TimeW], sel_at_q);
      place_rel = Blocked;
      if (sel_sched_q.issued - sel_sched_q.sent < QueueBits'(SlotEntries))
        place_rel = distance(sel_place_q, sel_at_q);
      other = '1;
      other[sel_sched_q.last] = sel_sched_q.fresh || policy_q == 2'd2;
      for (int w = 0; w < WarpsPerSub; w++) begin
        lane_d    = sel_class_q[w*ClassRowW +: ClassRowW];
        ready_rel = distance(sel_ready_q[w*TimeW +: TimeW], sel_at_q);
        rel       = pipe_rel[lane_d.pipe];
        if (lane_d.mio && place_rel > rel) rel = place_rel;
        if (ready_rel > rel) rel = ready_rel;
        if (lane_d.stopped) rel = Blocked;
        key_q[w] `Q {rel, !lane_d.starving, other[w],
                     order_of(WarpBits'(w), policy_q, sel_sched_q.last)};
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
    key_class_q  `Q sel_class_q;
  end
endtask
