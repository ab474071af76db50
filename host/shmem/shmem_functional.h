/* shmem_functional.h - commands of kernels without timing: carried out at once, whenever somebody
 * looks.
 *
 * With timing off nothing takes time, so a command that is READY completes as soon as it is seen.
 * Server's thread, between turns of the kernels. */
#ifndef HEDDLE_SHMEM_SHMEM_FUNCTIONAL_H
#define HEDDLE_SHMEM_SHMEM_FUNCTIONAL_H

#include "shmem/shmem_pe.h"

struct shmem_functional;

struct shmem_functional *shmem_functional_create(const struct shmem_pes *all); /* borrows `all` */
void shmem_functional_free(struct shmem_functional *f);                        /* accepts NULL */

/* Carries out all commands that are ready, of all PEs in order. *moved: there were some. @return
 * HEDDLE_ERR_ARGUMENT, with text: a command is wrong; *pe: of this PE. It counts as done. */
heddle_err shmem_functional_serve(struct shmem_functional *f, bool *moved, uint32_t *pe,
                                  struct heddle_diag *diag);
/* The PE has new queues, or none: forgets where it was in the old ones. */
void shmem_functional_reset(struct shmem_functional *f, uint32_t pe);

#endif
