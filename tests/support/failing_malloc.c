/* failing_malloc.c - a library, preloaded into `heddle`, in which the n-th allocation fails.
 *
 * HEDDLE_TEST_FAIL_AT=N makes the N-th call of malloc() and related functions fail (1 is the first
 * one in main()). HEDDLE_TEST_COUNT=FILE writes the number of calls to FILE at exit. Only the
 * process whose program is called "heddle" counts calls and lets them fail, between fork() and
 * exec() too. Calls within dlopen(), and those of the program that heddle starts, never fail. */
#define _GNU_SOURCE
#define COUNT_MODE O_TRUNC
#include "counted_main.h"

/* glibc's own functions, under names that need no look-up by dlsym(). */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

/* in dlopen(): glibc's loader does not survive failed allocations */
static _Thread_local bool loading;

static bool fails(void) {
    if (!counts || loading) return false;
    return atomic_fetch_add(&calls, 1) + 1 == fail_at;
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
