/* mpi_group.c - groups: lists of PEs, by rank. */
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_internal.h"

static int no_members[1];
MPI_DEFINE(mpi_group, ompi_mpi_group_empty, ROOM_GROUP, .rank = MPI_UNDEFINED, .pe = no_members)
MPI_DEFINE(mpi_group, ompi_mpi_group_null, ROOM_GROUP, .rank = MPI_UNDEFINED)

MPI_Group mpi_group_create(int size) {
    MPI_Group g = mpi_alloc(sizeof *g);
    *g = (struct mpi_group){.size = size,
                            .rank = MPI_UNDEFINED,
                            .users = 1,
                            .pe = mpi_alloc((size_t)size * sizeof(int))};
    return g;
}

MPI_Group mpi_group_hold(MPI_Group g) {
    if (g->users) g->users++; /* predefined ones count none */
    return g;
}

void mpi_group_release(MPI_Group g) {
    if (!g->users || --g->users) return;
    free(g->pe);
    free(g);
}

void mpi_group_find_rank(MPI_Group g) {
    g->rank = MPI_UNDEFINED;
    for (int i = 0; i < g->size; i++)
        if (g->pe[i] == mpi_process.rank) g->rank = i;
}

static int check(const char *call, MPI_Group g) {
    if (g && g->pe) return MPI_SUCCESS;
    return mpi_fail(NULL, call, MPI_ERR_GROUP, "the group is null");
}

/* The rank of a PE in the group, or MPI_UNDEFINED. */
static int find(MPI_Group g, int pe) {
    for (int i = 0; i < g->size; i++)
        if (g->pe[i] == pe) return i;
    return MPI_UNDEFINED;
}

/* Hands a new group of `size` members to the program; one without members is the empty group. */
static int hand_out(MPI_Group g, int size, MPI_Group *out) {
    g->size = size;
    mpi_group_find_rank(g);
    *out = g;
    if (size) return MPI_SUCCESS;
    mpi_group_release(g);
    *out = MPI_GROUP_EMPTY;
    return MPI_SUCCESS;
}

MPI(int, Comm_group, MPI_Comm comm, MPI_Group *out) {
    MPI_TRY(mpi_check_comm(__func__, comm));
    *out = mpi_group_hold(comm->group);
    return MPI_SUCCESS;
}

MPI(int, Group_free, MPI_Group *g) {
    MPI_TRY(check(__func__, *g));
    mpi_group_release(*g);
    *g = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

MPI(int, Group_size, MPI_Group g, int *size) {
    MPI_TRY(check(__func__, g));
    *size = g->size;
    return MPI_SUCCESS;
}

MPI(int, Group_rank, MPI_Group g, int *rank) {
    MPI_TRY(check(__func__, g));
    *rank = g->rank;
    return MPI_SUCCESS;
}

MPI(int, Group_translate_ranks, MPI_Group a, int n, const int ranks[], MPI_Group b, int out[]) {
    MPI_TRY(check(__func__, a));
    MPI_TRY(check(__func__, b));
    for (int i = 0; i < n; i++) {
        if (ranks[i] != MPI_PROC_NULL && (ranks[i] < 0 || ranks[i] >= a->size))
            return mpi_fail(NULL, __func__, MPI_ERR_RANK,
                            "rank %d is none of the group, which has %d", ranks[i], a->size);
        out[i] = ranks[i] == MPI_PROC_NULL ? MPI_PROC_NULL : find(b, a->pe[ranks[i]]);
    }
    return MPI_SUCCESS;
}

int mpi_group_compare(MPI_Group a, MPI_Group b) {
    bool same = true;
    if (a->size != b->size) return MPI_UNEQUAL;
    for (int i = 0; i < a->size; i++) {
        if (find(b, a->pe[i]) == MPI_UNDEFINED) return MPI_UNEQUAL;
        same &= a->pe[i] == b->pe[i];
    }
    return same ? MPI_IDENT : MPI_SIMILAR;
}

MPI(int, Group_compare, MPI_Group a, MPI_Group b, int *result) {
    MPI_TRY(check(__func__, a));
    MPI_TRY(check(__func__, b));
    *result = mpi_group_compare(a, b);
    return MPI_SUCCESS;
}

/* The members of `a`, if they are of `b` (`in`) or are not; then, of `more`, those not of `a`. */
static int combine(MPI_Group a, MPI_Group b, bool in, MPI_Group more, MPI_Group *out) {
    MPI_Group g = mpi_group_create(a->size + (more ? more->size : 0));
    int n = 0;
    for (int i = 0; i < a->size; i++)
        if (!b || (find(b, a->pe[i]) != MPI_UNDEFINED) == in) g->pe[n++] = a->pe[i];
    for (int i = 0; more && i < more->size; i++)
        if (find(a, more->pe[i]) == MPI_UNDEFINED) g->pe[n++] = more->pe[i];
    return hand_out(g, n, out);
}

MPI(int, Group_union, MPI_Group a, MPI_Group b, MPI_Group *out) {
    MPI_TRY(check(__func__, a));
    MPI_TRY(check(__func__, b));
    return combine(a, NULL, false, b, out);
}

MPI(int, Group_intersection, MPI_Group a, MPI_Group b, MPI_Group *out) {
    MPI_TRY(check(__func__, a));
    MPI_TRY(check(__func__, b));
    return combine(a, b, true, NULL, out);
}

MPI(int, Group_difference, MPI_Group a, MPI_Group b, MPI_Group *out) {
    MPI_TRY(check(__func__, a));
    MPI_TRY(check(__func__, b));
    return combine(a, b, false, NULL, out);
}

/* The group of the given ranks, in their order (`in`), or of all others. */
static int choose(const char *call, MPI_Group g, int n, const int *ranks, bool in, MPI_Group *out) {
    MPI_TRY(check(call, g));
    bool *chosen = mpi_alloc((size_t)g->size);
    for (int i = 0; i < n; i++) {
        const bool good = ranks[i] >= 0 && ranks[i] < g->size && !chosen[ranks[i]];
        if (good) {
            chosen[ranks[i]] = true;
            continue;
        }
        free(chosen);
        return mpi_fail(NULL, call, MPI_ERR_RANK,
                        "rank %d is none of the group, which has %d, or comes twice", ranks[i],
                        g->size);
    }
    MPI_Group made = mpi_group_create(g->size);
    int count = 0;
    for (int i = 0; in && i < n; i++) made->pe[count++] = g->pe[ranks[i]];
    for (int i = 0; !in && i < g->size; i++)
        if (!chosen[i]) made->pe[count++] = g->pe[i];
    free(chosen);
    return hand_out(made, count, out);
}

MPI(int, Group_incl, MPI_Group g, int n, const int ranks[], MPI_Group *out) {
    return choose(__func__, g, n, ranks, true, out);
}

MPI(int, Group_excl, MPI_Group g, int n, const int ranks[], MPI_Group *out) {
    return choose(__func__, g, n, ranks, false, out);
}

/* The same for ranges: first, last, stride. */
static int choose_ranges(const char *call, MPI_Group g, int n, int ranges[][3], bool in,
                         MPI_Group *out) {
    MPI_TRY(check(call, g));
    int *ranks = mpi_alloc((size_t)(g->size + 1) * sizeof *ranks), count = 0;
    for (int i = 0; i < n; i++) {
        const int stride = ranges[i][2];
        for (int r = ranges[i][0]; stride && (stride > 0 ? r <= ranges[i][1] : r >= ranges[i][1]);
             r += stride)
            if (count <= g->size) ranks[count++] = r; /* one too many is an error below */
        if (stride) continue;
        free(ranks);
        return mpi_fail(NULL, call, MPI_ERR_ARG, "the stride of range %d is 0", i);
    }
    const int error = choose(call, g, count, ranks, in, out);
    free(ranks);
    return error;
}

MPI(int, Group_range_incl, MPI_Group g, int n, int ranges[][3], MPI_Group *out) {
    return choose_ranges(__func__, g, n, ranges, true, out);
}

MPI(int, Group_range_excl, MPI_Group g, int n, int ranges[][3], MPI_Group *out) {
    return choose_ranges(__func__, g, n, ranges, false, out);
}
