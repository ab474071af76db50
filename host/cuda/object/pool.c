/* pool.c - device memory: memory pools, allocation, and frees in stream order; see pool.h. The tag
 * of a memory block names its counter: 0: none; GRAPH_MEMORY_TAG: the graphs' counts; else 1 + the
 * index of a pool.
 *
 * Runs in the server, on its thread, for handlers of calls; act() runs on the simulation's thread
 * (stream_op.c). The functions change program.pools and the address space, which need no lock:
 * while act() runs, the server's thread is inside a wait. */
#include "cuda/object/pool.h"

#include <stdlib.h>

#include "common/memory.h"
#include "cuda/object/graph_memory_usage.h"
#include "cuda/base/handle.h"
#include "cuda/object/program_memory.h"
#include "cuda/object/stream_op.h"
#include "cuda/object/wait.h"

/* ---- pools */

/* The living pool with this handle, or NULL; valid until another pool is created. Creates the
 * devices' default pools first, if they are missing. */
struct pool *pool_find(struct call *call, uint64_t handle) {
    GArray *pools = call->program->pools;
    for (unsigned i = pools->len; i < call_devices(call); i++) {
        const struct pool own = {.live = true, .device = i, .reuse = {1, 1, 1}};
        g_array_append_val(pools, own);
    }
    size_t i = handle_index(handle, pools->len);
    struct pool *pool = i < pools->len ? &g_array_index(pools, struct pool, i) : NULL;
    return pool && pool->live ? pool : NULL;
}

/* Handle of the default pool of a device, which need not be created yet. */
uint64_t pool_default(unsigned device) {
    return handle_of(device);
}

/* Handle of the program's current pool for the device: the default one unless cudaDeviceSetMemPool
 * changed it. */
uint64_t pool_current(const struct program *p, unsigned device) {
    return p->device[device].pool ? p->device[device].pool : pool_default(device);
}

/* Appends a pool for the device to program.pools, behind the default ones; pointers to pools become
 * invalid. @return its handle. */
uint64_t pool_create(struct call *call, unsigned device) {
    const struct pool pool = {.live = true, .device = device, .reuse = {1, 1, 1}};
    pool_find(call, 0); /* adds the default pools, which come first */
    g_array_append_val(call->program->pools, pool);
    return handle_of(call->program->pools->len - 1);
}

/* ---- allocation */

/* Subtracts a block's bytes from the pool that its tag names; any other tag changes nothing. */
void pool_note_free(struct program *p, uint32_t tag, uint64_t bytes) {
    if (tag && tag - 1 < p->pools->len) g_array_index(p->pools, struct pool, tag - 1).used -= bytes;
}

/* A free that its stream has not reached yet. */
struct release {
    struct stream_op head;
    uint64_t address;
    struct gpu *gpu;
    gpu_ticket ticket; /* of the free on that GPU */
    uint32_t tag;      /* of the block, as it was when the free was issued */
    uint64_t bytes;    /* of the block, as allocated */
};

/* stream_op.act, called once on the simulation's thread when the stream reaches the free: frees the
 * memory (a held address stays reserved, one that was allocated again stays allocated) and takes it
 * off the count of its pool. The server's thread is inside a wait, so nobody else uses either. */
static void act(struct stream_op *op) {
    struct release *r = (struct release *)op;
    struct address_space *space = op->server->o.space;
    address_space_release(space, address_space_region(space, r->address), r->address);
    pool_note_free(op->program, r->tag, r->bytes);
}

/* Drives the simulation until one pending free of any program is performed, without moving the
 * thread's clock. @return false: none is pending, or the wait failed; a fault is then the sticky
 * error (wait.c). */
static bool reclaim(struct call *call) {
    for (struct stream_op *op = call->server->ops; op; op = op->next) {
        if (op->act != act) continue;
        uint64_t end_ps;
        struct release *r = (struct release *)op;
        return wait_performed(call, r->gpu, r->ticket, &end_ps) == CUDA_SUCCESS;
    }
    return false;
}

/* Allocates in a region for the calling program. If the region is full, performs pending frees by
 * driving the simulation (reclaim()), then frees memory of ended programs. flags:
 * memory_block.flags. @return the address, or 0. */
uint64_t pool_alloc(struct call *call, memory_region region, uint64_t bytes, uint32_t flags) {
    for (;;) {
        uint64_t at = address_space_alloc(call->server->o.space, region, bytes, flags,
                                          call->program);
        if (at) return at;
        if (!reclaim(call)) break;
    }
    program_collect_memory(call->server);
    return address_space_alloc(call->server->o.space, region, bytes, flags, call->program);
}

/* Marks the block as being freed, counts the free of a graph's memory, and issues the free as an
 * operation of the stream, which takes no time; act() performs it. *ticket: the operation. @return
 * cudaErrorInvalidValue: no allocated device memory of the program begins at the address, or its
 * free is pending; or the error of the issue. */
int pool_free_on(struct call *call, const struct stream_ref *ref, uint64_t address,
                 gpu_ticket *ticket) {
    struct address_space *space = call->server->o.space;
    const struct memory_block *b = address_space_find(space, address, 1);
    bool ours = b && b->address == address && b->owner == call->program &&
                region_is_device(address_space_region(space, address));
    if (!ours || !address_space_begin_free(space, address)) return CUDA_ERROR_INVALID_VALUE;
    struct release *r = heddle_alloc(sizeof *r, "memory that is freed");
    graph_memory_note_free(call, b);
    r->head.act = act;
    r->address = address;
    r->gpu = ref->gpu;
    r->tag = b->tag;
    r->bytes = b->bytes;
    struct gpu_copy cost = {.kind = GPU_COPY_HOST_TO_HOST};
    int error = stream_op_issue(call, ref, &r->head, &cost, ticket);
    if (!error) r->ticket = *ticket;
    return error;
}

/* pool_alloc() on the pool's device; tags the block with the pool and counts its bytes. @return the
 * address, or 0. */
uint64_t pool_alloc_from(struct call *call, struct pool *pool, uint64_t bytes) {
    uint64_t at = pool_alloc(call, program_region(call->program, pool->device), bytes, 0);
    if (!at) return 0;
    address_space_ask(call->server->o.space, at);
    const struct pool *first = &g_array_index(call->program->pools, struct pool, 0);
    address_space_set_tag(call->server->o.space, at, (uint32_t)(pool - first) + 1);
    pool->used += bytes;
    if (pool->used > pool->used_high) pool->used_high = pool->used;
    return at;
}
