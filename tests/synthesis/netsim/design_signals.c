/* design_signals.c - the flip-flops of a netlist by their names in the source, as words of bits: a
 * net at Q is SIGNAL, or SIGNAL[BIT]. */
#include <stdlib.h>
#include <string.h>

#include "tests/synthesis/netsim/design.h"

/* The signal of a net, in a new string, and its bit. */
static char *split(const char *net, uint32_t *bit) {
    char *name = g_strdup(net), *bracket = strrchr(name, '[');
    *bit = 0;
    if (bracket && g_str_has_suffix(name, "]")) {
        *bit = (uint32_t)strtoul(bracket + 1, NULL, 10);
        *bracket = 0;
    }
    return name;
}

static uint32_t find_signal(struct netsim_design *d, GHashTable *by_name, char *name) {
    gpointer found;
    if (g_hash_table_lookup_extended(by_name, name, NULL, &found)) {
        g_free(name);
        return GPOINTER_TO_UINT(found);
    }
    const struct signal new = {.name = name};
    g_array_append_val(d->signals, new);
    g_hash_table_insert(by_name, name, GUINT_TO_POINTER(d->signals->len - 1));
    return d->signals->len - 1;
}

void design_find_signals(struct netsim_design *d) {
    const uint32_t count = d->nodes - d->readers;
    GHashTable *by_name = g_hash_table_new(g_str_hash, g_str_equal);
    uint32_t *signal = g_new(uint32_t, count + 1);
    d->signals = g_array_new(FALSE, FALSE, sizeof(struct signal));
    d->place = g_new(uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t net = g_array_index(d->outs, uint32_t, d->node[d->readers + i].out);
        signal[i] = find_signal(d, by_name, split(BLIF_NET(d->b, net)->name, &d->place[i]));
        struct signal *s = &g_array_index(d->signals, struct signal, signal[i]);
        if (d->place[i] >= s->bits) s->bits = d->place[i] + 1;
    }
    for (unsigned i = 0; i < d->signals->len; i++) {
        struct signal *s = &g_array_index(d->signals, struct signal, i);
        s->first = d->signal_words;
        d->signal_words += (s->bits + 63) / 64;
    }
    d->present = g_new0(uint64_t, d->signal_words + 1);
    for (uint32_t i = 0; i < count; i++) {
        d->place[i] += 64 * g_array_index(d->signals, struct signal, signal[i]).first;
        d->present[d->place[i] / 64] |= 1ull << d->place[i] % 64;
    }
    g_hash_table_destroy(by_name);
    g_free(signal);
}

void design_free_signals(struct netsim_design *d) {
    for (unsigned i = 0; i < d->signals->len; i++)
        g_free(g_array_index(d->signals, struct signal, i).name);
    g_array_free(d->signals, TRUE);
    g_free(d->place);
    g_free(d->present);
}

unsigned netsim_num_signals(const struct netsim_design *d) {
    return d->signals->len;
}

struct netsim_signal netsim_signal_at(const struct netsim_design *d, unsigned signal) {
    const struct signal *s = &g_array_index(d->signals, struct signal, signal);
    return (struct netsim_signal){s->name, s->bits, d->present + s->first};
}

unsigned netsim_num_memories(const struct netsim_design *d) {
    return d->memories->len;
}

struct netsim_memory netsim_memory_at(const struct netsim_design *d, unsigned memory) {
    const struct memory *m = MEMORY(d, memory);
    return (struct netsim_memory){m->name, m->width, m->size, m->offset};
}
