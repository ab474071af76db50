/* look.c - compares the states of warps at different times; see look.h. */
#include "exec/check/look.h"

#include <string.h>

#include "exec/warp/exec_state.h"

static uint64_t mix(uint64_t h, uint64_t word) {
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}
static uint64_t mix_bytes(uint64_t h, const void *data, size_t bytes) {
    const uint8_t *p = data;
    uint64_t word = 0;
    for (; bytes >= sizeof word; p += sizeof word, bytes -= sizeof word) {
        memcpy(&word, p, sizeof word);
        h = mix(h, word);
    }
    word = 0;
    memcpy(&word, p, bytes);
    return bytes ? mix(h, word) : h;
}

/* The operations in flight: their results are part of the state once they are known. */
static uint64_t mix_inflight(uint64_t h, const struct exec_warp *w) {
    for (uint32_t left = w->inflight_all; left; left &= left - 1) {
        const struct exec_inflight *f = w->inflight[__builtin_ctz(left)];
        h = mix(h, (uint64_t)(f->op - w->code) << 32 | f->lanes);
        h = mix(h, (uint64_t)f->space << 32 | f->todo);
        h = mix_bytes(h, f->address, sizeof f->address);
    }
    return h;
}

/* Counts that decide which lanes go next. They grow without end while others wait, so that those
 * beyond their limit are equal. */
static uint64_t mix_turns(uint64_t h, const struct exec_warp *w) {
    const uint32_t spins = w->spins < SPIN_MAX ? w->spins : SPIN_MAX;
    const uint32_t plain = w->plain_spins < SPIN_PLAIN ? w->plain_spins : SPIN_PLAIN;
    const uint32_t branches = w->branches < TURN_BRANCHES ? w->branches : TURN_BRANCHES;
    h = mix(h, (uint64_t)spins << 32 | (spins < SPIN_MAX ? plain : 0));
    h = mix(h, (uint64_t)w->meetings << 32 | branches << 8 | w->turn);
    return mix(h, (uint64_t)w->yielded << 1 | w->strong_seen);
}

/* All that decides what the warp does next, but for memory and what other warps do. */
static uint64_t state_of(const struct exec_warp *w) {
    const struct exec_program *p = w->cta->program;
    const size_t local = ((size_t)w->cta->launch->function->local_bytes + 3) / 4 * sizeof(warp_reg);
    uint64_t h = mix(w->pc, (uint64_t)w->active << 32 | w->live);
    h = mix(h, (uint64_t)w->status << 32 | w->at_bsync);
    h = mix(h, (uint64_t)w->at_sync << 32 | w->at_bar);
    h = mix(h, (uint64_t)w->apart << 32 | w->at_warpsync);
    h = mix(h, (uint64_t)w->bar_id << 32 | (uint64_t)w->bar_waits << 16 | w->bar_whole);
    h = mix_bytes(h, w->base[BASE_REGS], p->num_regs * sizeof(warp_reg));
    h = mix_bytes(h, w->p, (MIR_PT + 1) * sizeof w->p[0]);
    h = mix_bytes(h, w->at_b, sizeof w->at_b);
    h = mix_bytes(h, w->meet, p->num_convergence * sizeof *w->meet);
    h = mix_bytes(h, w->local, local);
    for (uint32_t left = w->live & ~w->active; left && w->active != w->live; left &= left - 1)
        h = mix(h, w->lane_pc[__builtin_ctz(left)]);
    if (w->at_sync) h = mix_bytes(h, &w->sync_mask, sizeof w->sync_mask);
    if (w->active != w->live) h = mix_turns(h, w);
    return mix_inflight(h, w);
}

/* Whether the warp has stores under way, which may yet change memory. */
static bool has_stores(const struct exec_warp *w) {
    return w->inflight_all & ~w->inflight_pending;
}

static void look_at(struct exec_look *look, struct exec_warp *w) {
    struct exec_seen *seen = &w->seen;
    if (w->status == EXEC_EXITED) return;
    if (look->how == EXEC_LOOK_COUNT || w->status == EXEC_FAULT || has_stores(w)) {
        look->busy++;
        return;
    }
    /* nobody comes to its barrier, since that would be an act */
    const bool stands = w->status == EXEC_WAIT_BARRIER && seen->executed == w->executed;
    if (look->how == EXEC_LOOK_BEGIN) seen->is_back = false;
    if (seen->is_back || (stands && look->how != EXEC_LOOK_BEGIN)) return;
    const uint64_t state = state_of(w);
    const bool moved = seen->executed != w->executed;
    if (look->how != EXEC_LOOK_BEGIN && moved && seen->state == state) {
        seen->is_back = true;
        return;
    }
    look->busy++;
    if (look->how != EXEC_LOOK_AGAIN) *seen = (struct exec_seen){state, w->executed, false};
}

void exec_look_add(struct exec_look *look, struct exec_cta *c) {
    look->ctas++;
    look->acts += c->counts.thread_inst[MIR_KIND_WRITE] + c->counts.thread_inst[MIR_KIND_TALK];
    for (uint32_t i = 0; i < c->num_warps; i++) look_at(look, &c->warp[i]);
}
