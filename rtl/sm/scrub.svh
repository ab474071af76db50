// Scrubbing: stored times of long ago become recent ones.
//
// Time is kept modulo 2^TimeW, and two times can be compared when they are less than half of that
// apart. A memory that nobody writes for so long would hold a past that looks like a future. So
// before a window, or a command, that lies scrub_period_q after the last time, all stored times are
// looked at: one visit for each warp of each SM (KindScrub), while nothing else is under way. One
// that lies before the floor becomes the floor. What compares it with the present finds it past
// either way, so no result depends on when this happens (docs/timing-model.md, rule 15).
//
// Rings whose entries are taken within a window, and bounds, which are never past, are left alone.
// Where an age matters, or where there are too many entries to visit, a time is kept in full.
// A period is at most a quarter of the range of times that are near, and no time lies ahead by more
// than an eighth (register time_bits). The floor lies farther back than what is ever added to a
// stored time before it is compared.
localparam time_t ScrubMargin = TimeW'(256);

task automatic reset_scrub();
  scrub_q      `Q 1'b0;
  scrub_last_q `Q 1'b0;
  scrubbed_q   `Q '0;
endtask

/// a time near the present, in full
function automatic full_t in_full(input time_t at);
  in_full = full_time(at, reached_i);
endfunction

/// the later of two times in full, whatever their age
function automatic full_t later(input full_t a, input full_t b);
  full_t ahead;
  ahead = reached_i + 32'(2*ScrubMargin);   // of both
  later = ahead - a < ahead - b ? a : b;
endfunction

// Called with go_i, and when a command comes. `reached` does not change while a window is open.
task automatic scrub_start();
  full_t since;
  since = reached_i - scrubbed_q;
  if (since >= scrub_period_q) begin
    scrub_q       `Q 1'b1;
    scrub_last_q  `Q 1'b0;
    scrub_count_q `Q '0;
    scrub_wait_q  `Q '0;
    scrubbed_q    `Q reached_i;
    scrub_floor_q `Q TimeW'(reached_i) - ScrubMargin;
    scrub_all_q   `Q since[31:NearW-1] != '0;
  end
endtask

// A visit has been made, or none: until the pipeline is empty after the last one. When it is a
// pipeline, the memory stage needs some clocks beside each.
task automatic scrub_step();
  if (scrub_last_q && !(rel_valid || min_valid || cho_valid || fet_valid || cod_valid || loo_valid
                        || upd_valid || rdy_valid || row_valid) && lsu_state_q == LsuIdle)
    scrub_q `Q 1'b0;
  scrub_wait_q `Q Pipelined ? scrub_wait_q + 1'b1 : '0;
  if (scrub_visit) begin
    if (scrub_count_q == {last_sm_q, 6'h3f}) scrub_last_q `Q 1'b1;
    scrub_count_q `Q scrub_count_q + 1'b1;
  end
endtask

// Memory stage, beside the first visits to an SM, every other of which is for a set of its cache of
// constants (lsu_start reads it): times of the stage, and of the set; then they are stored. Those
// of the operation in work are recent, or set anew when a stall ends.
task automatic lsu_scrub();
  if (lsu_state_q == LsuScrub) begin
    lsu_free_q  `Q fresh(lsu_free_q, scrub_all_q, scrub_floor_q);
    lsu_port_q  `Q fresh(lsu_port_q, scrub_all_q, scrub_floor_q);
    lsu_enter_q `Q fresh(lsu_enter_q, scrub_all_q, scrub_floor_q);
    lsu_code_q  `Q fresh(lsu_code_q, scrub_all_q, scrub_floor_q);
  end
endtask

task automatic lsu_scrubbed();
  if (lsu_state_q == LsuScrubbed) begin
    lsu_saved_d = lsu_q;
    saved_we_d  = 1'b1;
    sm_const_d  = sm_const_q;
    for (int w = 0; w < SmConstWays; w++)
      sm_const_d[w*ConstWayW + ConstTagW +: TimeW]
          = fresh(sm_const_q[w*ConstWayW + ConstTagW +: TimeW], scrub_all_q, scrub_floor_q);
    sm_const_we_d = 1'b1;
    lsu_state_q `Q LsuIdle;
  end
endtask
