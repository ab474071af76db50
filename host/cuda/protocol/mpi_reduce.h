/* mpi_reduce.h - basic types of MPI and the predefined operations on them. libmpi combines values
 * of collective operations, the server those of accumulates at windows. */
#ifndef HEDDLE_CUDA_PROTOCOL_MPI_REDUCE_H
#define HEDDLE_CUDA_PROTOCOL_MPI_REDUCE_H

#include <stdbool.h>
#include <stddef.h>

enum mpi_basic {
#define MPI_BASIC(name, type, class) BASIC_##name,
#include "tables/mpi_types.def"
    NUM_BASICS
};

enum mpi_op_kind {
    OP_NULL,
    OP_MAX,
    OP_MIN,
    OP_SUM,
    OP_PROD,
    OP_LAND,
    OP_BAND,
    OP_LOR,
    OP_BOR,
    OP_LXOR,
    OP_BXOR,
    OP_MAXLOC,
    OP_MINLOC,
    OP_REPLACE,
    OP_NO_OP,
    OP_USER
};

/* Bytes of a value. */
size_t mpi_basic_size(enum mpi_basic basic);
/* Whether the operation is one of such values: all but MAXLOC and MINLOC. */
bool mpi_reduce_takes(enum mpi_op_kind op, enum mpi_basic basic);
/* inout = in op inout, for `count` values at any addresses. The operation must take them. */
void mpi_reduce_basic(enum mpi_op_kind op, enum mpi_basic basic, const void *in, void *inout,
                      size_t count);
/* -1, 0 or 1: how two values compare, which are no complex ones, bytes or truths. */
int mpi_reduce_compare(enum mpi_basic basic, const void *a, const void *b);

#endif
