/* terms.h - the terms of the default model (tables/project_terms.def), and which of them are on. */
#ifndef HEDDLE_PROJECT_TERMS_H
#define HEDDLE_PROJECT_TERMS_H

#include <stdbool.h>

#include "common/error.h"

enum project_term {
#define TERM(id, name, meaning) TERM_##id,
#include "tables/project_terms.def"
    NUM_PROJECT_TERMS
};

/* A term: name for --without, meaning. */
struct project_term_row {
    const char *name, *meaning;
};
extern const struct project_term_row project_term_rows[NUM_PROJECT_TERMS];

/* The names of all terms, separated by ", ": static text. */
const char *project_term_names(void);

/* Which terms are switched off. */
struct project_terms {
    bool off[NUM_PROJECT_TERMS];
};

/* Switches off the terms that `list` names, separated by commas. HEDDLE_ERR_ARGUMENT names the word
 * that is no term, and those that are. */
heddle_err project_terms_without(struct project_terms *terms, const char *list,
                                 struct heddle_diag *diag);

#endif
