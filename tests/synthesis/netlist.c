/* netlist.c - what a netlist takes that yosys has mapped for the U55C (rtl/syn), and its longest
 * path.
 *
 *   netlist FILE.blif [SHOWN [END]]
 *
 * FILE: write_blif -cname -param of one flat module. Prints lines "figure value", then the longest
 * paths into the SHOWN (default 0) registers and memories with the longest, a line each with where
 * the path begins, and the cells of the very longest, or of the longest into END.
 *
 * A level is a LUT, a MUXF, a whole carry chain, or a read of a memory without a clock: that one
 * has a level more for each time that its words are four times 64. Figure `levels` has all of
 * them, `levels_ram_out` ends paths at such memories, too. Cells: cells.def.
 * Exit status 1: a cell that cells.def does not have, a combinational loop, no netlist. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/synthesis/blif.h"

struct path {
    int level;     /* -1: not known yet, -2: being looked for */
    unsigned from; /* net that makes it so late, itself: none */
};
struct memory {
    unsigned width, address, unclocked; /* bits; set of read ports */
    int read_cost;                      /* levels of a read without a clock */
};
struct netlist {
    struct blif *b;
    struct path *path;     /* of each net */
    struct memory *memory; /* of each cell that is one */
    GStringChunk *text;
    bool ram_out;
};
struct end {
    const char *name;
    unsigned net;
    int level;
};

static void look_at_memories(struct netlist *n) {
    for (unsigned i = 0; i < n->b->cells->len; i++) {
        const struct blif_cell *c = BLIF_CELL(n->b, i);
        if (c->kind != CELL_MEMORY) continue;
        struct memory *m = &n->memory[i];
        m->width = blif_number(n->b, c, "WIDTH");
        m->address = blif_number(n->b, c, "ABITS");
        m->unclocked = ~blif_number(n->b, c, "RD_CLK_ENABLE");
        m->read_cost = 1;
        for (unsigned size = blif_number(n->b, c, "SIZE"); size > 64; size /= 4) m->read_cost++;
    }
}

/* ---------------------------------------------------------------- levels */

static int level_of(struct netlist *n, unsigned net);

/* What a pin adds to the level of the output; -1: the output does not hang on it. */
static int cost(const struct netlist *n, unsigned cell, const struct blif_pin *in,
                const struct blif_pin *out) {
    const struct blif_cell *c = BLIF_CELL(n->b, cell);
    const char *name = blif_pin_name(n->b, in);
    switch (c->kind) {
    case CELL_WIRE: return 0;
    case CELL_LOGIC: return 1;
    case CELL_CARRY:
        if (!strcmp(name, "S") || !strcmp(name, "DI")) return in->bit <= out->bit ? 1 : -1;
        if (!strcmp(name, "CI")) {
            const int from = BLIF_NET(n->b, in->net)->driver;
            return from >= 0 && BLIF_CELL(n->b, from)->kind == CELL_CARRY ? 0 : 1;
        }
        return 1;
    case CELL_MEMORY: {
        const struct memory *m = &n->memory[cell];
        const unsigned port = (unsigned)out->bit / m->width;
        const bool hangs = !n->ram_out && m->unclocked >> port & 1 && !strcmp(name, "RD_ADDR") &&
                           (unsigned)in->bit / m->address == port;
        return hangs ? m->read_cost : -1;
    }
    default: return -1;
    }
}

static bool is_input(const struct netlist *n, const struct blif_cell *c, const struct blif_pin *p) {
    const char *name = blif_pin_name(n->b, p);
    return !blif_is_output(c->kind, name) && !blif_is_clock(name);
}

static int level_of(struct netlist *n, unsigned id) {
    struct path *path = &n->path[id];
    const struct blif_net *net = BLIF_NET(n->b, id);
    if (path->level == -2) blif_die("a loop through", net->name);
    if (path->level >= 0) return path->level;
    int level = 0;
    unsigned from = id;
    path->level = -2;
    if (net->driver >= 0) {
        const struct blif_cell *c = BLIF_CELL(n->b, net->driver);
        const struct blif_pin *out = BLIF_PIN(n->b, net->pin);
        for (unsigned i = c->first_pin; i < c->first_pin + c->pins; i++) {
            const struct blif_pin *in = BLIF_PIN(n->b, i);
            const int more = is_input(n, c, in) ? cost(n, (unsigned)net->driver, in, out) : -1;
            if (more < 0 || blif_constant(BLIF_NET(n->b, in->net)) >= 0) continue;
            const int at = level_of(n, in->net) + more;
            if (at > level) level = at, from = in->net;
        }
    }
    path->level = level;
    path->from = from;
    return level;
}

/* What a register or memory is called: the net at its output without the bit, or the memory. */
static const char *end_name(struct netlist *n, const struct blif_cell *c) {
    const char *name = c->name;
    char *memory = c->kind == CELL_MEMORY ? blif_memory_name(n->b, c) : NULL;
    if (memory) name = memory;
    for (unsigned i = c->first_pin; c->kind == CELL_STATE && i < c->first_pin + c->pins; i++)
        if (blif_is_output(c->kind, blif_pin_name(n->b, BLIF_PIN(n->b, i))))
            name = BLIF_NET(n->b, BLIF_PIN(n->b, i)->net)->name;
    char *cut = g_string_chunk_insert(n->text, name), *bracket = strchr(cut, '[');
    if (bracket) *bracket = 0;
    g_free(memory);
    return g_string_chunk_insert_const(n->text, cut);
}

static void note(GHashTable *ends, const char *name, unsigned net, int level) {
    struct end *e = g_hash_table_lookup(ends, name);
    if (!e) {
        e = g_new(struct end, 1);
        *e = (struct end){name, net, level};
        g_hash_table_insert(ends, (char *)name, e);
    } else if (level > e->level) {
        *e = (struct end){name, net, level};
    }
}

/* The longest path into each register and memory. */
static GHashTable *find_ends(struct netlist *n) {
    GHashTable *ends = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    for (unsigned i = 0; i < n->b->nets->len; i++) n->path[i].level = -1;
    for (unsigned i = 0; i < n->b->cells->len; i++) {
        const struct blif_cell *c = BLIF_CELL(n->b, i);
        if (c->kind != CELL_STATE && c->kind != CELL_MEMORY) continue;
        const char *name = end_name(n, c);
        for (unsigned k = c->first_pin; k < c->first_pin + c->pins; k++)
            if (is_input(n, c, BLIF_PIN(n->b, k)))
                note(ends, name, BLIF_PIN(n->b, k)->net, level_of(n, BLIF_PIN(n->b, k)->net));
    }
    return ends;
}

static int later(const void *a, const void *b) {
    const struct end *const *x = a, *const *y = b;
    return (*x)->level != (*y)->level ? (*y)->level - (*x)->level : strcmp((*x)->name, (*y)->name);
}

/* Where the longest path to a net begins: a register, a memory, or a port. */
static const char *begin_name(struct netlist *n, unsigned id) {
    while (id != n->path[id].from) id = n->path[id].from;
    const struct blif_net *net = BLIF_NET(n->b, id);
    return net->driver < 0 ? net->name : end_name(n, BLIF_CELL(n->b, net->driver));
}

static void print_path(struct netlist *n, const struct end *e) {
    printf("into %s:\n", e->name);
    for (unsigned id = e->net; id != n->path[id].from; id = n->path[id].from) {
        const struct blif_net *net = BLIF_NET(n->b, id);
        printf("  %3d %-10s %s\n", n->path[id].level, blif_type(n->b, BLIF_CELL(n->b, net->driver)),
               net->name);
    }
}

/* ---------------------------------------------------------------- printing */

static int longest(struct netlist *n, unsigned shown, const char *end) {
    GHashTable *ends = find_ends(n);
    GPtrArray *list = g_ptr_array_new();
    GHashTableIter iter;
    void *value;
    for (g_hash_table_iter_init(&iter, ends); g_hash_table_iter_next(&iter, NULL, &value);)
        g_ptr_array_add(list, value);
    g_ptr_array_sort(list, later);
    const int level = list->len ? ((struct end *)list->pdata[0])->level : 0;
    for (unsigned i = 0; i < list->len && i < shown; i++) {
        const struct end *e = list->pdata[i];
        printf("path %3d %s from %s\n", e->level, e->name, begin_name(n, e->net));
    }
    for (unsigned i = 0; shown && i < list->len; i++)
        if (!end || !strcmp(((struct end *)list->pdata[i])->name, end)) {
            print_path(n, list->pdata[i]);
            break;
        }
    g_ptr_array_free(list, TRUE);
    g_hash_table_destroy(ends);
    return level;
}

int main(int argc, char **argv) {
    static const char *const figure[] = {"lut", "muxf", "carry4", "memories", "ff"};
    if (argc < 2) {
        fprintf(stderr, "usage: netlist FILE.blif [SHOWN [END]]\n");
        return 2;
    }
    struct netlist n = {.b = blif_read(argv[1]), .text = g_string_chunk_new(1 << 20)};
    n.path = g_new(struct path, n.b->nets->len);
    n.memory = g_new0(struct memory, n.b->cells->len);
    look_at_memories(&n);
    for (unsigned i = 0; i < NUM_FIGURES; i++) printf("%s %lu\n", figure[i], n.b->count[i]);
    n.ram_out = true;
    printf("levels_ram_out %d\n", longest(&n, 0, NULL));
    n.ram_out = false;
    printf("levels %d\n",
           longest(&n, argc > 2 ? (unsigned)atoi(argv[2]) : 0, argc > 3 ? argv[3] : NULL));
    g_free(n.path);
    g_free(n.memory);
    g_string_chunk_free(n.text);
    blif_free(n.b);
    return 0;
}
