/* calls_driver.c - handlers of driver calls without a counterpart in the runtime: fills by
 * elements, which are issued or captured, and the allocation around an address. calls_module.c has
 * the modules.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". */
#include "cuda/calls/calls_fill.h"
#include "cuda/object/ipc.h"
#include "cuda_call_handlers.h"

/* Base and size in bytes of the allocation that contains the pointer; it must be the program's own,
 * or opened from another program. @return SymbolNotFound otherwise. Changes nothing. */
int do_cuMemGetAddressRange_v2(struct call *call, uint64_t *base, uint64_t *bytes,
                               uint64_t pointer) {
    const struct memory_block *b = ipc_reachable(call, pointer, 1);
    if (!b) return HEDDLE_cudaErrorSymbolNotFound;
    *base = b->address;
    *bytes = b->bytes;
    return CUDA_SUCCESS;
}

/* Every fill of 2 or 4 bytes of libcuda arrives here. `width` counts elements of `element` bytes,
 * `pitch` bytes. Issues the fill on the stream or captures it (fill_in_stream()); does not wait.
 * @return InvalidValue: a size, alignment or overlap of rows that CUDA refuses; or as
 * fill_in_stream(). */
int do_cuMemsetD2D32Async(struct call *call, uint64_t pointer, uint64_t pitch, uint64_t value,
                          uint64_t element, uint64_t width, uint64_t height, uint64_t stream) {
    if (element != 2 && element != 4) return CUDA_ERROR_INVALID_VALUE;
    if (width > UINT64_MAX / element || pointer % element) return CUDA_ERROR_INVALID_VALUE;
    if (height > 1 && (width * element > pitch || pitch % element)) return CUDA_ERROR_INVALID_VALUE;
    const struct fill_shape s = {
        pointer, pitch, 0, width * element, height, 1, (uint32_t)value, (uint32_t)element};
    return fill_in_stream(call, stream, &s);
}
