/* ptx_arena.c - chunks of doubling size, never returned one by one. */
#include "ptx/ptx_arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_ALIGN = 16, ARENA_FIRST = 64 << 10, ARENA_LARGEST = 8 << 20 };

struct ptx_arena_chunk {
    struct ptx_arena_chunk *next;
    size_t size; /* bytes of data behind the header */
};

_Static_assert(sizeof(struct ptx_arena_chunk) % ARENA_ALIGN == 0, "data must start aligned");

static void arena_out_of_memory(size_t bytes)
{
    fprintf(stderr, "heddle: out of memory while compiling PTX (%zu bytes more)\n", bytes);
    abort();
}

void ptx_arena_init(struct ptx_arena *a)
{
    memset(a, 0, sizeof *a);
}

void *ptx_arena_alloc(struct ptx_arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 4) arena_out_of_memory(bytes);
    bytes = (bytes + (bytes == 0) + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (!a->chunks || a->chunks->size - a->used < bytes) {
        size_t size = a->chunks ? 2 * a->chunks->size : ARENA_FIRST;
        if (size > ARENA_LARGEST) size = ARENA_LARGEST;
        if (size < bytes) size = bytes;
        /* calloc: fresh pages come zeroed from the system at no cost */
        struct ptx_arena_chunk *c = calloc(1, sizeof *c + size);
        if (!c) arena_out_of_memory(size);
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

void *ptx_arena_array(struct ptx_arena *a, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / 4 / size) arena_out_of_memory(SIZE_MAX);
    return ptx_arena_alloc(a, n * size);
}

void *ptx_arena_grow(struct ptx_arena *a, const void *old, size_t old_n, size_t new_n, size_t size)
{
    void *p = ptx_arena_array(a, new_n, size);
    if (old_n) memcpy(p, old, old_n * size);
    return p;
}

void ptx_arena_free(struct ptx_arena *a)
{
    for (struct ptx_arena_chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    ptx_arena_init(a);
}
