/* rising_edge.h - one clock of a Verilated model, without the search for changed signals.
 *
 * For modules with one clock and no output that depends on an input of the same clock (the kernel,
 * the SM engine): nothing happens at the falling edge, and at the rising one only the clocked logic
 * needs evaluation. clock_model() calls Verilator 5.006's function for that logic by its name,
 * which saves Verilator's scheduler, a tenth of the time of a clock. With another Verilator (cmake/
 * HeddleRtl.cmake) the model is evaluated at both edges. Include the model's own header first; with
 * HEDDLE_ONE_EVALUATION also that of its root. */
#ifndef HEDDLE_SW_EMU_RISING_EDGE_H
#define HEDDLE_SW_EMU_RISING_EDGE_H

#include "sw_emu/huge_pages.h"

/* HEDDLE_CLOCKED(MODEL, CLOCK) at file scope, once for a model, defines
 *   start_clock(MODEL &)  before the first clock
 *   clock_model(MODEL &)  one clock: registers take their inputs, outputs are the new ones */
#define HEDDLE_CLOCKED(MODEL, CLOCK) HEDDLE_CLOCKED_MODEL(MODEL, CLOCK) /* MODEL may be a macro */
#ifdef HEDDLE_ONE_EVALUATION
#define HEDDLE_CLOCKED_MODEL(MODEL, CLOCK)                                                     \
    void MODEL##___024root___eval_nba(MODEL##___024root *);                                    \
    static inline void start_clock(MODEL &model) {                                             \
        static_assert(sizeof model.rootp->__VnbaTriggered == 1, #MODEL " has several clocks"); \
        model.CLOCK = 0;                                                                       \
        model.eval();                                                                          \
        sw_emu::use_huge_pages(model.rootp, sizeof *model.rootp);                              \
        sw_emu::move_code((const void *)MODEL##___024root___eval_nba);                         \
        model.rootp->__VnbaTriggered.at(0) = true;                                             \
    }                                                                                          \
    static inline void clock_model(MODEL &model) {                                             \
        MODEL##___024root___eval_nba(model.rootp);                                             \
    }
#else
#define HEDDLE_CLOCKED_MODEL(MODEL, CLOCK)         \
    static inline void start_clock(MODEL &) {}     \
    static inline void clock_model(MODEL &model) { \
        model.CLOCK = 0;                           \
        model.eval();                              \
        model.CLOCK = 1;                           \
        model.eval();                              \
    }
#endif

#endif
