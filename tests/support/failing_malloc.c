/* failing_malloc.c - a library, preloaded into `heddle`, in which the n-th allocation fails.
 *
 * HEDDLE_TEST_FAIL_AT=N makes the N-th call of malloc() and related functions fail (1 is the first
 * one in main()). HEDDLE_TEST_COUNT=FILE writes the number of calls to FILE at exit. Only the
 * process whose program is called "heddle" counts calls and lets them fail, between fork() and
 * exec() too. Calls within dlopen(), and those of the program that heddle starts, never fail. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's own functions, under names that need no look-up by dlsym(). */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static bool counts;
/* in dlopen(): glibc's loader does not survive failed allocations */
static _Thread_local bool loading;
static unsigned long fail_at;
static atomic_ulong calls;
static const char *count_file;

static bool fails(void) {
    if (!counts || loading) return false;
    return atomic_fetch_add(&calls, 1) + 1 == fail_at;
}

/* The program's main(). Counting begins with it: Heddle cannot handle what libraries allocate
 * before. */
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

typedef void *open_fn(const char *file, int mode);
void *dlopen(const char *file, int mode) {
    union {
        void *data;
        open_fn *function;
    } next = {dlsym(RTLD_NEXT, "dlopen")};
    loading = true;
    void *library = next.function(file, mode);
    loading = false;
    return library;
}

__attribute__((destructor)) static void end(void) {
    char text[32];
    if (!counts || !count_file) return;
    int n = snprintf(text, sizeof text, "%lu\n", atomic_load(&calls));
    int fd = open(count_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) return;
    if (write(fd, text, (size_t)n) != n) unlink(count_file);
    close(fd);
}

void *malloc(size_t bytes) {
    if (!fails()) return __libc_malloc(bytes);
    errno = ENOMEM;
    return NULL;
}
void *calloc(size_t n, size_t size) {
    if (!fails()) return __libc_calloc(n, size);
    errno = ENOMEM;
    return NULL;
}
void *realloc(void *block, size_t bytes) {
    if (!fails()) return __libc_realloc(block, bytes);
    errno = ENOMEM;
    return NULL;
}
void *aligned_alloc(size_t alignment, size_t bytes) {
    if (!fails()) return __libc_memalign(alignment, bytes);
    errno = ENOMEM;
    return NULL;
}
int posix_memalign(void **out, size_t alignment, size_t bytes) {
    void *p = fails() ? NULL : __libc_memalign(alignment, bytes);
    if (p) *out = p;
    return p ? 0 : ENOMEM;
}
