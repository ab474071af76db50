/* test_select.c - host/cli/select.c: which launches --kernels and --launches choose. */
#include <criterion/criterion.h>

#include "cli/select.h"

static bool times(const char *patterns, const char *launches, const char *title, const char *name,
                  uint64_t launch) {
    struct selection *s;
    struct heddle_diag diag;
    cr_assert_eq(selection_create(&s, patterns, launches, &diag), HEDDLE_OK, "%s", diag.text);
    const bool chosen = selection_times(s, title, name, launch);
    selection_free(s);
    return chosen;
}

Test(select, kernels_by_name) {
    static const char title[] = "reduce<float, 256>", name[] = "_Z6reduceIfLi256EEvPT_i";
    static const char *const fits[] = {
        "reduce", "reduce<float, 256>", "axpy,reduce<float, 256>", "*<float*", "red*", name};
    static const char *const others[] = {"axpy", "reduce<float, 128>", "reduce<float", "duce",
                                         "256>"};
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
        cr_expect(times(fits[i], NULL, title, name, 0), "%s", fits[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_expect_not(times(others[i], NULL, title, name, 0), "%s", others[i]);
    cr_expect(times("reduce<float, 128>,axpy", NULL, "axpy", "axpy", 0));
}

Test(select, launches_by_number) {
    cr_expect(times(NULL, "0,3,10-19,100-", "k", "k", 15));
    cr_expect(times(NULL, "0,3,10-19,100-", "k", "k", 1000));
    cr_expect_not(times(NULL, "0,3,10-19,100-", "k", "k", 4));
    cr_expect_not(times("other", "4", "k", "k", 4));
}

Test(select, refused) {
    struct selection *s;
    struct heddle_diag diag;
    static const char *const bad[] = {"", "a,,b", "a,"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(selection_create(&s, bad[i], NULL, &diag), HEDDLE_ERR_ARGUMENT, "%s", bad[i]);
}
