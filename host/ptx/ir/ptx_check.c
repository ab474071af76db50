/* ptx_check.c - checks control information by walking all paths at once. Tests call it on compiled
 * code and on damaged code; the compiler itself does not.
 *
 * For every instruction the state before it is the worst over all paths to it: for each register
 * the latest time at which a fixed-latency result arrives, and the sets of dependency barriers that
 * still cover its unfinished results and unread values. States only get worse, so the walk ends.
 * Times are cycles.
 *
 * *Slots* number registers (0 .. 255) and predicates (256 .. 263). */
#include "ptx/ir/ptx_control.h"

#include <stdio.h>
#include <string.h>

enum { SLOTS = 256 + 8 };

/* What is known before an instruction. */
struct state {
    bool reached;
    uint8_t ready[SLOTS];           /* cycles until readable */
    uint8_t across[PTX_SIDES][256]; /* cycles until readable by this side */
    uint8_t guard[8];               /* [pred] cycles until usable as a guard */
    uint8_t result[SLOTS]; /* set of barriers that cover unfinished results (bit 7: no barrier) */
    uint8_t reader[SLOTS]; /* set of barriers that cover reads still to come (bit 7: no barrier) */
};

/* Makes *to the worse of both states. @return it changed */
static bool worsen(struct state *to, const struct state *from) {
    bool changed = !to->reached;
    to->reached = true;
    for (unsigned i = 0; i < SLOTS; i++) {
        if (from->ready[i] > to->ready[i]) changed = true, to->ready[i] = from->ready[i];
        if (from->result[i] & ~to->result[i]) changed = true, to->result[i] |= from->result[i];
        if (from->reader[i] & ~to->reader[i]) changed = true, to->reader[i] |= from->reader[i];
    }
    for (unsigned i = 0; i < 256; i++)
        for (unsigned k = 0; k < PTX_SIDES; k++)
            if (from->across[k][i] > to->across[k][i])
                changed = true, to->across[k][i] = from->across[k][i];
    for (unsigned i = 0; i < 8; i++)
        if (from->guard[i] > to->guard[i]) changed = true, to->guard[i] = from->guard[i];
    return changed;
}

/* @return the set contains the slot. */
static bool has(const struct ptx_regs *s, unsigned slot) {
    return slot < 256 ? s->reg[slot / 64] >> slot % 64 & 1 : s->pred >> (slot - 256) & 1;
}

/* Where complain writes its message, and the instruction it is about. */
struct problem {
    char *why;
    size_t size;
    uint32_t at;
};

/* Writes "instruction N: R5 <what>" to p->why. @return false */
static bool complain(const struct problem *p, unsigned slot, const char *what) {
    snprintf(p->why, p->size, "instruction %u: %c%u %s", p->at, slot < 256 ? 'R' : 'P',
             slot < 256 ? slot : slot - 256, what);
    return false;
}

/* Checks the instruction against the state before it and turns that into the state after it.
 * @return false: an error, described in p->why */
static bool step(const struct mir_inst *in, const struct ptx_latency *l, struct state *s,
                 const struct problem *p) {
    struct ptx_regs reads, writes;
    bool variable = ptx_is_variable(in, l), late = ptx_reads_late(in);
    unsigned own = ptx_result_latency(in, l);
    const enum ptx_side side = ptx_side_of(mir_op_class(in->op));
    if (ptx_is_pending(in) && in->wbar >= MIR_NUM_BARRIERS) {
        snprintf(p->why, p->size, "instruction %u: a pending operation without a barrier", p->at);
        return false;
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        s->result[i] &= (uint8_t)~in->wait;
        s->reader[i] &= (uint8_t)~in->wait;
    }
    ptx_reads(in, &reads);
    ptx_writes(in, &writes);
    for (unsigned i = 0; i < SLOTS; i++) {
        if (has(&reads, i)) {
            if (s->ready[i] || (i < 256 && s->across[side][i]))
                return complain(p, i, "is read before its result is there");
            if (s->result[i]) return complain(p, i, "is read without waiting for its barrier");
        }
        if (has(&writes, i)) {
            if (s->ready[i] > (variable ? 0 : own))
                return complain(p, i, "is written out of order");
            if (s->result[i]) return complain(p, i, "is written while a result for it is pending");
            if (s->reader[i]) return complain(p, i, "is written before it was read");
        }
    }
    if ((in->guard & 7) != MIR_PT && s->guard[in->guard & 7])
        return complain(p, 256 + (in->guard & 7), "guards before its result is there");
    for (unsigned i = 0; i < SLOTS; i++) {
        if (has(&writes, i)) {
            s->ready[i] = (uint8_t)(variable ? 0 : own);
            for (enum ptx_side k = 0; i < 256 && k < PTX_SIDES; k++)
                s->across[k][i] = (uint8_t)(variable ? 0 : own + ptx_way(l, side, k));
            if (variable)
                s->result[i] = in->wbar < MIR_NUM_BARRIERS ? (uint8_t)(1u << in->wbar) : 0x80;
            if (i >= 256)
                s->guard[i - 256] = (uint8_t)(variable ? 0 : own > l->guard ? own : l->guard);
        }
        if (late && i < 256 && has(&reads, i))
            s->reader[i] |= in->rbar < MIR_NUM_BARRIERS   ? (uint8_t)(1u << in->rbar)
                            : in->wbar < MIR_NUM_BARRIERS ? (uint8_t)(1u << in->wbar)
                                                          : 0x80;
    }

    unsigned stall = in->stall ? in->stall : 1;
    for (unsigned i = 0; i < SLOTS; i++)
        s->ready[i] = s->ready[i] > stall ? (uint8_t)(s->ready[i] - stall) : 0;
    for (unsigned k = 0; k < PTX_SIDES; k++)
        for (unsigned i = 0; i < 256; i++)
            s->across[k][i] = s->across[k][i] > stall ? (uint8_t)(s->across[k][i] - stall) : 0;
    for (unsigned i = 0; i < 8; i++)
        s->guard[i] = s->guard[i] > stall ? (uint8_t)(s->guard[i] - stall) : 0;
    return true;
}

/* Checks that `next` does not wait for a barrier that `in` sets fewer than two cycles before, since
 * the counter is visible only then. @return false: it does, described in p->why */
static bool counter_visible(const struct mir_inst *in, const struct mir_inst *next,
                            const struct problem *p) {
    unsigned sets = (in->wbar < 6 ? 1u << in->wbar : 0) | (in->rbar < 6 ? 1u << in->rbar : 0);
    if (!(sets & next->wait) || in->stall >= 2) return true;
    snprintf(p->why, p->size,
             "instruction %u: the next one waits for its barrier one cycle too soon", p->at);
    return false;
}

/* @return whether no instruction can issue on any path before its operands are ready, and no
 * register is overwritten before it was read; false: why[0..size) names instruction and register.
 * Walks the blocks until no entry state changes. Memory is its own, freed at the end. */
bool ptx_control_check(const struct mir_inst *code, uint32_t n, const struct ptx_latency *latency,
                       char *why, size_t size) {
    struct arena arena;
    struct ptx_flow flow;
    bool ok = true, changed = true;
    arena_init(&arena);
    ptx_flow_build(&flow, code, n, &arena);
    struct state *entry = ARENA_ARRAY(&arena, struct state, flow.n_blocks + 1);
    entry[0].reached = true;
    while (changed && ok) {
        changed = false;
        for (uint32_t b = 0; b < flow.n_blocks && ok; b++) {
            struct state s = entry[b];
            if (!s.reached) continue;
            for (uint32_t i = flow.begin[b]; i < flow.begin[b + 1] && ok; i++) {
                struct problem p = {why, size, i};
                ok = step(&code[i], latency, &s, &p);
                if (ok && i + 1 < flow.begin[b + 1])
                    ok = counter_visible(&code[i], &code[i + 1], &p);
            }
            for (unsigned k = 0; k < 2 && ok; k++) {
                uint32_t to = flow.succ[b][k];
                if (to == UINT32_MAX) continue;
                struct problem p = {why, size, flow.begin[b + 1] - 1};
                ok = counter_visible(&code[p.at], &code[flow.begin[to]], &p);
                changed |= worsen(&entry[to], &s);
            }
        }
    }
    arena_free(&arena);
    return ok;
}
