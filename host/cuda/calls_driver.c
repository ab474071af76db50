/* calls_driver.c - the driver API's calls that are not the runtime's: modules that a program loads
 * itself, fills by elements, the allocation around an address. */
#include <stdlib.h>
#include <string.h>

#include "cuda/capture.h"
#include "cuda/copy.h"
#include "cuda/module.h"
#include "cuda_call_handlers.h"

/* Registered as the compiler's start-up code does, then compiled at once; the program reads why not
 * in its log. */
int do_cuModuleLoadData(struct call *call, uint64_t *id) {
    int error = do___cudaRegisterFatBinary(call, id);
    if (error) return error;
    struct module *m = call->program->module[*id - 1];
    error = module_load(call, m, call->thread->device);
    if (error && m->why) call_push_why(call, m->why);
    return error;
}

/* A kernel in flight may use its variables: waits for all work. */
int do_cuModuleUnload(struct call *call, uint64_t id) {
    if (id - 1 >= call->program->num_modules) return HEDDLE_cudaErrorInvalidResourceHandle;
    int error = capture_forbids(call);
    if (!error) error = wait_all(call);
    if (!error) module_release(call, call->program->module[id - 1]);
    return error;
}

static const struct module *loaded(struct call *call, uint64_t id, int *error) {
    *error = id - 1 < call->program->num_modules ? CUDA_SUCCESS
                                                 : HEDDLE_cudaErrorInvalidResourceHandle;
    struct module *m = *error ? NULL : call->program->module[id - 1];
    if (m) *error = module_load(call, m, call->thread->device);
    return m;
}

/* Programs try names: one that is not there is an answer, not a message. */
int do_cuModuleGetFunction(struct call *call, uint64_t module, uint64_t *id) {
    int error;
    const struct module *m = loaded(call, module, &error);
    if (error) return error;
    error = do___cudaRegisterFunction(call, module, id);
    const char *name = error ? NULL : call->program->function[*id - 1]->name;
    for (uint32_t i = 0; name && i < m->mir->num_functions; i++)
        if (strcmp(m->mir->functions[i].name, name) == 0) return CUDA_SUCCESS;
    return error ? error : HEDDLE_cudaErrorSymbolNotFound;
}

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

int do_cuMemGetAddressRange_v2(struct call *call, uint64_t *base, uint64_t *bytes,
                               uint64_t pointer) {
    const struct space_block *b = space_reachable(call->server->o.space, pointer, 1);
    if (!b || (b->owner != call->program && !ipc_has_opened(call->program, b->address)))
        return HEDDLE_cudaErrorSymbolNotFound;
    *base = b->address;
    *bytes = b->bytes;
    return CUDA_SUCCESS;
}

/* A texture or surface reference; its name is the payload. It is a symbol as the runtime's are. */
int do_cuModuleGetTexRef(struct call *call, uint64_t module, uint64_t surface, uint64_t *id) {
    int error;
    const struct module *m = loaded(call, module, &error);
    if (!error) error = do___cudaRegisterVar(call, module, 0, 0, id);
    if (error) return error;
    const char *name = call->program->symbol[*id - 1]->name;
    for (uint32_t i = 0; i < m->mir->num_texrefs; i++)
        if (m->mir->texrefs[i].surface == (surface != 0) &&
            strcmp(m->mir->texrefs[i].name, name) == 0)
            return CUDA_SUCCESS;
    return HEDDLE_cudaErrorSymbolNotFound;
}

/* `width` counts elements of `element` bytes. */
int do_cuMemsetD2D32Async(struct call *call, uint64_t pointer, uint64_t pitch, uint64_t value,
                          uint64_t element, uint64_t width, uint64_t height, uint64_t stream) {
    if (element != 2 && element != 4) return CUDA_ERROR_INVALID_VALUE;
    if (width > UINT64_MAX / element || pointer % element) return CUDA_ERROR_INVALID_VALUE;
    if (height > 1 && (width * element > pitch || pitch % element)) return CUDA_ERROR_INVALID_VALUE;
    const struct fill_shape s = {
        pointer, pitch, 0, width * element, height, 1, (uint32_t)value, (uint32_t)element};
    return fill_in_stream(call, stream, &s);
}
