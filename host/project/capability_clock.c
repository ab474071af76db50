/* capability_clock.c - scales a GPU's capabilities to another clock of its SMs; see
 * capability_clock.h. project.c and roofline_plot.c ask for the source at the clock of a kernel,
 * project_clock.c of the command for the clocks of its options, on the main thread of `heddle
 * project`. Functions write only their results. */
#include "project/capability_clock.h"

#include <math.h>

/* @return whether a rate is that of device memory, which has a clock of its own. */
static bool is_of_memory(int rate) {
    return rate == RATE_DRAM || rate == RATE_DRAM_READ || rate == RATE_DRAM_WRITE;
}

/* Cycles of device memory's latency at `times` the clock: what lies behind L2 takes as long as
 * before. Where L2's latency is not known, all of it does. */
static double memory_cycles(const struct capability *c, double times) {
    double all = c->property[GPU_DRAM_LATENCY].value;
    double near = fmin(all, capability_property(c, GPU_L2_LATENCY, 0));
    return near + (all - near) * times;
}

/* Scales rates, device memory's latency and the clock of *c to `mhz`. */
void capability_set_clock(struct capability *c, double mhz) {
    double times = mhz / c->property[GPU_CLOCK].value;
    for (int r = 0; r < NUM_RATES; r++) {
        if (is_of_memory(r)) continue;
        c->peak[r].value *= times;
        c->max[r].value *= times;
    }
    c->property[GPU_DRAM_LATENCY].value = memory_cycles(c, times);
    c->property[GPU_CLOCK].value = mhz;
    c->property[GPU_CLOCK_POWER].known = false;
}

/* @return the GPU at the clock of the kernel, which may be a copy in *room. */
const struct capability *capability_at_clock(struct capability *room, const struct capability *gpu,
                                             const struct project_kernel *k) {
    double mhz = round(k->of[METRIC_CLOCK]);
    if (!k->known[METRIC_CLOCK] || mhz <= 0 || mhz == gpu->property[GPU_CLOCK].value) return gpu;
    *room = *gpu;
    capability_set_clock(room, mhz);
    return room;
}
