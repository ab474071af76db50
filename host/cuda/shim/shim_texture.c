/* shim_texture.c - the runtime's texture and surface objects, and the texture references of
 * programs compiled by CUDA 11 and older.
 *
 * Runs in the program's process, in libcudart.so.N. Functions with CUDA names implement the runtime
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent; one that is made is noted for the driver API, even if it fails
 * (note_runtime() in shim_call.c). They return a cudaError_t; an error also becomes the thread's
 * last error. An object is a number that the server assigns. Descriptors travel as the payload of
 * the call; an address of memory in them becomes the server's (shim_send_descs).
 *
 * A reference is a structure of the program, registered as a symbol (shim_tables.c). It has the
 * sampler, which the program may change before it binds memory or an array. A lookup takes
 * shim.lock and may send late registrations; what is no reference is cudaErrorInvalidTexture or
 * cudaErrorInvalidSurface. Helpers with an `id` make the call of that number. A NULL pointer is
 * cudaErrorInvalidValue, unless a comment says otherwise. */
#include <string.h>

#include "cuda/shim/shim_descs.h"

enum { ALIGN = 256 }; /* bytes, of the first address of a texture in memory */

/* ---- objects */

/* Makes the call `id`, which creates an object from the program's descriptors: of the resource, of
 * the texture (of `texture_bytes`; NULL for a surface), and of a view (NULL: none). *object: its
 * number, written on success. Copies the descriptors; connects if necessary. */
static int create(enum cuda_call_id id, uint64_t *object, const void *resource, const void *texture,
                  size_t texture_bytes, const void *view) {
    struct shim_descs d;
    memset(&d, 0, sizeof d);
    if (!object || !resource) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = shim_ready();
    if (error) return shim_fail(id, error);
    memcpy(d.resource.bytes, resource, SHIM_RESOURCE_BYTES);
    if (texture) memcpy(d.texture.bytes, texture, texture_bytes);
    if (view) memcpy(d.view, view, SHIM_VIEW_BYTES);
    struct shim_call call = {.id = id, .in = {view != NULL}};
    shim_send_descs(&call, &d);
    error = shim_call(&call);
    if (!error) *object = call.out[0];
    return error;
}

/* In CUDA 11 this name takes a shorter descriptor; the _v2 name takes the whole one. */
SHIM_EXPORT int cudaCreateTextureObject(uint64_t *object, const void *resource, const void *texture,
                                        const void *view);
int cudaCreateTextureObject(uint64_t *object, const void *resource, const void *texture,
                            const void *view) {
    static const enum cuda_call_id id = CALL_cudaCreateTextureObject;
    if (!texture) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    return create(id, object, resource, texture,
                  HEDDLE_CUDART_VERSION == 11 ? SHIM_OLD_TEXTURE_BYTES : SHIM_TEXTURE_BYTES, view);
}
#if HEDDLE_CUDART_VERSION <= 12
SHIM_EXPORT int cudaCreateTextureObject_v2(uint64_t *object, const void *resource,
                                           const void *texture, const void *view);
int cudaCreateTextureObject_v2(uint64_t *object, const void *resource, const void *texture,
                               const void *view) {
    static const enum cuda_call_id id = CALL_cudaCreateTextureObject_v2;
    if (!texture) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    return create(id, object, resource, texture, SHIM_TEXTURE_BYTES, view);
}
#endif

/* *object: the number of a new surface object. */
SHIM_EXPORT int cudaCreateSurfaceObject(uint64_t *object, const void *resource);
int cudaCreateSurfaceObject(uint64_t *object, const void *resource) {
    return create(CALL_cudaCreateSurfaceObject, object, resource, NULL, 0, NULL);
}

/* Makes the call `id`, which fills the program's descriptor `out`, of `bytes`, from that of the
 * object. */
static int ask(enum cuda_call_id id, void *out, size_t bytes, uint64_t object) {
    struct shim_call call = {
        .id = id, .in = {object, bytes}, .target = {.base = out}, .target_bytes = bytes};
    return out ? shim_call(&call) : shim_fail(id, HEDDLE_cudaErrorInvalidValue);
}

/* These write the descriptor with which the object was created. */
SHIM_EXPORT int cudaGetTextureObjectResourceDesc(void *out, uint64_t object);
int cudaGetTextureObjectResourceDesc(void *out, uint64_t object) {
    return ask(CALL_cudaGetTextureObjectResourceDesc, out, SHIM_RESOURCE_BYTES, object);
}
SHIM_EXPORT int cudaGetTextureObjectTextureDesc(void *out, uint64_t object);
int cudaGetTextureObjectTextureDesc(void *out, uint64_t object) {
    return ask(CALL_cudaGetTextureObjectTextureDesc, out,
               HEDDLE_CUDART_VERSION == 11 ? SHIM_OLD_TEXTURE_BYTES : SHIM_TEXTURE_BYTES, object);
}
#if HEDDLE_CUDART_VERSION <= 12
SHIM_EXPORT int cudaGetTextureObjectTextureDesc_v2(void *out, uint64_t object);
int cudaGetTextureObjectTextureDesc_v2(void *out, uint64_t object) {
    return ask(CALL_cudaGetTextureObjectTextureDesc_v2, out, SHIM_TEXTURE_BYTES, object);
}
#endif
SHIM_EXPORT int cudaGetTextureObjectResourceViewDesc(void *out, uint64_t object);
int cudaGetTextureObjectResourceViewDesc(void *out, uint64_t object) {
    return ask(CALL_cudaGetTextureObjectResourceViewDesc, out, SHIM_VIEW_BYTES, object);
}
SHIM_EXPORT int cudaGetSurfaceObjectResourceDesc(void *out, uint64_t object);
int cudaGetSurfaceObjectResourceDesc(void *out, uint64_t object) {
    return ask(CALL_cudaGetSurfaceObjectResourceDesc, out, SHIM_RESOURCE_BYTES, object);
}

/* ---- references */

/* This and the next are calls of the compiler's start-up code, usually before main(). They count
 * the call, allocate a record of the reference `host`, which keeps the pointer `name`, and add it
 * to the table of symbols under shim.lock. Without memory the reference is left out. They send
 * nothing. */
SHIM_EXPORT void __cudaRegisterTexture(void **handle, const void *host, const void **address,
                                       const char *name, int dim, int read_mode, int external);
void __cudaRegisterTexture(void **handle, const void *host, const void **address, const char *name,
                           int dim, int read_mode, int external) {
    (void)address, (void)dim, (void)external;
    shim_local(CALL___cudaRegisterTexture);
    shim_add_reference(handle, host, name, read_mode);
}

SHIM_EXPORT void __cudaRegisterSurface(void **handle, const void *host, const void **address,
                                       const char *name, int dim, int external);
void __cudaRegisterSurface(void **handle, const void *host, const void **address, const char *name,
                           int dim, int external) {
    (void)address, (void)dim, (void)external;
    shim_local(CALL___cudaRegisterSurface);
    shim_add_reference(handle, host, name, 0);
}

#if HEDDLE_CUDART_VERSION == 11

struct texture_reference { /* textureReference */
    int normalized, filter, address[3];
    struct shim_channels channels;
    int srgb;
    unsigned anisotropy;
    int mip_filter;
    float lod_bias, lod_min, lod_max;
    int no_trilinear_tricks, reserved[14];
};

/* Finds a reference's symbol, *s, and reads its sampler from the program's structure into `d`,
 * whose resource stays empty. Connects if necessary, and takes shim.lock. Counts no call. @return
 * cudaError_t: cudaErrorInvalidTexture for what is no reference. */
static int find(const struct texture_reference *r, struct shim_symbol **s, struct shim_descs *d) {
    int error = shim_find_variable(r, s);
    memset(d, 0, sizeof *d);
    if (error)
        return error == HEDDLE_cudaErrorInvalidSymbol ? HEDDLE_cudaErrorInvalidTexture : error;
    memcpy(d->texture.address, r->address, sizeof r->address);
    d->texture.filter = r->filter;
    d->texture.read_mode = (*s)->read_mode;
    d->texture.srgb = r->srgb;
    d->texture.normalized = r->normalized;
    d->texture.anisotropy = r->anisotropy;
    d->texture.mip_filter = r->mip_filter;
    d->texture.lod_bias = r->lod_bias;
    d->texture.lod_min = r->lod_min;
    d->texture.lod_max = r->lod_max;
    return CUDA_SUCCESS;
}

/* Makes the call `id`, one message, which binds the symbol to the resource in `d`. Translates an
 * address of registered memory in `d`. */
static int bind(enum cuda_call_id id, const struct shim_symbol *s, struct shim_descs *d) {
    struct shim_call call = {.id = id, .in = {s->id}};
    shim_send_descs(&call, d);
    return shim_call(&call);
}

/* Makes the call `id`, which binds a reference to memory. `d` has the type and size of the
 * resource; this adds the address and the sampler. A texture begins at an aligned address. *offset
 * and s->offset receive the bytes from there to the program's address, before the binding is sent;
 * a NULL `offset` is cudaErrorInvalidValue unless they are 0. */
static int bind_memory(enum cuda_call_id id, size_t *offset, const struct texture_reference *r,
                       const void *address, const struct shim_channels *c, struct shim_descs *d) {
    struct shim_symbol *s;
    struct shim_descs sampler;
    if (!r || !address || !c) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = find(r, &s, &sampler);
    if (error) return shim_fail(id, error);
    size_t off = (uintptr_t)address % ALIGN;
    if (off && !offset) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    if (offset) *offset = off;
    d->texture = sampler.texture;
    d->resource.address = (const char *)address - off;
    d->resource.channels = *c;
    d->resource.width += d->resource.type == SHIM_RESOURCE_LINEAR ? off : 0;
    s->offset = off;
    return bind(id, s, d);
}

/* Binds linear memory of `bytes`. */
SHIM_EXPORT int cudaBindTexture(size_t *offset, const struct texture_reference *r,
                                const void *address, const struct shim_channels *c, size_t bytes);
int cudaBindTexture(size_t *offset, const struct texture_reference *r, const void *address,
                    const struct shim_channels *c, size_t bytes) {
    struct shim_descs d = {.resource = {{.type = SHIM_RESOURCE_LINEAR, .width = bytes}}};
    return bind_memory(CALL_cudaBindTexture, offset, r, address, c, &d);
}

/* Binds rows of `width` texels, `pitch` bytes apart. */
SHIM_EXPORT int cudaBindTexture2D(size_t *offset, const struct texture_reference *r,
                                  const void *address, const struct shim_channels *c, size_t width,
                                  size_t height, size_t pitch);
int cudaBindTexture2D(size_t *offset, const struct texture_reference *r, const void *address,
                      const struct shim_channels *c, size_t width, size_t height, size_t pitch) {
    struct shim_descs d = {
        .resource = {
            {.type = SHIM_RESOURCE_PITCHED, .width = width, .height = height, .pitch = pitch}}};
    return bind_memory(CALL_cudaBindTexture2D, offset, r, address, c, &d);
}

/* Makes the call `id`, which binds a reference to an array, with the reference's sampler. `type`:
 * SHIM_RESOURCE_ARRAY or SHIM_RESOURCE_MIPMAPPED. Sets s->offset to 0. The format `c` is not used:
 * the array has its own. */
static int bind_array(enum cuda_call_id id, const struct texture_reference *r, const void *array,
                      const struct shim_channels *c, int type) {
    struct shim_symbol *s;
    struct shim_descs d;
    if (!r || !array || !c) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = find(r, &s, &d);
    if (error) return shim_fail(id, error);
    d.resource.type = type;
    d.resource.address = array;
    s->offset = 0;
    return bind(id, s, &d);
}

SHIM_EXPORT int cudaBindTextureToArray(const struct texture_reference *r, const void *array,
                                       const struct shim_channels *c);
int cudaBindTextureToArray(const struct texture_reference *r, const void *array,
                           const struct shim_channels *c) {
    return bind_array(CALL_cudaBindTextureToArray, r, array, c, SHIM_RESOURCE_ARRAY);
}
SHIM_EXPORT int cudaBindTextureToMipmappedArray(const struct texture_reference *r,
                                                const void *array, const struct shim_channels *c);
int cudaBindTextureToMipmappedArray(const struct texture_reference *r, const void *array,
                                    const struct shim_channels *c) {
    return bind_array(CALL_cudaBindTextureToMipmappedArray, r, array, c, SHIM_RESOURCE_MIPMAPPED);
}

/* Removes a reference's binding in the server. NULL is cudaErrorInvalidTexture. */
SHIM_EXPORT int cudaUnbindTexture(const struct texture_reference *r);
int cudaUnbindTexture(const struct texture_reference *r) {
    struct shim_symbol *s;
    struct shim_descs d;
    if (!r) return shim_fail(CALL_cudaUnbindTexture, HEDDLE_cudaErrorInvalidTexture);
    int error = find(r, &s, &d);
    if (error) return shim_fail(CALL_cudaUnbindTexture, error);
    struct shim_call call = {.id = CALL_cudaUnbindTexture, .in = {s->id}};
    return shim_call(&call);
}

/* Binds a surface reference to an array; `c` is ignored, because the array has its own format. What
 * is no reference is cudaErrorInvalidSurface. */
SHIM_EXPORT int cudaBindSurfaceToArray(const void *surface, const void *array,
                                       const struct shim_channels *c);
int cudaBindSurfaceToArray(const void *surface, const void *array, const struct shim_channels *c) {
    static const enum cuda_call_id id = CALL_cudaBindSurfaceToArray;
    struct shim_symbol *s;
    struct shim_descs d;
    (void)c;
    memset(&d, 0, sizeof d);
    int error = shim_find_variable(surface, &s);
    if (error == HEDDLE_cudaErrorInvalidSymbol) error = HEDDLE_cudaErrorInvalidSurface;
    if (error) return shim_fail(id, error);
    d.resource.type = SHIM_RESOURCE_ARRAY;
    d.resource.address = array;
    return bind(id, s, &d);
}

/* *offset: bytes from the texture's aligned address to the program's, as of the last binding.
 * Answered from the symbol's record (s->offset), without a message of its own. */
SHIM_EXPORT int cudaGetTextureAlignmentOffset(size_t *offset, const struct texture_reference *r);
int cudaGetTextureAlignmentOffset(size_t *offset, const struct texture_reference *r) {
    static const enum cuda_call_id id = CALL_cudaGetTextureAlignmentOffset;
    struct shim_symbol *s;
    int error = offset ? shim_find_variable(r, &s) : HEDDLE_cudaErrorInvalidValue;
    if (error)
        return shim_fail(id, error == HEDDLE_cudaErrorInvalidSymbol ? HEDDLE_cudaErrorInvalidTexture
                                                                    : error);
    shim_local(id);
    *offset = s->offset;
    return CUDA_SUCCESS;
}

/* Writes a reference's handle, which is its own address, to *out. Counts the call `id` and sends no
 * message of its own. `missing`: the error if `symbol` is no reference. */
static int reference(enum cuda_call_id id, const void **out, const void *symbol, int missing) {
    struct shim_symbol *s;
    int error = out ? shim_find_variable(symbol, &s) : HEDDLE_cudaErrorInvalidValue;
    if (error) return shim_fail(id, error == HEDDLE_cudaErrorInvalidSymbol ? missing : error);
    shim_local(id);
    *out = symbol;
    return CUDA_SUCCESS;
}
SHIM_EXPORT int cudaGetTextureReference(const void **out, const void *symbol);
int cudaGetTextureReference(const void **out, const void *symbol) {
    return reference(CALL_cudaGetTextureReference, out, symbol, HEDDLE_cudaErrorInvalidTexture);
}
SHIM_EXPORT int cudaGetSurfaceReference(const void **out, const void *symbol);
int cudaGetSurfaceReference(const void **out, const void *symbol) {
    return reference(CALL_cudaGetSurfaceReference, out, symbol, HEDDLE_cudaErrorInvalidSurface);
}

#endif
