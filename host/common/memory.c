/* memory.c - allocation that ends the process when memory is out, or takes the thread's way back;
 * policy and contracts in memory.h and rescue.h. Code outside the program under test calls it, on
 * any thread. Each function allocates with libc, never returns NULL, and keeps no state but the
 * thread's way back; the caller frees with free(). `what` names the block in the message. */
#include "common/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/rescue.h"

enum { GROW_FIRST = 8 }; /* elements of a list that was empty */

/* The thread's way back, or NULL. */
static _Thread_local struct heddle_rescue *rescue;

struct heddle_rescue *heddle_rescue_set(struct heddle_rescue *r) {
    struct heddle_rescue *before = rescue;
    rescue = r;
    return before;
}

struct heddle_rescue *heddle_rescue_get(void) {
    return rescue;
}

/* Takes the thread's way back, if it has one. Else writes the message to standard error and ends
 * the process with _exit(HEDDLE_EXIT_ERROR). Allocates nothing and runs no exit handlers. `bytes`
 * 0: not known. */
void heddle_out_of_memory(const char *what, size_t bytes) {
    if (rescue) {
        rescue->what = what;
        rescue->bytes = bytes;
        longjmp(rescue->back, 1);
    }
    char text[200];
    int n = bytes ? snprintf(text, sizeof text, "heddle: error: out of memory (%zu bytes for %s)\n",
                             bytes, what)
                  : snprintf(text, sizeof text, "heddle: error: out of memory (for %s)\n", what);
    if (n > (int)sizeof text - 1) n = (int)sizeof text - 1;
    /* If standard error is closed, the exit status alone reports the error. */
    if (write(STDERR_FILENO, text, (size_t)n) < 0) _exit(HEDDLE_EXIT_ERROR);
    _exit(HEDDLE_EXIT_ERROR);
}

/* `bytes` zeroed bytes, at least one. */
void *heddle_alloc(size_t bytes, const char *what) {
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p) heddle_out_of_memory(what, bytes);
    return p;
}

/* `n` zeroed elements of `size` bytes, at least one; an overflow of the product ends the process,
 * too. */
void *heddle_alloc_array(size_t n, size_t size, const char *what) {
    void *p = calloc(n ? n : 1, size);
    if (!p) heddle_out_of_memory(what, size && n > SIZE_MAX / size ? SIZE_MAX : n * size);
    return p;
}

/* `bytes` bytes that are not zeroed, at a multiple of `alignment` (a power of two, a multiple of
 * sizeof(void *)). */
void *heddle_alloc_aligned(size_t alignment, size_t bytes, const char *what) {
    void *p;
    if (posix_memalign(&p, alignment, bytes)) heddle_out_of_memory(what, bytes);
    return p;
}

char *heddle_copy_text(const char *text, const char *what) {
    size_t bytes = strlen(text) + 1;
    return memcpy(heddle_alloc(bytes, what), text, bytes);
}

/* Makes room for `need` elements of `size` bytes in a growing list: @return `list` if *capacity is
 * enough, else a block of at least twice the capacity from realloc(), which frees the old one;
 * *capacity is then raised. New elements are not zeroed. Start with NULL and 0. */
void *heddle_grow(void *list, size_t *capacity, size_t need, size_t size, const char *what) {
    if (need <= *capacity && list) return list;
    size_t more = *capacity ? 2 * *capacity : GROW_FIRST;
    if (more < need) more = need;
    void *p = size && more > SIZE_MAX / size ? NULL : realloc(list, more * size);
    if (!p) heddle_out_of_memory(what, size && more > SIZE_MAX / size ? SIZE_MAX : more * size);
    *capacity = more;
    return p;
}
