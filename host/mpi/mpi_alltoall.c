/* mpi_alltoall.c - all-to-all exchanges: all messages at once, from the next process on. */
#include <stdlib.h>

#include "mpi/mpi_collective.h"

/* One side of an exchange. Displacements count bytes where there are several types (`types`),
 * elements otherwise; counts NULL: `count` for each process, one after the other. */
struct side {
    const void *buffer;
    const int *counts, *at;
    int count;
    MPI_Datatype type;
    const MPI_Datatype *types;
};

static MPI_Datatype type_of(const struct side *x, int rank) {
    return x->types ? x->types[rank] : x->type;
}
static int count_of(const struct side *x, int rank) {
    return x->counts ? x->counts[rank] : x->count;
}
static void *place_of(const struct side *x, int rank) {
    const MPI_Aint at = x->at ? x->at[rank] : (MPI_Aint)rank * x->count;
    return (char *)(uintptr_t)x->buffer + at * (x->types ? 1 : x->type->extent);
}

static int check_side(const char *call, MPI_Comm comm, const struct side *x) {
    for (int i = 0; i < comm->size; i++)
        MPI_TRY(mpi_check_data(call, comm, count_of(x, i), type_of(x, i)));
    return MPI_SUCCESS;
}

static int exchange(const char *call, struct mpi_schedule *s, struct side out,
                    const struct side *in, MPI_Comm comm) {
    const int n = comm->size, own = comm->rank;
    const bool in_place = out.buffer == MPI_IN_PLACE;
    MPI_TRY(check_side(call, comm, in));
    if (!in_place) MPI_TRY(check_side(call, comm, &out));
    if (in_place) out = *in;
    for (int k = 1; k < n; k++) {
        const int to = (own + k) % n, from = (own - k + n) % n;
        const void *what = place_of(&out, to);
        const size_t count = (size_t)count_of(&out, to);
        MPI_Datatype type = type_of(&out, to);
        if (in_place) { /* what is sent lies where other messages come in */
            void *kept = mpi_schedule_elements(s, count, type);
            mpi_schedule_copy(s, what, count, type, kept, count, type);
            what = kept;
        }
        mpi_schedule_send(s, what, count, type, to);
        if (!in_place)
            mpi_schedule_receive(s, place_of(in, from), (size_t)count_of(in, from),
                                 type_of(in, from), from);
    }
    if (!in_place)
        mpi_schedule_copy(s, place_of(&out, own), (size_t)count_of(&out, own), type_of(&out, own),
                          place_of(in, own), (size_t)count_of(in, own), type_of(in, own));
    for (int k = 1; k < n && in_place; k++) {
        const int from = (own - k + n) % n;
        mpi_schedule_receive(s, place_of(in, from), (size_t)count_of(in, from), type_of(in, from),
                             from);
    }
    return MPI_SUCCESS;
}

static int build_alltoall(const char *call, struct mpi_schedule *s, const void *out, int out_count,
                          MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type,
                          MPI_Comm comm) {
    const struct side from = {.buffer = out, .count = out_count, .type = out_type};
    const struct side to = {.buffer = in, .count = in_count, .type = in_type};
    return exchange(call, s, from, &to, comm);
}

static int build_alltoallv(const char *call, struct mpi_schedule *s, const void *out,
                           const int *out_counts, const int *out_at, MPI_Datatype out_type,
                           void *in, const int *in_counts, const int *in_at, MPI_Datatype in_type,
                           MPI_Comm comm) {
    const struct side from = {.buffer = out, .counts = out_counts, .at = out_at, .type = out_type};
    const struct side to = {.buffer = in, .counts = in_counts, .at = in_at, .type = in_type};
    return exchange(call, s, from, &to, comm);
}

static int build_alltoallw(const char *call, struct mpi_schedule *s, const void *out,
                           const int *out_counts, const int *out_at, const MPI_Datatype *out_types,
                           void *in, const int *in_counts, const int *in_at,
                           const MPI_Datatype *in_types, MPI_Comm comm) {
    const struct side from = {
        .buffer = out, .counts = out_counts, .at = out_at, .types = out_types};
    const struct side to = {.buffer = in, .counts = in_counts, .at = in_at, .types = in_types};
    return exchange(call, s, from, &to, comm);
}

MPI_BOTH(Alltoall, alltoall, build_alltoall,
         (const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
          MPI_Datatype in_type, MPI_Comm comm),
         (out, out_count, out_type, in, in_count, in_type, comm))
MPI_BOTH(Alltoallv, alltoallv, build_alltoallv,
         (const void *out, const int out_counts[], const int out_at[], MPI_Datatype out_type,
          void *in, const int in_counts[], const int in_at[], MPI_Datatype in_type, MPI_Comm comm),
         (out, out_counts, out_at, out_type, in, in_counts, in_at, in_type, comm))
MPI_BOTH(Alltoallw, alltoallw, build_alltoallw,
         (const void *out, const int out_counts[], const int out_at[],
          const MPI_Datatype out_types[], void *in, const int in_counts[], const int in_at[],
          const MPI_Datatype in_types[], MPI_Comm comm),
         (out, out_counts, out_at, out_types, in, in_counts, in_at, in_types, comm))
