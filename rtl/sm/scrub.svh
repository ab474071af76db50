// Times in full, of tasks of the SM engine.

/// a time near the present, in full
function automatic full_t in_full(input time_t at);
  in_full = full_time(at, reached_i);
endfunction
