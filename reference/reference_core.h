/* reference_core.h - the reference model of the timing core: docs/timing-model.md in executable
 * form. It goes from one cycle in which something happens to the next; with `every_cycle` it steps
 * through all, which must make no difference.
 *
 * Starvation: when a warp starves, the whole model stops before that cycle (run returns `parked`)
 * until packets have come. Given all packets of a warp at its launch, it never parks; cycles are
 * the same either way.
 *
 * The model is the whole GPU: parameter `instances` must be 1. It shares nothing with the RTL but
 * the generated tables. Errors in the host's behaviour throw std::logic_error. */
#ifndef REFERENCE_REFERENCE_CORE_H
#define REFERENCE_REFERENCE_CORE_H

#include <memory>

#include "reference/l2.h"
#include "reference/sm.h"

namespace reference {

class ReferenceCore : public CoreUnderTest {
  public:
    explicit ReferenceCore(bool every_cycle = false) { config_.every_cycle = every_cycle; }
    const char *name() const override { return "reference"; }
    void command(const std::uint64_t beat[8]) override;
    Status run(Cycle until) override;
    void take_events(std::vector<Event> &out) override;
    Counters counters() const override;
    bool trace_to(std::vector<Issue> *trace) override {
        trace_ = trace;
        return true;
    }

    /* Tells from now on what it does; before the first command but Set and Class. Copied. */
    void set_watch(const core_watch &watch) { watch_ = watch; }
    /* Replaces the model's policies in the parts that are not NULL; before the first command but
     * Set and Class. Copied, but not what it points to. */
    void set_policy(const heddle_policy &policy) { config_.policy = policy; }
    /* Nothing happens before this cycle without a command; NEVER. */
    Cycle next() const;
    /* The next cycle to simulate; how many were simulated, and not skipped. */
    Cycle now() const { return now_; }
    std::uint64_t visited() const { return visited_; }

    const Coverage &coverage() const { return coverage_; }
    const Params &params() const { return config_.params; }

  private:
    void build();
    Sm &sm(unsigned number);
    void take_packets(const std::uint64_t *beat);
    void take_remote(const std::uint64_t *beat);
    void take_answer(const std::uint64_t *w);
    void cycle();
    Cycle full_time(std::uint32_t at) const;
    void report_want();

    Config config_;
    core_watch watch_ = {};
    Coverage coverage_;
    std::vector<std::unique_ptr<Sm>> sms_;
    std::unique_ptr<L2> l2_;
    Cycle now_ = 0;      /* the next cycle to simulate */
    Cycle answered_ = 0; /* arrival of the last answer from outside the GPU */
    bool begun_ = false; /* its first part has been done, before parking */
    std::uint64_t issued_ = 0, issue_hash_ = 0, visited_ = 0;
    std::vector<Issue> *trace_ = nullptr;
    std::vector<Request> requests_; /* of one cycle */
    std::vector<Reply> replies_;
    std::vector<Issue> issues_;
    std::vector<Event> events_; /* not taken yet */
};

std::uint64_t issue_mix(std::uint64_t sm, std::uint64_t warp, std::uint32_t at);

} // namespace reference

#endif
