/* driver_reference.c - texture and surface references: names in a module's PTX (.texref, .surfref)
 * to which a program binds memory or arrays for its kernels.
 *
 * Runs in the program's process, in libcuda.so.1. Functions with CUDA names implement the driver
 * call of that name, on the thread of the program that makes it. A CUtexref or CUsurfref is the
 * address of a struct reference, which is never freed. Each call is counted. All functions return a
 * CUresult, unless a comment says otherwise, and leave the runtime's last error alone. A wrong
 * handle or argument is cudaErrorInvalidValue.
 *
 * This file stores what the program sets. After each change it sends the whole binding to the
 * server, one message for the call, once the reference is complete. For an array, one or two
 * questions about its form go before it, which count as no calls (driver_read_descs). A program may
 * pass through wrong combinations while it sets one value after the other. So the server's error is
 * stored in the reference; the launch of a kernel of the module returns it
 * (driver_check_references), and of the setting calls only those that name an array or a 2D range.
 *
 * `lock` guards the list. A reference's other values have no lock, as in CUDA: the program must not
 * set a reference on two threads at once, or while another launches its module's kernels. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/driver/driver_texture.h"

enum { OVERRIDE_FORMAT = 1, ALIGN = 256 }; /* ALIGN: bytes, of a texture's first address */

struct reference { /* CUtexref, CUsurfref */
    struct reference *next;
    const struct shim_module *module;
    uint64_t id; /* the server's number */
    char *name;
    bool surface, bound, has_format; /* bound: `resource` is set; has_format: `format` is */
    int error;                       /* CUresult of the last attempt to bind */
    int format;                      /* CUarray_format, for linear memory */
    unsigned channels;
    struct driver_resource resource;
    struct driver_texture texture;
};

static struct reference *references; /* one list per process, as for modules */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Finds a reference by its handle, which may be any value. Takes `lock`; sends and counts nothing.
 * @return NULL: no such reference, of another kind, or its module is unloaded. */
static struct reference *find(void *handle, bool surface) {
    pthread_mutex_lock(&lock);
    struct reference *r = references;
    while (r && r != handle) r = r->next;
    pthread_mutex_unlock(&lock);
    return r && !r->module->unloaded && r->surface == surface ? r : NULL;
}

/* ---- finding the references of a module */

/* Finds a reference that the program has asked for before. Takes `lock`. @return NULL: none. */
static struct reference *known(const struct shim_module *m, const char *name, bool surface) {
    pthread_mutex_lock(&lock);
    struct reference *r = references;
    while (r && (r->module != m || r->surface != surface || strcmp(r->name, name) != 0))
        r = r->next;
    pthread_mutex_unlock(&lock);
    return r;
}

/* Makes the call `id`: finds a reference of a module by name and writes its handle to *out. The
 * first time asks the server and adds a new reference, allocated here, to the list under `lock`;
 * later counts the call without a message. A wrong module is cudaErrorInvalidResourceHandle. */
static int get(enum cuda_call_id id, void **out, void *module, const char *name, bool surface) {
    const struct shim_module *m = driver_module(module);
    if (!out || !name) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    if (!m) return driver_fail(id, HEDDLE_cudaErrorInvalidResourceHandle);
    struct reference *r = known(m, name, surface);
    if (r) {
        *out = r;
        return driver_local(id);
    }
    struct shim_call call = {.id = id,
                             .in = {m->id, surface},
                             .source = {.base = (void *)(uintptr_t)name},
                             .payload_bytes = strlen(name) + 1};
    int error = driver_call(&call);
    if (error) return error;
    r = calloc(1, sizeof *r);
    if (r) r->name = strdup(name);
    if (!r || !r->name) {
        free(r);
        return cuda_result(HEDDLE_cudaErrorMemoryAllocation);
    }
    r->module = m;
    r->id = call.out[0];
    r->surface = surface;
    pthread_mutex_lock(&lock);
    r->next = references;
    __atomic_store_n(&references, r, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    *out = r;
    return CUDA_SUCCESS;
}

SHIM_EXPORT int cuModuleGetTexRef(void **out, void *module, const char *name);
int cuModuleGetTexRef(void **out, void *module, const char *name) {
    return get(CALL_cuModuleGetTexRef, out, module, name, false);
}
SHIM_EXPORT int cuModuleGetSurfRef(void **out, void *module, const char *name);
int cuModuleGetSurfRef(void **out, void *module, const char *name) {
    return get(CALL_cuModuleGetSurfRef, out, module, name, true);
}

/* Called before each launch of a kernel of the module, on the launching thread. Takes `lock`, if
 * the program has any references, and sends nothing. @return CUresult: the error that the last
 * attempt to bind a reference of the module stored; of several, the first in the list. */
int driver_check_references(const struct shim_module *m) {
    int error = CUDA_SUCCESS;
    if (!__atomic_load_n(&references, __ATOMIC_ACQUIRE)) return error;
    pthread_mutex_lock(&lock);
    for (const struct reference *r = references; r && !error; r = r->next)
        if (r->module == m) error = r->error;
    pthread_mutex_unlock(&lock);
    return error;
}

/* ---- binding */

/* Makes the call `id`, which has changed the reference. If the binding is complete, sends it to the
 * server and stores the server's error in r->error; otherwise counts the call without a message.
 * @return CUresult: success even if the server refuses the binding, but an error, also stored, for
 * descriptors that driver_read_descs() refuses. */
static int changed(enum cuda_call_id id, struct reference *r) {
    bool memory = r->resource.type == SHIM_RESOURCE_LINEAR;
    int error = driver_ready(id);
    if (error) return driver_fail(id, error);
    if (!r->bound || (memory && !r->has_format)) return driver_local(id);
    if (memory) {
        r->resource.of.memory.format = r->format;
        r->resource.of.memory.channels = r->channels;
    }
    struct shim_descs d;
    error = driver_read_descs(id, &r->resource, r->surface ? NULL : &r->texture, &d);
    if (error) return r->error = driver_fail(id, error);
    struct shim_call call = {.id = id, .in = {r->id}};
    shim_send_descs(&call, &d);
    r->error = driver_call(&call);
    return CUDA_SUCCESS; /* the next launch returns r->error */
}

/* Makes the call `id`, which binds a reference to an array. `type`: SHIM_RESOURCE_... Textures take
 * the flag OVERRIDE_FORMAT, surfaces none. Returns a wrong binding's error at once, which stays in
 * r->error as well. */
static int set_array(enum cuda_call_id id, void *handle, void *array, unsigned flags, int type,
                     bool surface) {
    struct reference *r = find(handle, surface);
    if (!r || !array || flags != (surface ? 0u : OVERRIDE_FORMAT))
        return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    r->resource = (struct driver_resource){.type = type, .of.array = array};
    r->bound = true;
    int error = changed(id, r);
    return error ? error : r->error;
}

SHIM_EXPORT int cuTexRefSetArray(void *handle, void *array, unsigned flags);
int cuTexRefSetArray(void *handle, void *array, unsigned flags) {
    return set_array(CALL_cuTexRefSetArray, handle, array, flags, SHIM_RESOURCE_ARRAY, false);
}
SHIM_EXPORT int cuTexRefSetMipmappedArray(void *handle, void *array, unsigned flags);
int cuTexRefSetMipmappedArray(void *handle, void *array, unsigned flags) {
    static const enum cuda_call_id id = CALL_cuTexRefSetMipmappedArray;
    return set_array(id, handle, array, flags, SHIM_RESOURCE_MIPMAPPED, false);
}
SHIM_EXPORT int cuSurfRefSetArray(void *handle, void *array, unsigned flags);
int cuSurfRefSetArray(void *handle, void *array, unsigned flags) {
    return set_array(CALL_cuSurfRefSetArray, handle, array, flags, SHIM_RESOURCE_ARRAY, true);
}

/* Binds linear memory of `bytes`; the server sees it once cuTexRefSetFormat() has been called. A
 * texture begins at an aligned address. *offset: bytes from there to the program's address, written
 * before the binding is sent; NULL is an error unless they are 0. */
SHIM_EXPORT int cuTexRefSetAddress_v2(size_t *offset, void *handle, void *address, size_t bytes);
int cuTexRefSetAddress_v2(size_t *offset, void *handle, void *address, size_t bytes) {
    static const enum cuda_call_id id = CALL_cuTexRefSetAddress_v2;
    struct reference *r = find(handle, false);
    size_t off = (uintptr_t)address % ALIGN;
    if (!r || !address || !bytes || (off && !offset))
        return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    if (offset) *offset = off;
    r->resource = (struct driver_resource){
        .type = SHIM_RESOURCE_LINEAR,
        .of.memory = {.address = (char *)address - off, .width = bytes + off}};
    r->bound = true;
    return changed(id, r);
}

struct array_shape { /* CUDA_ARRAY_DESCRIPTOR */
    size_t width, height;
    int format;
    unsigned channels;
};

/* Makes the call `id`, which binds a reference to rows in memory, `pitch` bytes apart. `a`: texels,
 * rows and format. Returns a wrong binding's error at once, which stays in r->error as well. */
static int set_pitched(enum cuda_call_id id, void *handle, const struct array_shape *a,
                       void *address, size_t pitch) {
    struct reference *r = find(handle, false);
    if (!r || !a || !address) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    r->resource = (struct driver_resource){.type = SHIM_RESOURCE_PITCHED,
                                           .of.memory = {.address = address,
                                                         .format = a->format,
                                                         .channels = a->channels,
                                                         .width = a->width,
                                                         .height = a->height,
                                                         .pitch = pitch}};
    r->bound = true;
    int error = changed(id, r);
    return error ? error : r->error;
}

/* This and the next (the same call under its later name) bind rows in memory, of which `a` gives
 * the form. */
SHIM_EXPORT int cuTexRefSetAddress2D_v2(void *handle, const struct array_shape *a, void *address,
                                        size_t pitch);
int cuTexRefSetAddress2D_v2(void *handle, const struct array_shape *a, void *address,
                            size_t pitch) {
    return set_pitched(CALL_cuTexRefSetAddress2D_v2, handle, a, address, pitch);
}
SHIM_EXPORT int cuTexRefSetAddress2D_v3(void *handle, const struct array_shape *a, void *address,
                                        size_t pitch);
int cuTexRefSetAddress2D_v3(void *handle, const struct array_shape *a, void *address,
                            size_t pitch) {
    return set_pitched(CALL_cuTexRefSetAddress2D_v3, handle, a, address, pitch);
}

/* ---- how kernels read it */

/* Defines a call that checks its argument (`good`), changes the reference `r` of its handle
 * (`statement`), and sends the binding (changed). */
#define SETTER(name, parameters, good, statement)                                         \
    SHIM_EXPORT int name parameters;                                                      \
    int name parameters {                                                                 \
        struct reference *r = find(handle, false);                                        \
        if (!r || !(good)) return driver_fail(CALL_##name, HEDDLE_cudaErrorInvalidValue); \
        statement;                                                                        \
        return changed(CALL_##name, r);                                                   \
    }
/* The format of memory; an array has its own. */
SETTER(cuTexRefSetFormat, (void *handle, int format, int channels),
       channels == 1 || channels == 2 || channels == 4,
       (r->format = format, r->channels = (unsigned)channels, r->has_format = true))
SETTER(cuTexRefSetAddressMode, (void *handle, int dimension, int mode),
       dimension >= 0 && dimension < 3 && mode >= 0 && mode <= 3,
       r->texture.address[dimension] = mode)
SETTER(cuTexRefSetFilterMode, (void *handle, int mode), mode == 0 || mode == 1,
       r->texture.filter = mode)
SETTER(cuTexRefSetMipmapFilterMode, (void *handle, int mode), mode == 0 || mode == 1,
       r->texture.mip_filter = mode)
SETTER(cuTexRefSetMipmapLevelBias, (void *handle, float bias), true, r->texture.lod_bias = bias)
SETTER(cuTexRefSetMipmapLevelClamp, (void *handle, float least, float most), true,
       (r->texture.lod_min = least, r->texture.lod_max = most))
SETTER(cuTexRefSetMaxAnisotropy, (void *handle, unsigned most), true, r->texture.anisotropy = most)
SETTER(cuTexRefSetBorderColor, (void *handle, const float *color), color != NULL,
       memcpy(r->texture.border, color, sizeof r->texture.border))
SETTER(cuTexRefSetFlags, (void *handle, unsigned flags), !(flags & ~(unsigned)DRIVER_TEXTURE_FLAGS),
       r->texture.flags = flags)

/* ---- queries, answered without a message */

/* Defines a call that reads the reference `r` of its handle: counts the call and sends no message.
 */
#define GETTER(name, surface, parameters, good, statement)                                \
    SHIM_EXPORT int name parameters;                                                      \
    int name parameters {                                                                 \
        const struct reference *r = find(handle, surface);                                \
        if (!r || !(good)) return driver_fail(CALL_##name, HEDDLE_cudaErrorInvalidValue); \
        int error = driver_local(CALL_##name);                                            \
        if (!error) statement;                                                            \
        return error;                                                                     \
    }
/* True if the reference is bound to this type of resource (SHIM_RESOURCE_...). */
static bool has(const struct reference *r, int type) {
    return r->bound && r->resource.type == type;
}
/* True if the reference is bound to an address. */
static bool has_memory(const struct reference *r) {
    return has(r, SHIM_RESOURCE_LINEAR) || has(r, SHIM_RESOURCE_PITCHED);
}
GETTER(cuTexRefGetAddress_v2, false, (void **address, void *handle), address &&has_memory(r),
       *address = r->resource.of.memory.address)
GETTER(cuTexRefGetArray, false, (void **array, void *handle), array &&has(r, SHIM_RESOURCE_ARRAY),
       *array = r->resource.of.array)
GETTER(cuTexRefGetMipmappedArray, false, (void **array, void *handle),
       array &&has(r, SHIM_RESOURCE_MIPMAPPED), *array = r->resource.of.array)
GETTER(cuSurfRefGetArray, true, (void **array, void *handle), array &&has(r, SHIM_RESOURCE_ARRAY),
       *array = r->resource.of.array)
GETTER(cuTexRefGetAddressMode, false, (int *mode, void *handle, int dimension),
       mode &&dimension >= 0 && dimension < 3, *mode = r->texture.address[dimension])
GETTER(cuTexRefGetFilterMode, false, (int *mode, void *handle), mode, *mode = r->texture.filter)
GETTER(cuTexRefGetMipmapFilterMode, false, (int *mode, void *handle), mode,
       *mode = r->texture.mip_filter)
GETTER(cuTexRefGetMipmapLevelBias, false, (float *bias, void *handle), bias,
       *bias = r->texture.lod_bias)
GETTER(cuTexRefGetMipmapLevelClamp, false, (float *least, float *most, void *handle), least &&most,
       (*least = r->texture.lod_min, *most = r->texture.lod_max))
GETTER(cuTexRefGetMaxAnisotropy, false, (int *most, void *handle), most,
       *most = (int)r->texture.anisotropy)
GETTER(cuTexRefGetBorderColor, false, (float *color, void *handle), color,
       memcpy(color, r->texture.border, sizeof r->texture.border))
GETTER(cuTexRefGetFlags, false, (unsigned *flags, void *handle), flags, *flags = r->texture.flags)
GETTER(cuTexRefGetFormat, false, (int *format, int *channels, void *handle),
       format &&channels && r->has_format, (*format = r->format, *channels = (int)r->channels))
