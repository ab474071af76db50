/* check_value.c - operands that are one value: registers, numbers, predicates, integers.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/check/check.h"

#include <stdio.h>
#include <string.h>

/* ---- messages ------------------------------------------------------------------------------- */

/* Writes what an operand is into out[0..size). @return out */
static const char *describe(struct check *ck, const struct ptx_operand *o, char *out, size_t size) {
    static const char *const kinds[] = {
        [PTX_OPD_ADDR] = "an address in brackets",
        [PTX_OPD_VEC] = "a vector",
        [PTX_OPD_PAIR] = "two results",
        [PTX_OPD_LIST] = "a list of parameters",
        [PTX_OPD_SINK] = "'_', which stands for a result that is not wanted"};
    const struct check_name *n;
    if (o->kind == PTX_OPD_CONST) {
        snprintf(out, size, "%s",
                 o->value.kind == PTX_CONST_INT ? "an integer" : "a floating-point number");
    } else if (o->kind != PTX_OPD_NAME) {
        snprintf(out, size, "%s", kinds[o->kind]);
    } else {
        const char *t = check_text(ck, o->name), *dot = o->member ? "." : "";
        const char *member = o->member ? check_text(ck, o->member) : "";
        n = check_lookup(ck, o->name);
        const char *type = n ? check_text(ck, n->type_word) : "";
        const char *mark = o->inverted ? "!" : o->negated ? "-" : "";
        switch (n ? n->kind : CHECK_LABEL) {
        case CHECK_REG:
            snprintf(out, size, "'%s%.80s%s%.10s', a %s .%s", mark, t, dot, member,
                     n->vec > 1 && !o->member ? "vector register of" : "register of type", type);
            break;
        case CHECK_SPECIAL:
            snprintf(out, size, "special register '%.80s%s%.10s'", t, dot, member);
            break;
        case CHECK_FUNC: snprintf(out, size, "function '%.80s'", t); break;
        case CHECK_VAR: snprintf(out, size, "variable '%.80s'", t); break;
        default: snprintf(out, size, "label '%.80s'", t); break;
        }
    }
    return out;
}

/* Reports operand o as not being `wanted`. */
void check_wrong(struct check *ck, const struct ptx_operand *o, const char *wanted) {
    char what[160];
    unsigned at = 0;
    for (uint32_t i = 0; i < ck->inst->n_opd && !at; i++) {
        const struct ptx_operand *p = ck->inst->opd[i];
        if (p == o) at = i + 1;
        for (uint32_t k = 0; k < p->n_sub && !at; k++)
            if (p->sub[k] == o) at = i + 1;
    }
    describe(ck, o, what, sizeof what);
    if (at)
        check_error(ck, "operand %u is %s; %s is wanted there", at, what, wanted);
    else
        check_error(ck, "an operand is %s; %s is wanted there", what, wanted);
}

/* The same, naming the type that is wanted. */
void check_wrong_type(struct check *ck, const struct ptx_operand *o, const char *noun,
                      const struct form_operand *f) {
    char wanted[100];
    snprintf(wanted, sizeof wanted, "%s %s.%.20s%s", noun,
             f->doubled ? "twice as wide as " : "of type ", check_text(ck, f->word),
             f->kind == 'S' || f->kind == 'D' ? ", or wider" : "");
    check_wrong(ck, o, wanted);
}

/* ---- names ---------------------------------------------------------------------------------- */

/* What the operand's name stands for; reports one that is not declared. */
struct check_name *check_named(struct check *ck, const struct ptx_operand *o) {
    struct check_name *n = check_lookup(ck, o->name);
    if (!n)
        check_error(ck, "'%s' is not declared; declare it with .reg or name a variable",
                    check_text(ck, o->name));
    return n;
}

/* Does the member name an element of a register of `vec`? */
bool check_is_element(ptx_word member, unsigned vec) {
    switch (member) {
    case PTX_W_x:
    case PTX_W_r: return vec > 1;
    case PTX_W_y:
    case PTX_W_g: return vec > 1;
    case PTX_W_z:
    case PTX_W_b:
    case PTX_W_w:
    case PTX_W_a: return vec > 2;
    default: return false;
    }
}

/* Is the operand a register as a value: no vector, not inverted or negated? */
static bool check_is_value(const struct ptx_operand *o, const struct check_name *n) {
    if (o->inverted || o->negated || o->indexed || o->offset) return false;
    return o->member ? check_is_element(o->member, n->vec) : n->vec == 1;
}

/* ---- kinds of operands ---------------------------------------------------------------------- */

/* A register of the type. */
void check_register(struct check *ck, const struct ptx_operand *o, const struct form_operand *f,
                    const char *noun) {
    if (o->kind != PTX_OPD_NAME) {
        check_wrong_type(ck, o, noun, f);
        return;
    }
    const struct check_name *n = check_named(ck, o);
    if (!n) return;
    /* .f16x2 stands for the type of a suffix only */
    bool halves = n->type.packed && f->slot < 0 && f->type.cls == CHECK_INT;
    if (n->kind != CHECK_REG || !check_is_value(o, n) || halves ||
        !check_type_agrees(f->type, n->type, f->kind == 'D' || f->kind == 'S'))
        check_wrong_type(ck, o, noun, f);
}

/* Is the number within the bounds of f? Reports one that is not. */
static void check_bounds(struct check *ck, const struct ptx_operand *o,
                         const struct form_operand *f) {
    int64_t v = (int64_t)o->value.bits;
    if (v >= f->lo && v <= f->hi && v % f->step == 0) return;
    if (f->lo == f->hi)
        check_error(ck, "%lld is wanted as a number, not %lld", (long long)f->lo, (long long)v);
    else if (f->step > 1)
        check_error(ck, "a multiple of %lld from %lld to %lld is wanted, not %lld",
                    (long long)f->step, (long long)f->lo, (long long)f->hi, (long long)v);
    else
        check_error(ck, "a number from %lld to %lld is wanted, not %lld", (long long)f->lo,
                    (long long)f->hi, (long long)v);
}

/* A register or a number of the type. */
void check_source(struct check *ck, const struct ptx_operand *o, const struct form_operand *f) {
    if (o->kind == PTX_OPD_CONST && !o->inverted) {
        if (!check_type_takes(f->type, &o->value))
            check_wrong_type(ck, o, "a register or number", f);
        else if (o->value.kind == PTX_CONST_INT)
            check_bounds(ck, o, f);
        return;
    }
    check_register(ck, o, f, "a register or number");
}

/* A predicate that is read, perhaps inverted, or an integer. */
void check_predicate(struct check *ck, const struct ptx_operand *o) {
    if (o->kind == PTX_OPD_CONST && o->value.kind == PTX_CONST_INT) return;
    if (o->kind != PTX_OPD_NAME) {
        check_wrong(ck, o, "a predicate");
        return;
    }
    const struct check_name *n = check_named(ck, o);
    if (n &&
        (n->type.cls != CHECK_PRED || n->kind != CHECK_REG || n->vec > 1 || o->member ||
         o->negated || o->indexed || o->offset) &&
        !(n->kind == CHECK_SPECIAL && n->type.cls == CHECK_PRED))
        check_wrong(ck, o, "a predicate");
}

/* A predicate that is written. */
void check_result_predicate(struct check *ck, const struct ptx_operand *o, bool may_sink) {
    if (o->kind == PTX_OPD_SINK && may_sink) return;
    if (o->kind != PTX_OPD_NAME) {
        check_wrong(ck, o, "a predicate");
        return;
    }
    const struct check_name *n = check_named(ck, o);
    if (n && (n->kind != CHECK_REG || n->type.cls != CHECK_PRED || !check_is_value(o, n)))
        check_wrong(ck, o, "a predicate");
}

/* An integer. */
void check_integer(struct check *ck, const struct ptx_operand *o, const struct form_operand *f) {
    if (o->kind == PTX_OPD_CONST && o->value.kind == PTX_CONST_INT)
        check_bounds(ck, o, f);
    else
        check_wrong(ck, o, "an integer");
}
