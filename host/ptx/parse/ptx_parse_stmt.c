/* ptx_parse_stmt.c - statements inside a body: instructions, operands, labels, scoped blocks.
 *
 * Every parse_* function follows the conventions of ptx_parser.h: it reads tokens from p->tok on,
 * allocates nodes in p->arena, and records errors in `p`. What it finds goes into its result, or
 * into the node that it is given. `call`: the instruction is a call, where a parenthesis opens a
 * list of parameters; elsewhere it opens an expression.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/parse/ptx_parser.h"

static struct ptx_operand *parse_operand(struct ptx_parser *p, bool call);

/* ---- operands ------------------------------------------------------------------------------- */

/* An empty operand that begins at the present token. */
static struct ptx_operand *new_operand(struct ptx_parser *p, unsigned kind) {
    struct ptx_operand *o = ARENA_NEW(p->arena, struct ptx_operand);
    o->kind = (uint8_t)kind;
    o->line = p->tok.line;
    o->col = p->tok.col;
    return o;
}

/* Operands up to the token `close`, which is consumed, into o->sub. */
static void parse_list(struct ptx_parser *p, struct ptx_operand *o, unsigned close, bool call,
                       const char *what) {
    uint32_t cap = 0;
    while (!p->failed && !ptx_is_punct(p, close)) {
        struct ptx_operand *s = parse_operand(p, call);
        *ARENA_PUSH(p->arena, o->sub, o->n_sub, cap) = s;
        if (o->n_sub > PTX_MAX_OPERANDS)
            ptx_error(p, "more than %d operands; split the instruction", PTX_MAX_OPERANDS);
        if (!ptx_accept_punct(p, ',')) break;
    }
    ptx_expect_punct(p, close, what);
}

/* [base + offset, more], from behind the opening bracket. */
static void parse_address(struct ptx_parser *p, struct ptx_operand *o) {
    parse_list(p, o, ']', false, "the bracket that closes the address");
    if (p->failed) return;
    if (o->n_sub == 0) {
        ptx_error(p, "an address cannot be empty; write a register, a variable or a number");
        return;
    }
    struct ptx_operand *base = o->sub[0];
    if (base->kind == PTX_OPD_NAME) o->offset = base->offset;
}

/* A name and what may follow it: .x, +4, [3]. */
static struct ptx_operand *parse_name_operand(struct ptx_parser *p) {
    struct ptx_operand *o = new_operand(p, PTX_OPD_NAME);
    o->name = p->tok.word;
    ptx_advance(p);
    if (p->tok.kind == PTX_T_DOT && !p->tok.spaced) {
        o->member = p->tok.word;
        ptx_advance(p);
    }
    if (ptx_is_punct(p, '+') || ptx_is_punct(p, '-')) {
        bool minus = ptx_is_punct(p, '-');
        if (minus) ptx_error(p, "an offset follows a +, also where it is negative: +-4");
        ptx_advance(p);
        struct ptx_token at = p->tok;
        struct ptx_const v = ptx_parse_const_unary(p);
        if (minus) v = ptx_const_negate(v);
        v = ptx_parse_const_rest(p, v);
        if (!p->failed && v.kind != PTX_CONST_INT)
            ptx_error_at(p, &at, "the offset of an address must be an integer");
        o->offset = (int64_t)v.bits;
    } else if (ptx_accept_punct(p, '[')) {
        o->indexed = true;
        o->offset = ptx_parse_int(p, "the index of an array");
        ptx_expect_punct(p, ']', "the bracket that closes the index");
    }
    return o;
}

/* An operand without `|`. */
static struct ptx_operand *parse_primary(struct ptx_parser *p, bool call) {
    struct ptx_operand *o;
    if (p->tok.kind == PTX_T_IDENT) {
        if (p->tok.word == PTX_W_sink) {
            o = new_operand(p, PTX_OPD_SINK);
            ptx_advance(p);
            return o;
        }
        if (p->tok.word != PTX_W_WARP_SZ) return parse_name_operand(p);
    }
    if (ptx_is_punct(p, '[')) {
        o = new_operand(p, PTX_OPD_ADDR);
        ptx_advance(p);
        parse_address(p, o);
    } else if (ptx_is_punct(p, '{')) {
        o = new_operand(p, PTX_OPD_VEC);
        ptx_advance(p);
        parse_list(p, o, '}', false, "the brace that closes the vector");
    } else if (call && ptx_is_punct(p, '(')) {
        o = new_operand(p, PTX_OPD_LIST);
        ptx_advance(p);
        parse_list(p, o, ')', true, "the parenthesis that closes the call's parameters");
    } else if (ptx_is_punct(p, '!')) {
        struct ptx_token t = p->tok;
        ptx_advance(p);
        if (p->tok.kind == PTX_T_IDENT && p->tok.word != PTX_W_WARP_SZ) {
            o = parse_primary(p, false);
            o->inverted = true;
        } else { /* a constant: ! is C's operator */
            o = new_operand(p, PTX_OPD_CONST);
            o->value = ptx_parse_const_unary(p);
            if (!p->failed && o->value.kind != PTX_CONST_INT)
                ptx_error_at(p, &t, "! wants an integer or a predicate");
            o->value.bits = o->value.bits == 0;
            o->value = ptx_parse_const_rest(p, o->value);
        }
    } else if (ptx_is_punct(p, '-')) {
        o = new_operand(p, PTX_OPD_CONST);
        ptx_advance(p);
        ptx_refuse_hex_float(p);
        if (p->tok.kind == PTX_T_IDENT && p->tok.word != PTX_W_WARP_SZ) {
            o = parse_primary(p, false); /* video instructions negate registers */
            o->negated = true;
        } else {
            o->value = ptx_const_negate(ptx_parse_const_unary(p));
            o->value = ptx_parse_const_rest(p, o->value);
        }
    } else if (p->tok.kind == PTX_T_CONST || p->tok.kind == PTX_T_IDENT || ptx_is_punct(p, '(') ||
               ptx_is_punct(p, '~') || ptx_is_punct(p, '+')) {
        o = new_operand(p, PTX_OPD_CONST);
        o->value = ptx_parse_const(p);
    } else {
        o = new_operand(p, PTX_OPD_SINK);
        ptx_error(p, "expected an operand here: a register, a number, [address] or {vector}");
    }
    return o;
}

/* An operand, or a pair d|p. */
static struct ptx_operand *parse_operand(struct ptx_parser *p, bool call) {
    if (!ptx_enter(p)) return new_operand(p, PTX_OPD_SINK);
    struct ptx_operand *o = parse_primary(p, call);
    if (ptx_is_punct(p, '|')) { /* d|p: two destinations */
        struct ptx_operand *pair = new_operand(p, PTX_OPD_PAIR);
        pair->line = o->line;
        pair->col = o->col;
        ptx_advance(p);
        pair->sub = ARENA_ARRAY(p->arena, struct ptx_operand *, 2);
        pair->sub[0] = o;
        pair->sub[1] = parse_primary(p, false);
        pair->n_sub = 2;
        o = pair;
    }
    ptx_leave(p);
    return o;
}

/* ---- instructions --------------------------------------------------------------------------- */

/* The operands of the instruction, up to its semicolon, which stays. */
static void parse_operands(struct ptx_parser *p, struct ptx_inst *in) {
    uint32_t cap = 0;
    bool call = in->op == PTX_W_call;
    if (ptx_is_punct(p, ';')) return;
    do {
        struct ptx_operand *o = parse_operand(p, call);
        if (p->failed) return;
        *ARENA_PUSH(p->arena, in->opd, in->n_opd, cap) = o;
        if (in->n_opd > PTX_MAX_OPERANDS)
            ptx_error(p, "more than %d operands; split the instruction", PTX_MAX_OPERANDS);
    } while (ptx_accept_punct(p, ','));
}

/* @return the word begins a directive or belongs to a declaration, so that it is no modifier of any
 * instruction. */
static bool is_directive(ptx_word w) {
    switch (w) {
    case PTX_W_target:
    case PTX_W_address_size:
    case PTX_W_entry:
    case PTX_W_func:
    case PTX_W_visible:
    case PTX_W_extern_:
    case PTX_W_common:
    case PTX_W_reg:
    case PTX_W_align:
    case PTX_W_maxntid:
    case PTX_W_maxnctapersm:
    case PTX_W_minnctapersm:
    case PTX_W_maxnreg:
    case PTX_W_reqntid:
    case PTX_W_pragma:
    case PTX_W_loc:
    case PTX_W_file:
    case PTX_W_section:
    case PTX_W_branchtargets:
    case PTX_W_calltargets:
    case PTX_W_callprototype:
    case PTX_W_attribute:
    case PTX_W_noreturn:
    case PTX_W_ptr:
    case PTX_W_managed:
    case PTX_W_unified:
    case PTX_W_explicitcluster: return true;
    default: return false;
    }
}

/* An instruction from its opcode, or from the @ of its guard, through its semicolon. */
static void parse_inst(struct ptx_parser *p, struct ptx_inst *in) {
    in->begin = in->end = p->tok.begin;
    if (ptx_accept_punct(p, '@')) {
        in->guarded = true;
        in->guard_inverted = ptx_accept_punct(p, '!');
        in->guard = ptx_expect_name(p, "the predicate of a guard");
    }
    in->op = ptx_expect_name(p, "an instruction");
    uint32_t cap = 0;
    while (p->tok.kind == PTX_T_DOT) {
        if (is_directive(p->tok.word)) {
            ptx_error(p,
                      "a directive stands in an instruction; end the instruction with ';' before "
                      "it");
            return;
        }
        *ARENA_PUSH(p->arena, in->mod, in->n_mod, cap) = p->tok.word;
        ptx_advance(p);
    }
    parse_operands(p, in);
    in->end = p->tok.begin;
    while (in->end > in->begin &&
           (p->lx.text[in->end - 1] == ' ' || p->lx.text[in->end - 1] == '\n'))
        in->end--;
    if (!ptx_accept_punct(p, ';'))
        ptx_error(p, "expected ',' or ';' here: the instruction before does not end");
}

/* ---- directives inside a body --------------------------------------------------------------- */

/* FILE LINE COL [, function_name LABEL [+ n], inlined_at FILE LINE COL] behind .loc */
static void parse_loc(struct ptx_parser *p, struct ptx_loc *l) {
    l->file = ptx_parse_u32(p, "the file number of .loc");
    l->line = ptx_parse_u32(p, "the line of .loc");
    l->col = ptx_parse_u32(p, "the column of .loc");
    while (ptx_accept_punct(p, ',')) {
        ptx_word w = ptx_expect_name(p, "function_name or inlined_at");
        if (w == PTX_W_function_name) {
            l->function = ptx_expect_name(p, "the label of the function's name");
            if (ptx_accept_punct(p, '+')) (void)ptx_parse_u32(p, "the offset of the label");
        } else if (w == PTX_W_inlined_at) {
            l->at_file = ptx_parse_u32(p, "the file number of inlined_at");
            l->at_line = ptx_parse_u32(p, "the line of inlined_at");
            l->at_col = ptx_parse_u32(p, "the column of inlined_at");
        } else {
            ptx_error(p, "expected function_name or inlined_at behind the comma of .loc");
        }
    }
}

/* A list of names behind .branchtargets or .calltargets, through its semicolon. */
static void parse_targets(struct ptx_parser *p, struct ptx_targets *t) {
    uint32_t cap = 0;
    do {
        ptx_word w = ptx_expect_name(p, "a label or function");
        if (p->failed) return;
        if (ptx_accept_punct(p, '<')) /* N<5>: five labels N0..N4 */
            ptx_error(p, "ranges of labels are not supported; list the labels one by one");
        *ARENA_PUSH(p->arena, t->name, t->n, cap) = w;
    } while (ptx_accept_punct(p, ','));
    ptx_expect_punct(p, ';', "the semicolon behind a list of targets");
}

/* A directive inside a body, into `s`. @return false: it makes no statement */
static bool parse_directive(struct ptx_parser *p, struct ptx_stmt *s) {
    if (ptx_at_space(p)) {
        s->kind = PTX_STMT_VARS;
        s->vars = ptx_parse_vars(p, PTX_LINK_INTERNAL);
        ptx_expect_punct(p, ';', "the semicolon behind a declaration");
    } else if (ptx_accept_dot(p, PTX_W_loc)) {
        s->kind = PTX_STMT_LOC;
        parse_loc(p, &s->loc);
    } else if (ptx_accept_dot(p, PTX_W_pragma)) {
        s->kind = PTX_STMT_PRAGMA;
        s->pragma = p->tok.word;
        if (p->tok.kind != PTX_T_STRING) ptx_error(p, "expected a string behind .pragma");
        ptx_advance(p);
        ptx_expect_punct(p, ';', "the semicolon behind .pragma");
    } else if (ptx_accept_dot(p, PTX_W_branchtargets)) {
        s->kind = PTX_STMT_BRANCHTARGETS;
        parse_targets(p, &s->targets);
    } else if (ptx_accept_dot(p, PTX_W_calltargets)) {
        s->kind = PTX_STMT_CALLTARGETS;
        parse_targets(p, &s->targets);
    } else if (ptx_accept_dot(p, PTX_W_callprototype)) {
        s->kind = PTX_STMT_CALLPROTOTYPE;
        s->prototype = ptx_parse_prototype(p);
    } else if (ptx_accept_dot(p, PTX_W_section)) {
        ptx_parse_section(p);
        return false;
    } else if (ptx_accept_dot(p, PTX_W_file)) {
        ptx_parse_file(p);
        return false;
    } else {
        ptx_error(p,
                  "directive '.%s' is not known inside a body; expected an instruction, a label, "
                  "a declaration or .loc",
                  ptx_words_text(p->words, p->tok.word));
        return false;
    }
    return true;
}

/* A label, if a colon follows the present name. @return false: it is not one, nothing has been
 * read */
static bool parse_label(struct ptx_parser *p, struct ptx_stmt *s) {
    if (p->tok.kind != PTX_T_IDENT) return false;
    struct ptx_lexer save = p->lx;
    struct ptx_token name = p->tok, next;
    ptx_lex_next(&p->lx, &next);
    if (next.kind == PTX_T_PUNCT && next.punct == ':') {
        s->kind = PTX_STMT_LABEL;
        s->label = name.word;
        ptx_advance(p);
        return true;
    }
    p->lx = save;
    return false;
}

/* Reads statements from behind the opening brace through the closing one; nested blocks call it
 * again. @return the first statement, NULL: none; after an error, those read so far. */
struct ptx_stmt *ptx_parse_block(struct ptx_parser *p) {
    struct ptx_stmt *first = NULL, **tail = &first;
    struct ptx_token open = p->tok;
    if (!ptx_enter(p)) return NULL;
    while (!ptx_is_punct(p, '}')) {
        if (p->failed) return first;
        if (p->tok.kind == PTX_T_EOF) {
            ptx_error_at(p, &open, "the block that begins here does not end; close it with }");
            return first;
        }
        struct ptx_stmt *s = ARENA_NEW(p->arena, struct ptx_stmt);
        s->line = p->tok.line;
        s->col = p->tok.col;
        bool keep = true;
        if (p->tok.kind == PTX_T_DOT) {
            keep = parse_directive(p, s);
        } else if (ptx_accept_punct(p, '{')) {
            s->kind = PTX_STMT_BLOCK;
            s->block = ptx_parse_block(p);
        } else if (!parse_label(p, s)) {
            s->kind = PTX_STMT_INST;
            parse_inst(p, &s->inst);
        }
        if (keep) {
            *tail = s;
            tail = &s->next;
        }
    }
    ptx_leave(p);
    ptx_advance(p);
    return first;
}
