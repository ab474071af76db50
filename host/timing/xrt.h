/* xrt.h - loads a library that exports the C functions of XRT: libxrt_coreutil.so.2 for a card,
 * libheddle_swemu.so for the emulation. The host calls both through the same table of pointers.
 *
 * Threads: load and unload from one thread at a time; XRT's own rules hold for the functions. */
#ifndef HEDDLE_TIMING_XRT_H
#define HEDDLE_TIMING_XRT_H

#include "common/error.h"
#include "timing/core_policy.h"
#include "timing/core_watch.h"
#include "timing/xrt_abi.h"

/* A loaded library: its handle, and a pointer to each function under the function's name. */
struct xrt {
    void *library; /* from dlopen(); NULL: none */
#define X(result, name, parameters, arguments) result(*name) parameters;
    XRT_FUNCTIONS(X)
#undef X
    core_watch_function
        *watch; /* NULL: the library cannot tell what the core does (core_watch.h) */
    core_policy_function *policy; /* NULL: its cores take no policies (core_policy.h) */
};

/* Opens `path` and fills `out`. @return HEDDLE_ERR_BACKEND, with an explanation in diag, for a
 * library that is missing or lacks a function, and for XCL_EMULATION_MODE in the environment (XRT
 * would hang or crash in its own emulation, which cannot run an RTL kernel). On success it turns
 * XRT's log off, because with the log XRT ends the process where it finds no installation. */
heddle_err xrt_load(struct xrt *out, const char *path, struct heddle_diag *diag);
/* Closes the library and zeroes *xrt. Accepts one that is not loaded. */
void xrt_unload(struct xrt *xrt);

#endif
