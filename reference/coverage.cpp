/* coverage.cpp - see coverage.h. */
#include "reference/coverage.h"

#include <cinttypes>
#include <cstring>

namespace reference {

static bool mio(const char *pipe) {
    return !std::strcmp(pipe, "MIR_PIPE_MIO");
}

static const struct {
    const char *id, *text;
    bool quiet;
} features[] = {
#define FEATURE(id, text) {#id, text, false},
#define QUIET(id, text) {#id, text, true},
#include "reference/coverage.def"
#undef FEATURE
};

const char *feature_name(Feature f) {
    return features[(unsigned)f].id;
}

void Coverage::close_interval() {
    unsigned list[FEATURES], n = 0;
    for (unsigned i = 0; i < FEATURES; i++)
        if (recent_[i]) list[n++] = i;
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = a + 1; b < n; b++) together_[list[a]][list[b]]++;
    recent_.fill(false);
}

/* Classes on the memory pipe are counted by what they do there, and that is never None. */
static bool kind_exists(unsigned kind) {
    static const bool exists[] = {
#define CLASS(id, pipe, variable, param, text) !mio(#pipe),
#include "tables/mir_classes.def"
#undef CLASS
    };
    static_assert(sizeof exists == Coverage::CLASSES, "a row was added");
    return kind < Coverage::CLASSES ? exists[kind] : kind > Coverage::CLASSES;
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
    unsigned low = 0, low_together = 0, together = 0, low_pairs = 0, pairs = 0;
    for (unsigned i = 0; i < FEATURES; i++) {
        const bool few = count_[i] < want;
        low += few;
        std::fprintf(to, "%c %-20s %12" PRIu64 "  %s\n", few ? '!' : ' ', features[i].id, count_[i],
                     features[i].text);
    }
    for (unsigned a = 0; a < FEATURES; a++)
        for (unsigned b = a + 1; b < FEATURES; b++) {
            if (features[a].quiet || features[b].quiet) continue;
            together++;
            if (together_[a][b] >= want_pairs) continue;
            if (++low_together <= 20)
                std::fprintf(to, "! together %s, %s: %u\n", features[a].id, features[b].id,
                             together_[a][b]);
        }
    for (unsigned a = 0; a < KINDS; a++)
        for (unsigned b = 0; b < KINDS; b++)
            if (kind_exists(a) && kind_exists(b)) {
                pairs++;
                low_pairs += pair_[a][b] < want_pairs;
            }
    std::fprintf(to,
                 "features below %" PRIu64 ": %u of %u; pairs of "
                 "features within %u cycles below %" PRIu64 ": %u of %u; instruction pairs of a "
                 "sub-core below %" PRIu64 ": %u of %u\n",
                 want, low, FEATURES, (unsigned)INTERVAL, want_pairs, low_together, together,
                 want_pairs, low_pairs, pairs);
    return low + low_together + low_pairs;
}

} // namespace reference
