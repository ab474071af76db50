/* call_table.h - the table of calls, generated from tables/cuda_calls.def: names and handlers. */
#ifndef HEDDLE_CUDA_CALLS_CALL_TABLE_H
#define HEDDLE_CUDA_CALLS_CALL_TABLE_H

#include "cuda/base/context.h"

extern const struct call_row call_table[CUDA_NUM_CALLS];

#endif
