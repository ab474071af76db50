/* mpi_cxx.c - what Open MPI's C++ library, libmpi_cxx.so.40, needs of libmpi.so.40 beside functions
 * of MPI. It is Open MPI's own, loaded on top of this library; C++ programs of mpicxx need it. */
#include "mpi/mpi_internal.h"

/* The C++ library makes an operation of a function of its own, which gets the program's one. */
MPI_SHARED void ompi_op_set_cxx_callback(MPI_Op op, MPI_User_function *inner);
void ompi_op_set_cxx_callback(MPI_Op op, MPI_User_function *inner) {
    op->inner = inner;
}

/* Tables of Open MPI's internal error codes and of data representations of files: there are
 * none. */
enum { BYTES_OF_ARRAY = 120, BYTES_OF_LIST = 64 };
MPI_SHARED int ompi_errcode_intern_lastused;
MPI_SHARED char ompi_errcodes_intern[BYTES_OF_ARRAY] __attribute__((aligned(8)));
MPI_SHARED char ompi_registered_datareps[BYTES_OF_LIST] __attribute__((aligned(8)));

/* Functions of the C++ library that are not supported: keys of attributes, and error handlers. */
#define REFUSE(name, call)             \
    MPI_SHARED int name(void);         \
    int name(void) {                   \
        return mpi_refuse(call, true); \
    }
REFUSE(ompi_attr_create_keyval, "MPI::Create_keyval")
REFUSE(ompi_errhandler_create, "MPI::Create_errhandler")
REFUSE(ompi_errhandler_invoke, "MPI::Call_errhandler")
