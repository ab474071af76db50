/* mpi_collective.h - what the files of collective operations share. Each operation is a function
 * that adds its steps to a schedule; MPI_BOTH() makes the two calls of it. */
#ifndef HEDDLE_MPI_MPI_COLLECTIVE_H
#define HEDDLE_MPI_MPI_COLLECTIVE_H

#include "mpi/mpi_link.h"
#include "mpi/mpi_schedule.h"

/* Element `i` of a buffer. */
static inline void *mpi_element(const void *buffer, size_t i, MPI_Datatype type) {
    return (char *)(uintptr_t)buffer + (MPI_Aint)i * type->extent;
}

/* Counts a collective call, and checks its communicator. */
static inline int mpi_check_collective(const char *call, MPI_Comm comm) {
    mpi_link_count(call);
    return mpi_check_comm(call, comm);
}

#define MPI_STRIP(...) __VA_ARGS__
/* The call `name`, which waits, and I`lower`, which does not, of `build`, which gets the call's
 * name, a schedule on the communicator `comm`, and the arguments. */
#define MPI_BOTH(name, lower, build, parameters, arguments)              \
    MPI(int, name, MPI_STRIP parameters) {                               \
        MPI_TRY(mpi_check_collective(__func__, comm));                   \
        struct mpi_schedule *s = mpi_schedule_create(comm);              \
        const int error = build(__func__, s, MPI_STRIP arguments);       \
        if (!error) return mpi_schedule_run(__func__, comm, s, NULL);    \
        mpi_schedule_free(s);                                            \
        return error;                                                    \
    }                                                                    \
    MPI(int, I##lower, MPI_STRIP parameters, MPI_Request *request) {     \
        MPI_TRY(mpi_check_collective(__func__, comm));                   \
        struct mpi_schedule *s = mpi_schedule_create(comm);              \
        const int error = build(__func__, s, MPI_STRIP arguments);       \
        if (!error) return mpi_schedule_run(__func__, comm, s, request); \
        mpi_schedule_free(s);                                            \
        return error;                                                    \
    }

/* Parts of operations that others are made of. */
void mpi_build_bcast(struct mpi_schedule *s, MPI_Comm comm, void *buffer, size_t count,
                     MPI_Datatype type, int root);
/* Every process has its block in all[rank * count]; all get all. */
void mpi_build_allgather(struct mpi_schedule *s, MPI_Comm comm, void *all, size_t count,
                         MPI_Datatype type);
/* acc: this process's values, and the result at the end. Host memory. */
void mpi_build_allreduce(struct mpi_schedule *s, MPI_Comm comm, void *acc, size_t count,
                         MPI_Datatype type, MPI_Op op);

#endif
