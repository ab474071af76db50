/* slow_path.c - division and square root: which paths lanes take through their subroutines, and the
 * instructions that this counts.
 *
 * The functions of FDIVS, FSQRTS, DDIVS and DSQRTS (op_float.c, op_double.c) call it on the thread
 * that runs the warp; program.c creates the table. Functions that return a path are pure; they take
 * bits and test them in the order in which the subroutine does. exec_slow_<operation>32/64 write
 * only the lanes of *s, which begins as zeros; their operands are bits after modifiers and
 * flushing. */
#include "exec/ops/slow_path.h"

#include <stdlib.h>

#include "common/memory.h"
#include "exec/warp/ieee.h"
#include "exec/warp/record.h"

_Static_assert(MIR_SLOW_PATHS <= 64, "a bit for each path");

/* Allocates the table of the parts of all slow paths, from mir_slow.h; without memory the process
 * ends. Constant once made. @return the table, which the owner releases with free(). */
struct exec_slow *exec_slow_create(void) {
    struct exec_slow *s = heddle_alloc(sizeof *s, "slow paths");
    unsigned number = 0;
    for (unsigned slow = 0; slow < MIR_SLOW_COUNT; slow++) {
        unsigned count;
        const struct mir_slow_part *part = mir_slow_parts((mir_slow)slow, &count);
        s->first[slow] = (uint8_t)number;
        s->count[slow] = (uint8_t)count;
        for (unsigned i = 0; i < count; i++, number++) {
            struct mir_slow_step step;
            for (const char *at = part[i].steps; (at = mir_slow_next(at, &step));) {
                s->part[number].steps++;
                s->part[number].kind[mir_class_kind(step.cls)]++;
            }
        }
    }
    for (unsigned p = 0; p < MIR_SLOW_PATHS; p++) {
        uint32_t parts = mir_slow_parts_of((mir_slow_path)p);
        unsigned first = s->first[mir_slow_path_of((mir_slow_path)p)];
        EACH_SET(i, parts) s->part[first + i].paths |= UINT64_C(1) << p;
    }
    return s;
}

/* ---- single precision */

enum { F32_NORMAL = 0x00800000, F32_LARGE = 0x7e800000, F32_SMALL = 0x0d000000 };

/* Magnitudes of a, b and of the quotient q. */
static mir_slow_path div32(uint32_t a, uint32_t b, uint32_t q) {
    if (a > F32_INF || b > F32_INF) return MIR_SLOW_DIV32_NAN;
    if (a == 0 && b == 0) return MIR_SLOW_DIV32_ZEROS;
    if (a == F32_INF && b == F32_INF) return MIR_SLOW_DIV32_INFINITIES;
    if (a == 0 || b == F32_INF) return MIR_SLOW_DIV32_ZERO;
    if (b == 0 || a == F32_INF) return MIR_SLOW_DIV32_INFINITE;
    if (q == F32_INF) return MIR_SLOW_DIV32_OVERFLOW;
    if (q >= F32_NORMAL) return MIR_SLOW_DIV32_NORMAL;
    return q ? MIR_SLOW_DIV32_SUBNORMAL : MIR_SLOW_DIV32_UNDERFLOW;
}
/* True for a subnormal magnitude other than 0. */
static bool is_subnormal32(uint32_t a) {
    return a - 1 < F32_NORMAL - 1;
}
/* Adds the lanes of mask to the paths of a / b = q; a lane whose operand is scaled first takes
 * two. */
void exec_slow_div32(struct exec_slow_lanes *s, uint32_t mask, const warp_reg *a, const warp_reg *b,
                     const warp_reg *q) {
    EACH_SET(l, mask) {
        uint32_t x = a->u[l] & ~F32_SIGN, y = b->u[l] & ~F32_SIGN;
        mir_slow_path path = div32(x, y, q->u[l] & ~F32_SIGN);
        s->of[path] |= UINT32_C(1) << l;
        if (path >= MIR_SLOW_DIV32_NORMAL && (is_subnormal32(x) || is_subnormal32(y)))
            s->of[MIR_SLOW_DIV32_SCALED] |= UINT32_C(1) << l;
    }
}

/* Magnitude of a. */
static mir_slow_path rcp32(uint32_t a) {
    if (a == 0) return MIR_SLOW_RCP32_ZERO;
    if (a < F32_NORMAL) return MIR_SLOW_RCP32_SUBNORMAL;
    if (a >= F32_INF) return MIR_SLOW_RCP32_SPECIAL;
    return a >= F32_LARGE ? MIR_SLOW_RCP32_LARGE : MIR_SLOW_RCP32_NORMAL;
}
/* Adds the lanes of mask to the paths of 1 / a. */
void exec_slow_rcp32(struct exec_slow_lanes *s, uint32_t mask, const warp_reg *a) {
    EACH_SET(l, mask) s->of[rcp32(a->u[l] & ~F32_SIGN)] |= UINT32_C(1) << l;
}

/* Bits of a, with its sign. */
static mir_slow_path sqrt32(uint32_t a) {
    if (!(a & ~F32_SIGN)) return MIR_SLOW_SQRT32_ZERO;
    if (f32_is_nan(a)) return MIR_SLOW_SQRT32_NAN;
    if (a & F32_SIGN) return MIR_SLOW_SQRT32_NEGATIVE;
    if (a == F32_INF) return MIR_SLOW_SQRT32_INFINITE;
    return a < F32_SMALL ? MIR_SLOW_SQRT32_SMALL : MIR_SLOW_SQRT32_NORMAL;
}
/* Adds the lanes of mask to the paths of sqrt(a). */
void exec_slow_sqrt32(struct exec_slow_lanes *s, uint32_t mask, const warp_reg *a) {
    EACH_SET(l, mask) s->of[sqrt32(a->u[l])] |= UINT32_C(1) << l;
}

/* ---- double precision: except for NaN the subroutines look at high words */

enum { F64_NORMAL = 0x00100000, F64_SMALL = 0x01000001, F64_INFINITE = 0x7ff00000 };

static uint32_t high(uint64_t a) {
    return (uint32_t)(a >> 32);
}
/* Magnitudes of a, b and of the quotient q. */
static mir_slow_path div64(uint64_t a, uint64_t b, uint64_t q) {
    if (a > F64_INF) return MIR_SLOW_DIV64_NAN_A;
    if (b > F64_INF) return MIR_SLOW_DIV64_NAN_B;
    if (a == b && (a == 0 || a == F64_INF)) return MIR_SLOW_DIV64_INVALID;
    if (a == 0 || b == 0 || a == F64_INF || b == F64_INF) return MIR_SLOW_DIV64_SPECIAL;
    return high(q) >= F64_NORMAL ? MIR_SLOW_DIV64_NORMAL : MIR_SLOW_DIV64_SUBNORMAL;
}
/* Adds the lanes of mask to the paths of a / b = q; a lane whose a is scaled first takes two. */
void exec_slow_div64(struct exec_slow_lanes *s, uint32_t mask, const warp_reg64 *a,
                     const warp_reg64 *b, const warp_reg64 *q) {
    EACH_SET(l, mask) {
        uint64_t x = a->u[l] & ~F64_SIGN;
        s->of[div64(x, b->u[l] & ~F64_SIGN, q->u[l] & ~F64_SIGN)] |= UINT32_C(1) << l;
        if (high(x) < F64_NORMAL) s->of[MIR_SLOW_DIV64_SCALED] |= UINT32_C(1) << l;
    }
}

/* Magnitude of a. */
static mir_slow_path rcp64(uint64_t a) {
    if (a > F64_INF) return MIR_SLOW_RCP64_NAN;
    if (high(a) == 0 || high(a) == F64_INFINITE) return MIR_SLOW_RCP64_EDGE;
    return high(a) >= F64_SMALL ? MIR_SLOW_RCP64_LARGE : MIR_SLOW_RCP64_SMALL;
}
/* Adds the lanes of mask to the paths of 1 / a. */
void exec_slow_rcp64(struct exec_slow_lanes *s, uint32_t mask, const warp_reg64 *a) {
    EACH_SET(l, mask) s->of[rcp64(a->u[l] & ~F64_SIGN)] |= UINT32_C(1) << l;
}

/* Bits of a, with its sign. */
static mir_slow_path sqrt64(uint64_t a) {
    if (!(a & ~F64_SIGN)) return MIR_SLOW_SQRT64_ZERO;
    if (a & F64_SIGN) return MIR_SLOW_SQRT64_NEGATIVE;
    if (high(a) >= F64_INFINITE) return MIR_SLOW_SQRT64_SPECIAL;
    return high(a) < F64_NORMAL ? MIR_SLOW_SQRT64_SUBNORMAL : MIR_SLOW_SQRT64_NORMAL;
}
/* Adds the lanes of mask to the paths of sqrt(a). */
void exec_slow_sqrt64(struct exec_slow_lanes *s, uint32_t mask, const warp_reg64 *a) {
    EACH_SET(l, mask) s->of[sqrt64(a->u[l])] |= UINT32_C(1) << l;
}

/* ---- counts and record */

/* Lanes that take any of the paths, a bit each. */
static uint32_t lanes_of(const struct exec_slow_lanes *lanes, uint64_t paths) {
    uint32_t mask = 0;
    for (; paths; paths &= paths - 1) mask |= lanes->of[__builtin_ctzll(paths)];
    return mask;
}

/* Adds the warp and thread instructions of the paths to the CTA's counts, in place of the one that
 * the interpreter counts, and appends the operation's record, with the parts executed, to the
 * trace, if there is one. Each part counts once a warp, for the lanes that run through it. @return
 * EX_DONE. */
exec_code exec_slow_done(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                         mir_slow slow, const struct exec_slow_lanes *lanes) {
    const struct exec_slow *s = w->cta->program->slow;
    struct exec_counts *c = &w->cta->counts;
    uint32_t parts = 0;
    for (unsigned i = 0; i < s->count[slow]; i++) {
        unsigned number = s->first[slow] + i;
        uint32_t part_mask = lanes_of(lanes, s->part[number].paths);
        if (!part_mask) continue;
        parts |= UINT32_C(1) << i;
        c->warp_inst += s->part[number].steps;
        unsigned n = (unsigned)__builtin_popcount(part_mask);
        for (unsigned k = 0; k < MIR_KIND_COUNT; k++)
            c->thread_inst[k] += (uint64_t)n * s->part[number].kind[k];
    }
    /* The interpreter counts the operation as one instruction of its kind. */
    c->warp_inst--;
    c->thread_inst[op->kind] -= (unsigned)__builtin_popcount(mask);
    exec_record_plain(w, op, mask, 0, EXEC_REC_SLOW);
    if (w->trace) w->trace->record[w->trace->num_records - 1].slow_parts = parts;
    return EX_DONE;
}
