/* device_prop_layout.c - sizes and offsets of cudaDeviceProp, for the shim and the server; see
 * device_prop_layout.h. Fields lie as a C compiler places them: each at the next multiple of the
 * size of its elements. Pure functions; all sizes and offsets are bytes. */
#include "cuda/protocol/device_prop_layout.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 1, INT = 4, SIZE = 8 };

/* A row of tables/device_prop.def. */
struct field {
    const char *versions, *name; /* versions: "11 12 13" or some of these */
    size_t unit, count;          /* bytes of an element, elements */
};
static const struct field fields[] = {
#define PROP(versions, type, name, count, ...) {versions, #name, type, count},
#include "tables/device_prop.def"
};
enum { NUM_FIELDS = sizeof fields / sizeof fields[0] };

/* True if this version of the structure has the field. */
static int has(const struct field *f, int version) {
    char text[8];
    snprintf(text, sizeof text, "%d", version);
    return strstr(f->versions, text) != NULL;
}

/* The next multiple of `unit`. */
static size_t align(size_t offset, size_t unit) {
    return (offset + unit - 1) / unit * unit;
}

/* Offset of the field with this name in the structure of a version (11, 12, 13); (size_t)-1: the
 * version lacks it. name NULL: the size of the structure. */
size_t device_prop_offset(int version, const char *name) {
    size_t offset = 0;
    for (unsigned i = 0; i < NUM_FIELDS; i++) {
        const struct field *f = &fields[i];
        if (!has(f, version)) continue;
        offset = align(offset, f->unit);
        if (name && strcmp(f->name, name) == 0) return offset;
        offset += f->unit * f->count;
    }
    return name ? (size_t)-1 : align(offset, SIZE);
}

/* Size of the structure of a version (11, 12, 13); 0: no such version. */
size_t device_prop_bytes(int version) {
    return version >= 11 && version <= 13 ? device_prop_offset(version, NULL) : 0;
}
