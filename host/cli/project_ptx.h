/* project_ptx.h - --ptx of `heddle project`: the files with the PTX of a profile's kernels. */
#ifndef HEDDLE_CLI_PROJECT_PTX_H
#define HEDDLE_CLI_PROJECT_PTX_H

#include "cli/project_input.h"

/* Reads the files of --ptx into w->ptx: PTX texts, and fat binaries, programs and libraries that
 * hold PTX. Then sets the special operations of w->kernels (ptx_kernels.h), whose notes it prints
 * on standard error. GPUs and kernels are loaded.
 *
 * HEDDLE_ERR_IO: a file cannot be read. HEDDLE_ERR_FATBIN: it holds no PTX, or is damaged. Also
 * errors of ptx_kernels_add() and ptx_kernels_attach(). */
heddle_err project_take_ptx(struct project_work *w, const struct project_options *o,
                            struct heddle_diag *diag);

#endif
