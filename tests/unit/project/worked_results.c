/* worked_results.c - see worked_results.h */
#include "worked_results.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "worked_example.h"

void worked_begin(struct worked_results *w) {
    *w = (struct worked_results){0};
    example_source(&w->source);
    example_target(&w->target);
    snprintf(w->source.name, sizeof w->source.name, "source");
    snprintf(w->target.name, sizeof w->target.name, "target");
    snprintf(w->target.title, sizeof w->target.title, "Target & Co");
    w->other = w->target;
    snprintf(w->other.name, sizeof w->other.name, "other");
    w->targets[0] = &w->target;
    w->targets[1] = &w->other;
}

struct project_kernel *worked_add(struct worked_results *w, const char *name, uint64_t launch,
                                  double us) {
    struct project_kernels one = {0};
    struct project_kernel *from = example_kernel(&one);
    struct project_kernel *k = project_kernels_add(&w->kernels, name, launch);
    for (int m = 0; m < NUM_PROJECT_METRICS; m++)
        if (from->known[m]) project_set(k, (enum project_metric)m, from->of[m]);
    project_set(k, METRIC_TIME, us);
    project_kernels_clear(&one);
    return k;
}

void worked_project(struct worked_results *w, size_t targets) {
    const struct project_terms terms = {0};
    project_all(&w->results, MODEL_PAPER, &terms, &w->kernels, &w->source, w->targets, targets);
}

void worked_end(struct worked_results *w) {
    project_results_clear(&w->results);
    project_kernels_clear(&w->kernels);
}

char *worked_text(void (*write)(FILE *f, const struct project_results *r),
                  const struct project_results *r) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    cr_assert_not_null(f);
    write(f, r);
    fclose(f);
    return text;
}
