/* read_profile.h - a profile of a real GPU, whichever profiler wrote it.
 *
 * The content decides, not the file's name: Nsight Compute's comma-separated values (read_ncu.h)
 * or nvprof's (read_nvprof.h). Other files that profilers write are refused with the command that
 * makes such values of them. */
#ifndef HEDDLE_PROJECT_READ_PROFILE_H
#define HEDDLE_PROJECT_READ_PROFILE_H

#include "project/read_ncu.h"

/* Replaces what is in `out` by the kernels of a file, and copies into `gpu` (of `size` bytes) what
 * the file says of the GPU: its name, else "compute capability 8.0", else nothing. On an error,
 * which names file and line, `out` is empty. */
heddle_err project_read_file(struct project_kernels *out, char *gpu, size_t size, const char *path,
                             struct heddle_diag *diag);

/* The same for a file in memory, which is overwritten; text[size] is NUL. */
heddle_err project_read_text(struct project_kernels *out, struct project_gpu *gpu, char *text,
                             size_t size, const char *file, struct heddle_diag *diag);

/* Marks each metric that a model needs and some kernel lacks: for NEED_PAPER those of NEED_PAPER,
 * for NEED_HEDDLE those of NEED_PAPER and NEED_HEDDLE, for NEED_EXTRA all.
 * @return whether there is one. */
bool project_missing(bool missing[NUM_PROJECT_METRICS], const struct project_kernels *kernels,
                     enum project_need need);

#endif
