/* terms.c - the terms of the default projection model (tables/project_terms.def), and --without,
 * which switches some off; see terms.h. cmd_project.c and project_input.c call it on the main
 * thread of `heddle project`. */
#include "project/terms.h"

#include <string.h>

const struct project_term_row project_term_rows[NUM_PROJECT_TERMS] = {
#define TERM(id, name, meaning) {name, meaning},
#include "tables/project_terms.def"
};

/* @return the names of all terms, separated by ", ": static text, for the help and for errors. */
const char *project_term_names(void) {
    static const char names[] =
#define TERM(id, name, meaning) ", " name
#include "tables/project_terms.def"
        ;
    return names + strlen(", ");
}

/* The number of the term whose name is the `n` characters at `word`, or NUM_PROJECT_TERMS. */
static unsigned find(const char *word, size_t n) {
    unsigned t = 0;
    while (t < NUM_PROJECT_TERMS &&
           (strncmp(project_term_rows[t].name, word, n) || project_term_rows[t].name[n]))
        t++;
    return t;
}

/* Sets terms->off for each term that `list` names, separated by commas. @return
 * HEDDLE_ERR_ARGUMENT, with the word that is no term and the names of all terms in diag; terms
 * before it are then off. */
heddle_err project_terms_without(struct project_terms *terms, const char *list,
                                 struct heddle_diag *diag) {
    for (const char *word = list;; word++) {
        size_t n = strcspn(word, ",");
        unsigned t = find(word, n);
        if (t == NUM_PROJECT_TERMS)
            return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                               "--without %s: '%.*s' is no term, there are: %s", list, (int)n, word,
                               project_term_names());
        terms->off[t] = true;
        word += n;
        if (!*word) return HEDDLE_OK;
    }
}
