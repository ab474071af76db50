/* ptx_word.h - every name of a PTX text once, as a small number.
 *
 * Words that the compiler itself knows (ptx_words.def, tables/ptx_ops.def) have fixed numbers, the
 * enum below, so that opcodes and modifiers are compared and switched on as integers. Names of the
 * program follow. A table belongs to one thread at a time. */
#ifndef PTX_WORD_H
#define PTX_WORD_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"

typedef uint32_t ptx_word;

enum ptx_known_word {
    PTX_W_NONE, /* the empty word: "no name" */
#define W(name) PTX_W_##name,
#define WS(name, text) PTX_W_##name,
#include "ptx/parse/ptx_words.def"
#undef W
#undef WS
#define OP(word, handler, modifiers) PTX_W_##word,
#include "tables/ptx_ops.def"
#undef OP
    PTX_W_COUNT
};

/* A word's text and its hash. */
struct ptx_word_entry {
    const char *text; /* zero-terminated, in the arena */
    uint32_t len;
    uint32_t hash;
};

/* The table of words. */
struct ptx_words {
    struct arena *arena;
    struct ptx_word_entry *entry; /* [count] by word */
    uint32_t count, cap;
    uint32_t *slot; /* [mask + 1] open-addressed hash table of words, 0 = free */
    uint32_t mask;  /* number of slots - 1 */
};

/* Makes a table that holds the known words. `arena` must outlive it and owns all of its memory. */
void ptx_words_init(struct ptx_words *w, struct arena *arena);

/* The word of `text[0..len)`; enters a copy of the text if it is new. */
ptx_word ptx_words_intern(struct ptx_words *w, const char *text, size_t len);

/* The word if it is there, PTX_W_NONE otherwise. */
ptx_word ptx_words_find(const struct ptx_words *w, const char *text, size_t len);

/* The text of a word, zero-terminated; valid as long as the arena. "?": no such word. */
const char *ptx_words_text(const struct ptx_words *w, ptx_word word);

#endif
