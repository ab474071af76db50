// Stage 4, choose: issue the chosen warp if it can issue inside the window.
//
// A visit that issues nothing ends here: the sub-core's bound moves on, or the sub-core stands
// still because a warp has no packets. A micro-operation whose credit lets an operation of another
// warp into the address unit becomes two visits: this one for that warp, a second one (again_q).
// Reads  min_*_q, board_mem.
// Writes cho_*_q, again_*_q, the bound of the sub-core, ctx_starved_q.
task automatic stage_choose();
  ctx_t  ctx;
  rel_t  rel;
  time_t at;
  logic  in_window, go_on;
  cho_valid_q `Q 1'b0;
  if (select_turn_d) again_q `Q 1'b0;  // stage 1 has taken it
  if (min_valid_q) begin
    ctx     = {min_visit_q.slot, min_visit_q.sub};
    at      = min_at_q;
    go_on   = 1'b1;
    visit_d = min_visit_q;
    cho_late_q     `Q 1'b0;
    cho_late_bar_q `Q NoBar;
    if (min_visit_q.kind == KindIssue) begin
      rel    = min_key_q[KeyBits-1:WarpBits+1];
      at     = min_at_q + TimeW'(rel);
      // the warp of an order: order_q is warp ^ order_q[0], see policy_turn
      visit_d.warp = WarpBits'(order_q[0])
                     ^ (min_key_q[WarpBits-1:0] - policy_turn(min_last_q));
      in_window = rel < Far && earlier(at, min_end_q);
      go_on  = in_window && min_key_q[WarpBits];  // not starving
      ctx_bound_q[ctx]    `Q go_on ? {1'b0, at + 1'b1} : {rel == Blocked, at};
      ctx_runnable_d[ctx] = go_on ? earlier(at + 1'b1, min_end_q)
                                  : rel == Far && earlier(at, min_end_q);
      if (!go_on) begin
        ctx_busy_d[ctx] = 1'b0;
        if (in_window) ctx_starved_q[ctx] `Q 1'b1;
      end
    end else if (min_visit_q.credit && min_issued_q != min_sent_q) begin
      cho_late_q     `Q 1'b1;
      cho_late_bar_q `Q min_late_q.rd_bar;
      if (min_late_q.rd_bar != NoBar) begin
        if (min_visit_q.bar != NoBar || min_visit_q.lines != '0) begin
          again_q                `Q 1'b1;
          again_visit_q          `Q min_visit_q;
          again_visit_q.credit   `Q 1'b0;
          again_at_q             `Q min_at_q;
          visit_d.micro = 1'b0;
        end
        visit_d.warp  = min_late_q.warp;
        visit_d.bar   = min_late_q.rd_bar;
        visit_d.delta = '1;
        visit_d.timed = 1'b1;
        visit_d.lines = '0;
      end
    end
    if (go_on) begin
      cho_valid_q   `Q 1'b1;
      cho_visit_q   `Q visit_d;
      cho_at_q      `Q at;
      cho_credit_q  `Q min_credit_q;
      cho_issued_q  `Q min_issued_q;
      cho_sent_q    `Q min_sent_q;
      cho_late_at_q `Q min_late_at_q;
      cho_board_q   `Q board_mem[{visit_d.sm, visit_d.sub, visit_d.warp}];
    end
  end
endtask
