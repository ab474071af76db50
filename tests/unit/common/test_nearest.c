/* test_nearest.c - names that misspelt words may stand for. */
#include <criterion/criterion.h>
#include <string.h>

#include "common/nearest.h"

static const char *const names[] = {"", "run", "rerun", "sweep", "config new", "sm-groups"};
enum { NUM = sizeof names / sizeof *names };

static const char *name_of(const void *user, unsigned i) {
    (void)user;
    return names[i];
}

Test(nearest, name_is_the_least_distance) {
    cr_expect_str_eq(nearest_name("rnu", name_of, NULL, NUM), "run");
    cr_expect_str_eq(nearest_name("swap", name_of, NULL, NUM), "sweep");
    cr_expect_str_eq(nearest_name("x", name_of, NULL, NUM), "run", "an empty text is no name");
}

Test(nearest, close_needs_most_letters) {
    cr_expect_str_eq(nearest_close("rum", name_of, NULL, NUM), "run");
    cr_expect_str_eq(nearest_close("swep", name_of, NULL, NUM), "sweep");
    cr_expect_str_eq(nearest_close("config-new", name_of, NULL, NUM), "config new");
    cr_expect_null(nearest_close("project", name_of, NULL, NUM));
    cr_expect_null(nearest_close("x", name_of, NULL, NUM));
    cr_expect_null(nearest_close("run", name_of, NULL, 0));
}

Test(nearest, close_accepts_a_beginning) {
    cr_expect_str_eq(nearest_close("sm", name_of, NULL, NUM), "sm-groups");
    cr_expect_str_eq(nearest_close("rer", name_of, NULL, NUM), "rerun");
}

Test(nearest, long_names_are_far) {
    char word[200];
    memset(word, 'r', sizeof word);
    word[sizeof word - 1] = '\0';
    cr_expect_null(nearest_close(word, name_of, NULL, NUM));
}
