/* test_findings.c - cuda/base/findings.c: places, counts, and the limit. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdlib.h>

#include "cuda/base/context.h"

static void find(struct server *s, const char *kernel, uint32_t pc, uint64_t count) {
    struct mir_inst inst = {.ptx_line = pc + 10};
    const struct exec_fault fault = {.err = HEDDLE_ERR_RACE, .inst = &inst, .pc = pc};
    const struct gpu_finding f = {
        .kernel = kernel, .example = &fault, .text = "a race", .count = count};
    findings_add(s, &f);
}

Test(findings, places, .init = cr_redirect_stderr) {
    struct server *s = calloc(1, sizeof *s);
    find(s, "k", 1, 5);
    find(s, "k", 2, 1);
    find(s, "l", 1, 1);
    find(s, "k", 1, 2);
    cr_expect_eq(s->findings.num, 3u);
    cr_expect_eq(s->findings.place[0].count, 7u);
    cr_expect_str_eq(s->findings.place[2].kernel, "l");
    for (uint32_t i = 0; i < FINDINGS_MOST; i++) find(s, "m", i, 1);
    cr_expect_eq(s->findings.num, (unsigned)FINDINGS_MOST);
    cr_expect_eq(s->findings.total, 9u + FINDINGS_MOST);
    cr_expect_eq(s->findings.beyond, 3u);
    find(s, "k", 1, 1); /* a place that is listed goes on counting */
    cr_expect_eq(s->findings.place[0].count, 8u);
    cr_expect_eq(s->findings.beyond, 3u);
    findings_clear(&s->findings);
    cr_assert_stderr_eq_str("heddle: memcheck: a race; the kernel goes on, as on a GPU (--memcheck "
                            "stop ends it)\n");
    free(s);
}
