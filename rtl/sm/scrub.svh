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
localparam full_t ScrubMost   = 32'd1 << (NearW - 2);
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
                        || upd_valid || rdy_valid || row_valid) && !lsu_busy)
    scrub_q `Q 1'b0;
  scrub_wait_q `Q Pipelined ? scrub_wait_q + 1'b1 : '0;
  if (scrub_visit) begin
    if (scrub_count_q == {last_sm_q, 6'h3f}) scrub_last_q `Q 1'b1;
    scrub_count_q `Q scrub_count_q + 1'b1;
  end
endtask
