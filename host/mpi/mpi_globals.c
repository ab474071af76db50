/* mpi_globals.c - the state of the process, and the predefined objects that all others refer to. */
#include "mpi/mpi_handles.h"

struct mpi_process mpi_process;

MPI_DEFINE(mpi_errhandler, ompi_mpi_errhandler_null, ROOM_ERRHANDLER, .kind = ERRORS_NULL)
MPI_DEFINE(mpi_errhandler, ompi_mpi_errors_are_fatal, ROOM_ERRHANDLER, .kind = ERRORS_FATAL)
MPI_DEFINE(mpi_errhandler, ompi_mpi_errors_return, ROOM_ERRHANDLER, .kind = ERRORS_RETURN)
/* The C++ library is built without exceptions: errors are fatal. */
MPI_DEFINE(mpi_errhandler, ompi_mpi_errors_throw_exceptions, ROOM_ERRHANDLER, .kind = ERRORS_FATAL)

MPI_DEFINE(mpi_comm, ompi_mpi_comm_world, ROOM_COMM, .predefined = true, .users = 1,
           .errhandler = MPI_ERRORS_ARE_FATAL, .name = "MPI_COMM_WORLD")
MPI_DEFINE(mpi_comm, ompi_mpi_comm_self, ROOM_COMM, .predefined = true, .users = 1,
           .errhandler = MPI_ERRORS_ARE_FATAL, .name = "MPI_COMM_SELF")
MPI_DEFINE(mpi_comm, ompi_mpi_comm_null, ROOM_COMM, .null = true, .predefined = true,
           .name = "MPI_COMM_NULL")
