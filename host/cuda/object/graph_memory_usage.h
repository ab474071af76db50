/* graph_memory_usage.h - how many bytes of a device a program's graphs have allocated, and keep for
 * the next launch. Counted in the order of the calls, not in target time. */
#ifndef HEDDLE_CUDA_OBJECT_GRAPH_MEMORY_USAGE_H
#define HEDDLE_CUDA_OBJECT_GRAPH_MEMORY_USAGE_H

#include "cuda/base/context.h"

#define GRAPH_MEMORY_TAG UINT32_MAX /* address_space_tag() of memory that graphs allocate */

/* A launch allocates `bytes` at the address. */
void graph_memory_note_alloc(struct call *call, uint64_t address, uint64_t bytes);
/* To be called when a free of any memory is issued; other memory changes nothing. */
void graph_memory_note_free(struct call *call, const struct memory_block *b);

#endif
