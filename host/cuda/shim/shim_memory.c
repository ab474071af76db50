/* shim_memory.c - memory pools and hints about managed memory: structures and values whose form
 * depends on the CUDA version. */
#include <string.h>

#include "cuda/shim/shim.h"

enum { LOCATION_DEVICE = 1, LOCATION_HOST = 2, ATTR_REUSE_LAST = 3 };

/* ---- pools */

struct pool_properties { /* the head of cudaMemPoolProps */
    int type, handle_types;
    struct shim_location location;
};

SHIM_EXPORT int cudaMemPoolCreate(void **pool, const struct pool_properties *p);
int cudaMemPoolCreate(void **pool, const struct pool_properties *p) {
    static const enum cuda_call_id id = CALL_cudaMemPoolCreate;
    if (!pool || !p) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    if (p->handle_types) {
        shim_say("not supported: cudaMemPoolCreate() with handles for other processes");
        return shim_fail(id, HEDDLE_cudaErrorNotSupported);
    }
    struct shim_call call = {
        .id = id, .in = {(uint64_t)p->type, (uint64_t)p->location.type, (uint64_t)p->location.id}};
    int error = shim_call(&call);
    if (!error) memcpy(pool, &call.out[0], sizeof *pool);
    return error;
}

/* The reuse attributes are ints, the others 64 bits wide. */
SHIM_EXPORT int cudaMemPoolGetAttribute(void *pool, int attribute, void *value);
int cudaMemPoolGetAttribute(void *pool, int attribute, void *value) {
    static const enum cuda_call_id id = CALL_cudaMemPoolGetAttribute;
    if (!value) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id, .in = {(uintptr_t)pool, (uint64_t)attribute}};
    int error = shim_call(&call);
    if (!error) memcpy(value, &call.out[0], attribute <= ATTR_REUSE_LAST ? 4 : 8);
    return error;
}

SHIM_EXPORT int cudaMemPoolSetAttribute(void *pool, int attribute, const void *value);
int cudaMemPoolSetAttribute(void *pool, int attribute, const void *value) {
    static const enum cuda_call_id id = CALL_cudaMemPoolSetAttribute;
    if (!value) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id, .in = {(uintptr_t)pool, (uint64_t)attribute}};
    memcpy(&call.in[2], value, attribute <= ATTR_REUSE_LAST ? 4 : 8);
    return shim_call(&call);
}

SHIM_EXPORT int cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value);
int cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value) {
    static const enum cuda_call_id id = CALL_cudaDeviceGetGraphMemAttribute;
    if (!value) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id, .in = {(uint64_t)device, (uint64_t)attribute}};
    int error = shim_call(&call);
    if (!error) memcpy(value, &call.out[0], 8);
    return error;
}

SHIM_EXPORT int cudaDeviceSetGraphMemAttribute(int device, int attribute, const void *value);
int cudaDeviceSetGraphMemAttribute(int device, int attribute, const void *value) {
    static const enum cuda_call_id id = CALL_cudaDeviceSetGraphMemAttribute;
    if (!value) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id, .in = {(uint64_t)device, (uint64_t)attribute}};
    memcpy(&call.in[2], value, 8);
    return shim_call(&call);
}

struct access {
    struct shim_location location;
    int flags;
};

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

SHIM_EXPORT int cudaMemPoolGetAccess(int *flags, void *pool, const struct shim_location *location);
int cudaMemPoolGetAccess(int *flags, void *pool, const struct shim_location *location) {
    static const enum cuda_call_id id = CALL_cudaMemPoolGetAccess;
    if (!flags || !location) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {
        .id = id, .in = {(uintptr_t)pool, (uint64_t)location->type, (uint64_t)location->id}};
    int error = shim_call(&call);
    if (!error) *flags = (int)call.out[0];
    return error;
}

/* ---- managed memory. Until CUDA 12 a place is a device's number, -1 the host; since then also a
 * structure. */

static inline struct shim_location place_of(int device) {
    return device < 0 ? (struct shim_location){LOCATION_HOST, 0}
                      : (struct shim_location){LOCATION_DEVICE, device};
}

static int advise(enum cuda_call_id id, const void *p, size_t bytes, int advice,
                  struct shim_location at) {
    struct shim_call call = {
        .id = CALL_cudaMemAdvise,
        .in = {(uintptr_t)p, bytes, (uint64_t)advice, (uint64_t)at.type, (uint64_t)at.id}};
    if (id == CALL_cudaMemAdvise) return shim_call(&call);
    shim_enter_per_thread(id); /* counted under the name that the program used */
    return shim_leave_per_thread(shim_call(&call));
}

static int prefetch(enum cuda_call_id id, const void *p, size_t bytes, struct shim_location at,
                    void *stream) {
    struct shim_call call = {
        .id = CALL_cudaMemPrefetchAsync,
        .in = {(uintptr_t)p, bytes, (uint64_t)at.type, (uint64_t)at.id, (uintptr_t)stream}};
    if (id == CALL_cudaMemPrefetchAsync) return shim_call(&call);
    /* Stream 0 of the version-2 name is the legacy stream, which is given by its other name. */
    if (!stream && id == CALL_cudaMemPrefetchAsync_v2) call.in[4] = 1;
    shim_enter_per_thread(id);
    return shim_leave_per_thread(shim_call(&call));
}

#if HEDDLE_CUDART_VERSION >= 13
SHIM_EXPORT int cudaMemAdvise(const void *p, size_t bytes, int advice, struct shim_location at);
int cudaMemAdvise(const void *p, size_t bytes, int advice, struct shim_location at) {
    return advise(CALL_cudaMemAdvise, p, bytes, advice, at);
}

SHIM_EXPORT int cudaMemPrefetchAsync(const void *p, size_t bytes, struct shim_location at,
                                     unsigned flags, void *stream);
int cudaMemPrefetchAsync(const void *p, size_t bytes, struct shim_location at, unsigned flags,
                         void *stream) {
    if (flags) return shim_fail(CALL_cudaMemPrefetchAsync, HEDDLE_cudaErrorInvalidValue);
    return prefetch(CALL_cudaMemPrefetchAsync, p, bytes, at, stream);
}

SHIM_EXPORT int cudaMemPrefetchAsync_ptsz(const void *p, size_t bytes, struct shim_location at,
                                          unsigned flags, void *stream);
int cudaMemPrefetchAsync_ptsz(const void *p, size_t bytes, struct shim_location at, unsigned flags,
                              void *stream) {
    if (flags) return shim_fail(CALL_cudaMemPrefetchAsync_ptsz, HEDDLE_cudaErrorInvalidValue);
    return prefetch(CALL_cudaMemPrefetchAsync_ptsz, p, bytes, at, stream);
}
#else
SHIM_EXPORT int cudaMemAdvise(const void *p, size_t bytes, int advice, int device);
int cudaMemAdvise(const void *p, size_t bytes, int advice, int device) {
    return advise(CALL_cudaMemAdvise, p, bytes, advice, place_of(device));
}

SHIM_EXPORT int cudaMemPrefetchAsync(const void *p, size_t bytes, int device, void *stream);
int cudaMemPrefetchAsync(const void *p, size_t bytes, int device, void *stream) {
    return prefetch(CALL_cudaMemPrefetchAsync, p, bytes, place_of(device), stream);
}

SHIM_EXPORT int cudaMemPrefetchAsync_ptsz(const void *p, size_t bytes, int device, void *stream);
int cudaMemPrefetchAsync_ptsz(const void *p, size_t bytes, int device, void *stream) {
    return prefetch(CALL_cudaMemPrefetchAsync_ptsz, p, bytes, place_of(device), stream);
}
#endif

#if HEDDLE_CUDART_VERSION == 12
SHIM_EXPORT int cudaMemAdvise_v2(const void *p, size_t bytes, int advice, struct shim_location at);
int cudaMemAdvise_v2(const void *p, size_t bytes, int advice, struct shim_location at) {
    return advise(CALL_cudaMemAdvise_v2, p, bytes, advice, at);
}

SHIM_EXPORT int cudaMemPrefetchAsync_v2(const void *p, size_t bytes, struct shim_location at,
                                        unsigned flags, void *stream);
int cudaMemPrefetchAsync_v2(const void *p, size_t bytes, struct shim_location at, unsigned flags,
                            void *stream) {
    if (flags) return shim_fail(CALL_cudaMemPrefetchAsync_v2, HEDDLE_cudaErrorInvalidValue);
    return prefetch(CALL_cudaMemPrefetchAsync_v2, p, bytes, at, stream);
}

SHIM_EXPORT int cudaMemPrefetchAsync_v2_ptsz(const void *p, size_t bytes, struct shim_location at,
                                             unsigned flags, void *stream);
int cudaMemPrefetchAsync_v2_ptsz(const void *p, size_t bytes, struct shim_location at,
                                 unsigned flags, void *stream) {
    if (flags) return shim_fail(CALL_cudaMemPrefetchAsync_v2_ptsz, HEDDLE_cudaErrorInvalidValue);
    return prefetch(CALL_cudaMemPrefetchAsync_v2_ptsz, p, bytes, at, stream);
}
#endif

/* Length 0: the whole allocation. */
SHIM_EXPORT int cudaStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags);
int cudaStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags) {
    struct shim_call call = {.id = CALL_cudaStreamAttachMemAsync,
                             .in = {(uintptr_t)stream, (uintptr_t)p, bytes, flags}};
    return shim_call(&call);
}
