/* blif.c - see blif.h. */
#include "tests/synthesis/blif.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void blif_die(const char *what, const char *name) {
    fprintf(stderr, "netlist: %s %s\n", what, name);
    exit(1);
}

const char *blif_text(const struct blif *b, unsigned short name) {
    return g_ptr_array_index(b->names, name);
}

int blif_constant(const struct blif_net *net) {
    if (!strcmp(net->name, "$false")) return 0;
    if (!strcmp(net->name, "$true")) return 1;
    return strcmp(net->name, "$undef") ? -1 : 'x';
}

bool blif_is_output(enum cell_kind kind, const char *pin) {
    switch (kind) {
    case CELL_WIRE:
    case CELL_LOGIC: return *pin == 'O';
    case CELL_CARRY: return !strcmp(pin, "O") || !strcmp(pin, "CO");
    case CELL_MEMORY: return !strcmp(pin, "RD_DATA");
    default: return *pin == 'Q';
    }
}

bool blif_is_clock(const char *pin) {
    return !strcmp(pin, "C") || !strcmp(pin, "RD_CLK") || !strcmp(pin, "WR_CLK");
}

const char *blif_param(const struct blif *b, const struct blif_cell *c, const char *name) {
    for (unsigned i = c->first_param; i < c->first_param + c->params; i++)
        if (!strcmp(blif_text(b, BLIF_PARAM(b, i)->name), name)) return BLIF_PARAM(b, i)->value;
    return NULL;
}

unsigned blif_number(const struct blif *b, const struct blif_cell *c, const char *name) {
    const char *value = blif_param(b, c, name);
    char *end;
    if (!value) blif_die("a cell without parameter", name);
    const unsigned long number = strtoul(value, &end, 2);
    if (*end || number > G_MAXUINT32) blif_die("not a number:", name);
    return (unsigned)number;
}

char *blif_memory_name(const struct blif *b, const struct blif_cell *c) {
    const char *id = blif_param(b, c, "MEMID");
    if (!id) return g_strdup(c->name);
    id += *id == '"';
    id += *id == '\\';
    id += *id == '\\';
    return g_strndup(id, strcspn(id, "\""));
}

static bool starts(const char *text, const char *with) {
    return !strncmp(text, with, strlen(with));
}

static unsigned net_id(struct blif *b, const char *name) {
    void *found;
    if (g_hash_table_lookup_extended(b->net_of, name, NULL, &found)) return GPOINTER_TO_UINT(found);
    const unsigned id = b->nets->len;
    const struct blif_net net = {g_string_chunk_insert(b->text, name), -1, 0};
    g_array_append_val(b->nets, net);
    g_hash_table_insert(b->net_of, (char *)net.name, GUINT_TO_POINTER(id));
    return id;
}

static unsigned short name_id(struct blif *b, const char *name) {
    void *found;
    if (g_hash_table_lookup_extended(b->name_of, name, NULL, &found))
        return (unsigned short)GPOINTER_TO_UINT(found);
    char *kept = g_string_chunk_insert(b->text, name);
    g_ptr_array_add(b->names, kept);
    g_hash_table_insert(b->name_of, kept, GUINT_TO_POINTER(b->names->len - 1));
    return (unsigned short)(b->names->len - 1);
}

static enum cell_kind classify(struct blif *b, const char *type) {
#define CELL(start, kind, figure)    \
    if (starts(type, start)) {       \
        b->count[figure_##figure]++; \
        return CELL_##kind;          \
    }
#include "tests/synthesis/cells.def"
    blif_die("cells.def has no", type);
}

/* Cuts "NAME[bit]". @return bit, 0 without */
static short cut_bit(char *name) {
    const size_t length = strlen(name);
    char *bracket = strrchr(name, '[');
    if (!bracket || name[length - 1] != ']') return 0;
    *bracket = 0;
    return (short)atoi(bracket + 1);
}

static void add_pin(struct blif *b, struct blif_cell *c, const char *pin, short bit,
                    const char *net) {
    const struct blif_pin p = {net_id(b, net), name_id(b, pin), bit};
    if (blif_is_output(c->kind, pin)) {
        struct blif_net *n = BLIF_NET(b, p.net);
        if (n->driver >= 0) blif_die("two cells drive", net);
        n->driver = (int)b->cells->len;
        n->pin = b->pins->len;
    }
    g_array_append_val(b->pins, p);
    c->pins++;
}

static struct blif_cell begin_cell(struct blif *b, enum cell_kind kind, const char *type) {
    return (struct blif_cell){kind, name_id(b, type), b->pins->len, 0, b->params->len, 0, ""};
}

static void add_cell(struct blif *b, char *line) {
    char *save, *word = strtok_r(line, " \n", &save);
    struct blif_cell c = begin_cell(b, classify(b, word), word);
    while ((word = strtok_r(NULL, " \n", &save))) {
        char *net = strchr(word, '=');
        if (!net) blif_die("no = in", word);
        *net++ = 0;
        const short bit = cut_bit(word);
        add_pin(b, &c, word, bit, net);
    }
    g_array_append_val(b->cells, c);
}

/* ".names a b" with one row "1 1" joins two nets; with one name it is a constant. */
static void add_wire(struct blif *b, char *line) {
    char *save, *in = strtok_r(line, " \n", &save), *out = strtok_r(NULL, " \n", &save);
    if (!out) return;
    if (strtok_r(NULL, " \n", &save)) blif_die("not mapped: a table of", in);
    struct blif_cell c = begin_cell(b, CELL_WIRE, "wire");
    add_pin(b, &c, "I", 0, in);
    add_pin(b, &c, "O", 0, out);
    g_array_append_val(b->cells, c);
}

/* ".param NAME VALUE" of the cell before. */
static void add_param(struct blif *b, char *line) {
    char *save, *name = strtok_r(line, " \n", &save), *value = strtok_r(NULL, "\n", &save);
    if (!value || !b->cells->len) blif_die("no value or no cell of parameter", name);
    const struct blif_param p = {name_id(b, name), g_string_chunk_insert(b->text, value)};
    g_array_append_val(b->params, p);
    BLIF_CELL(b, b->cells->len - 1)->params++;
}

static void add_ports(struct blif *b, char *line, bool output) {
    char *save;
    for (char *word = strtok_r(line, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
        struct blif_port p = {NULL, 0, output, net_id(b, word)};
        p.bit = cut_bit(word);
        p.name = blif_text(b, name_id(b, word));
        g_array_append_val(b->ports, p);
    }
}

static void read_line(struct blif *b, char *line) {
    if (starts(line, ".subckt "))
        add_cell(b, line + 8);
    else if (starts(line, ".gate "))
        add_cell(b, line + 6);
    else if (starts(line, ".names "))
        add_wire(b, line + 7);
    else if (starts(line, ".param "))
        add_param(b, line + 7);
    else if (starts(line, ".cname ") && b->cells->len)
        BLIF_CELL(b, b->cells->len - 1)->name = g_string_chunk_insert(b->text,
                                                                      g_strchomp(line + 7));
    else if (starts(line, ".inputs"))
        add_ports(b, line + 7, false);
    else if (starts(line, ".outputs"))
        add_ports(b, line + 8, true);
    else if (*line == '.' && !starts(line, ".model ") && !starts(line, ".end"))
        blif_die("not mapped:", g_strchomp(line));
}

struct blif *blif_read(const char *path) {
    struct blif *b = g_new0(struct blif, 1);
    *b = (struct blif){.cells = g_array_new(FALSE, FALSE, sizeof(struct blif_cell)),
                       .pins = g_array_new(FALSE, FALSE, sizeof(struct blif_pin)),
                       .params = g_array_new(FALSE, FALSE, sizeof(struct blif_param)),
                       .nets = g_array_new(FALSE, FALSE, sizeof(struct blif_net)),
                       .ports = g_array_new(FALSE, FALSE, sizeof(struct blif_port)),
                       .net_of = g_hash_table_new(g_str_hash, g_str_equal),
                       .name_of = g_hash_table_new(g_str_hash, g_str_equal),
                       .names = g_ptr_array_new(),
                       .text = g_string_chunk_new(1 << 20)};
    b->path = g_string_chunk_insert(b->text, path);
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    if (!f) blif_die("cannot read", path);
    while (getline(&line, &size, f) > 0) read_line(b, line);
    free(line);
    fclose(f);
    if (!b->cells->len) blif_die("no cells in", path);
    return b;
}

void blif_free(struct blif *b) {
    if (!b) return;
    g_array_free(b->cells, TRUE);
    g_array_free(b->pins, TRUE);
    g_array_free(b->params, TRUE);
    g_array_free(b->nets, TRUE);
    g_array_free(b->ports, TRUE);
    g_hash_table_destroy(b->net_of);
    g_hash_table_destroy(b->name_of);
    g_ptr_array_free(b->names, TRUE);
    g_string_chunk_free(b->text);
    g_free(b);
}
