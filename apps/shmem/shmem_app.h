// Shared by the programs of apps/shmem, which have a PE on each node: heddle run --nodes N.
#ifndef HEDDLE_APPS_SHMEM_APP_H
#define HEDDLE_APPS_SHMEM_APP_H

#include <cuda_runtime.h>
#include <heddle_host.h>
#include <heddle_shmem.h>
#include <nvshmem.h>
#include <nvshmemx.h>

#include "../common/app.h"

#include <utility>
#include <vector>

// The device's time in ns.
__device__ static inline unsigned long long app_now() {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

// Begins; fewer PEs than `least` are an error. @return this PE's number.
static inline int app_begin_pe(int least) {
    nvshmem_init();
    if (nvshmem_n_pes() < least) {
        app_fail("%d PEs, and it takes %d: heddle run --nodes %d", nvshmem_n_pes(), least, least);
        exit(1);
    }
    return nvshmem_my_pe();
}

// Symmetric memory filled with zeros.
template <class T> static inline T *app_symmetric(size_t count) {
    T *p = (T *)nvshmem_calloc(count, sizeof(T));
    if (!p) {
        app_fail("the symmetric heap has no room for %zu bytes (NVSHMEM_SYMMETRIC_SIZE)",
                 count * sizeof(T));
        exit(1);
    }
    return p;
}

// PE 0 says that the program ends, the others only if they have failed, which `error` tells.
static inline int app_end(int pe, const char *error, const char *result) {
    if (error) return app_fail("PE %d: %s", pe, error);
    return pe ? 0 : app_pass("%s", result);
}

// All PEs end, as app_end() says.
static inline int app_end_pe(const char *error, const char *result) {
    const int pe = nvshmem_my_pe();
    nvshmem_barrier_all();
    nvshmem_finalize();
    return app_end(pe, error, result);
}

#endif
