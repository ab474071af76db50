/* timed.c - the fake timing model (timed.h). Each step of the model takes records from the
 * executor, issues one, performs lanes of an operation, or reports performed lanes to a warp, by
 * random choice (draw()). */
#include <criterion/criterion.h>

#include "timed.h"

enum { QUEUE = 96, MAX_WARPS = 64, MAX_CTAS = 16, AHEAD = 32 };

struct operation {
    bool used, issued, posted;
    bool travels; /* may be performed as a remote operation: on global memory */
    uint8_t wbar;
    uint32_t todo;   /* lanes to perform */
    uint32_t undone; /* lanes performed, not yet reported to the warp */
    uint32_t lanes;
    uint64_t number;     /* program order in the warp */
    uint64_t not_before; /* step before which it is not performed: some wait very long */
    uint64_t sector[32];
};
struct queued {
    struct exec_record record;
    const struct mir_inst *inst;
};
struct lane_group { /* one warp and its queue */
    struct exec_cta *cta;
    struct exec_warp *warp;
    unsigned index;
    struct queued queue[QUEUE];
    unsigned head, count;
    struct operation op[EXEC_MAX_INFLIGHT];
    uint64_t next_number, hash;
    bool ended;
};
struct model {
    struct exec_launch *launch;
    struct timed_result *out;
    struct lane_group group[MAX_WARPS];
    unsigned groups;
    uint64_t random, step;
    bool in_order, hurry; /* hurry: ignore not_before, since nothing else can be done */
    heddle_err error;
};

static uint64_t draw(struct model *m, uint64_t n) {
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (m->random >> 11) % n;
}
static void mix(uint64_t *h, uint64_t x) {
    *h = (*h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    *h ^= *h >> 29;
}

/* Takes the executor's records into the warp's queue. */
static void take(struct model *m, struct lane_group *g, const struct exec_trace *t) {
    for (uint32_t i = 0; i < t->num_records; i++) {
        const struct exec_record *r = &t->record[i];
        const struct mir_inst *inst = &m->launch->function->code[r->pc];
        bool memory = mir_op_mem(inst->op) >= MIR_MEM_LOAD && mir_op_mem(inst->op) <= MIR_MEM_ATOM;
        MUST(g->count < QUEUE);
        g->queue[(g->head + g->count++) % QUEUE] = (struct queued){*r, inst};
        m->out->records++;
        m->out->waits += r->wait != 0;
        mix(&g->hash, r->pc);
        mix(&g->hash, r->mask);
        mix(&g->hash, (uint64_t)r->wait << 16 | (uint64_t)r->space << 8 | r->flags);
        mix(&g->hash, r->inflight != EXEC_NO_INFLIGHT);
        if (memory && r->mask)
            for (unsigned l = 0; l < 32; l++)
                if (r->mask >> l & 1)
                    mix(&g->hash,
                        t->access[r->access].address[l] - (uintptr_t)m->launch->memory->base);
        if (r->inflight == EXEC_NO_INFLIGHT) continue;
        struct operation *o = &g->op[r->inflight];
        MUST(!o->used); /* a slot is used by one operation at a time */
        *o = (struct operation){
            .used = true,
            .wbar = inst->wbar,
            .todo = r->mask,
            .lanes = r->mask,
            .number = g->next_number++,
            .not_before = m->step + draw(m, draw(m, 4) ? 30 : 3000),
            .posted = mir_op_mem(inst->op) == MIR_MEM_STORE ||
                      mir_op_mem(inst->op) == MIR_MEM_RED ||
                      (mir_op_mem(inst->op) == MIR_MEM_ATOM && inst->dst == MIR_RZ),
            .travels = memory && r->space == MIR_SPACE_GLOBAL};
        *(o->posted ? &m->out->posted : &m->out->pending) += 1;
        for (unsigned l = 0; l < 32 && memory; l++)
            o->sector[l] = (t->access[r->access].address[l] & ~UINT64_C(31)) | r->space;
    }
}

/* Runs the warp for a random number of instructions, if it may run. @return whether it did */
static bool run_some(struct model *m, struct lane_group *g) {
    if (g->ended || g->count > AHEAD || !exec_warp_ready(g->warp)) return false;
    static struct exec_record record[64];
    static struct exec_access access[64];
    struct exec_trace t = {record, access, 0, 0, 64};
    exec_status s = exec_warp_run(g->warp, 1 + (uint32_t)draw(m, 32), &t);
    take(m, g, &t);
    if (s == EXEC_EXITED) g->ended = true;
    if (s == EXEC_FAULT) {
        m->out->fault = *exec_cta_fault(g->cta);
        m->error = m->out->fault.err;
    }
    return true;
}

/* Issues the warp's next record when its wait bits allow it. */
static bool issue(struct lane_group *g) {
    if (!g->count) return false;
    const struct queued *q = &g->queue[g->head];
    unsigned wait = q->inst->wait | q->record.wait;
    for (unsigned s = 0; s < EXEC_MAX_INFLIGHT; s++) {
        const struct operation *o = &g->op[s];
        if (!o->used || !o->issued || !o->todo) continue;
        if (o->posted && wait & EXEC_WAIT_POSTED) return false;
        if (!o->posted && o->wbar < MIR_NUM_BARRIERS && wait >> o->wbar & 1) return false;
    }
    if (q->record.inflight != EXEC_NO_INFLIGHT) g->op[q->record.inflight].issued = true;
    g->head = (g->head + 1) % QUEUE;
    g->count--;
    return true;
}

/* Returns whether no earlier operation of the warp still has these lanes' sectors to perform. */
static bool its_turn(const struct lane_group *g, const struct operation *o, uint32_t lanes) {
    for (unsigned s = 0; s < EXEC_MAX_INFLIGHT; s++) {
        const struct operation *e = &g->op[s];
        if (!e->used || !e->todo || e->number >= o->number) continue;
        for (unsigned i = 0; i < 32; i++)
            for (unsigned j = 0; j < 32; j++)
                if (e->todo >> i & 1 && lanes >> j & 1 && e->sector[i] == o->sector[j])
                    return false;
    }
    return true;
}
/* Performs lanes as another SM group does: from the data that the operation carries, without the
 * warp. */
static void perform_elsewhere(struct model *m, struct exec_warp *warp, uint8_t s, uint32_t lanes) {
    static struct exec_remote_op v;
    struct exec_operation o = exec_inflight_operation(warp, s);
    memset(&v, 0xa5, sizeof v); /* fields that are not filled in must not matter */
    v.launch = m->launch;
    v.operation = exec_operation_of(exec_operation_code(&o), o.check);
    v.lanes = lanes;
    for (unsigned l = 0; l < MIR_WARP_SIZE; l++)
        if (lanes >> l & 1) v.lane[l] = exec_inflight_operand(warp, s, l);
    uint32_t seen = 0;
    for (uint32_t left = lanes; left; left &= ~seen) {
        unsigned first = (unsigned)__builtin_ctz(left);
        uint32_t now = exec_remote_op_lanes(&v, v.lane[first].address & ~UINT64_C(31));
        MUST(now >> first & 1 && !(now & seen) && !(now & ~lanes));
        seen |= now;
    }
    exec_remote_op_perform(&v, lanes);
    for (unsigned l = 0; l < MIR_WARP_SIZE; l++)
        if (lanes >> l & 1 && exec_operation_answers(&o))
            exec_inflight_answer(warp, s, l, v.lane[l].data);
}
/* Performs some lanes of one issued operation of the warp, or reports performed lanes to it.
 * @return whether it did */
static bool perform(struct model *m, struct lane_group *g) {
    unsigned first = (unsigned)draw(m, EXEC_MAX_INFLIGHT);
    for (unsigned i = 0; i < EXEC_MAX_INFLIGHT; i++) {
        unsigned s = (first + i) % EXEC_MAX_INFLIGHT;
        struct operation *o = &g->op[s];
        if (!o->used || !o->issued || (m->step < o->not_before && !m->hurry)) continue;
        if (o->undone && (!o->todo || draw(m, 2))) { /* report to the warp */
            bool last = exec_complete(g->warp, (uint8_t)s, o->undone);
            o->undone = 0;
            MUST(last == (o->todo == 0));
            if (last) o->used = false;
            return true;
        }
        uint32_t lanes = o->todo;
        if (lanes && draw(m, 2)) { /* all lanes of one sector, as a slice would */
            uint64_t sector = o->sector[__builtin_ctz(lanes)];
            uint32_t same = 0;
            for (unsigned l = 0; l < 32; l++)
                same |= (uint32_t)(lanes >> l & 1 && o->sector[l] == sector) << l;
            lanes = same;
        }
        if (!lanes || (m->in_order && !its_turn(g, o, lanes))) continue;
        if (o->travels && draw(m, 2))
            perform_elsewhere(m, g->warp, (uint8_t)s, lanes);
        else
            exec_perform(g->warp, (uint8_t)s, lanes, m->random & 0xffffff);
        o->todo &= ~lanes;
        o->undone |= lanes;
        return true;
    }
    return false;
}

static bool any_left(const struct model *m) {
    for (unsigned i = 0; i < m->groups; i++)
        if (!m->group[i].ended || m->group[i].count) return true;
    return false;
}

/* Runs the model until all warps have ended or one has faulted. @return HEDDLE_OK, the
 * fault's error, or HEDDLE_ERR_DEADLOCK */
static heddle_err drive(struct model *m) {
    while (any_left(m) && !m->error) {
        bool done = false;
        unsigned first = (unsigned)draw(m, m->groups), kind = (unsigned)draw(m, 3);
        for (unsigned k = 0; k < 3 && !done; k++)
            for (unsigned i = 0; i < m->groups && !done; i++) {
                struct lane_group *g = &m->group[(first + i) % m->groups];
                switch ((kind + k) % 3) {
                case 0: done = run_some(m, g); break;
                case 1: done = issue(g); break;
                default: done = perform(m, g); break;
                }
            }
        m->step++;
        if (!done && m->hurry) return HEDDLE_ERR_DEADLOCK;
        m->hurry = !done;
    }
    return m->error;
}

heddle_err timed_run(struct exec_launch *launch, uint64_t seed, bool in_order,
                     struct timed_result *out) {
    static struct model m; /* too large for the stack */
    struct exec_pool *pool;
    struct exec_cta *cta[MAX_CTAS];
    memset(&m, 0, sizeof m);
    memset(out, 0, sizeof *out);
    m.launch = launch;
    m.out = out;
    m.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    m.in_order = in_order;
    launch->immediate = false;
    launch->in_order = in_order;
    MUST(launch->grid[0] <= MAX_CTAS);
    MUST(exec_launch_prepare(launch, NULL) == HEDDLE_OK);
    MUST(exec_pool_create(&pool) == HEDDLE_OK);
    for (uint32_t i = 0; i < launch->grid[0]; i++) {
        MUST(exec_cta_create(&cta[i], pool, launch, i, i) == HEDDLE_OK);
        for (unsigned j = 0; j < exec_cta_warps(cta[i]); j++) {
            MUST(m.groups < MAX_WARPS);
            m.group[m.groups] = (struct lane_group){
                .cta = cta[i], .index = m.groups, .warp = exec_cta_warp(cta[i], j)};
            m.groups++;
        }
    }
    heddle_err e = drive(&m);
    for (unsigned i = 0; i < m.groups; i++) mix(&out->hash, m.group[i].hash);
    for (uint32_t i = 0; i < launch->grid[0]; i++) {
        struct exec_counts c;
        exec_cta_counts(cta[i], &c);
        exec_counts_add(&out->counts, &c);
        exec_cta_release(pool, cta[i]);
    }
    exec_pool_free(pool);
    exec_launch_finish(launch);
    return e;
}

void run_everywhere(struct kernel *k, struct machine *m, uint32_t ctas, uint32_t threads,
                    bool same_records, void (*verify)(struct machine *m, void *user), void *user) {
    enum { SEEDS = 12 };
    uint8_t *begin = malloc(m->used);
    MUST(begin);
    memcpy(begin, m->bytes, m->used);
    struct heddle_diag diag = {0};
    heddle_err e = kernel_run(k, m, ctas, threads, NULL, NULL, &diag);
    cr_assert_eq(e, HEDDLE_OK, "in function only: %s", diag.text);
    verify(m, user);
    for (int in_order = 0; in_order < 2; in_order++) {
        struct timed_result first, r;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            memcpy(m->bytes, begin, m->used);
            struct exec_launch l = kernel_launch(k, m, ctas, threads);
            e = timed_run(&l, seed, in_order, &r);
            cr_assert_eq(e, HEDDLE_OK, "timed, in order %d, seed %d: %s: %s", in_order, (int)seed,
                         heddle_err_text(e), r.fault.reason ? r.fault.reason : "");
            verify(m, user);
            if (seed == 1) first = r;
            if (!same_records) continue;
            cr_assert_eq(r.hash, first.hash, "in order %d, seed %d: other records", in_order,
                         (int)seed);
            cr_assert_eq(r.counts.warp_inst, first.counts.warp_inst);
            cr_assert_arr_eq(r.counts.thread_inst, first.counts.thread_inst,
                             sizeof r.counts.thread_inst);
        }
    }
    free(begin);
}
