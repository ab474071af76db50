/* graph_memory_usage.h - counts the device memory that a program's graphs have allocated and keep
 * for the next launch (program_device.graph_memory). The counts follow the order of the calls, not
 * target time. */
#ifndef HEDDLE_CUDA_OBJECT_GRAPH_MEMORY_USAGE_H
#define HEDDLE_CUDA_OBJECT_GRAPH_MEMORY_USAGE_H

#include "cuda/base/context.h"

#define GRAPH_MEMORY_TAG UINT32_MAX /* address_space_set_tag() of memory that graphs allocate */

/* Counts an allocation of `bytes` by a launch, and raises the high-water marks. */
void graph_memory_note_alloc(struct call *call, uint64_t address, uint64_t bytes);
/* Counts a free. Callers call it for every free; it ignores memory that no graph allocated. */
void graph_memory_note_free(struct call *call, const struct memory_block *b);

#endif
