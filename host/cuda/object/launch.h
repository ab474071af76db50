/* launch.h - kernel launches: checked as the driver does, then issued on a stream. */
#ifndef HEDDLE_CUDA_OBJECT_LAUNCH_H
#define HEDDLE_CUDA_OBJECT_LAUNCH_H

#include "cuda/object/stream.h"
#include "mir/mir.h"

struct function;

/* A launch as the program gives it. */
struct kernel_shape {
    uint64_t function;          /* id of the kernel (module.h) */
    uint32_t grid[3], block[3]; /* CTAs, threads */
    uint64_t shared_bytes;      /* dynamic shared memory */
    bool cooperative;           /* all CTAs must be resident at once */
    const uint8_t *parameters;  /* in the device's layout */
    uint32_t parameter_bytes;
};

/* A checked launch, with its code loaded on a device. Valid during the call. */
struct launch {
    const struct kernel_shape *shape; /* borrowed */
    struct function *function;
    const struct mir_function *code;
};

/* Loads the kernel on the device (module.h), which compiles its module on first use and may report
 * errors on standard error. Checks the launch as the driver does. Does not read the parameters.
 * @return cudaError_t. */
int launch_prepare(struct call *call, const struct kernel_shape *shape, unsigned device,
                   struct launch *out);
/* Issues a launch on a stream of that device and copies its parameters. in_graph: it follows
 * another kernel of the same graph launch. *ticket may be NULL. Asks server_options.times whether
 * to time it. Counts it in server.launches and server.launched. A cooperative launch allocates
 * memory for its barrier and frees it behind the kernel. Reports a refused launch on standard
 * error. @return cudaError_t. */
int launch_issue(struct call *call, const struct stream_ref *ref, const struct launch *launch,
                 bool in_graph, gpu_ticket *ticket);

/* Dynamic shared memory that the kernel may use, in bytes. */
uint64_t launch_dynamic_limit(const struct config *c, const struct function *f,
                              const struct mir_function *code);

#endif
