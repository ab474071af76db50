/* lir_schedule.c - placeholder until written */
#include "ptx/lir.h"
void lir_schedule(struct lir_fn *fn, const uint8_t *latency) { (void)fn; (void)latency; }
