/* runner.c - see criterion.h: runs all tests one after the other. */
#include "criterion/criterion.h"

struct criterion_test *criterion_tests;
struct criterion_suite *criterion_suites;

int main(void) {
    unsigned count = 0;
    for (const struct criterion_test *t = criterion_tests; t; t = t->next, count++) {
        const struct criterion_suite *s = criterion_suites;
        while (s && strcmp(s->name, t->suite)) s = s->next;
        printf("%s::%s\n", t->suite, t->name);
        fflush(stdout);
        if (s && s->init) s->init();
        t->run();
        if (s && s->fini) s->fini();
    }
    printf("Tested: %u | Passing: %u\n", count, count);
    return count == 0;
}
