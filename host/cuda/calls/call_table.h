/* call_table.h - the table of calls: names and handlers. gen_cuda_calls generates it from
 * tables/cuda_calls.def, with a function for each row that passes call->in and call->out to the
 * handler do_NAME(). */
#ifndef HEDDLE_CUDA_CALLS_CALL_TABLE_H
#define HEDDLE_CUDA_CALLS_CALL_TABLE_H

#include "cuda/base/context.h"

/* By enum cuda_call_id. */
extern const struct call_row call_table[CUDA_NUM_CALLS];

#endif
