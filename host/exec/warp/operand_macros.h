/* operand_macros.h - the first and last lines of every arithmetic operation: its source registers
 * as a, b, c, and the write of its result. They use the parameters w, op and mask of an operation's
 * function (exec_fn) by name. Private to exec/. */
#ifndef HEDDLE_EXEC_OPERAND_MACROS_H
#define HEDDLE_EXEC_OPERAND_MACROS_H

#include "exec/warp/exec_state.h"

/* Declare a (b, c): the first source registers after their modifiers; ta, tb, tc are their room. */
#define SRC1     \
    warp_reg ta; \
    const warp_reg *a = exec_src(w, op, 0, &ta)
#define SRC2     \
    SRC1;        \
    warp_reg tb; \
    const warp_reg *b = exec_src(w, op, 1, &tb)
#define SRC3     \
    SRC2;        \
    warp_reg tc; \
    const warp_reg *c = exec_src(w, op, 2, &tc)
/* The same for pairs of registers, as values of type warp_reg64. */
#define SRC1_PAIR   \
    warp_reg pa[2]; \
    warp_reg64 a;   \
    exec_pair(&a, exec_src(w, op, 0, pa))
#define SRC2_PAIR   \
    SRC1_PAIR;      \
    warp_reg pb[2]; \
    warp_reg64 b;   \
    exec_pair(&b, exec_src(w, op, 1, pb))
#define SRC3_PAIR   \
    SRC2_PAIR;      \
    warp_reg pc[2]; \
    warp_reg64 c;   \
    exec_pair(&c, exec_src(w, op, 2, pc))

/* Write d in the lanes of mask: an expression over chunks (k), or over lanes (l). */
#define PUT_CHUNKS(expression)               \
    do {                                     \
        warp_reg r;                          \
        EACH_CHUNK(k) r.v[k] = (expression); \
        reg_put(exec_dst(w, op), &r, mask);  \
    } while (0)
#define PUT_LANES(expression)               \
    do {                                    \
        warp_reg r;                         \
        EACH_LANE(l) r.u[l] = (expression); \
        reg_put(exec_dst(w, op), &r, mask); \
    } while (0)

/* A pair of registers as 64-bit values. */
static inline void exec_pair(warp_reg64 *d, const warp_reg *r) {
    reg64_get(d, r, r + 1);
}

static inline bool is_signed(unsigned type) {
    return type == MIR_S8 || type == MIR_S16 || type == MIR_S32 || type == MIR_S64;
}

#endif
