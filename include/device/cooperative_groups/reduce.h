// cooperative_groups::reduce over a tile or the active lanes of a warp, by shuffles.
//
// Every thread of the group gets the result. The order of the operations depends on the group's
// size alone: sums of floats are the same in every run.
#ifndef HEDDLE_DEVICE_COOPERATIVE_GROUPS_REDUCE_H
#define HEDDLE_DEVICE_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__CUDA__)
namespace cooperative_groups {

#define HEDDLE_OPERATOR(name, result)                              \
    template <class T = void> struct name {                        \
        __device__ T operator()(T a, T b) const { return result; } \
    };
HEDDLE_OPERATOR(plus, a + b)
HEDDLE_OPERATOR(less, b < a ? b : a)
HEDDLE_OPERATOR(greater, a < b ? b : a)
HEDDLE_OPERATOR(bit_and, a &b)
HEDDLE_OPERATOR(bit_or, a | b)
HEDDLE_OPERATOR(bit_xor, a ^ b)
#undef HEDDLE_OPERATOR

template <class Group, class T, class Operator>
HEDDLE_DEVICE T reduce(const Group &group, T value, Operator with) {
    unsigned count = group.num_threads(), rank = group.thread_rank();
    for (unsigned step = 1; step < count; step *= 2) {
        T other = group.shfl_down(value, step);
        if (rank + step < count) value = with(value, other);
    }
    return group.shfl(value, 0);
}

} // namespace cooperative_groups
#endif
#endif
