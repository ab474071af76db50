/* fake_gpu.c - the functions of sched/gpu.h without a GPU, for tests of the CUDA layer alone.
 * Operations take effect in the order of their issue, when the caller waits for one of them
 * (gpu_wait()); a kernel is recorded and has no effect. All functions run on the server's thread
 * and ignore simulated time. */
#include <stdlib.h>
#include <string.h>

#include "sched/gpu.h"

struct fake_op {
    struct gpu_copy copy;
    bool is_copy;
    struct gpu_kernel_record kernel;
    bool is_kernel;
    struct gpu_condition condition; /* met NULL: none */
};

struct gpu {
    struct gpu_options options;
    struct fake_op *op;
    size_t count, capacity, done;
    struct gpu_kernel_record *record;
    size_t num_records;
    uint32_t streams;
    bool dead; /* gpu_give_up() */
};

heddle_err gpu_create(struct gpu **out, const struct gpu_options *options,
                      struct heddle_diag *diag) {
    *out = calloc(1, sizeof **out);
    if (!*out) return heddle_fail(diag, HEDDLE_ERR_NOMEM, "no memory");
    (*out)->options = *options;
    return HEDDLE_OK;
}

/* Forgets the operations that have not been carried out. */
static void drop(struct gpu *g) {
    for (; g->done < g->count; g->done++) free((char *)(uintptr_t)g->op[g->done].kernel.name);
}

void gpu_free(struct gpu *g) {
    if (!g) return;
    drop(g);
    for (size_t i = 0; i < g->num_records; i++) free((char *)(uintptr_t)g->record[i].name);
    free(g->record);
    free(g->op);
    free(g);
}

uint32_t gpu_stream_create(struct gpu *g, unsigned flags, int priority) {
    (void)flags, (void)priority;
    return ++g->streams;
}

heddle_err gpu_stream_destroy(struct gpu *g, uint32_t stream) {
    (void)g, (void)stream;
    return HEDDLE_OK;
}

/* Appends an operation to the list of all operations. Its ticket is its number, from 1 on. */
static heddle_err add(struct gpu *g, struct fake_op op, gpu_ticket *ticket) {
    if (g->count == g->capacity) {
        g->capacity = g->capacity ? 2 * g->capacity : 64;
        struct fake_op *more = realloc(g->op, g->capacity * sizeof *more);
        if (!more) return HEDDLE_ERR_NOMEM;
        g->op = more;
    }
    g->op[g->count++] = op;
    *ticket = g->count;
    return HEDDLE_OK;
}

/* Records the launch; gpu_wait() moves it to the records. */
heddle_err gpu_launch(struct gpu *g, uint32_t stream, const struct gpu_launch *l, uint64_t at_ps,
                      gpu_ticket *ticket, struct heddle_diag *diag) {
    (void)at_ps, (void)diag;
    struct fake_op op = {.is_kernel = true, .kernel = {.name = strdup(l->name), .stream = stream}};
    memcpy(op.kernel.grid, l->grid, sizeof l->grid);
    memcpy(op.kernel.block, l->block, sizeof l->block);
    return add(g, op, ticket);
}

heddle_err gpu_copy(struct gpu *g, uint32_t stream, const struct gpu_copy *copy, uint64_t at_ps,
                    gpu_ticket *ticket) {
    (void)stream, (void)at_ps;
    return add(g, (struct fake_op){.copy = *copy, .is_copy = true}, ticket);
}

heddle_err gpu_mark(struct gpu *g, uint32_t stream, uint64_t at_ps, gpu_ticket *ticket) {
    (void)stream, (void)at_ps;
    return add(g, (struct fake_op){0}, ticket);
}

heddle_err gpu_stream_wait(struct gpu *g, uint32_t stream, gpu_ticket awaited, uint64_t at_ps,
                           gpu_ticket *ticket) {
    (void)awaited;
    return gpu_mark(g, stream, at_ps, ticket);
}

heddle_err gpu_condition(struct gpu *g, uint32_t stream, const struct gpu_condition *condition,
                         uint64_t at_ps, gpu_ticket *ticket) {
    (void)stream, (void)at_ps;
    return add(g, (struct fake_op){.condition = *condition}, ticket);
}

heddle_err gpu_drive(struct gpu *g, bool *moved, struct heddle_diag *diag) {
    (void)g, (void)diag;
    *moved = false;
    return HEDDLE_OK;
}

void gpu_set_wait_hooks(struct gpu *g, gpu_others_fn others, gpu_pause_fn pause, void *user) {
    (void)g, (void)others, (void)pause, (void)user;
}

void gpu_set_looks(struct gpu *g, bool looks) {
    (void)g, (void)looks;
}

bool gpu_migrates(const struct gpu *g) {
    (void)g;
    return false;
}

void gpu_touch(struct gpu *g, uint32_t first, uint64_t mask, uint64_t at_ps) {
    (void)g, (void)first, (void)mask, (void)at_ps;
}

bool gpu_is_timed(const struct gpu *g) {
    (void)g;
    return false;
}

uint64_t gpus_next(struct gpu *const *g, unsigned n) {
    (void)g, (void)n;
    return UINT64_MAX;
}

uint64_t gpus_advance(struct gpu *const *g, unsigned n, uint64_t until_ps) {
    (void)g, (void)n, (void)until_ps;
    return 0;
}

uint64_t gpu_num_ended(const struct gpu *g) {
    (void)g;
    return 0;
}

void gpu_keep_short(struct gpu *g) {
    (void)g;
}

void gpu_advance(struct gpu *g, uint64_t until_ps) {
    (void)g, (void)until_ps;
}

void gpu_give_up(struct gpu *g, const char *text) {
    (void)text;
    g->dead = true;
}

/* Carries out all operations up to the ticket, at time 0: copies run, kernels become records. Stops
 * at a condition that is not met. */
heddle_err gpu_wait(struct gpu *g, gpu_ticket ticket, uint64_t *end_ps, struct heddle_diag *diag) {
    (void)diag;
    *end_ps = 0;
    if (g->dead) return HEDDLE_ERR_DEADLOCK;
    for (; g->done < ticket; g->done++) {
        struct fake_op *op = &g->op[g->done];
        if (op->condition.met && !op->condition.met(op->condition.user)) return HEDDLE_ERR_WAITING;
        if (op->is_copy) op->copy.perform(op->copy.user);
        if (!op->is_kernel) continue;
        g->record = realloc(g->record, (g->num_records + 1) * sizeof *g->record);
        op->kernel.launch = g->num_records;
        g->record[g->num_records++] = op->kernel;
    }
    return HEDDLE_OK;
}

heddle_err gpu_wait_stream(struct gpu *g, uint32_t stream, uint64_t *end_ps,
                           struct heddle_diag *diag) {
    (void)stream;
    return gpu_wait(g, g->count, end_ps, diag);
}

heddle_err gpu_wait_all(struct gpu *g, uint64_t *end_ps, struct heddle_diag *diag) {
    return gpu_wait(g, g->count, end_ps, diag);
}

heddle_err gpu_query(struct gpu *g, gpu_ticket ticket, uint64_t at_ps, bool *done, uint64_t *end_ps,
                     struct heddle_diag *diag) {
    (void)at_ps;
    heddle_err e = gpu_wait(g, ticket, end_ps, diag);
    *done = e != HEDDLE_ERR_WAITING;
    return *done ? e : HEDDLE_OK;
}

void gpu_set_failed(struct gpu *g, gpu_failed_fn failed, void *user) {
    (void)g, (void)failed, (void)user;
}

bool gpu_is_dead(const struct gpu *g) {
    return g->dead;
}

heddle_err gpu_settle(struct gpu *gpu, struct heddle_diag *diag) {
    (void)gpu;
    (void)diag;
    return HEDDLE_OK;
}

heddle_err gpu_reset(struct gpu *g, struct heddle_diag *diag) {
    (void)diag;
    drop(g);
    g->dead = false;
    return HEDDLE_OK;
}

const struct gpu_kernel_record *gpu_kernels(const struct gpu *g, size_t *count) {
    *count = g->num_records;
    return g->record;
}

size_t gpu_cancel(struct gpu *g, const void *owner, bool tell) {
    (void)owner, (void)tell;
    return g->count - g->done;
}

void gpu_end_cancelled(struct gpu *g) {
    (void)g;
}

void gpu_finish_cancelled(struct gpu *g) {
    (void)g;
}

void gpu_set_interrupted(struct gpu *g, gpu_interrupted_fn interrupted, void *user) {
    (void)g, (void)interrupted, (void)user;
}

uint64_t gpu_pending(const struct gpu *g, const void *owner) {
    (void)owner;
    return g->count - g->done;
}

uint64_t gpu_statistic(const struct gpu *g, unsigned row) {
    (void)g, (void)row;
    return 0;
}

struct exec_text *gpu_take_output(struct gpu *gpu, const void *owner) {
    (void)gpu, (void)owner;
    return NULL; /* nothing is executed */
}

bool gpu_set_heap(struct gpu *gpu, uint64_t bytes) {
    (void)gpu, (void)bytes;
    return true;
}

bool gpu_look(struct gpu *gpu, struct exec_look *look, unsigned *kernels) {
    (void)gpu;
    (void)look;
    (void)kernels;
    return true;
}

void gpu_tell_standing(struct gpu *gpu, gpu_standing_fn tell, void *user) {
    (void)gpu;
    (void)tell;
    (void)user;
}
