/* ptx_kernels.h - the PTX of a profile's kernels, for what profilers do not count: how often
 * special operations ran (isa.h).
 *
 * Kernels are found by name. Executions follow from the PTX and the profile's counters
 * (ptx_weights.h); where ptxas is there, the kernel's own code on source and targets stands in
 * place of the table of special operations (isa_compile.h). */
#ifndef HEDDLE_PROJECT_PTX_KERNELS_H
#define HEDDLE_PROJECT_PTX_KERNELS_H

#include "project/capability.h"
#include "project/profile.h"

struct ptx_kernels;

/* No module yet; the caller frees it with ptx_kernels_free(), behind the profile that it served. */
struct ptx_kernels *ptx_kernels_make(void);
void ptx_kernels_free(struct ptx_kernels *p); /* accepts NULL */

/* Adds a module, whose text is copied. `file` stands in messages. HEDDLE_ERR_PTX_SYNTAX. */
heddle_err ptx_kernels_add(struct ptx_kernels *p, const char *file, const char *text, size_t bytes,
                           struct heddle_diag *diag);

/* Takes a note: a sentence for the user. */
typedef void (*ptx_note_fn)(void *user, const char *text);

/* GPUs, ptxas, and who hears of what could not be done. */
struct ptx_request {
    const struct capability *source;
    const struct capability *const *targets;
    size_t num_targets;
    const char *ptxas; /* path; NULL: as the shell finds it */
    ptx_note_fn note;
    void *user;
};

/* Sets the special operations of each kernel of the profile that is in a module. Notes kernels that
 * are in none, or more than once, or that call functions: theirs stay unknown. Also notes what
 * ptxas refuses: there the table serves.
 *
 * HEDDLE_ERR_ARGUMENT: no kernel of the profile is in any module. HEDDLE_ERR_CONFIG: the table
 * of isa.h lacks a GPU's compute capability. */
heddle_err ptx_kernels_attach(struct ptx_kernels *p, struct project_kernels *kernels,
                              const struct ptx_request *request, struct heddle_diag *diag);

#endif
