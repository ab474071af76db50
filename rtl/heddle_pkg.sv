/// Words, parameters and functions on time that both engines and the top share.
package heddle_pkg;
/* verilator lint_off UNUSEDPARAM */  // no unit uses them all
`include "heddle_defs.svh"
/* verilator lint_on UNUSEDPARAM */
endpackage
