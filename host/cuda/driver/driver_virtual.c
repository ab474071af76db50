/* driver_virtual.c - virtual memory management: the properties of an allocation, and access to its
 * mappings. The other calls pass their arguments on unchanged, so the build generates them from
 * tables/cuda_driver.def.
 *
 * Runs in the program's process, in libcuda.so.1. Functions with CUDA names implement the driver
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent. They need no current context. `handle` is an allocation's number, which the
 * server gives.
 *
 * The checks send nothing, and print with the name of the call `id`. The functions with CUDA names
 * return a CUresult and leave the runtime's last error alone. This file keeps no state. */
#include <string.h>

#include "cuda/driver/driver.h"

/* GRANULARITY: bytes. RECOMMENDED: the second kind of granularity, after the minimum. */
enum { PINNED = 1, LOCATION_DEVICE = 1, GRANULARITY = 2 << 20, RECOMMENDED = 1 };

struct properties { /* CUmemAllocationProp */
    int type, handle_types;
    struct shim_location location;
    void *security;
    unsigned char compression, gpu_direct;
    uint16_t usage;
    unsigned char reserved[4];
};

/* Accepts pinned memory of a device that stays in this process. Prints why it refuses other memory.
 * Counts nothing. @return cudaError_t: cudaErrorInvalidValue for no properties or a negative
 * device, cudaErrorNotSupported for other memory. */
static int check(enum cuda_call_id id, const struct properties *p) {
    if (!p || p->location.id < 0) return HEDDLE_cudaErrorInvalidValue;
    const char *what = p->type != PINNED                     ? "of another kind than pinned"
                       : p->handle_types                     ? "with handles for other processes"
                       : p->location.type != LOCATION_DEVICE ? "of the host"
                       : p->compression                      ? "that is compressed"
                       : p->usage                            ? "for tiles or multicast"
                                                             : NULL;
    if (what) shim_say("not supported: %s() for memory %s", shim_call_names[id], what);
    return what ? HEDDLE_cudaErrorNotSupported : CUDA_SUCCESS;
}

/* Answered here, without a message: *bytes is GRANULARITY for both kinds, the minimum and the
 * recommended one. */
SHIM_EXPORT int cuMemGetAllocationGranularity(size_t *bytes, const struct properties *p, int which);
int cuMemGetAllocationGranularity(size_t *bytes, const struct properties *p, int which) {
    static const enum cuda_call_id id = CALL_cuMemGetAllocationGranularity;
    int error = check(id, p);
    if (!error && (!bytes || which < 0 || which > RECOMMENDED))
        error = HEDDLE_cudaErrorInvalidValue;
    if (error) return driver_fail(id, error);
    error = driver_local(id);
    if (!error) *bytes = GRANULARITY;
    return error;
}

/* *handle: the number of a new allocation of `bytes` on the properties' device. `flags` must be 0;
 * check() says which properties are refused. */
SHIM_EXPORT int cuMemCreate(uint64_t *handle, size_t bytes, const struct properties *p,
                            unsigned long long flags);
int cuMemCreate(uint64_t *handle, size_t bytes, const struct properties *p,
                unsigned long long flags) {
    static const enum cuda_call_id id = CALL_cuMemCreate;
    int error = handle && !flags ? check(id, p) : HEDDLE_cudaErrorInvalidValue;
    if (error) return driver_fail(id, error);
    struct shim_call call = {.id = id, .in = {bytes, (uint64_t)p->location.id}};
    error = driver_call(&call);
    if (!error) *handle = call.out[0];
    return error;
}

/* Writes *p whole: pinned memory of the device that the server names. */
SHIM_EXPORT int cuMemGetAllocationPropertiesFromHandle(struct properties *p, uint64_t handle);
int cuMemGetAllocationPropertiesFromHandle(struct properties *p, uint64_t handle) {
    struct shim_call call = {.id = CALL_cuMemGetAllocationPropertiesFromHandle, .in = {handle}};
    if (!p) return driver_fail(call.id, HEDDLE_cudaErrorInvalidValue);
    int error = driver_call(&call);
    if (!error)
        *p = (struct properties){.type = PINNED, .location = {LOCATION_DEVICE, (int)call.out[0]}};
    return error;
}

/* ---- access */

struct access { /* CUmemAccessDesc: who may access, and how */
    struct shim_location location;
    int flags;
};

/* Accepts a device, and prints that it refuses other places, with the name of the call `id`.
 * @return cudaError_t: CUDA_SUCCESS or cudaErrorNotSupported. */
static int check_place(enum cuda_call_id id, const struct shim_location *at) {
    if (at->type == LOCATION_DEVICE && at->id >= 0) return CUDA_SUCCESS;
    shim_say("not supported: %s() for another place than a device", shim_call_names[id]);
    return HEDDLE_cudaErrorNotSupported;
}

/* Checks the whole list, and then sends one message for each entry; only the first counts as a
 * call. After an error it leaves out the rest; earlier entries stay set. A missing or empty list is
 * cudaErrorInvalidValue. */
SHIM_EXPORT int cuMemSetAccess(uint64_t address, size_t bytes, const struct access *list,
                               size_t count);
int cuMemSetAccess(uint64_t address, size_t bytes, const struct access *list, size_t count) {
    static const enum cuda_call_id id = CALL_cuMemSetAccess;
    int error = list && count ? CUDA_SUCCESS : HEDDLE_cudaErrorInvalidValue;
    for (size_t i = 0; i < count && !error; i++) error = check_place(id, &list[i].location);
    if (error) return driver_fail(id, error);
    for (size_t i = 0; i < count && !error; i++) {
        struct shim_call call = {.id = id,
                                 .in = {address, bytes, (uint64_t)list[i].location.id,
                                        (uint64_t)(unsigned)list[i].flags}};
        error = i ? cuda_result(driver_ask(&call)) : driver_call(&call);
    }
    return error;
}

/* *flags: how the device `at` may access the mapping at `address`. */
SHIM_EXPORT int cuMemGetAccess(unsigned long long *flags, const struct shim_location *at,
                               uint64_t address);
int cuMemGetAccess(unsigned long long *flags, const struct shim_location *at, uint64_t address) {
    static const enum cuda_call_id id = CALL_cuMemGetAccess;
    int error = flags && at ? check_place(id, at) : HEDDLE_cudaErrorInvalidValue;
    if (error) return driver_fail(id, error);
    struct shim_call call = {.id = id, .in = {(uint64_t)at->id, address}};
    error = driver_call(&call);
    if (!error) *flags = call.out[0];
    return error;
}
