/* shmem_functional.c - commands of kernels without timing; contracts in shmem_functional.h. */
#include "shmem/shmem_functional.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* Where the command processor stands in a queue: numbers of commands. */
struct place {
    uint32_t next; /* to be looked at */
    uint32_t done; /* all before it have left the queue (read_idx) */
};

struct shmem_functional {
    const struct shmem_pes *all;
    struct place *place[SHMEM_MAX_PES]; /* of each queue, allocated when first seen */
};

struct shmem_functional *shmem_functional_create(const struct shmem_pes *all) {
    struct shmem_functional *f = heddle_alloc(sizeof *f, "queues of PEs");
    f->all = all;
    return f;
}

void shmem_functional_free(struct shmem_functional *f) {
    if (!f) return;
    for (uint32_t i = 0; i < SHMEM_MAX_PES; i++) free(f->place[i]);
    free(f);
}

void shmem_functional_reset(struct shmem_functional *f, uint32_t pe) {
    free(f->place[pe]);
    f->place[pe] = NULL;
}

/* Moves bytes of the symmetric heap; kernels see them as written. */
static void move(const struct shmem_pe *to, uint64_t target, uint64_t source, uint64_t bytes) {
    memmove((void *)(uintptr_t)target, (const void *)(uintptr_t)source, bytes);
    exec_memory_write(to->memory, target, bytes);
}

/* Carries out a checked command. */
static void perform(const struct shmem_pes *all, uint32_t from, const struct shmem_command *c) {
    const struct shmem_pe *source = &all->pe[from], *target = &all->pe[c->entry.pe];
    const struct heddle_shmem_entry *e = &c->entry;
    if (e->op == HEDDLE_SHMEM_PUT) {
        const bool in_entry = e->flags & HEDDLE_SHMEM_IN_ENTRY;
        move(target, c->remote, in_entry ? (uint64_t)(uintptr_t)&e->local : e->local, e->bytes);
        if (!c->signal) return;
        shmem_amo(c->signal, e->amo, 8, e->operand, 0);
        exec_memory_write(target->memory, c->signal, 8);
    } else if (e->op == HEDDLE_SHMEM_GET) {
        move(source, e->local, c->remote, e->bytes);
    } else if (e->op == HEDDLE_SHMEM_ATOMIC) {
        const uint64_t old = shmem_amo(c->remote, e->amo, e->width, e->operand, e->signal);
        exec_memory_write(target->memory, c->remote, e->width);
        if (e->flags & HEDDLE_SHMEM_FETCH)
            move(source, e->local, (uint64_t)(uintptr_t)&old, e->width);
    }
}

/* Serves one queue. */
static heddle_err serve(struct shmem_functional *f, uint32_t from, uint32_t queue, bool *moved,
                        struct heddle_diag *diag) {
    struct heddle_shmem_queue *q = shmem_pe_queue(&f->all->pe[from], queue);
    struct place *p = &f->place[from][queue];
    heddle_err e = HEDDLE_OK;
    for (; p->next - p->done < HEDDLE_SHMEM_ENTRIES && !e; p->next++) {
        struct heddle_shmem_entry *entry = &q->entry[p->next % HEDDLE_SHMEM_ENTRIES];
        const uint32_t number = p->next & HEDDLE_SHMEM_NUMBER;
        struct shmem_command c;
        if (entry->status != (number << 2 | HEDDLE_SHMEM_READY)) break;
        e = shmem_command_check(f->all, from, entry, &c, diag);
        if (!e) perform(f->all, from, &c);
        entry->status = number << 2 | HEDDLE_SHMEM_DONE;
        *moved = true;
    }
    while (p->done != p->next) { /* results that the kernel has not read stay */
        const struct heddle_shmem_entry *entry = &q->entry[p->done % HEDDLE_SHMEM_ENTRIES];
        if (entry->flags & HEDDLE_SHMEM_FETCH && (entry->status & 3) != HEDDLE_SHMEM_FREE) break;
        p->done++;
    }
    q->read_idx = p->done;
    return e;
}

heddle_err shmem_functional_serve(struct shmem_functional *f, bool *moved, uint32_t *pe,
                                  struct heddle_diag *diag) {
    *moved = false;
    for (uint32_t i = 0; i < f->all->count; i++) {
        const struct shmem_pe *of = &f->all->pe[i];
        if (!of->live) continue;
        if (!f->place[i])
            f->place[i] = heddle_alloc_array(of->num_queues, sizeof(struct place),
                                             "queues of a PE");
        for (uint32_t q = 0; q < of->num_queues; q++) {
            heddle_err e = serve(f, i, q, moved, diag);
            *pe = i;
            if (e) return e;
        }
    }
    return HEDDLE_OK;
}
