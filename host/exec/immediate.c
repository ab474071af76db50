/* immediate.c - a whole launch in function only (`--timing none`): the CTAs that fit stay resident,
 * and all their warps get turns, so that spins and grid-wide synchronisation end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec_internal.h"

struct residents {
    struct exec_launch *launch;
    struct exec_pool *pool;
    struct exec_cta **cta; /* [count], NULL: empty */
    uint32_t count, used;
    uint64_t next; /* CTA to come */
    struct exec_counts *counts;
};

static heddle_err fill(struct residents *r, uint32_t i) {
    if (r->next >= r->launch->program->num_ctas) return HEDDLE_OK;
    heddle_err e = exec_cta_create(&r->cta[i], r->pool, r->launch, r->next, i);
    if (!e) {
        r->next++;
        r->used++;
    }
    return e;
}

static void retire(struct residents *r, uint32_t i) {
    struct exec_counts c;
    exec_cta_counts(r->cta[i], &c);
    r->counts->warp_inst += c.warp_inst;
    r->counts->ptx_warp_inst += c.ptx_warp_inst;
    r->counts->thread_inst += c.thread_inst;
    exec_cta_release(r->pool, r->cta[i]);
    r->cta[i] = NULL;
    r->used--;
}

/* Nobody can run: says who waits for what. */
static heddle_err deadlock(const struct residents *r, struct exec_fault *fault,
                           struct heddle_diag *diag) {
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
                *fault = (struct exec_fault){.err = HEDDLE_ERR_DEADLOCK,
                                             .inst = w->code[pc].inst,
                                             .pc = pc,
                                             .cta = {c->id[0], c->id[1], c->id[2]},
                                             .thread = {thread % block[0],
                                                        thread / block[0] % block[1],
                                                        thread / block[0] / block[1]},
                                             .reason = "every warp waits at a CTA barrier"};
            first = false;
            if (at + 300 > sizeof text) {
                more++;
                continue;
            }
            at += (size_t)snprintf(text + at, sizeof text - at, "\n  ");
            int n = exec_warp_story(text + at, sizeof text - at, w);
            if (n > 0 && (size_t)n < sizeof text - at) at += (size_t)n;
        }
    }
    if (more)
        at += (size_t)snprintf(text + at, sizeof text - at, "\n  and %u more warps", more);
    const struct exec_launch *l = r->launch;
    return heddle_fail(diag, HEDDLE_ERR_DEADLOCK, "kernel %s: no warp can make progress:%.*s",
                       l->name ? l->name : l->function->name, (int)at, text);
}

/* One turn for every warp of CTA i. @return a fault's error. */
static heddle_err turns(struct residents *r, uint32_t i, uint32_t turn, bool *progress,
                        struct exec_fault *fault, struct heddle_diag *diag) {
    struct exec_cta *c = r->cta[i];
    uint32_t ended = 0;
    for (uint32_t j = 0; j < c->num_warps; j++) {
        struct exec_warp *w = &c->warp[j];
        if (exec_warp_ready(w)) {
            *progress = true;
            if (exec_warp_run(w, turn, NULL) == EXEC_FAULT) {
                char text[1000];
                *fault = c->fault;
                exec_fault_text(text, sizeof text, r->launch, fault);
                return heddle_fail(diag, fault->err, "%s", text);
            }
        }
        ended += w->status == EXEC_EXITED;
    }
    if (ended < c->num_warps) return HEDDLE_OK;
    retire(r, i);
    return fill(r, i);
}

static heddle_err run_all(struct residents *r, uint32_t turn, struct exec_fault *fault,
                          struct heddle_diag *diag) {
    for (uint32_t i = 0; i < r->count; i++) {
        heddle_err e = fill(r, i);
        if (e) return heddle_fail(diag, e, "no memory for a CTA");
    }
    while (r->used) {
        bool progress = false;
        const struct exec_launch *l = r->launch;
        if (l->go_on && !l->go_on(l->go_on_user, r->next - r->used))
            return heddle_fail(diag, HEDDLE_ERR_STOPPED,
                               "kernel %s was given up after %llu of %llu "
                               "CTAs",
                               l->function->name, (unsigned long long)(r->next - r->used),
                               (unsigned long long)l->program->num_ctas);
        for (uint32_t i = 0; i < r->count; i++) {
            if (!r->cta[i]) continue;
            heddle_err e = turns(r, i, turn, &progress, fault, diag);
            if (e) return e;
        }
        if (!progress) return deadlock(r, fault, diag);
    }
    return HEDDLE_OK;
}

heddle_err exec_run_immediate(struct exec_launch *launch, uint32_t resident, uint32_t turn,
                              struct exec_counts *counts, struct exec_fault *fault,
                              struct heddle_diag *diag) {
    struct residents r = {.launch = launch, .counts = counts};
    memset(counts, 0, sizeof *counts);
    memset(fault, 0, sizeof *fault);
    if (!launch->immediate || !resident || !turn)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "immediate run of a timed launch, or no turns");
    bool prepared = launch->program != NULL;
    heddle_err e = prepared ? HEDDLE_OK : exec_launch_prepare(launch, diag);
    if (e) return e;
    uint64_t ctas = launch->program->num_ctas;
    r.count = resident < ctas ? resident : (uint32_t)ctas;
    r.cta = calloc(r.count, sizeof(struct exec_cta *));
    e = r.cta ? exec_pool_create(&r.pool) : HEDDLE_ERR_NOMEM;
    if (e)
        heddle_fail(diag, e, "no memory for %u CTAs", r.count);
    else
        e = run_all(&r, turn, fault, diag);
    for (uint32_t i = 0; r.cta && i < r.count; i++)
        if (r.cta[i]) retire(&r, i);
    exec_pool_free(r.pool);
    free(r.cta);
    if (!prepared) exec_launch_finish(launch);
    return e;
}
