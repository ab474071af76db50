/* scheduler.c - the kernel queue; see scheduler.h.
 *
 * Five things can happen without a message: a ready operation starts; a copy or a functional launch
 * ends; an access of a kernel takes a step outside the GPU; managed memory migrates; a CTA is
 * dispatched. advance() handles them and the CTA_DONE messages of the window in order of time.
 *
 * The static functions below run inside receive() or advance(), on the worker thread that simulates
 * the scheduler in this window. They change the scheduler, its operations (struct op: state and
 * times; ops_end() may make followers ready) and its kernels (struct kernel). Messages to SM groups
 * arrive at least half a look-ahead after the time at which they are sent. Errors go to s->failed
 * and s->diag and end advance(). `at_ps` and *_ps are picoseconds of target time; `cycle` and
 * *_cycle are target cycles of the core clock. */
#include "sched/scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "sched/cache_curve.h"
#include "sched/cache_orders.h"
#include "sched/code_lines.h"
#include "sched/stream_condition.h"
#include "timing/clock.h"
#include "timing/message.h"

enum { SETTLE = 1 << 14 }; /* core cycles after which prefetched code has certainly arrived */

/* The scheduler. A worker thread writes it during a window, the driving thread between windows. */
struct scheduler {
    struct scheduler_config config;
    uint64_t khz, half_lookahead; /* core clock; cycles */
    struct timing_wiring wiring;
    struct ops *ops;
    struct op *ready;                    /* not started, sorted by (ready_ps, ticket) */
    struct op *ending;                   /* functional launches, by (end_ps, ticket) */
    struct stream_conditions conditions; /* not met yet */
    struct copy_engines copies;
    struct packet_link link, peer_link;
    struct outside_port *outside;
    struct kernel *queue;         /* active or waiting for their turn, in order of start */
    struct kernel *begun, *ended; /* not yet taken, in order (their own links) */
    struct kernel **begun_tail, **ended_tail;
    uint64_t period;              /* number of times that the queue became busy (struct kernel) */
    struct fault_service *faults; /* NULL: managed memory is always here */
    struct cta_ends ends;
    struct cta_dispatch dispatch;
    uint64_t cycle_base; /* target cycle of the core's cycle 0 */
    bool customers;      /* others than SMs use L2, at any time */
    bool watched;        /* a component hears of kernels: */
    uint32_t watcher;
    bool pins;             /* a kernel has begun that pins lines of L2, which are to be unpinned */
    uint64_t idle_from;    /* cycle at which the end of the last timed kernel was known */
    uint64_t settled_from; /* the same of the last kernel, timed or not; 0: none yet */
    struct code_lines code;
    uint64_t now_ps; /* everything before it is simulated */
    heddle_err failed;
    struct heddle_diag diag;
};

/* @return the earliest arrival of a message to a group, or to device memory, that is sent at ps. */
static uint64_t after_lookahead(const struct scheduler *s, uint64_t ps) {
    return clock_ps(clock_cycle_from(ps, s->khz) + s->half_lookahead, s->khz);
}

/* copy_traffic_fn: device memory hears of a copy. */
static void send_copy(void *user, uint64_t at_ps, const struct message_dram_copy *m) {
    const struct scheduler *s = user;
    if (!group_is_outside(s->config.outside_pieces, m->line))
        message_send_dram_copy(s->wiring.fabric, s->wiring.scheduler_id, s->wiring.memory_id,
                               after_lookahead(s, at_ps), m);
}

/* fault_tell_fn: device memory hears of blocks that have come or gone. */
static void send_blocks(void *user, uint64_t at_ps, uint32_t first, uint64_t mask, bool here) {
    const struct scheduler *s = user;
    message_send_blocks(s->wiring.fabric, s->wiring.scheduler_id, s->wiring.memory_id,
                        after_lookahead(s, at_ps),
                        &(struct message_blocks){.first = first, .mask = mask, .here = here});
}

/* Copies the configuration and creates the CTA handler with its occupancy table; borrows `ops`.
 * @return HEDDLE_ERR_NOMEM or ARGUMENT, without text; *out is then NULL. */
heddle_err scheduler_create(struct scheduler **out, const struct scheduler_config *config,
                            const struct timing_wiring *wiring, struct ops *ops) {
    struct scheduler *s = heddle_alloc(sizeof *s, "the scheduler");
    *out = NULL;
    s->config = *config;
    s->khz = config->dispatch.khz;
    s->half_lookahead = config->dispatch.half_lookahead;
    s->wiring = *wiring;
    s->ops = ops;
    s->begun_tail = &s->begun;
    s->ended_tail = &s->ended;
    s->copies = (struct copy_engines){
        .config = config->copies, .link = &s->link, .traffic = send_copy, .user = s};
    s->copies.peer = config->peer_link.bytes_per_s ? &s->peer_link : &s->link;
    s->copies.outside = s->config.outside_pieces;
    s->link.config = config->link;
    s->peer_link.config = config->peer_link;
    if (config->managed)
        s->faults = s->copies.managed = fault_service_create(
            &config->faults, config->managed, &s->link, s->copies.peer, send_blocks, s);
    s->outside = outside_port_create(&config->outside, wiring, &s->link, s->copies.peer);
    s->conditions.interval_ps = config->look_interval_ps;
    heddle_err e = cta_dispatch_create(&s->dispatch, &config->dispatch);
    if (e) {
        scheduler_free(s);
        return e;
    }
    *out = s;
    return HEDDLE_OK;
}

void scheduler_set_customers(struct scheduler *s) {
    s->customers = true;
}

void scheduler_set_watcher(struct scheduler *s, uint32_t component) {
    s->watched = true;
    s->watcher = component;
}

void scheduler_set_served(struct scheduler *s, uint32_t first_line, uint32_t end_line) {
    outside_port_serve(s->outside, s->watcher, first_line, end_line);
}
void scheduler_perform_outside(struct scheduler *s, uint32_t op, uint32_t lanes) {
    outside_port_perform(s->outside, op, lanes);
}

/* Frees the CTA handler and the lists; operations and kernels belong to the GPU. */
void scheduler_free(struct scheduler *s) {
    if (!s) return;
    cta_dispatch_free(&s->dispatch);
    outside_port_free(s->outside);
    fault_service_free(s->faults);
    cta_ends_clear(&s->ends);
    free(s);
}

/* The order of the lists `ending` (by_end) and `ready`: by time, then ticket. */
static bool before(const struct op *a, const struct op *b, bool by_end) {
    uint64_t at = by_end ? a->end_ps : a->ready_ps, bt = by_end ? b->end_ps : b->ready_ps;
    return at != bt ? at < bt : a->ticket < b->ticket;
}

/* Inserts the operation into a sorted list, linked by next_ready. */
static void insert_by(struct op **list, struct op *op, bool by_end) {
    while (*list && before(*list, op, by_end)) list = &(*list)->next_ready;
    op->next_ready = *list;
    *list = op;
}

/* Moves operations that have become ready from the ops to s->ready. Host threads have clocks of
 * their own, so an operation may have been issued in the simulated past; then it is ready now. */
static void poll(struct scheduler *s, uint64_t now_ps) {
    for (struct op *op = ops_take_ready(s->ops), *next; op; op = next) {
        next = op->next_ready;
        if (op->ready_ps < now_ps) op->ready_ps = now_ps;
        insert_by(&s->ready, op, false);
    }
}

/* Between windows: moves ready operations into s->ready at the fabric's present time. */
void scheduler_poll(struct scheduler *s) {
    poll(s, fabric_now(s->wiring.fabric, s->wiring.scheduler_id));
}

/* Between windows: removes the first kernel from the list; NULL when it is empty. */
struct kernel *scheduler_take_begun(struct scheduler *s) {
    struct kernel *k = s->begun;
    if (k && !(s->begun = k->next_begun)) s->begun_tail = &s->begun;
    return k;
}

/* Between windows: the same for kernels that ended. */
struct kernel *scheduler_take_ended(struct scheduler *s) {
    struct kernel *k = s->ended;
    if (k && !(s->ended = k->next_ended)) s->ended_tail = &s->ended;
    return k;
}

struct kernel *scheduler_running(const struct scheduler *s) {
    return s->queue;
}

uint64_t scheduler_period(const struct scheduler *s) {
    return s->queue ? s->period : 0;
}

void scheduler_link_bytes(const struct scheduler *s, uint64_t *to_device, uint64_t *to_host) {
    *to_device = s->copies.to_device;
    *to_host = s->copies.to_host;
}

void scheduler_outside_counts(const struct scheduler *s, struct outside_counts *sum) {
    outside_counts_add(sum, outside_port_counts(s->outside));
}

void scheduler_fault_counts(const struct scheduler *s, struct fault_counts *sum) {
    if (s->faults) fault_counts_add(sum, fault_service_counts(s->faults));
}

/* ------------------------------------------------------------------------------- copies */

/* The copy or functional launch that ends first; NULL: there is none. */
static struct op *first_end(struct scheduler *s) {
    struct op *copy = copy_engines_next(&s->copies), *launch = s->ending;
    return launch && (!copy || before(launch, copy, true)) ? launch : copy;
}

/* Sends FILL (cache_orders.h). */
static void send_fill(struct scheduler *s, uint64_t at_ps, uint64_t first, uint64_t count,
                      uint64_t before) {
    cache_orders_fill(&s->wiring, s->config.outside_pieces, at_ps, first, count, before);
}

/* Sends FLUSH with the present cycle_base. */
static void send_flush(struct scheduler *s, uint64_t at_ps, struct message_flush m) {
    const uint64_t written = clock_cycle_from(at_ps, s->khz) + s->half_lookahead + 1;
    m.cycle_base = s->cycle_base;
    cache_orders_flush(&s->wiring, at_ps, clock_ps(written, s->khz), &m);
}

/* Ends a copy: moves its bytes (in the program's and device memory), and sends FILL for the lines
 * that it leaves in L2. */
static void end_copy(struct scheduler *s, struct op *op) {
    const struct scheduler_config *c = &s->config;
    copy_engines_end(&s->copies, op);
    /* The lines written last stay in L2. While kernels run, their own traffic decides. */
    if (c->copy_allocates && !s->queue && op->copy.bytes &&
        (op->copy.kind == GPU_COPY_HOST_TO_DEVICE || op->copy.kind == GPU_MEMSET ||
         op->copy.kind == GPU_COPY_DEVICE_TO_DEVICE)) {
        uint64_t most = cache_curve_capacity(CACHE_POINTS - 1, c->l2_bytes);
        uint64_t first = op->copy.device_address - c->memory_base, end = first + op->copy.bytes;
        uint64_t in_l2 = op->copy.bytes > c->l2_bytes ? end - c->l2_bytes : first;
        if (op->copy.bytes > most) first = most ? end - most : in_l2;
        send_fill(s, after_lookahead(s, op->end_ps), in_l2 / 128, (end + 127) / 128 - in_l2 / 128,
                  in_l2 / 128 - first / 128);
    }
    ops_end(s->ops, op, op->end_ps, op->end_ps);
}

/* --------------------------------------------------------------------------- conditions */

/* A stream arrives at a condition: it joins s->conditions. The first look comes half a look-ahead
 * later, when the present window is certainly over. */
static void start_looking(struct scheduler *s, struct op *op) {
    op->state = OP_RUNNING;
    op->start_ps = op->ready_ps;
    op->first_look_ps = op->look_ps = after_lookahead(s, op->ready_ps);
    stream_conditions_add(&s->conditions, op);
}

/* Between windows: @return the target time (ps) of the next look of a stream at its condition, not
 * before now_ps, UINT64_MAX: no stream waits for one; now_ps: all have looked, and nothing happens
 * (next_ps is UINT64_MAX). May set the next looks; see stream_conditions_next(). */
uint64_t scheduler_next_look(struct scheduler *s, uint64_t now_ps, uint64_t next_ps) {
    return stream_conditions_next(&s->conditions, now_ps, next_ps);
}

bool scheduler_looks(const struct scheduler *s) {
    return s->conditions.first != NULL;
}

/* Between windows: calls `met` of the conditions whose look is due at now_ps, and ends the
 * operations whose condition is met, at now_ps. @return true: at least one was met. */
bool scheduler_look(struct scheduler *s, uint64_t now_ps, uint64_t next_ps) {
    bool any = false;
    struct op *met = stream_conditions_look(&s->conditions, now_ps, next_ps);
    for (struct op *next; met; met = next, any = true) {
        next = met->next_ready;
        ops_end(s->ops, met, now_ps, now_ps);
    }
    return any;
}

/* ------------------------------------------------------------------------------ kernels */

/* A kernel starts at `cycle` while none runs: raises cycle_base, which the next FLUSH sends. The
 * core counts cycles in 32 bits, so its clock skips the time in which no kernel runs, except for a
 * rest in which everything in flight arrives. With customers of L2 that are no SMs there is no such
 * rest. */
static void skip_idle_time(struct scheduler *s, uint64_t cycle) {
    enum { REST = 1 << 20 };
    if (s->customers) return;
    if (cycle - s->idle_from > REST) s->cycle_base += cycle - s->idle_from - REST;
}

/* Tells the watcher that a kernel begins or ends; the message arrives half a look-ahead later. */
static void tell_watcher(struct scheduler *s, const struct kernel *k, bool begins, uint64_t ps) {
    if (!s->watched) return;
    message_send_kernel(s->wiring.fabric, s->wiring.scheduler_id, s->watcher,
                        after_lookahead(s, ps),
                        &(struct message_kernel){.begins = begins, .ctas = k->num_ctas});
}

/* Queues a kernel for scheduler_take_begun(). */
static void append_begun(struct scheduler *s, struct kernel *k) {
    k->next_begun = NULL;
    *s->begun_tail = k;
    s->begun_tail = &k->next_begun;
}

/* Marks a kernel as ended and queues it for scheduler_take_ended(). */
static void append_ended(struct scheduler *s, struct kernel *k) {
    k->ended = true;
    k->active = false;
    k->next_ended = NULL;
    *s->ended_tail = k;
    s->ended_tail = &k->next_ended;
}

/* Executes a kernel functionally, now, with all its effects on the program's memory. An untimed
 * kernel ends at once, and one that is cancelled meanwhile; one with an estimated or known time
 * goes to s->ending. */
static void run_functionally(struct scheduler *s, struct op *op) {
    struct kernel *k = op->kernel;
    if (!launch_way_run(&s->config.ways, k, op->start_ps) || k->untimed) {
        append_ended(s, k);
        ops_end(s->ops, op, op->ready_ps, op->ready_ps);
        return;
    }
    op->end_ps = clock_ps(k->end_cycle, s->khz);
    insert_by(&s->ending, op, true);
}

/* Ends a functional launch. Followers learn of the end as late as they would for a timed kernel. */
static void end_functional(struct scheduler *s, struct op *op) {
    s->settled_from = op->kernel->heard_cycle;
    append_ended(s, op->kernel);
    ops_end(s->ops, op, op->end_ps, clock_ps(op->kernel->heard_cycle, s->khz));
}

/* Before a timed kernel that follows estimated ones: sends FILL for the lines that those would have
 * left in L2. */
static void warm_l2(struct scheduler *s, uint64_t at) {
    uint32_t count;
    if (!s->config.ways.warming) return;
    const struct exec_warming_run *run = exec_warming_take(s->config.ways.warming, &count);
    for (uint32_t i = 0; i < count; i++) send_fill(s, at, run[i].first, run[i].count, 0);
}

/* CUDA copies a kernel's code to the device at its first launch. Like other copies, it stays in L2:
 * sends FILL for its lines, if they are new and no kernel runs. */
static void load_code(struct scheduler *s, const struct mir_function *f, uint64_t at) {
    uint32_t first, count;
    if (code_lines_load(&s->code, f, &first, &count) && !s->queue && s->config.copy_allocates)
        send_fill(s, at, TIMING_CODE_BASE + first, count, 0);
}

/* With l2.kernel_flush, L2 is emptied while nothing is in flight, so a kernel that must find it
 * empty starts at least 2 * SETTLE cycles after the end of the previous one was known. @return
 * true: the kernel starts later and is back in the ready list. */
static bool settles(struct scheduler *s, struct op *op) {
    uint64_t settled = clock_ps(s->settled_from + 2 * SETTLE, s->khz);
    if (!s->config.kernel_flush || s->queue || !s->settled_from || op->ready_ps >= settled)
        return false;
    op->ready_ps = settled;
    insert_by(&s->ready, op, false);
    return true;
}

/* Starts a launch whose turn it is; one that is cancelled ends. Chooses how to run it, prepares its
 * code, and either runs it functionally or appends it to the queue. The first kernel of the queue
 * begins a period: it sends FLUSH, behind FILL for the lines that it should find. */
static void start_kernel(struct scheduler *s, struct op *op) {
    struct kernel *k = op->kernel, **tail = &s->queue;
    if (exec_launch_cancelled(&k->launch.exec)) {
        append_ended(s, k);
        ops_end(s->ops, op, op->ready_ps, op->ready_ps);
        return;
    }
    if (settles(s, op)) return;
    op->start_ps = op->ready_ps;
    s->failed = launch_way_choose(&s->config.ways, k, op->start_ps, s->queue != NULL, &s->diag);
    if (!s->failed) s->failed = exec_launch_prepare(&k->launch.exec, &s->diag);
    if (s->failed) return;
    op->state = OP_RUNNING;
    if (launch_way_is_functional(k)) {
        run_functionally(s, op);
        return;
    }
    /* A CTA is live half a look-ahead after its dispatch; the launch overhead covers that. */
    uint64_t half = s->half_lookahead;
    k->dispatch_from = clock_cycle_from(op->start_ps, s->khz) +
                       (k->begin_overhead > half ? k->begin_overhead - half : 0);
    kernel_activate(k);
    if (s->faults) fault_service_begin(s->faults, op->start_ps);
    load_code(s, k->launch.exec.function, after_lookahead(s, op->start_ps));
    if (!s->queue) {
        s->period++;
        skip_idle_time(s, clock_cycle_from(op->start_ps, s->khz));
        warm_l2(s, after_lookahead(s, op->start_ps));
        send_flush(s, after_lookahead(s, op->start_ps),
                   (struct message_flush){.l1 = 1, .l2 = s->config.kernel_flush});
    }
    if (s->config.kernel_flush) k->launch.code = code_lines_move(&s->code, k->launch.exec.function);
    s->pins |= k->launch.feed && k->launch.feed->locks;
    k->period = s->period;
    while (*tail) tail = &(*tail)->next;
    *tail = k;
    k->next = NULL;
    tell_watcher(s, k, true, op->start_ps);
    append_begun(s, k);
}

/* Ends a timed kernel whose last CTA retired: removes it from the queue, frees its decoded code,
 * and ends its operation. Followers start `later` cycles behind the end. */
static void end_kernel(struct scheduler *s, struct kernel *k, uint64_t later) {
    if (k->end_cycle < k->last_cycle) k->end_cycle = k->last_cycle;
    const uint64_t heard_cycle = k->end_cycle + later;
    struct kernel **link = &s->queue;
    while (*link != k) link = &(*link)->next;
    *link = k->next;
    exec_launch_finish(&k->launch.exec);
    k->heard_cycle = heard_cycle;
    if (!exec_launch_cancelled(&k->launch.exec)) launch_way_measured(&s->config.ways, k);
    s->idle_from = s->settled_from = heard_cycle;
    tell_watcher(s, k, false, clock_ps(heard_cycle, s->khz));
    if (!s->queue && s->pins) {
        send_flush(s, after_lookahead(s, clock_ps(heard_cycle, s->khz)),
                   (struct message_flush){.unpin = 1});
        s->pins = false;
    }
    /* Flush now, so that writing back costs the next kernel nothing. */
    if (!s->queue && s->config.kernel_flush)
        send_flush(s, clock_ps(heard_cycle + SETTLE, s->khz), (struct message_flush){.l2 = 1});
    append_ended(s, k);
    ops_end(s->ops, k->op, clock_ps(k->end_cycle, s->khz), clock_ps(heard_cycle, s->khz));
}

/* Retires a CTA: frees its place, ends the kernel with its last. */
static void retire(struct scheduler *s, const struct cta_end *d) {
    struct kernel *k = d->kernel;
    const uint64_t taken = cta_dispatch_retire(&s->dispatch, k, d);
    const uint64_t last = d->cycle_ended > taken ? d->cycle_ended : taken;
    if (last > k->last_cycle) k->last_cycle = last;
    k->end_cycle = taken + k->end_overhead; /* ends are taken in order */
    k->warp_inst += d->warp_inst;
    if (++k->retired == k->num_ctas) end_kernel(s, k, d->cycle_heard - d->cycle_ended);
}

/* Managed memory takes a step. CTAs whose blocks have come end now. */
static void step_faults(struct scheduler *s) {
    struct cta_end d;
    if (!fault_service_step(s->faults)) return;
    while (cta_ends_wake(&s->ends, s->faults, s->now_ps, &d)) {
        d.cycle_ended = d.cycle_left = d.cycle_heard = clock_cycle_from(s->now_ps, s->khz);
        retire(s, &d);
    }
}

/* Between windows: no more CTAs of the cancelled kernels are dispatched; those on SMs end by
 * themselves. A kernel without any ends now. */
void scheduler_cancel(struct scheduler *s) {
    const uint64_t now = clock_cycle_from(s->now_ps, s->khz);
    for (struct kernel *k = s->queue, *next; k; k = next) {
        next = k->next;
        if (!exec_launch_cancelled(&k->launch.exec)) continue;
        k->num_ctas = k->dispatched;
        if (k->retired != k->num_ctas) continue;
        k->last_cycle = now;
        if (!k->dispatched) k->first_cycle = now;
        end_kernel(s, k, 0);
    }
}

/* ---------------------------------------------------------------------------- component */

/* The running kernel of this launch number, or NULL. */
static struct kernel *running(const struct scheduler *s, uint64_t launch) {
    struct kernel *k = s->queue;
    while (k && k->number != launch) k = k->next;
    return k;
}

/* Queues a CTA_DONE for advance(), which handles it in order of time. An error if its launch is not
 * in the queue. */
static void add_done(struct scheduler *s, const struct fabric_message *in) {
    struct message_cta_done m = message_read_cta_done(in);
    struct kernel *k = running(s, m.launch);
    if (!k) {
        s->failed = heddle_fail(&s->diag, HEDDLE_ERR_INTERNAL,
                                "scheduler: a CTA of launch %llu, which is not active, has ended",
                                (unsigned long long)m.launch);
        return;
    }
    const struct cta_end end = cta_end_of(&m, k, clock_cycle_from(in->at, s->khz));
    cta_ends_add(&s->ends, &end);
}

/* Callback of the fabric, on the window's worker thread before advance(): takes ISSUE (an operation
 * has reached the GPU, becomes ready and joins s->ready), CTA_DONE (add_done()), those about
 * managed memory, and VALUES and REMOTE, which are accesses to memory outside the GPU. Another
 * message is an error in s->failed; a failed scheduler ignores messages. */
static void receive(void *self, const struct fabric_message *in) {
    struct scheduler *s = self;
    if (s->failed) return; /* the first diagnosis stays */
    switch (in->kind) {
    case MESSAGE_ISSUE:
        ops_arrive(s->ops, message_read_issue(in).ticket);
        poll(s, in->at);
        break;
    case MESSAGE_CTA_DONE: add_done(s, in); break;
    case MESSAGE_ACCESSED:
    case MESSAGE_FAULT:
    case MESSAGE_HOST_TOUCH: cta_ends_receive(&s->ends, s->faults, in); break;
    case MESSAGE_VALUES:
    case MESSAGE_REMOTE:
        s->failed = outside_port_receive(s->outside, in);
        if (s->failed)
            heddle_fail(&s->diag, s->failed, "an access to memory outside the GPU that is none");
        break;
    default:
        s->failed = heddle_fail(&s->diag, HEDDLE_ERR_INTERNAL, "scheduler: message kind %u",
                                in->kind);
    }
}

/* Callback of the fabric, on the window's worker thread: handles everything before `until` (ps),
 * the earliest first. At equal times managed memory comes first, then CTA_DONE, ends, starts,
 * accesses outside the GPU, then a dispatch. Functional kernels and copies run inside it. @return
 * the first error, with text in diag; s->failed keeps it. */
static heddle_err advance(void *self, uint64_t until, struct heddle_diag *diag) {
    struct scheduler *s = self;
    for (;;) {
        uint64_t khz = s->khz, dispatch_cycle = cta_dispatch_next(&s->dispatch, s->queue);
        const struct cta_end *done = cta_ends_next(&s->ends);
        uint64_t t_done = done ? clock_ps(done->cycle_heard, khz) : UINT64_MAX;
        uint64_t t_faults = s->faults ? fault_service_next(s->faults) : UINT64_MAX;
        uint64_t t_ready = s->ready ? s->ready->ready_ps : UINT64_MAX;
        struct op *ends = first_end(s);
        uint64_t t_end = ends ? ends->end_ps : UINT64_MAX;
        uint64_t t_outside = outside_port_next(s->outside);
        uint64_t t_dispatch = dispatch_cycle == UINT64_MAX ? UINT64_MAX
                                                           : clock_ps(dispatch_cycle, khz);
        uint64_t first = t_done < t_end ? t_done : t_end;
        if (t_ready < first) first = t_ready;
        if (t_outside < first) first = t_outside;
        if (t_dispatch < first) first = t_dispatch;
        if (t_faults < first) first = t_faults;
        if (first >= until || s->failed) break;
        if (first > s->now_ps) s->now_ps = first;
        if (first == t_faults) {
            step_faults(s);
        } else if (first == t_done) {
            struct cta_end d;
            if (cta_ends_take(&s->ends, s->faults, s->now_ps, &d)) retire(s, &d);
        } else if (first == t_end) {
            if (ends->kind == OP_COPY) {
                end_copy(s, ends);
            } else {
                s->ending = ends->next_ready;
                end_functional(s, ends);
            }
        } else if (first == t_ready) {
            struct op *op = s->ready;
            s->ready = op->next_ready;
            if (op->kind == OP_LAUNCH)
                start_kernel(s, op);
            else if (op->kind == OP_COPY) {
                op->state = OP_RUNNING;
                copy_engines_start(&s->copies, op);
            } else if (op->kind == OP_CONDITION)
                start_looking(s, op);
            else {
                op->start_ps = op->ready_ps;
                ops_end(s->ops, op, op->ready_ps, op->ready_ps);
            }
        } else if (first == t_outside) {
            outside_port_step(s->outside);
            continue; /* no operation becomes ready by it */
        } else {
            cta_dispatch_one(&s->dispatch, s->queue, dispatch_cycle, &s->wiring);
        }
        poll(s, s->now_ps);
    }
    cta_ends_finish(&s->ends);
    s->now_ps = until;
    if (s->failed)
        return heddle_fail(diag, s->failed, "%s",
                           s->diag.err ? s->diag.text : heddle_err_text(s->failed));
    return HEDDLE_OK;
}

/* Callback of the fabric, between windows: when the scheduler has something to do, ps. */
static uint64_t next(void *self) {
    struct scheduler *s = self;
    uint64_t dispatch_cycle = cta_dispatch_next(&s->dispatch, s->queue), t = UINT64_MAX;
    if (dispatch_cycle != UINT64_MAX) t = clock_ps(dispatch_cycle, s->khz);
    if (s->ready && s->ready->ready_ps < t) t = s->ready->ready_ps;
    const struct op *ends = first_end(s);
    if (ends && ends->end_ps < t) t = ends->end_ps;
    if (outside_port_next(s->outside) < t) t = outside_port_next(s->outside);
    if (s->faults && fault_service_next(s->faults) < t) t = fault_service_next(s->faults);
    return t;
}

const struct fabric_ops scheduler_ops = {receive, advance, next};
