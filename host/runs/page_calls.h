/* page_calls.h - the CUDA calls on the page of a run: how often, and, if the run was traced
 * (--trace-api), how long. Threads: any. */
#ifndef HEDDLE_RUNS_PAGE_CALLS_H
#define HEDDLE_RUNS_PAGE_CALLS_H

#include <jansson.h>

#include "runs/run_load.h"

/* Adds to the page's data: `calls`, rows of name, count, how many reached the scheduler and the
 * SMs, whether the call is supported, and the sum and the longest of their times in ps (null:
 * unknown); and `calls_note`, which says why there are no times, or null. */
void page_add_calls(const struct run_file *run, json_t *page);

#endif
