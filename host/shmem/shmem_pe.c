/* shmem_pe.c - PEs and the checks of their commands; contracts in shmem_pe.h. */
#include "shmem/shmem_pe.h"

#include <string.h>

_Static_assert(sizeof(struct heddle_shmem_entry) == 64, "an entry is half a line");
_Static_assert(sizeof(struct heddle_shmem_queue) % 128 == 0, "queues share no line");
_Static_assert(sizeof(struct heddle_shmem_state) <= SHMEM_QUEUES_OFFSET, "the state has room");

uint64_t shmem_pe_bytes(uint32_t num_queues) {
    return SHMEM_QUEUES_OFFSET + (uint64_t)num_queues * sizeof(struct heddle_shmem_queue) +
           SHMEM_COMMANDS * sizeof(struct heddle_shmem_entry) +
           SHMEM_THREADS * SHMEM_COMPLETIONS * sizeof(uint64_t);
}

void shmem_pe_begin(struct shmem_pes *all, uint32_t number, uint64_t own, uint32_t num_queues,
                    uint64_t heap, uint64_t heap_bytes) {
    struct shmem_pe *pe = &all->pe[number];
    pe->state = own;
    pe->queues = own + SHMEM_QUEUES_OFFSET;
    pe->num_queues = num_queues;
    pe->commands = pe->queues + (uint64_t)num_queues * sizeof(struct heddle_shmem_queue);
    pe->completions = pe->commands + SHMEM_COMMANDS * sizeof(struct heddle_shmem_entry);
    pe->heap = heap;
    pe->heap_bytes = heap_bytes;
    *(struct heddle_shmem_state *)(uintptr_t)own = (struct heddle_shmem_state){
        .version = HEDDLE_SHMEM_VERSION,
        .pe = (int)number,
        .num_pes = (int)all->count,
        .num_queues = num_queues,
        .heap = heap,
        .heap_bytes = heap_bytes,
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
