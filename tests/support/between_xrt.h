/* between_xrt.h - a library between the host and one with XRT's C functions: it exports them all,
 * and passes each call on. The file that includes this defines some of them itself, and says so
 * before with a macro OWN_name for each. HEDDLE_XRT_BEHIND names the library behind, whose
 * functions `behind` has; without it the process ends when this library is loaded.
 *
 * Threads: as the library behind. */
#ifndef HEDDLE_TESTS_SUPPORT_BETWEEN_XRT_H
#define HEDDLE_TESTS_SUPPORT_BETWEEN_XRT_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "core_regs.h"
#include "timing/xrt_abi.h"

#define EXPORT __attribute__((visibility("default")))

/* The functions of the library behind. */
static struct {
#define X(result, name, arguments) result(*name) arguments;
    XRT_FUNCTIONS(X)
#undef X
} behind;

/* Opens the library behind when this one is loaded. */
__attribute__((constructor)) static void open_behind(void) {
    const char *path = getenv("HEDDLE_XRT_BEHIND");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        fprintf(stderr, "HEDDLE_XRT_BEHIND=%s: cannot be loaded\n", path ? path : "");
        abort();
    }
#define X(result, name, arguments) *(void **)&behind.name = dlsym(library, #name);
    XRT_FUNCTIONS(X)
#undef X
}

#ifndef OWN_xrtDeviceOpen
EXPORT xrtDeviceHandle xrtDeviceOpen(unsigned index) {
    return behind.xrtDeviceOpen(index);
}
#endif
#ifndef OWN_xrtDeviceClose
EXPORT int xrtDeviceClose(xrtDeviceHandle device) {
    return behind.xrtDeviceClose(device);
}
#endif
#ifndef OWN_xrtDeviceLoadXclbinFile
EXPORT int xrtDeviceLoadXclbinFile(xrtDeviceHandle device, const char *path) {
    return behind.xrtDeviceLoadXclbinFile(device, path);
}
#endif
#ifndef OWN_xrtDeviceGetXclbinUUID
EXPORT int xrtDeviceGetXclbinUUID(xrtDeviceHandle device, xuid_t out) {
    return behind.xrtDeviceGetXclbinUUID(device, out);
}
#endif
#ifndef OWN_xrtPLKernelOpenExclusive
EXPORT xrtKernelHandle xrtPLKernelOpenExclusive(xrtDeviceHandle device, const xuid_t uuid,
                                                const char *name) {
    return behind.xrtPLKernelOpenExclusive(device, uuid, name);
}
#endif
#ifndef OWN_xrtKernelClose
EXPORT int xrtKernelClose(xrtKernelHandle kernel) {
    return behind.xrtKernelClose(kernel);
}
#endif
#ifndef OWN_xrtKernelArgGroupId
EXPORT int xrtKernelArgGroupId(xrtKernelHandle kernel, int number) {
    return behind.xrtKernelArgGroupId(kernel, number);
}
#endif
#ifndef OWN_xrtKernelArgOffset
EXPORT uint32_t xrtKernelArgOffset(xrtKernelHandle kernel, int number) {
    return behind.xrtKernelArgOffset(kernel, number);
}
#endif
#ifndef OWN_xrtKernelReadRegister
EXPORT int xrtKernelReadRegister(xrtKernelHandle kernel, uint32_t offset, uint32_t *value) {
    return behind.xrtKernelReadRegister(kernel, offset, value);
}
#endif
#ifndef OWN_xrtKernelWriteRegister
EXPORT int xrtKernelWriteRegister(xrtKernelHandle kernel, uint32_t offset, uint32_t value) {
    return behind.xrtKernelWriteRegister(kernel, offset, value);
}
#endif
#ifndef OWN_xrtBOAlloc
EXPORT xrtBufferHandle xrtBOAlloc(xrtDeviceHandle device, size_t size, xrtBufferFlags flags,
                                  xrtMemoryGroup group) {
    return behind.xrtBOAlloc(device, size, flags, group);
}
#endif
#ifndef OWN_xrtBOFree
EXPORT int xrtBOFree(xrtBufferHandle buffer) {
    return behind.xrtBOFree(buffer);
}
#endif
#ifndef OWN_xrtBOMap
EXPORT void *xrtBOMap(xrtBufferHandle buffer) {
    return behind.xrtBOMap(buffer);
}
#endif
#ifndef OWN_xrtBOAddress
EXPORT uint64_t xrtBOAddress(xrtBufferHandle buffer) {
    return behind.xrtBOAddress(buffer);
}
#endif
#ifndef OWN_xrtBOSync
EXPORT int xrtBOSync(xrtBufferHandle buffer, enum xclBOSyncDirection direction, size_t size,
                     size_t offset) {
    return behind.xrtBOSync(buffer, direction, size, offset);
}
#endif
#ifndef OWN_xrtRunOpen
EXPORT xrtRunHandle xrtRunOpen(xrtKernelHandle kernel) {
    return behind.xrtRunOpen(kernel);
}
#endif
#ifndef OWN_xrtRunSetArg
/* Passes the argument on as the kernel's table says that it is. */
EXPORT int xrtRunSetArg(xrtRunHandle run, int number, ...) {
    static const bool buffers[CORE_NUM_ARGS] = {
#define X(number, offset, bits, buffer) buffer,
        CORE_ARG_MAP(X)
#undef X
    };
    va_list arguments;
    int r;
    va_start(arguments, number);
    if (number >= 0 && number < CORE_NUM_ARGS && buffers[number])
        r = behind.xrtRunSetArg(run, number, va_arg(arguments, void *));
    else
        r = behind.xrtRunSetArg(run, number, va_arg(arguments, uint32_t));
    va_end(arguments);
    return r;
}
#endif
#ifndef OWN_xrtRunStart
EXPORT int xrtRunStart(xrtRunHandle run) {
    return behind.xrtRunStart(run);
}
#endif
#ifndef OWN_xrtRunWaitFor
EXPORT enum ert_cmd_state xrtRunWaitFor(xrtRunHandle run, unsigned milliseconds) {
    return behind.xrtRunWaitFor(run, milliseconds);
}
#endif
#ifndef OWN_xrtRunState
EXPORT enum ert_cmd_state xrtRunState(xrtRunHandle run) {
    return behind.xrtRunState(run);
}
#endif
#ifndef OWN_xrtRunClose
EXPORT int xrtRunClose(xrtRunHandle run) {
    return behind.xrtRunClose(run);
}
#endif
#ifndef OWN_xrtIniStringSet
EXPORT int xrtIniStringSet(const char *key, const char *value) {
    return behind.xrtIniStringSet(key, value);
}
#endif

#endif
