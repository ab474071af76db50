/* shim_call.c - makes calls, counts them, and keeps the thread's last error (struct shim_thread).
 *
 * Runs in the program's process, on top of shim_link.c and shim_tables.c. Calls that need no server
 * are counted here and reach it with the thread's next message. */
#include <string.h>
#include <unistd.h>

#include "cuda/shim/shim.h"

/* Makes the calling thread able to make calls: see shim_ready(). Prints a message the first time a
 * forked child calls. @return cudaSuccess, or why the thread may make no calls. */
static int be_ready(struct shim_thread *t) {
    if (shim.broken) return shim.broken;
    if (t->is_helper) return HEDDLE_cudaErrorNotPermitted; /* a host function may not call CUDA */
    if (shim.forked) {
        static bool told;
        if (!told) {
            told = true;
            shim_say(
                "error: process %d was forked after its parent had used CUDA; CUDA does not work "
                "in such a child: fork before the first CUDA call, or exec a program",
                (int)getpid());
        }
        return HEDDLE_cudaErrorInitializationError;
    }
    if (shim.lost) return HEDDLE_cudaErrorDevicesUnavailable;
    if (t->socket < 0 || !shim.started) {
        pthread_mutex_lock(&shim.lock);
        bool good = t->socket >= 0 || shim_connect(t);
        if (good) {
            shim.started = true;
            shim_send_registrations();
        }
        pthread_mutex_unlock(&shim.lock);
        if (!good) return HEDDLE_cudaErrorNoDevice;
    }
    return CUDA_SUCCESS;
}

/* ---- calls */

void shim_enter_per_thread(enum cuda_call_id id) {
    shim_self()->per_thread = (int)id + 1;
}

int shim_leave_per_thread(int result) {
    shim_self()->per_thread = 0;
    return result;
}

/* Adds one to the call's shared counter: the per-thread name's, between shim_enter_per_thread() and
 * shim_leave_per_thread(). */
static void count(enum cuda_call_id id) {
    int per_thread = shim_self()->per_thread;
    if (per_thread) id = (enum cuda_call_id)(per_thread - 1);
    __atomic_fetch_add(&shim.control->count[id], 1, __ATOMIC_RELAXED);
}

int shim_ready(void) {
    return be_ready(shim_self());
}

/* Calls that ask about the machine and need no context. */
static bool asks_only(enum cuda_call_id id) {
    return id == CALL_cudaGetDeviceCount || id == CALL_cudaDeviceGetAttribute ||
           id == CALL_cudaGetDeviceProperties || id == CALL_cudaGetDeviceProperties_v2 ||
           id == CALL_cudaDeviceGetPCIBusId || id == CALL_cudaDeviceGetByPCIBusId ||
           id == CALL_cudaChooseDevice;
}

static bool is_reset(enum cuda_call_id id) {
    return id == CALL_cudaDeviceReset || id == CALL_cuDevicePrimaryCtxReset_v2;
}

/* Notes a runtime call for the driver API: the thread's device, the context it wants, and the
 * devices that the runtime uses (shim.runtime_on). */
static void note_runtime(struct shim_thread *t, const struct shim_call *call, int error) {
    shim.uses_runtime = true;
    if (asks_only(call->id)) return;
    bool chooses = call->id == CALL_cudaSetDevice && error == CUDA_SUCCESS;
    if (chooses) t->device = (int)call->in[0];
    if (t->wants != SHIM_WANTS_PRIMARY)
        t->wants = chooses ? SHIM_WANTS_PRIMARY : SHIM_WANTS_CONTEXT;
    __atomic_fetch_or(&shim.runtime_on, 1ull << t->device, __ATOMIC_RELAXED);
}

int shim_call(struct shim_call *call) {
    struct shim_thread *t = shim_self();
    count(call->id);
    int error = be_ready(t);
    if (error == CUDA_SUCCESS) error = shim_exchange(call, WIRE_CALL);
    if (call->id < CUDA_FIRST_DRIVER_CALL) note_runtime(t, call, error);
    if (error == CUDA_SUCCESS && is_reset(call->id)) {
        shim.resets++;
        shim.runtime_on = 0;
        t->last_error = CUDA_SUCCESS;
    }
    if (error == CUDA_SUCCESS && shim.observer) shim.observer(call);
    /* In CUDA "not ready" is an answer, which does not become the last error. */
    if (error != CUDA_SUCCESS && error != HEDDLE_cudaErrorNotReady) t->last_error = error;
    return error;
}

void shim_local(enum cuda_call_id id) {
    struct shim_thread *t = shim_self();
    count(id);
    if (t->per_thread) id = (enum cuda_call_id)(t->per_thread - 1);
    if (t->local_calls < WIRE_LOCAL_CALLS) t->local_call[t->local_calls] = (uint16_t)id;
    t->local_calls++;
    if (shim.traced && t->local_calls == WIRE_LOCAL_CALLS && t->socket >= 0) {
        struct shim_call nothing = {0};
        shim_exchange(&nothing, WIRE_LOCALS);
    }
}

void shim_part(enum cuda_call_id id) {
    shim_self()->part_calls++;
    shim_local(id);
}

int shim_fail(enum cuda_call_id id, int error) {
    shim_local(id);
    shim_self()->last_error = error;
    return error;
}

int shim_refuse(enum cuda_call_id id) {
    if (!__atomic_exchange_n(&shim.named[id], 1, __ATOMIC_RELAXED))
        shim_say("not supported: %s() returns %s (docs/cuda-calls.md lists what is)",
                 shim_call_names[id],
                 id < CUDA_FIRST_DRIVER_CALL ? "cudaErrorNotSupported"
                                             : "CUDA_ERROR_NOT_SUPPORTED");
    /* The program would use an unregistered variable or texture as if it existed. */
    if (strncmp(shim_call_names[id], "__cudaRegister", 14) == 0)
        shim.broken = HEDDLE_cudaErrorNotSupported;
    return shim_fail(id, HEDDLE_cudaErrorNotSupported);
}
