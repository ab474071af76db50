/* mpi_collective.c - collective operations that move data: barrier, broadcast, gather, scatter,
 * allgather. The algorithms are those of Open MPI's module `tuned` for small groups: binomial
 * trees, recursive doubling, rings, and messages to and from the root. */
#include "mpi/mpi_collective.h"

#include <stdlib.h>

enum { ALLGATHER_RING = 80 << 10 }; /* bytes of the result, from which on a ring is faster */

/* ---- barrier: in round k each process tells the one 2^k behind it */

static int build_barrier(const char *call, struct mpi_schedule *s, MPI_Comm comm) {
    (void)call;
    for (int k = 1; k < comm->size; k *= 2) {
        mpi_schedule_send(s, NULL, 0, MPI_BYTE, (comm->rank + k) % comm->size);
        mpi_schedule_receive(s, NULL, 0, MPI_BYTE, (comm->rank - k + comm->size) % comm->size);
        mpi_schedule_round(s);
    }
    return MPI_SUCCESS;
}

MPI_BOTH(Barrier, barrier, build_barrier, (MPI_Comm comm), (comm))

int mpi_barrier(const char *call, MPI_Comm comm) {
    struct mpi_schedule *s = mpi_schedule_create(comm);
    build_barrier(call, s, comm);
    return mpi_schedule_run(call, comm, s, NULL);
}

/* ---- broadcast: a binomial tree */

void mpi_build_bcast(struct mpi_schedule *s, MPI_Comm comm, void *buffer, size_t count,
                     MPI_Datatype type, int root) {
    const int n = comm->size, own = (comm->rank - root + n) % n;
    int bit = 1;
    while (bit < n && !(own & bit)) bit *= 2;
    if (own) {
        mpi_schedule_receive(s, buffer, count, type, (own - bit + root) % n);
        mpi_schedule_round(s);
    }
    for (bit /= 2; bit > 0; bit /= 2)
        if (own + bit < n) mpi_schedule_send(s, buffer, count, type, (own + bit + root) % n);
}

static int build_bcast(const char *call, struct mpi_schedule *s, void *buffer, int count,
                       MPI_Datatype type, int root, MPI_Comm comm) {
    MPI_TRY(mpi_check_data(call, comm, count, type));
    MPI_TRY(mpi_check_root(call, comm, root));
    mpi_build_bcast(s, comm, buffer, (size_t)count, type, root);
    return MPI_SUCCESS;
}

MPI_BOTH(Bcast, bcast, build_bcast,
         (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
         (buffer, count, type, root, comm))

/* ---- gather and scatter: each process and the root */

/* What the root has of each rank: `counts` elements from `at` on; NULL: `count` of each, one after
 * the other. */
struct parts {
    const int *counts, *at;
    int count;
};

static size_t part_count(const struct parts *p, int rank) {
    return (size_t)(p->counts ? p->counts[rank] : p->count);
}
static void *part(const struct parts *p, const void *buffer, int rank, MPI_Datatype type) {
    const MPI_Aint at = p->at ? p->at[rank] : (MPI_Aint)rank * p->count;
    return (char *)(uintptr_t)buffer + at * type->extent;
}

static int check_parts(const char *call, MPI_Comm comm, const struct parts *p, MPI_Datatype type) {
    for (int i = 0; i < comm->size; i++)
        MPI_TRY(mpi_check_data(call, comm, p->counts ? p->counts[i] : p->count, type));
    return MPI_SUCCESS;
}

static int gather(const char *call, struct mpi_schedule *s, const void *in, int in_count,
                  MPI_Datatype in_type, void *out, const struct parts *p, MPI_Datatype out_type,
                  int root, MPI_Comm comm) {
    MPI_TRY(mpi_check_root(call, comm, root));
    if (comm->rank != root || in != MPI_IN_PLACE)
        MPI_TRY(mpi_check_data(call, comm, in_count, in_type));
    if (comm->rank != root) {
        mpi_schedule_send(s, in, (size_t)in_count, in_type, root);
        return MPI_SUCCESS;
    }
    MPI_TRY(check_parts(call, comm, p, out_type));
    for (int i = 0; i < comm->size; i++) {
        void *to = part(p, out, i, out_type);
        if (i != root)
            mpi_schedule_receive(s, to, part_count(p, i), out_type, i);
        else if (in != MPI_IN_PLACE)
            mpi_schedule_copy(s, in, (size_t)in_count, in_type, to, part_count(p, i), out_type);
    }
    return MPI_SUCCESS;
}

static int build_gather(const char *call, struct mpi_schedule *s, const void *in, int in_count,
                        MPI_Datatype in_type, void *out, int out_count, MPI_Datatype out_type,
                        int root, MPI_Comm comm) {
    const struct parts p = {.count = out_count};
    return gather(call, s, in, in_count, in_type, out, &p, out_type, root, comm);
}

static int build_gatherv(const char *call, struct mpi_schedule *s, const void *in, int in_count,
                         MPI_Datatype in_type, void *out, const int *counts, const int *at,
                         MPI_Datatype out_type, int root, MPI_Comm comm) {
    const struct parts p = {.counts = counts, .at = at};
    return gather(call, s, in, in_count, in_type, out, &p, out_type, root, comm);
}

static int scatter(const char *call, struct mpi_schedule *s, const void *in, const struct parts *p,
                   MPI_Datatype in_type, void *out, int out_count, MPI_Datatype out_type, int root,
                   MPI_Comm comm) {
    MPI_TRY(mpi_check_root(call, comm, root));
    if (comm->rank != root || out != MPI_IN_PLACE)
        MPI_TRY(mpi_check_data(call, comm, out_count, out_type));
    if (comm->rank != root) {
        mpi_schedule_receive(s, out, (size_t)out_count, out_type, root);
        return MPI_SUCCESS;
    }
    MPI_TRY(check_parts(call, comm, p, in_type));
    for (int i = 0; i < comm->size; i++) {
        const void *from = part(p, in, i, in_type);
        if (i != root)
            mpi_schedule_send(s, from, part_count(p, i), in_type, i);
        else if (out != MPI_IN_PLACE)
            mpi_schedule_copy(s, from, part_count(p, i), in_type, out, (size_t)out_count, out_type);
    }
    return MPI_SUCCESS;
}

static int build_scatter(const char *call, struct mpi_schedule *s, const void *in, int in_count,
                         MPI_Datatype in_type, void *out, int out_count, MPI_Datatype out_type,
                         int root, MPI_Comm comm) {
    const struct parts p = {.count = in_count};
    return scatter(call, s, in, &p, in_type, out, out_count, out_type, root, comm);
}

static int build_scatterv(const char *call, struct mpi_schedule *s, const void *in,
                          const int *counts, const int *at, MPI_Datatype in_type, void *out,
                          int out_count, MPI_Datatype out_type, int root, MPI_Comm comm) {
    const struct parts p = {.counts = counts, .at = at};
    return scatter(call, s, in, &p, in_type, out, out_count, out_type, root, comm);
}

MPI_BOTH(Gather, gather, build_gather,
         (const void *in, int in_count, MPI_Datatype in_type, void *out, int out_count,
          MPI_Datatype out_type, int root, MPI_Comm comm),
         (in, in_count, in_type, out, out_count, out_type, root, comm))
MPI_BOTH(Gatherv, gatherv, build_gatherv,
         (const void *in, int in_count, MPI_Datatype in_type, void *out, const int counts[],
          const int at[], MPI_Datatype out_type, int root, MPI_Comm comm),
         (in, in_count, in_type, out, counts, at, out_type, root, comm))
MPI_BOTH(Scatter, scatter, build_scatter,
         (const void *in, int in_count, MPI_Datatype in_type, void *out, int out_count,
          MPI_Datatype out_type, int root, MPI_Comm comm),
         (in, in_count, in_type, out, out_count, out_type, root, comm))
MPI_BOTH(Scatterv, scatterv, build_scatterv,
         (const void *in, const int counts[], const int at[], MPI_Datatype in_type, void *out,
          int out_count, MPI_Datatype out_type, int root, MPI_Comm comm),
         (in, counts, at, in_type, out, out_count, out_type, root, comm))

/* ---- allgather */

/* In step k each process passes on the block that it got in the step before. */
static void build_ring(struct mpi_schedule *s, MPI_Comm comm, void *all, const struct parts *p,
                       MPI_Datatype type) {
    const int n = comm->size, to = (comm->rank + 1) % n, from = (comm->rank - 1 + n) % n;
    for (int k = 0; k < n - 1; k++) {
        const int out = (comm->rank - k + n) % n, in = (from - k + n) % n;
        mpi_schedule_send(s, part(p, all, out, type), part_count(p, out), type, to);
        mpi_schedule_receive(s, part(p, all, in, type), part_count(p, in), type, from);
        mpi_schedule_round(s);
    }
}

void mpi_build_allgather(struct mpi_schedule *s, MPI_Comm comm, void *all, size_t count,
                         MPI_Datatype type) {
    const int n = comm->size;
    const struct parts p = {.count = (int)count};
    const bool power = (n & (n - 1)) == 0;
    if (!power || (size_t)n * count * type->size > ALLGATHER_RING) {
        build_ring(s, comm, all, &p, type);
        return;
    }
    for (int k = 1; k < n; k *= 2) { /* exchange all that both have so far */
        const int other = comm->rank ^ k, own = comm->rank / k * k;
        mpi_schedule_send(s, part(&p, all, own, type), (size_t)k * count, type, other);
        mpi_schedule_receive(s, part(&p, all, other / k * k, type), (size_t)k * count, type, other);
        mpi_schedule_round(s);
    }
}

static int build_allgather(const char *call, struct mpi_schedule *s, const void *in, int in_count,
                           MPI_Datatype in_type, void *out, int out_count, MPI_Datatype out_type,
                           MPI_Comm comm) {
    MPI_TRY(mpi_check_data(call, comm, out_count, out_type));
    if (in != MPI_IN_PLACE) {
        MPI_TRY(mpi_check_data(call, comm, in_count, in_type));
        mpi_schedule_copy(s, in, (size_t)in_count, in_type,
                          mpi_element(out, (size_t)comm->rank * (size_t)out_count, out_type),
                          (size_t)out_count, out_type);
    }
    mpi_build_allgather(s, comm, out, (size_t)out_count, out_type);
    return MPI_SUCCESS;
}

static int build_allgatherv(const char *call, struct mpi_schedule *s, const void *in, int in_count,
                            MPI_Datatype in_type, void *out, const int *counts, const int *at,
                            MPI_Datatype out_type, MPI_Comm comm) {
    const struct parts p = {.counts = counts, .at = at};
    MPI_TRY(check_parts(call, comm, &p, out_type));
    if (in != MPI_IN_PLACE) {
        MPI_TRY(mpi_check_data(call, comm, in_count, in_type));
        mpi_schedule_copy(s, in, (size_t)in_count, in_type, part(&p, out, comm->rank, out_type),
                          part_count(&p, comm->rank), out_type);
    }
    build_ring(s, comm, out, &p, out_type);
    return MPI_SUCCESS;
}

MPI_BOTH(Allgather, allgather, build_allgather,
         (const void *in, int in_count, MPI_Datatype in_type, void *out, int out_count,
          MPI_Datatype out_type, MPI_Comm comm),
         (in, in_count, in_type, out, out_count, out_type, comm))
MPI_BOTH(Allgatherv, allgatherv, build_allgatherv,
         (const void *in, int in_count, MPI_Datatype in_type, void *out, const int counts[],
          const int at[], MPI_Datatype out_type, MPI_Comm comm),
         (in, in_count, in_type, out, counts, at, out_type, comm))

int mpi_allgather(const char *call, MPI_Comm comm, const void *own, void *all, size_t bytes) {
    struct mpi_schedule *s = mpi_schedule_create(comm);
    build_allgather(call, s, own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, comm);
    return mpi_schedule_run(call, comm, s, NULL);
}
