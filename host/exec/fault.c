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

void exec_fault_other(struct exec_cta *cta, bool write, uint32_t thread, uint32_t pc) {
    struct exec_fault *f = &cta->fault;
    const uint32_t *block = cta->launch->block;
    f->other = cta->program->code[pc].inst;
    f->other_pc = pc;
    f->other_write = write;
    f->other_thread[0] = thread % block[0];
    f->other_thread[1] = thread / block[0] % block[1];
    f->other_thread[2] = thread / block[0] / block[1];
}

/* ", instruction 4 (STG), PTX line 13, file.cu:7" */
static void place_text(char *out, size_t size, const struct exec_launch *launch,
                       const struct mir_inst *inst, uint32_t pc) {
    int n = snprintf(out, size, ", instruction %u (%s), PTX line %u", pc, mir_op_name(inst->op),
                     inst->ptx_line);
    const struct mir_module *m = launch->module;
    uint32_t file = inst->loc >> 20;
    if (inst->loc && m && file < m->num_files && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ", %s:%u", m->files[file], inst->loc & 0xfffff);
}

static const char *other_name(const struct exec_fault *f) {
    if (f->err == HEDDLE_ERR_BARRIER) return "one is";
    return f->other_write ? "access, a write, is by" : "access, a read, is by";
}

int exec_fault_text(char *out, size_t size, const struct exec_launch *launch,
                    const struct exec_fault *f) {
    static const char *const space[] = {"generic", "global", "shared", "local", "constant"};
    const struct mir_inst *inst = f->inst;
    char access[96] = "", where[288] = "", other[400] = "";
    if (f->bytes)
        snprintf(access, sizeof access, ": %s of %u bytes at %s address 0x%llx",
                 f->write ? "write" : "read", f->bytes, space[f->space],
                 (unsigned long long)f->address);
    if (inst) place_text(where, sizeof where, launch, inst, f->pc);
    if (f->other) {
        int n = snprintf(other, sizeof other, "; the other %s thread (%u,%u,%u)", other_name(f),
                         f->other_thread[0], f->other_thread[1], f->other_thread[2]);
        place_text(other + n, sizeof other - (size_t)n, launch, f->other, f->other_pc);
    }
    return snprintf(out, size, "%s%s%s%s in kernel %s, CTA (%u,%u,%u), thread (%u,%u,%u)%s%s",
                    heddle_err_text(f->err), f->reason ? ": " : "", f->reason ? f->reason : "",
                    access, launch->name ? launch->name : launch->function->name, f->cta[0],
                    f->cta[1], f->cta[2], f->thread[0], f->thread[1], f->thread[2], where, other);
}
