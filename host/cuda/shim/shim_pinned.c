/* shim_pinned.c - the runtime's calls for memory that both the GPU and the program reach. Each is
 * one message to the server; shim_mapped.c and shim_registered.c map the pages. */
#include "cuda/shim/shim.h"

SHIM_EXPORT int cudaMallocHost(void **out, size_t bytes);
int cudaMallocHost(void **out, size_t bytes) {
    struct shim_call call = {.id = CALL_cudaMallocHost, .in = {bytes}};
    return shim_allocate(&call, out);
}

SHIM_EXPORT int cudaHostAlloc(void **out, size_t bytes, unsigned flags);
int cudaHostAlloc(void **out, size_t bytes, unsigned flags) {
    struct shim_call call = {.id = CALL_cudaHostAlloc, .in = {bytes, flags}};
    return shim_allocate(&call, out);
}

SHIM_EXPORT int cudaFreeHost(void *address);
int cudaFreeHost(void *address) {
    return shim_free_pinned(CALL_cudaFreeHost, address);
}

SHIM_EXPORT int cudaMallocManaged(void **out, size_t bytes, unsigned flags);
int cudaMallocManaged(void **out, size_t bytes, unsigned flags) {
    struct shim_call call = {.id = CALL_cudaMallocManaged, .in = {bytes, flags}};
    return shim_allocate(&call, out);
}

/* Device or managed memory. */
SHIM_EXPORT int cudaFree(void *address);
int cudaFree(void *address) {
    return shim_free(CALL_cudaFree, address);
}

SHIM_EXPORT int cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
int cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    static const enum cuda_call_id id = CALL_cudaHostGetDevicePointer;
    if (!device) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id, .in = {(uintptr_t)shim_translate(host), flags}};
    int error = shim_call(&call);
    if (!error) *device = (void *)(uintptr_t)call.out[0];
    return error;
}

SHIM_EXPORT int cudaHostGetFlags(unsigned *flags, void *host);
int cudaHostGetFlags(unsigned *flags, void *host) {
    static const enum cuda_call_id id = CALL_cudaHostGetFlags;
    if (!flags) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id, .in = {(uintptr_t)shim_translate(host)}};
    int error = shim_call(&call);
    if (!error) *flags = (unsigned)call.out[0];
    return error;
}

SHIM_EXPORT int cudaHostRegister(void *address, size_t bytes, unsigned flags);
int cudaHostRegister(void *address, size_t bytes, unsigned flags) {
    return shim_register_memory(CALL_cudaHostRegister, address, bytes, flags);
}

SHIM_EXPORT int cudaHostUnregister(void *address);
int cudaHostUnregister(void *address) {
    return shim_unregister_memory(CALL_cudaHostUnregister, address);
}
