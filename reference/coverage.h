/* coverage.h - counts what the model has done, so that a random stream can show what it reached:
 * every feature of coverage.def, every pair of features within one interval of 64 cycles, and every
 * pair of instruction kinds that one sub-core issued in succession. */
#ifndef REFERENCE_COVERAGE_H
#define REFERENCE_COVERAGE_H

#include <array>
#include <cstdio>
#include <vector>

#include "reference/words.h"

/* 0: counts nothing, in the back end of whole programs. */
#ifndef REFERENCE_COVERAGE
#define REFERENCE_COVERAGE 1
#endif

namespace reference {

enum class Feature : unsigned {
#define FEATURE(id, text) id,
#include "reference/coverage.def"
#undef FEATURE
    COUNT
};

class Coverage {
  public:
    static constexpr unsigned FEATURES = (unsigned)Feature::COUNT;
    static constexpr unsigned CLASSES = 23;         /* rows of tables/mir_classes.def */
    static constexpr unsigned KINDS = CLASSES + 12; /* classes that are not MIO, then enum mem */
    static constexpr Cycle INTERVAL = 64;

    void hit(Feature f) {
        if (!REFERENCE_COVERAGE) return;
        count_[(unsigned)f]++;
        recent_[(unsigned)f] = true;
    }
    void issue_pair(unsigned before, unsigned kind) {
        if (REFERENCE_COVERAGE) pair_[before][kind]++;
    }
    void cycle(Cycle t) {
        if (!REFERENCE_COVERAGE || t / INTERVAL == interval_) return;
        interval_ = t / INTERVAL;
        close_interval();
    }
    void add(const Coverage &other);
    std::uint64_t count(Feature f) const { return count_[(unsigned)f]; }
    /* Prints the table. @return how many features and pairs were reached less often than wanted */
    unsigned report(std::FILE *to, std::uint64_t want, std::uint64_t want_pairs) const;

  private:
    void close_interval();
    Cycle interval_ = 0;
    std::array<std::uint64_t, FEATURES> count_{};
    std::array<bool, FEATURES> recent_{};
    std::array<std::array<std::uint32_t, FEATURES>, FEATURES> together_{};
    std::array<std::array<std::uint64_t, KINDS>, KINDS> pair_{};
};

const char *feature_name(Feature f);

} // namespace reference

#endif
