/* mpi_window.h - the object behind a window (mpi_window.c, mpi_remote_access.c). */
#ifndef HEDDLE_MPI_MPI_WINDOW_H
#define HEDDLE_MPI_MPI_WINDOW_H

#include "mpi/mpi_object.h"

/* What each process knows of the memory of a member. */
struct mpi_win_part {
    uint64_t base, bytes, unit; /* address there, length, displacement unit */
};

struct mpi_win {
    MPI_Comm comm; /* of its own: its context names the window */
    bool null;
    int flavor, model, unit;
    MPI_Aint bytes;
    struct mpi_win_part *part;   /* of each rank */
    void *allocated;             /* memory that the library frees, or NULL */
    MPI_Group exposed, accessed; /* MPI_Win_post(), MPI_Win_start(); NULL: none */
    MPI_Request *closing;        /* of the members of `exposed`: what tells their end */
    MPI_Errhandler errhandler;
    struct mpi_attribute *attributes;
    MPI_Info info;
    char name[MPI_MAX_OBJECT_NAME];
};

/* @return MPI_SUCCESS, or the error that its handler has seen. */
int mpi_win_check(const char *call, MPI_Win win);

#endif
