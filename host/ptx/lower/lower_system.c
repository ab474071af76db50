/* lower_system.c - calls of functions that the system provides: vprintf, malloc, free,
 * __assertfail. Each call becomes one SYS instruction.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_call.c calls lower_system_call()
 * for a function without a body. */
#include "ptx/lower/lower.h"

#include <string.h>

/* Word i of an argument of the call; reports an argument that is no register or constant. */
static struct lir_src argument_word(struct lower *lo, const struct ptx_operand *o, unsigned i) {
    struct lower_symbol *s = o->kind == PTX_OPD_NAME ? lower_lookup(lo, o->name) : NULL;
    if (s && s->kind == SYM_PARAM && i < s->n_words) return lir_reg(s->words[i]);
    if (s && s->kind == SYM_REG) return i < ty_words(s->ty) ? lir_reg(s->word[0] + i) : RZ_SRC;
    if (o->kind == PTX_OPD_CONST) return lir_imm((uint32_t)(o->value.bits >> 32 * i));
    lower_unsupported(lo, "this argument of a function of the system");
    return RZ_SRC;
}

/* The two words of a 64-bit argument as one source; may emit copies. */
static struct lir_src argument_pair(struct lower *lo, const struct ptx_operand *o) {
    struct value v = {.n = 2};
    for (unsigned i = 0; i < 2; i++) v.w[i] = argument_word(lo, o, i);
    return as_group(lo, &v);
}

/* The register of word i of the result operand; 0 if it has none. */
static lir_vreg result_word(struct lower *lo, const struct ptx_operand *o, unsigned i) {
    struct lower_symbol *s = o->kind == PTX_OPD_NAME ? lower_lookup(lo, o->name) : NULL;
    if (s && s->kind == SYM_PARAM && i < s->n_words) return s->words[i];
    if (s && s->kind == SYM_REG && i < ty_words(s->ty)) return s->word[0] + i;
    return 0;
}

/* The functions: operation of SYS, number of arguments, words of the result. */
static const struct {
    const char *name;
    uint8_t function, args, result_words;
} known[] = {
    {"vprintf", MIR_SYS_PRINTF, 2, 1},
    {"malloc", MIR_SYS_MALLOC, 1, 2},
    {"free", MIR_SYS_FREE, 1, 0},
    {"__assertfail", MIR_SYS_ASSERT, 5, 0},
};

/* Emits SYS and the moves of its result, under lo->guard, for a call of `name`. @return false:
 * the system has no such function, nothing is emitted; true: lowered, or reported. */
bool lower_system_call(struct lower *lo, const char *name, const struct ptx_operand *rets,
                       const struct ptx_operand *args) {
    unsigned k = 0, n = sizeof known / sizeof *known;
    while (k < n && strcmp(known[k].name, name) != 0) k++;
    if (k == n) return false;
    unsigned words = known[k].result_words, function = known[k].function;
    if ((args ? args->n_sub : 0) != known[k].args || (rets ? rets->n_sub : 0) != (words ? 1 : 0)) {
        lower_error(lo, "'%s' takes %u arguments and returns %u values", name, known[k].args,
                    words ? 1 : 0);
        return true;
    }
    struct lir_src s[3] = {argument_pair(lo, args->sub[0]), NO_SRC, NO_SRC};
    if (function == MIR_SYS_PRINTF || function == MIR_SYS_ASSERT)
        s[1] = argument_pair(lo, args->sub[1]);
    if (function == MIR_SYS_ASSERT) {
        struct value v = {.w = {argument_word(lo, args->sub[2], 0), RZ_SRC,
                                argument_word(lo, args->sub[3], 0),
                                argument_word(lo, args->sub[3], 1)},
                          .n = 4};
        s[2] = as_group(lo, &v);
    }
    if (lo->failed) return true;
    lir_vreg d = words ? lir_new_vregs(lo->fn, words) : 0;
    struct lir_inst *in = emit3(lo, MIR_SYS, d, s[0], s[1], s[2]);
    in->m.sub = (uint8_t)function;
    in->m.width = 4; /* of the system's word */
    in->guard = lo->guard;
    if (d) lir_mark_scratch(lo->fn, d);
    for (unsigned i = 0; i < words; i++) {
        lir_vreg to = result_word(lo, rets->sub[0], i);
        if (to) emit1(lo, MIR_MOV, to, lir_reg(d + i))->guard = lo->guard;
    }
    return true;
}
