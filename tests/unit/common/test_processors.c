/* test_processors.c - how many processors a run may use: the environment, the affinity, quotas. */
#define _GNU_SOURCE /* sched_setaffinity */
#include <criterion/criterion.h>
#include <sched.h>
#include <stdlib.h>

#include "common/processors.h"

Test(processors, quota) {
    static const struct {
        const char *text;
        unsigned processors;
    } rows[] = {{"max 100000", 0},     {"200000 100000", 2},
                {"150000 100000", 2},  {"100000 100000", 1},
                {"1000 100000", 1},    {"0 100000", 0},
                {"100000 0", 0},       {"", 0},
                {"100000", 0},         {"18446744073709551615 1", 1024},
                {"400000 100000\n", 4}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(processors_of_quota(rows[i].text), rows[i].processors, "\"%s\": %u",
                     rows[i].text, processors_of_quota(rows[i].text));
}

Test(processors, environment) {
    static const char *const no_numbers[] = {"0", "-3", "1025", "4x", "", "99999999999999999999"};
    setenv(PROCESSORS_VARIABLE, "7", 1);
    cr_expect_eq(processors(), 7);
    for (unsigned i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++) {
        setenv(PROCESSORS_VARIABLE, no_numbers[i], 1);
        cr_expect_eq(processors(), 0, "\"%s\": %u", no_numbers[i], processors());
    }
}

Test(processors, affinity) {
    cpu_set_t all, one;
    unsetenv(PROCESSORS_VARIABLE);
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    cr_expect_leq(processors(), (unsigned)CPU_COUNT(&all));
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    cr_expect_eq(processors(), 1);
}
