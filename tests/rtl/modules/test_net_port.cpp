/* test_net_port.cpp - rtl/l2/net_port.sv against rule 9: when a message leaves a slice, through
 * which of its three ports, where it arrives and with which words; scrubbing changes nothing. */
#include <cstring>

#include "Vnet_port.h"
#include "core_words.h"
#include "module_bench.h"

enum {
    SLICES = 96,
    FIRST_SLICE = 160,
    FIRST_FAR = 256,
    FIRST_BACK = 352,
    FIRST_CUSTOMER = 240,
    LATENCY = PIPELINED ? 4 : 1
};
enum Send { ANSWER, FETCH, PASS, DROP };
enum Trip { TripNone, TripFetch, TripPass, TripFetched, TripPassed, TripDrop };

using Bench = ModuleBench<Vnet_port>;

struct Parameters {
    unsigned instances, instance, flit_shift, flit_time;
    uint32_t net_reply, net_cross;
};

struct Message {
    unsigned slice, global, mirror, send, node, sectors, trip, sm, warp, bar, mshr, cached;
    uint64_t at;
};

/* In 1/256 cycles: a port is free from then on. */
struct Slice {
    uint64_t to_sms = 0, requests = 0, rest = 0;
};

/* A message takes its port. @return the cycle in which it leaves */
static uint64_t leave(uint64_t &free, const Message &m, const Parameters &p) {
    const unsigned per_flit = 1u << p.flit_shift;
    unsigned flits = ((unsigned)__builtin_popcount(m.sectors) + per_flit - 1) / per_flit;
    if (!flits) flits = 1;
    const uint64_t becomes_free = (free + 255) / 256;
    const bool waits = m.at < becomes_free;
    const uint64_t from = waits ? free : m.at * 256;
    free = from + (uint64_t)flits * p.flit_time;
    return waits ? becomes_free : m.at;
}

static void enter(Bench &b, const Message &m, bool wake) {
    b.v.slice_i = (uint8_t)m.slice;
    b.v.global_i = (uint8_t)m.global;
    b.v.mirror_i = (uint8_t)m.mirror;
    b.v.send_i = !wake;
    b.v.wake_i = wake;
    b.v.kind_i = (uint8_t)m.send;
    (wake ? b.v.wake_node_i : b.v.node_i) = (uint8_t)m.node;
    (wake ? b.v.wake_at_i : b.v.at_i) = (uint32_t)m.at;
    (wake ? b.v.wake_sectors_i : b.v.sectors_i) = (uint8_t)m.sectors;
    (wake ? b.v.wake_trip_i : b.v.trip_i) = (uint8_t)m.trip;
    (wake ? b.v.wake_sm_i : b.v.sm_i) = (uint8_t)m.sm;
    (wake ? b.v.wake_warp_i : b.v.warp_i) = (uint8_t)m.warp;
    (wake ? b.v.wake_bar_i : b.v.bar_i) = (uint8_t)m.bar;
    (wake ? b.v.wake_mshr_i : b.v.mshr_i) = (uint16_t)m.mshr;
    (wake ? b.v.wake_cached_i : b.v.cached_i) = (uint8_t)m.cached;
}

/* What the module says of a message that has left. */
static void check(Bench &b, Slice &slice, const Message &m, const Parameters &p, bool waited) {
    const bool to_sm = m.send == ANSWER && m.trip == TripNone;
    const bool asks = m.send == FETCH || m.send == PASS;
    const bool here = m.sm % p.instances == p.instance && m.sm < FIRST_CUSTOMER;
    const uint64_t leaves = leave(to_sm ? slice.to_sms : asks ? slice.requests : slice.rest, m, p);
    const uint32_t arrives = (uint32_t)(leaves + (to_sm ? p.net_reply : p.net_cross));
    b.expect("it stays here", b.v.insert_o, !to_sm || here);
    b.expect("a reply", b.v.reply_o, to_sm && here);
    b.expect("to the other partition", b.v.note_o, !to_sm);
    b.expect("to another instance", b.v.remote_o, to_sm && !here);
    b.expect("a node is free", b.v.free_o, to_sm && !here);
    if (b.v.insert_o) {
        b.expect("arrives at", b.v.insert_time_o, arrives);
        b.expect("node", b.v.insert_node_o, m.node);
        b.expect("to", b.v.insert_dest_o, to_sm ? m.sm : m.mirror);
        b.expect("from", b.v.insert_source_o,
                 (to_sm  ? FIRST_SLICE
                  : asks ? FIRST_FAR
                         : FIRST_BACK) +
                     m.global);
    }
    if (!to_sm) {
        const unsigned answer = m.trip == TripFetch ? TripFetched : TripPassed;
        const unsigned trip = m.send == ANSWER  ? answer
                              : m.send == FETCH ? (unsigned)TripFetch
                              : m.send == PASS  ? (unsigned)TripPass
                                                : (unsigned)TripDrop;
        b.expect("note", b.v.note_word_o, m.sectors << 3 | trip);
    } else if (here) {
        uint64_t word = 0;
        core_reply_set_at(&word, arrives);
        core_reply_set_warp(&word, m.warp);
        core_reply_set_bar(&word, m.bar);
        core_reply_set_mshr(&word, m.mshr);
        core_reply_set_cached(&word, m.cached);
        core_reply_set_sectors(&word, m.sectors);
        b.expect("reply", b.v.reply_word_o, word);
    } else {
        uint64_t word[2] = {0, 0};
        core_remote_set_at(word, arrives);
        core_remote_set_kind(word, CORE_EV_REPLY);
        core_remote_set_sm(word, m.sm);
        core_remote_set_warp(word, m.warp);
        core_remote_set_sectors(word, m.sectors);
        core_remote_set_bar(word, m.bar);
        core_remote_set_mshr(word, m.mshr);
        core_remote_set_cached(word, m.cached);
        core_remote_set_slice(word, m.global);
        core_remote_set_perform(word, waited);
        if (memcmp(word, &b.v.remote_word_o, sizeof word)) b.fail("another word remote");
        b.expect("node that is free", b.v.free_node_o, m.node);
    }
}

/* While a word for another instance is held: it stays until it is taken. */
static void take(Bench &b, unsigned ready) {
    while (b.v.remote_o || b.v.free_o) {
        const bool remote = b.v.remote_o, free = b.v.free_o;
        b.expect("ready", b.v.ready_o, 0);
        b.v.remote_ready_i = remote && b.chance(ready);
        b.v.free_ready_i = free && b.chance(ready);
        const bool remote_left = remote && !b.v.remote_ready_i;
        const bool free_left = free && !b.v.free_ready_i;
        b.tick();
        b.expect("the word is held", b.v.remote_o, remote_left);
        b.expect("the node is held", b.v.free_o, free_left);
    }
    b.v.remote_ready_i = b.v.free_ready_i = 0;
}

static void scrub(Bench &b, bool all, uint64_t floor) {
    while (b.v.busy_o) b.tick();
    for (unsigned slice = 0; slice < SLICES; slice++) {
        b.v.scrub_i = 1;
        b.v.scrub_slice_i = (uint8_t)slice;
        b.v.scrub_all_i = all;
        b.v.scrub_floor_i = (uint32_t)floor;
        b.tick();
    }
    b.v.scrub_i = 0;
    do b.tick();
    while (b.v.busy_o);
}

static void run(uint32_t seed, const Parameters &p, unsigned ready, unsigned apart) {
    Bench b(seed);
    Slice slices[SLICES];
    uint64_t now = (UINT64_C(5) << 32) - 3000;
    unsigned late = 0, remote = 0;
    b.v.instances_i = (uint8_t)p.instances;
    b.v.instance_i = (uint8_t)p.instance;
    b.v.instance_inv_i = 65536 / p.instances + 1;
    b.v.flit_shift_i = (uint8_t)p.flit_shift;
    b.v.flit_time_i = (uint16_t)p.flit_time;
    b.v.net_reply_i = p.net_reply;
    b.v.net_cross_i = p.net_cross;
    b.v.runs_i = 1;
    while (b.v.busy_o) b.tick();
    scrub(b, true, now - 1000); /* times were those of a reset long ago */
    for (int i = 0; i < 12000; i++) {
        now += b.pick(apart);
        if (i % 3000 == 2999) { /* all is long past */
            now += UINT64_C(3) << 30;
            scrub(b, true, now - 1000);
        } else if (b.pick(500) == 0) {
            scrub(b, false, now - 1000);
        }
        const unsigned near = b.pick(4); /* few slices */
        Message m = {near,
                     near * p.instances + p.instance,
                     (near + 48) % SLICES,
                     b.pick(4),
                     b.pick(256),
                     b.pick(16),
                     b.pick(3),
                     b.chance(10) ? FIRST_CUSTOMER + b.pick(16) : b.pick(144),
                     b.pick(64),
                     b.pick(8),
                     b.pick(512),
                     b.pick(2),
                     now + b.pick(300)};
        const bool wake = b.chance(30);
        if (wake) m.send = ANSWER;
        /* a message for the other partition has its own kinds of trips */
        if (m.send != ANSWER) m.trip = TripNone;
        b.settle();
        b.expect("ready", b.v.ready_o, 1);
        enter(b, m, wake);
        for (unsigned clock = 0; clock < LATENCY; clock++) {
            b.tick();
            b.v.send_i = b.v.wake_i = 0;
            if (clock + 1 < LATENCY && (b.v.insert_o || b.v.remote_o)) b.fail("it leaves early");
            b.expect("busy", b.v.busy_o, 1);
        }
        const bool waits = m.send == ANSWER && m.trip == TripNone &&
                           m.at * 256 < slices[m.slice].to_sms;
        late += waits;
        check(b, slices[m.slice], m, p, wake);
        remote += b.v.remote_o;
        take(b, ready);
        if (b.chance(50)) b.tick();
    }
    if (remote < (p.instances > 1 ? 200u : 100u) || (apart == 2 && late < 200))
        b.fail("%u remote, %u waited", remote, late);
}

int main() {
    uint32_t seed = 1;
    run(seed++, {1, 0, 0, 256, 70, 100}, 100, 2);
    run(seed++, {2, 1, 1, 301, 4, 7}, 50, 2);
    run(seed++, {3, 0, 2, 65535, 70, 100}, 10, 300);
    run(seed++, {7, 6, 0, 999, 1000, 5}, 100, 30);
    printf("net_port: passed\n");
    return 0;
}
