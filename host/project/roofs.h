/* roofs.h - the rooflines of a kernel on one GPU, with the kernel's own ceilings. */
#ifndef HEDDLE_PROJECT_ROOFS_H
#define HEDDLE_PROJECT_ROOFS_H

#include "project/projection.h"

/* Floating-point operations of a kernel, tensor cores included: an addition or multiplication is
 * one, a fused multiply-add two. */
double roofs_flop(const struct project_kernel *k);
/* Whether the profile leaves open what the tensor cores of `source` did in the kernel. Their FLOP
 * then count as 0. */
bool roofs_tensor_unknown(const struct project_kernel *k, const struct capability *source);
/* How much confidence that costs: @return a factor, with the reason in *why where it is below 1. It
 * costs most where all of the kernel's FLOP may be theirs. */
double roofs_tensor_doubt(const struct project_kernel *k, const struct capability *source,
                          const char **why);
/* What the rooflines count: FLOP, or instructions of threads where there are no FLOP. */
enum project_operations roofs_operations(const struct project_kernel *k);
double roofs_count(const struct project_kernel *k);

/* Operations/s of a GPU without the kernel's ceilings: all lanes, and the fused multiply-adds of
 * the precision, or the tensor cores, that perform most of its FLOP. 0: not known. */
double roofs_plain_performance(const struct project_kernel *k, const struct capability *gpu,
                               const struct capability *source);

/* Bytes of the kernel by the place that serves them. What passes a level and does not go on to the
 * next one was served there. */
struct roofline_served roofs_served(const struct project_kernel *k);

/* Makes the roofs of a kernel on `gpu`. Rates are those of programs (capability_rate()), with the
 * max over peak of `source` where only a peak is known. @return HEDDLE_ERR_CONFIG when nothing is
 * known of a rate that the kernel needs. */
heddle_err roofs_make(struct project_roofs *out, const struct project_kernel *k,
                      const struct capability *gpu, const struct capability *source,
                      struct heddle_diag *diag);

#endif
