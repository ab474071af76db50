/* bind.h - what libheddle_audit.so and libheddle_bind.so agree on.
 *
 * nvcc links its CUDA runtime into the program unless told otherwise. Such a program keeps its
 * bytes, but in memory each entry of that runtime is made to jump to a stub of libheddle_bind.so,
 * which finds the function of the same name in Heddle's libcudart.so.N. Nothing of NVIDIA's runtime
 * is executed.
 *
 * Two libraries, because of when they run: the auditor sees every object (the program, its
 * libraries, what is loaded later) before any of its code, but lives apart from the program; the
 * stubs are preloaded into the program, and run when it makes its first call.
 */
#ifndef HEDDLE_CUDA_BIND_BIND_H
#define HEDDLE_CUDA_BIND_BIND_H

#include <stdint.h>

/* One row for each call of cuda_calls.def, sorted by name. */
struct bind_row {
    const char *name;
    uint8_t versions; /* bit v: libcudart 11 + v exports it */
};
enum { BIND_VERSIONS = 3 };

/* Stub i of version 11 + v lies at heddle_bind_stubs + (v * rows + i) * BIND_STUB_BYTES. */
enum { BIND_STUB_BYTES = 16 };
#define BIND_LIBRARY "libheddle_bind.so"
#define BIND_STUBS "heddle_bind_stubs"

/* What a program that calls one of these functions of NVRTC gets instead is named with this
 * prefix (nvrtc.c). */
#define BIND_NVRTC "libnvrtc.so"
#define BIND_PREFIX "heddle_"
#define BIND_NVRTC_FUNCTIONS(X) \
    X(nvrtcCompileProgram)      \
    X(nvrtcGetCUBINSize)        \
    X(nvrtcGetCUBIN)

#endif
