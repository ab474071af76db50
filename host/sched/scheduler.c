/* scheduler.c - kernel handler, kernel queue, SM table and CTA handler; see scheduler.h.
 *
 * Three things can happen by themselves: a ready operation starts, a copy ends, a CTA is dealt.
 * advance() works them off together with the CTA_DONE messages of the window, in order of time. */
#include "sched/scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "sched/code_lines.h"
#include "sched/gpu_internal.h"
#include "timing/clock.h"
#include "timing/message.h"

enum { UNTIMED_TURN = 1024 }; /* instructions of a warp's turn in a kernel that is not timed */

enum copy_engine { ENGINE_TO_DEVICE, ENGINE_TO_HOST, ENGINE_DEVICE, NUM_ENGINES };

struct done { /* a CTA that has ended */
    uint64_t cycle_heard, cycle_ended;
    struct kernel *kernel;
    struct slots_place place;
};

enum { SETTLE = 1 << 14 }; /* cycles in which code that a kernel has asked for ahead has come */

struct scheduler {
    struct scheduler_config config;
    struct timing_wiring wiring;
    struct ops *ops;
    struct slots *slots;
    struct op *ready;   /* not started, sorted by (ready_ps, ticket) */
    struct op *ending;  /* copies and estimated kernels, sorted by (end_ps, ticket) */
    struct op *looking; /* conditions not met yet, by ticket */
    uint64_t engine_free[NUM_ENGINES];
    uint64_t to_device, to_host;  /* bytes copied over the link */
    struct kernel *queue;         /* active or waiting for their turn, in order of start */
    struct kernel *begun, *ended; /* not yet taken, in order (their own links) */
    struct kernel **begun_tail, **ended_tail;
    uint64_t period;   /* counts the times at which the queue became busy */
    struct done *done; /* this window's messages, in order */
    uint32_t num_done, cap_done;
    uint64_t dispatch_cycle; /* the next cycle in which a CTA may be dealt, UINT64_MAX: no SM has
                              * room until one ends */
    uint64_t dispatch_rest;  /* and so many 1/65536 cycles later */
    uint64_t cycle_base;     /* target cycle of the core's cycle 0 */
    uint64_t idle_from;      /* cycle at which the last kernel was done */
    uint64_t settled_from;   /* the same of the last kernel, timed or not; 0: none yet */
    struct code_lines code;
    uint64_t now_ps; /* what has been simulated */
    heddle_err failed;
    struct heddle_diag diag;
};

heddle_err scheduler_create(struct scheduler **out, const struct scheduler_config *config,
                            const struct timing_wiring *wiring, struct ops *ops) {
    struct scheduler *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s) return HEDDLE_ERR_NOMEM;
    s->config = *config;
    s->wiring = *wiring;
    s->ops = ops;
    s->begun_tail = &s->begun;
    s->ended_tail = &s->ended;
    s->cap_done = 256;
    s->done = malloc(s->cap_done * sizeof *s->done);
    heddle_err e = s->done ? slots_create(&s->slots, config->num_sms, &config->limits,
                                          config->placement)
                           : HEDDLE_ERR_NOMEM;
    if (e) {
        scheduler_free(s);
        return e;
    }
    *out = s;
    return HEDDLE_OK;
}

void scheduler_free(struct scheduler *s) {
    if (!s) return;
    slots_free(s->slots);
    free(s->done);
    free(s);
}

static bool before(const struct op *a, const struct op *b, bool by_end) {
    uint64_t at = by_end ? a->end_ps : a->ready_ps, bt = by_end ? b->end_ps : b->ready_ps;
    return at != bt ? at < bt : a->ticket < b->ticket;
}

static void insert_by(struct op **list, struct op *op, bool by_end) {
    while (*list && before(*list, op, by_end)) list = &(*list)->next_ready;
    op->next_ready = *list;
    *list = op;
}

/* Several host threads have clocks of their own: an operation may have been issued in what is the
 * past by now. It takes effect at once then. */
static void poll(struct scheduler *s, uint64_t now_ps) {
    for (struct op *op = ops_take_ready(s->ops), *next; op; op = next) {
        next = op->next_ready;
        if (op->ready_ps < now_ps) op->ready_ps = now_ps;
        insert_by(&s->ready, op, false);
    }
}

void scheduler_poll(struct scheduler *s) {
    poll(s, fabric_now(s->wiring.fabric));
}

struct kernel *scheduler_take_begun(struct scheduler *s) {
    struct kernel *k = s->begun;
    if (k && !(s->begun = k->next_begun)) s->begun_tail = &s->begun;
    return k;
}

struct kernel *scheduler_take_ended(struct scheduler *s) {
    struct kernel *k = s->ended;
    if (k && !(s->ended = k->next_ended)) s->ended_tail = &s->ended;
    return k;
}

const struct kernel *scheduler_running(const struct scheduler *s) {
    return s->queue;
}

uint64_t scheduler_period(const struct scheduler *s) {
    return s->queue ? s->period : 0;
}

void scheduler_link_bytes(const struct scheduler *s, uint64_t *to_device, uint64_t *to_host) {
    *to_device = s->to_device;
    *to_host = s->to_host;
}

/* ------------------------------------------------------------------------------- copies */

static uint64_t transfer_ps(uint64_t bytes, uint64_t bytes_per_s) {
    return (uint64_t)((clock_u128)bytes * 1000000000000u / bytes_per_s);
}

/* Host copies go over the link in whole pages; device copies are bound by the memory's bandwidth
 * (a copy reads and writes). One engine per direction serves copies in order. */
static void start_copy(struct scheduler *s, struct op *op) {
    const struct scheduler_config *c = &s->config;
    uint64_t bytes = op->copy.bytes, pages = (bytes + c->link_page - 1) / c->link_page;
    enum copy_engine engine = ENGINE_DEVICE;
    uint64_t duration = 0;
    switch (op->copy.kind) {
    case GPU_COPY_HOST_TO_DEVICE:
    case GPU_COPY_DEVICE_TO_HOST:
        engine = op->copy.kind == GPU_COPY_HOST_TO_DEVICE ? ENGINE_TO_DEVICE : ENGINE_TO_HOST;
        duration = c->link_latency_ps + transfer_ps(pages * c->link_page, c->link_bytes_per_s);
        break;
    case GPU_COPY_DEVICE_TO_DEVICE: duration = transfer_ps(2 * bytes, c->dram_bytes_per_s); break;
    case GPU_MEMSET: duration = transfer_ps(bytes, c->dram_bytes_per_s); break;
    case GPU_COPY_HOST_TO_HOST: /* the host's own affair */
    case GPU_WRITE: break;      /* the front end's: no engine, no time */
    }
    bool own = op->copy.kind != GPU_COPY_HOST_TO_HOST && op->copy.kind != GPU_WRITE;
    op->state = OP_RUNNING;
    op->start_ps = op->ready_ps;
    if (own && s->engine_free[engine] > op->start_ps) op->start_ps = s->engine_free[engine];
    op->end_ps = op->start_ps + duration;
    if (own) s->engine_free[engine] = op->end_ps;
    insert_by(&s->ending, op, true);
}

static void broadcast(struct scheduler *s, enum timing_message kind, uint64_t at, uint64_t a,
                      uint64_t b) {
    for (uint32_t i = 0; s->wiring.group[i]; i++) {
        struct fabric_message m = {.at = at,
                                   .from = s->wiring.scheduler_id,
                                   .to = s->wiring.group_id[i],
                                   .kind = kind,
                                   .word = {a, b}};
        fabric_send(s->wiring.fabric, &m);
    }
}

static uint64_t after_lookahead(const struct scheduler *s, uint64_t ps) {
    uint64_t cycle = clock_cycle_from(ps, s->config.khz) + s->config.half_lookahead;
    return clock_ps(cycle, s->config.khz);
}

static void end_copy(struct scheduler *s, struct op *op) {
    const struct scheduler_config *c = &s->config;
    if (op->copy.perform) op->copy.perform(op->copy.user);
    if (op->copy.kind == GPU_COPY_HOST_TO_DEVICE) s->to_device += op->copy.bytes;
    if (op->copy.kind == GPU_COPY_DEVICE_TO_HOST) s->to_host += op->copy.bytes;
    /* What was written last stays in L2. While kernels run their own traffic decides. */
    if (c->copy_allocates && !s->queue && op->copy.bytes &&
        (op->copy.kind == GPU_COPY_HOST_TO_DEVICE || op->copy.kind == GPU_MEMSET ||
         op->copy.kind == GPU_COPY_DEVICE_TO_DEVICE)) {
        uint64_t first = op->copy.device_address - c->memory_base, end = first + op->copy.bytes;
        if (op->copy.bytes > c->l2_bytes) first = end - c->l2_bytes;
        broadcast(s, TIMING_FILL, after_lookahead(s, op->end_ps), first / 128,
                  (end + 127) / 128 - first / 128);
    }
    ops_end(s->ops, op, op->end_ps, op->end_ps);
}

/* --------------------------------------------------------------------------- conditions */

/* The first look comes when the window in which the stream has got here is certainly over. */
static void start_looking(struct scheduler *s, struct op *op) {
    struct op **link = &s->looking;
    op->state = OP_RUNNING;
    op->start_ps = op->ready_ps;
    op->first_look_ps = op->look_ps = after_lookahead(s, op->ready_ps);
    while (*link && (*link)->ticket < op->ticket) link = &(*link)->next_ready;
    op->next_ready = *link;
    *link = op;
}

/* The first of the operation's looks after ps. */
static uint64_t look_after(const struct scheduler *s, const struct op *op, uint64_t ps) {
    uint64_t interval = s->config.look_interval_ps;
    return op->first_look_ps + ((ps - op->first_look_ps) / interval + 1) * interval;
}

uint64_t scheduler_next_look(struct scheduler *s, uint64_t now_ps, uint64_t next_ps) {
    uint64_t first = UINT64_MAX;
    for (struct op *op = s->looking; op; op = op->next_ready) {
        if (op->look_ps == UINT64_MAX && next_ps != UINT64_MAX)
            op->look_ps = look_after(s, op, now_ps);
        if (op->look_ps < first) first = op->look_ps;
    }
    return s->looking && first == UINT64_MAX ? now_ps : first;
}

bool scheduler_looks(const struct scheduler *s) {
    return s->looking != NULL;
}

bool scheduler_look(struct scheduler *s, uint64_t now_ps, uint64_t next_ps) {
    bool any = false;
    for (struct op **link = &s->looking; *link;) {
        struct op *op = *link;
        bool asks = op->look_ps <= now_ps || op->look_ps == UINT64_MAX;
        if (asks && op->condition.met(op->condition.user)) {
            *link = op->next_ready;
            ops_end(s->ops, op, now_ps, now_ps);
            any = true;
            continue;
        }
        if (asks) /* nothing is written before something happens */
            op->look_ps = next_ps == UINT64_MAX
                              ? UINT64_MAX
                              : look_after(s, op, next_ps > now_ps ? next_ps : now_ps);
        link = &op->next_ready;
    }
    return any;
}

/* ------------------------------------------------------------------------------ kernels */

/* The core counts cycles in 32 bits; time in which no kernel runs is none of its business, beyond
 * a rest in which everything that was on its way arrives. */
static void skip_idle_time(struct scheduler *s, uint64_t cycle) {
    enum { REST = 1 << 20 };
    if (cycle - s->idle_from > REST) s->cycle_base += cycle - s->idle_from - REST;
}

static void append_begun(struct scheduler *s, struct kernel *k) {
    k->next_begun = NULL;
    *s->begun_tail = k;
    s->begun_tail = &k->next_begun;
}

static void append_ended(struct scheduler *s, struct kernel *k) {
    k->ended = true;
    k->active = false;
    k->next_ended = NULL;
    *s->ended_tail = k;
    s->ended_tail = &k->next_ended;
}

/* A kernel that is not timed runs functionally, between two instants of target time. One whose time
 * is estimated, or known from the run that is resumed, has its effects then, and ends when it would
 * have. */
static void run_untimed(struct scheduler *s, struct op *op) {
    struct kernel *k = op->kernel;
    k->active = true;
    k->wall_begin = gpu_wall();
    s->failed = exec_run_immediate(&k->launch.exec, k->resident, UNTIMED_TURN, &k->launch.counts[0],
                                   &k->launch.faults[0], &s->diag);
    if (s->failed) return;
    exec_launch_finish(&k->launch.exec);
    if (k->untimed) {
        append_ended(s, k);
        ops_end(s->ops, op, op->ready_ps, op->ready_ps);
        return;
    }
    k->active = false;
    if (k->past) {
        k->first_cycle = k->past->first_cycle;
        k->last_cycle = k->past->last_cycle;
        k->heard_cycle = k->past->heard_cycle;
    } else {
        uint64_t warp_inst = k->launch.counts[0].warp_inst;
        k->first_cycle = clock_cycle_from(op->start_ps, s->config.khz) + k->launch_cycles;
        k->last_cycle = k->first_cycle + sampler_estimate(s->config.sampler, k->stratum, warp_inst);
        k->heard_cycle = k->last_cycle + TIMING_REPORTED_AFTER + s->config.half_lookahead;
    }
    op->end_ps = clock_ps(k->last_cycle, s->config.khz);
    insert_by(&s->ending, op, true);
}

/* Followers hear of it as late as they would of a timed kernel. */
static void end_untimed(struct scheduler *s, struct op *op) {
    s->settled_from = op->kernel->heard_cycle;
    append_ended(s, op->kernel);
    ops_end(s->ops, op, op->end_ps, clock_ps(op->kernel->heard_cycle, s->config.khz));
}

/* A resumed run: what is known of this launch. @return false: it is to be simulated, or failed. */
static bool recall(struct scheduler *s, const struct op *op) {
    struct kernel *k = op->kernel;
    if (!s->config.checkpoint) return false;
    const struct checkpoint_launch *past = checkpoint_past(s->config.checkpoint, k->number,
                                                           &s->failed);
    if (s->failed) {
        heddle_fail(&s->diag, s->failed, "%s", checkpoint_failed(s->config.checkpoint));
        return false;
    }
    if (!past) return false;
    if (past->name_sum != checkpoint_name_sum(k->name) || past->record.start_ps != op->start_ps ||
        memcmp(past->record.grid, k->key.grid, sizeof k->key.grid) ||
        memcmp(past->record.block, k->key.block, sizeof k->key.block)) {
        s->failed = heddle_fail(&s->diag, HEDDLE_ERR_STOPPED,
                                "--resume: launch %llu (%s) is another one, or begins at another "
                                "target time, than when the checkpoint was written: the program "
                                "does not do what it did",
                                (unsigned long long)k->number, k->name);
        return false;
    }
    k->past = malloc(sizeof *past);
    if (k->past)
        *k->past = *past;
    else
        s->failed = HEDDLE_ERR_NOMEM;
    return k->past != NULL;
}

/* Is this one timed? */
static void choose_way(struct scheduler *s, struct kernel *k) {
    k->way = SAMPLE_TIMED;
    if (recall(s, k->op)) {
        k->launch.exec.immediate = true;
        return;
    }
    if (!s->config.sampler || k->untimed || s->failed) return;
    k->way = sampler_begin(s->config.sampler, &k->key, s->queue != NULL, &k->stratum, &s->failed);
    if (k->way != SAMPLE_ESTIMATED) return;
    k->launch.exec.immediate = true;
    k->launch.exec.warming = s->config.warming;
    if (s->config.warming && !s->failed)
        s->failed = exec_warming_begin(s->config.warming, k->launch.local_bytes);
}

/* A timed kernel begins behind estimated ones: L2 gets what they would have left there. */
static void warm_l2(struct scheduler *s, uint64_t at) {
    uint32_t count;
    if (!s->config.warming) return;
    const struct exec_warming_run *run = exec_warming_take(s->config.warming, &count);
    for (uint32_t i = 0; i < count; i++) broadcast(s, TIMING_FILL, at, run[i].first, run[i].count);
}

/* Code that is copied to the device stays in L2 as what other copies write does. */
static void load_code(struct scheduler *s, const struct mir_function *f, uint64_t at) {
    uint32_t first, count;
    if (code_lines_load(&s->code, f, &first, &count) && !s->queue && s->config.copy_allocates)
        broadcast(s, TIMING_FILL, at, TIMING_CODE_BASE + first, count);
}

/* L2 is emptied when nothing is on its way: kernels that are to find it empty keep a distance.
 * @return true: the kernel is to start later, and is among the ready ones again. */
static bool settles(struct scheduler *s, struct op *op) {
    uint64_t settled = clock_ps(s->settled_from + 2 * SETTLE, s->config.khz);
    if (!s->config.kernel_flush || s->queue || !s->settled_from || op->ready_ps >= settled)
        return false;
    op->ready_ps = settled;
    insert_by(&s->ready, op, false);
    return true;
}

static void start_kernel(struct scheduler *s, struct op *op) {
    struct kernel *k = op->kernel, **tail = &s->queue;
    if (settles(s, op)) return;
    op->start_ps = op->ready_ps;
    choose_way(s, k);
    if (!s->failed) s->failed = exec_launch_prepare(&k->launch.exec, &s->diag);
    if (s->failed) return;
    op->state = OP_RUNNING;
    if (k->untimed || k->past || k->way == SAMPLE_ESTIMATED) {
        run_untimed(s, op);
        return;
    }
    /* A CTA is live half a look-ahead after it is dealt; the launch overhead covers that. */
    uint64_t half = s->config.half_lookahead;
    k->dispatch_from = clock_cycle_from(op->start_ps, s->config.khz) +
                       (k->launch_cycles > half ? k->launch_cycles - half : 0);
    k->active = true;
    load_code(s, k->launch.exec.function, after_lookahead(s, op->start_ps));
    if (!s->queue) {
        s->period++;
        skip_idle_time(s, clock_cycle_from(op->start_ps, s->config.khz));
        warm_l2(s, after_lookahead(s, op->start_ps));
        broadcast(s, TIMING_FLUSH, after_lookahead(s, op->start_ps), s->config.kernel_flush ? 3 : 1,
                  s->cycle_base);
    }
    if (s->config.kernel_flush) k->launch.code = code_lines_move(&s->code, k->launch.exec.function);
    k->period = s->period;
    while (*tail) tail = &(*tail)->next;
    *tail = k;
    k->next = NULL;
    append_begun(s, k);
}

/* What kernel sampling learns of a timed kernel. */
static void measure(struct scheduler *s, const struct kernel *k) {
    uint64_t warp_inst = 0;
    if (!s->config.sampler || k->untimed) return;
    for (uint32_t g = 0; g < s->wiring.num_groups; g++) warp_inst += k->launch.counts[g].warp_inst;
    sampler_measured(s->config.sampler, k->stratum, warp_inst, k->last_cycle - k->first_cycle,
                     k->launch_cycles);
}

static void end_kernel(struct scheduler *s, struct kernel *k, uint64_t heard_cycle) {
    struct kernel **link = &s->queue;
    while (*link != k) link = &(*link)->next;
    *link = k->next;
    exec_launch_finish(&k->launch.exec);
    k->heard_cycle = heard_cycle;
    measure(s, k);
    s->idle_from = s->settled_from = heard_cycle;
    /* Now, so that writing back costs the next kernel nothing. */
    if (!s->queue && s->config.kernel_flush)
        broadcast(s, TIMING_FLUSH, clock_ps(heard_cycle + SETTLE, s->config.khz), 2, s->cycle_base);
    append_ended(s, k);
    ops_end(s->ops, k->op, clock_ps(k->last_cycle, s->config.khz),
            clock_ps(heard_cycle, s->config.khz));
}

/* When the kernel may deal its next CTA. */
static uint64_t deal_cycle_of(const struct scheduler *s, const struct kernel *k) {
    return k->dispatch_from > s->dispatch_cycle ? k->dispatch_from : s->dispatch_cycle;
}

/* The kernel whose CTA is dealt next. Kernels of one priority come one after the other, the first
 * that still has CTAs to deal; of several priorities the one that can deal first, and at the same
 * cycle the most urgent. */
static struct kernel *dealing(const struct scheduler *s) {
    struct kernel *best = NULL;
    uint64_t seen = 0; /* priorities, of which there are few */
    for (struct kernel *k = s->queue; k; k = k->next) {
        uint64_t priority = UINT64_C(1) << (k->priority & 63);
        if (k->dispatched == k->num_ctas || seen & priority) continue;
        seen |= priority;
        uint64_t mine = deal_cycle_of(s, k), its = best ? deal_cycle_of(s, best) : UINT64_MAX;
        if (!best || mine < its || (mine == its && k->priority < best->priority)) best = k;
    }
    return best;
}

/* Cycle of the next deal, UINT64_MAX: none before a CTA ends. */
static uint64_t next_deal(const struct scheduler *s) {
    const struct kernel *k = dealing(s);
    return k ? deal_cycle_of(s, k) : UINT64_MAX;
}

static void deal(struct scheduler *s, uint64_t cycle) {
    struct kernel *k = dealing(s);
    struct slots_place place;
    if (cycle > s->dispatch_cycle) s->dispatch_rest = 0;
    s->dispatch_cycle = cycle;
    if (!slots_take(s->slots, &k->need, &place, cycle)) {
        s->dispatch_cycle = slots_more_at(s->slots);
        return;
    }
    s->dispatch_rest += k->deal_interval;
    s->dispatch_cycle += s->dispatch_rest >> 16;
    s->dispatch_rest &= 0xffff;
    uint64_t live = cycle + s->config.half_lookahead;
    if (!k->dispatched) k->first_cycle = live;
    struct fabric_message m = {.at = clock_ps(live, s->config.khz),
                               .from = s->wiring.scheduler_id,
                               .to = s->wiring.group_id[place.sm % s->wiring.num_groups],
                               .kind = TIMING_CTA_LAUNCH,
                               .word = {(uint64_t)(uintptr_t)&k->launch, k->dispatched, place.sm,
                                        live, place.cta, place.warps}};
    fabric_send(s->wiring.fabric, &m);
    k->dispatched++;
}

static void retire(struct scheduler *s, const struct done *d) {
    struct kernel *k = d->kernel;
    uint64_t from = d->cycle_heard, half = s->config.half_lookahead; /* from deal to begin */
    if (d->cycle_ended + s->config.replace > from + half)
        from = d->cycle_ended + s->config.replace - half;
    slots_give(s->slots, &d->place, &k->need, from);
    if (s->dispatch_cycle == UINT64_MAX) s->dispatch_cycle = from;
    if (d->cycle_ended > k->last_cycle) k->last_cycle = d->cycle_ended;
    if (++k->retired == k->num_ctas) end_kernel(s, k, d->cycle_heard);
}

/* ---------------------------------------------------------------------------- component */

static void receive(void *self, const struct fabric_message *m) {
    struct scheduler *s = self;
    if (m->kind != TIMING_CTA_DONE) {
        s->failed = HEDDLE_ERR_INTERNAL;
        return;
    }
    if (s->num_done == s->cap_done) {
        struct done *grown = realloc(s->done, 2 * s->cap_done * sizeof *grown);
        if (!grown) {
            s->failed = HEDDLE_ERR_NOMEM;
            return;
        }
        s->done = grown;
        s->cap_done *= 2;
    }
    struct timing_launch *launch = (struct timing_launch *)(uintptr_t)m->word[0];
    struct done d = {.cycle_heard = clock_cycle_from(m->at, s->config.khz),
                     .cycle_ended = m->word[2],
                     .kernel = (struct kernel *)launch,
                     .place = {(uint32_t)m->word[1], (uint32_t)m->word[3], m->word[4]}};
    /* Messages come in order of time; of equal times, kernels end in order of launch, whichever
     * SM group was first. */
    uint32_t i = s->num_done++;
    while (i && s->done[i - 1].cycle_heard == d.cycle_heard &&
           s->done[i - 1].kernel->number > d.kernel->number) {
        s->done[i] = s->done[i - 1];
        i--;
    }
    s->done[i] = d;
}
_Static_assert(offsetof(struct kernel, launch) == 0, "a launch is the head of its kernel");

static heddle_err advance(void *self, uint64_t until, struct heddle_diag *diag) {
    struct scheduler *s = self;
    uint32_t heard = 0;
    for (;;) {
        uint64_t khz = s->config.khz, deal_cycle = next_deal(s);
        uint64_t t_done = heard < s->num_done ? clock_ps(s->done[heard].cycle_heard, khz)
                                              : UINT64_MAX;
        uint64_t t_ready = s->ready ? s->ready->ready_ps : UINT64_MAX;
        uint64_t t_end = s->ending ? s->ending->end_ps : UINT64_MAX;
        uint64_t t_deal = deal_cycle == UINT64_MAX ? UINT64_MAX : clock_ps(deal_cycle, khz);
        uint64_t first = t_done < t_end ? t_done : t_end;
        if (t_ready < first) first = t_ready;
        if (t_deal < first) first = t_deal;
        if (first >= until || s->failed) break;
        if (first > s->now_ps) s->now_ps = first;
        if (first == t_done) {
            retire(s, &s->done[heard++]);
        } else if (first == t_end) {
            struct op *op = s->ending;
            s->ending = op->next_ready;
            if (op->kind == OP_COPY)
                end_copy(s, op);
            else
                end_untimed(s, op);
        } else if (first == t_ready) {
            struct op *op = s->ready;
            s->ready = op->next_ready;
            if (op->kind == OP_LAUNCH)
                start_kernel(s, op);
            else if (op->kind == OP_COPY)
                start_copy(s, op);
            else if (op->kind == OP_CONDITION)
                start_looking(s, op);
            else {
                op->start_ps = op->ready_ps;
                ops_end(s->ops, op, op->ready_ps, op->ready_ps);
            }
        } else {
            deal(s, deal_cycle);
        }
        poll(s, s->now_ps);
    }
    s->num_done = 0;
    s->now_ps = until;
    if (s->failed)
        return heddle_fail(diag, s->failed, "%s",
                           s->diag.err ? s->diag.text : heddle_err_text(s->failed));
    return HEDDLE_OK;
}

static uint64_t next(void *self) {
    struct scheduler *s = self;
    uint64_t deal_cycle = next_deal(s), t = UINT64_MAX;
    if (deal_cycle != UINT64_MAX) t = clock_ps(deal_cycle, s->config.khz);
    if (s->ready && s->ready->ready_ps < t) t = s->ready->ready_ps;
    if (s->ending && s->ending->end_ps < t) t = s->ending->end_ps;
    return t;
}

const struct fabric_ops scheduler_ops = {receive, advance, next};
