// Scrubbing: the clocks of slices that nobody used for long become recent ones.
//
// When a service, a port to the SMs or to the other partition is free again is compared with the
// arrival of what comes next. A window that begins scrub_period_q cycles or more after the last one
// that did goes through all slices first, two clocks each: a time before the floor becomes the
// floor, which is past for whatever comes (docs/timing-model.md, rule 15). All other times that are
// kept are those of messages under way, or are looked at only while there is one.
localparam time_t ScrubMost   = TimeW'(1) << (TimeW - 3);
localparam time_t ScrubMargin = TimeW'(1 << 16);

task automatic reset_scrub();
  scrubbed_q     = '0;
  scrub_period_q = ScrubMost;
endtask

// With go_i: whether the window begins with it.
task automatic scrub_start(output logic scrub);
  time_t since;
  since = reached_i - scrubbed_q;
  scrub = since >= scrub_period_q;
  if (scrub) begin
    scrubbed_q    = reached_i;
    scrub_floor_q = reached_i - ScrubMargin;
    scrub_all_q   = since[TimeW-1];
    slice_q       = '0;
    slice_state_q = SliceLoad;
  end
endtask

function automatic time_t fresh(input time_t at);
  fresh = scrub_all_q || earlier(at, scrub_floor_q) ? scrub_floor_q : at;
endfunction

// The clock of slice_q has been loaded (slice_load).
task automatic slice_scrub();
  slice_t slice;
  slice = slice_now();
  if (in_state(SliceScrub)) begin
    if (!Pipelined) look_at_slice();
    busy_d          = 1'b1;
    clock_we_d      = 1'b1;
    clock_at_d      = slice;
    clock_d         = clock_now_d;
    clock_d.free_at = fresh(clock_now_d.free_at);
    clock_d.port_at = fresh(clock_now_d.port_at);
    clock_d.far_at  = fresh(clock_now_d.far_at);
    clock_d.back_at = fresh(clock_now_d.back_at);
    slice_state_q   = slice == SliceBits'(NumSlices - 1) ? SliceIdle : SliceLoad;
    slice_q         = slice + 1'b1;
  end
endtask
