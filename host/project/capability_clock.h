/* capability_clock.h - a GPU at another clock than that of its figures.
 *
 * The clock of a GPU under load is not always clock.boost: profilers lock it, administrators set
 * it, power limits it. What follows the clock of the SMs is scaled; nothing is fitted. */
#ifndef HEDDLE_PROJECT_CAPABILITY_CLOCK_H
#define HEDDLE_PROJECT_CAPABILITY_CLOCK_H

#include "project/capability.h"
#include "project/profile.h"

/* The clocks that a GPU may have, MHz: those of clock.boost. */
enum { CLOCK_LEAST = 100, CLOCK_MOST = 10000 };

/* Makes *c the same GPU whose SMs run at `mhz`, above 0. Rates of the SMs and of L2 follow the
 * clock; those of device memory and of the link do not. Latencies keep their cycles, but of device
 * memory's only those of L2: the rest takes as many nanoseconds. Launch overhead keeps its time.
 * clock.boost is then `mhz`, and clock.power unknown: a clock that is given is that under load. */
void capability_set_clock(struct capability *c, double mhz);

/* `gpu` as it was when kernel `k` ran: at the clock of the profile (METRIC_CLOCK), rounded to MHz.
 * @return `gpu` itself where the profile does not say or the clocks are equal, else *room, which is
 * overwritten. */
const struct capability *capability_at_clock(struct capability *room, const struct capability *gpu,
                                             const struct project_kernel *k);

#endif
