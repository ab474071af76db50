// Times in full, of tasks of the SM engine.

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
