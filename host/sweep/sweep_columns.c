/* sweep_columns.c - the table of columns; see sweep_columns.h. Constant; any thread. */
#include "sweep/sweep_columns.h"

#include <string.h>

const struct sweep_column_row sweep_columns[SWEEP_NUM_COLUMNS] = {
#define COLUMN(id, name, unit, source, member, meaning) {name, unit, meaning},
#include "sweep/sweep_columns.def"
};

/* Index of the column of that name; SWEEP_NUM_COLUMNS: none. */
unsigned sweep_find_column(const char *name) {
    unsigned c = 0;
    while (c < SWEEP_NUM_COLUMNS && strcmp(sweep_columns[c].name, name) != 0) c++;
    return c;
}
