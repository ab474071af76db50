/* driver_symbols.c - the driver's functions by name and version. Apart from their definitions: here
 * they are addresses only, whatever their parameters. */
#include <string.h>

#include "cuda/driver/driver.h"

#define SYMBOL(symbol, name, since, per_thread) int symbol(void);
#include "cuda_driver_symbols.def"
#undef SYMBOL

struct row {
    const char *name;
    int since;
    bool per_thread;
    int (*function)(void);
};
static const struct row rows[] = {
#define SYMBOL(symbol, name, since, per_thread) {name, since, per_thread, symbol},
#include "cuda_driver_symbols.def"
#undef SYMBOL
};

enum { FOUND = 0, NOT_FOUND = 1, TOO_OLD = 2 }; /* CUdriverProcAddressQueryResult */

void *driver_symbol(const char *name, int version, bool per_thread, int *status) {
    const struct row *best = NULL;
    *status = NOT_FOUND;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        if (strcmp(r->name, name) != 0 || (r->per_thread && !per_thread)) continue;
        if (r->since > version) {
            if (!best) *status = TOO_OLD;
            continue;
        }
        if (!best || r->since > best->since ||
            (r->since == best->since && r->per_thread && !best->per_thread))
            best = r;
    }
    if (!best) return NULL;
    void *address;
    memcpy(&address, &best->function, sizeof address);
    *status = FOUND;
    return address;
}
