/* shim_callback.c - the runtime's host functions in streams. */
#include "cuda/shim/shim.h"

SHIM_EXPORT int cudaLaunchHostFunc(void *stream, void *function, void *argument);
int cudaLaunchHostFunc(void *stream, void *function, void *argument) {
    return shim_add_host_function(CALL_cudaLaunchHostFunc, stream, function, argument, 0);
}

SHIM_EXPORT int cudaStreamAddCallback(void *stream, void *function, void *argument, unsigned flags);
int cudaStreamAddCallback(void *stream, void *function, void *argument, unsigned flags) {
    return shim_add_host_function(CALL_cudaStreamAddCallback, stream, function, argument, flags);
}
