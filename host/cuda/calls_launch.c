/* calls_launch.c - launches, and what a program asks about its kernels. */
#include <stdlib.h>
#include <string.h>

#include "common/occupancy.h"
#include "cuda/capture.h"
#include "cuda/launch.h"
#include "cuda/module.h"
#include "cuda/pool.h"
#include "cuda_call_handlers.h"

enum {
    MAX_BLOCK_XY = 1024,
    MAX_BLOCK_Z = 64,
    MAX_GRID_YZ = 65535,
    ATTRIBUTE_MAX_DYNAMIC = 8,
    ATTRIBUTE_CARVEOUT = 9,
};
#define MAX_GRID_X 2147483647u

/* Dynamic shared memory that the kernel may have. */
static uint64_t dynamic_limit(const struct config *c, const struct function *f,
                              const struct mir_function *code) {
    if (f->max_dynamic) return f->max_dynamic;
    return code->shared_bytes < c->sm_shared_per_cta ? c->sm_shared_per_cta - code->shared_bytes
                                                     : 0;
}

static int check(const struct config *c, const struct function *f, const struct mir_function *code,
                 const struct kernel_shape *k) {
    for (int i = 0; i < 3; i++)
        if (k->grid[i] == 0 || k->block[i] == 0) return HEDDLE_cudaErrorInvalidConfiguration;
    if (k->grid[0] > MAX_GRID_X || k->grid[1] > MAX_GRID_YZ || k->grid[2] > MAX_GRID_YZ ||
        k->block[0] > MAX_BLOCK_XY || k->block[1] > MAX_BLOCK_XY || k->block[2] > MAX_BLOCK_Z)
        return HEDDLE_cudaErrorInvalidConfiguration;
    uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
    if (threads > c->sm_threads_per_cta) return HEDDLE_cudaErrorInvalidConfiguration;
    if (code->max_threads && threads > code->max_threads) return CUDA_ERROR_INVALID_VALUE;
    if (k->shared_bytes > dynamic_limit(c, f, code)) return CUDA_ERROR_INVALID_VALUE;
    struct occupancy_need need = {(uint32_t)threads, code->num_regs,
                                  (uint64_t)code->shared_bytes + k->shared_bytes};
    uint64_t resident = occupancy_ctas(c, &need, NULL) * c->sm_count;
    uint64_t ctas = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
    if (resident == 0) return HEDDLE_cudaErrorLaunchOutOfResources;
    if (k->cooperative && ctas > resident) return HEDDLE_cudaErrorCooperativeLaunchTooLarge;
    if (k->parameter_bytes < code->param_bytes) return HEDDLE_cudaErrorMissingConfiguration;
    return CUDA_SUCCESS;
}

int launch_check(struct call *call, const struct kernel_shape *k) {
    struct function *f;
    const struct mir_function *code;
    int error = function_load(call, k->function, call->thread->device, &f, &code);
    return error ? error : check(call->server->o.config, f, code, k);
}

int launch_issue(struct call *call, const struct stream_ref *ref, const struct kernel_shape *k,
                 gpu_ticket *ticket) {
    struct server *s = call->server;
    struct function *f;
    const struct mir_function *code;
    gpu_ticket own;
    int error = function_load(call, k->function, ref->device, &f, &code);
    if (!error) error = check(s->o.config, f, code, k);
    if (error) return error;
    struct gpu_launch l = {
        .function = code,
        .module = f->module->mir,
        .grid = {k->grid[0], k->grid[1], k->grid[2]},
        .block = {k->block[0], k->block[1], k->block[2]},
        .dynamic_shared = (uint32_t)k->shared_bytes,
        .name = f->title,
        .owner = call->program,
        .in_graph = k->in_graph,
        .untimed = !server_times(s, f->title, f->name, s->launches),
    };
    l.bank[MIR_BANK_LAUNCH] = k->parameters;
    l.bank_size[MIR_BANK_LAUNCH] = k->parameter_bytes;
    const struct module_copy *on = &f->module->on[ref->device];
    l.bank[MIR_BANK_USER] = (const uint8_t *)(uintptr_t)on->const_bank;
    l.bank_size[MIR_BANK_USER] = f->module->mir->const_bytes;
    l.bank[MIR_BANK_ADDRESS] = (const uint8_t *)on->address_bank;
    l.bank_size[MIR_BANK_ADDRESS] = f->module->mir->address_slots * 8;
    if (f->module->texture_bank) {
        l.bank[MIR_BANK_TEXTURE] = (const uint8_t *)f->module->texture_bank;
        l.bank_size[MIR_BANK_TEXTURE] = f->module->mir->num_texrefs * 8;
    }
    if (k->cooperative) { /* where its CTAs meet: cooperative_groups' grid.sync() */
        enum { WORKSPACE = 256 };
        l.workspace = pool_alloc(call, SPACE_DEVICE + ref->device, WORKSPACE, 0);
        if (!l.workspace) return HEDDLE_cudaErrorMemoryAllocation;
        memset((void *)(uintptr_t)l.workspace, 0, WORKSPACE);
    }
    struct heddle_diag diag = {0};
    if (!ticket) ticket = &own;
    heddle_err e = gpu_launch(ref->gpu, ref->gpu_stream, &l, call->thread->now_ps, ticket, &diag);
    if (!e) {
        s->launches++;
        s->launched[ref->device]++;
        *ref->last = *ticket;
        gpu_ticket freed;
        if (l.workspace) return pool_free_on(call, ref, l.workspace, &freed);
    }
    if (e) server_error(s, "kernel %s: %s", f->title, *diag.text ? diag.text : heddle_err_text(e));
    return error_of(e);
}

/* The parameters are the call's payload. */
static int launch(struct call *call, struct kernel_shape *k, uint64_t stream) {
    struct stream_ref ref;
    int error = launch_check(
        call, &(struct kernel_shape){.function = k->function,
                                     .grid = {k->grid[0], k->grid[1], k->grid[2]},
                                     .block = {k->block[0], k->block[1], k->block[2]},
                                     .shared_bytes = k->shared_bytes,
                                     .cooperative = k->cooperative,
                                     .parameter_bytes = (uint32_t)call->payload_bytes});
    if (!error) error = find_op_stream(call, stream, &ref);
    if (error) return error;
    if (ref.device != call->thread->device) return HEDDLE_cudaErrorInvalidResourceHandle;
    k->parameter_bytes = (uint32_t)call->payload_bytes;
    if (!ref.capture) {
        k->parameters = call_pull(call, 0, k->parameter_bytes);
        return k->parameters ? launch_issue(call, &ref, k, NULL) : HEDDLE_cudaErrorUnknown;
    }
    k->parameters = call_take_payload(call);
    if (!k->parameters) return HEDDLE_cudaErrorMemoryAllocation;
    struct node_work work = {.kind = NODE_KERNEL, .kernel = *k};
    return capture_add(call, &ref, &work, NULL);
}

static struct kernel_shape shape_of(uint64_t function, uint64_t grid_xy, uint64_t grid_z,
                                    uint64_t block_xy, uint64_t block_z, uint64_t shared_bytes) {
    return (struct kernel_shape){
        .function = function,
        .grid = {(uint32_t)grid_xy, (uint32_t)(grid_xy >> 32), (uint32_t)grid_z},
        .block = {(uint32_t)block_xy, (uint32_t)(block_xy >> 32), (uint32_t)block_z},
        .shared_bytes = shared_bytes};
}

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

int do_cudaLaunchCooperativeKernel(struct call *call, uint64_t function, uint64_t grid_xy,
                                   uint64_t grid_z, uint64_t block_xy, uint64_t block_z,
                                   uint64_t shared_bytes, uint64_t stream) {
    struct kernel_shape k = shape_of(function, grid_xy, grid_z, block_xy, block_z, shared_bytes);
    k.cooperative = true;
    return launch(call, &k, stream);
}

/* Bit 0 of the flags: cooperative. */
int do_cudaLaunchKernelExC(struct call *call, uint64_t function, uint64_t grid_xy, uint64_t grid_z,
                           uint64_t block_xy, uint64_t block_z, uint64_t shared_bytes,
                           uint64_t stream, uint64_t flags) {
    struct kernel_shape k = shape_of(function, grid_xy, grid_z, block_xy, block_z, shared_bytes);
    k.cooperative = flags & 1;
    return launch(call, &k, stream);
}

/* ---- attributes */

/* Threads of a CTA that the registers allow. */
static uint32_t most_threads(const struct config *c, const struct mir_function *code) {
    uint32_t threads = (uint32_t)c->sm_threads_per_cta;
    if (code->max_threads && code->max_threads < threads) threads = code->max_threads;
    for (; threads > 32; threads -= 32) {
        struct occupancy_need need = {threads, code->num_regs, code->shared_bytes};
        if (occupancy_ctas(c, &need, NULL)) break;
    }
    return threads;
}

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
           .max_dynamic = (int32_t)dynamic_limit(c, f, code),
           .carveout = f->carveout};
    call_push_last(call, 0, &a, call->program->cudart_version >= 12 ? 144 : 56);
    return CUDA_SUCCESS;
}

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

int do_cudaFuncSetCacheConfig(struct call *call, uint64_t function, uint64_t config) {
    struct function *f = find_function(call->program, function);
    if (!f) return HEDDLE_cudaErrorInvalidDeviceFunction;
    if (config > 3) return CUDA_ERROR_INVALID_VALUE;
    f->cache_config = (int)config; /* a preference, see cudaDeviceSetCacheConfig */
    return CUDA_SUCCESS;
}

/* ---- occupancy */

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
                shared_bytes <= dynamic_limit(c, f, code);
    *blocks = fits ? occupancy_ctas(c, &need, NULL) : 0;
    return CUDA_SUCCESS;
}

int do_cudaOccupancyMaxActiveBlocksPerMultiprocessor(struct call *call, uint64_t function,
                                                     uint64_t block_size, uint64_t shared_bytes,
                                                     uint64_t *blocks) {
    return do_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(call, function, block_size,
                                                                     shared_bytes, 0, blocks);
}

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
