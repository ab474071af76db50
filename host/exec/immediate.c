/* immediate.c - executes a whole launch functionally (`--timing none`, estimated launches).
 *
 * The scheduler (sched/gpu_immediate.c, sched/launch_way.c) calls the exported functions on one
 * thread; run_workers() creates more, which end before it returns. A worker's `struct residents`
 * belongs to its thread; workers share `struct grid_run`, through atomics. A fault of a CTA goes
 * into its worker's `fault`, `err` and `diag`.
 *
 * CTAs that may wait for each other (atomics, ordered accesses, fences) are resident together, as
 * many as fit on the GPU. All their warps get turns, so that spins and grid-wide synchronisation
 * end. One thread runs them, so that their order is always the same. CTAs without such operations
 * run to their end a few at a time, on several threads, while their memory is in the host's caches.
 * If they wait for each other nevertheless, more and more of them become resident. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "exec/warp/exec_state.h"

/* State that the threads of a launch share. */
struct grid_run {
    struct exec_launch *launch;
    uint32_t turn, resident; /* instructions of a warp's turn; CTAs on the GPU at a time */
    uint64_t next;           /* the next CTA to begin; atomic */
    uint64_t done;           /* CTAs that have ended; atomic */
    uint64_t end;            /* CTAs from this one on do not begin: all, or one failed; atomic */
    pthread_mutex_t lock;    /* of launch->standing */
    pthread_mutex_t gate;    /* held during launch->progress, which may block all workers */
};

/* A worker: the CTAs that one thread runs. */
struct residents {
    struct grid_run *grid;
    struct exec_launch *launch;
    struct exec_pool *pool;
    struct exec_cta **cta; /* [count], NULL: empty */
    uint32_t count, used;  /* places, places filled */
    uint32_t open;         /* places that may be filled now */
    struct exec_counts counts;
    struct exec_fault fault;
    uint64_t failed_cta; /* the CTA of the fault, if err is set */
    heddle_err err;
    struct heddle_diag diag;
    bool leads;      /* calls launch->progress */
    uint32_t rounds; /* of turns since a CTA ended */
    uint32_t asked;  /* turns of CTAs, modulo 2^32 */
};

/* A launch that runs in steps. */
struct exec_immediate {
    struct exec_launch *launch;
    struct grid_run grid;
    struct residents *worker;
    uint32_t threads;
    bool prepared, begun; /* by the caller; worker[0] has CTAs from an earlier step */
};

/* Creates the next CTA of the grid in the empty place i, if there is one left, and counts it in
 * r->used. @return HEDDLE_OK, or an error of exec_cta_create(). */
static heddle_err fill(struct residents *r, uint32_t i) {
    struct grid_run *grid = r->grid;
    uint64_t cta = __atomic_fetch_add(&grid->next, 1, __ATOMIC_RELAXED);
    if (cta >= __atomic_load_n(&grid->end, __ATOMIC_RELAXED)) return HEDDLE_OK;
    heddle_err e = exec_cta_create(&r->cta[i], r->pool, r->launch, cta,
                                   (uint32_t)(cta % grid->resident));
    if (!e) r->used++;
    return e;
}

/* Adds the CTA's counts to the worker's and releases the CTA. */
static void retire(struct residents *r, uint32_t i) {
    struct exec_counts c;
    exec_cta_counts(r->cta[i], &c);
    exec_counts_add(&r->counts, &c);
    exec_cta_release(r->pool, r->cta[i]);
    r->cta[i] = NULL;
    r->used--;
    __atomic_fetch_add(&r->grid->done, 1, __ATOMIC_RELAXED);
}

/* Number of the CTA in place i in the grid, x fastest. */
static uint64_t cta_number(const struct residents *r, uint32_t i) {
    const uint32_t *id = r->cta[i]->id, *grid = r->launch->grid;
    return id[0] + grid[0] * (id[1] + (uint64_t)grid[1] * id[2]);
}

/* No warp can run: fills in the fault with the first warp that waits at a barrier, and the diag
 * with what each waits for. @return HEDDLE_ERR_DEADLOCK. */
static heddle_err deadlock(struct residents *r) {
    char text[800];
    size_t at = 0;
    unsigned more = 0;
    bool first = true;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct exec_cta *c = r->cta[i];
        if (!c) continue;
        for (uint32_t j = 0; j < c->num_warps; j++) {
            const struct exec_warp *w = &c->warp[j];
            if (w->status != EXEC_WAIT_BARRIER) continue;
            uint32_t lane = (uint32_t)__builtin_ctz(w->at_bar);
            uint32_t pc = w->bar_whole ? w->bar_pc : w->lane_pc[lane];
            uint32_t thread = j * MIR_WARP_SIZE + lane;
            const uint32_t *block = r->launch->block;
            if (first)
                r->fault = (struct exec_fault){.err = HEDDLE_ERR_DEADLOCK,
                                               .inst = w->code[pc].inst,
                                               .pc = pc,
                                               .cta = {c->id[0], c->id[1], c->id[2]},
                                               .thread = {thread % block[0],
                                                          thread / block[0] % block[1],
                                                          thread / block[0] / block[1]},
                                               .reason = "every warp waits at a CTA barrier"};
            if (first) r->failed_cta = cta_number(r, i);
            first = false;
            if (at + 300 > sizeof text) {
                more++;
                continue;
            }
            at += (size_t)snprintf(text + at, sizeof text - at, "\n  ");
            int n = exec_warp_describe(text + at, sizeof text - at, w);
            if (n > 0 && (size_t)n < sizeof text - at) at += (size_t)n;
        }
    }
    if (more) at += (size_t)snprintf(text + at, sizeof text - at, "\n  and %u more warps", more);
    const struct exec_launch *l = r->launch;
    return heddle_fail(&r->diag, HEDDLE_ERR_DEADLOCK, "kernel %s: no warp can make progress:%.*s",
                       l->name ? l->name : l->function->name, (int)at, text);
}

/* Gives every warp of the CTA in place i that is ready a turn of grid->turn instructions, and
 * retires the CTA when all have exited. Sets *progress if one ran. @return HEDDLE_OK, or the error
 * of a fault, with r->fault, r->failed_cta and r->diag set. */
static heddle_err turns(struct residents *r, uint32_t i, bool *progress) {
    struct exec_cta *c = r->cta[i];
    uint32_t ended = 0;
    for (uint32_t j = 0; j < c->num_warps; j++) {
        struct exec_warp *w = &c->warp[j];
        if (exec_warp_ready(w)) {
            *progress = true;
            if (exec_warp_run(w, r->grid->turn, NULL) == EXEC_FAULT) {
                char text[1000];
                r->fault = c->fault;
                r->failed_cta = cta_number(r, i);
                exec_fault_text(text, sizeof text, r->launch, &r->fault);
                return heddle_fail(&r->diag, r->fault.err, "%s", text);
            }
        }
        ended += w->status == EXEC_EXITED;
    }
    if (ended < c->num_warps) return HEDDLE_OK;
    retire(r, i);
    r->counts.ctas++;
    return HEDDLE_OK;
}

/* To be called before each turn of a CTA: now and then looks whether the launch is cancelled.
 * Worker 0 calls launch->progress before, if there is one, which may cancel it or block; the others
 * wait for that call. @return HEDDLE_OK, or HEDDLE_ERR_STOPPED with r->diag set and failed_cta 0,
 * so that this error counts first. */
static heddle_err ask(struct residents *r) {
    enum { ASK = 1 << 6 };
    const struct exec_launch *l = r->launch;
    if (r->asked++ % ASK) return HEDDLE_OK;
    uint64_t done = __atomic_load_n(&r->grid->done, __ATOMIC_RELAXED);
    if (l->progress) {
        pthread_mutex_lock(&r->grid->gate);
        if (r->leads) l->progress(l->progress_user, done);
        pthread_mutex_unlock(&r->grid->gate);
    }
    if (!exec_launch_cancelled(l)) return HEDDLE_OK;
    r->failed_cta = 0;
    return heddle_fail(&r->diag, HEDDLE_ERR_STOPPED,
                       "kernel %s was given up after %llu of %llu CTAs", l->function->name,
                       (unsigned long long)done, (unsigned long long)l->program->num_ctas);
}

/* Fills places and gives turns until no CTAs are left, or until none has ended for `patience`
 * rounds (0: without limit). When none ends for long, doubles the open places. @return HEDDLE_OK
 * with r->used != 0: patience is over; an error: the diag is set. */
static heddle_err run_all(struct residents *r, uint32_t patience) {
    enum { ROUNDS = 1 << 12 }; /* until more places open */
    uint32_t waited = 0;
    for (;;) {
        heddle_err e = HEDDLE_OK;
        uint32_t before = r->used;
        bool progress = false;
        for (uint32_t i = 0; i < r->open && !e; i++)
            if (!r->cta[i]) e = fill(r, i);
        if (e && !r->diag.text[0]) heddle_fail(&r->diag, e, "no memory for a CTA");
        if (e || !r->used) return e;
        if (before != r->used) r->rounds = 0;
        before = r->used;
        for (uint32_t i = 0; i < r->open && !e; i++) {
            if (!r->cta[i]) continue;
            e = ask(r);
            if (!e) e = turns(r, i, &progress);
        }
        if (e) return e;
        if (!progress) return deadlock(r);
        if (r->used < before) r->rounds = waited = 0;
        if (++r->rounds >= ROUNDS && r->open < r->count) {
            r->open = r->open < r->count / 2 ? 2 * r->open : r->count;
            r->rounds = 0;
        }
        if (patience && ++waited >= patience && r->used) return HEDDLE_OK;
    }
}

/* Allocates the worker's places and pool; sets r->err without memory. */
static void begin_work(struct residents *r) {
    r->cta = calloc(r->count, sizeof *r->cta);
    r->err = r->cta ? exec_pool_create(&r->pool) : HEDDLE_ERR_NOMEM;
    if (r->err) heddle_fail(&r->diag, r->err, "no memory for %u CTAs", r->count);
}

static void add_standing(const struct residents *r, struct exec_standing *s) {
    for (uint32_t i = 0; r->cta && i < r->count; i++)
        for (uint32_t j = 0; r->cta[i] && j < r->cta[i]->num_warps; j++)
            exec_standing_add(s, &r->cta[i]->warp[j]);
}

/* Adds the warps of the worker's CTAs to launch->standing. */
static void note_standing(struct residents *r) {
    pthread_mutex_lock(&r->grid->lock);
    add_standing(r, r->launch->standing);
    pthread_mutex_unlock(&r->grid->lock);
}

/* Releases the worker's CTAs, pool and places. After an error lowers grid->end to the failed
 * CTA. */
static void end_work(struct residents *r) {
    if (r->cta && exec_launch_cancelled(r->launch) && r->launch->standing) note_standing(r);
    if (r->err) { /* CTAs before the failed one still run: the fault of the lowest CTA counts */
        uint64_t end = __atomic_load_n(&r->grid->end, __ATOMIC_RELAXED);
        while (r->failed_cta < end &&
               !__atomic_compare_exchange_n(&r->grid->end, &end, r->failed_cta, false,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    }
    for (uint32_t i = 0; r->cta && i < r->count; i++)
        if (r->cta[i]) retire(r, i);
    exec_pool_free(r->pool);
    free(r->cta);
    r->cta = NULL;
    r->pool = NULL;
}

/* A thread: runs one worker to its end. */
static void *work(void *of) {
    struct residents *r = of;
    begin_work(r);
    if (!r->err) r->err = run_all(r, 0);
    end_work(r);
    return NULL;
}

/* Runs all workers, worker 0 on the calling thread, and waits for them. If a thread cannot be
 * created, the others run its CTAs. */
static void run_workers(struct residents *worker, uint32_t count) {
    pthread_t thread[EXEC_MAX_THREADS];
    bool started[EXEC_MAX_THREADS] = {false};
    for (uint32_t i = 1; i < count; i++)
        started[i] = !pthread_create(&thread[i], NULL, work, &worker[i]);
    work(&worker[0]);
    for (uint32_t i = 1; i < count; i++)
        if (started[i]) pthread_join(thread[i], NULL);
}

/* Prepares the launch if the caller has not, and decides on threads and places; runs nothing yet.
 * One thread unless CTAs are independent, launch->threads asks for more, and neither race check nor
 * cache warming needs a fixed order. @return HEDDLE_OK with *out set, ended by
 * exec_immediate_end(); HEDDLE_ERR_ARGUMENT (a timed launch, or resident or turn of 0) or an error
 * of exec_launch_prepare(), with *out NULL and diag set. */
heddle_err exec_immediate_create(struct exec_immediate **out, struct exec_launch *launch,
                                 uint32_t resident, uint32_t turn, struct heddle_diag *diag) {
    *out = NULL;
    if (!launch->immediate || !resident || !turn)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "immediate run of a timed launch, or no turns");
    bool prepared = launch->program != NULL;
    heddle_err e = prepared ? HEDDLE_OK : exec_launch_prepare(launch, diag);
    if (e) return e;
    struct exec_immediate *x = heddle_alloc(sizeof *x, "a launch");
    const uint64_t ctas = launch->program->num_ctas;
    const bool independent = launch->program->independent;
    uint32_t most = resident < ctas ? resident : (uint32_t)ctas, threads = 1;
    bool alone = launch->checks & EXEC_CHECK_GLOBAL; /* the race that is found is always the same */
    alone |= launch->warming != NULL;
    if (independent && launch->threads > 1 && !alone)
        threads = launch->threads < EXEC_MAX_THREADS ? launch->threads : EXEC_MAX_THREADS;
    if (threads > most) threads = most;
    x->worker = heddle_alloc_array(threads, sizeof *x->worker, "threads of a launch");
    x->launch = launch;
    x->grid = (struct grid_run){.launch = launch, .turn = turn, .end = ctas, .resident = most};
    pthread_mutex_init(&x->grid.lock, NULL);
    pthread_mutex_init(&x->grid.gate, NULL);
    x->threads = threads;
    x->prepared = prepared;
    for (uint32_t i = 0; i < threads; i++) {
        x->worker[i] = (struct residents){
            .grid = &x->grid, .launch = launch, .leads = i == 0, .count = most / threads};
        x->worker[i].open = independent ? 1 : x->worker[i].count;
    }
    *out = x;
    return HEDDLE_OK;
}

/* Runs a step. CTAs that may wait for others run on the calling thread, until all have ended or
 * none has ended for `patience` rounds of turns (0: no limit). Independent CTAs run to their end
 * whatever `patience` says, on all threads of the launch, which end before the call returns.
 * @return true: the launch has ended, or a fault ended it; false: call again. */
bool exec_immediate_run(struct exec_immediate *x, uint32_t patience) {
    struct residents *r = &x->worker[0];
    if (!patience || x->threads > 1 || x->launch->program->independent) {
        if (!x->begun) {
            run_workers(x->worker, x->threads);
            return true;
        }
        patience = 0;
    }
    if (!x->begun) begin_work(r);
    x->begun = true;
    if (!r->err) r->err = run_all(r, patience);
    if (!r->err && r->used) return false;
    end_work(r);
    x->begun = false;
    return true;
}

void exec_immediate_look(struct exec_immediate *x, struct exec_look *look) {
    struct residents *r = &x->worker[0]; /* the others end before a step does */
    look->ctas += r->grid->done << 32;   /* apart from those that are resident */
    for (uint32_t i = 0; r->cta && i < r->count; i++)
        if (r->cta[i]) exec_look_add(look, r->cta[i]);
}

void exec_immediate_standing(struct exec_immediate *x, struct exec_standing *s) {
    add_standing(&x->worker[0], s);
}

/* Ends the launch, run to its end or not: releases its CTAs, sums the counters into *counts, copies
 * the fault of the lowest CTA to *fault (zeros: none) and its text to diag, finishes the launch if
 * exec_immediate_create() prepared it, and frees x. @return the fault's error or HEDDLE_OK. */
heddle_err exec_immediate_end(struct exec_immediate *x, struct exec_counts *counts,
                              struct exec_fault *fault, struct heddle_diag *diag) {
    const struct residents *first = NULL; /* the fault of the lowest CTA */
    heddle_err e = HEDDLE_OK;
    memset(counts, 0, sizeof *counts);
    memset(fault, 0, sizeof *fault);
    if (x->begun) end_work(&x->worker[0]);
    for (uint32_t i = 0; i < x->threads; i++) {
        struct residents *r = &x->worker[i];
        exec_counts_add(counts, &r->counts);
        if (r->err && (!first || r->failed_cta < first->failed_cta)) first = r;
    }
    if (first) {
        *fault = first->fault;
        e = heddle_fail(diag, first->err, "%s", first->diag.text);
    }
    if (!x->prepared) exec_launch_finish(x->launch);
    pthread_mutex_destroy(&x->grid.lock);
    pthread_mutex_destroy(&x->grid.gate);
    free(x->worker);
    free(x);
    return e;
}

/* Runs a whole launch on the calling thread, and on launch->threads - 1 more at most. Prepares and
 * finishes it, unless the caller has prepared it; then the caller finishes it
 * (exec_launch_finish()). *counts and *fault are set in any case, zeros at first. @return
 * HEDDLE_OK, the fault's error (text in diag), or an error of exec_immediate_create(). */
heddle_err exec_run_immediate(struct exec_launch *launch, uint32_t resident, uint32_t turn,
                              struct exec_counts *counts, struct exec_fault *fault,
                              struct heddle_diag *diag) {
    struct exec_immediate *x;
    memset(counts, 0, sizeof *counts);
    memset(fault, 0, sizeof *fault);
    heddle_err e = exec_immediate_create(&x, launch, resident, turn, diag);
    if (e) return e;
    exec_immediate_run(x, 0);
    return exec_immediate_end(x, counts, fault, diag);
}
