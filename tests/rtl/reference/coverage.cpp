/* coverage.cpp - see coverage.h. */
#include "tests/rtl/reference/coverage.h"

#include <cinttypes>

namespace reference {

static const struct {
    const char *id, *text;
} features[] = {
#define FEATURE(id, text) {#id, text},
#include "tests/rtl/reference/coverage.def"
#undef FEATURE
};

const char *feature_name(Feature f) { return features[(unsigned)f].id; }

void Coverage::close_interval() {
    unsigned list[FEATURES], n = 0;
    for (unsigned i = 0; i < FEATURES; i++)
        if (recent_[i]) list[n++] = i;
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = a + 1; b < n; b++) together_[list[a]][list[b]]++;
    recent_.fill(false);
}

void Coverage::add(const Coverage &o) {
    for (unsigned i = 0; i < FEATURES; i++) {
        count_[i] += o.count_[i];
        for (unsigned k = 0; k < FEATURES; k++) together_[i][k] += o.together_[i][k];
    }
    for (unsigned i = 0; i < KINDS; i++)
        for (unsigned k = 0; k < KINDS; k++) pair_[i][k] += o.pair_[i][k];
}

unsigned Coverage::report(std::FILE *to, std::uint64_t want, std::uint64_t want_pairs) const {
    unsigned low = 0, low_together = 0, low_pairs = 0;
    for (unsigned i = 0; i < FEATURES; i++) {
        bool few = count_[i] < want;
        low += few;
        std::fprintf(to, "%c %-20s %12" PRIu64 "  %s\n", few ? '!' : ' ', features[i].id, count_[i],
                     features[i].text);
    }
    for (unsigned a = 0; a < FEATURES; a++)
        for (unsigned b = a + 1; b < FEATURES; b++)
            if (together_[a][b] < want_pairs) {
                if (++low_together <= 20)
                    std::fprintf(to, "! together %s, %s: %u\n", features[a].id, features[b].id,
                                 together_[a][b]);
            }
    for (auto &row : pair_)
        for (std::uint64_t n : row) low_pairs += n < want_pairs;
    std::fprintf(to, "features below %" PRIu64 ": %u of %u; pairs of features within %u cycles below "
                 "%" PRIu64 ": %u of %u; instruction pairs below %" PRIu64 ": %u of %u\n", want, low,
                 FEATURES, (unsigned)INTERVAL, want_pairs, low_together,
                 FEATURES * (FEATURES - 1) / 2, want_pairs, low_pairs, KINDS * KINDS);
    return low;
}

} // namespace reference
