/* gpu_code.c - what each instruction of a GPU's kernels did: adds the counts of a launch that has
 * ended to its kernel's profile, and finds the instructions that its record names.
 *
 * gpu_record() calls gpu_record_code() on the server's thread, between windows. A profile belongs
 * to a kernel's name and length, not to a module, which may be loaded again or be gone. Checkpoints
 * keep records, but no profiles: then a profile has places alone, so that a run that is resumed
 * reports the same as one that is not. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "sched/gpu_internal.h"

/* The profile of a kernel, which may be new. */
static struct code_profile *profile_of(struct gpu *gpu, const struct kernel *k) {
    const struct mir_function *f = k->launch.exec.function;
    for (size_t i = gpu->num_code; i-- > 0;)
        if (gpu->code[i]->num_inst == f->num_inst && !strcmp(gpu->code[i]->name, k->name))
            return gpu->code[i];
    gpu->code = heddle_grow(gpu->code, &gpu->cap_code, gpu->num_code + 1, sizeof *gpu->code,
                            "profiles of kernels");
    return gpu->code[gpu->num_code++] = code_profile_create(k->name, f, k->launch.exec.module);
}

void gpu_record_code(struct gpu *gpu, struct gpu_kernel_record *r, const struct kernel *k) {
    struct code_count *counts = k->launch.counts;
    for (unsigned s = 0; s < CODE_SPOTS; s++) r->spot[s] = CODE_NOWHERE;
    if (gpu->options.timing == GPU_TIMING_NONE || !gpu->options.count_code) return;
    struct code_profile *p = profile_of(gpu, k);
    r->code = p;
    if (!counts) return; /* executed functionally */
    for (uint32_t g = 1; g < k->count_groups; g++)
        code_counts_add(counts, counts + (size_t)g * p->num_inst, p->num_inst);
    if (!gpu->options.checkpoint) {
        code_counts_add(p->count, counts, p->num_inst);
        p->launches++;
    }
    code_spots_find(counts, p->num_inst, r->spot, r->spot_most);
}

void gpu_code_free(struct gpu *gpu) {
    for (size_t i = 0; i < gpu->num_code; i++) code_profile_free(gpu->code[i]);
    free(gpu->code);
}

const struct code_profile *const *gpu_code(const struct gpu *gpu, size_t *count) {
    *count = gpu->num_code;
    return (const struct code_profile *const *)gpu->code;
}
