/* ptx_word.c - the table of words (ptx_word.h): an open-addressed hash table. FNV-1a, because names
 * differ mostly at their end. Lexer, parser and lowering call it; the functions change only the
 * table and its arena.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/parse/ptx_word.h"

#include <string.h>

enum { WORDS_FIRST_SLOTS = 4096 };

/* @return the FNV-1a hash of text[0..len), its upper bits folded in. */
static uint32_t word_hash(const char *text, size_t len) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < len; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h ^ h >> 15;
}

/* Makes a new table of `slots` slots (a power of two) for the words entered so far. */
static void words_rehash(struct ptx_words *w, uint32_t slots) {
    w->slot = ARENA_ARRAY(w->arena, uint32_t, slots);
    w->mask = slots - 1;
    for (uint32_t i = 1; i < w->count; i++) {
        uint32_t s = w->entry[i].hash & w->mask;
        while (w->slot[s]) s = (s + 1) & w->mask;
        w->slot[s] = i;
    }
}

/* The slot that holds the text, or the free one where it belongs. */
static uint32_t words_slot(const struct ptx_words *w, const char *text, size_t len, uint32_t hash) {
    uint32_t s = hash & w->mask;
    for (; w->slot[s]; s = (s + 1) & w->mask) {
        const struct ptx_word_entry *e = &w->entry[w->slot[s]];
        if (e->hash == hash && e->len == len && memcmp(e->text, text, len) == 0) break;
    }
    return s;
}

/* Enters the empty word, then the known words, in the order of enum ptx_known_word. A C name with
 * an underscore at its end (and_) stands for the word without it. */
void ptx_words_init(struct ptx_words *w, struct arena *arena) {
    static const char *const known[] = {
#define W(name) #name,
#define WS(name, text) text,
#include "ptx/parse/ptx_words.def"
#undef W
#undef WS
    };
    static const char *const operations[] = {
#define OP(word, handler, modifiers) #word,
#include "tables/ptx_ops.def"
#undef OP
    };
    memset(w, 0, sizeof *w);
    w->arena = arena;
    *ARENA_PUSH(arena, w->entry, w->count, w->cap) = (struct ptx_word_entry){.text = ""};
    words_rehash(w, WORDS_FIRST_SLOTS);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ptx_words_intern(w, known[i], strlen(known[i]));
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        size_t len = strlen(operations[i]);
        ptx_words_intern(w, operations[i], len - (operations[i][len - 1] == '_'));
    }
}

/* @return the word of text[0..len). Copies a new text into the arena, and doubles the table when it
 * is half full. */
ptx_word ptx_words_intern(struct ptx_words *w, const char *text, size_t len) {
    uint32_t hash = word_hash(text, len);
    uint32_t s = words_slot(w, text, len, hash);
    if (w->slot[s]) return w->slot[s];
    char *copy = arena_alloc(w->arena, len + 1);
    memcpy(copy, text, len);
    ptx_word word = w->count;
    *ARENA_PUSH(w->arena, w->entry, w->count,
                w->cap) = (struct ptx_word_entry){.text = copy, .len = (uint32_t)len, .hash = hash};
    w->slot[s] = word;
    if (w->count > w->mask / 2) words_rehash(w, 2 * (w->mask + 1));
    return word;
}

ptx_word ptx_words_find(const struct ptx_words *w, const char *text, size_t len) {
    return w->slot[words_slot(w, text, len, word_hash(text, len))];
}

const char *ptx_words_text(const struct ptx_words *w, ptx_word word) {
    return word < w->count ? w->entry[word].text : "?";
}
