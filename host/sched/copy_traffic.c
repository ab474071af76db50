/* copy_traffic.c - see copy_traffic.h. */
#include "sched/copy_traffic.h"

#include <stddef.h>

/* What a copy requests so long after the last request of L2 has been served before the next one. */
#define QUIET_PS UINT64_C(1000000)
enum { SECTORS = 0xf };

void copy_traffic_begin(struct copy_traffic *t, enum copy_stream_kind kind,
                        const struct copy_stream *stream) {
    t->stream[kind] = *stream;
}

void copy_traffic_hear(struct copy_traffic *t, uint64_t at_ps) {
    t->heard_ps = at_ps;
}

/* The stream whose next line is the first; NULL: all have ended. */
static struct copy_stream *first_of(struct copy_traffic *t) {
    struct copy_stream *first = NULL;
    for (unsigned i = 0; i < COPY_STREAMS; i++) {
        struct copy_stream *s = &t->stream[i];
        if (s->left && (!first || s->next_ps < first->next_ps)) first = s;
    }
    return first;
}

static void pass(struct copy_stream *s, uint64_t lines) {
    if (lines > s->left) lines = s->left;
    s->left -= (uint32_t)lines;
    s->line += (uint32_t)lines;
    s->next_ps += lines * s->step_ps;
}

bool copy_traffic_take(struct copy_traffic *t, uint64_t before_ps, struct hbm_request *request) {
    for (struct copy_stream *s = first_of(t); s && s->next_ps < before_ps; s = first_of(t)) {
        if (!t->heard_ps || s->next_ps >= t->heard_ps + QUIET_PS) {
            pass(s, (before_ps - s->next_ps + s->step_ps - 1) / s->step_ps);
            continue;
        }
        *request = (struct hbm_request){.at_ps = s->next_ps,
                                        .line = s->line,
                                        .slice = l2_slice_of(s->line, &t->l2_layout),
                                        .sectors = SECTORS,
                                        .write = s->write,
                                        .user = COPY_TRAFFIC};
        pass(s, 1);
        return true;
    }
    return false;
}
