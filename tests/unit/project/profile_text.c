/* profile_text.c - see profile_text.h */
#include "profile_text.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

struct profile_text profile_read(const char *text) {
    struct profile_text p = {.diag = {.text = ""}};
    char *copy = heddle_copy_text(text, "a test's profile");
    p.err = project_read_text(&p.kernels, &p.gpu, copy, strlen(copy), "f.csv", &p.diag);
    free(copy);
    return p;
}

struct profile_text profile_good(const char *text) {
    struct profile_text p = profile_read(text);
    cr_assert_eq(p.err, HEDDLE_OK, "%s", p.diag.text);
    cr_assert_gt(p.kernels.count, 0);
    return p;
}

void profile_bad(const char *text, const char *message) {
    struct profile_text p = profile_read(text);
    cr_assert_eq(p.err, HEDDLE_ERR_CONFIG, "no error, or another one, for: %s", text);
    cr_assert_str_eq(p.diag.text, message);
    cr_assert_eq(p.kernels.count, 0);
}

void profile_metric(const struct profile_text *p, size_t kernel, enum project_metric m,
                    double value) {
    cr_assert_lt(kernel, p->kernels.count);
    const struct project_kernel *k = &p->kernels.at[kernel];
    const char *name = project_metric_rows[m].name;
    cr_assert_eq(k->known[m], !isnan(value), "%s of %s is %s", name, k->name,
                 k->known[m] ? "known" : "unknown");
    if (k->known[m])
        cr_assert_leq(fabs(k->of[m] - value), 1e-9 * fabs(value), "%s of %s is %.17g, not %.17g",
                      name, k->name, k->of[m], value);
}
