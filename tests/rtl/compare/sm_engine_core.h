/* sm_engine_core.h - sm_engine.sv alone as a core under test: the RTL has the SMs, the network and
 * L2 around it are the reference model's slices. What differs from the reference is the engine's
 * doing.
 *
 * Ports and handshakes: rtl/README.md. Model is Vsm_engine, Vsm_engine_nba, or a netlist. */
#ifndef COMPARE_SM_ENGINE_CORE_H
#define COMPARE_SM_ENGINE_CORE_H

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>

#include "reference/core_under_test.h"
#include "reference/l2.h"
#include "tests/rtl/reference/stream.h"
#include "verilated.h"

namespace reference {

/* Resets a model that has kept the state after a reset; false: reset it. keep_reset(): a reset is
 * over. A netlist (tests/synthesis/netsim/model.h) takes seconds for one. */
template <class Model> auto restore_reset(Model &model, int) -> decltype(model.restore_reset()) {
    return model.restore_reset();
}
template <class Model> bool restore_reset(Model &, long) {
    return false;
}
template <class Model> auto keep_reset(Model &model, int) -> decltype(model.keep_reset()) {
    model.keep_reset();
}
template <class Model> void keep_reset(Model &, long) {}

template <class Model> class SmEngineCore : public CoreUnderTest {
  public:
    /* delay_seed: not 0: the ports are slow at random. */
    explicit SmEngineCore(std::uint64_t delay_seed = 0)
        : delays_(delay_seed != 0), random_(delay_seed), top_(new Model(&context_)) {
        if (restore_reset(*top_, 0)) return;
        top_->rst_ni = 0;
        for (int i = 0; i < 4; i++) tick();
        top_->rst_ni = 1;
        while (!top_->idle_o) tick();
        keep_reset(*top_, 0);
        random_ = Random(delay_seed); /* the same delays, with or without a reset before */
    }
    ~SmEngineCore() override { top_->final(); }

    const char *name() const override { return "sm_engine"; }

    void command(const std::uint64_t beat[8]) override {
        switch (core_command_kind(beat)) {
        case CORE_CMD_SET:
            if (core_command_id(beat) < CORE_NUM_PARAMS)
                config_.params.set(core_command_id(beat), core_command_value(beat));
            give(beat);
            break;
        case CORE_CMD_DRAM_REPLY:
            build();
            l2_->dram_reply(beat, near(core_command_at(beat)));
            break;
        case CORE_CMD_FLUSH_L2:
            build();
            l2_->flush(now_);
            break;
        case CORE_CMD_UNPIN_L2:
            build();
            l2_->unpin();
            break;
        case CORE_CMD_FILL_L2:
            build();
            l2_->fill(core_command_at(beat), core_command_value(beat), now_);
            break;
        case CORE_CMD_REMOTE: { /* of customers that are no SMs, from outside the GPU */
            const std::uint64_t *w = beat + 2;
            const Cycle at = near(core_remote_at(w));
            build();
            if (core_remote_kind(w) == CORE_EV_REQUEST) {
                l2_->request(decode_request(w, at));
            } else {
                const Reply r = decode_reply(w, at);
                replies_.at(r.sm)[{r.at, r.slice}] = r;
            }
            break;
        }
        default: give(beat);
        }
    }

    Status run(Cycle until) override {
        build();
        while (now_ < until) {
            if (!in_window_ && !open_window(until)) continue;
            work();
            if (top_->parked_o) return {now_, true};
            in_window_ = false;
            now_ = end_;
        }
        return {now_, false};
    }

    void take_events(std::vector<Event> &out) override {
        std::stable_sort(events_.begin(), events_.end(), [this](const Event &a, const Event &b) {
            return near(a.at) < near(b.at);
        });
        out.insert(out.end(), events_.begin(), events_.end());
        events_.clear();
    }

    Counters counters() const override {
        Counters c{};
        SmEngineCore *self = const_cast<SmEngineCore *>(this);
        c.issued = self->counter(0);
        c.issue_hash = self->counter(1);
        c.l1_accesses = self->counter(2);
        c.l1_hits = self->counter(3);
        c.fetch_misses = self->counter(4);
        c.constant_misses = self->counter(5);
        for (unsigned n = CORE_COUNTER_WAIT_NO_WARP; n <= CORE_COUNTER_WAIT_CONSTANT; n++)
            c.wait[n] = self->counter(16 + n - CORE_COUNTER_WAIT_NO_WARP);
        if (l2_) l2_->count(c);
        return c;
    }

    bool trace_to(std::vector<Issue> *trace) override {
        trace_ = trace;
        return true;
    }

    std::uint64_t clocks() const { return clocks_; }

  private:
    static constexpr std::uint64_t CLOCK_LIMIT = 50000000; /* of one window: a hang */

    void build() {
        if (l2_) return;
        l2_ = std::make_unique<L2>(config_, coverage_, events_);
        replies_.resize(config_.params[CORE_PARAM_NUM_SM]);
    }

    Cycle near(std::uint32_t at) const { return now_ + (std::int32_t)(at - (std::uint32_t)now_); }
    bool slow(unsigned percent) { return delays_ && random_.chance(percent); }

    void give(const std::uint64_t *beat) {
        if (!in_window_) top_->reached_i = (std::uint32_t)now_;
        std::array<std::uint64_t, 8> copy;
        std::copy(beat, beat + 8, copy.begin());
        commands_.push_back(copy);
    }

    /* The slices go first: what they answer arrives after the window, what reaches them left before
     * it. @return false: the engine has nothing to do in this window */
    bool open_window(Cycle until) {
        work();
        end_ = std::min(until, now_ + config_.params[CORE_PARAM_WINDOW]);
        std::vector<Reply> made;
        for (Cycle t = now_; t < end_; t++) l2_->cycle(t, made);
        for (const Reply &r : made) {
            if (r.sm < FIRST_CUSTOMER)
                replies_.at(r.sm)[{r.at, r.slice}] = r;
            else
                events_.push_back(reply_event(r));
        }
        bool due = !(top_->next_o >> 32) && near((std::uint32_t)top_->next_o) < end_;
        for (auto &queue : replies_) due |= !queue.empty() && queue.begin()->first.first < end_;
        if (!due) {
            now_ = end_;
            return false;
        }
        top_->go_i = 1;
        top_->reached_i = (std::uint32_t)now_;
        top_->window_end_i = (std::uint32_t)end_;
        tick();
        top_->go_i = 0;
        tick();
        in_window_ = true;
        return true;
    }

    /* Until the engine has done what it can with the commands given. */
    void work() {
        const std::uint64_t limit = clocks_ + CLOCK_LIMIT;
        while (!top_->idle_o || !commands_.empty()) {
            tick();
            if (clocks_ > limit)
                throw std::runtime_error("sm_engine hangs in the window that ends at " +
                                         std::to_string(end_));
        }
    }

    void tick() {
        Model &t = *top_;
        t.clk_i = 0;
        t.cmd_valid_i = !commands_.empty() && !slow(30);
        if (t.cmd_valid_i) std::memcpy(&t.cmd_i[0], commands_.front().data(), 64);
        t.ev_ready_i = !slow(30);
        t.req_ready_i = !slow(30);
        Queue *queue = t.reply_sm_o < replies_.size() ? &replies_[t.reply_sm_o] : nullptr;
        t.reply_valid_i = queue && !queue->empty();
        if (t.reply_valid_i) t.reply_i = reply_word(queue->begin()->second);
        t.eval();
        const bool up = t.rst_ni; /* before the reset outputs have any value */
        Queue *popped = t.reply_pop_sm_o < replies_.size() ? &replies_[t.reply_pop_sm_o] : nullptr;
        const bool pop = up && t.reply_pop_o, taken = t.cmd_valid_i && t.cmd_ready_o;
        if (up && t.ev_valid_o && t.ev_ready_i) take_event(&t.ev_o[0]);
        if (up && t.req_valid_o && t.req_ready_i) take_request(&t.req_o[0]);
        t.clk_i = 1;
        t.eval();
        if (taken) commands_.pop_front();
        if (pop) popped->erase(popped->begin());
        if (trace_ && up && t.issue_valid_o)
            trace_->push_back({near(t.issue_time_o), t.issue_sm_o, t.issue_warp_o});
        clocks_++;
    }

    static std::uint64_t reply_word(const Reply &r) {
        std::uint64_t w = 0;
        core_reply_set_at(&w, r.at);
        core_reply_set_warp(&w, r.warp);
        core_reply_set_bar(&w, r.bar);
        core_reply_set_mshr(&w, r.mshr);
        core_reply_set_cached(&w, r.cached);
        core_reply_set_sectors(&w, r.sectors);
        return w;
    }

    void take_event(const std::uint32_t *word) {
        std::uint64_t w[2];
        std::memcpy(w, word, sizeof w);
        if (core_event_kind(w) != CORE_EV_NONE) events_.push_back(decode_event(w));
    }

    void take_request(const std::uint32_t *word) {
        std::uint64_t w[2];
        std::memcpy(w, word, sizeof w);
        Request r{};
        r.at = near(core_request_at(w));
        r.sm = core_request_sm(w);
        r.warp = core_request_warp(w);
        r.bar = core_request_bar(w);
        r.kind = core_request_kind(w);
        r.slot = core_request_slot(w);
        r.mshr = core_request_mshr(w);
        r.perform = core_request_perform(w);
        r.cached = core_request_cached(w);
        r.line = {core_request_addr(w), core_request_sectors(w), core_request_full(w),
                  core_request_turns(w)};
        r.line.locked = r.kind == CORE_REQ_WRITE && (r.mshr & 1);
        l2_->request(r);
    }

    std::uint64_t counter(unsigned index) {
        for (int i = 0; i < 3; i++) tick();
        top_->stat_index_i = index & 31;
        tick();
        tick();
        return top_->stat_o;
    }

    using Queue = std::map<std::pair<Cycle, unsigned>, Reply>; /* by (at, slice) */

    const bool delays_;
    Random random_;
    VerilatedContext context_;
    std::unique_ptr<Model> top_;
    Config config_;
    Coverage coverage_; /* of the slices; not shown */
    std::unique_ptr<L2> l2_;
    std::vector<Queue> replies_; /* by SM */
    std::deque<std::array<std::uint64_t, 8>> commands_;
    std::vector<Event> events_;
    std::vector<Issue> *trace_ = nullptr;
    Cycle now_ = 0, end_ = 0;
    bool in_window_ = false;
    std::uint64_t clocks_ = 0;
};

} // namespace reference

#endif
