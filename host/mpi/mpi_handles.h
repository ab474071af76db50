/* mpi_handles.h - the predefined objects, with the names of Open MPI's globals. */
#ifndef HEDDLE_MPI_MPI_HANDLES_H
#define HEDDLE_MPI_MPI_HANDLES_H

#include "mpi/mpi_object.h"
#include "mpi/mpi_window.h"

#define MPI_NAMED(symbol, name, basic) MPI_GLOBAL(mpi_type, symbol, ROOM_TYPE)
#define MPI_PAIR(symbol, name, first, second) MPI_GLOBAL(mpi_type, symbol, ROOM_TYPE)
#define MPI_ABSENT(symbol, name) MPI_GLOBAL(mpi_type, symbol, ROOM_TYPE)
#include "tables/mpi_types.def"
MPI_GLOBAL(mpi_comm, ompi_mpi_comm_world, ROOM_COMM)
MPI_GLOBAL(mpi_comm, ompi_mpi_comm_self, ROOM_COMM)
MPI_GLOBAL(mpi_comm, ompi_mpi_comm_null, ROOM_COMM)
MPI_GLOBAL(mpi_group, ompi_mpi_group_empty, ROOM_GROUP)
MPI_GLOBAL(mpi_group, ompi_mpi_group_null, ROOM_GROUP)
MPI_GLOBAL(mpi_request, ompi_request_null, ROOM_REQUEST)
MPI_GLOBAL(mpi_message, ompi_message_null, ROOM_REQUEST)
MPI_GLOBAL(mpi_message, ompi_message_no_proc, ROOM_REQUEST)
MPI_GLOBAL(mpi_errhandler, ompi_mpi_errhandler_null, ROOM_ERRHANDLER)
MPI_GLOBAL(mpi_errhandler, ompi_mpi_errors_are_fatal, ROOM_ERRHANDLER)
MPI_GLOBAL(mpi_errhandler, ompi_mpi_errors_return, ROOM_ERRHANDLER)
MPI_GLOBAL(mpi_errhandler, ompi_mpi_errors_throw_exceptions, ROOM_ERRHANDLER)
MPI_GLOBAL(mpi_info, ompi_mpi_info_null, ROOM_INFO)
MPI_GLOBAL(mpi_info, ompi_mpi_info_env, ROOM_INFO)
MPI_GLOBAL(mpi_win, ompi_mpi_win_null, ROOM_WIN)
MPI_GLOBAL(mpi_file, ompi_mpi_file_null, ROOM_FILE)

#define MPI_OPS(X)      \
    X(null, NULL)       \
    X(max, MAX)         \
    X(min, MIN)         \
    X(sum, SUM)         \
    X(prod, PROD)       \
    X(land, LAND)       \
    X(band, BAND)       \
    X(lor, LOR)         \
    X(bor, BOR)         \
    X(lxor, LXOR)       \
    X(bxor, BXOR)       \
    X(maxloc, MAXLOC)   \
    X(minloc, MINLOC)   \
    X(replace, REPLACE) \
    X(no_op, NO_OP)
#define MPI_OP_DECLARATION(symbol, kind) MPI_GLOBAL(mpi_op, ompi_mpi_op_##symbol, ROOM_OP)
MPI_OPS(MPI_OP_DECLARATION)

#define MPI_COMM_WORLD (&ompi_mpi_comm_world.of)
#define MPI_COMM_SELF (&ompi_mpi_comm_self.of)
#define MPI_COMM_NULL (&ompi_mpi_comm_null.of)
#define MPI_GROUP_EMPTY (&ompi_mpi_group_empty.of)
#define MPI_GROUP_NULL (&ompi_mpi_group_null.of)
#define MPI_REQUEST_NULL (&ompi_request_null.of)
#define MPI_MESSAGE_NULL (&ompi_message_null.of)
#define MPI_MESSAGE_NO_PROC (&ompi_message_no_proc.of)
#define MPI_ERRHANDLER_NULL (&ompi_mpi_errhandler_null.of)
#define MPI_ERRORS_ARE_FATAL (&ompi_mpi_errors_are_fatal.of)
#define MPI_ERRORS_RETURN (&ompi_mpi_errors_return.of)
#define MPI_INFO_NULL (&ompi_mpi_info_null.of)
#define MPI_INFO_ENV (&ompi_mpi_info_env.of)
#define MPI_FILE_NULL (&ompi_mpi_file_null.of)
#define MPI_WIN_NULL (&ompi_mpi_win_null.of)
#define MPI_OP_NULL (&ompi_mpi_op_null.of)
#define MPI_DATATYPE_NULL (&ompi_mpi_datatype_null.of)
#define MPI_BYTE (&ompi_mpi_byte.of)
#define MPI_INT (&ompi_mpi_int.of)
#define MPI_UINT64_T (&ompi_mpi_uint64_t.of)

#endif
