/* ptx_parse_decl.c - variables, parameters, initialisers; heads of functions and their directives.
 *
 * Every parse_* function follows the conventions of ptx_parser.h: it reads tokens from p->tok on,
 * allocates nodes in p->arena, and records errors in `p`. What it finds goes into its result, or
 * into the node that it is given. Contracts of the exported functions are in ptx_parser.h.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/parse/ptx_parser.h"

/* ---- spaces and linkage --------------------------------------------------------------------- */

/* The state space that the word names; PTX_SPACE_NONE: none. */
static unsigned space_of(ptx_word w) {
    switch (w) {
    case PTX_W_reg: return PTX_SPACE_REG;
    case PTX_W_sreg: return PTX_SPACE_SREG;
    case PTX_W_const_: return PTX_SPACE_CONST;
    case PTX_W_global: return PTX_SPACE_GLOBAL;
    case PTX_W_local: return PTX_SPACE_LOCAL;
    case PTX_W_param: return PTX_SPACE_PARAM;
    case PTX_W_shared: return PTX_SPACE_SHARED;
    case PTX_W_tex: return PTX_SPACE_TEX;
    default: return PTX_SPACE_NONE;
    }
}

/* @return a declaration begins at the present token. */
bool ptx_at_space(const struct ptx_parser *p) {
    return p->tok.kind == PTX_T_DOT && space_of(p->tok.word) != PTX_SPACE_NONE;
}

/* Consumes one linkage word. @return false: there is none, *linkage stays */
bool ptx_parse_linkage(struct ptx_parser *p, unsigned *linkage) {
    if (ptx_accept_dot(p, PTX_W_extern_))
        *linkage = PTX_LINK_EXTERN;
    else if (ptx_accept_dot(p, PTX_W_visible))
        *linkage = PTX_LINK_VISIBLE;
    else if (ptx_accept_dot(p, PTX_W_weak))
        *linkage = PTX_LINK_WEAK;
    else if (ptx_accept_dot(p, PTX_W_common))
        *linkage = PTX_LINK_COMMON;
    else
        return false;
    return true;
}

/* @return the word is a type of variables. */
static bool is_type(ptx_word w) {
    switch (w) {
    case PTX_W_u8:
    case PTX_W_u16:
    case PTX_W_u32:
    case PTX_W_u64:
    case PTX_W_s8:
    case PTX_W_s16:
    case PTX_W_s32:
    case PTX_W_s64:
    case PTX_W_f16:
    case PTX_W_f16x2:
    case PTX_W_f32:
    case PTX_W_f64:
    case PTX_W_bf16:
    case PTX_W_bf16x2:
    case PTX_W_tf32:
    case PTX_W_b8:
    case PTX_W_b16:
    case PTX_W_b32:
    case PTX_W_b64:
    case PTX_W_b128:
    case PTX_W_pred:
    case PTX_W_texref:
    case PTX_W_samplerref:
    case PTX_W_surfref:
    case PTX_W_e4m3:
    case PTX_W_e5m2:
    case PTX_W_e4m3x2:
    case PTX_W_e5m2x2: return true;
    default: return false;
    }
}

/* ---- initialisers --------------------------------------------------------------------------- */

static struct ptx_init *parse_init(struct ptx_parser *p);

/* The elements behind an opening brace, and the closing one. */
static struct ptx_init *parse_init_list(struct ptx_parser *p) {
    struct ptx_init *first = NULL, **tail = &first;
    while (!p->failed && !ptx_is_punct(p, '}')) {
        *tail = parse_init(p);
        if (!*tail) return first;
        tail = &(*tail)->next;
        if (!ptx_accept_punct(p, ',')) break;
    }
    ptx_expect_punct(p, '}', "the brace that closes the initialiser");
    return first;
}

/* name [+ n] or name [n]: the address of a variable or function. */
static void parse_init_symbol(struct ptx_parser *p, struct ptx_init *i) {
    i->kind = PTX_INIT_SYMBOL;
    i->name = ptx_expect_name(p, "the name of a variable or function");
    if (ptx_is_punct(p, '+') || ptx_is_punct(p, '-'))
        i->addend = ptx_parse_int(p, "the offset of an address");
    else if (ptx_accept_punct(p, '[')) {
        i->addend = ptx_parse_int(p, "the index of an address");
        ptx_expect_punct(p, ']', "the bracket that closes the index");
    }
}

/* A constant expression, an address, generic(address), or mask(address), into `i`. @return i */
static struct ptx_init *parse_init_value(struct ptx_parser *p, struct ptx_init *i) {
    if (p->tok.kind == PTX_T_IDENT && p->tok.word == PTX_W_generic) {
        ptx_advance(p);
        ptx_expect_punct(p, '(', "the parenthesis behind generic");
        parse_init_symbol(p, i);
        i->generic = true;
        ptx_expect_punct(p, ')', "the parenthesis that closes generic(");
        if (ptx_is_punct(p, '+') || ptx_is_punct(p, '-'))
            i->addend += ptx_parse_int(p, "the offset of an address");
    } else if (p->tok.kind == PTX_T_IDENT && p->tok.word != PTX_W_WARP_SZ) {
        parse_init_symbol(p, i);
    } else {
        i->value = ptx_parse_const_unary(p);
        if (i->value.kind == PTX_CONST_INT && ptx_is_punct(p, '(')) {
            /* 0xFF00(symbol): one byte of an address */
            i->mask = i->value.bits;
            ptx_advance(p);
            parse_init_value(p, i);
            ptx_expect_punct(p, ')', "the parenthesis that closes the masked address");
        } else {
            i->value = ptx_parse_const_rest(p, i->value);
        }
    }
    return i;
}

/* A value, a list in braces, or a field of a sampler. @return NULL: nested too deep */
static struct ptx_init *parse_init(struct ptx_parser *p) {
    struct ptx_init *i = ARENA_NEW(p->arena, struct ptx_init);
    i->line = p->tok.line;
    if (!ptx_enter(p)) return NULL;
    if (ptx_accept_punct(p, '{')) {
        i->kind = PTX_INIT_LIST;
        i->list = parse_init_list(p);
    } else {
        parse_init_value(p, i);
        if (i->kind == PTX_INIT_SYMBOL && ptx_accept_punct(p, '=')) {
            /* a field of a sampler or texture: addr_mode_0 = clamp_to_edge */
            i->kind = PTX_INIT_FIELD;
            i->list = parse_init(p);
        }
    }
    ptx_leave(p);
    return i;
}

/* ---- variables ------------------------------------------------------------------------------ */

/* (.managed, .unified(n, m)) behind .attribute; sets v->managed if v is not NULL. */
static void parse_attribute(struct ptx_parser *p, struct ptx_var *v) {
    ptx_expect_punct(p, '(', "the parenthesis behind .attribute");
    do {
        if (ptx_accept_dot(p, PTX_W_managed)) {
            if (v) v->managed = true;
        } else if (ptx_accept_dot(p, PTX_W_unified)) {
            ptx_expect_punct(p, '(', "the parenthesis behind .unified");
            (void)ptx_parse_int(p, "a unified identifier");
            ptx_expect_punct(p, ',', "the comma between the two unified identifiers");
            (void)ptx_parse_int(p, "a unified identifier");
            ptx_expect_punct(p, ')', "the parenthesis that closes .unified(");
        } else {
            ptx_error(p, "attribute not known; .managed and .unified(n, m) exist");
        }
    } while (ptx_accept_punct(p, ','));
    ptx_expect_punct(p, ')', "the parenthesis that closes .attribute(");
}

/* The number behind .align. */
static void parse_align(struct ptx_parser *p, struct ptx_var *v) {
    struct ptx_token t = p->tok;
    uint32_t a = ptx_parse_u32(p, "an alignment");
    if (p->failed) return;
    if (a == 0 || (a & (a - 1)) || a > PTX_MAX_ALIGN) {
        ptx_error_at(p, &t, "an alignment is a power of two up to %d; correct the number",
                     PTX_MAX_ALIGN);
        return;
    }
    if (!v->is_ptr) v->align = a; /* behind .ptr it is the alignment of the pointer's target */
}

/* Everything between space and name: alignment, attribute, vector, type, .ptr. */
static void parse_var_words(struct ptx_parser *p, struct ptx_var *v) {
    while (p->tok.kind == PTX_T_DOT) {
        ptx_word w = p->tok.word;
        if (is_type(w)) {
            if (v->type) {
                ptx_error(p, "a declaration has one type, and '.%s' is a second one; remove one",
                          ptx_words_text(p->words, w));
                return;
            }
            v->type = w;
            ptx_advance(p);
        } else if (w == PTX_W_v2 || w == PTX_W_v4 || w == PTX_W_v8) {
            v->vec = w == PTX_W_v2 ? 2 : w == PTX_W_v4 ? 4 : 8;
            ptx_advance(p);
        } else if (w == PTX_W_align) {
            ptx_advance(p);
            parse_align(p, v);
        } else if (w == PTX_W_attribute) {
            ptx_advance(p);
            parse_attribute(p, v);
        } else if (w == PTX_W_ptr) {
            v->is_ptr = true;
            ptx_advance(p);
        } else if (v->is_ptr && space_of(w) != PTX_SPACE_NONE) {
            ptx_advance(p);
        } else {
            ptx_error(p,
                      "'.%s' has no place in a declaration; expected a type like .b32, .align, "
                      ".v2 or .v4",
                      ptx_words_text(p->words, w));
            return;
        }
    }
}

/* [n][m] behind a name. */
static void parse_dims(struct ptx_parser *p, struct ptx_var *v) {
    while (ptx_accept_punct(p, '[')) {
        struct ptx_token t = p->tok;
        if (v->n_dims == PTX_MAX_DIMS) {
            ptx_error(p, "an array has at most %d dimensions; flatten it", PTX_MAX_DIMS);
            return;
        }
        if (ptx_is_punct(p, ']')) {
            if (v->n_dims) ptx_error(p, "only the first dimension can be left open; give its size");
            v->incomplete = true;
            v->dim[v->n_dims++] = 0;
        } else {
            int64_t n = ptx_parse_int(p, "the size of an array");
            if (!p->failed && (n < 0 || n > INT64_C(1) << 40))
                ptx_error_at(p, &t, "an array size lies between 0 and 2^40; correct the number");
            v->dim[v->n_dims++] = (uint64_t)n;
        }
        ptx_expect_punct(p, ']', "the bracket that closes an array size");
    }
}

/* NAME, NAME<n>, NAME[n][m] [= init], into v. */
static void parse_declarator(struct ptx_parser *p, struct ptx_var *v) {
    v->line = p->tok.line;
    v->col = p->tok.col;
    v->name = ptx_expect_name(p, "the name of a variable");
    if (ptx_accept_punct(p, '<')) {
        v->is_range = true;
        /* no expression: its '>' would be the closing one */
        v->range = p->tok.kind == PTX_T_CONST ? (uint32_t)p->tok.value.bits : 0;
        if (p->tok.kind != PTX_T_CONST || p->tok.value.kind != PTX_CONST_INT ||
            p->tok.value.bits > INT32_MAX)
            ptx_error(p, "expected the number of registers, as in %%r<8>");
        ptx_advance(p);
        ptx_expect_punct(p, '>', "the bracket that closes the number of registers");
    }
    parse_dims(p, v);
    if (ptx_accept_punct(p, '=')) v->init = parse_init(p);
}

/* Reads a declaration: space, words and names. `linkage` is that of all variables. Stops before
 * semicolon and parenthesis, and after .param before a comma that no name follows. @return the
 * variables, a list. */
struct ptx_var *ptx_parse_vars(struct ptx_parser *p, unsigned linkage) {
    struct ptx_var proto = {.vec = 1, .linkage = (uint8_t)linkage};
    proto.space = (uint8_t)space_of(p->tok.word);
    ptx_advance(p);
    if (proto.space == PTX_SPACE_CONST && ptx_accept_punct(p, '[')) { /* .const[2] of PTX 1.x */
        proto.bank = ptx_parse_u32(p, "a constant bank");
        ptx_expect_punct(p, ']', "the bracket that closes the constant bank");
    }
    parse_var_words(p, &proto);
    if (!p->failed && !proto.type)
        ptx_error(p, "this declaration has no type; add one, as in .b32");
    struct ptx_var *first = NULL, **tail = &first;
    do {
        struct ptx_var *v = ARENA_NEW(p->arena, struct ptx_var);
        *v = proto;
        parse_declarator(p, v);
        *tail = v;
        tail = &v->next;
        /* parameters are separated by commas, each with its own .param */
    } while (proto.space != PTX_SPACE_PARAM && ptx_accept_punct(p, ','));
    if (proto.space == PTX_SPACE_PARAM) {
        /* inside a body ".param .b32 a, b;" is a list all the same */
        while (!p->failed && ptx_is_punct(p, ',')) {
            struct ptx_lexer save = p->lx;
            struct ptx_token tok = p->tok;
            ptx_advance(p);
            if (p->tok.kind != PTX_T_IDENT) {
                p->lx = save;
                if (!p->failed) p->tok = tok;
                break;
            }
            struct ptx_var *v = ARENA_NEW(p->arena, struct ptx_var);
            *v = proto;
            parse_declarator(p, v);
            *tail = v;
            tail = &v->next;
        }
    }
    return first;
}

/* Reads parameters in parentheses, both consumed. @return them, a list; NULL: none. */
struct ptx_var *ptx_parse_param_list(struct ptx_parser *p) {
    struct ptx_var *first = NULL, **tail = &first;
    ptx_expect_punct(p, '(', "the parenthesis that opens a parameter list");
    while (!p->failed && !ptx_is_punct(p, ')')) {
        if (!ptx_at_space(p)) {
            ptx_error(p, "expected a parameter here, as in .param .u64 name");
            break;
        }
        *tail = ptx_parse_vars(p, PTX_LINK_INTERNAL);
        while (*tail) tail = &(*tail)->next;
        if (!ptx_accept_punct(p, ',')) break;
        if (ptx_is_punct(p, ')')) ptx_error(p, "expected a parameter behind the comma");
    }
    ptx_expect_punct(p, ')', "the parenthesis that closes the parameter list");
    return first;
}

/* ---- heads of functions --------------------------------------------------------------------- */

/* One to three CTA (or cluster) dimensions; 1 for those not given. */
static void parse_triple(struct ptx_parser *p, uint32_t out[3]) {
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        struct ptx_token t = p->tok;
        out[i] = ptx_parse_u32(p, "a CTA dimension");
        if (!p->failed && out[i] == 0)
            ptx_error_at(p, &t, "a CTA dimension cannot be zero; correct the number");
        if (!ptx_accept_punct(p, ',')) break;
    }
}

/* The positive number of a directive; `what` names it in a message. */
static uint32_t parse_positive(struct ptx_parser *p, const char *what) {
    struct ptx_token t = p->tok;
    uint32_t n = ptx_parse_u32(p, what);
    if (!p->failed && n == 0) ptx_error_at(p, &t, "%s cannot be zero; correct the number", what);
    return n;
}

/* One directive between parameters and body, into `f`. @return false: there is none */
static bool parse_perf(struct ptx_parser *p, struct ptx_perf *f) {
    if (ptx_accept_dot(p, PTX_W_maxntid)) {
        parse_triple(p, f->maxntid);
    } else if (ptx_accept_dot(p, PTX_W_reqntid)) {
        parse_triple(p, f->reqntid);
    } else if (ptx_accept_dot(p, PTX_W_minnctapersm)) {
        f->minnctapersm = parse_positive(p, "the number of CTAs per SM");
    } else if (ptx_accept_dot(p, PTX_W_maxnctapersm)) {
        f->maxnctapersm = parse_positive(p, "the number of CTAs per SM");
    } else if (ptx_accept_dot(p, PTX_W_maxnreg)) {
        f->maxnreg = parse_positive(p, "the number of registers");
    } else if (ptx_accept_dot(p, PTX_W_reqnctapercluster)) {
        parse_triple(p, f->reqnctapercluster);
    } else if (ptx_accept_dot(p, PTX_W_maxclusterrank)) {
        f->maxclusterrank = ptx_parse_u32(p, "the number of CTAs of a cluster");
    } else if (ptx_accept_dot(p, PTX_W_explicitcluster)) {
        f->explicitcluster = true;
    } else if (ptx_accept_dot(p, PTX_W_blocksareclusters)) {
        f->blocksareclusters = true;
    } else if (ptx_accept_dot(p, PTX_W_noreturn)) {
        f->noreturn = true;
    } else if (ptx_accept_dot(p, PTX_W_abi_preserve) ||
               ptx_accept_dot(p, PTX_W_abi_preserve_control)) {
        (void)ptx_parse_u32(p, "a number of registers");
    } else if (ptx_accept_dot(p, PTX_W_attribute)) {
        parse_attribute(p, NULL);
    } else if (ptx_accept_dot(p, PTX_W_pragma)) {
        if (p->tok.kind != PTX_T_STRING) ptx_error(p, "expected a string behind .pragma");
        f->pragma = p->tok.word;
        ptx_advance(p);
        (void)ptx_accept_punct(p, ';');
    } else {
        return false;
    }
    return true;
}

/* Reads return values, name, parameters and directives of a function. Ends behind a semicolon, or
 * with has_body behind `{`. @return the function, without its body. */
struct ptx_func *ptx_parse_func_head(struct ptx_parser *p, unsigned linkage) {
    struct ptx_func *f = ARENA_NEW(p->arena, struct ptx_func);
    f->is_entry = p->tok.word == PTX_W_entry;
    f->linkage = (uint8_t)linkage;
    ptx_advance(p);
    if (!f->is_entry && ptx_accept_dot(p, PTX_W_attribute)) parse_attribute(p, NULL);
    if (!f->is_entry && ptx_is_punct(p, '(')) f->rets = ptx_parse_param_list(p);
    f->line = p->tok.line;
    f->col = p->tok.col;
    f->name = ptx_expect_name(p, f->is_entry ? "the name of a kernel" : "the name of a function");
    if (ptx_is_punct(p, '(')) f->params = ptx_parse_param_list(p);
    while (parse_perf(p, &f->perf)) {
    }
    while (ptx_accept_dot(p, PTX_W_loc)) /* clang puts one between head and body */
        for (int i = 0; i < 3; i++) (void)ptx_parse_u32(p, "a number of .loc");
    if (ptx_accept_punct(p, ';')) return f;
    if (!ptx_is_punct(p, '{')) {
        ptx_error(p, "expected '{' or ';' here: the body of '%s' is missing",
                  ptx_words_text(p->words, f->name));
        return f;
    }
    f->has_body = true;
    ptx_advance(p);
    return f;
}

/* The head of a function without body, behind .callprototype, through its semicolon. */
struct ptx_func *ptx_parse_prototype(struct ptx_parser *p) {
    struct ptx_func *f = ARENA_NEW(p->arena, struct ptx_func);
    f->line = p->tok.line;
    f->col = p->tok.col;
    if (ptx_is_punct(p, '(')) f->rets = ptx_parse_param_list(p);
    f->name = ptx_expect_name(p, "the _ of a prototype");
    if (ptx_is_punct(p, '(')) f->params = ptx_parse_param_list(p);
    while (parse_perf(p, &f->perf)) {
    }
    ptx_expect_punct(p, ';', "the semicolon behind .callprototype");
    return f;
}
