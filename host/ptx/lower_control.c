/* lower_control.c - branches, calls (their bodies in place), returns, the end of threads. */
#include "ptx/lower_mods.h"
#include "ptx/ptx_lower.h"

static const struct ptx_operand *opd(const struct lower *lo, unsigned i) {
    return lo->inst->opd[i];
}
static const struct ty u32 = {TY_U, 32, false};

static struct lir_inst *branch_to(struct lower *lo, struct lir_block *target, lir_pref guard) {
    struct lir_inst *in = emit(lo, MIR_BRA);
    in->targets = ARENA_ARRAY(lo->arena, struct lir_block *, 1);
    in->targets[0] = target;
    in->n_targets = 1;
    in->guard = guard;
    return in;
}

static struct lir_block *label(struct lower *lo, ptx_word w) {
    struct lower_symbol *s = lo->lm->binding[w];
    if (s && s->kind == SYM_LABEL) return s->block;
    lower_error(lo, "label '%s' does not stand in this function", ptx_words_text(lo->words, w));
    return NULL;
}

void lower_bra(struct lower *lo) {
    if (!operands(lo, 1, 1)) return;
    if (opd(lo, 0)->kind != PTX_OPD_NAME) {
        lower_error(lo, "a branch wants a label");
        return;
    }
    struct lir_block *target = label(lo, opd(lo, 0)->name);
    if (target) branch_to(lo, target, lo->guard);
}

/* brx.idx i, list: a chain of comparisons; an index outside the list is undefined in PTX, and takes
 * the last way here. */
void lower_brx(struct lower *lo) {
    if (!operands(lo, 2, 2)) return;
    struct lower_symbol *s = opd(lo, 1)->kind == PTX_OPD_NAME ? lo->lm->binding[opd(lo, 1)->name]
                                                              : NULL;
    if (lo->mods.n_extra != 1 || lo->mods.extra[0] != PTX_W_idx || !s || s->kind != SYM_TARGETS ||
        s->stmt->kind != PTX_STMT_BRANCHTARGETS || s->stmt->targets.n == 0) {
        lower_unsupported(lo, "brx.idx wants an index and the name of a .branchtargets list");
        return;
    }
    struct value i = value_of_word(src1(lo, opd(lo, 0), u32));
    struct lir_block *after = NULL;
    if (lo->guard != LIR_PT) {
        after = lir_block_create(lo->fn);
        branch_to(lo, after, lir_pnot(lo->guard));
    }
    for (uint32_t k = 0; k < s->stmt->targets.n && !lo->failed; k++) {
        struct lir_block *target = label(lo, s->stmt->targets.name[k]);
        lir_pref p = LIR_PT;
        if (!target) return;
        if (k + 1 < s->stmt->targets.n) {
            struct value number = value_of_word(lir_imm(k));
            p = lir_p(compare_int(lo, MIR_CMP_EQ, false, &i, &number));
        }
        branch_to(lo, target, p);
    }
    if (after) lower_start_block(lo, after);
}

void lower_exit(struct lower *lo) {
    if (operands(lo, 0, 0)) emit(lo, MIR_EXIT)->guard = lo->guard;
}

void lower_ret(struct lower *lo) {
    if (!operands(lo, 0, 0)) return;
    if (lo->frame->ret)
        branch_to(lo, lo->frame->ret, lo->guard);
    else
        emit(lo, MIR_EXIT)->guard = lo->guard;
}

void lower_trap(struct lower *lo) {
    if (operands(lo, 0, 0)) emit(lo, MIR_TRAP)->guard = lo->guard;
}

void lower_nanosleep(struct lower *lo) {
    if (!operands(lo, 1, 1)) return;
    emit1(lo, MIR_NANOSLEEP, 0, src1(lo, opd(lo, 0), u32))->guard = lo->guard;
}

/* Triggers a hardware counter that nobody reads here. */
void lower_pmevent(struct lower *lo) {
    if (operands(lo, 1, 1)) emit(lo, MIR_NOP)->guard = lo->guard;
}

/* ---- calls ---------------------------------------------------------------------------------- */

struct call_parts {
    const struct ptx_operand *rets, *target, *args; /* rets and args: lists, or NULL */
};

/* call [(rets),] target [, (args) [, prototype]] */
static bool split_call(struct lower *lo, struct call_parts *c) {
    unsigned i = 0, n = lo->inst->n_opd;
    *c = (struct call_parts){0};
    if (i < n && opd(lo, i)->kind == PTX_OPD_LIST) c->rets = opd(lo, i++);
    if (i < n) c->target = opd(lo, i++);
    if (i < n && opd(lo, i)->kind == PTX_OPD_LIST) c->args = opd(lo, i++);
    if (c->target && c->target->kind == PTX_OPD_NAME) return true;
    lower_error(lo, "a call wants the name of a function");
    return false;
}

static bool is_active(const struct lower *lo, const struct ptx_func *f) {
    for (const struct lower_frame *fr = lo->frame; fr; fr = fr->outer)
        if (fr->func == f) return true;
    return false;
}

/* Does the body name the parameter other than as the address of ld.param or st.param? */
static bool operand_takes(const struct ptx_operand *o, ptx_word w) {
    if (o->kind == PTX_OPD_NAME) return o->name == w;
    for (uint32_t i = 0; i < o->n_sub; i++)
        if (operand_takes(o->sub[i], w)) return true;
    return false;
}

static bool takes_address(const struct ptx_stmt *list, ptx_word w) {
    for (const struct ptx_stmt *s = list; s; s = s->next) {
        if (s->kind == PTX_STMT_BLOCK && takes_address(s->block, w)) return true;
        if (s->kind != PTX_STMT_INST) continue;
        ptx_word op = s->inst.op;
        if (op == PTX_W_mov || op == PTX_W_cvta)
            for (uint32_t i = 0; i < s->inst.n_opd; i++)
                if (operand_takes(s->inst.opd[i], w)) return true;
    }
    return false;
}

/* An actual parameter as a symbol whose words can be copied. */
static struct lower_symbol *actual(struct lower *lo, const struct ptx_operand *o) {
    struct lower_symbol *s = o->kind == PTX_OPD_NAME ? lower_lookup(lo, o->name) : NULL;
    if (s && (s->kind == SYM_PARAM || s->kind == SYM_REG)) return s;
    return NULL;
}

static lir_word symbol_word(const struct lower_symbol *s, uint32_t i) {
    if (s->kind == SYM_PARAM) return i < s->n_words ? s->words[i] : 0;
    return i < ty_words(s->ty) ? s->word[0] + i : 0;
}

static uint32_t symbol_words(const struct lower_symbol *s) {
    return s->kind == SYM_PARAM ? s->n_words : ty_words(s->ty);
}

/* Formal parameters are words of this call alone, or local memory where their address is taken. */
static struct lower_symbol *declare_formal(struct lower *lo, const struct ptx_func *f,
                                           const struct ptx_var *v) {
    struct lower_symbol *s;
    if (v->space == PTX_SPACE_REG) {
        s = ARENA_NEW(lo->arena, struct lower_symbol);
        s->kind = SYM_REG;
        s->ty = ty_of_word(v->type);
        s->vec = 1;
        if (s->ty.cls == TY_PRED || s->ty.bits == 0) {
            lower_unsupported(lo, "a parameter of this type");
            s->ty = u32;
        }
        s->word[0] = lir_new_words(lo->fn, ty_words(s->ty));
        return s;
    }
    s = lower_declare_param(lo, v);
    if (takes_address(f->body, v->name)) {
        uint32_t align = var_align(v) < 8 ? 8 : var_align(v);
        lo->fn->local_bytes = (lo->fn->local_bytes + align - 1) & ~(align - 1);
        s->in_memory = true;
        s->offset = lo->fn->local_bytes;
        lo->fn->local_bytes += (uint32_t)((s->size + 3) & ~UINT64_C(3));
    }
    return s;
}

static void pass_word(struct lower *lo, const struct lower_symbol *formal, uint32_t i,
                      struct lir_src v) {
    if (!formal->in_memory) {
        emit1(lo, MIR_MOV, symbol_word(formal, i), v);
        return;
    }
    struct lir_inst *in = emit(lo, MIR_STL);
    in->m.space = MIR_SPACE_LOCAL;
    in->m.cache = MIR_CACHE_WB;
    in->m.width = 4;
    in->m.type = MIR_U32;
    in->m.imm = (int32_t)(formal->offset + 4 * i);
    lir_set_src(in, 1, v);
}

static void pass_argument(struct lower *lo, const struct lower_symbol *formal,
                          const struct ptx_operand *o) {
    const struct lower_symbol *a = actual(lo, o);
    if (!a) { /* a constant */
        struct ty t = formal->ty;
        if (symbol_words(formal) != ty_words(t)) {
            lower_unsupported(lo, "this argument of a call");
            return;
        }
        struct value v = src(lo, o, t);
        for (unsigned i = 0; i < v.n; i++) pass_word(lo, formal, i, v.w[i]);
        return;
    }
    if (symbol_words(a) < symbol_words(formal)) {
        lower_error(lo, "argument '%s' is smaller than the parameter it is passed to",
                    ptx_words_text(lo->words, o->name));
        return;
    }
    for (uint32_t i = 0; i < symbol_words(formal); i++)
        pass_word(lo, formal, i, lir_reg(symbol_word(a, i)));
}

static uint32_t list_length(const struct ptx_var *v) {
    uint32_t n = 0;
    for (; v; v = v->next) n++;
    return n;
}

static void inline_body(struct lower *lo, const struct ptx_func *f, const struct call_parts *c) {
    struct lower_frame frame = {.outer = lo->frame, .func = f, .ret = lir_block_create(lo->fn)};
    uint32_t n_args = list_length(f->params), n_rets = list_length(f->rets);
    struct lower_symbol **formal = ARENA_ARRAY(lo->arena, struct lower_symbol *,
                                               n_args + n_rets + 1);
    struct lir_block *skip = NULL;
    if ((c->args ? c->args->n_sub : 0) != n_args || (c->rets ? c->rets->n_sub : 0) != n_rets) {
        lower_error(lo, "'%s' takes %u arguments and returns %u values",
                    ptx_words_text(lo->words, f->name), n_args, n_rets);
        return;
    }
    if (lo->guard != LIR_PT) {
        skip = lir_block_create(lo->fn);
        branch_to(lo, skip, lir_pnot(lo->guard));
        lo->guard = LIR_PT;
    }
    uint32_t i = 0;
    for (const struct ptx_var *v = f->params; v && !lo->failed; v = v->next, i++) {
        formal[i] = declare_formal(lo, f, v);
        pass_argument(lo, formal[i], c->args->sub[i]);
    }
    for (const struct ptx_var *v = f->rets; v && !lo->failed; v = v->next, i++)
        formal[i] = declare_formal(lo, f, v);
    if (lo->failed) return;
    const struct ptx_inst *inst = lo->inst;
    const struct ptx_stmt *stmt = lo->stmt;
    struct lower_scope *outer = lo->scope;
    struct mods mods = lo->mods;
    uint32_t loc = lo->loc;
    scope_hide(lo);
    lo->scope = NULL;
    lo->frame = &frame;
    scope_push(lo, true);
    i = 0;
    for (const struct ptx_var *v = f->params; v; v = v->next)
        scope_bind(lo, lo->scope, v->name, formal[i++]);
    for (const struct ptx_var *v = f->rets; v; v = v->next)
        scope_bind(lo, lo->scope, v->name, formal[i++]);
    lo->inst = NULL;
    lower_statements(lo, f->body);
    scope_pop(lo);
    lo->frame = frame.outer;
    lo->scope = outer;
    if (lo->failed) return;
    scope_show(lo);
    lower_start_block(lo, frame.ret);
    lo->inst = inst;
    lo->stmt = stmt;
    lo->mods = mods;
    lo->loc = loc;
    for (i = 0; i < n_rets; i++) {
        const struct lower_symbol *from = formal[n_args + i], *to = actual(lo, c->rets->sub[i]);
        if (c->rets->sub[i]->kind == PTX_OPD_SINK) continue;
        if (!to || symbol_words(to) < symbol_words(from)) {
            lower_error(lo, "a result of '%s' has no place to go",
                        ptx_words_text(lo->words, f->name));
            return;
        }
        for (uint32_t k = 0; k < symbol_words(from); k++)
            emit1(lo, MIR_MOV, symbol_word(to, k), lir_reg(symbol_word(from, k)));
    }
    if (skip) lower_start_block(lo, skip);
}

void lower_call(struct lower *lo) {
    struct call_parts c;
    if (!split_call(lo, &c)) return;
    const char *name = ptx_words_text(lo->words, c.target->name);
    struct lower_symbol *s = lower_lookup(lo, c.target->name);
    if (!s || s->kind == SYM_REG) {
        lower_unsupported(lo, s ? "indirect calls (through a pointer) are not supported; call the "
                                  "function by name"
                                : "the function called is not declared");
        return;
    }
    if (s->kind == SYM_FUNC && !s->func->has_body && lower_system_call(lo, name, c.rets, c.args))
        return;
    if (s->kind != SYM_FUNC || !s->func->has_body) {
        lower_unsupported(
            lo, "function '%s' has no body in this module, and modules are not linked", name);
        return;
    }
    if (is_active(lo, s->func)) {
        lower_unsupported(lo, "'%s' calls itself; recursion is not supported, write it as a loop",
                          name);
        return;
    }
    if (s->func->is_entry) {
        lower_unsupported(lo, "'%s' is a kernel; device-side launches are not supported", name);
        return;
    }
    lo->inline_depth++;
    if (lo->inline_depth > LOWER_MAX_INLINE_DEPTH)
        lower_unsupported(lo, "calls nest more than %d deep", LOWER_MAX_INLINE_DEPTH);
    else
        inline_body(lo, s->func, &c);
    lo->inline_depth--;
}
