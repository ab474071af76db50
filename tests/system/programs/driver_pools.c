/* driver_pools.c - memory pools with properties, hints about managed memory. A failed check ends
 * the program with status 1. */
#include "driver_calls.h"

struct location {
    int type, id;
};
struct properties { /* CUmemPoolProps */
    int type, handles;
    struct location at;
    void *security;
    size_t most;
    char reserved[56];
};
struct access {
    struct location at;
    int flags;
};
enum { DEVICE = 1, HOST = 2, REUSE = 1, THRESHOLD = 4, USED = 7, USED_HIGH = 8, READ_WRITE = 3 };

int cuMemPoolCreate(void **pool, const struct properties *p);
int cuMemPoolGetAttribute(void *pool, int attribute, void *value);
int cuMemPoolSetAttribute(void *pool, int attribute, void *value);
int cuMemPoolSetAccess(void *pool, const struct access *list, size_t count);
int cuMemPoolGetAccess(int *flags, void *pool, const struct location *at);
int cuMemAdvise(void *p, size_t n, int advice, int device);
int cuMemAdvise_v2(void *p, size_t n, int advice, struct location at);
#define HINTS(sz)                                                                              \
    int cuMemPrefetchAsync##sz(void *p, size_t n, int device, void *s);                        \
    int cuMemPrefetchAsync_v2##sz(void *p, size_t n, struct location at, unsigned f, void *s); \
    int cuStreamAttachMemAsync##sz(void *s, void *p, size_t n, unsigned flags);
/* clang-format off */
HINTS()
HINTS(_ptsz)
/* clang-format on */

static void pools(void *stream) {
    struct properties p = {.type = 1, .at = {DEVICE, 0}};
    struct access access = {{DEVICE, 0}, READ_WRITE};
    void *pool, *current, *first;
    uint64_t value;
    int on = 7, flags;
    unsigned char *a, *b;
    CU(cuDeviceGetDefaultMemPool(&first, 0), OK);
    CU(cuMemPoolCreate(&pool, &p), OK);
    CU(cuMemPoolGetAttribute(pool, THRESHOLD, &value), OK);
    CHECK(value == 0);
    value = 1 << 20;
    CU(cuMemPoolSetAttribute(pool, THRESHOLD, &value), OK);
    value = 0;
    CU(cuMemPoolGetAttribute(pool, THRESHOLD, &value), OK);
    CHECK(value == 1 << 20);
    CU(cuMemPoolGetAttribute(pool, REUSE, &on), OK);
    CHECK(on == 1);
    on = 0;
    CU(cuMemPoolSetAttribute(pool, REUSE, &on), OK);
    CU(cuMemPoolGetAttribute(pool, REUSE, &flags), OK);
    CHECK(flags == 0);
    CU(cuMemPoolSetAttribute(pool, 99, &value), INVALID_VALUE);
    CU(cuMemPoolGetAttribute(pool, 99, &value), INVALID_VALUE);
    CU(cuMemPoolGetAttribute(pool, USED, NULL), INVALID_VALUE);
    CU(cuMemPoolGetAttribute(&p, USED, &value), INVALID_VALUE);
    CU(cuMemPoolSetAccess(pool, &access, 1), OK);
    CU(cuMemPoolGetAccess(&flags, pool, &access.at), OK);
    CHECK(flags == READ_WRITE);
    CU(cuMemPoolSetAccess(pool, NULL, 1), INVALID_VALUE);
    CU(cuMemPoolGetAccess(NULL, pool, &access.at), INVALID_VALUE);
    CU(cuDeviceSetMemPool(0, pool), OK);
    CU(cuDeviceGetMemPool(&current, 0), OK);
    CHECK(current == pool);
    CU(cuMemAllocAsync(&a, 4096, stream), OK);
    CU(cuMemAllocFromPoolAsync(&b, 8192, first, stream), OK);
    CU(cuMemPoolGetAttribute(pool, USED, &value), OK);
    CHECK(value == 4096);
    CU(cuMemFreeAsync(a, stream), OK);
    CU(cuMemFreeAsync(b, stream), OK);
    CU(cuStreamSynchronize(stream), OK);
    CU(cuMemPoolGetAttribute(pool, USED, &value), OK);
    CHECK(value == 0);
    CU(cuMemPoolGetAttribute(pool, USED_HIGH, &value), OK);
    CHECK(value == 4096);
    CU(cuMemPoolTrimTo(pool, 0), OK);
    CU(cuDeviceSetMemPool(0, first), OK);
    CU(cuMemPoolDestroy(pool), OK);
    CU(cuMemPoolDestroy(pool), INVALID_VALUE);
    p.handles = 1;
    CU(cuMemPoolCreate(&pool, &p), NOT_SUPPORTED);
    p.handles = 0;
    p.at.id = 9;
    CU(cuMemPoolCreate(&pool, &p), INVALID_DEVICE);
    CU(cuMemPoolCreate(&pool, NULL), INVALID_VALUE);
}

#define PREFETCHES(sz)                                                                    \
    static void prefetches##sz(unsigned char *m, void *stream) {                          \
        const struct location device = {DEVICE, 0}, host = {HOST, 0}, none = {DEVICE, 9}; \
        CU(cuMemPrefetchAsync##sz(m, 4096, 0, stream), OK);                               \
        CU(cuMemsetD8Async##sz(m, 5, 4096, stream), OK);                                  \
        CU(cuMemPrefetchAsync##sz(m, 4096, -1, stream), OK);                              \
        CU(cuStreamSynchronize##sz(stream), OK);                                          \
        CHECK(m[0] == 5 && m[4095] == 5);                                                 \
        CU(cuMemPrefetchAsync_v2##sz(m, 4096, device, 0, stream), OK);                    \
        CU(cuMemPrefetchAsync_v2##sz(m, 4096, host, 0, stream), OK);                      \
        CU(cuMemPrefetchAsync_v2##sz(m, 4096, host, 1, stream), INVALID_VALUE);           \
        CU(cuMemPrefetchAsync_v2##sz(m, 4096, none, 0, stream), INVALID_DEVICE);          \
        CU(cuMemPrefetchAsync##sz(m, 1 << 20, 0, stream), INVALID_VALUE);                 \
        CU(cuMemPrefetchAsync##sz(m, 4096, 9, stream), INVALID_DEVICE);                   \
        CU(cuStreamAttachMemAsync##sz(stream, m, 0, 4), OK);                              \
        CU(cuStreamSynchronize##sz(stream), OK);                                          \
        memset(m, 0, 4096);                                                               \
    }
/* clang-format off */
PREFETCHES()
PREFETCHES(_ptsz)
/* clang-format on */

static void hints(void *stream) {
    enum { READ_MOSTLY = 1, PREFERRED = 3, ACCESSED_BY = 5 };
    const struct location device = {DEVICE, 0}, host = {HOST, 0};
    unsigned char *m, own[16];
    CU(cuMemAllocManaged(&m, 4096, 1), OK);
    CU(cuMemAdvise(m, 4096, READ_MOSTLY, 0), OK);
    CU(cuMemAdvise(m, 4096, PREFERRED, -1), OK);
    CU(cuMemAdvise(m, 4096, 77, 0), INVALID_VALUE);
    CU(cuMemAdvise(own, 16, READ_MOSTLY, 0), INVALID_VALUE);
    CU(cuMemAdvise_v2(m, 4096, PREFERRED, host), OK);
    CU(cuMemAdvise_v2(m, 4096, ACCESSED_BY, device), OK);
    prefetches(m, stream);
    prefetches_ptsz(m, stream);
    CU(cuMemFree_v2(m), OK);
}

int main(void) {
    void *context, *stream;
    CU(cuInit(0), OK);
    CU(cuCtxCreate_v2(&context, 0, 0), OK);
    CU(cuStreamCreate(&stream, 0), OK);
    pools(stream);
    hints(stream);
    CU(cuCtxDestroy_v2(context), OK);
    puts("driver_pools: ok");
    return 0;
}
