/* lir_loop.h - a loop as the unroller sees it, and what one iteration of it does to vregs and
 * predicates; private to lir_loop.c, lir_induction.c and lir_unroll*.c. */
#ifndef PTX_LIR_LOOP_H
#define PTX_LIR_LOOP_H

#include "ptx/ir/lir_liveness.h"
#include "ptx/ir/lir.h"

/* How the copies of an iteration name a vreg or predicate that an iteration writes. */
enum loop_kind {
    LOOP_KEEP,  /* all copies keep its name */
    LOOP_LOCAL, /* a new name in each copy: no value comes in from the iteration before */
    LOOP_CHAIN, /* a new name in each copy; reads before the definition take the last copy's */
};

/* Of a value: unknown, a 32-bit word, or the low or high half of a pair. */
enum loop_part { LOOP_UNKNOWN, LOOP_WORD, LOOP_LOW, LOOP_HIGH };

/* A sum: the value of vreg `root` (a pair: its low word) at the start of the iteration, plus a
 * constant. */
struct loop_sum {
    uint8_t part; /* loop_part; LOOP_UNKNOWN: no such sum */
    lir_vreg root;
    int64_t plus;
};

/* What is added to a value from iteration to iteration, modulo its width. */
struct loop_stride {
    uint8_t part;  /* loop_part */
    lir_vreg pair; /* of halves: first vreg of their pair */
    int64_t by;    /* 0: the same value in all iterations */
};

/* What the loop does to a vreg. */
struct loop_vreg {
    uint32_t n_def; /* definitions in an iteration */
    bool always;    /* each unguarded, in a block that every iteration passes */
    bool in, out;   /* live at the header, live behind the loop */
    uint8_t kind;   /* loop_kind, the same for the vregs of a group */
    /* at the point that the analysis has reached; afterwards at the end of the iteration */
    struct loop_sum sum;
    struct loop_stride stride;
    /* while copying */
    lir_vreg now;   /* its name at this point, 0: its own */
    lir_vreg first; /* name of the only definition's result in the first copy */
    lir_vreg name;  /* of a group's first vreg: the group's name in copy number `named` - 1 */
    uint32_t named; /* 0: no copy has named it */
};

/* What the loop does to a predicate; fields as those of loop_vreg. */
struct loop_pred {
    uint32_t n_def;
    bool always, in, out;
    uint8_t kind;
    uint32_t now, name, named; /* while copying */
};

/* The test that ends the loop: it goes on while counter + plus cmp limit. `counter` is a vreg, or
 * with `wide` a pair, at the start of the iteration; each iteration adds `step` to it. */
struct loop_test {
    bool found, wide, is_signed;
    uint8_t cmp; /* mir_cmp: LT, LE, GT, GE, NE, EQ */
    lir_vreg counter;
    int64_t plus, step;               /* step is not 0 */
    struct lir_src limit, limit_high; /* the same in all iterations: vregs, immediates, constants */
    uint32_t low;                     /* wide: the predicate of the low words' comparison */
};

/* What is known of an instruction of the loop. */
struct loop_inst {
    struct loop_stride stride; /* of the result; LOOP_UNKNOWN if there is none */
};

/* The loop at hand. */
struct lir_loop {
    struct lir_fn *fn;
    struct lir_block **block; /* [n_blocks] header to latch, in layout order; the function's own */
    uint32_t n_blocks;
    struct lir_block *header, *latch, *exit; /* exit: the block behind the latch */
    bool breaks;                             /* lanes may also leave the loop elsewhere */
    struct loop_vreg *vreg; /* [vreg]; valid for vregs that the loop reads or writes */
    struct loop_pred *pred;
    struct loop_inst *inst; /* [pos - pos of the first instruction] */
    uint32_t first_pos;
    struct loop_test test;
};

/* ---- lir_loop.c ---- */

/* Fills `loop` with the loop whose latch is blocks[latch], if it has the form that can be copied:
 * blocks that follow one another, no way back but the latch's, no way in but the header. Needs
 * lir_cfg_build, lir_number. The tables are the caller's: loop->vreg and loop->pred with room for
 * all of the function's, loop->inst. @return false: it does not have that form */
bool lir_loop_at(struct lir_fn *fn, uint32_t latch, struct lir_loop *loop);
/* @return the instruction may stand in a loop that is copied. */
bool lir_loop_may_copy(const struct lir_inst *in);
/* Fills the tables for the vregs and predicates that the loop uses: definitions, liveness, kind. */
void lir_loop_vregs(struct lir_loop *loop, const struct lir_liveness *live);
/* @return vreg w holds a constant when the loop is entered, as far as the only path there tells;
 * *value is it. */
bool lir_loop_start(const struct lir_loop *loop, lir_vreg w, uint32_t *value);

/* ---- lir_induction.c ---- */

/* Fills the vregs' sums, the instructions' strides, and the test. Needs lir_loop_vregs. */
void lir_loop_induction(struct lir_loop *loop);
/* @return iterations of the loop; 0: not known before the kernel runs. */
uint64_t lir_loop_trip_count(const struct lir_loop *loop);

/* ---- lir_unroll_copy.c ---- */

/* A list of blocks for the layout. */
struct loop_blocks {
    struct lir_block **block;
    uint32_t n, cap;
};

enum loop_copy_flag {
    LOOP_COPY_FIRST = 1, /* the copies are the loop's first iterations */
    LOOP_COPY_LAST = 2,  /* they are its last: no other iteration follows */
    LOOP_COPY_AGAIN = 4, /* the last copy ends in the loop's own test, back to the first copy */
};

/* Appends `iterations` copies of the body to `out`, without the tests between them. The last one
 * falls through to the next block unless `flags` say otherwise, and leaves values needed after it
 * in the loop's own vregs. The loop itself stays unchanged; new vregs and predicates are made in
 * the function. @return false: not possible, nothing has been appended */
bool lir_loop_copy(struct lir_loop *loop, uint32_t iterations, unsigned flags,
                   struct loop_blocks *out);

/* ---- lir_unroll_open.c ---- */

/* Appends the blocks that replace a loop of unknown trip count, the entry first; the loop's exit
 * must follow them. @return false: not possible, nothing has been appended */
bool lir_loop_open(struct lir_loop *loop, struct loop_blocks *out);

#endif
