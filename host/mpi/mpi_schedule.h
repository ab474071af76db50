/* mpi_schedule.h - a collective operation of one process, as a list of steps: sends, receives,
 * reductions, copies.
 *
 * Steps are carried out in the order in which they were added, sends and receives without waiting
 * for their end; mpi_schedule_round() makes what follows wait for all before it. A schedule
 * advances while the program is in a call that waits or tests, whatever for. */
#ifndef HEDDLE_MPI_MPI_SCHEDULE_H
#define HEDDLE_MPI_MPI_SCHEDULE_H

#include "mpi/mpi_internal.h"

/* For a collective call on the communicator, which takes its next tag. */
struct mpi_schedule *mpi_schedule_create(MPI_Comm comm);
void mpi_schedule_free(struct mpi_schedule *s);
/* Memory that lasts as long as the schedule. */
void *mpi_schedule_room(struct mpi_schedule *s, size_t bytes);
/* The same for `count` elements: the address of the first one. */
void *mpi_schedule_elements(struct mpi_schedule *s, size_t count, MPI_Datatype type);

/* Steps. Memory may be the device's, but that of a reduction. */
void mpi_schedule_send(struct mpi_schedule *s, const void *buffer, size_t count, MPI_Datatype type,
                       int rank);
void mpi_schedule_receive(struct mpi_schedule *s, void *buffer, size_t count, MPI_Datatype type,
                          int rank);
/* inout = in op inout */
void mpi_schedule_reduce(struct mpi_schedule *s, MPI_Op op, const void *in, void *inout,
                         size_t count, MPI_Datatype type);
void mpi_schedule_copy(struct mpi_schedule *s, const void *from, size_t from_count,
                       MPI_Datatype from_type, void *to, size_t to_count, MPI_Datatype to_type);
void mpi_schedule_round(struct mpi_schedule *s);

/* Begins the schedule for a call that does not wait (*request), or carries it out (request NULL).
 * @return an error class, which the error handler has seen. */
int mpi_schedule_run(const char *call, MPI_Comm comm, struct mpi_schedule *s, MPI_Request *request);

#endif
