/* collectives.c - collective operations, with and without waiting, of several lengths, against what
 * each process can compute by itself. */
#include "mpi_test.h"

/* Value i of process p. */
static int value(int p, int i) {
    return p * 1000 + i * 7 + 3;
}

static void fill(int *v, int n) {
    for (int i = 0; i < n; i++) v[i] = value(rank, i);
}

static int sum(int i, int first, int last) {
    int total = 0;
    for (int p = first; p <= last; p++) total += value(p, i);
    return total;
}

static void moves(int n) {
    int *own = malloc((size_t)n * sizeof *own);
    int *all = malloc((size_t)n * (size_t)size * sizeof *all);
    for (int root = 0; root < size; root++) {
        for (int i = 0; i < n; i++) own[i] = rank == root ? value(root, i) : -1;
        MPI_Bcast(own, n, MPI_INT, root, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++) CHECK(own[i] == value(root, i));
        fill(own, n);
        memset(all, -1, (size_t)n * (size_t)size * sizeof *all);
        MPI_Gather(own, n, MPI_INT, all, n, MPI_INT, root, MPI_COMM_WORLD);
        for (int i = 0; i < n * size; i++)
            CHECK(all[i] == (rank == root ? value(i / n, i % n) : -1));
        MPI_Scatter(all, n, MPI_INT, rank == root ? MPI_IN_PLACE : own, n, MPI_INT, root,
                    MPI_COMM_WORLD);
        for (int i = 0; i < n; i++) CHECK(own[i] == value(rank, i));
    }
    memset(all, -1, (size_t)n * (size_t)size * sizeof *all);
    MPI_Allgather(own, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < n * size; i++) CHECK(all[i] == value(i / n, i % n));
    memset(all, -1, (size_t)n * (size_t)size * sizeof *all);
    memcpy(all + rank * n, own, (size_t)n * sizeof *own);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < n * size; i++) CHECK(all[i] == value(i / n, i % n));
    /* block j of process i becomes block i of process j */
    int *in = malloc((size_t)n * (size_t)size * sizeof *in);
    for (int i = 0; i < n * size; i++) all[i] = value(rank * size + i / n, i % n);
    MPI_Alltoall(all, n, MPI_INT, in, n, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < n * size; i++) CHECK(in[i] == value(i / n * size + rank, i % n));
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < n * size; i++) CHECK(all[i] == in[i]);
    free(own);
    free(all);
    free(in);
}

/* Parts of different lengths: process p has p + 1 values, with a gap behind them. */
static void parts(void) {
    int counts[64], at[64], total = 0, own[65], one[64 * 66], back[65];
    for (int p = 0; p < size; p++) {
        counts[p] = p + 1;
        at[p] = total;
        total += p + 2;
    }
    fill(own, rank + 1);
    memset(one, -1, sizeof one);
    MPI_Gatherv(own, rank + 1, MPI_INT, one, counts, at, MPI_INT, size - 1, MPI_COMM_WORLD);
    if (rank == size - 1)
        for (int p = 0; p < size; p++) {
            for (int i = 0; i < counts[p]; i++) CHECK(one[at[p] + i] == value(p, i));
            CHECK(one[at[p] + counts[p]] == -1);
        }
    MPI_Scatterv(one, counts, at, MPI_INT, back, rank + 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    for (int i = 0; i <= rank; i++) CHECK(back[i] == value(rank, i));
    memset(one, -1, sizeof one);
    MPI_Allgatherv(own, rank + 1, MPI_INT, one, counts, at, MPI_INT, MPI_COMM_WORLD);
    for (int p = 0; p < size; p++)
        for (int i = 0; i < counts[p]; i++) CHECK(one[at[p] + i] == value(p, i));
    /* process p sends p + q + 1 values to process q */
    int out_counts[64], out_at[64], in_counts[64], in_at[64];
    int out[64 * 130], in[64 * 130], out_total = 0, in_total = 0;
    for (int q = 0; q < size; q++) {
        out_counts[q] = in_counts[q] = rank + q + 1;
        out_at[q] = out_total;
        in_at[q] = in_total;
        for (int i = 0; i < out_counts[q]; i++) out[out_total++] = value(rank * size + q, i);
        in_total += in_counts[q];
    }
    MPI_Alltoallv(out, out_counts, out_at, MPI_INT, in, in_counts, in_at, MPI_INT, MPI_COMM_WORLD);
    for (int p = 0; p < size; p++)
        for (int i = 0; i < in_counts[p]; i++) CHECK(in[in_at[p] + i] == value(p * size + rank, i));
    int counts_of[64];
    for (int p = 0; p < size; p++) counts_of[p] = p + 1;
    int values[64 * 65], mine[65], before = 0;
    const int all = size * (size + 1) / 2;
    fill(values, all);
    for (int p = 0; p < rank; p++) before += p + 1;
    MPI_Reduce_scatter(values, mine, counts_of, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i <= rank; i++) CHECK(mine[i] == sum(before + i, 0, size - 1));
}

static void reductions(int n) {
    int *own = malloc((size_t)n * sizeof *own), *out = malloc((size_t)n * sizeof *out);
    fill(own, n);
    for (int root = 0; root < size; root++) {
        memset(out, -1, (size_t)n * sizeof *out);
        MPI_Reduce(own, out, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++) CHECK(out[i] == (rank == root ? sum(i, 0, size - 1) : -1));
    }
    MPI_Allreduce(own, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) CHECK(out[i] == sum(i, 0, size - 1));
    memcpy(out, own, (size_t)n * sizeof *own);
    MPI_Allreduce(MPI_IN_PLACE, out, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) CHECK(out[i] == value(size - 1, i));
    MPI_Scan(own, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) CHECK(out[i] == sum(i, 0, rank));
    memset(out, -1, (size_t)n * sizeof *out);
    MPI_Exscan(own, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) CHECK(out[i] == (rank ? sum(i, 0, rank - 1) : -1));
    free(own);
    free(out);
}

/* Matrices of 2 by 2: a product that does not commute. */
struct matrix {
    long m[4];
};

static void multiply(void *in, void *inout, int *count, MPI_Datatype *type) {
    const struct matrix *a = in;
    struct matrix *b = inout;
    (void)type;
    for (int i = 0; i < *count; i++) {
        const struct matrix x = a[i], y = b[i];
        for (int k = 0; k < 4; k++)
            b[i].m[k] = (x.m[k / 2 * 2] * y.m[k % 2] + x.m[k / 2 * 2 + 1] * y.m[2 + k % 2]) % 10007;
    }
}

static struct matrix matrix_of(int p) {
    return (struct matrix){{p + 1, 2, 3, p + 2}};
}

static void own_operation(void) {
    MPI_Datatype type;
    MPI_Op op;
    int commutes;
    MPI_Type_contiguous(4, MPI_LONG, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(multiply, 0, &op);
    MPI_Op_commutative(op, &commutes);
    CHECK(!commutes);
    struct matrix own = matrix_of(rank), out, expected = matrix_of(size - 1), upto;
    int one = 1;
    for (int p = size - 2; p >= 0; p--) {
        struct matrix m = matrix_of(p);
        multiply(&m, &expected, &one, NULL);
    }
    MPI_Allreduce(&own, &out, 1, type, op, MPI_COMM_WORLD);
    CHECK(memcmp(&out, &expected, sizeof out) == 0);
    MPI_Reduce(&own, &out, 1, type, op, size / 2, MPI_COMM_WORLD);
    if (rank == size / 2) CHECK(memcmp(&out, &expected, sizeof out) == 0);
    upto = matrix_of(rank);
    for (int p = rank - 1; p >= 0; p--) {
        struct matrix m = matrix_of(p);
        multiply(&m, &upto, &one, NULL);
    }
    MPI_Scan(&own, &out, 1, type, op, MPI_COMM_WORLD);
    CHECK(memcmp(&out, &upto, sizeof out) == 0);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

static void operations(void) {
    struct {
        double value;
        int index;
    } pair = {rank == size / 2 ? 100.0 : (double)rank, rank}, best;
    MPI_Allreduce(&pair, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    CHECK(best.value == 100.0 && best.index == size / 2);
    int two[2] = {5, rank}, least[2];
    MPI_Allreduce(two, least, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
    CHECK(least[0] == 5 && least[1] == 0);
    unsigned char byte = (unsigned char)(1u << (rank % 8)), bits;
    MPI_Allreduce(&byte, &bits, 1, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    CHECK(bits == (size >= 8 ? 255 : (1 << size) - 1));
    int truth = rank == 0, result;
    MPI_Allreduce(&truth, &result, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    CHECK(result == (size == 1));
    MPI_Allreduce(&truth, &result, 1, MPI_INT, MPI_LXOR, MPI_COMM_WORLD);
    CHECK(result == 1);
    float f = (float)(rank + 1), product, expected = 1;
    for (int p = 0; p < size; p++) expected *= (float)(p + 1);
    MPI_Allreduce(&f, &product, 1, MPI_FLOAT, MPI_PROD, MPI_COMM_WORLD);
    CHECK(product == expected);
    double complex_value[2] = {1, rank}, total[2];
    MPI_Allreduce(complex_value, total, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
    CHECK(total[0] == size && total[1] == size * (size - 1) / 2);
    int a[2] = {1, 2}, b[2] = {10, 20};
    MPI_Reduce_local(a, b, 2, MPI_INT, MPI_SUM);
    CHECK(b[0] == 11 && b[1] == 22);
    int block[64], mine;
    for (int p = 0; p < size; p++) block[p] = rank + p;
    MPI_Reduce_scatter_block(block, &mine, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(mine == size * (size - 1) / 2 + size * rank);
}

/* Several at once, in calls that wait for something else, too. */
static void not_blocking(void) {
    enum { N = 4000 };
    static int out[N], total[N], all[64 * 3];
    int own[3], word = rank == size - 1 ? 77 : 0, message = -1;
    MPI_Request r[5];
    fill(out, N);
    fill(own, 3);
    MPI_Ibcast(&word, 1, MPI_INT, size - 1, MPI_COMM_WORLD, &r[0]);
    MPI_Iallreduce(out, total, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[1]);
    MPI_Iallgather(own, 3, MPI_INT, all, 3, MPI_INT, MPI_COMM_WORLD, &r[2]);
    MPI_Ibarrier(MPI_COMM_WORLD, &r[3]);
    /* the tree of the broadcast goes on while process 0 waits for this */
    MPI_Irecv(&message, 1, MPI_INT, (rank - 1 + size) % size, 5, MPI_COMM_WORLD, &r[4]);
    if (rank == 0) MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
    MPI_Wait(&r[4], MPI_STATUS_IGNORE);
    CHECK(message == (rank - 1 + size) % size);
    int flag = 0;
    while (!flag) MPI_Test(&r[3], &flag, MPI_STATUS_IGNORE);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    CHECK(word == 77);
    for (int i = 0; i < N; i++) CHECK(total[i] == sum(i, 0, size - 1));
    for (int i = 0; i < 3 * size; i++) CHECK(all[i] == value(i / 3, i % 3));
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    static const int lengths[] = {1, 3, 1000, 30000};
    for (int i = 0; i < 4; i++) {
        moves(lengths[i]);
        reductions(lengths[i]);
    }
    parts();
    own_operation();
    operations();
    not_blocking();
    return end();
}
