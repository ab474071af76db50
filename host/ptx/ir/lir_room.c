/* lir_room.c - schedules and allocates with as many registers as cost no warp (lir_place).
 *
 * The scheduler first keeps to a limit of live vregs that is low, because registers decide how many
 * warps an SM takes. Most kernels stay below. If one does not, its registers are known after
 * allocation, and so is how many more a thread may have with the same number of warps. With those,
 * more loads can be in flight. So the kernel is scheduled and allocated again with a higher limit.
 * The limit counts live vregs, allocation takes some registers more: where that is too many, the
 * limit falls by the excess, and in the end the first result stands.
 *
 * A snapshot of the function is what passes may change in it: instructions, blocks, vregs. All of
 * them stay in the arena, so that it can be put back.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_passes.h"

#include <string.h>

enum {
    UNIT = 8,  /* a thread's registers are allocated in units of eight */
    TRIES = 3, /* of a higher limit */
};

/* ---- warps of an SM ------------------------------------------------------------------------- */

/* Warps that an SM takes with so many registers per thread, as far as registers go. */
static uint32_t warps_with(const struct lir_room *room, uint32_t regs) {
    const uint32_t of_warp = 32 * ((regs ? regs + UNIT - 1 : UNIT) / UNIT * UNIT);
    const uint32_t warps = room->registers / room->subcores / of_warp * room->subcores;
    return warps < room->warps ? warps : room->warps;
}

/* Counts whole CTAs, if their size is known, that registers and static shared memory allow. */
uint32_t lir_room_for(const struct lir_fn *fn, uint32_t regs) {
    const struct lir_room *room = &fn->room;
    uint32_t warps = warps_with(room, regs);
    if (room->cta_warps) {
        uint32_t ctas = warps / room->cta_warps;
        const uint32_t fit = fn->shared_bytes ? room->shared_bytes / fn->shared_bytes : ctas;
        if (fit < ctas) ctas = fit;
        if (!ctas) return regs;
        warps = ctas * room->cta_warps;
    }
    while (regs < fn->max_regs && warps_with(room, regs + 1) >= warps) regs++;
    return regs;
}

/* ---- snapshots ------------------------------------------------------------------------------ */

/* An instruction, and what it was. */
struct kept_inst {
    struct lir_inst *at, was;
};

/* A function as it was. */
struct snapshot {
    struct lir_fn fn;
    struct lir_block *block; /* [fn.n_blocks] */
    struct kept_inst *inst;
    uint32_t n, cap;
    bool *scratch, *unspillable; /* [fn.n_vregs] */
};

static void *copy_of(struct lir_fn *fn, const void *from, size_t bytes) {
    return memcpy(arena_alloc(fn->arena, bytes), from, bytes);
}

/* Takes a snapshot, in the function's arena. */
static struct snapshot take(struct lir_fn *fn) {
    struct snapshot s = {.fn = *fn};
    s.block = ARENA_ARRAY(fn->arena, struct lir_block, fn->n_blocks);
    s.scratch = copy_of(fn, fn->scratch, fn->n_vregs * sizeof *fn->scratch);
    s.unspillable = copy_of(fn, fn->unspillable, fn->n_vregs * sizeof *fn->unspillable);
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        s.block[b] = *fn->blocks[b];
        for (struct lir_inst *in = fn->blocks[b]->first; in; in = in->next)
            *ARENA_PUSH(fn->arena, s.inst, s.n, s.cap) = (struct kept_inst){in, *in};
    }
    return s;
}

/* The function becomes what it was. */
static void put_back(struct lir_fn *fn, const struct snapshot *s) {
    *fn = s->fn;
    memcpy(fn->scratch, s->scratch, fn->n_vregs * sizeof *fn->scratch);
    memcpy(fn->unspillable, s->unspillable, fn->n_vregs * sizeof *fn->unspillable);
    for (uint32_t b = 0; b < fn->n_blocks; b++) *fn->blocks[b] = s->block[b];
    for (uint32_t i = 0; i < s->n; i++) *s->inst[i].at = s->inst[i].was;
}

/* ---- the pass ------------------------------------------------------------------------------- */

bool lir_place(struct lir_fn *fn, const struct ptx_latency *latency) {
    const struct snapshot before = take(fn);
    const struct lir_pressure usual = lir_schedule(fn, latency, 0);
    if (!lir_allocate(fn)) return false;
    const uint32_t room = lir_room_for(fn, fn->num_regs), spilled = fn->spill_bytes;
    if (usual.most <= usual.limit) return true;
    const struct snapshot first = take(fn);
    uint32_t limit = usual.most + room - fn->num_regs;
    for (unsigned i = 0; i < TRIES && limit > usual.limit && !lir_gives_up(fn); i++) {
        put_back(fn, &before);
        lir_schedule(fn, latency, limit);
        const bool fits = lir_allocate(fn);
        if (fits && fn->num_regs <= room && fn->spill_bytes <= spilled) return true;
        const uint32_t excess = fits && fn->num_regs > room ? fn->num_regs - room : UNIT;
        limit = limit > excess ? limit - excess : 0;
    }
    if (lir_gives_up(fn)) return false;
    put_back(fn, &first);
    return true;
}
