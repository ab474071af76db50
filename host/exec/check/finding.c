/* finding.c - the list of a launch's findings, a hash table of lists by instruction; see
 * finding.h.
 *
 * Checks (access.c, op_barrier.c, shadow.c, global_race.c) call exec_found() on the threads that
 * run CTAs; it takes the list's lock. The scheduler's layer (sched/) creates, sorts and frees the
 * list on the server's thread while the launch does not run. */
#include "exec/check/finding.h"

#include <pthread.h>
#include <stdlib.h>

#include "common/memory.h"
#include "exec/check/fault.h"

enum { CHAINS = 64 };

struct exec_findings {
    pthread_mutex_t lock;              /* of all below */
    struct exec_finding *head[CHAINS]; /* by instruction */
    struct exec_finding *sorted;       /* exec_findings_sort() moves all of them here */
};

struct exec_findings *exec_findings_create(void) {
    struct exec_findings *f = heddle_alloc(sizeof *f, "findings of a launch");
    pthread_mutex_init(&f->lock, NULL);
    return f;
}

static void free_list(struct exec_finding *x) {
    for (struct exec_finding *next; x; x = next) {
        next = x->next;
        free(x);
    }
}

void exec_findings_clear(struct exec_findings *f) {
    for (unsigned i = 0; i < CHAINS; i++) {
        free_list(f->head[i]);
        f->head[i] = NULL;
    }
    free_list(f->sorted);
    f->sorted = NULL;
}

void exec_findings_free(struct exec_findings *f) {
    if (!f) return;
    exec_findings_clear(f);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

/* Orders places by instruction, kind and other instruction: negative if a comes first. */
static int compare(const struct exec_fault *a, const struct exec_fault *b) {
    if (a->pc != b->pc) return a->pc < b->pc ? -1 : 1;
    if (a->err != b->err) return a->err < b->err ? -1 : 1;
    uint32_t x = a->other ? a->other_pc : UINT32_MAX, y = b->other ? b->other_pc : UINT32_MAX;
    return x == y ? 0 : x < y ? -1 : 1;
}

/* Adds one to the place of the fault, which thread number `thread` of the grid has met. */
static void add(struct exec_findings *f, const struct exec_fault *fault, uint64_t thread) {
    struct exec_finding **link = &f->head[fault->pc % CHAINS];
    while (*link && compare(&(*link)->example, fault)) link = &(*link)->next;
    if (!*link) {
        *link = heddle_alloc(sizeof **link, "a finding");
        (*link)->thread = UINT64_MAX;
    }
    (*link)->count++;
    if (thread >= (*link)->thread) return;
    (*link)->example = *fault;
    (*link)->thread = thread;
}

exec_code exec_found(struct exec_warp *w, exec_status before) {
    struct exec_cta *cta = w->cta;
    struct exec_findings *f = cta->launch->findings;
    if (!f) return EX_FAULT;
    const uint32_t *grid = cta->launch->grid, *id = cta->id;
    const uint32_t *block = cta->launch->block, *in = cta->fault.thread;
    uint64_t number = id[0] + (uint64_t)grid[0] * (id[1] + (uint64_t)grid[1] * id[2]);
    number = number * cta->program->num_threads + in[0] + block[0] * (in[1] + block[1] * in[2]);
    pthread_mutex_lock(&f->lock);
    add(f, &cta->fault, number);
    pthread_mutex_unlock(&f->lock);
    cta->fault = (struct exec_fault){0};
    w->status = before;
    return EX_NEXT;
}

/* True for a read of unwritten memory that also races with a write: one list of `places` says
 * so. */
static bool is_explained(const struct exec_finding *places, const struct exec_fault *read) {
    if (read->err != HEDDLE_ERR_UNINITIALISED && read->err != HEDDLE_ERR_UNWRITTEN) return false;
    for (const struct exec_finding *x = places; x; x = x->next) {
        const struct exec_fault *f = &x->example;
        bool race = f->err == HEDDLE_ERR_RACE || f->err == HEDDLE_ERR_GLOBAL_RACE;
        if (race && f->pc == read->pc && f->other_write) return true;
        if (race && f->other_pc == read->pc && f->write) return true;
    }
    return false;
}

const struct exec_finding *exec_findings_sort(struct exec_findings *f) {
    for (unsigned i = 0; i < CHAINS; i++) {
        for (struct exec_finding *x; (x = f->head[i]);) {
            struct exec_finding **link = &f->sorted;
            f->head[i] = x->next;
            while (*link && compare(&(*link)->example, &x->example) < 0) link = &(*link)->next;
            x->next = *link;
            *link = x;
        }
    }
    for (struct exec_finding **link = &f->sorted, *x; (x = *link);) {
        if (!is_explained(f->sorted, &x->example)) {
            link = &x->next;
            continue;
        }
        *link = x->next;
        free(x);
    }
    return f->sorted;
}
