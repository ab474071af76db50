/* driver_call.c - how driver calls are made, counted and refused (the first part of driver.h);
 * also the driver API's start (cuInit) and its error texts.
 *
 * Runs in the program's process, in libcuda.so.1, on the thread of the program that makes the
 * call. All other files of this folder, and the generated functions, make their calls through the
 * driver_* functions here. Those use libheddle_shim.so and restore the runtime's last error, which
 * the driver API must not change. Their contracts are in driver.h.
 *
 * Functions with CUDA names implement the driver call of that name. Those here are answered in the
 * program: they count the call (shim_local), send no message of their own, write the result
 * through their pointer, and return a CUresult. cuGetErrorName(), cuGetErrorString(),
 * cuDriverGetVersion() and cuInit() work before cuInit(). */
#include <string.h>

#include "cuda/driver/driver.h"

/* ---- errors */

/* The text is static. *name becomes NULL for an unknown result, which is cudaErrorInvalidValue. */
SHIM_EXPORT int cuGetErrorName(int result, const char **name);
int cuGetErrorName(int result, const char **name) {
    shim_local(CALL_cuGetErrorName);
    if (!name) return HEDDLE_cudaErrorInvalidValue;
    *name = cuda_result_name(result);
    return *name ? CUDA_SUCCESS : HEDDLE_cudaErrorInvalidValue;
}

/* The text is static. *text becomes NULL for an unknown result, which is cudaErrorInvalidValue. */
SHIM_EXPORT int cuGetErrorString(int result, const char **text);
int cuGetErrorString(int result, const char **text) {
    shim_local(CALL_cuGetErrorString);
    if (!text) return HEDDLE_cudaErrorInvalidValue;
    *text = cuda_result_text(result);
    return *text ? CUDA_SUCCESS : HEDDLE_cudaErrorInvalidValue;
}

/* ---- start */

/* Set by the first cuInit() that succeeds, for all threads, and never cleared. */
static bool initialized;

/* Runs when the dynamic linker loads the library: connects that thread to the server and prints
 * one line about it (shim_attach). */
__attribute__((constructor)) static void load(void) {
    shim_attach("libcuda.so.1", 0);
}

/* `flags` must be 0. Connects the thread, if necessary (shim_ready), and sets `initialized` for all
 * threads. @return cudaErrorInvalidValue for flags, or why the thread cannot connect. */
SHIM_EXPORT int cuInit(unsigned flags);
int cuInit(unsigned flags) {
    if (flags) return driver_fail(CALL_cuInit, HEDDLE_cudaErrorInvalidValue);
    int error = shim_ready();
    if (error) return driver_fail(CALL_cuInit, error);
    shim_local(CALL_cuInit);
    __atomic_store_n(&initialized, true, __ATOMIC_RELEASE);
    return CUDA_SUCCESS;
}

SHIM_EXPORT int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version) {
    if (!version) return driver_fail(CALL_cuDriverGetVersion, HEDDLE_cudaErrorInvalidValue);
    shim_local(CALL_cuDriverGetVersion);
    *version = DRIVER_VERSION;
    return CUDA_SUCCESS;
}

/* ---- calls */

/* The formatter would draw the #include behind a macro into it. */
/* clang-format off */

/* True unless the table of calls has a row CUDA_NO_CONTEXT for the call. */
static bool needs_context(enum cuda_call_id id) {
    switch (id) {
#define CUDA_NO_CONTEXT(name) \
    case CALL_##name: return false;
#include "tables/cuda_calls.def"
    default: return true;
    }
}
/* clang-format on */

/* The check before each call; counts nothing. May connect the thread, and may make a primary
 * context current (driver_current). @return CUDA_SUCCESS; RESULT_NOT_INITIALIZED before cuInit()
 * and any runtime call; why the thread cannot connect; for a call that needs a context,
 * RESULT_INVALID_CONTEXT without one and RESULT_CONTEXT_IS_DESTROYED with a dead one. */
int driver_ready(enum cuda_call_id id) {
    if (!__atomic_load_n(&initialized, __ATOMIC_ACQUIRE) && !shim.uses_runtime)
        return RESULT_NOT_INITIALIZED;
    int error =
        shim_ready(); /* fails in a forked child, in a host function, or without a simulator */
    if (error) return cuda_result(error);
    if (!needs_context(id)) return CUDA_SUCCESS;
    const struct driver_context *c = driver_current();
    return !c                  ? RESULT_INVALID_CONTEXT
           : driver_is_live(c) ? CUDA_SUCCESS
                               : RESULT_CONTEXT_IS_DESTROYED;
}

/* Counts the call, which this process answers; sends nothing but a connection's messages. @return
 * what driver_ready() returns; the call is counted even if that is an error. */
int driver_local(enum cuda_call_id id) {
    shim_local(id);
    return driver_ready(id);
}

/* Counts the call; sends nothing. @return the CUresult of `error`. */
int driver_fail(enum cuda_call_id id, int error) {
    DRIVER_KEEPING_LAST_ERROR(shim_fail(id, error));
    return cuda_result(error);
}

/* Counts an unsupported call, prints its name the first time, and restores the runtime's last
 * error. @return RESULT_NOT_SUPPORTED. */
int driver_refuse(enum cuda_call_id id) {
    DRIVER_KEEPING_LAST_ERROR(shim_refuse(id));
    return RESULT_NOT_SUPPORTED;
}

/* Counts the call, sends one message and waits for the answer; call->out receives the results, and
 * on success the observer sees the call (driver_context_objects.c). A call that driver_ready()
 * refuses is counted and not sent. Restores the runtime's last error. @return CUresult. */
int driver_call(struct shim_call *call) {
    int error = driver_ready(call->id);
    if (error) return driver_fail(call->id, error);
    DRIVER_KEEPING_LAST_ERROR(error = shim_call(call));
    return cuda_result(error);
}

/* Sends one message for a question of this library. Counts no call, is not observed, and requires
 * neither cuInit() nor a context; connects the thread if necessary. call->out receives the results.
 * @return cudaError_t. */
int driver_ask(struct shim_call *call) {
    int error = shim_ready();
    return error ? error : shim_exchange(call, WIRE_CALL);
}

const struct shim_interface driver_interface = {driver_call, driver_fail};

/* These two mark the part of a run to profile. Heddle counts them only: its report covers the
 * whole run. */
SHIM_EXPORT int cuProfilerStart(void);
int cuProfilerStart(void) {
    return driver_local(CALL_cuProfilerStart);
}
SHIM_EXPORT int cuProfilerStop(void);
int cuProfilerStop(void) {
    return driver_local(CALL_cuProfilerStop);
}
