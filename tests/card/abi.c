/* abi.c - compares the declarations of host/timing/xrt_abi.h with those of XRT's own headers, when
 * it is compiled. The program does nothing; it is linked with libxrt_coreutil, so that every name
 * is one that the library exports. */
#include <stdio.h>

/* XRT's headers for C use C++'s way of declaring enumerations, and others' names twice. */
#pragma GCC diagnostic ignored "-Wpedantic"
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>

#include <experimental/xrt_ini.h>
#define HEDDLE_XRT_HEADERS
#include "timing/xrt_abi.h"

#define X(result, name, parameters, arguments)                                            \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), \
                   #name " is declared otherwise in XRT's headers");
XRT_FUNCTIONS(X)
#undef X
#define X(name, value) _Static_assert((int)name == value, #name " has another value in XRT");
XRT_STATES(X)
XRT_DIRECTIONS(X)
#undef X
_Static_assert(XRT_BO_FLAGS_HOST_ONLY == 1u << 29, "XRT_BO_FLAGS_HOST_ONLY has another value");

int main(void) {
    void *const functions[] = {
#define X(result, name, parameters, arguments) (void *)name,
        XRT_FUNCTIONS(X)
#undef X
    };
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!functions[i]) return 1;
    puts("XRT's C functions are as declared.");
    return 0;
}
