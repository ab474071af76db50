/* isa_table.c - the table of isa.h, made from tables/sass_expansions.def at compile time, and its
 * search. isa.c, isa_compile.c, read_run.c and tools/expansions call the functions, on the main
 * thread of their command; they read constants only, so any thread may. */
#include <stdlib.h>
#include <string.h>

#include "project/isa.h"

const struct isa_expansion isa_expansions[] = {
#define EXPANSION(form, capability, way, ...) {form, capability, SASS_##way, {{__VA_ARGS__}}},
#include "tables/sass_expansions.def"
};
const size_t isa_expansions_count = sizeof isa_expansions / sizeof *isa_expansions;

#define EXPANSIONS_PTXAS(version) const char *const isa_expansions_ptxas = version;
#include "tables/sass_expansions.def"

/* Order of the table: form, capability, way. */
static int compare(const void *a, const void *b) {
    const struct isa_expansion *x = a, *y = b;
    int names = strcmp(x->form, y->form);
    if (names) return names;
    if (x->capability != y->capability) return x->capability < y->capability ? -1 : 1;
    return (int)x->way - (int)y->way;
}

/* @return the row of the form for a capability and way, in the table; NULL: there is none. */
const struct isa_expansion *isa_find(const char *form, unsigned capability, enum sass_way way) {
    const struct isa_expansion key = {.form = form, .capability = capability, .way = way};
    return bsearch(&key, isa_expansions, isa_expansions_count, sizeof key, compare);
}

static int compare_forms(const void *key, const void *row) {
    return strcmp(key, ((const struct isa_expansion *)row)->form);
}

/* @return whether the table has the form for any capability. */
bool isa_is_special(const char *form) {
    return bsearch(form, isa_expansions, isa_expansions_count, sizeof *isa_expansions,
                   compare_forms) != NULL;
}
