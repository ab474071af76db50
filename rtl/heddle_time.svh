// Arithmetic on target time, inside a module that has TimeW: how many bits of it the module keeps.
//
// Times are core cycles and wrap. Two of them can be compared when they are less than half the
// range apart; what keeps stored ones near the present is scrubbing (sm/sm_scrub.sv,
// l2/net_window.sv).
// Functions take vectors, not structs: yosys 0.23 cannot select a member of an argument.
typedef logic [TimeW-1:0] time_t;
typedef logic [TimeW:0]   bound_t;       // {never, earliest time of something}
/* verilator lint_off UNUSEDPARAM */     // not every module has bounds
localparam bound_t Never = {1'b1, {TimeW{1'b0}}};
/* verilator lint_on UNUSEDPARAM */

/// a is earlier than b (times less than half the range apart)
function automatic logic earlier(input time_t a, input time_t b);
  time_t d;
  d = a - b;
  earlier = d[TimeW-1];
endfunction

/// the later of two times
function automatic time_t latest(input time_t a, input time_t b);
  latest = earlier(a, b) ? b : a;
endfunction

/// the earlier of two bounds
function automatic bound_t first(input bound_t a, input bound_t b);
  if (a[TimeW]) first = b;
  else if (b[TimeW]) first = a;
  else first = earlier(a[TimeW-1:0], b[TimeW-1:0]) ? a : b;
endfunction

/// the bound lies before a time
function automatic logic due(input bound_t a, input time_t at);
  due = !a[TimeW] && earlier(a[TimeW-1:0], at);
endfunction

/// a time near the present, in all of its 32 bits
function automatic logic [31:0] full_time(input time_t at, input logic [31:0] present);
  time_t ahead;                             // its highest bit is its sign
  ahead     = at - TimeW'(present);
  full_time = TimeW == 32 ? 32'(at) : present + 32'($signed(ahead));
endfunction
