/* driver_export_table.c - a library (export_table.c) asks for one of the driver's tables, which
 * Heddle does not have. A failed check ends the program with status 1. */
#include "driver_calls.h"

int ask(void);
int main(void) {
    CU(cuInit(0), OK);
    CU(ask(), NOT_SUPPORTED);
    puts("driver_export_table: ok");
    return 0;
}
