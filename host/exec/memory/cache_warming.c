/* cache_warming.c - the cache-warming log of kernel sampling: which lines of memory functional
 * launches accessed, so that L2 can be filled before the next timed launch. It keeps a mark for
 * each line, and a log of the lines in order of their first access. The scheduler creates, begins
 * and takes, between launches; warming_access.c appends while a launch runs. All on one thread at a
 * time, so nothing is locked.
 *
 * The marks of all of memory are one sparse mapping: only pages that were written take memory. */
#define _GNU_SOURCE
#include "exec/memory/cache_warming.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/memory.h"
#include "exec/memory/cache_warming_log.h"

enum {
    LOG_OF_CACHE = 8, /* room of the log, in multiples of the cache's lines */
    TOGETHER = 1024,  /* consecutive lines of the log whose order is ignored */
};

/* Maps marks of 0. @return NULL: no memory. */
static uint32_t *make_marks(uint64_t count) {
    void *p = mmap(NULL, count * sizeof(uint32_t), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Unmaps marks. Accepts NULL. */
static void free_marks(uint32_t *mark, uint64_t count) {
    if (mark) munmap(mark, count * sizeof *mark);
}

/* Creates an empty log for a memory, whose base and size it keeps; *options is copied. @return
 * HEDDLE_OK with *out set, or HEDDLE_ERR_NOMEM with *out NULL. */
heddle_err exec_warming_create(struct exec_warming **out, const struct exec_memory *memory,
                               const struct exec_warming_options *options) {
    struct exec_warming *t = heddle_alloc(sizeof *t, "the cache-warming log");
    *out = NULL;
    t->o = *options;
    t->base = memory->base;
    t->num_lines = (memory->size + WARMING_LINE - 1) / WARMING_LINE;
    t->capacity = LOG_OF_CACHE * t->o.cache;
    t->mark = make_marks(t->num_lines);
    t->log = malloc(t->capacity * sizeof *t->log);
    t->run = malloc(t->o.cache * sizeof *t->run);
    if (!t->mark || !t->log || !t->run) {
        exec_warming_free(t);
        return HEDDLE_ERR_NOMEM;
    }
    *out = t;
    return HEDDLE_OK;
}

/* Frees the log, its marks and the runs that exec_warming_take() returned. Accepts NULL. */
void exec_warming_free(struct exec_warming *t) {
    if (!t) return;
    free_marks(t->mark, t->num_lines);
    free_marks(t->local_mark, t->num_local);
    free(t->log);
    free(t->run);
    free(t);
}

/* Makes all marks differ from t->number: a new number, or zeroed marks when it wraps. */
static void next_number(struct exec_warming *t) {
    if (++t->number) return;
    madvise(t->mark, t->num_lines * sizeof *t->mark, MADV_DONTNEED); /* zeros again */
    if (t->local_mark) madvise(t->local_mark, t->num_local * sizeof *t->mark, MADV_DONTNEED);
    t->number = 1;
}

/* Begins a launch whose threads have local_bytes of local memory each: makes room for its local
 * memory's marks, and no line is marked any more. @return HEDDLE_OK, or HEDDLE_ERR_NOMEM: no local
 * line is logged. */
heddle_err exec_warming_begin(struct exec_warming *t, uint32_t local_bytes) {
    t->local_words = (local_bytes + 3) / 4;
    uint64_t local = (uint64_t)t->o.sms * t->o.sm_warps * t->local_words;
    if (local > t->num_local) { /* new marks: a line may be in the log twice, which cut() mends */
        free_marks(t->local_mark, t->num_local);
        t->local_mark = make_marks(local);
        t->num_local = t->local_mark ? local : 0;
        if (!t->local_mark) return HEDDLE_ERR_NOMEM;
    }
    next_number(t);
    return HEDDLE_OK;
}

/* The mark of a line of device or local memory. */
static uint32_t *mark_of(struct exec_warming *t, uint32_t line) {
    return line < t->o.local_line ? &t->mark[line] : &t->local_mark[line - t->o.local_line];
}

/* Keeps the latest `cache` lines of the log, each once. Gives the marks a new number. */
static void cut(struct exec_warming *t) {
    uint32_t kept = t->capacity;
    next_number(t);
    for (uint32_t i = t->count; i-- > 0 && t->capacity - kept < t->o.cache;) {
        uint32_t line = t->log[i], *mark = mark_of(t, line);
        if (*mark == t->number) continue;
        *mark = t->number;
        t->log[--kept] = line; /* behind what is still to be read: kept > i */
    }
    t->count = t->capacity - kept;
    memmove(t->log, t->log + kept, t->count * sizeof *t->log);
}

/* Appends a line, whose mark the caller has just set, to the log; a full log is first cut to its
 * latest lines. */
void exec_warming_append(struct exec_warming *t, uint32_t line) {
    if (t->count == t->capacity) cut(t);
    t->log[t->count++] = line;
}

/* Compares line numbers, for qsort(). */
static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Empties the log into t->run: runs of consecutive lines, the latest `cache` lines each once, the
 * latest last; within TOGETHER lines of the log sorted by address. @return t->run, valid until the
 * next call for this log; *count: number of runs. */
const struct exec_warming_run *exec_warming_take(struct exec_warming *t, uint32_t *count) {
    uint32_t n = 0;
    cut(t);
    for (uint32_t from = 0; from < t->count; from += TOGETHER) {
        uint32_t some = t->count - from < TOGETHER ? t->count - from : TOGETHER;
        qsort(t->log + from, some, sizeof *t->log, by_number);
        for (uint32_t i = from; i < from + some; i++) {
            if (i > from && t->log[i] == t->run[n - 1].first + t->run[n - 1].count)
                t->run[n - 1].count++;
            else
                t->run[n++] = (struct exec_warming_run){t->log[i], 1};
        }
    }
    t->count = 0;
    *count = n;
    return t->run;
}
