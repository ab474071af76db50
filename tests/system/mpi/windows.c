/* windows.c - one-sided communication: fences, locks, groups, updates, datatypes with gaps. */
#include "mpi_test.h"

enum { N = 100 };

static void fences(void) {
    static int memory[2 * N];
    int own[N], got[N];
    MPI_Win win;
    MPI_Group group;
    const int next = (rank + 1) % size, before = (rank - 1 + size) % size;
    for (int i = 0; i < N; i++) own[i] = rank * N + i;
    memset(memory, -1, sizeof memory);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(own, N, MPI_INT, next, N, N, MPI_INT, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < N; i++) CHECK(memory[N + i] == before * N + i && memory[i] == -1);
    MPI_Get(got, N, MPI_INT, next, N, N, MPI_INT, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < N; i++) CHECK(got[i] == rank * N + i);
    /* every second element of the target */
    MPI_Datatype gaps;
    MPI_Type_vector(10, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    memset(memory, 0, sizeof memory);
    MPI_Win_fence(0, win);
    MPI_Put(own, 10, MPI_INT, next, 0, 1, gaps, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 20; i++) CHECK(memory[i] == (i % 2 ? 0 : before * N + i / 2));
    MPI_Type_free(&gaps);
    MPI_Win_get_group(win, &group);
    int members;
    MPI_Group_size(group, &members);
    CHECK(members == size);
    MPI_Group_free(&group);
    MPI_Win_free(&win);
    CHECK(win == MPI_WIN_NULL);
}

static void locks(void) {
    long *memory;
    MPI_Win win;
    int *base, flag;
    MPI_Win_allocate(4 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
    CHECK(flag && (void *)base == (void *)memory && memory[0] == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < 20; k++) { /* read, add, write back: only the lock keeps it whole */
        long value;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Get(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_flush(0, win);
        value++;
        MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* or the turns below would wait for these locks */
    MPI_Win_lock_all(0, win);
    long one = 1, old = -1, turn = rank, expected;
    for (int k = 0; k < 10; k++)
        MPI_Accumulate(&one, 1, MPI_LONG, size - 1, 1, 1, MPI_LONG, MPI_SUM, win);
    MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 2, MPI_SUM, win);
    CHECK(old >= 0 && old < size);
    do { /* take turns */
        expected = turn;
        const long next = turn + 1;
        MPI_Compare_and_swap(&next, &expected, &old, MPI_LONG, 0, 3, win);
    } while (old != expected);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) CHECK(memory[0] == 20 * size && memory[2] == size && memory[3] == size);
    if (rank == size - 1) CHECK(memory[1] == 10 * size);
    MPI_Win_free(&win);
}

static void groups(void) {
    int memory[2] = {-1, -1};
    const int next = (rank + 1) % size, before = (rank - 1 + size) % size;
    MPI_Win win;
    MPI_Group world, to, from;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &next, &to);
    MPI_Group_incl(world, 1, &before, &from);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int k = 0; k < 3; k++) {
        const int value = rank + 100 * k;
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        MPI_Put(&value, 1, MPI_INT, next, 1, 1, MPI_INT, win);
        MPI_Win_complete(win);
        if (k == 1) {
            int flag = 0;
            while (!flag) MPI_Win_test(win, &flag);
        } else {
            MPI_Win_wait(win);
        }
        CHECK(memory[1] == before + 100 * k && memory[0] == -1);
    }
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

static void errors(void) {
    int memory[4] = {0}, value = 1;
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, win);
    CHECK(MPI_Put(&value, 1, MPI_INT, 0, 4, 1, MPI_INT, win) == MPI_ERR_RMA_RANGE);
    CHECK(MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win) == MPI_ERR_RANK);
    CHECK(MPI_Win_unlock(0, win) == MPI_ERR_RMA_SYNC);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    fences();
    locks();
    groups();
    errors();
    return end();
}
