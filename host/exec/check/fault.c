/* fault.c - faults: raises them on the warp's thread (fault.h), and writes faults and the state of
 * warps as text for messages (exec.h). The functions for text only read. */
#include <stdio.h>
#include <string.h>

#include "exec/check/fault.h"
#include "exec/warp/exec_state.h"

/* Fills in the CTA's fault (error, instruction, place, thread) for the first of `lanes`, lane 0 if
 * none, over any earlier fault, and sets the warp's status to EXEC_FAULT. `reason`: static text or
 * NULL. The caller may add address, access and detail to w->cta->fault. @return EX_FAULT. */
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

/* exec_raise() for lane `lane`, with its access: op->width bytes at `address` of `space`. @return
 * EX_FAULT. */
exec_code exec_raise_access(struct exec_warp *w, const struct exec_op *op, unsigned lane,
                            uint8_t space, uint64_t address, heddle_err err, const char *reason) {
    exec_raise(w, op, UINT32_C(1) << lane, err, reason);
    struct exec_fault *f = &w->cta->fault;
    f->address = address;
    f->bytes = op->width;
    f->space = space;
    f->write = op->mem == MIR_MEM_STORE || op->mem == MIR_MEM_RED || op->mem == MIR_MEM_ATOM;
    return EX_FAULT;
}

/* Adds the other side of a race or barrier to the CTA's fault: `thread`, by its number in a CTA,
 * and the instruction at pc. `write`: it wrote. */
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

/* Writes the place of an instruction, ", instruction 4 (STG), PTX line 13, file.cu:7", cut at the
 * buffer's end. The source line stands there only if PTX names it and launch->module is set. */
static void place_text(char *out, size_t size, const struct exec_launch *launch,
                       const struct mir_inst *inst, uint32_t pc) {
    int n = snprintf(out, size, ", instruction %u (%s), PTX line %u", pc, mir_op_name(inst->op),
                     inst->ptx_line);
    const struct mir_module *m = launch->module;
    uint32_t file = inst->loc >> 20;
    if (inst->loc && m && file < m->num_files && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ", %s:%u", m->files[file], inst->loc & 0xfffff);
}

/* The words of the message for the other access or barrier. */
static const char *other_name(const struct exec_fault *f) {
    if (f->err == HEDDLE_ERR_BARRIER) return "one is";
    return f->other_write ? "access, a write, is by" : "access, a read, is by";
}

/* Writes a fault as one line of text for the user to `out`, cut at `size`: error, detail, access,
 * kernel, CTA, thread, place, the other side of a race. @return characters needed, as
 * snprintf(). */
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
        char cta[48] = "";
        if (f->other_in_cta)
            snprintf(cta, sizeof cta, "CTA (%u,%u,%u), ", f->other_cta[0], f->other_cta[1],
                     f->other_cta[2]);
        int n = snprintf(other, sizeof other, "; the other %s %sthread (%u,%u,%u)", other_name(f),
                         cta, f->other_thread[0], f->other_thread[1], f->other_thread[2]);
        place_text(other + n, sizeof other - (size_t)n, launch, f->other, f->other_pc);
    }
    return snprintf(out, size, "%s%s%s%s%s%s in kernel %s, CTA (%u,%u,%u), thread (%u,%u,%u)%s%s",
                    heddle_err_text(f->err), f->reason ? ": " : "", f->reason ? f->reason : "",
                    *f->detail ? ": " : "", f->detail, access,
                    launch->name ? launch->name : launch->function->name, f->cta[0], f->cta[1],
                    f->cta[2], f->thread[0], f->thread[1], f->thread[2], where, other);
}

/* @return the index of the instruction at which the warp stands; *lane: a lane that is there. */
static uint32_t waiting_at(const struct exec_warp *w, uint32_t *lane) {
    if (w->status != EXEC_WAIT_BARRIER) {
        *lane = w->active ? (uint32_t)__builtin_ctz(w->active) : 0;
        return w->pc;
    }
    *lane = (uint32_t)__builtin_ctz(w->at_bar);
    return w->bar_whole ? w->bar_pc : w->lane_pc[*lane];
}

/* Writes a phrase about the warp to `out`, cut at `size`: CTA, warp, what it waits for, the
 * instruction at which it stands. @return characters needed, as snprintf(). */
int exec_warp_describe(char *out, size_t size, const struct exec_warp *w) {
    static const char *const what[] = {
        [EXEC_RAN] = "could run",
        [EXEC_WAIT_INFLIGHT] = "waits for the result of a memory operation",
        [EXEC_WAIT_DRAIN] = "waits for its stores",
        [EXEC_WAIT_BARRIER] = "waits at CTA barrier",
        [EXEC_EXITED] = "has run to its end",
        [EXEC_FAULT] = "has a fault",
    };
    const struct exec_cta *c = w->cta;
    uint32_t lane, pc = waiting_at(w, &lane);
    char where[288] = "", arrived[64] = "";
    if (pc < c->program->num_inst)
        place_text(where, sizeof where, c->launch, c->program->code[pc].inst, pc);
    if (w->status == EXEC_WAIT_BARRIER) {
        const struct exec_barrier *b = &c->barrier[w->bar_id];
        snprintf(arrived, sizeof arrived, " %u, where %u of %u warps have arrived", w->bar_id,
                 b->arrived, b->expected ? b->expected : c->live_warps);
    }
    return snprintf(out, size, "CTA (%u,%u,%u), warp %u %s%s%s", c->id[0], c->id[1], c->id[2],
                    w->index, what[w->status], arrived, where);
}

void exec_warp_look_at(const struct exec_warp *w, struct exec_warp_view *out) {
    *out = (struct exec_warp_view){.index = w->index,
                                   .live = w->live,
                                   .active = w->active,
                                   .status = w->status,
                                   .executed = w->executed};
    memcpy(out->cta, w->cta->id, sizeof out->cta);
}
