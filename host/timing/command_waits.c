/* command_waits.c - see command_waits.h. */
#include "timing/command_waits.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
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

void command_log_add(struct command_log *log, const struct command_access *access) {
    if (log->count == log->capacity)
        log->access = heddle_grow(log->access, &log->capacity, log->count + 1, sizeof *log->access,
                                  "accesses of warps to the network's words");
    log->access[log->count++] = *access;
}

void command_log_free(struct command_log *log) {
    free(log->access);
}

static void take_number(struct command_stage *s, const struct command_access *a) {
    s->open += a->lanes;
    s->taken_sum += a->at * a->lanes;
    s->room_since = s->address_since = 0;
}

/* A look at the queue's read_idx: is there room? */
static void look_for_room(struct command_waits *w, struct command_stage *s, uint64_t at) {
    if (s->room_since) {
        w->slot += at - s->room_since;
        w->packing -= at - s->room_since;
    } else {
        w->slots++;
    }
    s->room_since = at;
}

/* Sums need no pairs, in whichever order the statuses arrive. One that is written FREE behind a
 * result belongs to no number. */
static void write_status(struct command_waits *w, struct command_stage *s,
                         const struct command_access *a) {
    const unsigned lanes = a->lanes < s->open ? a->lanes : s->open;
    if (!lanes) return;
    s->open -= lanes;
    s->written += lanes;
    s->written_sum += a->at * lanes;
    s->served_since = a->at;
    s->looked = false;
    if (s->open) return;
    w->commands += s->written;
    w->packing += s->written_sum - s->taken_sum;
    s->written = 0;
    s->written_sum = s->taken_sum = 0;
}

static void look_at_status(struct command_waits *w, struct command_stage *s, uint64_t at) {
    s->address_since = 0;
    if (!s->served_since) return;
    w->services += !s->looked;
    w->service += at - s->served_since;
    s->looked = true;
    s->served_since = at;
}

static void look_at_heap(struct command_waits *w, struct command_stage *s,
                         const struct command_access *a) {
    if (s->address_since && s->address == a->address)
        w->memory += a->at - s->address_since;
    else
        w->looks++;
    s->address = a->address;
    s->address_since = a->at;
}

static void take(struct command_waits *w, const struct command_places *places,
                 struct command_stage *s, const struct command_access *a) {
    const bool load = a->mem == MIR_MEM_LOAD, store = a->mem == MIR_MEM_STORE;
    const uint64_t in_producers = a->address - places->producers;
    const uint64_t in_queues = a->address - places->queues;
    if (a->mem == COMMAND_BEGIN) {
        *s = (struct command_stage){0};
    } else if (in_producers < places->num_queues * sizeof(struct heddle_shmem_producer)) {
        const uint64_t word = in_producers % sizeof(struct heddle_shmem_producer);
        if (!load && !store && word == offsetof(struct heddle_shmem_producer, write_idx))
            take_number(s, a);
    } else if (in_queues < places->num_queues * sizeof(struct heddle_shmem_queue)) {
        const uint64_t offset = in_queues % sizeof(struct heddle_shmem_queue);
        const uint64_t entries = offsetof(struct heddle_shmem_queue, entry);
        if (offset < entries) {
            if (load) look_for_room(w, s, a->at);
        } else if ((offset - entries) % sizeof(struct heddle_shmem_entry)) {
            return; /* its other words */
        } else if (store) {
            write_status(w, s, a);
        } else {
            look_at_status(w, s, a->at);
        }
    } else if (load && a->address - places->heap < places->heap_bytes) {
        look_at_heap(w, s, a);
    }
}

/* By time; of one time in an order that is the same in each run. */
static int by_time(const void *pa, const void *pb) {
    const struct command_access *a = pa, *b = pb;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    if (a->warp != b->warp) return a->warp < b->warp ? -1 : 1;
    if (a->mem != b->mem) return a->mem == COMMAND_BEGIN || a->mem < b->mem ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

void command_waits_take(struct command_waits *w, const struct command_places *places,
                        struct command_log *log, uint64_t before,
                        struct command_stage *(*stage_of)(void *user, uint32_t warp), void *user) {
    size_t n = 0;
    if (!log->count) return;
    qsort(log->access, log->count, sizeof *log->access, by_time);
    for (; n < log->count && log->access[n].at < before; n++)
        take(w, places, stage_of(user, log->access[n].warp), &log->access[n]);
    log->count -= n;
    memmove(log->access, log->access + n, log->count * sizeof *log->access);
}
