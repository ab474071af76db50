/* lower_call.h - subroutines of a kernel and their call sites. lower_call.c creates both;
 * lower_save.c saves the values that are live across a call. */
#ifndef PTX_LOWER_CALL_H
#define PTX_LOWER_CALL_H

#include "ptx/lower/lower.h"

/* A call of a subroutine. */
struct call_site {
    struct call_site *next;          /* of the same subroutine */
    struct lower_sub *caller;        /* NULL: the kernel */
    struct lir_inst *down, *up;      /* the stack pointer around the call, in subroutines */
    struct lir_block *back;          /* where execution goes on after the call */
    uint32_t slots;                  /* words of the stack in use */
    bool *saved;                     /* [words, then predicates]: has a slot */
    lir_vreg result_from, result_to; /* result words, which must not be restored */
};

/* A subroutine of a kernel, owned by its arena. */
struct lower_sub {
    struct lower_sub *next;
    const struct ptx_func *func;
    struct lir_block *entry, *ret; /* its first block; where `ret` branches, later the returns */
    struct lower_symbol **formal;  /* parameters, then results */
    uint32_t n_args, n_rets, n_sites;
    lir_vreg site; /* number of the call to return to */
    struct call_site *sites, **last_site;
    struct lir_inst *enter, *leave; /* move the stack pointer by frame_bytes */
    uint32_t frame_bytes;           /* local variables of one activation */
    bool lowered;                   /* the body has been emitted */
    /* registers and predicates created for the body: [from, to) */
    uint32_t word_from, word_to, pred_from, pred_to;
};

/* Word i of a parameter or register that a call copies; 0 if it has fewer words. */
static inline lir_vreg symbol_word(const struct lower_symbol *s, uint32_t i) {
    if (s->kind == SYM_PARAM) return i < s->n_words ? s->words[i] : 0;
    return i < ty_words(s->ty) ? s->word[0] + i : 0;
}

/* Words of a parameter or register. */
static inline uint32_t symbol_words(const struct lower_symbol *s) {
    return s->kind == SYM_PARAM ? s->n_words : ty_words(s->ty);
}

#endif
