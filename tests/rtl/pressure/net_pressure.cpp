/* net_pressure.cpp - the network engine with slow neighbours: SMs that take replies late, in random
 * order, and hand in requests with gaps, a host that lets events and commands wait. Host clocks are
 * no target time: every reply, event, counter and the hash are those of a run in which nobody waits
 * (net_test compares such a run with a model). One and two partitions. With assertions.
 *
 *   net_pressure [RUNS]     of each kind; 4 when left out */
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "Vnet_engine.h"
#include "core_words.h"
#include "verilated.h"

namespace {

constexpr uint32_t num_sms = 12, num_slices = 4, window = 20, busy_cycles = 1500,
                   all_cycles = 20000, lookahead = 40;

using Word = std::array<uint64_t, 2>;
using Beat = std::array<uint64_t, 8>;

struct Result {
    std::array<std::vector<uint64_t>, num_sms> replies;
    std::multiset<std::array<uint64_t, 3>> events; /* without the numbers of nodes */
    std::array<uint64_t, 5> counters{};
    size_t requests = 0, num_replies = 0;
    uint64_t clocks = 0;
};

std::array<std::deque<Word>, num_sms> make_requests(uint32_t seed) {
    std::mt19937 random(seed);
    std::array<std::deque<Word>, num_sms> all;
    for (uint32_t sm = 0; sm < num_sms; sm++)
        for (uint32_t at = random() % 16; at < busy_cycles; at += 1 + random() % 16) {
            Word w = {};
            const uint32_t kind = random() % 4 ? +CORE_REQ_READ : 1 + random() % 2;
            const bool cached = kind == CORE_REQ_READ && random() % 2;
            core_request_set_at(w.data(), at);
            core_request_set_sm(w.data(), sm);
            core_request_set_warp(w.data(), random() % 64);
            core_request_set_bar(w.data(), kind == CORE_REQ_WRITE ? 6 : random() % 6);
            core_request_set_kind(w.data(), kind);
            core_request_set_perform(w.data(), random() % 4 == 0);
            core_request_set_slot(w.data(), random() % 32);
            core_request_set_mshr(w.data(), cached ? random() % 256 : 0);
            core_request_set_cached(w.data(), cached);
            core_request_set_sectors(w.data(), 1 + random() % 15);
            core_request_set_turns(w.data(), 1 + random() % 32);
            core_request_set_addr(w.data(), random() % 400);
            all[sm].push_back(w);
        }
    return all;
}

class Run {
  public:
    /* slow: how often, of a hundred clocks, each neighbour waits */
    Run(uint32_t seed, unsigned slow, unsigned partitions)
        : random_(seed + 1), slow_(slow), todo_(make_requests(seed)) {
        v_.rst_ni = 0;
        for (int i = 0; i < 4; i++) tick();
        v_.rst_ni = 1;
        rest();
        set(CORE_PARAM_NUM_SM, num_sms);
        set(CORE_PARAM_NUM_SLICES, num_slices);
        set(CORE_PARAM_L2_SETS, 3);
        set(CORE_PARAM_NET_REQUEST, window);
        set(CORE_PARAM_NET_REPLY, window);
        set(CORE_PARAM_NET_CROSS, window);
        set(CORE_PARAM_PARTITIONS, partitions);
        set(CORE_PARAM_DRAM_ENTRIES, 6);
        for (auto &queue : todo_) result_.requests += queue.size();
    }
    ~Run() { v_.final(); }

    Result all() {
        for (uint32_t now = 0; now < all_cycles; now += window) {
            v_.reached_i = now;
            for (const Beat &beat : std::exchange(answers_, {})) command(beat);
            rest();
            open_window(now + window);
            answer();
        }
        if (!(v_.next_o >> 32)) hangs("work is left at the end");
        v_.reached_i = all_cycles;
        Beat flush = {};
        core_command_set_kind(flush.data(), CORE_CMD_FLUSH_L2);
        command(flush);
        rest();
        answer();
        result_.counters = {v_.accesses_o, v_.hits_o, v_.reads_o, v_.writes_o, v_.hash_o};
        for (auto &replies : result_.replies) result_.num_replies += replies.size();
        return result_;
    }

  private:
    VerilatedContext context_;
    Vnet_engine v_{&context_};
    std::mt19937 random_;
    const unsigned slow_;
    std::array<std::deque<Word>, num_sms> todo_;
    std::vector<Word> events_;
    std::vector<Beat> answers_;
    uint32_t last_answer_[num_slices] = {};
    unsigned hold_ = 0; /* clocks for which the host takes no event */
    Result result_;

    bool waits() { return random_() % 100 < slow_; }

    void tick() {
        if (slow_ && random_() % 500 == 0) hold_ = random_() % 200;
        v_.ev_ready_i = hold_ ? 0 : !waits();
        if (hold_) hold_--;
        v_.clk_i = 0;
        v_.eval();
        if (v_.rst_ni && v_.ev_valid_o && v_.ev_ready_i) {
            Word w;
            std::memcpy(w.data(), &v_.ev_o, sizeof w);
            events_.push_back(w);
        }
        v_.clk_i = 1;
        v_.eval();
        result_.clocks++;
    }

    [[noreturn]] void hangs(const char *what) {
        std::printf("FAILED: %s in clock %lu\n", what, (unsigned long)result_.clocks);
        std::exit(1);
    }

    void rest() {
        for (int i = 0; !v_.idle_o; i++) {
            if (i > 1000000) hangs("the engine is never idle");
            tick();
        }
        if (v_.fault_o) hangs("a fault");
    }

    void command(const Beat &beat) {
        while (waits()) tick();
        std::memcpy(&v_.cmd_i, beat.data(), sizeof beat);
        v_.cmd_valid_i = 1;
        for (bool taken = false; !taken;) {
            taken = v_.cmd_ready_o;
            tick();
        }
        v_.cmd_valid_i = 0;
    }

    void set(uint32_t number, uint32_t value) {
        Beat beat = {};
        core_command_set_kind(beat.data(), CORE_CMD_SET);
        core_command_set_id(beat.data(), number);
        core_command_set_value(beat.data(), value);
        command(beat);
        rest();
    }

    /* SMs take the replies of the window and hand in their requests, both at once. */
    void open_window(uint32_t end) {
        v_.go_i = 1;
        v_.window_end_i = end;
        tick();
        v_.go_i = 0;
        while (!v_.replied_o) tick();
        std::vector<uint32_t> sms; /* that may have replies */
        for (uint32_t sm = 0; sm < num_sms; sm++) sms.push_back(sm);
        enum { Choose, Look, Pop } state = Choose;
        unsigned pause = 0; /* clocks to the next look */
        size_t place = 0;
        int sender = -1; /* SM whose request is on the port */
        for (int i = 0;; i++) {
            if (i > 1000000) hangs("a window never ends");
            /* replies: a look in one clock, the pop in the next, four clocks from pop to pop */
            v_.reply_pop_i = state == Pop;
            v_.reply_pop_sm_i = v_.reply_sm_i;
            if (state == Choose && !sms.empty() && !pause && !waits()) {
                place = random_() % sms.size();
                v_.reply_sm_i = sms[place];
                state = Look;
            }
            /* requests */
            if (sender < 0 && !waits()) sender = next_sender(end);
            v_.req_valid_i = sender >= 0;
            if (sender >= 0) std::memcpy(&v_.req_i, todo_[sender].front().data(), 16);
            const bool sent = sender >= 0 && v_.req_ready_o;
            v_.clk_i = 0;
            v_.eval();
            uint64_t reply = v_.reply_o;
            const bool there = v_.reply_valid_o && (int32_t)(core_reply_at(&reply) - end) < 0;
            tick();
            if (sent) {
                todo_[sender].pop_front();
                sender = -1;
            }
            if (pause) pause--;
            if (state == Pop) {
                state = Choose;
                pause = 2 + (slow_ ? random_() % 8 : 0);
            } else if (state == Look && there) {
                result_.replies[sms[place]].push_back(reply);
                state = Pop;
            } else if (state == Look) {
                sms.erase(sms.begin() + place);
                state = Choose;
            }
            if (sms.empty() && sender < 0 && next_sender(end) < 0) break;
        }
        v_.req_valid_i = v_.reply_pop_i = 0;
        rest();
    }

    /* An SM with a request before the window's end, at random; -1: none. */
    int next_sender(uint32_t end) {
        const unsigned first = random_() % num_sms;
        for (unsigned i = 0; i < num_sms; i++) {
            const unsigned sm = (first + i) % num_sms;
            if (!todo_[sm].empty() && core_request_at(todo_[sm].front().data()) < end) return sm;
        }
        return -1;
    }

    /* Memory answers a slice in order of time, at least lookahead later. */
    void answer() {
        for (const Word &w : events_) {
            const uint32_t kind = core_event_kind(w.data()), slice = core_event_sm(w.data());
            const bool written = kind == CORE_EV_DRAM_WRITE && core_event_id(w.data());
            if (kind == CORE_EV_DRAM_READ || written) {
                const uint32_t earliest = core_event_at(w.data()) + lookahead;
                if (last_answer_[slice] < earliest) last_answer_[slice] = earliest;
                Beat beat = {};
                core_command_set_kind(beat.data(), CORE_CMD_DRAM_REPLY);
                core_command_set_sm(beat.data(), slice);
                core_command_set_id(beat.data(), core_event_id(w.data()));
                core_command_set_at(beat.data(), last_answer_[slice]);
                core_command_set_value(beat.data(), written);
                answers_.push_back(beat);
            }
            Word plain = w;
            core_event_set_id(plain.data(), written);
            result_.events.insert({kind, plain[0], plain[1]});
        }
        events_.clear();
    }
};

} // namespace

int main(int argc, char **argv) {
    const unsigned runs = argc > 1 ? std::strtoul(argv[1], nullptr, 0) : 4;
    unsigned failed = 0;
    for (unsigned partitions = 1; partitions <= 2; partitions++)
        for (unsigned seed = 1; seed <= runs; seed++) {
            const Result want = Run(seed, 0, partitions).all();
            const unsigned slow = 10 + seed * 20 % 80;
            const Result got = Run(seed, slow, partitions).all();
            const bool same = want.replies == got.replies && want.events == got.events &&
                              want.counters == got.counters && want.num_replies >= want.requests;
            failed += !same;
            std::printf("%s %u partitions, seed %u, %u %% slow: %zu requests, %zu replies, %zu "
                        "events, %lu clocks instead of %lu\n",
                        same ? "ok    " : "FAILED", partitions, seed, slow, want.requests,
                        got.num_replies, got.events.size(), (unsigned long)got.clocks,
                        (unsigned long)want.clocks);
        }
    return failed != 0;
}
