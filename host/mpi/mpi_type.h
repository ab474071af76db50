/* mpi_type.h - how datatypes are put together, for mpi_type.c and mpi_type_make.c. */
#ifndef HEDDLE_MPI_MPI_TYPE_H
#define HEDDLE_MPI_MPI_TYPE_H

#include "mpi/mpi_internal.h"

/* Runs that are being collected, in the order of the type map; starts as zeros. */
struct mpi_runs {
    struct mpi_run *run;
    size_t count, room;
};

/* Adds `count` elements, the first of which begins at `offset`. Joins runs that follow each
 * other. */
void mpi_runs_add(struct mpi_runs *r, MPI_Aint offset, MPI_Datatype type, size_t count);
/* A datatype of these runs, which it owns from now on. */
MPI_Datatype mpi_type_of_runs(struct mpi_runs *r, MPI_Aint lb, MPI_Aint extent);

#endif
