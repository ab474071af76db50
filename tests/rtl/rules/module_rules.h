/* module_rules.h - a program that breaks the rules of one module. Before it is included: MODULE,
 * the name of the module, and its model's headers; behind it: `rows`. */
#ifndef HEDDLE_TESTS_RULES_MODULE_RULES_H
#define HEDDLE_TESTS_RULES_MODULE_RULES_H

#include <cstring>

#include "tests/rtl/rules/rules.h"

#define MODULE_NAME(module, name) m.rootp->module##__DOT__##name
#define MODULE_REG(module, name) MODULE_NAME(module, name)
#define REG(name) MODULE_REG(MODULE, name)

/* kinds of visits, of sm_types.svh */
enum Kind { KindIssue, KindCount, KindResume, KindWake, KindLaunch, KindInit, KindCode, KindScrub };

template <class Model> void clock(Model &m) {
    m.clk_i = 1;
    m.eval();
    m.clk_i = 0;
    m.eval();
}

template <class Model> void clocks(Model &m, int number) {
    for (int i = 0; i < number; i++) clock(m);
}

/* Clocks without a visit empty the stages. */
template <class Model> void rest(Model &m) {
    clocks(m, 8);
}

#define MODULE_RULES_MAIN(Model)                                                \
    int main(int argc, char **argv) {                                           \
        return rules::run(rows, argc - 1, argv + 1, rest<Model>, clock<Model>); \
    }

#endif
