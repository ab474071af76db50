/* gpu.c - operations in, simulation on demand, records out; see gpu.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/occupancy.h"
#include "sched/gpu_internal.h"
#include "timing/clock.h"

enum { WINDOWS = 1024 }; /* between two looks at what else is to be done */

double gpu_wall(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

heddle_err gpu_create(struct gpu **out, const struct gpu_options *options,
                      struct heddle_diag *diag) {
    struct gpu *gpu = calloc(1, sizeof *gpu);
    *out = NULL;
    if (!gpu) return heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of memory for a GPU");
    gpu->options = *options;
    gpu->link_latency_ps = options->config->link_latency;
    gpu_limits(options->config, &gpu->limits);
    heddle_err e = ops_create(&gpu->ops);
    if (!e) e = exec_io_create(&gpu->io, options->memory, options->heap, options->heap_user);
    if (!e && options->sample && options->timing == GPU_TIMING_RTL)
        e = sampler_create(&gpu->sampler, options->sample);
    if (!e && gpu->sampler && options->sample->warm) e = gpu_make_touched(gpu);
    if (e) heddle_fail(diag, e, "out of memory for a GPU");
    if (!e && options->timing == GPU_TIMING_RTL) e = gpu_build(gpu, diag);
    if (e) {
        gpu_free(gpu);
        return e;
    }
    *out = gpu;
    return HEDDLE_OK;
}

/* What a launch needs only while it runs; its name and numbers stay for the report. */
void gpu_kernel_release(struct kernel *k) {
    if (k->active) exec_launch_finish(&k->launch.exec); /* it ended by a fault */
    feed_template_free(k->feed);
    free(k->bank0);
    free(k->launch.counts);
    free(k->launch.faults);
    free(k->past);
    k->past = NULL;
    k->active = false;
    k->feed = NULL;
    k->bank0 = NULL;
    k->launch.counts = NULL;
    k->launch.faults = NULL;
}

static void kernel_free(struct kernel *k) {
    gpu_kernel_release(k);
    free(k->name);
    free(k);
}

void gpu_free(struct gpu *gpu) {
    if (!gpu) return;
    gpu_abandon_immediate(gpu);
    gpu_tear_down(gpu);
    for (size_t i = 0; i < gpu->num_kernels; i++) kernel_free(gpu->kernels[i]);
    ops_free(gpu->ops);
    sampler_free(gpu->sampler);
    exec_warming_free(gpu->warming);
    free(gpu->kernels);
    free(gpu->records);
    while (gpu->output) {
        struct exec_text *t = gpu->output;
        gpu->output = t->next;
        free(t);
    }
    exec_io_free(gpu->io);
    free(gpu);
}

heddle_err gpu_stream_create(struct gpu *gpu, unsigned flags, int priority, uint32_t *stream) {
    return ops_stream_create(gpu->ops, flags, priority, stream);
}

heddle_err gpu_stream_destroy(struct gpu *gpu, uint32_t stream) {
    return ops_stream_destroy(gpu->ops, stream);
}

/* ------------------------------------------------------------------------------- launches */

/* Behind bank 0, in the same memory. */
static uint32_t texture_bank_offset(uint32_t params) {
    return MIR_C0_PARAMS + (params / 8 + 1) * 8;
}

/* Bank 0: the words of a launch (MIR_C0_*), then the parameters. */
static heddle_err make_bank0(struct kernel *k, const struct gpu_launch *l) {
    uint32_t params = l->bank_size[MIR_BANK_LAUNCH];
    uint32_t shared = l->function->shared_bytes + l->dynamic_shared;
    uint32_t textures = l->bank_size[MIR_BANK_TEXTURE];
    k->bank0 = calloc(1, texture_bank_offset(params) + textures);
    if (!k->bank0) return HEDDLE_ERR_NOMEM;
    const uint32_t words[] = {l->block[0], l->block[1], l->block[2],       l->grid[0],
                              l->grid[1],  l->grid[2],  l->dynamic_shared, shared};
    memcpy(k->bank0, words, sizeof words);
    memcpy(k->bank0 + MIR_C0_GRIDID, &k->number, sizeof k->number);
    memcpy(k->bank0 + MIR_C0_WORKSPACE, &l->workspace, sizeof l->workspace);
    if (params) memcpy(k->bank0 + MIR_C0_PARAMS, l->bank[MIR_BANK_LAUNCH], params);
    if (textures)
        memcpy(k->bank0 + texture_bank_offset(params), l->bank[MIR_BANK_TEXTURE], textures);
    return HEDDLE_OK;
}

static uint64_t launch_overhead(const struct config *c, bool in_graph) {
    return (uint64_t)llround(in_graph && c->launch_graph >= 0 ? c->launch_graph
                                                              : c->launch_constant);
}

/* Core cycles from one CTA dealt to the next, in 1/65536. */
static uint64_t deal_interval(const struct config *c, uint64_t threads) {
    double t = (double)threads;
    double cycles = c->launch_alpha * t * t + c->launch_beta * t + c->launch_gamma;
    return cycles > 0 ? (uint64_t)llround(cycles * 65536) : 0;
}

/* Limits of CUDA on a grid and its CTAs. */
static bool shape_is_legal(const struct config *c, const uint32_t grid[3],
                           const uint32_t block[3]) {
    static const uint32_t most_ctas[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX};
    const uint64_t most_threads[3] = {c->sm_threads_per_cta, c->sm_threads_per_cta, 64};
    for (unsigned i = 0; i < 3; i++)
        if (!grid[i] || grid[i] > most_ctas[i] || !block[i] || block[i] > most_threads[i])
            return false;
    return (uint64_t)block[0] * block[1] * block[2] <= c->sm_threads_per_cta;
}

/* Asked now and then while a kernel runs functionally. */
static bool go_on(void *user, uint64_t ctas_done) {
    const struct kernel *k = user;
    struct gpu *gpu = k->gpu;
    double now = gpu_wall();
    if (!gpu->options.progress || now < gpu->progress_next) return true;
    gpu->progress_next = now + 0.2;
    struct gpu_progress p = {.kernel = k->name,
                             .launch = k->number,
                             .ctas_done = ctas_done,
                             .ctas = k->num_ctas,
                             .wall_s = now - k->wall_begin};
    return gpu->options.progress(gpu->options.progress_user, &p);
}

static heddle_err make_kernel(struct gpu *gpu, const struct gpu_launch *l, struct kernel **out,
                              struct heddle_diag *diag) {
    const struct mir_function *f = l->function;
    const struct config *config = gpu->options.config;
    *out = NULL;
    if (!shape_is_legal(config, l->grid, l->block))
        return heddle_fail(diag, HEDDLE_ERR_LAUNCH,
                           "kernel %s: a grid of %u x %u x %u CTAs of %u x %u x %u threads cannot "
                           "be launched",
                           l->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                           l->block[2]);
    uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint32_t shared = f->shared_bytes + l->dynamic_shared;
    struct slots_need need = slots_need(&gpu->limits, threads, f->num_regs, shared,
                                        f->num_barriers);
    const struct occupancy_need wants = {
        .threads = threads, .registers = f->num_regs, .shared_bytes = shared};
    if (!occupancy_ctas(config, &wants, NULL) || !slots_occupancy(&gpu->limits, &need))
        return heddle_fail(diag, HEDDLE_ERR_PTX_RESOURCES,
                           "kernel %s: a CTA of %u threads, %u registers per thread and %u bytes "
                           "of shared memory does not fit an SM",
                           l->name, threads, f->num_regs, shared);
    struct kernel *k = calloc(1, sizeof *k);
    if (!k) return heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of memory for a launch");
    unsigned groups = gpu->options.sm_groups ? gpu->options.sm_groups : 1;
    k->number = gpu->num_kernels;
    k->num_ctas = ctas;
    k->need = need;
    k->name = strdup(l->name ? l->name : f->name);
    k->launch.counts = calloc(groups, sizeof *k->launch.counts);
    k->launch.faults = calloc(groups, sizeof *k->launch.faults);
    k->launch.local_bytes = f->local_bytes;
    k->launch.constants = config->ccache_launch ? (uint32_t)k->number : 0;
    heddle_err e = k->name && k->launch.counts && k->launch.faults ? make_bank0(k, l)
                                                                   : HEDDLE_ERR_NOMEM;
    if (e) heddle_fail(diag, e, "out of memory for a launch");
    if (!e && gpu->options.timing == GPU_TIMING_RTL) {
        e = feed_template_create(&k->feed, f);
        if (e) heddle_fail(diag, e, "out of memory for a kernel");
        k->launch.feed = k->feed;
        k->launch_cycles = launch_overhead(config, l->in_graph);
        k->deal_interval = deal_interval(config, threads);
    }
    if (e) {
        kernel_free(k);
        return e;
    }
    struct exec_launch *x = &k->launch.exec;
    x->function = f;
    x->module = l->module;
    memcpy(x->bank, l->bank, sizeof x->bank);
    memcpy(x->bank_size, l->bank_size, sizeof x->bank_size);
    x->bank[MIR_BANK_LAUNCH] = k->bank0;
    x->bank_size[MIR_BANK_LAUNCH] = MIR_C0_PARAMS + l->bank_size[MIR_BANK_LAUNCH];
    x->bank[MIR_BANK_TEXTURE] = k->bank0 + texture_bank_offset(l->bank_size[MIR_BANK_LAUNCH]);
    memcpy(x->grid, l->grid, sizeof x->grid);
    memcpy(x->block, l->block, sizeof x->block);
    x->shared_bytes = shared;
    x->grid_id = k->number;
    x->memory = gpu->options.memory;
    x->io = gpu->io;
    k->key = (struct sample_key){.name = f->name,
                                 .num_inst = f->num_inst,
                                 .grid = {l->grid[0], l->grid[1], l->grid[2]},
                                 .block = {l->block[0], l->block[1], l->block[2]},
                                 .dynamic_shared = l->dynamic_shared};
    k->untimed = l->untimed && gpu->options.timing == GPU_TIMING_RTL;
    x->immediate = gpu->options.timing == GPU_TIMING_NONE || k->untimed;
    k->resident = slots_occupancy(&gpu->limits, &k->need) * (uint32_t)config->sm_count;
    k->launch.last_ctas = (uint32_t)(k->num_ctas > k->resident ? k->num_ctas - k->resident : 0);
    k->gpu = gpu;
    x->threads = gpu->options.threads;
    x->go_on = go_on;
    x->go_on_user = k;
    x->in_order = true; /* one path from an SM to a slice */
    k->owner = l->owner;
    x->num_sms = (uint32_t)config->sm_count;
    x->checks = gpu->options.checks;
    x->name = k->name;
    *out = k;
    return HEDDLE_OK;
}

static heddle_err reserve_kernels(struct gpu *gpu) {
    if (gpu->num_kernels < gpu->capacity) return HEDDLE_OK;
    size_t capacity = gpu->capacity ? 2 * gpu->capacity : 64;
    struct kernel **kernels = realloc(gpu->kernels, capacity * sizeof *kernels);
    if (!kernels) return HEDDLE_ERR_NOMEM;
    gpu->kernels = kernels;
    struct gpu_kernel_record *records = realloc(gpu->records, capacity * sizeof *records);
    if (!records) return HEDDLE_ERR_NOMEM;
    gpu->records = records;
    gpu->capacity = capacity;
    return HEDDLE_OK;
}

heddle_err gpu_sticky(const struct gpu *gpu, struct heddle_diag *diag) {
    if (gpu->dead && diag) *diag = gpu->diag;
    return gpu->dead;
}

/* When an operation that the host issues at at_ps can begin: it travels over the link. What has
 * been simulated reaches beyond the end that the host was told of by up to a look-ahead; nothing
 * begins there, or results would depend on the length of windows. */
static uint64_t arrival(const struct gpu *gpu, uint64_t at_ps) {
    uint64_t t = at_ps + gpu->link_latency_ps;
    return t > gpu->floor_ps ? t : gpu->floor_ps;
}

heddle_err gpu_launch(struct gpu *gpu, uint32_t stream, const struct gpu_launch *launch,
                      uint64_t at_ps, gpu_ticket *ticket, struct heddle_diag *diag) {
    struct kernel *k;
    struct op *op;
    *ticket = 0;
    struct heddle_diag local = {0};
    if (gpu->dead) return gpu_sticky(gpu, diag);
    if (gpu_checkpoint(gpu, diag ? diag : &local)) return gpu_sticky(gpu, diag);
    if (reserve_kernels(gpu)) return heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of memory");
    heddle_err e = make_kernel(gpu, launch, &k, diag);
    if (e) return e;
    e = ops_add(gpu->ops, OP_LAUNCH, stream, arrival(gpu, at_ps), &op);
    if (e) {
        kernel_free(k);
        return heddle_fail(diag, e, "launch on stream %u: %s", stream, heddle_err_text(e));
    }
    op->kernel = k;
    k->op = op;
    k->priority = ops_stream_priority(gpu->ops, stream);
    gpu->kernels[gpu->num_kernels++] = k;
    *ticket = op->ticket;
    return HEDDLE_OK;
}

heddle_err gpu_copy(struct gpu *gpu, uint32_t stream, const struct gpu_copy *copy, uint64_t at_ps,
                    gpu_ticket *ticket) {
    struct op *op;
    *ticket = 0;
    if (gpu->dead) return gpu->dead;
    heddle_err e = ops_add(gpu->ops, OP_COPY, stream, arrival(gpu, at_ps), &op);
    if (e) return e;
    op->copy = *copy;
    *ticket = op->ticket;
    return HEDDLE_OK;
}

heddle_err gpu_mark(struct gpu *gpu, uint32_t stream, uint64_t at_ps, gpu_ticket *ticket) {
    struct op *op;
    *ticket = 0;
    heddle_err e = ops_add(gpu->ops, OP_MARK, stream, arrival(gpu, at_ps), &op);
    if (!e) *ticket = op->ticket;
    return e;
}

heddle_err gpu_stream_wait(struct gpu *gpu, uint32_t stream, gpu_ticket ticket, uint64_t at_ps) {
    return ops_stream_wait(gpu->ops, stream, ticket, arrival(gpu, at_ps));
}

heddle_err gpu_condition(struct gpu *gpu, uint32_t stream, const struct gpu_condition *condition,
                         uint64_t at_ps, gpu_ticket *ticket) {
    struct op *op;
    *ticket = 0;
    if (gpu->dead) return gpu->dead;
    heddle_err e = ops_add(gpu->ops, OP_CONDITION, stream, arrival(gpu, at_ps), &op);
    if (e) return e;
    op->condition = *condition;
    *ticket = op->ticket;
    return HEDDLE_OK;
}

/* --------------------------------------------------------------------------------- faults */

const struct exec_fault *gpu_fault(const struct gpu *gpu, const void **owner) {
    if (!gpu->fault.err) return NULL;
    if (owner) *owner = gpu->fault_owner;
    return &gpu->fault;
}

void gpu_collect_output(struct gpu *gpu, const struct kernel *k) {
    struct exec_text **end = &gpu->output;
    while (*end) end = &(*end)->next;
    *end = exec_io_take(gpu->io, k->number);
    for (struct exec_text *t = *end; t; t = t->next) t->owner = k->owner;
}

struct exec_text *gpu_take_output(struct gpu *gpu, const void *owner) {
    struct exec_text *taken = NULL, **end = &taken;
    for (struct exec_text **link = &gpu->output; *link;) {
        struct exec_text *t = *link;
        if (t->owner != owner) {
            link = &t->next;
            continue;
        }
        *link = t->next;
        t->next = NULL;
        *end = t;
        end = &t->next;
    }
    return taken;
}

bool gpu_set_heap(struct gpu *gpu, uint64_t bytes) {
    return exec_io_set_heap(gpu->io, bytes);
}

void gpu_forget_fault(struct gpu *gpu) {
    gpu->fault = (struct exec_fault){0};
    gpu->fault_owner = NULL;
    gpu->dead = HEDDLE_OK;
    gpu->diag = (struct heddle_diag){0};
}

heddle_err gpu_die(struct gpu *gpu, const struct kernel *k, const struct exec_fault *fault,
                   heddle_err e, const struct heddle_diag *diag) {
    gpu->dead = e;
    gpu->diag = *diag;
    if (k) gpu_collect_output(gpu, k);
    if (fault && fault->err) {
        gpu->fault = *fault;
        gpu->fault_owner = k->owner;
    }
    return e;
}

/* ----------------------------------------------------------------------------- timing on */

/* @return HEDDLE_ERR_STOPPED when whoever watches gives the simulation up. */
static heddle_err show_progress(struct gpu *gpu, struct heddle_diag *diag) {
    const struct kernel *k = scheduler_running(gpu->scheduler);
    double now = gpu_wall();
    if (!gpu->options.progress || !k || now < gpu->progress_next) return HEDDLE_OK;
    gpu->progress_next = now + 0.2;
    struct timing_counters c;
    gpu_counters(gpu, &c);
    uint64_t cycle = clock_cycle_from(fabric_now(gpu->fabric), gpu->timing.khz);
    uint64_t begin = clock_cycle_from(k->op->start_ps, gpu->timing.khz);
    struct gpu_progress p = {.kernel = k->name,
                             .launch = k->number,
                             .ctas_done = k->retired,
                             .ctas = k->num_ctas,
                             .cycles = cycle > begin ? cycle - begin : 0,
                             .warp_inst = c.issued - k->begin.issued,
                             .wall_s = now - k->wall_begin};
    if (gpu->options.progress(gpu->options.progress_user, &p)) return HEDDLE_OK;
    struct heddle_diag local;
    heddle_fail(&local, HEDDLE_ERR_STOPPED, "kernel %s was given up after %llu of %llu CTAs",
                k->name, (unsigned long long)p.ctas_done, (unsigned long long)p.ctas);
    if (diag) *diag = local;
    return gpu_die(gpu, NULL, NULL, HEDDLE_ERR_STOPPED, &local);
}

static heddle_err fault_of(struct gpu *gpu, heddle_err e, const struct heddle_diag *diag) {
    for (size_t i = 0; i < gpu->num_kernels; i++) {
        struct kernel *k = gpu->kernels[i];
        for (unsigned g = 0; k->active && g < gpu->options.sm_groups; g++)
            if (k->launch.faults[g].err) return gpu_die(gpu, k, &k->launch.faults[g], e, diag);
    }
    return gpu_die(gpu, NULL, NULL, e, diag);
}

/* Nothing happens before the limit: is there a look left that might change that? */
static bool all_asked(struct gpu *gpu, uint64_t limit, uint64_t next) {
    uint64_t now = fabric_now(gpu->fabric), look = scheduler_next_look(gpu->scheduler, now, next);
    return look == now || look >= limit;
}

/* One window of the simulation, but not beyond the next look of a stream at its condition. */
static heddle_err step(struct gpu *gpu, uint64_t limit, bool *idle, struct heddle_diag *diag) {
    struct heddle_diag local = {0};
    scheduler_poll(gpu->scheduler);
    uint64_t look = FABRIC_NEVER;
    if (scheduler_looks(gpu->scheduler))
        look = scheduler_next_look(gpu->scheduler, fabric_now(gpu->fabric),
                                   fabric_next(gpu->fabric));
    heddle_err e = fabric_step(gpu->fabric, look < limit ? look : limit, idle, &local);
    if (!e && look <= fabric_now(gpu->fabric)) {
        uint64_t next = fabric_next(gpu->fabric);
        bool goes_on = scheduler_look(gpu->scheduler, fabric_now(gpu->fabric), next);
        *idle = *idle && !goes_on && next >= limit && all_asked(gpu, limit, next);
    }
    if (e) {
        if (diag) *diag = local;
        return fault_of(gpu, e, &local);
    }
    /* Ends first: when a kernel begins as the last one has ended, what was counted up to now is
     * the old one's. None begins and ends in one window: its CTAs travel both ways. */
    for (struct kernel *k; (k = scheduler_take_ended(gpu->scheduler));) {
        gpu_record_end(gpu, k);
        gpu_collect_output(gpu, k);
        gpu_kernel_release(k);
    }
    for (struct kernel *k; (k = scheduler_take_begun(gpu->scheduler));) gpu_record_begin(gpu, k);
    for (uint32_t i = 0; i < gpu->wiring.num_groups; i++) { /* what was counted is not known */
        e = timing_group_failed(gpu->wiring.group[i], &local);
        if (!e) continue;
        if (diag) *diag = local;
        return fault_of(gpu, e, &local);
    }
    return show_progress(gpu, diag);
}

static heddle_err deadlock(struct gpu *gpu, const struct op *op, struct heddle_diag *diag) {
    struct heddle_diag local;
    char story[700] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < gpu->wiring.num_groups; i++)
        used += timing_group_story(gpu->wiring.group[i], story + used, sizeof story - used);
    heddle_fail(
        &local, HEDDLE_ERR_DEADLOCK,
        "nothing is left to happen, but %s%s on stream %u has not ended: its warps wait for "
        "something that no other warp will do%s%s",
        op->kernel ? "kernel " : "an operation", op->kernel ? op->kernel->name : "", op->stream,
        used ? ":" : "", story);
    if (diag) *diag = local;
    return gpu_die(gpu, NULL, NULL, HEDDLE_ERR_DEADLOCK, &local);
}

bool gpu_pauses(struct gpu *gpu) {
    return gpu->pause && gpu->pause(gpu->beside_user);
}

static heddle_err wait_timed(struct gpu *gpu, struct op *op, struct heddle_diag *diag) {
    while (op->state != OP_ENDED) {
        bool idle;
        if (gpu->dead) return gpu_sticky(gpu, diag);
        heddle_err e = step(gpu, FABRIC_NEVER, &idle, diag);
        if (e) return e;
        if (gpu->beside) gpu->beside(gpu->beside_user, gpu, fabric_now(gpu->fabric));
        if (!idle && ++gpu->windows % WINDOWS == 0 && gpu_pauses(gpu))
            return heddle_fail(diag, HEDDLE_ERR_WAITING, "%s", heddle_err_text(HEDDLE_ERR_WAITING));
        if (idle && op->state != OP_ENDED && scheduler_looks(gpu->scheduler))
            return heddle_fail(diag, HEDDLE_ERR_WAITING, "%s", heddle_err_text(HEDDLE_ERR_WAITING));
        if (idle && op->state != OP_ENDED) return deadlock(gpu, op, diag);
    }
    uint64_t cycle = clock_cycle_from(op->end_ps, gpu->timing.khz) + gpu->timing.lookahead +
                     TIMING_REPORTED_AFTER;
    uint64_t floor = clock_ps(cycle, gpu->timing.khz);
    if (floor > gpu->floor_ps) gpu->floor_ps = floor;
    return HEDDLE_OK;
}

static heddle_err given_up(const struct op *op, struct heddle_diag *diag) {
    return heddle_fail(diag, HEDDLE_ERR_STOPPED,
                       "%s%s on stream %u was given up when the GPU was reset after a fault",
                       op->kernel ? "kernel " : "an operation", op->kernel ? op->kernel->name : "",
                       op->stream);
}

heddle_err gpu_wait(struct gpu *gpu, gpu_ticket ticket, uint64_t *end_ps,
                    struct heddle_diag *diag) {
    struct op *op = ops_get(gpu->ops, ticket);
    if (!op)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "no operation %llu",
                           (unsigned long long)ticket);
    heddle_err e = HEDDLE_OK;
    if (op->state != OP_ENDED)
        e = gpu->options.timing == GPU_TIMING_NONE ? gpu_wait_immediate(gpu, ticket, diag)
                                                   : wait_timed(gpu, op, diag);
    if (!e && op->given_up) e = given_up(op, diag);
    if (e) return e;
    *end_ps = op->end_ps;
    return gpu_sticky(gpu, diag);
}

heddle_err gpu_wait_stream(struct gpu *gpu, uint32_t stream, uint64_t *end_ps,
                           struct heddle_diag *diag) {
    gpu_ticket last = ops_last(gpu->ops, stream);
    *end_ps = 0;
    return last ? gpu_wait(gpu, last, end_ps, diag) : gpu_sticky(gpu, diag);
}

heddle_err gpu_wait_all(struct gpu *gpu, uint64_t *end_ps, struct heddle_diag *diag) {
    gpu_ticket newest = ops_newest(gpu->ops);
    for (gpu_ticket t; (t = ops_oldest(gpu->ops, end_ps)) && t <= newest;) {
        uint64_t end;
        heddle_err e = gpu_wait(gpu, t, &end, diag);
        if (e) return e;
    }
    return gpu_sticky(gpu, diag);
}

heddle_err gpu_query(struct gpu *gpu, gpu_ticket ticket, uint64_t at_ps, bool *done,
                     uint64_t *end_ps, struct heddle_diag *diag) {
    struct op *op = ops_get(gpu->ops, ticket);
    if (!op)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "no operation %llu",
                           (unsigned long long)ticket);
    if (gpu->options.timing == GPU_TIMING_NONE) {
        heddle_err e = gpu_wait_immediate(gpu, ticket, diag);
        if (e && e != HEDDLE_ERR_WAITING) return e;
    }
    for (bool idle = false;
         gpu->options.timing == GPU_TIMING_RTL && op->state != OP_ENDED && !idle;) {
        if (gpu->dead) return gpu_sticky(gpu, diag);
        heddle_err e = step(gpu, at_ps, &idle, diag);
        if (e) return e;
        if (gpu->beside) gpu->beside(gpu->beside_user, gpu, fabric_now(gpu->fabric));
    }
    if (op->given_up) return given_up(op, diag);
    *done = op->state == OP_ENDED &&
            (op->end_ps <= at_ps || gpu->options.timing == GPU_TIMING_NONE);
    *end_ps = *done ? op->end_ps : 0;
    return gpu_sticky(gpu, diag);
}

heddle_err gpu_drive(struct gpu *gpu, bool *moved, struct heddle_diag *diag) {
    uint64_t before;
    *moved = false;
    if (gpu->dead) return HEDDLE_OK;
    if (gpu->options.timing == GPU_TIMING_NONE) return gpu_drive_immediate(gpu, moved, diag);
    gpu_ticket oldest = ops_oldest(gpu->ops, &before);
    if (!oldest) return HEDDLE_OK;
    bool idle = false;
    for (unsigned i = 0; i < WINDOWS && !idle; i++) {
        heddle_err e = step(gpu, FABRIC_NEVER, &idle, diag);
        if (e) return e;
        *moved |= !idle;
    }
    return HEDDLE_OK;
}

void gpu_set_beside(struct gpu *gpu, gpu_beside_fn beside, gpu_pause_fn pause, void *user) {
    gpu->beside = beside;
    gpu->pause = pause;
    gpu->beside_user = user;
}

void gpu_advance(struct gpu *gpu, uint64_t until_ps) {
    uint64_t ended_ps;
    if (gpu->dead || !ops_oldest(gpu->ops, &ended_ps)) return;
    if (gpu->options.timing == GPU_TIMING_NONE) {
        gpu_advance_immediate(gpu);
        return;
    }
    for (bool idle = false; !idle && fabric_now(gpu->fabric) < until_ps;)
        if (step(gpu, until_ps, &idle, NULL)) return;
}

void gpu_give_up(struct gpu *gpu, const char *text) {
    struct heddle_diag diag;
    heddle_fail(&diag, HEDDLE_ERR_DEADLOCK, "%s", text);
    gpu_die(gpu, NULL, NULL, HEDDLE_ERR_DEADLOCK, &diag);
}
