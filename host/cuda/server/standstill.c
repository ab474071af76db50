/* standstill.c - decides that a run is at a standstill; contracts in standstill.h. */
#include "cuda/server/standstill.h"

#include <stdlib.h>

#include "common/memory.h"
#include "common/wall_time.h"
#include "cuda/base/diagnostics.h"
#include "cuda/server/standstill_story.h"

/* Between looks, with timing: at least, and as a part of the time since the first. It is longer
 * than what is on its way without being seen here: from a CPU to its GPU, from an SM to L2. */
static const uint64_t LOOK_PS = UINT64_C(10000000), LOOK_PART = 16;
enum {
    LOOK_TURNS = 16,   /* between looks, without timing: rounds of the kernels' turns */
    IDLE_MS = 500,     /* wall time for which nothing can happen */
    RENEW_EVERY = 256, /* looks: most between new states to compare with */
};

struct standstill {
    struct server *server;
    bool may, told;
    uint64_t acts, ctas;        /* of the last look */
    unsigned looks;             /* since everything stays the same */
    uint64_t first_ps, next_ps; /* the first of these looks, and the next look */
    unsigned turns;
    double idle_since; /* wall time, 0: now */
};

struct standstill *standstill_create(struct server *s) {
    struct standstill *w = heddle_alloc(sizeof *w, "the watch for a standstill");
    w->server = s;
    return w;
}

void standstill_free(struct standstill *w) {
    free(w);
}

void standstill_moved(struct standstill *w) {
    w->looks = 0;
    w->idle_since = 0;
}

void standstill_may(struct standstill *w, bool may) {
    w->may = may && !w->told;
    if (!may) standstill_moved(w);
}

/* Looks at all GPUs. @return whether nothing but kernels is under way. */
static bool look_at_gpus(const struct server *s, struct exec_look *look, unsigned *kernels) {
    bool alone = true;
    *kernels = 0;
    for (unsigned i = 0; i < server_devices(s); i++)
        alone &= gpu_look(server_gpu(s, i), look, kernels);
    return alone;
}

/* Whether no message is under way; adds what has ever been sent to *acts. */
static bool network_rests(const struct server *s, uint64_t *acts) {
    uint64_t sent = 0;
    const bool rests = !s->o.network_rests || s->o.network_rests(s->o.pe_user, &sent);
    *acts += sent;
    return rests;
}

/* How to look, for the look number `n` since everything stays the same: new states to compare with
 * at powers of two, and now and then. */
static enum exec_look_how how_to_look(unsigned n) {
    if (n < 2) return EXEC_LOOK_COUNT;
    if (n == 2) return EXEC_LOOK_BEGIN;
    return (n & (n - 1)) && n % RENEW_EVERY ? EXEC_LOOK_AGAIN : EXEC_LOOK_RENEW;
}

/* One look. *changed: something has happened since the last. @return whether all kernels are known
 * to wait for ever. */
static bool look(struct standstill *w, bool *changed) {
    const struct server *s = w->server;
    struct exec_look look = {.how = how_to_look(w->looks + 1)};
    unsigned kernels;
    bool alone = look_at_gpus(s, &look, &kernels);
    alone &= network_rests(s, &look.acts);
    *changed = !alone || look.acts != w->acts || look.ctas != w->ctas;
    w->acts = look.acts;
    w->ctas = look.ctas;
    w->looks = *changed ? 0 : w->looks + 1;
    return !*changed && w->looks > 2 && kernels && !look.busy;
}

bool standstill_look(struct standstill *w, uint64_t until_ps) {
    bool changed;
    if (!w->may || until_ps < w->next_ps) return false;
    const bool found = look(w, &changed);
    if (w->looks < 2) w->first_ps = until_ps;
    const uint64_t part = (until_ps - w->first_ps) / LOOK_PART;
    w->next_ps = until_ps + (part > LOOK_PS ? part : LOOK_PS);
    return found;
}

bool standstill_look_untimed(struct standstill *w) {
    bool changed;
    return w->may && ++w->turns % LOOK_TURNS == 0 && look(w, &changed);
}

bool standstill_idle(struct standstill *w) {
    struct exec_look look = {.how = EXEC_LOOK_COUNT};
    unsigned kernels;
    if (!w->may) return false;
    if (!w->idle_since) w->idle_since = wall_seconds();
    if (wall_seconds() - w->idle_since < IDLE_MS * 1e-3) return false;
    return look_at_gpus(w->server, &look, &kernels) && !kernels;
}

void standstill_tell(struct standstill *w) {
    struct server *s = w->server;
    if (w->told) return;
    w->told = true;
    w->may = false;
    server_error(s, "standstill: no PE can go on, and no message is under way; the run ends");
    standstill_story(s);
    if (s->o.give_up) s->o.give_up(s->o.pe_user);
}
