/* driver_arrays.c - the driver API's arrays: copies of boxes of random sizes compared with the same
 * copies on the CPU; textures and surfaces that kernels read and write. A failed check ends the
 * program with status 1. Argument: fetch.ptx. */
#include <stdbool.h>

#include "driver_calls.h"

enum { W = 52, H = 12, D = 5, TEXEL = 8, ROW = W * TEXEL, ALL = ROW * H * D };

static unsigned seed = 4711;
static unsigned pick(unsigned limit) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % limit;
}

/* A source or target of copies: W texels by H rows by D layers, in memory of the host or the
 * device, in an array, or (UNIFIED) in memory of either; and its expected contents. */
struct place {
    int type;
    unsigned char *memory;
    void *array;
    size_t pitch, height; /* of memory */
    unsigned char *model;
};
enum { PLACES = 6, ROOM = 64 * 1024 };

static unsigned char back[ALL];

/* Reads a whole place, packed. */
static void read_place(const struct place *p, unsigned char *to) {
    for (size_t z = 0; z < D; z++)
        for (size_t y = 0; y < H; y++) {
            unsigned char *row = to + (z * H + y) * ROW;
            const unsigned char *at = p->memory + (z * p->height + y) * p->pitch;
            struct cu_box b = {.src = {.y = y, .z = z, .type = IN_ARRAY, .array = p->array},
                               .dst = {.type = ON_HOST, .host = row},
                               .width = ROW,
                               .height = 1,
                               .depth = 1};
            if (p->array)
                CU(cuMemcpy3D_v2(&b), OK);
            else
                CU(cuMemcpy(row, at, ROW), OK);
        }
}

/* Returns the place as a side of a copy, from texel byte x, row y, layer z on. */
static struct cu_box_side side_of(const struct place *p, size_t x, size_t y, size_t z) {
    return (struct cu_box_side){.x = x,
                                .y = y,
                                .z = z,
                                .type = p->type,
                                .host = p->type == ON_HOST ? p->memory : NULL,
                                .device = p->type == ON_HOST ? NULL : p->memory,
                                .array = p->array,
                                .pitch = p->pitch,
                                .height = p->height};
}
static struct cu_flat_side flat_side(const struct cu_box_side *s) {
    return (struct cu_flat_side){s->x, s->y, s->type, s->host, s->device, s->array, s->pitch};
}

/* Copies a random box from one place to another by one of the ten calls, on the device and in the
 * expected contents. */
static void random_copy(const struct place *to, const struct place *from) {
    size_t w = 1 + pick(W), h = 1 + pick(H), d = 1 + pick(D);
    size_t x[2] = {pick(W - (unsigned)w + 1), pick(W - (unsigned)w + 1)};
    size_t y[2] = {pick(H - (unsigned)h + 1), pick(H - (unsigned)h + 1)};
    size_t z[2] = {pick(D - (unsigned)d + 1), pick(D - (unsigned)d + 1)};
    unsigned way = pick(10);
    bool flat = way >= 4;
    if (flat) d = 1, z[0] = z[1] = 0;
    struct cu_box b = {side_of(from, x[1] * TEXEL, y[1], z[1]),
                       side_of(to, x[0] * TEXEL, y[0], z[0]), w * TEXEL, h, d};
    struct cu_flat f = {flat_side(&b.src), flat_side(&b.dst), b.width, h};
    switch (way) {
    case 0: CU(cuMemcpy3D_v2(&b), OK); break;
    case 1: CU(cuMemcpy3D_v2_ptds(&b), OK); break;
    case 2: CU(cuMemcpy3DAsync_v2(&b, NULL), OK); break;
    case 3: CU(cuMemcpy3DAsync_v2_ptsz(&b, NULL), OK); break;
    case 4: CU(cuMemcpy2D_v2(&f), OK); break;
    case 5: CU(cuMemcpy2D_v2_ptds(&f), OK); break;
    case 6: CU(cuMemcpy2DUnaligned_v2(&f), OK); break;
    case 7: CU(cuMemcpy2DUnaligned_v2_ptds(&f), OK); break;
    case 8: CU(cuMemcpy2DAsync_v2(&f, NULL), OK); break;
    default: CU(cuMemcpy2DAsync_v2_ptsz(&f, NULL), OK);
    }
    CU(cuCtxSynchronize(), OK);
    for (size_t k = 0; k < d; k++)
        for (size_t j = 0; j < h; j++)
            memmove(to->model + ((z[0] + k) * H + y[0] + j) * ROW + x[0] * TEXEL,
                    from->model + ((z[1] + k) * H + y[1] + j) * ROW + x[1] * TEXEL, w * TEXEL);
}

static void boxes(void) {
    struct place p[PLACES] = {{.type = ON_HOST},  {.type = ON_DEVICE}, {.type = IN_ARRAY},
                              {.type = IN_ARRAY}, {.type = UNIFIED},   {.type = UNIFIED}};
    const struct cu_array3d shape = {W, H, D, UNSIGNED_32, 2, 0};
    for (int i = 0; i < PLACES; i++) {
        p[i].model = calloc(1, ALL);
        CHECK(p[i].model);
        if (p[i].type == IN_ARRAY) {
            CU(cuArray3DCreate_v2(&p[i].array, &shape), OK);
            struct cu_box b = {
                .src = {.type = ON_HOST, .host = p[i].model, .pitch = ROW, .height = H},
                .dst = {.type = IN_ARRAY, .array = p[i].array},
                .width = ROW,
                .height = H,
                .depth = D};
            for (int k = 0; k < ALL; k++) p[i].model[k] = (unsigned char)pick(256);
            CU(cuMemcpy3D_v2(&b), OK);
            continue;
        }
        p[i].pitch = ROW + 8 * pick(5);
        p[i].height = H + pick(3);
        CHECK(p[i].pitch * p[i].height * D <= ROOM);
        if (i == 0)
            p[i].memory = calloc(1, ROOM);
        else if (i == 4)
            CU(cuMemAllocHost_v2(&p[i].memory, ROOM), OK);
        else
            CU(cuMemAlloc_v2(&p[i].memory, ROOM), OK);
        CU(i ? cuMemsetD8_v2(p[i].memory, 0, ROOM) : OK, OK);
    }
    for (int n = 0; n < 200; n++) {
        const struct place *to = &p[pick(PLACES)], *from = &p[pick(PLACES)];
        if (to == from) continue;
        random_copy(to, from);
        if (n % 10) continue;
        for (int i = 0; i < PLACES; i++) {
            read_place(&p[i], back);
            if (memcmp(back, p[i].model, ALL) == 0) continue;
            printf("place %d differs after copy %d\n", i, n);
            exit(1);
        }
    }
    /* Wrong ones. */
    struct cu_box good = {side_of(&p[1], 0, 0, 0), side_of(&p[2], 0, 0, 0), ROW, H, D}, b = good;
    b.width = ROW + TEXEL;
    CU(cuMemcpy3D_v2(&b), INVALID_VALUE);
    b = good;
    b.dst.x = 4; /* within a texel */
    CU(cuMemcpy3D_v2(&b), INVALID_VALUE);
    b = good;
    b.src.pitch = ROW - 8;
    CU(cuMemcpy3D_v2(&b), INVALID_VALUE);
    b = good;
    b.src.height = H - 1;
    CU(cuMemcpy3D_v2(&b), INVALID_VALUE);
    b = good;
    b.src.type = 9;
    CU(cuMemcpy3D_v2(&b), INVALID_VALUE);
    b = good;
    b.src.lod = 1;
    CU(cuMemcpy3D_v2(&b), INVALID_VALUE);
    b = good;
    b.dst.array = (void *)99;
    CU(cuMemcpy3D_v2(&b), INVALID_VALUE);
    CU(cuMemcpy3D_v2(NULL), INVALID_VALUE);
    CU(cuMemcpy2D_v2(NULL), INVALID_VALUE);
    struct cu_flat f = {flat_side(&good.src), flat_side(&good.dst), ROW, 2};
    f.src.pitch = 0;
    CU(cuMemcpy2D_v2(&f), INVALID_VALUE);
    f.height = 1; /* a single row needs no pitch */
    CU(cuMemcpy2D_v2(&f), OK);
    for (int i = 0; i < PLACES; i++) {
        if (p[i].array) CU(cuArrayDestroy(p[i].array), OK);
        if (i == 0) free(p[i].memory);
        if (i == 1 || i == 5) CU(cuMemFree_v2(p[i].memory), OK);
        if (i == 4) CU(cuMemFreeHost(p[i].memory), OK);
        free(p[i].model);
    }
}

/* Copies of parts of one-dimensional arrays. */
#define STRETCHES(ds, sz)                                                \
    static void stretches##ds(void) {                                    \
        enum { N = 256 };                                                \
        static int from[N], to[N];                                       \
        const struct cu_array d = {N, 0, SIGNED_32, 1};                  \
        void *a, *b;                                                     \
        int *memory;                                                     \
        for (int i = 0; i < N; i++) from[i] = i * i;                     \
        CU(cuArrayCreate_v2(&a, &d), OK);                                \
        CU(cuArrayCreate_v2(&b, &d), OK);                                \
        CU(cuMemAlloc_v2(&memory, sizeof from), OK);                     \
        CU(cuMemcpyHtoA_v2##ds(a, 0, from, sizeof from), OK);            \
        CU(cuMemcpyAtoD_v2##ds(memory, a, 40, 400), OK);                 \
        CU(cuMemcpyDtoA_v2##ds(b, 80, memory, 400), OK);                 \
        CU(cuMemcpyAtoA_v2##ds(b, 0, a, 0, 80), OK);                     \
        CU(cuMemcpyHtoAAsync_v2##sz(b, 480, from + 120, 400, NULL), OK); \
        CU(cuMemcpyAtoH_v2##ds(to, b, 0, 480), OK);                      \
        CU(cuMemcpyAtoHAsync_v2##sz(to + 120, b, 480, 400, NULL), OK);   \
        CU(cuCtxSynchronize(), OK);                                      \
        for (int i = 0; i < 20; i++) CHECK(to[i] == from[i]);            \
        for (int i = 20; i < 120; i++) CHECK(to[i] == from[i - 10]);     \
        for (int i = 120; i < 220; i++) CHECK(to[i] == from[i]);         \
        CU(cuMemcpyHtoA_v2##ds(a, 2, from, 40), INVALID_VALUE);          \
        CU(cuMemcpyHtoA_v2##ds(a, 1000, from, 40), INVALID_VALUE);       \
        CU(cuMemcpyHtoA_v2##ds((void *)99, 0, from, 40), INVALID_VALUE); \
        CU(cuArrayDestroy(a), OK);                                       \
        CU(cuArrayDestroy(a), INVALID_HANDLE);                           \
        CU(cuArrayDestroy(b), OK);                                       \
        CU(cuMemFree_v2(memory), OK);                                    \
    }
/* clang-format off */
STRETCHES(,)
STRETCHES(_ptds, _ptsz)
/* clang-format on */

static void descriptors(void) {
    static const struct {
        int format;
        unsigned channels;
    } kinds[] = {{1, 1}, {1, 4},  {2, 2},  {3, 1},  {3, 4},  {8, 2},
                 {9, 1}, {10, 4}, {16, 1}, {16, 4}, {32, 1}, {32, 2}};
    struct cu_array3d d, told;
    struct cu_array flat, told_flat;
    void *a, *mip, *level;
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        d = (struct cu_array3d){16, 8, 4, kinds[i].format, kinds[i].channels, 2};
        CU(cuArray3DCreate_v2(&a, &d), OK);
        CU(cuArray3DGetDescriptor_v2(&told, a), OK);
        CHECK(told.width == 16 && told.height == 8 && told.depth == 4 && told.flags == 2);
        CHECK(told.format == kinds[i].format && told.channels == kinds[i].channels);
        CU(cuArrayDestroy(a), OK);
        flat = (struct cu_array){33, 7, kinds[i].format, kinds[i].channels};
        CU(cuArrayCreate_v2(&a, &flat), OK);
        CU(cuArrayGetDescriptor_v2(&told_flat, a), OK);
        CHECK(told_flat.width == 33 && told_flat.height == 7);
        CHECK(told_flat.format == kinds[i].format && told_flat.channels == kinds[i].channels);
        CU(cuArrayDestroy(a), OK);
    }
    CU(cuArrayGetDescriptor_v2(&told_flat, a), INVALID_HANDLE);
    CU(cuArrayGetDescriptor_v2(NULL, a), INVALID_VALUE);
    CU(cuArray3DGetDescriptor_v2(NULL, a), INVALID_VALUE);
    flat.channels = 3;
    CU(cuArrayCreate_v2(&a, &flat), INVALID_VALUE);
    flat.channels = 1;
    flat.format = 0x91; /* BC1 */
    CU(cuArrayCreate_v2(&a, &flat), NOT_SUPPORTED);
    CU(cuArrayCreate_v2(NULL, &flat), INVALID_VALUE);
    CU(cuArrayCreate_v2(&a, NULL), INVALID_VALUE);
    flat = (struct cu_array){0, 7, FLOAT, 1};
    CU(cuArrayCreate_v2(&a, &flat), INVALID_VALUE);
    d = (struct cu_array3d){32, 16, 0, FLOAT, 1, 0};
    CU(cuMipmappedArrayCreate(&mip, &d, 3), OK);
    CU(cuMipmappedArrayGetLevel(&level, mip, 1), OK);
    CU(cuArray3DGetDescriptor_v2(&told, level), OK);
    CHECK(told.width == 16 && told.height == 8 && told.format == FLOAT);
    CU(cuMipmappedArrayGetLevel(&level, mip, 3), INVALID_VALUE);
    CU(cuMipmappedArrayDestroy(mip), OK);
    CU(cuMipmappedArrayDestroy(mip), INVALID_HANDLE);
}

static void run(void *f, unsigned grid, unsigned block, void **parameters) {
    CU(cuLaunchKernel(f, grid, 1, 1, block, 1, 1, 0, NULL, parameters, NULL), OK);
    CU(cuCtxSynchronize(), OK);
}

static void textures(const char *text) {
    enum { TW = 32, TH = 8, READ_AS_INTEGER = 1, NORMALIZED = 2 };
    static unsigned char bytes[TH][TW];
    static float out[TH][TW];
    static unsigned words[TH][TW];
    void *module, *fetch, *fetch_word, *store, *a, *result, *memory, *s;
    size_t pitch;
    unsigned w = TW;
    float one = 1, fraction = 1.0f / TW;
    uint64_t t;
    CU(cuModuleLoadData(&module, text), OK);
    CU(cuModuleGetFunction(&fetch, module, "fetch"), OK);
    CU(cuModuleGetFunction(&fetch_word, module, "fetch_word"), OK);
    CU(cuModuleGetFunction(&store, module, "store"), OK);
    CU(cuMemAlloc_v2(&result, sizeof out), OK);
    for (int y = 0; y < TH; y++)
        for (int x = 0; x < TW; x++) bytes[y][x] = (unsigned char)(y * 30 + x);

    /* Bytes of an array are read as fractions, unless the texture reads integers. */
    const struct cu_array d = {TW, TH, UNSIGNED_8, 1};
    CU(cuArrayCreate_v2(&a, &d), OK);
    struct cu_flat c = {
        {.type = ON_HOST, .host = bytes, .pitch = TW}, {.type = IN_ARRAY, .array = a}, TW, TH};
    CU(cuMemcpy2D_v2(&c), OK);
    struct cu_resource r = {.type = 0, .of.array = a};
    struct cu_texture how = {.address = {1, 1, 1}};
    void *parameters[] = {&result, &t, &w, &one};
    CU(cuTexObjectCreate(&t, &r, &how, NULL), OK);
    run(fetch, TH, TW, parameters);
    CU(cuMemcpyDtoH_v2(out, result, sizeof out), OK);
    for (int y = 0; y < TH; y++)
        for (int x = 0; x < TW; x++) CHECK(out[y][x] == (float)bytes[y][x] / 255.0f);
    CU(cuTexObjectDestroy(t), OK);
    CU(cuTexObjectDestroy(t), INVALID_VALUE);
    how.flags = NORMALIZED; /* x and y from 0 to 1 */
    CU(cuTexObjectCreate(&t, &r, &how, NULL), OK);
    parameters[3] = &fraction;
    run(fetch, 1, TW, parameters);
    CU(cuMemcpyDtoH_v2(out, result, sizeof out[0]), OK);
    for (int x = 0; x < TW; x++) CHECK(out[0][x] == (float)bytes[0][x] / 255.0f);
    CU(cuTexObjectDestroy(t), OK);
    parameters[3] = &one;

    /* Linear memory, as integers. */
    CU(cuMemAllocPitch_v2(&memory, &pitch, TW * 4, TH, 4), OK);
    CU(cuMemcpyHtoD_v2(memory, bytes, TW), OK);
    r = (struct cu_resource){.type = 2, .of.linear = {memory, UNSIGNED_8, 1, TW}};
    how = (struct cu_texture){.flags = READ_AS_INTEGER};
    CU(cuTexObjectCreate(&t, &r, &how, NULL), OK);
    void *two[] = {&result, &t};
    run(fetch_word, 1, TW, two);
    CU(cuMemcpyDtoH_v2(words, result, TW * 4), OK);
    for (int x = 0; x < TW; x++) CHECK(words[0][x] == bytes[0][x]);
    CU(cuTexObjectDestroy(t), OK);

    /* Pitched memory of floats, filtered: between texels their mean. */
    static float floats[TH][TW];
    for (int y = 0; y < TH; y++)
        for (int x = 0; x < TW; x++) floats[y][x] = (float)(y * 100 + x);
    c = (struct cu_flat){{.type = ON_HOST, .host = floats, .pitch = TW * 4},
                         {.type = ON_DEVICE, .device = memory, .pitch = pitch},
                         TW * 4,
                         TH};
    CU(cuMemcpy2D_v2(&c), OK);
    r = (struct cu_resource){.type = 3, .of.pitched = {memory, FLOAT, 1, TW, TH, pitch}};
    how = (struct cu_texture){.address = {1, 1, 1}, .filter = 1};
    float two_apart = 2;
    CU(cuTexObjectCreate(&t, &r, &how, NULL), OK);
    parameters[3] = &two_apart; /* at 2 x + 1, 2 y + 1 */
    run(fetch, TH / 2 - 1, TW / 2 - 1, parameters);
    CU(cuMemcpyDtoH_v2(out, result, sizeof out), OK);
    for (int y = 0; y < TH / 2 - 1; y++)
        for (int x = 0; x < TW / 2 - 1; x++)
            CHECK(out[y][x] == (float)(100 * (2 * y) + 2 * x) + 50.5f);
    CU(cuTexObjectDestroy(t), OK);
    CU(cuArrayDestroy(a), OK);

    /* A surface. */
    const struct cu_array3d shape = {TW, TH, 0, UNSIGNED_32, 1, 2};
    CU(cuArray3DCreate_v2(&a, &shape), OK);
    r = (struct cu_resource){.type = 0, .of.array = a};
    CU(cuSurfObjectCreate(&t, &r), OK);
    run(store, TH, TW, (void *[]){&t});
    c = (struct cu_flat){{.type = IN_ARRAY, .array = a},
                         {.type = ON_HOST, .host = words, .pitch = TW * 4},
                         TW * 4,
                         TH};
    CU(cuMemcpy2D_v2(&c), OK);
    for (unsigned y = 0; y < TH; y++)
        for (unsigned x = 0; x < TW; x++) CHECK(words[y][x] == y * 1000 + x);
    CU(cuSurfObjectDestroy(t), OK);
    CU(cuSurfObjectDestroy(t), INVALID_VALUE);

    /* Wrong ones. */
    how = (struct cu_texture){.flags = READ_AS_INTEGER};
    CU(cuTexObjectCreate(&t, NULL, &how, NULL), INVALID_VALUE);
    CU(cuTexObjectCreate(&t, &r, NULL, NULL), INVALID_VALUE);
    CU(cuTexObjectCreate(NULL, &r, &how, NULL), INVALID_VALUE);
    r.flags = 1;
    CU(cuTexObjectCreate(&t, &r, &how, NULL), INVALID_VALUE);
    CU(cuSurfObjectCreate(&t, &r), INVALID_VALUE);
    r.flags = 0;
    how.flags = 0x80;
    CU(cuTexObjectCreate(&t, &r, &how, NULL), INVALID_VALUE);
    how.flags = READ_AS_INTEGER;
    r.of.array = &s;
    CU(cuTexObjectCreate(&t, &r, &how, NULL), INVALID_HANDLE);
    r.type = 7;
    CU(cuTexObjectCreate(&t, &r, &how, NULL), INVALID_VALUE);
    CU(cuArrayDestroy(a), OK);
    CU(cuMemFree_v2(memory), OK);
    CU(cuModuleUnload(module), OK);
}

int main(int argc, char **argv) {
    char *text = read_text(argc > 1 ? argv[1] : "");
    void *context;
    CU(cuInit(0), OK);
    CU(cuCtxCreate_v2(&context, 0, 0), OK);
    boxes();
    stretches();
    stretches_ptds();
    descriptors();
    textures(text);
    CU(cuCtxDestroy_v2(context), OK);
    free(text);
    puts("driver_arrays: ok");
    return 0;
}
