/* array.h - CUDA arrays of a program.
 *
 * An array is device memory with a layout of its own (exec/texture/texture.h). Its handle is
 * (number + 1) * ARRAY_STEP + bytes of a texel, so that the shim can size copies without asking. */
#ifndef HEDDLE_CUDA_OBJECT_ARRAY_H
#define HEDDLE_CUDA_OBJECT_ARRAY_H

#include "cuda/base/context.h"
#include "exec/texture/texture.h"

enum { ARRAY_STEP = 4096 };
enum { /* cudaArray* flags */
       ARRAY_LAYERED = 1,
       ARRAY_SURFACE = 2,
       ARRAY_CUBEMAP = 4,
       ARRAY_GATHER = 8,
};

/* cudaChannelFormatDesc */
struct channel_desc {
    int32_t bits[4], kind;
};

/* An array, or a level of a mipmapped one. */
struct array {
    unsigned device;
    uint64_t memory, bytes; /* allocation; bytes 0: a level of another array */
    struct channel_desc channels;
    uint64_t extent[3]; /* as the program gave it */
    uint32_t flags;
    struct texture_image image; /* level bases are addresses */
    uint64_t parent, level;     /* of a level: handle of the mipmapped array, number */
};

/* @return NULL: no such array (any more). */
struct array *array_find(const struct program *p, uint64_t handle);
/* Bytes of a row of level 0. */
static inline uint64_t array_row(const struct array *a) {
    return (uint64_t)a->image.level[0].width * texture_texel_bytes(&a->image.format);
}
/* Copies bytes of one row of level 0, from byte x on, out of or into device memory. */
void array_read(const struct array *a, uint64_t x, uint64_t y, uint64_t z, uint8_t *to, uint64_t n);
void array_write(const struct array *a, uint64_t x, uint64_t y, uint64_t z, const uint8_t *from,
                 uint64_t n);
/* Fills the format of a channel descriptor. @return false: CUDA has no such format. */
bool array_format(const struct channel_desc *c, struct texture_format *out);

/* Creates an array on the current device and adds it to program.arrays. `extent` as for
 * cudaMalloc3DArray. pool_alloc() provides the memory, so this may drive the simulation. Reports
 * unsupported flags on standard error. @return cudaError_t. */
int array_create(struct call *call, const struct channel_desc *channels, const uint64_t extent[3],
                 uint64_t levels, uint64_t flags, uint64_t *handle);
/* The array of a level of a mipmapped array, created on first use. @return cudaError_t. */
int array_level(struct program *p, uint64_t mipmapped, uint64_t level, uint64_t *handle);
/* Frees its memory and the arrays of its levels. @return false: no such array, or a level. */
bool array_destroy(struct program *p, uint64_t handle);

#endif
