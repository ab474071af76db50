/* dram_check.h - checks DRAM commands against every rule of dram_rules.def. It shares no code with
 * the models. `heddle dram` and tests pass dram_watch_command() to a model as hbm_config.command.
 *
 * It stores when each kind of command was last issued in each scope; the models store when each
 * may next be issued. Commands of a channel come in order of their times on each of its two
 * buses. Times are clocks of the device. Threads: one at a time. */
#ifndef HEDDLE_MODELS_HBM_DRAM_CHECK_H
#define HEDDLE_MODELS_HBM_DRAM_CHECK_H

#include <stdint.h>

#include "models/hbm/dram_spec.h"

enum dram_rule {
#define RULE(id, scope, previous, next, clocks, text) DRAM_RULE_##id,
#define STATE(id, text) DRAM_RULE_##id,
#include "models/hbm/dram_rules.def"
    DRAM_NUM_RULES
};

struct dram_check;

heddle_err dram_check_create(struct dram_check **out, const struct dram_spec *spec);
void dram_check_free(struct dram_check *check);
/* @return the rules that the command breaks: a mask, bit dram_rule. A command that breaks a rule
 * still counts as issued. */
uint64_t dram_check_command(struct dram_check *check, const struct dram_command *command);
/* Checks, at the end, that no refreshes are owed at clock `at`, which is not before the last
 * command. @return broken rules, a mask. */
uint64_t dram_check_end(struct dram_check *check, uint64_t at);
const char *dram_rule_text(enum dram_rule rule);

/* Counts of dram_watch_command(), a dram_command_fn whose `user` is a struct dram_watch. It checks
 * each command. */
struct dram_watch {
    struct dram_check *check;                              /* borrowed */
    uint64_t commands, violations, broken[DRAM_NUM_RULES]; /* broken: violations of each rule */
    struct dram_command first;                             /* the first command that broke rules, */
    uint64_t first_rules;                                  /* and those rules, a mask */
    uint64_t last_at;                                      /* time of the latest command */
};
void dram_watch_command(void *user, const struct dram_command *command);

#endif
