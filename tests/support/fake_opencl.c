/* fake_opencl.c - a libOpenCL.so.1 for tests of `heddle doctor`: with FAKE_OPENCL=fpga it has one
 * platform with a CPU and an FPGA, with =abort it ends its process, as an ICD without its driver
 * does, and with =hang it never answers. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLATFORM_VERSION = 0x901, PLATFORM_NAME, PLATFORM_VENDOR, TYPE = 0x1000, NAME = 0x102b };

static int32_t answer(const void *value, size_t bytes, size_t size, void *out) {
    if (size < bytes) return -30; /* CL_INVALID_VALUE */
    memcpy(out, value, bytes);
    return 0;
}

int32_t clGetPlatformIDs(uint32_t size, void **platforms, uint32_t *count) {
    const char *fault = getenv("FAKE_OPENCL");
    if (!fault || !strcmp(fault, "abort")) abort();
    if (!strcmp(fault, "hang"))
        for (;;) pause();
    if (size) platforms[0] = platforms;
    *count = 1;
    return 0;
}

int32_t clGetPlatformInfo(void *platform, uint32_t name, size_t size, void *out, size_t *used) {
    (void)platform, (void)used;
    const char *text = name == PLATFORM_NAME     ? "A platform"
                       : name == PLATFORM_VENDOR ? "Nobody"
                                                 : "OpenCL 1.2";
    return answer(text, strlen(text) + 1, size, out);
}

int32_t clGetDeviceIDs(void *platform, uint64_t type, uint32_t size, void **devices,
                       uint32_t *count) {
    (void)platform, (void)type;
    static char device[2];
    for (uint32_t i = 0; i < size && i < 2; i++) devices[i] = &device[i];
    *count = 2;
    return 0;
}

int32_t clGetDeviceInfo(const char *device, uint32_t name, size_t size, void *out, size_t *used) {
    (void)used;
    static const char *first;
    if (!first || device < first) first = device;
    const uint64_t type = device == first ? 2 : 8;
    const char *text = device == first ? "a CPU" : "an FPGA";
    return name == TYPE ? answer(&type, sizeof type, size, out)
                        : answer(text, strlen(text) + 1, size, out);
}
