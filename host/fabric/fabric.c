/* fabric.c - components joined by links, simulated window by window on several threads; contracts
 * in fabric.h.
 *
 * Components that links join, directly or through others, form an island. An island has one clock
 * and one length of windows. No message crosses islands within a window, so fabric_step() advances
 * one island and leaves the others where they are.
 *
 * Each component has an inbox sorted by (time, source, sequence) and an outbox. The thread that
 * runs the component in this window writes the outbox. At the window's end the driving thread moves
 * all outboxes into the inboxes in component order, so the order of arrival never depends on which
 * thread was faster.
 *
 * Two threads matter here. The driving thread (in sched: the one that waits for a GPU) calls every
 * function of fabric.h, between windows. During fabric_step() a worker of the pool, or the driving
 * thread itself, calls component_run(); from within it, the component's callbacks may call
 * fabric_send(). No lock is needed: in a window one thread alone touches a component and its boxes.
 * All times are picoseconds of target time. Functions that take `f` touch that fabric alone. Lists
 * grow with heddle_grow(), which ends the process when memory is out. */
#include "fabric/fabric.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "fabric/worker_pool.h"

/* Messages that wait: an inbox or an outbox. */
struct box {
    struct fabric_message *m;
    size_t head, count, capacity; /* m[head .. count) are waiting; those before head are taken */
};

/* A place on the fabric, and the component attached to it. */
struct component {
    const char *name; /* borrowed */
    const struct fabric_ops *ops;
    void *self;      /* argument of the callbacks; NULL: no component is attached */
    unsigned thread; /* its home thread in the pool */
    uint32_t island; /* index into fabric.islands */
    struct box in, out;
    uint64_t sequence;       /* of its next message */
    heddle_err err;          /* of its advance() in this window, read after the window */
    struct heddle_diag diag; /* the text for err */
};

/* The clock of components that links join. */
struct island {
    uint64_t now;              /* ps; everything before it is simulated */
    uint64_t smallest_latency; /* ps, of its links; FABRIC_NEVER without links */
};

/* A fabric. The driving thread writes it between windows; during one, workers read it, and each
 * writes the components that it runs. */
struct fabric {
    struct component *components;
    struct island *islands; /* one per component; merged ones stay in the list, unused */
    uint32_t num;           /* components, and islands */
    size_t cap_components, cap_islands;
    struct fabric_join *joins; /* every link, for pictures */
    size_t num_joins, cap_joins;
    uint64_t window_limit;  /* ps, greatest length of a window (fabric_limit_window()) */
    uint64_t until;         /* ps, end of the running window */
    uint32_t window_island; /* island of the running window */
    bool in_window;         /* the pool runs: fabric_send() comes from a callback */
    unsigned num_threads;
    struct worker_pool *pool; /* NULL until the next window, which creates it for all components */
};

enum { BOX_FIRST = 64 }; /* messages of a box that was empty */

/* Appends a copy of the message. Moves the waiting messages to the front when more than half of a
 * full box has been taken; else the box grows. */
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

/* The order of delivery: time, then sender, then the sender's sequence number. */
static bool before(const struct fabric_message *a, const struct fabric_message *b) {
    if (a->at != b->at) return a->at < b->at;
    if (a->from != b->from) return a->from < b->from;
    return a->sequence < b->sequence;
}

/* Inserts a copy into a sorted inbox. Searches from the back, because messages come nearly in
 * order. */
static void box_insert(struct box *b, const struct fabric_message *m) {
    box_push(b, m);
    size_t i = b->count - 1;
    while (i > b->head && before(m, &b->m[i - 1])) {
        b->m[i] = b->m[i - 1];
        i--;
    }
    b->m[i] = *m;
}

/* Simulates component `index` up to the end of the running window: the work function of the pool,
 * on any of its threads. Hands the component its messages before f->until, then calls advance() and
 * keeps the error in the component. */
static void component_run(void *self, uint32_t index) {
    struct fabric *f = self;
    struct component *c = &f->components[index];
    while (c->in.head < c->in.count && c->in.m[c->in.head].at < f->until)
        c->ops->receive(c->self, &c->in.m[c->in.head++]);
    if (c->in.head == c->in.count) c->in.head = c->in.count = 0;
    c->err = c->ops->advance(c->self, f->until, &c->diag);
}

/* Creates f->pool with the components as jobs, each at home on its own thread, and component_run()
 * as their work. Starts threads. @return HEDDLE_ERR_NOMEM: the system gives no more threads. */
static heddle_err make_pool(struct fabric *f) {
    unsigned *home = heddle_alloc_array(f->num, sizeof *home, "places of the fabric");
    for (uint32_t i = 0; i < f->num; i++) home[i] = f->components[i].thread;
    heddle_err e = worker_pool_create(&f->pool, f->num_threads, f->num, home, component_run, f);
    free(home);
    return e;
}

/* @return an empty fabric whose components `threads` threads (0 counts as 1) will run, the driving
 * one included. Windows have no limit; no thread starts before the first one. */
struct fabric *fabric_create(unsigned threads) {
    struct fabric *f = heddle_alloc(sizeof *f, "the fabric");
    f->window_limit = FABRIC_NEVER;
    f->num_threads = threads ? threads : 1;
    return f;
}

/* Ends the pool's threads and frees boxes and lists; components belong to their owners, and
 * messages under way are lost. Accepts NULL. */
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

/* Adds a component, an island of its own, and returns its number. `name` and `ops` are borrowed;
 * `self` NULL: an empty place; `placement` modulo the number of threads is its home thread. Ends
 * the pool's threads, which know the old number of jobs; the next window starts new ones. */
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

/* Puts a component into an empty place; its callbacks get `self`. */
void fabric_attach(struct fabric *f, uint32_t component, void *self) {
    f->components[component].self = self;
}

/* Empties the place: discards its messages, those still in its outbox included, and its error; its
 * sequence numbers begin at 0 again. Messages that other components hold from it stay. If the
 * island has no component left, its clock goes back to 0. */
void fabric_detach(struct fabric *f, uint32_t component) {
    struct component *c = &f->components[component];
    c->self = NULL;
    c->in.head = c->in.count = c->out.head = c->out.count = 0;
    c->sequence = 0;
    c->err = HEDDLE_OK; /* it may have failed beside the one whose error was returned */
    for (uint32_t i = 0; i < f->num; i++)
        if (f->components[i].island == c->island && f->components[i].self) return;
    f->islands[c->island].now = 0;
}

/* Records a link for pictures. */
static void add_join(struct fabric *f, struct fabric_join join) {
    f->joins = heddle_grow(f->joins, &f->cap_joins, f->num_joins + 1, sizeof *f->joins,
                           "links of the fabric");
    f->joins[f->num_joins++] = join;
}

/* Joins two components by a link of this least latency, ps: merges b's island into a's, where the
 * later clock and the smallest latency hold. @return HEDDLE_ERR_CONFIG, with text in diag, for a
 * latency of 0. */
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

/* Records the link only: a driver joins no island. */
void fabric_link_driver(struct fabric *f, uint32_t driver, uint32_t b, uint64_t latency_ps) {
    add_join(f, (struct fabric_join){driver, b, latency_ps});
}

/* Component `index`, in the order in which they were added. @return false: there is none. */
bool fabric_get_place(const struct fabric *f, uint32_t index, struct fabric_place *out) {
    if (index >= f->num) return false;
    *out = (struct fabric_place){f->components[index].name, f->components[index].thread};
    return true;
}

/* Link `index`, in the order in which they were made. @return false: there is none. */
bool fabric_get_join(const struct fabric *f, uint32_t index, struct fabric_join *out) {
    if (index >= f->num_joins) return false;
    *out = f->joins[index];
    return true;
}

/* Sets message->sequence and copies the message. Within a window, from a callback of component
 * `from`: it goes to that component's outbox, which no other thread touches; its arrival must not
 * lie before the window's end nor its receiver on another island, or the process ends (abort()).
 * Between windows, from the driving thread: it goes straight into the receiver's inbox, and a time
 * in the past is raised to now (in *message, too). */
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
    if (message->at < f->until) { /* the receiver may be past it: times would be wrong */
        fprintf(stderr, "heddle: %s sent a message to %s into the running window (%llu < %llu)\n",
                c->name, f->components[message->to].name, (unsigned long long)message->at,
                (unsigned long long)f->until);
        abort();
    }
    box_push(&c->out, message);
}

/* The earliest time at which a component has something to do: its own next() or its first message.
 * FABRIC_NEVER for an empty place. */
static uint64_t component_next(const struct component *c) {
    if (!c->self) return FABRIC_NEVER;
    uint64_t t = c->ops->next(c->self);
    bool mail = c->in.head < c->in.count && c->in.m[c->in.head].at < t;
    return mail ? c->in.m[c->in.head].at : t;
}

/* @return the least of component_next() over the components of member's island, ps; FABRIC_NEVER:
 * nothing happens there without a message. Calls their next(). */
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

/* Moves all outboxes into the inboxes, in component order. Driving thread, after a window. */
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

/* Simulates one window of member's island on the pool, from the first time with work, no further
 * than `limit` (ps), and delivers the messages sent in it. Creates the pool, with its threads, if
 * there is none. *idle: nothing happens before `limit`; then it only moves the clock to `limit`,
 * unless that is FABRIC_NEVER. @return the error of the lowest component that failed, with its text
 * in diag (may be NULL), or HEDDLE_ERR_NOMEM without threads. */
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

bool fabric_joined(const struct fabric *f, uint32_t a, uint32_t b) {
    return f->components[a].island == f->components[b].island;
}

/* The smallest link latency of the island, at most the limit. */
uint64_t fabric_window(const struct fabric *f, uint32_t member) {
    uint64_t smallest = f->islands[f->components[member].island].smallest_latency;
    return smallest < f->window_limit ? smallest : f->window_limit;
}

/* Limits the windows of all islands from the next step on, to at least 1 ps. */
void fabric_limit_window(struct fabric *f, uint64_t ps) {
    f->window_limit = ps ? ps : 1;
}
