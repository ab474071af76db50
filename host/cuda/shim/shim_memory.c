/* shim_memory.c - memory pools and hints about managed memory: structures and values whose form
 * depends on the CUDA version.
 *
 * Runs in the program's process, in libcudart.so.N. Functions with CUDA names implement the runtime
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent; one that is made is noted for the driver API, even if it fails
 * (note_runtime() in shim_call.c). They return a cudaError_t; an error also becomes the thread's
 * last error. A NULL pointer to a value or structure is cudaErrorInvalidValue.
 *
 * shim_twin.c holds the bodies of the calls that both interfaces have. Helpers take the number of
 * the name that the program used, `id`, under which the call is counted. This file keeps no state.
 */
#include <string.h>

#include "cuda/shim/shim_twin.h"

/* How the functions of shim_twin.h make their calls. */
static const struct shim_interface *const in = &shim_runtime_interface;

/* ---- pools */

/* *pool: the new pool's handle. Pools shared with other processes are refused with a message. */
SHIM_EXPORT int cudaMemPoolCreate(void **pool, const struct shim_pool_properties *p);
int cudaMemPoolCreate(void **pool, const struct shim_pool_properties *p) {
    return shim_pool_create(in, CALL_cudaMemPoolCreate, pool, p);
}
/* *value: the attribute, 4 or 8 bytes wide as CUDA defines; so is what cudaMemPoolSetAttribute()
 * reads. */
SHIM_EXPORT int cudaMemPoolGetAttribute(void *pool, int attribute, void *value);
int cudaMemPoolGetAttribute(void *pool, int attribute, void *value) {
    return shim_pool_get_attribute(in, CALL_cudaMemPoolGetAttribute, pool, attribute, value);
}
SHIM_EXPORT int cudaMemPoolSetAttribute(void *pool, int attribute, const void *value);
int cudaMemPoolSetAttribute(void *pool, int attribute, const void *value) {
    return shim_pool_set_attribute(in, CALL_cudaMemPoolSetAttribute, pool, attribute, value);
}
SHIM_EXPORT int cudaMemPoolGetAccess(int *flags, void *pool, const struct shim_location *location);
int cudaMemPoolGetAccess(int *flags, void *pool, const struct shim_location *location) {
    return shim_pool_get_access(in, CALL_cudaMemPoolGetAccess, flags, pool, location);
}

/* *value: the attribute of graphs' memory on a device, 8 bytes wide. */
SHIM_EXPORT int cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value);
int cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value) {
    static const enum cuda_call_id id = CALL_cudaDeviceGetGraphMemAttribute;
    if (!value) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id, .in = {(uint64_t)device, (uint64_t)attribute}};
    int error = shim_call(&call);
    if (!error) memcpy(value, &call.out[0], 8);
    return error;
}

/* Sets the attribute to *value, 8 bytes wide. */
SHIM_EXPORT int cudaDeviceSetGraphMemAttribute(int device, int attribute, const void *value);
int cudaDeviceSetGraphMemAttribute(int device, int attribute, const void *value) {
    static const enum cuda_call_id id = CALL_cudaDeviceSetGraphMemAttribute;
    if (!value) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id, .in = {(uint64_t)device, (uint64_t)attribute}};
    memcpy(&call.in[2], value, 8);
    return shim_call(&call);
}

struct access { /* cudaMemAccessDesc: who may access, and how */
    struct shim_location location;
    int flags;
};

/* Makes one call, counted and with its message, for each entry of the list. After an error it
 * leaves out the rest; earlier entries stay set. An empty list is cudaErrorInvalidValue. */
SHIM_EXPORT int cudaMemPoolSetAccess(void *pool, const struct access *list, size_t count);
int cudaMemPoolSetAccess(void *pool, const struct access *list, size_t count) {
    static const enum cuda_call_id id = CALL_cudaMemPoolSetAccess;
    if (!list || !count) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++) {
        struct shim_call call = {.id = id,
                                 .in = {(uintptr_t)pool, (uint64_t)list[i].location.type,
                                        (uint64_t)list[i].location.id, (uint64_t)list[i].flags}};
        int error = shim_call(&call);
        if (error) return error;
    }
    return CUDA_SUCCESS;
}

/* ---- managed memory. A place is a device's number, or -1 for the host. Since CUDA 12 it may also
 * be a structure. */

/* Makes the call `id`, which travels as cudaMemAdvise: hints how `bytes` of managed memory will be
 * used. */
static int advise(enum cuda_call_id id, const void *p, size_t bytes, int advice,
                  struct shim_location at) {
    struct shim_call call = {
        .id = CALL_cudaMemAdvise,
        .in = {(uintptr_t)p, bytes, (uint64_t)advice, (uint64_t)at.type, (uint64_t)at.id}};
    if (id == CALL_cudaMemAdvise) return shim_call(&call);
    shim_enter_per_thread(id); /* counted under the name that the program used */
    return shim_leave_per_thread(shim_call(&call));
}

/* Makes the call `id`, which travels as cudaMemPrefetchAsync: moves `bytes` of managed memory to
 * the place `at`, in a stream. */
static int prefetch(enum cuda_call_id id, const void *p, size_t bytes, struct shim_location at,
                    void *stream) {
    struct shim_call call = {
        .id = CALL_cudaMemPrefetchAsync,
        .in = {(uintptr_t)p, bytes, (uint64_t)at.type, (uint64_t)at.id, (uintptr_t)stream}};
    if (id == CALL_cudaMemPrefetchAsync) return shim_call(&call);
    /* Stream 0 of the version-2 name means the legacy stream, but the call is made per thread. */
    if (!stream && id == CALL_cudaMemPrefetchAsync_v2) call.in[4] = 1;
    shim_enter_per_thread(id);
    return shim_leave_per_thread(shim_call(&call));
}

/* Define the forms with a structure (AT), and those with a device's number (ON). */
#define ADVISE_AT(name)                                                                     \
    SHIM_EXPORT int name(const void *p, size_t bytes, int advice, struct shim_location at); \
    int name(const void *p, size_t bytes, int advice, struct shim_location at) {            \
        return advise(CALL_##name, p, bytes, advice, at);                                   \
    }
#define ADVISE_ON(name)                                                         \
    SHIM_EXPORT int name(const void *p, size_t bytes, int advice, int device);  \
    int name(const void *p, size_t bytes, int advice, int device) {             \
        return advise(CALL_##name, p, bytes, advice, shim_location_of(device)); \
    }
#define PREFETCH_AT(name)                                                                          \
    SHIM_EXPORT int name(const void *p, size_t bytes, struct shim_location at, unsigned flags,     \
                         void *stream);                                                            \
    int name(const void *p, size_t bytes, struct shim_location at, unsigned flags, void *stream) { \
        if (flags) return shim_fail(CALL_##name, HEDDLE_cudaErrorInvalidValue);                    \
        return prefetch(CALL_##name, p, bytes, at, stream);                                        \
    }
#define PREFETCH_ON(name)                                                         \
    SHIM_EXPORT int name(const void *p, size_t bytes, int device, void *stream);  \
    int name(const void *p, size_t bytes, int device, void *stream) {             \
        return prefetch(CALL_##name, p, bytes, shim_location_of(device), stream); \
    }
#if HEDDLE_CUDART_VERSION >= 13
ADVISE_AT(cudaMemAdvise)
PREFETCH_AT(cudaMemPrefetchAsync)
PREFETCH_AT(cudaMemPrefetchAsync_ptsz)
#else
ADVISE_ON(cudaMemAdvise)
PREFETCH_ON(cudaMemPrefetchAsync)
PREFETCH_ON(cudaMemPrefetchAsync_ptsz)
#endif
#if HEDDLE_CUDART_VERSION == 12
ADVISE_AT(cudaMemAdvise_v2)
PREFETCH_AT(cudaMemPrefetchAsync_v2)
PREFETCH_AT(cudaMemPrefetchAsync_v2_ptsz)
#endif

/* Attaches managed memory to a stream. `bytes` 0: the whole allocation. */
SHIM_EXPORT int cudaStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags);
int cudaStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags) {
    struct shim_call call = {.id = CALL_cudaStreamAttachMemAsync,
                             .in = {(uintptr_t)stream, (uintptr_t)p, bytes, flags}};
    return shim_call(&call);
}
