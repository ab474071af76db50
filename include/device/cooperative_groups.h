// Cooperative groups: the block, the grid, tiles of a warp, the lanes that run together.
//
// A tile has 1, 2, 4, 8, 16 or 32 threads of one warp. grid_group::sync() needs a cooperative
// launch; its counters are variables of the source file, 64 for the grids in flight. Not
// implemented, so that using them does not compile: clusters, multi_grid_group, tiles above 32
// threads, memcpy_async.
#ifndef HEDDLE_DEVICE_COOPERATIVE_GROUPS_H
#define HEDDLE_DEVICE_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#if defined(__CUDA__)

// By grid number modulo 64. Low 31 bits: blocks that have arrived; the top bit flips when all have.
static __device__ unsigned heddle_grid_barriers[64];

namespace cooperative_groups {

HEDDLE_DEVICE unsigned heddle_lane(void) {
    unsigned lane;
    __asm__("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
HEDDLE_DEVICE unsigned heddle_lanes_below(void) {
    unsigned mask;
    __asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}
// The lane of the n-th set bit of a mask, counted from 0; 32 if the mask has fewer.
HEDDLE_DEVICE unsigned heddle_nth_lane(unsigned mask, unsigned n) {
    for (unsigned i = 0; i < n; i++) mask &= mask - 1;
    return mask ? (unsigned)__ffs((int)mask) - 1 : 32u;
}

class thread_block {
  public:
    __device__ static void sync() { __syncthreads(); }
    __device__ static dim3 group_index() { return blockIdx; }
    __device__ static dim3 thread_index() { return threadIdx; }
    __device__ static dim3 dim_threads() { return blockDim; }
    __device__ static dim3 group_dim() { return blockDim; }
    __device__ static unsigned thread_rank() {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    __device__ static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ static unsigned size() { return num_threads(); }
};
HEDDLE_DEVICE thread_block this_thread_block() {
    return thread_block();
}

class grid_group {
  public:
    __device__ static unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    __device__ static unsigned long long block_rank() {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    __device__ static unsigned long long num_threads() {
        return num_blocks() * thread_block::num_threads();
    }
    __device__ static unsigned long long size() { return num_threads(); }
    __device__ static unsigned long long thread_rank() {
        return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
    }
    __device__ static dim3 block_index() { return blockIdx; }
    __device__ static dim3 dim_blocks() { return gridDim; }
    __device__ static dim3 group_dim() { return gridDim; }
    __device__ static void sync() {
        __syncthreads();
        if (thread_block::thread_rank() == 0) {
            unsigned long long grid;
            __asm__ volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
            unsigned *barrier = &heddle_grid_barriers[grid & 63];
            // Each block adds 1, but the first one adds the rest, so that the sum is 2^31.
            unsigned mine = block_rank() ? 1 : 0x80000000u - ((unsigned)num_blocks() - 1);
            unsigned before = __nv_atomic_fetch_add(barrier, mine, __NV_ATOMIC_ACQ_REL,
                                                    __NV_THREAD_SCOPE_DEVICE);
            while (!((__nv_atomic_load_n(barrier, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) ^
                      before) &
                     0x80000000u)) {
            }
        }
        __syncthreads();
    }
};
HEDDLE_DEVICE grid_group this_grid() {
    return grid_group();
}

// Lanes of one warp, in the order of their numbers: shuffles of any plain type, votes.
class heddle_lanes {
  public:
    __device__ heddle_lanes(unsigned lanes) : mask(lanes) {}
    __device__ void sync() const { __syncwarp(mask); }
    __device__ unsigned thread_rank() const {
        return (unsigned)__popc((int)(mask & heddle_lanes_below()));
    }
    __device__ unsigned num_threads() const { return (unsigned)__popc((int)mask); }
    __device__ unsigned size() const { return num_threads(); }
    __device__ unsigned heddle_mask() const { return mask; }
    __device__ int any(int predicate) const { return __any_sync(mask, predicate); }
    __device__ int all(int predicate) const { return __all_sync(mask, predicate); }
    __device__ unsigned ballot(int predicate) const {
        return packed(__ballot_sync(mask, predicate));
    }
    template <class T> __device__ unsigned match_any(T value) const {
        return packed(__match_any_sync(mask, value));
    }
    template <class T> __device__ unsigned match_all(T value, int &all) const {
        return packed(__match_all_sync(mask, value, &all));
    }
    // The value of the thread of that rank; the caller's own value where no thread has it.
    template <class T> __device__ T shfl(T value, unsigned rank) const {
        return from(value, heddle_nth_lane(mask, rank % num_threads()));
    }
    template <class T> __device__ T shfl_up(T value, unsigned by) const {
        unsigned rank = thread_rank();
        return from(value, rank >= by ? heddle_nth_lane(mask, rank - by) : heddle_lane());
    }
    template <class T> __device__ T shfl_down(T value, unsigned by) const {
        unsigned lane = heddle_nth_lane(mask, thread_rank() + by);
        return from(value, lane < 32 ? lane : heddle_lane());
    }

  protected:
    unsigned mask;

    // Turns a mask of lanes into a mask of ranks in the group.
    __device__ unsigned packed(unsigned lanes) const {
        unsigned ranks = 0;
        int rank = 0;
        for (unsigned left = mask; left; left &= left - 1, rank++) {
            ranks |= (lanes & left & -left ? 1u : 0u) << rank;
        }
        return ranks;
    }
    template <class T> __device__ T from(T value, unsigned lane) const {
        static_assert(sizeof(T) <= 32, "a shuffled value has at most 32 bytes");
        unsigned words[(sizeof(T) + 3) / 4] = {};
        __builtin_memcpy(words, &value, sizeof(T));
        for (unsigned &word : words) word = __shfl_sync(mask, word, (int)lane);
        __builtin_memcpy(&value, words, sizeof(T));
        return value;
    }
};

class coalesced_group : public heddle_lanes {
  public:
    __device__ coalesced_group(unsigned lanes) : heddle_lanes(lanes) {}
    __device__ static unsigned meta_group_rank() { return 0; }
    __device__ static unsigned meta_group_size() { return 1; }
};
HEDDLE_DEVICE coalesced_group coalesced_threads() {
    return coalesced_group(__activemask());
}

// A tile of SIZE adjacent lanes.
template <unsigned SIZE, class Parent = void> class thread_block_tile : public heddle_lanes {
    static_assert(SIZE >= 1 && SIZE <= 32 && (SIZE & (SIZE - 1)) == 0,
                  "tiles of 1, 2, 4, 8, 16 or 32 threads");

  public:
    __device__ thread_block_tile()
        : heddle_lanes((SIZE == 32 ? ~0u : (1u << SIZE % 32) - 1) << first()) {}
    template <class Other>
    __device__ thread_block_tile(const thread_block_tile<SIZE, Other> &) : thread_block_tile() {}
    __device__ static unsigned thread_rank() { return heddle_lane() % SIZE; }
    __device__ static constexpr unsigned num_threads() { return SIZE; }
    __device__ static constexpr unsigned size() { return SIZE; }
    __device__ static unsigned meta_group_rank() { return thread_block::thread_rank() / SIZE; }
    __device__ static unsigned meta_group_size() {
        return (thread_block::num_threads() + SIZE - 1) / SIZE;
    }
    __device__ unsigned ballot(int predicate) const {
        return __ballot_sync(mask, predicate) >> first() & mask >> first();
    }
    template <class T> __device__ unsigned match_any(T value) const {
        return __match_any_sync(mask, value) >> first();
    }
    template <class T> __device__ unsigned match_all(T value, int &all) const {
        return __match_all_sync(mask, value, &all) >> first();
    }
    template <class T> __device__ T shfl(T value, unsigned rank) const {
        return from(value, first() + rank % SIZE);
    }
    template <class T> __device__ T shfl_up(T value, unsigned by) const {
        return from(value, thread_rank() >= by ? heddle_lane() - by : heddle_lane());
    }
    template <class T> __device__ T shfl_down(T value, unsigned by) const {
        return from(value, thread_rank() + by < SIZE ? heddle_lane() + by : heddle_lane());
    }
    template <class T> __device__ T shfl_xor(T value, unsigned with) const {
        return from(value, first() + (thread_rank() ^ with) % SIZE);
    }

  private:
    __device__ static unsigned first() { return heddle_lane() & ~(SIZE - 1); }
};
// Parts of a group: its lanes that pass the same value.
HEDDLE_DEVICE coalesced_group binary_partition(const heddle_lanes &group, bool side) {
    unsigned lanes = group.heddle_mask(), yes = __ballot_sync(lanes, side);
    return coalesced_group(side ? yes : lanes & ~yes);
}
template <class T>
HEDDLE_DEVICE coalesced_group labeled_partition(const heddle_lanes &group, T label) {
    return coalesced_group(__match_any_sync(group.heddle_mask(), label));
}
template <unsigned SIZE, class Parent>
HEDDLE_DEVICE thread_block_tile<SIZE, Parent> tiled_partition(const Parent &) {
    return thread_block_tile<SIZE, Parent>();
}

// A block or lanes of a warp, by one type.
class thread_group {
  public:
    __device__ thread_group(const thread_block &) : lanes(0) {}
    __device__ thread_group(const heddle_lanes &group) : lanes(group), of_warp(true) {}
    __device__ void sync() const { of_warp ? lanes.sync() : thread_block::sync(); }
    __device__ unsigned thread_rank() const {
        return of_warp ? lanes.thread_rank() : thread_block::thread_rank();
    }
    __device__ unsigned num_threads() const {
        return of_warp ? lanes.num_threads() : thread_block::num_threads();
    }
    __device__ unsigned size() const { return num_threads(); }

  private:
    heddle_lanes lanes;
    bool of_warp = false;
};
// Tiles of a size that is known only at run time.
HEDDLE_DEVICE thread_group tiled_partition(const thread_block &, unsigned size) {
    unsigned lanes = size >= 32 ? ~0u : (1u << size) - 1;
    return heddle_lanes(lanes << (heddle_lane() & ~(size - 1)));
}

template <class Group> HEDDLE_DEVICE void sync(const Group &group) {
    group.sync();
}
template <class Group> HEDDLE_DEVICE auto thread_rank(const Group &group) {
    return group.thread_rank();
}
template <class Group> HEDDLE_DEVICE auto group_size(const Group &group) {
    return group.num_threads();
}

} // namespace cooperative_groups

#endif
#endif
