/* source_counts.c - the counts of a view and what follows from them, and the words for the states
 * of a source file; contracts in source_view.h. */
#include <math.h>
#include <string.h>

#include "annotate/view_internal.h"

const struct source_count_row source_count_rows[SOURCE_COUNTS] = {
#define CODE_COUNT(member, unit, meaning) {#member, unit, meaning},
#include "tables/code_counts.def"
};

char *view_text(struct source_view *v, const char *text) {
    const size_t n = strlen(text) + 1;
    return memcpy(arena_alloc(v->arena, n), text, n);
}

const char *source_state_text(enum source_state state) {
    switch (state) {
    case SOURCE_THERE: return NULL;
    case SOURCE_MISSING: return "the run could not read it";
    case SOURCE_NEWER: return "it is newer than the program: its lines may be others";
    case SOURCE_LARGE: return "it is larger than what a run keeps";
    case SOURCE_LEFT_OUT: return "the run has no sources (--no-sources), and it cannot be read now";
    }
    return NULL;
}

/* ---- values of counts */

const char *source_wait_name(unsigned wait) {
    return source_count_rows[SOURCE_FIRST_WAIT + wait].name + strlen("wait_");
}

uint64_t source_cycles(const struct source_counts *c) {
    uint64_t sum = c->issued;
    for (unsigned w = 0; w < SOURCE_WAITS; w++) sum += source_count_of(c, SOURCE_FIRST_WAIT + w);
    return sum;
}

uint32_t source_top_wait(const struct source_counts *c) {
    uint32_t top = SOURCE_NOWHERE;
    uint64_t most = 0;
    for (unsigned w = 0; w < SOURCE_WAITS; w++) {
        const uint64_t n = source_count_of(c, SOURCE_FIRST_WAIT + w);
        if (n <= most) continue;
        most = n;
        top = w;
    }
    return top;
}

static double ratio(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : NAN;
}

double source_lanes(const struct source_counts *c) {
    return ratio(c->threads, c->warps);
}
double source_sectors_per_request(const struct source_counts *c) {
    return ratio(c->sectors, c->requests);
}
double source_conflicts(const struct source_counts *c) {
    return ratio(c->conflict_passes, c->shared_passes);
}
double source_l1_hit_rate(const struct source_counts *c) {
    return ratio(c->l1_hits, c->l1_sectors);
}
