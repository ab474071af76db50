/* messages.c - processes of MPI that wait for each other, in the way that the argument names;
 * standstill.sh has the messages. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int rank, size, value = 0, index;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int next = (rank + 1) % size;
    MPI_Request request[2];
    if (!strcmp(what, "receive"))
        MPI_Recv(&value, 1, MPI_INT, next, 5 + rank, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(what, "send")) MPI_Ssend(&value, 1, MPI_INT, next, 5, MPI_COMM_WORLD);
    if (!strcmp(what, "barrier")) {
        if (rank)
            MPI_Barrier(MPI_COMM_WORLD);
        else
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (!strcmp(what, "any")) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&value, 1, MPI_INT, next, i, MPI_COMM_WORLD, &request[i]);
        MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
    }
    if (!strcmp(what, "nap")) { /* no standstill: one of them sleeps, and wakes by itself */
        if (!rank) sleep(2);
        if (!rank) MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    printf("rank %d has ended\n", rank);
    return 0;
}
