/* group_view.c - see group_view.h. */
#include "timing/group_view.h"

#include <string.h>

#include "timing/group_internal.h"

_Static_assert((int)TIMING_VIEW_WARPS == (int)TIMING_MAX_WARPS, "all warps of an SM");

/* A warp slot that is taken. */
struct taken {
    struct exec_warp_view exec;
    struct group_watched seen;
    uint32_t packets; /* executed, and not issued, as far as is known */
};

/* Looks at a slot with a warp. @return false: the warp has run to its end, in the core as well. */
static bool look_at(const struct timing_group *g, const struct group_warp *gw, struct taken *t) {
    exec_warp_look_at(gw->exec, &t->exec);
    t->seen = group_watch_look(g, gw);
    t->packets = t->seen.packets + gw->backlog.count - gw->backlog.head;
    return t->exec.status != EXEC_EXITED || t->packets;
}

void timing_group_view_sms(struct timing_group *g, struct timing_sm_view *sm) {
    for (uint32_t i = 0; i < g->num_sms; i++) {
        struct timing_sm_view v = {.warp_inst = g->sms[i].warp_inst};
        for (uint32_t c = 0; c < TIMING_MAX_CTAS; c++)
            v.ctas += g->ctas[i * TIMING_MAX_CTAS + c].cta != NULL;
        for (uint32_t w = 0; w < TIMING_MAX_WARPS && v.ctas; w++) {
            const struct group_warp *gw = &g->warps[i * TIMING_MAX_WARPS + w];
            struct taken t;
            if (!gw->exec) continue;
            v.warps += look_at(g, gw, &t);
            v.warp_inst += t.exec.executed;
            v.loads += t.seen.loads;
        }
        sm[i * g->config->num_groups + g->index] = v;
    }
}

uint32_t timing_group_memory_reads(const struct timing_group *g) {
    return g->memory_reads;
}

unsigned timing_group_view_warps(struct timing_group *g, uint32_t sm,
                                 struct timing_warp_view out[TIMING_VIEW_WARPS]) {
    unsigned n = 0;
    for (uint32_t slot = 0; slot < TIMING_MAX_WARPS; slot++) {
        const struct group_warp *gw = group_warp_of(g, sm, slot);
        struct taken t;
        if (!gw->exec || !look_at(g, gw, &t)) continue;
        const struct mir_function *function = gw->cta->launch->exec.function;
        const bool has = t.seen.pc < function->num_inst;
        const struct mir_inst *next = has ? &function->code[t.seen.pc] : NULL;
        struct timing_warp_view *v = &out[n++];
        *v = (struct timing_warp_view){.slot = slot,
                                       .launch = gw->cta->launch_number,
                                       .index = t.exec.index,
                                       .live = t.exec.live,
                                       .active = t.exec.active,
                                       .executed = t.exec.executed,
                                       .packets = t.packets,
                                       .line = next ? next->ptx_line : 0,
                                       .op = next ? mir_op_name(next->op) : "",
                                       .loads = t.seen.loads,
                                       .cause = t.seen.cause,
                                       .waited = t.seen.waited};
        memcpy(v->cta, t.exec.cta, sizeof v->cta);
        exec_warp_describe(v->text, sizeof v->text, gw->exec);
    }
    return n;
}
