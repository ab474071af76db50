/* mir_special.c - the forms of special operations, from tables/sass_expansions.def; contracts in
 * mir_special.h. The compiler looks forms up and calls mir_special_collect(), the report asks for
 * their names. */
#include "mir/mir_special.h"

#include <stdlib.h>
#include <string.h>

/* A form is listed by its row FAST of compute capability 7.5; all other rows are empty. The table
 * is sorted by form. */
#define ROW_75_FAST(form) form,
#define ROW_75_SLOW(form)
#define ROW_80_FAST(form)
#define ROW_80_SLOW(form)
#define ROW_86_FAST(form)
#define ROW_86_SLOW(form)
#define ROW_89_FAST(form)
#define ROW_89_SLOW(form)
#define ROW_90_FAST(form)
#define ROW_90_SLOW(form)
#define ROW_100_FAST(form)
#define ROW_100_SLOW(form)
static const char *const forms[] = {
#define EXPANSION(form, capability, way, ...) ROW_##capability##_##way(form)
#include "tables/sass_expansions.def"
};
enum { NUM_FORMS = sizeof forms / sizeof *forms };
_Static_assert(sizeof forms / sizeof *forms < 0x3fff, "a tag has room for each form");

static int compare(const void *key, const void *form) {
    return strcmp(key, *(const char *const *)form);
}

int mir_special_find(const char *form) {
    const char *const *found = bsearch(form, forms, NUM_FORMS, sizeof *forms, compare);
    return found ? (int)(found - forms) : -1;
}

const char *mir_special_form(unsigned number) {
    return forms[number];
}

/* The place of a form in the function's list, where it is added if it is new. */
static uint32_t place_of(struct mir_function *f, uint16_t number) {
    uint32_t i = 0;
    while (i < f->num_special && f->special[i] != number) i++;
    if (i == f->num_special) f->special[f->num_special++] = number;
    return i;
}

void mir_special_collect(struct mir_function *f, struct arena *arena) {
    uint32_t tags = 0;
    for (uint32_t pc = 0; pc < f->num_inst; pc++) tags += f->code[pc].special != 0;
    f->num_special = 0;
    f->special = ARENA_ARRAY(arena, uint16_t, tags + 1);
    for (uint32_t pc = 0; pc < f->num_inst; pc++) {
        uint16_t tag = f->code[pc].special;
        if (!tag) continue;
        uint32_t place = place_of(f, (uint16_t)((tag & MIR_SPECIAL_NUMBER) - 1));
        f->code[pc].special = (uint16_t)((tag & ~MIR_SPECIAL_NUMBER) | (place + 1));
    }
}
