/* sweep.h - a sweep: axes of parameter values, and its points: their cross product, or the first
 * values with one axis at a time moved away from them.
 *
 * An axis is written KEY=V1,V2,... or, for keys that change together, K1:K2=A1:A2,B1:B2,... The key
 * "gpu" selects GPUs. An axis with one value applies to every point and is not part of their names.
 *
 * A sweep owns its texts; sweep_free() frees everything. It is read-only once made. */
#ifndef HEDDLE_SWEEP_SWEEP_H
#define HEDDLE_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

/* An axis: keys, and a value of each key for every step. */
struct sweep_axis {
    char **keys; /* NULL at the end */
    unsigned num_keys, num_values;
    char ***values; /* [num_values][num_keys] */
};

/* A point: one run of the program. */
struct sweep_point {
    char *name;       /* of its directory: sweep_label() of all axes with keys */
    unsigned *choice; /* [num_axes]: index of the value on each axis */
    char **sets;      /* "KEY=VALUE" for every key except gpu, NULL at the end */
    const char *gpu;
};

/* A whole sweep. */
struct sweep {
    struct sweep_axis *axes;
    unsigned num_axes;
    struct sweep_point *points; /* the last axis varies fastest; around: the base first */
    unsigned num_points;
    char *gpu;   /* the GPU when no axis selects it */
    bool around; /* one axis at a time leaves its first value */
};

enum { SWEEP_MOST_POINTS = 100000 };

/* `gpus`: NULL or a list of GPUs; `axes`: num_axes texts; `around`: as in struct sweep. Whether
 * keys exist is checked later, when the configuration of each point is loaded.
 * @return HEDDLE_ERR_ARGUMENT, explained in diag: a syntax error, a key or a value given twice, or
 * too many points. */
heddle_err sweep_create(struct sweep **out, const char *gpus, const char *const *axes,
                        unsigned num_axes, bool around, struct heddle_diag *diag);
void sweep_free(struct sweep *s);

/* Value of one key of an axis at a point. */
static inline const char *sweep_value(const struct sweep *s, const struct sweep_point *p,
                                      unsigned axis, unsigned key) {
    return s->axes[axis].values[p->choice[axis]][key];
}

/* Writes "KEY=VALUE, KEY=VALUE" for those of the axes `first` to `end` - 1 that tell a point from
 * others: the varying ones; around the first values, those that the point moves, or "base". Without
 * `keys` only the values. */
void sweep_label(const struct sweep *s, const struct sweep_point *p, unsigned first, unsigned end,
                 bool keys, char *out, size_t size);

#endif
