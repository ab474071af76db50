/* absent_reads.h - reads of device memory that wait because their block of managed memory is not on
 * the GPU.
 *
 * Keeps what the memory port knows of the blocks, a bit for each, as the scheduler's messages say.
 *
 * Owner: the memory port, on whose thread all functions run. */
#ifndef HEDDLE_SCHED_ABSENT_READS_H
#define HEDDLE_SCHED_ABSENT_READS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/hbm/hbm.h"

struct absent_reads;

/* The lines of managed memory, which begin with those of block 0; none is here at first. @return
 * never NULL. */
struct absent_reads *absent_reads_create(uint64_t first_line, uint32_t blocks);
void absent_reads_free(struct absent_reads *a); /* accepts NULL */

/* A read. @return false: its block is here, or it is no managed memory. Otherwise the read is kept;
 * *block: the block, for which it is the first one that waits if *first. */
bool absent_reads_keep(struct absent_reads *a, const struct hbm_request *r, uint32_t *block,
                       bool *first);
/* The blocks of a mask, from number `first` on, have come or gone. */
void absent_reads_change(struct absent_reads *a, uint32_t first, uint64_t mask, bool here);
/* Takes the next read whose block has come, in the order in which they were kept. @return false:
 * there is none. */
bool absent_reads_take(struct absent_reads *a, struct hbm_request *r);

#endif
