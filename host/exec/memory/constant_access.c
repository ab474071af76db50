/* constant_access.c - executes loads of constant banks, and prefetches.
 *
 * Functions exec_op_<ID> execute row <ID> of tables/mir_ops.def: the interpreter (run.c) calls them
 * on the thread that runs the warp, for lanes `mask` (at least one). They write d in the lanes of
 * mask; append records and addresses to the warp's trace, if there is one; and return EX_DONE (a
 * prefetch without a trace EX_NEXT), or EX_FAULT with the CTA's fault filled in. */
#include <string.h>

#include "exec/check/fault.h"
#include "exec/memory/access.h"
#include "exec/memory/lane_access.h"
#include "exec/warp/operand_macros.h"

/* Appends a record whose addresses stand in the next free access. */
static void record_access(const struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                          mir_space space) {
    struct exec_trace *t = w->trace;
    t->record[t->num_records++] = (struct exec_record){.pc = exec_pc(w, op),
                                                       .mask = mask,
                                                       .access = t->num_accesses++,
                                                       .inflight = EXEC_NO_INFLIGHT,
                                                       .space = space};
}
/* d = constant bank sub at a + imm. Reads the launch's bank, at once. */
exec_code exec_op_LDC(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    const struct exec_launch *launch = w->cta->launch;
    uint64_t address[MIR_WARP_SIZE];
    if (op->sub >= MIR_NUM_BANKS)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "constant bank of LDC");
    uint32_t size = launch->bank_size[op->sub];
    struct exec_trace *t = w->trace;
    exec_lane_addresses(w, op, mask, address);
    EACH_SET(l, mask) {
        if (address[l] & (op->width - 1u))
            return exec_raise_access(w, op, l, MIR_SPACE_CONST, address[l], HEDDLE_ERR_MISALIGNED,
                                     NULL);
        if (address[l] >= size || size - address[l] < op->width) {
            return exec_raise_access(w, op, l, MIR_SPACE_CONST, address[l],
                                     HEDDLE_ERR_ILLEGAL_ADDRESS, "beyond the constant bank");
        }
    }
    warp_reg r[4];
    load_regs(op, (uintptr_t)launch->bank[op->sub], address, r);
    warp_reg *d = exec_dst(w, op);
    for (unsigned i = 0; i < op->dst_words; i++) reg_put(d + i, &r[i], mask);
    if (t) {
        memcpy(t->access[t->num_accesses].address, address, sizeof address);
        record_access(w, op, mask, MIR_SPACE_CONST);
    }
    return EX_DONE;
}
/* Records the addresses for the timing model. It changes no value and checks no address. */
exec_code exec_op_PREFETCH(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    struct exec_trace *t = w->trace;
    if (!t) return EX_NEXT;
    exec_lane_addresses(w, op, mask, t->access[t->num_accesses].address);
    record_access(w, op, mask, op->space);
    return EX_DONE;
}
