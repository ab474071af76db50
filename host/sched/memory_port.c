/* memory_port.c - device memory as a component of the fabric: passes requests of the L2 slices to a
 * back end of models/hbm and its answers back; contracts in memory_port.h.
 *
 * Threads: receive() and advance() run on a worker thread of the window; done() and written(), the
 * back end's callbacks, run inside either. They alone change the port then and send messages. The
 * functions of memory_port.h, and next(), run on the driving thread between windows.
 *
 * Times. A request of cycle c arrives here half a look-ahead later, and its answer leaves half a
 * look-ahead before it is due. The back end sees the request at c itself and its latency covers
 * both ways, so that the look-ahead changes no result. The back end runs half a look-ahead behind
 * the fabric, so every earlier request has arrived. Requests of the same time go to it in the order
 * of slices, whichever SM group they come from. Times are picoseconds of target time, rounded to
 * whole core cycles; the back end counts picoseconds.
 *
 * Copies make requests of their own beside those of L2 (copy_traffic.h), which nobody awaits and no
 * statistic counts but those of rows and buses.
 *
 * A read of a block of managed memory that is not on the GPU waits until the scheduler says that
 * the block has come, and is then made anew, at that time (absent_reads.h). Writes do not wait: the
 * CTA that made them does (cta_ends.h).
 *
 * The emulation of other caches sees the requests in the same order as the back end. FILL and FLUSH
 * come before the requests of their time.
 *
 * The port answers a write when memory has taken its data, plus the latency of a read, so that L2
 * never has more writes under way than it has room for. */
#include "sched/memory_port.h"

#include <stdlib.h>

#include "common/memory.h"
#include "timing/clock.h"
#include "timing/message.h"

enum { LINE = 128 }; /* bytes */

/* The port; same, num_same and failed change during windows. */
struct memory_port {
    struct timing_wiring wiring;
    uint64_t khz, half_lookahead, latency_ps; /* core clock; cycles; of a read */
    const struct hbm_ops *ops;
    void *hbm;
    struct cache_curve *curve;   /* owned */
    struct absent_reads *absent; /* owned; NULL: managed memory is always here */
    struct copy_traffic copies;
    uint64_t copy_reads, copy_writes; /* requests of copies; a back end counts them with L2's */
    struct hbm_request *same;         /* requests of one time, in order of slices */
    uint32_t num_same;
    size_t capacity;
    heddle_err failed;
};

/* Component number of the SM group that owns the request's slice. */
static uint32_t group_of(const struct memory_port *p, const struct hbm_request *r) {
    return p->wiring.group_id[r->slice % p->wiring.num_groups];
}

/* @return when an answer arrives at its slice: the first cycle that is not before done_ps. */
static uint64_t arrival(const struct memory_port *p, uint64_t done_ps) {
    return clock_ps(clock_cycle_from(done_ps, p->khz), p->khz);
}

/* Callback of the back end: a read's data are at the slice at done_ps. Sends DRAM_DATA. */
static void done(void *user, const struct hbm_request *r, uint64_t done_ps) {
    struct memory_port *p = user;
    if (r->user == COPY_TRAFFIC) return;
    message_send_dram_data(p->wiring.fabric, p->wiring.memory_id, group_of(p, r),
                           arrival(p, done_ps),
                           &(struct message_dram_data){.id = (uint16_t)r->user, .slice = r->slice});
}

/* Callback of the back end: it has taken a write's data at done_ps. Sends DRAM_WRITTEN to a slice
 * that waits for it. */
static void written(void *user, const struct hbm_request *r, uint64_t done_ps) {
    struct memory_port *p = user;
    if (!r->user || r->user == COPY_TRAFFIC) return;
    message_send_dram_written(p->wiring.fabric, p->wiring.memory_id, group_of(p, r),
                              arrival(p, done_ps + p->latency_ps),
                              &(struct message_dram_written){.slice = r->slice});
}

/* Creates the port and the back end named `model`; `khz`: core clock, `half_lookahead`: core
 * cycles. Copies *config and *wiring; config->spec is read by the back end only now. Takes `curve`
 * over, and frees it on an error. @return
 * HEDDLE_ERR_CONFIG (no such model, or a latency no longer than the look-ahead) or the back end's
 * error, with text in diag and *out NULL. */
heddle_err memory_port_create(struct memory_port **out, const char *model,
                              const struct hbm_config *config, uint64_t khz,
                              uint64_t half_lookahead, const struct l2_layout *l2_layout,
                              const struct timing_wiring *wiring, struct cache_curve *curve,
                              struct heddle_diag *diag) {
    uint64_t way = clock_ps(2 * half_lookahead, khz);
    *out = NULL;
    struct memory_port *p = heddle_alloc(sizeof *p, "device memory's port");
    p->wiring = *wiring;
    p->curve = curve;
    p->copies.l2_layout = *l2_layout;
    p->khz = khz;
    p->half_lookahead = half_lookahead;
    p->latency_ps = config->latency_ps;
    struct hbm_config own = *config;
    own.written = written;
    heddle_err e = hbm_create(model, &p->ops, &p->hbm, &own, done, p, diag);
    uint64_t least = e ? 0 : p->ops->least_latency(p->hbm);
    if (!e && least <= way)
        e = heddle_fail(diag, HEDDLE_ERR_CONFIG,
                        "dram.latency%s is %llu ps, but core.look_ahead alone is %llu ps: lower "
                        "core.look_ahead",
                        least < config->latency_ps ? " (less hbm.trcdrd, for an open row)" : "",
                        (unsigned long long)least, (unsigned long long)way);
    if (e) {
        memory_port_free(p);
        return e;
    }
    *out = p;
    return HEDDLE_OK;
}

/* Frees the back end and the port. */
void memory_port_free(struct memory_port *p) {
    if (!p) return;
    if (p->ops) p->ops->free(p->hbm);
    cache_curve_free(p->curve);
    absent_reads_free(p->absent);
    free(p->same);
    free(p);
}

void memory_port_migrate(struct memory_port *p, uint64_t first_line, uint32_t blocks) {
    p->absent = absent_reads_create(first_line, blocks);
}

void memory_port_stats(const struct memory_port *p, struct hbm_stats *out) {
    p->ops->stats(p->hbm, out);
    out->reads -= p->copy_reads;
    out->writes -= p->copy_writes;
    out->read_bytes -= p->copy_reads * LINE;
    out->write_bytes -= p->copy_writes * LINE;
}

void memory_port_curve(const struct memory_port *p, struct cache_curve_counts *out) {
    cache_curve_get(p->curve, out);
}

/* Passes the requests of copies before that time to the back end, which counts them at once. */
static void submit_copies(struct memory_port *p, uint64_t before_ps) {
    for (struct hbm_request r; copy_traffic_take(&p->copies, before_ps, &r);) {
        p->ops->submit(p->hbm, &r);
        ++*(r.write ? &p->copy_writes : &p->copy_reads);
    }
}

/* A read whose block of managed memory is not here waits for it. The first one sends FAULT, which
 * takes as long as the read took to come here. @return false: it is here. */
static bool waits(struct memory_port *p, const struct hbm_request *r) {
    uint32_t block;
    bool first;
    if (!absent_reads_keep(p->absent, r, &block, &first)) return false;
    const uint64_t at = clock_cycle_from(r->at_ps, p->khz) + 2 * p->half_lookahead;
    if (first)
        message_send_fault(p->wiring.fabric, p->wiring.memory_id, p->wiring.scheduler_id,
                           clock_ps(at, p->khz), &(struct message_fault){.block = block});
    return true;
}

/* Passes the collected requests of one time to the back end and to the emulation of other
 * caches. */
static void submit_same(struct memory_port *p) {
    if (!p->num_same) return;
    submit_copies(p, p->same[0].at_ps);
    copy_traffic_hear(&p->copies, p->same[0].at_ps);
    for (uint32_t i = 0; i < p->num_same; i++) {
        const struct hbm_request *r = &p->same[i];
        if (p->absent && !r->write && waits(p, r)) continue;
        (r->write ? cache_curve_write : cache_curve_read)(p->curve, (uint32_t)r->line, r->sectors);
        p->ops->submit(p->hbm, r);
    }
    p->num_same = 0;
}

/* When a request that arrives at at_ps was made, ps. */
static uint64_t made_at(const struct memory_port *p, uint64_t at_ps) {
    return clock_ps(clock_cycle_from(at_ps, p->khz) - p->half_lookahead, p->khz);
}

/* Collects a request of time r.at_ps with those of the same time, sorted by slice, and passes
 * earlier ones on. Messages come in order of time; requests of one slice stay in their order. */
static void collect(struct memory_port *p, struct hbm_request r) {
    if (p->num_same && p->same[0].at_ps != r.at_ps) submit_same(p);
    if (p->num_same == p->capacity)
        p->same = heddle_grow(p->same, &p->capacity, p->num_same + 1, sizeof *p->same,
                              "requests of L2");
    uint32_t i = p->num_same++;
    for (; i && p->same[i - 1].slice > r.slice; i--) p->same[i] = p->same[i - 1];
    p->same[i] = r;
}

/* The same for a request that arrived at at_ps. */
static void add_request(struct memory_port *p, struct hbm_request r, uint64_t at_ps) {
    r.at_ps = made_at(p, at_ps);
    collect(p, r);
}

/* BLOCKS: the reads that have waited for them come now. */
static void change_blocks(struct memory_port *p, const struct fabric_message *in) {
    const struct message_blocks m = message_read_blocks(in);
    const uint64_t now_ps = made_at(p, in->at);
    if (p->num_same && p->same[0].at_ps != now_ps) submit_same(p);
    absent_reads_change(p->absent, m.first, m.mask, m.here);
    for (struct hbm_request r; absent_reads_take(p->absent, &r);) {
        r.at_ps = now_ps;
        collect(p, r);
    }
}

/* DRAM_COPY: its lines come from the time on at which it began. Requests of earlier times come
 * first, those of the copy whose place it takes among them. */
static void begin_copy(struct memory_port *p, const struct fabric_message *in) {
    const struct message_dram_copy m = message_read_dram_copy(in);
    const uint64_t now_ps = made_at(p, in->at);
    if (p->num_same && p->same[0].at_ps != now_ps) submit_same(p);
    submit_copies(p, now_ps);
    copy_traffic_begin(&p->copies, m.stream,
                       &(struct copy_stream){.next_ps = now_ps + m.delay,
                                             .step_ps = m.step,
                                             .line = m.line,
                                             .left = m.lines,
                                             .write = m.write});
}

/* FILL and FLUSH: the emulated caches change as L2 does. Requests of earlier times come first. */
static void change_caches(struct memory_port *p, const struct fabric_message *in) {
    if (p->num_same && p->same[0].at_ps != made_at(p, in->at)) submit_same(p);
    if (in->kind == MESSAGE_FILL) {
        struct message_fill m = message_read_fill(in);
        cache_curve_fill(p->curve, m.first, m.count);
    } else if (message_read_flush(in).l2) {
        cache_curve_flush(p->curve);
    }
}

/* Callback of the fabric: takes DRAM_COPY, and DRAM_READ and DRAM_WRITE, which add_request()
 * collects; the requests of earlier times go to the back end, which may answer inside. FILL and
 * FLUSH change the emulated caches, BLOCKS lets reads go on. Another message sets p->failed. */
static void receive(void *self, const struct fabric_message *in) {
    struct memory_port *p = self;
    if (in->kind == MESSAGE_DRAM_READ) {
        struct message_dram_read m = message_read_dram_read(in);
        add_request(p,
                    (struct hbm_request){
                        .line = m.line, .slice = m.slice, .sectors = m.sectors, .user = m.id},
                    in->at);
    } else if (in->kind == MESSAGE_DRAM_WRITE) {
        struct message_dram_write m = message_read_dram_write(in);
        add_request(p,
                    (struct hbm_request){.line = m.line,
                                         .slice = m.slice,
                                         .sectors = m.sectors,
                                         .write = true,
                                         .user = m.answered},
                    in->at);
    } else if (in->kind == MESSAGE_DRAM_COPY) {
        begin_copy(p, in);
    } else if (in->kind == MESSAGE_FILL || in->kind == MESSAGE_FLUSH) {
        change_caches(p, in);
    } else if (in->kind == MESSAGE_BLOCKS) {
        change_blocks(p, in);
    } else {
        p->failed = HEDDLE_ERR_INTERNAL;
    }
}

/* Callback of the fabric: advances the back end to half a look-ahead before `until` (ps), after all
 * messages before `until` have been received. @return HEDDLE_ERR_INTERNAL if receive() met an
 * unknown message. */
static heddle_err advance(void *self, uint64_t until, struct heddle_diag *diag) {
    struct memory_port *p = self;
    submit_same(p);
    if (p->failed) return heddle_fail(diag, p->failed, "device memory: an unknown message");
    /* Requests that arrive at `until` or later were made half a look-ahead before. */
    uint64_t half = clock_ps(p->half_lookahead, p->khz);
    if (until <= half) return HEDDLE_OK;
    submit_copies(p, until - half);
    p->ops->advance(p->hbm, until - half);
    return HEDDLE_OK;
}

/* Callback of the fabric, between windows: when the back end has something to do, in the fabric's
 * time. */
static uint64_t next(void *self) {
    struct memory_port *p = self;
    uint64_t at = p->ops->next(p->hbm);
    return at == UINT64_MAX ? FABRIC_NEVER : at + clock_ps(p->half_lookahead, p->khz);
}

const struct fabric_ops memory_port_ops = {receive, advance, next};
