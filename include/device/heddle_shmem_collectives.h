// Collectives over a team: broadcast, fcollect, alltoall, reduce, reducescatter, and the making of
// teams.
//
// A member sends data with a signal that adds 1 to the receiver's word for messages of this member
// (heddle_shmem_teams.h). Each collective says how many messages it takes from whom, so nothing has
// to be reset. As OpenSHMEM asks, the program takes care that targets are free when a member calls.
// A message goes out by one thread; all threads of the group copy and compute.
#ifndef HEDDLE_DEVICE_SHMEM_COLLECTIVES_H
#define HEDDLE_DEVICE_SHMEM_COLLECTIVES_H

#include "heddle_shmem_teams.h"

namespace heddle_shmem_core {

// Sends bytes to a member, or only says that it is its turn. One thread.
__device__ inline void send(team *t, int member, void *to, const void *from, size_t bytes) {
    put_signal_remote(to, from, bytes, (uint64_t *)&t->arrived[t->mine], 1, HEDDLE_SHMEM_AMO_ADD,
                      pe_of(t, member), false);
}
// Waits for the next message of a member. One thread.
__device__ inline void take(team *t, int member) {
    wait_until(&t->arrived[member], GREATER_EQUAL, ++t->taken[member]);
}

struct broadcast_call {
    int number;
    void *to;
    const void *from;
    size_t bytes;
    int root;
    __device__ void operator()(scope s) const {
        team *t = team_of(number);
        if (t->mine != root) {
            together(s, [&] { take(t, root); });
            return;
        }
        together(s, [&] {
            for (int i = 1; i < t->size; i++) send(t, (root + i) % t->size, to, from, bytes);
        });
        copy(s, to, from, bytes);
        together(s, [&] { ctx_quiet(); });
    }
};

// Block i of every member's target is member i's source.
struct fcollect_call {
    int number;
    void *to;
    const void *from;
    size_t bytes; // of a block
    __device__ void operator()(scope s) const {
        team *t = team_of(number);
        char *own = (char *)to + (size_t)t->mine * bytes;
        together(s, [&] {
            for (int i = 1; i < t->size; i++) send(t, (t->mine + i) % t->size, own, from, bytes);
        });
        copy(s, own, from, bytes);
        together(s, [&] {
            for (int i = 1; i < t->size; i++) take(t, (t->mine + i) % t->size);
            ctx_quiet();
        });
    }
};

// Block i of this member's target is block `mine` of member i's source.
struct alltoall_call {
    int number;
    void *to;
    const void *from;
    size_t bytes; // of a block
    __device__ void operator()(scope s) const {
        team *t = team_of(number);
        const size_t own = (size_t)t->mine * bytes;
        together(s, [&] {
            for (int i = 1; i < t->size; i++) {
                const int member = (t->mine + i) % t->size;
                send(t, member, (char *)to + own, (const char *)from + (size_t)member * bytes,
                     bytes);
            }
        });
        copy(s, (char *)to + own, (const char *)from + own, bytes);
        together(s, [&] {
            for (int i = 1; i < t->size; i++) take(t, (t->mine + i) % t->size);
            ctx_quiet();
        });
    }
};

// ---- reductions

struct op_sum {
    template <class T> __device__ static T of(T a, T b) { return a + b; }
};
struct op_prod {
    template <class T> __device__ static T of(T a, T b) { return a * b; }
};
struct op_min {
    template <class T> __device__ static T of(T a, T b) { return b < a ? b : a; }
};
struct op_max {
    template <class T> __device__ static T of(T a, T b) { return a < b ? b : a; }
};
struct op_and {
    template <class T> __device__ static T of(T a, T b) { return a & b; }
};
struct op_or {
    template <class T> __device__ static T of(T a, T b) { return a | b; }
};
struct op_xor {
    template <class T> __device__ static T of(T a, T b) { return a ^ b; }
};
// x is the value, y says where it comes from; of equal ones it is that of the first member.
struct op_maxloc {
    template <class T> __device__ static T of(T a, T b) { return a.x < b.x ? b : a; }
};

// to[i] = from[i] of all members, in the order of members, so that all get the same bits. Member
// m's values lie at `others` + m * bytes, this one's at `from`.
template <class T, class OP>
__device__ inline void combine(scope s, const team *t, T *to, const T *from, const char *others,
                               size_t bytes, size_t count) {
    for (size_t i = rank_in(s); i < count; i += size_of(s)) {
        const T own = from[i];
        T value = own;
        for (int m = 0; m < t->size; m++) {
            const T next = m == t->mine ? own : ((const T *)(others + (size_t)m * bytes))[i];
            value = m ? OP::of(value, next) : next;
        }
        to[i] = value;
    }
}

enum { SHORT_REDUCTION = 2048 }; // bytes

// Short ones: everybody sends everything to everybody, into the half of scratch that is its turn.
// A member that is ahead by one reduction writes into the other half; it cannot be ahead by two,
// since each takes a message of all members.
template <class T, class OP>
__device__ inline void reduce_short(scope s, team *t, T *to, const T *from, size_t count) {
    const size_t bytes = SCRATCH_BYTES / 2 / MOST_PES * (MOST_PES / t->size);
    char *half = t->scratch + t->phases % 2 * (SCRATCH_BYTES / 2);
    together(s, [&] {
        for (int i = 1; i < t->size; i++)
            send(t, (t->mine + i) % t->size, half + (size_t)t->mine * bytes, from,
                 count * sizeof(T));
        for (int i = 1; i < t->size; i++) take(t, (t->mine + i) % t->size);
        ctx_quiet(); // `to` may be `from`
        t->phases++;
    });
    combine<T, OP>(s, t, to, from, half, bytes, count);
    meet(s);
}

// Elements [first, end) of all members' sources, into this member's target. `others` of them are
// read at once, as many as fit into scratch. With `spread`, the result goes to all members.
template <class T, class OP>
__device__ inline void reduce_part(scope s, team *t, T *to, const T *from, size_t count,
                                   bool spread) {
    const size_t room = SCRATCH_BYTES / t->size / 128 * 128, most = room / sizeof(T);
    for (size_t at = 0; at < count; at += most) {
        const size_t some = count - at < most ? count - at : most;
        together(s, [&] {
            for (int i = 1; i < t->size; i++) {
                const int member = (t->mine + i) % t->size;
                get_remote(t->scratch + (size_t)member * room, from + at, some * sizeof(T),
                           pe_of(t, member), false);
            }
            ctx_quiet();
        });
        combine<T, OP>(s, t, to + at, from + at, t->scratch, room, some);
        together(s, [&] {
            for (int i = 1; spread && i < t->size; i++)
                put_remote(to + at, to + at, some * sizeof(T), pe_of(t, (t->mine + i) % t->size),
                           false);
        });
    }
    together(s, [&] { ctx_quiet(); });
}

// Long ones: each member reduces a part, which only it reads of the others' sources and writes to
// their targets; so a source may be its target.
template <class T, class OP> struct reduce_call {
    int number;
    T *to;
    const T *from;
    size_t count;
    __device__ void operator()(scope s) const {
        team *t = team_of(number);
        const size_t place = SCRATCH_BYTES / 2 / MOST_PES * (MOST_PES / t->size);
        if (count * sizeof(T) <= SHORT_REDUCTION && count * sizeof(T) <= place) {
            reduce_short<T, OP>(s, t, to, from, count);
            return;
        }
        const size_t first = count * t->mine / t->size;
        const size_t end = count * (t->mine + 1) / t->size;
        together(s, [&] { sync(t); });
        reduce_part<T, OP>(s, t, to + first, from + first, end - first, true);
        together(s, [&] { sync(t); });
    }
};

// Block `mine` of all members' sources. `from` has a block for each member.
template <class T, class OP> struct reducescatter_call {
    int number;
    T *to;
    const T *from;
    size_t count; // of a block
    __device__ void operator()(scope s) const {
        team *t = team_of(number);
        together(s, [&] { sync(t); });
        reduce_part<T, OP>(s, t, to, from + count * t->mine, count, false);
        together(s, [&] { sync(t); });
    }
};

// ---- making teams

// The members of the parent agree on a slot that is free at all of them. Those of the new team
// clear it before anyone uses it. *answer: the slot, -1: there is none.
struct split_call {
    int parent, start, stride, size;
    int *answer;
    // A member's place in the new team, -1: it is none of it.
    __host__ __device__ int place_of(int member) const {
        const int away = member - start;
        if (away % stride || away / stride < 0 || away / stride >= size) return -1;
        return away / stride;
    }
    __device__ void operator()(scope s) const {
        team *teams = reinterpret_cast<team *>(self()->heap), *p = team_of(parent);
        together(s, [&] {
            p->word[0] = 0;
            for (int i = 0; i < NUM_TEAMS; i++)
                if (!teams[i].size) p->word[0] |= 1ull << i;
        });
        reduce_short<unsigned long long, op_and>(s, p, &p->word[1], &p->word[0], 1);
        const int slot = __ffsll((long long)p->word[1]) - 1;
        together(s, [&] {
            const int mine = place_of(p->mine);
            if (slot >= 0 && mine >= 0) {
                team *t = &teams[slot];
                memset(t, 0, sizeof *t);
                t->scratch = teams[0].scratch + (size_t)slot * SCRATCH_BYTES;
                t->start = pe_of(p, start);
                t->stride = stride * p->stride;
                t->mine = mine;
                t->size = size;
            }
            sync(p);
            *answer = slot;
        });
    }
};
struct destroy_call {
    int number;
    __device__ void operator()(scope s) const {
        team *t = team_of(number);
        together(s, [&] {
            sync(t);
            t->size = 0;
        });
    }
};

} // namespace heddle_shmem_core
#endif
