/* managed_memory.c - see managed_memory.h.
 *
 * The GPUs hear of touches at the target time of the next call. When exactly between two calls the
 * program touched a block is not known, and neither what it did meanwhile: all faults of the host
 * count as one after another, just before that call, and do not share the link with others. */
#include "cuda/object/managed_memory.h"

#include "common/memory.h"
#include "cuda/base/payload.h"
#include "cuda/object/stream_op.h"
#include "exec/memory/managed_blocks.h"

/* ---- touches */

/* What the host waits for a block that is on a GPU: a fault and the transfer, ps. Once for each
 * time that a GPU has got it. */
static uint64_t wait_for(const struct config *c, struct managed_blocks *t, uint32_t block) {
    struct managed_block *b = &t->block[block];
    if (b->place < MANAGED_DEVICE || b->told) return 0;
    b->told = true;
    return c->managed_host_fault * 1000 + c->link_latency +
           (uint64_t)((double)managed_block_bytes(t, block) / c->link_bandwidth * 1000);
}

/* Blocks of a run. */
static uint64_t touch_run(struct call *call, struct managed_blocks *t,
                          const struct wire_touched *run) {
    uint64_t ps = 0;
    for (uint64_t left = run->mask; left; left &= left - 1) {
        const uint64_t block = run->first + (uint64_t)__builtin_ctzll(left);
        if (block < t->count) ps += wait_for(call->server->o.config, t, (uint32_t)block);
    }
    return ps;
}

int managed_touch(struct call *call) {
    struct managed_blocks *t = address_space_memory(call->server->o.space)->managed;
    const uint64_t count = call->payload_bytes / sizeof(struct wire_touched);
    if (!t || !count || call->payload_bytes > WIRE_INLINE_BYTES) return HEDDLE_cudaErrorUnknown;
    const struct wire_touched *run = (const void *)call_pull(call, 0,
                                                             (uint32_t)call->payload_bytes);
    if (!run) return HEDDLE_cudaErrorUnknown;
    for (uint64_t i = 0; i < count; i++) {
        if (run[i].first % MANAGED_RUN || run[i].first >= t->count) return HEDDLE_cudaErrorUnknown;
        call->thread->now_ps += touch_run(call, t, &run[i]);
    }
    for (uint64_t i = 0; i < count; i++)
        for (unsigned d = 0; d < call_devices(call); d++)
            if (gpu_migrates(call_gpu_of(call, d)))
                gpu_touch(call_gpu_of(call, d), (uint32_t)run[i].first, run[i].mask,
                          call->thread->now_ps);
    return CUDA_SUCCESS;
}

/* ---- prefetches */

/* stream_op.act of a prefetch, called once on the simulation's thread when the prefetch takes
 * effect. Touches nothing. */
static void nothing(struct stream_op *op) {
    (void)op; /* no bytes move; only the link's time passes */
}

/* Of memory that does not migrate: all of it moves, unless the last prefetch of the whole block
 * went there. The block's tag records that (1 + device; 0: the host). @return false: it is
 * there. */
static bool moves_whole(struct call *call, const struct memory_block *b,
                        const struct gpu_copy *cost, uint32_t there) {
    if (b->tag == there) return false;
    if (b->address == cost->device_address && b->bytes == cost->bytes)
        address_space_set_tag(call->server->o.space, b->address, there);
    return true;
}

/* It takes the link's time. Where memory migrates, the GPU finds out what is to be moved when the
 * prefetch begins. */
int managed_prefetch(struct call *call, const struct stream_ref *ref, const struct memory_block *b,
                     uint64_t address, uint64_t bytes, bool to_device, unsigned device) {
    struct gpu_copy cost = {.kind = to_device ? GPU_COPY_HOST_TO_DEVICE : GPU_COPY_DEVICE_TO_HOST,
                            .device_address = address,
                            .bytes = bytes};
    if (gpu_migrates(ref->gpu)) {
        cost.range = bytes;
        cost.moves_to = (uint8_t)(to_device ? MANAGED_DEVICE + call->program->first_device + device
                                            : MANAGED_HOST);
    } else if (!moves_whole(call, b, &cost, to_device ? device + 1 : 0)) {
        return CUDA_SUCCESS;
    }
    struct stream_op *op = heddle_alloc(sizeof *op, "a prefetch");
    op->act = nothing;
    gpu_ticket ticket;
    return stream_op_issue(call, ref, op, &cost, &ticket);
}
