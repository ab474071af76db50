/* driver_context.c - contexts: the primary one of each device, and those that the program creates.
 *
 * Runs in the program's process, in libcuda.so.1. The server knows no contexts. Each thread has a
 * stack of them (struct driver_thread), whose top is current; the server knows only the device of
 * the top one. So each function that changes the calling thread's stack also sends the server the
 * new device (follow_top).
 *
 * Functions with CUDA names implement the driver call of that name, on the thread of the program
 * that makes it. Unless a comment says otherwise they count the call, answer it from this
 * process's records, and write results through their pointers only on success. driver_local()
 * connects the thread first if necessary (messages, shim.lock); driver_thread() allocates its stack
 * on first use; driver_current() first does what calls of the runtime have asked for: it clears
 * shim_thread.wants, and may put a primary context on top of the stack and set runtime_device.
 * driver_is_context(), driver_context_add() and driver_context_destroy() hold the lock of the
 * contexts' list for a moment. A device's number
 * is checked by asking the server how many devices there are. The messages of this file, except
 * those of driver_call(), count as no call. All functions return a CUresult, unless a comment says
 * otherwise. */
#include <stdlib.h>

#include "cuda/driver/driver_context.h"

enum { FLAGS = 0xff };

/* Directs the thread's operations to a device: unless it is the thread's device already, sends the
 * server cudaSetDevice, which counts as no call, and stores the device in the thread's record
 * (shim_thread.device). @return cudaError_t; with an error the thread's device is unchanged. */
static int use_device(int device) {
    struct shim_thread *t = shim_self();
    struct shim_call call = {.id = CALL_cudaSetDevice, .in = {(uint64_t)device}};
    int error = t->device == device ? CUDA_SUCCESS : driver_ask(&call);
    if (!error) t->device = device;
    return error;
}
/* Directs the calling thread's operations to the device of the top context of `s`, its stack. An
 * empty stack means the device that the runtime's cudaSetDevice() chose. @return cudaError_t. */
static int follow_top(const struct driver_thread *s) {
    return use_device(s->depth ? s->stack[s->depth - 1]->device : s->runtime_device);
}

/* ---- devices */

/* Asks the server for the number of devices, with a message that counts as no call. @return the
 * number, or 0 if the server does not answer. */
static int count_devices(void) {
    struct shim_call call = {.id = CALL_cuDeviceGetCount};
    return driver_ask(&call) ? 0 : (int)call.out[0];
}

/* Checks a device's number: asks the server how many there are, which counts as no call. @return
 * CUDA_SUCCESS, or RESULT_INVALID_DEVICE, also if the server does not answer. */
int driver_check_device(int device) {
    return device >= 0 && device < count_devices() && device < DRIVER_MAX_DEVICES
               ? CUDA_SUCCESS
               : RESULT_INVALID_DEVICE;
}

/* *device becomes `ordinal`, if there is such a device: a CUdevice is its number. */
SHIM_EXPORT int cuDeviceGet(int *device, int ordinal);
int cuDeviceGet(int *device, int ordinal) {
    int error = driver_local(CALL_cuDeviceGet);
    if (!error) error = device ? driver_check_device(ordinal) : HEDDLE_cudaErrorInvalidValue;
    if (!error) *device = ordinal;
    return error;
}

/* Adds a reference to the primary context, which makes it live. Does not make it current. */
SHIM_EXPORT int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRetain(void **context, int device) {
    int error = driver_local(CALL_cuDevicePrimaryCtxRetain);
    if (!error) error = context ? driver_check_device(device) : HEDDLE_cudaErrorInvalidValue;
    if (error) return error;
    struct driver_context *c = driver_primary(device);
    __atomic_fetch_add(&c->retained, 1, __ATOMIC_RELAXED);
    *context = c;
    return CUDA_SUCCESS;
}

/* Waits until the server has finished the work of the context's device, and destroys the context's
 * objects (driver_destroy_objects) even if the wait fails. The thread works on that device
 * meanwhile, and on its own afterwards. Sends messages that count as no calls. The context's record
 * is unchanged. @return CUresult of the wait. */
static int end_context(const struct driver_context *c) {
    int before = shim_self()->device;
    struct shim_call wait = {.id = CALL_cuCtxSynchronize};
    int error = use_device(c->device);
    if (!error) error = driver_ask(&wait);
    driver_destroy_objects(c);
    use_device(before);
    return cuda_result(error);
}

/* Removes a reference. The last one waits for the device and destroys the context's objects
 * (end_context), unless the runtime uses the device. RESULT_INVALID_CONTEXT: the program holds no
 * reference. */
SHIM_EXPORT int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device) {
    int error = driver_local(CALL_cuDevicePrimaryCtxRelease_v2);
    if (!error) error = driver_check_device(device);
    if (error) return error;
    struct driver_context *c = driver_primary(device);
    if (!c->retained) return RESULT_INVALID_CONTEXT;
    __atomic_sub_fetch(&c->retained, 1, __ATOMIC_RELAXED);
    if (!driver_is_live(c)) end_context(c);
    return CUDA_SUCCESS;
}

/* Makes the call, one message, which the server serves as cudaDeviceReset(): it destroys the
 * program's objects. The message does not name the device; a question before it checks that the
 * device exists. */
SHIM_EXPORT int cuDevicePrimaryCtxReset_v2(int device);
int cuDevicePrimaryCtxReset_v2(int device) {
    struct shim_call call = {.id = CALL_cuDevicePrimaryCtxReset_v2};
    int error = driver_check_device(device);
    return error ? driver_fail(call.id, error) : driver_call(&call);
}

/* *active: 1 while the program or the runtime uses the primary context. */
SHIM_EXPORT int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
    int error = driver_local(CALL_cuDevicePrimaryCtxGetState);
    if (!error)
        error = flags && active ? driver_check_device(device) : HEDDLE_cudaErrorInvalidValue;
    if (error) return error;
    const struct driver_context *c = driver_primary(device);
    *flags = c->flags;
    *active = driver_is_live(c);
    return CUDA_SUCCESS;
}

/* Stores the flags, which say how a host thread waits. They have no effect in Heddle: the thread
 * waits in simulated time. */
SHIM_EXPORT int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags);
int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
    int error = driver_local(CALL_cuDevicePrimaryCtxSetFlags_v2);
    if (!error)
        error = flags & ~(unsigned)FLAGS ? HEDDLE_cudaErrorInvalidValue
                                         : driver_check_device(device);
    if (!error) driver_primary(device)->flags = flags;
    return error;
}

/* ---- the current context */

/* Replaces the top of the thread's stack (or pushes, if that is empty). NULL pops the top. Then
 * directs the thread to the device of the new top (follow_top), which sends a message if the device
 * changes. RESULT_INVALID_CONTEXT: not a live context. An error of the device change leaves the
 * stack changed. */
SHIM_EXPORT int cuCtxSetCurrent(struct driver_context *c);
int cuCtxSetCurrent(struct driver_context *c) {
    int error = driver_local(CALL_cuCtxSetCurrent);
    struct driver_thread *s = driver_thread();
    if (!error && !s) error = HEDDLE_cudaErrorMemoryAllocation;
    if (!error && c && !driver_is_context(c)) error = RESULT_INVALID_CONTEXT;
    if (error) return error;
    driver_current(); /* what the runtime has asked for comes before this call, not after it */
    if (c) {
        if (!s->depth) s->depth = 1;
        s->stack[s->depth - 1] = c;
    } else if (s->depth) {
        s->depth--;
    }
    return cuda_result(follow_top(s));
}

/* Succeeds without a current context, too; *context is NULL then. */
SHIM_EXPORT int cuCtxGetCurrent(struct driver_context **context);
int cuCtxGetCurrent(struct driver_context **context) {
    int error = driver_local(CALL_cuCtxGetCurrent);
    if (!error && !context) error = HEDDLE_cudaErrorInvalidValue;
    if (!error) *context = driver_current();
    return error;
}

/* Pushes a context onto the calling thread's stack and directs the thread to its device; if that
 * fails, pops it again. A full stack, or no memory for it, is cudaErrorMemoryAllocation. @return
 * CUresult. */
static int push(struct driver_context *c) {
    struct driver_thread *s = driver_thread();
    if (!s || s->depth == DRIVER_MAX_DEPTH) return HEDDLE_cudaErrorMemoryAllocation;
    driver_current(); /* first push the context that the runtime has made current */
    s->stack[s->depth++] = c;
    int error = follow_top(s);
    if (error) s->depth--;
    return cuda_result(error);
}

/* Makes a live context current: pushes it onto the thread's stack and sends the server its device.
 */
SHIM_EXPORT int cuCtxPushCurrent_v2(struct driver_context *c);
int cuCtxPushCurrent_v2(struct driver_context *c) {
    int error = driver_local(CALL_cuCtxPushCurrent_v2);
    if (!error && !driver_is_context(c)) error = RESULT_INVALID_CONTEXT;
    return error ? error : push(c);
}

/* Pops the top of the thread's stack and directs the thread to the device of the next context
 * (follow_top). *context receives the popped context; `context` may be NULL.
 * RESULT_INVALID_CONTEXT: the stack is empty. */
SHIM_EXPORT int cuCtxPopCurrent_v2(struct driver_context **context);
int cuCtxPopCurrent_v2(struct driver_context **context) {
    int error = driver_local(CALL_cuCtxPopCurrent_v2);
    struct driver_context *top = driver_current();
    if (!error && !top) error = RESULT_INVALID_CONTEXT;
    if (error) return error;
    if (context) *context = top;
    driver_thread()->depth--;
    return cuda_result(follow_top(driver_thread()));
}

/* Makes the call `id`, answered here: allocates a context, adds it to the table for good, and
 * pushes it onto the calling thread's stack. *context receives its address. If the push fails, the
 * context is marked as destroyed, because the program gets no handle. `flags` outside CU_CTX_* and
 * a NULL pointer are cudaErrorInvalidValue. */
static int create(enum cuda_call_id id, struct driver_context **context, unsigned flags,
                  int device) {
    int error = driver_local(id);
    if (!error && (!context || flags & ~(unsigned)FLAGS)) error = HEDDLE_cudaErrorInvalidValue;
    if (!error) error = driver_check_device(device);
    if (error) return error;
    struct driver_context *c = calloc(1, sizeof *c);
    if (!c) return HEDDLE_cudaErrorMemoryAllocation;
    c->device = device;
    c->flags = flags;
    c->live = true;
    driver_context_add(c);
    error = push(c);
    if (error)
        driver_context_destroy(c); /* the program gets no handle with which to destroy it */
    else
        *context = c;
    return error;
}

/* Creates a context and makes it current. */
SHIM_EXPORT int cuCtxCreate_v2(struct driver_context **context, unsigned flags, int device);
int cuCtxCreate_v2(struct driver_context **context, unsigned flags, int device) {
    return create(CALL_cuCtxCreate_v2, context, flags, device);
}

/* Counts the call `id`, which asks for a kind of context that Heddle lacks, and prints that.
 * @return cudaErrorNotSupported. */
static int refuse_parameters(enum cuda_call_id id) {
    shim_say("not supported: cuCtxCreate() with execution affinity or graphics (CIG)");
    return driver_fail(id, HEDDLE_cudaErrorNotSupported);
}

/* As cuCtxCreate_v2(), but with execution affinity, which must be left out. */
SHIM_EXPORT int cuCtxCreate_v3(struct driver_context **context, const void *affinity, int count,
                               unsigned flags, int device);
int cuCtxCreate_v3(struct driver_context **context, const void *affinity, int count, unsigned flags,
                   int device) {
    if (affinity || count) return refuse_parameters(CALL_cuCtxCreate_v3);
    return create(CALL_cuCtxCreate_v3, context, flags, device);
}

/* The two members of `parameters` are execution affinity and CIG; both must be NULL. */
SHIM_EXPORT int cuCtxCreate_v4(struct driver_context **context, const void *const parameters[],
                               unsigned flags, int device);
int cuCtxCreate_v4(struct driver_context **context, const void *const parameters[], unsigned flags,
                   int device) {
    if (parameters && (parameters[0] || parameters[2]))
        return refuse_parameters(CALL_cuCtxCreate_v4);
    return create(CALL_cuCtxCreate_v4, context, flags, device);
}

/* Waits for the context's device, destroys the context's objects and marks it as destroyed, even if
 * the wait fails; then returns the wait's error. Pops it if it is the calling thread's top. In
 * other threads the context stays current; their next call returns an error.
 * RESULT_INVALID_CONTEXT: not a live context, or a primary one. */
SHIM_EXPORT int cuCtxDestroy_v2(struct driver_context *c);
int cuCtxDestroy_v2(struct driver_context *c) {
    int error = driver_local(CALL_cuCtxDestroy_v2);
    struct driver_thread *s = driver_thread();
    if (!error && !s) error = HEDDLE_cudaErrorMemoryAllocation;
    if (!error && (!driver_is_context(c) || c->primary)) error = RESULT_INVALID_CONTEXT;
    if (error) return error;
    driver_current();
    error = end_context(c);
    driver_context_destroy(c);
    if (s->depth && s->stack[s->depth - 1] == c) s->depth--;
    follow_top(s);
    return error;
}

/* ---- queries */

/* The form of CUDA 13, with a context. NULL: the current one. Answered here. */
SHIM_EXPORT int cuCtxGetDevice_v2(int *device, void *context);
int cuCtxGetDevice_v2(int *device, void *context) {
    int error = driver_local(CALL_cuCtxGetDevice_v2);
    if (!error && !device) error = HEDDLE_cudaErrorInvalidValue;
    if (!error && context && !driver_is_context(context)) error = RESULT_INVALID_CONTEXT;
    if (!error) *device = (context ? (struct driver_context *)context : driver_current())->device;
    return error;
}

/* The form of CUDA 13, with a context (NULL: the current one). Directs the thread to that context's
 * device, makes the call there, which waits for the device's work, and directs the thread back. Up
 * to three messages; one counts as the call. */
SHIM_EXPORT int cuCtxSynchronize_v2(void *context);
int cuCtxSynchronize_v2(void *context) {
    struct shim_call call = {.id = CALL_cuCtxSynchronize_v2};
    const struct driver_context *c = context ? context : driver_current();
    int error = driver_ready(call.id);
    if (!error && !driver_is_context(c)) error = RESULT_INVALID_CONTEXT;
    const int here = shim_self()->device;
    if (!error) error = use_device(c->device);
    if (error) return driver_fail(call.id, error);
    error = driver_call(&call);
    use_device(here);
    return error;
}

SHIM_EXPORT int cuCtxGetDevice(int *device);
int cuCtxGetDevice(int *device) {
    int error = driver_local(CALL_cuCtxGetDevice);
    if (!error && !device) error = HEDDLE_cudaErrorInvalidValue;
    if (!error) *device = driver_current()->device;
    return error;
}

/* The same version for all contexts. */
SHIM_EXPORT int cuCtxGetApiVersion(void *context, unsigned *version);
int cuCtxGetApiVersion(void *context, unsigned *version) {
    enum { API_VERSION = 3020 };
    int error = driver_local(CALL_cuCtxGetApiVersion);
    if (!error && !version) error = HEDDLE_cudaErrorInvalidValue;
    if (!error && context && !driver_is_context(context)) error = RESULT_INVALID_CONTEXT;
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

/* *id: the context's number, unique in the process. NULL: that of the current context. */
SHIM_EXPORT int cuCtxGetId(void *context, unsigned long long *id);
int cuCtxGetId(void *context, unsigned long long *id) {
    int error = driver_local(CALL_cuCtxGetId);
    if (!error && !id) error = HEDDLE_cudaErrorInvalidValue;
    if (!error && context && !driver_is_context(context)) error = RESULT_INVALID_CONTEXT;
    if (!error) *id = (context ? (struct driver_context *)context : driver_current())->id;
    return error;
}

/* Shared memory always has banks of four bytes, as on all GPUs since Maxwell. */
SHIM_EXPORT int cuCtxGetSharedMemConfig(int *config);
int cuCtxGetSharedMemConfig(int *config) {
    enum { FOUR_BYTES = 1 };
    int error = driver_local(CALL_cuCtxGetSharedMemConfig);
    if (!error && !config) error = HEDDLE_cudaErrorInvalidValue;
    if (!error) *config = FOUR_BYTES;
    return error;
}
/* Checks the value; it has no effect. */
SHIM_EXPORT int cuCtxSetSharedMemConfig(int config);
int cuCtxSetSharedMemConfig(int config) {
    int error = driver_local(CALL_cuCtxSetSharedMemConfig);
    return error || (config >= 0 && config <= 2) ? error : HEDDLE_cudaErrorInvalidValue;
}

/* The context to report for an object of a device: the current one if it is on that device or the
 * device's number is out of range, else the device's primary one. NULL if the thread has no current
 * context. Sends nothing. */
struct driver_context *driver_context_on(int device) {
    struct driver_context *c = driver_current();
    bool another = c && c->device != device && device >= 0 && device < DRIVER_MAX_DEVICES;
    return another ? driver_primary(device) : c;
}

/* *context: a context on the stream's device (driver_context_on), not always the one that created
 * it. Asks the server for the device, with a message that counts as no call. */
SHIM_EXPORT int cuStreamGetCtx(void *stream, void **context);
int cuStreamGetCtx(void *stream, void **context) {
    struct shim_call call = {.id = CALL_cudaStreamGetDevice, .in = {(uintptr_t)stream}};
    int error = driver_local(CALL_cuStreamGetCtx);
    if (!error && !context) error = HEDDLE_cudaErrorInvalidValue;
    if (!error) error = cuda_result(driver_ask(&call));
    if (error) return error;
    *context = driver_context_on((int)call.out[0]);
    return CUDA_SUCCESS;
}

/* Makes the call `id`, one message, which enables or disables access of the current device to the
 * device of the context `c`. RESULT_INVALID_CONTEXT: not a live context. */
static int peer(enum cuda_call_id id, const struct driver_context *c, unsigned flags) {
    struct shim_call call = {.id = id};
    if (!driver_is_context(c)) return driver_fail(id, RESULT_INVALID_CONTEXT);
    call.in[0] = (uint64_t)c->device;
    call.in[1] = flags;
    return driver_call(&call);
}

/* Lets the current device reach the memory of the context's device. */
SHIM_EXPORT int cuCtxEnablePeerAccess(void *context, unsigned flags);
int cuCtxEnablePeerAccess(void *context, unsigned flags) {
    return peer(CALL_cuCtxEnablePeerAccess, context, flags);
}
SHIM_EXPORT int cuCtxDisablePeerAccess(void *context);
int cuCtxDisablePeerAccess(void *context) {
    return peer(CALL_cuCtxDisablePeerAccess, context, 0);
}
