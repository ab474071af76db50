/* mpi_comm.c - communicators: their making and end.
 *
 * All members of a new communicator agree on its context: the greatest that is free at any of them.
 * Communicators without a common member may have the same one. */
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_internal.h"

int mpi_comm_next_context(const char *call, MPI_Comm comm, uint64_t *context) {
    uint64_t most = mpi_process.next_context;
    MPI_TRY(mpi_allreduce(call, comm, &mpi_process.next_context, &most, 1, MPI_UINT64_T,
                          &ompi_mpi_op_max.of));
    *context = most;
    mpi_process.next_context = most + 2;
    return MPI_SUCCESS;
}

/* ---- copies */

/* Finishes a copy: attributes, topology and info. */
static int copy_rest(MPI_Comm from, MPI_Comm to) {
    if (from->cart) to->cart = mpi_cart_copy(from->cart);
    to->info = mpi_info_copy(from->info);
    return mpi_attributes_copy(from, from->attributes, &to->attributes);
}

static int duplicate(const char *call, MPI_Comm comm, MPI_Comm *out) {
    uint64_t context;
    MPI_TRY(mpi_check_comm(call, comm));
    MPI_TRY(mpi_comm_next_context(call, comm, &context));
    *out = mpi_comm_create(comm->group, context, comm);
    const int error = copy_rest(comm, *out);
    if (!error) return MPI_SUCCESS;
    mpi_comm_release(*out);
    *out = MPI_COMM_NULL;
    return mpi_fail(comm, call, error, "a function that copies an attribute has failed");
}

MPI(int, Comm_dup, MPI_Comm comm, MPI_Comm *out) {
    return duplicate(__func__, comm, out);
}

MPI(int, Comm_dup_with_info, MPI_Comm comm, MPI_Info info, MPI_Comm *out) {
    MPI_TRY(duplicate(__func__, comm, out));
    mpi_info_discard((*out)->info);
    (*out)->info = mpi_info_copy(info);
    return MPI_SUCCESS;
}

/* It is ready when it returns, which MPI allows. */
MPI(int, Comm_idup, MPI_Comm comm, MPI_Comm *out, MPI_Request *request) {
    MPI_TRY(duplicate(__func__, comm, out));
    *request = mpi_request_create_done();
    return MPI_SUCCESS;
}

/* ---- parts */

/* A member of a communicator that is split. */
struct member {
    int color, key, rank;
};

static int by_key(const void *a, const void *b) {
    const struct member *x = a, *y = b;
    if (x->key != y->key) return (x->key > y->key) - (x->key < y->key);
    return x->rank - y->rank;
}

int mpi_comm_split(const char *call, MPI_Comm comm, int color, int key, MPI_Comm *out) {
    uint64_t context;
    if (color < 0 && color != MPI_UNDEFINED)
        return mpi_fail(comm, call, MPI_ERR_ARG, "the color is %d", color);
    const struct member own = {color, key, comm->rank};
    struct member *all = mpi_alloc((size_t)comm->size * sizeof *all);
    int error = mpi_allgather(call, comm, &own, all, sizeof own);
    if (!error) error = mpi_comm_next_context(call, comm, &context);
    int n = 0;
    for (int i = 0; i < comm->size && !error; i++)
        if (all[i].color == color) all[n++] = all[i];
    *out = MPI_COMM_NULL;
    if (!error && color != MPI_UNDEFINED) {
        qsort(all, (size_t)n, sizeof *all, by_key);
        MPI_Group group = mpi_group_create(n);
        for (int i = 0; i < n; i++) group->pe[i] = mpi_comm_pe(comm, all[i].rank);
        mpi_group_find_rank(group);
        *out = mpi_comm_create(group, context, comm);
        mpi_group_release(group);
    }
    free(all);
    return error;
}

MPI(int, Comm_split, MPI_Comm comm, int color, int key, MPI_Comm *out) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    return mpi_comm_split(__func__, comm, color, key, out);
}

/* Each PE is alone on its node, whatever part of it the type names. */
MPI(int, Comm_split_type, MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out) {
    enum { LAST_TYPE = 11, CLUSTER = 11 };
    (void)info;
    MPI_TRY(mpi_check_comm(__func__, comm));
    if (type != MPI_UNDEFINED && (type < MPI_COMM_TYPE_SHARED || type > LAST_TYPE))
        return mpi_fail(comm, __func__, MPI_ERR_ARG, "there is no type %d", type);
    const int color = type == CLUSTER ? 0 : mpi_process.rank;
    return mpi_comm_split(__func__, comm, type == MPI_UNDEFINED ? type : color, key, out);
}

static int check_group(const char *call, MPI_Comm comm, MPI_Group group) {
    if (group && group->pe) return MPI_SUCCESS;
    return mpi_fail(comm, call, MPI_ERR_GROUP, "the group is null");
}

MPI(int, Comm_create, MPI_Comm comm, MPI_Group group, MPI_Comm *out) {
    uint64_t context;
    MPI_TRY(mpi_check_comm(__func__, comm));
    MPI_TRY(check_group(__func__, comm, group));
    MPI_TRY(mpi_comm_next_context(__func__, comm, &context));
    *out = group->rank == MPI_UNDEFINED ? MPI_COMM_NULL : mpi_comm_create(group, context, comm);
    return MPI_SUCCESS;
}

/* Only the members call it: they agree by messages with the tag. */
MPI(int, Comm_create_group, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *out) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    MPI_TRY(check_group(__func__, comm, group));
    *out = MPI_COMM_NULL;
    if (group->rank == MPI_UNDEFINED) return MPI_SUCCESS;
    uint64_t context = mpi_process.next_context;
    int *rank = mpi_alloc((size_t)group->size * sizeof *rank); /* of each member, in comm */
    int error = MPI_SUCCESS;
    for (int i = 0; i < group->size; i++) {
        rank[i] = 0;
        while (rank[i] < comm->size && comm->group->pe[rank[i]] != group->pe[i]) rank[i]++;
        if (rank[i] == comm->size)
            error = mpi_fail(comm, __func__, MPI_ERR_GROUP,
                             "member %d of the group is none of the communicator", i);
    }
    for (int i = 1; i < group->size && !error && group->rank == 0; i++) {
        uint64_t other;
        error = mpi_receive(__func__, &other, 1, MPI_UINT64_T, rank[i], tag, comm, true, NULL);
        if (other > context) context = other;
    }
    for (int i = 1; i < group->size && !error && group->rank == 0; i++)
        error = mpi_send(__func__, &context, 1, MPI_UINT64_T, rank[i], tag, comm, true);
    if (!error && group->rank > 0)
        error = mpi_send(__func__, &context, 1, MPI_UINT64_T, rank[0], tag, comm, true);
    if (!error && group->rank > 0)
        error = mpi_receive(__func__, &context, 1, MPI_UINT64_T, rank[0], tag, comm, true, NULL);
    free(rank);
    if (error) return error;
    mpi_process.next_context = context + 2;
    *out = mpi_comm_create(group, context, comm);
    return MPI_SUCCESS;
}

/* ---- the end, and questions */

static int end(const char *call, MPI_Comm *comm) {
    MPI_TRY(mpi_check_comm(call, *comm));
    if ((*comm)->predefined)
        return mpi_fail(*comm, call, MPI_ERR_COMM, "%s cannot be freed", (*comm)->name);
    const int error = mpi_attributes_delete(*comm, &(*comm)->attributes);
    if (error)
        return mpi_fail(*comm, call, error, "a function that deletes an attribute has failed");
    mpi_comm_release(*comm);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

MPI(int, Comm_free, MPI_Comm *comm) {
    return end(__func__, comm);
}

MPI(int, Comm_disconnect, MPI_Comm *comm) {
    return end(__func__, comm);
}

MPI(int, Comm_size, MPI_Comm comm, int *size) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    *size = comm->size;
    return MPI_SUCCESS;
}

MPI(int, Comm_rank, MPI_Comm comm, int *rank) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    *rank = comm->rank;
    return MPI_SUCCESS;
}

MPI(int, Comm_compare, MPI_Comm a, MPI_Comm b, int *result) {
    MPI_TRY(mpi_check_comm(__func__, a));
    MPI_TRY(mpi_check_comm(__func__, b));
    *result = mpi_group_compare(a->group, b->group);
    if (*result == MPI_IDENT && a != b) *result = MPI_CONGRUENT;
    return MPI_SUCCESS;
}

MPI(int, Comm_set_name, MPI_Comm comm, const char *name) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    memset(comm->name, 0, sizeof comm->name);
    strncpy(comm->name, name, sizeof comm->name - 1);
    return MPI_SUCCESS;
}

MPI(int, Comm_get_name, MPI_Comm comm, char *name, int *length) {
    *length = (int)strlen(comm->name);
    memcpy(name, comm->name, (size_t)*length + 1);
    return MPI_SUCCESS;
}

MPI(int, Comm_set_info, MPI_Comm comm, MPI_Info info) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    mpi_info_discard(comm->info);
    comm->info = mpi_info_copy(info);
    return MPI_SUCCESS;
}

MPI(int, Comm_get_info, MPI_Comm comm, MPI_Info *info) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    *info = mpi_info_copy_or_empty(comm->info);
    return MPI_SUCCESS;
}

/* No communicator is between groups, and no process was started by others. */
MPI(int, Comm_test_inter, MPI_Comm comm, int *flag) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    *flag = 0;
    return MPI_SUCCESS;
}

MPI(int, Comm_get_parent, MPI_Comm *parent) {
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}
