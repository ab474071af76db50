/* mapping_conflict.c - see mapping_conflict.h */
#include "cuda/protocol/mapping_conflict.h"

#include <stdio.h>
#include <string.h>

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
