/* shim_callback.c - the runtime's host functions in streams. shim_helper.c makes the calls, and
 * runs the functions on the helper thread, which the process's first such call starts; that thread
 * connects by messages of its own.
 *
 * Runs in the program's process, in libcudart.so.N. Functions with CUDA names implement the runtime
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent; one that is made is noted for the driver API, even if it fails
 * (note_runtime() in shim_call.c). They return a cudaError_t; an error also becomes the thread's
 * last error. */
#include "cuda/shim/shim.h"

/* Adds `function` to the stream. It runs later, with `argument`, on the helper thread, where CUDA
 * calls fail. */
SHIM_EXPORT int cudaLaunchHostFunc(void *stream, void *function, void *argument);
int cudaLaunchHostFunc(void *stream, void *function, void *argument) {
    return shim_add_host_function(CALL_cudaLaunchHostFunc, stream, function, argument, 0);
}

/* As cudaLaunchHostFunc(), for a function that also receives the stream and its status. `flags`
 * must be 0. */
SHIM_EXPORT int cudaStreamAddCallback(void *stream, void *function, void *argument, unsigned flags);
int cudaStreamAddCallback(void *stream, void *function, void *argument, unsigned flags) {
    return shim_add_host_function(CALL_cudaStreamAddCallback, stream, function, argument, flags);
}
