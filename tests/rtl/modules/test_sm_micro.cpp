/* test_sm_micro.cpp - rtl/sm/sm_micro.sv: each micro-operation leaves once, in order, as the visit
 * to a sub-core that its cause asks for, whatever the pops; half_o leaves room. */
#include <deque>

#include "Vsm_micro.h"
#include "sm_bench.h"

enum { ROOM = PIPELINED ? 32 : 16, UNDER_WAY = PIPELINED ? 12 : 8 }; /* visits: sm_passes.sv */

using Bench = ModuleBench<Vsm_micro>;

/* visit_t and its argument, and what goes with it */
struct Micro {
    unsigned kind, slot, sm, sub, warp, bar, delta, timed, credit, lines, cta;
    bool has_warp, has_count, has_code;
    uint64_t at, extra;
};

/* The fields of a visit, from the lowest bit up. */
struct Fields {
    const Bench &b;
    unsigned from = 0;
    uint64_t next(unsigned width) {
        from += width;
        return get_bits(b.v.visit_o, from - width, width);
    }
};

static void compare(Bench &b, const Micro &m) {
    Fields f{b};
    const uint64_t cta = f.next(5), lines = f.next(6), micro = f.next(1), credit = f.next(1),
                   timed = f.next(1), delta = f.next(7), bar = f.next(3), warp = f.next(WARP_BITS),
                   sub = f.next(SUB_BITS), sm = f.next(SM_BITS), slot = f.next(SLOT_BITS),
                   in_slot = f.next(1), kind = f.next(3);
    b.expect("kind", kind, m.kind);
    b.expect("in a slot", in_slot, 1);
    b.expect("slot", slot, m.slot);
    b.expect("SM", sm, m.sm);
    b.expect("sub-core", sub, m.sub);
    b.expect("micro", micro, 1);
    b.expect("timed", timed, m.timed);
    b.expect("credit", credit, m.credit);
    b.expect("at", b.v.at_o, kept(m.at));
    if (m.has_warp) b.expect("warp", warp, m.warp);
    if (m.has_count) {
        b.expect("counter", bar, m.bar);
        b.expect("delta", delta, m.delta);
        b.expect("lines", lines, m.lines);
    }
    if (m.has_code) {
        b.expect("epoch", cta, m.cta);
        b.expect("lines of code", lines << 7 | delta, m.lines << 7 | m.delta);
    }
    if (m.has_code || m.credit) b.expect("extra", b.v.extra_o, m.extra);
}

/* A random one of the four causes, at the module's ports. */
static Micro push(Bench &b) {
    Micro m = {};
    const unsigned cause = b.pick(4);
    const unsigned sub = b.pick(SUBS), warp = b.pick(16);
    m.sub = sub;
    m.warp = warp;
    m.sm = b.v.act_sm_i = (uint8_t)b.pick(SMS);
    m.slot = b.v.act_slot_i = (uint8_t)b.pick(1 << SLOT_BITS);
    m.at = FIRST_TIME + b.pick(5000);
    if (cause == 0) { /* an operation counts at its warp */
        m.kind = KindCount;
        m.has_warp = m.has_count = true;
        m.bar = b.pick(8);
        m.delta = b.pick(128);
        m.timed = b.pick(2);
        m.credit = b.pick(2);
        m.lines = b.pick(64);
        const uint64_t took = m.at - b.pick(100);
        m.extra = kept(took);
        b.v.act_count_i = 1;
        b.v.act_op_warp_i = (uint8_t)(sub << WARP_BITS | warp);
        b.v.act_op_bar_i = (uint8_t)m.bar;
        b.v.act_delta_i = (uint8_t)m.delta;
        b.v.act_timed_i = (uint8_t)m.timed;
        b.v.act_credit_i = (uint8_t)m.credit;
        b.v.act_used_i = (uint8_t)m.lines;
        b.v.act_count_at_i = kept(m.at);
        b.v.act_took_i = kept(took);
    } else if (cause == 1) { /* a reply takes one back */
        m.kind = KindCount;
        m.has_warp = m.has_count = true;
        m.bar = b.pick(8);
        m.delta = 0x7f;
        m.timed = 1;
        b.v.act_come_i = 1;
        b.v.act_come_warp_i = (uint8_t)(warp << SUB_BITS | sub);
        b.v.act_come_bar_i = (uint8_t)m.bar;
        b.v.act_fill_i = kept(m.at);
    } else if (cause == 2) { /* a warp goes on */
        m.kind = KindResume;
        m.has_warp = true;
        b.v.act_open_i = 1;
        b.v.act_open_warp_i = (uint8_t)(sub << WARP_BITS | warp);
        b.v.act_open_at_i = kept(m.at);
    } else { /* lines of code, nine bits, code_way behind the ask or the reply */
        m.kind = KindCode;
        m.has_code = true;
        const unsigned lines = b.pick(512);
        m.lines = lines >> 7;
        m.delta = lines & 0x7f;
        m.cta = b.pick(32);
        m.extra = b.pick(1 << 17);
        b.v.act_leave_i = 1;
        b.v.act_sub_i = (uint8_t)sub;
        b.v.act_epoch_i = (uint8_t)m.cta;
        b.v.act_base_i = (uint32_t)m.extra;
        b.v.act_lines_i = (uint16_t)lines;
        b.v.act_ask_i = (uint8_t)b.pick(2);
        b.v.code_way_i = 8 + b.pick(30);
        (b.v.act_ask_i ? b.v.act_ask_at_i : b.v.act_fill_i) = kept(m.at);
        m.at += b.v.code_way_i;
    }
    return m;
}

static void run(uint32_t seed, unsigned want, unsigned pop) {
    Bench b(seed);
    std::deque<Micro> queue;
    unsigned left = UNDER_WAY, passed = 0;
    for (int i = 0; i < 30000; i++) {
        b.v.act_count_i = b.v.act_come_i = b.v.act_open_i = b.v.act_leave_i = 0;
        /* values that mean nothing in this clock */
        b.v.act_fill_i = kept(b.bits(32));
        b.v.act_ask_at_i = kept(b.bits(32));
        b.v.pop_i = 0;
        b.settle();
        b.expect("valid", b.v.valid_o, !queue.empty());
        b.expect("half full", b.v.half_o, queue.size() >= ROOM / 2);
        if (!queue.empty()) compare(b, queue.front());
        /* As many visits as are under way push behind a "no". */
        if (!b.v.half_o) left = UNDER_WAY;
        std::optional<Micro> pushed;
        if (left && b.chance(want)) pushed = push(b);
        left -= pushed && b.v.half_o;
        b.v.pop_i = !queue.empty() && b.chance(pop);
        b.settle();
        b.expect("push", b.v.push_o, pushed.has_value());
        if (b.v.pop_i) {
            queue.pop_front();
            passed++;
        }
        if (pushed) queue.push_back(*pushed);
        b.tick();
    }
    if (passed < 1000) b.fail("%u micro-operations", passed);
}

int main() {
    uint32_t seed = 1;
    const unsigned chances[][2] = {{100, 100}, {100, 30}, {20, 100}, {60, 50}};
    for (const auto &c : chances) run(seed++, c[0], c[1]);
    printf("sm_micro: passed\n");
    return 0;
}
