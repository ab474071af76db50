/* rising_edge.h - one clock of a Verilated model with one evaluation instead of two.
 *
 * For modules none of whose outputs depends on an input of the same clock (the kernel, the SM
 * engine): nothing happens at the falling edge, so the model need not be evaluated for it, if it is
 * told that the clock was low. With another Verilator than the one that names that variable so
 * (cmake/HeddleRtl.cmake), it is evaluated. Include the model's own header first; with
 * HEDDLE_ONE_EVALUATION also that of its root. */
#ifndef HEDDLE_SW_EMU_RISING_EDGE_H
#define HEDDLE_SW_EMU_RISING_EDGE_H

#ifdef HEDDLE_ONE_EVALUATION
#define HEDDLE_FALL(model, clock) ((model).rootp->__Vtrigrprev__TOP__##clock = 0)
#else
#define HEDDLE_FALL(model, clock) ((model).clock = 0, (model).eval())
#endif
/* Registers take their inputs; outputs are those of the new clock. */
#define HEDDLE_RISE(model, clock) ((model).clock = 1, (model).eval())

#endif
