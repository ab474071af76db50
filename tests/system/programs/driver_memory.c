/* driver_memory.c - the driver API's memory: allocations of every kind; copies and fills by both
 * names of each call, compared with the same on the CPU; queries about addresses. A failed check
 * ends the program with status 1. Argument: scale.ptx. */
#include "driver_calls.h"

enum { ROOM = 1 << 16 };

static unsigned seed = 12345;
static unsigned pick(unsigned limit) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % limit;
}
static void random_bytes(unsigned char *p, size_t n) {
    for (size_t i = 0; i < n; i++) p[i] = (unsigned char)pick(256);
}

/* Device memory, its expected contents (model), and memory of the host. */
static unsigned char *device, *other, model[ROOM], host[ROOM], back[ROOM];

static void same(const char *what) {
    CU(cuMemcpyDtoH_v2(back, device, ROOM), OK);
    for (unsigned i = 0; i < ROOM; i++)
        if (back[i] != model[i]) {
            printf("%s: byte %u is %u, not %u\n", what, i, back[i], model[i]);
            exit(1);
        }
}

/* A random piece: offsets on both sides and a length, aligned to `to`. */
struct piece {
    size_t at, from, bytes;
};
static struct piece stretch(unsigned to) {
    struct piece p = {pick(ROOM / 2) / to * to, pick(ROOM / 2), 1 + pick(ROOM / 2 - 1)};
    return p;
}

#define COPY(call)                                         \
    do {                                                   \
        struct piece s = stretch(1);                       \
        CU(call, OK);                                      \
        CU(cuCtxSynchronize(), OK);                        \
        memmove(model + s.at, expected + s.from, s.bytes); \
        same(#call);                                       \
    } while (0)
#define BACK(call)                                                   \
    do {                                                             \
        struct piece s = stretch(1);                                 \
        memset(back, 0, ROOM);                                       \
        CU(call, OK);                                                \
        CU(cuCtxSynchronize(), OK);                                  \
        CHECK(memcmp(back + s.at, expected + s.from, s.bytes) == 0); \
        CHECK(s.at == 0 || back[s.at - 1] == 0);                     \
        CHECK(s.at + s.bytes == ROOM || back[s.at + s.bytes] == 0);  \
    } while (0)

#define D (device + s.at)
#define H (host + s.from)
#define O (other + s.from)
#define B (back + s.at)
#define LINES_AND_FILLS(ds, sz)                                                         \
    static void lines##ds(void) {                                                       \
        const unsigned char *expected = host;                                           \
        for (int i = 0; i < 3; i++) {                                                   \
            random_bytes(host, ROOM);                                                   \
            CU(cuMemcpyHtoD_v2##ds(other, host, ROOM), OK);                             \
            COPY(cuMemcpyHtoD_v2##ds(D, H, s.bytes));                                   \
            COPY(cuMemcpyHtoDAsync_v2##sz(D, H, s.bytes, NULL));                        \
            COPY(cuMemcpyDtoD_v2##ds(D, O, s.bytes));                                   \
            COPY(cuMemcpyDtoDAsync_v2##sz(D, O, s.bytes, NULL));                        \
            COPY(cuMemcpy##ds(D, H, s.bytes));                                          \
            COPY(cuMemcpy##ds(D, O, s.bytes));                                          \
            COPY(cuMemcpyAsync##sz(D, H, s.bytes, NULL));                               \
            COPY(cuMemcpyAsync##sz(D, O, s.bytes, NULL));                               \
            BACK(cuMemcpyDtoH_v2##ds(B, O, s.bytes));                                   \
            BACK(cuMemcpyDtoHAsync_v2##sz(B, O, s.bytes, NULL));                        \
            BACK(cuMemcpy##ds(B, O, s.bytes));                                          \
            BACK(cuMemcpyAsync##sz(B, O, s.bytes, NULL));                               \
        }                                                                               \
        CU(cuMemcpyHtoD_v2##ds(device, host, 0), OK);                                   \
        CU(cuMemcpyHtoD_v2##ds(device + 1, host, ROOM), INVALID_VALUE);                 \
        CU(cuMemcpyHtoD_v2##ds(host, host, 8), INVALID_VALUE);                          \
        CU(cuMemcpyDtoH_v2##ds(back, host, 8), INVALID_VALUE);                          \
        CU(cuMemcpyDtoD_v2##ds(device, host, 8), INVALID_VALUE);                        \
        same("copies that are refused");                                                \
    }                                                                                   \
    static void fills##ds(void) {                                                       \
        for (int i = 0; i < 3; i++) {                                                   \
            unsigned v = pick(1u << 24) * 77;                                           \
            struct piece s = stretch(4);                                                \
            size_t n = s.bytes;                                                         \
            CU(cuMemsetD8_v2##ds(D, (unsigned char)v, n), OK);                          \
            memset(model + s.at, (int)(v & 255), n);                                    \
            same("D8");                                                                 \
            CU(cuMemsetD8Async##sz(D + 1, (unsigned char)(v >> 8), n - 1, NULL), OK);   \
            memset(model + s.at + 1, (int)(v >> 8 & 255), n - 1);                       \
            same("D8Async");                                                            \
            CU(cuMemsetD16_v2##ds(D, (unsigned short)v, n / 2), OK);                    \
            fill(s.at, v, 2, n / 2);                                                    \
            same("D16");                                                                \
            CU(cuMemsetD16Async##sz(D + 2, (unsigned short)(v >> 8), n / 2, NULL), OK); \
            fill(s.at + 2, v >> 8, 2, n / 2);                                           \
            same("D16Async");                                                           \
            CU(cuMemsetD32_v2##ds(D, v, n / 4), OK);                                    \
            fill(s.at, v, 4, n / 4);                                                    \
            same("D32");                                                                \
            CU(cuMemsetD32Async##sz(D, ~v, n / 4, NULL), OK);                           \
            fill(s.at, ~v, 4, n / 4);                                                   \
            same("D32Async");                                                           \
            size_t w = 1 + pick(50), h = 1 + pick(40), pitch = 200 + 4 * pick(30);      \
            CU(cuMemsetD2D8_v2##ds(D, pitch, (unsigned char)v, 4 * w, h), OK);          \
            for (size_t y = 0; y < h; y++) fill(s.at + y * pitch, v, 1, 4 * w);         \
            same("D2D8");                                                               \
            CU(cuMemsetD2D8Async##sz(D, pitch, (unsigned char)~v, w, h, NULL), OK);     \
            for (size_t y = 0; y < h; y++) fill(s.at + y * pitch, ~v, 1, w);            \
            same("D2D8Async");                                                          \
            CU(cuMemsetD2D16_v2##ds(D, pitch, (unsigned short)v, 2 * w, h), OK);        \
            for (size_t y = 0; y < h; y++) fill(s.at + y * pitch, v, 2, 2 * w);         \
            same("D2D16");                                                              \
            CU(cuMemsetD2D16Async##sz(D, pitch, (unsigned short)~v, w, h, NULL), OK);   \
            for (size_t y = 0; y < h; y++) fill(s.at + y * pitch, ~v, 2, w);            \
            same("D2D16Async");                                                         \
            CU(cuMemsetD2D32_v2##ds(D, pitch, v, w, h), OK);                            \
            for (size_t y = 0; y < h; y++) fill(s.at + y * pitch, v, 4, w);             \
            same("D2D32");                                                              \
            CU(cuMemsetD2D32Async##sz(D, pitch, ~v, w, h, NULL), OK);                   \
            for (size_t y = 0; y < h; y++) fill(s.at + y * pitch, ~v, 4, w);            \
            same("D2D32Async");                                                         \
        }                                                                               \
        CU(cuMemsetD16_v2##ds(device + 1, 1, 4), INVALID_VALUE);                        \
        CU(cuMemsetD32_v2##ds(device + 2, 1, 4), INVALID_VALUE);                        \
        CU(cuMemsetD32_v2##ds(device, 1, ROOM), INVALID_VALUE);                         \
        CU(cuMemsetD32_v2##ds(device, 1, (size_t)1 << 62), INVALID_VALUE);              \
        CU(cuMemsetD8_v2##ds(host, 1, 4), INVALID_VALUE);                               \
        CU(cuMemsetD2D32_v2##ds(device, 8, 1, 3, 2), INVALID_VALUE);                    \
        CU(cuMemsetD2D8_v2##ds(device, 8, 1, 9, 2), INVALID_VALUE);                     \
        CU(cuMemsetD32_v2##ds(device, 1, 0), OK);                                       \
        same("fills that are refused");                                                 \
    }

/* Fills n elements of `size` bytes in the expected contents. */
static void fill(size_t at, unsigned value, unsigned size, size_t n) {
    for (size_t i = 0; i < n; i++) memcpy(model + at + i * size, &value, size);
}
/* clang-format off */
LINES_AND_FILLS(,)
LINES_AND_FILLS(_ptds, _ptsz)
/* clang-format on */

static void allocations(void) {
    unsigned char *p, *q;
    size_t pitch, bytes;
    CU(cuMemAlloc_v2(&p, 0), INVALID_VALUE);
    CU(cuMemAlloc_v2(NULL, 8), INVALID_VALUE);
    CU(cuMemAlloc_v2(&p, (size_t)1 << 50), OUT_OF_MEMORY);
    CU(cuMemFree_v2(device + 256), INVALID_VALUE);
    CU(cuMemFree_v2(host), INVALID_VALUE);
    CU(cuMemAllocPitch_v2(&p, &pitch, 333, 20, 4), OK);
    CHECK(pitch >= 333 && pitch % 256 == 0);
    CU(cuMemGetAddressRange_v2(&q, &bytes, p + 20 * pitch - 1), OK);
    CHECK(q == p && bytes >= 20 * pitch);
    CU(cuMemGetAddressRange_v2(NULL, &bytes, p), OK);
    CU(cuMemGetAddressRange_v2(&q, NULL, p), OK);
    CU(cuMemGetAddressRange_v2(&q, &bytes, host), NOT_FOUND);
    CU(cuMemAllocPitch_v2(&q, &pitch, 333, 20, 5), INVALID_VALUE);
    CU(cuMemAllocPitch_v2(&q, NULL, 333, 20, 4), INVALID_VALUE);
    CU(cuMemAllocPitch_v2(&q, &pitch, 0, 20, 4), INVALID_VALUE);
    CU(cuMemFree_v2(p), OK);
    CU(cuMemFree_v2(p), INVALID_VALUE);
    CU(cuMemGetAddressRange_v2(&q, &bytes, p), NOT_FOUND);
    /* In stream order. */
    void *pool, *stream;
    CU(cuStreamCreate(&stream, 0), OK);
    CU(cuDeviceGetDefaultMemPool(&pool, 0), OK);
    CU(cuMemAllocAsync(&p, 4096, stream), OK);
    CU(cuMemsetD8Async(p, 3, 4096, stream), OK);
    CU(cuMemAllocFromPoolAsync(&q, 4096, pool, stream), OK);
    CU(cuMemcpyDtoDAsync_v2(q, p, 4096, stream), OK);
    CU(cuMemcpyDtoHAsync_v2(back, q, 4096, stream), OK);
    CU(cuStreamSynchronize(stream), OK);
    CHECK(back[0] == 3 && back[4095] == 3);
    CU(cuMemFreeAsync(p, stream), OK);
    CU(cuMemFree_v2(q), OK);
    CU(cuMemAllocAsync_ptsz(&p, 64, NULL), OK);
    CU(cuMemAllocFromPoolAsync_ptsz(&q, 64, pool, NULL), OK);
    CU(cuMemFreeAsync_ptsz(p, NULL), OK);
    CU(cuMemFreeAsync_ptsz(q, NULL), OK);
    CU(cuMemFreeAsync(host, stream), INVALID_VALUE);
    CU(cuStreamDestroy_v2(stream), OK);
}

/* factor[1] is 2 */
static void scale_on(void *function, void *p) {
    unsigned n = 4;
    void *parameters[] = {&p, &n};
    CU(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL), OK);
    CU(cuCtxSynchronize(), OK);
}

static void host_memory(const char *ptx) {
    void *module, *f;
    int *p, *d;
    unsigned flags, type;
    unsigned char yes;
    CU(cuModuleLoadData(&module, ptx), OK);
    CU(cuModuleGetFunction(&f, module, "scale"), OK);
    CU(cuMemAllocHost_v2(&p, 4096), OK);
    p[0] = 21;
    scale_on(f, p);
    CHECK(p[0] == 42);
    CU(cuMemHostGetDevicePointer_v2(&d, p + 1, 0), OK);
    CHECK(d == p + 1);
    CU(cuMemHostGetDevicePointer_v2(&d, host, 0), INVALID_VALUE);
    CU(cuMemHostGetDevicePointer_v2(&d, p, 1), INVALID_VALUE);
    CU(cuMemFreeHost(p), OK);
    CU(cuMemFreeHost(p), INVALID_VALUE);
    CU(cuMemHostAlloc(&p, 4096, 2), OK);
    CU(cuMemHostGetFlags(&flags, p), OK);
    CHECK(flags & 2);
    CU(cuMemHostGetFlags(&flags, host), INVALID_VALUE);
    CU(cuMemHostAlloc(&d, 4096, 1u << 20), INVALID_VALUE);
    CU(cuMemFreeHost(p), OK);

    static int own[3000];
    int *inside = own + 1000;
    for (int i = 0; i < 4; i++) inside[i] = 5 + i;
    CU(cuMemHostRegister_v2(inside, 2000, 2), OK);
    CU(cuMemHostRegister_v2(inside, 2000, 2), 712);
    CU(cuMemHostGetDevicePointer_v2(&d, inside, 0), OK);
    scale_on(f, d);
    CHECK(inside[0] == 10 && inside[3] == 16);
    CU(cuMemsetD32_v2(d, 9, 2), OK);
    CU(cuCtxSynchronize(), OK);
    CHECK(inside[1] == 9);
    CU(cuPointerGetAttribute(&type, 2, inside), OK);
    CHECK(type == ON_HOST);
    int *found;
    CU(cuPointerGetAttribute(&found, 4, inside + 1), OK); /* the host's pointer */
    CHECK(found == inside + 1);
    CU(cuPointerGetAttribute(&found, 4, d + 1), OK);
    CHECK(found == inside + 1);
    CU(cuPointerGetAttribute(&found, 3, inside + 1), OK); /* the device's */
    CHECK(found == d + 1);
    CU(cuMemHostUnregister(inside), OK);
    CU(cuMemHostUnregister(inside), 713);
    CHECK(inside[1] == 9);

    CU(cuMemAllocManaged(&p, 4096, 1), OK);
    CU(cuMemAllocManaged(&d, 4096, 0), INVALID_VALUE);
    CU(cuMemAllocManaged(&d, 0, 1), INVALID_VALUE);
    p[2] = 50;
    scale_on(f, p);
    CHECK(p[2] == 100);
    CU(cuPointerGetAttribute(&yes, 8, p), OK);
    CHECK(yes == 1);
    CU(cuMemFree_v2(p), OK);
    CU(cuModuleUnload(module), OK);
}

static void addresses(void) {
    enum { CONTEXT = 1, TYPE, DEVICE_POINTER, HOST_POINTER, MANAGED = 8, ORDINAL, START = 11 };
    enum { BYTES = 12, MAPPED = 13, ACCESS = 16 };
    void *c, *current, *p, *pinned;
    int number;
    unsigned type;
    size_t bytes;
    unsigned char flag;
    CU(cuCtxGetCurrent(&current), OK);
    CU(cuPointerGetAttribute(&c, CONTEXT, device), OK);
    CHECK(c == current);
    CU(cuPointerGetAttribute(&type, TYPE, device + 9), OK);
    CHECK(type == ON_DEVICE);
    CU(cuPointerGetAttribute(&p, DEVICE_POINTER, device + 9), OK);
    CHECK(p == device + 9);
    CU(cuPointerGetAttribute(&p, HOST_POINTER, device), INVALID_VALUE);
    CU(cuPointerGetAttribute(&flag, MANAGED, device), OK);
    CHECK(flag == 0);
    CU(cuPointerGetAttribute(&number, ORDINAL, device), OK);
    CHECK(number == 0);
    CU(cuPointerGetAttribute(&p, START, device + 99), OK);
    CHECK(p == device);
    CU(cuPointerGetAttribute(&bytes, BYTES, device + 99), OK);
    CHECK(bytes == ROOM);
    CU(cuPointerGetAttribute(&flag, MAPPED, device), OK);
    CHECK(flag == 1);
    CU(cuPointerGetAttribute(&number, ACCESS, device), NOT_SUPPORTED);
    CU(cuPointerGetAttribute(NULL, TYPE, device), INVALID_VALUE);
    CU(cuMemAllocHost_v2(&pinned, 64), OK);
    CU(cuPointerGetAttribute(&type, TYPE, pinned), OK);
    CHECK(type == ON_HOST);
    CU(cuPointerGetAttribute(&p, HOST_POINTER, pinned), OK);
    CHECK(p == pinned);
    CU(cuMemFreeHost(pinned), OK);
    /* Memory that is not CUDA's: an error; a query of several attributes returns zeros. */
    CU(cuPointerGetAttribute(&type, TYPE, &type), INVALID_VALUE);
    CU(cuPointerGetAttribute(&type, TYPE, "constant"), INVALID_VALUE);
    int ask[] = {CONTEXT, TYPE, DEVICE_POINTER, HOST_POINTER, MANAGED, ORDINAL, START, BYTES};
    struct {
        void *context, *device_pointer, *host_pointer, *start;
        size_t bytes;
        unsigned type;
        int ordinal;
        unsigned char managed, guard;
    } a;
    void *to[] = {&a.context, &a.type,    &a.device_pointer, &a.host_pointer,
                  &a.managed, &a.ordinal, &a.start,          &a.bytes};
    memset(&a, 0x55, sizeof a);
    CU(cuPointerGetAttributes(8, ask, to, device + 5), OK);
    CHECK(a.context == current && a.type == ON_DEVICE && a.device_pointer == device + 5);
    CHECK(a.host_pointer == NULL && a.managed == 0 && a.ordinal == 0);
    CHECK(a.start == device && a.bytes == ROOM && a.guard == 0x55);
    memset(&a, 0x55, sizeof a);
    CU(cuPointerGetAttributes(8, ask, to, &a), OK);
    CHECK(!a.context && !a.type && !a.device_pointer && !a.host_pointer && !a.managed);
    CHECK(!a.ordinal && !a.start && !a.bytes && a.guard == 0x55);
    int access[] = {16}; /* one that is not supported, of an address that is not CUDA's either */
    memset(&a, 0x55, sizeof a);
    CU(cuPointerGetAttributes(1, access, to + 4, &a), NOT_SUPPORTED);
    CHECK(a.managed == 0x55 && a.guard == 0x55);
    CU(cuPointerGetAttributes(8, NULL, to, device), INVALID_VALUE);
    CU(cuPointerGetAttributes(8, ask, NULL, device), INVALID_VALUE);
}

int main(int argc, char **argv) {
    char *ptx = read_text(argc > 1 ? argv[1] : "");
    void *context;
    CU(cuInit(0), OK);
    CU(cuCtxCreate_v2(&context, 0, 0), OK);
    CU(cuMemAlloc_v2(&device, ROOM), OK);
    CU(cuMemAlloc_v2(&other, ROOM), OK);
    CU(cuMemsetD8_v2(device, 0, ROOM), OK);
    lines();
    lines_ptds();
    fills();
    fills_ptds();
    allocations();
    host_memory(ptx);
    addresses();
    CU(cuCtxDestroy_v2(context), OK);
    free(ptx);
    puts("driver_memory: ok");
    return 0;
}
