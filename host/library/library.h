/* library.h - the inside of libheddle.so (include/heddle.h), shared by the files of host/library.
 *
 * library_call.c has what each call goes through, library_gpu.c the life of a GPU and its time,
 * library_module.c code, library_memory.c memory, library_launch.c launches, and
 * library_statistics.c their figures. */
#ifndef HEDDLE_LIBRARY_LIBRARY_H
#define HEDDLE_LIBRARY_LIBRARY_H

#include "common/config.h"
#include "common/error.h"
#include "cuda/base/address_space.h"
#include "cuda/base/module_variables.h"
#include "include/heddle.h"
#include "mir/mir.h"
#include "sched/gpu.h"

struct heddle_kernel {
    struct heddle_module *module;
    const struct mir_function *code;
    char *title;               /* for people: without mangling and parameters */
    uint32_t *parameter_bytes; /* of each parameter */
};

struct heddle_module {
    struct heddle_module *next;
    struct mir_module *mir;
    struct module_copy variables;
    struct heddle_kernel *kernels; /* [mir->num_functions] */
};

struct heddle_gpu {
    struct heddle_gpu *next; /* of those that live */
    bool busy;               /* a call is under way */
    bool broken;             /* a call ran out of memory: nothing of it may be used */
    struct config *config;
    struct address_space *space;
    struct gpu *gpu;
    uint64_t now_ps, call_ps; /* the host's target time; what a call takes of it */
    struct heddle_module *modules;
    uint64_t num_issued;        /* launches */
    gpu_ticket newest;          /* operation, 0: none */
    struct heddle_diag failure; /* of a kernel, which no call has returned yet */
    heddle_progress_fn progress;
    void *progress_user;
    bool stopped;                      /* by the progress function, which no call has returned */
    struct gpu_kernel_record *records; /* of launches that have ended; own their names */
    size_t num_records, cap_records;
    char *output, *json; /* the last texts returned */
};

/* ---- calls */

typedef heddle_err (*library_fn)(struct heddle_gpu *g, void *arguments, struct heddle_diag *diag);
/* Runs fn(g, arguments, diag) as a call on a GPU: checks that it lives and that no other call is
 * under way; the function gets the C locale, the default floating-point environment, and a way back
 * when memory is out. g NULL: a call that needs no GPU. diag may be NULL; fn gets one. */
heddle_err library_call(struct heddle_gpu *g, library_fn fn, void *arguments,
                        struct heddle_diag *diag);
/* Adds a GPU to those that live. Ends a life: @return false: it does not live, or is busy. */
void library_begin_life(struct heddle_gpu *g);
bool library_end_life(struct heddle_gpu *g);

/* ---- the GPU's host: these run inside a call */

/* A call of CUDA's begins: it takes the host's time. */
static inline void library_charge(struct heddle_gpu *g) {
    g->now_ps += g->call_ps;
}
/* Waits for an operation, 0: for all, and moves the host's time to its end. @return the error of
 * the simulator, of a kernel that has failed, or HEDDLE_ERR_STOPPED; each once. */
heddle_err library_wait(struct heddle_gpu *g, gpu_ticket ticket, struct heddle_diag *diag);
/* The errors that the simulation has left, as library_wait() returns them. */
heddle_err library_errors(struct heddle_gpu *g, struct heddle_diag *diag);
/* gpu_options.ended; the user is a struct heddle_gpu *. */
void library_keep_record(void *user, const struct gpu_kernel_record *record);
void library_forget_records(struct heddle_gpu *g);
void library_free_modules(struct heddle_gpu *g);
/* The kernel, if it is the GPU's; else NULL, with an error in diag. */
const struct heddle_kernel *library_kernel(const struct heddle_gpu *g,
                                           const struct heddle_kernel *kernel,
                                           struct heddle_diag *diag);

#endif
