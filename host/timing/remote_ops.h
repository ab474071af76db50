/* remote_ops.h - operations of other SM groups' warps that are at an L2 slice of this group, from
 * the arrival of their request until the slice has performed them.
 *
 * SM (its number on the GPU, or that of a customer that is no SM), warp and number of the operation
 * (`slot`) identify a remote operation. Requests of one operation, each with its own lanes, share
 * the remote operation. It ends when all its lanes have been performed; a later operation may then
 * use the number again.
 *
 * Ownership and threads: as the group's. Ended remote operations stay allocated for later ones, so
 * only a new maximum allocates. */
#ifndef HEDDLE_TIMING_REMOTE_OPS_H
#define HEDDLE_TIMING_REMOTE_OPS_H

#include "exec/exec.h"

struct remote_ops;

/* For warps of `num_sms` SMs of the GPU, and customers from CORE_FIRST_CUSTOMER on. @return
 * HEDDLE_ERR_NOMEM. */
heddle_err remote_ops_create(struct remote_ops **out, uint32_t num_sms);
void remote_ops_free(struct remote_ops *v); /* accepts NULL */

/* @return the entry of an operation, created if it is not here. A new one has no lanes, and the
 * caller fills in the rest. Valid until remote_ops_leave() ends it. */
struct exec_remote_op *remote_ops_enter(struct remote_ops *v, uint32_t sm, uint8_t warp,
                                        uint8_t slot);
/* @return the entry of an operation, or NULL: it is not here. */
struct exec_remote_op *remote_ops_find(struct remote_ops *v, uint32_t sm, uint8_t warp,
                                       uint8_t slot);
/* Removes lanes that have been performed from the remote operation, and ends it with the last
 * lane. */
void remote_ops_leave(struct remote_ops *v, uint32_t sm, uint8_t warp, uint8_t slot,
                      uint32_t lanes);

#endif
