// The few calls of MPI that programs of apps/shmem make between kernels, and on the CPU. They come
// from the library that `heddle run --nodes N` offers in the place of Open MPI's, so that nothing
// of Open MPI is needed to build these programs; handles are addresses of its symbols. And the
// choice between these and the calls of kernels, which the design makes.
#ifndef HEDDLE_APPS_SHMEM_APP_MPI_H
#define HEDDLE_APPS_SHMEM_APP_MPI_H

#include <dlfcn.h>
#include <string.h>

#include "shmem_app.h"

#include <vector>

struct app_mpi {
    int (*init)(int *, char ***);
    int (*finalize)(void);
    int (*rank)(void *, int *);
    int (*size)(void *, int *);
    int (*barrier)(void *);
    int (*isend)(const void *, int, void *, int, int, void *, void **);
    int (*irecv)(void *, int, void *, int, int, void *, void **);
    int (*waitall)(int, void **, void *);
    int (*allreduce)(const void *, void *, int, void *, void *, void *);
    double (*wtime)(void);
    void *world, *real, *max; // MPI_COMM_WORLD, MPI_FLOAT, MPI_MAX
};

static inline void *app_mpi_symbol(void *library, const char *name) {
    void *address = library ? dlsym(library, name) : NULL;
    if (address) return address;
    app_fail("%s: %s", name, library ? "missing in the library of MPI" : dlerror());
    exit(1);
}

static inline struct app_mpi app_begin_mpi(int *me, int *n) {
    struct app_mpi m;
    void *library = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
    const struct {
        void *to;
        const char *name;
    } calls[] = {{&m.init, "MPI_Init"},       {&m.finalize, "MPI_Finalize"},
                 {&m.rank, "MPI_Comm_rank"},  {&m.size, "MPI_Comm_size"},
                 {&m.barrier, "MPI_Barrier"}, {&m.isend, "MPI_Isend"},
                 {&m.irecv, "MPI_Irecv"},     {&m.waitall, "MPI_Waitall"},
                 {&m.wtime, "MPI_Wtime"},     {&m.allreduce, "MPI_Allreduce"}};
    for (const auto &c : calls) {
        void *address = app_mpi_symbol(library, c.name);
        memcpy(c.to, &address, sizeof address);
    }
    m.world = app_mpi_symbol(library, "ompi_mpi_comm_world");
    m.real = app_mpi_symbol(library, "ompi_mpi_float");
    m.max = app_mpi_symbol(library, "ompi_mpi_op_max");
    if (m.init(NULL, NULL) || m.rank(m.world, me) || m.size(m.world, n)) {
        app_fail("MPI does not begin");
        exit(1);
    }
    return m;
}

static inline void app_mpi_check(int error, const char *what) {
    if (!error) return;
    app_fail("%s fails", what);
    exit(1);
}

// Messages of floats under way at once. Rank -1: none.
struct app_messages {
    const struct app_mpi *mpi;
    std::vector<void *> request;

    void send(const float *from, size_t count, int rank) {
        if (rank < 0) return;
        request.push_back(NULL);
        app_mpi_check(mpi->isend(from, (int)count, mpi->real, rank, 0, mpi->world, &request.back()),
                      "MPI_Isend");
    }
    void receive(float *to, size_t count, int rank) {
        if (rank < 0) return;
        request.push_back(NULL);
        app_mpi_check(mpi->irecv(to, (int)count, mpi->real, rank, 0, mpi->world, &request.back()),
                      "MPI_Irecv");
    }
    // Waits for the oldest `count` of them.
    void wait(size_t count) {
        if (count > request.size()) count = request.size();
        app_mpi_check(mpi->waitall((int)count, request.data(), NULL), "MPI_Waitall");
        request.erase(request.begin(), request.begin() + count);
    }
};

// The greatest of a float of all ranks.
static inline float app_greatest(const struct app_mpi *m, float own) {
    float all = own;
    app_mpi_check(m->allreduce(&own, &all, 1, m->real, m->max, m->world), "MPI_Allreduce");
    return all;
}

// A run of a program whose kernels use the network themselves, or where MPI sends between kernels
// or on the CPU, as the design says (heddle run --design).
struct app_run {
    int me, n;
    bool uses_mpi, on_cpu;
    struct app_mpi mpi;
};

static inline struct app_run app_begin_run() {
    struct app_run run = {};
    const char *design = getenv("HEDDLE_DESIGN");
    run.on_cpu = design && !strcmp(design, "cpu");
    run.uses_mpi = run.on_cpu || (design && !strcmp(design, "inter-kernel"));
    if (run.uses_mpi) {
        run.mpi = app_begin_mpi(&run.me, &run.n);
    } else {
        run.me = app_begin_pe(1);
        run.n = nvshmem_n_pes();
    }
    return run;
}

// All PEs end. PE 0 says so, the others only if they have failed.
static inline int app_end_run(const struct app_run *run, const char *error, const char *result) {
    if (!run->uses_mpi) return app_end_pe(error, result);
    run->mpi.barrier(run->mpi.world);
    run->mpi.finalize();
    return app_end(run->me, error, result);
}

#endif
