/* words.h - the words of docs/core-words.md as C++ structs, for the reference model and the
 * benches.
 *
 * Times are core cycles; inside the model they are 64 bits wide, in words modulo 2^32. */
#ifndef REFERENCE_WORDS_H
#define REFERENCE_WORDS_H

#include <cstdint>
#include <tuple>

#include "core_regs.h"
#include "core_words.h"

/* How the warps of an SM divide: part of what a core is built for. */
#ifndef REFERENCE_SUB_CORES
#define REFERENCE_SUB_CORES 4
#endif

namespace reference {

using Cycle = std::uint64_t;
constexpr Cycle NEVER = ~Cycle{0};

enum : unsigned {
    SUB_CORES = REFERENCE_SUB_CORES,
    WARPS = 64,
    CTA_SLOTS = 32,
    NO_BAR = 7,
    STORES = 6,
    CONSTANTS = 128, /* whose constants are meant is told modulo this */
    PIPE_MIO = 9,
    FIRST_CUSTOMER = CORE_FIRST_CUSTOMER, /* numbers of SMs from here on: customers that are none */
    CUSTOMERS = 256 - FIRST_CUSTOMER,
    CODE_REPLY = 0x100, /* in mshr: a line of code, for way mshr % 16 of set `warp` */
    NO_REGISTER = 255
};

struct Line {
    std::uint32_t addr;
    unsigned sectors, full, lanes;
    bool locked = false; /* a store that pins it */
    bool step = false;   /* the operation's next line is looked up a cycle later */
};

struct Packet {
    unsigned cls, stall, wait_mask, wr_bar, rd_bar, slot, mem, passes, bar_id, bar_warps;
    unsigned src[3], even, odd, reuse; /* register / 2 of each operand slot, bits of slots */
    unsigned dst;                      /* banks of its result */
    unsigned constant;                 /* line of constants, 0: none */
    unsigned pc;
    bool start, launched; /* its line of code has come with the launch, is in the SM's cache */
    bool fetch, fetched;  /* it has to be looked for, has been */
    bool constant_found;  /* its constant has been looked for */
    bool do_yield, last, perform, bar_arrive;
    unsigned replay() const { return bar_id << 7 | (unsigned)bar_arrive << 6 | bar_warps; }
    unsigned num_lines; /* line words that belong to it, a stream of their own */
};

struct Event {
    std::uint32_t at;
    unsigned kind, sm, warp, slot, sectors, id;
    std::uint32_t addr;
    unsigned full;
};

/* Order and equality; benches set `id` of DramRead to 0 first, the core may choose it freely. */
inline auto event_key(const Event &e) {
    return std::make_tuple(e.at, e.kind, e.sm, e.warp, e.slot, e.addr, e.sectors, e.full, e.id);
}

struct Request {
    Cycle at; /* leaves the SM's port */
    unsigned sm, warp, bar, kind, slot, mshr;
    bool perform, cached;
    Line line;
};

struct Reply {
    Cycle at; /* arrives at the SM's port */
    unsigned slice, sm, warp, bar, mshr;
    bool cached;
    std::uint32_t addr; /* of the line; the SM knows it from its MSHR */
    unsigned sectors;   /* 0: acknowledgement */
    bool waited;        /* for sectors */
};

inline Line decode_line(std::uint64_t word) {
    return {core_line_addr(&word),  core_line_sectors(&word),     core_line_full(&word),
            core_line_turns(&word), core_line_locked(&word) != 0, core_line_step(&word) != 0};
}

/* All fields; the line words come in a stream of their own. */
inline Packet decode_packet(const std::uint64_t *w) {
    Packet p{};
    p.cls = core_packet_cls(w);
    p.stall = core_packet_stall(w);
    p.wait_mask = core_packet_wait_mask(w);
    p.wr_bar = core_packet_wr_bar(w);
    p.rd_bar = core_packet_rd_bar(w);
    p.slot = core_packet_slot(w);
    p.mem = core_packet_mem(w);
    p.passes = core_packet_passes(w);
    p.num_lines = core_packet_lines(w);
    p.bar_id = core_packet_bar_id(w);
    p.bar_warps = core_packet_bar_warps(w);
    p.src[0] = core_packet_src0(w);
    p.src[1] = core_packet_src1(w);
    p.src[2] = core_packet_src2(w);
    p.even = core_packet_even(w);
    p.odd = core_packet_odd(w);
    p.reuse = core_packet_reuse(w);
    p.dst = core_packet_dst(w);
    p.constant = core_packet_constant(w);
    p.pc = core_packet_pc(w);
    p.start = core_packet_start(w);
    p.fetch = core_packet_fetch(w);
    p.launched = core_packet_launched(w);
    p.do_yield = core_packet_do_yield(w);
    p.last = core_packet_last(w);
    p.perform = core_packet_perform(w);
    p.bar_arrive = core_packet_bar_arrive(w);
    return p;
}

inline Event decode_event(const std::uint64_t *w) {
    return {core_event_at(w),   core_event_kind(w), core_event_sm(w),
            core_event_warp(w), core_event_slot(w), core_event_sectors(w),
            core_event_id(w),   core_event_addr(w), core_event_full(w)};
}

/* A word remote that is a request of a customer that is no SM, at a full time. */
inline Request decode_request(const std::uint64_t *w, Cycle at) {
    const Line line = {core_remote_addr(w), core_remote_sectors(w), core_remote_full(w),
                       core_remote_turns(w)};
    return {at,
            core_remote_sm(w),
            core_remote_warp(w),
            core_remote_bar(w),
            core_remote_req(w),
            core_remote_slot(w),
            core_remote_mshr(w),
            core_remote_perform(w) != 0,
            core_remote_cached(w) != 0,
            line};
}

/* What an event Request says besides the fields of events: `full` has its lanes above, `id` the
 * rest. */
struct RequestId {
    unsigned mshr, bar, kind;
    bool cached, perform;
};
inline RequestId unpack_id(unsigned id) {
    return {id & 0x1ff, id >> 9 & 7, id >> 12 & 3, (id >> 14 & 1) != 0, (id >> 15 & 1) != 0};
}
/* A request for a line outside the GPU, as an event. Its mshr means nothing if it is not cached. */
inline Event request_event(const Request &r) {
    return {(std::uint32_t)r.at,
            CORE_EV_REQUEST,
            r.sm,
            r.warp,
            r.slot,
            r.line.sectors,
            (r.cached ? r.mshr : 0) | r.bar << 9 | r.kind << 12 | (r.cached ? 1u << 14 : 0) |
                (r.perform ? 1u << 15 : 0),
            r.line.addr,
            r.line.full | r.line.lanes << 4};
}
/* A word remote that is a reply, at a full time. */
inline Reply decode_reply(const std::uint64_t *w, Cycle at) {
    return {at,
            core_remote_slice(w),
            core_remote_sm(w),
            core_remote_warp(w),
            core_remote_bar(w),
            core_remote_mshr(w),
            core_remote_cached(w) != 0,
            0,
            core_remote_sectors(w),
            false};
}

/* A reply to a customer that is no SM, as an event: slot is its bar, addr the slice, id the mshr,
 * full bit 0 that it has waited. */
inline Event reply_event(const Reply &r) {
    return {(std::uint32_t)r.at, CORE_EV_REPLY, r.sm,    r.warp,  r.bar,
            r.sectors,           r.mshr,        r.slice, r.waited};
}
inline Event decode_reply_event(const std::uint64_t *w) {
    return {core_remote_at(w),   core_remote_kind(w),  core_remote_sm(w),
            core_remote_warp(w), core_remote_bar(w),   core_remote_sectors(w),
            core_remote_mshr(w), core_remote_slice(w), core_remote_perform(w)};
}

inline unsigned count_bits(unsigned mask) {
    return (unsigned)__builtin_popcount(mask);
}

} // namespace reference

#endif
