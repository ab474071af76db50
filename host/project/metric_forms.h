/* metric_forms.h - how the metrics of projection follow from the values that a profiler prints.
 *
 * A form is a sum of products, or the share of its first term in that sum. Each profiler has a
 * table of them (tables/ncu_metrics.def, tables/nvprof_metrics.def), several for a metric, in order
 * of preference. Pure functions. */
#ifndef HEDDLE_PROJECT_METRIC_FORMS_H
#define HEDDLE_PROJECT_METRIC_FORMS_H

#include "project/profile.h"
#include "project/profiler_value.h"

enum {
    FORM_TERMS = 11,
    FORM_FACTORS = 3,
    FORM_ANY = 0,    /* capability: holds for all GPUs */
    FORM_ZERO = -1,  /* capability: holds for all GPUs where the sum is 0 */
    FORM_SHARE = -2, /* capability: for all GPUs, the first term as a share of the sum */
};
/* Exact: the metric itself. Derived: from rounded values, or with an assumption. */
enum form_how { FORM_EXACT, FORM_DERIVED };

/* A product: the factor times the values. */
struct form_term {
    double factor;                     /* 0: the list has ended */
    unsigned char value[FORM_FACTORS]; /* numbers of values, 0: none */
};
/* How a metric follows from values: a sum of terms, for the GPUs of `capability`. */
struct metric_form {
    enum project_metric metric;
    enum form_how how;
    int capability; /* FORM_ANY, FORM_ZERO, FORM_SHARE, or major * 10 + minor */
    struct form_term term[FORM_TERMS];
};

/* A value of a profiler: name of a column or row; note: where it is found, or for nvprof its title,
 * which may stand in place of the name. Number 0 of a table is none. */
struct form_value {
    const char *name, *note;
    enum value_kind kind;
};

/* The values that a profiler gave for a kernel, by number. */
enum { FORM_VALUES = 128 };
struct form_values {
    double of[FORM_VALUES];
    bool known[FORM_VALUES];
};

/* Sets each metric of `k` that a form gives from `values`. `capability`: of the GPU, 0 where it is
 * not known. */
void metric_forms_apply(struct project_kernel *k, const struct metric_form *forms, size_t count,
                        const struct form_values *values, int capability);

/* The tables. */
extern const struct form_value ncu_values[];
extern const struct metric_form ncu_forms[];
extern const size_t ncu_value_count, ncu_form_count;
extern const struct form_value nvprof_values[];
extern const struct metric_form nvprof_forms[];
extern const size_t nvprof_value_count, nvprof_form_count;
/* From here on nvprof_values are columns of the trace of durations. */
extern const size_t nvprof_first_trace;

#endif
