/* visits.h - operations of other SM groups' warps that are at an L2 slice of this group, from the
 * arrival of their request until the slice has performed them.
 *
 * A visit is known by SM, warp and number of the operation. Requests of one operation, each with
 * its own lanes, share the visit. It is over when its lanes have been performed; the number may
 * come again after that.
 *
 * Ownership and threads: as the group's. Visits keep their memory for those that come later, so
 * only a new maximum allocates. */
#ifndef HEDDLE_TIMING_VISITS_H
#define HEDDLE_TIMING_VISITS_H

#include "exec/exec.h"

struct visits;

/* For warps of `num_sms` SMs of the GPU. @return HEDDLE_ERR_NOMEM. */
heddle_err visits_create(struct visits **out, uint32_t num_sms);
void visits_free(struct visits *v); /* accepts NULL */

/* The visit of an operation. A new one has no lanes yet, and the caller fills in the rest. */
struct exec_visit *visits_enter(struct visits *v, uint32_t sm, uint8_t warp, uint8_t slot);
/* The same. @return NULL: it is not here. */
struct exec_visit *visits_find(struct visits *v, uint32_t sm, uint8_t warp, uint8_t slot);
/* Lanes have been performed: takes them out, and ends the visit with the last one. */
void visits_leave(struct visits *v, uint32_t sm, uint8_t warp, uint8_t slot, uint32_t lanes);

#endif
