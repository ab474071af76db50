/* lir_alloc.c - register allocation (lir_allocate): linear scan over live intervals with holes.
 *
 * ptx_compile.c calls the pass once per kernel, behind lir_schedule. First it gives each predicate
 * one of seven places, then it joins copies, then it gives each vreg a register. Each of these
 * rounds builds the live intervals anew in a scratch arena (a->l.arena) that ends with the round.
 *
 * Groups are placed in the order in which they are first needed, each at the lowest aligned place
 * where no vreg's live interval overlaps one already placed. A bit per (register, position) records
 * this exactly, holes included. As long as the kernel stays below the number of registers that
 * fills an SM, the allocator avoids a register that a memory instruction has just read: a write to
 * it would have to wait. Lone vregs prefer the other half of a pair that is in use, which keeps
 * pairs whole, and the bank opposite to the operands that are read beside them (lir_banks.c),
 * unless that reduces the number of warps in an SM. When a group finds no place, the cheapest group
 * that is live there gives up its own and is to be spilled. At the end of a round all of these go
 * to local memory, and allocation starts again, until a round spills nothing.
 *
 * The functions below read and write only `a`, unless their comment says otherwise. Positions are
 * those of lir_alloc.h.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_passes.h"
#include "ptx/ir/lir_alloc.h"

#include <stdlib.h>
#include <string.h>

/* State of one round. */
struct alloc {
    struct lir_fn *fn;
    struct lir_intervals l;
    struct lir_banks banks;
    bool no_banks;    /* ignore banks */
    uint64_t **busy;  /* [register or predicate place] bit per position */
    uint32_t **late;  /* [register] ring of positions at which memory instructions read it */
    uint32_t n_longs; /* 64-bit words in each of `busy` */
    uint8_t *reg;     /* [vreg] its register, once placed */
    uint8_t *place;   /* [pred] its place, P0 .. P6 */
    uint32_t n_regs;  /* highest register used + 1 */
    uint32_t *cost;   /* [group] loads and stores if spilled, weighted by loops */
    bool *spilled;    /* [group or predicate] it is to be spilled */
    uint32_t n_spilled;
};

/* ---- occupancy ------------------------------------------------------------------------------ */

/* @return register (or predicate place) r is unused at all positions of the interval. */
static bool is_free(const struct alloc *a, unsigned r, const struct lir_interval *interval) {
    const uint64_t *busy = a->busy[r];
    for (uint32_t i = 0; i < interval->n; i++) {
        uint32_t from = interval->s[i].from, last = interval->s[i].to - 1;
        uint32_t f = from / 64, t = last / 64;
        uint64_t first = ~UINT64_C(0) << from % 64, end = ~UINT64_C(0) >> (63 - last % 64);
        if (f == t) {
            if (busy[f] & first & end) return false;
            continue;
        }
        if (busy[f] & first || busy[t] & end) return false;
        for (uint32_t k = f + 1; k < t; k++)
            if (busy[k]) return false;
    }
    return true;
}

/* Marks register (or predicate place) r used, or unused, at all positions of the interval. */
static void mark(struct alloc *a, unsigned r, const struct lir_interval *interval, bool used) {
    uint64_t *busy = a->busy[r], set = used ? ~UINT64_C(0) : 0;
    for (uint32_t i = 0; i < interval->n; i++) {
        uint32_t from = interval->s[i].from, last = interval->s[i].to - 1;
        uint32_t f = from / 64, t = last / 64;
        uint64_t first = ~UINT64_C(0) << from % 64, end = ~UINT64_C(0) >> (63 - last % 64);
        if (f == t) first = end &= first;
        busy[f] = (busy[f] & ~first) | (set & first);
        busy[t] = (busy[t] & ~end) | (set & end);
        for (uint32_t k = f + 1; k < t; k++) busy[k] = set;
    }
}

/* Makes a->busy for n registers or predicate places, all unused. */
static void make_occupancy(struct alloc *a, unsigned n) {
    a->n_longs = a->l.n_positions / 64 + 1;
    a->busy = ARENA_ARRAY(a->l.arena, uint64_t *, n);
    for (unsigned r = 0; r < n; r++) a->busy[r] = ARENA_ARRAY(a->l.arena, uint64_t, a->n_longs);
}

/* ---- placing groups ------------------------------------------------------------------------- */

/* A group of vregs (`id` is its first one), or a predicate, that waits for its place. `from`: first
 * position at which it is live. `size`: vregs. */
struct item {
    uint32_t id, from, size;
};

/* Order for qsort: earliest first, then larger groups, then by id, so that the result is the same
 * in every run. */
static int item_order(const void *x, const void *y) {
    const struct item *a = x, *b = y;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* @return the n vregs of group g fit into registers r .. r + n - 1. */
static bool group_fits(const struct alloc *a, lir_vreg g, unsigned n, unsigned r) {
    for (unsigned k = 0; k < n; k++)
        if (!is_free(a, r + k, &a->l.vreg[g + k])) return false;
    return true;
}

enum {
    LATE_RING = 16,     /* reads remembered per register */
    LATE_DISTANCE = 24, /* positions, two per instruction, until such a read is surely over */
    FREE_REGS = 32,     /* up to this many registers per thread, warps fill an SM */
};

/* @return the first write of the live interval comes less than LATE_DISTANCE positions after a late
 * read of r. */
static bool soon_after_read(const struct alloc *a, unsigned r,
                            const struct lir_interval *interval) {
    if (!interval->n) return false;
    uint32_t from = interval->s[0].from;
    for (unsigned i = 0; i < LATE_RING; i++) {
        uint32_t at = a->late[r][i];
        if (at && at <= from && from < at + LATE_DISTANCE) return true;
    }
    return false;
}

/* Puts the interval's last late read into the ring of register r; the oldest entry falls out. */
static void note_late(struct alloc *a, unsigned r, const struct lir_interval *interval) {
    if (!interval->late) return;
    uint32_t *ring = a->late[r];
    memmove(ring + 1, ring, (LATE_RING - 1) * sizeof *ring);
    ring[0] = interval->late;
}

/* The lowest place of group g (n vregs) among the first FREE_REGS registers of which no register
 * was read late just before. bank: 0 even registers only, 1 odd, -1 any. @return its first
 * register, -1: none */
static int find_soft_place(const struct alloc *a, lir_vreg g, unsigned n, int bank) {
    unsigned limit = a->fn->max_regs < FREE_REGS ? a->fn->max_regs : FREE_REGS;
    for (unsigned r = 0; r + n <= limit; r += n) {
        bool ok = (bank < 0 || (int)(r & 1) == bank) && group_fits(a, g, n, r);
        for (unsigned k = 0; k < n && ok; k++) ok = !soon_after_read(a, r + k, &a->l.vreg[g + k]);
        if (ok) return (int)r;
    }
    return -1;
}

/* The place for group g (n vregs) in the order of preference that the file's head gives. @return
 * its first register, -1: no place below max_regs */
static int find_place(const struct alloc *a, lir_vreg g, unsigned n) {
    int bank = n == 1 && !a->no_banks ? lir_bank_wanted(a->fn, &a->banks, g, a->reg) : -1;
    if (a->n_regs <= FREE_REGS && !a->fn->spill_bytes) {
        int soft = bank < 0 ? -1 : find_soft_place(a, g, n, bank);
        if (soft < 0) soft = find_soft_place(a, g, n, -1);
        if (soft >= 0) return soft;
    }
    unsigned limit = a->fn->max_regs;
    int lowest = -1;
    for (unsigned r = (unsigned)bank; bank >= 0 && r < a->n_regs && (r ^ 1) < limit; r += 2)
        if (group_fits(a, g, n, r) && !is_free(a, r ^ 1, &a->l.vreg[g])) return (int)r;
    for (unsigned r = 0; r + n <= limit; r += n) {
        if (!group_fits(a, g, n, r)) continue;
        if (n > 1) return (int)r;
        if (lowest < 0) lowest = (int)r;
        /* beyond the registers in use there is no half-used pair */
        if (r >= a->n_regs) break;
        if ((r ^ 1) < limit && !is_free(a, r ^ 1, &a->l.vreg[g])) return (int)r;
    }
    return lowest;
}

/* @return the interval covers a position in [from, to). */
static bool is_live_at(const struct lir_interval *interval, uint32_t from, uint32_t to) {
    if (!interval->n || interval->s[interval->n - 1].to <= from) return false;
    for (uint32_t i = 0; i < interval->n && interval->s[i].from < to; i++)
        if (from < interval->s[i].to) return true;
    return false;
}

/* Positions that the interval covers. */
static uint64_t length(const struct lir_interval *interval) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < interval->n; i++) n += interval->s[i].to - interval->s[i].from;
    return n;
}

/* Fills a->cost: each read and write counts 10 to the power of its loop depth (at most 6). */
static void count_costs(struct alloc *a) {
    struct lir_fn *fn = a->fn;
    a->cost = ARENA_ARRAY(a->l.arena, uint32_t, fn->n_vregs);
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        uint32_t depth = fn->blocks[b]->loop_depth, weight = 1;
        for (uint32_t d = 0; d < depth && d < 6; d++) weight *= 10;
        for (const struct lir_inst *in = fn->blocks[b]->first; in; in = in->next) {
            if (in->dst) a->cost[fn->group[in->dst]] += weight;
            for (unsigned i = 0; i < MIR_MAX_SRC; i++)
                if (in->m.src[i].kind == MIR_SRC_REG && in->src[i])
                    a->cost[fn->group[in->src[i]]] += weight;
        }
    }
}

/* The group to spill so that `g` finds a place: of the groups live where `g` begins the one with
 * the most positions per cost. Reads all intervals; makes a->cost on first use. @return 0: there is
 * none */
static lir_vreg choose_victim(struct alloc *a, lir_vreg g) {
    struct lir_fn *fn = a->fn;
    uint32_t from = UINT32_MAX;
    unsigned n = fn->group_size[g];
    for (unsigned k = 0; k < n; k++)
        if (a->l.vreg[g + k].n && a->l.vreg[g + k].s[0].from < from)
            from = a->l.vreg[g + k].s[0].from;
    if (!a->cost) count_costs(a);
    lir_vreg best = 0;
    double best_value = 0;
    for (lir_vreg w = 1; w < fn->n_vregs; w++) {
        if (fn->group[w] != w || fn->unspillable[w] || a->spilled[w]) continue;
        unsigned size = fn->group_size[w];
        uint64_t len = 0;
        bool alive = false;
        for (unsigned k = 0; k < size && !alive; k++)
            alive = is_live_at(&a->l.vreg[w + k], from, from + 2);
        if (!alive) continue;
        for (unsigned k = 0; k < size; k++) len += length(&a->l.vreg[w + k]);
        /* spilling an interval this short would only make another one like it */
        if (len <= 4u * size) continue;
        double value = (double)len / (a->cost[w] + 1.0);
        if (value > best_value) {
            best_value = value;
            best = w;
        }
    }
    return best;
}

/* Puts group g (n vregs) into the registers from r on. */
static void place_group(struct alloc *a, lir_vreg g, unsigned n, unsigned r) {
    for (unsigned k = 0; k < n; k++) {
        a->reg[g + k] = (uint8_t)(r + k);
        a->banks.placed[g + k] = true;
        mark(a, r + k, &a->l.vreg[g + k], true);
        note_late(a, r + k, &a->l.vreg[g + k]);
        if (a->l.vreg[g + k].n && r + k + 1 > a->n_regs) a->n_regs = r + k + 1;
    }
}

/* Has a group spilled so that `g` may find a place; its registers are free. @return that group,
 * perhaps g; 0: there is none */
static lir_vreg spill_one(struct alloc *a, lir_vreg g) {
    lir_vreg v = choose_victim(a, g);
    if (!v) return 0;
    for (unsigned k = 0; k < a->fn->group_size[v]; k++) {
        if (a->banks.placed[v + k]) mark(a, a->reg[v + k], &a->l.vreg[v + k], false);
        a->banks.placed[v + k] = false;
    }
    a->spilled[v] = true;
    a->n_spilled++;
    return v;
}

/* Places all groups but those that it marks in a->spilled: fills a->reg, a->n_regs and the
 * occupancy, all made anew. @return false: a group found no place, and none can be spilled */
static bool place_vregs(struct alloc *a) {
    struct lir_fn *fn = a->fn;
    struct item *item = NULL;
    uint32_t n = 0, cap = 0;
    make_occupancy(a, MIR_RZ);
    lir_banks_build(fn, &a->banks, a->l.arena);
    a->reg = ARENA_ARRAY(a->l.arena, uint8_t, fn->n_vregs);
    a->spilled = ARENA_ARRAY(a->l.arena, bool, fn->n_vregs);
    a->late = ARENA_ARRAY(a->l.arena, uint32_t *, MIR_RZ);
    for (unsigned r = 0; r < MIR_RZ; r++) a->late[r] = ARENA_ARRAY(a->l.arena, uint32_t, LATE_RING);
    for (lir_vreg w = 1; w < fn->n_vregs; w++) {
        if (fn->group[w] != w) continue;
        uint32_t from = UINT32_MAX;
        for (unsigned k = 0; k < fn->group_size[w]; k++)
            if (a->l.vreg[w + k].n && a->l.vreg[w + k].s[0].from < from)
                from = a->l.vreg[w + k].s[0].from;
        if (from == UINT32_MAX) continue;
        *ARENA_PUSH(a->l.arena, item, n,
                    cap) = (struct item){.id = w, .from = from, .size = fn->group_size[w]};
    }
    if (n) qsort(item, n, sizeof *item, item_order);
    for (uint32_t i = 0; i < n; i++) {
        lir_vreg g = item[i].id;
        int r = -1;
        while (!a->spilled[g] && (r = find_place(a, g, item[i].size)) < 0)
            if (!spill_one(a, g)) return false;
        if (!a->spilled[g]) place_group(a, g, item[i].size, (unsigned)r);
    }
    return true;
}

/* As place_vregs. Tries with regard to banks first, and again without it where banks may cost
 * warps: if that takes fewer allocation units of registers, or places what did not fit, its result
 * becomes `a`. */
static bool place_in_banks(struct alloc *a) {
    enum { UNIT = 8 }; /* a thread's registers are allocated in units of eight */
    struct alloc plain = *a;
    const bool good = place_vregs(a), fits = good && !a->n_spilled;
    if (fits && a->n_regs <= FREE_REGS) return true;
    plain.no_banks = true;
    if (!place_vregs(&plain) || plain.n_spilled ||
        (fits && (plain.n_regs - 1) / UNIT >= (a->n_regs - 1) / UNIT))
        return good;
    *a = plain;
    return true;
}

/* ---- predicates ----------------------------------------------------------------------------- */

/* The predicate to spill so that item k may find a place: of those before it that are live where it
 * begins, and itself, the one with the longest live interval. */
static uint32_t choose_pred(const struct alloc *a, const struct item *item, uint32_t k) {
    uint32_t at = item[k].from, best = item[k].id;
    uint64_t best_length = length(&a->l.pred[best]);
    for (uint32_t i = 0; i < k; i++) {
        const uint32_t p = item[i].id;
        if (a->spilled[p] || !is_live_at(&a->l.pred[p], at, at + 2) ||
            length(&a->l.pred[p]) <= best_length)
            continue;
        best = p;
        best_length = length(&a->l.pred[p]);
    }
    return best;
}

/* Places all predicates but those that it marks in a->spilled: fills a->place and the occupancy. */
static void place_preds(struct alloc *a) {
    struct lir_fn *fn = a->fn;
    struct item *item = NULL;
    uint32_t n = 0, cap = 0;
    make_occupancy(a, MIR_PT);
    a->place = ARENA_ARRAY(a->l.arena, uint8_t, fn->n_preds);
    a->spilled = ARENA_ARRAY(a->l.arena, bool, fn->n_preds);
    a->place[0] = MIR_PT;
    for (uint32_t p = 1; p < fn->n_preds; p++)
        if (a->l.pred[p].n)
            *ARENA_PUSH(a->l.arena, item, n,
                        cap) = (struct item){.id = p, .from = a->l.pred[p].s[0].from, .size = 1};
    if (n) qsort(item, n, sizeof *item, item_order);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t p = item[i].id;
        while (!a->spilled[p]) {
            unsigned r = 0;
            while (r < MIR_PT && !is_free(a, r, &a->l.pred[p])) r++;
            if (r < MIR_PT) {
                a->place[p] = (uint8_t)r;
                mark(a, r, &a->l.pred[p], true);
                break;
            }
            const uint32_t best = choose_pred(a, item, i);
            if (best != p) mark(a, a->place[best], &a->l.pred[best], false);
            a->spilled[best] = true;
            a->n_spilled++;
        }
    }
}

/* ---- the pass ------------------------------------------------------------------------------- */

/* The MIR encoding of a predicate reference. */
static uint8_t pref_number(const struct alloc *a, lir_pref p) {
    return (uint8_t)(a->place[p >> 1] | (p & 1 ? MIR_PNOT : 0));
}

/* Writes the places into the guards and predicate operands of all instructions (in->m). */
static void write_predicates(struct alloc *a) {
    for (uint32_t b = 0; b < a->fn->n_blocks; b++)
        for (struct lir_inst *in = a->fn->blocks[b]->first; in; in = in->next) {
            in->m.guard = pref_number(a, in->guard);
            for (unsigned i = 0; i < 3; i++) in->m.psrc[i] = pref_number(a, in->psrc[i]);
            for (unsigned i = 0; i < 2; i++)
                in->m.pdst[i] = in->pdst[i] ? a->place[in->pdst[i]] : MIR_PT;
        }
}

/* Writes the registers into the operands of all instructions (in->m). */
static void write_registers(struct alloc *a) {
    for (uint32_t b = 0; b < a->fn->n_blocks; b++)
        for (struct lir_inst *in = a->fn->blocks[b]->first; in; in = in->next) {
            if (in->dst) in->m.dst = a->reg[in->dst];
            for (unsigned i = 0; i < MIR_MAX_SRC; i++)
                if (in->m.src[i].kind == MIR_SRC_REG)
                    in->m.src[i].reg = in->src[i] ? a->reg[in->src[i]] : MIR_RZ;
        }
}

/* Allocates registers: writes in->m of all instructions and fn->num_regs; spills add instructions,
 * vregs and local memory; copies may vanish. Frees its scratch arena. @return false: the function
 * does not fit into fn->max_regs, takes more than MAX_ROUNDS, or is given up; it is then half
 * changed and of no use. */
bool lir_allocate(struct lir_fn *fn) {
    enum { MAX_ROUNDS = 400 };
    struct arena scratch;
    bool ok = false;
    arena_init(&scratch);
    for (unsigned round = 0; round < MAX_ROUNDS && !ok && !lir_gives_up(fn); round++) {
        struct alloc a = {.fn = fn};
        arena_free(&scratch);
        lir_intervals_build(fn, &a.l, &scratch);
        place_preds(&a);
        ok = !a.n_spilled;
        if (ok) write_predicates(&a);
        const uint32_t n = ok ? 0 : fn->n_preds; /* before the new ones */
        for (uint32_t p = 1; p < n; p++)
            if (a.spilled[p]) lir_spill_pred(fn, p);
    }
    if (ok) {
        struct alloc a = {.fn = fn};
        arena_free(&scratch);
        lir_intervals_build(fn, &a.l, &scratch);
        lir_coalesce(fn, &a.l);
        ok = false;
    }
    for (unsigned round = 0; round < MAX_ROUNDS && !ok && !lir_gives_up(fn); round++) {
        struct alloc a = {.fn = fn};
        arena_free(&scratch);
        lir_intervals_build(fn, &a.l, &scratch);
        if (!place_in_banks(&a)) break;
        if (a.n_spilled) {
            lir_spill_groups(fn, a.spilled, &scratch);
            continue;
        }
        write_registers(&a);
        fn->num_regs = a.n_regs;
        ok = true;
    }
    arena_free(&scratch);
    return ok;
}
