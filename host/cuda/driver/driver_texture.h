/* driver_texture.h - the driver API's descriptors of textures and surfaces, for objects
 * (driver_texture.c) and references (driver_reference.c). */
#ifndef HEDDLE_CUDA_DRIVER_DRIVER_TEXTURE_H
#define HEDDLE_CUDA_DRIVER_DRIVER_TEXTURE_H

#include "cuda/driver/driver.h"
#include "cuda/shim/shim_descs.h"

/* CUDA_RESOURCE_DESC: the memory or array behind a texture or surface. */
struct driver_resource {
    int type; /* SHIM_RESOURCE_... */
    union {
        void *array; /* handle of an array or mipmapped array */
        struct {
            void *address;
            int format;           /* CUarray_format */
            unsigned channels;    /* 1, 2 or 4 */
            size_t width;         /* linear: bytes; pitched: texels */
            size_t height, pitch; /* pitched: rows, bytes from row to row */
        } memory;
        int reserved[32];
    } of;
    unsigned flags;
};

/* CUDA_TEXTURE_DESC: how a texture is read. The members are CUDA's, in its order. */
struct driver_texture {
    int address[3], filter; /* address: by dimension */
    unsigned flags, anisotropy;
    int mip_filter;
    float lod_bias, lod_min, lod_max, border[4];
    int reserved[12];
};
enum { /* flags of a texture, and of a reference */
       DRIVER_READ_AS_INTEGER = 1,
       DRIVER_NORMALIZED_COORDINATES = 2,
       DRIVER_SRGB = 0x10,
       DRIVER_NO_TRILINEAR_TRICKS = 0x20,
       DRIVER_SEAMLESS = 0x40,
       DRIVER_TEXTURE_FLAGS = DRIVER_READ_AS_INTEGER | DRIVER_NORMALIZED_COORDINATES | DRIVER_SRGB |
                              DRIVER_NO_TRILINEAR_TRICKS | DRIVER_SEAMLESS,
};

/* Turns the program's descriptors into the form that the server reads, `d`. `t` is NULL for a
 * surface. Prints an unsupported format with the name of the call `id`. Asks the server for an
 * array's format, which counts as no call. Any thread may call it. @return cudaError_t. */
int driver_read_descs(enum cuda_call_id id, const struct driver_resource *r,
                      const struct driver_texture *t, struct shim_descs *d);

#endif
