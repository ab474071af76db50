/* card_memory.c - patterns through a card's memory, for first_light.h: a buffer beside the rings,
 * without a run of the kernel. XRT copies it to the card and back; a wrong byte is the fault of the
 * card's memory, of PCIe or of the driver. */
#include <errno.h>
#include <string.h>

#include "timing/first_light.h"
#include "timing/xrt.h"

/* Word i of pattern n: walking ones, their complement, and words that are all different. */
static uint64_t pattern(unsigned n, size_t i) {
    uint64_t one = UINT64_C(1) << i % 64;
    return n == 0 ? one : n == 1 ? ~one : (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Leaves the text of an XRT function that failed in diag. */
static heddle_err fail(const char *what, struct heddle_diag *diag) {
    return heddle_fail(diag, HEDDLE_ERR_BACKEND, "%s failed%s%s", what, errno ? ": " : "",
                       errno ? strerror(errno) : "");
}

/* One pattern to the card and back. In between the host's copy is overwritten, so that a copy that
 * did not take place shows. */
static heddle_err one_pattern(const struct xrt *x, xrtBufferHandle buffer, uint64_t *words,
                              size_t bytes, unsigned n, struct heddle_diag *diag) {
    for (size_t i = 0; i < bytes / 8; i++) words[i] = pattern(n, i);
    if (x->xrtBOSync(buffer, XCL_BO_SYNC_BO_TO_DEVICE, bytes, 0))
        return fail("xrtBOSync to the card", diag);
    memset(words, 0x5a, bytes);
    if (x->xrtBOSync(buffer, XCL_BO_SYNC_BO_FROM_DEVICE, bytes, 0))
        return fail("xrtBOSync from the card", diag);
    for (size_t i = 0; i < bytes / 8; i++)
        if (words[i] != pattern(n, i))
            return heddle_fail(diag, HEDDLE_ERR_PROTOCOL,
                               "byte %zu of %zu came back from the card's memory as part of "
                               "0x%016llx instead of 0x%016llx",
                               8 * i, bytes, (unsigned long long)words[i],
                               (unsigned long long)pattern(n, i));
    return HEDDLE_OK;
}

heddle_err first_light_memory(const struct core_options *options, size_t bytes,
                              struct heddle_diag *diag) {
    struct xrt xrt;
    xuid_t uuid;
    heddle_err e = xrt_load(&xrt, options->library, diag);
    if (e) return e;
    errno = 0;
    xrtKernelHandle kernel = NULL;
    xrtBufferHandle buffer = NULL;
    uint64_t *words = NULL;
    int group = -1;
    xrtDeviceHandle device = xrt.xrtDeviceOpen(options->device);
    if (!device) e = fail("xrtDeviceOpen", diag);
    if (!e && xrt.xrtDeviceGetXclbinUUID(device, uuid)) e = fail("xrtDeviceGetXclbinUUID", diag);
    if (!e && !(kernel = xrt.xrtPLKernelOpenExclusive(device, uuid, CORE_KERNEL_NAME)))
        e = fail("xrtPLKernelOpenExclusive", diag);
    if (!e && (group = xrt.xrtKernelArgGroupId(kernel, CORE_ARG_COMMAND_RING)) < 0)
        e = fail("xrtKernelArgGroupId", diag);
    if (!e && !(buffer = xrt.xrtBOAlloc(device, bytes, 0, (xrtMemoryGroup)group)))
        e = fail("xrtBOAlloc", diag);
    if (!e && !(words = xrt.xrtBOMap(buffer))) e = fail("xrtBOMap", diag);
    for (unsigned n = 0; n < 3 && !e; n++) e = one_pattern(&xrt, buffer, words, bytes, n, diag);
    if (buffer) xrt.xrtBOFree(buffer);
    if (kernel) xrt.xrtKernelClose(kernel);
    if (device) xrt.xrtDeviceClose(device);
    xrt_unload(&xrt);
    return e;
}
