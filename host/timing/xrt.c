/* xrt.c - loads a library with XRT's C functions, a card's or the emulation, into a table of
 * pointers; see xrt.h. core.c calls it on the driving thread when it opens and closes a core. It
 * reads the environment and the loader's error text, and keeps nothing of its own. */
#include "timing/xrt.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* dlopen()s the library at `path` and looks up every function of XRT_FUNCTIONS into *out; then
 * turns XRT's log off. @return HEDDLE_ERR_BACKEND, with text in diag and nothing loaded: the
 * library is missing or lacks a function, or XCL_EMULATION_MODE is set. */
heddle_err xrt_load(struct xrt *out, const char *path, struct heddle_diag *diag) {
    const char *mode = getenv("XCL_EMULATION_MODE");
    *out = (struct xrt){0};
    if (mode)
        return heddle_fail(
            diag, HEDDLE_ERR_BACKEND,
            "XCL_EMULATION_MODE is set (%s). It selects Vitis' own emulation, in which "
            "XRT cannot run this kernel. Unset it; Heddle's emulation needs no "
            "variable, it is the library libheddle_swemu.so.",
            mode);
    out->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!out->library)
        return heddle_fail(
            diag, HEDDLE_ERR_BACKEND,
            "the library of the timing core could not be loaded: %s. The emulation is "
            "libheddle_swemu.so in the build's lib folder; a card needs "
            "libxrt_coreutil.so.2 (package libxrt1, or XRT from AMD).",
            dlerror());
    const char *missing = NULL;
#define X(result, name, parameters, arguments)         \
    *(void **)&out->name = dlsym(out->library, #name); \
    if (!out->name && !missing) missing = #name;
    XRT_FUNCTIONS(X)
#undef X
    if (missing) {
        heddle_fail(diag, HEDDLE_ERR_BACKEND,
                    "%s has no function %s. It must offer the C functions of XRT 2022.1 or later.",
                    path, missing);
        xrt_unload(out);
        return HEDDLE_ERR_BACKEND;
    }
    *(void **)&out->watch = dlsym(out->library, CORE_WATCH_FUNCTION);
    *(void **)&out->policy = dlsym(out->library, CORE_POLICY_FUNCTION);
    out->xrtIniStringSet("Runtime.runtime_log", "null");
    return HEDDLE_OK;
}

void xrt_unload(struct xrt *xrt) {
    if (xrt->library) dlclose(xrt->library);
    *xrt = (struct xrt){0};
}
