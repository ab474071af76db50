/* visits.h - operations of other SM groups' warps that are at an L2 slice of this group, from the
 * arrival of their request until the slice has performed them.
 *
 * SM (its number on the GPU), warp and number of the operation (`slot`) identify a visit. Requests
 * of one operation, each with its own lanes, share the visit. It ends when all its lanes have been
 * performed; a later operation may then use the number again.
 *
 * Ownership and threads: as the group's. Ended visits stay allocated for later ones, so only a new
 * maximum allocates. */
#ifndef HEDDLE_TIMING_VISITS_H
#define HEDDLE_TIMING_VISITS_H

#include "exec/exec.h"

struct visits;

/* For warps of `num_sms` SMs of the GPU. @return HEDDLE_ERR_NOMEM. */
heddle_err visits_create(struct visits **out, uint32_t num_sms);
void visits_free(struct visits *v); /* accepts NULL */

/* @return the visit of an operation, created if it is not here. A new one has no lanes, and the
 * caller fills in the rest. Valid until visits_leave() ends it. */
struct exec_visit *visits_enter(struct visits *v, uint32_t sm, uint8_t warp, uint8_t slot);
/* @return the visit of an operation, or NULL: it is not here. */
struct exec_visit *visits_find(struct visits *v, uint32_t sm, uint8_t warp, uint8_t slot);
/* Removes lanes that have been performed from the visit, and ends it with the last lane. */
void visits_leave(struct visits *v, uint32_t sm, uint8_t warp, uint8_t slot, uint32_t lanes);

#endif
