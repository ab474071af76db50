/* launch.c - checks kernel launches and issues them on a GPU; see launch.h.
 *
 * Runs in the server, on its thread, for calls_launch.c and for launches of graphs (graph_exec.c).
 * Functions that return int return a cudaError_t, named here without the prefix "cudaError". */
#include "cuda/object/launch.h"

#include <string.h>

#include "common/occupancy.h"
#include "cuda/base/diagnostics.h"
#include "cuda/object/module.h"
#include "cuda/object/pool.h"
#include "cuda/object/symmetric_heap.h"
#include "cuda/object/wait.h"

/* Bounds of a launch on every GPU: threads of a CTA by dimension, CTAs of a grid. */
enum { MAX_BLOCK_XY = 1024, MAX_BLOCK_Z = 64, MAX_GRID_YZ = 65535 };
#define MAX_GRID_X 2147483647u

/* Dynamic shared memory that launches of the kernel may use, in bytes: what cudaFuncSetAttribute
 * allowed, else what its static shared memory leaves of a CTA's. */
uint64_t launch_dynamic_limit(const struct config *c, const struct function *f,
                              const struct mir_function *code) {
    if (f->max_dynamic) return f->max_dynamic;
    return code->shared_bytes < c->sm_shared_per_cta ? c->sm_shared_per_cta - code->shared_bytes
                                                     : 0;
}

/* Checks sizes, dynamic shared memory and occupancy of a launch, and that it has all parameters, as
 * the driver does. @return InvalidConfiguration, InvalidValue, LaunchOutOfResources (not even one
 * CTA fits on an SM), CooperativeLaunchTooLarge or MissingConfiguration (parameters). Reads no
 * parameters and changes nothing. */
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
    if (k->shared_bytes > launch_dynamic_limit(c, f, code)) return CUDA_ERROR_INVALID_VALUE;
    struct occupancy_need need = {(uint32_t)threads, code->num_regs,
                                  (uint64_t)code->shared_bytes + k->shared_bytes};
    uint64_t resident = occupancy_ctas(c, &need, NULL) * c->sm_count;
    uint64_t ctas = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
    if (resident == 0) return HEDDLE_cudaErrorLaunchOutOfResources;
    if (k->cooperative && ctas > resident) return HEDDLE_cudaErrorCooperativeLaunchTooLarge;
    if (k->parameter_bytes < code->param_bytes) return HEDDLE_cudaErrorMissingConfiguration;
    return CUDA_SUCCESS;
}

/* Loads the kernel on the device (function_load()), which compiles it on first use and may
 * report errors on standard error, and checks the launch. *out borrows k. @return as
 * function_load() and check(). */
int launch_prepare(struct call *call, const struct kernel_shape *k, unsigned device,
                   struct launch *out) {
    *out = (struct launch){.shape = k};
    int error = function_load(call, k->function, device, &out->function, &out->code);
    return error ? error : check(call->server->o.config, out->function, out->code, k);
}

/* CTAs that each SM must hold so that all of the launch are resident. */
static uint32_t ctas_of_an_sm(const struct config *c, const struct kernel_shape *k) {
    const uint64_t ctas = (uint64_t)k->grid[0] * k->grid[1] * k->grid[2];
    return (uint32_t)((ctas + c->sm_count - 1) / c->sm_count);
}

/* Asks server_options.times, whose answer may depend on the number of the launch. */
static bool is_timed(const struct server *s, const struct function *f) {
    return !s->o.times || s->o.times(s->o.times_user, f->title, f->name, s->launches);
}

/* Issues a prepared launch as an operation of the stream, with the module's constant banks; the GPU
 * copies k->parameters, which must be set. The stream is of the device for which it was prepared.
 * Counts it in server.launches and server.launched. A cooperative launch allocates memory for its
 * barrier, which may drive the simulation, and issues its free behind the kernel. Reports a refused
 * launch on standard error. *ticket: the operation; ticket may be NULL. @return MemoryAllocation,
 * or error_of() what the GPU says. */
int launch_issue(struct call *call, const struct stream_ref *ref, const struct launch *launch,
                 bool in_graph, gpu_ticket *ticket) {
    struct server *s = call->server;
    const struct kernel_shape *k = launch->shape;
    const struct function *f = launch->function;
    const struct program_device *device = &call->program->device[ref->device];
    gpu_ticket own;
    struct gpu_launch l = {
        .function = launch->code,
        .module = f->module->mir,
        .grid = {k->grid[0], k->grid[1], k->grid[2]},
        .block = {k->block[0], k->block[1], k->block[2]},
        .dynamic_shared = (uint32_t)k->shared_bytes,
        .wish = {.percent = f->carveout,
                 .cache = (carveout_cache)(f->cache_config ? (uint32_t)f->cache_config
                                                           : device->cache_config)},
        .name = f->title,
        .owner = call->program,
        .in_graph = in_graph,
        .untimed = !is_timed(s, f),
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
    l.shmem = symmetric_heap_state(s, call->program, &l.shmem_pe);
    if (k->cooperative) l.wish.ctas = ctas_of_an_sm(s->o.config, k);
    if (k->cooperative) { /* memory of the barrier of grid.sync() */
        enum { WORKSPACE = 256 };
        l.workspace = pool_alloc(call, program_region(call->program, ref->device), WORKSPACE, 0);
        if (!l.workspace) return HEDDLE_cudaErrorMemoryAllocation;
        memset((void *)(uintptr_t)l.workspace, 0, WORKSPACE);
    }
    struct heddle_diag diag = {0};
    if (!ticket) ticket = &own;
    l.memory = address_space_view(s->o.space, call->program);
    if (!l.memory) return HEDDLE_cudaErrorMemoryAllocation;
    heddle_err e = gpu_launch(ref->gpu, ref->gpu_stream, &l, call->thread->now_ps, ticket, &diag);
    if (!e) {
        s->launches++;
        s->launched[call->program->first_device + ref->device]++;
        *ref->last = *ticket;
        gpu_ticket freed;
        if (call->program->sticky) { /* a checkpoint has waited for a kernel that has failed */
            gpu_cancel(ref->gpu, call->program, false);
            return call->program->sticky;
        }
        if (l.workspace) return pool_free_on(call, ref, l.workspace, &freed);
    }
    if (e) {
        if (l.workspace)
            address_space_release(s->o.space, program_region(call->program, ref->device),
                                  l.workspace);
        /* on a GPU that is dead, or dies now: at a checkpoint, a launch waits for those before */
        if (gpu_is_dead(ref->gpu)) return wait_fault(call, e, &diag);
        server_note_failure(s, e);
        server_error(s, "kernel %s: %s", f->title, *diag.text ? diag.text : heddle_err_text(e));
    }
    return error_of(e);
}
