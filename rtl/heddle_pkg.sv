/// Words, enumerations, parameters and registers that the host and the core share.
/* verilator lint_off UNUSEDPARAM */  // made from tables: a module uses what it needs
package heddle_pkg;
`include "heddle_gen.svh"
`include "heddle_regs.svh"
endpackage
/* verilator lint_on UNUSEDPARAM */
