/* check_call.c - the operands of a call: [(results),] function [, (arguments) [, prototype]].
 *
 * Sizes of arrays, and calls through pointers, are left to the lowering.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/check/check.h"

/* Checks that a list of results or arguments holds names, numbers among arguments only. */
static void check_list(struct check *ck, const struct ptx_operand *list, bool results) {
    for (uint32_t i = 0; i < list->n_sub; i++) {
        const struct ptx_operand *o = list->sub[i];
        if (o->kind == PTX_OPD_CONST && !results && !o->inverted) continue;
        if (o->kind == PTX_OPD_SINK && results) {
            check_error(ck, "a result of a call is named; '_' is no register or parameter");
        } else if (o->kind != PTX_OPD_NAME || o->inverted || o->negated || o->member) {
            check_error(ck, "%s of a call is the name of a register or parameter",
                        results ? "a result" : "an argument");
        } else if (!check_lookup(ck, o->name)) {
            check_error(ck, "'%s' is not declared; declare it with .reg or .param",
                        check_text(ck, o->name));
        }
    }
}

static uint32_t count(const struct ptx_var *v) {
    uint32_t n = 0;
    for (; v; v = v->next) n++;
    return n;
}

/* Checks that registers, parameters and numbers agree with the types of a function's parameters. */
static void check_types(struct check *ck, const struct ptx_operand *list, const struct ptx_var *v) {
    for (uint32_t i = 0; list && v && i < list->n_sub; i++, v = v->next) {
        const struct ptx_operand *o = list->sub[i];
        struct check_type want = check_type_of(v->type);
        const struct check_name *n = o->kind == PTX_OPD_NAME ? check_lookup(ck, o->name) : NULL;
        const bool typed = n && (n->kind == CHECK_REG || n->kind == CHECK_VAR) && n->vec <= 1;
        if (o->kind == PTX_OPD_CONST ? !v->n_dims && !check_type_takes(want, &o->value)
                                     : typed && !check_type_agrees(want, n->type, false))
            check_error(ck, "a call's operand does not agree with parameter '%s' of type .%s",
                        check_text(ck, v->name), check_text(ck, v->type));
    }
}

void check_call(struct check *ck) {
    const struct ptx_inst *in = ck->inst;
    const struct ptx_operand *rets = NULL, *args = NULL;
    uint32_t i = 0;
    if (i < in->n_opd && in->opd[i]->kind == PTX_OPD_LIST) rets = in->opd[i++];
    const struct ptx_operand *target = i < in->n_opd ? in->opd[i++] : NULL;
    if (i < in->n_opd && in->opd[i]->kind == PTX_OPD_LIST) args = in->opd[i++];
    if (rets) check_list(ck, rets, true);
    if (args) check_list(ck, args, false);
    if (target && (target->inverted || target->negated)) {
        check_error(ck, "a call wants the name of a function");
        return;
    }
    if (!target || target->kind != PTX_OPD_NAME) return;
    const struct check_name *n = check_lookup(ck, target->name);
    if (!n || n->kind != CHECK_FUNC || !n->func) return; /* the lowering reports it, if need be */
    if (i < in->n_opd) {
        check_error(ck, "a call of a function by its name ends behind its arguments");
        return;
    }
    uint32_t want = count(n->func->params), got = args ? args->n_sub : 0;
    if (want != got)
        check_error(ck, "function '%s' takes %u arguments, not %u", check_text(ck, target->name),
                    want, got);
    check_types(ck, args, n->func->params);
    check_types(ck, rets, n->func->rets);
    want = count(n->func->rets);
    got = rets ? rets->n_sub : 0;
    if (want != got)
        check_error(ck, "function '%s' has %u results, not %u", check_text(ck, target->name), want,
                    got);
}
