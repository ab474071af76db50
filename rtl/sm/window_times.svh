// Step times of sm_window.sv: from when on the units of an SM have work (tim_next), and how far its
// memory stage and its sub-cores may go in the next short window (tim_lsu_until, tim_sub_until).
if (Pipelined) begin : gen_at_once
  // everything is compared at once
  bound_t sub, lsu, reply, lsu_soon, lsu_back, lsu_late, end_at, end_back, end_far;
  logic   sub_reply, lsu_reply;            // the first comes before the second
  always_comb begin : times
    lsu      = tim_lsu;
    reply    = tim_reply;
    end_at   = {1'b0, window_end_q};
    end_back = {1'b0, TimeW'(window_end_q - StageDelay)};
    end_far  = {1'b0, TimeW'(window_end_q - RoundTrip)};
    lsu_soon = plus(lsu, StageDelay);
    lsu_late = plus(lsu, RoundTrip);
    lsu_back = plus(lsu, -StageDelay);
    sub      = first_of_four(tim_subs[0 +: TimeW+1], tim_subs[TimeW+1 +: TimeW+1],
                             tim_subs[(SubPerSm-2)*(TimeW+1) +: TimeW+1],
                             tim_subs[(SubPerSm-1)*(TimeW+1) +: TimeW+1]);
    sub_reply = comes_before(sub, reply);
    lsu_reply = comes_before(lsu_soon, reply);
    tim_next  = one_of_four(sub, lsu, reply, Never, comes_before(sub, lsu), sub_reply,
                            !sub[TimeW], comes_before(lsu, reply), !lsu[TimeW], !reply[TimeW]);
    tim_lsu_until = TimeW'(one_of_four(
        plus(sub, StageDelay), lsu_late, plus(reply, StageDelay), end_at,
        comes_before(sub, lsu_soon), sub_reply, comes_before(sub, end_back), lsu_reply,
        comes_before(lsu_late, end_at), comes_before(reply, end_back)));
    tim_sub_until = TimeW'(one_of_four(
        plus(sub, RoundTrip), lsu_soon, reply, end_at,
        comes_before(sub, lsu_back), comes_before(sub, plus(reply, -RoundTrip)),
        comes_before(sub, end_far), lsu_reply, comes_before(lsu_soon, end_at),
        comes_before(reply, end_at)));
  end
end else begin : gen_in_turn
  bound_t tim_sub;
  always_comb begin : times
    if (`WANTED(tim_valid)) begin
      // the first two and the last two; of two sub-cores these are the same
      tim_sub = first(first(tim_subs[0 +: TimeW+1], tim_subs[TimeW+1 +: TimeW+1]),
                      first(tim_subs[(SubPerSm-2)*(TimeW+1) +: TimeW+1],
                            tim_subs[(SubPerSm-1)*(TimeW+1) +: TimeW+1]));
      tim_next = first(first(tim_sub, tim_lsu), tim_reply);
      tim_lsu_until = clip(first(first(plus(tim_sub, StageDelay), plus(tim_lsu, RoundTrip)),
                                 plus(tim_reply, StageDelay)), window_end_q);
      tim_sub_until = clip(first(first(plus(tim_sub, RoundTrip), plus(tim_lsu, StageDelay)),
                                 tim_reply), window_end_q);
    end
  end
end
