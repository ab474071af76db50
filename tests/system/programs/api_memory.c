/* api_memory.c - boxes, pools, managed and registered memory. Argument: the PTX file with kernel
 * `scale` (p[i] *= 2 for i < n). A failed check ends the program with status 1. */
#include <sys/mman.h>
#include <sys/resource.h>

#include "api_calls.h"

static struct device_image image;
static char scale;

static void run_scale(int *p, int n, void *stream) {
    struct dim3 one = {1, 1, 1}, block = {64, 1, 1};
    EXPECT(cudaLaunchKernel(&scale, one, block, (void *[]){&p, &n}, 0, stream), 0);
}

static unsigned char pattern(size_t x, size_t y, size_t z) {
    return (unsigned char)(x * 7 + y * 31 + z * 101 + 1);
}

/* Copies a box to the device at an offset, within the device, and back; nothing else changes. */
static void boxes(void) {
    enum { W = 60, H = 7, D = 5, BW = 20, BH = 3, BD = 2 };
    static unsigned char host[D][H][W], back[D][H][W];
    struct extent whole = {W, H, D};
    struct pitched p;
    for (size_t z = 0; z < D; z++)
        for (size_t y = 0; y < H; y++)
            for (size_t x = 0; x < W; x++) host[z][y][x] = pattern(x, y, z);
    EXPECT(cudaMalloc3D(&p, whole), 0);
    CHECK(p.pitch >= W && p.pitch % 512 == 0 && p.xsize == W && p.ysize == H);
    EXPECT(cudaMemset3D(p, 0xAA, whole), 0);
    EXPECT(cudaMemset3DAsync(p, 0xBB, (struct extent){BW, BH, BD}, NULL), 0);
    struct copy3d up = {.src = {host, W, W, H},
                        .src_pos = {5, 1, 1},
                        .dst = p,
                        .dst_pos = {10, 3, 2},
                        .extent = {BW, BH, BD},
                        .kind = TO_DEVICE};
    EXPECT(cudaMemcpy3D(&up), 0);
    struct copy3d down = {.src = p, .dst = {back, W, W, H}, .extent = whole, .kind = BY_ADDRESS};
    EXPECT(cudaMemcpy3DAsync(&down, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    for (size_t z = 0; z < D; z++)
        for (size_t y = 0; y < H; y++)
            for (size_t x = 0; x < W; x++) {
                unsigned char want = x < BW && y < BH && z < BD ? 0xBB : 0xAA;
                if (x - 10 < BW && y - 3 < BH && z - 2 < BD) want = pattern(x - 5, y - 2, z - 1);
                CHECK(back[z][y][x] == want);
            }
    /* Rows on the device, and their fills. */
    unsigned char *d, *e, rows[4][16];
    size_t pitch;
    EXPECT(cudaMallocPitch((void **)&d, &pitch, 16, 4), 0);
    EXPECT(cudaMalloc((void **)&e, 64), 0);
    EXPECT(cudaMemset2D(d, pitch, 3, 16, 4), 0);
    EXPECT(cudaMemset2DAsync(d + pitch, pitch, 9, 8, 2, NULL), 0);
    EXPECT(cudaMemcpy2DAsync(e, 16, d, pitch, 16, 4, IN_DEVICE, NULL), 0);
    EXPECT(cudaMemcpy(rows, e, sizeof rows, TO_HOST), 0);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 16; x++) CHECK(rows[y][x] == (x < 8 && (y == 1 || y == 2) ? 9 : 3));
    /* No memory at all. */
    EXPECT(cudaMemcpy(e, NULL, 16, TO_DEVICE), INVALID_VALUE);
    EXPECT(cudaMemcpy(NULL, e, 16, TO_HOST), INVALID_VALUE);
    EXPECT(cudaMemcpy2DAsync(e, 16, NULL, 16, 4, 4, TO_DEVICE, NULL), INVALID_VALUE);
    EXPECT(cudaMemcpy(e, NULL, 0, TO_DEVICE), 0);
    /* Wrong use. Sizes that overflow, as a whole or when rounded to the pitch, are too large. */
    void *none = NULL;
    EXPECT(cudaMallocPitch(&none, &pitch, SIZE_MAX, 1), MEMORY_ALLOCATION);
    EXPECT(cudaMallocPitch(&none, &pitch, SIZE_MAX - 510, 3), MEMORY_ALLOCATION);
    EXPECT(cudaMallocPitch(&none, &pitch, (size_t)1 << 33, (size_t)1 << 31), MEMORY_ALLOCATION);
    EXPECT(cudaMalloc3D(&p, (struct extent){SIZE_MAX, 1, 1}), MEMORY_ALLOCATION);
    EXPECT(cudaMalloc3D(&p, (struct extent){1, (size_t)1 << 33, (size_t)1 << 33}),
           MEMORY_ALLOCATION);
    CHECK(!none);
    EXPECT(cudaMemcpy2D(rows, 8, d, pitch, 16, 4, TO_HOST), INVALID_PITCH);
    EXPECT(cudaMemset2D(d, 8, 0, 16, 4), INVALID_VALUE);
    EXPECT(cudaMemset2D(d, pitch, 0, 16, 400), INVALID_VALUE);
    size_t huge = (size_t)1 << 63; /* rows so far apart that the box's size has no 64 bits */
    EXPECT(cudaMemset2D(d, huge, 0, 16, 3), INVALID_VALUE);
    EXPECT(cudaMemcpy2D(d, huge, e, huge, 16, 3, IN_DEVICE), INVALID_VALUE);
    struct copy3d apart = {
        .src = p, .dst = {p.ptr, huge, BW, 1}, .extent = {BW, 1, 3}, .kind = IN_DEVICE};
    EXPECT(cudaMemcpy3D(&apart), INVALID_VALUE);
    EXPECT(cudaMemset3D(apart.dst, 0, apart.extent), INVALID_VALUE);
    up.extent.depth = 4; /* beyond the end of the device's box */
    EXPECT(cudaMemcpy3D(&up), INVALID_VALUE);
    EXPECT(cudaMemcpy3D(NULL), INVALID_VALUE);
    up.src_array = (void *)4097;
    EXPECT(cudaMemcpy3D(&up), INVALID_HANDLE); /* not an array */
    EXPECT(cudaGetLastError(), INVALID_HANDLE);
    EXPECT(cudaFree(d), 0);
    EXPECT(cudaFree(e), 0);
    EXPECT(cudaFree(p.ptr), 0);
}

static void pools(void) {
    struct {
        int type, handles;
        struct location at;
        char rest[72];
    } properties = {.type = 1, .at = {LOCATION_DEVICE, 0}};
    void *first, *pool, *stream, *pool2;
    int *a, *b, host[4] = {1, 2, 3, 4}, flags = 0, on = 1;
    unsigned long long used = 1, high = 0, keep = 1 << 20;
    size_t before, after, total;
    run_scale(NULL, 0, NULL); /* the kernel's variables are in memory from here on */
    EXPECT(cudaMemGetInfo(&before, &total), 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudaDeviceGetDefaultMemPool(&first, 0), 0);
    EXPECT(cudaDeviceGetDefaultMemPool(&first, 9), INVALID_DEVICE);
    EXPECT(cudaMallocAsync((void **)&a, 1 << 20, stream), 0);
    EXPECT(cudaMemcpyAsync(a, host, sizeof host, TO_DEVICE, stream), 0);
    run_scale(a, 4, stream);
    EXPECT(cudaMemcpyAsync(host, a, sizeof host, TO_HOST, stream), 0);
    EXPECT(cudaMemPoolGetAttribute(first, 7, &used), 0);
    CHECK(used == 1 << 20);
    EXPECT(cudaFreeAsync(a, stream), 0);
    EXPECT(cudaStreamSynchronize(stream), 0);
    CHECK(host[0] == 2 && host[3] == 8);
    EXPECT(cudaMemPoolGetAttribute(first, 7, &used), 0);
    EXPECT(cudaMemPoolGetAttribute(first, 8, &high), 0);
    CHECK(used == 0 && high == 1 << 20);
    EXPECT(cudaMemGetInfo(&after, &total), 0);
    CHECK(after == before);
    EXPECT(cudaFreeAsync(a, stream), INVALID_VALUE); /* already freed */
    EXPECT(cudaMemPoolCreate(&pool, &properties), 0);
    EXPECT(cudaMemPoolSetAttribute(pool, 4, &keep), 0);
    keep = 0;
    EXPECT(cudaMemPoolGetAttribute(pool, 4, &keep), 0);
    CHECK(keep == 1 << 20);
    EXPECT(cudaMemPoolSetAttribute(pool, 1, &on), 0);
    EXPECT(cudaMemPoolSetAttribute(pool, 99, &keep), INVALID_VALUE);
    EXPECT(cudaDeviceSetMemPool(0, pool), 0);
    EXPECT(cudaDeviceGetMemPool(&pool2, 0), 0);
    CHECK(pool2 == pool);
    EXPECT(cudaMallocFromPoolAsync((void **)&b, 4096, pool, stream), 0);
    struct {
        struct location at;
        int flags;
    } access = {{LOCATION_DEVICE, 0}, 3};
    EXPECT(cudaMemPoolSetAccess(pool, &access, 1), 0);
    EXPECT(cudaMemPoolGetAccess(&flags, pool, &access.at), 0);
    CHECK(flags == 3);
    EXPECT(cudaMemPoolTrimTo(pool, 0), 0);
    EXPECT(cudaMemPoolGetAttribute(pool, 7, &used), 0);
    CHECK(used == 4096);
    EXPECT(cudaFree(b), 0); /* without the stream */
    EXPECT(cudaMemPoolGetAttribute(pool, 7, &used), 0);
    CHECK(used == 0);
    EXPECT(cudaMallocFromPoolAsync((void **)&b, 4096, pool, stream), 0);
    EXPECT(cudaFreeAsync(b, stream), 0);
    EXPECT(cudaMemPoolDestroy(pool), 0);
    EXPECT(cudaMemPoolDestroy(pool), INVALID_VALUE);
    /* An allocation can use memory that a stream is about to free. */
    for (int i = 0; i < 4; i++) {
        EXPECT(cudaMallocAsync((void **)&a, total / 10 * 9, stream), 0);
        EXPECT(cudaMemsetAsync(a, i, 64, stream), 0);
        EXPECT(cudaFreeAsync(a, stream), 0);
    }
    EXPECT(cudaStreamDestroy(stream), 0);
}

/* Host and device see the same bytes. */
static void managed(void) {
    struct {
        int type, device;
        void *device_pointer, *host_pointer;
        long reserved[8];
    } a;
    int *m, value = 0;
    void *stream;
    struct location device = {LOCATION_DEVICE, 0}, host = {LOCATION_HOST, 0}, none = {1, 77};
    EXPECT(cudaDeviceGetAttribute(&value, 83, 0), 0);
    CHECK(value == 1);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudaMallocManaged((void **)&m, 64 * sizeof *m, 1), 0);
    for (int i = 0; i < 64; i++) m[i] = i;
    EXPECT(cudaMemPrefetchAsync(m, 64 * sizeof *m, device, 0, stream), 0);
    EXPECT(cudaMemAdvise(m, 64 * sizeof *m, 3, device), 0);
    run_scale(m, 64, stream);
    EXPECT(cudaMemPrefetchAsync(m, 64 * sizeof *m, host, 0, stream), 0);
    EXPECT(cudaStreamSynchronize(stream), 0);
    for (int i = 0; i < 64; i++) CHECK(m[i] == 2 * i);
    m[5] = 1000;
    run_scale(m, 64, NULL);
    EXPECT(cudaDeviceSynchronize(), 0);
    CHECK(m[5] == 2000 && m[63] == 4 * 63);
    EXPECT(cudaMemcpy(&value, m + 5, sizeof value, TO_HOST), 0);
    CHECK(value == 2000);
    EXPECT(cudaMemset(m, 0, 64 * sizeof *m), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    CHECK(m[5] == 0);
    EXPECT(cudaPointerGetAttributes(&a, m), 0);
    CHECK(a.type == 3 && a.device_pointer == m && a.host_pointer == m);
    EXPECT(cudaStreamAttachMemAsync(stream, m, 0, 4), 0);
    EXPECT(cudaMemPrefetchAsync(m, 1 << 20, device, 0, stream), INVALID_VALUE);
    EXPECT(cudaMemPrefetchAsync(m, 16, none, 0, stream), INVALID_DEVICE);
    EXPECT(cudaMemAdvise(&value, 4, 3, device), INVALID_VALUE);
    EXPECT(cudaMallocManaged((void **)&m, 0, 1), INVALID_VALUE);
    EXPECT(cudaMallocManaged((void **)&m, 16, 8), INVALID_VALUE);
    EXPECT(cudaFree(m), 0);
    EXPECT(cudaFree(m), INVALID_VALUE);
    EXPECT(cudaStreamDestroy(stream), 0);
}

/* A registration that the process has no room for leaves no pages behind in the server. */
static void no_room(void) {
    enum { BYTES = 64 << 20 };
    const struct rlimit none = {0, RLIM_INFINITY};
    struct rlimit before;
    void *first, *second,
        *own = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(own != MAP_FAILED);
    EXPECT(cudaHostAlloc(&first, 4096, 0), 0);
    EXPECT(cudaFreeHost(first), 0);
    CHECK(getrlimit(RLIMIT_AS, &before) == 0 && setrlimit(RLIMIT_AS, &none) == 0);
    EXPECT(cudaHostRegister(own, BYTES, 0), 2);
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
    EXPECT(cudaGetLastError(), 2);
    EXPECT(cudaHostAlloc(&second, 4096, 0), 0);
    CHECK(second == first); /* the lowest free address */
    EXPECT(cudaFreeHost(second), 0);
    EXPECT(cudaHostRegister(own, BYTES, 0), 0);
    EXPECT(cudaHostUnregister(own), 0);
    munmap(own, BYTES);
}

/* The program's own memory, in place. */
static void registered(void) {
    enum { N = 5000 };
    struct {
        int type, device;
        void *device_pointer, *host_pointer;
        char rest[64];
    } a;
    int *own = malloc((N + 100) * sizeof *own), *device, *dd, on_stack = 1;
    for (int i = 0; i < N + 100; i++) own[i] = i;
    int *mine = own + 10; /* not page-aligned */
    EXPECT(cudaHostGetDevicePointer((void **)&device, mine, 0), INVALID_VALUE);
    EXPECT(cudaHostRegister(mine, N * sizeof *mine, 2), 0);
    EXPECT(cudaHostRegister(mine + 1, 4, 2), 712);
    EXPECT(cudaHostGetDevicePointer((void **)&device, mine + 7, 0), 0);
    for (int i = 0; i < N + 100; i++) CHECK(own[i] == i);
    EXPECT(cudaPointerGetAttributes(&a, mine + 7), 0);
    CHECK(a.type == 1 && a.device_pointer == device && a.host_pointer == mine + 7);
    EXPECT(cudaPointerGetAttributes(&a, device), 0);
    CHECK(a.type == 1 && a.device_pointer == device && a.host_pointer == mine + 7);
    EXPECT(cudaPointerGetAttributes(&a, own), 0); /* on the same page, but not registered */
    CHECK(a.type == 0 && a.device_pointer == NULL && a.host_pointer == own);
    run_scale(device, 3, NULL);
    EXPECT(cudaDeviceSynchronize(), 0);
    CHECK(mine[6] == 16 && mine[7] == 34 && mine[9] == 38 && mine[10] == 20);
    mine[7] = 5;
    run_scale(device, 1, NULL);
    EXPECT(cudaMalloc((void **)&dd, 64), 0);
    EXPECT(cudaMemcpyAsync(dd, mine + 7, 64, TO_DEVICE, NULL), 0);
    EXPECT(cudaMemcpyAsync(mine + 100, dd, 64, TO_HOST, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    CHECK(mine[100] == 10);
    EXPECT(cudaHostUnregister(mine), 0);
    CHECK(mine[7] == 10 && mine[100] == 10 && own[N + 99] == N + 99 && own[0] == 0);
    EXPECT(cudaHostUnregister(mine), 713);
    EXPECT(cudaHostRegister(NULL, 8, 0), INVALID_VALUE);
    EXPECT(cudaHostRegister(&on_stack, 0, 0), INVALID_VALUE);
    EXPECT(cudaFree(dd), 0);
    free(own);
}

static void devices(void) {
    char id[32];
    int device = 7, config, list[1] = {0};
    size_t value;
    EXPECT(cudaDeviceGetPCIBusId(id, sizeof id, 0), 0);
    EXPECT(cudaDeviceGetByPCIBusId(&device, id), 0);
    CHECK(device == 0);
    EXPECT(cudaDeviceGetByPCIBusId(&device, "0000:77:00.0"), INVALID_DEVICE);
    EXPECT(cudaChooseDevice(&device, id), 0);
    EXPECT(cudaSetValidDevices(list, 1), 0);
    list[0] = 3;
    EXPECT(cudaSetValidDevices(list, 1), INVALID_DEVICE);
    EXPECT(cudaDeviceSetLimit(0, 4096), 0);
    EXPECT(cudaDeviceGetLimit(&value, 0), 0);
    CHECK(value == 4096);
    EXPECT(cudaDeviceSetLimit(2, 16 << 20), 0); /* heap; no kernel has used it */
    EXPECT(cudaDeviceGetLimit(&value, 2), 0);
    CHECK(value == 16 << 20);
    EXPECT(cudaDeviceSetLimit(99, 1), 215);
    EXPECT(cudaDeviceSetSharedMemConfig(2), 0);
    EXPECT(cudaDeviceGetSharedMemConfig(&config), 0);
    CHECK(config == 1);
    EXPECT(cudaFuncSetSharedMemConfig(&scale, 0), 0);
    EXPECT(cudaProfilerStart(), 0);
    EXPECT(cudaProfilerStop(), 0);
    EXPECT(cudaDeviceEnablePeerAccess(0, 0), INVALID_DEVICE);
}

int main(int argc, char **argv) {
    (void)argc;
    void **module = open_module(&image, argv[1]);
    add_kernel(module, &scale, "scale");
    __cudaRegisterFatBinaryEnd(module);
    boxes();
    pools();
    managed();
    registered();
    no_room();
    devices();
    printf("api_memory: ok\n");
    return 0;
}
