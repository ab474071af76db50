/* lower.c - one kernel from syntax tree to LIR: dispatch, emission, messages. */
#include "ptx/lower/lower_mods.h"
#include "ptx/lower/lower_packed.h"
#include "ptx/lower/ptx_lower.h"
#include "ptx/parse/ptx_message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- messages ------------------------------------------------------------------------------- */

static void fail(struct lower *lo, const char *why) {
    struct lower_module *lm = lo->lm;
    if (lo->failed) return;
    lo->failed = true;
    uint32_t begin = lo->inst ? lo->inst->begin : 0, end = lo->inst ? lo->inst->end : 0;
    if (!lo->inst) {
        lower_module_error(lm, lo->stmt ? lo->stmt->line : lo->kernel->line, "kernel '%s': %s",
                           ptx_words_text(lo->words, lo->kernel->name), why);
        return;
    }
    lm->err = ptx_fail_at(lm->diag, HEDDLE_ERR_PTX_UNSUPPORTED, lm->name, lm->ast->text,
                          lm->ast->len, begin, end, "kernel '%s': %s",
                          ptx_words_text(lo->words, lo->kernel->name), why);
}

void lower_error(struct lower *lo, const char *format, ...) {
    char why[500];
    va_list ap;
    va_start(ap, format);
    vsnprintf(why, sizeof why, format, ap);
    va_end(ap);
    fail(lo, why);
}

/* The opcode with its modifiers, as written. */
static void instruction_name(const struct lower *lo, char *out, size_t size) {
    size_t n = (size_t)snprintf(out, size, "%s", ptx_words_text(lo->words, lo->inst->op));
    for (uint32_t i = 0; i < lo->inst->n_mod && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, ".%s",
                              ptx_words_text(lo->words, lo->inst->mod[i]));
}

void lower_unsupported(struct lower *lo, const char *format, ...) {
    char name[160], detail[300];
    va_list ap;
    if (!lo->inst) {
        va_start(ap, format);
        vsnprintf(detail, sizeof detail, format, ap);
        va_end(ap);
        lower_error(lo, "not supported: %s", detail);
        return;
    }
    instruction_name(lo, name, sizeof name);
    va_start(ap, format);
    vsnprintf(detail, sizeof detail, format, ap);
    va_end(ap);
    lower_error(lo, "PTX instruction '%s' is not supported%s%s", name, detail[0] ? ": " : "",
                detail);
}

/* ---- emission ------------------------------------------------------------------------------- */

static void append_block(struct lower *lo, struct lir_block *b) {
    lir_block_append(lo->fn, b);
    lo->cur = b;
}

/* What follows a branch is a block of its own; pending counts belong to it. */
static void leave_ended_block(struct lower *lo) {
    if (lo->cur->last && lir_is_terminator(lo->cur->last))
        append_block(lo, lir_block_create(lo->fn));
}

struct lir_inst *emit(struct lower *lo, unsigned op) {
    leave_ended_block(lo);
    struct lir_inst *in = lir_inst_create(lo->fn, op);
    in->m.ptx_line = lo->stmt ? lo->stmt->line : 0;
    in->m.loc = lo->loc;
    in->m.ptx_count = (uint16_t)lo->pending;
    lo->pending = 0;
    lir_append(lo->cur, in);
    return in;
}

struct lir_inst *emit3(struct lower *lo, unsigned op, lir_word d, struct lir_src a,
                       struct lir_src b, struct lir_src c) {
    struct lir_inst *in = emit(lo, op);
    if (d) {
        in->dst = d;
        in->m.dst = 0;
    }
    lir_set_src(in, 0, a);
    lir_set_src(in, 1, b);
    lir_set_src(in, 2, c);
    return in;
}

struct lir_inst *emit2(struct lower *lo, unsigned op, lir_word d, struct lir_src a,
                       struct lir_src b) {
    return emit3(lo, op, d, a, b, NO_SRC);
}

struct lir_inst *emit1(struct lower *lo, unsigned op, lir_word d, struct lir_src a) {
    const struct lir_src none = NO_SRC;
    return emit3(lo, op, d, a, none, none);
}

void lower_flush_count(struct lower *lo) {
    if (!lo->pending) return;
    leave_ended_block(lo);
    struct lir_block *b = lo->cur;
    if (b->last) {
        b->last->m.ptx_count = (uint16_t)(b->last->m.ptx_count + lo->pending);
    } else {
        b->lost_count += lo->pending;
        b->lost_line = lo->stmt ? lo->stmt->line : 0;
        b->lost_loc = lo->loc;
    }
    lo->pending = 0;
}

void lower_start_block(struct lower *lo, struct lir_block *b) {
    lower_flush_count(lo);
    append_block(lo, b);
}

/* ---- dispatch ------------------------------------------------------------------------------- */

static lower_handler *find_handler(ptx_word op, uint32_t *allowed) {
    switch (op) {
#define OP(word, handler, mods) \
    case PTX_W_##word:          \
        *allowed = (mods);      \
        return handler;
#include "ptx/lower/ptx_ops.def"
#undef OP
    default: return NULL;
    }
}

void lower_instruction(struct lower *lo, const struct ptx_stmt *s) {
    uint32_t allowed = 0;
    lo->inst = &s->inst;
    lo->pending++;
    lower_handler *handler = find_handler(s->inst.op, &allowed);
    mods_decode(&lo->mods, &s->inst);
    if (!handler || (lo->mods.seen & ~allowed)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    /* scopes and eviction hints have no meaning of their own without semantics */
    lo->guard = LIR_PT;
    if (s->inst.guarded) {
        struct lower_symbol *p = lower_lookup(lo, s->inst.guard);
        if (!p || p->kind != SYM_PRED) {
            lower_error(lo, "the guard '%s' is no declared predicate; declare it with .reg .pred",
                        ptx_words_text(lo->words, s->inst.guard));
            return;
        }
        lo->guard = lir_p(p->pred) ^ s->inst.guard_inverted;
    }
    bool packed = lo->mods.n_ty && lo->mods.ty[0].packed && !ty_is_float(lo->mods.ty[0]);
    if (!packed)
        handler(lo);
    else if (s->inst.op == PTX_W_add || s->inst.op == PTX_W_min || s->inst.op == PTX_W_max)
        lower_packed_int(lo);
    else
        lower_unsupported(lo, "%s", "");
    lo->guard = LIR_PT;
    lo->inst = NULL;
}

/* ---- kernels -------------------------------------------------------------------------------- */

static void bind_kernel_params(struct lower *lo, const struct ptx_func *f) {
    uint32_t at = 0;
    for (const struct ptx_var *v = f->params; v; v = v->next) {
        uint32_t align = var_align(v);
        uint64_t bytes = var_bytes(v);
        struct lower_symbol *s = ARENA_NEW(lo->arena, struct lower_symbol);
        s->kind = SYM_KPARAM;
        s->space = PTX_SPACE_PARAM;
        s->ty = ty_of_word(v->type);
        s->elem_bytes = s->ty.bits / 8u;
        s->size = bytes;
        at = (at + align - 1) & ~(align - 1);
        s->offset = MIR_C0_PARAMS + at;
        if (bytes == 0 || at + bytes > MIR_C0_SIZE - MIR_C0_PARAMS) {
            lower_error(lo,
                        "the parameters exceed %d bytes with '%s', or it has no size; pass a "
                        "pointer",
                        MIR_C0_SIZE - MIR_C0_PARAMS, ptx_words_text(lo->words, v->name));
            return;
        }
        at += (uint32_t)bytes;
        lo->param_bytes = at;
        scope_bind(lo, lo->scope, v->name, s);
    }
}

/* At the head of the kernel, word by word. */
static void copy_params(struct lower *lo) {
    struct lir_block *entry = lo->fn->blocks[0];
    struct lir_inst *first = entry->first;
    for (uint32_t at = 0; first && at < lo->param_bytes; at += 4) {
        lir_word w = tmp(lo);
        struct lir_inst *mov = lir_inst_create(lo->fn, MIR_MOV);
        mov->dst = w;
        mov->m.dst = 0;
        lir_set_src(mov, 0, lir_const(MIR_BANK_LAUNCH, MIR_C0_PARAMS + at));
        struct lir_inst *store = lir_inst_create(lo->fn, MIR_STL);
        store->m.space = MIR_SPACE_LOCAL;
        store->m.cache = MIR_CACHE_WB;
        store->m.width = 4;
        store->m.type = MIR_U32;
        store->m.imm = (int32_t)(lo->param_copy_at + at);
        lir_set_src(store, 1, lir_reg(w));
        lir_insert_before(first, mov);
        lir_insert_before(first, store);
    }
}

struct lower *lower_kernel(struct lower_module *lm, const struct ptx_func *kernel) {
    struct lower *lo = ARENA_NEW(lm->arena, struct lower);
    struct lower_frame frame = {.func = kernel};
    lo->lm = lm;
    lo->arena = lm->arena;
    lo->words = lm->words;
    lo->kernel = kernel;
    lo->frame = &frame;
    lo->fn = lir_fn_create(lm->arena, ptx_words_text(lm->words, kernel->name));
    lo->carry = LIR_NOT_PT;
    scope_push(lo, true);
    lower_start_block(lo, lir_block_create(lo->fn));
    lower_kernel_shared(lo, kernel);
    lower_begin_stack(lo);
    bind_kernel_params(lo, kernel);
    lower_statements(lo, kernel->body);
    scope_pop(lo);
    if (!lo->failed &&
        !(lo->cur->last && lir_is_terminator(lo->cur->last) && lo->cur->last->guard == LIR_PT))
        emit(lo, MIR_EXIT); /* falling off the end returns */
    if (!lo->failed) lower_subroutines(lo);
    lower_flush_count(lo);
    if (lo->param_copy && !lo->failed) copy_params(lo);
    lo->fn->shared_bytes = (uint32_t)lo->static_shared;
    if (!lo->failed && lo->static_shared > 228 << 10)
        lower_error(lo, "the kernel uses %llu bytes of shared memory; no GPU has more than 228 KiB",
                    (unsigned long long)lo->static_shared);
    lo->frame = NULL;
    return lo->failed ? NULL : lo;
}
