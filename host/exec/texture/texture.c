/* texture.c - layout of arrays, and the table of texture and surface objects of a memory.
 *
 * The CUDA layer calls texture_place(), _add(), _drop() and _table_fini() on the server's thread
 * that drives the simulation, while no kernel runs; executors call texture_find() while kernels
 * run, so nothing is locked. A handle is a serial number above INDEX_BITS bits of table index, so
 * that the handle of a destroyed object is never given again. */
#include "exec/texture/texture.h"

#include <stdlib.h>

enum { INDEX_BITS = 20 };

/* Size n of level 0 on a level: halved each time, at least 1. */
static uint32_t halved(uint32_t n, unsigned level) {
    return n >> level ? n >> level : 1;
}

/* Gives an array its layout: fills in the sizes, pitch, slice and base (bytes from the array's
 * start) of every level. `image` has dims, layers, levels, format and the size of level 0. @return
 * bytes of memory. */
uint64_t texture_place(struct texture_image *image) {
    uint32_t texel = texture_texel_bytes(&image->format);
    uint64_t at = 0;
    for (unsigned i = 0; i < image->levels; i++) {
        struct texture_level *v = &image->level[i];
        const struct texture_level *top = &image->level[0];
        v->width = halved(top->width, i);
        v->height = halved(top->height, i);
        v->depth = halved(top->depth, i);
        uint64_t row = (uint64_t)v->width * texel;
        if (image->dims == 1) {
            v->pitch = (row + TEXTURE_GOB_BYTES - 1) / TEXTURE_GOB_BYTES * TEXTURE_GOB_BYTES;
            v->slice = v->pitch;
        } else {
            uint64_t across = (row + TEXTURE_GOB_WIDTH - 1) / TEXTURE_GOB_WIDTH;
            v->pitch = across * TEXTURE_GOB_BYTES;
            v->slice = (v->height + TEXTURE_GOB_ROWS - 1u) / TEXTURE_GOB_ROWS * v->pitch;
        }
        v->base = at;
        at += v->slice * (image->dims == 3 ? v->depth : image->layers);
    }
    return at;
}

/* Puts an object into a free entry of the table, which owns it from now on and grows when it is
 * full, and sets its handle and *handle. @return HEDDLE_OK, or HEDDLE_ERR_NOMEM (also 2^20
 * objects): it stays the caller's. */
heddle_err texture_add(struct texture_table *table, struct texture *t, uint64_t *handle) {
    uint32_t i = 0;
    while (i < table->count && table->entry[i]) i++;
    if (i == table->count) {
        if (i >> INDEX_BITS) return HEDDLE_ERR_NOMEM;
        uint32_t more = table->count ? 2 * table->count : 64;
        struct texture **grown = realloc(table->entry, more * sizeof(struct texture *));
        if (!grown) return HEDDLE_ERR_NOMEM;
        for (uint32_t k = table->count; k < more; k++) grown[k] = NULL;
        table->entry = grown;
        table->count = more;
    }
    t->handle = *handle = (uint64_t)++table->serial << INDEX_BITS | i;
    table->entry[i] = t;
    return HEDDLE_OK;
}

/* @return the object with exactly this handle, also a destroyed one that has not been dropped yet;
 * NULL: none. Accepts a table of NULL. */
struct texture *texture_find(const struct texture_table *table, uint64_t handle) {
    uint64_t i = handle & ((1u << INDEX_BITS) - 1);
    struct texture *t = table && i < table->count ? table->entry[i] : NULL;
    return t && t->handle == handle ? t : NULL;
}

/* Frees the device's objects that no launch can use any more: ends_at is at most `done`. */
void texture_drop(struct texture_table *table, uint32_t device, uint64_t done) {
    for (uint32_t i = 0; i < table->count; i++) {
        struct texture *t = table->entry[i];
        if (!t || t->device != device || t->ends_at > done) continue;
        free(t);
        table->entry[i] = NULL;
    }
}

/* Frees all objects and the entries; leaves the table empty. */
void texture_table_fini(struct texture_table *table) {
    for (uint32_t i = 0; i < table->count; i++) free(table->entry[i]);
    free(table->entry);
    *table = (struct texture_table){0};
}
