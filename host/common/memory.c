/* memory.c - see memory.h. Each function allocates with libc and ends the process without memory;
 * there is no other state. */
#include "common/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GROW_FIRST = 8 }; /* elements of a list that was empty */

/* Writes the message to standard error and ends the process with _exit(). */
void heddle_out_of_memory(const char *what, size_t bytes) {
    char text[200];
    int n = bytes ? snprintf(text, sizeof text, "heddle: error: out of memory (%zu bytes for %s)\n",
                             bytes, what)
                  : snprintf(text, sizeof text, "heddle: error: out of memory (for %s)\n", what);
    if (n > (int)sizeof text - 1) n = (int)sizeof text - 1;
    /* If standard error is closed, the exit status alone reports the error. */
    if (write(STDERR_FILENO, text, (size_t)n) < 0) _exit(HEDDLE_EXIT_ERROR);
    _exit(HEDDLE_EXIT_ERROR);
}

/* Zeroed bytes; never NULL. `what` names them in the message. The caller frees. */
void *heddle_alloc(size_t bytes, const char *what) {
    void *p = calloc(1, bytes ? bytes : 1);
    if (!p) heddle_out_of_memory(what, bytes);
    return p;
}

/* Zeroed elements; an overflow of the product ends the process, too. */
void *heddle_alloc_array(size_t n, size_t size, const char *what) {
    void *p = calloc(n ? n : 1, size);
    if (!p) heddle_out_of_memory(what, size && n > SIZE_MAX / size ? SIZE_MAX : n * size);
    return p;
}

/* Bytes that are not zeroed, aligned; free() frees them. */
void *heddle_alloc_aligned(size_t alignment, size_t bytes, const char *what) {
    void *p;
    if (posix_memalign(&p, alignment, bytes)) heddle_out_of_memory(what, bytes);
    return p;
}

char *heddle_copy_text(const char *text, const char *what) {
    size_t bytes = strlen(text) + 1;
    return memcpy(heddle_alloc(bytes, what), text, bytes);
}

/* Makes room in a growing list: doubles it with realloc() when `need` elements exceed *capacity. */
void *heddle_grow(void *list, size_t *capacity, size_t need, size_t size, const char *what) {
    if (need <= *capacity && list) return list;
    size_t more = *capacity ? 2 * *capacity : GROW_FIRST;
    if (more < need) more = need;
    void *p = size && more > SIZE_MAX / size ? NULL : realloc(list, more * size);
    if (!p) heddle_out_of_memory(what, size && more > SIZE_MAX / size ? SIZE_MAX : more * size);
    *capacity = more;
    return p;
}
