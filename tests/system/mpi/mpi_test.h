/* mpi_test.h - checks of MPI programs: the first that fails ends the run. */
#ifndef MPI_TEST_H
#define MPI_TEST_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

#define CHECK(condition)                                                                         \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            fprintf(stderr, "PE %d: %s:%d: not so: %s\n", rank, __FILE__, __LINE__, #condition); \
            exit(1);                                                                             \
        }                                                                                        \
    } while (0)

/* Begins, and runs what there is; says so when all have passed. */
static void begin(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static int end(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("passed on %d\n", size);
    MPI_Finalize();
    return 0;
}

#endif
