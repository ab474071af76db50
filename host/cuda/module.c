/* module.c - see module.h */
#include "cuda/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/array.h"
#include "cuda/capture.h"
#include "cuda/fatbin.h"
#include "cuda_call_handlers.h"

/* ---- loading */

static unsigned capability(const struct config *c) {
    return (unsigned)(c->gpu_major * 10 + c->gpu_minor);
}

/* Memory for a variable, with its first value. @return 0: no memory. */
static uint64_t place(struct call *call, space_region region, uint64_t bytes, const uint8_t *init) {
    uint64_t address = space_alloc(call->server->o.space, region, bytes, 0, call->program);
    if (!address) return 0;
    if (init)
        memcpy((void *)(uintptr_t)address, init, bytes);
    else
        memset((void *)(uintptr_t)address, 0, bytes);
    return address;
}

/* The program's record of a managed variable, or NULL: it is an ordinary one. */
static struct symbol *find_managed(struct program *p, const struct module *m, const char *name) {
    for (size_t i = 0; i < p->num_symbols; i++)
        if (p->symbol[i]->module == m && p->symbol[i]->managed &&
            strcmp(p->symbol[i]->name, name) == 0)
            return p->symbol[i];
    return NULL;
}

/* A managed variable is placed once, for all devices. */
static uint64_t place_managed(struct call *call, struct symbol *s, const struct mir_symbol *mir) {
    if (!s->shared_address)
        s->shared_address = place(call, SPACE_MANAGED, mir->size ? mir->size : 1, mir->init);
    return s->shared_address;
}

static bool place_variables(struct call *call, struct module *m, unsigned device) {
    const struct mir_module *mir = m->mir;
    struct module_copy *on = &m->on[device];
    space_region region = (space_region)(SPACE_DEVICE + device);
    on->placed = true;
    on->address = calloc(mir->num_symbols + 1u, sizeof *on->address);
    on->address_bank = calloc(mir->address_slots + 1u, sizeof *on->address_bank);
    if (!on->address || !on->address_bank) return false;
    if (mir->const_bytes) {
        on->const_bank = place(call, region, mir->const_bytes, NULL);
        if (!on->const_bank) return false;
    }
    for (uint32_t i = 0; i < mir->num_symbols; i++) {
        const struct mir_symbol *s = &mir->symbols[i];
        struct symbol *managed = find_managed(call->program, m, s->name);
        if (s->space == MIR_SPACE_CONST) {
            on->address[i] = on->const_bank + s->offset;
            if (s->init) memcpy((void *)(uintptr_t)on->address[i], s->init, s->size);
        } else {
            on->address[i] = managed ? place_managed(call, managed, s)
                                     : place(call, region, s->size ? s->size : 1, s->init);
            if (!on->address[i]) return false;
        }
        if (s->address_slot < mir->address_slots)
            on->address_bank[s->address_slot] = on->address[i];
    }
    for (uint32_t i = 0; i < mir->num_relocs; i++) {
        const struct mir_reloc *r = &mir->relocs[i];
        uint64_t value = on->address[r->target] + (uint64_t)r->addend;
        memcpy((void *)(uintptr_t)(on->address[r->where] + r->offset), &value, sizeof value);
    }
    return true;
}

/* PTX for a newer GPU than the simulated one: told once, or refused. */
static heddle_err check_target(struct call *call, struct module *m, unsigned target,
                               struct heddle_diag *diag) {
    struct server *s = call->server;
    const struct config *c = s->o.config;
    if (target <= capability(c)) return HEDDLE_OK;
    if (s->o.strict_target) {
        m->error = HEDDLE_cudaErrorNoKernelImageForDevice;
        return heddle_fail(diag, HEDDLE_ERR_PTX_UNSUPPORTED,
                           "PTX is for compute capability %u.%u, %s has %llu.%llu "
                           "(--strict-target)",
                           target / 10, target % 10, c->gpu_name, (unsigned long long)c->gpu_major,
                           (unsigned long long)c->gpu_minor);
    }
    server_notice(s,
                  "PTX of %s is for compute capability %u.%u; it is run although %s has "
                  "%llu.%llu (--strict-target refuses it)",
                  call->program->name, target / 10, target % 10, c->gpu_name,
                  (unsigned long long)c->gpu_major, (unsigned long long)c->gpu_minor);
    return HEDDLE_OK;
}

/* All texts of a fat binary. */
static heddle_err compile_texts(struct call *call, struct module *m, const struct fatbin_ptx *ptx,
                                const char *name, struct heddle_diag *diag) {
    const struct server_options *o = &call->server->o;
    unsigned n = 0, i = 0;
    for (const struct fatbin_ptx *p = ptx; p; p = p->next) n++;
    struct server_ptx *text = calloc(n, sizeof *text);
    if (!text) return heddle_fail(diag, HEDDLE_ERR_NOMEM, "no memory for PTX");
    for (const struct fatbin_ptx *p = ptx; p; p = p->next)
        text[i++] = (struct server_ptx){p->text, p->bytes};
    heddle_err e = o->compile(o->config, &m->mir, text, n, name, diag);
    free(text);
    return e;
}

static heddle_err compile(struct call *call, struct module *m, struct heddle_diag *diag) {
    const struct config *c = call->server->o.config;
    struct fatbin_ptx ptx;
    char name[WIRE_NAME_BYTES + 32];
    snprintf(name, sizeof name, "%s:ptx%u", call->program->name, m->number);
    heddle_err e = fatbin_ptx(m->image, m->bytes, capability(c), &ptx, diag);
    if (e) return e;
    unsigned target = 0;
    for (const struct fatbin_ptx *p = &ptx; p; p = p->next)
        if (p->target > target) target = p->target;
    e = check_target(call, m, target, diag);
    if (!e) e = compile_texts(call, m, &ptx, name, diag);
    fatbin_free(&ptx);
    return e;
}

int module_load(struct call *call, struct module *m, unsigned device) {
    if (!m->loaded) {
        m->loaded = true;
        struct heddle_diag diag = {0};
        heddle_err e = compile(call, m, &diag);
        if (e) {
            if (!m->error) m->error = error_of(e);
            bool names_itself = e == HEDDLE_ERR_PTX_SYNTAX || e == HEDDLE_ERR_PTX_UNSUPPORTED ||
                                e == HEDDLE_ERR_PTX_RESOURCES; /* program:ptxN:LINE: ... */
            const char *why = *diag.text ? diag.text : heddle_err_text(e);
            server_error(call->server, "%s%s%s", names_itself ? "" : call->program->name,
                         names_itself ? "" : ": ", why);
            free(m->why);
            m->why = strdup(why);
        }
    }
    if (!m->error && m->mir->num_texrefs && !m->texture_bank) {
        m->texture_bank = calloc(m->mir->num_texrefs, sizeof *m->texture_bank);
        if (!m->texture_bank) m->error = HEDDLE_cudaErrorMemoryAllocation;
    }
    if (!m->error && !m->on[device].placed && !place_variables(call, m, device)) {
        m->error = HEDDLE_cudaErrorMemoryAllocation;
        server_error(call->server, "%s: no device memory for the module's variables",
                     call->program->name);
    }
    return m->error;
}

static void module_unload(struct module *m) {
    mir_module_free(m->mir);
    free(m->texture_bank);
    m->texture_bank = NULL;
    for (unsigned i = 0; i < SPACE_MAX_DEVICES; i++) {
        free(m->on[i].address);
        free(m->on[i].address_bank);
        m->on[i] = (struct module_copy){0};
    }
    m->mir = NULL;
    m->loaded = false;
    m->error = 0;
}

void module_release(struct call *call, struct module *m) {
    struct space *space = call->server->o.space;
    for (unsigned d = 0; d < SPACE_MAX_DEVICES; d++) {
        struct module_copy *on = &m->on[d];
        for (uint32_t i = 0; on->placed && i < m->mir->num_symbols; i++)
            if (m->mir->symbols[i].space != MIR_SPACE_CONST && on->address[i] &&
                !find_managed(call->program, m, m->mir->symbols[i].name))
                space_release(space, (space_region)(SPACE_DEVICE + d), on->address[i]);
        if (on->placed && on->const_bank)
            space_release(space, (space_region)(SPACE_DEVICE + d), on->const_bank);
        on->const_bank = 0;
        on->placed = false;
    }
    m->error = HEDDLE_cudaErrorInvalidResourceHandle;
}

void program_free_modules(struct program *p) {
    for (size_t i = 0; i < p->num_modules; i++) {
        module_unload(p->module[i]);
        free(p->module[i]->image);
        free(p->module[i]->why);
        free(p->module[i]);
    }
    for (size_t i = 0; i < p->num_functions; i++) {
        free(p->function[i]->name);
        free(p->function[i]->title);
        free(p->function[i]);
    }
    for (size_t i = 0; i < p->num_symbols; i++) {
        free(p->symbol[i]->name);
        free(p->symbol[i]);
    }
    free(p->module);
    free(p->function);
    free(p->symbol);
}

void program_reset(struct call *call) {
    struct program *p = call->program;
    objects_end(call->server, p);
    for (size_t i = 0; i < p->num_modules; i++) module_unload(p->module[i]);
    for (size_t i = 0; i < p->num_streams; i++) {
        if (p->stream[i].live)
            gpu_stream_destroy(server_gpu(call->server, p->stream[i].device),
                               p->stream[i].gpu_stream);
        p->stream[i].live = false;
    }
    for (size_t i = 0; i < p->num_events; i++) event_end(call->server, &p->event[i]);
    ipc_bequeath(call->server, p);
    p->num_imported = 0;
    captures_free(p);
    for (struct host_thread *t = call->server->threads; t; t = t->next)
        for (unsigned d = 0; t->program == p && d < SPACE_MAX_DEVICES; d++)
            t->own[d].capture = NULL;
    graphs_free(p->graphs);
    p->graphs = NULL;
    objects_free(p);
    arrays_free(p);
    free(p->pool);
    p->pool = NULL;
    p->num_pools = 0;
    for (size_t i = 0; i < p->num_symbols; i++) p->symbol[i]->shared_address = 0;
    space_release_owner(call->server->o.space, p);
}

/* ---- registration */

/* Appends to an array of pointers. */
static bool append(void *array, size_t *count, void *item) {
    void ***list = array;
    void **more = realloc(*list, (*count + 1) * sizeof *more);
    if (!more) return false;
    *list = more;
    more[(*count)++] = item;
    return true;
}

int do___cudaRegisterFatBinary(struct call *call, uint64_t *id) {
    struct program *p = call->program;
    struct module *m = calloc(1, sizeof *m);
    if (!m || !append(&p->module, &p->num_modules, m)) {
        free(m);
        return HEDDLE_cudaErrorMemoryAllocation;
    }
    m->bytes = call->payload_bytes;
    m->image = call_take_payload(call);
    m->number = (unsigned)p->num_modules;
    *id = p->num_modules;
    return m->image ? CUDA_SUCCESS : HEDDLE_cudaErrorMemoryAllocation;
}

/* Work in flight may still use the module: it is freed with the program. */
int do___cudaUnregisterFatBinary(struct call *call, uint64_t id) {
    return id - 1 < call->program->num_modules ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

int do___cudaRegisterFunction(struct call *call, uint64_t module, uint64_t *id) {
    struct program *p = call->program;
    if (module - 1 >= p->num_modules) return CUDA_ERROR_INVALID_VALUE;
    struct function *f = calloc(1, sizeof *f);
    if (!f || !append(&p->function, &p->num_functions, f)) {
        free(f);
        return HEDDLE_cudaErrorMemoryAllocation;
    }
    f->module = p->module[module - 1];
    f->carveout = -1;
    f->name = (char *)call_take_payload(call);
    f->title = f->name ? readable_name(f->name) : NULL;
    *id = p->num_functions;
    return f->title ? CUDA_SUCCESS : HEDDLE_cudaErrorMemoryAllocation;
}

int do___cudaRegisterVar(struct call *call, uint64_t module, uint64_t bytes, uint64_t constant,
                         uint64_t *id) {
    struct program *p = call->program;
    if (module - 1 >= p->num_modules) return CUDA_ERROR_INVALID_VALUE;
    struct symbol *s = calloc(1, sizeof *s);
    if (!s || !append(&p->symbol, &p->num_symbols, s)) {
        free(s);
        return HEDDLE_cudaErrorMemoryAllocation;
    }
    s->module = p->module[module - 1];
    s->bytes = bytes;
    s->constant = constant == 1;
    s->managed = constant == 2; /* what kind of variable it is */
    s->name = (char *)call_take_payload(call);
    *id = p->num_symbols;
    return s->name ? CUDA_SUCCESS : HEDDLE_cudaErrorMemoryAllocation;
}

/* ---- look-up */

struct function *find_function(const struct program *p, uint64_t id) {
    return id - 1 < p->num_functions ? p->function[id - 1] : NULL;
}

int function_load(struct call *call, uint64_t id, unsigned device, struct function **out,
                  const struct mir_function **code) {
    struct function *f = find_function(call->program, id);
    if (!f) return HEDDLE_cudaErrorInvalidDeviceFunction;
    int error = module_load(call, f->module, device);
    if (error) return error;
    const struct mir_module *m = f->module->mir;
    for (uint32_t i = 0; i < m->num_functions; i++) {
        if (strcmp(m->functions[i].name, f->name)) continue;
        *out = f;
        *code = &m->functions[i];
        return CUDA_SUCCESS;
    }
    server_error(call->server, "%s: the PTX has no kernel '%s'", call->program->name, f->name);
    return HEDDLE_cudaErrorInvalidDeviceFunction;
}

int symbol_resolve(struct call *call, uint64_t id, uint64_t *address, uint64_t *bytes) {
    if (id - 1 >= call->program->num_symbols) return HEDDLE_cudaErrorInvalidSymbol;
    const struct symbol *s = call->program->symbol[id - 1];
    unsigned device = call->thread->device;
    int error = module_load(call, s->module, device);
    if (error) return error;
    const struct mir_module *m = s->module->mir;
    for (uint32_t i = 0; i < m->num_symbols; i++) {
        if (strcmp(m->symbols[i].name, s->name)) continue;
        *address = s->module->on[device].address[i];
        *bytes = s->bytes ? s->bytes : m->symbols[i].size;
        return CUDA_SUCCESS;
    }
    server_error(call->server, "%s: the PTX has no variable '%s'", call->program->name, s->name);
    return HEDDLE_cudaErrorInvalidSymbol;
}

int describe_parameters(struct call *call, uint64_t id) {
    struct function *f;
    const struct mir_function *code;
    int error = function_load(call, id, call->thread->device, &f, &code);
    if (error) return error;
    enum { MOST = 1024 };
    struct {
        uint32_t offset, bytes;
    } layout[MOST];
    if (code->num_params > MOST) return HEDDLE_cudaErrorNotSupported;
    for (uint32_t i = 0; i < code->num_params; i++) {
        layout[i].offset = code->params[i].offset;
        layout[i].bytes = code->params[i].size;
    }
    if (code->num_params) call_push_last(call, 0, layout, code->num_params * sizeof layout[0]);
    call->out[0] = code->num_params;
    call->out[1] = code->param_bytes;
    return CUDA_SUCCESS;
}
