/* mpi_abi.h - the binary interface of Open MPI 4.1, as far as programs are compiled against it:
 * handles, structures and constants of MPI 3.1.
 *
 * A handle is a pointer to an object of the library. The handles of predefined objects are the
 * addresses of global symbols (mpi_handles.h). */
#ifndef HEDDLE_MPI_MPI_ABI_H
#define HEDDLE_MPI_MPI_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef ptrdiff_t MPI_Aint;
typedef long long MPI_Offset, MPI_Count;
typedef int MPI_Fint;
typedef struct mpi_comm *MPI_Comm;
typedef struct mpi_type *MPI_Datatype;
typedef struct mpi_errhandler *MPI_Errhandler;
typedef struct mpi_file *MPI_File;
typedef struct mpi_group *MPI_Group;
typedef struct mpi_info *MPI_Info;
typedef struct mpi_message *MPI_Message;
typedef struct mpi_op *MPI_Op;
typedef struct mpi_request *MPI_Request;
typedef struct mpi_win *MPI_Win;

typedef struct {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR;
    int cancelled;
    size_t bytes;
} MPI_Status;

typedef void MPI_User_function(void *in, void *inout, int *count, MPI_Datatype *type);
typedef void MPI_Comm_errhandler_function(MPI_Comm *comm, int *error, ...);
typedef void MPI_Win_errhandler_function(MPI_Win *win, int *error, ...);
/* Of communicators, datatypes and windows alike: the object is a handle. */
typedef int mpi_copy_attribute(void *object, int key, void *extra, void *in, void *out, int *flag);
typedef int mpi_delete_attribute(void *object, int key, void *value, void *extra);

#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_BOTTOM ((void *)0)
#define MPI_IN_PLACE ((void *)1)

enum {
    MPI_ANY_SOURCE = -1,
    MPI_PROC_NULL = -2,
    MPI_ANY_TAG = -1,
    MPI_UNDEFINED = -32766,
    MPI_KEYVAL_INVALID = -1,
    MPI_MAX_PROCESSOR_NAME = 256,
    MPI_MAX_LIBRARY_VERSION_STRING = 256,
    MPI_MAX_ERROR_STRING = 256,
    MPI_MAX_OBJECT_NAME = 64,
    MPI_MAX_INFO_KEY = 36,
    MPI_MAX_INFO_VAL = 256,
    MPI_BSEND_OVERHEAD = 128,
    MPI_ORDER_C = 0,
    MPI_ORDER_FORTRAN = 1,
    MPI_CART = 1,
    MPI_LOCK_EXCLUSIVE = 1,
    MPI_LOCK_SHARED = 2,
    MPI_WIN_FLAVOR_CREATE = 1,
    MPI_WIN_FLAVOR_ALLOCATE = 2,
    MPI_WIN_FLAVOR_SHARED = 4,
    MPI_WIN_UNIFIED = 0,
    MPI_TYPECLASS_INTEGER = 1,
    MPI_TYPECLASS_REAL = 2,
    MPI_TYPECLASS_COMPLEX = 3,
};

enum { MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR, MPI_UNEQUAL };
enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
enum { MPI_COMM_TYPE_SHARED };

/* Keys of predefined attributes. */
enum {
    MPI_TAG_UB,
    MPI_HOST,
    MPI_IO,
    MPI_WTIME_IS_GLOBAL,
    MPI_APPNUM,
    MPI_LASTUSEDCODE,
    MPI_UNIVERSE_SIZE,
    MPI_WIN_BASE,
    MPI_WIN_SIZE,
    MPI_WIN_DISP_UNIT,
    MPI_WIN_CREATE_FLAVOR,
    MPI_WIN_MODEL,
    MPI_FIRST_KEY = 16, /* of the program's own */
};

/* How a datatype was made. */
enum {
    MPI_COMBINER_NAMED = 0,
    MPI_COMBINER_DUP = 1,
    MPI_COMBINER_CONTIGUOUS = 2,
    MPI_COMBINER_VECTOR = 3,
    MPI_COMBINER_HVECTOR = 5,
    MPI_COMBINER_INDEXED = 6,
    MPI_COMBINER_HINDEXED = 8,
    MPI_COMBINER_INDEXED_BLOCK = 9,
    MPI_COMBINER_STRUCT = 11,
    MPI_COMBINER_SUBARRAY = 12,
    MPI_COMBINER_RESIZED = 17,
    MPI_COMBINER_HINDEXED_BLOCK = 18,
};

enum {
    MPI_SUCCESS,
#define MPI_ERROR(name, number, text) name = number,
#include "tables/mpi_errors.def"
    MPI_ERR_LASTCODE = 92,
};

#endif
