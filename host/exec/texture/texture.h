/* texture.h - texture and surface objects as the executor reads them: place and format of the
 * texels, and the sampler that turns coordinates into a value.
 *
 * The CUDA layer (host/cuda/object) makes objects and puts them into a table that the memory points
 * to (memory/device_memory.h); a kernel names them by 64-bit handles. Linear memory and pitched
 * memory hold texels as the program laid them out. An array is laid out by texture_place(): blocks
 * of 64 bytes by 8 rows, in them sectors of 16 bytes by 2 rows, so that neighbours in two
 * dimensions share lines; layers, faces of a cube and slices of a volume follow each other.
 *
 * Threads: the thread that drives the simulation adds and removes objects while no kernel runs;
 * executors only read. */
#ifndef HEDDLE_EXEC_TEXTURE_H
#define HEDDLE_EXEC_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

enum { TEXTURE_MAX_LEVELS = 16, TEXTURE_FACES = 6 };
/* A block of an array: bytes across, rows, bytes in all. */
enum { TEXTURE_GOB_WIDTH = 64, TEXTURE_GOB_ROWS = 8, TEXTURE_GOB_BYTES = 512 };

/* Numbers as CUDA's: cudaChannelFormatKind, cudaTextureAddressMode. */
enum texture_kind { TEXTURE_SIGNED, TEXTURE_UNSIGNED, TEXTURE_FLOAT };
enum texture_address { TEXTURE_WRAP, TEXTURE_CLAMP, TEXTURE_MIRROR, TEXTURE_BORDER };
enum texture_layout { TEXTURE_LINEAR, TEXTURE_PITCHED, TEXTURE_ARRAY };

/* A texel: 1, 2 or 4 channels of 8, 16 or 32 bits. */
struct texture_format {
    uint8_t kind, channels, bits; /* enum texture_kind; number; of a channel */
};
static inline uint32_t texture_texel_bytes(const struct texture_format *f) {
    return f->channels * f->bits / 8u;
}

/* Place and size of one mipmap level. */
struct texture_level {
    uint64_t base;                 /* device address of texel (0, 0, 0) */
    uint32_t width, height, depth; /* texels; 1 where there is no such dimension */
    uint64_t pitch;                /* bytes from row to row (array: from row of blocks to row) */
    uint64_t slice;                /* bytes from slice, layer or face to the next */
};

/* The memory that holds the texels. */
struct texture_image {
    uint8_t layout; /* enum texture_layout */
    uint8_t dims;   /* dimensions of a layer or face: 1, 2, 3 */
    bool layered, cube;
    struct texture_format format;
    uint32_t layers; /* cubes count six faces each; 1 when neither layered nor a cube */
    uint32_t levels; /* 1: no mipmaps */
    struct texture_level level[TEXTURE_MAX_LEVELS];
};

/* How coordinates become a value: CUDA's texture descriptor. */
struct texture_sampler {
    uint8_t address[3];      /* enum texture_address */
    bool linear, mip_linear; /* filter within a level, between levels */
    bool normalized;         /* coordinates count from 0 to 1 */
    bool normalized_float;   /* integers are read as fractions of their range */
    bool srgb;
    float border[4]; /* border colour; of integers, their bits */
    float lod_bias, lod_min, lod_max;
};

/* A texture or surface object. */
struct texture {
    uint64_t handle;
    bool surface; /* else a texture */
    struct texture_image image;
    struct texture_sampler sampler;
    /* Launches with this number and higher ones may not use it; UINT64_MAX while it lives. */
    uint64_t ends_at;
    uint32_t device; /* the device whose launches ends_at counts */
};

/* All objects of a memory; begins as zeros. Owns them. */
struct texture_table {
    struct texture **entry; /* [count], NULL: free */
    uint32_t count, serial; /* serial: objects added so far, the upper part of handles */
};

/* Gives an array its layout: fills pitch and slice of every level, with `base` as the offset from
 * the array's first byte. `image` has dims, layers, levels, format and the size of level 0; the
 * sizes of the others are set too. @return bytes of memory. */
uint64_t texture_place(struct texture_image *image);

/* What byte x of a row, and row y, add to the offset of a texel. */
static inline uint64_t texture_column(const struct texture_image *image, uint64_t x) {
    if (image->layout != TEXTURE_ARRAY || image->dims == 1) return x;
    uint32_t byte = x % TEXTURE_GOB_WIDTH;
    return x / TEXTURE_GOB_WIDTH * TEXTURE_GOB_BYTES + byte / 32 * 256 + byte % 32 / 16 * 32 +
           byte % 16;
}
static inline uint64_t texture_row(const struct texture_image *image,
                                   const struct texture_level *level, uint32_t y) {
    if (image->layout != TEXTURE_ARRAY || image->dims == 1) return y * level->pitch;
    uint32_t row = y % TEXTURE_GOB_ROWS;
    return y / TEXTURE_GOB_ROWS * level->pitch + row / 2 * 64 + row % 2 * 16;
}
/* Offset of byte x of row y from the level's base; z counts slices, layers or faces. */
static inline uint64_t texture_offset(const struct texture_image *image,
                                      const struct texture_level *level, uint64_t x, uint32_t y,
                                      uint32_t z) {
    return z * level->slice + texture_row(image, level, y) + texture_column(image, x);
}

/* Adds an object and sets its handle and *handle, which is never 0 and never one given before. The
 * table takes the object over. @return HEDDLE_ERR_NOMEM: it stays the caller's. */
heddle_err texture_add(struct texture_table *table, struct texture *t, uint64_t *handle);
/* @return the object of a handle, also a destroyed one that has not been dropped yet; NULL:
 * none. */
struct texture *texture_find(const struct texture_table *table, uint64_t handle);
/* Frees objects of the device whose ends_at is at most `done`. */
void texture_drop(struct texture_table *table, uint32_t device, uint64_t done);
/* Frees all objects and the table's memory; leaves the table empty. */
void texture_table_fini(struct texture_table *table);

#endif
