/* texture_object.c - makes texture and surface objects from the runtime's descriptors; see
 * texture_object.h.
 *
 * Runs in the server, on its thread, for calls_texture.c and for the end of a program. Executors
 * read server.textures while kernels run, and the server's thread, which alone changes it, is then
 * inside a wait. An entry that has ended stays until no kernel in flight can use it. Functions that
 * return int return a cudaError_t, named here without the prefix "cudaError"; what is not supported
 * is also reported on standard error. No operation is issued. */
#include "cuda/object/texture_object.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "cuda/base/diagnostics.h"
#include "cuda/object/ipc.h"
#include "cuda/object/module.h"

enum { RESOURCE_ARRAY, RESOURCE_MIPMAPPED, RESOURCE_LINEAR, RESOURCE_PITCHED };
enum { ALIGN = 256, PITCH_ALIGN = 32, MAX_LINEAR = 1 << 28, MAX_PITCHED_X = 131072 };
enum { MAX_PITCHED_Y = 65000 };
#define ALL_OF_IT UINT64_C(0xffffffff) /* cudaBindTexture without a size */

/* ---- the lists */

/* Ends an entry of server.textures for later launches; kernels that are issued may still use it.
 * Ignores a handle without an entry. */
static void end(struct server *s, uint64_t handle) {
    struct texture *t = texture_find(&s->textures, handle);
    if (t) t->ends_at = s->launched[t->device];
}

/* Frees ended entries of server.textures on devices where no kernel is in flight. */
static void drop_ended(struct server *s) {
    for (unsigned i = 0; i < server_devices(s); i++)
        if (!gpu_pending(server_gpu(s, i), NULL)) texture_drop(&s->textures, i, s->launched[i]);
}

/* The program's texture (or surface) object with this handle, or NULL. */
struct texture_object *texture_object_find(const struct program *p, uint64_t handle, bool surface) {
    for (size_t i = 0; i < p->textures->len; i++) {
        struct texture_object *o = g_ptr_array_index(p->textures, i);
        if (o && o->handle == handle && o->surface == surface) return o;
    }
    return NULL;
}

/* Ends the entries of server.textures of all objects and bound references of the program. Its lists
 * do not change. */
void texture_objects_end(struct server *s, struct program *p) {
    for (size_t i = 0; i < p->textures->len; i++) {
        const struct texture_object *o = g_ptr_array_index(p->textures, i);
        if (o) end(s, o->handle);
    }
    for (size_t i = 0; i < p->modules->len; i++) {
        const struct module *m = g_ptr_array_index(p->modules, i);
        for (uint32_t k = 0; m->texture_bank && k < m->mir->num_texrefs; k++)
            if (m->texture_bank[k]) end(s, m->texture_bank[k]);
    }
}

/* ---- from descriptors to an object */

/* Reports on standard error that the call does not support `what`. @return
 * cudaErrorNotSupported. */
static int not_supported(struct call *call, const char *what) {
    server_error(call->server, "not supported: %s() with %s", call->row->name, what);
    return HEDDLE_cudaErrorNotSupported;
}

/* Fills *image from linear or pitched memory, after checking its extent, alignment and allocation.
 * @return InvalidChannelDescriptor or InvalidValue. */
static int image_of_memory(struct call *call, const struct resource_desc *r,
                           struct texture_image *image) {
    struct texture_level *v = &image->level[0];
    uint64_t address = r->memory.address, width = r->memory.width, bytes;
    if (!array_format(&r->memory.channels, &image->format))
        return HEDDLE_cudaErrorInvalidChannelDescriptor;
    uint32_t texel = texture_texel_bytes(&image->format);
    image->layers = image->levels = 1;
    v->base = address;
    v->height = v->depth = 1;
    if (r->type == RESOURCE_LINEAR) {
        const struct memory_block *b = ipc_reachable(call, address, 1);
        if (b && width >= ALL_OF_IT) width = b->address + b->bytes - address;
        image->layout = TEXTURE_LINEAR;
        image->dims = 1;
        bytes = width;
        if (width / texel > MAX_LINEAR) return CUDA_ERROR_INVALID_VALUE;
        v->width = (uint32_t)(width / texel);
        v->pitch = v->slice = bytes;
    } else {
        uint64_t height = r->memory.height, pitch = r->memory.pitch;
        if (width > MAX_PITCHED_X || height > MAX_PITCHED_Y || !height || width * texel > pitch ||
            pitch % PITCH_ALIGN || pitch > UINT32_MAX)
            return CUDA_ERROR_INVALID_VALUE;
        image->layout = TEXTURE_PITCHED;
        image->dims = 2;
        v->width = (uint32_t)width;
        v->height = (uint32_t)height;
        v->pitch = pitch;
        bytes = (height - 1) * pitch + width * texel;
        v->slice = height * pitch;
    }
    /* Linear memory may end before its texture does, as with CUDA: programs give a bound that they
     * do not reach. A fetch beyond the memory is an error of the kernel. */
    if (!v->width || address % ALIGN ||
        !ipc_reachable(call, address, r->type == RESOURCE_LINEAR ? 1 : bytes))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Fills *image from a resource: an array or memory. *flags: the array's (array.h), 0 for memory.
 * @return InvalidResourceHandle: no such array; else as image_of_memory(). */
static int image_of(struct call *call, const struct resource_desc *r, struct texture_image *image,
                    uint32_t *flags) {
    const struct array *a;
    *flags = 0;
    switch (r->type) {
    case RESOURCE_ARRAY:
    case RESOURCE_MIPMAPPED:
        a = array_find(call->program, r->array);
        if (!a) return HEDDLE_cudaErrorInvalidResourceHandle;
        *image = a->image;
        /* GPUs accept a level of a mipmapped array as a surface, with or without the flag. */
        *flags = a->flags | (a->parent ? ARRAY_SURFACE : 0);
        return CUDA_SUCCESS;
    case RESOURCE_LINEAR:
    case RESOURCE_PITCHED: return image_of_memory(call, r, image);
    default: return CUDA_ERROR_INVALID_VALUE;
    }
}

/* Applies a view of the whole image: sets its format to another one of the same texel size, if the
 * view names one. @return false: not supported. */
static bool view(const struct view_desc *d, struct texture_image *image) {
    static const struct texture_format row[] = {
        {TEXTURE_UNSIGNED, 0, 8}, {TEXTURE_SIGNED, 0, 8},    {TEXTURE_UNSIGNED, 0, 16},
        {TEXTURE_SIGNED, 0, 16},  {TEXTURE_UNSIGNED, 0, 32}, {TEXTURE_SIGNED, 0, 32},
        {TEXTURE_FLOAT, 0, 16},   {TEXTURE_FLOAT, 0, 32},
    };
    const struct texture_level *v = &image->level[0];
    bool deep = image->layers > 1 || image->dims == 3;
    uint64_t depth = image->dims == 3 ? v->depth : image->layers;
    if (d->width != v->width || (image->dims > 1 && d->height != v->height) ||
        (deep && d->depth != depth) || d->first_level || d->last_level + 1 < image->levels ||
        d->first_layer || (image->layers > 1 && d->last_layer + 1 < image->layers))
        return false;
    if (d->format == 0) return true; /* as it is */
    unsigned i = (unsigned)d->format - 1;
    if (i >= 3 * sizeof row / sizeof *row) return false; /* block-compressed */
    struct texture_format f = row[i / 3];
    f.channels = i % 3 == 2 ? 4 : (uint8_t)(i % 3 + 1);
    if (texture_texel_bytes(&f) != texture_texel_bytes(&image->format)) return false;
    image->format = f;
    return true;
}

/* Fills *s from a texture descriptor and checks that it suits the image. @return InvalidValue,
 * InvalidNormSetting, InvalidFilterSetting or NotSupported. */
static int sampler_of(struct call *call, const struct texture_desc *d,
                      const struct texture_image *image, struct texture_sampler *s) {
    const struct texture_format *f = &image->format;
    for (unsigned i = 0; i < 3; i++) {
        if (d->address[i] < TEXTURE_WRAP || d->address[i] > TEXTURE_BORDER)
            return CUDA_ERROR_INVALID_VALUE;
        s->address[i] = (uint8_t)d->address[i];
    }
    s->linear = d->filter == 1;
    s->mip_linear = d->mip_filter == 1;
    s->normalized = d->normalized != 0;
    s->normalized_float = d->read_mode == 1 && f->kind != TEXTURE_FLOAT;
    s->srgb = d->srgb != 0;
    memcpy(s->border, d->border, sizeof s->border);
    s->lod_bias = d->lod_bias;
    s->lod_min = d->lod_min;
    s->lod_max = d->lod_max;
    bool integers = f->kind != TEXTURE_FLOAT && !s->normalized_float;
    if (s->normalized_float && f->bits == 32) return HEDDLE_cudaErrorInvalidNormSetting;
    if (s->linear && (integers || image->layout == TEXTURE_LINEAR))
        return HEDDLE_cudaErrorInvalidFilterSetting;
    if (s->srgb && (f->bits != 8 || f->kind != TEXTURE_UNSIGNED || !s->normalized_float))
        return CUDA_ERROR_INVALID_VALUE;
    if (image->levels > 1 && !s->normalized) return CUDA_ERROR_INVALID_VALUE;
    if (d->seamless) return not_supported(call, "seamless cube maps");
    if (d->anisotropy > 1) return not_supported(call, "anisotropic filtering");
    return CUDA_SUCCESS;
}

/* Makes an entry of server.textures for the current device from the descriptors: *handle. First
 * frees entries that ended on idle devices (drop_ended()). @return as image_of() and sampler_of();
 * InvalidValue: not a surface; NotSupported: such a view; MemoryAllocation. No entry is made
 * then. */
static int make(struct call *call, const struct texture_descs *d, bool surface, bool has_view,
                uint64_t *handle) {
    uint32_t flags;
    struct texture *t = heddle_alloc(sizeof *t, "a texture");
    *handle = 0;
    drop_ended(call->server);
    t->surface = surface;
    t->ends_at = UINT64_MAX;
    t->device = call->program->first_device + call->thread->device;
    int error = image_of(call, &d->resource, &t->image, &flags);
    if (!error && surface && (d->resource.type != RESOURCE_ARRAY || !(flags & ARRAY_SURFACE)))
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error && has_view && !view(&d->view, &t->image))
        error = not_supported(call, "a view of a part, or of block-compressed texels");
    if (!error && !surface) error = sampler_of(call, &d->texture, &t->image, &t->sampler);
    if (!error && texture_add(&call->server->textures, t, handle))
        error = HEDDLE_cudaErrorMemoryAllocation;
    if (error) free(t);
    return error;
}

/* ---- objects */

/* Adds an entry to server.textures (make()), and its descriptors to program.textures, which owns
 * them. @return as make(); *handle is not valid after an error. */
int texture_object_create(struct call *call, const struct texture_descs *d, bool surface,
                          bool has_view, uint64_t *handle) {
    GPtrArray *list = call->program->textures;
    int error = make(call, d, surface, has_view, handle);
    if (error) return error;
    struct texture_object *o = g_new(struct texture_object, 1);
    *o = (struct texture_object){*handle, surface, has_view, *d};
    size_t i = 0;
    while (i < list->len && g_ptr_array_index(list, i)) i++;
    if (i == list->len) g_ptr_array_add(list, NULL);
    g_ptr_array_index(list, i) = o;
    return CUDA_SUCCESS;
}

/* Ends the entry of server.textures, frees the descriptors and their place in program.textures.
 * @return false: no such object. */
bool texture_object_destroy(struct server *s, struct program *p, uint64_t handle, bool surface) {
    struct texture_object *o = texture_object_find(p, handle, surface);
    unsigned i;
    if (!o) return false;
    end(s, handle);
    if (g_ptr_array_find(p->textures, o, &i)) g_ptr_array_index(p->textures, i) = NULL;
    g_free(o);
    return true;
}

/* ---- references */

/* Finds the entry of a texture or surface reference in its module's texture bank: *slot. Loads the
 * module, which may compile it. Reports a missing reference on standard error. @return
 * InvalidTexture or InvalidSurface: there is none; or module.error. */
static int reference(struct call *call, uint64_t id, bool surface, uint64_t **slot) {
    struct program *p = call->program;
    int missing = surface ? HEDDLE_cudaErrorInvalidSurface : HEDDLE_cudaErrorInvalidTexture;
    struct symbol *s = symbol_find(p, id);
    if (!s) return missing;
    struct module *m = s->module;
    int error = module_load(call, m, call->thread->device);
    if (error) return error;
    for (uint32_t i = 0; i < m->mir->num_texrefs; i++) {
        const struct mir_texref *r = &m->mir->texrefs[i];
        *slot = &m->texture_bank[i];
        if (r->surface == surface && strcmp(r->name, s->name) == 0) return CUDA_SUCCESS;
    }
    server_error(call->server, "%s: the PTX has no %s reference '%s'", p->name,
                 surface ? "surface" : "texture", s->name);
    return missing;
}

/* Makes an entry of server.textures for the reference, stores it in the module's texture bank and
 * ends the entry that was bound before. d NULL: stores 0, no entry. Launches that are issued have
 * copies of the bank. @return as reference() and make(); the old entry stays bound then. */
int texture_reference_bind(struct call *call, uint64_t id, bool surface,
                           const struct texture_descs *d) {
    uint64_t *slot, handle = 0;
    int error = reference(call, id, surface, &slot);
    if (!error && d) error = make(call, d, surface, false, &handle);
    if (error) return error;
    if (*slot) end(call->server, *slot);
    *slot = handle;
    return CUDA_SUCCESS;
}
