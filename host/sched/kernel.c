/* kernel.c - makes a struct kernel from a launch: checks it, builds its constant bank, and frees
 * both; contracts in kernel.h.
 *
 * All functions run on the server's thread. gpu.c calls kernel_create() for each launch and
 * kernel_free() at the end, gpu_timed.c, gpu_immediate.c and gpu_reset.c call kernel_release().
 * Exception: the callback progress() (see there). */
#include "sched/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/carveout.h"
#include "common/config.h"
#include "common/memory.h"
#include "common/wall_time.h"
#include "exec/check/finding.h"
#include "mir/mir_special.h"

/* Frees decoded code, packet templates, constant bank, findings and past record, after the kernel's
 * end or at a reset; k->active becomes false. Name and numbers stay. May be called again. */
void kernel_release(struct kernel *k) {
    if (k->active) exec_launch_finish(&k->launch.exec); /* it ended by a fault */
    feed_template_free(k->feed);
    free(k->bank0);
    free(k->past);
    exec_findings_free(k->launch.exec.findings);
    free(k->launch.counts);
    free(k->on_sm);
    k->launch.counts = NULL;
    k->on_sm = NULL;
    k->launch.exec.findings = NULL;
    k->past = NULL;
    k->active = false;
    k->feed = NULL;
    k->bank0 = NULL;
}

void kernel_activate(struct kernel *k) {
    const struct exec_launch *x = &k->launch.exec;
    k->active = true;
    k->on_sm = heddle_alloc_array(x->num_sms, sizeof *k->on_sm, "the SMs of a launch");
    if (k->count_groups)
        k->launch.counts = heddle_alloc_array((size_t)k->count_groups * x->function->num_inst,
                                              sizeof *k->launch.counts, "counts of instructions");
}

/* kernel_release(), then frees what the report reads, and the kernel. */
void kernel_free(struct kernel *k) {
    kernel_release(k);
    free(k->failure);
    free(k->launch.exec.standing);
    free(k->launch.exec.special);
    free(k->name);
    free(k);
}

/* @return the offset in bytes of the texture bank, which lies behind bank 0 with its `params` bytes
 * of parameters, in the same memory. */
static uint32_t texture_bank_offset(uint32_t params) {
    return MIR_C0_PARAMS + (params / 8 + 1) * 8;
}

/* Allocates and fills k->bank0: the words of a launch (MIR_C0_*), then the parameters, then the
 * bank of texture references. @return HEDDLE_ERR_NOMEM. */
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
    memcpy(k->bank0 + MIR_C0_SHMEM, &l->shmem, sizeof l->shmem);
    memcpy(k->bank0 + MIR_C0_SHMEM_PE, &l->shmem_pe, sizeof l->shmem_pe);
    if (params) memcpy(k->bank0 + MIR_C0_PARAMS, l->bank[MIR_BANK_LAUNCH], params);
    if (textures)
        memcpy(k->bank0 + texture_bank_offset(params), l->bank[MIR_BANK_TEXTURE], textures);
    return HEDDLE_OK;
}

/* Sets what a launch takes beside its CTAs: launch.graph for a kernel that follows another one of
 * its graph if that key is set (>= 0), else launch.constant; at most launch.end of it behind
 * them. */
static void set_overhead(struct kernel *k, const struct config *c, bool in_graph) {
    const uint64_t all = (uint64_t)llround(in_graph && c->launch_graph >= 0 ? c->launch_graph
                                                                            : c->launch_constant);
    k->end_overhead = c->launch_end < all ? c->launch_end : all;
    k->begin_overhead = all - k->end_overhead;
}

/* Sets the intervals of CTAs of `threads` threads, in 1/65536 core cycles: from one dispatched to
 * the next (launch.cta, launch.warp), and from one end to the next, a polynomial of degree 2
 * (launch.alpha, beta, gamma), no less than 0. */
static void set_intervals(struct kernel *k, const struct config *c, uint64_t threads) {
    const double t = (double)threads, warps = (double)((threads + 31) / 32);
    const double ends = c->launch_alpha * t * t + c->launch_beta * t + c->launch_gamma;
    k->dispatch_interval = (uint64_t)llround((c->launch_cta + c->launch_warp * warps) * 65536);
    k->end_interval = ends > 0 ? (uint64_t)llround(ends * 65536) : 0;
}

/* True if grid and block keep CUDA's limits. */
static bool shape_is_legal(const struct config *c, const uint32_t grid[3],
                           const uint32_t block[3]) {
    static const uint32_t most_ctas[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX};
    const uint64_t most_threads[3] = {c->sm_threads_per_cta, c->sm_threads_per_cta, 64};
    for (unsigned i = 0; i < 3; i++)
        if (!grid[i] || grid[i] > most_ctas[i] || !block[i] || block[i] > most_threads[i])
            return false;
    return (uint64_t)block[0] * block[1] * block[2] <= c->sm_threads_per_cta;
}

/* exec_launch.progress: while kernel `user` runs functionally, worker 0 of its execution calls it
 * now and then; the server's thread handles no call meanwhile. Calls the progress function when a
 * report is due. */
static void progress(void *user, uint64_t ctas_done) {
    struct kernel *k = user;
    double now = wall_seconds();
    k->retired = ctas_done;
    if (!progress_due(k->watch, now)) return;
    struct gpu_progress p = {.kernel = k->name,
                             .device = k->watch->device,
                             .launch = k->number,
                             .ctas_done = ctas_done,
                             .ctas = k->num_ctas,
                             .wall_s = now - k->wall_begin};
    if (k->watch->tell) k->watch->tell(k->watch->user, &p);
    k->wall_begin += progress_moment(k->watch, GPU_MOMENT_INSIDE);
}

/* What keeps an SM from holding more than `fit` CTAs: the limit that CUDA's occupancy calls name,
 * or one that they do not know. */
static occupancy_limit limit_of(const struct kernel_site *site,
                                const struct occupancy_table_need *need,
                                const struct occupancy_need *wants, uint32_t fit) {
    occupancy_limit limit;
    if (occupancy_ctas(site->options->config, wants, &limit) <= fit) return limit;
    if (need->barriers && site->limits->barriers / need->barriers == fit) return OCCUPANCY_BARRIERS;
    return need->shared_size / need->shared_bytes == fit ? OCCUPANCY_SHARED : OCCUPANCY_REGISTERS;
}

/* Checks the launch's shape and resources, allocates the kernel and fills it in; with timing on
 * also its packet templates, launch overhead and dispatch interval. The caller then sets `op` and
 * `priority`. @return HEDDLE_ERR_LAUNCH for a grid or block beyond the limits, PTX_RESOURCES for a
 * CTA that fits no SM, NOMEM; text is in diag, and *out is NULL. */
heddle_err kernel_create(struct kernel **out, const struct kernel_site *site, uint64_t number,
                         const struct gpu_launch *l, struct heddle_diag *diag) {
    const struct mir_function *f = l->function;
    const struct config *config = site->options->config;
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
    struct occupancy_table_need need = occupancy_table_need(site->limits, threads, f->num_regs,
                                                            shared, f->num_barriers);
    const struct occupancy_need wants = {
        .threads = threads, .registers = f->num_regs, .shared_bytes = shared};
    if (!occupancy_ctas(config, &wants, NULL) || !occupancy_table_occupancy(site->limits, &need))
        return heddle_fail(diag, HEDDLE_ERR_PTX_RESOURCES,
                           "kernel %s: a CTA of %u threads, %u registers per thread and %u bytes "
                           "of shared memory does not fit an SM",
                           l->name, threads, f->num_regs, shared);
    const struct carveout_choice choice = carveout_choose(config, &wants, &l->wish);
    struct kernel *k = heddle_alloc(sizeof *k, "a launch");
    k->number = number;
    k->num_ctas = ctas;
    k->need = need;
    k->need.shared_size = choice.bytes;
    k->need.exact = choice.exact;
    k->name = heddle_copy_text(l->name ? l->name : f->name, "a launch");
    k->launch.local_bytes = f->local_bytes;
    k->launch.constants = config->ccache_launch ? (uint32_t)k->number : 0;
    heddle_err e = make_bank0(k, l);
    if (e) heddle_fail(diag, e, "out of memory for a launch");
    if (!e && site->options->timing == GPU_TIMING_RTL) {
        e = feed_template_create(&k->feed, f, (unsigned)config->pipe_branch_latency);
        if (e) heddle_fail(diag, e, "out of memory for a kernel");
        k->launch.feed = k->feed;
        set_overhead(k, config, l->in_graph);
        set_intervals(k, config, threads);
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
    x->bank[MIR_BANK_LITERAL] = (const uint8_t *)f->literals;
    x->bank_size[MIR_BANK_LITERAL] = f->num_literals * (uint32_t)sizeof *f->literals;
    x->bank[MIR_BANK_TEXTURE] = k->bank0 + texture_bank_offset(l->bank_size[MIR_BANK_LAUNCH]);
    memcpy(x->grid, l->grid, sizeof x->grid);
    memcpy(x->block, l->block, sizeof x->block);
    x->shared_bytes = shared;
    if (f->num_special) {
        x->special = heddle_alloc_array(f->num_special, sizeof *x->special, "special operations");
        for (uint32_t i = 0; i < f->num_special; i++)
            x->special[i].form = mir_special_form(f->special[i]);
    }
    x->grid_id = k->number;
    x->memory = l->memory ? l->memory : site->options->memory;
    x->io = site->io;
    k->key = (struct sample_key){.name = f->name,
                                 .num_inst = f->num_inst,
                                 .grid = {l->grid[0], l->grid[1], l->grid[2]},
                                 .block = {l->block[0], l->block[1], l->block[2]},
                                 .dynamic_shared = l->dynamic_shared,
                                 .shared_config = choice.bytes};
    k->untimed = l->untimed && site->options->timing == GPU_TIMING_RTL;
    x->immediate = site->options->timing == GPU_TIMING_NONE || k->untimed;
    k->fit = occupancy_table_occupancy(site->limits, &k->need);
    k->limit = limit_of(site, &k->need, &wants, k->fit);
    k->resident = k->fit * (uint32_t)config->sm_count;
    if (site->options->count_code && !x->immediate) k->count_groups = site->num_groups;
    k->launch.last_ctas = (uint32_t)(k->num_ctas > k->resident ? k->num_ctas - k->resident : 0);
    k->watch = site->watch;
    x->threads = site->options->threads;
    x->progress = progress;
    x->progress_user = k;
    x->in_order = true; /* one path from an SM to a slice */
    k->owner = l->owner;
    x->num_sms = (uint32_t)config->sm_count;
    x->sm_warps = (uint32_t)config->sm_warps;
    x->checks = site->options->checks;
    if (site->options->found) x->findings = exec_findings_create();
    x->name = k->name;
    *out = k;
    return HEDDLE_OK;
}
