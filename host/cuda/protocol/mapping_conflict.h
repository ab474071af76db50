/* mapping_conflict.h - what is in the way when a range of addresses is to be mapped, in the program
 * or in the server: both have the same layout. */
#ifndef HEDDLE_CUDA_PROTOCOL_MAPPING_CONFLICT_H
#define HEDDLE_CUDA_PROTOCOL_MAPPING_CONFLICT_H

#include <stdint.h>

enum { MAPPING_CONFLICT_BYTES = 512 };

/* Writes the first mapping of this process that lies in the range, as /proc/self/maps has it, or
 * "an unknown mapping". */
void mapping_conflict_describe(uint64_t base, uint64_t bytes, char out[MAPPING_CONFLICT_BYTES]);

#endif
