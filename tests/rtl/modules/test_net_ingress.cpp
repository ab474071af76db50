/* test_net_ingress.cpp - rtl/l2/net_ingress.sv: each request leaves once, in order, for its slice
 * here or as the same words for another instance or outside the GPU, whatever the senders' and
 * takers' pauses. */
#include <cstring>
#include <deque>

#include "Vnet_ingress.h"
#include "core_regs.h"
#include "core_words.h"
#include "module_bench.h"

using Bench = ModuleBench<Vnet_ingress>;

enum { PIECES = 512, PIECE_BITS = 23 };

struct Config {
    unsigned slices, instances, instance, two, fold, interleave; /* interleave: log2 of lines */
    bool outside[PIECES];
};

struct Request {
    uint64_t word[2];
};

/* The slice that a request goes to. */
static unsigned slice_of(const Config &c, const Request &r) {
    uint32_t line = (uint32_t)core_request_addr(r.word);
    const unsigned twos = (unsigned)__builtin_ctz(c.slices), bits = twos > 4 ? twos : 4;
    if (c.outside[line >> PIECE_BITS]) return CORE_OUTSIDE;
    line >>= c.interleave;
    uint32_t low = line, slice;
    if (c.fold) {
        low = 0;
        for (uint64_t left = line; left; left >>= bits) low ^= (uint32_t)left;
    }
    low &= (1u << twos) - 1;
    slice = (line >> twos) % (c.slices >> twos) << twos | low;
    if (c.two && (slice >= c.slices / 2) != (core_request_sm(r.word) >> 1 & 1))
        slice = (slice + c.slices / 2) % c.slices;
    return slice;
}

static void expect_remote(Bench &b, const Request &r, unsigned slice) {
    uint64_t got[2];
    memcpy(got, &b.v.word_o, sizeof got);
#define SAME(field, request) core_remote_##field(got) == core_request_##request(r.word)
    if (core_remote_kind(got) != CORE_EV_REQUEST || core_remote_slice(got) != slice ||
        !(SAME(at, at) && SAME(sm, sm) && SAME(warp, warp) && SAME(slot, slot) &&
          SAME(sectors, sectors) && SAME(bar, bar) && SAME(mshr, mshr) && SAME(cached, cached) &&
          SAME(req, kind) && SAME(perform, perform) && SAME(full, full) && SAME(turns, turns) &&
          SAME(addr, addr)))
        b.fail("another request leaves");
#undef SAME
}

/* Some pieces of the lines are outside: all are said, those last; or none, and none is. */
static void set_outside(Bench &b, Config &c, bool some) {
    for (unsigned i = 0; some && i < PIECES; i++) c.outside[i] = b.chance(i % 64 < 32 ? 50 : 0);
    for (unsigned last = 0; some && last < 2; last++)
        for (unsigned i = 0; i < PIECES; i += 8) {
            unsigned pieces = 0;
            for (unsigned k = 0; k < 8; k++) pieces |= (unsigned)c.outside[i + k] << k;
            if ((pieces != 0) != last) continue;
            b.v.outside_set_i = 1;
            b.v.outside_at_i = i / 8;
            b.v.outside_i = pieces;
            b.tick();
        }
    b.v.outside_set_i = 0;
    b.v.outside_i = 1; /* means nothing by itself */
}

static void run(uint32_t seed, Config c, unsigned send, unsigned take) {
    Bench b(seed);
    const unsigned twos = (unsigned)__builtin_ctz(c.slices), odd = c.slices >> twos;
    b.v.twos_i = twos;
    b.v.odd_i = odd;
    b.v.slice_inv_i = (1u << 30) / odd + 1;
    b.v.slice_wrap_i = 65536 % odd;
    b.v.fold_i = c.fold;
    b.v.interleave_i = (uint8_t)c.interleave;
    b.v.field_bits_i = twos > 4 ? twos - 4 : 0;
    b.v.two_i = c.two;
    b.v.half_i = c.slices / 2;
    b.v.instances_i = c.instances;
    b.v.instance_i = c.instance;
    b.v.instance_inv_i = (1u << 16) / c.instances + 1;
    set_outside(b, c, seed % 3 != 0);
    std::deque<Request> inside;
    unsigned left = 0, here = 0, outside = 0;
    Request next = {};
    for (int i = 0; i < 20000; i++) {
        if (!b.v.req_valid_i && b.chance(send)) {
            next = {{b.bits(64), b.bits(64)}};
            memcpy(&b.v.req_i, next.word, sizeof next.word);
            b.v.req_valid_i = 1;
        }
        b.v.insert_i = b.v.leave_i = 0;
        if (b.v.insert_o && b.v.leave_o) b.fail("both ways");
        if (b.v.insert_o || b.v.leave_o) {
            if (inside.empty()) b.fail("a request too many");
            const unsigned slice = slice_of(c, inside.front());
            if ((slice != CORE_OUTSIDE && slice % c.instances == c.instance) != b.v.insert_o)
                b.fail("slice %u is elsewhere", slice);
            if (b.v.insert_o && (b.v.insert_slice_o != slice / c.instances ||
                                 memcmp(&b.v.word_o, inside.front().word, 16)))
                b.fail("slice %u has number %u", slice, b.v.insert_slice_o);
            if (b.v.leave_o) expect_remote(b, inside.front(), slice);
            if (b.chance(take)) {
                here += b.v.insert_o;
                outside += slice == CORE_OUTSIDE;
                (b.v.insert_o ? b.v.insert_i : b.v.leave_i) = 1;
                inside.pop_front();
                left++;
            }
        }
        b.settle();
        if (b.v.busy_o != (inside.size() + b.v.insert_i + b.v.leave_i > 0)) b.fail("busy");
        const bool accepted = b.v.req_valid_i && b.v.req_ready_o;
        b.tick();
        if (accepted) {
            inside.push_back(next);
            b.v.req_valid_i = 0;
        }
    }
    if (left < 1000 || !here || (seed % 3 ? outside < 200 : outside > 0))
        b.fail("%u requests, %u for here, %u outside", left, here, outside);
}

int main() {
    const Config configs[] = {{64, 1, 0, 0, 1, 0, {}}, {80, 1, 0, 1, 1, 2, {}},
                              {96, 1, 0, 1, 0, 1, {}}, {24, 3, 2, 0, 1, 2, {}},
                              {96, 2, 1, 1, 1, 0, {}}, {7, 7, 3, 0, 0, 1, {}}};
    uint32_t seed = 1;
    for (const Config &c : configs) {
        run(seed++, c, 100, 100);
        run(seed++, c, 60, 30);
        run(seed++, c, 20, 90);
    }
    printf("net_ingress: passed\n");
    return 0;
}
