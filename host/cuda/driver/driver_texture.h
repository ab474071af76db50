/* driver_texture.h - the driver API's descriptors of textures and surfaces, for objects
 * (driver_texture.c) and references (driver_reference.c). */
#ifndef HEDDLE_CUDA_DRIVER_DRIVER_TEXTURE_H
#define HEDDLE_CUDA_DRIVER_DRIVER_TEXTURE_H

#include "cuda/driver/driver.h"
#include "cuda/shim/shim_descs.h"

/* CUDA_RESOURCE_DESC */
struct driver_resource {
    int type;
    union {
        void *array;
        struct {
            void *address;
            int format;
            unsigned channels;
            size_t width; /* linear: bytes */
            size_t height, pitch;
        } memory;
        int reserved[32];
    } of;
    unsigned flags;
};

/* CUDA_TEXTURE_DESC */
struct driver_texture {
    int address[3], filter;
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

/* Turns the descriptors into the form that the server reads. `t` is NULL for a surface. Asks the
 * server for an array's format, which counts as no call. @return cudaError_t. */
int driver_read_descs(enum cuda_call_id id, const struct driver_resource *r,
                      const struct driver_texture *t, struct shim_descs *d);

#endif
