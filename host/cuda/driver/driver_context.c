/* driver_context.c - contexts: the devices' primary ones and those of the program's own.
 *
 * A thread has a stack of contexts; the server knows of it only the device. */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver.h"

enum { MAX_DEVICES = 64, MAX_DEPTH = 64, FLAGS = 0xff };

/* Something that was made in a context and not yet ended. */
struct made {
    struct made *next;
    enum cuda_call_id end; /* the call that ends it */
    uint64_t handle;
};

struct driver_context {
    struct driver_context *next; /* of the program's own */
    int device;
    bool primary, live;
    unsigned flags, retained;
    uint64_t id;
    struct made *made;
};

struct thread {
    struct driver_context *stack[MAX_DEPTH];
    unsigned depth;
};

static struct {
    pthread_mutex_t lock;
    struct driver_context primary[MAX_DEVICES];
    struct driver_context *own;
    uint64_t num_contexts;
} contexts = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct thread *self(void) {
    struct shim_thread *t = shim_self();
    if (!t->driver) t->driver = calloc(1, sizeof(struct thread));
    return t->driver;
}

static struct driver_context *primary_of(int device) {
    struct driver_context *c = &contexts.primary[device];
    c->device = device;
    c->primary = c->live = true;
    c->id = (uint64_t)device + 1;
    return c;
}

/* cudaSetDevice makes the device's primary context the current one. */
struct driver_context *driver_current(void) {
    const struct shim_thread *t = shim_self();
    struct thread *s = self();
    if (!s) return NULL;
    struct driver_context *top = s->depth ? s->stack[s->depth - 1] : NULL;
    if (top && top->device == t->device) return top;
    if (!t->uses_runtime) return top;
    top = primary_of(t->device);
    s->stack[s->depth ? s->depth - 1 : 0] = top;
    if (!s->depth) s->depth = 1;
    return top;
}

int driver_device_of(const struct driver_context *c) {
    return c->device;
}

/* The thread's operations go to that device from now on. @return CUresult. */
static int select_device(enum cuda_call_id id, int device) {
    struct shim_thread *t = shim_self();
    struct shim_call call = {.id = id, .in = {(uint64_t)device}};
    int error;
    DRIVER_KEEPING_LAST_ERROR(error = shim_call(&call));
    if (!error) t->device = device;
    return driver_result(error);
}

/* A handle that the program has given. */
static bool is_context(const struct driver_context *c) {
    bool primary = c >= contexts.primary && c < contexts.primary + MAX_DEVICES;
    bool found = primary && c->live;
    pthread_mutex_lock(&contexts.lock);
    for (const struct driver_context *o = contexts.own; o && !found; o = o->next)
        found = o == c && o->live;
    pthread_mutex_unlock(&contexts.lock);
    return found;
}

/* ---- what was made */

/* The calls that make something, with its handle as the first result, and those that end it. */
static const struct {
    enum cuda_call_id make, end;
} kinds[] = {
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
};
enum { NUM_KINDS = sizeof kinds / sizeof kinds[0] };

static void forget(struct driver_context *c, enum cuda_call_id end, uint64_t handle) {
    for (struct made **link = &c->made; *link; link = &(*link)->next) {
        struct made *m = *link;
        if (m->end != end || m->handle != handle) continue;
        *link = m->next;
        free(m);
        return;
    }
}

void driver_note(struct driver_context *c, const struct shim_call *call) {
    for (unsigned k = 0; k < NUM_KINDS; k++) {
        if (kinds[k].end == call->id) {
            pthread_mutex_lock(&contexts.lock);
            for (unsigned d = 0; d < MAX_DEVICES; d++)
                forget(&contexts.primary[d], call->id, call->in[0]);
            for (struct driver_context *o = contexts.own; o; o = o->next)
                forget(o, call->id, call->in[0]);
            pthread_mutex_unlock(&contexts.lock);
            return;
        }
        if (kinds[k].make != call->id || !c) continue;
        struct made *m = calloc(1, sizeof *m);
        if (!m) return;
        m->end = kinds[k].end;
        m->handle = call->out[0];
        pthread_mutex_lock(&contexts.lock);
        m->next = c->made;
        c->made = m;
        pthread_mutex_unlock(&contexts.lock);
        return;
    }
}

/* Ends all that was made in it, the newest first. */
static void leave_behind(struct driver_context *c) {
    pthread_mutex_lock(&contexts.lock);
    struct made *list = c->made;
    c->made = NULL;
    pthread_mutex_unlock(&contexts.lock);
    while (list) {
        struct made *m = list;
        list = m->next;
        struct shim_call call = {.id = m->end, .in = {m->handle}};
        void *address = (void *)(uintptr_t)m->handle;
        int error;
        DRIVER_KEEPING_LAST_ERROR(error = m->end == CALL_cuMemFree_v2 ? shim_free(m->end, address)
                                          : m->end == CALL_cuMemFreeHost
                                              ? shim_free_pinned(m->end, address)
                                              : shim_call(&call));
        (void)error; /* the program may have broken the context: it goes anyway */
        free(m);
    }
}

/* ---- devices */

static int count_devices(void) {
    struct shim_call call = {.id = CALL_cuDeviceGetCount};
    return driver_ask(&call) ? 0 : (int)call.out[0];
}

static int check_device(int device) {
    return device >= 0 && device < count_devices() && device < MAX_DEVICES ? CUDA_SUCCESS
                                                                           : RESULT_INVALID_DEVICE;
}

SHIM_EXPORT int cuDeviceGet(int *device, int ordinal);
int cuDeviceGet(int *device, int ordinal) {
    int error = driver_local(CALL_cuDeviceGet);
    if (!error) error = device ? check_device(ordinal) : HEDDLE_cudaErrorInvalidValue;
    if (!error) *device = ordinal;
    return error;
}

SHIM_EXPORT int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRetain(void **context, int device) {
    int error = driver_local(CALL_cuDevicePrimaryCtxRetain);
    if (!error) error = context ? check_device(device) : HEDDLE_cudaErrorInvalidValue;
    if (error) return error;
    struct driver_context *c = primary_of(device);
    __atomic_fetch_add(&c->retained, 1, __ATOMIC_RELAXED);
    *context = c;
    return CUDA_SUCCESS;
}

/* With its last holder the context goes, and what was made in it. */
SHIM_EXPORT int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device) {
    int error = driver_local(CALL_cuDevicePrimaryCtxRelease_v2);
    if (!error) error = check_device(device);
    if (error) return error;
    struct driver_context *c = primary_of(device);
    if (!c->retained) return RESULT_INVALID_CONTEXT;
    if (__atomic_sub_fetch(&c->retained, 1, __ATOMIC_RELAXED) == 0 && !shim_self()->uses_runtime)
        leave_behind(c);
    return CUDA_SUCCESS;
}

SHIM_EXPORT int cuDevicePrimaryCtxReset_v2(int device);
int cuDevicePrimaryCtxReset_v2(int device) {
    struct shim_call call = {.id = CALL_cuDevicePrimaryCtxReset_v2};
    int error = check_device(device);
    if (error) return driver_fail(call.id, error);
    error = driver_call(&call);
    for (unsigned d = 0; !error && d < MAX_DEVICES; d++) { /* the server has ended it all */
        struct driver_context *c = &contexts.primary[d];
        while (c->made) forget(c, c->made->end, c->made->handle);
    }
    return error;
}

SHIM_EXPORT int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
    int error = driver_local(CALL_cuDevicePrimaryCtxGetState);
    if (!error) error = flags && active ? check_device(device) : HEDDLE_cudaErrorInvalidValue;
    if (error) return error;
    const struct driver_context *c = primary_of(device);
    *flags = c->flags;
    *active = c->retained || shim_self()->uses_runtime;
    return CUDA_SUCCESS;
}

/* How a host thread waits is of no consequence here: it waits in target time. */
SHIM_EXPORT int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags);
int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
    int error = driver_local(CALL_cuDevicePrimaryCtxSetFlags_v2);
    if (!error)
        error = flags & ~(unsigned)FLAGS ? HEDDLE_cudaErrorInvalidValue : check_device(device);
    if (!error) primary_of(device)->flags = flags;
    return error;
}

/* ---- the current context */

static int set_current(enum cuda_call_id id, struct driver_context *c) {
    struct thread *s = self();
    if (!s) return driver_fail(id, HEDDLE_cudaErrorMemoryAllocation);
    if (!c) {
        shim_local(id);
        if (s->depth) s->depth--;
        return CUDA_SUCCESS;
    }
    if (!is_context(c)) return driver_fail(id, RESULT_INVALID_CONTEXT);
    int error = select_device(id, c->device);
    if (error) return error;
    if (!s->depth) s->depth = 1;
    s->stack[s->depth - 1] = c;
    return CUDA_SUCCESS;
}

static int push(enum cuda_call_id id, struct driver_context *c) {
    struct thread *s = self();
    if (!s || s->depth == MAX_DEPTH) return driver_fail(id, HEDDLE_cudaErrorMemoryAllocation);
    if (!is_context(c)) return driver_fail(id, RESULT_INVALID_CONTEXT);
    driver_current(); /* what the runtime has made current comes below */
    int error = select_device(id, c->device);
    if (!error) s->stack[s->depth++] = c;
    return error;
}

SHIM_EXPORT int cuCtxSetCurrent(void *context);
int cuCtxSetCurrent(void *context) {
    return set_current(CALL_cuCtxSetCurrent, context);
}

SHIM_EXPORT int cuCtxGetCurrent(void **context);
int cuCtxGetCurrent(void **context) {
    if (!context) return driver_fail(CALL_cuCtxGetCurrent, HEDDLE_cudaErrorInvalidValue);
    int error = driver_ready(CALL_cuCtxGetCurrent);
    if (error && error != RESULT_INVALID_CONTEXT) return driver_fail(CALL_cuCtxGetCurrent, error);
    shim_local(CALL_cuCtxGetCurrent);
    *context = driver_current();
    return CUDA_SUCCESS;
}

SHIM_EXPORT int cuCtxPushCurrent_v2(void *context);
int cuCtxPushCurrent_v2(void *context) {
    return push(CALL_cuCtxPushCurrent_v2, context);
}

SHIM_EXPORT int cuCtxPopCurrent_v2(void **context);
int cuCtxPopCurrent_v2(void **context) {
    struct driver_context *top = driver_current();
    struct thread *s = self();
    if (!top || !s->depth) return driver_fail(CALL_cuCtxPopCurrent_v2, RESULT_INVALID_CONTEXT);
    if (context) *context = top;
    s->depth--;
    if (!s->depth) {
        shim_local(CALL_cuCtxPopCurrent_v2);
        return CUDA_SUCCESS;
    }
    return select_device(CALL_cuCtxPopCurrent_v2, s->stack[s->depth - 1]->device);
}

static int create(enum cuda_call_id id, void **context, unsigned flags, int device) {
    if (!context || flags & ~(unsigned)FLAGS) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = driver_ready(CALL_cuDeviceGet); /* as a call that needs no context */
    if (!error) error = check_device(device);
    if (error) return driver_fail(id, error);
    struct driver_context *c = calloc(1, sizeof *c);
    if (!c) return driver_fail(id, HEDDLE_cudaErrorMemoryAllocation);
    c->device = device;
    c->flags = flags;
    c->live = true;
    pthread_mutex_lock(&contexts.lock);
    c->id = MAX_DEVICES + ++contexts.num_contexts;
    c->next = contexts.own;
    contexts.own = c;
    pthread_mutex_unlock(&contexts.lock);
    error = push(id, c);
    if (!error) *context = c;
    return error;
}

SHIM_EXPORT int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxCreate_v2(void **context, unsigned flags, int device) {
    return create(CALL_cuCtxCreate_v2, context, flags, device);
}

/* Parameters: execution affinity, and CIG. */
SHIM_EXPORT int cuCtxCreate_v4(void **context, const void *const parameters[], unsigned flags,
                               int device);
int cuCtxCreate_v4(void **context, const void *const parameters[], unsigned flags, int device) {
    if (parameters && (parameters[0] || parameters[2])) {
        shim_say("not supported: cuCtxCreate() with execution affinity or graphics (CIG)");
        return driver_fail(CALL_cuCtxCreate_v4, HEDDLE_cudaErrorNotSupported);
    }
    return create(CALL_cuCtxCreate_v4, context, flags, device);
}

SHIM_EXPORT int cuCtxDestroy_v2(void *context);
int cuCtxDestroy_v2(void *context) {
    struct driver_context *c = context;
    struct thread *s = self();
    if (!s || !is_context(c) || c->primary)
        return driver_fail(CALL_cuCtxDestroy_v2, RESULT_INVALID_CONTEXT);
    struct shim_call wait = {.id = CALL_cuCtxSynchronize};
    int error = select_device(CALL_cuCtxDestroy_v2, c->device);
    if (!error) error = driver_ask(&wait);
    leave_behind(c);
    c->live = false;
    if (s->depth && s->stack[s->depth - 1] == c) s->depth--;
    if (s->depth) shim_self()->device = s->stack[s->depth - 1]->device;
    struct shim_call back = {.id = CALL_cudaSetDevice, .in = {(uint64_t)shim_self()->device}};
    if (s->depth) driver_ask(&back);
    return driver_result(error);
}

/* ---- what it is */

SHIM_EXPORT int cuCtxGetDevice(int *device);
int cuCtxGetDevice(int *device) {
    int error = driver_local(CALL_cuCtxGetDevice);
    if (!error && !device) error = HEDDLE_cudaErrorInvalidValue;
    if (!error) *device = driver_current()->device;
    return error;
}

SHIM_EXPORT int cuCtxGetApiVersion(void *context, unsigned *version);
int cuCtxGetApiVersion(void *context, unsigned *version) {
    enum { API_VERSION = 3020 };
    int error = driver_local(CALL_cuCtxGetApiVersion);
    if (!error && !version) error = HEDDLE_cudaErrorInvalidValue;
    if (!error && context && !is_context(context)) error = RESULT_INVALID_CONTEXT;
    if (!error) *version = API_VERSION;
    return error;
}

SHIM_EXPORT int cuCtxGetFlags(unsigned *flags);
int cuCtxGetFlags(unsigned *flags) {
    int error = driver_local(CALL_cuCtxGetFlags);
    if (!error && !flags) error = HEDDLE_cudaErrorInvalidValue;
    if (!error) *flags = driver_current()->flags;
    return error;
}

SHIM_EXPORT int cuCtxGetId(void *context, unsigned long long *id);
int cuCtxGetId(void *context, unsigned long long *id) {
    int error = driver_local(CALL_cuCtxGetId);
    if (!error && !id) error = HEDDLE_cudaErrorInvalidValue;
    if (!error && context && !is_context(context)) error = RESULT_INVALID_CONTEXT;
    if (!error) *id = (context ? (struct driver_context *)context : driver_current())->id;
    return error;
}

/* Shared memory has banks of four bytes, whatever is asked for, as on all GPUs since Maxwell. */
SHIM_EXPORT int cuCtxGetSharedMemConfig(int *config);
int cuCtxGetSharedMemConfig(int *config) {
    enum { FOUR_BYTES = 1 };
    int error = driver_local(CALL_cuCtxGetSharedMemConfig);
    if (!error && !config) error = HEDDLE_cudaErrorInvalidValue;
    if (!error) *config = FOUR_BYTES;
    return error;
}
SHIM_EXPORT int cuCtxSetSharedMemConfig(int config);
int cuCtxSetSharedMemConfig(int config) {
    int error = driver_local(CALL_cuCtxSetSharedMemConfig);
    return error || (config >= 0 && config <= 2) ? error : HEDDLE_cudaErrorInvalidValue;
}

/* Streams are the device's: the context is the current one, or the primary one of their device. */
SHIM_EXPORT int cuStreamGetCtx(void *stream, void **context);
int cuStreamGetCtx(void *stream, void **context) {
    struct shim_call call = {.id = CALL_cudaStreamGetDevice, .in = {(uintptr_t)stream}};
    int error = driver_local(CALL_cuStreamGetCtx);
    if (!error && !context) error = HEDDLE_cudaErrorInvalidValue;
    if (!error) error = driver_result(driver_ask(&call));
    if (error) return error;
    struct driver_context *c = driver_current();
    *context = c->device == (int)call.out[0] ? c : primary_of((int)call.out[0]);
    return CUDA_SUCCESS;
}

static int peer(enum cuda_call_id id, const struct driver_context *c, unsigned flags) {
    struct shim_call call = {.id = id};
    if (!is_context(c)) return driver_fail(id, RESULT_INVALID_CONTEXT);
    call.in[0] = (uint64_t)c->device;
    call.in[1] = flags;
    return driver_call(&call);
}

SHIM_EXPORT int cuCtxEnablePeerAccess(void *context, unsigned flags);
int cuCtxEnablePeerAccess(void *context, unsigned flags) {
    return peer(CALL_cuCtxEnablePeerAccess, context, flags);
}
SHIM_EXPORT int cuCtxDisablePeerAccess(void *context);
int cuCtxDisablePeerAccess(void *context) {
    return peer(CALL_cuCtxDisablePeerAccess, context, 0);
}
