/* design.c - a netlist made ready for simulation: nodes are numbered by kind, then each net gets
 * the list of its sinks, then nodes get levels, one more than the latest that they hang on. */
#include "tests/synthesis/netsim/design.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct joined {
    unsigned net;
    struct sink sink;
};

void design_die(const struct design_build *w, uint32_t cell, const char *what, const char *name) {
    const struct blif_cell *c = BLIF_CELL(w->d->b, cell);
    char *text = g_strdup_printf("%s %s:", blif_type(w->d->b, c), c->name);
    fprintf(stderr, "netsim: %s %s %s\n", text, what, name);
    exit(1);
}

static G_NORETURN void die(const char *what, const char *name) {
    fprintf(stderr, "netsim: %s %s\n", what, name);
    exit(1);
}

/* ---------------------------------------------------------------- nets */

/* Wires join nets: each net becomes the one at the beginning of its wires. */
static void find_aliases(struct design_build *w) {
    const struct blif *b = w->d->b;
    const unsigned nets = b->nets->len;
    w->alias = g_new(uint32_t, nets);
    for (unsigned i = 0; i < nets; i++) {
        unsigned at = i;
        for (unsigned steps = 0; BLIF_NET(b, at)->driver >= 0; steps++) {
            const struct blif_cell *c = BLIF_CELL(b, BLIF_NET(b, at)->driver);
            if (c->kind != CELL_WIRE) break;
            if (steps > nets) die("a loop of wires through", BLIF_NET(b, i)->name);
            at = BLIF_PIN(b, c->first_pin)->net; /* I */
        }
        w->alias[i] = at;
    }
}

/* @return NONE: the cell has no such pin */
static unsigned find_pin(const struct design_build *w, uint32_t cell, const char *name, int bit) {
    const struct blif *b = w->d->b;
    const struct blif_cell *c = BLIF_CELL(b, cell);
    for (unsigned i = c->first_pin; i < c->first_pin + c->pins; i++) {
        const struct blif_pin *p = BLIF_PIN(b, i);
        if (p->bit == bit && !strcmp(blif_pin_name(b, p), name)) return w->alias[p->net];
    }
    return NONE;
}

unsigned design_pin(const struct design_build *w, uint32_t cell, const char *name, int bit) {
    const unsigned net = find_pin(w, cell, name, bit);
    if (net == NONE) design_die(w, cell, "has no pin", name);
    return net;
}

void design_check_clock(const struct design_build *w, unsigned net, const char *name) {
    if (w->alias[net] != w->clock) die("another clock than the port's:", name);
}

void design_join(struct design_build *w, unsigned net, uint32_t node, uint32_t bit) {
    const struct joined j = {w->alias[net], {node, bit}};
    const int constant = blif_constant(BLIF_NET(w->d->b, j.net));
    if (bit >> SINK_BITS || node >> (32 - SINK_BITS)) die("too large for a sink:", w->d->b->path);
    if (j.net == w->clock) die("the clock is read as a value by", BLIF_NET(w->d->b, net)->name);
    if (constant < 0) {
        g_array_append_val(w->joined, j);
    } else if (constant) {
        const struct constant_sink c = {j.sink, (char)constant};
        g_array_append_val(w->d->constant, c);
    }
}

/* Sinks by net, in the order in which they were joined. */
static void list_sinks(struct design_build *w) {
    struct netsim_design *d = w->d;
    const unsigned nets = d->b->nets->len;
    d->sink_first = g_new0(uint32_t, nets + 2);
    d->sinks = g_new(struct sink, w->joined->len + 1);
    const struct joined *joined = (const struct joined *)(void *)w->joined->data;
    for (unsigned i = 0; i < w->joined->len; i++) d->sink_first[joined[i].net + 2]++;
    for (unsigned i = 0; i < nets; i++) d->sink_first[i + 2] += d->sink_first[i + 1];
    for (unsigned i = 0; i < w->joined->len; i++)
        d->sinks[d->sink_first[joined[i].net + 1]++] = joined[i].sink;
}

/* ---------------------------------------------------------------- nodes */

static struct node *new_node(struct design_build *w, uint32_t node, uint32_t cell) {
    w->d->cell[node] = cell;
    w->d->node[node] = (struct node){.out = w->d->outs->len};
    return &w->d->node[node];
}

void design_drive(struct design_build *w, unsigned net, uint32_t node) {
    g_array_append_val(w->d->outs, net);
    if (w->drives[net] != NONE) die("driven twice:", BLIF_NET(w->d->b, net)->name);
    w->drives[net] = node;
}

/* Rows of a truth table; x is a value of the name, the same in each simulation. */
static uint64_t rows(const struct design_build *w, uint32_t cell, unsigned inputs) {
    const char *digits = blif_param(w->d->b, BLIF_CELL(w->d->b, cell), "INIT");
    uint64_t table = 0;
    if (!digits || strlen(digits) != 1ull << inputs) design_die(w, cell, "wrong parameter", "INIT");
    for (const char *p = digits; *p; p++) {
        if (*p != '0' && *p != '1') design_die(w, cell, "a row is neither 0 nor 1:", digits);
        table = table << 1 | (*p == '1');
    }
    return table;
}

void design_check_params(const struct design_build *w, uint32_t cell, const char *known) {
    const struct blif *b = w->d->b;
    const struct blif_cell *c = BLIF_CELL(b, cell);
    for (unsigned i = c->first_param; i < c->first_param + c->params; i++) {
        char *name = g_strdup_printf(" %s ", blif_text(b, BLIF_PARAM(b, i)->name));
        if (!strstr(known, name)) design_die(w, cell, "unknown parameter", g_strstrip(name));
        g_free(name);
    }
}

static void check_pins(const struct design_build *w, uint32_t cell, unsigned pins) {
    if (BLIF_CELL(w->d->b, cell)->pins != pins) design_die(w, cell, "has other pins than", "known");
}

static void add_lut(struct design_build *w, uint32_t cell, uint32_t node) {
    const char *type = blif_type(w->d->b, BLIF_CELL(w->d->b, cell)), *pins = NULL;
    bool fixed = false;
    uint64_t table = 0;
#define TABLE(name, list, number) \
    if (!strcmp(type, name)) pins = list, table = number, fixed = true;
#define INIT(name, list) \
    if (!strcmp(type, name)) pins = list;
#include "tests/synthesis/netsim/logic.def"
    if (!pins) design_die(w, cell, "logic.def does not have", type);
    design_check_params(w, cell, fixed ? "" : " INIT ");
    char **pin = g_strsplit(pins, " ", 0);
    const unsigned inputs = g_strv_length(pin);
    check_pins(w, cell, inputs + 1);
    new_node(w, node, cell)->table = fixed ? table : rows(w, cell, inputs);
    w->d->inputs[node] = (uint8_t)inputs;
    for (unsigned i = 0; i < inputs; i++) design_join(w, design_pin(w, cell, pin[i], 0), node, i);
    design_drive(w, design_pin(w, cell, "O", 0), node);
    g_strfreev(pin);
}

/* An output that may be open: then it goes to a net behind all others, which has no sinks. */
static void drive_if(struct design_build *w, uint32_t cell, const char *name, int bit,
                     uint32_t node, unsigned *pins) {
    const unsigned net = find_pin(w, cell, name, bit), open = w->d->b->nets->len;
    if (net == NONE)
        g_array_append_val(w->d->outs, open);
    else
        design_drive(w, net, node), ++*pins;
}

/* Inputs: S, DI, then CI or CYINIT, of which one is 0. Outputs: O, CO. */
static void add_carry(struct design_build *w, uint32_t cell, uint32_t node) {
    unsigned pins = 10;
    design_check_params(w, cell, "");
    new_node(w, node, cell);
    for (int i = 0; i < 4; i++) {
        design_join(w, design_pin(w, cell, "S", i), node, (uint32_t)i);
        design_join(w, design_pin(w, cell, "DI", i), node, (uint32_t)i + 4);
    }
    design_join(w, design_pin(w, cell, "CI", 0), node, 8);
    design_join(w, design_pin(w, cell, "CYINIT", 0), node, 9);
    for (int i = 0; i < 4; i++) drive_if(w, cell, "O", i, node, &pins);
    for (int i = 0; i < 4; i++) drive_if(w, cell, "CO", i, node, &pins);
    check_pins(w, cell, pins);
}

static void fill_carry(uint8_t *carry) {
    for (unsigned in = 0; in < 1024; in++) {
        unsigned c = (in >> 8 & 1) | in >> 9, out = 0;
        for (unsigned i = 0; i < 4; i++) {
            const unsigned s = in >> i & 1;
            out |= (s ^ c) << i;
            c = s ? c : in >> (4 + i) & 1;
            out |= c << (4 + i);
        }
        carry[in] = (uint8_t)out;
    }
}

static uint64_t flip_flop_rows(const char *type, const char **pin) {
    uint64_t table = 0;
    for (unsigned row = 0; row < 16; row++) {
        const unsigned d = row & 1, ce = row >> 1 & 1, r = row >> 2 & 1, q = row >> 3;
        uint64_t next = 0;
#define FLIP_FLOP(name, set_pin, value) \
    if (!strcmp(type, name)) next = value, *pin = set_pin;
#include "tests/synthesis/netsim/state.def"
        table |= next << row;
    }
    return table;
}

static void add_flip_flop(struct design_build *w, uint32_t cell, uint32_t node) {
    const char *type = blif_type(w->d->b, BLIF_CELL(w->d->b, cell)), *pin = NULL;
    const uint64_t table = flip_flop_rows(type, &pin);
    if (!pin) design_die(w, cell, "state.def does not have", type);
    design_check_params(w, cell, " INIT ");
    check_pins(w, cell, 5);
    design_check_clock(w, design_pin(w, cell, "C", 0), BLIF_CELL(w->d->b, cell)->name);
    new_node(w, node, cell)->table = table;
    design_join(w, design_pin(w, cell, "D", 0), node, 0);
    design_join(w, design_pin(w, cell, "CE", 0), node, 1);
    design_join(w, design_pin(w, cell, pin, 0), node, 2);
    const char *init = blif_param(w->d->b, BLIF_CELL(w->d->b, cell), "INIT");
    if (!init || !strchr("01x", *init) || init[1]) design_die(w, cell, "wrong parameter", "INIT");
    w->d->init[node - w->d->readers] = *init;
    const unsigned q = design_pin(w, cell, "Q", 0);
    design_drive(w, q, node);
    design_join(w, q, node, 3);
}

uint32_t design_new_wide(struct design_build *w, uint32_t bits, uint16_t memory, uint16_t owner) {
    struct netsim_design *d = w->d;
    const struct wide wide = {d->wide_words, (uint16_t)bits, memory, owner};
    g_array_append_val(d->wides, wide);
    d->wide_words += (bits + 63) / 64;
    return d->nodes + d->wides->len - 1;
}

/* Reads of memories without a clock, of one memory. */
static unsigned unclocked_reads(const struct blif *b, const struct blif_cell *c) {
    const char *digits = blif_param(b, c, "RD_CLK_ENABLE");
    unsigned count = 0;
    for (const char *p = digits; p && *p; p++) count += *p == '0';
    return count;
}

static void add_nodes(struct design_build *w) {
    struct netsim_design *d = w->d;
    const struct blif *b = d->b;
    uint32_t count[CELL_WIRE + 1] = {0}, reads = 0;
    for (unsigned i = 0; i < b->cells->len; i++) {
        count[BLIF_CELL(b, i)->kind]++;
        if (BLIF_CELL(b, i)->kind == CELL_MEMORY) reads += unclocked_reads(b, BLIF_CELL(b, i));
    }
    d->luts = count[CELL_LOGIC];
    d->carries = d->luts + count[CELL_CARRY];
    d->readers = d->carries + reads;
    d->nodes = d->readers + count[CELL_STATE];
    d->node = g_new0(struct node, d->nodes);
    d->cell = g_new0(uint32_t, d->nodes);
    d->inputs = g_new0(uint8_t, d->nodes);
    d->seen = g_new0(uint64_t, d->luts);
    d->reader = g_new0(uint32_t, reads);
    d->init = g_new0(char, count[CELL_STATE]);
    uint32_t lut = 0, carry = d->luts, state = d->readers;
    for (unsigned i = 0; i < b->cells->len; i++) switch (BLIF_CELL(b, i)->kind) {
        case CELL_LOGIC: add_lut(w, i, lut++); break;
        case CELL_CARRY: add_carry(w, i, carry++); break;
        case CELL_STATE: add_flip_flop(w, i, state++); break;
        case CELL_MEMORY: design_add_memory(w, i); break;
        case CELL_WIRE: break;
        }
}

/* ---------------------------------------------------------------- ports */

/* Ports come bit by bit, in order of bits. */
static void add_ports(struct design_build *w) {
    struct netsim_design *d = w->d;
    const struct blif *b = d->b;
    for (unsigned i = 0, end; i < b->ports->len; i = end) {
        const struct blif_port *first = BLIF_PORT(b, i);
        for (end = i; end < b->ports->len; end++) {
            const struct blif_port *p = BLIF_PORT(b, end);
            if (p->output != first->output || strcmp(p->name, first->name)) break;
            if (p->bit != (short)(end - i)) die("bits out of order of port", p->name);
        }
        if (first->net == w->clock) continue;
        struct port port = {first->name, first->output, (uint16_t)(end - i), 0, d->outs->len};
        port.wide = design_new_wide(w, port.width, NO_MEMORY, NO_MEMORY);
        for (unsigned k = i; k < end; k++)
            if (port.output)
                design_join(w, BLIF_PORT(b, k)->net, port.wide, k - i);
            else
                design_drive(w, BLIF_PORT(b, k)->net, d->nodes);
        g_array_append_val(d->ports, port);
    }
}

/* ---------------------------------------------------------------- levels */

static unsigned num_outs(const struct netsim_design *d, uint32_t node) {
    if (node < d->luts) return 1;
    return node < d->carries ? 8 : MEMORY_WIDTH(d, node);
}

/* Nodes become ready when all that they hang on are. */
static void find_levels(struct design_build *w) {
    struct netsim_design *d = w->d;
    uint32_t *waits = g_new0(uint32_t, d->readers), *ready = g_new(uint32_t, d->readers), num = 0;
    const struct joined *joined = (const struct joined *)(void *)w->joined->data;
    for (unsigned i = 0; i < w->joined->len; i++)
        if (joined[i].sink.node < d->readers && w->drives[joined[i].net] < d->readers)
            waits[joined[i].sink.node]++;
    for (uint32_t n = 0; n < d->readers; n++)
        if (!waits[n]) ready[num++] = n;
    for (uint32_t at = 0; at < num; at++) {
        const struct node *from = &d->node[ready[at]];
        for (unsigned k = 0; k < num_outs(d, ready[at]); k++) {
            const uint32_t net = g_array_index(d->outs, uint32_t, from->out + k);
            for (uint32_t s = d->sink_first[net]; s < d->sink_first[net + 1]; s++) {
                const uint32_t to = d->sinks[s].node;
                if (to >= d->readers) continue;
                if (d->node[to].level <= from->level)
                    d->node[to].level = (uint16_t)(from->level + 1);
                if (!--waits[to]) ready[num++] = to;
            }
        }
    }
    for (uint32_t n = 0; n < d->readers; n++)
        if (waits[n]) design_die(w, d->cell[n], "is in a loop:", "it hangs on itself");
    for (uint32_t n = 0; n < d->readers; n++)
        if (d->node[n].level >= d->levels) d->levels = d->node[n].level + 1u;
    for (uint32_t n = d->readers; n < d->nodes; n++) d->node[n].level = (uint16_t)d->levels;
    d->level_first = g_new0(uint32_t, d->levels + 3);
    for (uint32_t n = 0; n < d->nodes; n++) d->level_first[d->node[n].level + 1]++;
    for (uint32_t l = 0; l <= d->levels; l++) d->level_first[l + 1] += d->level_first[l];
    g_free(waits);
    g_free(ready);
}

static void check_driven(const struct design_build *w) {
    const struct joined *joined = (const struct joined *)(void *)w->joined->data;
    for (unsigned i = 0; i < w->joined->len; i++)
        if (w->drives[joined[i].net] == NONE)
            die("nothing drives", BLIF_NET(w->d->b, joined[i].net)->name);
}

/* ---------------------------------------------------------------- */

struct netsim_design *netsim_design_read(const char *path, const char *clock) {
    struct netsim_design *d = g_new0(struct netsim_design, 1);
    d->b = blif_read(path);
    d->outs = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    d->wides = g_array_new(FALSE, FALSE, sizeof(struct wide));
    d->read_ports = g_array_new(FALSE, FALSE, sizeof(struct read_port));
    d->write_ports = g_array_new(FALSE, FALSE, sizeof(struct write_port));
    d->memories = g_array_new(FALSE, FALSE, sizeof(struct memory));
    d->ports = g_array_new(FALSE, FALSE, sizeof(struct port));
    d->constant = g_array_new(FALSE, FALSE, sizeof(struct constant_sink));
    fill_carry(d->carry);
    struct design_build w = {.d = d, .clock = NONE};
    w.joined = g_array_new(FALSE, FALSE, sizeof(struct joined));
    w.drives = g_new(uint32_t, d->b->nets->len);
    for (unsigned i = 0; i < d->b->nets->len; i++) w.drives[i] = NONE;
    for (unsigned i = 0; i < d->b->ports->len; i++) {
        const struct blif_port *p = BLIF_PORT(d->b, i);
        if (!p->output && !strcmp(p->name, clock)) w.clock = p->net;
    }
    if (w.clock == NONE) die("no port of the clock:", clock);
    find_aliases(&w);
    add_nodes(&w);
    add_ports(&w);
    list_sinks(&w);
    check_driven(&w);
    find_levels(&w);
    design_find_signals(d);
    g_array_free(w.joined, TRUE);
    g_free(w.alias);
    g_free(w.drives);
    return d;
}

void netsim_design_free(struct netsim_design *d) {
    if (!d) return;
    for (unsigned i = 0; i < d->memories->len; i++) g_free(MEMORY(d, i)->name);
    GArray *const arrays[] = {d->outs,     d->wides, d->read_ports, d->write_ports,
                              d->memories, d->ports, d->constant};
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) g_array_free(arrays[i], TRUE);
    void *const blocks[] = {d->node, d->sink_first, d->sinks,       d->reader, d->cell,
                            d->seen, d->inputs,     d->level_first, d->init};
    for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++) g_free(blocks[i]);
    design_free_signals(d);
    blif_free(d->b);
    g_free(d);
}

unsigned netsim_num_ports(const struct netsim_design *d) {
    return d->ports->len;
}

unsigned netsim_port(const struct netsim_design *d, const char *name, bool output, unsigned width) {
    for (unsigned i = 0; i < d->ports->len; i++) {
        const struct port *p = PORT(d, i);
        if (strcmp(p->name, name) || p->output != output) continue;
        if (p->width == width) return i;
        fprintf(stderr, "netsim: %s: port %s has %u bits, not %u\n", d->b->path, name, p->width,
                width);
        exit(1);
    }
    fprintf(stderr, "netsim: %s: no %s port %s\n", d->b->path, output ? "output" : "input", name);
    exit(1);
}

/* ---------------------------------------------------------------- rows of truth tables */

void netsim_rows(const struct netsim_design *d, size_t *rows, size_t *reached) {
    *rows = *reached = 0;
    for (uint32_t n = 0; n < d->luts; n++) {
        *rows += 1ull << d->inputs[n];
        *reached += (size_t)__builtin_popcountll(d->seen[n]);
    }
}

struct netsim_row netsim_row_at(const struct netsim_design *d, size_t number) {
    for (uint32_t n = 0; n < d->luts; n++) {
        uint64_t left = d->seen[n];
        const size_t count = (size_t)__builtin_popcountll(left);
        if (number >= count) {
            number -= count;
            continue;
        }
        while (number--) left &= left - 1;
        return (struct netsim_row){n, (uint32_t)__builtin_ctzll(left)};
    }
    die("no such row in", d->b->path);
}

const char *netsim_row_name(const struct netsim_design *d, struct netsim_row row) {
    return BLIF_NET(d->b, g_array_index(d->outs, uint32_t, d->node[row.lut].out))->name;
}

void netsim_design_invert(struct netsim_design *d, struct netsim_row row) {
    d->node[row.lut].table ^= 1ull << row.row;
}
