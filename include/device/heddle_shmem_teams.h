// Teams of PEs, and how the PEs of a team wait for one another.
//
// The first HEDDLE_SHMEM_RESERVED bytes of the symmetric heap are an array of NUM_TEAMS teams of
// 2048 bytes, the same slot for the same team at all its members. Of a slot belong
//
//   bytes 0 to 127      to this PE alone: who is in the team, how often it has waited
//   bytes 128 to 639    to this PE alone: messages of each member that it has taken
//   bytes 640 to 703    to other members, which add to them: arrivals in each round of a sync
//   bytes 704 to 1215   to other members, which add to them: messages from each member
//   bytes 1216 to 1231  to this PE and its commands: two words for the library's own reductions
//
// Behind them, the library's first allocation: SCRATCH_BYTES for the collectives of each team.
#ifndef HEDDLE_DEVICE_SHMEM_TEAMS_H
#define HEDDLE_DEVICE_SHMEM_TEAMS_H

#include <stdio.h>

#include "heddle_shmem_rma.h"
#include "heddle_shmem_wait.h"

namespace heddle_shmem_core {

enum { NUM_TEAMS = 32, NO_TEAM = -1, MOST_PES = 64 };
enum { SCRATCH_BYTES = 65536, ALL_SCRATCH = NUM_TEAMS * SCRATCH_BYTES };
// Teams that all programs have. A node has one PE, with a GPU of its own.
enum fixed_team {
    TEAM_WORLD,
    TEAM_SHARED,         // whose memory this PE can load from: itself
    TEAM_NODE,           // PEs of this node: itself
    TEAM_SAME_MYPE_NODE, // PEs that are as manieth of their node: all
    TEAM_SAME_GPU,       // itself
    TEAM_GPU_LEADERS,    // all
    NUM_FIXED_TEAMS
};

struct team {
    int start, stride, size; // members are start, start + stride ... of all PEs; size 0: no team
    int mine;                // this PE's place in it
    char *scratch;
    unsigned long long syncs;  // so far
    unsigned long long phases; // of the halves of scratch
    unsigned long long pad0[11];
    unsigned long long taken[MOST_PES];
    unsigned long long round[8];
    unsigned long long arrived[MOST_PES];
    unsigned long long word[2];
    unsigned long long pad1[102];
};
static_assert(sizeof(team) == HEDDLE_SHMEM_TEAM_BYTES, "a team's slot");
static_assert(offsetof(team, round) == HEDDLE_SHMEM_TEAM_ROUNDS &&
                  offsetof(team, arrived) == HEDDLE_SHMEM_TEAM_ARRIVED &&
                  offsetof(team, word) == HEDDLE_SHMEM_TEAM_WORDS,
              "the simulator names these words");
static_assert(NUM_TEAMS * sizeof(team) == HEDDLE_SHMEM_RESERVED, "all teams");

// The place in another team of a PE of a team, -1: it is not there.
__host__ __device__ inline int translate(int start, int stride, int size, int pe, int to_start,
                                         int to_stride, int to_size) {
    if (pe < 0 || pe >= size) return -1;
    const int away = start + pe * stride - to_start;
    if (away % to_stride || away / to_stride < 0 || away / to_stride >= to_size) return -1;
    return away / to_stride;
}

// A team of this PE; a number of none traps, since the error has no other way out of a kernel.
__device__ inline team *team_of(int number) {
    team *t = reinterpret_cast<team *>(self()->heap) + number;
    if (number < 0 || number >= NUM_TEAMS || !t->size) {
        printf("PE %d: a call of SHMEM for team %d, which is none\n", self()->pe, number);
        __trap();
    }
    return t;
}
__device__ inline int pe_of(const team *t, int member) {
    return t->start + member * t->stride;
}
__device__ inline int team_translate(int from, int pe, int to) {
    if (from == NO_TEAM || to == NO_TEAM) return -1;
    const team *f = team_of(from), *t = team_of(to);
    return translate(f->start, f->stride, f->size, pe, t->start, t->stride, t->size);
}
__device__ inline void *local_ptr(const void *address, int pe) {
    const heddle_shmem_state *s = self();
    const unsigned long long at = (unsigned long long)address;
    const bool is_here = pe == s->pe && at >= s->heap && at - s->heap < s->heap_bytes;
    return is_here ? (void *)address : NULL;
}

// ---- all members wait for one another

// Without the completion of anything. In round r a member adds to a word of the one 2^r places
// behind it, and waits for the one 2^r ahead (dissemination). The words only grow, so that a member
// that is ahead by one sync does no harm.
__device__ inline void sync(team *t) {
    const unsigned long long syncs = ++t->syncs;
    __threadfence_system();
    for (int r = 0; 1 << r < t->size; r++) {
        const int behind = pe_of(t, (t->mine + (1 << r)) % t->size);
        atomic_remote(&t->round[r], HEDDLE_SHMEM_AMO_ADD, 1ull, 0ull, behind, false);
        wait_until(&t->round[r], GREATER_EQUAL, syncs);
    }
}

// Waits until all commands of this PE have completed: of all CTAs, and of kernels before this one.
// The threads of the group share the queues; where threads call one by one, those of a warp that
// come together do. Of a queue with nothing new since another quiet, that is all there is to see.
__device__ __noinline__ inline void quiet(scope s) {
    enum { AT_ONCE = 8 }; // more take registers that CTAs of 1,024 threads do not have
    const unsigned count = self()->num_queues;
    const unsigned lanes = s == THREAD ? __activemask() : 0;
    const unsigned before = lanes & ((1u << rank_in(WARP)) - 1);
    const unsigned rank = s == THREAD ? __popc(before) : rank_in(s);
    const unsigned size = s == THREAD ? __popc(lanes) : size_of(s);
    const auto meet_all = [&] { s == THREAD ? __syncwarp(lanes) : meet(s); };
    __threadfence_system();
    meet_all();
    for (unsigned first = rank; first < count; first += AT_ONCE * size) {
        unsigned long long seen[AT_ONCE];
        unsigned number[AT_ONCE], asked = 0;
#pragma unroll
        for (unsigned i = 0; i < AT_ONCE; i++) { // loads that do not wait for each other
            const unsigned q = first + i * size;
            seen[i] = load_relaxed(queue_progress(q < count ? q : first));
        }
#pragma unroll
        for (unsigned i = 0; i < AT_ONCE; i++)
            if (first + i * size < count && (unsigned)seen[i] != (unsigned)(seen[i] >> 32))
                asked |= 1u << i;
#pragma unroll 1
        for (unsigned left = asked; left; left &= left - 1) {
            const unsigned i = __ffs((int)left) - 1;
            number[i] = post_quiet(queue_number(first + i * size));
        }
#pragma unroll 1
        for (unsigned left = asked; left; left &= left - 1) {
            const unsigned i = __ffs((int)left) - 1;
            const queue_ref q = queue_number(first + i * size);
            wait_done(q, number[i]);
            raise_release(&q.producer->complete, number[i] + 1); // a later one may have ended
        }
    }
    __threadfence_system(); // what other quiets have waited for is there for this one's caller
    meet_all();
}

struct quiet_call {
    __device__ void operator()(scope s) const { quiet(s); }
};
struct sync_call {
    int number;
    __device__ void operator()(scope s) const {
        together(s, [&] { sync(team_of(number)); });
    }
};
struct barrier_call {
    int number;
    __device__ void operator()(scope s) const {
        quiet(s);
        together(s, [&] { sync(team_of(number)); });
    }
};

} // namespace heddle_shmem_core
#endif
