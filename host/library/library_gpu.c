/* library_gpu.c - creates and destroys the GPUs of the library, and advances them: the part of
 * `heddle run` (cli/run_setup.c) that a GPU without programs needs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "cuda/base/memory_near.h"
#include "library/library.h"

const char *heddle_version(void) {
    return HEDDLE_VERSION;
}

/* ---- callbacks of the GPU, inside a call on it */

/* gpu_failed_fn: keeps the first failure, for the call that waits. */
static void on_failed(void *user, const struct gpu_failure *f) {
    struct heddle_gpu *g = user;
    char near[MEMORY_NEAR_BYTES] = "";
    if (g->failure.err) return;
    if (f->fault) memory_near_fault(g->space, f->fault, near);
    heddle_fail(&g->failure, f->err, "%s%s", *f->text ? f->text : heddle_err_text(f->err), near);
}

/* gpu_progress_fn */
static void on_progress(void *user, const struct gpu_progress *p) {
    struct heddle_gpu *g = user;
    const struct heddle_progress told = {.kernel = p->kernel,
                                         .launch = p->launch,
                                         .ctas_done = p->ctas_done,
                                         .ctas = p->ctas,
                                         .cycles = p->cycles};
    if (!g->progress || g->stopped || g->progress(g->progress_user, &told)) return;
    g->stopped = true;
    gpu_cancel(g->gpu, NULL, false);
}

/* exec_heap_fn */
static uint64_t heap_memory(void *user, uint64_t bytes) {
    const struct heddle_gpu *g = user;
    return address_space_alloc(g->space, REGION_DEVICE, bytes, 0, NULL);
}

/* ---- life */

/* The folder of this library, without links; false: it is not known. */
static bool find_library(char folder[PATH_MAX]) {
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)heddle_gpu_create, &info) || !info.dli_fname) return false;
    char *path = realpath(info.dli_fname, NULL), *slash = path ? strrchr(path, '/') : NULL;
    if (slash) {
        *slash = '\0';
        snprintf(folder, PATH_MAX, "%s", path);
    }
    free(path);
    return slash != NULL;
}

/* Reads the GPU's file, maps its memory and creates the GPU, in this order, into *g, which
 * free_gpu() frees whatever the result. */
static heddle_err build(struct heddle_gpu *g, const struct heddle_gpu_options *o,
                        struct heddle_diag *diag) {
    char folder[PATH_MAX], gpus[PATH_MAX + 32], core[PATH_MAX + 64];
    if (o->timing != HEDDLE_TIMING_RTL && o->timing != HEDDLE_TIMING_NONE)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "timing %d: HEDDLE_TIMING_RTL or HEDDLE_TIMING_NONE", (int)o->timing);
    if (o->threads > 1024)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "threads %u: at most 1024", o->threads);
    if (!find_library(folder))
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot find out where libheddle.so is");
    const char *name = strrchr(folder, '/'); /* beside it is share */
    snprintf(gpus, sizeof gpus, "%.*s/share/heddle/gpus", (int)(name - folder), folder);
    heddle_err e = config_load(&g->config, o->gpu ? o->gpu : "v100", gpus, o->settings,
                               o->num_settings, diag);
    if (e) return e;
    const struct address_space_size size = {
        .device_bytes = g->config->dram_bytes, .devices = 1, .elsewhere = true};
    e = address_space_create(&g->space, &size, diag);
    if (e) return e;
    const char *emulation = core_emulation((uint32_t)g->config->sm_subcores);
    snprintf(core, sizeof core, "%s/%s", folder, emulation ? emulation : "");
    const bool timed = o->timing == HEDDLE_TIMING_RTL;
    const struct gpu_options options = {.config = g->config,
                                        .memory = address_space_memory(g->space),
                                        .timing = timed ? GPU_TIMING_RTL : GPU_TIMING_NONE,
                                        .sm_groups = 1,
                                        .threads = timed && o->threads ? o->threads : 1,
                                        .cards = {.library = emulation ? core : NULL, .any = true},
                                        .checks = EXEC_CHECK_SYNC,
                                        .timeout_ps = o->timeout_ps,
                                        .progress = on_progress,
                                        .progress_user = g,
                                        .heap = heap_memory,
                                        .heap_user = g,
                                        .ended = library_keep_record,
                                        .report_user = g};
    e = gpu_create(&g->gpu, &options, diag);
    if (!e) gpu_set_failed(g->gpu, on_failed, g);
    g->call_ps = timed ? g->config->cpu_api_cost * 1000 : 0;
    return e;
}

static void free_gpu(struct heddle_gpu *g) {
    gpu_free(g->gpu);
    library_free_modules(g);
    library_forget_records(g);
    address_space_free(g->space);
    config_free(g->config);
    free(g->records);
    free(g->output);
    free(g->json);
    free(g);
}

/* library_fn of a new GPU that already lives, so that it counts as busy. */
static heddle_err create(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    return build(g, arguments, diag);
}

heddle_err heddle_gpu_create(heddle_gpu **out, const struct heddle_gpu_options *options,
                             struct heddle_diag *diag) {
    struct heddle_gpu_options o = {.gpu = NULL};
    if (!out) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "out is NULL");
    *out = NULL;
    if (options) o = *options;
    struct heddle_gpu *g = calloc(1, sizeof *g);
    if (!g) return heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of host memory for a GPU");
    library_begin_life(g);
    heddle_err e = library_call(g, create, &o, diag);
    if (e)
        heddle_gpu_destroy(g);
    else
        *out = g;
    return e;
}

heddle_err heddle_gpu_destroy(heddle_gpu *gpu) {
    if (!gpu) return HEDDLE_OK;
    if (!library_end_life(gpu)) return HEDDLE_ERR_ARGUMENT;
    if (!gpu->broken) free_gpu(gpu); /* else what it was doing is half done */
    return HEDDLE_OK;
}

struct progress_choice {
    heddle_progress_fn progress;
    void *user;
};

static heddle_err set_progress(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    const struct progress_choice *c = arguments;
    (void)diag;
    g->progress = c->progress;
    g->progress_user = c->user;
    return HEDDLE_OK;
}

heddle_err heddle_gpu_set_progress(heddle_gpu *gpu, heddle_progress_fn progress, void *user,
                                   struct heddle_diag *diag) {
    struct progress_choice c = {progress, user};
    return library_call(gpu, set_progress, &c, diag);
}

/* ---- time */

heddle_err library_errors(struct heddle_gpu *g, struct heddle_diag *diag) {
    if (!gpu_pending(g->gpu, NULL)) gpu_hand_over(g->gpu);
    if (g->stopped) {
        g->stopped = false;
        g->failure.err = HEDDLE_OK;
        return heddle_fail(diag, HEDDLE_ERR_STOPPED,
                           "the progress function has given up the launches that had not ended");
    }
    if (!g->failure.err) return HEDDLE_OK;
    *diag = g->failure;
    g->failure.err = HEDDLE_OK;
    return diag->err;
}

heddle_err library_wait(struct heddle_gpu *g, gpu_ticket ticket, struct heddle_diag *diag) {
    struct heddle_diag of_gpu = {.err = HEDDLE_OK};
    uint64_t end_ps = 0, ended;
    heddle_err e;
    do { /* with timing off, a wait may find nothing left to do just after it has done it */
        ended = gpu_num_ended(g->gpu);
        e = ticket ? gpu_wait(g->gpu, ticket, &end_ps, &of_gpu)
                   : gpu_wait_all(g->gpu, &end_ps, &of_gpu);
    } while (e == HEDDLE_ERR_WAITING && gpu_num_ended(g->gpu) != ended);
    if (end_ps > g->now_ps) g->now_ps = end_ps;
    heddle_err first = library_errors(g, diag);
    if (first || !e) return first;
    *diag = of_gpu;
    return e;
}

static heddle_err synchronize(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    (void)arguments;
    library_charge(g);
    return library_wait(g, 0, diag);
}

heddle_err heddle_gpu_synchronize(heddle_gpu *gpu, struct heddle_diag *diag) {
    return library_call(gpu, synchronize, NULL, diag);
}

struct run_limit {
    uint64_t until_ps;
    bool done;
};

static heddle_err run_until(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    struct run_limit *r = arguments;
    struct heddle_diag of_gpu = {.err = HEDDLE_OK};
    uint64_t end_ps;
    if (!gpu_is_timed(g->gpu)) {
        heddle_err e = library_wait(g, 0, diag);
        r->done = !gpu_pending(g->gpu, NULL);
        if (r->until_ps > g->now_ps) g->now_ps = r->until_ps;
        return e;
    }
    /* operations end in the order of their issue; an end may be known before its time */
    heddle_err e = HEDDLE_OK;
    if (g->newest)
        e = gpu_query(g->gpu, g->newest, r->until_ps, &r->done, &end_ps, &of_gpu);
    else
        r->done = true;
    if (r->until_ps > g->now_ps) g->now_ps = r->until_ps;
    heddle_err first = library_errors(g, diag);
    if (first || !e) return first;
    if (!gpu_is_dead(g->gpu)) { /* the newest launch has failed, as an earlier call has said */
        r->done = true;
        return HEDDLE_OK;
    }
    *diag = of_gpu;
    return e;
}

heddle_err heddle_gpu_run(heddle_gpu *gpu, uint64_t until_ps, bool *done,
                          struct heddle_diag *diag) {
    struct run_limit r = {until_ps, false};
    heddle_err e = library_call(gpu, run_until, &r, diag);
    if (done) *done = r.done;
    return e;
}

static heddle_err time_of(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    (void)diag;
    *(uint64_t *)arguments = g->now_ps;
    return HEDDLE_OK;
}

heddle_err heddle_gpu_time(heddle_gpu *gpu, uint64_t *ps, struct heddle_diag *diag) {
    if (!ps) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "ps is NULL");
    return library_call(gpu, time_of, ps, diag);
}

/* ---- what kernels print */

struct output {
    const char *text;
    size_t bytes;
};

static heddle_err take_output(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    struct output *o = arguments;
    size_t bytes = 0, capacity = 0;
    char *text = heddle_grow(NULL, &capacity, 1, 1, "the output of kernels");
    for (struct exec_text *t = gpu_take_output(g->gpu, NULL), *next; t; t = next) {
        next = t->next;
        text = heddle_grow(text, &capacity, bytes + t->bytes + 1, 1, "the output of kernels");
        memcpy(text + bytes, t->text, t->bytes);
        bytes += t->bytes;
        free(t);
    }
    (void)diag;
    text[bytes] = '\0';
    free(g->output);
    g->output = text;
    *o = (struct output){text, bytes};
    return HEDDLE_OK;
}

heddle_err heddle_gpu_output(heddle_gpu *gpu, const char **text, size_t *bytes,
                             struct heddle_diag *diag) {
    struct output o = {"", 0};
    heddle_err e = library_call(gpu, take_output, &o, diag);
    if (text) *text = o.text;
    if (bytes) *bytes = o.bytes;
    return e;
}
