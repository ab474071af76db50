/* mir_slow.h - the instructions of the slow paths of division and square root
 * (tables/slow_paths.def). A *slow path* is the subroutine of one MIR operation (mir_slow). A
 * *path* is the way of one kind of operands through it (mir_slow_path). A *part* is a run of its
 * instructions. The executor counts lanes per path, and the feed makes packets of the parts. All
 * tables are constant, so any thread may ask. */
#ifndef HEDDLE_MIR_MIR_SLOW_H
#define HEDDLE_MIR_MIR_SLOW_H

#include "mir/mir.h"

/* The paths through all slow paths. */
typedef enum mir_slow_path {
#define PATH(id, name, parts, meaning) MIR_SLOW_##id##_##name,
#include "tables/slow_paths.def"
    MIR_SLOW_PATHS
} mir_slow_path;

enum { /* parts of all slow paths */
       MIR_SLOW_PARTS = 0
#define PART(id, letter, place, steps, what) +1
#include "tables/slow_paths.def"
};
enum { /* at least the instructions of all parts of any slow path */
       MIR_SLOW_MOST = 0
#define PART(id, letter, place, steps, what) +(int)(sizeof(steps) - 1)
#include "tables/slow_paths.def"
};

/* Instructions that run together. */
struct mir_slow_part {
    uint8_t slow;      /* mir_slow */
    bool behind;       /* in the subroutine behind the kernel; else where the operation stands */
    char letter;       /* its name in the rows of paths */
    const char *steps; /* see mir_slow_next() */
};

/* @return the slow path of the instruction; MIR_SLOW_COUNT: it has none. */
mir_slow mir_slow_of(const struct mir_inst *inst);

/* The parts of a slow path, in the order of the code; *count is set to their number, 32 at most. */
const struct mir_slow_part *mir_slow_parts(mir_slow slow, unsigned *count);
/* The parts that a lane of the path runs through: bit n is the n-th of its slow path. */
uint32_t mir_slow_parts_of(mir_slow_path path);
/* The slow path that a path belongs to, and the path's name in the table. */
mir_slow mir_slow_path_of(mir_slow_path path);
const char *mir_slow_path_name(mir_slow_path path);

/* What the next step waits for. */
typedef enum mir_slow_wait {
    MIR_SLOW_GO,        /* nothing */
    MIR_SLOW_RESULT,    /* the result of this step */
    MIR_SLOW_PREDICATE, /* the predicate that this step sets */
} mir_slow_wait;
/* One instruction of a part. */
struct mir_slow_step {
    mir_class cls;
    mir_slow_wait wait;
};
/* Reads the first step of `steps` into *out. @return the steps behind it; NULL: `steps` was
 * empty */
const char *mir_slow_next(const char *steps, struct mir_slow_step *out);
/* @return the part's number of instructions. */
unsigned mir_slow_steps(const struct mir_slow_part *part);

/* Places the slow paths that the function's code uses behind it, in the order of the table: sets
 * f->slow_at and f->slow_inst, in instructions. */
void mir_slow_place(struct mir_function *f);

#endif
