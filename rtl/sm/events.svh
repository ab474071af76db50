// Events to the host, from three queues; and the counters.
//
// Wants go first, so that the last one of a warp is out before the end of its CTA.
task automatic reset_events();
  want_rd_q    `Q '0;
  perform_rd_q `Q '0;
  report_rd_q  `Q '0;
  room_q       `Q 1'b0;
  ev_valid_o   <= 1'b0;
  stat_issued_q `Q '0;
  stat_hash_q   `Q '0;
  stat_clear_q  `Q {1'b1, CauseW'(0)};
  issue_gap_q   `Q '0;
endtask

task automatic events();
  logic [EventBits-1:0] wants, performs, rewakes, most;
  wants    = want_wr_q - want_rd_q;
  performs = perform_wr_q - perform_rd_q;
  rewakes  = rewake_wr_q - rewake_rd_q;
  // Half is room enough for the visits in the pipeline as well.
  most   = wants | performs | rewakes;
  room_q `Q !most[EventBits-1];
  events_d = wants != '0 || performs != '0 || report_wr_q != report_rd_q || ev_valid_o;
  if (events_d) next_event(wants, performs);
endtask

// The event on the port leaves, the next one takes its place.
task automatic next_event(input logic [EventBits-1:0] wants, input logic [EventBits-1:0] performs);
  logic       done;
  logic [5:0] number;
  time_t      at;
  if (ev_valid_o && ev_ready_i) ev_valid_o <= 1'b0;
  if ((!ev_valid_o || ev_ready_i)
      && (wants != '0 || performs != '0 || report_wr_q != report_rd_q)) begin
    event_d    = '0;
    ev_valid_o <= 1'b1;
    if (wants != '0) begin
      event_d.kind = EvWant;
      {sm_d, event_d.warp, event_d.id, event_d.addr[15:0]} = want_mem[want_rd_q];
      event_d.sm   = 8'(sm_d);
      want_rd_q  `Q want_rd_q + 1'b1;
    end else if (performs != '0) begin
      event_d.kind = EvPerform;
      {at, sm_d, event_d.warp, event_d.slot} = perform_mem[perform_rd_q];
      event_d.at   = in_full(at);
      event_d.sm   = 8'(sm_d);
      perform_rd_q `Q perform_rd_q + 1'b1;
    end else begin
      {done, at, sm_d, number, event_d.slot} = report_mem[report_rd_q];
      event_d.at   = in_full(at);
      event_d.kind = done ? EvCtaDone : EvPerform;
      event_d.sm   = 8'(sm_d);
      if (done) event_d.id = 16'(number);
      else event_d.warp = number;
      report_rd_q `Q report_rd_q + 1'b1;
    end
    ev_o <= event_d;
  end
endtask

/// what an issue adds to the hash; docs/timing-model.md
function automatic logic [63:0] issue_mix(input logic [7:0] sm, input logic [5:0] warp,
                                          input full_t at);
  logic [63:0] x;
  x = {18'd0, sm, warp, at} * 64'h9e3779b97f4a7c15;
  issue_mix = x ^ (x >> 32);
endfunction

// One clock after the issue, from the registered outputs.
task automatic count_issue();
  logic clearing;
  clearing = stat_clear_q != '0;
  if (issue_gap_q != '0 || clearing) begin
    stat_wait_mem[clearing ? CauseW'(stat_clear_q - 1'b1) : issue_cause_q]
      `Q clearing ? '0 : stat_wait_mem[issue_cause_q] + 64'(issue_gap_q);
    issue_gap_q `Q '0;
  end
  if (clearing) stat_clear_q `Q stat_clear_q - 1'b1;
  if (issue_valid_o) begin
    stat_issued_q `Q stat_issued_q + 1'b1;
    stat_hash_q   `Q stat_hash_q + issue_mix(issue_sm_o, issue_warp_o, issue_time_o);
  end
endtask
