// Calls of NVSHMEM's host side that OpenSHMEM does not have: ways to begin, modules, buffers.
// nvshmem.h includes this file.
//
// `heddle run --nodes N` starts a program on each node, so the PEs are there before any of these
// calls. A program may name them by MPI's communicator or by a unique number as well: that is
// checked, and changes nothing.
#ifndef HEDDLE_DEVICE_NVSHMEM_SETUP_H
#define HEDDLE_DEVICE_NVSHMEM_SETUP_H

enum nvshmemx_status {
    NVSHMEMX_SUCCESS = 0,
    NVSHMEMX_ERROR_INVALID_VALUE,
    NVSHMEMX_ERROR_OUT_OF_MEMORY,
    NVSHMEMX_ERROR_NOT_SUPPORTED,
    NVSHMEMX_ERROR_SYMMETRY,
    NVSHMEMX_ERROR_GPU_NOT_SELECTED,
    NVSHMEMX_ERROR_COLLECTIVE_LAUNCH_FAILED,
    NVSHMEMX_ERROR_INTERNAL,
    NVSHMEMX_ERROR_SENTINEL = INT_MAX,
};

// What NVIDIA's own programs print their errors with: printf's arguments.
#define NVSHMEMI_ERROR_PRINT(...) \
    ::heddle_shmem_core::host_print_error(__FILE__, __LINE__, __func__, __VA_ARGS__)
#define NVSHMEMI_ERROR_EXIT(...) (NVSHMEMI_ERROR_PRINT(__VA_ARGS__), exit(-1))

// ---- ways to begin

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
    int version;
    char internal[124];
} nvshmemx_uniqueid_t;
typedef struct {
    int version;
    nvshmemx_uniqueid_t *id;
    int myrank;
    int nranks;
} nvshmemx_uniqueid_args_t;
typedef struct {
    int version;
    nvshmemx_uniqueid_args_t uid_args;
} nvshmemx_init_args_t;
typedef struct {
    int version;
    void *mpi_comm; // to an MPI_Comm
    nvshmemx_init_args_t args;
} nvshmemx_init_attr_t;
#define NVSHMEMX_INIT_ATTR_INITIALIZER \
    {}
#define NVSHMEMX_UNIQUEID_INITIALIZER \
    {}

namespace heddle_shmem_core {
inline void host_print_error(const char *file, int line, const char *function, const char *format,
                             ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: %s: ", file, line, function);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
}

static const char UNIQUE_NUMBER[] = "heddle run --nodes";

// The program's view of its PE must be that of `heddle run`.
inline void host_check_place(const char *call, const char *where, int rank, int ranks) {
    const host_state &h = host_ready(call);
    if (rank != h.pe || ranks != h.num_pes)
        host_refuse("%s: rank %d of %d %s, but PE %d of %d: all PEs begin together, in the order "
                    "of their nodes",
                    call, rank, ranks, where, h.pe, h.num_pes);
}
// The place in a communicator, by the MPI that the program has loaded. MPI_Comm is an address.
inline void host_check_communicator(const char *call, const void *communicator) {
    typedef int (*question)(void *, int *);
    const question rank_of = (question)dlsym(RTLD_DEFAULT, "MPI_Comm_rank");
    const question size_of = (question)dlsym(RTLD_DEFAULT, "MPI_Comm_size");
    if (!communicator) host_refuse("%s: NVSHMEMX_INIT_WITH_MPI_COMM without mpi_comm", call);
    if (!rank_of || !size_of)
        host_refuse("%s: NVSHMEMX_INIT_WITH_MPI_COMM, but the program has no MPI", call);
    void *const handle = *(void *const *)communicator;
    int rank, ranks;
    if (rank_of(handle, &rank) || size_of(handle, &ranks))
        host_refuse("%s: NVSHMEMX_INIT_WITH_MPI_COMM: wrong communicator", call);
    host_check_place(call, "in the communicator", rank, ranks);
}
inline void host_check_number(const char *call, const nvshmemx_uniqueid_args_t *number) {
    if (!number->id || strcmp(number->id->internal, UNIQUE_NUMBER))
        host_refuse("%s: NVSHMEMX_INIT_WITH_UNIQUEID without a number of nvshmemx_get_uniqueid()",
                    call);
    host_check_place(call, "with the unique number", number->myrank, number->nranks);
}
inline int host_init_attributes(const char *call, unsigned flags,
                                const nvshmemx_init_attr_t *attributes) {
    if (flags & NVSHMEMX_INIT_THREAD_PES)
        host_refuse("%s: NVSHMEMX_INIT_THREAD_PES is not supported: a PE is a program", call);
    if (flags & NVSHMEMX_INIT_WITH_SHMEM)
        host_refuse("%s: NVSHMEMX_INIT_WITH_SHMEM is not supported: there is no OpenSHMEM for "
                    "hosts under `heddle run`",
                    call);
    if (flags & ~(NVSHMEMX_INIT_WITH_MPI_COMM | NVSHMEMX_INIT_WITH_UNIQUEID))
        host_refuse("%s: unknown flags 0x%x", call, flags);
    if (flags && !attributes) host_refuse("%s: no attributes", call);
    host_init(call);
    if (flags & NVSHMEMX_INIT_WITH_MPI_COMM) host_check_communicator(call, attributes->mpi_comm);
    if (flags & NVSHMEMX_INIT_WITH_UNIQUEID) host_check_number(call, &attributes->args.uid_args);
    return 0;
}
} // namespace heddle_shmem_core

inline int nvshmemx_init_attr(unsigned flags, nvshmemx_init_attr_t *attributes) {
    return heddle_shmem_core::host_init_attributes("nvshmemx_init_attr", flags, attributes);
}
inline int nvshmemx_hostlib_init_attr(unsigned flags, nvshmemx_init_attr_t *attributes) {
    return heddle_shmem_core::host_init_attributes("nvshmemx_hostlib_init_attr", flags, attributes);
}
inline void nvshmemx_hostlib_finalize() {
    heddle_shmem_core::host_finalize("nvshmemx_hostlib_finalize");
}
inline int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t *id) {
    *id = {};
    strcpy(id->internal, heddle_shmem_core::UNIQUE_NUMBER);
    return 0;
}
inline int nvshmemx_set_attr_uniqueid_args(int rank, int ranks, const nvshmemx_uniqueid_t *id,
                                           nvshmemx_init_attr_t *attributes) {
    attributes->args.uid_args = {0, const_cast<nvshmemx_uniqueid_t *>(id), rank, ranks};
    return 0;
}
inline int nvshmemx_set_attr_mpi_comm_args(void *communicator, nvshmemx_init_attr_t *attributes) {
    attributes->mpi_comm = communicator;
    return 0;
}
inline int nvshmemx_init_status() {
    return heddle_shmem_core::host().num_pes ? NVSHMEM_STATUS_IS_INITIALIZED
                                             : NVSHMEM_STATUS_NOT_INITIALIZED;
}

// ---- modules of the driver API and libraries: the simulator tells each kernel its PE, so a module
// needs nothing to make calls.

inline int nvshmemx_cumodule_init(CUmodule) {
    heddle_shmem_core::host_ready("nvshmemx_cumodule_init");
    return 0;
}
inline int nvshmemx_cumodule_finalize(CUmodule) {
    heddle_shmem_core::host_ready("nvshmemx_cumodule_finalize");
    return 0;
}
template <class LIBRARY> inline int nvshmemx_culibrary_init(LIBRARY) {
    heddle_shmem_core::host_ready("nvshmemx_culibrary_init");
    return 0;
}
template <class LIBRARY> inline int nvshmemx_culibrary_finalize(LIBRARY) {
    heddle_shmem_core::host_ready("nvshmemx_culibrary_finalize");
    return 0;
}

// ---- buffers outside the symmetric heap: the NIC reads and writes all of its GPU's memory, so the
// local side of a put or get may lie anywhere, and registration has nothing to do.

inline int nvshmemx_buffer_register(void *, size_t) {
    heddle_shmem_core::host_ready("nvshmemx_buffer_register");
    return 0;
}
inline int nvshmemx_buffer_unregister(void *) {
    heddle_shmem_core::host_ready("nvshmemx_buffer_unregister");
    return 0;
}
inline void nvshmemx_buffer_unregister_all() {
    heddle_shmem_core::host_ready("nvshmemx_buffer_unregister_all");
}
// The heap has its own memory: the program's cannot become a part of it.
inline void *nvshmemx_buffer_register_symmetric(void *, size_t, int) {
    heddle_shmem_core::host_refuse("nvshmemx_buffer_register_symmetric: not supported: memory for "
                                   "other PEs comes from nvshmem_malloc()");
}
inline int nvshmemx_buffer_unregister_symmetric(void *, size_t) {
    heddle_shmem_core::host_refuse(
        "nvshmemx_buffer_unregister_symmetric: not supported: memory for other PEs comes from "
        "nvshmem_malloc()");
}

#endif
