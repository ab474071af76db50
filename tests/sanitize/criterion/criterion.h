/* criterion.h - a substitute for the part of Criterion that tests with threads use, in one process
 * and without shared memory, because Criterion 2.4 does not start under ThreadSanitizer. The first
 * failed assertion ends the program; the last line of the report has Criterion's form. */
#ifndef HEDDLE_TESTS_SANITIZE_CRITERION_H
#define HEDDLE_TESTS_SANITIZE_CRITERION_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct criterion_test {
    const char *suite, *name;
    void (*run)(void);
    struct criterion_test *next;
};
struct criterion_suite {
    const char *name;
    void (*init)(void), (*fini)(void);
    struct criterion_suite *next;
};
/* All tests of the program; filled before main(). */
extern struct criterion_test *criterion_tests;
extern struct criterion_suite *criterion_suites;

#define Test(suite_, name_)                                                                     \
    static void criterion_##suite_##_##name_(void);                                             \
    __attribute__((constructor)) static void criterion_add_##suite_##_##name_(void) {           \
        static struct criterion_test t = {#suite_, #name_, criterion_##suite_##_##name_, NULL}; \
        t.next = criterion_tests;                                                               \
        criterion_tests = &t;                                                                   \
    }                                                                                           \
    static void criterion_##suite_##_##name_(void)

#define TestSuite(suite_, ...)                                                \
    __attribute__((constructor)) static void criterion_suite_##suite_(void) { \
        static struct criterion_suite s = {.name = #suite_, __VA_ARGS__};     \
        s.next = criterion_suites;                                            \
        criterion_suites = &s;                                                \
    }

#define CRITERION_FAIL(condition, ...)                                 \
    do {                                                               \
        fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, condition); \
        fprintf(stderr, " " __VA_ARGS__);                              \
        fputc('\n', stderr);                                           \
        abort();                                                       \
    } while (0)
#define cr_assert(condition, ...)                                  \
    do {                                                           \
        if (!(condition)) CRITERION_FAIL(#condition, __VA_ARGS__); \
    } while (0)
#define cr_expect(condition, ...) cr_assert(condition, __VA_ARGS__)
#define cr_assert_fail(...) CRITERION_FAIL("failed", __VA_ARGS__)
#define cr_assert_not(condition, ...) cr_assert(!(condition), __VA_ARGS__)
#define cr_assert_eq(a, b, ...) cr_assert((a) == (b), __VA_ARGS__)
#define cr_assert_neq(a, b, ...) cr_assert((a) != (b), __VA_ARGS__)
#define cr_assert_lt(a, b, ...) cr_assert((a) < (b), __VA_ARGS__)
#define cr_assert_leq(a, b, ...) cr_assert((a) <= (b), __VA_ARGS__)
#define cr_assert_gt(a, b, ...) cr_assert((a) > (b), __VA_ARGS__)
#define cr_assert_geq(a, b, ...) cr_assert((a) >= (b), __VA_ARGS__)
#define cr_assert_null(a, ...) cr_assert((a) == NULL, __VA_ARGS__)
#define cr_assert_not_null(a, ...) cr_assert((a) != NULL, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) cr_assert(!strcmp(a, b), __VA_ARGS__)

#endif
