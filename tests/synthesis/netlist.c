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
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { LOGIC, CARRY, MEMORY, STATE, BUFFER };
enum { figure_lut, figure_muxf, figure_carry, figure_memory, figure_ff, NUM_FIGURES };

struct pin {
    unsigned net;
    unsigned short name; /* of struct netlist.names */
    short bit;
};
struct cell {
    enum kind kind;
    unsigned type, first, pins; /* its pins in struct netlist.pins */
    const char *name;
    unsigned width, address, unclocked; /* of a memory: bits; set of read ports */
    int read_cost;                      /* levels of a read without a clock */
};
struct net {
    const char *name;
    int driver;    /* cell, -1: none */
    unsigned pin;  /* of the driver */
    int level;     /* -1: not known yet, -2: being looked for */
    unsigned from; /* net that makes it so late, itself: none */
};
struct netlist {
    GArray *cells, *pins, *nets;
    GHashTable *net_of, *name_of;
    GPtrArray *names;
    GStringChunk *text;
    bool ram_out;
    unsigned long count[NUM_FIGURES];
};
struct end {
    const char *name;
    unsigned net;
    int level;
};

#define CELLS(n) (&g_array_index((n)->cells, struct cell, 0))
#define PINS(n) (&g_array_index((n)->pins, struct pin, 0))
#define NETS(n) (&g_array_index((n)->nets, struct net, 0))

static void die(const char *what, const char *name) {
    fprintf(stderr, "netlist: %s %s\n", what, name);
    exit(1);
}

/* ---------------------------------------------------------------- reading */

static unsigned net_id(struct netlist *n, const char *name) {
    void *found;
    if (g_hash_table_lookup_extended(n->net_of, name, NULL, &found)) return GPOINTER_TO_UINT(found);
    const unsigned id = n->nets->len;
    const struct net net = {g_string_chunk_insert(n->text, name), -1, 0, -1, id};
    g_array_append_val(n->nets, net);
    g_hash_table_insert(n->net_of, (char *)net.name, GUINT_TO_POINTER(id));
    return id;
}

static unsigned short name_id(struct netlist *n, const char *name) {
    void *found;
    if (g_hash_table_lookup_extended(n->name_of, name, NULL, &found))
        return (unsigned short)GPOINTER_TO_UINT(found);
    char *kept = g_string_chunk_insert(n->text, name);
    g_ptr_array_add(n->names, kept);
    g_hash_table_insert(n->name_of, kept, GUINT_TO_POINTER(n->names->len - 1));
    return (unsigned short)(n->names->len - 1);
}

static const char *pin_name(const struct netlist *n, const struct pin *p) {
    return g_ptr_array_index(n->names, p->name);
}

static bool starts(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
}

static enum kind classify(struct netlist *n, const char *type) {
#define CELL(start, kind, figure)    \
    if (starts(type, start)) {       \
        n->count[figure_##figure]++; \
        return kind;                 \
    }
#include "tests/synthesis/cells.def"
    die("cells.def has no", type);
    return STATE;
}

/* Outputs, by the primitives' own names. */
static bool is_output(enum kind kind, const char *pin) {
    switch (kind) {
    case BUFFER:
    case LOGIC: return *pin == 'O';
    case CARRY: return !strcmp(pin, "O") || !strcmp(pin, "CO");
    case MEMORY: return !strcmp(pin, "RD_DATA");
    default: return *pin == 'Q';
    }
}

static bool is_clock(const char *pin) {
    return !strcmp(pin, "C") || !strcmp(pin, "RD_CLK") || !strcmp(pin, "WR_CLK");
}

static void add_pin(struct netlist *n, struct cell *c, const char *pin, short bit,
                    const char *net) {
    if (is_clock(pin)) return;
    const struct pin p = {net_id(n, net), name_id(n, pin), bit};
    if (is_output(c->kind, pin)) {
        NETS(n)[p.net].driver = (int)n->cells->len;
        NETS(n)[p.net].pin = n->pins->len;
    }
    g_array_append_val(n->pins, p);
    c->pins++;
}

static void add_cell(struct netlist *n, char *line) {
    char *save, *word = strtok_r(line, " \n", &save);
    struct cell c = {classify(n, word), name_id(n, word), n->pins->len, 0, "", 0, 0, 0, 1};
    while ((word = strtok_r(NULL, " \n", &save))) {
        char *net = strchr(word, '='), *bracket;
        if (!net) die("no = in", word);
        *net++ = 0;
        short bit = 0;
        if ((bracket = strchr(word, '['))) {
            bit = (short)atoi(bracket + 1);
            *bracket = 0;
        }
        add_pin(n, &c, word, bit, net);
    }
    g_array_append_val(n->cells, c);
}

/* ".names a b" with one row "1 1" joins two nets; with one name it is a constant. */
static void add_buffer(struct netlist *n, char *line) {
    char *save, *in = strtok_r(line, " \n", &save), *out = strtok_r(NULL, " \n", &save);
    if (!out) return;
    struct cell c = {BUFFER, name_id(n, "wire"), n->pins->len, 0, "", 0, 0, 0, 1};
    add_pin(n, &c, "I", 0, in);
    add_pin(n, &c, "O", 0, out);
    g_array_append_val(n->cells, c);
}

/* ".param NAME VALUE" of the cell before: of a memory. Numbers are binary. */
static void add_param(struct netlist *n, char *line) {
    char *save, *name = strtok_r(line, " \n", &save), *value = strtok_r(NULL, " \n", &save);
    if (!value || !n->cells->len) return;
    struct cell *c = &CELLS(n)[n->cells->len - 1];
    if (c->kind != MEMORY) return;
    if (!strcmp(name, "WIDTH")) c->width = (unsigned)strtoul(value, NULL, 2);
    if (!strcmp(name, "ABITS")) c->address = (unsigned)strtoul(value, NULL, 2);
    if (!strcmp(name, "RD_CLK_ENABLE")) c->unclocked = ~(unsigned)strtoul(value, NULL, 2);
    if (!strcmp(name, "SIZE"))
        for (unsigned long size = strtoul(value, NULL, 2); size > 64; size /= 4) c->read_cost++;
    if (!strcmp(name, "MEMID")) {
        value += *value == '"';
        value += *value == '\\';
        value[strcspn(value, "\"")] = 0;
        c->name = g_string_chunk_insert(n->text, value);
    }
}

static void read_netlist(struct netlist *n, const char *path) {
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    if (!f) die("cannot read", path);
    while (getline(&line, &size, f) > 0) {
        if (starts(line, ".subckt "))
            add_cell(n, line + 8);
        else if (starts(line, ".gate "))
            add_cell(n, line + 6);
        else if (starts(line, ".names "))
            add_buffer(n, line + 7);
        else if (starts(line, ".param "))
            add_param(n, line + 7);
        else if (starts(line, ".latch"))
            die("not mapped:", line);
        else if (starts(line, ".cname ") && n->cells->len)
            CELLS(n)[n->cells->len - 1].name = g_string_chunk_insert(n->text, g_strchomp(line + 7));
    }
    free(line);
    fclose(f);
    if (!n->cells->len) die("no cells in", path);
}

/* ---------------------------------------------------------------- levels */

static int level_of(struct netlist *n, unsigned net);

/* What a pin adds to the level of the output; -1: the output does not hang on it. */
static int cost(const struct netlist *n, const struct cell *c, const struct pin *in,
                const struct pin *out) {
    const char *name = pin_name(n, in);
    switch (c->kind) {
    case BUFFER: return 0;
    case LOGIC: return 1;
    case CARRY:
        if (!strcmp(name, "S") || !strcmp(name, "DI")) return in->bit <= out->bit ? 1 : -1;
        if (!strcmp(name, "CI")) {
            const struct net *from = &NETS(n)[in->net];
            return from->driver >= 0 && CELLS(n)[from->driver].kind == CARRY ? 0 : 1;
        }
        return 1;
    case MEMORY: {
        if (!c->width || !c->address) die("no parameters (write_blif -param) of", c->name);
        const unsigned port = (unsigned)out->bit / c->width;
        const bool hangs = !n->ram_out && c->unclocked >> port & 1 && !strcmp(name, "RD_ADDR") &&
                           (unsigned)in->bit / c->address == port;
        return hangs ? c->read_cost : -1;
    }
    default: return -1;
    }
}

static bool is_constant(const struct net *net) {
    return !strcmp(net->name, "$false") || !strcmp(net->name, "$true") ||
           !strcmp(net->name, "$undef");
}

static int level_of(struct netlist *n, unsigned id) {
    struct net *net = &NETS(n)[id];
    if (net->level == -2) die("a loop through", net->name);
    if (net->level >= 0) return net->level;
    int level = 0;
    unsigned from = id;
    net->level = -2;
    if (net->driver >= 0) {
        const struct cell *c = &CELLS(n)[net->driver];
        const struct pin *out = &PINS(n)[net->pin];
        for (unsigned i = c->first; i < c->first + c->pins; i++) {
            const struct pin *in = &PINS(n)[i];
            const int more = is_output(c->kind, pin_name(n, in)) ? -1 : cost(n, c, in, out);
            if (more < 0 || is_constant(&NETS(n)[in->net])) continue;
            const int at = level_of(n, in->net) + more;
            if (at > level) level = at, from = in->net;
        }
    }
    net->level = level;
    net->from = from;
    return level;
}

/* What a register or memory is called: the net at its output without the bit, or the cell. */
static const char *end_name(struct netlist *n, const struct cell *c) {
    const char *type = g_ptr_array_index(n->names, c->type), *name = c->name;
    if (starts(type, "FD"))
        for (unsigned i = c->first; i < c->first + c->pins; i++)
            if (is_output(c->kind, pin_name(n, &PINS(n)[i]))) name = NETS(n)[PINS(n)[i].net].name;
    char *cut = g_string_chunk_insert(n->text, name), *bracket = strchr(cut, '[');
    if (bracket) *bracket = 0;
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
    for (unsigned i = 0; i < n->nets->len; i++) NETS(n)[i].level = -1;
    for (unsigned i = 0; i < n->cells->len; i++) {
        const struct cell *c = &CELLS(n)[i];
        if (c->kind != STATE && c->kind != MEMORY) continue;
        const char *name = end_name(n, c);
        for (unsigned k = c->first; k < c->first + c->pins; k++)
            if (!is_output(c->kind, pin_name(n, &PINS(n)[k])))
                note(ends, name, PINS(n)[k].net, level_of(n, PINS(n)[k].net));
    }
    return ends;
}

static int later(const void *a, const void *b) {
    const struct end *const *x = a, *const *y = b;
    return (*x)->level != (*y)->level ? (*y)->level - (*x)->level : strcmp((*x)->name, (*y)->name);
}

/* Where the longest path to a net begins: a register, a memory, or a port. */
static const char *begin_name(struct netlist *n, unsigned id) {
    while (id != NETS(n)[id].from) id = NETS(n)[id].from;
    const struct net *net = &NETS(n)[id];
    return net->driver < 0 ? net->name : end_name(n, &CELLS(n)[net->driver]);
}

static void print_path(struct netlist *n, const struct end *e) {
    printf("into %s:\n", e->name);
    for (unsigned id = e->net; id != NETS(n)[id].from; id = NETS(n)[id].from) {
        const struct net *net = &NETS(n)[id];
        printf("  %3d %-10s %s\n", net->level,
               (char *)g_ptr_array_index(n->names, CELLS(n)[net->driver].type), net->name);
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
    struct netlist n = {.cells = g_array_new(FALSE, FALSE, sizeof(struct cell)),
                        .pins = g_array_new(FALSE, FALSE, sizeof(struct pin)),
                        .nets = g_array_new(FALSE, FALSE, sizeof(struct net)),
                        .net_of = g_hash_table_new(g_str_hash, g_str_equal),
                        .name_of = g_hash_table_new(g_str_hash, g_str_equal),
                        .names = g_ptr_array_new(),
                        .text = g_string_chunk_new(1 << 20)};
    read_netlist(&n, argv[1]);
    for (unsigned i = 0; i < NUM_FIGURES; i++) printf("%s %lu\n", figure[i], n.count[i]);
    n.ram_out = true;
    printf("levels_ram_out %d\n", longest(&n, 0, NULL));
    n.ram_out = false;
    printf("levels %d\n",
           longest(&n, argc > 2 ? (unsigned)atoi(argv[2]) : 0, argc > 3 ? argv[3] : NULL));
    g_array_free(n.cells, TRUE);
    g_array_free(n.pins, TRUE);
    g_array_free(n.nets, TRUE);
    g_hash_table_destroy(n.net_of);
    g_hash_table_destroy(n.name_of);
    g_ptr_array_free(n.names, TRUE);
    g_string_chunk_free(n.text);
    return 0;
}
