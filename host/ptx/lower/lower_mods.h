/* lower_mods.h - the modifiers of an instruction, decoded into struct mods. These functions emit no
 * code and report no errors: the dispatch compares mods.seen with what the opcode allows. */
#ifndef PTX_LOWER_MODS_H
#define PTX_LOWER_MODS_H

#include "ptx/lower/lower.h"

enum { M_TOO_MANY = 1 << 30 }; /* more words than MODS_MAX_EXTRA: never allowed */

/* Fills *m from the modifiers of `in`; absent ones get their defaults (vec 1, scope GPU, ...). */
void mods_decode(struct mods *m, const struct ptx_inst *in);
/* Is this the text of word w? For words that ptx_words.def does not list. */
bool mods_is(const struct lower *lo, ptx_word w, const char *text);
/* Is it an L2::evict_... hint? */
bool mods_is_l2_hint(const struct lower *lo, ptx_word w);
/* Is w among m->extra? */
bool mods_has_extra(const struct mods *m, ptx_word w);

#endif
