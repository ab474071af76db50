/* api_arrays.c - CUDA arrays, texture and surface objects without a kernel: every call, every copy
 * (by the names of the legacy and of the per-thread default stream), and refused uses. Each
 * function tests one subject; a failed check (EXPECT, CHECK) ends the program with status 1. */
#include <stdint.h>

#include "cuda_calls.h"

struct channels {
    int bits[4], kind;
};
struct extent {
    size_t width, height, depth;
};
struct resource {
    int type, pad;
    union {
        void *array;
        struct {
            void *address;
            struct channels channels;
            size_t width, height, pitch;
        } memory;
        int reserved[32];
    };
    unsigned flags;
};
struct sampler {
    int address[3], filter, read_mode, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int mip_filter;
    float bias, min, max;
    int tricks, seamless;
};
struct view {
    int format;
    size_t width, height, depth;
    unsigned levels[2], layers[2], reserved[16];
};

#define COPY_CALLS(suffix, async)                                                                 \
    int cudaMemcpyToArray##suffix(void *a, size_t x, size_t y, const void *src, size_t n, int k); \
    int cudaMemcpyToArrayAsync##async(void *a, size_t x, size_t y, const void *src, size_t n,     \
                                      int k, void *s);                                            \
    int cudaMemcpyFromArray##suffix(void *d, const void *a, size_t x, size_t y, size_t n, int k); \
    int cudaMemcpyFromArrayAsync##async(void *d, const void *a, size_t x, size_t y, size_t n,     \
                                        int k, void *s);                                          \
    int cudaMemcpyArrayToArray##suffix(void *d, size_t dx, size_t dy, const void *a, size_t x,    \
                                       size_t y, size_t n, int k);                                \
    int cudaMemcpy2DToArray##suffix(void *a, size_t x, size_t y, const void *src, size_t pitch,   \
                                    size_t w, size_t h, int k);                                   \
    int cudaMemcpy2DToArrayAsync##async(void *a, size_t x, size_t y, const void *src,             \
                                        size_t pitch, size_t w, size_t h, int k, void *s);        \
    int cudaMemcpy2DFromArray##suffix(void *d, size_t pitch, const void *a, size_t x, size_t y,   \
                                      size_t w, size_t h, int k);                                 \
    int cudaMemcpy2DFromArrayAsync##async(void *d, size_t pitch, const void *a, size_t x,         \
                                          size_t y, size_t w, size_t h, int k, void *s);          \
    int cudaMemcpy2DArrayToArray##suffix(void *d, size_t dx, size_t dy, const void *a, size_t x,  \
                                         size_t y, size_t w, size_t h, int k);
/* clang-format off */
COPY_CALLS(,)
COPY_CALLS(_ptds, _ptsz)
/* clang-format on */

int cudaMallocArray(void **array, const struct channels *c, size_t w, size_t h, unsigned flags);
int cudaMalloc3DArray(void **array, const struct channels *c, struct extent e, unsigned flags);
int cudaMallocMipmappedArray(void **array, const struct channels *c, struct extent e, unsigned n,
                             unsigned flags);
int cudaGetMipmappedArrayLevel(void **level, const void *array, unsigned n);
int cudaFreeArray(void *array);
int cudaFreeMipmappedArray(void *array);
int cudaArrayGetInfo(struct channels *c, struct extent *e, unsigned *flags, void *array);
int cudaGetChannelDesc(struct channels *c, const void *array);
int cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct channels *c, int device);
int cudaCreateTextureObject(uint64_t *t, const struct resource *r, const struct sampler *s,
                            const struct view *v);
int cudaCreateSurfaceObject(uint64_t *t, const struct resource *r);
int cudaDestroyTextureObject(uint64_t t);
int cudaDestroySurfaceObject(uint64_t t);
int cudaGetTextureObjectResourceDesc(struct resource *r, uint64_t t);
int cudaGetTextureObjectTextureDesc(struct sampler *s, uint64_t t);
int cudaGetTextureObjectResourceViewDesc(struct view *v, uint64_t t);
int cudaGetSurfaceObjectResourceDesc(struct resource *r, uint64_t t);
void __cudaRegisterTexture(void **handle, const void *host, const void **address, const char *name,
                           int dim, int read_mode, int external);
void __cudaRegisterSurface(void **handle, const void *host, const void **address, const char *name,
                           int dim, int external);

enum { W = 40, H = 9, INVALID_VALUE = 1, BAD_CHANNELS = 20, BAD_FILTER = 26, BAD_HANDLE = 400 };
enum { NOT_SUPPORTED = 801, LAYERED = 1, SURFACE = 2, ARRAY = 0, LINEAR = 2, PITCHED = 3 };

static const struct channels FLOATS = {{32, 0, 0, 0}, 2};
static float rows[H][W], back[H][W];

/* Ends the program with status 1 if `back` differs from `rows`. */
static void same(const char *what) {
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            if (back[y][x] != rows[y][x]) {
                printf("%s: (%d, %d) is %g, not %g\n", what, x, y, (double)back[y][x],
                       (double)rows[y][x]);
                exit(1);
            }
    memset(back, 0, sizeof back);
}

#define ALL sizeof rows
#define ROW sizeof rows[0]

/* Copies to the array and back, by each pair of calls. */
#define COPIES(suffix, async)                                                                    \
    static void copies##suffix(void *a, void *b) {                                               \
        EXPECT(cudaMemcpyToArray##suffix(a, 0, 0, rows, ALL, TO_DEVICE), 0);                     \
        EXPECT(cudaMemcpyFromArray##suffix(back, a, 0, 0, ALL, TO_HOST), 0);                     \
        same("whole rows" #suffix);                                                              \
        EXPECT(cudaMemcpyArrayToArray##suffix(b, 0, 0, a, 0, 0, ALL, IN_DEVICE), 0);             \
        EXPECT(cudaMemcpy2DFromArray##suffix(back, ROW, b, 0, 0, ROW, H, TO_HOST), 0);           \
        same("array to array" #suffix);                                                          \
        EXPECT(cudaMemcpyToArrayAsync##async(b, 12, 2, back, 80, TO_DEVICE, NULL), 0);           \
        EXPECT(cudaMemcpy2DToArray##suffix(b, 12, 2, &rows[2][3], ROW, 80, 1, TO_DEVICE), 0);    \
        EXPECT(cudaMemcpyFromArrayAsync##async(back, b, 0, 0, ALL, TO_HOST, NULL), 0);           \
        EXPECT(cudaDeviceSynchronize(), 0);                                                      \
        same("part of a row" #suffix);                                                           \
        EXPECT(                                                                                  \
            cudaMemcpy2DToArrayAsync##async(a, 20, 3, &rows[3][5], ROW, 64, 4, TO_DEVICE, NULL), \
            0);                                                                                  \
        EXPECT(cudaMemcpy2DArrayToArray##suffix(b, 20, 3, a, 20, 3, 64, 4, IN_DEVICE), 0);       \
        EXPECT(cudaMemcpy2DFromArrayAsync##async(back, ROW, b, 0, 0, ROW, H, TO_HOST, NULL), 0); \
        EXPECT(cudaDeviceSynchronize(), 0);                                                      \
        same("a box" #suffix);                                                                   \
    }
/* clang-format off */
COPIES(,)
COPIES(_ptds, _ptsz)
/* clang-format on */

static void arrays(void) {
    void *a, *b, *layers, *mip, *level, *again;
    struct channels c;
    struct extent e;
    unsigned flags;
    size_t most;
    EXPECT(cudaMallocArray(&a, &FLOATS, W, H, SURFACE), 0);
    EXPECT(cudaMallocArray(&b, &FLOATS, W, H, 0), 0);
    copies(a, b);
    copies_ptds(a, b);
    EXPECT(cudaArrayGetInfo(&c, &e, &flags, a), 0);
    CHECK(c.bits[0] == 32 && c.bits[1] == 0 && c.kind == 2 && flags == SURFACE);
    CHECK(e.width == W && e.height == H && e.depth == 0);
    EXPECT(cudaGetChannelDesc(&c, b), 0);
    CHECK(c.bits[0] == 32 && c.kind == 2);
    EXPECT(cudaMalloc3DArray(&layers, &FLOATS, (struct extent){8, 0, 3}, LAYERED), 0);
    EXPECT(cudaMallocMipmappedArray(&mip, &FLOATS, (struct extent){16, 8, 0}, 4, 0), 0);
    EXPECT(cudaGetMipmappedArrayLevel(&level, mip, 2), 0);
    EXPECT(cudaGetMipmappedArrayLevel(&again, mip, 2), 0);
    CHECK(level == again);
    EXPECT(cudaArrayGetInfo(&c, &e, &flags, level), 0);
    CHECK(e.width == 4 && e.height == 2 && e.depth == 0);
    struct resource r = {.type = ARRAY, .array = level};
    uint64_t surface;
    EXPECT(cudaCreateSurfaceObject(&surface, &r), 0); /* a level needs no flag */
    EXPECT(cudaDestroySurfaceObject(surface), 0);
    EXPECT(cudaGetMipmappedArrayLevel(&again, mip, 4), INVALID_VALUE);
    EXPECT(cudaDeviceGetTexture1DLinearMaxWidth(&most, &FLOATS, 0), 0);
    CHECK(most == 1 << 28);

    /* Wrong use */
    const struct channels mixed = {{8, 16, 0, 0}, 1}, three = {{8, 8, 8, 0}, 1};
    EXPECT(cudaMallocArray(&again, &mixed, 4, 4, 0), BAD_CHANNELS);
    EXPECT(cudaMallocArray(&again, &three, 4, 4, 0), BAD_CHANNELS);
    EXPECT(cudaMallocArray(&again, &FLOATS, 0, 4, 0), INVALID_VALUE);
    EXPECT(cudaMallocArray(&again, &FLOATS, 200000, 4, 0), INVALID_VALUE);
    EXPECT(cudaMallocArray(&again, &FLOATS, 4, 4, 0x40), NOT_SUPPORTED); /* sparse */
    EXPECT(cudaMemcpy2DToArray(a, 0, 1, rows, ROW, ROW, H, TO_DEVICE), INVALID_VALUE);
    EXPECT(cudaMemcpy2DToArray(a, 4, 0, rows, ROW, ROW, 1, TO_DEVICE), INVALID_VALUE);
    EXPECT(cudaMemcpyToArray(a, 4, 0, rows, ALL - ROW, TO_DEVICE), NOT_SUPPORTED);
    EXPECT(cudaMemcpy2DToArray((void *)99, 0, 0, rows, ROW, ROW, 1, TO_DEVICE), BAD_HANDLE);
    EXPECT(cudaFreeArray(level), INVALID_VALUE);
    EXPECT(cudaFreeMipmappedArray(mip), 0);
    EXPECT(cudaArrayGetInfo(&c, &e, &flags, level), BAD_HANDLE);
    EXPECT(cudaFreeArray(layers), 0);
    EXPECT(cudaFreeArray(a), 0);
    EXPECT(cudaFreeArray(b), 0);
    EXPECT(cudaFreeArray(b), INVALID_VALUE);
    EXPECT(cudaFreeArray(NULL), 0);
}

static void objects(void) {
    void *a, *memory;
    uint64_t t, s, with_view;
    struct resource r, told;
    struct sampler d, told_sampler;
    struct view v, told_view;
    memset(&r, 0, sizeof r);
    memset(&d, 0, sizeof d);
    memset(&v, 0, sizeof v);
    EXPECT(cudaMallocArray(&a, &FLOATS, W, H, SURFACE), 0);
    EXPECT(cudaMalloc(&memory, 8192), 0);
    r.type = ARRAY;
    r.array = a;
    d.address[1] = 3;
    d.border[2] = 0.5f;
    EXPECT(cudaCreateTextureObject(&t, &r, &d, NULL), 0);
    EXPECT(cudaCreateSurfaceObject(&s, &r), 0);
    CHECK(t && s && t != s);
    v.format = 13; /* the same bits as unsigned integers */
    v.width = W;
    v.height = H;
    EXPECT(cudaCreateTextureObject(&with_view, &r, &d, &v), 0);
    EXPECT(cudaGetTextureObjectResourceDesc(&told, t), 0);
    CHECK(told.type == ARRAY && told.array == a);
    EXPECT(cudaGetSurfaceObjectResourceDesc(&told, s), 0);
    CHECK(told.type == ARRAY && told.array == a);
    EXPECT(cudaGetTextureObjectTextureDesc(&told_sampler, t), 0);
    CHECK(memcmp(&told_sampler, &d, sizeof d) == 0);
    EXPECT(cudaGetTextureObjectResourceViewDesc(&told_view, with_view), 0);
    CHECK(told_view.format == 13 && told_view.width == W);
    EXPECT(cudaGetTextureObjectResourceViewDesc(&told_view, t), INVALID_VALUE);
    EXPECT(cudaGetTextureObjectResourceDesc(&told, s), INVALID_VALUE);

    /* Wrong use */
    v.layers[1] = 0;
    v.width = W / 2;
    EXPECT(cudaCreateTextureObject(&with_view, &r, &d, &v), NOT_SUPPORTED); /* a view of a part */
    d.seamless = 1;
    EXPECT(cudaCreateTextureObject(&with_view, &r, &d, NULL), NOT_SUPPORTED);
    d.seamless = 0;
    r.type = LINEAR;
    memset(&r.memory, 0, sizeof r.memory);
    r.memory.address = memory;
    r.memory.channels = FLOATS;
    r.memory.width = 8192;
    EXPECT(cudaCreateTextureObject(&with_view, &r, &d, NULL), 0);
    EXPECT(cudaDestroyTextureObject(with_view), 0);
    d.filter = 1;
    EXPECT(cudaCreateTextureObject(&with_view, &r, &d, NULL), BAD_FILTER);
    d.filter = 0;
    r.memory.width = 8200; /* beyond the allocation: an error of the kernel that reads there */
    EXPECT(cudaCreateTextureObject(&with_view, &r, &d, NULL), 0);
    EXPECT(cudaDestroyTextureObject(with_view), 0);
    r.type = PITCHED;
    r.memory.width = 32;
    r.memory.height = 4;
    r.memory.pitch = 130; /* not a multiple of texturePitchAlignment */
    EXPECT(cudaCreateTextureObject(&with_view, &r, &d, NULL), INVALID_VALUE);
    EXPECT(cudaCreateTextureObject(&with_view, &r, NULL, NULL), INVALID_VALUE);
    EXPECT(cudaDestroySurfaceObject(t), INVALID_VALUE);
    EXPECT(cudaDestroyTextureObject(t), 0);
    EXPECT(cudaDestroyTextureObject(t), INVALID_VALUE);
    EXPECT(cudaDestroySurfaceObject(s), 0);
    EXPECT(cudaFree(memory), 0);
    EXPECT(cudaFreeArray(a), 0);
}

int main(void) {
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) rows[y][x] = (float)(100 * y + x);
    __cudaRegisterTexture(NULL, &rows, NULL, "t", 2, 0, 0);
    __cudaRegisterSurface(NULL, &rows, NULL, "s", 2, 0);
    arrays();
    objects();
    (void)cudaGetLastError();
    puts("api_arrays: ok");
    return 0;
}
