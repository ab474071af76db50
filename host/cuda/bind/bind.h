/* bind.h - names and numbers that libheddle_audit.so and libheddle_bind.so share.
 *
 * By default nvcc links its CUDA runtime into the program. The auditor leaves the file of such a
 * program alone. In memory it makes each function of that runtime jump to a stub of
 * libheddle_bind.so, which finds the function of the same name in Heddle's libcudart.so.N. No code
 * of NVIDIA's runtime executes.
 *
 * There are two libraries because they run at different times. The auditor sees every object (the
 * program, its libraries, objects loaded later) before any of the object's code runs, but it lives
 * in a namespace of its own. The stubs are preloaded into the program; they run when the program
 * calls CUDA. */
#ifndef HEDDLE_CUDA_BIND_BIND_H
#define HEDDLE_CUDA_BIND_BIND_H

#include <stdint.h>

/* One row for each call of cuda_calls.def, sorted by name. */
struct bind_row {
    const char *name;
    uint8_t versions; /* bit v: libcudart 11 + v exports it */
};
enum { BIND_VERSIONS = 3 }; /* libcudart 11, 12 and 13 */

/* Stub i of version 11 + v lies at heddle_bind_stubs + (v * rows + i) * BIND_STUB_BYTES. */
enum { BIND_STUB_BYTES = 16 };
#define BIND_LIBRARY "libheddle_bind.so"
#define BIND_STUBS "heddle_bind_stubs"

/* The functions of NVRTC that libheddle_bind.so replaces (nvrtc.c). Each replacement's name is
 * BIND_PREFIX and the name of NVRTC's function. */
#define BIND_NVRTC "libnvrtc.so"
#define BIND_PREFIX "heddle_"
#define BIND_NVRTC_FUNCTIONS(X) \
    X(nvrtcCompileProgram)      \
    X(nvrtcGetCUBINSize)        \
    X(nvrtcGetCUBIN)

#endif
