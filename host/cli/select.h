/* select.h - chooses the launches of a run that are timed: --kernels PATTERN and
 * --launches LIST. */
#ifndef HEDDLE_CLI_SELECT_H
#define HEDDLE_CLI_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

struct selection;

/* `patterns`: names with * and ?, separated by commas; one of them must match the kernel's name,
 * either as the report shows it or as in PTX. `launches`: numbers and ranges, "0,3,10-19,100-".
 * NULL: no condition; a launch must meet both. The caller frees *out with selection_free().
 * @return HEDDLE_ERR_ARGUMENT, explained in diag. */
heddle_err selection_create(struct selection **out, const char *patterns, const char *launches,
                            struct heddle_diag *diag);
void selection_free(struct selection *s);
/* Callback server_options.times; `user` is the selection. Decides whether a launch is timed, and
 * counts it. `title`: the kernel's name as shown; `name`: as in PTX. */
bool selection_times(void *user, const char *title, const char *name, uint64_t launch);
/* Numbers of launches timed and not timed so far. */
void selection_counts(const struct selection *s, uint64_t *timed, uint64_t *untimed);

#endif
