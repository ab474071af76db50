/* net_test.cpp - net_engine against net_model.h: random requests of many SMs, handed in in random
 * order of the SMs, random answers of memory, random waiting; 1, 2 and 3 instances that exchange
 * messages; windows of several lengths. Every reply, event, counter and the hash must be those of
 * the model.
 *
 *   net_test [CASE [SEED]]    one case, with seed 1 or 2; without: all, with both seeds
 *
 * HEDDLE_ROWS, HEDDLE_MESSAGES: the sets that the engine under test has for all its slices, the
 * messages for which it has room. */
#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "tests/rtl/net/net_bench.h"

#ifndef HEDDLE_ROWS
#define HEDDLE_ROWS 32768
#define HEDDLE_MESSAGES 65536
#endif

namespace {

struct Case {
    const char *name;
    Config c;
    uint32_t window, instances, requests, lines, gap;
    unsigned mix[3]; /* parts of Read, Write, Atomic */
    uint32_t fill;   /* lines that FillL2 makes valid first */
};

std::vector<Request> make_requests(const Case &k, std::mt19937 &random) {
    std::vector<Request> all;
    for (uint32_t sm = 0; sm < k.c.num_sm; sm++) {
        uint32_t emit = 1 + random() % 40, at = 0;
        for (uint32_t i = 0; i < k.requests; i++) {
            Request r = {};
            emit += random() % (2 * k.gap + 1) * (random() % 64 == 0 ? 20 : 1);
            at = std::max(at + 1, emit + (uint32_t)random() % 4);
            if (at > emit + 64) emit = at - 64;
            unsigned part = random() % (k.mix[0] + k.mix[1] + k.mix[2]);
            r.kind = part < k.mix[0] ? kRead : part < k.mix[0] + k.mix[1] ? kWrite : kAtomic;
            r.at = at;
            r.emit = emit;
            r.sm = sm;
            r.warp = random() % 64;
            r.bar = r.kind == kWrite ? 6 : r.kind == kAtomic && random() % 2 ? 6 : random() % 6;
            r.perform = random() % 4 == 0;
            r.slot = random() % 32;
            r.cached = r.kind == kRead && random() % 3 != 0;
            r.mshr = r.cached ? random() % 256 : 0;
            r.sectors = 1 + random() % 15;
            r.full = r.kind == kWrite ? random() % 16 & r.sectors : 0;
            r.lanes = 1 + random() % 32;
            r.addr = random() % 8 == 0 ? random() : random() % k.lines;
            all.push_back(r);
        }
    }
    return all;
}

/* The instances, the host that moves messages between them, and memory. */
class Run {
  public:
    std::vector<Reply> replies;
    std::vector<Event> events;
    uint64_t accesses = 0, hits = 0, reads = 0, writes = 0, hash = 0, clocks = 0, windows = 0;

    Run(const Case &k, uint32_t seed) : k_(k), random_(seed), last_fill_(k.c.num_slices) {
        for (uint32_t i = 0; i < k.instances; i++) {
            bench_.emplace_back(new Bench(seed + i));
            const uint32_t value[][2] = {{CORE_PARAM_NUM_SM, k.c.num_sm},
                                         {CORE_PARAM_NUM_SLICES, k.c.num_slices},
                                         {CORE_PARAM_L2_SETS, k.c.sets},
                                         {CORE_PARAM_NET_REQUEST, k.c.net_request},
                                         {CORE_PARAM_NET_REPLY, k.c.net_reply},
                                         {CORE_PARAM_L2_LATENCY, k.c.l2_latency},
                                         {CORE_PARAM_L2_MISS, k.c.l2_miss},
                                         {CORE_PARAM_L2_FILL, k.c.l2_fill},
                                         {CORE_PARAM_HASH, k.c.hash},
                                         {CORE_PARAM_INTERLEAVE, k.c.interleave},
                                         {CORE_PARAM_ATOMIC_TIME, k.c.atomic_time},
                                         {CORE_PARAM_DRAM_ENTRIES, 1023}, /* never too few */
                                         {CORE_PARAM_FLIT_SECTORS, k.c.flit_sectors},
                                         {CORE_PARAM_FLIT_TIME, k.c.flit_time},
                                         {CORE_PARAM_L2_FETCH, k.c.fetch},
                                         {CORE_PARAM_L2_DIRTY_WAYS, k.c.dirty_ways},
                                         {CORE_PARAM_INSTANCES, k.instances},
                                         {CORE_PARAM_INSTANCE, i}};
            for (auto &v : value) bench_[i]->set(v[0], v[1]);
        }
    }

    void run(const std::vector<Request> &all) {
        std::vector<std::deque<Request>> todo(k_.c.num_sm);
        for (const Request &r : all) todo[r.sm].push_back(r);
        flush_or_fill(CORE_CMD_FILL_L2, k_.fill);
        /* the host allows as much as it can answer for: the shortest link */
        uint32_t step = std::min(k_.c.lookahead, std::min(k_.c.net_request, k_.c.net_reply));
        for (uint32_t now = 0;;) {
            bool more = false;
            uint32_t until = now + 1 + random_() % step;
            for (auto &b : bench_) deliver(*b, index(b));
            for (auto &b : bench_) more |= advance(*b, index(b), now, until, todo);
            for (auto &b : bench_) collect(*b, index(b));
            for (auto &q : todo) more |= !q.empty();
            for (auto &m : mail_) more |= !m.empty();
            now = until;
            if (!more) break;
            now_ = now;
        }
        flush_or_fill(CORE_CMD_FLUSH_L2, 0);
        for (auto &b : bench_) {
            HEDDLE_MODEL &v = b->model();
            accesses += v.accesses_o;
            hits += v.hits_o;
            reads += v.reads_o;
            writes += v.writes_o;
            hash += v.hash_o;
            clocks += b->clocks;
            replies.insert(replies.end(), b->replies.begin(), b->replies.end());
        }
        std::sort(events.begin(), events.end());
    }

    uint32_t end() const { return now_; }

  private:
    const Case &k_;
    std::mt19937 random_;
    std::vector<std::unique_ptr<Bench>> bench_;
    std::vector<uint32_t> last_fill_;
    std::vector<std::array<uint64_t, 8>> mail_[4]; /* commands to an instance */
    uint32_t now_ = 0;

    uint32_t index(const std::unique_ptr<Bench> &b) const { return &b - bench_.data(); }

    void flush_or_fill(uint32_t kind, uint32_t value) {
        for (auto &b : bench_) {
            b->set_reached(now_);
            b->simple(kind, 0, value);
            b->wait_idle();
            collect(*b, index(b));
        }
    }

    void deliver(Bench &b, uint32_t instance) {
        for (auto &beat : mail_[instance]) b.command(beat.data());
        mail_[instance].clear();
        b.wait_idle();
    }

    /* One run of an instance: windows as heddle_run opens them. @return something is left. */
    bool advance(Bench &b, uint32_t instance, uint32_t now, uint32_t until,
                 std::vector<std::deque<Request>> &todo) {
        for (;;) {
            b.set_reached(now);
            uint64_t next = b.next();
            uint32_t at = next >> 32 ? UINT32_MAX : (uint32_t)next;
            for (uint32_t sm = instance; sm < k_.c.num_sm; sm += k_.instances)
                if (!todo[sm].empty()) at = std::min(at, todo[sm].front().emit);
            if (at < now) b.fail("next lies in the past");
            if (at >= until) {
                b.set_reached(until);
                return at != UINT32_MAX;
            }
            uint32_t end = std::min(at + k_.window, until);
            b.begin_window(end);
            b.set_reached(at);
            windows++;
            std::vector<uint32_t> order;
            for (uint32_t sm = instance; sm < k_.c.num_sm; sm += k_.instances) order.push_back(sm);
            std::shuffle(order.begin(), order.end(), random_);
            for (uint32_t sm : order) {
                b.take_replies(sm, end);
                for (; !todo[sm].empty() && todo[sm].front().emit < end; todo[sm].pop_front())
                    b.request(todo[sm].front());
            }
            b.wait_idle();
            now = end;
        }
    }

    /* What the host does with events. */
    void collect(Bench &b, uint32_t instance) {
        std::vector<std::array<uint64_t, 8>> fills;
        for (const Bench::Raw &e : b.events) {
            const uint64_t *w = e.word;
            uint32_t kind = core_event_kind(w);
            if (kind == CORE_EV_REQUEST || kind == CORE_EV_REPLY) {
                uint32_t to = (kind == CORE_EV_REQUEST ? core_remote_slice(w) : core_remote_sm(w)) %
                              k_.instances;
                if (to == instance) b.fail("a message to another instance stays here");
                auto &mail = mail_[to];
                if (mail.empty() || core_command_kind(mail.back().data()) != CORE_CMD_REMOTE ||
                    core_command_words(mail.back().data()) == 3) {
                    mail.push_back({});
                    core_command_set_kind(mail.back().data(), CORE_CMD_REMOTE);
                }
                uint64_t *beat = mail.back().data();
                uint32_t n = core_command_words(beat);
                memcpy(beat + 2 + 2 * n, w, 16);
                core_command_set_words(beat, n + 1);
                continue;
            }
            uint32_t at = core_event_at(w), slice = core_event_sm(w), line = core_event_addr(w);
            events.push_back({kind, at, slice, core_event_warp(w), core_event_slot(w),
                              core_event_sectors(w), line, core_event_full(w)});
            const bool written = kind == CORE_EV_DRAM_WRITE && core_event_id(w);
            if (kind != CORE_EV_DRAM_READ && !written) continue;
            std::array<uint64_t, 8> beat = {};
            uint32_t reply = std::max(last_fill_[slice], at + k_.c.lookahead);
            if (!written)
                reply = last_fill_[slice] = dram_answer(k_.c, slice, line, at, last_fill_[slice]);
            core_command_set_kind(beat.data(), CORE_CMD_DRAM_REPLY);
            core_command_set_sm(beat.data(), slice);
            core_command_set_id(beat.data(), core_event_id(w));
            core_command_set_at(beat.data(), reply);
            core_command_set_value(beat.data(), written);
            mail_[instance].push_back(beat);
        }
        b.events.clear();
    }
};

/* What the random streams have exercised, over all cases. */
struct Coverage {
    uint64_t no_way = 0, merges = 0, splits = 0, evictions = 0, port_waits = 0,
             in_flight_writes = 0, more = 0, cleanings = 0;

    void add(const Model &m) {
        no_way += m.no_way;
        merges += m.merges;
        splits += m.splits;
        evictions += m.evictions;
        port_waits += m.port_waits;
        in_flight_writes += m.in_flight_writes;
        more += m.more;
        cleanings += m.cleanings;
    }

    bool enough() const {
        printf("coverage: no way free %lu, merged %lu, two replies %lu, evictions %lu, port taken "
               "%lu, "
               "writes to sectors in flight %lu, sectors fetched unasked %lu, ways cleaned %lu\n",
               no_way, merges, splits, evictions, port_waits, in_flight_writes, more, cleanings);
        return std::min({no_way, merges, splits, evictions, port_waits, in_flight_writes, more,
                         cleanings}) >= 1000;
    }
};

/* Of a case: as many as there are with one seed, drawn with the other. */
uint32_t dirty_ways(const char *name, uint32_t seed) {
    std::seed_seq of(name, name + strlen(name));
    std::mt19937 random(of);
    return seed == 1 ? 0 : 1 + random() % 10;
}

bool check(const Case &k, uint32_t seed, Coverage &coverage) {
    std::mt19937 random(seed);
    std::vector<Request> requests = make_requests(k, random);
    Run run(k, seed);
    run.run(requests);
    Model model(k.c);
    model.fill(0, k.fill, 0);
    model.run(requests);
    model.flush(run.end());
    coverage.add(model);
    std::sort(model.events.begin(), model.events.end());

    /* each SM takes its replies in order; what a reply does not say is taken from the model */
    bool ok = run.replies.size() == model.replies.size();
    std::vector<std::vector<Reply>> want(k.c.num_sm), got(k.c.num_sm);
    for (const Reply &r : model.replies) want[r.sm].push_back(r);
    for (const Reply &r : run.replies) got[r.sm].push_back(r);
    for (uint32_t sm = 0; ok && sm < k.c.num_sm; sm++) {
        ok = want[sm].size() == got[sm].size();
        for (size_t i = 0; ok && i < want[sm].size(); i++) {
            got[sm][i].slice = want[sm][i].slice;
            ok = got[sm][i] == want[sm][i];
            if (!ok)
                printf("SM %u reply %zu: at %u sectors %x, model %u %x (slice %u)\n", sm, i,
                       got[sm][i].at, got[sm][i].sectors, want[sm][i].at, want[sm][i].sectors,
                       want[sm][i].slice);
        }
    }
    if (!ok) printf("replies differ: %zu, model %zu\n", run.replies.size(), model.replies.size());
    if (run.events != model.events) {
        printf("events differ: %zu, model %zu\n", run.events.size(), model.events.size());
        for (size_t i = 0; i < std::min(run.events.size(), model.events.size()); i++)
            if (!(run.events[i] == model.events[i])) {
                const Event &a = run.events[i], &b = model.events[i];
                printf("  kind %u at %u of %u addr %x sectors %x, model %u %u %u %x %x\n", a.kind,
                       a.at, a.sm, a.addr, a.sectors, b.kind, b.at, b.sm, b.addr, b.sectors);
                break;
            }
        ok = false;
    }
    if (run.accesses != model.accesses || run.hits != model.hits || run.reads != model.reads ||
        run.writes != model.writes || run.hash != model.hash) {
        printf("counters differ: %lu %lu %lu %lu %lx, model %lu %lu %lu %lu %lx\n", run.accesses,
               run.hits, run.reads, run.writes, run.hash, model.accesses, model.hits, model.reads,
               model.writes, model.hash);
        ok = false;
    }
    printf("%s %-28s %2u dirty, %7zu requests %7zu events, %5.2f clocks per request, %lu windows, "
           "hit %2.0f %%\n",
           ok ? "ok    " : "FAILED", k.name, k.c.dirty_ways, requests.size(), run.events.size(),
           (double)run.clocks / (double)requests.size(), run.windows,
           100.0 * (double)run.hits / (double)run.accesses);
    return ok;
}

} // namespace

int main(int argc, char **argv) {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    Config v100, half, line, clock, wide, small, tiny, odd, near, slow, few, far;
    few.num_sm = 2, few.fetch = 2, few.num_slices = 2, few.dram_spread = 700;
    far = few, far.net_request = 300, far.net_reply = 400;
    half.fetch = 2, line.fetch = 4, half.interleave = 4;
    clock.flit_time = 294, wide.flit_time = 391, wide.flit_sectors = 2;
    small.num_sm = 7, small.num_slices = 4, small.sets = 3;
    tiny.num_sm = 20, tiny.num_slices = 2, tiny.sets = 1, tiny.dram_spread = 900, tiny.fetch = 4;
    odd.num_sm = 33, odd.num_slices = 24, odd.sets = 5, odd.hash = 0, odd.atomic_time = 700;
    near.num_sm = 16, near.num_slices = 80, near.sets = 7, near.net_request = 5, near.net_reply = 4;
    near.l2_latency = 3, near.l2_miss = 1, near.l2_fill = 0, near.lookahead = 32;
    near.dram_spread = 3;
    slow.interleave = 2, slow.num_sm = 132, slow.num_slices = 96, slow.sets = 16;
    slow.net_request = 300, slow.net_reply = 400, slow.dram_spread = 3000;
    const Case cases[] = {
        {"v100", v100, 32, 1, 300, 20000, 3, {6, 3, 1}, 3000},
        {"v100 window 1", v100, 1, 1, 60, 20000, 3, {6, 3, 1}, 100},
        {"v100 window 5", v100, 5, 1, 100, 2000, 20, {6, 3, 1}, 100},
        {"fetch of 64 bytes", half, 32, 1, 300, 20000, 3, {6, 3, 1}, 3000},
        {"fetch of 128 bytes", line, 32, 2, 200, 3000, 3, {6, 3, 1}, 100},
        {"network of 1,200 MHz", clock, 32, 1, 300, 20000, 2, {6, 3, 1}, 3000},
        {"flits of 64 bytes", wide, 32, 1, 300, 20000, 1, {6, 3, 1}, 3000},
        {"v100 2 instances", v100, 32, 2, 200, 20000, 3, {6, 3, 1}, 3000},
        {"reads of few lines", v100, 32, 1, 200, 40, 1, {1, 0, 0}, 0},
        {"writes", v100, 32, 1, 200, 400000, 1, {0, 1, 0}, 0},
        {"atomics on 8 lines", small, 32, 1, 600, 8, 2, {0, 0, 1}, 0},
        {"small", small, 32, 1, 2000, 400, 5, {4, 3, 1}, 30},
        {"small 3 instances", small, 7, 3, 800, 400, 5, {4, 3, 1}, 30},
        {"no way free", tiny, 32, 1, 400, 300, 2, {9, 2, 1}, 10},
        {"no way free 2 instances", tiny, 32, 2, 300, 300, 2, {9, 2, 1}, 10},
        {"24 slices, linear", odd, 32, 1, 400, 3000, 4, {5, 3, 2}, 200},
        {"short latencies", near, 32, 1, 500, 3000, 2, {5, 3, 2}, 200},
        {"short latencies 2 instances", near, 32, 2, 300, 3000, 2, {5, 3, 2}, 200},
        {"132 SMs, 96 slices, far", slow, 32, 1, 100, 30000, 1, {5, 3, 1}, 500},
        {"132 SMs 3 instances", slow, 20, 3, 60, 30000, 4, {5, 3, 1}, 500},
        {"sparse", v100, 32, 1, 20, 20000, 3000, {6, 3, 1}, 0},
        {"sparse 2 instances", few, 32, 2, 300, 300, 600, {6, 3, 1}, 0},
        {"sparse and far 2 instances", far, 32, 2, 300, 300, 600, {6, 3, 1}, 0},
    };
    bool ok = true;
    Coverage coverage;
    unsigned run = 0;
    const uint32_t only = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
    for (uint32_t seed = 1; seed <= 2; seed++)
        for (Case k : cases) {
            if ((argc > 1 && strcmp(argv[1], k.name)) || (only && only != seed)) continue;
            k.c.sets = std::min(k.c.sets, HEDDLE_ROWS / k.c.num_slices);
            k.requests = std::min(k.requests, HEDDLE_MESSAGES / 2 / k.c.num_sm); /* two replies */
            k.c.dirty_ways = dirty_ways(k.name, seed);
            ok &= check(k, seed * 977, coverage);
            run++;
        }
    if (argc > 1) return ok && run ? 0 : 1;
    return coverage.enough() && ok ? 0 : 1;
}
