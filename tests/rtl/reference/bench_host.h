/* bench_host.h - runs a stream on a core: launches CTAs, delivers packets, answers DramRead with a
 * memory of random latency, and gathers the events.
 *
 * What the target sees of the host follows from the stream and from the content of events alone,
 * never from their order, the size of buffers or when packets are delivered. */
#ifndef REFERENCE_BENCH_HOST_H
#define REFERENCE_BENCH_HOST_H

#include <string>

#include "reference/core_under_test.h"
#include "tests/rtl/reference/stream.h"

namespace reference {

struct HostOptions {
    bool up_front = false;        /* give a warp all its packets at launch; gates are ignored */
    unsigned buffer = 64;         /* packets per warp in the core, parameter buffer_packets */
    unsigned window = 0;          /* parameter window, 0: as the stream says */
    unsigned step = 128;          /* cycles of a run, at most look-ahead */
    std::uint64_t delay_seed = 0; /* not 0: deliver late, at random */
    Cycle limit = 20000000;       /* a kernel that takes longer hangs */
};

struct Outcome {
    std::string error;         /* empty: the stream ended */
    std::vector<Event> events; /* all but Want, in order of time; ids of DramRead are 0 */
    std::vector<Cycle> ends;   /* of each phase: its last CtaDone */
    Counters counters{};
    std::uint64_t parks = 0, runs = 0;
};

Outcome run_stream(CoreUnderTest &core, const Stream &stream, const HostOptions &options);

} // namespace reference

#endif
