/* lower_call.c - calls: inlined bodies, subroutines for functions that call themselves, and
 * calls through pointers.
 *
 * Most functions are lowered in place of their calls. A subroutine's body appears once in the
 * kernel. A call of it copies the arguments to the parameters' words, sets a word to the number
 * of the call site, and branches to the body; the return compares that number and branches back.
 * The rest of the compiler sees ordinary control flow. A recursive activation would overwrite
 * the words and predicates that its caller still needs, so these go to a stack in local memory
 * around the call (lower_save.c). Local variables of a subroutine live in a frame of the same
 * stack.
 *
 * A pointer to a function is a number. A call through a pointer compares it with the number of
 * each function whose address the module takes and whose parameters fit.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). Functions that lower a body replace
 * lo->frame, lo->scope, lo->inst and lo->stmt meanwhile. */
#include "ptx/lower/lower_call.h"
#include "ptx/lower/lower_short.h"

/* ---- calls ---------------------------------------------------------------------------------- */

/* The operands of a call instruction. */
struct call_parts {
    const struct ptx_operand *rets, *target, *args; /* rets and args: lists, or NULL */
};

/* Splits the operands of call [(rets),] target [, (args) [, prototype]]. @return false:
 * reported. */
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

/* Does the operand name w? */
static bool operand_takes(const struct ptx_operand *o, ptx_word w) {
    if (o->kind == PTX_OPD_NAME) return o->name == w;
    for (uint32_t i = 0; i < o->n_sub; i++)
        if (operand_takes(o->sub[i], w)) return true;
    return false;
}

/* Does a mov or cvta take the address of parameter w? ld.param and st.param do not. */
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

/* The symbol of an actual parameter whose words can be copied; NULL for a constant. */
static struct lower_symbol *actual(struct lower *lo, const struct ptx_operand *o) {
    struct lower_symbol *s = o->kind == PTX_OPD_NAME ? lower_lookup(lo, o->name) : NULL;
    if (s && (s->kind == SYM_PARAM || s->kind == SYM_REG)) return s;
    return NULL;
}

/* A new symbol for a formal parameter, held in words. Binds no name. */
static struct lower_symbol *declare_words(struct lower *lo, const struct ptx_var *v) {
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
        s->word[0] = lir_new_vregs(lo->fn, ty_words(s->ty));
        return s;
    }
    return lower_declare_param(lo, v);
}

/* The same for an inlined call; in local memory if the body takes the parameter's address. */
static struct lower_symbol *declare_formal(struct lower *lo, const struct ptx_func *f,
                                           const struct ptx_var *v) {
    struct lower_symbol *s = declare_words(lo, v);
    if (s->kind == SYM_PARAM && takes_address(f->body, v->name)) {
        s->in_memory = true;
        lower_place_local(lo, s, (s->size + 3) & ~UINT64_C(3), var_align(v) < 8 ? 8 : var_align(v));
    }
    return s;
}

/* Emits the copy of v to word i of a formal parameter, a register or local memory. */
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
    if (formal->based) lir_set_src(in, 0, lir_reg(lo->stack));
    lir_set_src(in, 1, v);
}

/* Emits the copy of argument o, a constant or a named value, to a formal parameter. Reports an
 * argument that is smaller than the parameter. */
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

/* The number of variables in a list. */
static uint32_t list_length(const struct ptx_var *v) {
    uint32_t n = 0;
    for (; v; v = v->next) n++;
    return n;
}

/* Emits copies of the results to the operands of the call. */
static void take_results(struct lower *lo, const struct ptx_func *f, const struct call_parts *c,
                         struct lower_symbol *const *result) {
    for (uint32_t i = 0; i < list_length(f->rets); i++) {
        const struct lower_symbol *from = result[i], *to = actual(lo, c->rets->sub[i]);
        if (c->rets->sub[i]->kind == PTX_OPD_SINK) continue;
        if (!to || symbol_words(to) < symbol_words(from)) {
            lower_error(lo, "a result of '%s' has no place to go",
                        ptx_words_text(lo->words, f->name));
            return;
        }
        for (uint32_t k = 0; k < symbol_words(from); k++)
            emit1(lo, MIR_MOV, symbol_word(to, k), lir_reg(symbol_word(from, k)));
    }
}

/* Emits the arguments' copies, the body of f, and the results' copies. The body sees no names of
 * its caller. */
static void inline_body(struct lower *lo, const struct ptx_func *f, const struct call_parts *c) {
    struct lower_frame frame = {.outer = lo->frame, .func = f, .ret = lir_block_create(lo->fn)};
    uint32_t n_args = list_length(f->params), n_rets = list_length(f->rets);
    struct lower_symbol **formal = ARENA_ARRAY(lo->arena, struct lower_symbol *,
                                               n_args + n_rets + 1);
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
    lir_vreg kept = lower_alloca_enter(lo, f);
    lo->inst = NULL;
    lo->statements(lo, f->body);
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
    lower_alloca_leave(lo, kept);
    take_results(lo, f, c, formal + n_args);
}

/* ---- the call graph ------------------------------------------------------------------------- */

static bool calls_itself(struct lower_module *lm, const struct ptx_func *target,
                         const struct ptx_stmt *list);

/* Can a call of s reach a call of `target`? False if this walk has visited s; marks s->seen_for. */
static bool enters(struct lower_module *lm, const struct ptx_func *target, struct lower_symbol *s) {
    if (s->kind != SYM_FUNC || !s->func->has_body) return false;
    if (s->func == target) return true;
    if (s->seen_for == target) return false;
    s->seen_for = target;
    return calls_itself(lm, target, s->func->body);
}

/* Can a call through a pointer reach `target`? Tries each function whose address is taken. */
static bool enters_taken(struct lower_module *lm, const struct ptx_func *target) {
    for (const struct ptx_func *f = lm->ast->funcs; f; f = f->next)
        if (lm->binding[f->name]->taken && enters(lm, target, lm->binding[f->name])) return true;
    return false;
}

/* Can the statements reach a call of `target`? Marks visited functions in seen_for. */
static bool calls_itself(struct lower_module *lm, const struct ptx_func *target,
                         const struct ptx_stmt *list) {
    for (const struct ptx_stmt *s = list; s; s = s->next) {
        if (s->kind == PTX_STMT_BLOCK && calls_itself(lm, target, s->block)) return true;
        if (s->kind != PTX_STMT_INST || s->inst.op != PTX_W_call) continue;
        bool direct = false;
        for (uint32_t i = 0; i < s->inst.n_opd; i++) {
            const struct ptx_operand *o = s->inst.opd[i];
            struct lower_symbol *f = o->kind == PTX_OPD_NAME ? lm->binding[o->name] : NULL;
            if (!f || f->kind != SYM_FUNC) continue;
            direct = true;
            if (enters(lm, target, f)) return true;
        }
        if (!direct && enters_taken(lm, target)) return true;
    }
    return false;
}

/* Marks the functions that the statements name outside calls: their address is taken. */
static void mark_taken(struct lower_module *lm, const struct ptx_stmt *list) {
    for (const struct ptx_stmt *s = list; s; s = s->next) {
        if (s->kind == PTX_STMT_BLOCK) mark_taken(lm, s->block);
        if (s->kind != PTX_STMT_INST || s->inst.op == PTX_W_call) continue;
        for (uint32_t i = 0; i < s->inst.n_opd; i++) {
            const struct ptx_operand *o = s->inst.opd[i];
            struct lower_symbol *f = o->kind == PTX_OPD_NAME ? lm->binding[o->name] : NULL;
            if (f && f->kind == SYM_FUNC && f->func->has_body) f->taken = true;
        }
    }
}

/* Can the function call itself, directly or not? Stores the answer in s->reaches. */
static bool is_recursive(struct lower_module *lm, struct lower_symbol *s) {
    if (!s->reaches) s->reaches = calls_itself(lm, s->func, s->func->body) ? 2 : 1;
    return s->reaches == 2;
}

/* If the kernel's module has a function that calls itself, reserves the stack in local memory
 * and emits the move that sets lo->stack. Fills lm->taken_marked and `taken` and `reaches` of
 * the functions' symbols. */
void lower_begin_stack(struct lower *lo) {
    struct lower_module *lm = lo->lm;
    bool any = false;
    if (!lm->taken_marked)
        for (const struct ptx_func *f = lm->ast->funcs; f; f = f->next) mark_taken(lm, f->body);
    lm->taken_marked = true;
    for (const struct ptx_func *f = lm->ast->funcs; f && !any; f = f->next)
        any = !f->is_entry && f->has_body && is_recursive(lm, lm->binding[f->name]);
    if (!any) return;
    lo->stack = tmp(lo);
    lo->fn->local_bytes = LOWER_STACK_BYTES; /* at offset 0: an overflow is an illegal address */
    emit1(lo, MIR_MOV, lo->stack, lir_imm(LOWER_STACK_BYTES));
}

/* ---- subroutines ---------------------------------------------------------------------------- */

/* The subroutine of f. The first call adds it to lo->subs and creates its blocks and the
 * registers of its parameters, results and call-site number. */
static struct lower_sub *subroutine(struct lower *lo, const struct ptx_func *f) {
    struct lower_sub **link = &lo->subs;
    for (; *link; link = &(*link)->next)
        if ((*link)->func == f) return *link;
    struct lower_sub *s = *link = ARENA_NEW(lo->arena, struct lower_sub);
    uint32_t i = 0;
    s->func = f;
    s->entry = lir_block_create(lo->fn);
    s->ret = lir_block_create(lo->fn);
    s->last_site = &s->sites;
    s->n_args = list_length(f->params);
    s->n_rets = list_length(f->rets);
    s->formal = ARENA_ARRAY(lo->arena, struct lower_symbol *, s->n_args + s->n_rets + 1);
    s->site = tmp(lo);
    for (const struct ptx_var *v = f->params; v; v = v->next) s->formal[i++] = declare_words(lo, v);
    for (const struct ptx_var *v = f->rets; v; v = v->next) s->formal[i++] = declare_words(lo, v);
    return s;
}

/* Emits the addition to the stack pointer; *in is the instruction, whose amount is set later. */
static void move_stack(struct lower *lo, struct lir_inst **in) {
    *in = emit3(lo, MIR_IADD3, lo->stack, lir_reg(lo->stack), lir_imm(0), RZ_SRC);
}

/* Emits a call of the subroutine and records its call site, for the return and for lower_save.c. */
static void call_subroutine(struct lower *lo, const struct ptx_func *f,
                            const struct call_parts *c) {
    struct lower_sub *s = subroutine(lo, f);
    struct call_site *site = ARENA_NEW(lo->arena, struct call_site);
    if (lo->failed) return;
    site->caller = lo->sub;
    site->back = lir_block_create(lo->fn);
    *s->last_site = site;
    s->last_site = &site->next;
    if (lo->sub) move_stack(lo, &site->down);
    for (uint32_t i = 0; i < s->n_args && !lo->failed; i++)
        pass_argument(lo, s->formal[i], c->args->sub[i]);
    emit1(lo, MIR_MOV, s->site, lir_imm(s->n_sites++));
    lower_branch(lo, s->entry, LIR_PT);
    lower_start_block(lo, site->back);
    site->result_from = lo->fn->n_vregs;
    struct lower_symbol **kept = ARENA_ARRAY(lo->arena, struct lower_symbol *, s->n_rets + 1);
    for (uint32_t i = 0; i < s->n_rets; i++) {
        const struct lower_symbol *from = s->formal[s->n_args + i];
        kept[i] = ARENA_NEW(lo->arena, struct lower_symbol);
        kept[i]->kind = SYM_PARAM;
        kept[i]->n_words = symbol_words(from);
        kept[i]->words = ARENA_ARRAY(lo->arena, lir_vreg, kept[i]->n_words + 1);
        for (uint32_t k = 0; k < kept[i]->n_words; k++) {
            kept[i]->words[k] = tmp(lo);
            emit1(lo, MIR_MOV, kept[i]->words[k], lir_reg(symbol_word(from, k)));
        }
    }
    site->result_to = lo->fn->n_vregs;
    if (lo->sub) {
        lower_start_block(lo, lir_block_create(lo->fn));
        move_stack(lo, &site->up);
    }
    take_results(lo, f, c, kept);
}

/* A copy of parameter s in the frame, because the body takes its address. lower_body() emits the
 * copies between the words and the frame. */
static struct lower_symbol *in_frame(struct lower *lo, const struct lower_symbol *s,
                                     const struct ptx_var *v) {
    struct lower_symbol *m = ARENA_NEW(lo->arena, struct lower_symbol);
    *m = *s;
    m->in_memory = true;
    lower_place_local(lo, m, (s->size + 3) & ~UINT64_C(3), var_align(v) < 8 ? 8 : var_align(v));
    return m;
}

/* Emits the load of word i of a result from the frame to its register, s->words[i]. */
static void load_word(struct lower *lo, const struct lower_symbol *s, uint32_t i) {
    struct lir_inst *in = emit(lo, MIR_LDL);
    in->dst = s->words[i];
    in->m.dst = 0;
    in->m.space = MIR_SPACE_LOCAL;
    in->m.width = 4;
    in->m.type = MIR_U32;
    in->m.imm = (int32_t)(s->offset + 4 * i);
    lir_set_src(in, 0, lir_reg(lo->stack));
}

/* Emits the body of a subroutine; sets the size of its frame and its ranges of registers. */
static void lower_body(struct lower *lo, struct lower_sub *s) {
    const struct ptx_func *f = s->func;
    struct lower_frame frame = {.func = f, .ret = s->ret};
    struct lower_symbol **bound = ARENA_ARRAY(lo->arena, struct lower_symbol *,
                                              s->n_args + s->n_rets + 1);
    lo->sub = s;
    lo->frame = &frame;
    lo->inst = NULL;
    s->word_from = lo->fn->n_vregs;
    s->pred_from = lo->fn->n_preds;
    lower_start_block(lo, s->entry);
    move_stack(lo, &s->enter);
    scope_push(lo, true);
    uint32_t i = 0;
    for (unsigned rets = 0; rets < 2; rets++)
        for (const struct ptx_var *v = rets ? f->rets : f->params; v; v = v->next, i++) {
            bound[i] = s->formal[i];
            if (bound[i]->kind == SYM_PARAM && takes_address(f->body, v->name)) {
                bound[i] = in_frame(lo, s->formal[i], v);
                for (uint32_t k = 0; k < bound[i]->n_words && !rets; k++)
                    pass_word(lo, bound[i], k, lir_reg(bound[i]->words[k]));
            }
            scope_bind(lo, lo->scope, v->name, bound[i]);
        }
    lir_vreg kept = lower_alloca_enter(lo, f);
    lo->statements(lo, f->body);
    scope_pop(lo);
    lower_start_block(lo, s->ret);
    lower_alloca_leave(lo, kept);
    for (i = s->n_args; i < s->n_args + s->n_rets; i++)
        for (uint32_t k = 0; bound[i]->in_memory && k < bound[i]->n_words; k++)
            load_word(lo, bound[i], k);
    move_stack(lo, &s->leave);
    s->frame_bytes = (s->frame_bytes + 15) & ~15u;
    lir_set_src(s->enter, 1, lir_imm(-s->frame_bytes));
    lir_set_src(s->leave, 1, lir_imm(s->frame_bytes));
    s->word_to = lo->fn->n_vregs;
    s->pred_to = lo->fn->n_preds;
    s->lowered = true;
    lo->sub = NULL;
    lo->frame = NULL;
}

/* Emits the return: a chain of branches to the call site whose number s->site holds. */
static void return_to_sites(struct lower *lo, const struct lower_sub *s) {
    struct value number = value_of_word(lir_reg(s->site));
    uint32_t k = 0;
    for (const struct call_site *c = s->sites; c; c = c->next, k++) {
        struct value here = value_of_word(lir_imm(k));
        lir_pref p = LIR_PT;
        if (c->next) p = lir_p(compare_int(lo, MIR_CMP_EQ, false, &number, &here));
        lower_branch(lo, c->back, p);
    }
}

/* Lowers the bodies first, because a body may add subroutines and call sites; the returns then
 * branch to all sites. */
void lower_subroutines(struct lower *lo) {
    struct lower_frame *outer = lo->frame;
    struct lir_block *chain;
    for (struct lower_sub *s = lo->subs; s && !lo->failed; s = s->next) {
        lower_body(lo, s); /* may append more subroutines to the list */
        if (lo->failed) break;
        chain = lir_block_create(lo->fn);
        lower_branch(lo, chain, LIR_PT);
        s->ret = chain;
    }
    for (struct lower_sub *s = lo->subs; s && !lo->failed; s = s->next) {
        lower_start_block(lo, s->ret);
        return_to_sites(lo, s);
    }
    lo->frame = outer;
}

/* ---- the instruction ------------------------------------------------------------------------ */

/* Emits a call of a known function, inlined or as a subroutine. */
static void call_function(struct lower *lo, struct lower_symbol *s, const struct call_parts *c) {
    const struct ptx_func *f = s->func;
    uint32_t n_args = list_length(f->params), n_rets = list_length(f->rets);
    if ((c->args ? c->args->n_sub : 0) != n_args || (c->rets ? c->rets->n_sub : 0) != n_rets) {
        lower_error(lo, "'%s' takes %u arguments and returns %u values",
                    ptx_words_text(lo->words, f->name), n_args, n_rets);
        return;
    }
    if (is_recursive(lo->lm, s)) {
        call_subroutine(lo, f, c);
        return;
    }
    lo->inline_depth++;
    if (lo->inline_depth > LOWER_MAX_INLINE_DEPTH)
        lower_unsupported(lo, "calls nest more than %d deep", LOWER_MAX_INLINE_DEPTH);
    else
        inline_body(lo, f, c);
    lo->inline_depth--;
}

/* Do two lists of variables agree in number and in the bytes of each? */
static bool same_parameters(const struct ptx_var *a, const struct ptx_var *b) {
    for (; a && b; a = a->next, b = b->next)
        if (var_bytes(a) != var_bytes(b)) return false;
    return !a && !b;
}

/* May a call with this list of targets, or of this prototype, reach f? */
static bool is_candidate(struct lower *lo, const struct ptx_func *f, const struct ptx_stmt *how) {
    if (how->kind == PTX_STMT_CALLTARGETS) {
        for (uint32_t i = 0; i < how->targets.n; i++)
            if (lo->lm->binding[how->targets.name[i]] == lo->lm->binding[f->name]) return true;
        return false;
    }
    return lo->lm->binding[f->name]->taken && same_parameters(f->params, how->prototype->params) &&
           same_parameters(f->rets, how->prototype->rets);
}

/* Emits a call through a pointer: a comparison and a call per candidate, and a trap if none
 * fits. */
static void call_pointer(struct lower *lo, const struct call_parts *c) {
    const struct ptx_operand *last = opd(lo, lo->inst->n_opd - 1);
    struct lower_symbol *how = last->kind == PTX_OPD_NAME ? lower_lookup(lo, last->name) : NULL;
    if (!how || how->kind != SYM_TARGETS || how->stmt->kind == PTX_STMT_BRANCHTARGETS) {
        lower_unsupported(lo, "an indirect call names its .callprototype or .calltargets");
        return;
    }
    struct value pointer = value_of_word(src1(lo, c->target, (struct ty){TY_B, 64, false}));
    struct lir_block *done = lir_block_create(lo->fn);
    for (const struct ptx_func *f = lo->lm->ast->funcs; f && !lo->failed; f = f->next) {
        struct lower_symbol *s = lo->lm->binding[f->name];
        if (f->is_entry || !f->has_body || !is_candidate(lo, f, how->stmt)) continue;
        struct value number = value_of_word(lir_imm((uint32_t)lower_function_address(s)));
        struct lir_block *next = lir_block_create(lo->fn);
        lower_branch(lo, next, lir_p(compare_int(lo, MIR_CMP_NE, false, &pointer, &number)));
        call_function(lo, s, c);
        lower_branch(lo, done, LIR_PT);
        lower_start_block(lo, next);
    }
    emit(lo, MIR_TRAP); /* the pointer matches no candidate */
    lower_start_block(lo, done);
}

/* The handler of call (lower_dispatch.c). A guard becomes a branch around the call and lo->guard
 * becomes PT. Functions of the system go to lower_system.c. */
void lower_call(struct lower *lo) {
    struct call_parts c;
    struct lir_block *skip = NULL;
    if (!split_call(lo, &c)) return;
    const char *name = ptx_words_text(lo->words, c.target->name);
    struct lower_symbol *s = lower_lookup(lo, c.target->name);
    if (!s) {
        lower_unsupported(lo, "the function called is not declared");
        return;
    }
    if (s->kind == SYM_FUNC && !s->func->has_body && lower_system_call(lo, name, c.rets, c.args))
        return;
    if (s->kind != SYM_REG && (s->kind != SYM_FUNC || !s->func->has_body)) {
        lower_unsupported(
            lo, "function '%s' has no body in this module, and modules are not linked", name);
        return;
    }
    if (s->kind == SYM_FUNC && s->func->is_entry) {
        lower_unsupported(lo, "'%s' is a kernel; device-side launches are not supported", name);
        return;
    }
    if (lo->guard != LIR_PT) {
        skip = lir_block_create(lo->fn);
        lower_branch(lo, skip, lir_pnot(lo->guard));
        lo->guard = LIR_PT;
    }
    if (s->kind == SYM_REG)
        call_pointer(lo, &c);
    else
        call_function(lo, s, &c);
    if (skip && !lo->failed) lower_start_block(lo, skip);
}
