// The few calls of MPI that programs of apps/shmem make between kernels, and on the CPU. They come
// from the library that `heddle run --nodes N` offers in the place of Open MPI's, so that nothing
// of Open MPI is needed to build these programs; handles are addresses of its symbols. And the
// choice between these and the calls of kernels, which the design makes.
#ifndef HEDDLE_APPS_SHMEM_APP_MPI_H
#define HEDDLE_APPS_SHMEM_APP_MPI_H

#include <dlfcn.h>
#include <string.h>

#include "shmem_app.h"

struct app_mpi {
    int (*init)(int *, char ***);
    int (*finalize)(void);
    int (*rank)(void *, int *);
    int (*size)(void *, int *);
    int (*barrier)(void *);
    int (*sendrecv)(const void *, int, void *, int, int, void *, int, void *, int, int, void *,
                    void *);
    double (*wtime)(void);
    void *world, *real; // MPI_COMM_WORLD, MPI_FLOAT
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
                 {&m.barrier, "MPI_Barrier"}, {&m.sendrecv, "MPI_Sendrecv"},
                 {&m.wtime, "MPI_Wtime"}};
    for (const auto &c : calls) {
        void *address = app_mpi_symbol(library, c.name);
        memcpy(c.to, &address, sizeof address);
    }
    m.world = app_mpi_symbol(library, "ompi_mpi_comm_world");
    m.real = app_mpi_symbol(library, "ompi_mpi_float");
    if (m.init(NULL, NULL) || m.rank(m.world, me) || m.size(m.world, n)) {
        app_fail("MPI does not begin");
        exit(1);
    }
    return m;
}

// Sends floats to one rank and receives as many from another; -1: none.
static inline void app_exchange(const struct app_mpi *m, const float *from, int to_rank, float *to,
                                int from_rank, size_t count) {
    enum { PROC_NULL = -2 }; // MPI_PROC_NULL
    if (m->sendrecv(from, (int)count, m->real, to_rank < 0 ? PROC_NULL : to_rank, 0, to, (int)count,
                    m->real, from_rank < 0 ? PROC_NULL : from_rank, 0, m->world, NULL)) {
        app_fail("an exchange fails");
        exit(1);
    }
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
