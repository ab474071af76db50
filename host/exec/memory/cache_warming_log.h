/* cache_warming_log.h - the inside of memory/cache_warming.h, for the operations that note their
 * accesses (warming_access.c). The functions write marks and log of *t only. */
#ifndef HEDDLE_EXEC_CACHE_WARMING_LOG_H
#define HEDDLE_EXEC_CACHE_WARMING_LOG_H

#include "exec/memory/cache_warming.h"

/* A log. A mark is the number of the launch that accessed the line last. */
struct exec_warming {
    struct exec_warming_options o;
    uint64_t base, num_lines;     /* device memory */
    uint32_t *mark;               /* [num_lines] */
    uint64_t num_local;           /* lines of local memory, numbered from o.local_line on */
    uint32_t *local_mark;         /* [num_local] */
    uint32_t local_words;         /* local memory of a thread of this launch, in words */
    uint32_t number;              /* of this launch, never 0 */
    uint32_t *log;                /* [capacity]: lines in order of their first access in a launch */
    uint32_t count, capacity;     /* lines in the log, room */
    struct exec_warming_run *run; /* [o.cache]: result of exec_warming_take() */
};

/* Appends a line whose mark has just been set; cuts a full log to its latest lines. */
void exec_warming_append(struct exec_warming *t, uint32_t line);

/* Notes byte `offset` of local memory of the warp in that place of that SM. */
static inline void exec_warming_note_local(struct exec_warming *t, uint32_t sm, uint32_t warp,
                                           uint64_t offset) {
    uint64_t line = ((uint64_t)sm * t->o.sm_warps + warp % t->o.sm_warps) * t->local_words +
                    offset / 4;
    if (line >= t->num_local || t->local_mark[line] == t->number) return;
    t->local_mark[line] = t->number;
    exec_warming_append(t, t->o.local_line + (uint32_t)line);
}

/* Notes an address of device memory; others are ignored. */
static inline void exec_warming_note(struct exec_warming *t, uint64_t address) {
    uint64_t line = (address - t->base) / WARMING_LINE;
    if (line >= t->num_lines || t->mark[line] == t->number) return;
    t->mark[line] = t->number;
    exec_warming_append(t, (uint32_t)line);
}

#endif
