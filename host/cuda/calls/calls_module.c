/* calls_module.c - handlers for device code: registration by the compiler's start-up code, and
 * modules that a program loads itself; see module.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". The call's payload, pulled from the program, is the image, or a name; if it cannot
 * be had, the result is MemoryAllocation. Registering only adds to program.modules, functions and
 * symbols. Loading (module_load()) compiles the module on first use, allocates device memory for
 * its variables on the thread's current device, and reports a failure once on standard error; the
 * module keeps its error for later uses. No operation is issued; only cuModuleUnload waits. */
#include <stdlib.h>
#include <string.h>

#include "cuda/object/capture.h"
#include "cuda/object/module.h"
#include "cuda/base/payload.h"
#include "cuda/object/wait.h"
#include "cuda_call_handlers.h"

/* ---- registered at start-up */

/* Adds the fat binary of the payload to program.modules, uncompiled. *id: its id. */
int do___cudaRegisterFatBinary(struct call *call, uint64_t *id) {
    return module_register(call, id);
}

/* Keeps the module: work in flight may use it, so it is freed with the program. @return
 * InvalidValue: no such module. */
int do___cudaUnregisterFatBinary(struct call *call, uint64_t id) {
    return module_find(call->program, id) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Adds the kernel that the payload names to program.functions; loads nothing. *id: its id. @return
 * InvalidValue: no such module. */
int do___cudaRegisterFunction(struct call *call, uint64_t module, uint64_t *id) {
    return function_register(call, module, id);
}

/* Adds the variable that the payload names to program.symbols; loads nothing. `bytes`: its size;
 * `constant`: its kind, SYMBOL_*. *id: its id. @return InvalidValue: no such module. */
int do___cudaRegisterVar(struct call *call, uint64_t module, uint64_t bytes, uint64_t constant,
                         uint64_t *id) {
    return symbol_register(call, module, bytes, constant, id);
}

/* ---- loaded by the program */

/* Adds a module to program.modules as start-up code does, and loads it at once; after a failure it
 * stays there with its error. The reason of a failure travels with the reply, in spite of the error
 * (call_push_why()), for the program's log. *id: its id. @return the module's error. */
int do_cuModuleLoadData(struct call *call, uint64_t *id) {
    int error = module_register(call, id);
    if (error) return error;
    struct module *m = module_find(call->program, *id);
    error = module_load(call, m, call->thread->device);
    if (!error) error = module_compile(call, m);
    if (error && m->why) call_push_why(call, m->why);
    return error;
}

/* Waits for all work of all GPUs, because a kernel in flight may use the variables of the module,
 * and frees their device memory; the module cannot be used again. The wait drives the simulation,
 * blocks the server and moves the thread's clock; a fault becomes the sticky error (wait.c).
 * @return InvalidResourceHandle: no such module; StreamCaptureUnsupported: a capture forbids it,
 * and is invalidated. */
int do_cuModuleUnload(struct call *call, uint64_t id) {
    struct module *m = module_find(call->program, id);
    if (!m) return HEDDLE_cudaErrorInvalidResourceHandle;
    int error = capture_forbids(call);
    if (!error) error = wait_all_first(call);
    if (!error) module_release(call, m);
    return error;
}

/* The module with this id, after loading it on the current device, which may compile it. *error:
 * InvalidResourceHandle (no such module, NULL), the module's error, or CUDA_SUCCESS. */
static const struct module *loaded(struct call *call, uint64_t id, int *error) {
    struct module *m = module_find(call->program, id);
    *error = m ? module_load(call, m, call->thread->device) : HEDDLE_cudaErrorInvalidResourceHandle;
    return m;
}

/* Loads the module and adds the kernel that the payload names to program.functions, also one that
 * the PTX lacks. *id: its id. @return SymbolNotFound for such a kernel, without a message: programs
 * probe for names; or as loaded(). */
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

/* Loads the module and finds the variable that the payload names: *address on the current device,
 * *bytes. Adds no symbol. @return SymbolNotFound, without a message; or as loaded(). */
int do_cuModuleGetGlobal_v2(struct call *call, uint64_t module, uint64_t *address,
                            uint64_t *bytes) {
    int error;
    const struct module *m = loaded(call, module, &error);
    char *name = error ? NULL : (char *)call_take_payload(call, PAYLOAD_NAME);
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

/* Loads the module and adds the texture (or surface) reference that the payload names to
 * program.symbols, like those of the runtime, also one that the PTX lacks. *id: its id. @return
 * SymbolNotFound for such a reference, without a message; or as loaded(). */
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
