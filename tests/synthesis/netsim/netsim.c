/* netsim.c - see netsim.h. A net that changes flips a bit in each of its sinks, and what has a
 * flipped bit is looked at once, in order of level; all else stands still. At the edge the
 * flip-flops and memories with a flipped bit say what becomes of them, and then all become it. */
#include <stdlib.h>
#include <string.h>

#include "tests/synthesis/netsim/design.h"

struct netsim {
    struct netsim_design *d;
    const uint32_t *outs;
    const struct wide *wides;
    struct node *node;
    uint8_t *value;    /* by node: outputs of LUT, carry chain, flip-flop */
    uint8_t *queued;   /* by node */
    uint32_t *queue;   /* nodes, by level from level_first */
    uint32_t *waiting; /* by level: how many */
    uint32_t *changed; /* flip-flops that change at this edge */
    uint64_t *wide, *data, *next, *store;
    uint64_t *signals; /* values of flip-flops once more, as words */
    uint8_t *awake;    /* by memory */
    uint32_t *awake_list, *awake_before, num_awake;
    uint32_t *fresh, num_fresh; /* read ports whose `next` is valid */
    GArray *looked;             /* LUTs evaluated since the last edge, uint32_t */
    bool in_reset;              /* rows are not noted */
    bool trying;                /* a row: `touched` takes owners of wide sinks that change */
    GArray *touched, *does;     /* uint32_t; uint64_t: what their memories do */
    GArray *saved;              /* uint16_t: inputs of the flip-flops that are queued */
    uint64_t random;
    struct netsim_work work;
};

static uint64_t next_random(struct netsim *s) { /* splitmix64 */
    if (!s->random) return 0;
    uint64_t z = s->random += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* ---------------------------------------------------------------- changes */

static void wake(struct netsim *s, uint32_t memory) {
    if (s->awake[memory]) return;
    s->awake[memory] = 1;
    s->awake_list[s->num_awake++] = memory;
}

static inline void enqueue(struct netsim *s, uint32_t n) {
    if (s->queued[n]) return;
    const uint32_t level = s->node[n].level;
    s->queued[n] = 1;
    s->queue[s->d->level_first[level] + s->waiting[level]++] = n;
}

/* Bits of one port mostly follow each other. */
static void touch(struct netsim *s, uint32_t owner) {
    const unsigned count = s->touched->len;
    if (!count || g_array_index(s->touched, uint32_t, count - 1) != owner)
        g_array_append_val(s->touched, owner);
}

static inline void flip_sink(struct netsim *s, struct sink to) {
    const uint32_t nodes = s->d->nodes;
    if (to.node < nodes) {
        s->node[to.node].in ^= (uint16_t)(1u << to.bit);
        enqueue(s, to.node);
        return;
    }
    const struct wide *w = &s->wides[to.node - nodes];
    s->wide[w->first + to.bit / 64] ^= 1ull << to.bit % 64;
    if (s->trying) touch(s, w->owner);
    if (w->memory != NO_MEMORY) wake(s, w->memory);
}

static inline void toggle(struct netsim *s, uint32_t net) {
    const struct netsim_design *d = s->d;
    for (uint32_t i = d->sink_first[net], end = d->sink_first[net + 1]; i < end; i++)
        flip_sink(s, d->sinks[i]);
}

static inline void toggle_flip_flop(struct netsim *s, uint32_t n) {
    const uint32_t place = s->d->place[n - s->d->readers];
    s->value[n] ^= 1;
    s->signals[place / 64] ^= 1ull << place % 64;
    toggle(s, s->outs[s->node[n].out]);
}

/* Nets of a wide value that differ. */
static void toggle_words(struct netsim *s, uint32_t out, const uint64_t *before,
                         const uint64_t *after, uint32_t words) {
    for (uint32_t i = 0; i < words; i++)
        for (uint64_t left = before[i] ^ after[i]; left; left &= left - 1)
            toggle(s, s->outs[out + 64 * i + (uint32_t)__builtin_ctzll(left)]);
}

/* ---------------------------------------------------------------- memories */

/* The last word of a value of `width` bits holds no more than these. */
static uint64_t last_mask(uint32_t width) {
    return ~0ull >> (63 - (width - 1) % 64);
}

static void random_words(struct netsim *s, uint64_t *to, uint32_t width) {
    const uint32_t words = (width + 63) / 64;
    for (uint32_t i = 0; i < words; i++) to[i] = next_random(s);
    to[words - 1] &= last_mask(width);
}

/* Digits, most significant first; NULL: all x. */
static void set_digits(struct netsim *s, uint64_t *to, const char *digits, uint32_t width) {
    random_words(s, to, width);
    for (uint32_t i = 0; digits && i < width; i++) {
        const char digit = digits[width - 1 - i];
        if (digit == 'x') continue;
        to[i / 64] &= ~(1ull << i % 64);
        to[i / 64] |= (uint64_t)(digit == '1') << i % 64;
    }
}

static const uint64_t *wide_at(const struct netsim *s, uint32_t sink) {
    return s->wide + s->wides[sink - s->d->nodes].first;
}

/* @return NULL: outside the memory */
static uint64_t *place(struct netsim *s, const struct memory *m, uint64_t address) {
    const uint64_t at = address - m->offset;
    return at < m->size ? s->store + m->first + at * m->words : NULL;
}

static void load(struct netsim *s, const struct memory *m, uint64_t address, uint64_t *to) {
    const uint64_t *from = place(s, m, address);
    if (from)
        memcpy(to, from, m->words * sizeof *to);
    else
        random_words(s, to, m->width);
}

/* What a clocked port takes at an edge into `next`, given its memory before the writes. */
static void read_at_edge(struct netsim *s, const struct memory *m, uint32_t port) {
    const struct read_port *p = READ_PORT(s->d, port);
    const bool en = *wide_at(s, p->en), reset = *wide_at(s, p->srst) && (en || !p->ce_over_srst);
    uint64_t *to = s->next + p->data;
    if (!en && !reset) return;
    s->fresh[s->num_fresh++] = port;
    if (reset) {
        set_digits(s, to, p->srst_value, m->width);
        return;
    }
    const uint64_t address = *wide_at(s, p->addr);
    load(s, m, address, to);
    for (uint32_t k = 0; k < m->writes; k++) {
        const struct write_port *w = WRITE_PORT(s->d, m->first_write + k);
        const bool transparent = p->transparent >> k & 1, collides = p->collision >> k & 1;
        if ((!transparent && !collides) || *wide_at(s, w->addr) != address) continue;
        const uint64_t *bits = wide_at(s, w->en), *data = wide_at(s, w->data);
        for (uint32_t i = 0; i < m->words; i++) {
            const uint64_t with = collides ? next_random(s) : data[i];
            to[i] = (to[i] & ~bits[i]) | (with & bits[i]);
        }
    }
}

/* Bits that a write port before `port` writes to the same place without being second to it. */
static uint64_t disputed(const struct netsim *s, const struct memory *m, uint32_t port,
                         uint32_t word) {
    const struct write_port *w = WRITE_PORT(s->d, m->first_write + port);
    uint64_t set = 0;
    for (uint32_t k = 0; k < port; k++) {
        const struct write_port *before = WRITE_PORT(s->d, m->first_write + k);
        if (!(w->over >> k & 1) && *wide_at(s, before->addr) == *wide_at(s, w->addr))
            set |= wide_at(s, before->en)[word];
    }
    return set;
}

/* @return whether a bit was enabled */
static bool write_at_edge(struct netsim *s, const struct memory *m, uint32_t port) {
    const struct write_port *w = WRITE_PORT(s->d, m->first_write + port);
    const uint64_t *bits = wide_at(s, w->en), *data = wide_at(s, w->data);
    const uint64_t address = *wide_at(s, w->addr);
    uint64_t any = 0, *to = place(s, m, address);
    for (uint32_t i = 0; i < m->words; i++) any |= bits[i];
    if (!any || !to) return any;
    for (uint32_t i = 0; i < m->words; i++) {
        const uint64_t x = disputed(s, m, port, i) & bits[i];
        to[i] = (to[i] & ~bits[i]) | (data[i] & bits[i]);
        if (x) to[i] = (to[i] & ~x) | (next_random(s) & x);
    }
    for (uint32_t k = m->first_read; k < m->first_read + m->reads; k++) {
        const uint32_t n = READ_PORT(s->d, k)->node;
        if (n != NONE && s->node[n].in == address) enqueue(s, n);
    }
    return true;
}

/* A memory stays awake while it is written: a read in the next clock sees it. */
static void memory_at_edge(struct netsim *s, uint32_t memory) {
    const struct memory *m = MEMORY(s->d, memory);
    bool written = false;
    for (uint32_t k = 0; k < m->reads; k++)
        if (READ_PORT(s->d, m->first_read + k)->node == NONE) read_at_edge(s, m, m->first_read + k);
    for (uint32_t k = 0; k < m->writes; k++) written |= write_at_edge(s, m, k);
    if (written) wake(s, memory);
}

/* ---------------------------------------------------------------- evaluation */

static inline void evaluate(struct netsim *s, uint32_t n) {
    const struct netsim_design *d = s->d;
    const struct node *node = &s->node[n];
    s->queued[n] = 0;
    if (n < d->luts) {
        const uint8_t value = node->table >> node->in & 1;
        g_array_append_val(s->looked, n);
        if (value == s->value[n]) return;
        s->value[n] = value;
        toggle(s, s->outs[node->out]);
    } else if (n < d->carries) {
        const uint8_t value = d->carry[node->in];
        uint32_t left = value ^ s->value[n];
        s->value[n] = value;
        for (; left; left &= left - 1)
            toggle(s, s->outs[node->out + (uint32_t)__builtin_ctz(left)]);
    } else {
        const struct read_port *p = READ_PORT(d, d->reader[n - d->carries]);
        const struct memory *m = MEMORY(d, p->memory);
        load(s, m, node->in, s->next + p->data);
        toggle_words(s, p->out, s->data + p->data, s->next + p->data, m->words);
        memcpy(s->data + p->data, s->next + p->data, m->words * sizeof *s->data);
    }
}

void netsim_settle(struct netsim *s) {
    const struct netsim_design *d = s->d;
    for (uint32_t level = 0; level < d->levels; level++) {
        const uint32_t *queue = s->queue + d->level_first[level];
        for (uint32_t i = 0; i < s->waiting[level]; i++) evaluate(s, queue[i]);
        s->work.evaluated += s->waiting[level];
        s->waiting[level] = 0;
    }
}

/* Rows that stand at the edge are used; what a LUT went through before is not. */
static void note_rows(struct netsim *s) {
    const uint32_t *looked = (const uint32_t *)(void *)s->looked->data;
    if (s->in_reset) return;
    for (unsigned i = 0; i < s->looked->len; i++)
        s->d->seen[looked[i]] |= 1ull << s->node[looked[i]].in;
    g_array_set_size(s->looked, 0);
}

void netsim_clock(struct netsim *s) {
    const struct netsim_design *d = s->d;
    netsim_settle(s);
    note_rows(s);
    s->work.clocks++;
    const uint32_t *queue = s->queue + d->level_first[d->levels];
    uint32_t changed = 0, memories = s->num_awake;
    for (uint32_t i = 0; i < s->waiting[d->levels]; i++) {
        const uint32_t n = queue[i];
        s->queued[n] = 0;
        if ((s->node[n].table >> s->node[n].in & 1) != s->value[n]) s->changed[changed++] = n;
    }
    s->waiting[d->levels] = 0;
    uint32_t *const list = s->awake_list;
    s->awake_list = s->awake_before;
    s->awake_before = list;
    s->num_awake = s->num_fresh = 0;
    for (uint32_t i = 0; i < memories; i++) s->awake[list[i]] = 0;
    for (uint32_t i = 0; i < memories; i++) memory_at_edge(s, list[i]);
    /* all have been looked at: now they change */
    for (uint32_t i = 0; i < changed; i++) {
        const uint32_t n = s->changed[i];
        toggle_flip_flop(s, n);
    }
    for (uint32_t i = 0; i < s->num_fresh; i++) {
        const struct read_port *p = READ_PORT(d, s->fresh[i]);
        const uint32_t words = MEMORY(d, p->memory)->words;
        toggle_words(s, p->out, s->data + p->data, s->next + p->data, words);
        memcpy(s->data + p->data, s->next + p->data, words * sizeof *s->data);
    }
    netsim_settle(s);
}

/* ---------------------------------------------------------------- rows of truth tables */

void netsim_in_reset(struct netsim *s, bool in_reset) {
    s->in_reset = in_reset;
    g_array_set_size(s->looked, 0);
    for (uint32_t n = 0; n < s->d->luts && !in_reset; n++) g_array_append_val(s->looked, n);
}

bool netsim_row_stands(const struct netsim *s, struct netsim_row row) {
    return s->node[row.lut].in == row.row;
}

void netsim_invert(struct netsim *s, struct netsim_row row) {
    s->node[row.lut].table ^= 1ull << row.row;
    enqueue(s, row.lut);
}

/* The LUT's output becomes the other value, with all that follows from it before the edge. */
static void force_other(struct netsim *s, uint32_t lut) {
    s->value[lut] ^= 1;
    toggle(s, s->outs[s->node[lut].out]);
    netsim_settle(s);
}

/* What a memory does at the next edge, as a number: what its ports take, of what is enabled. */
static uint64_t memory_does(const struct netsim *s, uint32_t memory) {
    const struct memory *m = MEMORY(s->d, memory);
    uint64_t sum = 0;
#define ADD(value) sum = (sum ^ (value)) * 0x9e3779b97f4a7c15, sum ^= sum >> 32
    for (uint32_t k = m->first_read; k < m->first_read + m->reads; k++) {
        const struct read_port *p = READ_PORT(s->d, k);
        if (p->node != NONE) continue;
        const uint64_t en = *wide_at(s, p->en);
        ADD(en << 1 | *wide_at(s, p->srst));
        ADD(en ? *wide_at(s, p->addr) : 0);
    }
    for (uint32_t k = m->first_write; k < m->first_write + m->writes; k++) {
        const struct write_port *w = WRITE_PORT(s->d, k);
        const uint64_t *bits = wide_at(s, w->en), *data = wide_at(s, w->data);
        uint64_t any = 0;
        for (uint32_t i = 0; i < m->words; i++) {
            any |= bits[i];
            ADD(bits[i]);
            ADD(data[i] & bits[i]);
        }
        ADD(any ? *wide_at(s, w->addr) : 0);
    }
    return sum;
}

/* Whether one of the flip-flops queued for the edge takes another value than it would with the
 * inputs `in`; those behind the first `count` would stay as they are. */
static bool flip_flops_differ(const struct netsim *s, const uint16_t *in, uint32_t count) {
    const uint32_t levels = s->d->levels, *queue = s->queue + s->d->level_first[levels];
    for (uint32_t i = 0; i < s->waiting[levels]; i++) {
        const struct node *node = &s->node[queue[i]];
        const uint64_t before = i < count ? node->table >> in[i] & 1 : s->value[queue[i]];
        if ((node->table >> node->in & 1) != before) return true;
    }
    return false;
}

bool netsim_row_matters(struct netsim *s, struct netsim_row row) {
    const uint32_t count = s->waiting[s->d->levels];
    const uint32_t *queue = s->queue + s->d->level_first[s->d->levels];
    g_array_set_size(s->saved, count);
    uint16_t *in = (uint16_t *)(void *)s->saved->data;
    for (uint32_t i = 0; i < count; i++) in[i] = s->node[queue[i]].in;
    g_array_set_size(s->touched, 0);
    s->trying = true;
    force_other(s, row.lut);
    s->trying = false;
    bool matters = flip_flops_differ(s, in, count);
    const unsigned touched = s->touched->len;
    g_array_set_size(s->does, touched);
    uint32_t *owner = (uint32_t *)(void *)s->touched->data;
    uint64_t *does = (uint64_t *)(void *)s->does->data;
    for (unsigned i = 0; i < touched && !matters; i++) {
        if (owner[i] == NO_MEMORY)
            matters = true; /* an output */
        else
            does[i] = memory_does(s, owner[i]);
    }
    force_other(s, row.lut);
    for (unsigned i = 0; i < touched && !matters; i++)
        matters = does[i] != memory_does(s, owner[i]);
    return matters;
}

/* ---------------------------------------------------------------- ports */

void netsim_put(struct netsim *s, unsigned port, const uint32_t *words) {
    const struct port *p = PORT(s->d, port);
    uint64_t *now = s->wide + s->wides[p->wide - s->d->nodes].first;
    for (uint32_t i = 0; i < (p->width + 63u) / 64; i++) {
        const bool high = 64 * i + 32 < p->width;
        uint64_t value = words[2 * i] | (high ? (uint64_t)words[2 * i + 1] << 32 : 0);
        if (64 * i + 64 >= p->width) value &= last_mask(p->width);
        toggle_words(s, p->out + 64 * i, &now[i], &value, 1);
        now[i] = value;
    }
}

const uint64_t *netsim_get(const struct netsim *s, unsigned port) {
    return wide_at(s, PORT(s->d, port)->wide);
}

const uint64_t *netsim_signal_value(const struct netsim *s, unsigned signal) {
    return s->signals + g_array_index(s->d->signals, struct signal, signal).first;
}

const uint64_t *netsim_memory_word(const struct netsim *s, unsigned memory, uint32_t address) {
    const struct memory *m = MEMORY(s->d, memory);
    return s->store + m->first + (size_t)(address - m->offset) * m->words;
}

struct netsim_work netsim_worked(const struct netsim *s) {
    return s->work;
}

/* ---------------------------------------------------------------- beginning and end */

static void begin_memory(struct netsim *s, const struct memory *m) {
    for (uint32_t at = 0; at < m->size; at++)
        set_digits(s, s->store + m->first + (size_t)at * m->words,
                   m->init ? m->init + (size_t)(m->size - 1 - at) * m->width : NULL, m->width);
    for (uint32_t k = m->first_read; k < m->first_read + m->reads; k++) {
        const struct read_port *p = READ_PORT(s->d, k);
        if (p->node != NONE) continue;
        set_digits(s, s->next + p->data, p->init, m->width);
        toggle_words(s, p->out, s->data + p->data, s->next + p->data, m->words);
        memcpy(s->data + p->data, s->next + p->data, m->words * sizeof *s->data);
    }
}

/* The arrays of a simulation with their lengths. */
#define ARRAYS(X)                     \
    X(node, d->nodes)                 \
    X(value, d->nodes)                \
    X(queued, d->nodes)               \
    X(queue, d->nodes)                \
    X(waiting, d->levels + 1)         \
    X(changed, d->nodes)              \
    X(wide, d->wide_words)            \
    X(signals, d->signal_words)       \
    X(data, d->data_words)            \
    X(next, d->data_words)            \
    X(store, d->store_words)          \
    X(awake, d->memories->len)        \
    X(awake_list, d->memories->len)   \
    X(awake_before, d->memories->len) \
    X(fresh, d->read_ports->len)

static void new_lists(struct netsim *s) {
    s->touched = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    s->does = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    s->saved = g_array_new(FALSE, FALSE, sizeof(uint16_t));
}

struct netsim *netsim_new(struct netsim_design *d, uint64_t seed) {
    struct netsim *s = g_new0(struct netsim, 1);
#define NEW(array, length) s->array = g_malloc0_n(length, sizeof *s->array);
    ARRAYS(NEW)
    s->d = d;
    s->looked = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    new_lists(s);
    s->outs = (const uint32_t *)(void *)d->outs->data;
    s->wides = (const struct wide *)(void *)d->wides->data;
    memcpy(s->node, d->node, d->nodes * sizeof *d->node);
    s->random = seed;
    for (unsigned i = 0; i < d->constant->len; i++) {
        const struct constant_sink *c = &g_array_index(d->constant, struct constant_sink, i);
        if (c->value == 1 || next_random(s) & 1) flip_sink(s, c->sink);
    }
    for (unsigned i = 0; i < d->memories->len; i++) begin_memory(s, MEMORY(d, i)), wake(s, i);
    for (uint32_t n = 0; n < d->nodes; n++) {
        enqueue(s, n);
        if (n < d->readers) continue;
        const char init = d->init[n - d->readers];
        if (init == '0' || (init == 'x' && !(next_random(s) & 1))) continue;
        toggle_flip_flop(s, n);
    }
    netsim_settle(s);
    return s;
}

struct netsim *netsim_copy(const struct netsim *from) {
    const struct netsim_design *d = from->d;
    struct netsim *s = g_memdup2(from, sizeof *from);
#define COPY(array, length) s->array = g_memdup2(from->array, (length) * sizeof *s->array);
    ARRAYS(COPY)
    s->looked = g_array_copy(from->looked);
    new_lists(s);
    return s;
}

void netsim_free(struct netsim *s) {
    if (!s) return;
#define FREE(array, length) g_free(s->array);
    ARRAYS(FREE)
    g_array_free(s->looked, TRUE);
    g_array_free(s->touched, TRUE);
    g_array_free(s->does, TRUE);
    g_array_free(s->saved, TRUE);
    g_free(s);
}
