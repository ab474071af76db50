/* driver_export_table.c - libraries ask for the driver's tables, which it has not. */
#include "driver_calls.h"

int ask(void);
int main(void) {
    CU(cuInit(0), OK);
    CU(ask(), NOT_SUPPORTED);
    puts("driver_export_table: ok");
    return 0;
}
