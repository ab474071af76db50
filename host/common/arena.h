/* arena.h - memory that is released all at once.
 *
 * Everything that the PTX parser and the compiler build (syntax tree, instructions, live sets)
 * comes from one arena, and ends with the compilation. A module has an arena of its own, which
 * lives as long as the module. Blocks are zeroed and aligned to 16 bytes. Threads: one at a time
 * for an arena; each compilation has its own. */
#ifndef HEDDLE_COMMON_ARENA_H
#define HEDDLE_COMMON_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* An arena; all zeros: empty. */
struct arena {
    struct arena_chunk *chunks; /* newest first; owned */
    size_t used;                /* bytes used of the newest chunk */
    size_t total;               /* bytes obtained from the system */
};

/* An empty arena needs no memory. */
void arena_init(struct arena *a);

/* @return `bytes` zeroed bytes (at least one). Out of memory ends the process (common/memory.h): a
 * PTX module needs a few times its own size, and no caller could go on without it. */
void *arena_alloc(struct arena *a, size_t bytes);

/* `n` zeroed elements of `size` bytes; an overflow of the product counts as out of memory. */
void *arena_array(struct arena *a, size_t n, size_t size);

/* Copies `old_n` elements into a new block for `new_n`; the old block stays until arena_free(). */
void *arena_grow(struct arena *a, const void *old, size_t old_n, size_t new_n, size_t size);

/* Releases everything; the arena is empty and may be used again. */
void arena_free(struct arena *a);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_array((a), (n), sizeof(type)))

/* Appends a zeroed element to a growing arena array and yields a pointer to it. Arguments: the
 * array (a pointer variable or member), its number of elements, and its capacity. */
#define ARENA_PUSH(a, vec, n, cap)                                                              \
    ((n) == (cap) ? ((vec) = arena_grow((a), (vec), (n), (cap) ? 2 * (cap) : 8, sizeof *(vec)), \
                     (cap) = (cap) ? 2 * (cap) : 8, &(vec)[(n)++])                              \
                  : &(vec)[(n)++])

#endif
