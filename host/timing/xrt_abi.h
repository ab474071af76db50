/* xrt_abi.h - the part of the C interface of XRT that Heddle uses, declared here so that neither
 * the host nor the emulation needs XRT's headers. The prototypes are the same in XRT 2022.1 to
 * 2026.1.
 *
 * XRT_FUNCTIONS lists them once: X(result, name, (parameters), (arguments)). The loader (xrt.h)
 * builds its table of pointers from it; the emulation (sw_emu/) exports every function. */
#ifndef HEDDLE_TIMING_XRT_ABI_H
#define HEDDLE_TIMING_XRT_ABI_H

#include <stddef.h>
#include <stdint.h>

/* States of a run that Heddle looks at: X(name, value). */
#define XRT_STATES(X)             \
    X(ERT_CMD_STATE_NEW, 1)       \
    X(ERT_CMD_STATE_QUEUED, 2)    \
    X(ERT_CMD_STATE_RUNNING, 3)   \
    X(ERT_CMD_STATE_COMPLETED, 4) \
    X(ERT_CMD_STATE_ERROR, 5)     \
    X(ERT_CMD_STATE_ABORT, 6)     \
    X(ERT_CMD_STATE_TIMEOUT, 8)
/* Directions of xrtBOSync(): X(name, value). */
#define XRT_DIRECTIONS(X)          \
    X(XCL_BO_SYNC_BO_TO_DEVICE, 0) \
    X(XCL_BO_SYNC_BO_FROM_DEVICE, 1)

#ifndef HEDDLE_XRT_HEADERS /* defined: XRT's own headers have declared the types (tests/card) */
typedef void *xrtDeviceHandle;
typedef void *xrtKernelHandle;
typedef void *xrtRunHandle;
typedef void *xrtBufferHandle;
typedef uint64_t xrtBufferFlags;
typedef uint32_t xrtMemoryGroup;
typedef unsigned char xuid_t[16];

#define X(name, value) name = value,
enum xclBOSyncDirection { XRT_DIRECTIONS(X) };
enum ert_cmd_state { XRT_STATES(X) };
#undef X

#define XRT_BO_FLAGS_HOST_ONLY (UINT64_C(1) << 29) /* the buffer lies in memory of the host */
#endif

/* The functions with a fixed number of arguments: X(result, name, (parameters), (arguments)). */
#define XRT_FIXED_FUNCTIONS(X)                                                                  \
    X(xrtDeviceHandle, xrtDeviceOpen, (unsigned index), (index))                                \
    X(int, xrtDeviceClose, (xrtDeviceHandle device), (device))                                  \
    X(int, xrtDeviceLoadXclbinFile, (xrtDeviceHandle device, const char *path), (device, path)) \
    X(int, xrtDeviceGetXclbinUUID, (xrtDeviceHandle device, xuid_t out), (device, out))         \
    X(xrtKernelHandle, xrtPLKernelOpenExclusive,                                                \
      (xrtDeviceHandle device, const xuid_t uuid, const char *name), (device, uuid, name))      \
    X(int, xrtKernelClose, (xrtKernelHandle kernel), (kernel))                                  \
    X(int, xrtKernelArgGroupId, (xrtKernelHandle kernel, int number), (kernel, number))         \
    X(uint32_t, xrtKernelArgOffset, (xrtKernelHandle kernel, int number), (kernel, number))     \
    X(int, xrtKernelReadRegister, (xrtKernelHandle kernel, uint32_t offset, uint32_t * value),  \
      (kernel, offset, value))                                                                  \
    X(int, xrtKernelWriteRegister, (xrtKernelHandle kernel, uint32_t offset, uint32_t value),   \
      (kernel, offset, value))                                                                  \
    X(xrtBufferHandle, xrtBOAlloc,                                                              \
      (xrtDeviceHandle device, size_t size, xrtBufferFlags flags, xrtMemoryGroup group),        \
      (device, size, flags, group))                                                             \
    X(int, xrtBOFree, (xrtBufferHandle buffer), (buffer))                                       \
    X(void *, xrtBOMap, (xrtBufferHandle buffer), (buffer))                                     \
    X(uint64_t, xrtBOAddress, (xrtBufferHandle buffer), (buffer))                               \
    X(int, xrtBOSync,                                                                           \
      (xrtBufferHandle buffer, enum xclBOSyncDirection direction, size_t size, size_t offset),  \
      (buffer, direction, size, offset))                                                        \
    X(xrtRunHandle, xrtRunOpen, (xrtKernelHandle kernel), (kernel))                             \
    X(int, xrtRunStart, (xrtRunHandle run), (run))                                              \
    X(enum ert_cmd_state, xrtRunWaitFor, (xrtRunHandle run, unsigned milliseconds),             \
      (run, milliseconds))                                                                      \
    X(enum ert_cmd_state, xrtRunState, (xrtRunHandle run), (run))                               \
    X(int, xrtRunClose, (xrtRunHandle run), (run))                                              \
    X(int, xrtIniStringSet, (const char *key, const char *value), (key, value))
/* All. */
#define XRT_FUNCTIONS(X)   \
    XRT_FIXED_FUNCTIONS(X) \
    X(int, xrtRunSetArg, (xrtRunHandle run, int number, ...), )

#endif
