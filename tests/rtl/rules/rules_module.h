/* rules_module.h - rest and clock of a small module, for the tables of its rules (rules.h). */
#ifndef HEDDLE_TESTS_RULES_MODULE_H
#define HEDDLE_TESTS_RULES_MODULE_H

#include "tests/rtl/rules/rules.h"

namespace rules {

template <class Model> void clock(Model &m) {
    m.clk_i = 1;
    m.eval();
    m.clk_i = 0;
    m.eval();
}

/* CLOCKS: after the reset, until the memories are empty. */
template <class Model, int CLOCKS> void rest(Model &m) {
    m.rst_ni = 0;
    m.eval();
    clock(m);
    m.rst_ni = 1;
    for (int i = 0; i < CLOCKS; i++) clock(m);
}

template <class Model, int CLOCKS>
int run_module(const std::vector<Row<Model>> &table, int argc, char **argv) {
    return run(table, argc - 1, argv + 1, rest<Model, CLOCKS>, clock<Model>);
}

} // namespace rules

#endif
