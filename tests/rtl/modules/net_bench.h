/* net_bench.h - what the benches of modules of the network engine share: numbers, kinds of messages
 * (rtl/l2/net_types.svh), and where a line lives (docs/timing-model.md, rule 9). */
#ifndef HEDDLE_TESTS_NET_MODULE_BENCH_H
#define HEDDLE_TESTS_NET_MODULE_BENCH_H

#include "core_regs.h"
#include "core_words.h"
#include "module_bench.h"

enum { NODES = 256, SLICES = 96, WAYS = 16 };

/* Sources of messages: SMs from 0 on, then slices by what they send, then other customers, then
 * memory outside the GPU. */
enum {
    FIRST_SLICE = 160,
    FIRST_FAR = 256,
    FIRST_BACK = 352,
    FIRST_OTHER = 448,
    FIRST_OUTSIDE = 464
};
enum { FIRST_CUSTOMER = 240 }; /* from here on the numbers of SMs mean others */

/* which of a slice's messages is in work, and what the slice does with it */
enum Op { OpRequest, OpFar, OpFill, OpBack, OpCopy, OpDrop };
enum Act { ActServe, ActPass, ActPassed, ActFill, ActDrop, ActWritten };

/* what a message between the partitions is, and what leaves a slice */
enum Trip { TripNone, TripFetch, TripPass, TripFetched, TripPassed, TripDrop, TripWritten };
enum Send { SendAnswer, SendFetch, SendPass, SendDrop };

/* Factors for a division by a product (rtl/l2/net_reciprocal.sv): bits are those of the sum n + k.
 * */
enum { SLICE_INV = 30, SET_INV = 20, INSTANCE_INV = 16 };
inline uint32_t reciprocal(unsigned bits, uint32_t by) {
    return (uint32_t)((UINT64_C(1) << bits) / by + 1);
}

/* How the slices of a GPU divide. */
struct Slices {
    unsigned number, hash, partitions, instances, instance, interleave = 0; /* log2 of lines */

    unsigned twos() const { return (unsigned)__builtin_ctz(number); }
    unsigned odd() const { return number >> twos(); }
    unsigned half() const { return number / 2; }
    unsigned mirror(unsigned slice) const { return (slice + half()) % number; }
    bool here(unsigned slice) const { return slice % instances == instance; }
    unsigned local(unsigned slice) const { return slice / instances; }

    unsigned slice_of(uint32_t line) const {
        line >>= interleave;
        if (!hash) return line % number;
        const unsigned bits = twos() > 4 ? twos() : 4;
        uint32_t low = 0;
        for (uint64_t left = line; left; left >>= bits) low ^= (uint32_t)left;
        return (line >> twos()) % odd() << twos() | (low & ((1u << twos()) - 1));
    }
};

/* A number of slices, with partitions that divide among instances. */
template <class Bench> Slices random_slices(Bench &b) {
    Slices s;
    s.hash = b.pick(2);
    s.interleave = b.pick(3);
    s.partitions = 1 + b.pick(2);
    s.instances = 1 + (b.pick(2) ? b.pick(8) : 0);
    s.instance = b.pick(s.instances);
    const unsigned step = s.partitions * s.instances;
    s.number = step * (1 + b.pick(SLICES / step));
    return s;
}

/* The ports that say so. */
template <class Model> void set_slices(Model &v, const Slices &s) {
    v.two_i = s.partitions == 2;
    v.half_i = (uint8_t)s.half();
    v.instances_i = (uint8_t)s.instances;
    v.instance_i = (uint8_t)s.instance;
    v.instance_inv_i = reciprocal(INSTANCE_INV, s.instances);
}

/* A word remote as it is in this instance: a request like one of an SM here, or a reply like one of
 * a slice here. */
struct RemoteHere {
    bool is_reply;
    uint64_t request[2] = {0, 0}, reply = 0;
    unsigned source, dest;
    uint32_t at; /* it arrives at the slice, or the SM */
};

inline RemoteHere remote_here(const uint64_t *w, const Slices &s, uint32_t net_request) {
    RemoteHere r = {};
    r.is_reply = core_remote_kind(w) == CORE_EV_REPLY;
    const unsigned sm = core_remote_sm(w);
    const unsigned slice = core_remote_slice(w);
    r.source = r.is_reply && slice < SLICES ? FIRST_SLICE + slice
               : r.is_reply                 ? FIRST_OUTSIDE + slice - CORE_FIRST_OUTSIDE
               : sm < FIRST_CUSTOMER        ? sm
                                            : FIRST_OTHER + sm - FIRST_CUSTOMER;
    r.dest = r.is_reply ? core_remote_sm(w) : s.local(core_remote_slice(w));
    r.at = core_remote_at(w) + (r.is_reply ? 0 : net_request);
    core_reply_set_at(&r.reply, core_remote_at(w));
    core_reply_set_warp(&r.reply, core_remote_warp(w));
    core_reply_set_bar(&r.reply, core_remote_bar(w));
    core_reply_set_mshr(&r.reply, core_remote_mshr(w));
    core_reply_set_cached(&r.reply, core_remote_cached(w));
    core_reply_set_sectors(&r.reply, core_remote_sectors(w));
    core_request_set_at(r.request, core_remote_at(w));
    core_request_set_sm(r.request, core_remote_sm(w));
    core_request_set_warp(r.request, core_remote_warp(w));
    core_request_set_bar(r.request, core_remote_bar(w));
    core_request_set_kind(r.request, core_remote_req(w));
    core_request_set_perform(r.request, core_remote_perform(w));
    core_request_set_slot(r.request, core_remote_slot(w));
    core_request_set_mshr(r.request, core_remote_mshr(w));
    core_request_set_cached(r.request, core_remote_cached(w));
    core_request_set_sectors(r.request, core_remote_sectors(w));
    core_request_set_full(r.request, core_remote_full(w));
    core_request_set_turns(r.request, core_remote_turns(w));
    core_request_set_addr(r.request, core_remote_addr(w));
    return r;
}

/* A random one, of which this instance has the slice or the SM. */
template <class Bench> void random_remote(Bench &b, uint64_t *w, const Slices &s) {
    w[0] = b.bits(64);
    w[1] = b.bits(64);
    const bool reply = b.pick(2);
    core_remote_set_kind(w, reply ? CORE_EV_REPLY : CORE_EV_REQUEST);
    const bool outside = reply && b.pick(4) == 0;
    core_remote_set_slice(w, outside ? CORE_FIRST_OUTSIDE + b.pick(256 - CORE_FIRST_OUTSIDE)
                             : reply ? b.pick(SLICES)
                                     : b.pick(SLICES / s.instances) * s.instances + s.instance);
}

#endif
