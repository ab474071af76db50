/* core_policy.h - policies that a library with XRT's functions takes for a core: the reference
 * model does (include/heddle_policy.h). A timing core in SystemVerilog has its policies built in.
 *
 * Such a library exports the function CORE_POLICY_FUNCTION. */
#ifndef HEDDLE_TIMING_CORE_POLICY_H
#define HEDDLE_TIMING_CORE_POLICY_H

struct heddle_policy;

/* Gives a kernel of xrtPLKernelOpenExclusive() the policies, before its first run. They are copied;
 * what they point to must stay as long as the kernel. @return 0, or -1: it takes none. */
typedef int core_policy_function(void *kernel, const struct heddle_policy *policy);
#define CORE_POLICY_FUNCTION "heddlePolicy"

#endif
