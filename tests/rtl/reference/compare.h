/* compare.h - the same stream on two cores: hashes, counters, events, ends of kernels; and where
 * they part, with the issues around it. */
#ifndef REFERENCE_COMPARE_H
#define REFERENCE_COMPARE_H

#include <functional>
#include <memory>

#include "tests/rtl/reference/bench_host.h"

namespace reference {

struct CompareOptions {
    /* What the core under test is compared on. A bench of the SMs alone has no slices to count. */
    bool l1 = true, l2 = true;
    unsigned context = 12; /* issues shown around the first difference */
};

using MakeCore = std::function<std::unique_ptr<CoreUnderTest>()>;

/* Runs `stream` on a fresh core of each kind. @return empty: equal; else what differs, for people.
 */
std::string compare(const Stream &stream, const MakeCore &expected,
                    const HostOptions &expected_host, const MakeCore &tested,
                    const HostOptions &tested_host, const CompareOptions &options = {});

/* The difference of two outcomes; empty: none. */
std::string difference(const Outcome &a, const Outcome &b, const CompareOptions &options);
std::string event_text(const Event &e);

} // namespace reference

#endif
