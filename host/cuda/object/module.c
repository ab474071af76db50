/* module.c - device code of a program: registers, compiles and places modules, and finds their
 * kernels and variables; see module.h.
 *
 * Runs in the server, on its thread, for handlers of calls. The functions change the program's
 * lists of modules, kernels and variables, and allocate device and managed memory in the address
 * space. The server writes to device memory directly, in no target time. Functions that return int
 * return a cudaError_t, named here without the prefix "cudaError"; an error of loading is kept in
 * module.error, and returned by every later use of the module. */
#include "cuda/object/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "cuda/base/diagnostics.h"
#include "cuda/base/fatbin.h"
#include "cuda/base/payload.h"
#include "common/readable_name.h"
#include "cuda/object/shared_code.h"
#include "exec/memory/managed_blocks.h"

/* ---- loading */

/* Compute capability of the simulated GPU: 70 for 7.0. */
static unsigned capability(const struct config *c) {
    return (unsigned)(c->gpu_major * 10 + c->gpu_minor);
}

/* Allocates memory of the region for a variable of the calling program and writes its first value
 * (NULL: zeros). @return the address; 0: no memory. */
static uint64_t place(struct call *call, memory_region region, uint64_t bytes,
                      const uint8_t *init) {
    uint64_t address = address_space_alloc(call->server->o.space, region, bytes, 0, call->program);
    if (!address) return 0;
    if (init)
        memcpy((void *)(uintptr_t)address, init, bytes);
    else
        memset((void *)(uintptr_t)address, 0, bytes);
    return address;
}

/* The program's record of a managed variable of the module; NULL: the variable is not managed. */
static struct symbol *find_managed(struct program *p, const struct module *m, const char *name) {
    for (size_t i = 0; i < p->symbols->len; i++) {
        struct symbol *s = g_ptr_array_index(p->symbols, i);
        if (s->module == m && s->managed && strcmp(s->name, name) == 0) return s;
    }
    return NULL;
}

/* Places a managed variable at its first use, once for all devices, and keeps its address in
 * s->shared_address. @return its address; 0: no memory. */
static uint64_t place_managed(struct call *call, struct symbol *s, const struct mir_symbol *mir) {
    const uint64_t bytes = mir->size ? mir->size : 1;
    if (s->shared_address) return s->shared_address;
    s->shared_address = place(call, REGION_MANAGED, bytes, mir->init);
    if (s->shared_address && mir->init)
        managed_blocks_fill(address_space_memory(call->server->o.space)->managed, s->shared_address,
                            bytes);
    return s->shared_address;
}

/* Whose variables are being placed, and where. */
struct placing {
    struct call *call;
    struct module *module;
    memory_region region;
};

/* module_place_fn */
static uint64_t place_symbol(void *user, const struct mir_symbol *s, uint64_t bytes) {
    const struct placing *p = user;
    struct symbol *managed = s ? find_managed(p->call->program, p->module, s->name) : NULL;
    return managed ? place_managed(p->call, managed, s)
                   : place(p->call, p->region, bytes, s ? s->init : NULL);
}

/* Fills m->on[device]. @return false: no memory; the caller sets m->error, and what was allocated
 * stays the program's. */
static bool place_variables(struct call *call, struct module *m, unsigned device) {
    struct placing p = {call, m, program_region(call->program, device)};
    return module_copy_place(&m->on[device], m->mir, place_symbol, &p);
}

/* PTX may be for a newer GPU than the simulated one: writes a notice or, with --strict-target, sets
 * m->error and fails with the reason in *diag. */
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

/* Reads all PTX texts of a fat binary, and links them if there are several, into m->code, or takes
 * the code of another program that has the same ones (shared_code.h); kernels may have no code yet.
 * name: of the module in messages. @return the compiler's error, with the reason in *diag. */
static heddle_err read_texts(struct call *call, struct module *m, const struct fatbin_ptx *ptx,
                             const char *name, struct heddle_diag *diag) {
    const struct server *s = call->server;
    unsigned n = 0, i = 0;
    for (const struct fatbin_ptx *p = ptx; p; p = p->next) n++;
    struct server_ptx *text = heddle_alloc_array(n, sizeof *text, "texts of PTX");
    for (const struct fatbin_ptx *p = ptx; p; p = p->next)
        text[i++] = (struct server_ptx){p->text, p->bytes};
    heddle_err e = shared_code_take(s->in_order ? s->code : NULL, &s->o, text, n, name, &m->code,
                                    diag);
    free(text);
    if (!e) m->mir = m->code->mir;
    return e;
}

/* Chooses and unpacks the PTX of the module's fat binary, checks its target and reads it into
 * m->mir. check_target() may write a notice or set m->error. @return the first error, with the
 * reason in *diag. */
static heddle_err read_module(struct call *call, struct module *m, struct heddle_diag *diag) {
    const struct config *c = call->server->o.config;
    struct fatbin_ptx ptx;
    char name[WIRE_NAME_BYTES + 32];
    snprintf(name, sizeof name, "%s:ptx%u", call->program->name, m->number);
    heddle_err e = fatbin_ptx(m->image, m->bytes, capability(c), &ptx, diag);
    if (e) return e;
    unsigned target = 0;
    for (const struct fatbin_ptx *p = &ptx; p; p = p->next) {
        unsigned *newer = &call->program->newer_code;
        if (p->target > target) target = p->target;
        if (p->newer && (!*newer || p->newer < *newer)) *newer = p->newer;
    }
    e = check_target(call, m, target, diag);
    if (!e) e = read_texts(call, m, &ptx, name, diag);
    fatbin_free(&ptx);
    return e;
}

/* Writes why the module, or a kernel of it, cannot be compiled to standard error, and keeps it in
 * m->why. @return the CUDA error for it. */
static int explain(struct call *call, struct module *m, heddle_err e,
                   const struct heddle_diag *diag) {
    bool names_itself = e == HEDDLE_ERR_PTX_SYNTAX || e == HEDDLE_ERR_PTX_UNSUPPORTED ||
                        e == HEDDLE_ERR_PTX_RESOURCES; /* program:ptxN:LINE: ... */
    const char *why = *diag->text ? diag->text : heddle_err_text(e);
    server_error(call->server, "%s%s%s", names_itself ? "" : call->program->name,
                 names_itself ? "" : ": ", why);
    free(m->why);
    m->why = heddle_copy_text(why, "a message");
    return error_of(e);
}

/* Reads the module on first use, and places its variables on the device on first use there.
 * Keeps an error in m->error and m->why; reports it once on standard error, but not a lack of
 * memory for the texture bank. @return m->error. */
int module_load(struct call *call, struct module *m, unsigned device) {
    if (!m->loaded) {
        m->loaded = true;
        struct heddle_diag diag = {0};
        heddle_err e = read_module(call, m, &diag);
        int error = e ? explain(call, m, e, &diag) : CUDA_SUCCESS;
        if (!m->error) m->error = error; /* read_module() may have set a better one */
        if (!e)
            m->kernel_error = heddle_alloc_array(m->mir->num_functions + 1u,
                                                 sizeof *m->kernel_error, "errors of kernels");
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

/* mir_module.give_up: the program of the call has ended. */
static bool program_has_ended(void *thread) {
    return thread_has_hung_up(thread);
}

/* Compiles kernel number i of the module, if it has no code yet. A failure is explained and tried
 * once. @return its error. */
static int compile_kernel(struct call *call, struct module *m, uint32_t i) {
    struct heddle_diag diag = {0};
    if (m->kernel_error[i]) return m->kernel_error[i];
    m->mir->give_up = program_has_ended;
    m->mir->give_up_user = call->thread;
    heddle_err e = mir_module_compile(m->mir, i, &diag);
    m->mir->give_up = NULL;
    if (e == HEDDLE_ERR_STOPPED) return error_of(e); /* nobody waits for the answer */
    if (e) m->kernel_error[i] = explain(call, m, e, &diag);
    return m->kernel_error[i];
}

/* Compiles all kernels, up to the first that cannot be compiled. @return m->error. */
int module_compile(struct call *call, struct module *m) {
    for (uint32_t i = 0; !m->error && i < m->mir->num_functions; i++)
        m->error = compile_kernel(call, m, i);
    return m->error;
}

/* Frees the compiled code, the texture bank and the records of its variables, and clears m->error,
 * so that the next use loads the module again. Device memory of the variables stays allocated, and
 * m->why stays. */
static void module_unload(struct module *m) {
    shared_code_release(m->code);
    free(m->kernel_error);
    m->kernel_error = NULL;
    free(m->texture_bank);
    m->texture_bank = NULL;
    for (unsigned i = 0; i < PROGRAM_MAX_DEVICES; i++) module_copy_clear(&m->on[i]);
    m->code = NULL;
    m->mir = NULL;
    m->loaded = false;
    m->error = 0;
}

/* Frees the device memory of the module's variables at once (the caller has waited for kernels that
 * use them); managed ones and the code stay. Sets m->error to InvalidResourceHandle: the module
 * cannot be used again. */
void module_release(struct call *call, struct module *m) {
    struct address_space *space = call->server->o.space;
    for (unsigned d = 0; d < PROGRAM_MAX_DEVICES; d++) {
        struct module_copy *on = &m->on[d];
        for (uint32_t i = 0; on->placed && i < m->mir->num_symbols; i++)
            if (m->mir->symbols[i].space != MIR_SPACE_CONST && on->address[i] &&
                !find_managed(call->program, m, m->mir->symbols[i].name))
                address_space_release(space, program_region(call->program, d), on->address[i]);
        if (on->placed && on->const_bank)
            address_space_release(space, program_region(call->program, d), on->const_bank);
        on->const_bank = 0;
        on->placed = false;
    }
    m->error = HEDDLE_cudaErrorInvalidResourceHandle;
}

/* Frees a struct module * with its code and image, but no device memory: the free function of
 * program.modules. */
void module_free(void *module) {
    struct module *m = module;
    module_unload(m);
    free(m->image);
    free(m->why);
    free(m);
}

/* Frees a struct function *: the free function of program.functions. Its module stays. */
void function_free(void *function) {
    struct function *f = function;
    free(f->name);
    free(f->title);
    free(f);
}

/* Frees a struct symbol *: the free function of program.symbols. Its module and memory stay. */
void symbol_free(void *symbol) {
    struct symbol *s = symbol;
    free(s->name);
    free(s);
}

/* Unloads all modules of the program, and forgets the addresses of managed variables. They load
 * again on use. The caller frees the device memory. */
void modules_unload(struct program *p) {
    for (size_t i = 0; i < p->modules->len; i++) module_unload(g_ptr_array_index(p->modules, i));
    for (size_t i = 0; i < p->symbols->len; i++)
        ((struct symbol *)g_ptr_array_index(p->symbols, i))->shared_address = 0;
}

/* ---- registration */

/* Ends a registration: *id becomes the id of the newest entry of the list, if its payload could be
 * taken. Else frees the entry, so that no later call finds one without an image or a name. @return
 * MemoryAllocation. */
static int registered(GPtrArray *list, const void *taken, uint64_t *id) {
    *id = list->len;
    if (taken) return CUDA_SUCCESS;
    g_ptr_array_set_size(list, (int)list->len - 1);
    return HEDDLE_cudaErrorMemoryAllocation;
}

/* Adds a module to program.modules; the payload, pulled from the program, is its fat binary.
 * Compiles nothing. *id: its id. @return MemoryAllocation: no image (no memory, too large, or the
 * program has died), and no entry. */
int module_register(struct call *call, uint64_t *id) {
    GPtrArray *modules = call->program->modules;
    struct module *m = heddle_alloc(sizeof *m, "a module");
    g_ptr_array_add(modules, m);
    m->bytes = call->payload_bytes;
    m->image = call_take_payload(call, PAYLOAD_IMAGE);
    m->number = modules->len;
    return registered(modules, m->image, id);
}

/* Adds a kernel of the module to program.functions, known or not in its PTX; the payload, pulled
 * from the program, is its name. *id: its id. @return InvalidValue: no such module;
 * MemoryAllocation: no name (no memory, too long, or the program has died), and no entry. */
int function_register(struct call *call, uint64_t module, uint64_t *id) {
    GPtrArray *functions = call->program->functions;
    struct module *m = module_find(call->program, module);
    if (!m) return CUDA_ERROR_INVALID_VALUE;
    struct function *f = heddle_alloc(sizeof *f, "a kernel");
    g_ptr_array_add(functions, f);
    f->module = m;
    f->carveout = -1;
    f->name = (char *)call_take_payload(call, PAYLOAD_NAME);
    f->title = f->name ? readable_name(f->name) : NULL;
    return registered(functions, f->name, id);
}

/* Adds a variable or reference of the module to program.symbols, known or not in its PTX; the
 * payload, pulled from the program, is its name. bytes 0: the size in the PTX; kind: SYMBOL_*. *id:
 * its id. @return as function_register(). */
int symbol_register(struct call *call, uint64_t module, uint64_t bytes, uint64_t kind,
                    uint64_t *id) {
    GPtrArray *symbols = call->program->symbols;
    struct module *m = module_find(call->program, module);
    if (!m) return CUDA_ERROR_INVALID_VALUE;
    struct symbol *s = heddle_alloc(sizeof *s, "a variable");
    g_ptr_array_add(symbols, s);
    s->module = m;
    s->bytes = bytes;
    s->managed = kind == SYMBOL_MANAGED;
    s->name = (char *)call_take_payload(call, PAYLOAD_NAME);
    return registered(symbols, s->name, id);
}

/* ---- look-up */

/* An entry of one of the program's lists by its id, counted from 1; NULL: there is none. */
static void *find(const GPtrArray *list, uint64_t id) {
    return id - 1 < list->len ? g_ptr_array_index(list, id - 1) : NULL;
}

/* The module with this id, or NULL. */
struct module *module_find(const struct program *p, uint64_t id) {
    return find(p->modules, id);
}

/* The kernel with this id, or NULL. */
struct function *function_find(const struct program *p, uint64_t id) {
    return find(p->functions, id);
}

/* The variable or reference with this id, or NULL. */
struct symbol *symbol_find(const struct program *p, uint64_t id) {
    return find(p->symbols, id);
}

/* Loads the kernel's module on the device (module_load()), finds the kernel and compiles it if it
 * has no code: *out and *code. Reports a missing kernel on standard error, every time. @return
 * InvalidDeviceFunction: no such kernel; module.error; or why it cannot be compiled. */
int function_load(struct call *call, uint64_t id, unsigned device, struct function **out,
                  const struct mir_function **code) {
    struct function *f = function_find(call->program, id);
    if (!f) return HEDDLE_cudaErrorInvalidDeviceFunction;
    int error = module_load(call, f->module, device);
    if (error) return error;
    const struct mir_module *m = f->module->mir;
    for (uint32_t i = 0; i < m->num_functions; i++) {
        if (strcmp(m->functions[i].name, f->name)) continue;
        *out = f;
        *code = &m->functions[i];
        return compile_kernel(call, f->module, i);
    }
    server_error(call->server, "%s: the PTX has no kernel '%s'", call->program->name, f->name);
    return HEDDLE_cudaErrorInvalidDeviceFunction;
}

/* Loads the variable's module on the calling thread's device (module_load()) and finds the variable
 * there: *address, and *bytes as registered, else as in the PTX. Reports a missing one on standard
 * error. @return InvalidSymbol: no such variable; or module.error. */
int symbol_resolve(struct call *call, uint64_t id, uint64_t *address, uint64_t *bytes) {
    const struct symbol *s = symbol_find(call->program, id);
    if (!s) return HEDDLE_cudaErrorInvalidSymbol;
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

/* As symbol_resolve(), for the address of `bytes` bytes at an offset. @return also InvalidValue:
 * they do not lie in the variable. */
int symbol_locate(struct call *call, uint64_t id, uint64_t offset, uint64_t bytes,
                  uint64_t *address) {
    uint64_t size;
    int error = symbol_resolve(call, id, address, &size);
    if (error) return error;
    if (offset > size || bytes > size - offset) return CUDA_ERROR_INVALID_VALUE;
    *address += offset;
    return CUDA_SUCCESS;
}

/* Answers WIRE_PARAMETERS: loads the kernel's module, leaves the offset and size of each parameter
 * in the staging memory for the reply, and sets the call's results: number of parameters, bytes of
 * all. @return as function_load(); NotSupported: more than MOST parameters. */
int function_describe_parameters(struct call *call, uint64_t id) {
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
