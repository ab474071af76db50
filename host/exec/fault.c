/* fault.c - faults: what happened where, and as text. */
#include <stdio.h>

#include "exec/exec_internal.h"

exec_code exec_raise(struct exec_warp *w, const struct exec_op *op, uint32_t lanes, heddle_err err,
                     const char *reason) {
    struct exec_cta *cta = w->cta;
    struct exec_fault *f = &cta->fault;
    const uint32_t *block = cta->launch->block;
    uint32_t lane = lanes ? (uint32_t)__builtin_ctz(lanes) : 0;
    uint32_t thread = w->index * MIR_WARP_SIZE + lane;
    *f = (struct exec_fault){
        .err = err,
        .inst = op->inst,
        .pc = exec_pc(w, op),
        .reason = reason,
        .cta = {cta->id[0], cta->id[1], cta->id[2]},
        .thread = {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]},
    };
    w->status = EXEC_FAULT;
    return EX_FAULT;
}

int exec_fault_text(char *out, size_t size, const struct exec_launch *launch,
                    const struct exec_fault *f) {
    static const char *const space[] = {"generic", "global", "shared", "local", "constant"};
    const struct mir_inst *inst = f->inst;
    char access[96] = "", where[224] = "";
    if (f->bytes)
        snprintf(access, sizeof access, ": %s of %u bytes at %s address 0x%llx",
                 f->write ? "write" : "read", f->bytes, space[f->space],
                 (unsigned long long)f->address);
    if (inst) {
        int n = snprintf(where, sizeof where, ", instruction %u (%s), PTX line %u", f->pc,
                         mir_op_name(inst->op), inst->ptx_line);
        const struct mir_module *m = launch->module;
        uint32_t file = inst->loc >> 20;
        if (inst->loc && m && file < m->num_files && n > 0 && (size_t)n < sizeof where)
            snprintf(where + n, sizeof where - (size_t)n, ", %s:%u", m->files[file],
                     inst->loc & 0xfffff);
    }
    return snprintf(out, size, "%s%s%s%s in kernel %s, CTA (%u,%u,%u), thread (%u,%u,%u)%s",
                    heddle_err_text(f->err), f->reason ? ": " : "", f->reason ? f->reason : "",
                    access, launch->function->name, f->cta[0], f->cta[1], f->cta[2], f->thread[0],
                    f->thread[1], f->thread[2], where);
}
