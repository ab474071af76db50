/* mpi_reduction.c - collective operations that combine values.
 *
 * Values in device memory are combined on the host, as Open MPI does: they are copied there first,
 * and the result is copied back. The order in which values are combined depends on the number of
 * processes, the length and the operation alone. */
#include <stdlib.h>

#include "mpi/mpi_collective.h"

enum { ALLREDUCE_RING = 10 << 10 }; /* bytes from which on a ring is faster */

/* The process's own values in host memory, where they may be combined. `in` may be
 * MPI_IN_PLACE: they lie in `out`. */
static void *take_values(struct mpi_schedule *s, const void *in, const void *out, size_t count,
                         MPI_Datatype type) {
    void *acc = mpi_schedule_elements(s, count, type);
    mpi_schedule_copy(s, in == MPI_IN_PLACE ? out : in, count, type, acc, count, type);
    return acc;
}

static int check(const char *call, MPI_Comm comm, int count, MPI_Datatype type, MPI_Op op) {
    MPI_TRY(mpi_check_data(call, comm, count, type));
    return mpi_check_op(call, comm, op, type);
}

/* ---- reduce */

/* A binomial tree, whose root has the result in acc. */
static void build_tree(struct mpi_schedule *s, MPI_Comm comm, void *acc, size_t count,
                       MPI_Datatype type, MPI_Op op, int root) {
    const int n = comm->size, own = (comm->rank - root + n) % n;
    void *other = mpi_schedule_elements(s, count, type);
    for (int bit = 1; bit < n; bit *= 2) {
        if (own & bit) {
            mpi_schedule_round(s);
            mpi_schedule_send(s, acc, count, type, (own - bit + root) % n);
            return;
        }
        if (own + bit >= n) continue;
        mpi_schedule_receive(s, other, count, type, (own + bit + root) % n);
        mpi_schedule_round(s);
        mpi_schedule_reduce(s, op, other, acc, count, type);
    }
}

/* The root combines the values in the order of ranks: for operations that do not commute. */
static void build_in_order(struct mpi_schedule *s, MPI_Comm comm, void *acc, size_t count,
                           MPI_Datatype type, MPI_Op op, int root) {
    if (comm->rank != root) {
        mpi_schedule_send(s, acc, count, type, root);
        return;
    }
    void **value = mpi_schedule_room(s, (size_t)comm->size * sizeof *value);
    for (int i = 0; i < comm->size; i++) {
        value[i] = mpi_schedule_elements(s, count, type);
        if (i == root)
            mpi_schedule_copy(s, acc, count, type, value[i], count, type);
        else
            mpi_schedule_receive(s, value[i], count, type, i);
    }
    mpi_schedule_round(s);
    for (int i = comm->size - 2; i >= 0; i--)
        mpi_schedule_reduce(s, op, value[i], value[comm->size - 1], count, type);
    mpi_schedule_copy(s, value[comm->size - 1], count, type, acc, count, type);
}

static void build_to_root(struct mpi_schedule *s, MPI_Comm comm, void *acc, size_t count,
                          MPI_Datatype type, MPI_Op op, int root) {
    if (op->commutes)
        build_tree(s, comm, acc, count, type, op, root);
    else
        build_in_order(s, comm, acc, count, type, op, root);
}

static int build_reduce(const char *call, struct mpi_schedule *s, const void *in, void *out,
                        int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
    MPI_TRY(check(call, comm, count, type, op));
    MPI_TRY(mpi_check_root(call, comm, root));
    void *acc = take_values(s, in, out, (size_t)count, type);
    build_to_root(s, comm, acc, (size_t)count, type, op, root);
    if (comm->rank == root)
        mpi_schedule_copy(s, acc, (size_t)count, type, out, (size_t)count, type);
    return MPI_SUCCESS;
}

MPI_BOTH(Reduce, reduce, build_reduce,
         (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
          MPI_Comm comm),
         (in, out, count, type, op, root, comm))

/* ---- allreduce */

/* Both of a pair combine what they have; then pairs of pairs, and so on. The first processes beyond
 * a power of two hand their values to a neighbour, and get the result from it. */
static void build_doubling(struct mpi_schedule *s, MPI_Comm comm, void *acc, size_t count,
                           MPI_Datatype type, MPI_Op op) {
    const int own = comm->rank;
    int power = 1;
    while (2 * power <= comm->size) power *= 2;
    const int rest = comm->size - power; /* of the first 2 * rest the odd ones take part */
    void *other = mpi_schedule_elements(s, count, type);
    if (own < 2 * rest && own % 2 == 0) {
        mpi_schedule_send(s, acc, count, type, own + 1);
        mpi_schedule_round(s);
        mpi_schedule_receive(s, acc, count, type, own + 1);
        return;
    }
    if (own < 2 * rest) {
        mpi_schedule_receive(s, other, count, type, own - 1);
        mpi_schedule_round(s);
        mpi_schedule_reduce(s, op, other, acc, count, type);
    }
    const int number = own < 2 * rest ? own / 2 : own - rest;
    for (int bit = 1; bit < power; bit *= 2) {
        const int pair = number ^ bit, rank = pair < rest ? 2 * pair + 1 : pair + rest;
        mpi_schedule_send(s, acc, count, type, rank);
        mpi_schedule_receive(s, other, count, type, rank);
        mpi_schedule_round(s);
        mpi_schedule_reduce(s, op, other, acc, count, type);
    }
    if (own < 2 * rest) mpi_schedule_send(s, acc, count, type, own - 1);
}

/* Block b of `count` elements, split among n. */
static size_t block_begin(size_t count, int n, int b) {
    const size_t each = count / (size_t)n, more = count % (size_t)n, i = (size_t)b;
    return i * each + (i < more ? i : more);
}

/* Each block goes around once to be combined, and once more to be known to all. */
static void build_ring(struct mpi_schedule *s, MPI_Comm comm, void *acc, size_t count,
                       MPI_Datatype type, MPI_Op op) {
    const int n = comm->size, to = (comm->rank + 1) % n, from = (comm->rank - 1 + n) % n;
    void *other = mpi_schedule_elements(s, count / (size_t)n + 1, type);
    for (int k = 0; k < 2 * (n - 1); k++) {
        const bool combines = k < n - 1;
        const int out = (comm->rank - k + 2 * n) % n, in = (out - 1 + n) % n;
        const size_t out_at = block_begin(count, n, out), in_at = block_begin(count, n, in);
        const size_t in_count = block_begin(count, n, in + 1) - in_at;
        void *place = mpi_element(acc, in_at, type);
        mpi_schedule_send(s, mpi_element(acc, out_at, type),
                          block_begin(count, n, out + 1) - out_at, type, to);
        mpi_schedule_receive(s, combines ? other : place, in_count, type, from);
        mpi_schedule_round(s);
        if (combines) mpi_schedule_reduce(s, op, other, place, in_count, type);
    }
}

void mpi_build_allreduce(struct mpi_schedule *s, MPI_Comm comm, void *acc, size_t count,
                         MPI_Datatype type, MPI_Op op) {
    if (!op->commutes) {
        build_in_order(s, comm, acc, count, type, op, 0);
        mpi_schedule_round(s);
        mpi_build_bcast(s, comm, acc, count, type, 0);
    } else if (count * type->size < ALLREDUCE_RING || count < (size_t)comm->size) {
        build_doubling(s, comm, acc, count, type, op);
    } else {
        build_ring(s, comm, acc, count, type, op);
    }
    mpi_schedule_round(s);
}

static int build_allreduce(const char *call, struct mpi_schedule *s, const void *in, void *out,
                           int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    MPI_TRY(check(call, comm, count, type, op));
    void *acc = take_values(s, in, out, (size_t)count, type);
    mpi_build_allreduce(s, comm, acc, (size_t)count, type, op);
    mpi_schedule_copy(s, acc, (size_t)count, type, out, (size_t)count, type);
    return MPI_SUCCESS;
}

MPI_BOTH(Allreduce, allreduce, build_allreduce,
         (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
         (in, out, count, type, op, comm))

int mpi_allreduce(const char *call, MPI_Comm comm, const void *in, void *out, size_t count,
                  MPI_Datatype type, MPI_Op op) {
    struct mpi_schedule *s = mpi_schedule_create(comm);
    build_allreduce(call, s, in, out, (int)count, type, op, comm);
    return mpi_schedule_run(call, comm, s, NULL);
}

/* ---- reduce and scatter: each process combines the values of its block */

static int reduce_scatter(const char *call, struct mpi_schedule *s, const void *in, void *out,
                          const int *counts, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm) {
    const int n = comm->size;
    size_t total = 0, own_at = 0;
    for (int i = 0; i < n; i++) {
        const int each = counts ? counts[i] : count;
        MPI_TRY(check(call, comm, each, type, op));
        if (i == comm->rank) own_at = total;
        total += (size_t)each;
    }
    const size_t own = (size_t)(counts ? counts[comm->rank] : count);
    void *values = take_values(s, in, out, total, type);
    void **value = mpi_schedule_room(s, (size_t)n * sizeof *value);
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        const size_t each = (size_t)(counts ? counts[i] : count);
        value[i] = i == comm->rank ? mpi_element(values, own_at, type)
                                   : mpi_schedule_elements(s, own, type);
        if (i != comm->rank) {
            mpi_schedule_receive(s, value[i], own, type, i);
            mpi_schedule_send(s, mpi_element(values, at, type), each, type, i);
        }
        at += each;
    }
    mpi_schedule_round(s);
    for (int i = n - 2; i >= 0; i--) mpi_schedule_reduce(s, op, value[i], value[n - 1], own, type);
    mpi_schedule_copy(s, value[n - 1], own, type, out, own, type);
    return MPI_SUCCESS;
}

static int build_reduce_scatter(const char *call, struct mpi_schedule *s, const void *in, void *out,
                                const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return reduce_scatter(call, s, in, out, counts, 0, type, op, comm);
}

static int build_reduce_scatter_block(const char *call, struct mpi_schedule *s, const void *in,
                                      void *out, int count, MPI_Datatype type, MPI_Op op,
                                      MPI_Comm comm) {
    return reduce_scatter(call, s, in, out, NULL, count, type, op, comm);
}

MPI_BOTH(Reduce_scatter, reduce_scatter, build_reduce_scatter,
         (const void *in, void *out, const int counts[], MPI_Datatype type, MPI_Op op,
          MPI_Comm comm),
         (in, out, counts, type, op, comm))
MPI_BOTH(Reduce_scatter_block, reduce_scatter_block, build_reduce_scatter_block,
         (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
         (in, out, count, type, op, comm))

/* ---- scans: from each process to the next */

static int scan(const char *call, struct mpi_schedule *s, const void *in, void *out, int count,
                MPI_Datatype type, MPI_Op op, MPI_Comm comm, bool inclusive) {
    const size_t n = (size_t)count;
    MPI_TRY(check(call, comm, count, type, op));
    void *acc = take_values(s, in, out, n, type), *before = NULL;
    if (comm->rank > 0) {
        before = mpi_schedule_elements(s, n, type);
        mpi_schedule_receive(s, before, n, type, comm->rank - 1);
        mpi_schedule_round(s);
        mpi_schedule_reduce(s, op, before, acc, n, type);
    }
    if (comm->rank < comm->size - 1) mpi_schedule_send(s, acc, n, type, comm->rank + 1);
    if (inclusive)
        mpi_schedule_copy(s, acc, n, type, out, n, type);
    else if (before)
        mpi_schedule_copy(s, before, n, type, out, n, type);
    return MPI_SUCCESS;
}

static int build_scan(const char *call, struct mpi_schedule *s, const void *in, void *out,
                      int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return scan(call, s, in, out, count, type, op, comm, true);
}

static int build_exscan(const char *call, struct mpi_schedule *s, const void *in, void *out,
                        int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    return scan(call, s, in, out, count, type, op, comm, false);
}

MPI_BOTH(Scan, scan, build_scan,
         (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
         (in, out, count, type, op, comm))
MPI_BOTH(Exscan, exscan, build_exscan,
         (const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
         (in, out, count, type, op, comm))
