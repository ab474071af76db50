/* fabric.c - windows over components; see fabric.h.
 *
 * Components that links join, directly or through others, are an island: one clock, one length of
 * windows. Islands hear nothing of each other within windows, so each advances when it is asked to.
 *
 * Each component has an inbox sorted by (time, source, sequence) and an outbox written by the
 * thread that runs it in this window. At a window's end one thread moves all outboxes into the
 * inboxes in component order, so the order of arrival never depends on which thread was faster. */
#include "fabric/fabric.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "fabric/worker_pool.h"

struct box {
    struct fabric_message *m;
    size_t head, count, capacity; /* m[head .. count) is what is left */
};

struct component {
    const char *name;
    const struct fabric_ops *ops;
    void *self; /* NULL: nobody is attached */
    unsigned thread;
    uint32_t island;
    struct box in, out;
    uint64_t sequence;
    heddle_err err;
    struct heddle_diag diag;
};

struct island {
    uint64_t now; /* all before it is simulated */
    uint64_t smallest_latency;
};

struct fabric {
    struct component *components;
    struct island *islands; /* as many as components; one that was joined to another is not used */
    uint32_t num;
    size_t cap_components, cap_islands;
    struct fabric_join *joins;
    size_t num_joins, cap_joins;
    uint64_t window_limit;
    uint64_t until;         /* end of the running window */
    uint32_t window_island; /* whose it is */
    bool in_window;
    unsigned num_threads;
    struct worker_pool *pool; /* made for the first window; NULL: components have come since */
};

enum { BOX_FIRST = 64 }; /* messages of a box that was empty */

static void box_push(struct box *b, const struct fabric_message *m) {
    if (b->count == b->capacity) {
        if (b->head > b->count / 2) {
            memmove(b->m, b->m + b->head, (b->count - b->head) * sizeof *b->m);
            b->count -= b->head;
            b->head = 0;
        } else {
            size_t need = b->capacity ? b->count + 1 : BOX_FIRST;
            b->m = heddle_grow(b->m, &b->capacity, need, sizeof *b->m, "messages of the fabric");
        }
    }
    b->m[b->count++] = *m;
}

static bool before(const struct fabric_message *a, const struct fabric_message *b) {
    if (a->at != b->at) return a->at < b->at;
    if (a->from != b->from) return a->from < b->from;
    return a->sequence < b->sequence;
}

/* Inserts into a sorted inbox, from the back: messages come nearly in order. */
static void box_insert(struct box *b, const struct fabric_message *m) {
    box_push(b, m);
    size_t i = b->count - 1;
    while (i > b->head && before(m, &b->m[i - 1])) {
        b->m[i] = b->m[i - 1];
        i--;
    }
    b->m[i] = *m;
}

/* Simulates a component of the running window. */
static void component_run(void *self, uint32_t index) {
    struct fabric *f = self;
    struct component *c = &f->components[index];
    while (c->in.head < c->in.count && c->in.m[c->in.head].at < f->until)
        c->ops->receive(c->self, &c->in.m[c->in.head++]);
    if (c->in.head == c->in.count) c->in.head = c->in.count = 0;
    c->err = c->ops->advance(c->self, f->until, &c->diag);
}

static heddle_err make_pool(struct fabric *f) {
    unsigned *home = heddle_alloc_array(f->num, sizeof *home, "places of the fabric");
    for (uint32_t i = 0; i < f->num; i++) home[i] = f->components[i].thread;
    heddle_err e = worker_pool_create(&f->pool, f->num_threads, f->num, home, component_run, f);
    free(home);
    return e;
}

struct fabric *fabric_create(unsigned threads) {
    struct fabric *f = heddle_alloc(sizeof *f, "the fabric");
    f->window_limit = FABRIC_NEVER;
    f->num_threads = threads ? threads : 1;
    return f;
}

void fabric_free(struct fabric *f) {
    if (!f) return;
    worker_pool_free(f->pool);
    for (uint32_t i = 0; i < f->num; i++) {
        free(f->components[i].in.m);
        free(f->components[i].out.m);
    }
    free(f->components);
    free(f->islands);
    free(f->joins);
    free(f);
}

uint32_t fabric_add(struct fabric *f, const char *name, const struct fabric_ops *ops, void *self,
                    unsigned placement) {
    f->components = heddle_grow(f->components, &f->cap_components, f->num + 1,
                                sizeof *f->components, "components of the fabric");
    f->islands = heddle_grow(f->islands, &f->cap_islands, f->num + 1, sizeof *f->islands,
                             "islands of the fabric");
    worker_pool_free(f->pool);
    f->pool = NULL;
    f->components[f->num] = (struct component){.name = name,
                                               .ops = ops,
                                               .self = self,
                                               .thread = placement % f->num_threads,
                                               .island = f->num};
    f->islands[f->num] = (struct island){.smallest_latency = FABRIC_NEVER};
    return f->num++;
}

void fabric_attach(struct fabric *f, uint32_t component, void *self) {
    f->components[component].self = self;
}

void fabric_detach(struct fabric *f, uint32_t component) {
    struct component *c = &f->components[component];
    c->self = NULL;
    c->in.head = c->in.count = c->out.head = c->out.count = 0;
    c->sequence = 0;
    c->err = HEDDLE_OK; /* of a window in which several failed */
    for (uint32_t i = 0; i < f->num; i++)
        if (f->components[i].island == c->island && f->components[i].self) return;
    f->islands[c->island].now = 0;
}

static void add_join(struct fabric *f, struct fabric_join join) {
    f->joins = heddle_grow(f->joins, &f->cap_joins, f->num_joins + 1, sizeof *f->joins,
                           "links of the fabric");
    f->joins[f->num_joins++] = join;
}

heddle_err fabric_link(struct fabric *f, uint32_t a, uint32_t b, uint64_t latency_ps,
                       struct heddle_diag *diag) {
    if (!latency_ps)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "the link between %s and %s has no latency: components of one "
                           "simulation must be at least one picosecond apart",
                           f->components[a].name, f->components[b].name);
    add_join(f, (struct fabric_join){a, b, latency_ps});
    uint32_t kept = f->components[a].island, other = f->components[b].island;
    struct island *island = &f->islands[kept];
    const struct island more = f->islands[other];
    for (uint32_t i = 0; i < f->num; i++)
        if (f->components[i].island == other) f->components[i].island = kept;
    if (more.now > island->now) island->now = more.now;
    if (more.smallest_latency < island->smallest_latency)
        island->smallest_latency = more.smallest_latency;
    if (latency_ps < island->smallest_latency) island->smallest_latency = latency_ps;
    return HEDDLE_OK;
}

void fabric_link_driver(struct fabric *f, uint32_t driver, uint32_t b, uint64_t latency_ps) {
    add_join(f, (struct fabric_join){driver, b, latency_ps});
}

bool fabric_get_place(const struct fabric *f, uint32_t index, struct fabric_place *out) {
    if (index >= f->num) return false;
    *out = (struct fabric_place){f->components[index].name, f->components[index].thread};
    return true;
}

bool fabric_get_join(const struct fabric *f, uint32_t index, struct fabric_join *out) {
    if (index >= f->num_joins) return false;
    *out = f->joins[index];
    return true;
}

void fabric_send(struct fabric *f, struct fabric_message *message) {
    struct component *c = &f->components[message->from];
    message->sequence = c->sequence++;
    if (!f->in_window) {
        uint64_t now = fabric_now(f, message->to);
        if (message->at < now) message->at = now;
        box_insert(&f->components[message->to].in, message);
        return;
    }
    assert(message->at >= f->until && f->components[message->to].island == f->window_island);
    if (message->at < f->until) { /* a model that breaks its promise would give wrong times */
        fprintf(stderr, "heddle: %s sent a message to %s into the running window (%llu < %llu)\n",
                c->name, f->components[message->to].name, (unsigned long long)message->at,
                (unsigned long long)f->until);
        abort();
    }
    box_push(&c->out, message);
}

/* The earliest time at which a component has something to do. */
static uint64_t component_next(const struct component *c) {
    if (!c->self) return FABRIC_NEVER;
    uint64_t t = c->ops->next(c->self);
    bool mail = c->in.head < c->in.count && c->in.m[c->in.head].at < t;
    return mail ? c->in.m[c->in.head].at : t;
}

uint64_t fabric_next(const struct fabric *f, uint32_t member) {
    uint32_t island = f->components[member].island;
    uint64_t first = FABRIC_NEVER;
    for (uint32_t i = 0; i < f->num; i++) {
        if (f->components[i].island != island) continue;
        uint64_t t = component_next(&f->components[i]);
        if (t < first) first = t;
    }
    return first;
}

/* Moves what the components have sent into the inboxes, in the order of components. */
static void deliver(struct fabric *f) {
    for (uint32_t i = 0; i < f->num; i++) {
        struct component *c = &f->components[i];
        for (size_t k = c->out.head; k < c->out.count; k++) {
            const struct fabric_message *m = &c->out.m[k];
            box_insert(&f->components[m->to].in, m);
        }
        c->out.head = c->out.count = 0;
    }
}

heddle_err fabric_step(struct fabric *f, uint32_t member, uint64_t limit, bool *idle,
                       struct heddle_diag *diag) {
    struct island *island = &f->islands[f->components[member].island];
    uint64_t first = fabric_next(f, member);
    *idle = false;
    if (first >= limit) {
        if (limit != FABRIC_NEVER && limit > island->now) island->now = limit;
        *idle = true;
        return HEDDLE_OK;
    }
    if (first > island->now) island->now = first;
    uint64_t length = fabric_window(f, member);
    f->until = length > FABRIC_NEVER - island->now ? FABRIC_NEVER : island->now + length;
    if (f->until > limit) f->until = limit;
    if (!f->pool) {
        heddle_err e = make_pool(f);
        if (e) return heddle_fail(diag, e, "%u threads cannot be had", f->num_threads);
    }
    f->window_island = f->components[member].island;
    for (uint32_t i = 0; i < f->num; i++)
        if (f->components[i].island == f->window_island &&
            component_next(&f->components[i]) < f->until)
            worker_pool_add(f->pool, i);
    f->in_window = true;
    worker_pool_run(f->pool);
    f->in_window = false;
    island->now = f->until;
    deliver(f);
    for (uint32_t i = 0; i < f->num; i++) {
        struct component *c = &f->components[i];
        if (!c->err || c->island != f->window_island) continue;
        heddle_err e = c->err;
        if (diag) *diag = c->diag;
        c->err = HEDDLE_OK;
        return e;
    }
    return HEDDLE_OK;
}

uint64_t fabric_now(const struct fabric *f, uint32_t member) {
    return f->islands[f->components[member].island].now;
}

uint64_t fabric_window(const struct fabric *f, uint32_t member) {
    uint64_t smallest = f->islands[f->components[member].island].smallest_latency;
    return smallest < f->window_limit ? smallest : f->window_limit;
}

void fabric_limit_window(struct fabric *f, uint64_t ps) {
    f->window_limit = ps ? ps : 1;
}
