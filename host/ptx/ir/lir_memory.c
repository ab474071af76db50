/* lir_memory.c - which memory accesses may be reordered. The scheduler and the vectoriser ask;
 * contracts are in lir_analysis.h. Nothing here changes the function.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_analysis.h"

/* @return whether the instruction is a load, store, reduction or atomic. */
bool lir_touches_memory(const struct lir_inst *in) {
    mir_mem m = lir_mem(in);
    return m == MIR_MEM_LOAD || m == MIR_MEM_STORE || m == MIR_MEM_RED || m == MIR_MEM_ATOM;
}

/* @return the access takes part in synchronisation, or its cache operator must reach L2; such
 * accesses keep their program order. */
static bool is_strong(const struct lir_inst *in) {
    mir_mem m = lir_mem(in);
    return in->m.sem != MIR_WEAK || m == MIR_MEM_RED || m == MIR_MEM_ATOM ||
           in->m.cache == MIR_CACHE_CG || in->m.cache == MIR_CACHE_CV ||
           in->m.cache == MIR_CACHE_WT;
}

/* @return whether memory accesses must not pass the instruction: fences, barriers, clock reads,
 * system calls; exchanges between lanes, pauses and terminators. */
bool lir_orders_memory(const struct lir_inst *in) {
    switch (lir_mem(in)) {
    case MIR_MEM_FENCE:
    case MIR_MEM_BARRIER:
    case MIR_MEM_CLOCK:
    case MIR_MEM_SYS: return true;
    default: return lir_traits(in) & (MIR_EXCHANGE | MIR_PAUSE | MIR_TERMINATOR);
    }
}

/* @return the access orders others: none passes it, not even those of other bytes. */
static bool is_ordered(const struct lir_inst *in) {
    return in->m.sem >= MIR_ACQUIRE;
}

/* @return whether two accesses must keep their order. Two strong accesses always do, and one with
 * acquire or release semantics does with any. Others do unless both load, one is of read-only data,
 * their spaces differ, or each lane accesses its own address alone, and they have the same base and
 * their bytes do not overlap. Needs lir_analyze. */
bool lir_may_conflict(const struct lir_fn *fn, const struct lir_inst *a, const struct lir_inst *b) {
    bool loads = lir_mem(a) == MIR_MEM_LOAD && lir_mem(b) == MIR_MEM_LOAD;
    if (is_strong(a) && is_strong(b)) return true; /* program order among strong ones */
    if (is_ordered(a) || is_ordered(b)) return true;
    if (loads) return false;
    if (a->m.cache == MIR_CACHE_NC || b->m.cache == MIR_CACHE_NC) return false;
    if (a->m.space != b->m.space && a->m.space != MIR_SPACE_GENERIC &&
        b->m.space != MIR_SPACE_GENERIC)
        return false;
    if (a->m.space != b->m.space) return true;
    if (a->m.op == MIR_LDSM || b->m.op == MIR_LDSM) return true; /* also reads at other lanes' */
    bool based = a->m.src[0].kind == MIR_SRC_REG && b->m.src[0].kind == MIR_SRC_REG;
    bool absolute = a->m.src[0].kind == MIR_SRC_NONE && b->m.src[0].kind == MIR_SRC_NONE;
    if (!(absolute || (based && a->src[0] == b->src[0]))) return true;
    if (based && a->src[0] && !lir_vreg_info(fn, a->src[0])->single) return true;
    int64_t x = a->m.imm, y = b->m.imm;
    return x < y + b->m.width && y < x + a->m.width;
}
