/* mir_slow.h - the instructions of the slow paths of division and square root
 * (tables/slow_paths.def). The executor counts them, and the feed makes packets of them. */
#ifndef HEDDLE_MIR_MIR_SLOW_H
#define HEDDLE_MIR_MIR_SLOW_H

#include "mir/mir.h"

typedef enum mir_slow_path {
#define PATH(id, name, parts, meaning) MIR_SLOW_##id##_##name,
#include "tables/slow_paths.def"
    MIR_SLOW_PATHS
} mir_slow_path;

enum {
    MIR_SLOW_PARTS = 0
#define PART(id, letter, place, steps, what) +1
#include "tables/slow_paths.def"
};
enum { /* a bound of the instructions of all parts of a slow path */
       MIR_SLOW_MOST = 0
#define PART(id, letter, place, steps, what) +(int)(sizeof(steps) - 1)
#include "tables/slow_paths.def"
};

/* Instructions that run together. */
struct mir_slow_part {
    uint8_t slow;      /* mir_slow */
    bool behind;       /* in the subroutine behind the kernel, else at the operation's own place */
    char letter;       /* its name in the rows of paths */
    const char *steps; /* see mir_slow_next() */
};

/* @return the slow path for which the instruction stands, MIR_SLOW_COUNT: none. */
mir_slow mir_slow_of(const struct mir_inst *inst);

/* The parts of a slow path, in the order of the code; *count: at most 32 of them. */
const struct mir_slow_part *mir_slow_parts(mir_slow slow, unsigned *count);
/* The parts that a lane of the path runs through: bit n is the n-th of its slow path. */
uint32_t mir_slow_parts_of(mir_slow_path path);
/* The slow path that a path belongs to, and its name in the table. */
mir_slow mir_slow_path_of(mir_slow_path path);
const char *mir_slow_path_name(mir_slow_path path);

typedef enum mir_slow_wait {
    MIR_SLOW_GO,        /* the next step waits for nothing */
    MIR_SLOW_RESULT,    /* for the result of this one */
    MIR_SLOW_PREDICATE, /* for the predicate that it sets */
} mir_slow_wait;
struct mir_slow_step {
    mir_class cls;
    mir_slow_wait wait;
};
/* Reads the first of `steps`. @return the steps behind it; NULL: there was none. */
const char *mir_slow_next(const char *steps, struct mir_slow_step *out);
/* @return instructions of the part. */
unsigned mir_slow_steps(const struct mir_slow_part *part);

/* Places the subroutines that the function's code calls behind it: sets f->slow_at and
 * f->slow_inst. */
void mir_slow_place(struct mir_function *f);

#endif
