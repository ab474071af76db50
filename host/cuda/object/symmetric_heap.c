/* symmetric_heap.c - PEs, their heaps and collective calls; contracts in symmetric_heap.h.
 *
 * Runs in the server, on its thread. All PEs share one list of allocations, as offsets: a
 * collective call acts once, when the last PE has made it. */
#include "cuda/object/symmetric_heap.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "cuda/base/diagnostics.h"
#include "cuda/object/pool.h"
#include "cuda/object/wait.h"
#include "shmem/shmem_functional.h"

/* Of allocations, at least and at most; heaps begin at multiples of the latter. */
enum { ALIGNMENT = 128, MOST_ALIGNMENT = 65536 };

/* Kinds of collective calls. */
enum collective { BEGIN, END, ALLOC, FREE, BARRIER };
static const char *const name[] = {"an initialization", "a finalization", "an allocation", "a free",
                                   "a barrier"};

/* What a PE asks for; equal at all PEs. */
struct asked {
    enum collective kind;
    uint64_t a, b;
};

/* An allocation of every PE's heap: offsets. */
struct block {
    uint64_t offset, bytes;
};

struct shmem {
    struct shmem_pes *pes; /* borrowed */
    struct shmem_functional *functional;
    GArray *blocks;                   /* struct block, by offset */
    struct taken {                    /* memory of each PE: where it begins */
        uint64_t own, queues, around; /* `around` the heap */
    } taken[SHMEM_MAX_PES];
    struct asked asked;
    uint64_t arrived; /* PEs that have made the collective call, a bit each */
    uint64_t served;  /* PEs that have their answer, likewise */
    bool complete;    /* all have arrived; `result` is theirs */
    uint64_t latest_ps, result;
    int error;
};

/* Created on first use. */
static struct shmem *shmem_of(struct server *s) {
    if (s->shmem) return s->shmem;
    struct shmem *m = s->shmem = heddle_alloc(sizeof *m, "PEs");
    m->pes = s->o.pes;
    m->functional = shmem_functional_create(m->pes);
    m->blocks = g_array_new(FALSE, FALSE, sizeof(struct block));
    return m;
}

uint32_t symmetric_heap_pes(const struct server *s) {
    return s->o.nodes ? s->o.nodes : 1;
}

void symmetric_heap_drop(struct server *s) {
    struct shmem *m = s->shmem;
    if (!m) return;
    shmem_functional_free(m->functional);
    g_array_unref(m->blocks);
    free(m);
    s->shmem = NULL;
}

/* The PE of a program; *number: its number. @return NULL: it is none. */
static struct shmem_pe *pe_of(const struct server *s, const struct program *p, uint32_t *number) {
    for (uint32_t i = 0; s->shmem && i < s->shmem->pes->count; i++) {
        struct shmem_pe *pe = &s->shmem->pes->pe[i];
        *number = i;
        if (pe->live && pe->owner == p) return pe;
    }
    return NULL;
}

uint64_t symmetric_heap_state(const struct server *s, const struct program *p, uint32_t *number) {
    const struct shmem_pe *pe = pe_of(s, p, number);
    return pe ? pe->state : 0;
}

void symmetric_heap_leave(struct server *s, const struct program *p) {
    uint32_t number;
    struct shmem_pe *pe = pe_of(s, p, &number);
    if (!pe) return;
    pe->live = false;
    shmem_functional_reset(s->shmem->functional, number);
    if (s->o.pe_changed) s->o.pe_changed(s->o.pe_user, number);
}

/* A PE's kernel has made a command that is wrong: it fails. */
static void fail(struct server *s, unsigned pe, const struct heddle_diag *diag) {
    const struct gpu_failure f = {.owner = s->shmem->pes->pe[pe].owner,
                                  .err = HEDDLE_ERR_ILLEGAL_ADDRESS,
                                  .text = diag->text};
    wait_kernel_failed(s, &f);
}

void symmetric_heap_serve(struct server *s) {
    bool moved = s->shmem != NULL;
    struct heddle_diag diag;
    uint32_t pe;
    while (moved)
        if (shmem_functional_serve(s->shmem->functional, &moved, &pe, &diag)) fail(s, pe, &diag);
}

void symmetric_heap_look(struct server *s) {
    struct heddle_diag diag;
    unsigned pe;
    while (s->shmem && s->o.pe_refused && s->o.pe_refused(s->o.pe_user, &pe, &diag))
        fail(s, pe, &diag);
}

/* ---- words for messages */

void symmetric_heap_story(const struct server *s, char *text, size_t size) {
    const struct shmem *m = s->shmem;
    int n = snprintf(text, size, "in %s of SHMEM without PE", m ? name[m->asked.kind] : "a call");
    const char *separator = " ";
    for (uint32_t i = 0; m && i < m->pes->count; i++) {
        if (m->arrived >> i & 1 || n < 0 || (size_t)n >= size) continue;
        n += snprintf(text + n, size - (size_t)n, "%s%u", separator, i);
        separator = ", ";
    }
}

/* The allocation that has the offset, or NULL. */
static const struct block *block_at(const struct shmem *m, uint64_t offset) {
    for (unsigned i = 0; i < m->blocks->len; i++) {
        const struct block *b = &g_array_index(m->blocks, struct block, i);
        if (offset >= b->offset && offset - b->offset < b->bytes) return b;
    }
    return NULL;
}

void symmetric_heap_name(const struct server *s, uint64_t address, char *text, size_t size) {
    const struct shmem *m = s->shmem;
    text[0] = 0;
    for (uint32_t i = 0; m && address && i < m->pes->count; i++) {
        const struct shmem_pe *pe = &m->pes->pe[i];
        if (!pe->heap_bytes) continue; /* what has left is remembered */
        if (shmem_pe_name(pe, address, text, size)) return;
        const uint64_t offset = address - pe->heap;
        if (offset >= pe->heap_bytes) continue;
        const struct block *b = block_at(m, offset);
        if (b)
            snprintf(text, size,
                     "byte %llu of the %llu bytes at 0x%llx of the symmetric heap of PE %u",
                     (unsigned long long)(offset - b->offset), (unsigned long long)b->bytes,
                     (unsigned long long)b->offset, i);
        else
            snprintf(text, size, "0x%llx of the symmetric heap of PE %u, which is free",
                     (unsigned long long)offset, i);
        return;
    }
}

/* ---- the heap */

/* Finds room for `bytes` and marks it. @return its offset, 0: there is none. */
static uint64_t take_room(struct shmem *m, uint64_t bytes, uint64_t alignment) {
    const uint64_t end = m->pes->pe[0].heap_bytes;
    uint64_t at = HEDDLE_SHMEM_RESERVED;
    for (unsigned i = 0; i <= m->blocks->len; i++) {
        const struct block *next = i < m->blocks->len ? &g_array_index(m->blocks, struct block, i)
                                                      : NULL;
        const uint64_t first = (at + alignment - 1) / alignment * alignment;
        const uint64_t limit = next ? next->offset : end;
        if (first >= at && first <= limit && bytes <= limit - first) {
            const struct block b = {first, bytes};
            g_array_insert_val(m->blocks, i, b);
            return first;
        }
        if (next) at = next->offset + next->bytes;
    }
    return 0;
}

/* @return false: nothing begins there. */
static bool give_room(struct shmem *m, uint64_t offset) {
    for (unsigned i = 0; i < m->blocks->len; i++) {
        if (g_array_index(m->blocks, struct block, i).offset != offset) continue;
        g_array_remove_index(m->blocks, i);
        return true;
    }
    return false;
}

/* ---- collective calls */

/* All PEs have made the call: does what it is for. */
static void complete(struct shmem *m) {
    const struct asked *w = &m->asked;
    m->error = CUDA_SUCCESS;
    m->result = 0;
    if (w->kind == ALLOC && w->a) m->result = take_room(m, w->a, w->b);
    if (w->kind == FREE && w->a && !give_room(m, w->a)) m->error = CUDA_ERROR_INVALID_VALUE;
    if (w->kind == BEGIN || w->kind == END) g_array_set_size(m->blocks, 0);
    m->complete = true;
    m->served = 0;
}

/* A PE makes a collective call, or looks whether all others have made it. *result: what it is for.
 * @return CALL_SUSPENDED: not all have; InvalidValue: another PE makes another call. */
static int meet(struct call *call, uint32_t number, const struct asked *w, uint64_t *result) {
    struct shmem *m = shmem_of(call->server);
    const uint64_t all = m->pes->count == 64 ? UINT64_MAX : (UINT64_C(1) << m->pes->count) - 1;
    const uint64_t own = UINT64_C(1) << number;
    call->repeatable = true;
    if (m->complete && m->served & own) return CALL_SUSPENDED; /* others have yet to leave it */
    if (!m->arrived) m->asked = *w;
    if (m->asked.kind != w->kind || m->asked.a != w->a || m->asked.b != w->b) {
        server_error(
            call->server,
            "PE %u makes %s (%llu, %llu), while others wait for it in %s (%llu, %llu): all "
            "PEs must make the same collective calls",
            number, name[w->kind], (unsigned long long)w->a, (unsigned long long)w->b,
            name[m->asked.kind], (unsigned long long)m->asked.a, (unsigned long long)m->asked.b);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!(m->arrived & own) && call->thread->now_ps > m->latest_ps)
        m->latest_ps = call->thread->now_ps;
    m->arrived |= own;
    if (!m->complete && m->arrived == all) {
        complete(m);
        call->server->met = true;
    }
    if (!m->complete) return CALL_SUSPENDED;
    *result = m->result;
    if (call->thread->now_ps < m->latest_ps) call->thread->now_ps = m->latest_ps;
    m->served |= own;
    const int error = m->error;
    if (m->served == all) { /* a PE may wait to make the next one */
        call->server->met = true;
        m->complete = false;
        m->arrived = m->served = 0;
        m->latest_ps = 0;
    }
    return error;
}

/* The same for a program that is a PE. */
static int meet_as_pe(struct call *call, enum collective kind, uint64_t a, uint64_t b,
                      uint64_t *result) {
    uint32_t number;
    if (!pe_of(call->server, call->program, &number)) return HEDDLE_cudaErrorInitializationError;
    return meet(call, number, &(struct asked){kind, a, b}, result);
}

/* Gives back what a PE has of it. */
static void release(struct server *s, const struct taken *taken) {
    const uint64_t all[] = {taken->own, taken->queues, taken->around};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i])
            address_space_release(s->o.space, address_space_region(s->o.space, all[i]), all[i]);
}

/* Clears new memory. */
static void clear(struct server *s, uint64_t address, uint64_t bytes) {
    memset((void *)(uintptr_t)address, 0, bytes);
    address_space_note_write(s->o.space, address, bytes);
}

/* Makes the program a PE, once: allocates state, queues and heap on its current device, or the
 * queues in pinned memory. */
static int join(struct call *call, uint32_t number, uint64_t bytes, uint64_t queues) {
    struct server *s = call->server;
    struct shmem *m = shmem_of(s);
    struct shmem_pe *pe = &m->pes->pe[number];
    const uint32_t num_queues = queues ? (uint32_t)queues : (uint32_t)s->o.config->sm_count;
    const memory_region device = program_region(call->program, call->thread->device);
    const memory_region region = s->o.queues_at_host ? REGION_PINNED : device;
    struct taken t = {.own = pool_alloc(call, device, shmem_own_bytes(num_queues), 0)};
    if (t.own) t.queues = pool_alloc(call, region, shmem_queues_bytes(num_queues), 0);
    if (t.queues) t.around = pool_alloc(call, device, bytes + MOST_ALIGNMENT, 0);
    struct exec_memory *memory = address_space_view(s->o.space, call->program);
    if (!t.around || !memory) {
        release(s, &t);
        return HEDDLE_cudaErrorMemoryAllocation;
    }
    m->taken[number] = t;
    const struct shmem_place place = {.own = t.own,
                                      .queues = t.queues,
                                      .heap = (t.around + MOST_ALIGNMENT - 1) / MOST_ALIGNMENT *
                                              MOST_ALIGNMENT,
                                      .heap_bytes = bytes,
                                      .num_queues = num_queues,
                                      .queues_at_host = s->o.queues_at_host};
    clear(s, place.own, shmem_own_bytes(num_queues));
    clear(s, place.queues, shmem_queues_bytes(num_queues));
    clear(s, place.heap, HEDDLE_SHMEM_RESERVED);
    *pe = (struct shmem_pe){.owner = call->program,
                            .memory = memory,
                            .device = call->program->first_device + call->thread->device};
    shmem_pe_begin(m->pes, number, &place);
    shmem_functional_reset(m->functional, number);
    if (s->o.pe_changed) s->o.pe_changed(s->o.pe_user, number);
    return CUDA_SUCCESS;
}

int symmetric_heap_begin(struct call *call, uint64_t bytes, uint64_t queues) {
    enum { MOST_QUEUES = 4096 };
    const uint64_t least = 2 * HEDDLE_SHMEM_RESERVED;
    uint32_t number = call->program->node;
    uint64_t none;
    if (!call->server->o.pes) return HEDDLE_cudaErrorNotSupported; /* a server without PEs */
    const struct shmem_pe *pe = &shmem_of(call->server)->pes->pe[number];
    if (bytes < least || bytes % ALIGNMENT || queues > MOST_QUEUES) return CUDA_ERROR_INVALID_VALUE;
    if (gpu_is_timed(call_gpu(call)) && (!call->server->o.nodes || call->thread->device)) {
        server_error(call->server, "%s (process %d): %s", call->program->name, call->program->pid,
                     call->thread->device ? "a PE's symmetric heap lies on device 0 of its node"
                                          : "with timing on, a PE needs a node: --nodes N");
        return HEDDLE_cudaErrorNotSupported;
    }
    if (call->server->o.no_service) {
        server_error(
            call->server,
            "%s (process %d): with --design %s kernels have no network, and no symmetric heap",
            call->program->name, call->program->pid, call->server->o.no_service);
        return HEDDLE_cudaErrorNotSupported;
    }
    if (pe->live && pe->owner != call->program) {
        server_error(call->server, "%s (process %d): PE %u is another program already",
                     call->program->name, call->program->pid, number);
        return HEDDLE_cudaErrorAlreadyMapped;
    }
    if (!pe->live) {
        const int error = join(call, number, bytes, queues);
        if (error) return error;
    }
    return meet(call, number, &(struct asked){BEGIN, bytes, queues}, &none);
}

int symmetric_heap_end(struct call *call) {
    uint64_t none;
    const struct server *s = call->server;
    int error = meet_as_pe(call, END, 0, 0, &none);
    uint32_t number;
    const struct shmem_pe *pe = pe_of(s, call->program, &number);
    if (error || !pe) return error;
    symmetric_heap_leave(call->server, call->program);
    release(call->server, &s->shmem->taken[number]);
    return CUDA_SUCCESS;
}

int symmetric_heap_alloc(struct call *call, uint64_t bytes, uint64_t alignment, uint64_t *address) {
    uint64_t offset = 0;
    uint32_t number;
    if (alignment < ALIGNMENT) alignment = ALIGNMENT;
    if (alignment & (alignment - 1) || alignment > MOST_ALIGNMENT) return CUDA_ERROR_INVALID_VALUE;
    const int error = meet_as_pe(call, ALLOC, bytes, alignment, &offset);
    if (error) return error;
    *address = offset ? pe_of(call->server, call->program, &number)->heap + offset : 0;
    return CUDA_SUCCESS;
}

int symmetric_heap_free(struct call *call, uint64_t address) {
    uint64_t none;
    uint32_t number;
    const struct shmem_pe *pe = pe_of(call->server, call->program, &number);
    if (!pe) return HEDDLE_cudaErrorInitializationError;
    return meet_as_pe(call, FREE, address ? address - pe->heap : 0, 0, &none);
}

int symmetric_heap_barrier(struct call *call) {
    uint64_t none;
    return meet_as_pe(call, BARRIER, 0, 0, &none);
}
