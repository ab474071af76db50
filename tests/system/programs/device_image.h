/* device_image.h - registers a PTX file in the way of the compilers' start-up code. */
#ifndef TEST_DEVICE_IMAGE_H
#define TEST_DEVICE_IMAGE_H

#include <stdint.h>

#include "cuda_calls.h"
#include "fat_image.h"

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

static inline void read_image(struct device_image *m, const char *file) {
    static char text[sizeof m->text];
    FILE *f = fopen(file, "r");
    CHECK(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    fill_image(m, text, n);
}

/* The steps of a compiler's start-up code: open the module, add kernels and variables,
 * __cudaRegisterFatBinaryEnd(). */
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
