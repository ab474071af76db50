/* driver_pool.c - memory pools and hints about managed memory. The structures equal the runtime's.
 *
 * Runs in the program's process, in libcuda.so.1. Functions with CUDA names implement the driver
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent. shim_twin.c holds the bodies of the calls that both interfaces have, and
 * says what each of them does.
 *
 * Helpers with an `id` make the call of that number. All functions return a CUresult and leave the
 * runtime's last error alone. This file keeps no state. */
#include "cuda/driver/driver.h"

/* ---- pools */

/* *pool: the new pool's handle. Pools shared with other processes are refused with a message. */
SHIM_EXPORT int cuMemPoolCreate(void **pool, const struct shim_pool_properties *p);
int cuMemPoolCreate(void **pool, const struct shim_pool_properties *p) {
    return shim_pool_create(&driver_interface, CALL_cuMemPoolCreate, pool, p);
}
/* *value: the attribute, 4 or 8 bytes wide as CUDA defines; so is what cuMemPoolSetAttribute()
 * reads. */
SHIM_EXPORT int cuMemPoolGetAttribute(void *pool, int attribute, void *value);
int cuMemPoolGetAttribute(void *pool, int attribute, void *value) {
    return shim_pool_get_attribute(&driver_interface, CALL_cuMemPoolGetAttribute, pool, attribute,
                                   value);
}
SHIM_EXPORT int cuMemPoolSetAttribute(void *pool, int attribute, const void *value);
int cuMemPoolSetAttribute(void *pool, int attribute, const void *value) {
    return shim_pool_set_attribute(&driver_interface, CALL_cuMemPoolSetAttribute, pool, attribute,
                                   value);
}
SHIM_EXPORT int cuMemPoolGetAccess(int *flags, void *pool, const struct shim_location *location);
int cuMemPoolGetAccess(int *flags, void *pool, const struct shim_location *location) {
    return shim_pool_get_access(&driver_interface, CALL_cuMemPoolGetAccess, flags, pool, location);
}

struct access { /* CUmemAccessDesc: who may access, and how */
    struct shim_location location;
    int flags;
};

/* Counts one call and sends one message for each entry of the list, which count as no calls. After
 * an error it leaves out the rest; earlier entries stay set. A missing or empty list is
 * cudaErrorInvalidValue. */
SHIM_EXPORT int cuMemPoolSetAccess(void *pool, const struct access *list, size_t count);
int cuMemPoolSetAccess(void *pool, const struct access *list, size_t count) {
    static const enum cuda_call_id id = CALL_cuMemPoolSetAccess;
    int error = driver_local(id);
    if (!error && (!list || !count)) error = HEDDLE_cudaErrorInvalidValue;
    for (size_t i = 0; i < count && !error; i++) {
        struct shim_call call = {.id = id,
                                 .in = {(uintptr_t)pool, (uint64_t)list[i].location.type,
                                        (uint64_t)list[i].location.id, (uint64_t)list[i].flags}};
        error = cuda_result(driver_ask(&call));
    }
    return error;
}

/* ---- managed memory. In the first forms a place is a device's number, or -1 for the host. */

/* Makes the call `id`, which hints how `bytes` of managed memory will be used. */
static int advise(enum cuda_call_id id, const void *p, size_t bytes, int advice,
                  struct shim_location at) {
    struct shim_call call = {
        .id = id,
        .in = {(uintptr_t)p, bytes, (uint64_t)advice, (uint64_t)at.type, (uint64_t)at.id}};
    return driver_call(&call);
}
SHIM_EXPORT int cuMemAdvise(const void *p, size_t bytes, int advice, int device);
int cuMemAdvise(const void *p, size_t bytes, int advice, int device) {
    return advise(CALL_cuMemAdvise, p, bytes, advice, shim_location_of(device));
}
SHIM_EXPORT int cuMemAdvise_v2(const void *p, size_t bytes, int advice, struct shim_location at);
int cuMemAdvise_v2(const void *p, size_t bytes, int advice, struct shim_location at) {
    return advise(CALL_cuMemAdvise_v2, p, bytes, advice, at);
}

/* Makes the call `id`, which moves `bytes` of managed memory to the place `at`, in a stream. */
static int prefetch(enum cuda_call_id id, const void *p, size_t bytes, struct shim_location at,
                    void *stream) {
    struct shim_call call = {
        .id = id,
        .in = {(uintptr_t)p, bytes, (uint64_t)at.type, (uint64_t)at.id, (uintptr_t)stream}};
    return driver_call(&call);
}
SHIM_EXPORT int cuMemPrefetchAsync(const void *p, size_t bytes, int device, void *stream);
int cuMemPrefetchAsync(const void *p, size_t bytes, int device, void *stream) {
    return prefetch(CALL_cuMemPrefetchAsync, p, bytes, shim_location_of(device), stream);
}
/* `flags` must be 0. */
SHIM_EXPORT int cuMemPrefetchAsync_v2(const void *p, size_t bytes, struct shim_location at,
                                      unsigned flags, void *stream);
int cuMemPrefetchAsync_v2(const void *p, size_t bytes, struct shim_location at, unsigned flags,
                          void *stream) {
    if (flags) return driver_fail(CALL_cuMemPrefetchAsync_v2, HEDDLE_cudaErrorInvalidValue);
    return prefetch(CALL_cuMemPrefetchAsync_v2, p, bytes, at, stream);
}

/* Attaches managed memory to a stream. `bytes` 0: the whole allocation. */
SHIM_EXPORT int cuStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags);
int cuStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags) {
    struct shim_call call = {.id = CALL_cuStreamAttachMemAsync,
                             .in = {(uintptr_t)stream, (uintptr_t)p, bytes, flags}};
    return driver_call(&call);
}
