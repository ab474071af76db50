/* calls_launch.c - handlers of kernel launches, and of queries and settings of kernels; see
 * launch.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". An unknown kernel is InvalidDeviceFunction. A launch is issued on the GPU or
 * captured, and does not wait. Each handler that takes a kernel loads its module on the current
 * device, which may compile it and report errors on standard error, and returns its error;
 * cudaFuncSetCacheConfig alone does not. */
#include "common/occupancy.h"
#include "cuda/object/capture.h"
#include "cuda/object/launch.h"
#include "cuda/object/module.h"
#include "cuda/base/payload.h"
#include "cuda_call_handlers.h"

enum { ATTRIBUTE_MAX_DYNAMIC = 8, ATTRIBUTE_CARVEOUT = 9 };

/* Checks a launch and issues it, or adds it to the graph into which the stream is captured. The
 * parameters are the call's payload, pulled from the program. The stream must be of the current
 * device (else InvalidResourceHandle). A cooperative launch may drive the simulation when memory is
 * short (launch_issue()). @return as launch_prepare(), capture_find_op_stream() and launch_issue();
 * Unknown: the program does not answer; MemoryAllocation. */
static int launch(struct call *call, struct kernel_shape *k, uint64_t stream) {
    struct stream_ref ref;
    struct launch l;
    if (call->payload_bytes > WIRE_STAGING_BYTES) return CUDA_ERROR_INVALID_VALUE;
    k->parameter_bytes = (uint32_t)call->payload_bytes;
    int error = launch_prepare(call, k, call->thread->device, &l);
    if (!error) error = capture_find_op_stream(call, stream, &ref);
    if (error) return error;
    if (ref.device != call->thread->device) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (!ref.capture) {
        k->parameters = call_pull(call, 0, k->parameter_bytes);
        return k->parameters ? launch_issue(call, &ref, &l, false, NULL) : HEDDLE_cudaErrorUnknown;
    }
    k->parameters = call_take_payload(call, WIRE_STAGING_BYTES);
    if (!k->parameters) return HEDDLE_cudaErrorMemoryAllocation;
    struct node_work work = {.kind = NODE_KERNEL, .kernel = *k};
    return capture_add(call, &ref, &work);
}

/* A launch from the words of the message: x in the lower half of _xy, y in the upper one. */
static struct kernel_shape shape_of(uint64_t function, uint64_t grid_xy, uint64_t grid_z,
                                    uint64_t block_xy, uint64_t block_z, uint64_t shared_bytes) {
    return (struct kernel_shape){
        .function = function,
        .grid = {(uint32_t)grid_xy, (uint32_t)(grid_xy >> 32), (uint32_t)grid_z},
        .block = {(uint32_t)block_xy, (uint32_t)(block_xy >> 32), (uint32_t)block_z},
        .shared_bytes = shared_bytes};
}

/* x of grid and block in the lower half of _xy, y in the upper one; shared_bytes is the dynamic
 * shared memory. The payload is the kernel's parameters in the device's layout. All launches have
 * this form. */
int do_cudaLaunchKernel(struct call *call, uint64_t function, uint64_t grid_xy, uint64_t grid_z,
                        uint64_t block_xy, uint64_t block_z, uint64_t shared_bytes,
                        uint64_t stream) {
    struct kernel_shape k = shape_of(function, grid_xy, grid_z, block_xy, block_z, shared_bytes);
    return launch(call, &k, stream);
}

int do___cudaLaunchKernel(struct call *call, uint64_t function, uint64_t grid_xy, uint64_t grid_z,
                          uint64_t block_xy, uint64_t block_z, uint64_t shared_bytes,
                          uint64_t stream) {
    return do_cudaLaunchKernel(call, function, grid_xy, grid_z, block_xy, block_z, shared_bytes,
                               stream);
}

int do_cudaLaunch(struct call *call, uint64_t function, uint64_t grid_xy, uint64_t grid_z,
                  uint64_t block_xy, uint64_t block_z, uint64_t shared_bytes, uint64_t stream) {
    return do_cudaLaunchKernel(call, function, grid_xy, grid_z, block_xy, block_z, shared_bytes,
                               stream);
}

/* A launch whose CTAs must all be resident at once (CooperativeLaunchTooLarge). */
int do_cudaLaunchCooperativeKernel(struct call *call, uint64_t function, uint64_t grid_xy,
                                   uint64_t grid_z, uint64_t block_xy, uint64_t block_z,
                                   uint64_t shared_bytes, uint64_t stream) {
    struct kernel_shape k = shape_of(function, grid_xy, grid_z, block_xy, block_z, shared_bytes);
    k.cooperative = true;
    return launch(call, &k, stream);
}

/* Bit 0 of the flags: cooperative. Ignores the others. */
int do_cudaLaunchKernelExC(struct call *call, uint64_t function, uint64_t grid_xy, uint64_t grid_z,
                           uint64_t block_xy, uint64_t block_z, uint64_t shared_bytes,
                           uint64_t stream, uint64_t flags) {
    struct kernel_shape k = shape_of(function, grid_xy, grid_z, block_xy, block_z, shared_bytes);
    k.cooperative = flags & 1;
    return launch(call, &k, stream);
}

/* ---- attributes */

/* The most threads of a CTA for which an SM has registers and shared memory, in whole warps below
 * the limits of the GPU and of the kernel. */
static uint32_t most_threads(const struct config *c, const struct mir_function *code) {
    uint32_t threads = (uint32_t)c->sm_threads_per_cta;
    if (code->max_threads && code->max_threads < threads) threads = code->max_threads;
    for (; threads > 32; threads -= 32) {
        struct occupancy_need need = {threads, code->num_regs, code->shared_bytes};
        if (occupancy_ctas(c, &need, NULL)) break;
    }
    return threads;
}

/* Leaves cudaFuncAttributes, in the layout of the program's CUDA version, in the staging memory for
 * the reply. */
int do_cudaFuncGetAttributes(struct call *call, uint64_t function) {
    const struct config *c = call->server->o.config;
    struct function *f;
    const struct mir_function *code;
    int error = function_load(call, function, call->thread->device, &f, &code);
    if (error) return error;
    struct {
        uint64_t shared, constant, local;
        int32_t max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic,
            carveout;
        int32_t cluster[5], reserved[16], pad[2]; /* since CUDA 12 */
    } a = {.shared = code->shared_bytes,
           .constant = f->module->mir->const_bytes,
           .local = code->local_bytes,
           .max_threads = (int32_t)most_threads(c, code),
           .registers = (int32_t)code->num_regs,
           .ptx_version = (int32_t)f->module->mir->target,
           .binary_version = (int32_t)(c->gpu_major * 10 + c->gpu_minor),
           .max_dynamic = (int32_t)launch_dynamic_limit(c, f, code),
           .carveout = f->carveout};
    call_push_last(call, 0, &a, call->program->cudart_version >= 12 ? 144 : 56);
    return CUDA_SUCCESS;
}

/* Sets function.max_dynamic, the bytes of dynamic shared memory that launches of the kernel may
 * use, on all devices, or function.carveout, which its later launches prefer. @return InvalidValue:
 * out of range, or any other attribute. */
int do_cudaFuncSetAttribute(struct call *call, uint64_t function, uint64_t attribute,
                            uint64_t value) {
    const struct config *c = call->server->o.config;
    struct function *f;
    const struct mir_function *code;
    int number = (int)value;
    int error = function_load(call, function, call->thread->device, &f, &code);
    if (error) return error;
    if (attribute == ATTRIBUTE_MAX_DYNAMIC) {
        if (number < 0 || (uint64_t)number + code->shared_bytes > c->sm_shared_per_cta_optin)
            return CUDA_ERROR_INVALID_VALUE;
        f->max_dynamic = (uint32_t)number;
        return CUDA_SUCCESS;
    }
    if (attribute == ATTRIBUTE_CARVEOUT) { /* a hint */
        if (number < -1 || number > 100) return CUDA_ERROR_INVALID_VALUE;
        f->carveout = number;
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE; /* clusters: not on this GPU */
}

/* Sets function.cache_config, which later launches of the kernel prefer to that of the device.
 * @return InvalidValue: an unknown one. */
int do_cudaFuncSetCacheConfig(struct call *call, uint64_t function, uint64_t config) {
    struct function *f = function_find(call->program, function);
    if (!f) return HEDDLE_cudaErrorInvalidDeviceFunction;
    if (config > 3) return CUDA_ERROR_INVALID_VALUE;
    f->cache_config = (int)config;
    return CUDA_SUCCESS;
}

/* ---- occupancy */

/* *blocks: CTAs of block_size threads and shared_bytes of dynamic shared memory that fit on an SM;
 * 0 where they exceed a limit of the GPU or of the kernel. Bit 0 of the flags has no effect.
 * @return InvalidValue: no threads, or other flags. */
int do_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(struct call *call, uint64_t function,
                                                              uint64_t block_size,
                                                              uint64_t shared_bytes, uint64_t flags,
                                                              uint64_t *blocks) {
    const struct config *c = call->server->o.config;
    struct function *f;
    const struct mir_function *code;
    int error = function_load(call, function, call->thread->device, &f, &code);
    if (error) return error;
    if ((int)block_size <= 0 || flags & ~1ull) return CUDA_ERROR_INVALID_VALUE;
    struct occupancy_need need = {(uint32_t)block_size, code->num_regs,
                                  code->shared_bytes + shared_bytes};
    bool fits = block_size <= c->sm_threads_per_cta &&
                (!code->max_threads || block_size <= code->max_threads) &&
                shared_bytes <= launch_dynamic_limit(c, f, code);
    *blocks = fits ? occupancy_ctas(c, &need, NULL) : 0;
    return CUDA_SUCCESS;
}

int do_cudaOccupancyMaxActiveBlocksPerMultiprocessor(struct call *call, uint64_t function,
                                                     uint64_t block_size, uint64_t shared_bytes,
                                                     uint64_t *blocks) {
    return do_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(call, function, block_size,
                                                                     shared_bytes, 0, blocks);
}

/* *bytes: the most dynamic shared memory with which `blocks` CTAs of the kernel fit on an SM; the
 * block size does not matter. @return InvalidValue: no CTAs or no threads. */
int do_cudaOccupancyAvailableDynamicSMemPerBlock(struct call *call, uint64_t function,
                                                 uint64_t blocks, uint64_t block_size,
                                                 uint64_t *bytes) {
    const struct config *c = call->server->o.config;
    struct function *f;
    const struct mir_function *code;
    int error = function_load(call, function, call->thread->device, &f, &code);
    if (error) return error;
    if ((int)blocks <= 0 || (int)block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
    *bytes = occupancy_dynamic_shared(c, (uint32_t)blocks, code->shared_bytes);
    return CUDA_SUCCESS;
}
