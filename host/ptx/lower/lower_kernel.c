/* lower_kernel.c - the top of the lowering: one kernel from syntax tree to LIR.
 *
 * Part of the PTX compiler, in the `heddle` process: ptx_compile.c calls lower_kernel() for each
 * kernel, on the thread that calls ptx_compile(). It creates the function and the outermost
 * scope, binds the parameters, lowers the body and its subroutines, and reports a kernel whose
 * shared memory is too large. */
#include "ptx/lower/lower.h"

/* Binds the parameters in lo->scope at their offsets in constant bank 0 and sets
 * lo->param_bytes. Reports parameters that do not fit. Emits no code. */
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

/* Puts an instruction before `first`; NULL: at the end of the empty block. */
static void put(struct lir_block *entry, struct lir_inst *first, struct lir_inst *in) {
    if (first)
        lir_insert_before(first, in);
    else
        lir_append(entry, in);
}

/* Inserts, at the head of the entry block, the copy of the parameters to local memory at
 * lo->param_copy_at. The entry block may be empty. */
static void copy_params(struct lower *lo) {
    struct lir_block *entry = lo->fn->blocks[0];
    struct lir_inst *first = entry->first;
    for (uint32_t at = 0; at < lo->param_bytes; at += 4) {
        lir_vreg w = tmp(lo);
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
        put(entry, first, mov);
        put(entry, first, store);
    }
}

/* Lowers one kernel into a new function of LIR; all memory comes from `arena`. @return NULL:
 * lm->err and lm->diag are set. */
struct lower *lower_kernel(struct lower_module *lm, const struct ptx_func *kernel,
                           struct arena *arena) {
    struct lower *lo = ARENA_NEW(arena, struct lower);
    struct lower_frame frame = {.func = kernel};
    lo->lm = lm;
    lo->arena = arena;
    lo->words = lm->words;
    lo->kernel = kernel;
    lo->frame = &frame;
    lo->fn = lir_fn_create(arena, ptx_words_text(lm->words, kernel->name));
    lo->carry = LIR_NOT_PT;
    lo->statements = lower_statements;
    scope_push(lo, true);
    lower_start_block(lo, lir_block_create(lo->fn));
    lo->entry = lo->cur;
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
    if (!lo->failed && lo->static_shared > 48 << 10)
        lower_error(lo,
                    "the kernel declares %llu bytes of shared memory; more than 48 KiB are to be "
                    "asked for at the launch",
                    (unsigned long long)lo->static_shared);
    lo->frame = NULL;
    return lo->failed ? NULL : lo;
}
