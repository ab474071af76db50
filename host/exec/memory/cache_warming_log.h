/* cache_warming_log.h - the inside of memory/cache_warming.h, for the operations that note what
 * they touch. */
#ifndef HEDDLE_EXEC_CACHE_WARMING_LOG_H
#define HEDDLE_EXEC_CACHE_WARMING_LOG_H

#include "exec/memory/cache_warming.h"

struct exec_warming {
    struct exec_warming_options o;
    uint64_t base, num_lines; /* device memory */
    uint32_t *mark;           /* a line: the number of the launch that touched it last */
    uint64_t num_local;       /* the same for lines of local memory, from o.local_line on */
    uint32_t *local_mark;
    uint32_t local_words;         /* of a thread of this launch */
    uint32_t number;              /* of this launch */
    uint32_t *log;                /* lines in order of their first touch in a launch */
    uint32_t count, capacity;     /* of the log */
    struct exec_warming_run *run; /* [o.cache] */
};

/* Notes a line whose mark has just been set. */
void exec_warming_append(struct exec_warming *t, uint32_t line);

/* A word of local memory of the warp in that place of that SM. */
static inline void exec_warming_note_local(struct exec_warming *t, uint32_t sm, uint32_t warp,
                                           uint64_t offset) {
    uint64_t line = ((uint64_t)sm * t->o.sm_warps + warp % t->o.sm_warps) * t->local_words +
                    offset / 4;
    if (line >= t->num_local || t->local_mark[line] == t->number) return;
    t->local_mark[line] = t->number;
    exec_warming_append(t, t->o.local_line + (uint32_t)line);
}

static inline void exec_warming_note(struct exec_warming *t, uint64_t address) {
    uint64_t line = (address - t->base) / WARMING_LINE;
    if (line >= t->num_lines || t->mark[line] == t->number) return;
    t->mark[line] = t->number;
    exec_warming_append(t, (uint32_t)line);
}

#endif
