/* texture_object.h - texture and surface objects, and bound references. An object is an entry of
 * server.textures, which executors read (exec/texture/texture.h). The program's list keeps its
 * descriptors for queries. A bound reference is an object whose handle is in the module's texture
 * bank; every launch copies the bank. */
#ifndef HEDDLE_CUDA_OBJECT_TEXTURE_OBJECT_H
#define HEDDLE_CUDA_OBJECT_TEXTURE_OBJECT_H

#include "cuda/object/array.h"

/* The structures of the runtime, in its layout, as far as Heddle reads them. */
struct resource_desc { /* cudaResourceDesc */
    int32_t type, pad;
    union {
        uint64_t array;
        struct {
            uint64_t address;
            struct channel_desc channels;
            uint32_t pad;
            uint64_t width, height, pitch; /* linear: bytes in width */
        } memory;
    };
};
struct texture_desc { /* cudaTextureDesc */
    int32_t address[3], filter, read_mode, srgb;
    float border[4];
    int32_t normalized;
    uint32_t anisotropy;
    int32_t mip_filter;
    float lod_bias, lod_min, lod_max;
    int32_t no_trilinear_tricks, seamless;
};
struct view_desc { /* cudaResourceViewDesc */
    int32_t format, pad;
    uint64_t width, height, depth;
    uint32_t first_level, last_level, first_layer, last_layer;
};
struct texture_descs { /* a call's payload */
    struct resource_desc resource;
    struct texture_desc texture;
    struct view_desc view;
};
_Static_assert(sizeof(struct resource_desc) == 64 && sizeof(struct texture_desc) == 72 &&
                   sizeof(struct view_desc) == 48,
               "as the runtime lays them out");

/* An object of a program, with its descriptors. */
struct texture_object {
    uint64_t handle; /* of its entry of server.textures */
    bool surface, has_view;
    struct texture_descs descs;
};

/* NULL: no such object. */
struct texture_object *texture_object_find(const struct program *p, uint64_t handle, bool surface);
/* Creates an object on the current device, in program.textures and server.textures. Also frees
 * entries of server.textures that ended and are no longer in use. Reports what is not supported on
 * standard error. @return cudaError_t. */
int texture_object_create(struct call *call, const struct texture_descs *d, bool surface,
                          bool has_view, uint64_t *handle);
/* Ends an object: later launches cannot use it. @return false: no such object. */
bool texture_object_destroy(struct server *s, struct program *p, uint64_t handle, bool surface);
/* Ends all objects and bound references of a program. */
void texture_objects_end(struct server *s, struct program *p);

/* Binds a texture or surface reference, the program's symbol `id`; d NULL: unbinds it. Loads its
 * module. @return cudaError_t. */
int texture_reference_bind(struct call *call, uint64_t id, bool surface,
                           const struct texture_descs *d);

#endif
