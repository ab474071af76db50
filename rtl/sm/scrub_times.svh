// Scrubbing inside a module (sm_scrub.sv).
/* verilator lint_off UNUSEDPARAM */  // not every module has all
localparam logic [31:0] ScrubMost = 32'd1 << (NearW - 2);  // most cycles between two
localparam time_t ScrubMargin = TimeW'(256);                // how far back the floor lies
/* verilator lint_on UNUSEDPARAM */

/// a stored time, and the floor for one of long ago
function automatic time_t fresh(input time_t at, input logic all, input time_t floor);
  fresh = all || earlier(at, floor) ? floor : at;
endfunction
