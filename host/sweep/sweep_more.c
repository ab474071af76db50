/* sweep_more.c - columns that the user of a sweep names; contracts in sweep_more.h. On the main
 * thread of `heddle sweep`. */
#include "sweep/sweep_more.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "sweep/sweep_columns.h"

enum source { OF_IPC, OF_POWER, OF_STATISTICS, OF_LAUNCHES };

/* Every column that there may be. A statistic of the run goes before one of launches of the same
 * name, which it is the sum of. */
static const struct {
    enum source source;
    const char *name, *unit, *meaning;
} known[] = {
    {OF_IPC, "ipc", "instructions/cycle",
     "warp instructions per cycle of the kernels, launch overhead left out"},
    {OF_POWER, "energy_j", "J", "energy of the kernels that were timed (docs/power.md)"},
    {OF_POWER, "average_w", "W", "by their time, launch overhead included"},
#define STATISTIC(id, name, unit, scope, meaning) {OF_STATISTICS, name, unit, meaning},
#include "tables/statistics.def"
#define ROW_ADD(name, unit, meaning) {OF_LAUNCHES, name, unit, meaning},
#define ROW_NONE(name, unit, meaning)
#define ROW_SPAN(name, unit, meaning)
#define ROW_OR(name, unit, meaning)
#define ROW_EACH(name, unit, meaning)
#define FORM_COUNT(sum, name, unit, meaning) ROW_##sum(name, unit, meaning)
#define FORM_NAME(sum, name, unit, meaning)
#define FORM_FLAG(sum, name, unit, meaning)
#define FORM_HASH(sum, name, unit, meaning)
#define FORM_SHAPE(sum, name, unit, meaning)
#define FORM_SECONDS(sum, name, unit, meaning)
#define FORM_HIDDEN(sum, name, unit, meaning)
#define FORM_PARTS(sum, name, unit, meaning)
#define FORM_CODE(sum, name, unit, meaning)
#define FORM_SPECIAL(sum, name, unit, meaning)
#define MEMBER(type, member, array, sum, name, form, csv, unit, meaning) \
    FORM_##form(sum, name, unit, meaning)
#define DERIVED(name, form, value, csv, unit, meaning)
#include "tables/kernel_record.def"
};
enum { NUM_KNOWN = sizeof known / sizeof *known };

static unsigned find_known(const char *name) {
    unsigned i = 0;
    while (i < NUM_KNOWN && strcmp(known[i].name, name) != 0) i++;
    return i;
}

unsigned sweep_more_find(struct sweep_more *m, const char *name) {
    const unsigned own = sweep_find_column(name), row = find_known(name);
    if (own < SWEEP_NUM_COLUMNS) return own;
    for (unsigned i = 0; i < m->count; i++)
        if (!strcmp(m->name[i], name)) return SWEEP_NUM_COLUMNS + i;
    if (row == NUM_KNOWN || m->count == SWEEP_MOST_MORE) return SWEEP_NO_COLUMN;
    m->name[m->count] = known[row].name;
    m->unit[m->count] = known[row].unit;
    m->meaning[m->count] = known[row].meaning;
    return SWEEP_NUM_COLUMNS + m->count++;
}

struct sweep_column_row sweep_more_column(const struct sweep_more *m, unsigned column) {
    if (column < SWEEP_NUM_COLUMNS) return sweep_columns[column];
    const unsigned i = column - SWEEP_NUM_COLUMNS;
    return (struct sweep_column_row){m->name[i], m->unit[i], m->meaning[i]};
}

/* A member summed over all launches of the report, or over those that were timed. */
static double sum_of(const json_t *report, const char *member, bool timed) {
    const json_t *groups = json_object_get(report, "kernel_groups");
    double sum = 0;
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const json_t *g = json_array_get(groups, i);
        if (timed && !json_is_true(json_object_get(g, "timed"))) continue;
        sum += json_number_value(json_object_get(g, member));
    }
    return sum;
}

/* A statistic of the report; NAN: it has none of that name. */
static double statistic_of(const json_t *report, const char *name) {
    const json_t *list = json_object_get(report, "statistics");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *s = json_array_get(list, i);
        const char *own = json_string_value(json_object_get(s, "name"));
        if (own && !strcmp(own, name)) return json_number_value(json_object_get(s, "value"));
    }
    return NAN;
}

static double ipc_of(const json_t *report) {
    const double cycles = sum_of(report, "cycles", true) - sum_of(report, "launch_cycles", true);
    return cycles > 0 ? sum_of(report, "warp_instructions", true) / cycles : NAN;
}

/* A member of the run's power; NAN: it is not known. */
static double power_of_run(const json_t *report, const char *name) {
    const json_t *value = json_object_get(json_object_get(report, "power"), name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

void sweep_more_read(const struct sweep_more *m, const json_t *report, double *values) {
    for (unsigned i = 0; i < m->count; i++) switch (known[find_known(m->name[i])].source) {
        case OF_IPC: values[i] = ipc_of(report); break;
        case OF_POWER: values[i] = power_of_run(report, m->name[i]); break;
        case OF_STATISTICS: values[i] = statistic_of(report, m->name[i]); break;
        case OF_LAUNCHES: values[i] = sum_of(report, m->name[i], false); break;
        }
}
