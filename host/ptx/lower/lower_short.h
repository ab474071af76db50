/* lower_short.h - short names of types and accessors that lower_*.c use often; for those files
 * only. */
#ifndef PTX_LOWER_SHORT_H
#define PTX_LOWER_SHORT_H

#include <string.h>

#include "ptx/lower/lower.h"

static const struct ty u32 = {TY_U, 32, false};
static const struct ty b64 = {TY_B, 64, false};
static const struct ty f32 = {TY_F, 32, false};
static const struct ty f64 = {TY_F, 64, false};

/* Operand i of the instruction at hand. */
static inline const struct ptx_operand *opd(const struct lower *lo, unsigned i) {
    return lo->inst->opd[i];
}

/* Is the word a modifier of the instruction at hand? For words that ptx_words.def does not list. */
static inline bool has(const struct lower *lo, const char *word) {
    for (uint32_t i = 0; i < lo->inst->n_mod; i++)
        if (strcmp(ptx_words_text(lo->words, lo->inst->mod[i]), word) == 0) return true;
    return false;
}

#endif
