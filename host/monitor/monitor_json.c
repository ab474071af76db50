/* monitor_json.c - the picture of a run as JSON; docs/monitor.md says what the members mean.
 *
 * Threads of the server call it; it takes the lock. Functions that return json_t return a new
 * object, the caller's. A name that is no UTF-8 is no JSON text, and becomes null. */
#include <jansson.h>
#include <string.h>

#include "common/wall_time.h"
#include "monitor/monitor_internal.h"

/* Names of the core's counters, by number. */
static const char *const counters[] = {
#define CONSTANT(name, value, meaning)
#define ARG(number, offset, name, bits, buffer, meaning)
#define REG(offset, name, meaning)
#define COUNTER(number, name, meaning) [number] = #name,
#include "tables/core_regs.def"
};

static json_t *integer(uint64_t n) {
    return json_integer((json_int_t)n);
}

static json_t *text(const char *s) {
    json_t *t = json_string(s);
    return t ? t : json_null();
}

/* Name of a cause for which warps wait: that of its counter without "wait_". */
static const char *cause_name(unsigned cause) {
    return counters[CORE_COUNTER_WAIT_NO_WARP + cause] + strlen("wait_");
}

/* The node of a GPU; null: the run has none. */
static json_t *node_of(const struct monitor *m, unsigned device) {
    return m->o.nodes ? integer(device / (m->o.gpus / m->o.nodes)) : json_null();
}

static json_t *kernel_object(const struct gpu_view_kernel *k) {
    return json_pack("{s:o, s:I, s:I, s:[I,I,I], s:[I,I,I], s:I, s:I, s:I, s:I}", "name",
                     text(k->name), "launch", (json_int_t)k->launch, "stream",
                     (json_int_t)k->stream, "grid", (json_int_t)k->grid[0], (json_int_t)k->grid[1],
                     (json_int_t)k->grid[2], "block", (json_int_t)k->block[0],
                     (json_int_t)k->block[1], (json_int_t)k->block[2], "ctas", (json_int_t)k->ctas,
                     "ctas_resident", (json_int_t)k->ctas_resident, "ctas_done",
                     (json_int_t)k->ctas_done, "cycles", (json_int_t)k->cycles);
}

static json_t *stream_object(const struct gpu_view_stream *s) {
    json_t *o = json_pack("{s:I, s:I, s:s, s:s}", "stream", (json_int_t)s->stream, "operations",
                          (json_int_t)s->operations, "first", s->first, "state", s->state);
    json_object_set_new(o, "kernel", s->kernel[0] ? text(s->kernel) : json_null());
    return o;
}

/* The CPI stack of what runs, in cycles of sub-cores; null: no kernel is timed. Cycles whose cause
 * is not known yet are those of warps that wait now: they count as no_warp until they issue. */
static json_t *stack_object(const struct gpu_view *v) {
    if (!v->sub_core_cycles) return json_null();
    json_t *o = json_object();
    uint64_t sum = v->since[CORE_COUNTER_ISSUED];
    json_object_set_new(o, "issued", integer(sum));
    for (unsigned i = 1; i < CORE_NUM_WAITS; i++) {
        const uint64_t cycles = v->since[CORE_COUNTER_WAIT_NO_WARP + i];
        json_object_set_new(o, cause_name(i), integer(cycles));
        sum += cycles;
    }
    json_object_set_new(o, cause_name(0),
                        integer(v->sub_core_cycles > sum ? v->sub_core_cycles - sum : 0));
    return o;
}

/* The counters of the core, but for its own clocks, hashes and causes, of what runs. */
static json_t *counters_object(const struct gpu_view *v) {
    static const enum core_counter shown[] = {CORE_COUNTER_ISSUED,     CORE_COUNTER_L1_ACCESSES,
                                              CORE_COUNTER_L1_HITS,    CORE_COUNTER_L2_ACCESSES,
                                              CORE_COUNTER_L2_HITS,    CORE_COUNTER_DRAM_READS,
                                              CORE_COUNTER_DRAM_WRITES};
    json_t *o = json_object();
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        json_object_set_new(o, counters[shown[i]], integer(v->since[shown[i]]));
    return o;
}

static json_t *gpu_object(const struct monitor *m, unsigned device) {
    const struct gpu_view *v = &m->gpu[device].view;
    json_t *kernels = json_array(), *streams = json_array(), *o = json_object();
    for (unsigned i = 0; i < v->num_kernels && i < GPU_VIEW_KERNELS; i++)
        json_array_append_new(kernels, kernel_object(&v->kernel[i]));
    for (unsigned i = 0; i < v->num_streams; i++)
        json_array_append_new(streams, stream_object(&v->stream[i]));
    json_object_set_new(o, "device", integer(device));
    json_object_set_new(o, "node", node_of(m, device));
    json_object_set_new(o, "timed", json_boolean(v->timed));
    json_object_set_new(o, "dead", json_boolean(v->dead));
    json_object_set_new(o, "time_ps", integer(v->now_ps));
    json_object_set_new(o, "cycle", integer(v->cycle));
    json_object_set_new(o, "launches", integer(v->launches));
    json_object_set_new(o, "launches_queued", integer(v->launches_queued));
    json_object_set_new(o, "kernels", kernels);
    json_object_set_new(o, "more_kernels", integer(v->num_kernels - json_array_size(kernels)));
    json_object_set_new(o, "streams", streams);
    json_object_set_new(o, "more_operations", integer(v->more_operations));
    json_object_set_new(o, "cpi", stack_object(v));
    json_object_set_new(o, "counters", v->sub_core_cycles ? counters_object(v) : json_null());
    json_object_set_new(o, "memory_reads", v->timed ? integer(v->memory_reads) : json_null());
    return o;
}

/* Seconds since the picture was taken; null: there is none. */
static json_t *age(const struct monitor *m) {
    return m->taken > 0 ? json_real(wall_seconds() - m->taken) : json_null();
}

json_t *monitor_status_json(struct monitor *m) {
    pthread_mutex_lock(&m->lock);
    struct run_status s = m->status;
    s.wall_s = wall_seconds() - m->o.begin;
    s.paused_s = m->held_s + (m->is_held ? wall_seconds() - m->held_since : 0);
    json_t *o = run_status_object(&s, monitor_state(m)), *gpus = json_array();
    for (unsigned i = 0; i < m->o.gpus && m->taken > 0; i++)
        json_array_append_new(gpus, gpu_object(m, i));
    json_object_set_new(o, "age_s", age(m));
    json_object_set_new(o, "gpus", gpus);
    pthread_mutex_unlock(&m->lock);
    return o;
}

/* The SMs of a GPU, by number. */
static json_t *sms_object(const struct monitor *m, unsigned device) {
    const struct monitor_gpu *g = &m->gpu[device];
    json_t *ctas = json_array(), *warps = json_array(), *loads = json_array(), *ipc = json_array();
    for (uint32_t i = 0; i < m->o.sms; i++) {
        const struct timing_sm_view *now = &g->sm[i], *before = &g->before[i];
        const uint64_t inst = now->warp_inst > before->warp_inst
                                  ? now->warp_inst - before->warp_inst
                                  : 0;
        json_array_append_new(ctas, integer(now->ctas));
        json_array_append_new(warps, integer(now->warps));
        json_array_append_new(loads, integer(now->loads));
        json_array_append_new(ipc, json_real(g->interval ? (double)inst / (double)g->interval : 0));
    }
    return json_pack("{s:I, s:o, s:I, s:o, s:o, s:o, s:o}", "device", (json_int_t)device, "node",
                     node_of(m, device), "interval_cycles", (json_int_t)g->interval, "ctas", ctas,
                     "warps", warps, "loads", loads, "ipc", ipc);
}

/* What the answer says if there is no map. */
static const char *no_sms(const struct monitor *m) {
    return m->o.timed ? "nothing has been simulated yet"
                      : "--timing none runs kernels without SMs: there is no map of them";
}

json_t *monitor_sms_json(struct monitor *m) {
    pthread_mutex_lock(&m->lock);
    json_t *gpus = json_array(), *o = json_object();
    const bool has = m->o.timed && m->taken > 0;
    for (unsigned i = 0; i < m->o.gpus && has; i++) json_array_append_new(gpus, sms_object(m, i));
    json_object_set_new(o, "why", has ? json_null() : json_string(no_sms(m)));
    json_object_set_new(o, "age_s", age(m));
    json_object_set_new(o, "gpus", gpus);
    pthread_mutex_unlock(&m->lock);
    return o;
}

static json_t *warp_object(const struct timing_warp_view *w) {
    json_t *o = json_pack(
        "{s:I, s:I, s:[I,I,I], s:I, s:I, s:I, s:I, s:o, s:I, s:s, s:I, s:I}", "slot",
        (json_int_t)w->slot, "launch", (json_int_t)w->launch, "cta", (json_int_t)w->cta[0],
        (json_int_t)w->cta[1], (json_int_t)w->cta[2], "warp", (json_int_t)w->index, "lanes",
        (json_int_t)__builtin_popcount(w->live), "active",
        (json_int_t)__builtin_popcount(w->active), "executed", (json_int_t)w->executed, "stands",
        text(w->text), "packets", (json_int_t)w->packets, "next", w->op, "next_line",
        (json_int_t)w->line, "loads", (json_int_t)w->loads);
    json_object_set_new(o, "waited_for",
                        w->cause ? json_string(cause_name(w->cause)) : json_null());
    json_object_set_new(o, "waited_cycles", integer(w->waited));
    return o;
}

json_t *monitor_warps_json(struct monitor *m, const struct monitor_wish *w) {
    const char *why = !m->o.timed   ? "--timing none runs kernels without SMs"
                      : !w->granted ? "nothing is simulated at present"
                                    : NULL;
    json_t *list = json_array();
    for (unsigned i = 0; i < w->num_warps && !why; i++)
        json_array_append_new(list, warp_object(&w->warps[i]));
    return json_pack("{s:I, s:I, s:s?, s:o}", "device", (json_int_t)w->device, "sm",
                     (json_int_t)w->sm, "why", why, "warps", list);
}
