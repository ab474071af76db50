/* mpi_cart.c - Cartesian topologies. Ranks keep the order of the old communicator; the last
 * dimension varies fastest. */
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_internal.h"

static int check_cart(const char *call, MPI_Comm comm) {
    MPI_TRY(mpi_check_comm(call, comm));
    if (comm->cart) return MPI_SUCCESS;
    return mpi_fail(comm, call, MPI_ERR_TOPOLOGY, "the communicator has no Cartesian topology");
}

static void find_coords(const struct mpi_cart *c, int rank, int *coords) {
    for (int i = c->ndims - 1; i >= 0; i--) {
        coords[i] = rank % c->dims[i];
        rank /= c->dims[i];
    }
}

/* The product of the dimensions; each must be positive. */
static int count_places(const char *call, MPI_Comm comm, int ndims, const int *dims, int *count) {
    long long n = 1;
    if (ndims < 0) return mpi_fail(comm, call, MPI_ERR_DIMS, "%d dimensions", ndims);
    for (int i = 0; i < ndims; i++) {
        if (dims[i] < 1)
            return mpi_fail(comm, call, MPI_ERR_DIMS, "dimension %d is %d", i, dims[i]);
        n *= dims[i];
        if (n > comm->size)
            return mpi_fail(comm, call, MPI_ERR_DIMS,
                            "the topology has more places than the communicator, which has %d",
                            comm->size);
    }
    *count = (int)n;
    return MPI_SUCCESS;
}

MPI(int, Cart_create, MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
    MPI_Comm *out) {
    int places;
    uint64_t context;
    (void)reorder;
    MPI_TRY(mpi_check_comm(__func__, comm));
    MPI_TRY(count_places(__func__, comm, ndims, dims, &places));
    MPI_TRY(mpi_comm_next_context(__func__, comm, &context));
    *out = MPI_COMM_NULL;
    if (comm->rank >= places) return MPI_SUCCESS;
    MPI_Group group = mpi_group_create(places);
    for (int i = 0; i < places; i++) group->pe[i] = mpi_comm_pe(comm, i);
    mpi_group_find_rank(group);
    *out = mpi_comm_create(group, context, comm);
    mpi_group_release(group);
    struct mpi_cart *c = (*out)->cart = mpi_cart_create(ndims);
    for (int i = 0; i < ndims; i++) {
        c->dims[i] = dims[i];
        c->periods[i] = periods[i] != 0;
    }
    find_coords(c, (*out)->rank, c->coords);
    return MPI_SUCCESS;
}

MPI(int, Cart_map, MPI_Comm comm, int ndims, const int dims[], const int periods[], int *rank) {
    int places;
    (void)periods;
    MPI_TRY(mpi_check_comm(__func__, comm));
    MPI_TRY(count_places(__func__, comm, ndims, dims, &places));
    *rank = comm->rank < places ? comm->rank : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

MPI(int, Topo_test, MPI_Comm comm, int *kind) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    *kind = comm->cart ? MPI_CART : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

MPI(int, Cartdim_get, MPI_Comm comm, int *ndims) {
    MPI_TRY(check_cart(__func__, comm));
    *ndims = comm->cart->ndims;
    return MPI_SUCCESS;
}

MPI(int, Cart_get, MPI_Comm comm, int most, int dims[], int periods[], int coords[]) {
    MPI_TRY(check_cart(__func__, comm));
    for (int i = 0; i < comm->cart->ndims && i < most; i++) {
        dims[i] = comm->cart->dims[i];
        periods[i] = comm->cart->periods[i];
        coords[i] = comm->cart->coords[i];
    }
    return MPI_SUCCESS;
}

/* The rank at the coordinates; those of periodic dimensions may lie outside. */
static int find_rank(const char *call, MPI_Comm comm, const int *coords, int *rank) {
    const struct mpi_cart *c = comm->cart;
    *rank = 0;
    for (int i = 0; i < c->ndims; i++) {
        const int n = c->dims[i], at = (coords[i] % n + n) % n;
        if (at != coords[i] && !c->periods[i])
            return mpi_fail(comm, call, MPI_ERR_ARG, "coordinate %d is %d, of %d", i, coords[i], n);
        *rank = *rank * n + at;
    }
    return MPI_SUCCESS;
}

MPI(int, Cart_rank, MPI_Comm comm, const int coords[], int *rank) {
    MPI_TRY(check_cart(__func__, comm));
    return find_rank(__func__, comm, coords, rank);
}

MPI(int, Cart_coords, MPI_Comm comm, int rank, int most, int coords[]) {
    MPI_TRY(check_cart(__func__, comm));
    MPI_TRY(mpi_check_rank(__func__, comm, rank));
    if (most < comm->cart->ndims)
        return mpi_fail(comm, __func__, MPI_ERR_DIMS, "there are %d dimensions", comm->cart->ndims);
    find_coords(comm->cart, rank, coords);
    return MPI_SUCCESS;
}

/* The rank `disp` places on, or MPI_PROC_NULL beyond the edge. */
static int neighbour(MPI_Comm comm, int direction, int disp) {
    const struct mpi_cart *c = comm->cart;
    const int n = c->dims[direction];
    int at = c->coords[direction] + disp, rank = 0;
    if (!c->periods[direction] && (at < 0 || at >= n)) return MPI_PROC_NULL;
    at = (at % n + n) % n;
    for (int i = 0; i < c->ndims; i++)
        rank = rank * c->dims[i] + (i == direction ? at : c->coords[i]);
    return rank;
}

MPI(int, Cart_shift, MPI_Comm comm, int direction, int disp, int *source, int *target) {
    MPI_TRY(check_cart(__func__, comm));
    if (direction < 0 || direction >= comm->cart->ndims)
        return mpi_fail(comm, __func__, MPI_ERR_DIMS, "direction %d of %d dimensions", direction,
                        comm->cart->ndims);
    *source = neighbour(comm, direction, -disp);
    *target = neighbour(comm, direction, disp);
    return MPI_SUCCESS;
}

MPI(int, Cart_sub, MPI_Comm comm, const int remain[], MPI_Comm *out) {
    MPI_TRY(check_cart(__func__, comm));
    const struct mpi_cart *c = comm->cart;
    int color = 0, kept = 0;
    for (int i = 0; i < c->ndims; i++) {
        if (!remain[i]) color = color * c->dims[i] + c->coords[i];
        kept += remain[i] != 0;
    }
    MPI_TRY(mpi_comm_split(__func__, comm, color, comm->rank, out));
    struct mpi_cart *sub = (*out)->cart = mpi_cart_create(kept);
    for (int i = 0, k = 0; i < c->ndims; i++) {
        if (!remain[i]) continue;
        sub->dims[k] = c->dims[i];
        sub->periods[k] = c->periods[i];
        sub->coords[k++] = c->coords[i];
    }
    return MPI_SUCCESS;
}

/* ---- dimensions for a number of processes */

/* The balanced factors of n: the greatest is as small as can be, then the next one, and so on.
 * `most`: none may be greater. @return false: there are none. */
static bool factor(int n, int count, int most, int *out) {
    if (count == 0) return n == 1;
    for (int f = 1; f <= most && f <= n; f++) {
        if (n % f) continue;
        out[0] = f;
        if (factor(n / f, count - 1, f, out + 1)) return true;
    }
    return false;
}

MPI(int, Dims_create, int nodes, int ndims, int dims[]) {
    int left = nodes, open = 0;
    if (nodes < 1 || ndims < 0)
        return mpi_fail(NULL, __func__, MPI_ERR_DIMS, "%d processes in %d dimensions", nodes,
                        ndims);
    for (int i = 0; i < ndims; i++) {
        if (dims[i] < 0 || (dims[i] && left % dims[i]))
            return mpi_fail(NULL, __func__, MPI_ERR_DIMS, "%d processes have no dimension of %d",
                            nodes, dims[i]);
        if (dims[i])
            left /= dims[i];
        else
            open++;
    }
    if (!open && left != 1)
        return mpi_fail(NULL, __func__, MPI_ERR_DIMS, "the dimensions have fewer places than %d",
                        nodes);
    int *found = mpi_alloc((size_t)open * sizeof *found);
    if (open) factor(left, open, left, found);
    for (int i = 0, k = 0; i < ndims; i++)
        if (!dims[i]) dims[i] = found[k++];
    free(found);
    return MPI_SUCCESS;
}
