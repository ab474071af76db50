// Rules of the SM engine, on its ports, windows and queues; those of visits, of slots and of the
// memory stage stand in visit_rules.svh, slot_rules.svh and lsu_rules.svh. heddle_assert.svh.
`ifdef HEDDLE_ASSERT
int unsigned  rules_clock;                 // clocks since reset
logic         was_window;                  // there was a window since reset
logic [31:0]  was_window_end;              // its end, in full
logic [31:0]  was_reached;
logic         was_ev, was_req;             // an event, a request was not taken
logic [127:0] was_ev_word, was_req_word;
logic         was_req_new;                 // the request on the port is not the one of before
logic [MaxSm-1:0] was_sent;                // the SM has sent a request,
logic [31:0]  was_sent_at [MaxSm];         // the last one at
logic [MaxSm*SubPerSm-1:0] was_issued;     // the sub-core has issued,
logic [31:0]  was_issued_at [MaxSm*SubPerSm];  // last at
logic         was_reply;                   // there was a reply for was_reply_sm
logic [7:0]   was_reply_sm;
logic [7:0]   was_pop;                     // clocks since the last pop, at most 255
lsu_state_e   was_lsu_state;
win_state_e   was_win_state;

task automatic rules();
  if (rst_ni) begin
    rules_ports();
    rules_order();
    rules_windows();
    rules_commands();
    rules_queues();
    rules_select();
    rules_slots();
    rules_bounds();
    rules_unit();
    rules_lsu();
    rules_line();
    rules_reply();
    rules_others();
  end
  rules_clock    = rst_ni ? rules_clock + 1 : 0;
  was_window     = rst_ni && (was_window || go_i);
  was_window_end = go_i ? window_end_i : was_window_end;
  was_reached    = reached_i;
  was_ev         = rst_ni && ev_valid_o && !ev_ready_i;
  was_ev_word    = ev_o;
  was_req_new    = rst_ni && !(req_valid_o && !req_ready_i);
  was_req        = rst_ni && req_valid_o && !req_ready_i;
  was_req_word   = req_o;
  was_reply      = rst_ni && reply_valid_i;
  was_reply_sm   = reply_sm_o;
  was_pop        = !rst_ni ? '1 : reply_pop_o ? 8'd1 : was_pop == '1 ? was_pop : was_pop + 1'b1;
  was_lsu_state  = rst_ni ? lsu_state_q : LsuIdle;
  was_win_state  = rst_ni ? win_state_q : WinLook;
  if (!rst_ni) begin
    was_sent   = '0;
    was_issued = '0;
  end
endtask

/// a comes before b, in full
function automatic logic sooner(input logic [31:0] a, input logic [31:0] b);
  sooner = 32'(a - b) >= 32'h8000_0000;
endfunction

// ---------------------------------------------------------------- ports
task automatic rules_ports();
  event_t   word;
  request_t sent;
  word = ev_o;
  sent = req_o;
  `ASSERT_IF(EventHeld, was_ev, ev_valid_o)
  `ASSERT_IF(EventStable, was_ev, ev_o == was_ev_word)
  `ASSERT_IF(EventKind, ev_valid_o, word.kind inside {EvWant, EvPerform, EvCtaDone})
  `ASSERT_IF(EventSm, ev_valid_o, word.sm <= 8'(last_sm_q))
  `ASSERT_IF(RequestHeld, was_req, req_valid_o)
  `ASSERT_IF(RequestStable, was_req, req_o == was_req_word)
  `ASSERT_IF(RequestKind, req_valid_o, sent.kind inside {ReqRead, ReqWrite, ReqAtomic})
  `ASSERT_IF(RequestSectors, req_valid_o, sent.sectors != '0)
  `ASSERT_IF(RequestSm, req_valid_o, sent.sm <= 8'(last_sm_q))
  // a request that L1 keeps is a read
  `ASSERT_IF(RequestCached, req_valid_o && sent.cached, sent.kind == ReqRead)
  // what is popped was shown in the clock before
  `ASSERT_IF(PopShown, reply_pop_o, was_reply)
  // the network takes the reply off the list of the SM that was shown
  `ASSERT_IF(PopSameSm, reply_pop_o, reply_sm_o == was_reply_sm)
`ifdef HEDDLE_NBA
  // net_engine takes four clocks to show what follows
  `ASSERT_IF(PopsApart, reply_pop_o, was_pop >= 8'd4)
`endif
endtask

// Times on the ports: of an SM's requests, of a sub-core's issues.
task automatic rules_order();
  request_t sent;
  logic [SmBits+SubBits-1:0] row;
  sent = req_o;
  if (req_valid_o && was_req_new) begin
    `ASSERT_IF(RequestOrder, was_sent[SmBits'(sent.sm)],
               sooner(was_sent_at[SmBits'(sent.sm)], sent.at))
    was_sent[SmBits'(sent.sm)]    = 1'b1;
    was_sent_at[SmBits'(sent.sm)] = sent.at;
  end
  if (issue_valid_o) begin
    row = {SmBits'(issue_sm_o), issue_warp_o[SubBits-1:0]};
    `ASSERT(IssueSm, issue_sm_o <= 8'(last_sm_q))
    // a sub-core issues one instruction a cycle
    `ASSERT_IF(IssueOrder, was_issued[row], sooner(was_issued_at[row], issue_time_o))
    `ASSERT_IF(IssueInWindow, was_window, sooner(issue_time_o, was_window_end))
    `ASSERT(IssueNotPast, !sooner(issue_time_o, was_reached))
    was_issued[row]    = 1'b1;
    was_issued_at[row] = issue_time_o;
  end
endtask

// ---------------------------------------------------------------- windows
task automatic rules_windows();
  `ASSERT_IF(GoWhenIdle, go_i, idle_o && !parked_o)
  `ASSERT_IF(GoWithoutCommand, go_i, !cmd_busy && !(cmd_valid_i && cmd_ready_o))
  `ASSERT_IF(GoForward, go_i && was_window, sooner(was_window_end, window_end_i))
  `ASSERT_IF(GoReached, go_i, sooner(reached_i, window_end_i))
  // idle: heddle_run may open a window, or report
  `ASSERT_IF(IdleNoSlot, idle_o, slot_used_q == '0)
  `ASSERT_IF(IdleNoVisit, idle_o, ctx_busy_q == '0 && !outside_q)
  `ASSERT_IF(IdleNoPass, idle_o, lsu_state_q == LsuIdle && !flush_q)
  `ASSERT_IF(IdleNoCommand, idle_o, !cmd_busy && !rewake_busy && !again_busy)
  `ASSERT_IF(IdleNoMicro, idle_o, micro_rd_q == micro_wr_q)
  `ASSERT_IF(IdleNoEvent, idle_o, !events_busy && !want_q && !perform_q && !report_q)
  `ASSERT_IF(IdleNoRequest, idle_o, !req_valid_o)
  `ASSERT_IF(IdleLoaded, idle_o, !loading_q && resume_rd_q == resume_wr_q)
  // nothing before a window's end is left behind
  `ASSERT_IF(NextNotPast, idle_o && !parked_o && was_window && !next_o[32],
             !sooner(next_o[31:0], was_window_end))
  `ASSERT_IF(InitAlone, init, slot_used_q == '0 && lsu_state_q == LsuIdle)
  `ASSERT_IF(ScrubAlone, scrub_q, slot_used_q == '0 && !again_busy)
endtask

// ---------------------------------------------------------------- commands
task automatic rules_commands();
  `ASSERT_IF(CommandSm, cmd_look || cmd_launch, cmd_sm <= last_sm_q)
  // 0 is the epoch of a set that was never filled
  `ASSERT(EpochUsed, epoch_q != '0)
  `ASSERT_IF(FlushAlone, flush_q, lsu_state_q == LsuIdle && slot_used_q == '0)
endtask

// ---------------------------------------------------------------- queues
// A queue is full with one entry less than it has places. Whoever fills it looks at the room some
// clocks before, so that the last places are for what is under way.
task automatic rules_queues();
  `ASSERT(MicroBound, MicroBits'(micro_wr_q - micro_rd_q) < {MicroBits{1'b1}})
  `ASSERT(ResumeInRange, 32'(resume_wr_q) < MaxSm && 32'(resume_rd_q) < MaxSm)
endtask
`endif
