/* check_operand.c - an operand against what the instruction's form wants there.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/check/check.h"

#include <stdio.h>
#include <string.h>

/* The elements of a value that mov takes apart or puts together: two or four of the same size. */
static void check_parts(struct check *ck, const struct ptx_operand *o, const struct form_operand *f,
                        bool written) {
    struct form_operand one = *f;
    one.slot = -1;
    one.kind = 'd';
    one.type.bits = o->n_sub ? (uint8_t)(f->type.bits / o->n_sub) : 0;
    one.word = one.type.bits == 8    ? PTX_W_b8
               : one.type.bits == 16 ? PTX_W_b16
               : one.type.bits == 32 ? PTX_W_b32
                                     : PTX_W_b64;
    if (f->type.cls != CHECK_BITS || (o->n_sub != 2 && o->n_sub != 4) || one.type.bits < 8) {
        check_wrong_type(ck, o, "a register", f);
        return;
    }
    for (uint32_t i = 0; i < o->n_sub; i++)
        if (!written)
            check_source(ck, o->sub[i], &one);
        else if (o->sub[i]->kind != PTX_OPD_SINK)
            check_register(ck, o->sub[i], &one, "a register");
}

/* What mov may copy: a value, the elements of a vector, an address, a special register. */
static void check_moved(struct check *ck, const struct ptx_operand *o,
                        const struct form_operand *f) {
    if (o->kind == PTX_OPD_VEC) {
        check_parts(ck, o, f, false);
        return;
    }
    if (o->kind != PTX_OPD_NAME) {
        if (f->type.cls == CHECK_PRED)
            check_predicate(ck, o);
        else
            check_source(ck, o, f);
        return;
    }
    const struct check_name *n = check_named(ck, o);
    if (!n) return;
    if (f->type.cls == CHECK_PRED) {
        check_predicate(ck, o);
        return;
    }
    bool whole = f->type.cls == CHECK_BITS || f->type.cls == CHECK_INT;
    if (o->inverted || o->negated ||
        (o->member && n->kind != CHECK_REG && n->kind != CHECK_SPECIAL)) {
        check_wrong_type(ck, o, "a value", f);
        return;
    }
    switch (n->kind) {
    case CHECK_SPECIAL:
        if (!whole || f->type.packed || f->type.bits > 64 ||
            !(o->member ? check_is_element(o->member, n->vec) : n->vec == 1) ||
            (f->type.bits != n->type.bits && !(n->vec > 1 && f->type.bits == 16) &&
             !(n->old_width && f->type.bits == 32)))
            check_wrong_type(ck, o, "a value", f);
        return;
    case CHECK_VAR:
    case CHECK_FUNC:
        if (!whole || f->type.bits < 32 || f->type.bits == 128 ||
            (f->type.bits == 32 && n->kind == CHECK_VAR && n->space == PTX_SPACE_GLOBAL))
            check_wrong_type(ck, o, "a value", f);
        return;
    default: check_register(ck, o, f, "a register, a number or a name"); return;
    }
}

/* Reports a vector of which no element is wanted: { _, _ }. */
static void check_wanted(struct check *ck, const struct ptx_operand *o) {
    for (uint32_t i = 0; i < o->n_sub; i++)
        if (o->sub[i]->kind != PTX_OPD_SINK) return;
    check_error(ck, "all elements of a vector are '_'; name one of them");
}

/* A vector, or a single value where the instruction has no .v2 or .v4: what ld and st move. */
static void check_elements(struct check *ck, const struct ptx_operand *o,
                           const struct form_operand *f, unsigned vec) {
    struct form_operand one = *f;
    bool written = f->kind == 'V' || f->kind == 'X';
    bool surface = f->kind == 'X' || f->kind == 'Y';
    char wanted[60];
    one.kind = written ? 'D' : 'S';
    if (vec * f->type.bits > 128)
        check_error(ck, "%u elements of type .%s exceed 128 bits", vec, check_text(ck, f->word));
    if (o->kind == PTX_OPD_VEC && o->n_sub == vec) {
        unsigned bits = 0; /* of the registers before */
        check_wanted(ck, o);
        for (uint32_t i = 0; i < o->n_sub; i++) {
            const struct ptx_operand *e = o->sub[i];
            if (written && e->kind == PTX_OPD_SINK && (vec > 1 || f->may_sink)) continue;
            if (written)
                check_register(ck, e, &one, "a register");
            else
                check_source(ck, e, &one);
            const struct check_name *n = e->kind == PTX_OPD_NAME ? check_lookup(ck, e->name) : NULL;
            if (n && bits && n->type.bits != bits)
                check_error(ck, "the elements of a vector are registers of one size");
            if (n) bits = n->type.bits;
            if (n && surface && vec > 1 && bits != (f->type.bits < 16 ? 16 : f->type.bits))
                check_wrong_type(ck, e, "a register", &one);
        }
        return;
    }
    const struct check_name *n = o->kind == PTX_OPD_NAME ? check_lookup(ck, o->name) : NULL;
    if (vec == 1) {
        if (o->kind == PTX_OPD_SINK && f->may_sink) return;
        if (written)
            check_register(ck, o, &one, "a register");
        else
            check_source(ck, o, &one);
    } else if (!n || n->kind != CHECK_REG || n->vec != vec || o->member ||
               !check_type_agrees(f->type, n->type, true)) {
        snprintf(wanted, sizeof wanted, "a vector of %u elements of type .%.20s", vec,
                 check_text(ck, f->word));
        check_wrong(ck, o, wanted);
    }
}

/* An address in brackets, in the space of the instruction. */
static void check_address(struct check *ck, const struct ptx_operand *o,
                          const struct form_operand *f, unsigned space) {
    if (f->word) space = form_space(f->word);
    const struct ptx_operand *base = o->kind == PTX_OPD_ADDR ? o->sub[0] : o;
    if (o->kind != PTX_OPD_ADDR && !(o->kind == PTX_OPD_NAME && o->indexed)) {
        check_wrong(ck, o, "an address, as in [%rd1]");
        return;
    }
    if (o->kind == PTX_OPD_ADDR && o->n_sub != 1) {
        check_error(ck, "an address of one part is wanted, as in [%%rd1+8]");
        return;
    }
    if (base->kind == PTX_OPD_CONST) {
        if (base->value.kind != PTX_CONST_INT)
            check_wrong(ck, base, "a register, a variable or an integer");
        else if (space != PTX_SPACE_LOCAL)
            check_error(ck, "a number is an address in .local memory only; name a variable");
        return;
    }
    if (base->kind != PTX_OPD_NAME) {
        check_wrong(ck, base, "a register or a variable");
        return;
    }
    const struct check_name *n = check_named(ck, base);
    if (!n) return;
    if (base->inverted || base->negated || (base->member && n->kind != CHECK_REG)) {
        check_wrong(ck, base, "a register or a variable");
        return;
    }
    if (n->kind == CHECK_VAR) {
        bool generic = space == PTX_SPACE_NONE &&
                       (n->space == PTX_SPACE_GLOBAL || n->space == PTX_SPACE_SHARED ||
                        n->space == PTX_SPACE_LOCAL);
        if (n->space != space && !generic)
            check_error(ck, "variable '%s' does not lie in the state space of the instruction",
                        check_text(ck, base->name));
        return;
    }
    bool wide = space == PTX_SPACE_NONE || space == PTX_SPACE_GLOBAL;
    bool integer = n->type.cls == CHECK_BITS || n->type.cls == CHECK_INT;
    if (n->kind != CHECK_REG || n->vec > 1 || base->member || base->inverted || base->negated ||
        !integer || (wide ? n->type.bits != 64 : n->type.bits != 32 && n->type.bits != 64))
        check_wrong(ck, base,
                    wide ? "a 64-bit register or a variable" : "an integer register or a variable");
}

/* What cp.async copies of its source: a number of bytes up to its size, or a predicate that says
 * whether it copies none. */
static void check_copied(struct check *ck, const struct ptx_operand *o) {
    const struct check_name *n = o->kind == PTX_OPD_NAME ? check_lookup(ck, o->name) : NULL;
    struct form_operand f = {.kind = 's', .slot = -1, .step = 1, .word = PTX_W_u32};
    f.type = check_type_of(f.word);
    f.hi = (int64_t)ck->inst->opd[2]->value.bits;
    if (n && n->type.cls == CHECK_PRED)
        check_predicate(ck, o);
    else
        check_source(ck, o, &f);
}

/* The fraction of createpolicy: above 0, at most 1. */
static void check_fraction(struct check *ck, const struct ptx_operand *o,
                           const struct form_operand *f) {
    float single = 0;
    double d = 0;
    uint32_t low = (uint32_t)o->value.bits;
    memcpy(&single, &low, sizeof single);
    memcpy(&d, &o->value.bits, sizeof d);
    if (o->kind == PTX_OPD_CONST && o->value.kind != PTX_CONST_INT) {
        if (o->value.kind == PTX_CONST_F32) d = single;
        if (!(d > 0 && d <= 1)) check_error(ck, "a fraction above 0 and up to 1 is wanted");
        return;
    }
    check_source(ck, o, f);
}

/* The name of a label of this function. */
static void check_label(struct check *ck, const struct ptx_operand *o) {
    const struct check_name *n = o->kind == PTX_OPD_NAME && !o->member && !o->inverted &&
                                         !o->negated
                                     ? check_lookup(ck, o->name)
                                     : NULL;
    if (n && n->kind == CHECK_LABEL) return;
    if (o->kind == PTX_OPD_NAME && !n)
        check_error(ck, "label '%s' does not stand in this function", check_text(ck, o->name));
    else
        check_wrong(ck, o, "a label");
}

static void check_one(struct check *ck, const struct form_use *u, const struct form_operand *f,
                      const struct ptx_operand *o);

/* [texture or surface, coordinates]: f->count coordinates of the type, 0: none. */
static void check_texture(struct check *ck, const struct ptx_operand *o,
                          const struct form_operand *f) {
    struct form_operand one = *f;
    one.kind = 's';
    if (o->kind != PTX_OPD_ADDR) {
        check_wrong(ck, o, "a texture or surface in brackets");
        return;
    }
    if (f->count && o->n_sub == 3) return; /* a sampler of its own: the lowering refuses it */
    const struct ptx_operand *t = o->sub[0];
    const struct check_name *n = t->kind == PTX_OPD_NAME ? check_named(ck, t) : NULL;
    if (ck->err) return;
    if (o->n_sub != (f->count ? 2 : 1) || !n || t->member || t->inverted || t->negated ||
        t->indexed || t->offset ||
        (n->kind == CHECK_REG ? n->vec > 1 || n->type.bits != 64 || n->type.cls == CHECK_FLOAT
                              : n->kind != CHECK_VAR || (n->type_word != PTX_W_texref &&
                                                         n->type_word != PTX_W_surfref))) {
        check_wrong(ck, o, f->count ? "[texture, {coordinates}]" : "[texture]");
        return;
    }
    if (!f->count) return;
    const struct ptx_operand *c = o->sub[1];
    if (c->kind != PTX_OPD_VEC) {
        if (f->count == 1)
            check_source(ck, c, &one);
        else
            check_error(ck, "%u coordinates in braces are wanted", f->count);
        return;
    }
    if (c->n_sub != f->count) {
        check_error(ck, "%u coordinates are wanted, not %u", f->count, c->n_sub);
        return;
    }
    for (uint32_t i = 0; i < c->n_sub; i++) {
        struct form_operand first = one;
        first.word = PTX_W_u32;
        first.type = check_type_of(PTX_W_u32);
        check_source(ck, c->sub[i], f->kind == 'U' && i == 0 ? &first : &one);
    }
}

/* A vector of f->count elements. */
static void check_vector(struct check *ck, const struct form_use *u, const struct form_operand *f,
                         const struct ptx_operand *o) {
    struct form_operand one = *f;
    char wanted[60];
    one.count = 0;
    if (o->kind == PTX_OPD_VEC && o->n_sub == f->count) {
        check_wanted(ck, o);
        for (uint32_t i = 0; i < o->n_sub; i++) {
            check_one(ck, u, &one, o->sub[i]);
            if (ck->inst->op == PTX_W_wmma && o->sub[i]->member)
                check_wrong(ck, o->sub[i], "a whole register");
        }
        return;
    }
    if (o->kind != PTX_OPD_VEC && f->count == 1) {
        check_one(ck, u, &one, o);
        return;
    }
    snprintf(wanted, sizeof wanted, "a vector of %u elements", f->count);
    check_wrong(ck, o, wanted);
}

/* Is the video instruction one on several parts of a register: vadd2, vadd4? */
static bool is_simd(const struct check *ck) {
    const char *op = check_text(ck, ck->inst->op);
    return op[strlen(op) - 1] == '2' || op[strlen(op) - 1] == '4';
}

/* A register or number of a video instruction: 32 bits, perhaps with a selector of its bytes. */
static void check_video(struct check *ck, const struct ptx_operand *o, const struct form_operand *f,
                        bool simd) {
    struct ptx_operand whole = *o;
    bool written = f->kind == 'E';
    if (o->kind == PTX_OPD_NAME && o->member) {
        const char *m = check_text(ck, o->member);
        size_t n = strlen(m + 1), most = simd ? 4 : 1;
        const char *digits = m[0] == 'h' ? simd ? "0123" : "01" : simd ? "01234567" : "0123";
        if (written) digits = m[0] == 'h' ? "01" : "0123";
        if (m[0] == 'h' && simd) most = 2;
        if ((m[0] != 'h' && m[0] != 'b') || n == 0 || n > most || strspn(m + 1, digits) != n)
            check_error(ck, "'.%s' selects no part of a register", m);
        whole.member = PTX_W_NONE;
    }
    if (f->kind == 'g') whole.negated = false;
    if (written || simd)
        check_register(ck, &whole, f, "a register");
    else
        check_source(ck, &whole, f);
}

/* A list of labels. */
static void check_targets(struct check *ck, const struct ptx_operand *o) {
    const struct check_name *n = o->kind == PTX_OPD_NAME ? check_lookup(ck, o->name) : NULL;
    if (!n || n->kind != CHECK_TARGETS || o->member || o->inverted || o->negated)
        check_error(ck, "the name of a list of labels (.branchtargets) is wanted");
}

/* A register or number of 32 or 64 bits. */
static void check_either(struct check *ck, const struct ptx_operand *o) {
    struct form_operand f = {.kind = 's', .lo = INT64_MIN, .hi = INT64_MAX, .step = 1};
    const struct check_name *n = o->kind == PTX_OPD_NAME ? check_lookup(ck, o->name) : NULL;
    f.word = n && n->type.bits == 32 ? PTX_W_u32 : PTX_W_u64;
    f.type = check_type_of(f.word);
    check_source(ck, o, &f);
}

/* A value, or a variable in the state space of the instruction. */
static void check_variable(struct check *ck, const struct ptx_operand *o,
                           const struct form_operand *f, unsigned space) {
    const struct check_name *n = o->kind == PTX_OPD_NAME ? check_lookup(ck, o->name) : NULL;
    if (!n || n->kind != CHECK_VAR || o->inverted || o->negated || o->member)
        check_source(ck, o, f);
    else if (n->space != space)
        check_error(ck, "variable '%s' does not lie in the state space of the instruction",
                    check_text(ck, o->name));
}

/* Checks one operand. */
static void check_one(struct check *ck, const struct form_use *u, const struct form_operand *f,
                      const struct ptx_operand *o) {
    if (ck->err) return;
    if (f->kind == 'T' || f->kind == 'U') {
        check_texture(ck, o, f);
        return;
    }
    if (f->count) {
        check_vector(ck, u, f, o);
        return;
    }
    if (o->kind == PTX_OPD_PAIR && f->pair) {
        struct form_operand first = *f;
        first.pair = 0;
        first.may_sink = !f->first_stands;
        if (o->sub[0]->member) check_wrong(ck, o->sub[0], "a whole register before '|'");
        check_one(ck, u, &first, o->sub[0]);
        check_result_predicate(ck, o->sub[1], f->pair != 3);
        return;
    }
    if (f->pair >= 2) {
        check_wrong(ck, o, "a register and a predicate, as in %r1|%p1,");
        return;
    }
    if (o->kind == PTX_OPD_SINK && f->may_sink) return;
    switch (f->kind) {
    case 'd':
    case 'D': check_register(ck, o, f, "a register"); break;
    case 'r': check_register(ck, o, f, "a register"); break;
    case 's':
    case 'S': check_source(ck, o, f); break;
    case 'q':
        if (o->kind != PTX_OPD_NAME) check_wrong(ck, o, "a predicate");
        /* fall through */
    case 'p': check_predicate(ck, o); break;
    case 'P': check_result_predicate(ck, o, f->may_sink); break;
    case 'i': check_integer(ck, o, f); break;
    case 'k': /* a count: no negative number */
        if (o->kind == PTX_OPD_CONST && o->value.kind == PTX_CONST_INT && o->value.bits >> 32)
            check_error(ck, "a number from 0 to 4294967295 is wanted as operand");
        else
            check_source(ck, o, f);
        break;
    case 'n':
        if (o->kind == PTX_OPD_VEC)
            check_parts(ck, o, f, true);
        else
            check_register(ck, o, f, "a register");
        break;
    case 'c': {
        const struct check_name *n = o->kind == PTX_OPD_NAME ? check_lookup(ck, o->name) : NULL;
        struct form_operand wide = *f;
        wide.kind = 'S';
        if (!n || n->kind != CHECK_SPECIAL || n->type.bits < f->type.bits || o->inverted ||
            o->negated || !(o->member ? check_is_element(o->member, n->vec) : n->vec == 1))
            check_source(ck, o, &wide);
        break;
    }
    case 'm': check_moved(ck, o, f); break;
    case 'V':
    case 'W':
    case 'X':
    case 'Y': check_elements(ck, o, f, u->vec); break;
    case 'a': check_address(ck, o, f, u->space); break;
    case 'h': {
        struct form_operand policy = *f;
        policy.kind = 's';
        policy.word = PTX_W_u64; /* of the .b64 that the manual says no float */
        policy.type = check_type_of(PTX_W_u64);
        check_source(ck, o, &policy);
        break;
    }
    case 'e':
    case 'g':
    case 'E': check_video(ck, o, f, is_simd(ck)); break;
    case 'v': check_variable(ck, o, f, u->space); break;
    case 'w': check_fraction(ck, o, f); break;
    case 'z': check_copied(ck, o); break;
    case 'y':
        if (o->kind != PTX_OPD_NAME || o->inverted || o->negated)
            check_wrong(ck, o, "a texture or surface");
        else
            (void)check_named(ck, o);
        break;
    case 'x': check_either(ck, o); break;
    case 't': check_targets(ck, o); break;
    case 'l': check_label(ck, o); break;
    default: break; /* '*': left to the lowering */
    }
}

/* vmad negates its product or its third operand, and with .po neither. */
static void check_negation(struct check *ck, const struct form_use *u) {
    struct ptx_operand *const *o = ck->inst->opd;
    bool product = o[1]->negated != o[2]->negated, po = false;
    for (uint32_t i = 0; i < u->n_mod; i++) po |= !strcmp(check_text(ck, u->mod[i]), "po");
    if (product && o[3]->negated)
        check_error(ck, "either the product or the third operand can be negated");
    if (po && (o[1]->negated || o[2]->negated || o[3]->negated))
        check_error(ck, "nothing can be negated with .po");
}

/* Do as many operands stand as the form takes? The policy of .L2::cache_hint is one of them. */
static bool count_fits(const struct form_use *u, uint32_t n) {
    const struct form *f = u->form;
    unsigned least = f->least, most = f->n_operands;
    if (most && f->operand[most - 1].kind == 'h') {
        most -= !u->hint;
        least += u->hint;
    }
    return n >= least && n <= most;
}

void check_operands(struct check *ck, const struct form_use *u) {
    const struct ptx_inst *in = ck->inst;
    const struct form *f = u->form;
    if (f->n_operands && f->operand[f->n_operands - 1].kind == '~') return; /* any operands */
    const struct form_use *first = u;
    while (u && !count_fits(u, in->n_opd)) u = u->other;
    if (!u) {
        unsigned least = f->least, most = f->n_operands;
        for (u = first->other; u; u = u->other) {
            if (u->form->least < least) least = u->form->least;
            if (u->form->n_operands > most) most = u->form->n_operands;
        }
        if (most && f->operand[f->n_operands - 1].kind == 'h' && in->n_opd >= least &&
            in->n_opd <= most)
            check_error(ck, "a cache policy and .L2::cache_hint belong together");
        else if (least == most)
            check_error(ck, "this instruction takes %u operands, not %u", least, in->n_opd);
        else
            check_error(ck, "this instruction takes %u to %u operands, not %u", least, most,
                        in->n_opd);
        return;
    }
    for (uint32_t i = 0; i < in->n_opd; i++) {
        uint32_t last = u->form->n_operands - 1u; /* a policy is the last, whatever is missing */
        bool policy = u->hint && i + 1 == in->n_opd && u->operand[last].kind == 'h';
        check_one(ck, u, &u->operand[policy ? last : i], in->opd[i]);
    }
    if (in->op == PTX_W_vmad && in->n_opd == 4) check_negation(ck, u);
}
