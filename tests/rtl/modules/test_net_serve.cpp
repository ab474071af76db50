/* test_net_serve.cpp - rtl/l2/net_serve.sv against rule 9: what becomes of a message, by what its
 * set has of its line: answers, messages to the other partition, memory, counters, nodes; once,
 * when all that it needs is ready, and never when too much is under way. */
#include <algorithm>
#include <cstring>

#include "Vnet_serve.h"
#include "net_bench.h"

enum { BAR_STORES = 6, BAR_NONE = 7 };

using Bench = ModuleBench<Vnet_serve>;

struct Message {
    Op op;
    Act act;
    uint64_t word[2];
    unsigned kind, sectors, bar, trip, head, answer, global, present, missing, merged, asked, dirty;
    uint32_t line, service;
    unsigned busy, entries, entries_max, pin;
    bool home, hit, no_way, leaves, copied, too_many, some;

    bool copy() const { return op == OpCopy; }
    bool waits() const { return !copy() && kind != CORE_REQ_WRITE && missing; }
    bool read() const { return home && asked; } /* memory is asked */
    bool stuck() const {
        const unsigned need = leaves + read();
        return no_way || (!copy() && ((need && entries + need > entries_max) || too_many));
    }
    /* what is present goes before the rest */
    bool split() const {
        return op == OpRequest && home && kind == CORE_REQ_READ && present && missing;
    }
    bool answers() const { return kind == CORE_REQ_WRITE || !missing || split(); }
    unsigned result() const { return bar == BAR_STORES ? 0 : sectors; } /* of an atomic */
};

/* What is asked of others in a clock; all of it is one bit, but for add. */
struct Out {
    unsigned commit = 0, add_waiter = 0, walk = 0, take = 0, pop = 0, again = 0, stuck = 0, add = 0,
             done = 0, copied = 0, send = 0, perform = 0, read = 0, write = 0;
};

struct Sent {
    unsigned kind, node, sectors, bar;
    uint32_t at;
};

/* What follows in the clock after. */
struct After {
    bool node = false, ask = false, spare = false, free = false, served = false;
    unsigned asked = 0, counts = 0, outcome = 0, write_at = 0;
    std::optional<uint32_t> drop; /* the line, when its copy goes */
};

struct Parameters {
    uint32_t latency, miss, fill;
    unsigned ready;
};

struct Seen {
    unsigned acts[6] = {}, stuck = 0, split = 0, fetch = 0, tell = 0, copies = 0, waits = 0,
             lost = 0;
};

static Message random_message(Bench &b) {
    static const Op ops[] = {OpRequest, OpRequest, OpFar, OpFill, OpFill, OpBack, OpCopy, OpDrop};
    Message m = {};
    m.op = ops[b.pick(8)];
    m.word[0] = b.bits(64);
    m.word[1] = b.bits(64);
    m.home = m.op != OpRequest || b.chance(50);
    m.kind = b.pick(3);
    m.sectors = 1 + b.pick(15);
    m.bar = b.chance(20) ? (unsigned)BAR_STORES : b.pick(6);
    m.trip = TripNone;
    bool cached = m.kind == CORE_REQ_READ && b.pick(2);
    m.act = m.op == OpDrop ? ActDrop : ActServe;
    if (m.op == OpRequest && !m.home && !cached) m.act = ActPass;
    if (m.op == OpFar) {
        m.trip = b.pick(2) ? TripFetch : TripPass;
        if (m.trip == TripFetch) {
            m.kind = CORE_REQ_READ;
            cached = true;
        }
    }
    if (m.op == OpFill) {
        m.trip = b.chance(20) ? (unsigned)TripWritten : b.pick(3);
        m.act = m.trip == TripWritten ? ActWritten : ActFill;
    }
    if (m.op == OpBack) {
        m.trip = TripFetched + b.pick(3);
        m.act = m.trip == TripFetched ? ActFill : m.trip == TripPassed ? ActPassed : ActDrop;
    }
    core_request_set_kind(m.word, m.kind);
    core_request_set_sectors(m.word, m.sectors);
    core_request_set_bar(m.word, m.bar);
    core_request_set_cached(m.word, cached);
    if (cached) core_request_set_perform(m.word, 0);
    m.head = b.pick(NODES);
    m.answer = b.pick(16);
    m.global = b.pick(SLICES);
    m.line = core_request_addr(m.word);
    m.service = (uint32_t)b.bits(32);
    m.busy = b.pick(2) ? 256 * b.pick(100) : b.pick(1 << 16);
    m.entries_max = 2 + b.pick(100);
    m.entries = m.op == OpFill || b.pick(2) ? m.entries_max - b.pick(2) : b.pick(m.entries_max);
    m.present = m.home && b.pick(3) ? m.sectors : m.sectors & b.pick(16);
    m.missing = m.sectors & ~m.present;
    if (m.kind != CORE_REQ_WRITE) {
        m.merged = m.missing & b.pick(16);
        m.asked = m.missing & ~m.merged;
        if (m.home && m.asked) m.asked |= b.pick(16) & ~m.sectors;
    }
    m.hit = m.some = true;
    m.leaves = m.home && b.chance(30);
    m.dirty = 1 + b.pick(15);
    m.no_way = b.chance(5);
    m.copied = m.home && b.chance(40);
    m.pin = b.pick(4); /* enum pin */
    m.too_many = !m.home && m.asked && b.chance(20);
    return m;
}

static void ports(Bench &b, const Message &m) {
    b.v.op_i = m.op;
    b.v.act_i = m.act;
    b.v.head_i = (uint8_t)m.head;
    b.v.service_i = m.service;
    b.v.entries_i = (uint16_t)m.entries;
    b.v.entries_max_i = (uint16_t)m.entries_max;
    b.v.global_i = (uint8_t)m.global;
    b.v.home_i = m.home;
    b.v.line_i = m.line;
    memcpy(&b.v.word_i, m.word, sizeof m.word);
    b.v.trip_i = (uint8_t)m.trip;
    b.v.answer_i = (uint8_t)m.answer;
    b.v.busy_i = m.busy;
    b.v.hit_i = m.hit;
    b.v.no_way_i = m.no_way;
    b.v.present_i = (uint8_t)m.present;
    b.v.missing_i = (uint8_t)m.missing;
    b.v.merged_i = (uint8_t)m.merged;
    b.v.asked_i = (uint8_t)m.asked;
    b.v.leaves_i = m.leaves;
    b.v.out_dirty_i = (uint8_t)m.dirty;
    b.v.copied_i = m.copied;
    b.v.too_many_i = m.too_many;
    b.v.waits_i = m.waits();
    b.v.pin_i = (uint8_t)m.pin;
    b.v.some_i = m.some;
}

static void expect(Bench &b, const Out &o) {
    b.expect("commit", b.v.commit_o, o.commit);
    b.expect("a waiter", b.v.add_waiter_o, o.add_waiter);
    b.expect("walk", b.v.walk_o, o.walk);
    b.expect("the slice is taken", b.v.take_o, o.take);
    b.expect("pop", b.v.pop_o, o.pop);
    b.expect("tried again", b.v.again_o, o.again);
    b.expect("stuck", b.v.stuck_o, o.stuck);
    b.expect("entries", b.v.add_o, o.add);
    b.expect("done", b.v.done_o, o.done);
    if (o.done) b.expect("there was a copy", b.v.copied_o, o.copied);
    b.expect("send", b.v.send_o, o.send);
    b.expect("perform", b.v.perform_o, o.perform);
    b.expect("memory is read", b.v.read_o, o.read);
    b.expect("memory is written", b.v.write_o, o.write);
}

static void expect(Bench &b, const Sent &s) {
    b.expect("kind", b.v.send_kind_o, s.kind);
    b.expect("node", b.v.send_node_o, s.node);
    b.expect("leaves at", b.v.send_at_o, s.at);
    b.expect("sectors", b.v.send_sectors_o, s.sectors);
    b.expect("counter", b.v.send_bar_o, s.bar);
}

static void expect(Bench &b, const Message &m, const After &a) {
    b.expect("a request into a node", b.v.write_node_o, a.node);
    b.expect("asks", b.v.ask_o, a.ask);
    b.expect("a spare node", b.v.spare_take_o, a.spare);
    b.expect("a node is free", b.v.free_o, a.free);
    b.expect("served", b.v.served_o, a.served);
    b.expect("counts", b.v.counts_o, a.counts);
    if (a.free) b.expect("free node", b.v.free_node_o, m.head);
    if (a.ask) {
        b.expect("who asks", b.v.ask_node_o, m.head);
        b.expect("for which", b.v.ask_sectors_o, a.asked);
    }
    if (a.served) {
        b.expect("at", b.v.served_at_o, m.service);
        b.expect("line", b.v.served_line_o, m.line);
        b.expect("outcome", b.v.outcome_o, a.outcome);
    }
    if (a.node) {
        uint64_t word[2] = {m.word[0], m.word[1]}, is[2];
        memcpy(is, &b.v.write_word_o, sizeof is);
        core_request_set_perform(word, 0);
        if (a.drop) { /* nobody looks at its sectors */
            core_request_set_addr(word, *a.drop);
            core_request_set_sectors(word, 0);
            core_request_set_sectors(is, 0);
        } else {
            core_request_set_sectors(word, m.asked);
        }
        b.expect("its node", b.v.write_at_o, a.write_at);
        if (memcmp(word, is, sizeof is)) b.fail("another request");
    }
}

struct Test {
    Bench &b;
    Parameters p;
    Seen *seen;
    After after;
    Message before = {}; /* of which `after` is */

    /* A clock ends. */
    void tick(const Message &m, const After &a) {
        b.tick();
        b.v.last_i = 0;
        before = m;
        after = a;
        expect(b, before, after);
    }

    void neighbours() {
        b.v.events_ready_i = b.chance(p.ready);
        b.v.port_ready_i = b.chance(p.ready);
        b.v.spare_ok_i = !b.v.spare_take_o && b.chance(p.ready);
        b.v.spare_node_i = (uint8_t)b.bits(8);
        b.v.reply_pop_i = b.chance(100 - p.ready);
    }

    /* A request, or a line of FillL2. @return the copy in the other partition goes next */
    bool serve(const Message &m, Out *o, std::optional<Sent> *s, After *a) {
        if (m.stuck()) {
            o->stuck = !m.copy();
            o->done = 1;
            seen->stuck++;
            return false;
        }
        const bool tell = m.copied && m.kind != CORE_REQ_READ && !m.copy();
        const uint32_t cycles = (m.busy + 255) / 256;
        o->commit = 1;
        o->write = m.leaves;
        o->done = !tell;
        o->copied = m.copied;
        a->counts = m.leaves ? m.dirty : 0;
        seen->copies += m.copy();
        if (m.copy()) return false;
        o->take = o->pop = 1;
        o->add = m.leaves + m.read();
        o->perform = core_request_perform(m.word) || m.pin != CORE_PIN_NONE;
        o->read = m.read();
        o->add_waiter = m.waits();
        const bool fetch = !m.home && m.asked;
        o->send = m.answers() || fetch;
        if (fetch) *s = Sent{SendFetch, b.v.spare_node_i, 0, m.bar, m.service + p.miss};
        if (m.answers())
            *s = Sent{SendAnswer, m.split() ? b.v.spare_node_i : m.head,
                      m.kind == CORE_REQ_WRITE  ? 0
                      : m.kind == CORE_REQ_READ ? m.present
                                                : m.result(),
                      m.split() && !core_request_cached(m.word) ? (unsigned)BAR_NONE : m.bar,
                      m.service + p.latency + (m.kind == CORE_REQ_WRITE ? 0 : cycles - 1)};
        a->served = true;
        a->spare = m.split() || fetch;
        a->node = fetch;
        a->write_at = b.v.spare_node_i;
        a->ask = m.read();
        a->asked = m.asked;
        const unsigned hits = m.kind == CORE_REQ_WRITE ? m.sectors : m.present | m.merged;
        a->counts |= (m.trip == TripFetch ? 0 : m.sectors) << 12 | hits << 8 |
                     (m.read() ? m.asked : 0) << 4;
        a->outcome = m.global << 15 | m.kind << 13 | m.present << 9 | m.asked << 5 | m.merged << 1 |
                     1;
        seen->split += m.split();
        seen->fetch += fetch;
        seen->waits += m.waits();
        seen->tell += tell;
        return tell;
    }

    void others(const Message &m, Out *o, std::optional<Sent> *s, After *a) {
        const bool request = m.act == ActPass, fill = m.act == ActFill;
        o->take = request;
        o->again = !request;
        o->pop = 1;
        o->done = !fill;
        if (m.op == OpDrop) *o = Out{};
        if (m.op == OpDrop) o->done = 1;
        o->commit = fill || m.act == ActDrop;
        o->walk = fill;
        o->send = m.act == ActPass || m.act == ActPassed;
        o->copied = m.copied && o->commit;
        if (request)
            *s = Sent{SendPass, m.head, m.kind == CORE_REQ_WRITE ? m.sectors : 0, m.bar,
                      m.service + p.miss};
        if (m.act == ActPassed) *s = Sent{SendAnswer, m.head, m.answer, m.bar, m.service + p.fill};
        a->served = request;
        a->outcome = m.global << 15 | m.kind << 13 | 1;
        a->free = (m.op == OpBack && m.act != ActPassed) || m.act == ActWritten;
        a->ask = m.act == ActFill && m.op == OpFill;
    }

    bool ready(const Message &m) {
        switch (m.act) {
        case ActServe: return b.v.events_ready_i && b.v.port_ready_i && b.v.spare_ok_i;
        case ActPass:
        case ActPassed: return b.v.port_ready_i;
        case ActFill: return b.v.port_ready_i && (m.op == OpFill || !b.v.reply_pop_i);
        default: return m.op == OpDrop || !b.v.reply_pop_i;
        }
    }

    void message(const Message &m) {
        ports(b, m);
        b.v.runs_i = 1;
        b.v.work_i = m.op != OpCopy && m.op != OpDrop;
        b.v.found_i = !PIPELINED;
        seen->acts[m.act]++;
        bool tell = false, walk = false;
        for (unsigned clock = 0;; clock++) {
            if (clock > 2000) b.fail("it is not served");
            if (clock >= 2) b.v.found_i = 1;
            neighbours();
            b.settle();
            Out o;
            After a;
            std::optional<Sent> s;
            const bool valid = clock >= PIPELINED * 3;
            if (tell) { /* the copy goes */
                if (b.v.port_ready_i && b.v.spare_ok_i) {
                    o.send = o.done = 1;
                    s = Sent{SendDrop, b.v.spare_node_i, 0, m.bar, m.service + p.miss};
                    a.spare = a.node = true;
                    a.write_at = b.v.spare_node_i;
                    a.drop = m.line;
                }
            } else if (walk) {
                b.expect("answers at", b.v.wake_at_o, m.service + p.fill);
                b.v.last_i = b.chance(40);
                o.done = b.v.last_i;
            } else if (valid && ready(m)) {
                if (m.act == ActServe)
                    tell = serve(m, &o, &s, &a);
                else
                    others(m, &o, &s, &a);
                walk = m.act == ActFill;
                if (walk && !PIPELINED && b.chance(30)) b.v.last_i = o.done = 1;
            }
            b.settle();
            expect(b, o);
            if (s) expect(b, *s);
            if (s && s->kind == SendAnswer)
                b.expect("trip", b.v.send_trip_o, m.act == ActPassed ? (unsigned)TripNone : m.trip);
            if (o.read || (o.write && !m.copy()))
                b.expect("memory at", b.v.miss_at_o, m.service + p.miss);
            if (o.walk) b.expect("answers at", b.v.wake_at_o, m.service + p.fill);
            if (o.add_waiter)
                b.expect("of its answer", b.v.wait_answer_o,
                         m.kind != CORE_REQ_READ       ? m.result()
                         : m.op == OpRequest && m.home ? m.missing
                                                       : m.sectors);
            tick(m, a);
            if (o.done) break;
        }
        b.v.found_i = b.v.work_i = 0;
        if (PIPELINED || b.pick(2)) { /* the clock behind it */
            neighbours();
            b.settle();
            expect(b, Out());
            tick(m, After());
            b.v.runs_i = 0;
            for (unsigned k = b.pick(3); k > 0; k--) tick(m, After());
        }
    }

    void parameters() {
        b.v.latency_i = p.latency;
        b.v.miss_i = p.miss;
        b.v.fill_i = p.fill;
    }

    /* What cannot be is a fault: sectors come for which nobody waits; a request for none. */
    void lost() {
        parameters();
        Message fill = random_message(b), none = random_message(b);
        while (fill.act != ActFill) fill = random_message(b);
        while (none.act != ActServe || none.copy() || none.stuck() || none.leaves || none.copied)
            none = random_message(b);
        fill.some = false;
        message(fill);
        b.expect("fault", b.v.fault_o, CORE_FAULT_DRAM_ID);
        none.sectors = none.present = none.missing = none.merged = none.asked = 0;
        core_request_set_sectors(none.word, 0);
        message(none);
        b.expect("fault", b.v.fault_o, CORE_FAULT_REQUEST);
        seen->lost++;
    }

    void run() {
        parameters();
        for (int i = 0; i < 8000; i++) {
            message(random_message(b));
            b.expect("fault", b.v.fault_o, CORE_FAULT_NONE);
        }
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (const Parameters &p : {Parameters{30, 20, 20, 100}, Parameters{1, 1, 1, 70},
                                Parameters{0xffffff00, 77, 1000, 30}}) {
        Bench b(seed++);
        Test t{b, p, &seen, {}};
        t.run();
    }
    for (int i = 0; i < 200; i++) {
        Bench b(seed++);
        Test t{b, {5, 6, 7, 80}, &seen, {}};
        t.lost();
    }
    for (unsigned i = 0; i < 6; i++)
        if (seen.acts[i] < 100) return fprintf(stderr, "act %u: %u\n", i, seen.acts[i]), 1;
    if (!all_reached(
            {seen.stuck, seen.split, seen.fetch, seen.tell, seen.copies, seen.waits, seen.lost},
            100))
        return 1;
    printf("net_serve: passed\n");
    return 0;
}
