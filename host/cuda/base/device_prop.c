/* device_prop.c - fills cudaDeviceProp from the GPU's configuration; see device_prop.h.
 *
 * Runs in the server, on its thread, for cudaGetDeviceProperties (calls_device.c). The values of
 * tables/device_prop.def are expressions of `c`, the configuration. */
#include "cuda/base/device_prop.h"

#include <stdio.h>
#include <string.h>

#include "common/config.h"

enum { TEXT = 1, INT = 4, SIZE = 8, MAX_VALUES = 3 }; /* a type is the bytes of its elements */

/* Writes the fields that this version (11, 12 or 13) of the structure has; all other bytes are 0.
 * `out` has room for device_prop_bytes(version) bytes. */
void device_prop_fill(int version, const struct config *config, void *out) {
    const struct config *c = config;
    const struct {
        const char *name;
        size_t unit, count;
        uint64_t value[MAX_VALUES];
    } rows[] = {
#define PROP(versions, type, name, count, ...) {#name, type, count, {__VA_ARGS__}},
#include "tables/device_prop.def"
    };
    memset(out, 0, device_prop_bytes(version));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t offset = device_prop_offset(version, rows[i].name);
        if (offset == (size_t)-1) continue;
        char *p = (char *)out + offset;
        for (size_t j = 0; rows[i].unit != TEXT && j < rows[i].count && j < MAX_VALUES; j++)
            memcpy(p + j * rows[i].unit, &rows[i].value[j], rows[i].unit); /* little endian */
        if (strcmp(rows[i].name, "name") == 0) snprintf(p, rows[i].count, "%s", c->gpu_name);
        if (strcmp(rows[i].name, "uuid") == 0) memcpy(p, "heddle simulated", rows[i].count);
    }
}
