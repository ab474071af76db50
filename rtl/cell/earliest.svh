// The earliest, and the latest, of four bounds, in a module that has heddle_time.svh: each is
// compared with each other at once, and six bits choose. One comparison after another needs fewer
// of them and is what a processor that simulates shall do (first, latest); but each is a carry
// chain, and these add up.

/// a comes before b
function automatic logic comes_before(input bound_t a, input bound_t b);
  comes_before = !a[TimeW] && (b[TimeW] || earlier(a[TimeW-1:0], b[TimeW-1:0]));
endfunction

/// of a, b, c and d the earliest; ab: a comes before b, and so on
function automatic bound_t one_of_four(input bound_t a, input bound_t b, input bound_t c,
                                       input bound_t d, input logic ab, input logic ac,
                                       input logic ad, input logic bc, input logic bd,
                                       input logic cd);
  logic low;                                 // a or b
  low         = ab ? ac && ad : bc && bd;
  one_of_four = low ? (ab ? a : b) : (cd ? c : d);
endfunction

/// the earliest of four
function automatic bound_t first_of_four(input bound_t a, input bound_t b, input bound_t c,
                                         input bound_t d);
  first_of_four = one_of_four(a, b, c, d, comes_before(a, b), comes_before(a, c),
                              comes_before(a, d), comes_before(b, c), comes_before(b, d),
                              comes_before(c, d));
endfunction

/// a is there (not Never) and does not come before b
function automatic logic not_before(input bound_t a, input bound_t b);
  not_before = !a[TimeW] && (b[TimeW] || !earlier(a[TimeW-1:0], b[TimeW-1:0]));
endfunction

/// the latest of those of four that are there
function automatic bound_t last_of_four(input bound_t a, input bound_t b, input bound_t c,
                                        input bound_t d);
  last_of_four = one_of_four(a, b, c, d, not_before(a, b), not_before(a, c), not_before(a, d),
                             not_before(b, c), not_before(b, d), not_before(c, d));
endfunction
