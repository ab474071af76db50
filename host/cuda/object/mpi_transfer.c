/* mpi_transfer.c - transfers under way, by number; contracts in mpi_transfer.h. */
#include "cuda/object/mpi_transfer.h"

#include <stdlib.h>

#include "common/memory.h"
#include "cuda/base/diagnostics.h"

struct mpi_transfers {
    GArray *all;  /* struct mpi_transfer, by number */
    GArray *free; /* uint32_t numbers */
    unsigned under_way;
    uint8_t *blank; /* what is sent when no bytes matter, then for each node where it goes: nodes
                     * run at the same time */
};

bool mpi_transfers_timed(const struct server *s) {
    return s->o.mpi.post != NULL;
}

bool mpi_transfers_any(const struct server *s) {
    return s->transfers && s->transfers->under_way > 0;
}

/* Created on first use. */
static struct mpi_transfers *transfers_of(struct server *s) {
    if (s->transfers) return s->transfers;
    struct mpi_transfers *x = s->transfers = heddle_alloc(sizeof *x, "messages under way");
    x->all = g_array_new(FALSE, TRUE, sizeof(struct mpi_transfer));
    x->free = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    x->blank = heddle_alloc((1 + (size_t)s->o.nodes) * s->o.mpi.header, "messages under way");
    return x;
}

void mpi_transfers_drop(struct server *s) {
    struct mpi_transfers *x = s->transfers;
    if (!x) return;
    for (unsigned i = 0; i < x->all->len; i++)
        free(g_array_index(x->all, struct mpi_transfer, i).into);
    g_array_unref(x->all);
    g_array_unref(x->free);
    free(x->blank);
    free(x);
    s->transfers = NULL;
}

void mpi_transfers_post(struct server *s, const struct mpi_transfer *t, uint64_t at_ps) {
    struct mpi_transfers *x = transfers_of(s);
    uint32_t number = x->all->len;
    if (x->free->len) {
        number = g_array_index(x->free, uint32_t, x->free->len - 1);
        g_array_set_size(x->free, x->free->len - 1);
        g_array_index(x->all, struct mpi_transfer, number) = *t;
    } else {
        g_array_append_val(x->all, *t);
    }
    const bool empty = !t->bytes; /* its header alone */
    const struct server_message m = {
        .source = t->source,
        .target = t->target,
        .from = empty ? 0 : t->from,
        .to = empty ? 0 : t->to,
        .bytes = empty ? s->o.mpi.header : t->bytes,
        .at_ps = at_ps,
        .number = number,
        .data = empty ? x->blank : t->data,
        .into = empty ? x->blank + (1 + t->target) * s->o.mpi.header : t->into,
    };
    struct heddle_diag diag = {0};
    x->under_way++;
    if (!s->o.mpi.post(s->o.mpi.user, &m, &diag)) return;
    x->under_way--;
    s->simulator_failed = true;
    server_error(s, "a message of MPI cannot be sent: %s", diag.text);
}

bool mpi_transfers_take(struct server *s, struct mpi_transfer *t, bool *arrived, bool *last,
                        uint64_t *at_ps) {
    struct mpi_transfers *x = s->transfers;
    uint32_t number;
    if (!x || !s->o.mpi.take(s->o.mpi.user, &number, arrived, at_ps)) return false;
    struct mpi_transfer *own = &g_array_index(x->all, struct mpi_transfer, number);
    *last = ++own->events == 2;
    *t = *own;
    if (*arrived) own->into = NULL; /* the caller's now */
    if (!*last) return true;
    x->under_way--;
    own->into = NULL;
    g_array_append_val(x->free, number);
    return true;
}
