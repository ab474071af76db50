/* library_launch.c - launches kernels on the library's GPUs. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "library/library.h"

struct launching {
    const struct heddle_kernel *kernel;
    const struct heddle_launch *launch;
    uint64_t *number;
};

/* Checks what the kernel says of its launches: parameters, and threads of a CTA. The GPU checks the
 * rest. */
static heddle_err check(const struct heddle_kernel *k, const struct heddle_launch *l,
                        const uint32_t block[3], struct heddle_diag *diag) {
    const struct mir_function *f = k->code;
    if (l->num_arguments != f->num_params)
        return heddle_fail(diag, HEDDLE_ERR_LAUNCH,
                           "kernel %s: %zu arguments were given, it has %u parameters", k->title,
                           l->num_arguments, f->num_params);
    for (uint32_t i = 0; i < f->num_params; i++) {
        if (l->arguments[i].bytes != f->params[i].size)
            return heddle_fail(diag, HEDDLE_ERR_LAUNCH,
                               "kernel %s: argument %u has %zu bytes, parameter %u has %u",
                               k->title, i, l->arguments[i].bytes, i, f->params[i].size);
        if (!l->arguments[i].value)
            return heddle_fail(diag, HEDDLE_ERR_LAUNCH, "kernel %s: argument %u is NULL", k->title,
                               i);
    }
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (f->max_threads && threads > f->max_threads)
        return heddle_fail(diag, HEDDLE_ERR_LAUNCH,
                           "kernel %s: a CTA has %llu threads, .maxntid allows %u", k->title,
                           (unsigned long long)threads, f->max_threads);
    if (f->reqntid[0] && memcmp(block, f->reqntid, sizeof f->reqntid))
        return heddle_fail(diag, HEDDLE_ERR_LAUNCH,
                           "kernel %s: a CTA of %u x %u x %u threads, .reqntid demands %u x %u x "
                           "%u",
                           k->title, block[0], block[1], block[2], f->reqntid[0], f->reqntid[1],
                           f->reqntid[2]);
    return HEDDLE_OK;
}

static heddle_err launch(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    const struct launching *a = arguments;
    const struct heddle_kernel *k = library_kernel(g, a->kernel, diag);
    if (!k) return HEDDLE_ERR_ARGUMENT;
    const struct heddle_launch *l = a->launch;
    const struct module_copy *on = &k->module->variables;
    struct gpu_launch own = {.function = k->code,
                             .module = k->module->mir,
                             .dynamic_shared = l->shared_bytes,
                             .wish = {.percent = -1},
                             .name = k->title};
    for (unsigned i = 0; i < 3; i++) {
        own.grid[i] = i && !l->grid[i] ? 1 : l->grid[i];
        own.block[i] = i && !l->block[i] ? 1 : l->block[i];
    }
    library_charge(g);
    heddle_err e = check(k, l, own.block, diag);
    if (e) return e;
    uint8_t *parameters = heddle_alloc(k->code->param_bytes, "parameters of a launch");
    for (uint32_t i = 0; i < k->code->num_params; i++)
        memcpy(parameters + k->code->params[i].offset, l->arguments[i].value,
               l->arguments[i].bytes);
    own.bank[MIR_BANK_LAUNCH] = parameters;
    own.bank_size[MIR_BANK_LAUNCH] = k->code->param_bytes;
    own.bank[MIR_BANK_USER] = (const uint8_t *)(uintptr_t)on->const_bank;
    own.bank_size[MIR_BANK_USER] = k->module->mir->const_bytes;
    own.bank[MIR_BANK_ADDRESS] = (const uint8_t *)on->address_bank;
    own.bank_size[MIR_BANK_ADDRESS] = k->module->mir->address_slots * 8;
    gpu_ticket ticket;
    e = gpu_launch(g->gpu, GPU_STREAM_LEGACY, &own, g->now_ps, &ticket, diag);
    free(parameters);
    if (e) return e;
    *a->number = g->num_issued++;
    g->newest = ticket;
    gpu_keep_short(g->gpu);
    return HEDDLE_OK;
}

heddle_err heddle_gpu_launch(heddle_gpu *gpu, const heddle_kernel *kernel,
                             const struct heddle_launch *shape, uint64_t *number,
                             struct heddle_diag *diag) {
    uint64_t unasked;
    struct launching a = {kernel, shape, number ? number : &unasked};
    if (!kernel || !shape)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "kernel or launch is NULL");
    if (shape->num_arguments && !shape->arguments)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "arguments is NULL");
    return library_call(gpu, launch, &a, diag);
}
