/* compare.h - two runs beside each other: for each kernel the change of its cycles, of the parts of
 * the CPI stack and of its counters (docs/compare.md).
 *
 * A kernel is all launches of a name and shape (grid, block), on all GPUs of the run. Kernels of
 * both runs are matched by name and shape; what is left is matched by name, all shapes together.
 * All figures are means of a launch, except totals. Index 0 is run A, 1 is run B. Undefined figures
 * are NAN. Threads: any, one at a time. */
#ifndef HEDDLE_RUNS_COMPARE_H
#define HEDDLE_RUNS_COMPARE_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runs/run_load.h"

/* A pair of figures with a name. */
struct compare_figure {
    const char *name; /* a part: "launch", "issued", "memory", ...; a counter: its path in the
                       * report, "accesses.global_load.sectors" */
    const char *unit;
    double of[2];
    bool
        follows; /* a counter: it moved as the execution's cycles did, or their inverse, and so says
                   * nothing else */
};

/* A kernel that both runs have, or, in compare.only, that one of them has. */
struct compare_kernel {
    const char *name;
    char *shape[2];       /* "640 x 256", or "3 shapes" */
    uint64_t launches[2]; /* all */
    double cycles[2];     /* of a timed launch */
    double time_us[2];    /* likewise */
    bool estimated[2];    /* some of its cycles are estimates (--sample) */
    double change;        /* what B is slower by, of A: 0.1 for 10 % */
    GArray *parts;        /* struct compare_figure: cycles of a launch; they add up to `cycles` */
    GArray *counters;     /* struct compare_figure: those that moved, most first; those that follow
                           * the cycles behind the others */
};

/* Something else in which the runs differ. */
struct compare_fact {
    const char *name, *unit; /* of a parameter, or "GPU", "program", ...; unit "": none */
    char *of[2];
};

struct comparison {
    const struct run_file *run[2];
    bool by_time;                   /* clocks differ: changes are those of times, else of cycles */
    double counters_from;           /* share by which a counter must have moved */
    GPtrArray *kernels;             /* struct compare_kernel, those with most time in A first */
    GPtrArray *only[2];             /* the same, of one run alone */
    double cycles[2], time_us[2];   /* of all timed launches together */
    uint64_t launches[2], timed[2]; /* how many there are, and how many of them were timed */
    double change;
    GArray *facts; /* struct compare_fact */
    GPtrArray *names;
};

/* Compares two runs, which must live as long as the result. A counter has moved if its values
 * differ by more than `counters_from` of the larger one. */
void compare_make(struct comparison *c, const struct run_file *a, const struct run_file *b,
                  double counters_from);
void compare_clear(struct comparison *c);

/* What compare_print() and `heddle compare --json` print. `width`: columns of the terminal. The
 * object is the caller's. */
void compare_print(const struct comparison *c, unsigned width, FILE *out);
json_t *compare_object(const struct comparison *c);

/* Prints a line for each kernel, and for the total, that is slower by more than `most` (0.05 for
 * 5 %). @return how many there are. */
unsigned compare_slower(const struct comparison *c, double most, FILE *out);

#endif
