/* driver_made.c - what was made in contexts: it ends with them.
 *
 * Whichever interface makes it or ends it: the shim tells of every call that went well. A reset of
 * a device has ended all that was made before. One list for all contexts, guarded by a mutex. */
#include <stdlib.h>

#include "cuda/driver/driver.h"
#include "cuda/driver/driver_module.h"

struct made {
    struct made *next;
    const struct driver_context *context;
    enum cuda_call_id end; /* the call that ends it */
    uint64_t handle;
    unsigned resets; /* so many resets were before it */
};

/* The calls that make something, with its handle as the first result, and those that end it. */
static const struct {
    enum cuda_call_id make, end;
} makes[] = {
    {CALL_cuMemAlloc_v2, CALL_cuMemFree_v2},
    {CALL_cuMemAllocPitch_v2, CALL_cuMemFree_v2},
    {CALL_cuMemAllocManaged, CALL_cuMemFree_v2},
    {CALL_cuMemAllocHost_v2, CALL_cuMemFreeHost},
    {CALL_cuMemHostAlloc, CALL_cuMemFreeHost},
    {CALL_cuStreamCreate, CALL_cuStreamDestroy_v2},
    {CALL_cuStreamCreateWithPriority, CALL_cuStreamDestroy_v2},
    {CALL_cuEventCreate, CALL_cuEventDestroy_v2},
    {CALL_cuArrayCreate_v2, CALL_cuArrayDestroy},
    {CALL_cuArray3DCreate_v2, CALL_cuArrayDestroy},
    {CALL_cuMipmappedArrayCreate, CALL_cuMipmappedArrayDestroy},
    {CALL_cuTexObjectCreate, CALL_cuTexObjectDestroy},
    {CALL_cuSurfObjectCreate, CALL_cuSurfObjectDestroy},
    {CALL_cuModuleLoad, CALL_cuModuleUnload},
    {CALL_cuModuleLoadData, CALL_cuModuleUnload},
    {CALL_cuModuleLoadDataEx, CALL_cuModuleUnload},
    {CALL_cuModuleLoadFatBinary, CALL_cuModuleUnload},
    {CALL_cudaMalloc, CALL_cuMemFree_v2},
    {CALL_cudaMallocPitch, CALL_cuMemFree_v2},
    {CALL_cudaMallocManaged, CALL_cuMemFree_v2},
    {CALL_cudaMallocHost, CALL_cuMemFreeHost},
    {CALL_cudaHostAlloc, CALL_cuMemFreeHost},
    {CALL_cudaStreamCreate, CALL_cuStreamDestroy_v2},
    {CALL_cudaStreamCreateWithFlags, CALL_cuStreamDestroy_v2},
    {CALL_cudaStreamCreateWithPriority, CALL_cuStreamDestroy_v2},
    {CALL_cudaEventCreate, CALL_cuEventDestroy_v2},
    {CALL_cudaEventCreateWithFlags, CALL_cuEventDestroy_v2},
    {CALL_cudaMallocArray, CALL_cuArrayDestroy},
    {CALL_cudaMalloc3DArray, CALL_cuArrayDestroy},
    {CALL_cudaMallocMipmappedArray, CALL_cuMipmappedArrayDestroy},
    {CALL_cudaCreateTextureObject, CALL_cuTexObjectDestroy},
    {CALL_cudaCreateSurfaceObject, CALL_cuSurfObjectDestroy},
};

/* Calls that end the same; their first argument is the handle. */
static const struct {
    enum cuda_call_id call, end;
} ends[] = {
    {CALL_cuMemFree_v2, CALL_cuMemFree_v2},
    {CALL_cuMemFreeAsync, CALL_cuMemFree_v2},
    {CALL_cuMemFreeHost, CALL_cuMemFreeHost},
    {CALL_cuStreamDestroy_v2, CALL_cuStreamDestroy_v2},
    {CALL_cuEventDestroy_v2, CALL_cuEventDestroy_v2},
    {CALL_cuArrayDestroy, CALL_cuArrayDestroy},
    {CALL_cuMipmappedArrayDestroy, CALL_cuMipmappedArrayDestroy},
    {CALL_cuTexObjectDestroy, CALL_cuTexObjectDestroy},
    {CALL_cuSurfObjectDestroy, CALL_cuSurfObjectDestroy},
    {CALL_cuModuleUnload, CALL_cuModuleUnload},
    {CALL_cudaFree, CALL_cuMemFree_v2},
    {CALL_cudaFreeAsync, CALL_cuMemFree_v2},
    {CALL_cudaFreeHost, CALL_cuMemFreeHost},
    {CALL_cudaStreamDestroy, CALL_cuStreamDestroy_v2},
    {CALL_cudaEventDestroy, CALL_cuEventDestroy_v2},
    {CALL_cudaFreeArray, CALL_cuArrayDestroy},
    {CALL_cudaFreeMipmappedArray, CALL_cuMipmappedArrayDestroy},
    {CALL_cudaDestroyTextureObject, CALL_cuTexObjectDestroy},
    {CALL_cudaDestroySurfaceObject, CALL_cuSurfObjectDestroy},
};

static struct {
    pthread_mutex_t lock;
    struct made *list; /* the newest first */
    /* By call, the call that ends what it makes, or that ends the same; 0: none. */
    uint16_t made_by[CUDA_NUM_CALLS], ended_by[CUDA_NUM_CALLS];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};
_Static_assert(CALL___cudaRegisterFatBinary == 0, "0 ends nothing");

static void forget(enum cuda_call_id end, uint64_t handle) {
    pthread_mutex_lock(&all.lock);
    for (struct made **link = &all.list; *link; link = &(*link)->next) {
        struct made *m = *link;
        if (m->end != end || m->handle != handle) continue;
        *link = m->next;
        free(m);
        break;
    }
    pthread_mutex_unlock(&all.lock);
}

static void observe(const struct shim_call *call) {
    enum cuda_call_id end = all.made_by[call->id];
    if (all.ended_by[call->id]) forget(all.ended_by[call->id], call->in[0]);
    if (!end || !call->out[0]) return;
    struct made *m = calloc(1, sizeof *m);
    if (!m) return; /* it stays when its context goes */
    *m = (struct made){NULL, driver_current(), end, call->out[0], shim.resets};
    pthread_mutex_lock(&all.lock);
    m->next = all.list;
    all.list = m;
    pthread_mutex_unlock(&all.lock);
}

void driver_observe(void) {
    for (unsigned i = 0; i < sizeof makes / sizeof makes[0]; i++)
        all.made_by[makes[i].make] = (uint16_t)makes[i].end;
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++)
        all.ended_by[ends[i].call] = (uint16_t)ends[i].end;
    shim.observer = observe;
}

/* Takes a context's records off the list, the newest first. */
static struct made *take(const struct driver_context *c) {
    struct made *taken = NULL, **end = &taken;
    pthread_mutex_lock(&all.lock);
    for (struct made **link = &all.list; *link;) {
        struct made *m = *link;
        if (m->context != c) {
            link = &m->next;
            continue;
        }
        *link = m->next;
        m->next = NULL;
        *end = m;
        end = &m->next;
    }
    pthread_mutex_unlock(&all.lock);
    return taken;
}

void driver_leave_behind(const struct driver_context *c) {
    for (struct made *m = take(c), *next; m; m = next) {
        next = m->next;
        struct shim_call call = {.id = m->end, .in = {m->handle}};
        if (m->resets == shim.resets) {
            bool memory = m->end == CALL_cuMemFree_v2 || m->end == CALL_cuMemFreeHost;
            if (memory) shim_unmap_allocation((void *)(uintptr_t)m->handle);
            if (m->end == CALL_cuModuleUnload) driver_forget_module(m->handle);
            (void)driver_ask(&call); /* the program may have broken the context: it goes anyway */
        }
        free(m);
    }
}
