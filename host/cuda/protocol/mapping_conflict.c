/* mapping_conflict.c - reads /proc/self/maps for the message about a mapping that failed; see
 * mapping_conflict.h. Runs in the program (shim_link.c) and in the server (address_space.c), on the
 * thread that could not map. */
#include "cuda/protocol/mapping_conflict.h"

#include <stdio.h>
#include <string.h>

/* Writes the line of /proc/self/maps of the first mapping that overlaps [base, base + bytes),
 * without its newline, cut to the buffer; "an unknown mapping" if there is none or the file cannot
 * be read. */
void mapping_conflict_describe(uint64_t base, uint64_t bytes, char out[MAPPING_CONFLICT_BYTES]) {
    char line[MAPPING_CONFLICT_BYTES];
    snprintf(out, MAPPING_CONFLICT_BYTES, "an unknown mapping");
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long long from, to;
        if (sscanf(line, "%llx-%llx", &from, &to) == 2 && from < base + bytes && to > base) {
            line[strcspn(line, "\n")] = '\0';
            memcpy(out, line, sizeof line);
            break;
        }
    }
    if (maps) fclose(maps);
}
