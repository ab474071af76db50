/* select.h - which kernels of a run are timed: --kernels PATTERN and --launches LIST. */
#ifndef HEDDLE_CLI_SELECT_H
#define HEDDLE_CLI_SELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

struct selection;

/* `patterns`: names with * and ?, separated by commas, of which one must match the kernel's name
 * as the report shows it or as PTX has it. `launches`: numbers and ranges, "0,3,10-19,100-". NULL:
 * all; with both, both must hold. @return HEDDLE_ERR_ARGUMENT with what is wrong. */
heddle_err selection_create(struct selection **out, const char *patterns, const char *launches,
                            struct heddle_diag *diag);
void selection_free(struct selection *s);
/* For server_options.times; `user` is the selection. Counts. */
bool selection_times(void *user, const char *title, const char *name, uint64_t launch);
/* Numbers of launches that were timed and that were not. */
void selection_counts(const struct selection *s, uint64_t *timed, uint64_t *untimed);

#endif
