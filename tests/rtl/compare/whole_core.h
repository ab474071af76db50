/* whole_core.h - the whole core behind its host interface (host/timing/core.h) as a core under test.
 * The library is the emulation unless HEDDLE_CORE_LIBRARY names another. */
#ifndef COMPARE_WHOLE_CORE_H
#define COMPARE_WHOLE_CORE_H

#include "tests/rtl/reference/core_under_test.h"

struct core;

namespace reference {

class WholeCore : public CoreUnderTest {
public:
    explicit WholeCore(const char *library);
    ~WholeCore() override;
    const char *name() const override { return "heddle_kernel"; }
    void command(const std::uint64_t beat[8]) override;
    Status run(Cycle until) override;
    void take_events(std::vector<Event> &out) override;
    Counters counters() const override;

private:
    struct core *core_ = nullptr;
    std::vector<Event> events_;
};

} // namespace reference

#endif
