/* shim_descs.h - descriptors of textures and surfaces, in the form that the server reads. It
 * equals the runtime's, so shim_texture.c copies the program's bytes; driver_texture.c translates.
 */
#ifndef HEDDLE_CUDA_SHIM_SHIM_DESCS_H
#define HEDDLE_CUDA_SHIM_SHIM_DESCS_H

#include "cuda/shim/shim.h"

/* cudaResourceType. The bytes of cudaResourceDesc, cudaTextureDesc (OLD: in CUDA 11) and
 * cudaResourceViewDesc. */
enum { SHIM_RESOURCE_ARRAY, SHIM_RESOURCE_MIPMAPPED, SHIM_RESOURCE_LINEAR, SHIM_RESOURCE_PITCHED };
enum {
    SHIM_RESOURCE_BYTES = 64,
    SHIM_TEXTURE_BYTES = 72,
    SHIM_OLD_TEXTURE_BYTES = 68,
    SHIM_VIEW_BYTES = 48
};

/* The payload of a call that creates or binds. Must match the server's reader (calls_texture.c). */
struct shim_descs {
    union {
        struct {
            int type, pad;
            const void *address; /* or the handle of an array */
            struct shim_channels channels;
            int pad2;
            size_t width, height, pitch; /* linear: width is bytes; pitched: texels, rows, bytes */
        };
        unsigned char bytes[SHIM_RESOURCE_BYTES];
    } resource;
    union {
        struct {
            int address[3], filter, read_mode, srgb;
            float border[4];
            int normalized;
            unsigned anisotropy;
            int mip_filter;
            float lod_bias, lod_min, lod_max;
            int no_trilinear_tricks, seamless;
        };
        unsigned char bytes[SHIM_TEXTURE_BYTES];
    } texture;
    unsigned char view[SHIM_VIEW_BYTES];
};
_Static_assert(sizeof(struct shim_descs) ==
                   SHIM_RESOURCE_BYTES + SHIM_TEXTURE_BYTES + SHIM_VIEW_BYTES,
               "no gaps");

/* Sets the descriptors as the call's payload; they must stay until the call is made. Replaces an
 * address in registered memory by the server's, in `d` (shim_translate). */
static inline void shim_send_descs(struct shim_call *call, struct shim_descs *d) {
    if (d->resource.type == SHIM_RESOURCE_LINEAR || d->resource.type == SHIM_RESOURCE_PITCHED)
        d->resource.address = shim_translate(d->resource.address);
    call->source = (struct shim_rows){.base = d};
    call->payload_bytes = sizeof *d;
}

#endif
