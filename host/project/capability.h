/* capability.h - what a GPU can do, for projection: its rates and the properties behind them.
 *
 * A GPU's file is models/capabilities/NAME.ini; tables/capabilities.def lists its keys. A rate has
 * a peak (data sheet or arithmetic) and a max (measured by a program); either may be unknown, but
 * not both, except where the GPU lacks the unit. Read-only once loaded; threads may share it. */
#ifndef HEDDLE_PROJECT_CAPABILITY_H
#define HEDDLE_PROJECT_CAPABILITY_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/error.h"
#include "common/ini_file.h"

enum capability_rate {
#define RATE(id, key, unit, scale, meaning) RATE_##id,
#include "tables/capabilities.def"
    NUM_RATES
};
enum capability_property {
#define PROPERTY(id, key, unit, min, max, need, meaning) GPU_##id,
#include "tables/capabilities.def"
    NUM_GPU_PROPERTIES
};

/* A figure of a GPU, with its unit, status and source. */
struct capability_value {
    double value; /* of rates: SI units */
    bool known;
    struct ini_remark remark;
};

/* A GPU. */
struct capability {
    char name[64];  /* "a100-80" */
    char title[64]; /* "NVIDIA A100 80 GB SXM" */
    char model[64]; /* of models/gpus, which simulates it: "a100-80"; empty: there is none */
    struct capability_value peak[NUM_RATES], max[NUM_RATES], property[NUM_GPU_PROPERTIES];
};

/* Loads a GPU: NAME.ini in `directory`, or a file's path (a slash in it, or ending in .ini).
 * HEDDLE_ERR_CONFIG names file, line, key, and for an unknown GPU the ones that there are.
 * On success *out is the caller's, freed with capability_free(). */
heddle_err capability_load(struct capability **out, const char *gpu, const char *directory,
                           struct heddle_diag *diag);
/* Loads the GPU of `directory` that a model of models/gpus simulates. HEDDLE_ERR_CONFIG: no file
 * names the model. */
heddle_err capability_load_model(struct capability **out, const char *model, const char *directory,
                                 struct heddle_diag *diag);
void capability_free(struct capability *c); /* accepts NULL */

/* Takes a line of a GPU's file into the struct capability `user`; an ini_take_fn. */
heddle_err capability_take(void *user, const struct ini_line *line, struct heddle_diag *diag);
/* HEDDLE_ERR_CONFIG, after `where` in the text: a required value is missing, or the name. */
heddle_err capability_check(const struct capability *c, const char *where,
                            struct heddle_diag *diag);

/* Where the max of a rate came from. */
enum capability_origin {
    ORIGIN_MEASURED, /* the GPU's own max */
    ORIGIN_RATIO,    /* its peak, by the source GPU's max over peak (section 4.1 of the paper), of
                      * arithmetic at most what clock.power leaves */
    ORIGIN_PEAK,     /* its peak: the source GPU lacks one of the two as well */
    ORIGIN_NONE,     /* it has no such unit, or nothing is known: the rate is 0 */
};
/* The rate that programs reach on `gpu`, in SI units. `source`: the GPU of the measurements, whose
 * max over peak stands in where only the peak of `gpu` is known; may be `gpu` itself. */
double capability_rate(const struct capability *gpu, const struct capability *source,
                       enum capability_rate r, enum capability_origin *origin);

/* For scandir(): whether an entry is a GPU's file. */
int capability_is_file(const struct dirent *entry);
/* "fp32.fma" */
const char *capability_rate_key(enum capability_rate r);

/* A property, or `otherwise` where it is not known. */
double capability_property(const struct capability *gpu, enum capability_property p,
                           double otherwise);

/* Prints every value with unit, status and source. */
void capability_print(const struct capability *gpu, FILE *out);
/* Prints the sections of a file that capability_load() reads as the same GPU. */
void capability_write(const struct capability *gpu, FILE *out);

#endif
