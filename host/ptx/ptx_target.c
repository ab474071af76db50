/* ptx_target.c - see ptx_target.h. The command (cli/compile.c) and the library (library_module.c)
 * compile through it, so that both get the same code. */
#include "ptx/ptx_target.h"

#include <stdio.h>
#include <stdlib.h>

/* Copies latencies and intervals (cycles) of classes, and the latencies between pipes and of
 * guards; a class without a parameter keeps its default. */
static void set_latencies(const struct config *config, struct ptx_options *o) {
    static const char *const prefix[MIR_CLASS_COUNT] = {
#define CLASS(id, pipe, variable, param, text) param,
#include "tables/mir_classes.def"
#undef CLASS
    };
    for (unsigned i = 0; i < MIR_CLASS_COUNT; i++) {
        char key[64];
        double cycles;
        snprintf(key, sizeof key, "pipe.%s.latency", prefix[i]);
        if (config_number(config, key, &cycles) == HEDDLE_OK)
            o->latency[i] = (uint8_t)(cycles < UINT8_MAX ? cycles : UINT8_MAX);
        snprintf(key, sizeof key, "pipe.%s.interval", prefix[i]);
        if (config_number(config, key, &cycles) == HEDDLE_OK) o->interval[i] = (uint8_t)cycles;
    }
    o->crossing = (uint8_t)config->pipe_crossing;
    o->to_sfu = (uint8_t)config->pipe_to_sfu;
    o->to_memory = (uint8_t)config->pipe_to_memory;
    o->predicate_latency = (uint8_t)config->pipe_guard;
}

void ptx_target_options(const struct config *config, struct ptx_options *o) {
    set_latencies(config, o);
    o->registers_per_sm = (uint32_t)config->sm_registers;
    o->subcores = (uint32_t)config->sm_subcores;
    o->warps_per_sm = (uint32_t)config->sm_warps;
    o->shared_per_sm = (uint32_t)config->sm_shared_bytes;
    o->capability = (uint32_t)(10 * config->gpu_major + config->gpu_minor);
    o->hint = "\n    docs/limits.md says what is left out. Compiled for an older GPU (nvcc "
              "-arch=compute_75), a program may do without it.";
}

heddle_err ptx_target_compile(const struct config *config, const struct ptx_piece *piece,
                              unsigned n, const char *name, struct mir_module **out,
                              struct heddle_diag *diag) {
    struct ptx_options o;
    ptx_options_default(&o);
    ptx_target_options(config, &o);
    o.on_demand = true;
    o.linked = n > 1;
    if (n == 1) return ptx_compile(piece->text, piece->len, name, &o, out, diag);
    char *joined;
    size_t bytes;
    heddle_err e = ptx_link(piece, n, name, &joined, &bytes, diag);
    if (!e) e = ptx_compile(joined, bytes, name, &o, out, diag);
    free(joined);
    return e;
}
