/* wrong.c - MPI used wrongly, in the way that the argument names; wrong.sh has the messages. */
#include "mpi_test.h"

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int value = 0, values[4] = {0};
    MPI_Comm other;
    MPI_File file;
    if (!strcmp(what, "early")) MPI_Barrier(MPI_COMM_WORLD);
    begin(&argc, &argv);
    if (!strcmp(what, "twice")) MPI_Init(&argc, &argv);
    if (!strcmp(what, "spawn"))
        MPI_Comm_spawn("x", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                       MPI_ERRCODES_IGNORE);
    if (!strcmp(what, "file")) /* goes on */
        CHECK(MPI_File_open(MPI_COMM_WORLD, "x", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) ==
              MPI_ERR_UNSUPPORTED_OPERATION);
    if (!strcmp(what, "truncate") && rank == 0)
        MPI_Recv(values, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(what, "truncate") && rank == 1) MPI_Send(values, 4, MPI_INT, 0, 5, MPI_COMM_WORLD);
    if (!strcmp(what, "rank") && rank == 0) MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    if (!strcmp(what, "type") && rank == 0)
        MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    if (!strcmp(what, "committed") && rank == 0) {
        MPI_Datatype type;
        MPI_Type_contiguous(2, MPI_INT, &type);
        MPI_Type_set_name(type, "pair");
        MPI_Send(values, 1, type, 1, 0, MPI_COMM_WORLD);
    }
    if (!strcmp(what, "op")) {
        float f = 0, g;
        MPI_Allreduce(&f, &g, 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD);
    }
    if (!strcmp(what, "abort") && rank == 1) MPI_Abort(MPI_COMM_WORLD, 17);
    if (!strcmp(what, "abort")) MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(what, "dead") || !strcmp(what, "dead_any")) {
        if (rank == 0) return 0; /* without MPI_Finalize() */
        MPI_Recv(&value, 1, MPI_INT, strcmp(what, "dead") ? MPI_ANY_SOURCE : 0, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    if (!strcmp(what, "dead_send")) {
        if (rank == 0) return 0;
        MPI_Ssend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    if (!strcmp(what, "request")) {
        MPI_Request r = MPI_REQUEST_NULL;
        MPI_Start(&r);
    }
    end();
    if (!strcmp(what, "late")) MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}
