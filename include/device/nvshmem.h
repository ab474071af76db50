// NVSHMEM's names of Heddle's SHMEM, so that programs written for it compile unchanged. What is not
// here is not there, and docs/shmem.md says so.
#ifndef HEDDLE_DEVICE_NVSHMEM_H
#define HEDDLE_DEVICE_NVSHMEM_H

// Programs use these headers without naming them, as NVSHMEM's own include them.
#include <assert.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <errno.h>
#include <limits.h>

#include "heddle_shmem_calls.h"

#define SHMEM_T(name) nvshmem_##name
#define SHMEM_E(name) nvshmemx_##name
#define SHMEM_W(name) nvshmemx_##name##_warp
#define SHMEM_B(name) nvshmemx_##name##_block
#define SHMEM_C(name) NVSHMEM_##name
#define SHMEM_TYPES(LIST, X, A)   \
    LIST(X, A) X(A, half, __half) \
    X(A, bfloat16, __nv_bfloat16)
#define SHMEM_MORE_NAMES "heddle_shmem_names_nvshmem.def"
#include "heddle_shmem_names.def"

#define NVSHMEM_VENDOR_STRING "Heddle"

enum {
    NVSHMEMX_TEAM_NODE = heddle_shmem_core::TEAM_NODE,
    NVSHMEMX_TEAM_SAME_MYPE_NODE = heddle_shmem_core::TEAM_SAME_MYPE_NODE,
    NVSHMEMX_TEAM_SAME_GPU = heddle_shmem_core::TEAM_SAME_GPU,
    NVSHMEMX_TEAM_GPU_LEADERS = heddle_shmem_core::TEAM_GPU_LEADERS,
};

inline int nvshmemx_my_pe(nvshmem_team_t team) {
    return nvshmem_team_my_pe(team);
}
inline int nvshmemx_n_pes(nvshmem_team_t team) {
    return nvshmem_team_n_pes(team);
}

#include "nvshmem_setup.h"

#endif
