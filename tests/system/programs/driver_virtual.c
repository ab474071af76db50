/* driver_virtual.c - virtual memory management: reserved addresses, created memory, mappings.
 * Contents belong to the memory, not to the address. A failed check ends the program with status 1.
 * Arguments: scale.ptx, the number of devices. */
#include "driver_calls.h"

struct location {
    int type, id;
};
struct properties { /* CUmemAllocationProp */
    int type, handles;
    struct location at;
    void *security;
    unsigned char compression, direct;
    unsigned short usage;
    unsigned char reserved[4];
};
struct access { /* CUmemAccessDesc */
    struct location at;
    int flags;
};
enum { PINNED = 1, DEVICE = 1, HOST = 2, READ = 1, READ_WRITE = 3 };
enum { GRANULE = 2 << 20, COUNT = 1 << 10 };

int cuMemAddressReserve(char **at, size_t n, size_t alignment, char *hint,
                        unsigned long long flags);
int cuMemAddressFree(char *at, size_t n);
int cuMemCreate(uint64_t *h, size_t n, const struct properties *p, unsigned long long flags);
int cuMemRelease(uint64_t h);
int cuMemRetainAllocationHandle(uint64_t *h, void *at);
int cuMemMap(char *at, size_t n, size_t offset, uint64_t h, unsigned long long flags);
int cuMemUnmap(char *at, size_t n);
int cuMemSetAccess(char *at, size_t n, const struct access *list, size_t count);
int cuMemGetAccess(unsigned long long *flags, const struct location *where, char *at);
int cuMemGetAllocationGranularity(size_t *n, const struct properties *p, int which);
int cuMemGetAllocationPropertiesFromHandle(struct properties *p, uint64_t h);

static const struct properties on_device = {.type = PINNED, .at = {DEVICE, 0}};
static const struct access full = {{DEVICE, 0}, READ_WRITE}, none = {{DEVICE, 0}, 0};
static void *kernel;

/* Doubles COUNT words at the address. @return the CUresult of waiting. */
static int scale(char *at) {
    unsigned n = COUNT;
    void *args[] = {&at, &n};
    CU(cuLaunchKernel(kernel, 1, 1, 1, COUNT, 1, 1, 0, NULL, args, NULL), OK);
    return cuCtxSynchronize();
}

static void check_words(const char *at, unsigned factor) {
    unsigned back[COUNT];
    CU(cuMemcpyDtoH_v2(back, at, sizeof back), OK);
    for (unsigned i = 0; i < COUNT; i++) CHECK(back[i] == factor * i);
}

/* Two memories mapped side by side work as one; another one is mapped behind them later. */
static void grows(void) {
    char *at;
    uint64_t h[3];
    unsigned words[COUNT];
    for (unsigned i = 0; i < COUNT; i++) words[i] = i;
    CU(cuMemAddressReserve(&at, 3 * GRANULE, 0, NULL, 0), OK);
    CHECK((uintptr_t)at % GRANULE == 0);
    for (int i = 0; i < 3; i++) {
        CU(cuMemCreate(&h[i], GRANULE, &on_device, 0), OK);
        CU(cuMemMap(at + i * GRANULE, GRANULE, 0, h[i], 0), OK);
        CU(cuMemSetAccess(at + i * GRANULE, GRANULE, &full, 1), OK);
        CU(cuMemRelease(h[i]), OK); /* the mapping keeps the memory */
    }
    char *middle = at + 2 * GRANULE - sizeof words / 2; /* across the boundary */
    CU(cuMemcpyHtoD_v2(middle, words, sizeof words), OK);
    CHECK(scale(middle) == OK);
    check_words(middle, 2);
    CU(cuMemcpyHtoD_v2(at + 3 * GRANULE - 4, words, 8), INVALID_VALUE); /* beyond the end */

    /* The contents move with the memory. */
    char *elsewhere;
    uint64_t again;
    CU(cuMemcpyHtoD_v2(at, words, sizeof words), OK);
    CU(cuMemRetainAllocationHandle(&again, at + 100), OK);
    CHECK(again == h[0]);
    CU(cuMemAddressReserve(&elsewhere, GRANULE, 4 * GRANULE, NULL, 0), OK);
    CHECK((uintptr_t)elsewhere % (4 * GRANULE) == 0);
    CU(cuMemMap(elsewhere, GRANULE, 0, again, 0), NOT_SUPPORTED); /* mapped already */
    CU(cuMemUnmap(at, GRANULE), OK);
    CU(cuMemcpyDtoH_v2(words, at, sizeof words), INVALID_VALUE);
    CU(cuMemMap(elsewhere, GRANULE, 0, again, 0), OK);
    CU(cuMemSetAccess(elsewhere, GRANULE, &full, 1), OK);
    check_words(elsewhere, 1);
    CHECK(scale(elsewhere) == OK);
    check_words(elsewhere, 2);

    CU(cuMemUnmap(at + GRANULE, 2 * GRANULE), OK); /* two mappings at once */
    CU(cuMemAddressFree(at, 3 * GRANULE), OK);
    CU(cuMemAddressFree(elsewhere, GRANULE), INVALID_VALUE); /* mapped */
    CU(cuMemUnmap(elsewhere, GRANULE), OK);
    CU(cuMemAddressFree(elsewhere, GRANULE), OK);
    CU(cuMemRelease(again), OK);
    CU(cuMemRelease(again), INVALID_VALUE);
}

/* Wrong arguments, and the amount of memory. */
static void limits(void) {
    char *at, *other;
    uint64_t h;
    size_t n, available, before, total;
    unsigned long long flags;
    struct properties p = on_device;
    CU(cuMemGetAllocationGranularity(&n, &on_device, 0), OK);
    CHECK(n == GRANULE);
    CU(cuMemGetAllocationGranularity(&n, &on_device, 2), INVALID_VALUE);
    p.at.type = HOST;
    CU(cuMemCreate(&h, GRANULE, &p, 0), NOT_SUPPORTED);
    p = on_device;
    p.handles = 1;
    CU(cuMemGetAllocationGranularity(&n, &p, 0), NOT_SUPPORTED);
    p = on_device;
    p.at.id = 99;
    CU(cuMemCreate(&h, GRANULE, &p, 0), INVALID_DEVICE);
    CU(cuMemCreate(&h, 4096, &on_device, 0), INVALID_VALUE);
    CU(cuMemCreate(&h, GRANULE, &on_device, 1), INVALID_VALUE);
    CU(cuMemGetInfo_v2(&before, &total), OK);
    CU(cuMemCreate(&h, total + GRANULE, &on_device, 0), OUT_OF_MEMORY);
    CU(cuMemCreate(&h, 2 * GRANULE, &on_device, 0), OK);
    CU(cuMemGetInfo_v2(&available, &total), OK);
    CHECK(before - available == 2 * GRANULE);
    int word = 0; /* the handle is a number, not an address */
    void *as_address = (void *)(uintptr_t)h;
    CU(cuMemcpyHtoD_v2(as_address, &word, 4), INVALID_VALUE);
    CU(cuMemcpyDtoH_v2(&word, as_address, 4), INVALID_VALUE);
    CU(cuMemsetD8_v2(as_address, 0, 4), INVALID_VALUE);
    CU(cuMemGetAddressRange_v2(NULL, &n, as_address), NOT_FOUND);
    CU(cuMemFree_v2(as_address), INVALID_VALUE);
    memset(&p, 1, sizeof p);
    CU(cuMemGetAllocationPropertiesFromHandle(&p, h), OK);
    CHECK(memcmp(&p, &on_device, sizeof p) == 0);
    CU(cuMemGetAllocationPropertiesFromHandle(&p, h + 1), INVALID_VALUE);
    CU(cuMemGetAllocationPropertiesFromHandle(NULL, h), INVALID_VALUE);

    CU(cuMemAddressReserve(&at, 4096, 0, NULL, 0), INVALID_VALUE);
    CU(cuMemAddressReserve(&at, GRANULE, 3, NULL, 0), INVALID_VALUE);
    CU(cuMemAddressReserve(&at, GRANULE, (size_t)1 << 63, NULL, 0), OUT_OF_MEMORY);
    CU(cuMemAddressReserve(&at, GRANULE, (size_t)8 << 30, NULL, 0), OK); /* half of all addresses */
    CHECK((uintptr_t)at % ((size_t)8 << 30) == 0);
    CU(cuMemAddressFree(at, GRANULE), OK);
    CU(cuMemAddressReserve(&at, 4 * GRANULE, 0, NULL, 0), OK);
    CU(cuMemAddressReserve(&other, GRANULE, 0, at + 16 * GRANULE, 0), OK);
    CHECK(other == at + 16 * GRANULE);
    CU(cuMemAddressFree(other, GRANULE), OK);
    /* taken, so CUDA chooses another address */
    CU(cuMemAddressReserve(&other, GRANULE, 0, at + GRANULE, 0), OK);
    CHECK(other < at || other >= at + 4 * GRANULE);
    CU(cuMemAddressFree(other, 2 * GRANULE), INVALID_VALUE);
    CU(cuMemMap(other, 2 * GRANULE, 0, h, 0), INVALID_VALUE); /* longer than reserved */
    CU(cuMemAddressFree(other, GRANULE), OK);
    CU(cuMemMap(at, 4 * GRANULE, 0, h, 0), INVALID_VALUE); /* longer than the memory */
    CU(cuMemMap(at, GRANULE, GRANULE, h, 0), INVALID_VALUE);
    CU(cuMemMap(at, 2 * GRANULE, 0, h, 0), OK);
    CU(cuMemGetAccess(&flags, &full.at, at), OK);
    CHECK(flags == 0);
    CU(cuMemSetAccess(at, GRANULE, &full, 1), INVALID_VALUE); /* half of a mapping */
    CU(cuMemSetAccess(at, 2 * GRANULE, &(struct access){{DEVICE, 0}, READ}, 1), NOT_SUPPORTED);
    CU(cuMemSetAccess(at, 2 * GRANULE, &(struct access){{HOST, 0}, 3}, 1), NOT_SUPPORTED);
    CU(cuMemSetAccess(at, 2 * GRANULE, NULL, 1), INVALID_VALUE);
    CU(cuMemSetAccess(at, 2 * GRANULE, &full, 1), OK);
    CU(cuMemGetAccess(&flags, &full.at, at + GRANULE), OK);
    CHECK(flags == READ_WRITE);
    CU(cuMemFree_v2(at), INVALID_VALUE);
    CU(cuMemUnmap(at, GRANULE), INVALID_VALUE); /* half of a mapping */
    CU(cuMemSetAccess(at, 2 * GRANULE, &none, 1), OK);
    CU(cuMemGetAccess(&flags, &full.at, at), OK);
    CHECK(flags == 0);
    CU(cuMemUnmap(at, 2 * GRANULE), OK);
    CU(cuMemGetAccess(&flags, &full.at, at), INVALID_VALUE);
    CU(cuMemRelease(h), OK);
    CU(cuMemGetInfo_v2(&available, &total), OK);
    CHECK(before == available);
    CU(cuMemAddressFree(at, 4 * GRANULE), OK);
}

/* Memory of the second device at the next address. */
static void second_device(void) {
    char *at;
    uint64_t h[2];
    unsigned words[COUNT];
    struct properties p = {.type = PINNED, .at = {DEVICE, 1}};
    struct access both[2] = {full, {{DEVICE, 1}, READ_WRITE}};
    for (unsigned i = 0; i < COUNT; i++) words[i] = i;
    CU(cuMemAddressReserve(&at, 2 * GRANULE, 0, NULL, 0), OK);
    CU(cuMemCreate(&h[0], GRANULE, &on_device, 0), OK);
    CU(cuMemCreate(&h[1], GRANULE, &p, 0), OK);
    for (int i = 0; i < 2; i++) CU(cuMemMap(at + i * GRANULE, GRANULE, 0, h[i], 0), OK);
    CU(cuMemSetAccess(at, 2 * GRANULE, both, 2), OK);
    CU(cuMemcpyHtoD_v2(at, words, sizeof words), OK);
    CU(cuMemcpyDtoD_v2(at + GRANULE, at, sizeof words), OK);
    CHECK(scale(at + GRANULE) == OK);
    check_words(at + GRANULE, 2);
    check_words(at, 1);
    /* The program's end frees the rest. */
}

int main(int argc, char **argv) {
    void *context, *module;
    CHECK(argc == 3);
    CU(cuInit(0), OK);
    CU(cuDevicePrimaryCtxRetain(&context, 0), OK);
    CU(cuCtxSetCurrent(context), OK);
    CU(cuModuleLoad(&module, argv[1]), OK);
    CU(cuModuleGetFunction(&kernel, module, "scale"), OK);
    limits();
    grows();
    if (atoi(argv[2]) > 1) second_device();

    /* A kernel that accesses memory without access rights faults. */
    char *at;
    uint64_t h;
    CU(cuMemAddressReserve(&at, GRANULE, 0, NULL, 0), OK);
    CU(cuMemCreate(&h, GRANULE, &on_device, 0), OK);
    CU(cuMemMap(at, GRANULE, 0, h, 0), OK);
    CHECK(scale(at) == ILLEGAL_ADDRESS);
    puts("driver_virtual: ok");
    return 0;
}
