/* calls_module.c - handlers for device code: registration by the compiler's start-up code, and
 * modules that a program loads itself; see module.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which travel with the reply).
 * Functions that return int return a cudaError_t. The call's payload is the image, or a name.
 * Loading compiles, allocates device memory and may report errors on standard error. */
#include <stdlib.h>
#include <string.h>

#include "cuda/object/capture.h"
#include "cuda/object/module.h"
#include "cuda/base/payload.h"
#include "cuda/object/wait.h"
#include "cuda_call_handlers.h"

/* ---- registered at start-up */

int do___cudaRegisterFatBinary(struct call *call, uint64_t *id) {
    return module_register(call, id);
}

/* Keeps the module: work in flight may use it, so it is freed with the program. */
int do___cudaUnregisterFatBinary(struct call *call, uint64_t id) {
    return module_find(call->program, id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

int do___cudaRegisterFunction(struct call *call, uint64_t module, uint64_t *id) {
    return function_register(call, module, id);
}

/* `constant` is the kind of the variable, SYMBOL_*. The payload is its name. */
int do___cudaRegisterVar(struct call *call, uint64_t module, uint64_t bytes, uint64_t constant,
                         uint64_t *id) {
    return symbol_register(call, module, bytes, constant, id);
}

/* ---- loaded by the program */

/* Registers a module as start-up code does, and compiles it at once. The reason of a failure goes
 * into the program's log. */
int do_cuModuleLoadData(struct call *call, uint64_t *id) {
    int error = module_register(call, id);
    if (error) return error;
    struct module *m = module_find(call->program, *id);
    error = module_load(call, m, call->thread->device);
    if (error && m->why) call_push_why(call, m->why);
    return error;
}

/* Waits for all work, because a kernel in flight may use the variables of the module, and frees
 * them. Blocks the server meanwhile. */
int do_cuModuleUnload(struct call *call, uint64_t id) {
    struct module *m = module_find(call->program, id);
    if (!m) return HEDDLE_cudaErrorInvalidResourceHandle;
    int error = capture_forbids(call);
    if (!error) error = wait_all(call);
    if (!error) module_release(call, m);
    return error;
}

/* The module with this id, after loading it on the current device. *error: cudaError_t. */
static const struct module *loaded(struct call *call, uint64_t id, int *error) {
    struct module *m = module_find(call->program, id);
    *error = m ? module_load(call, m, call->thread->device) : HEDDLE_cudaErrorInvalidResourceHandle;
    return m;
}

/* Reports no error for an unknown name: programs probe for names. */
int do_cuModuleGetFunction(struct call *call, uint64_t module, uint64_t *id) {
    int error;
    const struct module *m = loaded(call, module, &error);
    if (error) return error;
    error = function_register(call, module, id);
    const char *name = error ? NULL : function_find(call->program, *id)->name;
    for (uint32_t i = 0; name && i < m->mir->num_functions; i++)
        if (strcmp(m->mir->functions[i].name, name) == 0) return CUDA_SUCCESS;
    return error ? error : HEDDLE_cudaErrorSymbolNotFound;
}

/* Address and size of the variable that the payload names. Reports no error for an unknown name. */
int do_cuModuleGetGlobal_v2(struct call *call, uint64_t module, uint64_t *address,
                            uint64_t *bytes) {
    int error;
    const struct module *m = loaded(call, module, &error);
    char *name = error ? NULL : (char *)call_take_payload(call);
    if (!error && !name) error = HEDDLE_cudaErrorMemoryAllocation;
    if (error) return error;
    error = HEDDLE_cudaErrorSymbolNotFound;
    for (uint32_t i = 0; error && i < m->mir->num_symbols; i++) {
        if (strcmp(m->mir->symbols[i].name, name)) continue;
        *address = m->on[call->thread->device].address[i];
        *bytes = m->mir->symbols[i].size;
        error = CUDA_SUCCESS;
    }
    free(name);
    return error;
}

/* Registers a texture or surface reference as a symbol, like those of the runtime. The payload is
 * its name. */
int do_cuModuleGetTexRef(struct call *call, uint64_t module, uint64_t surface, uint64_t *id) {
    int error;
    const struct module *m = loaded(call, module, &error);
    if (!error) error = symbol_register(call, module, 0, SYMBOL_VARIABLE, id);
    if (error) return error;
    const char *name = symbol_find(call->program, *id)->name;
    for (uint32_t i = 0; i < m->mir->num_texrefs; i++)
        if (m->mir->texrefs[i].surface == (surface != 0) &&
            strcmp(m->mir->texrefs[i].name, name) == 0)
            return CUDA_SUCCESS;
    return HEDDLE_cudaErrorSymbolNotFound;
}
