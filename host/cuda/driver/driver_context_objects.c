/* driver_context_objects.c - objects owned by a context (memory, streams, modules ...), destroyed
 * with it.
 *
 * Runs in the program's process, in libcuda.so.1. The runtime and the driver API both create and
 * destroy objects. So this file installs an observer when the library is loaded, and shim_call()
 * passes it every successful call, on the thread that makes the call. driver_context.c calls
 * driver_destroy_objects() when a context ends. A reset of a device destroys everything created
 * before it.
 *
 * One list serves all contexts; `all.lock` guards it and the records in it. The tables by number of
 * the call do not change once the library is loaded, so that they are read without the lock. */
#include <stdlib.h>

#include "cuda/driver/driver.h"
#include "cuda/driver/driver_module.h"

/* An object that a context owns: a record in all.list, allocated by observe() and freed by forget()
 * or driver_destroy_objects(). Its members do not change, except `next`. */
struct owned_object {
    struct owned_object *next;
    const struct driver_context *context;
    enum cuda_call_id destroy; /* the call that destroys it */
    uint64_t handle;           /* the call's first result: what the destroying call takes */
    unsigned resets;           /* of devices before it was created (shim.resets) */
};

/* Calls that create an object (their first result is its handle), and the call that destroys it. */
static const struct {
    enum cuda_call_id create, destroy;
} creates[] = {
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
    {CALL_cudaMalloc3D, CALL_cuMemFree_v2},
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
    {CALL_cudaCreateTextureObject_v2, CALL_cuTexObjectDestroy},
    {CALL_cudaCreateSurfaceObject, CALL_cuSurfObjectDestroy},
};

/* Calls that destroy the same kind of object; their first argument is the handle. */
static const struct {
    enum cuda_call_id call, like;
} destroys[] = {
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

/* The owned objects of all contexts, and the tables above by number of the call. */
static struct {
    pthread_mutex_t lock;
    struct owned_object *list; /* the newest first */
    /* destroy_of[call]: the call that destroys what `call` creates. destroys_like[call]: the call
     * in owned_object.destroy of what `call` destroys. 0: none. */
    uint16_t destroy_of[CUDA_NUM_CALLS], destroys_like[CUDA_NUM_CALLS];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};
_Static_assert(CALL___cudaRegisterFatBinary == 0, "0 destroys nothing");

/* Removes the record of the object with this destroying call and handle from the list and frees it,
 * under the list's lock. Does nothing if there is none. */
static void forget(enum cuda_call_id destroy, uint64_t handle) {
    pthread_mutex_lock(&all.lock);
    for (struct owned_object **link = &all.list; *link; link = &(*link)->next) {
        struct owned_object *o = *link;
        if (o->destroy != destroy || o->handle != handle) continue;
        *link = o->next;
        free(o);
        break;
    }
    pthread_mutex_unlock(&all.lock);
}

/* The shim's observer (shim.observer). shim_call() runs it after each successful call, on the
 * thread that made it, with no lock held; several threads may run it at once. Removes the record of
 * an object that the call has destroyed, or adds one for a new object of the thread's current
 * context. Takes the list's lock; allocates; sends nothing. */
static void observe(const struct shim_call *call) {
    enum cuda_call_id destroy = all.destroy_of[call->id];
    if (all.destroys_like[call->id]) forget(all.destroys_like[call->id], call->in[0]);
    if (!destroy || !call->out[0]) return;
    struct owned_object *o = calloc(1, sizeof *o);
    if (!o) return; /* no memory: the object outlives its context */
    *o = (struct owned_object){NULL, driver_current(), destroy, call->out[0], shim.resets};
    pthread_mutex_lock(&all.lock);
    o->next = all.list;
    all.list = o;
    pthread_mutex_unlock(&all.lock);
}

/* Runs when the dynamic linker loads the library, before any call: fills the tables by call and
 * sets shim.observer. */
__attribute__((constructor)) static void install_observer(void) {
    for (unsigned i = 0; i < sizeof creates / sizeof creates[0]; i++)
        all.destroy_of[creates[i].create] = (uint16_t)creates[i].destroy;
    for (unsigned i = 0; i < sizeof destroys / sizeof destroys[0]; i++)
        all.destroys_like[destroys[i].call] = (uint16_t)destroys[i].like;
    shim.observer = observe;
}

/* Removes a context's records from the list, under its lock. @return them, the newest first, for
 * the caller to free. */
static struct owned_object *take(const struct driver_context *c) {
    struct owned_object *taken = NULL, **end = &taken;
    pthread_mutex_lock(&all.lock);
    for (struct owned_object **link = &all.list; *link;) {
        struct owned_object *o = *link;
        if (o->context != c) {
            link = &o->next;
            continue;
        }
        *link = o->next;
        o->next = NULL;
        *end = o;
        end = &o->next;
    }
    pthread_mutex_unlock(&all.lock);
    return taken;
}

/* Takes the context's records off the list, and then, without the lock, destroys each object, the
 * newest first: unmaps the pages of memory that the program reaches, marks a module as unloaded,
 * and sends the destroying call, which counts as no call and whose error it ignores. Skips objects
 * that a reset of a device has destroyed already. Frees the records. */
void driver_destroy_objects(const struct driver_context *c) {
    for (struct owned_object *o = take(c), *next; o; o = next) {
        next = o->next;
        struct shim_call call = {.id = o->destroy, .in = {o->handle}};
        if (o->resets == shim.resets) {
            bool memory = o->destroy == CALL_cuMemFree_v2 || o->destroy == CALL_cuMemFreeHost;
            if (memory) shim_unmap_allocation((void *)(uintptr_t)o->handle);
            if (o->destroy == CALL_cuModuleUnload) driver_forget_module(o->handle);
            (void)driver_ask(&call); /* an error of the program must not stop the destruction */
        }
        free(o);
    }
}
