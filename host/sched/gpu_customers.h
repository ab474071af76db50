/* gpu_customers.h - components beside a GPU that read and write through its L2
 * (timing/l2_customer.h). */
#ifndef HEDDLE_SCHED_GPU_CUSTOMERS_H
#define HEDDLE_SCHED_GPU_CUSTOMERS_H

#include "sched/gpu.h"
#include "timing/l2_customer.h"

/* Makes a component of the GPU's fabric the customer `number` (CORE_FIRST_CUSTOMER to 255) of its
 * L2: links it to the SM groups. On the driving thread, between windows, before the first kernel.
 * The component owns *out, and must not use it when the GPU is freed. After gpu_reset() it calls
 * l2_customer_reset(). Several customers may be one component. @return HEDDLE_ERR_ARGUMENT: no such
 * number, or it is taken; HEDDLE_ERR_CONFIG: timing is off. */
heddle_err gpu_add_customer(struct gpu *gpu, uint32_t number, uint32_t component,
                            struct l2_customer **out, struct heddle_diag *diag);

/* The component hears of the beginning and end of each timed kernel: message KERNEL. As above; one
 * component at most. */
heddle_err gpu_watch_kernels(struct gpu *gpu, uint32_t component, struct heddle_diag *diag);

/* Kernels' accesses with memory ordering to [address, address + bytes) of pinned memory, whole
 * lines, are performed by the component that hears of kernels: it gets OUTSIDE_OP at their time,
 * and calls gpu_perform_outside() then. 0 bytes: none are. On the driving thread, between
 * windows. */
void gpu_serve_host(struct gpu *gpu, uint64_t address, uint64_t bytes);
void gpu_perform_outside(struct gpu *gpu, uint32_t op, uint32_t lanes);

#endif
