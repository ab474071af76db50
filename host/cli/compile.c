/* compile.c - compiles PTX text to MIR for a GPU. The server calls compile_texts() when a program
 * loads a module; `heddle ptx` calls the others. All run on the main thread. Functions that return
 * heddle_err explain an error in *diag; on success the caller frees *out with mir_module_free(). */
#include "cli/compile.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "common/memory.h"
#include "ptx/ptx.h"
#include "ptx/parse/ptx_link.h"

/* Copies latencies and intervals (cycles) of classes, and the latencies between pipes and of
 * guards, from the configuration into the compiler's options; a class without a parameter keeps its
 * default. */
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

/* Reads a file into *text, which the caller frees with g_free(); *bytes: its length. @return false
 * after printing an error. */
bool compile_read(const char *file, char **text, size_t *bytes) {
    GError *error = NULL;
    gsize n = 0;
    if (!g_file_get_contents(file, text, &n, &error)) {
        cli_error("%s", error->message);
        g_error_free(error);
        return false;
    }
    *bytes = n;
    return true;
}

/* Compiles one text into *out, scheduled for the latencies of `config`; `name` stands in messages.
 * `o`: options that say the rest.
 * @return the error of ptx_compile(), with *out NULL: HEDDLE_ERR_PTX_SYNTAX, PTX_UNSUPPORTED (diag
 * also gets a hint) or another. */
static heddle_err compile_text(const struct config *config, struct mir_module **out,
                               const char *text, size_t bytes, const char *name,
                               struct ptx_options o, struct heddle_diag *diag) {
    set_latencies(config, &o);
    o.registers_per_sm = (uint32_t)config->sm_registers;
    o.subcores = (uint32_t)config->sm_subcores;
    o.warps_per_sm = (uint32_t)config->sm_warps;
    o.shared_per_sm = (uint32_t)config->sm_shared_bytes;
    o.capability = (uint32_t)(10 * config->gpu_major + config->gpu_minor);
    o.hint = "\n    docs/limits.md says what is left out. Compiled for an older GPU (nvcc "
             "-arch=compute_75), a program may do without it.";
    return ptx_compile(text, bytes, name, &o, out, diag);
}

heddle_err compile_ptx(const struct config *config, struct mir_module **out, const char *text,
                       size_t bytes, const char *name, struct heddle_diag *diag) {
    struct ptx_options o;
    ptx_options_default(&o);
    return compile_text(config, out, text, bytes, name, o, diag);
}

/* A server_compile_fn: links n texts, if there are several, and compiles the result into *out.
 * Kernels are compiled when they are used. @return the error of ptx_link(), with *out untouched, or
 * of ptx_compile(). */
heddle_err compile_texts(const struct config *config, struct mir_module **out,
                         const struct server_ptx *ptx, unsigned n, const char *name,
                         struct heddle_diag *diag) {
    struct ptx_options o;
    ptx_options_default(&o);
    o.on_demand = true;
    o.linked = n > 1;
    if (n == 1) return compile_text(config, out, ptx->text, ptx->bytes, name, o, diag);
    struct ptx_piece *piece = heddle_alloc_array(n, sizeof *piece, "pieces of PTX");
    for (unsigned i = 0; i < n; i++) piece[i] = (struct ptx_piece){ptx[i].text, ptx[i].bytes};
    char *joined;
    size_t bytes;
    heddle_err e = ptx_link(piece, n, name, &joined, &bytes, diag);
    if (!e) e = compile_text(config, out, joined, bytes, name, o, diag);
    free(joined);
    free(piece);
    return e;
}
