/* graph_memory_usage.c - the counts of memory that graphs allocate, by program and device
 * (program_device.graph_memory, bytes); see graph_memory_usage.h. Runs in the server, on its
 * thread, when a handler issues an allocation or a free. */
#include "cuda/object/graph_memory_usage.h"

/* The program's counts for the device on which the address lies. */
static struct graph_memory_counts *counts_of(struct call *call, uint64_t address) {
    memory_region r = address_space_region(call->server->o.space, address);
    return &call->program->device[program_device_of(call->program, r)].graph_memory;
}

/* Adds `bytes` to `used` of the device of the address. Memory that was kept is used first, so
 * `kept` only grows when `used` exceeds it. Raises the high-water marks. */
void graph_memory_note_alloc(struct call *call, uint64_t address, uint64_t bytes) {
    struct graph_memory_counts *c = counts_of(call, address);
    c->used += bytes;
    if (c->used > c->kept) c->kept = c->used;
    if (c->kept > c->used_high) c->used_high = c->kept;
    if (c->kept > c->kept_high) c->kept_high = c->kept;
}

/* Subtracts the block from `used` of its device if a graph allocated it (by its tag); `kept` stays.
 * Ignores other blocks. */
void graph_memory_note_free(struct call *call, const struct memory_block *b) {
    if (b->tag == GRAPH_MEMORY_TAG) counts_of(call, b->address)->used -= b->bytes;
}
