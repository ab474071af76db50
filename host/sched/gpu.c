/* gpu.c - creates and frees a GPU, and takes the operations that the host issues; see gpu.h.
 *
 * The CUDA layer (cuda/object) calls these functions on the server's thread, one per CUDA call.
 * Issuing adds an operation to gpu->ops and, with timing on, sends the message ISSUE to the
 * scheduler; nothing is simulated until a wait (gpu_wait.c), except that a launch may take a
 * checkpoint. Conventions: gpu_internal.h. */
#include <stdlib.h>

#include "common/memory.h"
#include "sched/gpu_internal.h"
#include "timing/message.h"

/* Allocates the GPU, its operations and its device io; with timing on also places on the fabric and
 * the components, which opens the timing cores. Copies *options and borrows what it points to.
 * @return an error with text in diag and *out NULL: HEDDLE_ERR_NOMEM, or with timing on CONFIG,
 * BACKEND or PROTOCOL. */
heddle_err gpu_create(struct gpu **out, const struct gpu_options *options,
                      struct heddle_diag *diag) {
    struct gpu *gpu = heddle_alloc(sizeof *gpu, "a GPU");
    *out = NULL;
    gpu->options = *options;
    if (!options->simulating) gpu->options.simulating = &gpu->own_stopwatch;
    gpu->watch = (struct progress_watch){.tell = options->progress,
                                         .moment = options->moment,
                                         .user = options->progress_user,
                                         .device = options->device};
    gpu->link_latency_ps = options->config->link_latency;
    gpu_limits(options->config, &gpu->limits);
    gpu->ops = ops_create();
    heddle_err e = exec_io_create(&gpu->io, options->memory, options->heap, options->heap_user);
    if (!e && options->sample && options->timing == GPU_TIMING_RTL)
        gpu->sampler = sampler_create(options->sample);
    if (e) heddle_fail(diag, e, "out of memory for a GPU");
    gpu_timeline_begin(gpu);
    if (!e && options->timing == GPU_TIMING_RTL) e = gpu_wire(gpu, diag);
    if (!e && options->timing == GPU_TIMING_RTL) e = gpu_build(gpu, diag);
    if (e) {
        gpu_free(gpu);
        return e;
    }
    *out = gpu;
    return HEDDLE_OK;
}

/* Drops unfinished work and frees everything that the GPU owns; closes its cores. No wait may be
 * running. Accepts NULL. */
void gpu_free(struct gpu *gpu) {
    if (!gpu) return;
    gpu_abandon_immediate(gpu);
    gpu_tear_down(gpu);
    gpu_unwire(gpu);
    for (uint64_t i = gpu->first_kernel; i < gpu->num_kernels; i++) {
        struct kernel *k = gpu->kernels[i & gpu->launches.mask];
        if (k) kernel_free(k);
    }
    while (gpu->dropped) {
        struct kernel *k = gpu->dropped;
        gpu->dropped = k->next;
        kernel_free(k);
    }
    ops_free(gpu->ops);
    free(gpu->since);
    sampler_free(gpu->sampler);
    exec_warming_free(gpu->warming);
    free(gpu->kernels);
    free(gpu->launches.of);
    free(gpu->records);
    gpu_code_free(gpu);
    while (gpu->output) {
        struct exec_text *t = gpu->output;
        gpu->output = t->next;
        free(t);
    }
    exec_io_free(gpu->io);
    cta_log_free(gpu->ctas);
    free(gpu);
}

uint32_t gpu_stream_create(struct gpu *gpu, unsigned flags, int priority) {
    return ops_stream_create(gpu->ops, flags, priority);
}

/* Operations on the stream go on. @return HEDDLE_ERR_ARGUMENT for the legacy stream or none. */
heddle_err gpu_stream_destroy(struct gpu *gpu, uint32_t stream) {
    return ops_stream_destroy(gpu->ops, stream);
}

/* Makes room for one more launch in the rings. */
static void reserve_kernels(struct gpu *gpu) {
    uint64_t room = gpu->kernels ? gpu->launches.mask + 1 : 0;
    if (gpu->num_kernels - gpu->first_kernel < room) return;
    uint64_t more = room ? 2 * room : 64;
    struct kernel **kernels = heddle_alloc_array(more, sizeof(struct kernel *), "launches");
    const struct timing_launch **of = heddle_alloc_array(more, sizeof *of, "launches");
    for (uint64_t i = gpu->first_kernel; i < gpu->num_kernels; i++) {
        kernels[i & (more - 1)] = gpu->kernels[i & gpu->launches.mask];
        of[i & (more - 1)] = gpu->launches.of[i & gpu->launches.mask];
    }
    free(gpu->kernels);
    free(gpu->launches.of);
    gpu->kernels = kernels;
    gpu->launches = (struct timing_launches){of, more - 1};
}

/* Frees kernels and operations that nobody can name any more. With timing on, messages may be under
 * way that name a launch that has ended: it stays until so many later ones were issued that none
 * can be. Hands over the records of copies. */
void gpu_trim(struct gpu *gpu) {
    enum { MARGIN = 4096 };
    const bool timed = gpu->options.timing != GPU_TIMING_NONE;
    for (struct op *op; (op = ops_old(gpu->ops, timed ? MARGIN : 64)); ops_drop(gpu->ops))
        gpu_copy_hand_over(gpu, op);
    while (gpu->options.ended && gpu->first_kernel + (timed ? MARGIN : 0) < gpu->num_kernels) {
        struct kernel **k = &gpu->kernels[gpu->first_kernel & gpu->launches.mask];
        if (*k && !(*k)->reported) break;
        if (*k) kernel_free(*k);
        *k = NULL;
        gpu->first_kernel++;
    }
}

/* @return when an operation that the host issues at at_ps reaches the GPU. The simulation may be up
 * to a look-ahead beyond the last end that the host knows of; nothing may begin in that time, or
 * results would depend on the length of windows (gpu->floor_ps). */
static uint64_t arrival(const struct gpu *gpu, uint64_t at_ps) {
    uint64_t t = at_ps + gpu->link_latency_ps;
    return t > gpu->floor_ps ? t : gpu->floor_ps;
}

/* Sends ISSUE to the scheduler, arriving at op->ready_ps, unless the operation waits for others on
 * the GPU or timing is off. The operation must be filled in. */
static void issue(struct gpu *gpu, const struct op *op) {
    if (op->travels)
        message_send_issue(gpu->fabric, gpu->wiring.host_id, gpu->wiring.scheduler_id, op->ready_ps,
                           &(struct message_issue){.ticket = op->ticket});
}

/* Takes a checkpoint if one is due (which simulates everything issued before), creates the kernel,
 * adds its operation to the stream and sends ISSUE. *ticket: the operation, 0 on an error. @return
 * HEDDLE_ERR_LAUNCH or PTX_RESOURCES (the launch is not possible), ARGUMENT (no such stream),
 * NOMEM, or the sticky error; text is in diag. */
heddle_err gpu_launch(struct gpu *gpu, uint32_t stream, const struct gpu_launch *launch,
                      uint64_t at_ps, gpu_ticket *ticket, struct heddle_diag *diag) {
    struct kernel *k;
    struct op *op;
    *ticket = 0;
    struct heddle_diag local = {0};
    if (gpu->dead) return gpu_sticky(gpu, diag);
    if (gpu_checkpoint(gpu, diag ? diag : &local)) return gpu_sticky(gpu, diag);
    reserve_kernels(gpu);
    const struct kernel_site site = {.options = &gpu->options,
                                     .limits = &gpu->limits,
                                     .num_groups = gpu->options.sm_groups,
                                     .io = gpu->io,
                                     .watch = &gpu->watch};
    heddle_err e = kernel_create(&k, &site, gpu->num_kernels, launch, diag);
    if (e) return e;
    e = ops_add(gpu->ops, OP_LAUNCH, stream, arrival(gpu, at_ps), &op);
    if (e) {
        kernel_free(k);
        return heddle_fail(diag, e, "launch on stream %u: %s", stream, heddle_err_text(e));
    }
    op->kernel = k;
    k->op = op;
    k->priority = ops_stream_priority(gpu->ops, stream);
    gpu->launches.of[gpu->num_kernels & gpu->launches.mask] = &k->launch;
    gpu->kernels[gpu->num_kernels++ & gpu->launches.mask] = k;
    issue(gpu, op);
    gpu_trim(gpu);
    *ticket = op->ticket;
    return HEDDLE_OK;
}

/* Adds a copy's operation and sends ISSUE; a wait that reaches its end calls copy->perform.
 * *ticket: the operation, 0 on an error. @return the sticky error, or HEDDLE_ERR_ARGUMENT if there
 * is no such stream. */
heddle_err gpu_copy(struct gpu *gpu, uint32_t stream, const struct gpu_copy *copy, uint64_t at_ps,
                    gpu_ticket *ticket) {
    struct op *op;
    *ticket = 0;
    if (gpu->dead) return gpu->dead;
    heddle_err e = ops_add(gpu->ops, OP_COPY, stream, arrival(gpu, at_ps), &op);
    if (e) return e;
    op->copy = *copy;
    issue(gpu, op);
    gpu_trim(gpu);
    *ticket = op->ticket;
    return HEDDLE_OK;
}

bool gpu_migrates(const struct gpu *gpu) {
    return gpu->options.timing == GPU_TIMING_RTL && gpu->timing.managed;
}

void gpu_touch(struct gpu *gpu, uint32_t first, uint64_t mask, uint64_t at_ps) {
    if (gpu->dead || !gpu->scheduler || !gpu->timing.managed) return;
    message_send_host_touch(
        gpu->fabric, gpu->wiring.host_id, gpu->wiring.scheduler_id, arrival(gpu, at_ps),
        &(struct message_host_touch){
            .first = first, .mask = mask, .births = gpu->timing.managed->births});
}

/* Adds a marker and sends ISSUE, on a dead GPU as well. *ticket: the marker, 0 on an error. @return
 * HEDDLE_ERR_ARGUMENT if there is no such stream. */
heddle_err gpu_mark(struct gpu *gpu, uint32_t stream, uint64_t at_ps, gpu_ticket *ticket) {
    struct op *op;
    *ticket = 0;
    if (gpu->dead) return gpu->dead;
    heddle_err e = ops_add(gpu->ops, OP_MARK, stream, arrival(gpu, at_ps), &op);
    if (e) return e;
    issue(gpu, op);
    gpu_trim(gpu);
    *ticket = op->ticket;
    return HEDDLE_OK;
}

/* Adds a marker that also waits for operation `awaited` (0: none), and sends ISSUE. *ticket and
 * result as for gpu_mark(). */
heddle_err gpu_stream_wait(struct gpu *gpu, uint32_t stream, gpu_ticket awaited, uint64_t at_ps,
                           gpu_ticket *ticket) {
    struct op *op;
    *ticket = 0;
    if (gpu->dead) return gpu->dead;
    heddle_err e = ops_stream_wait(gpu->ops, stream, awaited, arrival(gpu, at_ps), &op);
    if (e) return e;
    issue(gpu, op);
    gpu_trim(gpu);
    *ticket = op->ticket;
    return HEDDLE_OK;
}

/* Adds a condition's operation and sends ISSUE; waits call `met` on the server's thread until it is
 * true. *ticket: the operation, 0 on an error. @return the sticky error, or HEDDLE_ERR_ARGUMENT if
 * there is no such stream. */
heddle_err gpu_condition(struct gpu *gpu, uint32_t stream, const struct gpu_condition *condition,
                         uint64_t at_ps, gpu_ticket *ticket) {
    struct op *op;
    *ticket = 0;
    if (gpu->dead) return gpu->dead;
    heddle_err e = ops_add(gpu->ops, OP_CONDITION, stream, arrival(gpu, at_ps), &op);
    if (e) return e;
    op->condition = *condition;
    issue(gpu, op);
    *ticket = op->ticket;
    return HEDDLE_OK;
}

bool gpu_set_heap(struct gpu *gpu, uint64_t bytes) {
    return exec_io_set_heap(gpu->io, bytes);
}

/* Copies that have not ended have no record. */
void gpu_hand_over(struct gpu *gpu) {
    gpu_timeline_end(gpu);
    gpu_records_hand_over(gpu, gpu->num_records);
    for (gpu_ticket t = 1, newest = ops_newest(gpu->ops); t <= newest; t++) {
        const struct op *op = ops_get(gpu->ops, t);
        if (op) gpu_copy_hand_over(gpu, op);
    }
    gpu->options.copied = NULL;
}
