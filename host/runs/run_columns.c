/* run_columns.c - the members of a launch, from the table; see run_columns.h. */
#include "runs/run_columns.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ADDS_ADD true
#define ADDS_EACH true
#define ADDS_OR false
#define ADDS_NONE false
#define ADDS_SPAN true
#define COUNTS_COUNT true
#define COUNTS_RATIO true
#define COUNTS_OBJECT true
#define COUNTS_NAME false
#define COUNTS_FLAG false
#define COUNTS_SHAPE false
#define COUNTS_HASH false
#define COUNTS_SECONDS false /* the host's time */
#define COUNTS_SPECIAL false
#define COUNTS_COLUMN false /* of kernels.csv alone */
#define COUNTS_CODE false
#define COUNTS_HIDDEN false
#define COUNTS_PARTS false
/* A derived member adds up if it is a count; of an object, its integers do. */
#define DERIVED_COUNT true
#define DERIVED_RATIO false
#define DERIVED_OBJECT true
#define DERIVED_FLAG false
#define DERIVED_COLUMN false

const struct run_column run_columns[] = {
#define MEMBER(type, member, array, sum, name, form, csv, unit, meaning) \
    {name, unit, meaning, ADDS_##sum, COUNTS_##form},
#define DERIVED(name, form, value, csv, unit, meaning) \
    {name, unit, meaning, DERIVED_##form, COUNTS_##form},
#include "tables/kernel_record.def"
};
const size_t run_num_columns = sizeof run_columns / sizeof *run_columns;

/* Members that identify the launch, or that comparisons and pages treat by themselves. */
static bool is_apart(const char *name) {
    static const char *const apart[] = {
        "launch",   "device",   "stream",        "start_ps",  "end_ps",          "cycles",
        "l1_curve", "l2_curve", "launch_cycles", "cpi_stack", "sub_core_cycles", "diagnosis"};
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        if (!strcmp(apart[i], name)) return true;
    return false;
}

const struct run_column *run_column_find(const char *name) {
    for (size_t i = 0; i < run_num_columns; i++)
        if (*run_columns[i].name && !strcmp(run_columns[i].name, name)) return &run_columns[i];
    return NULL;
}

/* Calls `take` for the number, or for those of the object. */
static void walk(const char *path, const struct run_column *column, const json_t *value,
                 run_number_fn take, void *user) {
    const char *key;
    json_t *inner;
    if (json_is_number(value)) take(user, path, column, value);
    if (!json_is_object(value)) return;
    json_object_foreach((json_t *)(uintptr_t)value, key, inner) {
        char longer[200];
        snprintf(longer, sizeof longer, "%s.%s", path, key);
        walk(longer, column, inner, take, user);
    }
}

void run_numbers(const json_t *launch, run_number_fn take, void *user) {
    for (size_t i = 0; i < run_num_columns; i++) {
        const struct run_column *c = &run_columns[i];
        if (*c->name && c->counts && !is_apart(c->name))
            walk(c->name, c, json_object_get(launch, c->name), take, user);
    }
}
