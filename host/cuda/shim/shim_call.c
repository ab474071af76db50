/* shim_call.c - makes calls, counts them, and keeps the thread's last error (struct shim_thread).
 *
 * Runs in the program's process, in libheddle_shim.so, on the thread of the program that makes the
 * call; libcudart, libcuda and the generated functions use it. It is the upper layer, on top of
 * shim_link.c and shim_tables.c. shim.h has the contracts of its functions. Calls that need no
 * server are counted here and reach it with the thread's next message.
 *
 * A thread's record belongs to the thread. The counters and shim.runtime_on change by atomic
 * additions; the flags and numbers of `shim` that this file sets (broken, uses_runtime, started,
 * resets) have no lock, except that shim.started is set under shim.lock. */
#include <string.h>
#include <unistd.h>

#include "cuda/shim/shim.h"

/* Makes the calling thread, `t`, able to make calls: see shim_ready(). If the thread is not
 * connected, or no thread was before, takes shim.lock, connects, sets shim.started and sends the
 * registrations. Prints a message the first time a forked child calls. @return CUDA_SUCCESS, or why
 * the thread may make no calls: shim.broken; cudaErrorNotPermitted on the helper thread;
 * cudaErrorInitializationError in a forked child; cudaErrorDevicesUnavailable if the server has
 * gone; cudaErrorNoDevice if none answers. */
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

/* Sets the thread's per_thread: until shim_leave_per_thread() it counts calls under `id`, and its
 * messages carry WIRE_PER_THREAD. */
void shim_enter_per_thread(enum cuda_call_id id) {
    shim_self()->per_thread = (int)id + 1;
}

/* Ends that: clears the thread's per_thread. @return `result`, so that it can wrap a call. */
int shim_leave_per_thread(int result) {
    shim_self()->per_thread = 0;
    return result;
}

/* Adds one to the call's counter, which the server shares (shim.control). Between
 * shim_enter_per_thread() and shim_leave_per_thread() it is the per-thread name's counter. */
static void count(enum cuda_call_id id) {
    int per_thread = shim_self()->per_thread;
    if (per_thread) id = (enum cuda_call_id)(per_thread - 1);
    __atomic_fetch_add(&shim.control->count[id], 1, __ATOMIC_RELAXED);
}

/* Makes the calling thread able to make calls: connects it if necessary and sends the
 * registrations, both under shim.lock. Counts nothing and leaves the last error alone. @return
 * cudaError_t, as be_ready() says. */
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

/* Calls that destroy all objects of the program. */
static bool is_reset(enum cuda_call_id id) {
    return id == CALL_cudaDeviceReset || id == CALL_cudaThreadExit ||
           id == CALL_cuDevicePrimaryCtxReset_v2;
}

/* Notes for the driver API what a call of the runtime, which ended with `error`, does to contexts:
 * shim.uses_runtime, shim.runtime_on, and the thread's device and wish (wants). Calls that only ask
 * about devices leave the last three as they are. */
static void note_runtime(struct shim_thread *t, const struct shim_call *call, int error) {
    shim.uses_runtime = true;
    if (asks_only(call->id)) return;
    bool chooses = call->id == CALL_cudaSetDevice && error == CUDA_SUCCESS;
    if (chooses) t->device = (int)call->in[0];
    if (t->wants != SHIM_WANTS_PRIMARY)
        t->wants = chooses ? SHIM_WANTS_PRIMARY : SHIM_WANTS_CONTEXT;
    __atomic_fetch_or(&shim.runtime_on, 1ull << t->device, __ATOMIC_RELAXED);
}

/* Makes the call: counts it, connects the thread if necessary, reports what managed memory the
 * program has touched if the call may move it, sends the message, serves the server's requests and
 * waits for the answer; call->out receives the results. An error becomes the thread's last error,
 * except cudaErrorNotReady. A runtime call is noted for the driver API (note_runtime), even if it
 * fails. A reset of a device counts shim.resets and clears shim.runtime_on and the last error.
 * After success shim.observer runs, here and without a lock. @return cudaError_t. */
int shim_call(struct shim_call *call) {
    struct shim_thread *t = shim_self();
    count(call->id);
    int error = be_ready(t);
    if (error == CUDA_SUCCESS && shim.touched && shim_may_move(call->id)) shim.touched();
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

/* Counts the call, connects the thread if necessary and makes the call, which leaves no trace in
 * the state of CUDA. @return cudaError_t. */
int shim_call_apart(struct shim_call *call) {
    count(call->id);
    const int error = be_ready(shim_self());
    return error ? error : shim_exchange(call, WIRE_CALL);
}

/* Counts a call that this process answers, and adds it to the list that the thread's next message
 * carries; a full list only counts further ones. In a traced run a full list is sent at once, in a
 * message of its own. Leaves the last error alone. */
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

/* As shim_local(), for a call that is part of a launch and costs no host time. */
void shim_part(enum cuda_call_id id) {
    shim_self()->part_calls++;
    shim_local(id);
}

/* Counts the call, as shim_local() does, and sets the thread's last error. @return `error`. */
int shim_fail(enum cuda_call_id id, int error) {
    shim_local(id);
    shim_self()->last_error = error;
    return error;
}

/* Counts an unsupported call, prints its name the first time in the process (shim.named), and sets
 * the last error. A refused registration makes all later calls fail (shim.broken). @return
 * cudaErrorNotSupported. */
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
