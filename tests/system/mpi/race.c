/* race.c [SEED] - whatever could depend on the host: receives from any source, tests and probes in
 * loops, locks, updates of one counter, times. Each process prints what it has seen. With a seed it
 * pauses now and then, which must not matter. */
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>

#include "mpi_test.h"

static unsigned seed;

/* Runs for a while, or sleeps for less than the others wait. */
static void pause_a_while(void) {
    if (!seed) return;
    seed = seed * 1103515245u + 12345u;
    const unsigned what = seed >> 16;
    if (what % 4 == 0) usleep(what % 3000);
    const clock_t end = clock() + (clock_t)(what % 500);
    while (what % 3 == 0 && clock() < end) {
    }
}

int main(int argc, char **argv) {
    enum { ROUNDS = 12 };
    char said[4000] = "";
    size_t n = 0;
    begin(&argc, &argv);
    if (argc > 1 && atoi(argv[1])) seed = (unsigned)(atoi(argv[1]) * 100 + rank + 1);
    static char block[40000];
    for (int round = 0; round < ROUNDS; round++) {
        /* all send to one, of different lengths, which takes them as they come */
        const int to = round % size;
        const int bytes = (rank * 7919 + round * 104729) % (int)sizeof block;
        pause_a_while();
        if (rank != to) {
            MPI_Request r;
            int flag = 0, tests = 0;
            MPI_Isend(block, bytes, MPI_BYTE, to, rank, MPI_COMM_WORLD, &r);
            for (; !flag; tests++) {
                pause_a_while();
                MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
            }
            n += (size_t)snprintf(said + n, sizeof said - n, " t%d", tests);
            continue;
        }
        for (int i = 1; i < size; i++) {
            MPI_Status status;
            int flag = 0, count, probes = 0;
            for (; !flag; probes++) {
                pause_a_while();
                MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
            }
            MPI_Recv(block, sizeof block, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG,
                     MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_BYTE, &count);
            CHECK(count == (status.MPI_SOURCE * 7919 + round * 104729) % (int)sizeof block);
            n += (size_t)snprintf(said + n, sizeof said - n, " %d@%d", status.MPI_SOURCE, probes);
        }
    }
    /* who takes which number */
    long *counter, one = 1, old;
    MPI_Win win;
    MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter,
                     &win);
    for (int k = 0; k < 8; k++) {
        pause_a_while();
        MPI_Win_lock(k % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 1 % size, 0, win);
        MPI_Fetch_and_op(&one, &old, MPI_LONG, 1 % size, 0, MPI_SUM, win);
        MPI_Win_unlock(1 % size, win);
        n += (size_t)snprintf(said + n, sizeof said - n, " n%ld", old);
    }
    MPI_Win_free(&win);
    double sum, own = 1.0 / (rank + 3);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    printf("PE %d:%s, sum %a, end %.6f us\n", rank, said, sum, MPI_Wtime() * 1e6);
    return end();
}
