/* driver_modules.c - device code that a program loads by itself: modules, libraries, the linker,
 * the compiler's messages, kernels' attributes, occupancy, launches of every form. Each function
 * tests one subject; a failed check ends the program with status 1. Argument: the folder with
 * scale.ptx, grid_barrier.ptx, link_main.ptx, link_part.ptx, unknown_instruction.ptx. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "driver_calls.h"
#include "fat_image.h"

static const char *folder;
static const char *path(const char *name) {
    static char whole[1024];
    snprintf(whole, sizeof whole, "%s/%s.ptx", folder, name);
    return whole;
}

static struct device_image fat;

static int *device;
static void put(int a, int b) {
    int v[4] = {a, b, 0, 0};
    CU(cuMemcpyHtoD_v2(device, v, sizeof v), OK);
}
/* Checks the first two words of device memory. */
static void expect(int a, int b) {
    int v[2];
    CU(cuMemcpyDtoH_v2(v, device, sizeof v), OK);
    if (v[0] != a || v[1] != b) {
        printf("%d, %d, not %d, %d\n", v[0], v[1], a, b);
        exit(1);
    }
}

/* Checks that the kernel `scale` works (factor[1] is 2). */
static void works(void *f) {
    unsigned n = 2;
    void *parameters[] = {&device, &n};
    put(3, 4);
    CU(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL), OK);
    expect(6, 8);
}

/* Writes a file with the first bytes of the fat binary or of its wrapper, and loads it. @return
 * cuModuleLoad()'s result */
static int load_part(const void *from, size_t bytes) {
    char name[32];
    int fd = memfd_create("module", 0);
    void *module;
    CHECK(fd >= 0 && write(fd, from, bytes) == (ssize_t)bytes);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    int error = cuModuleLoad(&module, name);
    if (!error) error = cuModuleUnload(module);
    close(fd);
    return error;
}
static void files(void) {
    const size_t whole = fat.head + fat.bytes;
    CU(load_part(&fat.magic, whole - 1), INVALID_IMAGE);
    CU(load_part(&fat.magic, 100), INVALID_IMAGE);
    CU(load_part(&fat.magic, 4), INVALID_IMAGE);
    /* a wrapper holds an address, which means nothing in a file */
    CU(load_part(&fat, sizeof fat.wrapper), INVALID_IMAGE);
}

static void modules(const char *text) {
    void *module, *f, *same;
    int *address, value = 0, mode;
    size_t bytes;
    const char *name;
    CHECK(strlen(text) < sizeof fat.text);
    fill_image(&fat, text, strlen(text));
    for (int way = 0; way < 6; way++) {
        const void *images[] = {text, &fat.magic, &fat, NULL, NULL, NULL}, *image = images[way];
        if (way < 3) CU(cuModuleLoadData(&module, image), OK);
        if (way == 3) CU(cuModuleLoadDataEx(&module, &fat.magic, 0, NULL, NULL), OK);
        if (way == 4) CU(cuModuleLoadFatBinary(&module, &fat.magic), OK);
        if (way == 5) CU(cuModuleLoad(&module, path("scale")), OK);
        CU(cuModuleGetFunction(&f, module, "scale"), OK);
        works(f);
        CU(cuModuleGetFunction(&same, module, "scale"), OK);
        CHECK(f == same);
        CU(cuFuncGetModule(&same, f), OK);
        CHECK(same == module);
        CU(cuFuncGetName(&name, f), OK);
        CHECK(strcmp(name, "scale") == 0);
        /* Each module has its own variables, with the values of the PTX. */
        CU(cuModuleGetGlobal_v2((void **)&address, &bytes, module, "counter"), OK);
        CHECK(bytes == 4);
        CU(cuMemcpyDtoH_v2(&value, address, 4), OK);
        CHECK(value == 3 + 2);
        CU(cuModuleGetGlobal_v2(NULL, &bytes, module, "factor"), OK);
        CHECK(bytes == 16);
        CU(cuModuleGetGlobal_v2((void **)&address, NULL, module, "factor"), OK);
        CU(cuMemsetD32_v2(address + 1, 10, 1), OK);
        put(3, 4);
        unsigned n = 2;
        void *parameters[] = {&device, &n};
        CU(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL), OK);
        expect(30, 40);
        CU(cuModuleGetGlobal_v2((void **)&address, &bytes, module, "scale"), NOT_FOUND);
        CU(cuModuleGetFunction(&same, module, "counter"), NOT_FOUND);
        CU(cuModuleGetFunction(&same, module, "Scale"), NOT_FOUND);
        CU(cuModuleGetFunction(&same, module, NULL), INVALID_VALUE);
        CU(cuModuleGetFunction(NULL, module, "scale"), INVALID_VALUE);
        CU(cuModuleUnload(module), OK);
        CU(cuFuncGetName(&name, f), INVALID_HANDLE);
        CU(cuModuleGetGlobal_v2((void **)&address, &bytes, module, "counter"), INVALID_HANDLE);
    }
    CU(cuModuleGetFunction(&f, &value, "scale"), INVALID_HANDLE);
    CU(cuModuleGetFunction(&f, NULL, "scale"), INVALID_HANDLE);
    CU(cuModuleUnload(NULL), INVALID_HANDLE);
    CU(cuModuleLoad(&module, "/nonexistent/x.ptx"), FILE_NOT_FOUND);
    CU(cuModuleLoadData(&module, NULL), INVALID_VALUE);
    CU(cuModuleLoadData(NULL, text), INVALID_VALUE);
    static const char cubin[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33};
    CU(cuModuleLoadData(&module, cubin), NO_BINARY);
    CU(cuLibraryLoadData(&module, cubin, NULL, NULL, 0, NULL, NULL, 0), NO_BINARY);
    fat.entry.bytes = 1u << 30;
    CU(cuModuleLoadData(&module, &fat.magic), INVALID_IMAGE);
    fat.entry.bytes = strlen(text) + 1;
    fat.bytes = (uint64_t)1 << 40; /* more than the program's memory */
    CU(cuModuleLoadData(&module, &fat.magic), INVALID_IMAGE);
    fat.bytes = sizeof fat.entry + fat.entry.bytes;
    CU(cuModuleLoadData(&module, &fat.magic), OK);
    CU(cuModuleUnload(module), OK);
    files();
    CU(cuModuleGetLoadingMode(&mode), OK);
    CHECK(mode == 1);
    CU(cuModuleGetLoadingMode(NULL), INVALID_VALUE);
}

static void libraries(const char *text) {
    void *library, *kernel, *f, *module, *same, *context;
    int value;
    size_t bytes, offset;
    int *address;
    const char *name;
    /* Loading needs no context. */
    CU(cuCtxPopCurrent_v2(&context), OK);
    CU(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0), OK);
    CU(cuLibraryGetKernel(&kernel, library, "scale"), OK);
    CU(cuKernelGetName(&name, kernel), OK);
    CHECK(strcmp(name, "scale") == 0);
    CU(cuKernelGetLibrary(&same, kernel), OK);
    CHECK(same == library);
    CU(cuKernelGetParamInfo(kernel, 1, &offset, &bytes), OK);
    CHECK(offset == 8 && bytes == 4);
    CU(cuKernelGetParamInfo(kernel, 2, &offset, &bytes), INVALID_VALUE);
    CU(cuKernelGetAttribute(&value, 0, kernel, 0), OK);
    CHECK(value == 1024);
    CU(cuKernelGetAttribute(&value, 0, kernel, 99), INVALID_DEVICE);
    CU(cuKernelSetAttribute(8, 65536, kernel, 0), OK);
    CU(cuKernelGetAttribute(&value, 8, kernel, 0), OK);
    CHECK(value == 65536);
    CU(cuKernelSetAttribute(8, 65536, kernel, -1), INVALID_DEVICE);
    CU(cuKernelSetCacheConfig(kernel, 1, 0), OK);
    CU(cuKernelSetCacheConfig(kernel, 1, 99), INVALID_DEVICE);
    CU(cuKernelGetFunction(&f, kernel), INVALID_CONTEXT);
    CU(cuLibraryGetModule(&module, library), INVALID_CONTEXT);
    CU(cuCtxPushCurrent_v2(context), OK);
    CU(cuKernelGetFunction(&f, kernel), OK);
    works(f);
    works(kernel);
    CU(cuLibraryGetModule(&module, library), OK);
    CU(cuModuleGetFunction(&f, module, "scale"), OK);
    works(f);
    CU(cuLibraryGetGlobal((void **)&address, &bytes, library, "factor"), OK);
    CHECK(bytes == 16 && address);
    CU(cuLibraryGetGlobal((void **)&address, &bytes, library, "none"), NOT_FOUND);
    CU(cuLibraryGetKernel(&f, library, "none"), NOT_FOUND);
    CU(cuLibraryGetKernel(&f, &value, "scale"), INVALID_HANDLE);
    CU(cuLibraryGetModule(&module, &value), INVALID_HANDLE);
    CU(cuKernelGetFunction(&f, &value), INVALID_HANDLE);
    CU(cuLibraryUnload(library), OK);
    CU(cuLibraryUnload(library), INVALID_HANDLE);
    CU(cuLibraryLoadFromFile(&library, path("scale"), NULL, NULL, 0, NULL, NULL, 0), OK);
    CU(cuLibraryGetKernel(&kernel, library, "scale"), OK);
    works(kernel);
    CU(cuLibraryUnload(library), OK);
    int preserved = 1, universal = 0;
    void *yes = &yes;
    CU(cuLibraryLoadData(&library, text, NULL, NULL, 0, &preserved, &yes, 1), OK);
    CU(cuLibraryUnload(library), OK);
    CU(cuLibraryLoadData(&library, text, NULL, NULL, 0, &universal, &yes, 1), NOT_SUPPORTED);
    CU(cuLibraryLoadFromFile(&library, path("scale"), NULL, NULL, 0, NULL, &yes, 1), INVALID_VALUE);
    CU(cuLibraryLoadFromFile(&library, "/none", NULL, NULL, 0, NULL, NULL, 0), FILE_NOT_FOUND);
}

/* ---- the linker, and the compiler's messages */

enum { WALL = 2, INFO, INFO_BYTES, ERROR, ERROR_BYTES, LEVEL, TARGET = 9, VERBOSE = 12, OPTIONS };
#define BYTES(n) ((void *)(uintptr_t)(n))

static void compiler_says(void) {
    char info[64] = "old", error[256] = "old";
    int option[] = {WALL, INFO, INFO_BYTES, ERROR, ERROR_BYTES, LEVEL};
    void *value[] = {BYTES(-1), info, BYTES(sizeof info), error, BYTES(sizeof error), BYTES(3)};
    void *module;
    char *bad = read_text(path("unknown_instruction")), *good = read_text(path("scale"));
    CU(cuModuleLoadDataEx(&module, bad, 6, option, value), INVALID_PTX);
    CHECK(strstr(error, "frobnicate") && info[0] == '\0');
    CHECK((uintptr_t)value[4] == strlen(error));
    CU(cuModuleLoadData(&module, bad), INVALID_PTX);
    value[4] = BYTES(10); /* a buffer too small for the message */
    memset(error, 'x', sizeof error);
    CU(cuModuleLoadDataEx(&module, bad, 6, option, value), INVALID_PTX);
    CHECK(strlen(error) == 9 && error[10] == 'x');
    value[4] = BYTES(sizeof error);
    CU(cuModuleLoadDataEx(&module, good, 6, option, value), OK);
    CHECK(error[0] == '\0' && value[4] == NULL && value[0] == NULL);
    CU(cuModuleUnload(module), OK);
    value[2] = BYTES(sizeof info);
    CU(cuLibraryLoadData(&module, bad, option, value, 6, NULL, NULL, 0), INVALID_PTX);
    CU(cuModuleLoadDataEx(&module, good, 6, NULL, value), INVALID_VALUE);
    /* A module that is refused before compilation leaves no old text in the log. */
    static const char cubin[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33};
    value[4] = BYTES(sizeof error);
    CU(cuModuleLoadDataEx(&module, cubin, 6, option, value), NO_BINARY);
    CHECK(strstr(error, "machine code") && (uintptr_t)value[4] == strlen(error));
    value[4] = BYTES(sizeof error);
    CU(cuLibraryLoadFromFile(&module, "/none", option, value, 6, NULL, NULL, 0), FILE_NOT_FOUND);
    CHECK(strcmp(error, "the file cannot be read") == 0);
    option[5] = 25;
    CU(cuModuleLoadDataEx(&module, good, 6, option, value), NOT_SUPPORTED);
    free(bad);
    free(good);
}

static void linker(void) {
    char *first = read_text(path("link_main")), *second = read_text(path("link_part"));
    char *bad = read_text(path("unknown_instruction")), error[512] = "";
    int option[] = {ERROR, ERROR_BYTES};
    void *value[] = {error, BYTES(sizeof error)};
    void *link, *image, *module, *f, *parameters[] = {&device};
    size_t bytes;
    for (int by_file = 0; by_file < 2; by_file++) {
        CU(cuLinkCreate_v2(2, option, value, &link), OK);
        CU(cuLinkAddData_v2(link, 1, first, strlen(first) + 1, "a", 0, NULL, NULL), OK);
        if (by_file)
            CU(cuLinkAddFile_v2(link, 1, path("link_part"), 0, NULL, NULL), OK);
        else
            CU(cuLinkAddData_v2(link, 1, second, strlen(second), NULL, 0, NULL, NULL), OK);
        CU(cuLinkComplete(link, &image, &bytes), OK);
        CHECK(bytes > strlen(first) && error[0] == '\0');
        CU(cuModuleLoadData(&module, image), OK);
        CU(cuLinkDestroy(link), OK);
        CU(cuModuleGetFunction(&f, module, "apply"), OK);
        put(3, 4);
        CU(cuLaunchKernel(f, 1, 1, 1, 2, 1, 1, 0, NULL, parameters, NULL), OK);
        expect(106, 108);
        CU(cuModuleUnload(module), OK);
    }
    /* One part alone has an unresolved name, and an error in a part is reported when all parts are
     * added. */
    for (int i = 0; i < 2; i++) {
        char *text = i ? bad : first;
        value[1] = BYTES(sizeof error);
        CU(cuLinkCreate_v2(2, option, value, &link), OK);
        CU(cuLinkAddData_v2(link, 1, text, strlen(text) + 1, "a", 0, NULL, NULL), OK);
        CU(cuLinkComplete(link, &image, &bytes), INVALID_PTX);
        CHECK(strstr(error, i ? "frobnicate" : "twice") || strstr(error, "offset"));
        CU(cuLinkDestroy(link), OK);
    }
    CU(cuLinkCreate_v2(0, NULL, NULL, &link), OK);
    CU(cuLinkComplete(link, &image, &bytes), INVALID_IMAGE);
    CU(cuLinkAddData_v2(link, 0, first, 10, NULL, 0, NULL, NULL), NOT_SUPPORTED); /* a cubin */
    CU(cuLinkAddData_v2(link, 1, NULL, 10, NULL, 0, NULL, NULL), INVALID_VALUE);
    CU(cuLinkAddFile_v2(link, 1, "/none", 0, NULL, NULL), FILE_NOT_FOUND);
    CU(cuLinkAddFile_v2(link, 1, NULL, 0, NULL, NULL), INVALID_VALUE);
    CU(cuLinkDestroy(link), OK);
    CU(cuLinkDestroy(NULL), INVALID_HANDLE);
    CU(cuLinkComplete(NULL, &image, &bytes), INVALID_HANDLE);
    CU(cuLinkCreate_v2(0, NULL, NULL, NULL), INVALID_VALUE);
    free(first);
    free(second);
    free(bad);
}

/* ---- kernels */

static size_t bytes_of(int block) {
    return (size_t)block * 192;
}

static void attributes(const char *text) {
    enum { MAX, SHARED, CONST, LOCAL, REGISTERS, PTX, BINARY, CACHE, DYNAMIC, CARVEOUT, LAST = 15 };
    void *module, *f;
    int v, grid, block;
    size_t bytes, offset;
    CU(cuModuleLoadData(&module, text), OK);
    CU(cuModuleGetFunction(&f, module, "scale"), OK);
    CU(cuFuncGetAttribute(&v, MAX, f), OK);
    CHECK(v == 1024);
    CU(cuFuncGetAttribute(&v, SHARED, f), OK);
    CHECK(v == 0);
    CU(cuFuncGetAttribute(&v, CONST, f), OK);
    CHECK(v == 16);
    CU(cuFuncGetAttribute(&v, LOCAL, f), OK);
    CHECK(v == 0);
    CU(cuFuncGetAttribute(&v, REGISTERS, f), OK);
    CHECK(v > 0 && v < 64);
    CU(cuFuncGetAttribute(&v, PTX, f), OK);
    CHECK(v == 70);
    CU(cuFuncGetAttribute(&v, BINARY, f), OK);
    CHECK(v == 70);
    for (int i = CACHE; i <= LAST; i++) CU(cuFuncGetAttribute(&v, i, f), OK);
    CU(cuFuncGetAttribute(&v, LAST + 1, f), INVALID_VALUE);
    CU(cuFuncGetAttribute(&v, -1, f), INVALID_VALUE);
    CU(cuFuncGetAttribute(NULL, MAX, f), INVALID_VALUE);
    CU(cuFuncGetAttribute(&v, MAX, &v), INVALID_HANDLE);
    CU(cuFuncSetAttribute(f, DYNAMIC, 65536), OK);
    CU(cuFuncGetAttribute(&v, DYNAMIC, f), OK);
    CHECK(v == 65536);
    CU(cuFuncSetAttribute(f, DYNAMIC, 200000), INVALID_VALUE);
    CU(cuFuncSetAttribute(f, CARVEOUT, 50), OK);
    CU(cuFuncSetAttribute(f, MAX, 50), INVALID_VALUE);
    CU(cuFuncSetAttribute(NULL, DYNAMIC, 0), INVALID_HANDLE);
    CU(cuFuncSetCacheConfig(f, 2), OK);
    CU(cuFuncSetCacheConfig(NULL, 2), INVALID_HANDLE);
    CU(cuFuncSetSharedMemConfig(f, 1), OK);
    CU(cuFuncSetSharedMemConfig(f, 7), INVALID_VALUE);
    CU(cuFuncIsLoaded(&v, f), OK);
    CHECK(v == 1);
    CU(cuFuncLoad(f), OK);
    CU(cuFuncLoad(NULL), INVALID_HANDLE);
    CU(cuFuncGetParamInfo(f, 0, &offset, &bytes), OK);
    CHECK(offset == 0 && bytes == 8);
    CU(cuFuncGetParamInfo(f, 1, &offset, NULL), OK);
    CHECK(offset == 8);
    CU(cuFuncGetParamInfo(f, 2, &offset, &bytes), INVALID_VALUE);

    CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, f, 256, 0), OK);
    CHECK(v == 8);
    CU(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&v, f, 64, 49152, 0), OK);
    CHECK(v == 2);
    CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, NULL, 256, 0), INVALID_HANDLE);
    CU(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f, 4, 64), OK);
    CHECK(bytes == 24576);
    CU(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0), OK);
    CHECK(block == 1024 && grid == 2 * 80);
    CU(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 300), OK);
    CHECK(block == 256 && grid == 8 * 80);
    /* 96 KiB for 192 bytes a thread: 512 threads, as one block or two. */
    CU(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, f, bytes_of, 0, 0, 1), OK);
    CU(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, f, bytes_of, 0, 0, 2),
       INVALID_VALUE);
    CU(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, f, bytes_of, 0, 0, 0), OK);
    CHECK(block * grid == 512 * 80);
    CU(cuOccupancyMaxPotentialBlockSize(NULL, &block, f, NULL, 0, 0), INVALID_VALUE);
    CU(cuModuleUnload(module), OK);
}

#define ONE_BY_32 1, 1, 1, 32, 1, 1
#define LAUNCHES(sz)                                                                              \
    static void launches##sz(void *f, void *meet) {                                               \
        unsigned n = 2;                                                                           \
        void *parameters[] = {&device, &n};                                                       \
        struct {                                                                                  \
            void *p;                                                                              \
            unsigned n;                                                                           \
        } packed = {device, 2};                                                                   \
        size_t bytes = 12, too_many = 1 << 20, too_few = 8;                                       \
        void *extra[] = {BYTES(1), &packed, BYTES(2), &bytes, BYTES(0)};                          \
        void *large[] = {BYTES(1), &packed, BYTES(2), &too_many, BYTES(0)};                       \
        void *small[] = {BYTES(1), &packed, BYTES(2), &too_few, BYTES(0)};                        \
        void *wrong[] = {BYTES(7), &packed, BYTES(0)};                                            \
        put(3, 4);                                                                                \
        CU(cuLaunchKernel##sz(f, ONE_BY_32, 0, NULL, parameters, NULL), OK);                      \
        CU(cuLaunchKernel##sz(f, ONE_BY_32, 0, NULL, NULL, extra), OK);                           \
        expect(12, 16);                                                                           \
        CU(cuLaunchKernel##sz(f, ONE_BY_32, 0, NULL, parameters, extra), INVALID_VALUE);          \
        CU(cuLaunchKernel##sz(f, ONE_BY_32, 0, NULL, NULL, large), INVALID_VALUE);                \
        CU(cuLaunchKernel##sz(f, ONE_BY_32, 0, NULL, NULL, small), INVALID_VALUE);                \
        CU(cuLaunchKernel##sz(f, ONE_BY_32, 0, NULL, NULL, wrong), INVALID_VALUE);                \
        CU(cuLaunchKernel##sz(f, ONE_BY_32, 0, NULL, NULL, NULL), INVALID_VALUE);                 \
        CU(cuLaunchKernel##sz(f, 1, 1, 1, 1025, 1, 1, 0, NULL, parameters, NULL), INVALID_VALUE); \
        CU(cuLaunchKernel##sz(f, 0, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL), INVALID_VALUE);   \
        CU(cuLaunchKernel##sz(f, ONE_BY_32, 1 << 20, NULL, parameters, NULL), INVALID_VALUE);     \
        CU(cuLaunchKernel##sz(&n, ONE_BY_32, 0, NULL, parameters, NULL), INVALID_HANDLE);         \
        CU(cuLaunchKernel##sz(NULL, ONE_BY_32, 0, NULL, parameters, NULL), INVALID_HANDLE);       \
        CU(cuLaunchKernel##sz(f, ONE_BY_32, 0, &n, parameters, NULL), INVALID_HANDLE);            \
        struct cu_attribute attribute = {.id = 2, .value.number = 1}; /* cooperative */           \
        struct cu_config c = {{1, 1, 1}, {32, 1, 1}, 0, NULL, &attribute, 0};                     \
        CU(cuLaunchKernelEx##sz(&c, f, parameters, NULL), OK);                                    \
        c.num_attributes = 1;                                                                     \
        CU(cuLaunchKernelEx##sz(&c, f, NULL, extra), OK);                                         \
        expect(48, 64);                                                                           \
        CU(cuLaunchKernelEx##sz(NULL, f, parameters, NULL), INVALID_VALUE);                       \
        attribute.id = 4; /* a cluster */                                                         \
        attribute.value.dim[0] = 2, attribute.value.dim[1] = attribute.value.dim[2] = 1;          \
        CU(cuLaunchKernelEx##sz(&c, f, parameters, NULL), NOT_SUPPORTED);                         \
        /* All CTAs meet: they must be resident together. */                                      \
        int *bad = device + 1;                                                                    \
        unsigned rounds = 3;                                                                      \
        void *meeting[] = {&device, &bad, &rounds};                                               \
        put(0, 0);                                                                                \
        CU(cuLaunchCooperativeKernel##sz(meet, 160, 1, 1, 64, 1, 1, 0, NULL, meeting), OK);       \
        expect(160 * 3, 0);                                                                       \
        CU(cuLaunchCooperativeKernel##sz(meet, 80 * 32 + 1, 1, 1, 64, 1, 1, 0, NULL, meeting),    \
           TOO_LARGE);                                                                            \
    }
/* clang-format off */
LAUNCHES()
LAUNCHES(_ptsz)
/* clang-format on */

int main(int argc, char **argv) {
    (void)argc;
    folder = argv[1];
    void *context, *module, *scale, *meeting, *meet;
    char *text = read_text(path("scale"));
    CU(cuInit(0), OK);
    CU(cuCtxCreate_v2(&context, 0, 0), OK);
    CU(cuMemAlloc_v2(&device, 64), OK);
    modules(text);
    libraries(text);
    compiler_says();
    linker();
    attributes(text);
    CU(cuModuleLoadData(&module, text), OK);
    CU(cuModuleGetFunction(&scale, module, "scale"), OK);
    CU(cuModuleLoad(&meeting, path("grid_barrier")), OK);
    CU(cuModuleGetFunction(&meet, meeting, "meet"), OK);
    launches(scale, meet);
    launches_ptsz(scale, meet);
    CU(cuCtxDestroy_v2(context), OK);
    free(text);
    puts("driver_modules: ok");
    return 0;
}
