/* sweep_more.h - columns of a sweep besides those of sweep_columns.def, which a user names: ipc,
 * energy and power, a statistic of the run (tables/statistics.def), or a count of launches
 * (tables/kernel_record.def). */
#ifndef HEDDLE_SWEEP_SWEEP_MORE_H
#define HEDDLE_SWEEP_SWEEP_MORE_H

#include <jansson.h>

#include "sweep/sweep_columns.h"

enum { SWEEP_MOST_MORE = 16, SWEEP_NO_COLUMN = 1000 };

/* The columns that were named. */
struct sweep_more {
    const char *name[SWEEP_MOST_MORE], *unit[SWEEP_MOST_MORE], *meaning[SWEEP_MOST_MORE];
    unsigned count;
    unsigned shown[SWEEP_MOST_MORE], num_shown; /* columns of the table: numbers as below */
};

/* The number of a column: that of enum sweep_column, or SWEEP_NUM_COLUMNS + that of a column of *m,
 * to which it is added if need be. @return SWEEP_NO_COLUMN: there is none of that name, or no room
 * for more. */
unsigned sweep_more_find(struct sweep_more *m, const char *name);

/* Name, unit and meaning of a column by its number. */
struct sweep_column_row sweep_more_column(const struct sweep_more *m, unsigned column);

/* Reads the values of the columns from a report; NAN: it has none. */
void sweep_more_read(const struct sweep_more *m, const json_t *report, double *values);

#endif
