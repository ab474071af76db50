/* metric_forms.c - the tables of Nsight Compute's and nvprof's values, and the sums by which the
 * metrics of projection follow from them; see metric_forms.h. read_ncu.c and read_nvprof.c call
 * metric_forms_apply() for each kernel, on the main thread of `heddle project`; metrics_page.c
 * prints the tables. */
#include "project/metric_forms.h"

#include <assert.h>
#include <math.h>

/* The terms of the .def files: a factor and the values that it multiplies. */
#define TERM(n, a) \
    {              \
        n, {       \
            V(a)   \
        }          \
    }
#define TERM2(n, a, b) \
    {                  \
        n, {           \
            V(a), V(b) \
        }              \
    }
#define TERM3(n, a, b, c)    \
    {                        \
        n, {                 \
            V(a), V(b), V(c) \
        }                    \
    }
/* ---- Nsight Compute */

/* Numbers of the values, rows of ncu_values. */
enum ncu_value {
    NCU_NONE,
#define VALUE(id, name, kind, where) NCU_##id,
#define FORM(metric, how, capability, ...)
#include "tables/ncu_metrics.def"
    NUM_NCU_VALUES
};
static_assert((int)NUM_NCU_VALUES <= (int)FORM_VALUES, "struct form_values has too few");

const struct form_value ncu_values[] = {
    {"", "", VALUE_COUNT},
#define VALUE(id, name, kind, where) {name, where, VALUE_##kind},
#define FORM(metric, how, capability, ...)
#include "tables/ncu_metrics.def"
};
const size_t ncu_value_count = NUM_NCU_VALUES;

#define V(id) NCU_##id
#define FORM(metric, how, capability, ...) {METRIC_##metric, FORM_##how, capability, {__VA_ARGS__}},
#define VALUE(id, name, kind, where)
const struct metric_form ncu_forms[] = {
#include "tables/ncu_metrics.def"
};
#undef V
const size_t ncu_form_count = sizeof ncu_forms / sizeof *ncu_forms;

/* ---- nvprof */

/* Numbers of the values, rows of nvprof_values: metrics, then columns of the trace. */
enum nvprof_value {
    NVPROF_NONE,
#define VALUE(id, name, kind, title) NVPROF_##id,
#include "tables/nvprof_metrics.def"
    NVPROF_METRICS, /* number of none; the columns of the trace follow */
#define TRACE(id, name, kind) NVPROF_##id,
#include "tables/nvprof_metrics.def"
    NUM_NVPROF_VALUES
};
static_assert((int)NUM_NVPROF_VALUES <= (int)FORM_VALUES, "struct form_values has too few");

const struct form_value nvprof_values[] = {
    {"", "", VALUE_COUNT},
#define VALUE(id, name, kind, title) {name, title, VALUE_##kind},
#include "tables/nvprof_metrics.def"
    {"", "", VALUE_COUNT},
#define TRACE(id, name, kind) {name, "", VALUE_##kind},
#include "tables/nvprof_metrics.def"
};
const size_t nvprof_value_count = NUM_NVPROF_VALUES;
const size_t nvprof_first_trace = NVPROF_METRICS + 1;

#define V(id) NVPROF_##id
#define FORM(metric, how, capability, ...) {METRIC_##metric, FORM_##how, capability, {__VA_ARGS__}},
const struct metric_form nvprof_forms[] = {
#include "tables/nvprof_metrics.def"
};
#undef V
const size_t nvprof_form_count = sizeof nvprof_forms / sizeof *nvprof_forms;

/* ---- a kernel's metrics */

/* *sum: the sum of the form's products; *first: its first product. @return false: a value is not
 * known, or the sum is not finite; both are then not valid. */
static bool sum_of(double *first, double *sum, const struct metric_form *form,
                   const struct form_values *values) {
    *first = *sum = 0;
    for (int t = 0; t < FORM_TERMS && form->term[t].factor != 0; t++) {
        double product = form->term[t].factor;
        for (int f = 0; f < FORM_FACTORS && form->term[t].value[f]; f++) {
            if (!values->known[form->term[t].value[f]]) return false;
            product *= values->of[form->term[t].value[f]];
        }
        *sum += product;
        if (t == 0) *first = product;
    }
    return isfinite(*sum);
}

/* Sets each metric of *k that is unknown and that one of the `count` forms gives from `values`; the
 * first form that holds decides. `capability`: of the GPU, 10 * major + minor, 0 where it is not
 * known. */
void metric_forms_apply(struct project_kernel *k, const struct metric_form *forms, size_t count,
                        const struct form_values *values, int capability) {
    for (size_t i = 0; i < count; i++) {
        const struct metric_form *form = &forms[i];
        double first, sum;
        if (k->known[form->metric] || !sum_of(&first, &sum, form, values)) continue;
        bool holds = form->capability == FORM_ZERO    ? sum == 0
                     : form->capability == FORM_SHARE ? sum > 0
                     : form->capability != FORM_ANY   ? form->capability == capability
                                                      : true;
        if (holds) project_set(k, form->metric, form->capability == FORM_SHARE ? first / sum : sum);
    }
}
