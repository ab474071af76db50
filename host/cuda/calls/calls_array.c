/* calls_array.c - handlers for CUDA arrays: allocation, queries, copies; see array.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". Allocating and freeing change program.arrays and device memory; a capture that
 * forbids them is invalidated (StreamCaptureUnsupported). If memory is short, allocating drives the
 * simulation until pending frees are performed. Copies go to the handlers of calls_copy.c, which
 * issue them on the GPU. Frees and synchronous copies wait, which drives the simulation, blocks the
 * server and moves the thread's clock; a fault becomes the sticky error (wait.c). */
#include "cuda/object/array.h"
#include "cuda/object/capture.h"
#include "cuda/object/wait.h"
#include "cuda_call_handlers.h"

/* A channel descriptor travels in one number: four bytes of bits, and the kind from bit 32 on. */
static struct channel_desc unpack(uint64_t bits) {
    struct channel_desc c;
    for (unsigned i = 0; i < 4; i++) c.bits[i] = (int32_t)(bits >> 8 * i & 0xff);
    c.kind = (int32_t)(bits >> 32);
    return c;
}

/* The reverse of unpack(). */
static uint64_t pack(const struct channel_desc *c) {
    uint64_t bits = (uint64_t)(uint32_t)c->kind << 32;
    for (unsigned i = 0; i < 4; i++) bits |= (uint64_t)(c->bits[i] & 0xff) << 8 * i;
    return bits;
}

/* Creates an array on the current device (array_create()) with the handle *handle, unless a capture
 * forbids it. If memory is short, drives the simulation until pending frees are performed. Reports
 * unknown flags on standard error. @return as array_create(), or StreamCaptureUnsupported. */
static int allocate(struct call *call, uint64_t *handle, uint64_t channels, const uint64_t e[3],
                    uint64_t levels, uint64_t flags) {
    const struct channel_desc c = unpack(channels);
    int error = capture_forbids(call);
    return error ? error : array_create(call, &c, e, levels, flags, handle);
}

/* An array of one level: the extent in texels, `channels` as for unpack(), flags of
 * cudaMalloc3DArray. */
int do_cudaMallocArray(struct call *call, uint64_t *array, uint64_t channels, uint64_t width,
                       uint64_t height, uint64_t depth, uint64_t flags) {
    const uint64_t e[3] = {width, height, depth};
    return allocate(call, array, channels, e, 1, flags);
}
int do_cudaMalloc3DArray(struct call *call, uint64_t *array, uint64_t channels, uint64_t width,
                         uint64_t height, uint64_t depth, uint64_t flags) {
    return do_cudaMallocArray(call, array, channels, width, height, depth, flags);
}
int do_cudaMallocMipmappedArray(struct call *call, uint64_t *array, uint64_t channels,
                                uint64_t width, uint64_t height, uint64_t depth, uint64_t levels,
                                uint64_t flags) {
    const uint64_t e[3] = {width, height, depth};
    return allocate(call, array, channels, e, levels, flags);
}

/* A level is an array in its parent's memory. The first query creates it in program.arrays; later
 * ones return the same array. @return InvalidResourceHandle: no array with memory of its own;
 * InvalidValue: no such level. */
int do_cudaGetMipmappedArrayLevel(struct call *call, uint64_t *array, uint64_t mipmapped,
                                  uint64_t level) {
    return array_level(call->program, mipmapped, level, array);
}

/* Waits for all work of all GPUs, as cudaFree does, because that work may use the array; then frees
 * it with its levels. Handle 0: nothing. @return InvalidValue: no such array, or a level of one;
 * StreamCaptureUnsupported: a capture forbids it. */
int do_cudaFreeArray(struct call *call, uint64_t handle) {
    if (!handle) return CUDA_SUCCESS;
    int error = capture_forbids(call);
    if (!error) error = wait_all_first(call);
    if (error) return error;
    return array_destroy(call->program, handle) ? CUDA_SUCCESS : HEDDLE_cudaErrorInvalidValue;
}
int do_cudaFreeMipmappedArray(struct call *call, uint64_t handle) {
    return do_cudaFreeArray(call, handle);
}

/* *channels as unpack() reads it, the extent as the program gave it, and the flags of its creation.
 * @return InvalidResourceHandle. */
int do_cudaArrayGetInfo(struct call *call, uint64_t handle, uint64_t *channels, uint64_t *width,
                        uint64_t *height, uint64_t *depth, uint64_t *flags) {
    const struct array *a = array_find(call->program, handle);
    if (!a) return HEDDLE_cudaErrorInvalidResourceHandle;
    *channels = pack(&a->channels);
    *width = a->extent[0];
    *height = a->extent[1];
    *depth = a->extent[2];
    *flags = a->flags;
    return CUDA_SUCCESS;
}

/* *channels as unpack() reads it. @return InvalidResourceHandle. */
int do_cudaGetChannelDesc(struct call *call, uint64_t handle, uint64_t *channels) {
    const struct array *a = array_find(call->program, handle);
    if (!a) return HEDDLE_cudaErrorInvalidResourceHandle;
    *channels = pack(&a->channels);
    return CUDA_SUCCESS;
}

/* ---- copies: the shim has turned each into a box, with array sides as calls_copy.c reads them */

#define BOX                                                                                \
    struct call *call, uint64_t dst, uint64_t dpitch, uint64_t dslice, uint64_t src,       \
        uint64_t spitch, uint64_t sslice, uint64_t width, uint64_t height, uint64_t depth, \
        uint64_t kind
#define SYNCHRONOUS(name)                                                                     \
    int do_##name(BOX) {                                                                      \
        return do_cudaMemcpy3D(call, dst, dpitch, dslice, src, spitch, sslice, width, height, \
                               depth, kind);                                                  \
    }
#define ASYNCHRONOUS(name)                                                                         \
    int do_##name(BOX, uint64_t stream) {                                                          \
        return do_cudaMemcpy3DAsync(call, dst, dpitch, dslice, src, spitch, sslice, width, height, \
                                    depth, kind, stream);                                          \
    }
SYNCHRONOUS(cudaMemcpyToArray)
SYNCHRONOUS(cudaMemcpyFromArray)
SYNCHRONOUS(cudaMemcpyArrayToArray)
SYNCHRONOUS(cudaMemcpy2DToArray)
SYNCHRONOUS(cudaMemcpy2DFromArray)
SYNCHRONOUS(cudaMemcpy2DArrayToArray)
ASYNCHRONOUS(cudaMemcpyToArrayAsync)
ASYNCHRONOUS(cudaMemcpyFromArrayAsync)
ASYNCHRONOUS(cudaMemcpy2DToArrayAsync)
ASYNCHRONOUS(cudaMemcpy2DFromArrayAsync)
