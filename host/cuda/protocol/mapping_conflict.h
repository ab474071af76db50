/* mapping_conflict.h - names the mapping that occupies a range of addresses that the program or the
 * server must map. Both have the same layout. */
#ifndef HEDDLE_CUDA_PROTOCOL_MAPPING_CONFLICT_H
#define HEDDLE_CUDA_PROTOCOL_MAPPING_CONFLICT_H

#include <stdint.h>

enum { MAPPING_CONFLICT_BYTES = 512 };

/* Writes the first mapping of this process that lies in the range, as a line of
 * /proc/self/maps, or "an unknown mapping". */
void mapping_conflict_describe(uint64_t base, uint64_t bytes, char out[MAPPING_CONFLICT_BYTES]);

#endif
