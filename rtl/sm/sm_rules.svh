// Rules of the SM engine, on its ports, windows and queues; those of visits and of the memory
// stage stand in visit_rules.svh, those of the memory stage in its modules. heddle_assert.svh.
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

always_ff @(posedge clk_i) begin : engine_rules
  rules();
end

task automatic rules();
  if (rst_ni) begin
    rules_ports();
    rules_order();
    rules_windows();
    rules_commands();
    rules_select();
    rules_slots();
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
  `ASSERT_IF(EventSm, ev_valid_o, word.sm <= 8'(last_sm))
  `ASSERT_IF(RequestHeld, was_req, req_valid_o)
  `ASSERT_IF(RequestStable, was_req, req_o == was_req_word)
  `ASSERT_IF(RequestKind, req_valid_o, sent.kind inside {ReqRead, ReqWrite, ReqAtomic})
  `ASSERT_IF(RequestSectors, req_valid_o, sent.sectors != '0)
  `ASSERT_IF(RequestSm, req_valid_o, sent.sm <= 8'(last_sm))
  // a request that L1 keeps is a read
  `ASSERT_IF(RequestCached, req_valid_o && sent.cached, sent.kind == ReqRead)
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
    `ASSERT(IssueSm, issue_sm_o <= 8'(last_sm))
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
  `ASSERT_IF(IdleNoSlot, idle_o, slot_used == '0)
  `ASSERT_IF(IdleNoVisit, idle_o, ctx_busy == '0 && !outside)
  `ASSERT_IF(IdleNoPass, idle_o, !lsu_busy && !flushing)
  `ASSERT_IF(IdleNoCommand, idle_o, !cmd_busy && !rewake_busy && !again_busy)
  `ASSERT_IF(IdleNoMicro, idle_o, !micro_valid)
  `ASSERT_IF(IdleNoEvent, idle_o, !events_busy)
  `ASSERT_IF(IdleNoRequest, idle_o, !req_valid_o)
  `ASSERT_IF(IdleLoaded, idle_o, !loading && !resume)
  // nothing before a window's end is left behind
  `ASSERT_IF(NextNotPast, idle_o && !parked_o && was_window && !next_o[32],
             !sooner(next_o[31:0], was_window_end))
  `ASSERT_IF(InitAlone, init, slot_used == '0 && !lsu_busy)
  `ASSERT_IF(ScrubAlone, scrub, slot_used == '0 && !again_busy)
endtask

// ---------------------------------------------------------------- commands
task automatic rules_commands();
  `ASSERT_IF(CommandSm, cmd_look || cmd_launch || cmd_flush, cmd_sm <= last_sm)
endtask
`endif
