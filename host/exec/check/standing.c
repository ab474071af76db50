/* standing.c - counts the warps of a launch by the instruction at which they stand and the word
 * that they poll; see standing.h.
 *
 * immediate.c calls exec_standing_add() for a launch that it gives up, timing/group_feed.c between
 * windows. Only reads warps and device memory. */
#include "exec/check/standing.h"

#include <stdio.h>
#include <string.h>

#include "exec/warp/exec_state.h"

enum { LOOP = 64 }; /* instructions of the longest loop in which a polled word is looked for */

/* Whether the instruction reads a word of global memory that another thread may be about to
 * write. */
static bool may_poll(const struct exec_op *op) {
    const bool reads = op->mem == MIR_MEM_LOAD || op->mem == MIR_MEM_ATOM;
    return reads && op->space != MIR_SPACE_SHARED && op->space != MIR_SPACE_LOCAL &&
           op->width <= 8 && op->has_src & 1;
}

/* The access that the loop around `pc` polls: of the loop's, the first that may poll. @return its
 * index; UINT32_MAX: `pc` is in no short loop, or it reads nothing. */
static uint32_t polled_at(const struct exec_program *p, uint32_t pc) {
    for (uint32_t end = pc; end < p->num_inst && end < pc + LOOP; end++) {
        const struct mir_inst *in = p->code[end].inst;
        if (in->op != MIR_BRA || (uint32_t)in->imm > pc || end - (uint32_t)in->imm > LOOP) continue;
        for (uint32_t i = (uint32_t)in->imm; i <= end; i++)
            if (may_poll(&p->code[i])) return i;
    }
    return UINT32_MAX;
}

/* A word that a warp polls. */
struct polled {
    const struct exec_op *op;
    uint64_t address; /* 0: none */
};

/* The word that the warp polls, as its registers say now. */
static struct polled find_polled(const struct exec_warp *w) {
    const struct exec_cta *c = w->cta;
    const struct exec_memory *m = c->launch->memory;
    const uint32_t lanes = w->active ? w->active : w->live;
    const uint32_t at = lanes && w->status != EXEC_WAIT_BARRIER ? polled_at(c->program, w->pc)
                                                                : UINT32_MAX;
    if (at == UINT32_MAX) return (struct polled){0};
    const struct exec_op *op = &c->program->code[at];
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    warp_reg tmp[2];
    const warp_reg *a = exec_src(w, op, 0, tmp);
    uint64_t address = a[0].u[lane];
    if (op->flags & MIR_ADDR64) address |= (uint64_t)a[1].u[lane] << 32;
    address += (uint64_t)(int64_t)op->imm;
    const uint64_t offset = address - m->base;
    if (offset >= m->size || address % op->width ||
        (offset % EXEC_SECTOR) + op->width > (m->state[offset / EXEC_SECTOR] & EXEC_SECTOR_BYTES))
        return (struct polled){0};
    return (struct polled){op, address};
}

/* Adds the word that the warp polls, and its value. */
static void add_polled(char *text, size_t size, const struct polled *p) {
    uint64_t value = 0;
    memcpy(&value, (const void *)(uintptr_t)p->address, p->op->width);
    snprintf(text, size, "; its loop reads the %u bytes at 0x%llx (PTX line %u), which are 0x%llx",
             p->op->width, (unsigned long long)p->address, p->op->inst->ptx_line,
             (unsigned long long)value);
}

void exec_standing_add(struct exec_standing *s, const struct exec_warp *w) {
    if (w->status == EXEC_EXITED) return;
    s->warps++;
    s->ctas += w->cta != s->last;
    s->last = w->cta;
    const uint32_t pc = w->status == EXEC_WAIT_BARRIER && w->bar_whole ? w->bar_pc : w->pc;
    const struct polled polled = find_polled(w);
    for (unsigned i = 0; i < s->num_places; i++) {
        struct exec_standing_place *p = &s->place[i];
        if (p->pc != pc || p->status != w->status || p->polled != polled.address) continue;
        p->warps++;
        return;
    }
    if (s->num_places == EXEC_STANDING_PLACES) {
        s->others++;
        return;
    }
    struct exec_standing_place *p = &s->place[s->num_places++];
    *p = (struct exec_standing_place){
        .pc = pc, .status = w->status, .warps = 1, .polled = polled.address};
    const int n = exec_warp_describe(p->text, sizeof p->text, w);
    if (polled.address && n > 0 && (size_t)n < sizeof p->text)
        add_polled(p->text + n, sizeof p->text - (size_t)n, &polled);
}
