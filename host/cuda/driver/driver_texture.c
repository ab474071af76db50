/* driver_texture.c - texture and surface objects, and the descriptors that references share with
 * them (driver_texture.h). The build generates the calls that destroy objects.
 *
 * Runs in the program's process, in libcuda.so.1. Functions with CUDA names implement the driver
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent. Creating a texture of an array sends one or two questions about the array
 * before, which count as no calls (channels_of).
 *
 * Descriptors travel as the call's payload. An object is a number that the server assigns. This
 * file keeps no state and leaves the runtime's last error alone. The functions that read
 * descriptors (driver_reference.c calls driver_read_descs(), too) count no call and return a
 * cudaError_t; create() and the functions with CUDA names return a CUresult. */
#include <string.h>

#include "cuda/driver/driver_texture.h"

/* Fills d->resource from the program's descriptor, with the channels of memory; an array has its
 * own. Prints an unsupported format. Sends nothing. @return cudaError_t: cudaErrorInvalidValue for
 * flags or an unknown type, or an error of driver_channels(). */
static int read_resource(enum cuda_call_id id, const struct driver_resource *r,
                         struct shim_descs *d) {
    d->resource.type = r->type;
    if (r->flags) return HEDDLE_cudaErrorInvalidValue; /* CUDA defines no flags */
    if (r->type == SHIM_RESOURCE_ARRAY || r->type == SHIM_RESOURCE_MIPMAPPED) {
        d->resource.address = r->of.array;
        return CUDA_SUCCESS;
    }
    if (r->type != SHIM_RESOURCE_LINEAR && r->type != SHIM_RESOURCE_PITCHED)
        return HEDDLE_cudaErrorInvalidValue;
    d->resource.address = r->of.memory.address;
    d->resource.width = r->of.memory.width;
    if (r->type == SHIM_RESOURCE_PITCHED) {
        d->resource.height = r->of.memory.height;
        d->resource.pitch = r->of.memory.pitch;
    }
    return driver_channels(id, r->of.memory.format, r->of.memory.channels, &d->resource.channels);
}

/* Finds the channels of the resource in `d` and writes them to *c. Memory has them in its
 * descriptor; an array's form comes from the server, by one message, or two for a mipmapped array,
 * which count as no calls. @return cudaError_t: CUDA_SUCCESS, or why the server cannot tell. */
static int channels_of(const struct shim_descs *d, struct shim_channels *c) {
    struct shim_call info = {.id = CALL_cudaArrayGetInfo, .in = {(uintptr_t)d->resource.address}};
    struct shim_call level = {.id = CALL_cudaGetMipmappedArrayLevel, .in = {info.in[0], 0}};
    int error = CUDA_SUCCESS;
    *c = d->resource.channels;
    if (d->resource.type == SHIM_RESOURCE_LINEAR || d->resource.type == SHIM_RESOURCE_PITCHED)
        return error;
    if (d->resource.type == SHIM_RESOURCE_MIPMAPPED) {
        error = driver_ask(&level);
        info.in[0] = level.out[0];
    }
    if (!error) error = driver_ask(&info);
    if (!error) shim_unpack_channels(info.out[0], c);
    return error;
}

/* True if reads of the texture `t` convert integers to fractions: integers of less than 32 bits,
 * unless the program asks for integers. `c`: the channels of its resource. */
static bool reads_fractions(const struct driver_texture *t, const struct shim_channels *c) {
    enum { FLOAT = 2 };
    return !(t->flags & DRIVER_READ_AS_INTEGER) && c->kind != FLOAT && c->bits[0] < 32;
}

/* Fills d->texture from the program's descriptor `t`, for a resource with the channels `c`, which
 * decide the read mode. Sends nothing. */
static void read_texture(const struct driver_texture *t, const struct shim_channels *c,
                         struct shim_descs *d) {
    enum { ELEMENT_TYPE, NORMALIZED_FLOAT };
    memcpy(d->texture.address, t->address, sizeof t->address);
    d->texture.filter = t->filter;
    d->texture.read_mode = reads_fractions(t, c) ? NORMALIZED_FLOAT : ELEMENT_TYPE;
    d->texture.srgb = (t->flags & DRIVER_SRGB) != 0;
    memcpy(d->texture.border, t->border, sizeof t->border);
    d->texture.normalized = (t->flags & DRIVER_NORMALIZED_COORDINATES) != 0;
    d->texture.anisotropy = t->anisotropy;
    d->texture.mip_filter = t->mip_filter;
    d->texture.lod_bias = t->lod_bias;
    d->texture.lod_min = t->lod_min;
    d->texture.lod_max = t->lod_max;
    d->texture.no_trilinear_tricks = (t->flags & DRIVER_NO_TRILINEAR_TRICKS) != 0;
    d->texture.seamless = (t->flags & DRIVER_SEAMLESS) != 0;
}

/* Clears `d` and fills it from the program's descriptors; `t` is NULL for a surface, and d->view
 * stays empty. For a texture of an array it asks the server (channels_of). Counts no call, and
 * prints an unsupported format with the name of the call `id`. @return cudaError_t:
 * cudaErrorInvalidValue, cudaErrorNotSupported, or an error of the questions. */
int driver_read_descs(enum cuda_call_id id, const struct driver_resource *r,
                      const struct driver_texture *t, struct shim_descs *d) {
    struct shim_channels c;
    memset(d, 0, sizeof *d);
    int error = read_resource(id, r, d);
    if (!error && t) error = channels_of(d, &c);
    if (!error && t) read_texture(t, &c, d);
    return error;
}

/* Makes the call `id`, which creates an object of a resource, for a texture also with how to read
 * it (`t`) and perhaps a view of it (SHIM_VIEW_BYTES, or NULL). *object: the server's number,
 * written on success. Before, asks about a texture's array (driver_read_descs). @return CUresult:
 * cudaErrorInvalidValue for a NULL pointer; errors of the descriptors, counted but not sent. */
static int create(enum cuda_call_id id, uint64_t *object, const struct driver_resource *r,
                  const struct driver_texture *t, const void *view) {
    struct shim_descs d;
    if (!object || !r) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = driver_ready(id);
    if (!error) error = driver_read_descs(id, r, t, &d);
    if (error) return driver_fail(id, error);
    if (view) memcpy(d.view, view, SHIM_VIEW_BYTES);
    struct shim_call call = {.id = id, .in = {view != NULL}};
    shim_send_descs(&call, &d);
    error = driver_call(&call);
    if (!error) *object = call.out[0];
    return error;
}

/* Sends one message, and before it one or two questions if the resource is an array. `view` may be
 * NULL. An unknown flag is cudaErrorInvalidValue. */
SHIM_EXPORT int cuTexObjectCreate(uint64_t *object, const struct driver_resource *r,
                                  const struct driver_texture *t, const void *view);
int cuTexObjectCreate(uint64_t *object, const struct driver_resource *r,
                      const struct driver_texture *t, const void *view) {
    if (!t || t->flags & ~(unsigned)DRIVER_TEXTURE_FLAGS)
        return driver_fail(CALL_cuTexObjectCreate, HEDDLE_cudaErrorInvalidValue);
    return create(CALL_cuTexObjectCreate, object, r, t, view);
}

/* Sends one message. *object: the new object's number. */
SHIM_EXPORT int cuSurfObjectCreate(uint64_t *object, const struct driver_resource *r);
int cuSurfObjectCreate(uint64_t *object, const struct driver_resource *r) {
    return create(CALL_cuSurfObjectCreate, object, r, NULL, NULL);
}
