/* mpi_fortran.c - handles as Fortran's integers and back, which C programs also use to pass handles
 * around. Each handle gets a number when it is first asked for. */
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_internal.h"

/* Handles by number; NULL: free. */
static struct {
    void **handle;
    int count, room;
} numbers;

static MPI_Fint number_of(void *handle) {
    for (int i = 0; i < numbers.count; i++)
        if (numbers.handle[i] == handle) return i;
    if (numbers.count == numbers.room) {
        numbers.room = numbers.room ? 2 * numbers.room : 64;
        void **more = mpi_alloc((size_t)numbers.room * sizeof *more);
        if (numbers.count) memcpy(more, numbers.handle, (size_t)numbers.count * sizeof *more);
        free(numbers.handle);
        numbers.handle = more;
    }
    numbers.handle[numbers.count] = handle;
    return numbers.count++;
}

static void *handle_of(MPI_Fint number, void *null) {
    return number >= 0 && number < numbers.count ? numbers.handle[number] : null;
}

#define CONVERSIONS(kind, type, null)        \
    MPI(MPI_Fint, kind##_c2f, type handle) { \
        return number_of(handle);            \
    }                                        \
    MPI(type, kind##_f2c, MPI_Fint number) { \
        return handle_of(number, null);      \
    }
CONVERSIONS(Comm, MPI_Comm, MPI_COMM_NULL)
CONVERSIONS(Errhandler, MPI_Errhandler, MPI_ERRHANDLER_NULL)
CONVERSIONS(File, MPI_File, MPI_FILE_NULL)
CONVERSIONS(Group, MPI_Group, MPI_GROUP_NULL)
CONVERSIONS(Info, MPI_Info, MPI_INFO_NULL)
CONVERSIONS(Message, MPI_Message, MPI_MESSAGE_NULL)
CONVERSIONS(Op, MPI_Op, MPI_OP_NULL)
CONVERSIONS(Request, MPI_Request, MPI_REQUEST_NULL)
CONVERSIONS(Type, MPI_Datatype, MPI_DATATYPE_NULL)
CONVERSIONS(Win, MPI_Win, MPI_WIN_NULL)

MPI_DEFINE(mpi_file, ompi_mpi_file_null, ROOM_FILE, .null = true)

/* A status in Fortran is as many integers as in C it has words. */
MPI(int, Status_c2f, const MPI_Status *c, MPI_Fint *f) {
    memcpy(f, c, sizeof *c);
    return MPI_SUCCESS;
}

MPI(int, Status_f2c, const MPI_Fint *f, MPI_Status *c) {
    memcpy(c, f, sizeof *c);
    return MPI_SUCCESS;
}

/* What Open MPI's C++ library and some programs refer to, beside handles. */
MPI_SHARED extern MPI_Fint *MPI_F_STATUS_IGNORE, *MPI_F_STATUSES_IGNORE;
MPI_Fint *MPI_F_STATUS_IGNORE, *MPI_F_STATUSES_IGNORE;
