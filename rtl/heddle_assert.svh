// Assertions. Empty unless HEDDLE_ASSERT is defined: the models that users run, lint and yosys
// (whose release 0.23 parses no assertion) see nothing of them.
//
// The rules of a module stand in tasks of *_rules.svh, and its clocked block calls them first, by
// `RULES. There every register has the value that it keeps between two clocks, in both forms of
// assignment, and a *_d has the value of the clock before. They are immediate assertions, not
// concurrent ones: in simulation the engines assign registers in the middle of a clock, and arrays
// cannot be sampled (in Verilator 5.006). A rule about two clocks keeps what it needs in was_*,
// which the rules write at their end.
//
// A failure ends the simulation with a message that names file, module, assertion and clock.
`ifndef HEDDLE_ASSERT_SVH
`define HEDDLE_ASSERT_SVH
`ifdef HEDDLE_ASSERT
 /// calls a task of rules
 `define RULES(task_name) task_name();
 /// always true
 `define ASSERT(name, expression) \
   name: assert (expression) else $error("clock %0d: %s", rules_clock, `"expression`");
 /// true whenever the condition holds
 `define ASSERT_IF(name, condition, expression) \
   if (condition) begin \
     name: assert (expression) else $error("clock %0d: %s", rules_clock, `"expression`"); \
   end
`else
 `define RULES(task_name)
`endif
`endif
