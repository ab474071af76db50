/* program.c - decodes a launch: every instruction becomes an exec_op with the places of its
 * operands (registers or constants spread over the lanes) and its function.
 *
 * The scheduler (scheduler.c, gpu_immediate.c; launch_way.c and kernel.c finish only) and
 * immediate.c call exec_launch_prepare/finish() once a launch, before and after its CTAs, on the
 * thread that begins or ends it. Functions of the decoder fill in d->program, which they own until
 * the launch gets it, and report an error in d->diag.
 *
 * Constant banks do not change while a launch runs, so constant operands are read here, their
 * modifiers applied, and each distinct value gets a warp register that all warps share. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "exec/check/fault.h"
#include "exec/check/global_race.h"
#include "exec/memory/access.h"
#include "exec/ops/slow_path.h"
#include "exec/ops/specialised.h"
#include "exec/warp/operand.h"
#include "exec/warp/special_count.h"

/* The general function of each operation, by mir_op. */
static const exec_fn functions[MIR_OP_COUNT] = {
#define OP(id, ...) exec_op_##id,
#include "tables/mir_ops.def"
#undef OP
};

/* A distinct constant: `words` words, in registers `first` ... of the constants. */
struct const_entry {
    uint32_t words, first, word[4];
};
/* State while a launch is decoded. */
struct decoder {
    const struct exec_launch *launch;
    struct exec_program *program;
    struct heddle_diag *diag;
    struct const_entry *entry;    /* hash table, words == 0: free */
    uint32_t table_size;          /* a power of two */
    uint32_t num_consts, max_reg; /* registers of constants so far; registers used */
};

/* In place of an instruction that reads a constant beyond its bank: raises ILLEGAL_ADDRESS in the
 * CTA's fault when it is executed. */
static exec_code op_bad_const(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    exec_code c = exec_raise(w, op, mask, HEDDLE_ERR_ILLEGAL_ADDRESS,
                             "read beyond the end of a constant bank");
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        if (op->inst->src[i].kind != MIR_SRC_CONST) continue;
        w->cta->fault.address = op->inst->src[i].value;
        w->cta->fault.bytes = 4 * mir_operand_words(op->inst, i);
        w->cta->fault.space = MIR_SPACE_CONST;
    }
    return c;
}

/* In place of the instruction behind the last one: raises HEDDLE_ERR_INTERNAL. */
static exec_code op_ran_off(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return exec_raise(w, op, mask, HEDDLE_ERR_INTERNAL, "execution ran off the end of the code");
}

/* Reports an instruction that the compiler should not have made. @return HEDDLE_ERR_INTERNAL. */
static heddle_err malformed(struct decoder *d, uint32_t pc, const char *what, uint32_t value) {
    const struct mir_function *f = d->launch->function;
    return heddle_fail(d->diag, HEDDLE_ERR_INTERNAL,
                       "kernel %s, instruction %u (%s), PTX line %u: %s %u", f->name, pc,
                       mir_op_name(f->code[pc].op), f->code[pc].ptx_line, what, value);
}

/* @return the byte offset of constant registers that hold the words in all lanes. Adds them if
 * there are none yet. */
static uint32_t const_regs(struct decoder *d, const uint32_t word[4], uint32_t words) {
    if (words == 0) return 0;
    uint32_t h = words;
    for (unsigned i = 0; i < words; i++) h = (h ^ word[i]) * 0x9e3779b1u;
    for (h ^= h >> 15;; h++) {
        struct const_entry *e = &d->entry[h & (d->table_size - 1)];
        if (e->words == 0) {
            e->words = words;
            e->first = d->num_consts;
            memcpy(e->word, word, 4 * words);
            d->num_consts += words;
        } else if (e->words != words || memcmp(e->word, word, 4 * words) != 0) {
            continue;
        }
        return e->first * (uint32_t)sizeof(warp_reg);
    }
}

/* Decodes source i: its registers or constants, and the modifiers left for run time. A constant
 * beyond its bank replaces op->fn by op_bad_const(), so that the fault comes only when it is
 * executed. @return HEDDLE_OK or HEDDLE_ERR_INTERNAL. */
static heddle_err decode_source(struct decoder *d, uint32_t pc, struct exec_op *op, unsigned i) {
    const struct mir_inst *inst = op->inst;
    const struct mir_src *s = &inst->src[i];
    uint32_t word[4] = {0}, words = mir_operand_words(inst, i);
    op->mods_kind[i] = exec_mods_kind(inst, i);
    op->src_words[i] = (uint8_t)words;
    op->src_base[i] = BASE_CONSTS; /* register 0: zeros, also for an absent operand */
    op->src[i] = 0;
    if (s->kind != MIR_SRC_NONE) op->has_src |= 1u << i;
    switch (s->kind) {
    case MIR_SRC_NONE: return HEDDLE_OK;
    case MIR_SRC_REG:
        op->mods[i] = s->mods; /* of RZ too: -0.0, ~0 */
        if (s->reg == MIR_RZ) return HEDDLE_OK;
        if (s->reg + words > MIR_RZ)
            return malformed(d, pc, "operand beyond R254: register", s->reg);
        if (s->reg + words > d->max_reg) d->max_reg = s->reg + words;
        op->src_base[i] = BASE_REGS;
        op->src[i] = s->reg * (uint32_t)sizeof(warp_reg);
        return HEDDLE_OK;
    case MIR_SRC_IMM: exec_immediate_words(inst, i, word); break;
    case MIR_SRC_CONST: {
        if (s->bank >= MIR_NUM_BANKS) return malformed(d, pc, "no such constant bank:", s->bank);
        uint64_t end = (uint64_t)s->value + 4 * words;
        if (end > d->launch->bank_size[s->bank]) {
            op->fn = op_bad_const;
            return HEDDLE_OK;
        }
        memcpy(word, d->launch->bank[s->bank] + s->value, 4 * words);
        break;
    }
    default: return malformed(d, pc, "unknown operand kind", s->kind);
    }
    op->mods[i] = s->mods;
    /* Carries count -x as ~x + 1, so these two apply the modifier themselves. */
    bool carries = (inst->op == MIR_IADD3 || inst->op == MIR_LEA);
    if (s->mods && !carries && words <= 2) {
        exec_modify_words(op->mods_kind[i], s->mods, word);
        op->mods[i] = 0;
    }
    op->src[i] = const_regs(d, word, words);
    return HEDDLE_OK;
}

/* ORDER_* of the memory semantics. */
static uint8_t order_of(const struct mir_inst *inst) {
    switch (inst->sem) {
    case MIR_ACQUIRE: return ORDER_AFTER;
    case MIR_RELEASE: return ORDER_BEFORE;
    case MIR_ACQ_REL:
    case MIR_SC: return ORDER_BEFORE | ORDER_AFTER;
    default: return 0;
    }
}

/* True if CTAs could wait for each other by this instruction, or observe the order in which they
 * run. */
static bool reaches_others(const struct mir_inst *inst) {
    if (inst->space == MIR_SPACE_SHARED || inst->space == MIR_SPACE_LOCAL) return false;
    switch (mir_op_mem(inst->op)) {
    case MIR_MEM_LOAD:
    case MIR_MEM_STORE: return mir_memory_class(inst) != MIR_AHEAD;
    case MIR_MEM_RED:
    case MIR_MEM_ATOM: return true;
    case MIR_MEM_SYS: return inst->sub >= MIR_SYS_MALLOC; /* one heap */
    case MIR_MEM_FENCE: return inst->scope != MIR_SCOPE_CTA;
    default: return false;
    }
}

/* Index of a predicate destination; PT becomes P_SPARE. */
static uint8_t decode_pdst(uint8_t p) {
    return p >= MIR_PT ? P_SPARE : p;
}

/* Decodes instruction pc into d->program->code[pc], checks it, and chooses its function: the one
 * for an unreadable constant, else noting (launch->warming), checked (launch->checks), special or
 * general form. @return HEDDLE_OK, or HEDDLE_ERR_INTERNAL for an instruction that the compiler
 * should not have made. */
static heddle_err decode_one(struct decoder *d, uint32_t pc) {
    const struct mir_function *f = d->launch->function;
    const struct mir_inst *inst = &f->code[pc];
    struct exec_op *op = &d->program->code[pc];
    if (inst->op >= MIR_OP_COUNT)
        return heddle_fail(d->diag, HEDDLE_ERR_INTERNAL,
                           "kernel %s, instruction %u: no such operation %u", f->name, pc,
                           inst->op);
    *op = (struct exec_op){
        .inst = inst,
        .guard = inst->guard & 15,
        .pdst = {decode_pdst(inst->pdst[0]), decode_pdst(inst->pdst[1])},
        .psrc = {inst->psrc[0] & 15, inst->psrc[1] & 15, inst->psrc[2] & 15},
        .type = inst->type,
        .type2 = inst->type2,
        .cmp = inst->cmp,
        .bop = inst->bop,
        .round = inst->round,
        .sub = inst->sub,
        .space = inst->space,
        .width = inst->width,
        .mem = mir_op_mem(inst->op),
        .memory_class = mir_memory_class(inst),
        .wait = inst->wait & 0x3f,
        .wbar = inst->wbar,
        .flags = inst->flags,
        .ptx_count = inst->ptx_count,
        .kind = (uint8_t)mir_inst_kind(inst),
        .imm = inst->imm,
    };
    switch (op->mem) {
    case MIR_MEM_LOAD:
    case MIR_MEM_STORE:
    case MIR_MEM_RED:
    case MIR_MEM_ATOM:
    case MIR_MEM_SYS:
        op->order = order_of(inst);
        if (inst->width != 1 && inst->width != 2 && inst->width != 4 && inst->width != 8 &&
            inst->width != 16)
            return malformed(d, pc, "access of width", inst->width);
        break;
    default: break;
    }
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        heddle_err e = decode_source(d, pc, op, i);
        if (e) return e;
    }
    uint32_t dst_words = mir_dst_words(inst);
    op->dst = UINT32_MAX; /* a spare register, known when all registers are */
    if (inst->dst != MIR_RZ && dst_words) {
        if (inst->dst + dst_words > MIR_RZ)
            return malformed(d, pc, "result beyond R254: register", inst->dst);
        if (inst->dst + dst_words > d->max_reg) d->max_reg = inst->dst + dst_words;
        op->dst = inst->dst * (uint32_t)sizeof(warp_reg);
        op->dst_words = (uint8_t)dst_words;
    }
    unsigned traits = mir_op_traits(inst->op);
    if (traits & MIR_TARGET && (uint32_t)inst->imm > f->num_inst)
        return malformed(d, pc, "branch to instruction", (uint32_t)inst->imm);
    if (traits & MIR_BARRIER_SUB) {
        if (inst->sub >= MIR_NUM_CONVERGENCE)
            return malformed(d, pc, "no such convergence barrier:", inst->sub);
        if (inst->sub + 1u > d->program->num_convergence)
            d->program->num_convergence = inst->sub + 1u;
    }
    bool notes = d->launch->warming && d->launch->immediate &&
                 !(d->launch->checks & EXEC_CHECK_ACCESSES);
    if (!op->fn && notes) op->fn = exec_warming_access(op);
    if (!op->fn && d->launch->checks & EXEC_CHECK_ACCESSES) op->fn = exec_checked_access(op);
    if (!op->fn) op->fn = exec_special_int(op);
    if (!op->fn) op->fn = exec_special_float(op);
    if (!op->fn) op->fn = exec_special_double(op);
    if (!op->fn) op->fn = functions[inst->op];
    return HEDDLE_OK;
}

/* Allocates p->consts and fills it from the decoder's table, zeros first. @return HEDDLE_OK or
 * HEDDLE_ERR_NOMEM. */
static heddle_err make_constants(struct decoder *d) {
    struct exec_program *p = d->program;
    p->consts = aligned_alloc(64, d->num_consts * sizeof(warp_reg));
    if (!p->consts) return HEDDLE_ERR_NOMEM;
    memset(p->consts, 0, SPARE_REGS * sizeof(warp_reg));
    for (uint32_t i = 0; i < d->table_size; i++) {
        const struct const_entry *e = &d->entry[i];
        for (uint32_t j = 0; j < e->words; j++)
            EACH_CHUNK(k) p->consts[e->first + j].v[k] = v_all(e->word[j]);
    }
    return HEDDLE_OK;
}

/* Allocates p->tid and fills in the thread indices of all warps of a CTA. @return HEDDLE_OK or
 * HEDDLE_ERR_NOMEM. */
static heddle_err make_thread_indices(const struct exec_launch *launch, struct exec_program *p) {
    p->tid = aligned_alloc(64, (size_t)p->num_warps * 3 * sizeof(warp_reg));
    if (!p->tid) return HEDDLE_ERR_NOMEM;
    for (uint32_t w = 0; w < p->num_warps; w++) {
        warp_reg *tid = &p->tid[(size_t)w * 3];
        EACH_LANE(l) {
            uint32_t t = w * MIR_WARP_SIZE + l;
            tid[0].u[l] = t % launch->block[0];
            tid[1].u[l] = t / launch->block[0] % launch->block[1];
            tid[2].u[l] = t / launch->block[0] / launch->block[1];
        }
    }
    return HEDDLE_OK;
}

/* Decodes all instructions, and what is known only then: spare registers for results to RZ,
 * constants, whether CTAs are independent. Allocates p->code, p->consts, p->slow if needed, and
 * d->entry, which the caller frees. @return HEDDLE_OK, HEDDLE_ERR_INTERNAL, HEDDLE_ERR_NOMEM. */
static heddle_err decode(struct decoder *d) {
    const struct mir_function *f = d->launch->function;
    struct exec_program *p = d->program;
    d->num_consts = SPARE_REGS;
    for (d->table_size = 16; d->table_size < 6 * (f->num_inst + 1);) d->table_size *= 2;
    d->entry = calloc(d->table_size, sizeof *d->entry);
    p->code = aligned_alloc(64, ((f->num_inst + 1) * sizeof *p->code + 63) & ~(size_t)63);
    if (!d->entry || !p->code) return HEDDLE_ERR_NOMEM;
    p->num_inst = p->exit_pc = f->num_inst; /* the compiler leaves an EXIT in all code */
    p->independent = true;
    for (uint32_t pc = 0; pc < f->num_inst; pc++) {
        heddle_err e = decode_one(d, pc);
        if (e) return e;
        if (reaches_others(&f->code[pc])) p->independent = false;
        if (f->code[pc].op == MIR_EXIT) p->exit_pc = pc;
        if (!p->slow && mir_slow_of(&f->code[pc]) != MIR_SLOW_COUNT) {
            p->slow = exec_slow_create();
        }
    }
    struct exec_op *end = &p->code[f->num_inst];
    *end = (struct exec_op){.fn = op_ran_off, .guard = MIR_PT};
    p->num_regs = f->num_regs > d->max_reg ? f->num_regs : d->max_reg;
    for (uint32_t pc = 0; pc < f->num_inst; pc++)
        if (p->code[pc].dst == UINT32_MAX)
            p->code[pc].dst = p->num_regs * (uint32_t)sizeof(warp_reg);
    exec_special_prepare(p, d->launch);
    return make_constants(d);
}

/* Checks the launch's fields and its block and grid. @return HEDDLE_OK; HEDDLE_ERR_ARGUMENT: no
 * function or memory, prepared already, or memory not initialised; HEDDLE_ERR_LAUNCH: an empty or
 * too large block, or an empty grid. */
static heddle_err check_launch(const struct exec_launch *l, struct heddle_diag *diag) {
    const uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (!l->function || !l->memory || l->program)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                           "launch without function or memory, or "
                           "prepared twice");
    if (threads == 0 || threads > EXEC_MAX_WARPS * MIR_WARP_SIZE)
        return heddle_fail(diag, HEDDLE_ERR_LAUNCH, "kernel %s: block of %u x %u x %u threads",
                           l->function->name, l->block[0], l->block[1], l->block[2]);
    if (!l->grid[0] || !l->grid[1] || !l->grid[2])
        return heddle_fail(diag, HEDDLE_ERR_LAUNCH, "kernel %s: grid of %u x %u x %u CTAs",
                           l->function->name, l->grid[0], l->grid[1], l->grid[2]);
    if (!l->immediate && !l->memory->touched)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "memory not made by exec_memory_init");
    return HEDDLE_OK;
}

/* Frees a program, complete or not. */
static void program_free(struct exec_program *p) {
    exec_race_free(p->race);
    free(p->slow);
    free(p->tagged);
    free(p->code);
    free(p->consts);
    free(p->tid);
    free(p);
}

/* Decodes and checks the launch's function and sets launch->program, with the race check of
 * EXEC_CHECK_GLOBAL. A timed launch is counted in on its memory (exec_memory_begin()). @return
 * HEDDLE_OK; HEDDLE_ERR_ARGUMENT, _LAUNCH (check_launch(); too many CTAs for the race check),
 * _INTERNAL or _NOMEM, with text in diag, everything freed and launch->program unchanged. */
heddle_err exec_launch_prepare(struct exec_launch *launch, struct heddle_diag *diag) {
    heddle_err e = check_launch(launch, diag);
    if (e) return e;
    struct exec_program *p = heddle_alloc(sizeof *p, "decoded code");
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    p->num_threads = threads;
    p->num_warps = (threads + MIR_WARP_SIZE - 1) / MIR_WARP_SIZE;
    p->num_ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    struct decoder d = {.launch = launch, .program = p, .diag = diag};
    e = make_thread_indices(launch, p);
    if (!e) e = decode(&d);
    if (!e && launch->checks & EXEC_CHECK_GLOBAL) e = exec_race_create(&p->race, launch, diag);
    free(d.entry);
    if (e) {
        program_free(p);
        return e == HEDDLE_ERR_NOMEM ? heddle_fail(diag, e, "no memory for decoded code") : e;
    }
    launch->program = p;
    if (!launch->immediate) exec_memory_begin(launch->memory);
    return HEDDLE_OK;
}

/* Frees launch->program and sets it to NULL; a timed launch is counted out on the memory. Its CTAs
 * have been released. Does nothing if the launch is not prepared. */
void exec_launch_finish(struct exec_launch *launch) {
    if (!launch->program) return;
    program_free(launch->program);
    launch->program = NULL;
    if (!launch->immediate) exec_memory_end(launch->memory);
}
