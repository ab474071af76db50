/* lane_groups.c - divergence: which lanes of a warp run together; and the operations BSSY, BSYNC,
 * BREAK and WARPSYNC, which part lanes and bring them together.
 *
 * Every function works on the state of one warp, on the thread that runs it: its active lanes, pc,
 * lane_pc and the masks of waiting lanes. Operations of ops/ call the exported functions and return
 * their exec_code to the interpreter, which goes on at w->pc after EX_JUMP and EX_MOVED. Those that
 * return EX_STOP, EX_HELD or EX_FAULT also set the warp's status. Faults are reported by
 * exec_raise(), which fills in the CTA's fault, sets the warp's status and returns EX_FAULT.
 *
 * Every lane has a pc. The lanes of `active` share one and run; lane_pc has the pcs of the others.
 * Lanes that wait at a convergence barrier, a warp sync or a CTA barrier cannot be chosen. The
 * group with the lowest pc is chosen, so that groups behind catch up and groups meet.
 *
 * Progress: after TURN_BRANCHES backward branches, of whatever groups, another group has its turn,
 * that of the next lane behind the one that had the last turn. Lanes at BSYNC may wait for lanes
 * that spin on a value which only the waiting lanes would write. Compilers put YIELD into loops
 * that may do so: BSYNC waits for no lane that has executed one since, and the lanes that leave
 * such a loop go first. (On an H100 the loop of apps/divergence's lane_chain is run once for each
 * lane that leaves it.) For other loops, convergence serves speed, not correctness, so after
 * SPIN_MAX rounds with strong accesses (or SPIN_PLAIN rounds of any kind) BSYNC releases them.
 * Lanes that part and meet within each round have MEETINGS_MAX rounds before these are counted.
 * Later code may still rely on convergence where lanes exchange values (`apart`): SHFL waits for
 * the lanes that would have met. All limits count instructions: they are equal in all runs. */
#include "exec/ops/lane_groups.h"

#include <string.h>

#include "exec/check/fault.h"
#include "exec/memory/in_flight.h"
#include "exec/warp/exec_state.h"
#include "exec/warp/record.h"

/* Sets lane_pc of these lanes to the instruction index `pc`. They do not run now; w->active is the
 * caller's to change. */
void exec_park(struct exec_warp *w, uint32_t lanes, uint32_t pc) {
    EACH_SET(l, lanes) w->lane_pc[l] = pc;
}

/* Live lanes that wait nowhere. */
static uint32_t runnable(const struct exec_warp *w) {
    return w->live & ~(w->at_bsync | w->at_sync | w->at_bar);
}

/* Makes the lanes of `from` whose pc is that of `lane` the active ones, with that pc. Clears
 * `apart` once all its lanes are together. */
static void take_up(struct exec_warp *w, uint32_t from, unsigned lane) {
    uint32_t pc = w->lane_pc[lane], lanes = 0;
    EACH_SET(l, from) lanes |= (uint32_t)(w->lane_pc[l] == pc) << l;
    w->pc = pc;
    w->active = lanes;
    if (!(w->apart & w->live & ~lanes)) w->apart = 0;
}

/* Releases these lanes at BSYNC b without the lanes they wait for, and notes in `apart` who should
 * have met. Takes them out of the barrier. */
static void release_alone(struct exec_warp *w, uint32_t b, uint32_t lanes) {
    EACH_SET(l, lanes) w->apart |= w->meet[b].u[l] & w->live;
    EACH_CHUNK(k) {
        u32v out = v_mask(lanes, k);
        w->meet[b].v[k] = v_select(out, v_all(0), w->meet[b].v[k] & ~lanes);
    }
    w->at_b[b] &= ~lanes;
    w->at_bsync &= ~lanes;
}

/* The same for all lanes at BSYNC. */
static void release_convergence(struct exec_warp *w) {
    for (uint32_t b = 0; b < w->cta->program->num_convergence; b++)
        if (w->at_b[b]) release_alone(w, b, w->at_b[b]);
    w->spins = w->plain_spins = w->meetings = 0;
}

/* No lane of the warp can run, and it has not arrived at a CTA barrier as a whole: lanes wait for
 * each other. If some of them wait at a CTA barrier and others at BSYNC, PTX knows only of the
 * former: there a thread waits for the threads of its warp that have not exited, which go on to
 * their own barriers. So it is a finding, and BSYNC releases its lanes. @return EX_NEXT: lanes can
 * run now; EX_FAULT (HEDDLE_ERR_BARRIER). */
static exec_code resolve(struct exec_warp *w) {
    uint32_t lane = (uint32_t)__builtin_ctz(w->live);
    uint32_t pc = w->lane_pc[lane];
    exec_status before = w->status;
    if ((w->at_bsync | w->at_warpsync) >> lane & 1) pc--;
    exec_raise(w, &w->code[pc], UINT32_C(1) << lane, HEDDLE_ERR_BARRIER,
               w->at_bar ? "lanes of a warp wait at a CTA barrier for lanes that wait for them"
                         : "lanes of a warp wait for each other");
    if (!w->at_bar || !w->at_bsync || exec_found(w, before) != EX_NEXT) return EX_FAULT;
    release_convergence(w);
    return EX_NEXT;
}

/* Makes the group with the lowest pc active, of the lanes that wait nowhere, first of those that do
 * not spin; all live lanes have been parked. @return EX_JUMP; if no lane can run: EX_STOP (status
 * EXEC_EXITED, or EXEC_WAIT_BARRIER at a CTA barrier), or EX_FAULT (HEDDLE_ERR_BARRIER) when lanes
 * wait for each other (resolve()). */
exec_code exec_choose(struct exec_warp *w) {
    uint32_t can = runnable(w);
    if (can & ~w->yielded) can &= ~w->yielded;
    w->active = 0;
    if (can) {
        unsigned best = (unsigned)__builtin_ctz(can);
        EACH_SET(l, can) {
            if (w->lane_pc[l] < w->lane_pc[best]) best = l;
        }
        take_up(w, can, best);
        return EX_JUMP;
    }
    if (w->live == 0) {
        w->status = EXEC_EXITED;
        return EX_STOP;
    }
    if (w->bar_waits) {
        w->status = EXEC_WAIT_BARRIER;
        return EX_STOP;
    }
    return resolve(w) == EX_NEXT ? exec_choose(w) : EX_FAULT;
}

/* All live lanes leave whatever they wait for and go to an EXIT. They execute it whatever its guard
 * says, so all predicates become true. */
void exec_leave(struct exec_warp *w) {
    w->at_bsync = w->at_sync = w->at_warpsync = w->at_bar = w->apart = 0;
    w->yielded = 0;
    memset(w->at_b, 0, sizeof w->at_b);
    memset(w->p, 0xff, sizeof w->p);
    w->active = w->live;
    w->pc = w->cta->program->exit_pc;
}

/* The active lanes outside `gone` go on behind op; if there are none, exec_choose() picks another
 * group. The lanes of `gone` have been parked or have exited. @return EX_JUMP, or the code of
 * exec_choose(). */
exec_code exec_go_on(struct exec_warp *w, const struct exec_op *op, uint32_t gone) {
    uint32_t rest = w->active & ~gone;
    if (!rest) return exec_choose(w);
    w->active = rest;
    w->pc = exec_pc(w, op) + 1;
    return EX_JUMP;
}

/* Parks the active lanes at `pc` and takes up the group of the next lane whose turn it is; the
 * caller has made sure that there is one. @return EX_JUMP. */
static exec_code next_group(struct exec_warp *w, uint32_t pc) {
    exec_park(w, w->active, pc);
    uint32_t can = runnable(w), others = can & ~w->active;
    uint32_t after = others & ~((UINT32_C(2) << w->turn) - 1);
    w->turn = (uint8_t)__builtin_ctz(after ? after : others);
    w->branches = 0;
    take_up(w, can, w->turn);
    return EX_JUMP;
}

/* Counts a backward branch of the active lanes to `target`, while other lanes of the warp are
 * elsewhere; lets lanes at BSYNC go after too many, or another group take its turn. Otherwise goes
 * on at target. @return EX_JUMP. */
exec_code exec_backward(struct exec_warp *w, uint32_t target) {
    w->branches++;
    w->plain_spins++;
    if (w->strong_seen) {
        w->strong_seen = false;
        w->spins++;
    }
    if (w->at_bsync && (w->spins >= SPIN_MAX || w->plain_spins >= SPIN_PLAIN)) {
        release_convergence(w);
        return next_group(w, target);
    }
    if (w->branches >= TURN_BRANCHES && runnable(w) & ~w->active) return next_group(w, target);
    w->pc = target;
    return EX_JUMP;
}

/* Lets another group run, if one can; the active lanes resume at `pc`, then or at once. @return
 * EX_JUMP. */
exec_code exec_yield(struct exec_warp *w, uint32_t pc) {
    w->strong_seen = true; /* a loop that yields counts as one that spins */
    w->yielded |= w->active;
    if (w->at_bsync) exec_recheck(w);
    if (runnable(w) & ~w->active) return next_group(w, pc);
    w->pc = pc;
    return EX_JUMP;
}

/* ---- convergence barriers */

/* Lanes of barrier b that `lane` meets, itself included. */
static uint32_t meets(const struct exec_warp *w, uint32_t b, unsigned lane) {
    return (w->meet[b].u[lane] & w->live) | UINT32_C(1) << lane;
}

/* Convergence barrier sub of the lanes of mask = mask: they will meet at its BSYNC. */
exec_code exec_op_BSSY(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    w->yielded &= ~mask;
    reg_fill(&w->meet[op->sub], mask, mask);
    return EX_NEXT;
}

/* Lanes have met at BSYNC, while those of `waiting` wait at another one: that is progress, unless
 * it goes on for ever, as in a loop that waits for a lane of `waiting`. */
static void count_meeting(struct exec_warp *w, uint32_t waiting) {
    if (!waiting) w->meetings = 0;
    if (w->meetings >= MEETINGS_MAX) return;
    if (waiting) w->meetings++;
    w->spins = w->plain_spins = 0;
}

/* The lanes of mask wait until all live lanes of their barrier sub are here. Groups that are
 * complete go on; others run meanwhile. Writes its own record unless the lanes were never apart. */
exec_code exec_op_BSYNC(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    uint32_t b = op->sub, first = (uint32_t)__builtin_ctz(mask);
    w->yielded &= ~mask;
    if (mask == w->active && meets(w, b, first) == mask) { /* never apart, the frequent case */
        count_meeting(w, w->at_bsync);
        return EX_NEXT;
    }
    exec_record_plain(w, op, mask, 0, 0);
    exec_park(w, w->active, exec_pc(w, op) + 1);
    uint32_t todo = mask, here = w->at_b[b] | mask;
    w->at_bsync |= mask;
    w->at_b[b] = here;
    while (todo) { /* lanes that came together by chance may belong to different groups */
        unsigned l = (unsigned)__builtin_ctz(todo);
        uint32_t group = meets(w, b, l), away = group & ~here;
        todo &= ~(group & mask);
        if (away & ~w->yielded) continue;
        if (away) {
            release_alone(w, b, group & here);
            continue;
        }
        w->at_b[b] &= ~group;
        w->at_bsync &= ~group;
        count_meeting(w, w->at_bsync & ~mask);
    }
    uint32_t go = w->active & ~w->at_bsync;
    if (!go) return exec_choose(w);
    take_up(w, runnable(w), (unsigned)__builtin_ctz(go));
    return EX_JUMP;
}

/* Takes the lanes of mask out of convergence barrier sub and releases lanes that waited for them
 * alone. */
exec_code exec_op_BREAK(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    warp_reg *m = &w->meet[op->sub];
    EACH_CHUNK(k) m->v[k] = v_select(v_mask(mask, k), v_all(0), m->v[k] & ~mask);
    exec_recheck(w);
    return EX_NEXT;
}

/* ---- lanes of a member mask */

/* Lanes that wait at the same kind of warp sync with the same member mask. */
static uint32_t waiting_with(const struct exec_warp *w, uint32_t members, bool warpsync) {
    uint32_t lanes = warpsync ? w->at_warpsync : w->at_sync & ~w->at_warpsync, same = 0;
    EACH_SET(l, lanes) same |= (uint32_t)(w->sync_mask.u[l] == members) << l;
    return same;
}

/* The lanes of mask begin to wait for the members that each of them names; lanes that come together
 * may name different ones (the tiles of a warp). @return the lanes whose members are now all here,
 * among mask and those that waited before; they no longer wait. */
static uint32_t meet_members(struct exec_warp *w, const warp_reg *members, uint32_t mask,
                             bool warpsync) {
    uint32_t met = 0;
    reg_put(&w->sync_mask, members, mask);
    w->at_sync |= mask;
    if (warpsync) w->at_warpsync |= mask;
    for (uint32_t todo = mask; todo;) {
        uint32_t named = members->u[__builtin_ctz(todo)];
        uint32_t here = waiting_with(w, named, warpsync);
        todo &= ~here;
        if (!(named & w->live & ~here)) met |= here;
    }
    w->at_sync &= ~met;
    w->at_warpsync &= ~met;
    return met;
}

/* True if every live member that a lane of mask names is in mask. */
static bool all_here(const struct exec_warp *w, const warp_reg *members, uint32_t mask) {
    return EXEC_LIKELY((reg_any(members, mask) & w->live & ~mask) == 0);
}

/* The lanes of mask wait for the live lanes of member mask a (absent: of the warp). With timing
 * first waits for pending operations of the warp (EX_HELD). Writes its record. */
exec_code exec_op_WARPSYNC(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    uint8_t wait = 0;
    if (w->timed && exec_order_point(w, op, HAZARD_PENDING, &wait) != EX_NEXT) return EX_HELD;
    warp_reg t[2];
    const warp_reg *members = t;
    if (op->has_src & 1)
        members = exec_src(w, op, 0, t);
    else
        EACH_CHUNK(k) t->v[k] = v_all(UINT32_MAX);
    exec_record_plain(w, op, mask, wait, 0);
    if (all_here(w, members, mask)) return EX_DONE;
    exec_park(w, w->active, exec_pc(w, op) + 1);
    uint32_t met = meet_members(w, members, mask, true);
    if (!met) return exec_go_on(w, op, mask);
    take_up(w, runnable(w), (unsigned)__builtin_ctz(met));
    return EX_JUMP;
}

/* Lets the lanes of mask wait until all live lanes that they name in `members` are here. @return
 * EX_NEXT: all are in mask, so op executes now. EX_MOVED: the lanes that have met became active and
 * execute op next, or other lanes run meanwhile. EX_HELD: no lane can run. EX_FAULT
 * (HEDDLE_ERR_BARRIER): members meet at different instructions, or lanes wait for each other. */
exec_code exec_gather(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                      const warp_reg *members) {
    if (all_here(w, members, mask)) return EX_NEXT;
    uint32_t pc = exec_pc(w, op), rest = w->active & ~mask;
    exec_park(w, rest, pc + 1);
    exec_park(w, mask, pc); /* they execute it when all are here */
    uint32_t met = meet_members(w, members, mask, false);
    if (!met) {
        exec_code c = exec_go_on(w, op, mask);
        return c == EX_JUMP ? EX_MOVED : c == EX_STOP ? EX_HELD : c;
    }
    EACH_SET(l, met) {
        if (w->lane_pc[l] != pc)
            return exec_raise(w, op, mask, HEDDLE_ERR_BARRIER,
                              "lanes of a member mask are at different instructions");
    }
    w->active = met;
    w->pc = pc;
    if (!(w->apart & w->live & ~met)) w->apart = 0;
    return EX_MOVED;
}

/* After lanes have left (exit, BREAK) or yielded: releases lanes at convergence barriers and warp
 * syncs that waited for those alone. They can be chosen again; none becomes active here. */
void exec_recheck(struct exec_warp *w) {
    for (uint32_t b = 0; w->at_bsync && b < w->cta->program->num_convergence; b++) {
        uint32_t todo = w->at_b[b];
        while (todo) {
            unsigned l = (unsigned)__builtin_ctz(todo);
            uint32_t group = meets(w, b, l), away = group & ~w->at_b[b];
            todo &= ~group;
            if (away & ~w->yielded) continue;
            if (away) {
                release_alone(w, b, group & w->at_b[b]);
                continue;
            }
            w->at_b[b] &= ~group;
            w->at_bsync &= ~group;
        }
    }
    uint32_t todo = w->at_sync;
    while (todo) {
        unsigned l = (unsigned)__builtin_ctz(todo);
        uint32_t members = w->sync_mask.u[l];
        uint32_t here = waiting_with(w, members, w->at_warpsync >> l & 1);
        todo &= ~here;
        if (members & w->live & ~here) continue;
        w->at_sync &= ~here;
        w->at_warpsync &= ~here;
    }
}
