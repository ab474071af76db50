/* memory.h - memory of the host, and the one policy for running out of it.
 *
 * Small blocks that Heddle itself needs (objects, lists of them, text of messages) come from the
 * functions below, which always return memory: without it they end the process with
 *
 *     heddle: error: out of memory (N bytes for WHAT)
 *
 * and exit status HEDDLE_EXIT_ERROR, as g_malloc() ends it for GLib's own blocks, unless the thread
 * has a way back (rescue.h). Their callers have no branch for NULL.
 *
 * Blocks whose size the user's program, a file or the configuration decides (device memory, a CTA
 * with its shared memory, decoded code, arrays by a parameter) come from malloc() and its kin.
 * Their callers return HEDDLE_ERR_NOMEM, which becomes a CUDA error of the call or a message.
 *
 * Code that the program under test loads (cuda/shim, cuda/bind) uses neither: it never ends the
 * program, and returns cudaErrorMemoryAllocation.
 *
 * Ownership: blocks are freed with free(). Threads: any. */
#ifndef HEDDLE_COMMON_MEMORY_H
#define HEDDLE_COMMON_MEMORY_H

#include <stddef.h>

/* Exit status of the command for an error of Heddle's own (docs/errors.md). */
enum { HEDDLE_EXIT_ERROR = 125 };

/* Takes the thread's way back, else ends the process with the message above. Allocates nothing,
 * runs no exit handlers: other threads may hold locks. `what`: a noun, such as "a CTA"; `bytes`: 0
 * where the number is not known. */
_Noreturn void heddle_out_of_memory(const char *what, size_t bytes);

/* `bytes` zeroed bytes, at least one. */
void *heddle_alloc(size_t bytes, const char *what) __attribute__((malloc, returns_nonnull));

/* `n` zeroed elements of `size` bytes, room for at least one. A product beyond SIZE_MAX counts as
 * out of memory. */
void *heddle_alloc_array(size_t n, size_t size, const char *what)
    __attribute__((malloc, returns_nonnull));

/* `bytes` bytes, not zeroed, at a multiple of `alignment` (a power of two, a multiple of
 * sizeof(void *)). */
void *heddle_alloc_aligned(size_t alignment, size_t bytes, const char *what)
    __attribute__((malloc, returns_nonnull));

/* A copy of a text. */
char *heddle_copy_text(const char *text, const char *what) __attribute__((malloc, returns_nonnull));

/* Room for `need` elements of `size` bytes in a list that grows: returns `list` when *capacity is
 * enough, else a block of at least twice the capacity with the elements of `list`, which is freed.
 * Elements behind the old capacity are not zeroed. Start with NULL and a capacity of 0. */
void *heddle_grow(void *list, size_t *capacity, size_t need, size_t size, const char *what)
    __attribute__((returns_nonnull));

#endif
