/* timeline_counters.c - see timeline_counters.h. */
#include "timeline/timeline_counters.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

void series_begin(struct series *s) {
    s->of = heddle_alloc_array(TIMELINE_INTERVALS, sizeof *s->of, "the counters of a timeline");
}

void series_free(struct series *s) {
    free(s->of);
    s->of = NULL;
}

/* Joins each two neighbours. */
static void halve(struct series *s) {
    unsigned kept = 0;
    for (unsigned i = 0; i < s->num; i++) {
        struct series_interval in = s->of[i];
        in.number >>= 1;
        if (!kept || s->of[kept - 1].number != in.number) {
            s->of[kept++] = in;
            continue;
        }
        for (unsigned c = 0; c < s->counts; c++) s->of[kept - 1].counted[c] += in.counted[c];
    }
    s->num = kept;
    s->shift++;
}

static void flush(struct series *s) {
    const uint64_t interval_ps = s->interval_ps << s->shift;
    const double us = (double)interval_ps * 1e-6;
    for (unsigned i = 0; i < s->num; i++) {
        const struct series_interval *in = &s->of[i];
        if (s->ended && in->number > s->ended)
            s->write(s->user, s, NULL, s->ended * interval_ps, us);
        s->write(s->user, s, in->counted, in->number * interval_ps, us);
        s->ended = in->number + 1;
    }
    s->num = 0;
}

void series_end(struct series *s) {
    const uint64_t interval_ps = s->interval_ps << s->shift;
    flush(s);
    if (s->ended) s->write(s->user, s, NULL, s->ended * interval_ps, (double)interval_ps * 1e-6);
}

void series_add(struct series *s, uint64_t number, const uint64_t *counted) {
    bool any = false;
    for (unsigned c = 0; c < s->counts; c++) any |= counted[c] != 0;
    if (!any) return;
    while (!s->fixed && s->num == TIMELINE_INTERVALS) halve(s);
    if (s->num == TIMELINE_INTERVALS) flush(s);
    number >>= s->shift;
    if (!s->num || s->of[s->num - 1].number != number) {
        struct series_interval *in = &s->of[s->num++];
        in->number = number;
        memcpy(in->counted, counted, s->counts * sizeof *counted);
        return;
    }
    for (unsigned c = 0; c < s->counts; c++) s->of[s->num - 1].counted[c] += counted[c];
}
