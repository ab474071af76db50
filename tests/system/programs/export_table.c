/* export_table.c - a library that asks the driver for a table of functions (cuGetExportTable). */
#include "driver_calls.h"

int ask(void);
int ask(void) {
    const void *table = &table;
    int error = cuGetExportTable(&table, "sixteen bytes...");
    return table ? 0 : error;
}
