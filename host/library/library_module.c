/* library_module.c - code of the library's GPUs: from PTX or a fat binary to compiled kernels, with
 * the module's variables in device memory. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "cuda/base/fatbin.h"
#include "common/readable_name.h"
#include "library/library.h"
#include "ptx/ptx_target.h"

/* ---- reading */

/* The code that a call brings, and what becomes of it. */
struct loading {
    const uint8_t *code;
    size_t bytes;
    const char *name;
    heddle_module **out;
};

static const uint8_t elf_magic[] = {0x7f, 'E', 'L', 'F'}, fatbin_magic[] = {0x50, 0xed, 0x55, 0xba};

static bool begins_with(const struct loading *l, const uint8_t magic[4]) {
    return l->bytes >= 4 && !memcmp(l->code, magic, 4);
}

/* Compute capability of the GPU: 70 for 7.0. */
static unsigned capability(const struct config *c) {
    return (unsigned)(c->gpu_major * 10 + c->gpu_minor);
}

/* Compiles the PTX of a fat binary that suits the GPU. */
static heddle_err read_fatbin(const struct config *c, const struct loading *l,
                              struct mir_module **out, struct heddle_diag *diag) {
    struct fatbin_ptx ptx;
    heddle_err e = fatbin_ptx(l->code, l->bytes, capability(c), &ptx, diag);
    if (e) return e;
    unsigned n = 0;
    for (const struct fatbin_ptx *p = &ptx; p; p = p->next) n++;
    struct ptx_piece *piece = heddle_alloc_array(n, sizeof *piece, "pieces of PTX");
    n = 0;
    for (const struct fatbin_ptx *p = &ptx; p; p = p->next)
        piece[n++] = (struct ptx_piece){p->text, p->bytes};
    e = ptx_target_compile(c, piece, n, l->name, out, diag);
    free(piece);
    fatbin_free(&ptx);
    return e;
}

/* Reads the code into *out; kernels have no code yet. */
static heddle_err read_code(const struct config *c, const struct loading *l,
                            struct mir_module **out, struct heddle_diag *diag) {
    if (begins_with(l, elf_magic))
        return heddle_fail(diag, HEDDLE_ERR_FATBIN,
                           "%s: an ELF file holds machine code, which Heddle does not run: give "
                           "PTX text, or a fat binary with PTX (nvcc -fatbin "
                           "-gencode arch=compute_70,code=compute_70)",
                           l->name);
    if (begins_with(l, fatbin_magic)) return read_fatbin(c, l, out, diag);
    size_t bytes = l->bytes; /* a text may bring its NUL */
    if (bytes && !l->code[bytes - 1]) bytes--;
    const struct ptx_piece piece = {(const char *)l->code, bytes};
    return ptx_target_compile(c, &piece, 1, l->name, out, diag);
}

/* What the library does not offer, though Heddle can run it. */
static heddle_err check_module(const struct config *c, const struct mir_module *mir,
                               const char *name, struct heddle_diag *diag) {
    if (mir->target > capability(c))
        return heddle_fail(diag, HEDDLE_ERR_PTX_UNSUPPORTED,
                           "%s: PTX is for compute capability %u.%u, %s has %llu.%llu: compile it "
                           "for that, or take another GPU",
                           name, mir->target / 10, mir->target % 10, c->gpu_name,
                           (unsigned long long)c->gpu_major, (unsigned long long)c->gpu_minor);
    if (mir->num_texrefs)
        return heddle_fail(diag, HEDDLE_ERR_PTX_UNSUPPORTED,
                           "%s: texture reference '%s': the library has no textures; `heddle run` "
                           "has",
                           name, mir->texrefs[0].name);
    return HEDDLE_OK;
}

/* ---- placing */

/* module_place_fn */
static uint64_t place(void *user, const struct mir_symbol *s, uint64_t bytes) {
    const struct heddle_gpu *g = user;
    uint64_t address = address_space_alloc(g->space, REGION_DEVICE, bytes, 0, NULL);
    if (!address) return 0;
    if (s && s->init)
        memcpy((void *)(uintptr_t)address, s->init, bytes);
    else
        memset((void *)(uintptr_t)address, 0, bytes);
    return address;
}

/* Gives the memory of a module's variables back; all or a part has been placed. */
static void release_variables(struct heddle_gpu *g, const struct heddle_module *m) {
    const struct module_copy *on = &m->variables;
    for (uint32_t i = 0; on->address && i < m->mir->num_symbols; i++)
        if (m->mir->symbols[i].space != MIR_SPACE_CONST && on->address[i])
            address_space_release(g->space, REGION_DEVICE, on->address[i]);
    if (on->const_bank) address_space_release(g->space, REGION_DEVICE, on->const_bank);
}

static void module_free(struct heddle_module *m) {
    for (uint32_t i = 0; m->kernels && i < m->mir->num_functions; i++) {
        free(m->kernels[i].title);
        free(m->kernels[i].parameter_bytes);
    }
    free(m->kernels);
    module_copy_clear(&m->variables);
    mir_module_free(m->mir);
    free(m);
}

void library_free_modules(struct heddle_gpu *g) {
    for (struct heddle_module *m = g->modules, *next; m; m = next) {
        next = m->next;
        module_free(m);
    }
    g->modules = NULL;
}

/* Compiles all kernels and describes them. */
static heddle_err compile(struct heddle_module *m, struct heddle_diag *diag) {
    struct mir_module *mir = m->mir;
    m->kernels = heddle_alloc_array(mir->num_functions, sizeof *m->kernels, "kernels");
    for (uint32_t i = 0; i < mir->num_functions; i++) {
        heddle_err e = mir_module_compile(mir, i, diag);
        if (e) return e;
        const struct mir_function *f = &mir->functions[i];
        struct heddle_kernel *k = &m->kernels[i];
        *k = (struct heddle_kernel){
            .module = m,
            .code = f,
            .title = readable_name(f->name),
            .parameter_bytes = heddle_alloc_array(f->num_params, sizeof(uint32_t), "parameters")};
        for (uint32_t p = 0; p < f->num_params; p++) k->parameter_bytes[p] = f->params[p].size;
    }
    return HEDDLE_OK;
}

static heddle_err load(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    const struct loading *l = arguments;
    struct heddle_module *m = heddle_alloc(sizeof *m, "a module");
    heddle_err e = read_code(g->config, l, &m->mir, diag);
    if (!e) e = check_module(g->config, m->mir, l->name, diag);
    if (!e) e = compile(m, diag);
    if (!e && !module_copy_place(&m->variables, m->mir, place, g)) {
        e = heddle_fail(diag, HEDDLE_ERR_NOMEM, "%s: no device memory for the module's variables",
                        l->name);
        release_variables(g, m);
    }
    if (e) {
        module_free(m);
        return e;
    }
    m->next = g->modules;
    g->modules = m;
    *l->out = m;
    return HEDDLE_OK;
}

heddle_err heddle_module_load(heddle_gpu *gpu, const void *code, size_t bytes, const char *name,
                              heddle_module **out, struct heddle_diag *diag) {
    struct loading l = {code, bytes, name ? name : "module", out};
    if (!out || !code) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "code or out is NULL");
    *out = NULL;
    return library_call(gpu, load, &l, diag);
}

/* ---- what modules have */

/* @return an error: the GPU has no such module. */
static heddle_err check_owner(const struct heddle_gpu *g, const struct heddle_module *module,
                              struct heddle_diag *diag) {
    for (const struct heddle_module *m = g->modules; m; m = m->next)
        if (m == module) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "this is no module of this GPU");
}

const struct heddle_kernel *library_kernel(const struct heddle_gpu *g,
                                           const struct heddle_kernel *kernel,
                                           struct heddle_diag *diag) {
    for (const struct heddle_module *m = g->modules; m; m = m->next)
        for (uint32_t i = 0; i < m->mir->num_functions; i++)
            if (kernel == &m->kernels[i]) return kernel;
    heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "this is no kernel of this GPU");
    return NULL;
}

struct look_up {
    struct heddle_module *module;
    const char *name;
    uint32_t index;
    heddle_kernel **kernel;
    uint64_t *address, *bytes;
};

static heddle_err find_kernel(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    const struct look_up *l = arguments;
    heddle_err e = check_owner(g, l->module, diag);
    if (e) return e;
    const struct mir_module *mir = l->module->mir;
    for (uint32_t i = 0; i < mir->num_functions; i++) {
        if (strcmp(mir->functions[i].name, l->name)) continue;
        *l->kernel = &l->module->kernels[i];
        return HEDDLE_OK;
    }
    return heddle_fail(diag, HEDDLE_ERR_NO_SYMBOL, "%s has no kernel '%s'", mir->name, l->name);
}

heddle_err heddle_module_kernel(heddle_gpu *gpu, heddle_module *module, const char *name,
                                heddle_kernel **out, struct heddle_diag *diag) {
    struct look_up l = {.module = module, .name = name, .kernel = out};
    if (!out || !name) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "name or out is NULL");
    *out = NULL;
    return library_call(gpu, find_kernel, &l, diag);
}

static heddle_err kernel_at(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    const struct look_up *l = arguments;
    heddle_err e = check_owner(g, l->module, diag);
    if (e) return e;
    const struct mir_module *mir = l->module->mir;
    if (l->index >= mir->num_functions)
        return heddle_fail(diag, HEDDLE_ERR_NO_SYMBOL, "%s has %u kernels", mir->name,
                           mir->num_functions);
    *l->kernel = &l->module->kernels[l->index];
    return HEDDLE_OK;
}

heddle_err heddle_module_kernel_at(heddle_gpu *gpu, heddle_module *module, uint32_t index,
                                   heddle_kernel **out, struct heddle_diag *diag) {
    struct look_up l = {.module = module, .index = index, .kernel = out};
    if (!out) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "out is NULL");
    *out = NULL;
    return library_call(gpu, kernel_at, &l, diag);
}

static heddle_err find_variable(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    const struct look_up *l = arguments;
    heddle_err e = check_owner(g, l->module, diag);
    if (e) return e;
    const struct mir_module *mir = l->module->mir;
    for (uint32_t i = 0; i < mir->num_symbols; i++) {
        if (strcmp(mir->symbols[i].name, l->name)) continue;
        if (l->address) *l->address = l->module->variables.address[i];
        if (l->bytes) *l->bytes = mir->symbols[i].size;
        return HEDDLE_OK;
    }
    return heddle_fail(diag, HEDDLE_ERR_NO_SYMBOL, "%s has no variable '%s'", mir->name, l->name);
}

heddle_err heddle_module_variable(heddle_gpu *gpu, heddle_module *module, const char *name,
                                  uint64_t *address, uint64_t *bytes, struct heddle_diag *diag) {
    struct look_up l = {.module = module, .name = name, .address = address, .bytes = bytes};
    if (!name) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "name is NULL");
    return library_call(gpu, find_variable, &l, diag);
}

struct kernel_question {
    const struct heddle_kernel *kernel;
    struct heddle_kernel_info *out;
};

static heddle_err describe(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag) {
    const struct kernel_question *q = arguments;
    const struct heddle_kernel *k = library_kernel(g, q->kernel, diag);
    if (!k) return HEDDLE_ERR_ARGUMENT;
    const struct mir_function *f = k->code;
    const uint32_t exact = f->reqntid[0] * f->reqntid[1] * f->reqntid[2];
    *q->out = (struct heddle_kernel_info){.name = f->name,
                                          .num_parameters = f->num_params,
                                          .parameter_bytes = k->parameter_bytes,
                                          .registers = f->num_regs,
                                          .shared_bytes = f->shared_bytes,
                                          .local_bytes = f->local_bytes,
                                          .max_threads = exact ? exact : f->max_threads};
    return HEDDLE_OK;
}

heddle_err heddle_kernel_info(heddle_gpu *gpu, const heddle_kernel *kernel,
                              struct heddle_kernel_info *out, struct heddle_diag *diag) {
    struct kernel_question q = {kernel, out};
    if (!out) return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "out is NULL");
    return library_call(gpu, describe, &q, diag);
}
