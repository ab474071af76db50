// The expressions that heddle_shmem_names.def gives names to and that are no call_ of their own.
#ifndef HEDDLE_DEVICE_SHMEM_CALLS_H
#define HEDDLE_DEVICE_SHMEM_CALLS_H

#include "heddle_shmem_collectives.h"
#include "heddle_shmem_host.h"
#include "heddle_shmem_types.def"

namespace heddle_shmem_core {

// ---- of threads; nvcc wants the kernels of the host's side named here (keep_kernel)

__device__ inline void quiet_by_thread() {
    keep_kernel<quiet_call>();
    quiet(THREAD);
}
__device__ inline int barrier_by_thread(int number) {
    keep_kernel<quiet_call>();
    keep_kernel<barrier_call>();
    return run(THREAD, barrier_call{number});
}
__device__ inline int sync_by_thread(int number) {
    return run(THREAD, sync_call{number});
}
template <class T> __device__ inline T value_by_thread(const T *from, int pe) {
    keep_kernel<get_call>();
    return get_value(from, pe);
}
struct ctx_quiet_call {
    __device__ void operator()(scope s) const {
        together(s, [&] { ctx_quiet(); });
    }
};
__device__ inline int team_place(int number) {
    return number == NO_TEAM ? -1 : team_of(number)->mine;
}
__device__ inline int team_size(int number) {
    return number == NO_TEAM ? -1 : team_of(number)->size;
}

// ---- of the host

inline int host_team_place(const char *call, int number) {
    return number == NO_TEAM ? -1 : host_team_of(call, number).mine;
}
inline int host_team_size(const char *call, int number) {
    return number == NO_TEAM ? -1 : host_team_of(call, number).size;
}
inline int host_init_thread(const char *call, int, int *provided) {
    host_init(call);
    *provided = 3; // any thread may call
    return 0;
}
inline void host_query_thread(int *provided) {
    *provided = 3;
}
[[noreturn]] inline void host_exit(int status) {
    exit(status); // of a run with nodes, all programs end with the first that fails
}
inline void host_version(int *major, int *minor) {
    *major = 1;
    *minor = 5;
}
inline void host_name(char *name) {
    strcpy(name, "Heddle's SHMEM");
}
inline int host_split_checked(const char *call, long mask, int parent, int start, int stride,
                              int size, int *made) {
    if (mask) host_refuse("%s: there are no contexts, so a team's configuration has none", call);
    return host_split(call, parent, start, stride, size, made);
}
inline int host_split_2d_checked(const char *call, long mask, int parent, int columns, int *row,
                                 int *column) {
    if (mask) host_refuse("%s: there are no contexts, so a team's configuration has none", call);
    return host_split_2d(call, parent, columns, row, column);
}
// The host's own calls have completed when they return.
inline void host_fence(const char *call) {
    host_ready(call);
}
inline void host_quiet(const char *call) {
    host_ready(call);
    host_check(cudaDeviceSynchronize(), call);
    host_launch(quiet_call(), 0);
    host_check(cudaDeviceSynchronize(), call);
}
inline int host_team_barrier(const char *call, int number) {
    host_team_of(call, number);
    host_check(cudaDeviceSynchronize(), call);
    host_launch(barrier_call{number}, 0);
    host_check(cudaDeviceSynchronize(), call);
    return 0;
}

} // namespace heddle_shmem_core
#endif
