// bench.h - runs CTAs on the SM engine: a host that delivers packets, and a network of fixed
// latency. Both can be slowed at random, which must not change the result.
#ifndef HEDDLE_TESTS_RTL_SM_BENCH_H
#define HEDDLE_TESTS_RTL_SM_BENCH_H

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <ctime>
#include <map>
#include <memory>
#include <tuple>

#include "stream.h"
#include "sw_emu/rising_edge.h"
#include "verilated.h"

struct Setting {
    unsigned num_sm = 80;
    unsigned buffer = 64; // packets per warp
    unsigned window = 32;
    uint64_t delay_seed = 0;  // not 0: the host and the network stall at random
    unsigned ctas_per_sm = 2; // resident
    unsigned warps = 32;      // per CTA
    unsigned num_ctas = 160;
    uint32_t gap = 200;  // from the end of a CTA to the launch of the next; long: nothing else runs
    bool trace = false;  // keep every issue
    bool record = false; // the replies of the first run are those of later ones, too
    uint64_t starve_sm0 = 0; // host clock before which SM 0 gets no second delivery
    uint64_t max_clocks = 2000000000;
    std::map<unsigned, unsigned> params;
    unsigned class_flags = ~0u; // those of the class table that count
    // added to the line numbers of a warp's stream: warps may share one
    std::function<uint32_t(unsigned cta, unsigned warp)> base;
};

struct Issue {
    uint32_t at;
    uint8_t sm, warp;
    bool operator<(const Issue &o) const {
        return std::tie(at, sm, warp) < std::tie(o.at, o.sm, o.warp);
    }
    bool operator==(const Issue &o) const { return at == o.at && sm == o.sm && warp == o.warp; }
};

struct Result {
    uint64_t issued = 0, hash = 0, event_hash = 0, events = 0, l1_sectors = 0, l1_hits = 0;
    uint64_t requests = 0, request_hash = 0, clocks = 0;
    uint32_t last = 0; // cycle at which the last CTA ended
    double seconds = 0, cpu_seconds = 0;
    uint64_t parked_clocks = 0; // the engine waits for the host
    std::vector<Issue> trace;
    std::vector<std::array<uint64_t, 2>> seen; // events but for Want, with trace
    bool same(const Result &o) const {
        return issued == o.issued && hash == o.hash && event_hash == o.event_hash &&
               events == o.events && l1_sectors == o.l1_sectors && l1_hits == o.l1_hits &&
               requests == o.requests && request_hash == o.request_hash && last == o.last;
    }
};

typedef std::function<const Stream *(unsigned cta, unsigned warp)> Program;

// Beats for the command port, first in, first out; its memory is kept.
class Beats {
  public:
    typedef std::array<uint64_t, 8> Beat;
    bool empty() const { return head_ == tail_; }
    size_t size() const { return tail_ - head_; }
    Beat &front() { return ring_[head_ % ring_.size()]; }
    void pop() { head_++; }
    Beat &push() { // zeros
        if (size() == ring_.size()) grow();
        Beat &b = ring_[tail_++ % ring_.size()];
        b.fill(0);
        return b;
    }

  private:
    void grow() {
        std::vector<Beat> more(2 * ring_.size());
        for (size_t i = 0; i < ring_.size(); i++) more[i] = ring_[(head_ + i) % ring_.size()];
        tail_ = ring_.size();
        head_ = 0;
        ring_.swap(more);
    }
    std::vector<Beat> ring_ = std::vector<Beat>(1024); // a power of two
    size_t head_ = 0, tail_ = 0;
};

inline uint64_t mix64(uint64_t x) {
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 32;
}

// The engine behind its ports, one clock at a time. Model: Vsm_engine or Vsm_engine_nba.
template <class Model> class Bench {
  public:
    Bench(const Setting &setting, Program program)
        : set_(setting), program_(program), random_(setting.delay_seed), top_(new Model(&context_)),
          warps_(setting.num_sm * 64), replies_(setting.num_sm), waiting_(setting.num_sm),
          record_(setting.num_sm), cta_of_(setting.num_sm * setting.ctas_per_sm) {}

    ~Bench() { top_->final(); }

    // Any number of times: each begins with a reset.
    Result run() {
        result_ = Result();
        done_ctas_ = 0;
        clocks_ = 0;
        end_ = 0;
        end_full_ = 1024;
        for (unsigned sm = 0; recorded_ && sm < set_.num_sm; sm++)
            waiting_[sm] = (unsigned)record_[sm].size();
        reset();
        configure();
        for (unsigned slot = 0; slot < set_.ctas_per_sm; slot++)
            for (unsigned sm = 0; sm < set_.num_sm; sm++)
                launch(sm, slot, slot * set_.num_sm + sm, 16);
        double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
        while (done_ctas_ < set_.num_ctas) window();
        result_.seconds = now(CLOCK_MONOTONIC) - wall;
        result_.cpu_seconds = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        result_.clocks = clocks_;
        result_.issued = counter(0);
        result_.hash = counter(1);
        result_.l1_sectors = counter(2);
        result_.l1_hits = counter(3);
        recorded_ = set_.record;
        return result_;
    }

  private:
    static constexpr unsigned kLineAddr = 32; // bit of a line word at which its line number is
    static constexpr uint32_t kLongGap = 1 << 20;
    struct Warp {
        const Stream *stream = nullptr;
        size_t next = 0;           // packet to send
        size_t item = 0, line = 0; // line word to send
        uint64_t base = 0;         // added to line words
        uint16_t sent = 0, used = 0, lines_sent = 0, lines_used = 0;
        uint64_t wake = 0; // host clock before which nothing is delivered
        bool listed = false;
    };

    static double now(clockid_t clock) {
        struct timespec t;
        clock_gettime(clock, &t);
        return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    }

    bool slow(unsigned n) { return set_.delay_seed && random_.one_in(n); }

    void reset() {
        for (Warp &w : warps_) w = Warp();
        start_clock(*top_);
        top_->reached_i = 0;
        top_->rst_ni = 0;
        for (int i = 0; i < 4; i++) tick();
        top_->rst_ni = 1;
        while (!top_->idle_o) tick();
    }

    void configure() {
        std::map<unsigned, unsigned> p = set_.params;
        p[CORE_PARAM_NUM_SM] = set_.num_sm;
        p[CORE_PARAM_BUFFER_PACKETS] = set_.buffer;
        for (auto &kv : p) {
            uint64_t *b = beat(CORE_CMD_SET);
            core_command_set_id(b, kv.first);
            core_command_set_value(b, kv.second);
        }
        for (unsigned c = 0; c < kNumClasses; c++) {
            uint64_t *b = beat(CORE_CMD_CLASS);
            const ClassRow &r = kClassRows[c];
            core_command_set_id(b, c);
            core_command_set_value(b, r.latency << 16 | r.interval << 8 | r.pipe << 4 |
                                          (r.flags & set_.class_flags));
        }
    }

    uint64_t *beat(unsigned kind) {
        uint64_t *b = commands_.push().data();
        core_command_set_kind(b, kind);
        return b;
    }

    // Which CTAs a slot gets does not depend on which SM is heard of first.
    void launch(unsigned sm, unsigned slot, unsigned cta, uint32_t at) {
        if (cta >= set_.num_ctas) return;
        cta_of_[sm * set_.ctas_per_sm + slot] = cta;
        for (unsigned i = 0; i < set_.warps; i++) {
            unsigned w = slot * set_.warps + i;
            uint64_t *b = beat(CORE_CMD_LAUNCH);
            core_command_set_sm(b, sm);
            core_command_set_warp(b, w);
            core_command_set_cta(b, slot);
            core_command_set_warps(b, set_.warps);
            core_command_set_at(b, at);
            Warp &warp = warps_[sm * 64 + w];
            warp.stream = program_(cta, i);
            warp.base = set_.base ? (uint64_t)set_.base(cta, i) << kLineAddr : 0;
            warp.next = warp.item = warp.line = 0;
            warp.used = warp.sent; // the warp that had the number before has used all it had
            warp.lines_used = warp.lines_sent;
            list(sm * 64 + w);
        }
    }

    void end_at(uint32_t end) {
        end_full_ += end - end_;
        end_ = end;
    }

    // Between two windows; time goes on to shortly before it.
    void launch_later(unsigned sm, unsigned slot, unsigned cta, uint32_t at) {
        end_at(at - 256);
        top_->reached_i = end_;
        launch(sm, slot, cta, at);
    }

    void list(unsigned index) {
        Warp &w = warps_[index];
        if (w.listed || !more(w)) return;
        w.listed = true;
        w.wake = slow(2) ? clocks_ + random_.below(600) : 0;
        if (index < 64 && w.sent && w.wake < set_.starve_sm0) w.wake = set_.starve_sm0;
        listed_.push_back(index);
    }

    // Puts what fits into the buffers of a warp on the command port.
    void deliver(unsigned index) {
        Warp &w = warps_[index];
        uint64_t *b = nullptr;
        unsigned words = 0, types = 0;
        auto finish = [&] {
            core_command_set_words(b, words);
            core_command_set_types(b, types);
        };
        auto word = [&](unsigned type) {
            if (!b || words == 3 || slow(4)) {
                if (b) finish();
                b = beat(CORE_CMD_PACKETS);
                core_command_set_sm(b, index / 64);
                core_command_set_warp(b, index % 64);
                words = types = 0;
            }
            uint64_t *p = b + 2 + 2 * words;
            types |= type << 2 * words++;
            return p;
        };
        unsigned most = slow(2) ? 1 + random_.below(4) : 1000;
        // Two streams: line words go before their packet if they fit, but need not.
        while (most-- && more(w)) {
            next_line(w);
            bool lines = w.item < w.stream->size() && (uint16_t)(w.lines_sent - w.lines_used) < 64;
            bool packets = w.next < w.stream->size() && (uint16_t)(w.sent - w.used) < set_.buffer;
            if (lines && (!packets || w.item <= w.next) && !(packets && slow(2))) {
                const std::vector<uint64_t> &line = (*w.stream)[w.item].lines;
                bool two = w.line + 1 < line.size() && !slow(5) &&
                           (uint16_t)(w.lines_sent - w.lines_used) < 63;
                uint64_t *p = word(two ? 2 : 1);
                p[0] = line[w.line++] + w.base;
                if (two) p[1] = line[w.line++] + w.base;
                w.lines_sent = (uint16_t)(w.lines_sent + 1 + two);
            } else if (packets) {
                memcpy(word(0), (*w.stream)[w.next++].packet, 16);
                w.sent++;
            } else {
                break;
            }
        }
        if (b) finish();
    }

    void next_line(Warp &w) {
        while (w.item < w.stream->size() && w.line == (*w.stream)[w.item].lines.size()) {
            w.item++;
            w.line = 0;
        }
    }

    bool more(Warp &w) {
        if (w.next < w.stream->size()) return true;
        next_line(w);
        return w.item < w.stream->size();
    }

    void feed() {
        if (commands_.size() > 64) return;
        for (size_t n = listed_.size(); n && commands_.size() < 64; n--) {
            unsigned index = listed_.front();
            listed_.pop_front();
            Warp &w = warps_[index];
            if (w.wake > clocks_) {
                listed_.push_back(index);
                continue;
            }
            w.listed = false;
            uint16_t sent = w.sent, lines_sent = w.lines_sent;
            deliver(index);
            // Less than there was room for: more comes later, unasked.
            if (set_.delay_seed && (sent != w.sent || lines_sent != w.lines_sent)) list(index);
        }
    }

    void window() {
        if (later_) later_();
        later_ = nullptr;
        // All replies up to the window's end are there, since the network's latency is longer.
        uint64_t next = top_->next_o;
        for (unsigned sm = 0; sm < set_.num_sm; sm++) {
            if (!waiting_[sm]) continue;
            const uint64_t reply = first_reply(sm);
            if (next >> 32 || (int32_t)(core_reply_at(&reply) - next) < 0)
                next = core_reply_at(&reply);
        }
        settle();
        next = std::min<uint64_t>(next, top_->next_o >> 32 ? UINT64_MAX : top_->next_o);
        if (next >> 32) fail("nothing more happens");
        // A reply that is there may take effect after the window, behind others.
        if ((int32_t)((uint32_t)next - end_) < 0) next = end_;
        top_->reached_i = (uint32_t)next;
        end_at((uint32_t)next + set_.window);
        top_->go_i = 1;
        top_->window_end_i = end_;
        tick();
        top_->go_i = 0;
        tick();
        while (!top_->idle_o || top_->parked_o || !commands_.empty()) {
            feed();
            tick();
            if (clocks_ > set_.max_clocks) fail("clock limit");
        }
    }

    // Commands given so far take effect.
    void settle() {
        while (!commands_.empty() || !top_->idle_o) {
            tick();
            if (clocks_ > set_.max_clocks) fail("clock limit");
        }
    }

    [[noreturn]] void fail(const char *what) {
        printf("%s at clock %llu, window end %u: %u of %u CTAs done, parked %d idle %d\n", what,
               (unsigned long long)clocks_, end_, done_ctas_, set_.num_ctas, top_->parked_o,
               top_->idle_o);
        int shown = 0;
        for (unsigned i = 0; i < warps_.size() && shown < 8; i++)
            if (warps_[i].stream && warps_[i].used < warps_[i].sent && shown++ < 8)
                printf("  SM %u warp %u: %u sent, %u used, %zu in all; lines %u sent, %u used\n",
                       i / 64, i % 64, warps_[i].sent, warps_[i].used, warps_[i].stream->size(),
                       warps_[i].lines_sent, warps_[i].lines_used);
        for (size_t n = result_.trace.size(), i = n > 20 ? n - 20 : 0; i < n; i++)
            printf("  issue at %u: SM %u warp %u\n", result_.trace[i].at, result_.trace[i].sm,
                   result_.trace[i].warp);
        exit(1);
    }

    uint64_t counter(unsigned index) {
        for (int i = 0; i < 3; i++) tick();
        top_->stat_index_i = index & 7;
        tick();
        tick();
        return top_->stat_o;
    }

    void tick() {
        Model &t = *top_;
        t.cmd_valid_i = !commands_.empty() && !slow(3);
        if (t.cmd_valid_i && !shown_) {
            memcpy(&t.cmd_i[0], commands_.front().data(), 64);
            shown_ = true;
        }
        ready_for_event(!slow(3));
        show_reply(t.reply_sm_o < set_.num_sm ? t.reply_sm_o : 0, !slow(3));
        const unsigned popped = t.reply_pop_sm_o;
        bool pop = t.reply_pop_o, sent = t.cmd_valid_i && t.cmd_ready_o;
        if (t.ev_valid_o && t.ev_ready_i) event((const uint32_t *)&t.ev_o[0]);
        if (t.req_valid_o && t.req_ready_i) request((const uint32_t *)&t.req_o[0]);
        clock_model(t);
        if (sent) {
            commands_.pop();
            shown_ = false;
        }
        if (pop) pop_reply(popped);
        if (set_.trace && t.issue_valid_o)
            result_.trace.push_back({t.issue_time_o, t.issue_sm_o, t.issue_warp_o});
        clocks_++;
        result_.parked_clocks += t.idle_o && t.parked_o;
    }

    // What pops the engine's queues of events is not clocked, and clock_model() evaluates nothing
    // but what is: a change of this port has to settle first. Inside the kernel registers drive it.
    void ready_for_event(bool ready) {
        if (top_->ev_ready_i == ready) return;
        top_->ev_ready_i = ready;
        settle_ports();
    }

    void settle_ports() {
        top_->eval();
#ifdef HEDDLE_ONE_EVALUATION
        top_->rootp->__VnbaTriggered.at(0) = true; // as start_clock() does
#endif
    }

    // The same of replies, and of what takes requests.
    void show_reply(unsigned sm, bool ready) {
        const bool valid = waiting_[sm] != 0;
        const uint64_t word = valid ? first_reply(sm) : top_->reply_i;
        if (top_->reply_valid_i == valid && top_->reply_i == word && top_->req_ready_i == ready)
            return;
        top_->reply_valid_i = valid;
        top_->reply_i = word;
        top_->req_ready_i = ready;
        settle_ports();
    }

    void event(const uint32_t *word) {
        uint64_t ev[2];
        memcpy(ev, word, 16);
        unsigned kind = core_event_kind(ev), sm = core_event_sm(ev);
        if (kind == CORE_EV_WANT) {
            unsigned index = sm * 64 + core_event_warp(ev);
            Warp &w = warps_[index];
            w.used = (uint16_t)core_event_id(ev);
            w.lines_used = (uint16_t)core_event_addr(ev);
            list(index);
            return;
        }
        result_.event_hash += mix64(ev[0] * 3 + mix64(ev[1]));
        result_.events++;
        if (set_.trace) result_.seen.push_back({ev[0], ev[1]});
        if (kind == CORE_EV_CTA_DONE) {
            done_ctas_++;
            uint32_t at = core_event_at(ev);
            if ((int32_t)(at - result_.last) > 0) result_.last = at;
            unsigned slot = core_event_id(ev), before = cta_of_[sm * set_.ctas_per_sm + slot];
            unsigned after = before + set_.num_sm * set_.ctas_per_sm;
            if (set_.gap < kLongGap)
                launch(sm, slot, after, at + set_.gap);
            else
                later_ = [=, this] { launch_later(sm, slot, after, at + set_.gap); };
        }
    }

    struct Reply {
        uint64_t key; // time, then slice and order among equal times
        uint64_t word;
        bool operator<(const Reply &o) const { return key > o.key; } // a heap's front is the first
    };

    // Of the replies that an SM waits for.
    uint64_t first_reply(unsigned sm) const {
        return recorded_ ? *(record_[sm].end() - waiting_[sm]) : replies_[sm].front().word;
    }

    void pop_reply(unsigned sm) {
        waiting_[sm]--;
        if (recorded_) return;
        if (set_.record) record_[sm].push_back(replies_[sm].front().word);
        std::pop_heap(replies_[sm].begin(), replies_[sm].end());
        replies_[sm].pop_back();
    }

    void reply(const uint64_t *req, uint32_t latency, unsigned sectors, unsigned bar) {
        uint64_t w = 0;
        core_reply_set_at(&w, core_request_at(req) + latency);
        core_reply_set_warp(&w, core_request_warp(req));
        core_reply_set_bar(&w, bar);
        core_reply_set_mshr(&w, core_request_mshr(req));
        core_reply_set_cached(&w, core_request_cached(req));
        core_reply_set_sectors(&w, sectors);
        uint64_t at = end_full_ + (uint64_t)(int32_t)(core_reply_at(&w) - end_);
        uint64_t slice = core_request_addr(req) & 63;
        Reply r = {at << 18 | slice << 12 | core_request_order(req), w};
        std::vector<Reply> &queue = replies_[core_request_sm(req)];
        queue.push_back(r);
        std::push_heap(queue.begin(), queue.end());
        waiting_[core_request_sm(req)]++;
    }

    // The network: a latency that depends on the line; some replies come in two parts.
    void request(const uint32_t *word) {
        uint64_t req[2];
        memcpy(req, word, 16);
        result_.requests++;
        uint64_t h = mix64(req[0] * 3 + mix64(req[1]));
        result_.request_hash += h;
        // All that will be replied is there; the engine takes nothing before its time has come.
        if (recorded_) return;
        h = mix64(core_request_addr(req) * 977u + core_request_at(req));
        uint32_t latency = 60 + (h & 127);
        unsigned sectors = core_request_sectors(req), bar = core_request_bar(req);
        unsigned kind = core_request_kind(req);
        if (kind == CORE_REQ_WRITE || (kind == CORE_REQ_ATOMIC && bar == 6)) {
            reply(req, latency, 0, bar);
        } else {
            unsigned part = sectors & (unsigned)(h >> 8);
            if (part && part != sectors) {
                reply(req, latency, part, core_request_cached(req) ? bar : 7);
                latency += 1 + (h >> 12 & 255);
                sectors &= ~part;
            }
            reply(req, latency, sectors, bar);
        }
    }

    Setting set_;
    Program program_;
    Random random_;
    VerilatedContext context_;
    std::unique_ptr<Model> top_;
    std::vector<Warp> warps_;
    std::vector<std::vector<Reply>> replies_;   // heaps
    std::vector<unsigned> waiting_;             // replies of an SM
    std::vector<std::vector<uint64_t>> record_; // replies of the first run, in the order taken
    bool recorded_ = false;
    Beats commands_;
    bool shown_ = false; // the first of them is on the port
    std::deque<unsigned> listed_;
    std::vector<unsigned> cta_of_; // of each slot of each SM
    unsigned done_ctas_ = 0;
    uint64_t clocks_ = 0;
    uint32_t end_ = 0;            // of the last window
    uint64_t end_full_ = 1024;    // the same, not modulo 2^32; replies are hardly before it
    std::function<void()> later_; // launches a CTA
    Result result_;
};

#endif
