// Scrubbing inside a module: a stored time, and the floor for one of long ago (scrub.svh).
function automatic time_t fresh(input time_t at, input logic all, input time_t floor);
  fresh = all || earlier(at, floor) ? floor : at;
endfunction
