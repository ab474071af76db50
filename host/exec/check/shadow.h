/* shadow.h - shadow memory of a CTA's shared memory (--memcheck): which bytes were written, and
 * which warp accessed each word last.
 *
 * A race is two accesses to a byte by different warps, at least one of them a write and at least
 * one weak, with nothing between them that orders them. CTA barriers order accesses (arrival before
 * departure). So do fences, atomics and strong accesses, each of which counts as ordered after all
 * earlier ones of the CTA: flags and locks raise no false alarm, but a race hidden behind one is
 * missed. Lanes of one warp are not compared with each other.
 *
 * Owner: the CTA. Threads: as the CTA. Exists only when the launch asks for it; its speed does not
 * matter. */
#ifndef HEDDLE_EXEC_SHADOW_H
#define HEDDLE_EXEC_SHADOW_H

#include "exec/warp/exec_state.h"

/* Creates the shadow memory of a CTA of a launch with checks: nothing written, nothing known.
 * @return HEDDLE_ERR_NOMEM. */
heddle_err exec_shadow_create(struct exec_shadow **out, const struct exec_launch *launch);
/* Accepts NULL. */
void exec_shadow_free(struct exec_shadow *s);

/* A fence, an atomic or a strong access of the warp, before it is performed: the warp knows all
 * earlier ones of the CTA, and later ones know the warp. */
void exec_shadow_order(struct exec_warp *w);
/* The warp arrives at a CTA barrier; a warp that waited there leaves; all have left and the barrier
 * begins anew. */
void exec_shadow_arrive(struct exec_warp *w, unsigned barrier);
void exec_shadow_leave(struct exec_warp *w, unsigned barrier);
void exec_shadow_renew(struct exec_cta *cta, unsigned barrier);

/* Checks and notes an access of the lanes of mask to shared memory, at byte offsets, in bounds.
 * `strong`: exec_shadow_order() was called for it. A race (HEDDLE_ERR_RACE) or a read before any
 * write (HEDDLE_ERR_UNINITIALISED) becomes a finding, or the CTA's fault. @return EX_NEXT or
 * EX_FAULT. */
exec_code exec_shadow_access(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                             const uint64_t *address, bool strong);

#endif
