/* stray_access.c - accesses to the padding between allocations, which hardware performs, and reads
 * of unwritten global memory; see stray_access.h. access.c calls it on the thread of the warp; the
 * first function in launches with a list of findings. */
#include "exec/memory/stray_access.h"

#include "exec/check/fault.h"

void exec_stray_access(struct exec_warp *w, const struct exec_op *op, const struct exec_part *part,
                       uint64_t *own, uint64_t *all) {
    const struct exec_memory *m = w->cta->launch->memory;
    exec_status before = w->status;
    EACH_SET(l, part->stray) {
        exec_raise_access(w, op, l, part->space, own[l], HEDDLE_ERR_ILLEGAL_ADDRESS, NULL);
        exec_found(w, before);
    }
    EACH_LANE(l) { /* also lanes outside the mask, which repeat one inside */
        uint64_t at = exec_memory_padding(m, own[l]);
        if (at == own[l] || !at) continue; /* not in front of a device */
        own[l] = at;
        if (part->mask >> l & 1 || own == all) all[l] = own[l];
    }
}

exec_code exec_unwritten_access(struct exec_warp *w, const struct exec_op *op,
                                const struct exec_part *part, const uint64_t *address) {
    struct exec_memory *m = w->cta->launch->memory;
    bool reads = op->mem != MIR_MEM_STORE, writes = op->mem != MIR_MEM_LOAD;
    exec_status before = w->status;
    EACH_SET(l, part->mask & ~part->stray) {
        if (reads && !exec_memory_written(m, address[l], op->width)) {
            exec_raise_access(w, op, l, part->space, address[l], HEDDLE_ERR_UNWRITTEN, NULL);
            w->cta->fault.write = false;
            if (exec_found(w, before) != EX_NEXT) return EX_FAULT;
        }
        if (writes) exec_memory_write(m, address[l], op->width);
    }
    return EX_NEXT;
}
