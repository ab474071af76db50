/* calls_host_function.c - handlers that issue, or capture, host functions and callbacks of streams;
 * see host_function.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". An unknown stream is InvalidResourceHandle. The program's helper thread runs the
 * functions later, when the simulation reaches them; the handlers do not wait. */
#include "cuda/object/capture.h"
#include "cuda_call_handlers.h"

/* Issues a host function on a stream, which adds it to program.host_due, or adds it to the graph
 * into which the stream is captured. @return as capture_find_op_stream(), or the error of the
 * issue. */
static int add(struct call *call, uint64_t stream, const struct host_shape *shape) {
    struct stream_ref ref;
    int error = capture_find_op_stream(call, stream, &ref);
    if (error || !ref.capture) return error ? error : host_function_issue(call, &ref, shape, NULL);
    struct node_work work = {.kind = NODE_HOST, .host = *shape};
    return capture_add(call, &ref, &work);
}

/* `function` and `argument` are addresses in the program. */
int do_cudaLaunchHostFunc(struct call *call, uint64_t stream, uint64_t function,
                          uint64_t argument) {
    struct host_shape shape = {.function = function, .argument = argument};
    return add(call, stream, &shape);
}

/* As do_cudaLaunchHostFunc(), but the function also gets the stream and a status. It cannot be
 * captured: on a captured stream it invalidates the capture (StreamCaptureUnsupported). @return
 * InvalidValue: flags. */
int do_cudaStreamAddCallback(struct call *call, uint64_t stream, uint64_t function,
                             uint64_t argument, uint64_t flags) {
    struct host_shape shape = {
        .function = function, .argument = argument, .callback = true, .stream = stream};
    struct stream_ref ref;
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    int error = capture_find_open_stream(call, stream, &ref); /* CUDA: it cannot be captured */
    return error ? error : add(call, stream, &shape);
}
