/* shmem_pe.c - PEs and the checks of their commands; contracts in shmem_pe.h. */
#include "shmem/shmem_pe.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { STATE_BYTES = 256 };

_Static_assert(sizeof(struct heddle_shmem_entry) == 64, "an entry is half a line");
_Static_assert(sizeof(struct heddle_shmem_queue) % 128 == 0, "queues share no line");
_Static_assert(sizeof(struct heddle_shmem_producer) % 128 == 0, "producers share no line");
_Static_assert(sizeof(struct heddle_shmem_state) <= STATE_BYTES, "the state has room");

uint64_t shmem_queues_bytes(uint32_t num_queues) {
    return (uint64_t)num_queues * sizeof(struct heddle_shmem_queue);
}
uint64_t shmem_own_bytes(uint32_t num_queues) {
    return STATE_BYTES + (uint64_t)num_queues * sizeof(struct heddle_shmem_producer) +
           SHMEM_COMMANDS * sizeof(struct heddle_shmem_entry) +
           SHMEM_THREADS * SHMEM_COMPLETIONS * sizeof(uint64_t);
}

void shmem_pe_begin(struct shmem_pes *all, uint32_t number, const struct shmem_place *place) {
    struct shmem_pe *pe = &all->pe[number];
    pe->state = place->own;
    pe->producers = pe->state + STATE_BYTES;
    pe->queues = place->queues;
    pe->queues_at_host = place->queues_at_host;
    pe->num_queues = place->num_queues;
    pe->commands = pe->producers + (uint64_t)pe->num_queues * sizeof(struct heddle_shmem_producer);
    pe->completions = pe->commands + SHMEM_COMMANDS * sizeof(struct heddle_shmem_entry);
    pe->heap = place->heap;
    pe->heap_bytes = place->heap_bytes;
    *(struct heddle_shmem_state *)(uintptr_t)pe->state = (struct heddle_shmem_state){
        .version = HEDDLE_SHMEM_VERSION,
        .pe = (int)number,
        .num_pes = (int)all->count,
        .num_queues = pe->num_queues,
        .heap = pe->heap,
        .heap_bytes = pe->heap_bytes,
        .producers = pe->producers,
        .queues = pe->queues};
    pe->live = true;
}

const char *shmem_op_name(unsigned op) {
    static const char *const names[HEDDLE_SHMEM_NUM_OPS] = {"nothing", "put", "get", "atomic",
                                                            "quiet"};
    return op < HEDDLE_SHMEM_NUM_OPS ? names[op] : "an unknown operation";
}

/* Whether [address, address + bytes) lies in the PE's symmetric heap. */
static bool in_heap(const struct shmem_pe *pe, uint64_t address, uint64_t bytes) {
    return address >= pe->heap && bytes <= pe->heap_bytes &&
           address - pe->heap <= pe->heap_bytes - bytes;
}

/* Whether kernels of the PE may access the whole range. */
static bool is_accessible(const struct shmem_pe *pe, uint64_t address, uint64_t bytes) {
    const struct exec_memory *m = pe->memory;
    if (address < m->base || bytes > m->size || address - m->base > m->size - bytes) return false;
    for (uint64_t a = address / EXEC_SECTOR * EXEC_SECTOR; a < address + bytes; a += EXEC_SECTOR)
        if (!exec_memory_allowed(m, a)) return false;
    return true;
}

/* Translates a symmetric address of PE `from` to that of PE `to`. At the own PE any of its memory
 * will do. @return 0: it is none. */
static uint64_t at_target(const struct shmem_pe *from, const struct shmem_pe *to, uint64_t address,
                          uint64_t bytes) {
    if (from == to) return is_accessible(from, address, bytes) ? address : 0;
    return in_heap(from, address, bytes) && in_heap(to, address - from->heap + to->heap, bytes)
               ? address - from->heap + to->heap
               : 0;
}

/* Begins the error of a command. */
static heddle_err wrong(struct heddle_diag *diag, uint32_t from, const struct heddle_shmem_entry *e,
                        const char *what) {
    return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                       "PE %u: %s of %llu bytes to PE %u, remote address 0x%llx: %s", from,
                       shmem_op_name(e->op), e->bytes, e->pe, e->remote, what);
}

heddle_err shmem_command_check(const struct shmem_pes *all, uint32_t from,
                               const struct heddle_shmem_entry *entry, struct shmem_command *out,
                               struct heddle_diag *diag) {
    const struct shmem_pe *source = &all->pe[from];
    *out = (struct shmem_command){.entry = *entry};
    struct heddle_shmem_entry *e = &out->entry;
    if (e->op == HEDDLE_SHMEM_QUIET) return HEDDLE_OK;
    if (!e->op || e->op >= HEDDLE_SHMEM_NUM_OPS)
        return wrong(diag, from, e, "there is no such operation");
    if (e->pe >= all->count) return wrong(diag, from, e, "there is no such PE");
    const struct shmem_pe *target = &all->pe[e->pe];
    if (!target->live) return wrong(diag, from, e, "this PE has left, or has not begun");
    if (e->op == HEDDLE_SHMEM_ATOMIC) {
        if (e->width != 4 && e->width != 8)
            return wrong(diag, from, e, "an atomic has 4 or 8 bytes");
        if (e->amo >= HEDDLE_SHMEM_NUM_AMOS || e->remote % e->width)
            return wrong(diag, from, e, "an unknown atomic, or a misaligned address");
        e->bytes = e->width;
    }
    if (e->op == HEDDLE_SHMEM_GET && !e->bytes)
        return wrong(diag, from, e, "there is nothing to get");
    if (e->flags & HEDDLE_SHMEM_IN_ENTRY && e->bytes > HEDDLE_SHMEM_INLINE)
        return wrong(diag, from, e, "too long to lie in its entry");
    const bool has_local = e->op == HEDDLE_SHMEM_GET || e->flags & HEDDLE_SHMEM_FETCH ||
                           (e->op == HEDDLE_SHMEM_PUT && !(e->flags & HEDDLE_SHMEM_IN_ENTRY));
    if (has_local && !is_accessible(source, e->local, e->bytes))
        return wrong(diag, from, e, "its local address is no memory of this PE");
    out->remote = at_target(source, target, e->remote, e->bytes);
    if (!out->remote) return wrong(diag, from, e, "not in the symmetric heap");
    if (e->flags & HEDDLE_SHMEM_SIGNAL) {
        out->signal = e->signal % 8 ? 0 : at_target(source, target, e->signal, 8);
        if (!out->signal) return wrong(diag, from, e, "its signal is not in the symmetric heap");
    }
    return HEDDLE_OK;
}

uint64_t shmem_amo(uint64_t address, enum heddle_shmem_amo amo, unsigned width, uint64_t operand,
                   uint64_t compare) {
    uint64_t old = 0;
    const uint64_t mask = width == 8 ? UINT64_MAX : UINT32_MAX;
    memcpy(&old, (const void *)(uintptr_t)address, width);
    uint64_t value = old;
    switch (amo) {
    case HEDDLE_SHMEM_AMO_SET: value = operand; break;
    case HEDDLE_SHMEM_AMO_ADD: value = old + operand; break;
    case HEDDLE_SHMEM_AMO_AND: value = old & operand; break;
    case HEDDLE_SHMEM_AMO_OR: value = old | operand; break;
    case HEDDLE_SHMEM_AMO_XOR: value = old ^ operand; break;
    case HEDDLE_SHMEM_AMO_CAS: value = old == (compare & mask) ? operand : old; break;
    case HEDDLE_SHMEM_AMO_READ:
    case HEDDLE_SHMEM_NUM_AMOS: break;
    }
    memcpy((void *)(uintptr_t)address, &value, width);
    return old;
}

/* ---- words for messages */

static bool queue_word_name(uint64_t offset, char *text, size_t size) {
    const unsigned queue = (unsigned)(offset / sizeof(struct heddle_shmem_queue));
    const size_t at = offset % sizeof(struct heddle_shmem_queue);
    const size_t entries = offsetof(struct heddle_shmem_queue, entry);
    if (at == offsetof(struct heddle_shmem_queue, read_idx))
        snprintf(text, size, "it waits for a place in queue %u", queue);
    else if (at >= entries && (at - entries) % sizeof(struct heddle_shmem_entry) == 0)
        snprintf(text, size, "the status of the command at place %u of queue %u",
                 (unsigned)((at - entries) / sizeof(struct heddle_shmem_entry)), queue);
    else
        snprintf(text, size, "byte %u of queue %u", (unsigned)at, queue);
    return true;
}

/* A member of the team in whose slot this PE has `who`. */
static int member_pe(const int who[4], int member) {
    return who[0] + member * who[1];
}

/* What a word of a team's slot is for. What memory says of the team is known while the PE lives. */
static bool team_word_name(const struct shmem_pe *pe, uint64_t offset, char *text, size_t size) {
    const unsigned team = (unsigned)(offset / HEDDLE_SHMEM_TEAM_BYTES);
    const unsigned at = (unsigned)(offset % HEDDLE_SHMEM_TEAM_BYTES);
    const uint64_t slot = pe->heap + (uint64_t)team * HEDDLE_SHMEM_TEAM_BYTES;
    int who[4] = {0}; /* start, stride, size, mine */
    if (pe->live) memcpy(who, (const void *)(uintptr_t)slot, sizeof who);
    const bool known = who[2] > 0;
    if (known && at >= HEDDLE_SHMEM_TEAM_ROUNDS && at < HEDDLE_SHMEM_TEAM_ARRIVED) {
        const unsigned round = (at - HEDDLE_SHMEM_TEAM_ROUNDS) / 8;
        const int before = (who[3] + who[2] - (1 << round) % who[2]) % who[2];
        snprintf(text, size,
                 "round %u of a barrier or sync of team %u, to which PE %d has not come", round,
                 team, member_pe(who, before));
    } else if (known && at >= HEDDLE_SHMEM_TEAM_ARRIVED && at < HEDDLE_SHMEM_TEAM_WORDS) {
        const int member = (int)(at - HEDDLE_SHMEM_TEAM_ARRIVED) / 8;
        snprintf(text, size, "messages of PE %d in a collective operation of team %u",
                 member_pe(who, member), team);
    } else {
        snprintf(text, size, "byte %u of team %u", at, team);
    }
    return true;
}

bool shmem_pe_name(const struct shmem_pe *pe, uint64_t address, char *text, size_t size) {
    const uint64_t queues = address - pe->queues, heap = address - pe->heap;
    if (queues < (uint64_t)pe->num_queues * sizeof(struct heddle_shmem_queue))
        return queue_word_name(queues, text, size);
    return heap < HEDDLE_SHMEM_RESERVED && team_word_name(pe, heap, text, size);
}
