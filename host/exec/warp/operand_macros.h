/* operand_macros.h - the few lines that every arithmetic operation begins and ends with: its source
 * rows as a, b, c, and writing its result row. Private to exec/, for the files of operations. */
#ifndef HEDDLE_EXEC_OPERAND_MACROS_H
#define HEDDLE_EXEC_OPERAND_MACROS_H

#include "exec/warp/exec_state.h"

#define SRC1 \
    row ta;  \
    const row *a = exec_src(w, op, 0, &ta)
#define SRC2 \
    SRC1;    \
    row tb;  \
    const row *b = exec_src(w, op, 1, &tb)
#define SRC3 \
    SRC2;    \
    row tc;  \
    const row *c = exec_src(w, op, 2, &tc)
/* The same for pairs of registers. */
#define SRC1_PAIR \
    row pa[2];    \
    row64 a;      \
    exec_pair(&a, exec_src(w, op, 0, pa))
#define SRC2_PAIR \
    SRC1_PAIR;    \
    row pb[2];    \
    row64 b;      \
    exec_pair(&b, exec_src(w, op, 1, pb))
#define SRC3_PAIR \
    SRC2_PAIR;    \
    row pc[2];    \
    row64 c;      \
    exec_pair(&c, exec_src(w, op, 2, pc))

/* Result of an expression over chunks (k), or over lanes (l). */
#define PUT_CHUNKS(expression)               \
    do {                                     \
        row r;                               \
        EACH_CHUNK(k) r.v[k] = (expression); \
        row_put(exec_dst(w, op), &r, mask);  \
    } while (0)
#define PUT_LANES(expression)               \
    do {                                    \
        row r;                              \
        EACH_LANE(l) r.u[l] = (expression); \
        row_put(exec_dst(w, op), &r, mask); \
    } while (0)

static inline void exec_pair(row64 *d, const row *r) {
    row64_get(d, r, r + 1);
}

static inline bool is_signed(unsigned type) {
    return type == MIR_S8 || type == MIR_S16 || type == MIR_S32 || type == MIR_S64;
}

#endif
