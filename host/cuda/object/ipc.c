/* ipc.c - shared memory of programs: openings of memory of other programs (program.imported), and
 * who owns it next; see ipc.h.
 *
 * Runs in the server, on its thread, for calls_ipc.c and when a program ends or is reset. Ownership
 * is memory_block.owner in the address space. Sends and issues nothing. */
#include "cuda/object/ipc.h"

/* Address of the program's opening number i. */
static uint64_t opened(const struct program *p, size_t i) {
    return g_array_index(p->imported, uint64_t, i);
}

/* Adds an opening of the memory at the address to program.imported, and its kernels may access it;
 * the caller has checked it. @return false: no memory. */
bool ipc_open(struct program *p, uint64_t address) {
    if (!address_space_share(p->space, address, p)) return false;
    g_array_append_val(p->imported, address);
    return true;
}

/* True if the program has at least one opening of the memory that begins at the address. */
bool ipc_has_opened(const struct program *p, uint64_t address) {
    for (size_t i = 0; i < p->imported->len; i++)
        if (opened(p, i) == address) return true;
    return false;
}

const struct memory_block *ipc_reachable(const struct call *call, uint64_t address,
                                         uint64_t bytes) {
    const struct memory_block *b = address_space_reachable(call->server->o.space, address, bytes);
    const struct program *p = call->program;
    return b && (b->owner == p || ipc_has_opened(p, b->address)) ? b : NULL;
}

/* Gives the memory at the address to a living program other than `from` that has it open. @return
 * false: there is none. */
static bool hand_on(struct server *s, uint64_t address, const struct program *from) {
    for (const struct program *p = s->programs; p; p = p->next)
        if (p != from && !p->gone && ipc_has_opened(p, address))
            return address_space_set_owner(s->o.space, address, p);
    return false;
}

/* Removes one opening, which must exist. If the program owned the memory and has no opening left,
 * passes it on to a program that has it open, or frees it at once. */
void ipc_close(struct server *s, struct program *p, uint64_t address) {
    size_t i = 0;
    while (opened(p, i) != address) i++;
    g_array_remove_index_fast(p->imported, (unsigned)i);
    const struct memory_block *b = address_space_find(s->o.space, address, 1);
    if (b && b->address == address && !ipc_has_opened(p, address))
        address_space_unshare(s->o.space, address, p);
    if (b && b->owner == p && !ipc_has_opened(p, address) && !hand_on(s, address, p))
        address_space_release(s->o.space, address_space_region(s->o.space, address), address);
}

void ipc_leave(struct server *s, const struct program *p) {
    for (size_t i = 0; i < p->imported->len; i++)
        address_space_unshare(s->o.space, opened(p, i), p);
}

/* Passes ownership of the memory of p to other living programs that have it open. The program's
 * other memory stays its own. */
void ipc_bequeath(struct server *s, const struct program *p) {
    for (const struct program *q = s->programs; q; q = q->next)
        for (size_t i = 0; q != p && !q->gone && i < q->imported->len; i++) {
            const struct memory_block *b = address_space_find(s->o.space, opened(q, i), 1);
            if (b && b->owner == p) hand_on(s, opened(q, i), p);
        }
}
