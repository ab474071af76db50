/* bindings.cpp - MPI's C++ bindings, whose library is Open MPI's, on top of Heddle's libmpi. */
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(bool good, const char *what) {
    if (good) return;
    std::fprintf(stderr, "PE %d: not so: %s\n", MPI::COMM_WORLD.Get_rank(), what);
    std::exit(1);
}

static void add(const void *in, void *inout, int count, const MPI::Datatype &) {
    for (int i = 0; i < count; i++)
        static_cast<double *>(inout)[i] += static_cast<const double *>(in)[i];
}

int main(int argc, char **argv) {
    MPI::Init(argc, argv);
    const int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    const int next = (rank + 1) % size, before = (rank - 1 + size) % size;
    std::vector<int> out(100, rank), in(100, -1);
    MPI::Request r = MPI::COMM_WORLD.Irecv(in.data(), 100, MPI::INT, before, 1);
    MPI::COMM_WORLD.Send(out.data(), 100, MPI::INT, next, 1);
    MPI::Status status;
    r.Wait(status);
    check(in[99] == before && status.Get_source() == before, "a message");
    check(status.Get_count(MPI::INT) == 100, "its length");
    double own = rank + 0.5, sum = 0;
    MPI::COMM_WORLD.Allreduce(&own, &sum, 1, MPI::DOUBLE, MPI::SUM);
    check(sum == size * size / 2.0, "a sum");
    MPI::Op op;
    op.Init(add, true);
    MPI::COMM_WORLD.Allreduce(&own, &sum, 1, MPI::DOUBLE, op);
    check(sum == size * size / 2.0, "a sum by an operation of the program");
    op.Free();
    MPI::Intracomm half = MPI::COMM_WORLD.Split(rank % 2, rank);
    check(half.Get_rank() == rank / 2, "a part");
    half.Free();
    MPI::COMM_WORLD.Barrier();
    if (rank == 0) std::printf("passed on %d\n", size);
    MPI::Finalize();
}
