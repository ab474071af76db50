// NVSHMEM's names of Heddle's SHMEM, so that programs written for it compile unchanged. What is not
// here is not there, and docs/shmem.md says so.
#ifndef HEDDLE_DEVICE_NVSHMEM_H
#define HEDDLE_DEVICE_NVSHMEM_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "heddle_shmem_calls.h"

#define SHMEM_T(name) nvshmem_##name
#define SHMEM_E(name) nvshmemx_##name
#define SHMEM_W(name) nvshmemx_##name##_warp
#define SHMEM_B(name) nvshmemx_##name##_block
#define SHMEM_C(name) NVSHMEM_##name
#define SHMEM_TYPES(LIST, X, A) LIST(X, A) X(A, half, __half) X(A, bfloat16, __nv_bfloat16)
#include "heddle_shmem_names.def"

#define NVSHMEM_VENDOR_STRING "Heddle"

enum {
    NVSHMEMX_SUCCESS = 0,
    NVSHMEMX_TEAM_NODE = heddle_shmem_core::TEAM_NODE,
    NVSHMEMX_TEAM_SAME_MYPE_NODE = heddle_shmem_core::TEAM_SAME_MYPE_NODE,
    NVSHMEMX_TEAM_SAME_GPU = heddle_shmem_core::TEAM_SAME_GPU,
    NVSHMEMX_TEAM_GPU_LEADERS = heddle_shmem_core::TEAM_GPU_LEADERS,
};

// ---- ways to begin. `heddle run --nodes N` starts a program on each node; nothing else tells the
// PEs of one another.

enum {
    NVSHMEMX_INIT_THREAD_PES = 1,
    NVSHMEMX_INIT_WITH_MPI_COMM = 2,
    NVSHMEMX_INIT_WITH_SHMEM = 4,
    NVSHMEMX_INIT_WITH_UNIQUEID = 8,
};
enum {
    NVSHMEM_STATUS_NOT_INITIALIZED = 0,
    NVSHMEM_STATUS_IS_INITIALIZED = 2,
};
typedef struct {
    char internal[128];
} nvshmemx_uniqueid_t;
typedef struct {
    void *mpi_comm;
    nvshmemx_uniqueid_t *uid_info;
} nvshmemx_init_attr_t;
#define NVSHMEMX_INIT_ATTR_INITIALIZER {}
#define NVSHMEMX_UNIQUEID_INITIALIZER {}

namespace heddle_shmem_core {
[[noreturn]] inline void host_refuse_attribute(const char *call, unsigned flags) {
    const char *const names[] = {"NVSHMEMX_INIT_THREAD_PES", "NVSHMEMX_INIT_WITH_MPI_COMM",
                                 "NVSHMEMX_INIT_WITH_SHMEM", "NVSHMEMX_INIT_WITH_UNIQUEID"};
    for (int i = 0; i < 4; i++)
        if (flags >> i & 1)
            host_refuse("%s: %s is not supported: start the PEs with `heddle run --nodes N` and "
                        "call nvshmem_init()",
                        call, names[i]);
    host_refuse("%s: unknown flags 0x%x", call, flags);
}
} // namespace heddle_shmem_core

inline int nvshmemx_init_attr(unsigned flags, nvshmemx_init_attr_t *) {
    if (flags) heddle_shmem_core::host_refuse_attribute("nvshmemx_init_attr", flags);
    nvshmem_init();
    return 0;
}
inline int nvshmemx_hostlib_init_attr(unsigned flags, nvshmemx_init_attr_t *attributes) {
    return nvshmemx_init_attr(flags, attributes);
}
inline int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t *) {
    heddle_shmem_core::host_refuse_attribute("nvshmemx_get_uniqueid", NVSHMEMX_INIT_WITH_UNIQUEID);
}
inline int nvshmemx_set_attr_uniqueid_args(int, int, const nvshmemx_uniqueid_t *,
                                           nvshmemx_init_attr_t *) {
    heddle_shmem_core::host_refuse_attribute("nvshmemx_set_attr_uniqueid_args",
                                             NVSHMEMX_INIT_WITH_UNIQUEID);
}
inline int nvshmemx_init_status() {
    return heddle_shmem_core::host().num_pes ? NVSHMEM_STATUS_IS_INITIALIZED
                                             : NVSHMEM_STATUS_NOT_INITIALIZED;
}
inline int nvshmemx_my_pe(nvshmem_team_t team) {
    return nvshmem_team_my_pe(team);
}
inline int nvshmemx_n_pes(nvshmem_team_t team) {
    return nvshmem_team_n_pes(team);
}

#endif
