/* xrt.h - loads a library that offers the C functions of XRT: libxrt_coreutil.so.2 for a card,
 * libheddle_swemu.so for the emulation. Both are reached by the same table of pointers.
 *
 * Threads: load and unload from one thread at a time; the functions themselves as XRT says. */
#ifndef HEDDLE_TIMING_XRT_H
#define HEDDLE_TIMING_XRT_H

#include "common/error.h"
#include "timing/xrt_abi.h"

struct xrt {
    void *library; /* of dlopen */
#define X(result, name, arguments) result(*name) arguments;
    XRT_FUNCTIONS(X)
#undef X
};

/* Opens `path` and fills `out`. Refused with an explanation in diag: a library that is missing or
 * lacks a function, and XCL_EMULATION_MODE in the environment (XRT would hang or crash in its own
 * emulation, which cannot run an RTL kernel). On success XRT's log is off: without it XRT ends the
 * process where it finds no installation. */
heddle_err xrt_load(struct xrt *out, const char *path, struct heddle_diag *diag);
void xrt_unload(struct xrt *xrt);

#endif
