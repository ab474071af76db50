/* shim_pinned.c - the runtime's calls for memory that both the GPU and the program reach, and
 * cudaFree(). shim_mapped.c and shim_registered.c make those calls that map or replace pages of the
 * program's process; they take shim.lock to change its lists.
 *
 * Runs in the program's process, in libcudart.so.N. Functions with CUDA names implement the runtime
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent; one that is made is noted for the driver API, even if it fails
 * (note_runtime() in shim_call.c). They return a cudaError_t; an error also becomes the thread's
 * last error. An address in registered memory becomes the server's (shim_translate). A NULL pointer
 * for a result is cudaErrorInvalidValue. */
#include "cuda/shim/shim.h"

/* Pinned memory, mapped in this process (shim_allocate); so is that of cudaHostAlloc(). */
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

/* Unmaps the pages of pinned memory and frees it (shim_free_pinned). */
SHIM_EXPORT int cudaFreeHost(void *address);
int cudaFreeHost(void *address) {
    return shim_free_pinned(CALL_cudaFreeHost, address);
}

/* Managed memory, mapped in this process at the address that the GPU uses (shim_allocate). */
SHIM_EXPORT int cudaMallocManaged(void **out, size_t bytes, unsigned flags);
int cudaMallocManaged(void **out, size_t bytes, unsigned flags) {
    struct shim_call call = {.id = CALL_cudaMallocManaged, .in = {bytes, flags}};
    return shim_allocate(&call, out);
}

/* Frees device or managed memory; unmaps the pages of the latter (shim_free). */
SHIM_EXPORT int cudaFree(void *address);
int cudaFree(void *address) {
    return shim_free(CALL_cudaFree, address);
}

/* *device: where the GPU reaches the program's pinned or registered memory. */
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

/* Replaces the program's pages by pinned memory with the same contents (shim_register_memory). If
 * they cannot be replaced, a second message, which counts as no call, frees the pages in the
 * server. */
SHIM_EXPORT int cudaHostRegister(void *address, size_t bytes, unsigned flags);
int cudaHostRegister(void *address, size_t bytes, unsigned flags) {
    return shim_register_memory(CALL_cudaHostRegister, address, bytes, flags);
}

/* Gives the program private pages with the same contents back. */
SHIM_EXPORT int cudaHostUnregister(void *address);
int cudaHostUnregister(void *address) {
    return shim_unregister_memory(CALL_cudaHostUnregister, address);
}
