// stream.h - what the warps of a test execute: packets and line words, made from a seed.
//
// A stream is the work of one warp; a CTA has one per warp, with barriers in common. Everything is
// a function of the seed and the numbers of CTA and warp, so a run can be repeated in any setting.
#ifndef HEDDLE_TESTS_RTL_SM_STREAM_H
#define HEDDLE_TESTS_RTL_SM_STREAM_H

#include <cstdint>
#include <vector>

#include "core_words.h"

// Latency classes of the tests: pipe, interval, latency, flags (1: blocking, 2: sleeping,
// 4: register ports, 8: reuse cache).
struct ClassRow {
    unsigned pipe, interval, latency, flags;
};
// Numbers are those of tables/mir_classes.def, values those of a V100.
enum {
    kInt,
    kImad,
    kFp32,
    kFp64,
    kFp16,
    kSfu,
    kHmma884,
    kBranch,
    kSreg,
    kMemory,
    kShared,
    kConst,
    kShuffle,
    kBarrier,
    kCtaBar,
    kFence,
    kSleep,
    kHmma884h,
    kMma128,
    kMma256,
    kDmma,
    kNumClasses
};
extern const ClassRow kClassRows[kNumClasses];

struct Item {
    uint64_t packet[2];
    std::vector<uint64_t> lines;
};
typedef std::vector<Item> Stream;

struct Random { // splitmix64
    uint64_t state;
    explicit Random(uint64_t seed) : state(seed) {}
    uint64_t next() {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    unsigned below(unsigned n) { return n ? (unsigned)(next() % n) : 0; }
    bool one_in(unsigned n) { return below(n) == 0; }
};

// What a random stream contains, each as "one in n" or 0 for never.
struct Mix {
    unsigned length = 100;     // instructions of a warp, about
    bool memory = true;        // shared and global memory, constants, shuffles
    bool global = true;        // loads, stores, atomics
    bool barriers = true;      // CTA barriers
    bool holds = true;         // Hold before an instruction that waits
    unsigned lines = 32;       // at most, per operation
    unsigned footprint = 4096; // lines of memory
};
Item make_item(unsigned cls);
Item make_hold(unsigned wait_mask);
uint64_t make_line(uint32_t addr, unsigned sectors, unsigned full, unsigned lanes);
// Streams of the warps of a CTA.
std::vector<Stream> random_cta(const Mix &mix, uint64_t seed, unsigned cta, unsigned warps);
// Independent FFMAs and integer operations, for the speed of issue.
Stream ffma_stream(unsigned length);

#endif
