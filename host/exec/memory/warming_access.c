/* warming_access.c - kernel sampling: accesses to global and local memory that write the
 * cache-warming log (cache_warming.h).
 *
 * The interpreter calls noting_<ID>() in place of exec_op_<ID>() in launches with launch->warming.
 * It notes the lines of all lanes' addresses in the log, then executes the operation and returns
 * its code. One thread runs such a launch. */
#include "exec/memory/access.h"
#include "exec/memory/cache_warming_log.h"
#include "exec/warp/exec_state.h"

/* Notes the words of a lane's access at `offset` of local memory. */
static void note_local(struct exec_warming *t, const struct exec_warp *w, const struct exec_op *op,
                       uint64_t offset) {
    const struct exec_cta *cta = w->cta; /* cta->sm: the CTA's place among all resident ones */
    uint32_t warp = cta->sm / t->o.sms * cta->num_warps + w->index;
    for (unsigned i = 0; i < op->width; i += 4)
        exec_warming_note_local(t, cta->sm % t->o.sms, warp, offset + i);
}

/* Notes the lines that the lanes of mask access. `local`: addresses are offsets in local memory;
 * else they are generic. */
static void note(const struct exec_warp *w, const struct exec_op *op, uint32_t mask, bool local) {
    struct exec_warming *t = w->cta->launch->warming;
    uint64_t address[MIR_WARP_SIZE], unit = local ? 4 : WARMING_LINE, before = UINT64_MAX;
    exec_lane_addresses(w, op, mask, address);
    EACH_LANE(l) {
        if (address[l] / unit == before) continue; /* the same line; no access crosses lines */
        before = address[l] / unit;
        if (local)
            note_local(t, w, op, address[l]);
        else if (address[l] >> 32 == MIR_LOCAL_WINDOW >> 32)
            note_local(t, w, op, (uint32_t)address[l]);
        else
            exec_warming_note(t, address[l]); /* ignores shared memory, which lies outside */
    }
}

/* Operations that note their accesses; true: local memory. */
#define NOTING(X)   \
    X(LDG, false)   \
    X(STG, false)   \
    X(LD, false)    \
    X(ST, false)    \
    X(ATOMG, false) \
    X(ATOM, false)  \
    X(RED, false)   \
    X(LDL, true)    \
    X(STL, true)

#define X(id, local)                                                                             \
    static exec_code noting_##id(struct exec_warp *w, const struct exec_op *op, uint32_t mask) { \
        note(w, op, mask, local);                                                                \
        return exec_op_##id(w, op, mask);                                                        \
    }
NOTING(X)
#undef X

exec_fn exec_warming_access(const struct exec_op *op) {
    switch (op->inst->op) {
#define X(id, local) \
    case MIR_##id: return noting_##id;
        NOTING(X)
#undef X
    default: return NULL;
    }
}
