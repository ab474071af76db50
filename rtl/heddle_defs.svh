// The body of heddle_pkg: the generated words and registers.
//
// yosys 0.23 has no `import`, so heddle_import.svh includes this file into a module in its place.
`include "heddle_gen.svh"
`include "heddle_regs.svh"
