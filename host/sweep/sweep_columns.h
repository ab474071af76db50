/* sweep_columns.h - the columns that every sweep has: sweep_columns.def. */
#ifndef HEDDLE_SWEEP_SWEEP_COLUMNS_H
#define HEDDLE_SWEEP_SWEEP_COLUMNS_H

/* The columns of a sweep; sweep_columns.def explains them. */
enum sweep_column {
#define COLUMN(id, name, unit, source, member, meaning) SWEEP_##id,
#include "sweep/sweep_columns.def"
    SWEEP_NUM_COLUMNS
};
/* A row of sweep_columns.def. */
struct sweep_column_row {
    const char *name, *unit, *meaning;
};
extern const struct sweep_column_row sweep_columns[SWEEP_NUM_COLUMNS];

/* Column by name. @return SWEEP_NUM_COLUMNS: there is none. */
unsigned sweep_find_column(const char *name);

#endif
