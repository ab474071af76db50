/* run_columns.h - the members of a launch in report.json, as tables/kernel_record.def has them, and
 * their numbers as flat lists. Threads: any. */
#ifndef HEDDLE_RUNS_RUN_COLUMNS_H
#define HEDDLE_RUNS_RUN_COLUMNS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A member of a launch. */
struct run_column {
    const char *name, *unit, *meaning;
    bool adds_up; /* a sum of launches has the sum of its integers; others are ratios, or the same
                   * in all launches */
    bool counts;  /* it says what the launch did or had: no name, place, time or cache curve */
};
extern const struct run_column run_columns[];
extern const size_t run_num_columns;

/* @return the row of a member; NULL: this Heddle has none of the name. */
const struct run_column *run_column_find(const char *name);

/* Is called for a number of a launch: its path, "accesses.global_load.sectors", valid during the
 * call, its column, and its value. */
typedef void (*run_number_fn)(void *user, const char *path, const struct run_column *column,
                              const json_t *value);
/* Calls `take` for each number, also in nested objects, of the members that count, in the order of
 * the table. Lists, texts and nulls are left out. */
void run_numbers(const json_t *launch, run_number_fn take, void *user);

#endif
