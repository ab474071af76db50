/* whole_core.h - the whole core behind its host interface (host/timing/core.h) as a core under
 * test, in one or several instances, between which it carries requests and replies as the host
 * does. */
#ifndef COMPARE_WHOLE_CORE_H
#define COMPARE_WHOLE_CORE_H

#include "reference/core_under_test.h"

struct core;

namespace reference {

class WholeCore : public CoreUnderTest {
  public:
    WholeCore(const char *library, unsigned instances);
    ~WholeCore() override;
    const char *name() const override { return instances_.size() > 1 ? "several cores" : "core"; }
    void command(const std::uint64_t beat[8]) override;
    Status run(Cycle until) override;
    void take_events(std::vector<Event> &out) override;
    Counters counters() const override;

  private:
    struct Instance {
        struct core *core = nullptr;
        Cycle reached = 0;
    };
    void to(unsigned instance, const std::uint64_t *beat);
    bool run_all(Cycle end);
    void exchange();
    std::vector<Instance> instances_;
    std::vector<Event> events_;
    std::vector<std::vector<std::uint64_t>> remote_; /* to each instance, two words each */
    Cycle now_ = 0, end_ = 0; /* all instances are at now_, on the way to end_ */
    std::uint32_t net_request_ = 70, net_reply_ = 70;
};

} // namespace reference

#endif
