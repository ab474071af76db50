/* messages.c - sends and receives of all kinds between neighbours in a ring, and to oneself. */
#include "mpi_test.h"

enum { N = 1000, LARGE = 300000 };

static int next, before;

/* Every process sends to the next one; a ring of blocking sends would be unsafe, so odd ones
 * receive first. */
static void blocking(void) {
    int out[N], in[N];
    MPI_Status status;
    for (int i = 0; i < N; i++) out[i] = rank * N + i;
    memset(in, -1, sizeof in);
    for (int turn = 0; turn < 2; turn++) {
        if (turn == rank % 2) MPI_Send(out, N, MPI_INT, next, 7, MPI_COMM_WORLD);
        if (turn != before % 2) continue;
        MPI_Recv(in, N, MPI_INT, before, 7, MPI_COMM_WORLD, &status);
        CHECK(status.MPI_SOURCE == before && status.MPI_TAG == 7);
        int count;
        MPI_Get_count(&status, MPI_INT, &count);
        CHECK(count == N);
    }
    for (int i = 0; i < N; i++) CHECK(in[i] == before * N + i);
}

static void not_blocking(void) {
    double *out = malloc(LARGE * sizeof *out), *in = malloc(LARGE * sizeof *in);
    MPI_Request r[4];
    MPI_Status status[4];
    int small = rank, got = -1, flag = 0, index;
    for (int i = 0; i < LARGE; i++) out[i] = rank + i * 0.5;
    MPI_Irecv(in, LARGE, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &r[1]);
    MPI_Isend(out, LARGE, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &r[2]);
    MPI_Isend(&small, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &r[3]);
    MPI_Waitall(4, r, status);
    for (int i = 0; i < 4; i++) CHECK(r[i] == MPI_REQUEST_NULL);
    CHECK(status[1].MPI_SOURCE == before && got == before);
    for (int i = 0; i < LARGE; i++) CHECK(in[i] == before + i * 0.5);
    /* tests until the end; a null request has ended */
    MPI_Irecv(&got, 1, MPI_INT, before, 3, MPI_COMM_WORLD, &r[0]);
    MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    MPI_Issend(&small, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &r[1]);
    r[2] = MPI_REQUEST_NULL;
    for (int done = flag; done < 2;) {
        MPI_Testany(3, r, &index, &flag, MPI_STATUS_IGNORE);
        if (flag) CHECK(index == 0 || index == 1);
        done += flag;
    }
    MPI_Testall(3, r, &flag, MPI_STATUSES_IGNORE);
    CHECK(flag);
    MPI_Waitany(3, r, &index, MPI_STATUS_IGNORE);
    CHECK(index == MPI_UNDEFINED);
    int all[4] = {-1, -1, -1, -1}, indices[4], done, total = 0;
    for (int i = 0; i < 4; i++)
        MPI_Irecv(&all[i], 1, MPI_INT, before, 10 + i, MPI_COMM_WORLD, &r[i]);
    for (int i = 3; i >= 0; i--) MPI_Send(&i, 1, MPI_INT, next, 10 + i, MPI_COMM_WORLD);
    while (total < 4) {
        MPI_Waitsome(4, r, &done, indices, MPI_STATUSES_IGNORE);
        CHECK(done > 0);
        total += done;
    }
    for (int i = 0; i < 4; i++) CHECK(all[i] == i);
    free(out);
    free(in);
}

static void persistent(void) {
    int out, in;
    MPI_Request r[2];
    MPI_Recv_init(&in, 1, MPI_INT, before, 4, MPI_COMM_WORLD, &r[0]);
    MPI_Send_init(&out, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &r[1]);
    for (int k = 0; k < 5; k++) {
        out = rank * 10 + k;
        in = -1;
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        CHECK(in == before * 10 + k && r[0] != MPI_REQUEST_NULL);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    CHECK(r[0] == MPI_REQUEST_NULL);
}

static void probes(void) {
    int out[5] = {rank, 1, 2, 3, 4}, in[5], count, flag = 0;
    MPI_Status status;
    MPI_Message message;
    MPI_Request r[2];
    MPI_Isend(out, 5, MPI_INT, next, 20, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, 3, MPI_INT, next, 21, MPI_COMM_WORLD, &r[1]);
    MPI_Probe(MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 3 && status.MPI_SOURCE == before);
    while (!flag) MPI_Iprobe(before, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    CHECK(status.MPI_TAG == 20);
    MPI_Mprobe(before, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    CHECK(status.MPI_TAG == 20);
    MPI_Recv(in, 5, MPI_INT, before, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_TAG == 21); /* the older one was taken */
    MPI_Mrecv(in, 5, MPI_INT, &message, &status);
    CHECK(message == MPI_MESSAGE_NULL && in[4] == 4 && in[0] == before);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    CHECK(!flag);
}

static void modes(void) {
    char *buffer = malloc(4096 + MPI_BSEND_OVERHEAD);
    int out = rank, in = -1, bytes;
    MPI_Request r;
    MPI_Buffer_attach(buffer, 4096 + MPI_BSEND_OVERHEAD);
    MPI_Bsend(&out, 1, MPI_INT, next, 30, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, before, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in == before);
    char *detached;
    MPI_Buffer_detach(&detached, &bytes);
    CHECK(detached == buffer && bytes == 4096 + MPI_BSEND_OVERHEAD);
    free(buffer);
    MPI_Irecv(&in, 1, MPI_INT, before, 31, MPI_COMM_WORLD, &r);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(&out, 1, MPI_INT, next, 31, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(in == before);
    MPI_Irecv(&in, 1, MPI_INT, before, 32, MPI_COMM_WORLD, &r);
    MPI_Ssend(&out, 1, MPI_INT, next, 32, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    in = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, next, 33, &in, 1, MPI_INT, before, 33, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    CHECK(in == before);
    MPI_Sendrecv_replace(&out, 1, MPI_INT, next, 34, before, 34, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(out == before);
    MPI_Status status;
    MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && in == before);
    MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

/* Messages of one source stay in order, also when receives are posted in between. */
static void order(void) {
    enum { MESSAGES = 50 };
    int in[MESSAGES];
    MPI_Request r[MESSAGES];
    for (int i = 0; i < MESSAGES / 2; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, &r[i]);
    for (int i = 0; i < MESSAGES; i++) MPI_Send(&i, 1, MPI_INT, next, 40, MPI_COMM_WORLD);
    for (int i = MESSAGES / 2; i < MESSAGES; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, before, 40, MPI_COMM_WORLD, &r[i]);
    MPI_Waitall(MESSAGES, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MESSAGES; i++) CHECK(in[i] == i);
}

static void cancels(void) {
    int in, flag;
    MPI_Request r;
    MPI_Status status;
    MPI_Irecv(&in, 1, MPI_INT, before, 99, MPI_COMM_WORLD, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
}

static void errors(void) {
    int out[2] = {1, 2}, in = 0, class, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Request r;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Send(out, 1, MPI_INT, size, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
    CHECK(MPI_Send(out, -1, MPI_INT, 0, 0, MPI_COMM_WORLD) == MPI_ERR_COUNT);
    CHECK(MPI_Send(out, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD) == MPI_ERR_TYPE);
    CHECK(MPI_Send(out, 1, MPI_INT, 0, -5, MPI_COMM_WORLD) == MPI_ERR_TAG);
    MPI_Isend(out, 2, MPI_INT, rank, 50, MPI_COMM_WORLD, &r);
    const int error = MPI_Recv(&in, 1, MPI_INT, rank, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Error_class(error, &class);
    CHECK(class == MPI_ERR_TRUNCATE && in == 1);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Error_string(error, text, &length);
    CHECK(strcmp(text, "MPI_ERR_TRUNCATE: message truncated") == 0 && length == (int)strlen(text));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    next = (rank + 1) % size;
    before = (rank - 1 + size) % size;
    if (size > 1 && size % 2 == 0) blocking();
    not_blocking();
    persistent();
    probes();
    modes();
    order();
    cancels();
    errors();
    const double t = MPI_Wtime();
    CHECK(t > 0 && MPI_Wtime() > t && MPI_Wtick() > 0);
    char name[MPI_MAX_PROCESSOR_NAME];
    int length;
    MPI_Get_processor_name(name, &length);
    CHECK(length == (int)strlen(name));
    return end();
}
