/* global_race.c - the check of races on global memory between the CTAs of a launch (--memcheck
 * global); global_race.h defines a race. Operations call it on the CTA's thread;
 * exec_race_perform() runs on the thread that performs the access, which for an access in flight is
 * that of the sector's slice. The launch's lock makes this safe: exported functions take it, except
 * exec_race_create(), _free() and _enter(), which run while no other thread uses the object, and
 * exec_race_late(). Static functions that touch words or clocks expect that the caller holds it.
 * They change the launch's and the CTA's state of the check and, on a race, the launch's findings,
 * or the CTA's fault and the warp's status.
 *
 * The algorithm is FastTrack's, with CTAs in place of threads. A CTA's epoch advances at its
 * fences; an access happened before the present of CTA B if B knows the access's epoch. `released`
 * is what a CTA knew at its last fence. A strong write publishes it on the word, a strong read
 * moves it from the word into `pending`, and the next fence merges it into `known`. */
#include "exec/check/global_race.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "exec/check/fault.h"
#include "exec/check/vector_clock.h"

enum { WEAK_READ, WEAK_WRITE, STRONG_READ, STRONG_WRITE }; /* kinds of accesses */

/* An access to four bytes by a CTA in its epoch, at instruction pc. epoch 0: none. */
struct cell {
    uint32_t cta, epoch, pc;
    uint16_t thread; /* in the CTA */
    uint8_t bytes;   /* bit i: byte i */
    uint8_t kind;    /* WEAK_READ ... STRONG_WRITE */
};

/* OTHERS: accesses remembered beside the last weak write; PAGE: bytes of memory in a page. */
enum { OTHERS = 3, PAGE = 1 << 14 };
/* What is known of four bytes: the last weak write; other accesses that a weak write may collide
 * with, as many as there is room for; what strong writes have published. */
struct word {
    struct cell write, other[OTHERS];
    struct exec_vclock *published; /* clock that a strong read learns */
    uint32_t publisher;            /* the CTA of the last strong write */
    uint8_t next;                  /* index in `other` that is replaced next when all are used */
    uint8_t strong;                /* a strong access was made here */
};
/* The words of PAGE bytes of memory, made at the first access. */
struct page {
    struct word word[PAGE / 4];
};

/* A strong access from its execution until its warp has the result. */
struct followed {
    struct exec_cta *cta; /* NULL: free */
    const struct exec_op *op;
    struct exec_vclock *publish, *seen; /* what its write publishes, what its read has seen */
    uint32_t epoch, warp;               /* of the CTA at the access, in the CTA */
    uint32_t next_free;                 /* number of the next free one, 0: none */
};

/* The check of a launch. */
struct exec_race {
    const struct exec_launch *launch;
    unsigned levels;      /* of vector clocks */
    bool failed;          /* out of memory */
    pthread_mutex_t lock; /* of all below, and of the CTAs' parts */
    uint64_t num_pages;
    struct page **page;        /* [num_pages], NULL: not accessed */
    struct followed *followed; /* by number - 1 */
    size_t num_followed, cap_followed;
    uint32_t free_followed; /* number of the first free one, 0: none */
};

/* The check of a CTA. known: clock of what the CTA knows; released: known at its last fence;
 * pending: seen by strong reads since. */
struct exec_race_cta {
    struct exec_race *race;
    uint32_t index, epoch; /* number in the grid; advances at fences */
    struct exec_vclock *known, *released, *pending;
    struct { /* race of an acquire, found when it was performed; op NULL: none */
        const struct exec_op *op;
        uint32_t warp, lane;
        uint64_t address;
        struct cell other;
    } late;
};

/* Allocates the check of a launch, which must outlive it. @return HEDDLE_OK with *out set;
 * HEDDLE_ERR_LAUNCH, with text in diag: more than 2^32 - 1 CTAs; HEDDLE_ERR_NOMEM. *out is NULL on
 * an error. */
heddle_err exec_race_create(struct exec_race **out, const struct exec_launch *launch,
                            struct heddle_diag *diag) {
    uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    *out = NULL;
    if (ctas > UINT32_MAX)
        return heddle_fail(diag, HEDDLE_ERR_LAUNCH,
                           "kernel %s: --memcheck global counts at most 4294967295 CTAs",
                           launch->function->name);
    struct exec_race *g = heddle_alloc(sizeof *g, "the global race check");
    g->launch = launch;
    g->levels = exec_vclock_levels(ctas);
    g->num_pages = launch->memory->size / PAGE + 1;
    g->page = calloc(g->num_pages, sizeof(struct page *));
    if (!g->page) {
        free(g);
        return HEDDLE_ERR_NOMEM;
    }
    pthread_mutex_init(&g->lock, NULL);
    *out = g;
    return HEDDLE_OK;
}

/* Frees the check with its pages and published clocks, after all CTAs have left. Accepts NULL. */
void exec_race_free(struct exec_race *g) {
    if (!g) return;
    for (uint64_t i = 0; i < g->num_pages; i++) {
        struct page *p = g->page[i];
        for (unsigned j = 0; p && j < PAGE / 4; j++)
            exec_vclock_drop(p->word[j].published, g->levels);
        free(p);
    }
    free(g->page);
    free(g->followed);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

/* Makes the part of a CTA that begins, by its number in the grid: it knows nothing, in epoch 1.
 * @return HEDDLE_OK always: without memory the process ends. */
heddle_err exec_race_enter(struct exec_race_cta **out, struct exec_race *g, uint64_t cta) {
    struct exec_race_cta *c = heddle_alloc(sizeof *c, "the global race check");
    *out = c;
    *c = (struct exec_race_cta){.race = g, .index = (uint32_t)cta, .epoch = 1};
    return HEDDLE_OK;
}

/* Frees the part of a CTA that ends; its accesses stay in the words. Accepts NULL. */
void exec_race_leave(struct exec_race_cta *c) {
    if (!c) return;
    struct exec_race *g = c->race;
    pthread_mutex_lock(&g->lock);
    exec_vclock_drop(c->known, g->levels);
    exec_vclock_drop(c->released, g->levels);
    exec_vclock_drop(c->pending, g->levels);
    pthread_mutex_unlock(&g->lock);
    free(c);
}

/* ---- the clocks of a CTA */

/* *to = *to joined with `more`; the clock that *to held before is released. `more` keeps its
 * reference. */
static void learn(struct exec_race *g, struct exec_vclock **to, struct exec_vclock *more) {
    struct exec_vclock *before = *to;
    *to = exec_vclock_join(before, more, g->levels, &g->failed);
    exec_vclock_drop(before, g->levels);
}

/* @return a clock of what the CTA knows and has done up to now. Begins a new epoch: later accesses
 * are not in it. */
static struct exec_vclock *snapshot(struct exec_race_cta *c) {
    struct exec_race *g = c->race;
    return exec_vclock_set(c->known, g->levels, c->index, c->epoch++, &g->failed);
}

/* Merges `pending` into `known` and renews `released`. */
static void fence(struct exec_race_cta *c) {
    learn(c->race, &c->known, c->pending);
    exec_vclock_drop(c->released, c->race->levels);
    c->released = snapshot(c);
}

/* The warp executes a fence: fence(), if its scope is wide. */
void exec_race_fence(struct exec_warp *w, const struct exec_op *op) {
    struct exec_race_cta *c = w->cta->race;
    if (!exec_is_wide(op)) return;
    pthread_mutex_lock(&c->race->lock);
    fence(c);
    pthread_mutex_unlock(&c->race->lock);
}

/* ---- words: earlier accesses and races */

/* @return the word of an address; makes its page. NULL, with g->failed set: no memory. */
static struct word *word_at(struct exec_race *g, uint64_t address) {
    uint64_t offset = address - g->launch->memory->base;
    struct page **p = &g->page[offset / PAGE];
    if (!*p) *p = calloc(1, sizeof **p);
    if (!*p) g->failed = true;
    return *p ? &(*p)->word[offset % PAGE / 4] : NULL;
}

/* True if access `before` happened before the present of CTA c, or there is none. */
static bool ordered(const struct exec_race_cta *c, const struct cell *before) {
    return !before->epoch || before->cta == c->index ||
           before->epoch <= exec_vclock_get(c->known, c->race->levels, before->cta);
}

/* @return an earlier access that access `a` of CTA c races with, or NULL. */
static const struct cell *collision(const struct exec_race_cta *c, const struct word *d,
                                    const struct cell *a) {
    if (d->write.bytes & a->bytes && !ordered(c, &d->write)) return &d->write;
    for (unsigned i = 0; a->kind == WEAK_WRITE && i < OTHERS; i++)
        if (d->other[i].bytes & a->bytes && !ordered(c, &d->other[i])) return &d->other[i];
    return NULL;
}

/* True if `b` need not be remembered once `a` is: everything ordered behind the present access `a`
 * of CTA c is also ordered behind `b`, because c knows of b, or a has read the value of strong
 * write b. */
static bool stands_for(const struct exec_race_cta *c, const struct cell *a, const struct cell *b,
                       bool observes) {
    if (b->bytes & ~a->bytes) return false;
    return ordered(c, b) || (observes && b->kind == STRONG_WRITE);
}

/* Remembers weak write `a` of the word; forgets other accesses to the same bytes, which came before
 * it. */
static void note_write(struct word *d, const struct cell *a) {
    bool same = d->write.cta == a->cta && d->write.epoch == a->epoch;
    uint8_t bytes = same ? d->write.bytes : 0;
    d->write = *a;
    d->write.bytes |= bytes;
    for (unsigned i = 0; i < OTHERS; i++)
        if (!(d->other[i].bytes & ~a->bytes)) d->other[i] = (struct cell){0};
}

/* Remembers any other access `a`, in place of those that it stands for, or of the oldest. */
static void note_other(const struct exec_race_cta *c, struct word *d, const struct cell *a,
                       bool observes) {
    unsigned at = OTHERS;
    for (unsigned i = 0; i < OTHERS; i++) {
        if (d->other[i].epoch && !stands_for(c, a, &d->other[i], observes)) continue;
        d->other[i] = (struct cell){0};
        at = i;
    }
    if (at == OTHERS) {
        at = d->next;
        d->next = (uint8_t)((at + 1) % OTHERS);
    }
    d->other[at] = *a;
}

/* Every operation but a load writes, every one but a store reads. */
static bool writes(const struct exec_op *op) {
    return op->mem != MIR_MEM_LOAD;
}
static bool reads(const struct exec_op *op) {
    return op->mem != MIR_MEM_STORE;
}

/* A finding, HEDDLE_ERR_GLOBAL_RACE, of a lane, with both accesses. @return EX_NEXT: go on;
 * EX_FAULT: the launch keeps no findings, so it is the CTA's fault and warp w stops. */
static exec_code find_race(struct exec_warp *w, const struct exec_op *op, unsigned lane,
                           uint64_t address, const struct cell *other) {
    struct exec_cta *cta = w->cta;
    exec_status before = w->status;
    exec_raise_access(w, op, lane, MIR_SPACE_GLOBAL, address, HEDDLE_ERR_GLOBAL_RACE, NULL);
    struct exec_fault *f = &cta->fault;
    f->write = writes(op);
    bool other_write = other->kind == WEAK_WRITE || other->kind == STRONG_WRITE;
    exec_fault_other(cta, other_write, other->thread, other->pc);
    const uint32_t *grid = cta->launch->grid;
    f->other_in_cta = true;
    f->other_cta[0] = other->cta % grid[0];
    f->other_cta[1] = other->cta / grid[0] % grid[1];
    f->other_cta[2] = other->cta / grid[0] / grid[1];
    return exec_found(w, before);
}

/* ---- accesses */

/* An access is taken word by word. The address where the next word begins. */
static uint64_t next_word(uint64_t at) {
    return (at / 4 + 1) * 4;
}
/* Mask of the bytes of [at, end) that lie in the word of `at`. */
static uint8_t bytes_of(uint64_t at, uint64_t end) {
    uint64_t n = (next_word(at) < end ? next_word(at) : end) - at;
    return (uint8_t)(((1u << n) - 1) << at % 4);
}

/* True if the access reads what strong writes have published. */
static bool observes(const struct exec_op *op) {
    return op->memory_class != MIR_AHEAD && reads(op) && exec_is_wide(op);
}

/* True if it also orders later accesses behind them. */
static bool acquires(const struct exec_op *op) {
    return observes(op) && op->order & ORDER_AFTER;
}

/* True for a weak store after a fence to a word of strong accesses: it counts as strong, because
 * programs release locks this way. */
static bool gives_back(const struct exec_race_cta *c, const struct exec_op *op,
                       const struct word *d) {
    return op->mem == MIR_MEM_STORE && d->strong && c->released;
}

/* Kind of the access op of CTA c to word d. */
static uint8_t kind_of(const struct exec_race_cta *c, const struct exec_op *op,
                       const struct word *d) {
    bool strong = op->memory_class != MIR_AHEAD || gives_back(c, op, d);
    if (strong) return writes(op) ? STRONG_WRITE : STRONG_READ;
    return writes(op) ? WEAK_WRITE : WEAK_READ;
}

/* Checks and notes the access of one lane, word by word. Accesses that acquire are checked only
 * when they are performed (observe()). Without memory sets g->failed and notes no more. @return
 * EX_NEXT or EX_FAULT. */
static exec_code touch(struct exec_warp *w, const struct exec_op *op, unsigned lane,
                       uint64_t address) {
    struct exec_race_cta *c = w->cta->race;
    for (uint64_t at = address, end = at + op->width; at < end; at = next_word(at)) {
        struct word *d = word_at(c->race, at);
        if (!d) return EX_NEXT;
        struct cell a = {.cta = c->index,
                         .epoch = c->epoch,
                         .pc = exec_pc(w, op),
                         .thread = (uint16_t)(w->index * MIR_WARP_SIZE + lane),
                         .bytes = bytes_of(at, end),
                         .kind = kind_of(c, op, d)};
        const struct cell *other = acquires(op) ? NULL : collision(c, d, &a);
        if (other && find_race(w, op, lane, address, other) != EX_NEXT) return EX_FAULT;
        if (a.kind == WEAK_WRITE)
            note_write(d, &a);
        else
            note_other(c, d, &a, observes(op));
        d->strong |= a.kind >= STRONG_READ;
    }
    return EX_NEXT;
}

/* Finds the race that an acquire of the CTA met when it was performed (c->late): it names the warp
 * that executed it, and as a fault stops both that warp and warp w. Takes no lock;
 * exec_race_access() calls it with the lock held. @return EX_NEXT: there is none, or go on;
 * EX_FAULT. */
exec_code exec_race_late(struct exec_warp *w) {
    struct exec_race_cta *c = w->cta->race;
    if (!c->late.op) return EX_NEXT;
    const struct exec_op *op = c->late.op;
    c->late.op = NULL;
    if (find_race(&w->cta->warp[c->late.warp], op, c->late.lane, c->late.address, &c->late.other) ==
        EX_NEXT)
        return EX_NEXT;
    w->status = EXEC_FAULT;
    return EX_FAULT;
}

/* Finds a late race for a CTA that makes no further access. */
exec_code exec_race_end(struct exec_cta *cta) {
    struct exec_race *g = cta->race->race;
    pthread_mutex_lock(&g->lock);
    exec_code code = exec_race_late(&cta->warp[0]);
    pthread_mutex_unlock(&g->lock);
    return code;
}

/* Checks and notes an access of the lanes of mask to global memory in program order, before it is
 * performed; also finds a late race. `address`: of each lane, in mapped memory. A race becomes a
 * finding, or the CTA's fault, as HEDDLE_ERR_NOMEM for the check's own memory does, and stops the
 * warp. @return EX_NEXT or EX_FAULT. */
exec_code exec_race_access(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                           const uint64_t *address) {
    struct exec_race *g = w->cta->race->race;
    pthread_mutex_lock(&g->lock);
    exec_code code = exec_race_late(w);
    EACH_SET(l, mask) {
        if (code == EX_NEXT) code = touch(w, op, l, address[l]);
    }
    if (code == EX_NEXT && g->failed)
        code = exec_raise(w, op, mask, HEDDLE_ERR_NOMEM, "what is known of global memory");
    pthread_mutex_unlock(&g->lock);
    return code;
}

/* ---- synchronisation: what words carry from one CTA to another */

/* Stores *s under a free number. @return the number. */
static uint32_t add_followed(struct exec_race *g, const struct followed *s) {
    uint32_t number = g->free_followed;
    if (number) {
        g->free_followed = g->followed[number - 1].next_free;
    } else {
        g->followed = heddle_grow(g->followed, &g->cap_followed, g->num_followed + 1,
                                  sizeof *g->followed, "the global race check");
        number = (uint32_t)++g->num_followed;
    }
    g->followed[number - 1] = *s;
    return number;
}

/* Begins to follow a strong access of scope GPU or system, or a weak store that counts as strong
 * (gives_back()), in program order: keeps a clock to publish, if it writes. malloc and free also
 * count as a fence. @return the number by which exec_race_perform() and exec_race_unfollow() know
 * it; 0: it orders nothing and is not followed (weak accesses, narrow scopes, printf, assert). */
uint32_t exec_race_follow(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                          const uint64_t *address) {
    struct exec_race_cta *c = w->cta->race;
    if (op->mem == MIR_MEM_SYS && op->sub < MIR_SYS_MALLOC) return 0; /* printf orders nothing */
    struct followed s = {.cta = w->cta, .op = op, .epoch = c->epoch, .warp = w->index};
    bool strong = op->memory_class != MIR_AHEAD;
    uint32_t number = 0;
    pthread_mutex_lock(&c->race->lock);
    if (op->mem == MIR_MEM_SYS) fence(c); /* memory goes from who frees it to who gets it */
    EACH_SET(l, mask) {
        const struct word *d = strong ? NULL : word_at(c->race, address[l]);
        if (d && gives_back(c, op, d)) strong = true;
    }
    strong = strong && exec_is_wide(op);
    if (strong && writes(op))
        s.publish = op->order & ORDER_BEFORE && op->mem != MIR_MEM_SYS
                        ? snapshot(c)
                        : exec_vclock_keep(c->released);
    if (strong) number = add_followed(c->race, &s);
    pthread_mutex_unlock(&c->race->lock);
    return number;
}

/* An atomic, load or system call reads word d, in the order of memory: it learns what is published
 * there, and adds what it publishes. `a` is its access to the word, `address` that of the lane. A
 * race of an acquire goes into the CTA's `late`, which exec_race_late() reports. The caller holds
 * the lock. */
static void observe(struct exec_cta *cta, const struct exec_op *op, struct word *d,
                    const struct cell *a, uint64_t address, struct followed *s) {
    struct exec_race *g = cta->race->race;
    /* An acquire is ordered behind what the write that it observes has published. */
    const struct cell *before = &d->write;
    if (acquires(op) && before->bytes & a->bytes && !ordered(cta->race, before) &&
        before->epoch > exec_vclock_get(d->published, g->levels, before->cta)) {
        cta->race->late.op = op;
        cta->race->late.warp = s->warp;
        cta->race->late.lane = a->thread % MIR_WARP_SIZE;
        cta->race->late.address = address;
        cta->race->late.other = *before;
    }
    if (op->mem != MIR_MEM_SYS) note_other(cta->race, d, a, true);
    learn(g, &s->seen, d->published);
    learn(g, &d->published, s->publish); /* an atomic adds to what was there */
}

/* Lanes of a followed access take effect on memory: reads learn what their words have published,
 * writes publish. Called by the thread that performs them, which may be another than the warp's; it
 * touches the CTA's part of the check under the lock, never the warp or the CTA's fault. `address`:
 * of each lane. Number 0: nothing to do. */
void exec_race_perform(struct exec_race *g, uint32_t number, uint32_t lanes,
                       const uint64_t *address) {
    if (!number) return;
    pthread_mutex_lock(&g->lock);
    struct followed *s = &g->followed[number - 1];
    const struct exec_op *op = s->op;
    struct exec_cta *cta = s->cta;
    struct exec_race_cta *c = cta->race;
    EACH_SET(l, lanes) {
        for (uint64_t at = address[l], end = at + op->width; at < end; at = next_word(at)) {
            struct word *d = word_at(g, at);
            if (!d) continue;
            if (reads(op)) {
                struct cell a = {.cta = c->index,
                                 .epoch = s->epoch,
                                 .pc = (uint32_t)(op - cta->program->code),
                                 .thread = (uint16_t)(s->warp * MIR_WARP_SIZE + l),
                                 .bytes = bytes_of(at, end),
                                 .kind = writes(op) ? STRONG_WRITE : STRONG_READ};
                observe(cta, op, d, &a, address[l], s);
            } else {
                if (d->publisher != c->index) { /* its own releases of the word stay */
                    exec_vclock_drop(d->published, g->levels);
                    d->published = NULL;
                }
                learn(g, &d->published, s->publish);
            }
            if (writes(op)) d->publisher = c->index;
        }
    }
    pthread_mutex_unlock(&g->lock);
}

/* Ends a followed access on the CTA's thread and frees its number (0: nothing to do). If
 * `complete`, the CTA gets what its reads have seen: an acquire or system call knows it now, others
 * after the next fence. */
void exec_race_unfollow(struct exec_cta *cta, uint32_t number, bool complete) {
    struct exec_race_cta *c = cta->race;
    struct exec_race *g = c->race;
    if (!number) return;
    pthread_mutex_lock(&g->lock);
    struct followed *s = &g->followed[number - 1];
    if (complete && s->seen) {
        bool acquires = s->op->order & ORDER_AFTER || s->op->mem == MIR_MEM_SYS;
        learn(g, &c->pending, s->seen);
        if (acquires) learn(g, &c->known, c->pending);
    }
    exec_vclock_drop(s->publish, g->levels);
    exec_vclock_drop(s->seen, g->levels);
    *s = (struct followed){.next_free = g->free_followed};
    g->free_followed = number;
    pthread_mutex_unlock(&g->lock);
}
