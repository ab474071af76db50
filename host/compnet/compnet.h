/* compnet.h - the experiments of the paper on ComP-Net (PACT'18): runs its figures and compares
 * them with what it claims (tables/compnet_claims.def).
 *
 * A figure is some points, each a run of `heddle run` as a process of its own; it gives series,
 * which are drawn, and values of claims. Not for several threads. */
#ifndef HEDDLE_COMPNET_COMPNET_H
#define HEDDLE_COMPNET_COMPNET_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/error.h"

enum compnet_kind { COMPNET_HARD, COMPNET_SOFT };
enum compnet_claim {
#define CLAIM(name, id, figure, kind, low, high, text) COMPNET_##name,
#include "tables/compnet_claims.def"
    COMPNET_CLAIMS
};
struct compnet_claim_row {
    const char *id, *text;
    unsigned figure;
    enum compnet_kind kind;
    double low, high;
};
extern const struct compnet_claim_row compnet_claims[COMPNET_CLAIMS];

/* The designs of --design; the first ones have service threads. */
enum compnet_design {
    COMPNET_DGPU,
    COMPNET_APU,
    COMPNET_COMPNET,
    COMPNET_INTER_KERNEL,
    COMPNET_CPU,
    COMPNET_DESIGNS
};
enum { COMPNET_SERVED = COMPNET_INTER_KERNEL, COMPNET_MHZ = 1500 /* core clock of the GPU */ };
extern const char *const compnet_designs[COMPNET_DESIGNS];

/* A line of a picture. Texts of both are constant. */
enum { COMPNET_SERIES = 6, COMPNET_POINTS = 16 };
struct compnet_series {
    const char *name;
    unsigned count;
    double x[COMPNET_POINTS], y[COMPNET_POINTS];
};
struct compnet_picture {
    const char *file, *title;  /* figure8a.svg */
    const char *x, *y;         /* names of the axes, with units */
    const char *const *labels; /* of x = 0, 1, 2 ..., which has bars then; NULL: x is a number */
    bool log_x, log_y;
    unsigned num_series;
    struct compnet_series series[COMPNET_SERIES];
};

/* A value that a figure takes from elsewhere. Texts are constant. */
struct compnet_input {
    const char *of, *what;
    double value;
    const char *status, *source;
};

/* All of a run. */
struct compnet {
    const char *heddle, *apps, *out; /* the command, and two directories; borrowed */
    char *const *node_sets;          /* KEY=VALUE for all points, or NULL; borrowed */
    bool quick;                      /* small versions of the figures, for tests */
    bool quiet;                      /* no line for each point */
    unsigned points;                 /* that were run */
    double value[COMPNET_CLAIMS];    /* NAN: not measured, */
    const char *why[COMPNET_CLAIMS]; /* for this reason */
    char note[COMPNET_CLAIMS][320];  /* how far the value depends on parameters; or empty */
    unsigned num_pictures;
    struct compnet_picture picture[16];
    unsigned num_inputs;
    struct compnet_input input[32];
};

/* A point. Texts are borrowed; lists end with NULL. */
struct compnet_point {
    enum compnet_design design;
    unsigned nodes;
    bool one_thread; /* so short that simulating threads would wait for one another */
    unsigned queues; /* of a PE: the paper has one for each work-group; 0: no matter */
    const char *const *sets, *const *node_sets; /* KEY=VALUE, or NULL */
    const char *program;
    const char *const *arguments;
};
struct compnet_result {
    json_t *report;
    gchar *output; /* standard output of all PEs */
};
/* Runs a point. @return HEDDLE_ERR_IO, with text: it failed. On success the caller owns *result. */
heddle_err compnet_run(struct compnet *c, const struct compnet_point *point,
                       struct compnet_result *result, struct heddle_diag *diag);
void compnet_result_clear(struct compnet_result *result);

/* Reads the number that a point's program printed behind a text. @return HEDDLE_ERR_IO, with text:
 * there is none. */
heddle_err compnet_number(const struct compnet_result *result, const struct compnet_point *point,
                          const char *text, double *number, struct heddle_diag *diag);

/* A statistic of the run (tables/statistics.def). */
double compnet_statistic(const struct compnet_result *result, const char *name);
/* Sum over nodes of a member of `nodes.list[].PART`. */
double compnet_sum(const struct compnet_result *result, const char *part, const char *member);

/* The energy of a run's service threads, all nodes together, by its parts, in nJ. */
enum compnet_energy_part {
#define ENERGY(member, meaning) COMPNET_ENERGY_##member,
#include "tables/service_energy.def"
    COMPNET_ENERGIES
};
struct compnet_energy {
    double part[COMPNET_ENERGIES], sum;
};
struct compnet_energy compnet_energy_of(const struct compnet_result *result);
/* Adds a picture like *p of what service threads use, in uJ, with a series for each design that has
 * them: energy[design * step + i] at x[i], i < count. */
void compnet_add_energies(struct compnet *c, const struct compnet_picture *p, const double *x,
                          unsigned count, const struct compnet_energy *energy, unsigned step);
/* Sets a claim to the ratio of two, with a note: between what it lies when a kind of energy is half
 * as large or half larger, in both. */
void compnet_set_ratio(struct compnet *c, enum compnet_claim claim, const struct compnet_energy *a,
                       const struct compnet_energy *b);

/* Runs a point, and reads a number as compnet_number() does; *energy of its service threads, if
 * that is not NULL. @return as these. */
heddle_err compnet_measure(struct compnet *c, const struct compnet_point *point, const char *text,
                           double *number, struct compnet_energy *energy, struct heddle_diag *diag);

/* The figures. @return the first error of a point. */
heddle_err compnet_figure4(struct compnet *c, struct heddle_diag *diag);
heddle_err compnet_figure7(struct compnet *c, struct heddle_diag *diag);
heddle_err compnet_figure8(struct compnet *c, struct heddle_diag *diag);
heddle_err compnet_figure9(struct compnet *c, struct heddle_diag *diag);
heddle_err compnet_figure10(struct compnet *c, struct heddle_diag *diag);
heddle_err compnet_figure11(struct compnet *c, struct heddle_diag *diag);

void compnet_add_input(struct compnet *c, const struct compnet_input *input);
/* A new picture, a copy of *p; or an empty series of one. */
struct compnet_picture *compnet_add_picture(struct compnet *c, const struct compnet_picture *p);
struct compnet_series *compnet_add_series(struct compnet_picture *p, const char *name);
void compnet_add(struct compnet_series *s, double x, double y);
/* Adds a series for each name to a picture, with points at x[0, count). *y of point i of series s
 * is what `measure` finds, in order. @return its first error. */
struct compnet_sweep {
    struct compnet_picture *picture;
    const char *const *names;
    unsigned num_names;
    const double *x;
    unsigned count;
    heddle_err (*measure)(struct compnet *c, unsigned s, unsigned i, double *y, void *user,
                          struct heddle_diag *diag);
    void *user;
};
heddle_err compnet_sweep(struct compnet *c, const struct compnet_sweep *sweep,
                         struct heddle_diag *diag);

/* The least of `count` values, of which each is `step` behind the one before; and by what share the
 * greatest is larger. */
double compnet_least(const double *value, unsigned count, unsigned step);
double compnet_spread(const double *value, unsigned count, unsigned step);

/* Whether a claim holds with a value; or with the measured one. */
bool compnet_would_hold(enum compnet_claim claim, double value);
bool compnet_holds(const struct compnet *c, enum compnet_claim claim);

/* Prints series and claims: as tables, or as one JSON object. */
void compnet_print(const struct compnet *c, FILE *out);
void compnet_print_json(const struct compnet *c, FILE *out);
/* Draws a picture into the directory. @return HEDDLE_ERR_IO, with text. */
heddle_err compnet_draw(const struct compnet *c, const struct compnet_picture *p,
                        struct heddle_diag *diag);

#endif
