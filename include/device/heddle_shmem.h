// OpenSHMEM for kernels and hosts, in Heddle's own names: heddle_shmem_int_put() by a thread,
// heddle_shmem_int_put_warp() by a warp, heddle_shmem_int_put_wg() by a CTA. docs/shmem.md has the
// list. nvshmem.h has NVSHMEM's names of the same.
#ifndef HEDDLE_DEVICE_SHMEM_H
#define HEDDLE_DEVICE_SHMEM_H

#include "heddle_shmem_calls.h"

#define SHMEM_T(name) heddle_shmem_##name
#define SHMEM_E(name) heddle_shmem_##name
#define SHMEM_W(name) heddle_shmem_##name##_warp
#define SHMEM_B(name) heddle_shmem_##name##_wg
#define SHMEM_C(name) HEDDLE_SHMEM_##name
#define SHMEM_TYPES(LIST, X, A) LIST(X, A)
#define SHMEM_MORE_NAMES "heddle_shmem_names_context.def"
#include "heddle_shmem_names.def"

#endif
