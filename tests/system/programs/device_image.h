/* device_image.h - registers a PTX file as the compilers' start-up code does. */
#ifndef TEST_DEVICE_IMAGE_H
#define TEST_DEVICE_IMAGE_H

#include <stdint.h>

#include "cuda_calls.h"

struct dim3 {
    unsigned x, y, z;
};
void **__cudaRegisterFatBinary(const void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t bytes, int constant, int global);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, void *stream);

/* A fat binary with one entry of uncompressed PTX, and its wrapper. */
struct device_image {
    struct {
        uint32_t magic, version;
        const void *image, *unused;
    } wrapper;
    uint32_t magic;
    uint16_t version, head;
    uint64_t bytes;
    struct {
        uint16_t kind, version;
        uint32_t head;
        uint64_t bytes;
        uint32_t compressed, reserved;
        uint16_t minor, major;
        uint32_t target, name, name_bytes;
        uint64_t flags, zero, unpacked;
    } entry;
    char text[1 << 16];
};

static inline void read_image(struct device_image *m, const char *file) {
    memset(m, 0, sizeof *m);
    m->wrapper.magic = 0x466243B1;
    m->wrapper.version = 1;
    m->wrapper.image = &m->magic;
    m->magic = 0xBA55ED50;
    m->version = 1;
    m->head = 16;
    m->entry.kind = 1;
    m->entry.version = 0x101;
    m->entry.head = sizeof m->entry;
    m->entry.target = 70;
    m->entry.flags = 0x11;
    FILE *f = fopen(file, "r");
    CHECK(f);
    size_t n = fread(m->text, 1, sizeof m->text - 1, f);
    fclose(f);
    m->entry.bytes = n + 1;
    m->bytes = sizeof m->entry + m->entry.bytes;
}

/* What a compiler's start-up code does, in steps: open, add, __cudaRegisterFatBinaryEnd(). */
static inline void **open_module(struct device_image *m, const char *file) {
    CHECK(file); /* the program's argument */
    read_image(m, file);
    return __cudaRegisterFatBinary(&m->wrapper);
}
static inline void add_kernel(void **module, const char *host, const char *name) {
    __cudaRegisterFunction(module, host, NULL, name, -1, NULL, NULL, NULL, NULL, NULL);
}
static inline void add_variable(void **module, void *host, const char *name, size_t bytes,
                                int constant) {
    __cudaRegisterVar(module, host, NULL, name, 0, bytes, constant, 0);
}

#endif
