/* arena.c - memory that is released all at once; contracts in arena.h. A compilation has two
 * arenas: its work space (the PTX parser and compiler), which ends with it, and that of the module
 * it makes (mir_module.c), which lives as long as the module. One thread at a time uses an arena.
 * Chunks come from heddle_alloc(), each twice as large as the one before up to 8 MiB; arena_free()
 * alone returns them. Out of memory ends the process. */
#include "common/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/memory.h"

enum { ARENA_ALIGN = 16, ARENA_FIRST = 64 << 10, ARENA_LARGEST = 8 << 20 }; /* bytes */

static const char PURPOSE[] = "a compilation";

/* The header of a chunk; its data follow. */
struct arena_chunk {
    struct arena_chunk *next;
    size_t size; /* bytes of data behind the header */
};

_Static_assert(sizeof(struct arena_chunk) % ARENA_ALIGN == 0, "data must start aligned");

/* Asks for large pages where the system gives them on request only: a compilation touches most of a
 * chunk once, and the faults of small pages would take a sixth of its time. */
static void take_large_pages(void *chunk, size_t bytes) {
    enum { PAGE = 4096 };
    const uintptr_t first = ((uintptr_t)chunk + PAGE - 1) / PAGE * PAGE;
    const uintptr_t end = ((uintptr_t)chunk + bytes) / PAGE * PAGE;
    if (end > first) madvise((void *)first, end - first, MADV_HUGEPAGE); /* a hint: may fail */
}

void arena_init(struct arena *a) {
    memset(a, 0, sizeof *a);
}

/* @return `bytes` zeroed bytes (at least 16), aligned to 16: from the newest chunk, or from a
 * further one. Never NULL. */
void *arena_alloc(struct arena *a, size_t bytes) {
    if (bytes > SIZE_MAX / 4) heddle_out_of_memory(PURPOSE, bytes);
    bytes = (bytes + (bytes == 0) + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (!a->chunks || a->chunks->size - a->used < bytes) {
        size_t size = a->chunks ? 2 * a->chunks->size : ARENA_FIRST;
        if (size > ARENA_LARGEST) size = ARENA_LARGEST;
        if (size < bytes) size = bytes;
        /* calloc: fresh pages come zeroed from the system at no cost */
        struct arena_chunk *c = heddle_alloc(sizeof *c + size, PURPOSE);
        if (size >= ARENA_LARGEST) take_large_pages(c, sizeof *c + size);
        c->size = size;
        c->next = a->chunks;
        a->chunks = c;
        a->used = 0;
        a->total += size;
    }
    char *data = (char *)(a->chunks + 1);
    void *p = data + a->used;
    a->used += bytes;
    return p;
}

/* @return `n` zeroed elements of `size` bytes; an overflow of the product counts as out of
 * memory. */
void *arena_array(struct arena *a, size_t n, size_t size) {
    if (size && n > SIZE_MAX / 4 / size) heddle_out_of_memory(PURPOSE, SIZE_MAX);
    return arena_alloc(a, n * size);
}

/* @return a new block of the arena for new_n >= old_n elements of `size` bytes, with the first
 * old_n copied from `old` and the rest zeroed. The old block stays until arena_free(). */
void *arena_grow(struct arena *a, const void *old, size_t old_n, size_t new_n, size_t size) {
    void *p = arena_array(a, new_n, size);
    if (old_n) memcpy(p, old, old_n * size);
    return p;
}

/* Frees all chunks; the arena is empty again. */
void arena_free(struct arena *a) {
    for (struct arena_chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    arena_init(a);
}
