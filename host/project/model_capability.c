/* model_capability.c - derives a simulated GPU's capabilities from its model's parameters; see
 * model_capability.h. measure.c calls model_capability_add() on the main thread of `heddle project
 * --measure`, after it has read what the benchmark measured. Functions change only *c. */
#include "project/model_capability.h"

#include <stdio.h>

enum { LANES = 32, L1_BYTES = 128 /* of a warp's load, 4 bytes a lane */ };

/* Sets a value that is not known yet, with the status "derived" and the source "FILE: HOW". */
static void set(struct capability_value *v, double value, const char *file, const char *how) {
    if (v->known) return;
    v->value = value;
    v->known = true;
    snprintf(v->remark.status, sizeof v->remark.status, "derived");
    snprintf(v->remark.source, sizeof v->remark.source, "%s: %s", file, how);
}

/* Sets the properties that the model has a parameter for and that *c does not know yet. */
static void set_properties(struct capability *c, const struct config *m, const char *file) {
    const struct {
        enum capability_property id;
        double value;
        const char *how;
    } rows[] = {
        {GPU_SUBCORES, (double)m->sm_subcores, "sm.subcores"},
        {GPU_REGISTER_UNIT, (double)m->sm_register_unit, "sm.register_unit"},
        {GPU_WARP_UNIT, (double)m->sm_warp_unit, "sm.warp_unit"},
        {GPU_UNIFIED, (double)m->sm_unified_bytes, "sm.unified"},
        {GPU_SHARED_UNIT, (double)m->sm_shared_unit, "sm.shared_unit"},
        {GPU_LSU, (double)LANES / (double)m->sm_lsu_interval, "32 lanes by sm.lsu_interval"},
        {GPU_L2_PARTITIONS, (double)m->l2_partitions, "l2.partitions"},
        {GPU_L2_TURN, (double)m->l2_atomic_interval * m->clock_core_mhz / m->network_clock_mhz,
         "l2.atomic_interval by network.clock"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        set(&c->property[rows[i].id], rows[i].value, file, rows[i].how);
}

/* Sets what *c does not know yet and the model's parameters give: peaks of arithmetic, issue, L1,
 * shared memory and L2 (SI units), and properties. `file`: the model's file, for the sources. */
void model_capability_add(struct capability *c, const struct config *m, const char *file) {
    const double clock = m->clock_core_mhz * 1e6;
    const double cycles = (double)(m->sm_count * m->sm_subcores) * clock; /* of all sub-cores */
    const struct {
        enum capability_rate id;
        uint64_t interval; /* cycles from a warp's instruction to the next one */
        double each;       /* operations of an instruction in each lane */
        const char *how;
    } pipes[] = {
        {RATE_FP16_FMA, m->pipe_fp16_interval, 4, "pipe.fp16.interval, two values a lane"},
        {RATE_FP16_ADD, m->pipe_fp16_interval, 2, "pipe.fp16.interval, two values a lane"},
        {RATE_FP32_FMA, m->pipe_fp32_interval, 2, "pipe.fp32.interval"},
        {RATE_FP32_ADD, m->pipe_fp32_interval, 1, "pipe.fp32.interval"},
        {RATE_FP64_FMA, m->pipe_fp64_interval, 2, "pipe.fp64.interval"},
        {RATE_FP64_ADD, m->pipe_fp64_interval, 1, "pipe.fp64.interval"},
        {RATE_INT32, m->pipe_int_interval, 1, "pipe.int.interval"},
        {RATE_SPECIAL, m->pipe_sfu_interval, 1, "pipe.sfu.interval"},
    };
    for (size_t i = 0; i < sizeof pipes / sizeof *pipes; i++)
        set(&c->peak[pipes[i].id], cycles * LANES / (double)pipes[i].interval * pipes[i].each, file,
            pipes[i].how);
    set(&c->peak[RATE_ISSUE], cycles, file, "an instruction a cycle and sub-core");
    double l1 = (double)m->sm_count * clock * L1_BYTES / (double)m->sm_lsu_interval;
    set(&c->peak[RATE_L1], l1, file, "128 bytes an SM by sm.lsu_interval");
    set(&c->peak[RATE_SHARED], l1, file, "128 bytes an SM by sm.lsu_interval");
    set(&c->peak[RATE_L2], (double)(m->l2_slices * m->l2_slice_bytes) * m->network_clock_mhz * 1e6,
        file, "l2.slices of l2.slice_width at network.clock");
    set_properties(c, m, file);
}
