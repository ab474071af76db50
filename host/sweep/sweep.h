/* sweep.h - a sweep: axes of values, and the points of their cross product.
 *
 * An axis is written KEY=V1,V2,... or, for keys that change together, K1:K2=A1:A2,B1:B2,... One
 * of the key "gpu" names GPUs. An axis of one value belongs to every point and to no point's name.
 *
 * A sweep owns its texts; all of it is freed by sweep_free(). It is read-only once made. */
#ifndef HEDDLE_SWEEP_SWEEP_H
#define HEDDLE_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"

struct sweep_axis {
    char **keys; /* NULL at the end */
    unsigned num_keys, num_values;
    char ***values; /* [num_values][num_keys] */
};

struct sweep_point {
    char *name;       /* of its directory: the values that differ between points */
    unsigned *choice; /* [num_axes]: which value of each axis */
    char **sets;      /* "KEY=VALUE" of every key but gpu, NULL at the end */
    const char *gpu;
};

struct sweep {
    struct sweep_axis *axes;
    unsigned num_axes;
    struct sweep_point *points; /* the last axis varies fastest */
    unsigned num_points;
    char *gpu; /* when no axis has it */
};

enum { SWEEP_MOST_POINTS = 100000 };

/* `gpus`: NULL or a list of GPUs; `axes`: num_axes texts. @return HEDDLE_ERR_ARGUMENT with what is
 * wrong: a form not understood, a key or a value given twice, too many points. Whether keys exist
 * is asked of the configuration, point by point. */
heddle_err sweep_create(struct sweep **out, const char *gpus, const char *const *axes,
                        unsigned num_axes, struct heddle_diag *diag);
void sweep_free(struct sweep *s);

/* Value of one key of an axis at a point. */
static inline const char *sweep_value(const struct sweep *s, const struct sweep_point *p,
                                      unsigned axis, unsigned key) {
    return s->axes[axis].values[p->choice[axis]][key];
}

/* "KEY=VALUE, KEY=VALUE" of the axes from `first` to before `end` that vary, or only the values. */
void sweep_label(const struct sweep *s, const struct sweep_point *p, unsigned first, unsigned end,
                 bool keys, char *out, size_t size);

#endif
