/* mpi_comm_object.c - the objects behind communicators and topologies: made, shared, freed. */
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_internal.h"

MPI_Comm mpi_comm_create(MPI_Group group, uint64_t context, MPI_Comm like) {
    MPI_Comm c = mpi_alloc(sizeof *c);
    *c = (struct mpi_comm){.group = mpi_group_hold(group),
                           .context = context,
                           .rank = group->rank,
                           .size = group->size,
                           .users = 1,
                           .errhandler = mpi_errhandler_hold(like->errhandler)};
    return c;
}

MPI_Comm mpi_comm_hold(MPI_Comm comm) {
    comm->users++;
    return comm;
}

void mpi_comm_release(MPI_Comm comm) {
    if (--comm->users || comm->predefined) return;
    mpi_group_release(comm->group);
    mpi_errhandler_release(comm->errhandler);
    mpi_info_discard(comm->info);
    if (comm->cart) free(comm->cart->dims);
    free(comm->cart);
    free(comm);
}

struct mpi_cart *mpi_cart_create(int ndims) {
    struct mpi_cart *c = mpi_alloc(sizeof *c);
    c->ndims = ndims;
    c->dims = mpi_alloc(3 * (size_t)ndims * sizeof *c->dims);
    c->periods = c->dims + ndims;
    c->coords = c->periods + ndims;
    return c;
}

struct mpi_cart *mpi_cart_copy(const struct mpi_cart *cart) {
    struct mpi_cart *c = mpi_cart_create(cart->ndims);
    memcpy(c->dims, cart->dims, 3 * (size_t)cart->ndims * sizeof *c->dims);
    return c;
}
