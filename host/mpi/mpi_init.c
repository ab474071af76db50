/* mpi_init.c - begin and end of the process's part, and what it can ask about itself. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/shim/shim.h"
#include "mpi/mpi_internal.h"
#include "mpi/mpi_link.h"

/* Contexts of MPI_COMM_WORLD and MPI_COMM_SELF; each communicator has two. */
enum { CONTEXT_WORLD = 0, CONTEXT_SELF = 2, CONTEXT_FREE = 4 };

static void set_up(MPI_Comm comm, const char *name, int size, uint64_t context) {
    *comm = (struct mpi_comm){.group = mpi_group_create(size),
                              .context = context,
                              .size = size,
                              .predefined = true,
                              .users = 1,
                              .errhandler = comm->errhandler ? comm->errhandler
                                                             : MPI_ERRORS_ARE_FATAL};
    for (int i = 0; i < size; i++) comm->group->pe[i] = size > 1 ? i : mpi_process.rank;
    mpi_group_find_rank(comm->group);
    comm->rank = comm->group->rank;
    snprintf(comm->name, sizeof comm->name, "%s", name);
}

/* Connects to the simulator, and creates the two communicators. */
static int begin(const char *call, int required, int *provided) {
    if (mpi_process.begun)
        return mpi_fail(NULL, call, MPI_ERR_OTHER, "MPI has been initialized already");
    if (!mpi_link_begin(&mpi_process.rank, &mpi_process.size)) _exit(MPI_ERR_OTHER);
    mpi_process.begun = true;
    mpi_process.main_thread = pthread_self();
    mpi_process.provided = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED;
    mpi_process.next_context = CONTEXT_FREE;
    set_up(MPI_COMM_WORLD, "MPI_COMM_WORLD", mpi_process.size, CONTEXT_WORLD);
    set_up(MPI_COMM_SELF, "MPI_COMM_SELF", 1, CONTEXT_SELF);
    *provided = mpi_process.provided;
    if (mpi_process.rank == 0)
        shim_say("MPI calls of %s go to the simulator, %d PE%s", program_invocation_short_name,
                 mpi_process.size, mpi_process.size == 1 ? "" : "s");
    return MPI_SUCCESS;
}

MPI(int, Init, int *argc, char ***argv) {
    int provided;
    (void)argc, (void)argv;
    return begin(__func__, MPI_THREAD_SINGLE, &provided);
}

MPI(int, Init_thread, int *argc, char ***argv, int required, int *provided) {
    (void)argc, (void)argv;
    return begin(__func__, required, provided);
}

MPI(int, Initialized, int *flag) {
    *flag = mpi_process.begun;
    return MPI_SUCCESS;
}

MPI(int, Finalized, int *flag) {
    *flag = mpi_process.ended;
    return MPI_SUCCESS;
}

MPI(int, Query_thread, int *provided) {
    MPI_TRY(mpi_check_begun(__func__));
    *provided = mpi_process.provided;
    return MPI_SUCCESS;
}

MPI(int, Is_thread_main, int *flag) {
    MPI_TRY(mpi_check_begun(__func__));
    *flag = pthread_equal(pthread_self(), mpi_process.main_thread) != 0;
    return MPI_SUCCESS;
}

/* Attributes of MPI_COMM_SELF go first, as MPI says. */
MPI(int, Finalize, void) {
    MPI_TRY(mpi_check_begun(__func__));
    mpi_link_name(__func__);
    mpi_attributes_delete(MPI_COMM_SELF, &MPI_COMM_SELF->attributes);
    MPI_TRY(mpi_barrier(__func__, MPI_COMM_WORLD));
    mpi_process.ended = true;
    mpi_link_end();
    return MPI_SUCCESS;
}

MPI(int, Abort, MPI_Comm comm, int error) {
    (void)comm;
    fflush(NULL);
    shim_say("error: PE %d: MPI_Abort() with error code %d", mpi_process.rank, error);
    _exit((error & 255) ? error : 1);
}

MPI(double, Wtime, void) {
    uint64_t ps = 0;
    mpi_link_count(__func__);
    if (!mpi_process.begun || mpi_process.ended) {
        mpi_fail(NULL, __func__, MPI_ERR_OTHER,
                 "there is no target time before MPI_Init() and after MPI_Finalize()");
        return 0;
    }
    if (!mpi_link_clock(&ps)) mpi_fail(NULL, __func__, MPI_ERR_OTHER, "the simulator is gone");
    return (double)ps * 1e-12;
}

/* The resolution of MPI_Wtime(): 1 ns, as its double has for hours of target time. */
MPI(double, Wtick, void) {
    return 1e-9;
}

MPI(int, Get_processor_name, char *name, int *length) {
    MPI_TRY(mpi_check_begun(__func__));
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%d", mpi_process.rank);
    return MPI_SUCCESS;
}

MPI(int, Get_version, int *version, int *subversion) {
    *version = 3;
    *subversion = 1;
    return MPI_SUCCESS;
}

MPI(int, Get_library_version, char *version, int *length) {
    *length = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING,
                       "Heddle " HEDDLE_VERSION ", with the interface of Open MPI 4.1");
    return MPI_SUCCESS;
}

MPI(int, Pcontrol, const int level, ...) {
    (void)level;
    return MPI_SUCCESS;
}

/* ---- memory */

MPI(int, Alloc_mem, MPI_Aint bytes, MPI_Info info, void *out) {
    (void)info;
    void *p = NULL;
    if (bytes < 0 || posix_memalign(&p, 64, bytes ? (size_t)bytes : 1) != 0)
        return mpi_fail(NULL, __func__, MPI_ERR_NO_MEM, "no memory for %td bytes", bytes);
    memcpy(out, &p, sizeof p);
    return MPI_SUCCESS;
}

MPI(int, Free_mem, void *p) {
    free(p);
    return MPI_SUCCESS;
}

/* Device memory is legal in every call. */
MPI_SHARED int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void) {
    return 1;
}
