/* faulty_xrt.c - a library with XRT's C functions that goes wrong in one way: it passes every call
 * to another such library (HEDDLE_FAULTY_LIBRARY, the emulation) and changes what HEDDLE_FAULT
 * names. For tests of what Heddle says of a card that is broken; no card can be told to be.
 *
 * Threads: as the library behind it. Without the two variables, or with an unknown fault, it ends
 * the process, so that a test cannot pass by a name misspelt. */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core_regs.h"
#include "timing/xrt_abi.h"

#define EXPORT __attribute__((visibility("default")))

/* The faults: X(name, what happens). */
#define FAULTS(X)                                                  \
    X(none, "nothing")                                             \
    X(no_device, "the device cannot be opened")                    \
    X(no_image, "the device holds no image")                       \
    X(bad_image, "the image cannot be loaded")                     \
    X(no_kernel, "the image has no such kernel")                   \
    X(off_the_bus, "registers read as ones")                       \
    X(other_kernel, "the magic number is another one")             \
    X(other_version, "the version is higher by one")               \
    X(other_tables, "the build id is another one")                 \
    X(other_shape, "an SM has two sub-cores")                      \
    X(no_memory, "no buffer can be allocated")                     \
    X(no_copy, "copies to the card are lost")                      \
    X(bad_copy, "a bit of each copy from the card is wrong")       \
    X(hang, "the third run never ends")                            \
    X(lost, "the third run cannot be started: the device is gone") \
    X(aborted, "the third run ends with an error")                 \
    X(wrong_hash, "the counter of the issue hash is another one")  \
    X(dead_counters, "counters cannot be read")
enum fault {
#define X(name, what) name,
    FAULTS(X)
#undef X
};

/* The functions of the library behind this one. */
static struct {
#define X(result, name, arguments) result(*name) arguments;
    XRT_FUNCTIONS(X)
#undef X
} real;
static enum fault fault;
static unsigned runs;

/* Opens the library behind this one when this one is loaded. */
__attribute__((constructor)) static void load(void) {
    const char *path = getenv("HEDDLE_FAULTY_LIBRARY"), *name = getenv("HEDDLE_FAULT");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    bool known = false;
#define X(fault_name, what) \
    if (name && !strcmp(name, #fault_name)) fault = fault_name, known = true;
    FAULTS(X)
#undef X
    if (!library || !known) {
        fprintf(stderr, "faulty_xrt: HEDDLE_FAULTY_LIBRARY=%s, HEDDLE_FAULT=%s\n", path ? path : "",
                name ? name : "");
        abort();
    }
#define X(result, function, arguments) *(void **)&real.function = dlsym(library, #function);
    XRT_FUNCTIONS(X)
#undef X
}

/* Sets errno. @return -1. */
static int fails(int error) {
    errno = error;
    return -1;
}

EXPORT xrtDeviceHandle xrtDeviceOpen(unsigned index) {
    if (fault == no_device) {
        errno = ENODEV;
        return NULL;
    }
    return real.xrtDeviceOpen(index);
}

EXPORT int xrtDeviceClose(xrtDeviceHandle device) {
    return real.xrtDeviceClose(device);
}

EXPORT int xrtDeviceLoadXclbinFile(xrtDeviceHandle device, const char *path) {
    return fault == bad_image ? fails(EINVAL) : real.xrtDeviceLoadXclbinFile(device, path);
}

EXPORT int xrtDeviceGetXclbinUUID(xrtDeviceHandle device, xuid_t out) {
    return fault == no_image ? fails(ENOENT) : real.xrtDeviceGetXclbinUUID(device, out);
}

EXPORT xrtKernelHandle xrtPLKernelOpenExclusive(xrtDeviceHandle device, const xuid_t uuid,
                                                const char *name) {
    if (fault == no_kernel) {
        errno = ENOENT;
        return NULL;
    }
    return real.xrtPLKernelOpenExclusive(device, uuid, name);
}

EXPORT int xrtKernelClose(xrtKernelHandle kernel) {
    return real.xrtKernelClose(kernel);
}

EXPORT int xrtKernelArgGroupId(xrtKernelHandle kernel, int number) {
    return real.xrtKernelArgGroupId(kernel, number);
}

EXPORT uint32_t xrtKernelArgOffset(xrtKernelHandle kernel, int number) {
    return real.xrtKernelArgOffset(kernel, number);
}

EXPORT int xrtKernelReadRegister(xrtKernelHandle kernel, uint32_t offset, uint32_t *value) {
    const bool counter = offset >= CORE_COUNTER_BASE;
    if (fault == dead_counters && counter) return fails(EIO);
    int r = real.xrtKernelReadRegister(kernel, offset, value);
    if (fault == off_the_bus) *value = UINT32_MAX;
    if (fault == other_kernel && offset == CORE_REG_MAGIC) *value = 0x12345678;
    if (fault == other_version && offset == CORE_REG_VERSION) *value += 1;
    if (fault == other_tables && offset == CORE_REG_BUILD_ID) *value ^= 1;
    if (fault == other_shape && offset == CORE_REG_SUB_CORES) *value = 2;
    if (fault == wrong_hash && offset == CORE_COUNTER_BASE + 8 * CORE_COUNTER_ISSUE_HASH)
        *value ^= 1;
    return r;
}

EXPORT int xrtKernelWriteRegister(xrtKernelHandle kernel, uint32_t offset, uint32_t value) {
    return real.xrtKernelWriteRegister(kernel, offset, value);
}

EXPORT xrtBufferHandle xrtBOAlloc(xrtDeviceHandle device, size_t size, xrtBufferFlags flags,
                                  xrtMemoryGroup group) {
    if (fault == no_memory) {
        errno = ENOMEM;
        return NULL;
    }
    return real.xrtBOAlloc(device, size, flags, group);
}

EXPORT int xrtBOFree(xrtBufferHandle buffer) {
    return real.xrtBOFree(buffer);
}

EXPORT void *xrtBOMap(xrtBufferHandle buffer) {
    return real.xrtBOMap(buffer);
}

EXPORT uint64_t xrtBOAddress(xrtBufferHandle buffer) {
    return real.xrtBOAddress(buffer);
}

EXPORT int xrtBOSync(xrtBufferHandle buffer, enum xclBOSyncDirection direction, size_t size,
                     size_t offset) {
    if (fault == no_copy && direction == XCL_BO_SYNC_BO_TO_DEVICE) return 0;
    int r = real.xrtBOSync(buffer, direction, size, offset);
    if (fault == bad_copy && direction == XCL_BO_SYNC_BO_FROM_DEVICE)
        ((unsigned char *)real.xrtBOMap(buffer))[offset + size / 2] ^= 8;
    return r;
}

EXPORT xrtRunHandle xrtRunOpen(xrtKernelHandle kernel) {
    return real.xrtRunOpen(kernel);
}

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
        r = real.xrtRunSetArg(run, number, va_arg(arguments, void *));
    else
        r = real.xrtRunSetArg(run, number, va_arg(arguments, uint32_t));
    va_end(arguments);
    return r;
}

EXPORT int xrtRunStart(xrtRunHandle run) {
    if (++runs >= 3 && fault == lost) return fails(ENODEV);
    return real.xrtRunStart(run);
}

EXPORT enum ert_cmd_state xrtRunWaitFor(xrtRunHandle run, unsigned milliseconds) {
    enum ert_cmd_state state = real.xrtRunWaitFor(run, milliseconds);
    if (runs >= 3 && fault == hang) return ERT_CMD_STATE_TIMEOUT;
    if (runs >= 3 && fault == aborted) return ERT_CMD_STATE_ERROR;
    return state;
}

EXPORT enum ert_cmd_state xrtRunState(xrtRunHandle run) {
    return real.xrtRunState(run);
}

EXPORT int xrtRunClose(xrtRunHandle run) {
    return real.xrtRunClose(run);
}

EXPORT int xrtIniStringSet(const char *key, const char *value) {
    return real.xrtIniStringSet(key, value);
}
