/* gpu_view.c - see gpu_view.h. Counters of the cores are read over XRT, as for the progress line;
 * all else is the host's own. */
#include "sched/gpu_view.h"

#include <stdio.h>
#include <string.h>

#include "sched/gpu_internal.h"
#include "timing/clock.h"

static void copy_name(char out[GPU_VIEW_NAME], const char *name) {
    snprintf(out, GPU_VIEW_NAME, "%s", name);
}

/* Adds a kernel that runs. */
static void add_kernel(struct gpu_view *v, const struct kernel *k) {
    const unsigned i = v->num_kernels++;
    if (i >= GPU_VIEW_KERNELS) return;
    struct gpu_view_kernel *out = &v->kernel[i];
    *out = (struct gpu_view_kernel){
        .launch = k->number, .stream = k->op->stream, .ctas = k->num_ctas, .ctas_done = k->retired};
    if (k->dispatched > k->retired) out->ctas_resident = k->dispatched - k->retired;
    const uint64_t begin = v->timed ? clock_cycle_from(k->op->start_ps, v->khz) : v->cycle;
    if (v->cycle > begin) out->cycles = v->cycle - begin;
    copy_name(out->name, k->name);
    memcpy(out->grid, k->launch.exec.grid, sizeof out->grid);
    memcpy(out->block, k->launch.exec.block, sizeof out->block);
}

/* Adds an operation that has not ended to its stream. */
static void add_operation(struct gpu_view *v, const struct op *op) {
    static const char *const kinds[] = {"kernel", "copy", "marker", "condition"};
    static const char *const states[] = {"waits", "is ready", "runs", "has ended"};
    unsigned i = 0;
    while (i < v->num_streams && i < GPU_VIEW_STREAMS && v->stream[i].stream != op->stream) i++;
    if (i == GPU_VIEW_STREAMS) {
        v->more_operations++;
        return;
    }
    struct gpu_view_stream *s = &v->stream[i];
    if (i == v->num_streams) {
        v->num_streams++;
        *s = (struct gpu_view_stream){
            .stream = op->stream, .first = kinds[op->kind], .state = states[op->state]};
        if (op->kernel) copy_name(s->kernel, op->kernel->name);
    }
    s->operations++;
}

/* Adds the operations that have not ended, the oldest first. */
static void add_operations(const struct gpu *gpu, struct gpu_view *v) {
    enum { MOST = 10000 }; /* a program may have issued millions */
    uint64_t ended_ps, seen = 0;
    gpu_ticket t = ops_oldest(gpu->ops, &ended_ps);
    for (gpu_ticket last = ops_newest(gpu->ops); t && t <= last && seen < MOST; t++, seen++) {
        const struct op *op = ops_get(gpu->ops, t);
        if (!op || op->state == OP_ENDED) continue;
        v->launches_queued += op->kind == OP_LAUNCH && op->state != OP_RUNNING;
        add_operation(v, op);
    }
}

/* Fills in what the cores have counted, and their part in the work that goes on. */
static void add_counters(const struct gpu *gpu, struct gpu_view *v) {
    struct timing_counters now;
    gpu_counters(gpu, &now);
    memcpy(v->counter, now.of, sizeof v->counter);
    const struct kernel *running = scheduler_running(gpu->scheduler);
    if (!running || running->period != gpu->busy) return;
    uint64_t first = gpu->busy_first;
    for (const struct kernel *k = running; k; k = k->next)
        if (k->dispatched && k->first_cycle < first) first = k->first_cycle;
    if (first >= v->cycle) return;
    const struct config *c = gpu->options.config;
    v->sub_core_cycles = (v->cycle - first) * c->sm_subcores * c->sm_count;
    for (unsigned i = 0; i < CORE_NUM_COUNTERS; i++)
        v->since[i] = now.of[i] - gpu->busy_begin.of[i];
}

void gpu_view_look(const struct gpu *gpu, struct gpu_view *v) {
    *v = (struct gpu_view){.timed = gpu->options.timing == GPU_TIMING_RTL,
                           .dead = gpu->dead != HEDDLE_OK,
                           .launches = gpu->num_kernels};
    add_operations(gpu, v);
    if (!v->timed) {
        const struct kernel *k;
        for (unsigned i = 0; (k = gpu_run_kernel(gpu, i)); i++) add_kernel(v, k);
        return;
    }
    if (v->dead || !gpu->scheduler) return;
    v->now_ps = fabric_now(gpu->fabric, gpu->wiring.scheduler_id);
    v->khz = gpu->timing.khz;
    v->cycle = clock_cycle_from(v->now_ps, v->khz);
    for (const struct kernel *k = scheduler_running(gpu->scheduler); k; k = k->next)
        add_kernel(v, k);
    add_counters(gpu, v);
    for (uint32_t i = 0; i < gpu->wiring.num_groups; i++)
        v->memory_reads += timing_group_memory_reads(gpu->groups[i]);
}

void gpu_view_sms(const struct gpu *gpu, struct timing_sm_view *sm) {
    if (gpu->dead || !gpu->scheduler) return;
    for (uint32_t i = 0; i < gpu->wiring.num_groups; i++) timing_group_view_sms(gpu->groups[i], sm);
}

unsigned gpu_view_warps(const struct gpu *gpu, uint32_t sm,
                        struct timing_warp_view out[TIMING_VIEW_WARPS]) {
    if (gpu->dead || !gpu->scheduler || sm >= gpu->options.config->sm_count) return 0;
    return timing_group_view_warps(gpu->groups[sm % gpu->wiring.num_groups], sm, out);
}
