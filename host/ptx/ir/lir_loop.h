/* lir_loop.h - a loop as the unroller sees it, and what one iteration of it does to vregs and
 * predicates; private to lir_loop.c, lir_induction.c and lir_unroll*.c. */
#ifndef PTX_LIR_LOOP_H
#define PTX_LIR_LOOP_H

#include "ptx/ir/lir_liveness.h"
#include "ptx/ir/lir.h"

/* How the copies of an iteration call a vreg or predicate that an iteration writes. */
enum loop_kind {
    LOOP_KEEP,  /* by its own name in all of them */
    LOOP_LOCAL, /* each copy by a new one: no value comes in from the iteration before */
    LOOP_CHAIN, /* the same, and reads before the one definition find what the last copy wrote */
};

/* A 32-bit word, or the low or high half of a pair. */
enum loop_part { LOOP_UNKNOWN, LOOP_WORD, LOOP_LOW, LOOP_HIGH };

/* A sum: what a vreg (a pair, by its low word) held when the iteration began, and a constant. */
struct loop_sum {
    uint8_t part; /* loop_part; LOOP_UNKNOWN: no such sum */
    lir_vreg root;
    int64_t plus;
};

/* What is added to a value from iteration to iteration, modulo its width. */
struct loop_stride {
    uint8_t part;  /* loop_part */
    lir_vreg pair; /* of halves: which pair they belong to */
    int64_t by;
};

struct loop_vreg {
    uint32_t n_def; /* definitions in an iteration */
    bool always;    /* each unguarded, in a block that every iteration passes */
    bool in, out;   /* alive at the header, behind the loop */
    uint8_t kind;   /* loop_kind, the same for the vregs of a group */
    /* at the place that the analysis has reached, then at the end of the iteration */
    struct loop_sum sum;
    struct loop_stride stride;
    /* while copying */
    lir_vreg now;   /* its name at this place, 0: its own */
    lir_vreg first; /* what the first copy called the result of the one definition */
    lir_vreg name;  /* of a group's first vreg: the group's name in copy number `named` - 1 */
    uint32_t named;
};

struct loop_pred {
    uint32_t n_def;
    bool always, in, out;
    uint8_t kind;
    uint32_t now, name, named; /* while copying, as of vregs */
};

/* The test that ends the loop: it goes on while counter + plus cmp limit, step being added to the
 * counter (a vreg, or with `wide` a pair, as it was when the iteration began) in each iteration. */
struct loop_test {
    bool found, wide, is_signed;
    uint8_t cmp; /* mir_cmp: LT, LE, GT, GE, NE, EQ */
    lir_vreg counter;
    int64_t plus, step;               /* step is not 0 */
    struct lir_src limit, limit_high; /* the same in all iterations: vregs, immediates, constants */
    uint32_t low;                     /* wide: the predicate of the low words' comparison */
};

struct loop_inst {
    struct loop_stride stride; /* of the result; LOOP_UNKNOWN if there is none */
};

struct lir_loop {
    struct lir_fn *fn;
    struct lir_block **block; /* header to latch, as in the layout; owned by the function */
    uint32_t n_blocks;
    struct lir_block *header, *latch, *exit; /* exit: where the latch falls through to */
    bool breaks;                             /* lanes may leave it elsewhere, too */
    struct loop_vreg *vreg; /* [vreg]; valid for vregs that the loop reads or writes */
    struct loop_pred *pred;
    struct loop_inst *inst; /* [pos - pos of the first instruction] */
    uint32_t first_pos;
    struct loop_test test;
};

/* ---- lir_loop.c ---- */

/* The loop whose latch is blocks[latch], if it has the form that can be copied: blocks one behind
 * the other, all ways forward but the latch's, no way in but the header. Needs lir_cfg_build,
 * lir_number. `vreg`, `pred` have room for all of the function's. @return false: it has not */
bool lir_loop_at(struct lir_fn *fn, uint32_t latch, struct lir_loop *loop);
/* May the instruction stand in a loop that is copied? */
bool lir_loop_may_copy(const struct lir_inst *in);
/* What an iteration does to vregs and predicates: definitions, life, kind. */
void lir_loop_vregs(struct lir_loop *loop, const struct lir_liveness *live);
/* The constant that a vreg holds when the loop is entered; looked for along the only way there. */
bool lir_loop_start(const struct lir_loop *loop, lir_vreg w, uint32_t *value);

/* ---- lir_induction.c ---- */

/* Fills the vregs' sums, the instructions' strides, and the test. */
void lir_loop_induction(struct lir_loop *loop);
/* How many iterations the loop takes; 0: only the kernel knows. */
uint64_t lir_loop_trip_count(const struct lir_loop *loop);

/* ---- lir_unroll_copy.c ---- */

/* Blocks to be put into the layout. */
struct loop_blocks {
    struct lir_block **block;
    uint32_t n, cap;
};

enum loop_copy_flag {
    LOOP_COPY_FIRST = 1, /* these are the loop's first iterations */
    LOOP_COPY_LAST = 2,  /* and its last: no other iteration follows */
    LOOP_COPY_AGAIN = 4, /* the last copy ends in the loop's own test, back to the first copy */
};

/* Appends `iterations` copies of the body, without the tests between them. The last one falls
 * through to what follows, unless `flags` say otherwise, and leaves what is needed after it in the
 * loop's own vregs. @return false: not possible, nothing has been appended */
bool lir_loop_copy(struct lir_loop *loop, uint32_t iterations, unsigned flags,
                   struct loop_blocks *out);

/* ---- lir_unroll_open.c ---- */

/* Appends what takes the place of a loop of unknown length, its entry first; what follows is the
 * loop's exit. @return false: not possible, nothing has been appended */
bool lir_loop_open(struct lir_loop *loop, struct loop_blocks *out);

#endif
