/* driver_start.c - libcuda before and after cuInit: errors, names, versions, properties of devices.
 * Each function tests one subject; a failed check ends the program with status 1. Argument: the
 * number of devices. */
#include "driver_calls.h"

/* nvcc gives programs of the driver API an empty section of device code. It is no sign of a runtime
 * that was linked statically. */
static const char no_device_code[16] __attribute__((section(".nv_fatbin"), used));

static void before_init(void) {
    int number;
    void *p;
    size_t bytes;
    CU(cuDeviceGetCount(&number), NOT_INITIALIZED);
    CU(cuDeviceGet(&number, 0), NOT_INITIALIZED);
    CU(cuDeviceGetAttribute(&number, 1, 0), NOT_INITIALIZED);
    CU(cuDeviceTotalMem_v2(&bytes, 0), NOT_INITIALIZED);
    CU(cuCtxCreate_v2(&p, 0, 0), NOT_INITIALIZED);
    CU(cuCtxGetCurrent(&p), NOT_INITIALIZED);
    CU(cuCtxSetCurrent(NULL), NOT_INITIALIZED);
    CU(cuCtxPushCurrent_v2(&p), NOT_INITIALIZED);
    CU(cuCtxPopCurrent_v2(&p), NOT_INITIALIZED);
    CU(cuCtxDestroy_v2(&p), NOT_INITIALIZED);
    CU(cuDevicePrimaryCtxRetain(&p, 0), NOT_INITIALIZED);
    CU(cuMemAlloc_v2(&p, 64), NOT_INITIALIZED);
    CU(cuMemFree_v2(NULL), NOT_INITIALIZED);
    CU(cuMemAllocHost_v2(&p, 64), NOT_INITIALIZED);
    CU(cuModuleLoadData(&p, ".version 6.0"), NOT_INITIALIZED);
    CU(cuLibraryLoadData(&p, ".version 6.0", NULL, NULL, 0, NULL, NULL, 0), NOT_INITIALIZED);
    CU(cuStreamCreate(&p, 0), NOT_INITIALIZED);
    CU(cuMemcpyDtoH_v2(&p, &p, 8), NOT_INITIALIZED);
    CU(cuLinkCreate_v2(0, NULL, NULL, &p), NOT_INITIALIZED);
    CU(cuProfilerStart(), NOT_INITIALIZED);
    /* These calls need no cuInit. */
    CU(cuDriverGetVersion(&number), OK);
    CHECK(number >= 13000);
    CU(cuDriverGetVersion(NULL), INVALID_VALUE);
    CU(cuInit(1), INVALID_VALUE);
    CU(cuDeviceGetCount(&number), NOT_INITIALIZED);
}

static void without_context(void) {
    int number;
    unsigned flags;
    unsigned long long id;
    void *p;
    size_t bytes;
    CU(cuCtxGetCurrent(&p), OK);
    CHECK(p == NULL);
    CU(cuCtxGetDevice(&number), INVALID_CONTEXT);
    CU(cuCtxGetFlags(&flags), INVALID_CONTEXT);
    CU(cuCtxGetId(NULL, &id), INVALID_CONTEXT);
    CU(cuCtxSynchronize(), INVALID_CONTEXT);
    CU(cuCtxPopCurrent_v2(&p), INVALID_CONTEXT);
    CU(cuCtxSetCurrent(NULL), OK);
    CU(cuCtxPushCurrent_v2(NULL), INVALID_CONTEXT);
    CU(cuCtxPushCurrent_v2(&p), INVALID_CONTEXT);
    CU(cuCtxSetCurrent(&p), INVALID_CONTEXT);
    CU(cuCtxDestroy_v2(NULL), INVALID_CONTEXT);
    CU(cuCtxDestroy_v2(&p), INVALID_CONTEXT);
    CU(cuMemAlloc_v2(&p, 64), INVALID_CONTEXT);
    CU(cuMemAllocHost_v2(&p, 64), INVALID_CONTEXT);
    CU(cuMemGetInfo_v2(&bytes, &bytes), INVALID_CONTEXT);
    CU(cuMemcpyDtoH_v2(&p, &p, 8), INVALID_CONTEXT);
    CU(cuMemsetD8_v2(&p, 0, 8), INVALID_CONTEXT);
    CU(cuModuleLoadData(&p, ".version 6.0"), INVALID_CONTEXT);
    CU(cuModuleUnload(&p), INVALID_HANDLE);
    CU(cuStreamCreate(&p, 0), INVALID_CONTEXT);
    CU(cuStreamSynchronize(NULL), INVALID_CONTEXT);
    CU(cuEventCreate(&p, 0), INVALID_CONTEXT);
    CU(cuLinkCreate_v2(0, NULL, NULL, &p), INVALID_CONTEXT);
    CU(cuProfilerStart(), INVALID_CONTEXT);
    CU(cuPointerGetAttribute(&p, 2, &p), INVALID_CONTEXT);
    CU(cuLaunchKernel(&p, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), INVALID_CONTEXT);
    CU(cuGraphCreate(&p, 0), OK);
    CU(cuGraphDestroy(p), OK);
}

/* Every error value that CUDA defines has a name and a description; other values have none. */
static void error_names(void) {
    const char *name, *text;
    int known = 0;
    for (int value = -1; value <= 1001; value++) {
        int error = cuGetErrorName(value, &name);
        CU(cuGetErrorString(value, &text), error);
        if (error) {
            CHECK(error == INVALID_VALUE && !name && !text);
            continue;
        }
        known++;
        CHECK(strncmp(name, "CUDA_", 5) == 0);
        CHECK(text[0] && strcmp(text, "unrecognized error code") != 0);
    }
    CHECK(known == 101);
    static const struct {
        int value;
        const char *name;
    } some[] = {{0, "CUDA_SUCCESS"},
                {1, "CUDA_ERROR_INVALID_VALUE"},
                {3, "CUDA_ERROR_NOT_INITIALIZED"},
                {201, "CUDA_ERROR_INVALID_CONTEXT"},
                {202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT"},
                {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                {500, "CUDA_ERROR_NOT_FOUND"},
                {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
                {719, "CUDA_ERROR_LAUNCH_FAILED"},
                {916, "CUDA_ERROR_KEY_ROTATION"},
                {999, "CUDA_ERROR_UNKNOWN"}};
    for (unsigned i = 0; i < sizeof some / sizeof some[0]; i++) {
        CU(cuGetErrorName(some[i].value, &name), OK);
        CHECK(strcmp(name, some[i].name) == 0);
    }
    CU(cuGetErrorString(0, &text), OK);
    CHECK(strcmp(text, "no error") == 0);
    CU(cuGetErrorName(0, NULL), INVALID_VALUE);
    CU(cuGetErrorString(0, NULL), INVALID_VALUE);
}

/* Returns the driver's function by both versions of cuGetProcAddress, which must agree. */
static void *find(const char *name, int version, uint64_t flags) {
    void *f = NULL, *old = NULL;
    int status = -1;
    CU(cuGetProcAddress_v2(name, &f, version, flags, &status), OK);
    CHECK(status == 0 && f);
    CU(cuGetProcAddress(name, &old, version, flags), OK);
    CHECK(old == f);
    return f;
}
#define SAME(found, function) CHECK((uintptr_t)(found) == (uintptr_t)(function))

static void symbols(void) {
    enum { DEFAULT, LEGACY, PER_THREAD };
    enum { NO_SYMBOL = 1, TOO_OLD = 2 };
    void *f;
    int status;
    SAME(find("cuInit", 13000, DEFAULT), cuInit);
    SAME(find("cuCtxCreate", 3020, DEFAULT), cuCtxCreate_v2);
    SAME(find("cuCtxCreate", 11030, DEFAULT), cuCtxCreate_v2);
    SAME(find("cuCtxCreate", 11040, DEFAULT), cuCtxCreate_v3);
    SAME(find("cuCtxCreate", 12040, DEFAULT), cuCtxCreate_v3);
    SAME(find("cuCtxCreate", 12050, DEFAULT), cuCtxCreate_v4);
    SAME(find("cuCtxCreate", 13000, DEFAULT), cuCtxCreate_v4);
    CHECK((uintptr_t)find("cuCtxCreate", 2000, DEFAULT) != (uintptr_t)cuCtxCreate_v2);
    SAME(find("cuStreamBeginCapture", 10010, DEFAULT), cuStreamBeginCapture_v2);
    SAME(find("cuStreamBeginCapture", 13000, PER_THREAD), cuStreamBeginCapture_v2_ptsz);
    CHECK((uintptr_t)find("cuStreamBeginCapture", 10000, 0) != (uintptr_t)cuStreamBeginCapture_v2);
    SAME(find("cuMemcpyHtoD", 12000, DEFAULT), cuMemcpyHtoD_v2);
    SAME(find("cuMemcpyHtoD", 12000, LEGACY), cuMemcpyHtoD_v2);
    SAME(find("cuMemcpyHtoD", 12000, PER_THREAD), cuMemcpyHtoD_v2_ptds);
    SAME(find("cuMemcpyHtoDAsync", 12000, PER_THREAD), cuMemcpyHtoDAsync_v2_ptsz);
    SAME(find("cuLaunchKernel", 12000, PER_THREAD), cuLaunchKernel_ptsz);
    SAME(find("cuMemAlloc", 12000, PER_THREAD), cuMemAlloc_v2); /* has no such form */
    SAME(find("cuMemAlloc", 3020, DEFAULT), cuMemAlloc_v2);
    SAME(find("cuDevicePrimaryCtxRelease", 11000, DEFAULT), cuDevicePrimaryCtxRelease_v2);
    SAME(find("cuEventElapsedTime", 12070, DEFAULT), cuEventElapsedTime);
    SAME(find("cuEventElapsedTime", 12080, DEFAULT), cuEventElapsedTime_v2);
    SAME(find("cuGraphInstantiate", 12000, DEFAULT), cuGraphInstantiateWithFlags);
    SAME(find("cuGetProcAddress", 11030, DEFAULT), cuGetProcAddress);
    SAME(find("cuGetProcAddress", 12000, DEFAULT), cuGetProcAddress_v2);

    f = &f;
    CU(cuGetProcAddress_v2("cuMakeTea", &f, 13000, 0, &status), OK);
    CHECK(!f && status == NO_SYMBOL);
    CU(cuGetProcAddress_v2("cuMakeTea", &f, 13000, 0, NULL), OK);
    CU(cuGetProcAddress("cuMakeTea", &f, 13000, 0), NOT_FOUND);
    CU(cuGetProcAddress_v2("cuMemAlloc_v2", &f, 13000, 0, &status), OK); /* not a base name */
    CHECK(!f && status == NO_SYMBOL);
    CU(cuGetProcAddress_v2("cuGetProcAddress", &f, 11020, 0, &status), OK);
    CHECK(!f && status == TOO_OLD);
    CU(cuGetProcAddress_v2("cuInit", &f, 13000, 3, &status), INVALID_VALUE);
    CU(cuGetProcAddress_v2("cuInit", &f, 99000, 0, &status), INVALID_VALUE);
    CU(cuGetProcAddress_v2(NULL, &f, 13000, 0, &status), INVALID_VALUE);
    CU(cuGetProcAddress_v2("cuInit", NULL, 13000, 0, &status), INVALID_VALUE);
    const void *table = &f;
    CU(cuGetExportTable(&table, "sixteen bytes..."), NOT_SUPPORTED);
    CHECK(!table);
}

static void a_device(int d) {
    int device, value, major, minor, other;
    char name[64], bus[32], shorter[4];
    unsigned char uuid[16], again[16], none[16] = {0};
    size_t bytes;
    void *pool, *same;
    struct cu_properties p;
    CU(cuDeviceGet(&device, d), OK);
    CHECK(device == d);
    CU(cuDeviceGetName(name, sizeof name, d), OK);
    CHECK(strstr(name, "V100"));
    CU(cuDeviceGetName(shorter, sizeof shorter, d), OK);
    CHECK(strncmp(shorter, name, 3) == 0 && shorter[3] == '\0');
    CU(cuDeviceGetName(name, 0, d), INVALID_VALUE);
    CU(cuDeviceTotalMem_v2(&bytes, d), OK);
    CHECK(bytes >= 1u << 30);
    CU(cuDeviceGetAttribute(&major, 75, d), OK);
    CU(cuDeviceGetAttribute(&minor, 76, d), OK);
    CHECK(major == 7 && minor == 0);
    CU(cuDeviceComputeCapability(&value, &other, d), OK);
    CHECK(value == major && other == minor);
    CU(cuDeviceGetAttribute(&value, 1, d), OK); /* threads a block */
    CHECK(value == 1024);
    CU(cuDeviceGetAttribute(&value, 10, d), OK);
    CHECK(value == 32);
    CU(cuDeviceGetAttribute(&value, 100000, d), INVALID_VALUE);
    CU(cuDeviceGetAttribute(NULL, 1, d), INVALID_VALUE);
    CU(cuDeviceGetProperties(&p, d), OK);
    CHECK(p.threads == 1024 && p.block[2] == 64 && p.grid[1] == 65535 && p.warp == 32);
    CHECK(p.shared == 49152 && p.registers == 65536 && p.constant == 65536 && p.align == 512);
    CU(cuDeviceGetUuid(uuid, d), OK);
    CU(cuDeviceGetUuid_v2(again, d), OK);
    CHECK(memcmp(uuid, again, 16) == 0 && memcmp(uuid, none, 16) != 0);
    CU(cuDeviceGetPCIBusId(bus, sizeof bus, d), OK);
    CU(cuDeviceGetByPCIBusId(&device, bus), OK);
    CHECK(device == d);
    CU(cuDeviceGetByPCIBusId(&device, "ffff:ff:1f.7"), INVALID_DEVICE);
    CU(cuDeviceGetDefaultMemPool(&pool, d), OK);
    CU(cuDeviceGetMemPool(&same, d), OK);
    CHECK(pool == same);
    CU(cuDeviceSetMemPool(d, pool), OK);
    CU(cuMemPoolTrimTo(pool, 0), OK);
    CU(cuMemPoolDestroy(pool), INVALID_VALUE); /* a default one */
}

static void wrong_devices(int count) {
    int value;
    size_t bytes;
    void *p;
    char text[32];
    unsigned flags;
    for (int d = -1; d <= count; d += count + 1) {
        CU(cuDeviceGet(&value, d), INVALID_DEVICE);
        CU(cuDeviceGetAttribute(&value, 1, d), INVALID_DEVICE);
        CU(cuDeviceTotalMem_v2(&bytes, d), INVALID_DEVICE);
        CU(cuDeviceGetName(text, 32, d), INVALID_DEVICE);
        CU(cuDeviceGetPCIBusId(text, 32, d), INVALID_DEVICE);
        CU(cuDevicePrimaryCtxRetain(&p, d), INVALID_DEVICE);
        CU(cuDevicePrimaryCtxRelease_v2(d), INVALID_DEVICE);
        CU(cuDevicePrimaryCtxReset_v2(d), INVALID_DEVICE);
        CU(cuDevicePrimaryCtxSetFlags_v2(d, 0), INVALID_DEVICE);
        CU(cuDevicePrimaryCtxGetState(d, &flags, &value), INVALID_DEVICE);
        CU(cuCtxCreate_v2(&p, 0, d), INVALID_DEVICE);
        CU(cuCtxCreate_v4(&p, NULL, 0, d), INVALID_DEVICE);
    }
    CU(cuDeviceGet(NULL, 0), INVALID_VALUE);
    CU(cuDeviceGetCount(NULL), INVALID_VALUE);
    CU(cuCtxCreate_v2(NULL, 0, 0), INVALID_VALUE);
    CU(cuCtxCreate_v2(&p, 1u << 31, 0), INVALID_VALUE);
}

int main(int argc, char **argv) {
    int want = argc > 1 ? atoi(argv[1]) : 1, count, value;
    error_names();
    symbols();
    before_init();
    CU(cuInit(0), OK);
    CU(cuInit(0), OK);
    without_context();
    CU(cuDeviceGetCount(&count), OK);
    CHECK(count == want);
    for (int d = 0; d < count; d++) a_device(d);
    wrong_devices(count);
    if (count > 1) {
        CU(cuDeviceCanAccessPeer(&value, 0, 1), OK);
        CHECK(value == 1);
        CU(cuDeviceGetP2PAttribute(&value, 2, 0, 1), OK); /* access */
        CHECK(value == 1);
    }
    CU(cuDeviceCanAccessPeer(&value, 0, 0), OK);
    CHECK(value == 0);
    CU(cuDeviceCanAccessPeer(&value, 0, count), INVALID_DEVICE);
    puts("driver_start: ok");
    return 0;
}
