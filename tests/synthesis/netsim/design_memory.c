/* design_memory.c - memories of a netlist ($mem_v2) made ready for simulation. Parameters and pins:
 * yosys' own description, `help -cell $mem_v2` and techlibs/common/simlib.v. RD_WIDE_CONTINUATION
 * and WR_WIDE_CONTINUATION say which ports are parts of a wider one; each part has all of its
 * address, so that they change nothing. */
#include <string.h>

#include "tests/synthesis/netsim/design.h"

#define KNOWN                                                                                  \
    " ABITS INIT MEMID OFFSET RD_ARST_VALUE RD_CE_OVER_SRST RD_CLK_ENABLE RD_CLK_POLARITY "    \
    "RD_COLLISION_X_MASK RD_INIT_VALUE RD_PORTS RD_SRST_VALUE RD_TRANSPARENCY_MASK "           \
    "RD_WIDE_CONTINUATION SIZE WIDTH WR_CLK_ENABLE WR_CLK_POLARITY WR_PORTS WR_PRIORITY_MASK " \
    "WR_WIDE_CONTINUATION "

struct reading {
    struct design_build *w;
    uint32_t cell;
    struct memory *m;
};

/* Digits of a parameter; there must be `count`. */
static const char *digits(const struct reading *r, const char *name, size_t count) {
    const char *value = blif_param(r->w->d->b, BLIF_CELL(r->w->d->b, r->cell), name);
    if (!value || strlen(value) != count)
        design_die(r->w, r->cell, "has not a digit for each port or bit in", name);
    return value;
}

static bool digit(const struct reading *r, const char *name, size_t count, size_t at) {
    return digits(r, name, count)[count - 1 - at] == '1';
}

/* Digits [at * width, ...) as a set. */
static uint64_t mask(const struct reading *r, const char *name, size_t ports, size_t at,
                     size_t width) {
    uint64_t set = 0;
    for (size_t i = 0; i < width; i++)
        set |= (uint64_t)digit(r, name, ports * width, at * width + i) << i;
    return set;
}

/* The part of INIT, RD_INIT_VALUE, RD_SRST_VALUE that has a value; NULL: all x. */
static const char *value(const struct reading *r, const char *name, size_t count, size_t at,
                         size_t width) {
    const char *all = digits(r, name, count);
    const char *part = all + count - (at + 1) * width;
    for (size_t i = 0; i < width; i++)
        if (part[i] != 'x') return part;
    return NULL;
}

static void add_read(struct reading *r, uint32_t port, uint32_t ports) {
    struct netsim_design *d = r->w->d;
    struct memory *m = r->m;
    const uint16_t memory = (uint16_t)d->memories->len;
    struct read_port p = {.width = m->width, .memory = memory, .node = NONE};
    p.data = d->data_words;
    d->data_words += m->words;
    if (digit(r, "RD_CLK_ENABLE", ports, port)) {
        if (!digit(r, "RD_CLK_POLARITY", ports, port))
            design_die(r->w, r->cell, "not simulated: a falling clock:", "RD_CLK_POLARITY");
        m->clocked = true;
        p.addr = design_new_wide(r->w, m->address_bits, memory, memory);
        p.en = design_new_wide(r->w, 1, memory, memory);
        p.srst = design_new_wide(r->w, 1, memory, memory);
        p.transparent = mask(r, "RD_TRANSPARENCY_MASK", ports, port, m->writes);
        p.collision = mask(r, "RD_COLLISION_X_MASK", ports, port, m->writes);
        p.ce_over_srst = digit(r, "RD_CE_OVER_SRST", ports, port);
        p.init = value(r, "RD_INIT_VALUE", (size_t)ports * m->width, port, m->width);
        p.srst_value = value(r, "RD_SRST_VALUE", (size_t)ports * m->width, port, m->width);
    } else {
        if (m->address_bits > 16)
            design_die(r->w, r->cell, "more address bits without a clock than 16:", m->name);
        p.node = d->carries + d->read_nodes++;
        p.addr = p.node;
        d->reader[p.node - d->carries] = d->read_ports->len;
        d->cell[p.node] = r->cell;
    }
    g_array_append_val(d->read_ports, p);
}

static void add_write(struct reading *r, uint32_t port, uint32_t ports) {
    struct netsim_design *d = r->w->d;
    struct memory *m = r->m;
    const uint16_t memory = (uint16_t)d->memories->len;
    struct write_port p;
    if (!digit(r, "WR_CLK_ENABLE", ports, port) || !digit(r, "WR_CLK_POLARITY", ports, port))
        design_die(r->w, r->cell, "not simulated: a write without a rising clock:",
                   "WR_CLK_ENABLE, WR_CLK_POLARITY");
    p.addr = design_new_wide(r->w, m->address_bits, memory, memory);
    p.en = design_new_wide(r->w, m->width, memory, memory);
    p.data = design_new_wide(r->w, m->width, NO_MEMORY, memory);
    p.over = mask(r, "WR_PRIORITY_MASK", ports, port, ports);
    g_array_append_val(d->write_ports, p);
}

/* A pin of the memory, bit by bit. @return false: no such pin */
static bool add_pin(struct reading *r, const struct blif_pin *pin, uint32_t *out) {
    struct design_build *w = r->w;
    struct netsim_design *d = w->d;
    const struct memory *m = r->m;
    const char *name = blif_pin_name(d->b, pin);
    const uint32_t bit = (uint32_t)pin->bit;
#define IS(text) !strcmp(name, text)
#define READ(per) READ_PORT(d, m->first_read + bit / (per))
#define WRITE(per) WRITE_PORT(d, m->first_write + bit / (per))
    if (IS("RD_ADDR")) {
        design_join(w, pin->net, READ(m->address_bits)->addr, bit % m->address_bits);
    } else if (IS("RD_EN")) {
        if (READ(1)->node == NONE) design_join(w, pin->net, READ(1)->en, 0);
    } else if (IS("RD_SRST")) {
        if (READ(1)->node == NONE) design_join(w, pin->net, READ(1)->srst, 0);
    } else if (IS("RD_ARST")) {
        if (blif_constant(BLIF_NET(d->b, w->alias[pin->net])) != 0)
            design_die(w, r->cell, "not simulated: an asynchronous reset:", name);
    } else if (IS("RD_CLK")) {
        if (READ(1)->node == NONE) design_check_clock(w, pin->net, m->name);
    } else if (IS("RD_DATA")) {
        out[bit] = w->alias[pin->net];
    } else if (IS("WR_ADDR")) {
        design_join(w, pin->net, WRITE(m->address_bits)->addr, bit % m->address_bits);
    } else if (IS("WR_EN")) {
        design_join(w, pin->net, WRITE(m->width)->en, bit % m->width);
    } else if (IS("WR_DATA")) {
        design_join(w, pin->net, WRITE(m->width)->data, bit % m->width);
    } else if (IS("WR_CLK")) {
        design_check_clock(w, pin->net, m->name);
    } else {
        return false;
    }
    return true;
}

static void add_pins(struct reading *r) {
    struct netsim_design *d = r->w->d;
    const struct blif_cell *c = BLIF_CELL(d->b, r->cell);
    const struct memory *m = r->m;
    const uint32_t bits = m->reads * m->width;
    const uint32_t pins = bits + m->reads * (m->address_bits + 4) +
                          m->writes * (m->address_bits + 2 * m->width + 1);
    if (c->pins != pins) design_die(r->w, r->cell, "has other pins than", "known");
    uint32_t *out = g_new(uint32_t, bits + 1);
    for (unsigned i = c->first_pin; i < c->first_pin + c->pins; i++)
        if (!add_pin(r, BLIF_PIN(d->b, i), out))
            design_die(r->w, r->cell, "unknown pin", blif_pin_name(d->b, BLIF_PIN(d->b, i)));
    for (uint32_t port = 0; port < m->reads; port++) {
        struct read_port *p = READ_PORT(d, m->first_read + port);
        p->out = d->outs->len;
        if (p->node != NONE) d->node[p->node].out = p->out;
        for (uint32_t k = 0; k < m->width; k++)
            design_drive(r->w, out[port * m->width + k], p->node == NONE ? d->nodes : p->node);
    }
    g_free(out);
}

void design_add_memory(struct design_build *w, uint32_t cell) {
    struct netsim_design *d = w->d;
    const struct blif_cell *c = BLIF_CELL(d->b, cell);
    struct memory m = {.name = blif_memory_name(d->b, c),
                       .width = blif_number(d->b, c, "WIDTH"),
                       .size = blif_number(d->b, c, "SIZE"),
                       .offset = blif_number(d->b, c, "OFFSET"),
                       .address_bits = blif_number(d->b, c, "ABITS"),
                       .reads = blif_number(d->b, c, "RD_PORTS"),
                       .writes = blif_number(d->b, c, "WR_PORTS"),
                       .first_read = d->read_ports->len,
                       .first_write = d->write_ports->len,
                       .first = d->store_words};
    struct reading r = {w, cell, &m};
    design_check_params(w, cell, KNOWN);
    if (m.width >> SINK_BITS || m.writes > 64 || !m.writes || !m.reads)
        design_die(w, cell, "wider or with more ports than simulated, or none:", m.name);
    m.words = (m.width + 63) / 64;
    d->store_words += (size_t)m.words * m.size;
    const size_t bits = (size_t)m.width * m.size;
    m.init = value(&r, "INIT", bits, 0, bits);
    for (uint32_t i = 0; i < m.reads; i++) add_read(&r, i, m.reads);
    for (uint32_t i = 0; i < m.writes; i++) add_write(&r, i, m.writes);
    add_pins(&r);
    g_array_append_val(d->memories, m);
}
