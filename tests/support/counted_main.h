/* counted_main.h - for a library that is preloaded into `heddle` to let one of its calls fail:
 * counts calls from main() on, and says at exit how many there were. One file of the library
 * includes it.
 *
 * HEDDLE_TEST_FAIL_AT=N is the call that is to fail, HEDDLE_TEST_COUNT=FILE gets the number of
 * calls (COUNT_MODE: O_TRUNC, or O_APPEND for a line of each process). Only processes whose program
 * is called "heddle" count. Calls before main() do not, since Heddle cannot handle what libraries
 * do there. */
#ifndef HEDDLE_TEST_COUNTED_MAIN_H
#define HEDDLE_TEST_COUNTED_MAIN_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool counts; /* this process does */
static unsigned long fail_at;
static atomic_ulong calls;
static const char *count_file;

/* The program's main(). */
static int (*program)(int argc, char **argv, char **environment);
static int counted_main(int argc, char **argv, char **environment) {
    const char *at = getenv("HEDDLE_TEST_FAIL_AT");
    count_file = getenv("HEDDLE_TEST_COUNT");
    fail_at = at ? strtoul(at, NULL, 10) : 0;
    counts = strcmp(program_invocation_short_name, "heddle") == 0;
    return program(argc, argv, environment);
}

typedef int start_fn(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                     void (*)(void), void *);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
    union { /* ISO C converts no pointer to data into one to a function */
        void *data;
        start_fn *function;
    } next = {dlsym(RTLD_NEXT, "__libc_start_main")};
    program = main;
    return next.function(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

__attribute__((destructor)) static void end(void) {
    char text[32];
    if (!counts || !count_file) return;
    counts = false;
    const int n = snprintf(text, sizeof text, "%lu\n", atomic_load(&calls));
    const int fd = open(count_file, O_WRONLY | O_CREAT | COUNT_MODE | O_CLOEXEC, 0644);
    if (fd < 0) return;
    if (write(fd, text, (size_t)n) != n) unlink(count_file);
    close(fd);
}

#endif
