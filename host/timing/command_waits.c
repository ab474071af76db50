/* command_waits.c - see command_waits.h. */
#include "timing/command_waits.h"

#include <stddef.h>
#include <string.h>

#include "include/device/heddle_shmem_abi.h"

struct command_places command_places_of(const struct exec_launch *launch) {
    uint64_t address;
    memcpy(&address, launch->bank[0] + MIR_C0_SHMEM, sizeof address);
    if (!address) return (struct command_places){0};
    const struct heddle_shmem_state *s = (const struct heddle_shmem_state *)(uintptr_t)address;
    return (struct command_places){.producers = s->producers,
                                   .queues = s->queues,
                                   .heap = s->heap,
                                   .heap_bytes = s->heap_bytes,
                                   .num_queues = s->num_queues};
}

void command_waits_add(struct command_waits *sum, const struct command_waits *more) {
    sum->slots += more->slots;
    sum->slot += more->slot;
    sum->commands += more->commands;
    sum->packing += more->packing;
    sum->services += more->services;
    sum->service += more->service;
    sum->looks += more->looks;
    sum->memory += more->memory;
}

static void go(struct command_stage *s, unsigned to, uint64_t at) {
    s->at = to;
    s->since = at;
}

/* A command's number is taken, or something else happens on the kernels' side. */
static void producer(struct command_stage *s, uint64_t offset, bool adds, uint64_t at) {
    const uint64_t word = offset % sizeof(struct heddle_shmem_producer);
    if (adds && word == offsetof(struct heddle_shmem_producer, write_idx)) go(s, COMMAND_PACK, at);
}

/* A look at the queue's read_idx: is there room? */
static void look_for_room(struct command_waits *w, struct command_stage *s, uint64_t at) {
    if (s->at == COMMAND_PACK) {
        w->packing += at - s->since;
        w->slots++;
    } else if (s->at == COMMAND_SLOT) {
        w->slot += at - s->since;
    } else {
        return;
    }
    go(s, COMMAND_SLOT, at);
}

static void write_status(struct command_waits *w, struct command_stage *s, uint64_t at) {
    /* COMMAND_SLOT: it found room at its last look */
    if (s->at != COMMAND_PACK && s->at != COMMAND_SLOT) return; /* FREE behind a result */
    w->packing += at - s->since;
    w->commands++;
    go(s, COMMAND_SERVICE, at);
    s->looked = false;
}

static void look_at_status(struct command_waits *w, struct command_stage *s, uint64_t at) {
    if (s->at != COMMAND_SERVICE) return;
    w->services += !s->looked;
    w->service += at - s->since;
    s->looked = true;
    s->since = at;
}

static void look_at_heap(struct command_waits *w, struct command_stage *s, uint64_t address,
                         uint64_t at) {
    if (s->at == COMMAND_MEMORY && s->address == address) {
        w->memory += at - s->since;
    } else {
        w->looks++;
        s->address = address;
    }
    go(s, COMMAND_MEMORY, at);
}

void command_waits_access(struct command_waits *w, struct command_stage *s,
                          const struct command_places *places,
                          const struct exec_operation *operation, uint64_t address, uint64_t at) {
    const bool load = operation->mem == MIR_MEM_LOAD, store = operation->mem == MIR_MEM_STORE;
    const uint64_t in_producers = address - places->producers, in_queues = address - places->queues;
    if (in_producers < places->num_queues * sizeof(struct heddle_shmem_producer)) {
        producer(s, in_producers, !load && !store, at);
    } else if (in_queues < places->num_queues * sizeof(struct heddle_shmem_queue)) {
        const uint64_t offset = in_queues % sizeof(struct heddle_shmem_queue);
        const uint64_t entries = offsetof(struct heddle_shmem_queue, entry);
        if (offset < entries) {
            if (load) look_for_room(w, s, at);
        } else if ((offset - entries) % sizeof(struct heddle_shmem_entry)) {
            return; /* its other words */
        } else if (store) {
            write_status(w, s, at);
        } else {
            look_at_status(w, s, at);
        }
    } else if (load && address - places->heap < places->heap_bytes) {
        look_at_heap(w, s, address, at);
    }
}
