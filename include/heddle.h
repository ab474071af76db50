/* heddle.h - Heddle as a library: simulated NVIDIA GPUs inside a program. docs/library.md has a
 * tour and examples.
 *
 *     heddle_gpu *gpu;
 *     struct heddle_diag diag;
 *     if (heddle_gpu_create(&gpu, &(struct heddle_gpu_options){.gpu = "v100"}, &diag))
 *         fprintf(stderr, "%s\n", diag.text);
 *
 * A GPU loads PTX, has memory, and runs kernels in the order in which they were launched. The
 * caller is its host: each call that `heddle run` charges as a CUDA call takes cpu.api_cost of the
 * GPU's file, and launches and copies cross the CPU-GPU link.
 *
 * Units. Times are target time: picoseconds on the simulated GPU's clock since it was created.
 * Cycles are those of the GPU's core clock (clock.core). The time that a call takes on the caller's
 * machine appears nowhere. Sizes are bytes, unless they are numbers of CTAs or threads.
 *
 * Memory. Device addresses (uint64_t) are valid on the GPU that gave them. The caller reads and
 * writes device memory only through this interface.
 *
 * Ownership. A GPU owns its modules and kernels; heddle_gpu_destroy() frees them. Texts and structs
 * that functions return are the GPU's, and valid until the next call on it unless the comment says
 * otherwise. Arguments are read, and copied, during the call.
 *
 * Threads. One thread at a time may make calls on a GPU; a call that finds another one under way is
 * an error. Calls on different GPUs may be made at the same time. A GPU's results do not depend on
 * the number of its own threads, nor on what else the process does. After fork() only the parent
 * may use its GPUs.
 *
 * Errors. Functions return HEDDLE_OK or an error, and describe it in *diag, unless diag is NULL. A
 * GPU that was destroyed is an error as well. The library prints nothing and does not end the
 * process. If the host's memory is exhausted, a call may return HEDDLE_ERR_NOMEM and leave the GPU
 * unusable: every later call on it then says so, and its memory is not given back. (Verilator's run
 * time ends the process if memory is out when it stops a model, in heddle_gpu_destroy().) */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef HEDDLE_COMMON_ERROR_H /* the same list, inside Heddle */
/* Errors. Their values stay what they are. */
typedef enum heddle_err {
    HEDDLE_OK = 0,
    HEDDLE_ERR_NOMEM = 1,           /* out of host or device memory */
    HEDDLE_ERR_IO = 2,              /* a file, or a mapping of memory */
    HEDDLE_ERR_ARGUMENT = 3,        /* an argument of the call */
    HEDDLE_ERR_INTERNAL = 4,        /* a fault of Heddle */
    HEDDLE_ERR_CONFIG = 10,         /* the GPU's file or a setting */
    HEDDLE_ERR_FATBIN = 20,         /* a fat binary is damaged, or has no PTX */
    HEDDLE_ERR_PTX_SYNTAX = 30,     /* the text names file and line */
    HEDDLE_ERR_PTX_UNSUPPORTED = 31,
    HEDDLE_ERR_PTX_RESOURCES = 32,  /* a kernel does not fit the GPU */
    HEDDLE_ERR_NO_SYMBOL = 33,      /* the module has no such kernel or variable */
    HEDDLE_ERR_ILLEGAL_ADDRESS = 40,
    HEDDLE_ERR_MISALIGNED = 41,
    HEDDLE_ERR_TRAP = 42,
    HEDDLE_ERR_BARRIER = 43,
    HEDDLE_ERR_DEADLOCK = 44,       /* no warp can go on; the GPU is dead */
    HEDDLE_ERR_LAUNCH = 45,         /* grid, block or arguments of a launch */
    HEDDLE_ERR_STOPPED = 46,        /* a heddle_progress_fn has stopped it */
    HEDDLE_ERR_RACE = 47,
    HEDDLE_ERR_UNINITIALISED = 48,
    HEDDLE_ERR_ASSERT = 49,
    HEDDLE_ERR_BACKEND = 50,        /* the timing core is not available */
    HEDDLE_ERR_PROTOCOL = 51,       /* the timing core is of another build */
    HEDDLE_ERR_GLOBAL_RACE = 60,
    HEDDLE_ERR_WAITING = 61,
    HEDDLE_ERR_UNWRITTEN = 62,
    HEDDLE_ERR_TIMEOUT = 63         /* a kernel has taken longer than timeout_ps of the options */
} heddle_err;

/* The description of an error: one or several lines, without a newline at the end. */
struct heddle_diag {
    heddle_err err;
    char text[1024];
};
/* A sentence for an error; static text. */
const char *heddle_err_text(heddle_err e);
#endif

/* Version of the library, "0.1.0"; static text. */
const char *heddle_version(void);
/* The name of an error, "HEDDLE_ERR_LAUNCH"; static text. NULL: there is no such error. */
const char *heddle_err_name(int e);

/* ---- GPUs */

typedef struct heddle_gpu heddle_gpu;

enum heddle_timing {
    HEDDLE_TIMING_RTL, /* cycles from the timing core */
    HEDDLE_TIMING_NONE /* kernels run functionally, in no time */
};

/* How to create a GPU. Zeros are the defaults, so that an initialiser names what differs. */
struct heddle_gpu_options {
    const char *gpu; /* a name, or a path with a slash or .ini, as for --gpu; NULL: "v100" */
    const char *const *settings; /* num_settings texts KEY=VALUE, as `heddle run --set` */
    size_t num_settings;
    enum heddle_timing timing;
    unsigned threads;    /* of the host that simulate the GPU; 0: 1, the caller's own */
    uint64_t timeout_ps; /* target time that a kernel may take; 0: any */
};

/* Creates a GPU. `options` may be NULL. The emulation of the timing core is found beside the
 * library, GPUs in ../share/heddle of it. On an error *out is NULL. */
heddle_err heddle_gpu_create(heddle_gpu **out, const struct heddle_gpu_options *options,
                             struct heddle_diag *diag);
/* Drops unfinished work and frees everything of the GPU. Accepts NULL. @return HEDDLE_ERR_ARGUMENT:
 * it is not there any more, or another thread is in a call on it; then nothing happens. */
heddle_err heddle_gpu_destroy(heddle_gpu *gpu);

/* Tells of a kernel that is being simulated. Borrowed during the call. */
struct heddle_progress {
    const char *kernel;
    uint64_t launch; /* its number */
    uint64_t ctas_done, ctas;
    uint64_t cycles; /* of the kernel so far; 0 with timing off */
};
/* Calls that simulate call `progress` up to five times per second of the caller's machine, with
 * timing off perhaps on another thread. It makes no calls on the GPU. @return false to give up all
 * launches that have not ended; the call that simulates then returns HEDDLE_ERR_STOPPED. */
typedef bool (*heddle_progress_fn)(void *user, const struct heddle_progress *p);
/* NULL: nobody is told. */
heddle_err heddle_gpu_set_progress(heddle_gpu *gpu, heddle_progress_fn progress, void *user,
                                   struct heddle_diag *diag);

/* ---- code */

typedef struct heddle_module heddle_module;
typedef struct heddle_kernel heddle_kernel;

/* Loads code and compiles its kernels: PTX text, or a fat binary that has PTX (nvcc -fatbin, or the
 * section .nv_fatbin of a program). Machine code alone (a cubin) is an error. `name` stands in
 * messages; NULL: "module". The module's variables get their first values, in no target time. */
heddle_err heddle_module_load(heddle_gpu *gpu, const void *code, size_t bytes, const char *name,
                              heddle_module **out, struct heddle_diag *diag);
/* A kernel by its name in PTX (mangled, if the program was written in C++). */
heddle_err heddle_module_kernel(heddle_gpu *gpu, heddle_module *module, const char *name,
                                heddle_kernel **out, struct heddle_diag *diag);
/* Address and size of a variable (.global or .const). Either pointer may be NULL. */
heddle_err heddle_module_variable(heddle_gpu *gpu, heddle_module *module, const char *name,
                                  uint64_t *address, uint64_t *bytes, struct heddle_diag *diag);

/* What a kernel needs. Valid as long as the GPU. */
struct heddle_kernel_info {
    const char *name;             /* as in PTX */
    uint32_t num_parameters;
    const uint32_t *parameter_bytes; /* size of each */
    uint32_t registers;           /* per thread */
    uint32_t shared_bytes;        /* static shared memory per CTA */
    uint32_t local_bytes;         /* local memory per thread */
    uint32_t max_threads;         /* of a CTA, by .maxntid or .reqntid; 0: the GPU's limit */
};
heddle_err heddle_kernel_info(heddle_gpu *gpu, const heddle_kernel *kernel,
                              struct heddle_kernel_info *out, struct heddle_diag *diag);
/* The kernel's names in the order of the module. @return HEDDLE_ERR_NO_SYMBOL: there are no more
 * than `index`. */
heddle_err heddle_module_kernel_at(heddle_gpu *gpu, heddle_module *module, uint32_t index,
                                   heddle_kernel **out, struct heddle_diag *diag);

/* ---- memory. These calls wait for the launches before them, as those of CUDA's default stream
 * do, and return the error of a kernel that has failed meanwhile. */

/* Allocates `bytes` > 0 at a multiple of 256. @return HEDDLE_ERR_NOMEM: the GPU has no room. */
heddle_err heddle_gpu_alloc(heddle_gpu *gpu, uint64_t bytes, uint64_t *address,
                            struct heddle_diag *diag);
/* Frees what was allocated at the address. */
heddle_err heddle_gpu_free(heddle_gpu *gpu, uint64_t address, struct heddle_diag *diag);
/* Copies to and from device memory, and fills it. The range must lie in one allocation or
 * variable. */
heddle_err heddle_gpu_write(heddle_gpu *gpu, uint64_t address, const void *from, uint64_t bytes,
                            struct heddle_diag *diag);
heddle_err heddle_gpu_read(heddle_gpu *gpu, void *to, uint64_t address, uint64_t bytes,
                           struct heddle_diag *diag);
heddle_err heddle_gpu_fill(heddle_gpu *gpu, uint64_t address, uint8_t value, uint64_t bytes,
                           struct heddle_diag *diag);

/* ---- launches */

/* An argument of a kernel: its bytes, as many as the parameter has. */
struct heddle_argument {
    const void *value;
    size_t bytes;
};
struct heddle_launch {
    uint32_t grid[3], block[3]; /* CTAs, threads of a CTA; x, y, z; 0 in y or z counts as 1 */
    uint32_t shared_bytes;      /* dynamic shared memory of a CTA */
    const struct heddle_argument *arguments;
    size_t num_arguments;
};
/* Issues a launch, and simulates nothing yet. *number (may be NULL): the launch's number, from 0.
 * @return HEDDLE_ERR_LAUNCH: grid, block or an argument does not fit the kernel;
 * HEDDLE_ERR_PTX_RESOURCES: a CTA does not fit an SM. */
heddle_err heddle_gpu_launch(heddle_gpu *gpu, const heddle_kernel *kernel,
                             const struct heddle_launch *launch, uint64_t *number,
                             struct heddle_diag *diag);
/* Simulates until all launches have ended, and moves the host's time there. @return the error of a
 * kernel that has failed; the launches after it have been dropped, and others may follow. */
heddle_err heddle_gpu_synchronize(heddle_gpu *gpu, struct heddle_diag *diag);
/* Simulates up to a target time, and moves the host's time there unless it is later already. *done
 * (may be NULL): all launches have ended by then. With timing off all launches run to their end. */
heddle_err heddle_gpu_run(heddle_gpu *gpu, uint64_t until_ps, bool *done,
                          struct heddle_diag *diag);
/* The host's target time. */
heddle_err heddle_gpu_time(heddle_gpu *gpu, uint64_t *ps, struct heddle_diag *diag);
/* What kernels that have ended have printed since the last call; *bytes without the NUL. */
heddle_err heddle_gpu_output(heddle_gpu *gpu, const char **text, size_t *bytes,
                             struct heddle_diag *diag);

/* ---- statistics; docs/statistics.md lists them */

/* A row of the tables. */
struct heddle_statistic {
    const char *name, *unit, *meaning;
};
/* The statistics of a GPU, and the figures of a launch that are numbers; static. */
const struct heddle_statistic *heddle_gpu_statistics(size_t *count);
const struct heddle_statistic *heddle_launch_statistics(size_t *count);

/* A statistic of the whole GPU so far. @return HEDDLE_ERR_ARGUMENT: there is none of that name. */
heddle_err heddle_gpu_statistic(heddle_gpu *gpu, const char *name, uint64_t *value,
                                struct heddle_diag *diag);
/* Number of launches that have ended and are kept. Only those that did not fail are. */
heddle_err heddle_gpu_num_launches(heddle_gpu *gpu, uint64_t *count, struct heddle_diag *diag);
/* A figure of a kept launch, in the order of their ends. NAN: it has no value, such as a hit rate
 * without accesses. */
heddle_err heddle_launch_statistic(heddle_gpu *gpu, uint64_t index, const char *name,
                                   double *value, struct heddle_diag *diag);
/* All of a kept launch as JSON, an object as in `kernels` of report.json. */
heddle_err heddle_launch_json(heddle_gpu *gpu, uint64_t index, const char **text,
                              struct heddle_diag *diag);
/* Forgets the kept launches, whose memory grows with their number. */
heddle_err heddle_gpu_forget_launches(heddle_gpu *gpu, struct heddle_diag *diag);

#ifdef __cplusplus
}
#endif

#endif
