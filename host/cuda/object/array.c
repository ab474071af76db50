/* array.c - CUDA arrays: layout, rows, allocation, levels of mipmapped arrays; see array.h.
 *
 * Runs in the server. Handlers allocate and look arrays up on the server's thread; array_read() and
 * array_write() serve copies, on the thread that performs them while the server's thread waits
 * (copy.c). Device memory is mapped in this process at the program's addresses. The list is
 * program.arrays. Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". */
#include "cuda/object/array.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "cuda/base/diagnostics.h"
#include "cuda/object/pool.h"

/* Bounds of CUDA: texels of a side, or layers. */
enum { MAX_1D = 131072, MAX_2D_Y = 65536, MAX_3D = 16384, MAX_LAYERED = 32768, MAX_LAYERS = 2048 };
enum { MAX_CUBE_LAYERS = 2046, MAX_SURFACE_1D = 32768 };

/* ---- layout */

/* Fills *out from a channel descriptor and checks it: equal bits in 1, 2 or 4 channels, of a kind
 * that CUDA has. @return false: CUDA has no such format; *out is then not a valid one. */
bool array_format(const struct channel_desc *c, struct texture_format *out) {
    unsigned n = 0;
    while (n < 4 && c->bits[n]) n++;
    for (unsigned i = 0; i < 4; i++)
        if (c->bits[i] != (i < n ? c->bits[0] : 0)) return false;
    int bits = c->bits[0];
    bool known = (bits == 8 || bits == 16 || bits == 32) && (n == 1 || n == 2 || n == 4) &&
                 c->kind >= TEXTURE_SIGNED && c->kind <= TEXTURE_FLOAT &&
                 (c->kind != TEXTURE_FLOAT || bits > 8);
    *out = (struct texture_format){(uint8_t)c->kind, (uint8_t)n, (uint8_t)bits};
    return known;
}

enum { PIECE = 16 }; /* bytes of a row that lie side by side in every layout */

/* Address, in this process too, of byte x of row y of layer z of level 0. */
static uint8_t *place_of(const struct array *a, uint64_t x, uint64_t y, uint64_t z) {
    const struct texture_level *v = &a->image.level[0];
    return (uint8_t *)(uintptr_t)(v->base +
                                  texture_offset(&a->image, v, x, (uint32_t)y, (uint32_t)z));
}

/* Copies n bytes of row y of layer z of level 0, from byte x on, into `to`, in pieces that the
 * layout keeps together. The caller has checked that they lie in the row. */
void array_read(const struct array *a, uint64_t x, uint64_t y, uint64_t z, uint8_t *to,
                uint64_t n) {
    for (uint64_t done = 0, piece; done < n; done += piece) {
        uint64_t at = x + done;
        piece = PIECE - at % PIECE < n - done ? PIECE - at % PIECE : n - done;
        memcpy(to + done, place_of(a, at, y, z), piece);
    }
}

/* Copies n bytes from a buffer into row y of layer z of level 0, from byte x on, in pieces that the
 * layout keeps together. The caller has checked that they lie in the row. */
void array_write(const struct array *a, uint64_t x, uint64_t y, uint64_t z, const uint8_t *from,
                 uint64_t n) {
    for (uint64_t done = 0, piece; done < n; done += piece) {
        uint64_t at = x + done;
        piece = PIECE - at % PIECE < n - done ? PIECE - at % PIECE : n - done;
        memcpy(place_of(a, at, y, z), from + done, piece);
    }
}

/* ---- the program's list */

/* The array with this handle, whose last part must be the bytes of its texel; NULL: there is none
 * (any more). */
struct array *array_find(const struct program *p, uint64_t handle) {
    uint64_t i = handle / ARRAY_STEP - 1;
    struct array *a = i < p->arrays->len ? g_ptr_array_index(p->arrays, i) : NULL;
    return a && texture_texel_bytes(&a->image.format) == handle % ARRAY_STEP ? a : NULL;
}

/* The handle of the array in place i of program.arrays (array.h). */
static uint64_t handle_at(size_t i, const struct array *a) {
    return (i + 1) * ARRAY_STEP + texture_texel_bytes(&a->image.format);
}

/* Puts the array into the first free place of program.arrays, which then owns it. @return its
 * handle. */
static uint64_t add(struct program *p, struct array *a) {
    size_t i = 0;
    while (i < p->arrays->len && g_ptr_array_index(p->arrays, i)) i++;
    if (i == p->arrays->len) g_ptr_array_add(p->arrays, NULL);
    g_ptr_array_index(p->arrays, i) = a;
    return handle_at(i, a);
}

/* ---- allocation */

/* Fills dims, layers and level 0 of the image from an extent and ARRAY_* flags, by the rules of
 * cudaMalloc3DArray. @return false: CUDA refuses the extent. */
static bool shape(struct texture_image *image, const uint64_t e[3], uint64_t flags) {
    bool layered = flags & ARRAY_LAYERED, cube = flags & ARRAY_CUBEMAP;
    uint64_t limit[3] = {MAX_1D, MAX_2D_Y, MAX_3D};
    image->layered = layered;
    image->cube = cube;
    image->layers = 1;
    image->dims = e[1] == 0 ? 1 : e[2] == 0 || layered || cube ? 2 : 3;
    if (layered || cube) {
        uint64_t most = cube ? MAX_CUBE_LAYERS : MAX_LAYERS;
        limit[0] = limit[1] = MAX_LAYERED;
        limit[2] = most;
        if (e[2] == 0 || (cube && (e[0] != e[1] || e[2] % TEXTURE_FACES)) ||
            (cube && !layered && e[2] != TEXTURE_FACES))
            return false;
        image->layers = (uint32_t)e[2];
    } else if (image->dims == 3) {
        limit[0] = limit[1] = MAX_3D;
    } else if (e[2]) {
        return false;
    }
    if (e[0] == 0 || e[0] > limit[0] || e[1] > limit[1] || e[2] > limit[2]) return false;
    if (flags & ARRAY_SURFACE && image->dims == 1 && e[0] > MAX_SURFACE_1D) return false;
    image->level[0].width = (uint32_t)e[0];
    image->level[0].height = e[1] ? (uint32_t)e[1] : 1;
    image->level[0].depth = image->dims == 3 ? (uint32_t)e[2] : 1;
    return true;
}

/* Levels of a full mipmap chain, down to one texel. */
static uint32_t most_levels(const struct texture_image *image) {
    const struct texture_level *v = &image->level[0];
    uint32_t longest = v->width > v->height ? v->width : v->height, n = 1;
    if (v->depth > longest) longest = v->depth;
    while (longest >>= 1) n++;
    return n < TEXTURE_MAX_LEVELS ? n : TEXTURE_MAX_LEVELS;
}

/* Creates an array on the calling thread's device with memory from pool_alloc(), which may drive
 * the simulation, and adds it to program.arrays, which owns it. A number of levels beyond a full
 * chain is cut. Reports unknown flags on standard error. @return NotSupported (flags),
 * InvalidChannelDescriptor, InvalidValue (extent, no level) or MemoryAllocation; *handle is then
 * not set. */
int array_create(struct call *call, const struct channel_desc *channels, const uint64_t e[3],
                 uint64_t levels, uint64_t flags, uint64_t *handle) {
    enum { KNOWN = ARRAY_LAYERED | ARRAY_SURFACE | ARRAY_CUBEMAP | ARRAY_GATHER };
    int error = CUDA_SUCCESS;
    if (flags & ~(uint64_t)KNOWN) {
        server_error(call->server, "not supported: an array with flags 0x%llx",
                     (unsigned long long)flags);
        return HEDDLE_cudaErrorNotSupported;
    }
    struct array *a = heddle_alloc(sizeof *a, "an array");
    a->channels = *channels;
    a->device = call->thread->device;
    a->flags = (uint32_t)flags;
    a->image.layout = TEXTURE_ARRAY;
    a->image.levels = (uint32_t)levels;
    memcpy(a->extent, e, sizeof a->extent);
    if (!array_format(&a->channels, &a->image.format))
        error = HEDDLE_cudaErrorInvalidChannelDescriptor;
    else if (!shape(&a->image, e, flags) || levels == 0)
        error = CUDA_ERROR_INVALID_VALUE;
    if (!error && levels > most_levels(&a->image)) a->image.levels = most_levels(&a->image);
    if (!error) {
        a->bytes = texture_place(&a->image);
        a->memory = pool_alloc(call, program_region(call->program, a->device), a->bytes, 0);
        if (!a->memory) error = HEDDLE_cudaErrorMemoryAllocation;
    }
    if (!error) {
        for (unsigned i = 0; i < a->image.levels; i++) a->image.level[i].base += a->memory;
        *handle = add(call->program, a);
    }
    if (error) free(a);
    return error;
}

/* Finds or creates the array of a level, which shares its parent's memory and owns none (bytes 0);
 * program.arrays owns the record. A program sees the extent; the executor reads the image. @return
 * InvalidResourceHandle: not an array with memory of its own; InvalidValue: no such level. */
int array_level(struct program *p, uint64_t mipmapped, uint64_t level, uint64_t *handle) {
    const struct array *whole = array_find(p, mipmapped);
    if (!whole || !whole->bytes) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (level >= whole->image.levels) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < p->arrays->len; i++) {
        const struct array *a = g_ptr_array_index(p->arrays, i);
        if (!a || a->parent != mipmapped || a->level != level) continue;
        *handle = handle_at(i, a);
        return CUDA_SUCCESS;
    }
    struct array *a = heddle_alloc(sizeof *a, "a level of an array");
    *a = *whole;
    a->parent = mipmapped;
    a->level = level;
    a->bytes = 0;
    a->image.levels = 1;
    a->image.level[0] = whole->image.level[level];
    a->extent[0] = a->image.level[0].width;
    if (a->extent[1]) a->extent[1] = a->image.level[0].height;
    if (a->image.dims == 3) a->extent[2] = a->image.level[0].depth;
    *handle = add(p, a);
    return CUDA_SUCCESS;
}

/* Frees the array's device memory at once (the caller has waited for work that may use it), and
 * removes it and the arrays of its levels from program.arrays. @return false: no such array, or a
 * level. */
bool array_destroy(struct program *p, uint64_t handle) {
    struct array *a = array_find(p, handle);
    if (!a || !a->bytes) return false;
    address_space_release(p->space, program_region(p, a->device), a->memory);
    for (size_t i = 0; i < p->arrays->len; i++) {
        struct array *other = g_ptr_array_index(p->arrays, i);
        if (!other || (other != a && other->parent != handle)) continue;
        g_ptr_array_index(p->arrays, i) = NULL;
        if (other != a) free(other);
    }
    free(a);
    return true;
}
