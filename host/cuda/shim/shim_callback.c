/* shim_callback.c - the runtime's host functions in streams. shim_helper.c makes the calls, and
 * runs the functions on the helper thread, which the first call starts.
 *
 * Runs in the program's process, in libcudart.so.N. Functions with CUDA names implement the
 * runtime call of that name, on the thread of the program that makes it: they count the call, send
 * the server one message, wait for the answer, and write results through their pointers only on
 * success. They return a cudaError_t; an error also becomes the thread's last error. */
#include "cuda/shim/shim.h"

SHIM_EXPORT int cudaLaunchHostFunc(void *stream, void *function, void *argument);
int cudaLaunchHostFunc(void *stream, void *function, void *argument) {
    return shim_add_host_function(CALL_cudaLaunchHostFunc, stream, function, argument, 0);
}

SHIM_EXPORT int cudaStreamAddCallback(void *stream, void *function, void *argument, unsigned flags);
int cudaStreamAddCallback(void *stream, void *function, void *argument, unsigned flags) {
    return shim_add_host_function(CALL_cudaStreamAddCallback, stream, function, argument, flags);
}
