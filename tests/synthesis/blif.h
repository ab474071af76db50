/* blif.h - reads a flat netlist of yosys (write_blif -cname -param): cells, nets, ports, and
 * parameters as text.
 *
 * What cannot be read ends the program with status 1 and a message that names it: a cell that
 * cells.def does not have, a line that is not known. Any number of readers, each by one thread. */
#ifndef SYNTHESIS_BLIF_H
#define SYNTHESIS_BLIF_H

#include <glib.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As in cells.def. CELL_WIRE: `.names a b`, pins I and O. */
enum cell_kind { CELL_LOGIC, CELL_CARRY, CELL_MEMORY, CELL_STATE, CELL_WIRE };
enum { figure_lut, figure_muxf, figure_carry, figure_memory, figure_ff, NUM_FIGURES };

struct blif_pin {
    unsigned net;
    unsigned short name; /* blif_text() */
    short bit;           /* of NAME[bit]; 0 without */
};
/* NAME VALUE: a number in binary, most significant digit first, with x; or text in quotes. */
struct blif_param {
    unsigned short name; /* blif_text() */
    const char *value;
};
struct blif_cell {
    enum cell_kind kind;
    unsigned short type; /* blif_text() */
    unsigned first_pin, pins, first_param, params;
    const char *name; /* .cname; "" without */
};
struct blif_net {
    const char *name;
    int driver;   /* cell, -1: a port, a constant, or nothing */
    unsigned pin; /* of the driver */
};
struct blif_port {
    const char *name; /* without its bit */
    short bit;
    bool output;
    unsigned net;
};

/* Arrays of the structures above. */
struct blif {
    const char *path;
    GArray *cells, *pins, *params, *nets, *ports;
    GHashTable *net_of, *name_of;
    GPtrArray *names;
    GStringChunk *text;
    unsigned long count[NUM_FIGURES]; /* cells, counted as cells.def says */
};

#define BLIF_CELL(b, i) (&g_array_index((b)->cells, struct blif_cell, i))
#define BLIF_PIN(b, i) (&g_array_index((b)->pins, struct blif_pin, i))
#define BLIF_PARAM(b, i) (&g_array_index((b)->params, struct blif_param, i))
#define BLIF_NET(b, i) (&g_array_index((b)->nets, struct blif_net, i))
#define BLIF_PORT(b, i) (&g_array_index((b)->ports, struct blif_port, i))

/* @return to be freed with blif_free() */
struct blif *blif_read(const char *path);
void blif_free(struct blif *b);

const char *blif_text(const struct blif *b, unsigned short name);
static inline const char *blif_pin_name(const struct blif *b, const struct blif_pin *p) {
    return blif_text(b, p->name);
}
static inline const char *blif_type(const struct blif *b, const struct blif_cell *c) {
    return blif_text(b, c->type);
}

/* Whether a pin is an output, by the primitives' own names. */
bool blif_is_output(enum cell_kind kind, const char *pin);
bool blif_is_clock(const char *pin);

/* A parameter of a cell, NULL: it has none of that name. */
const char *blif_param(const struct blif *b, const struct blif_cell *c, const char *name);
/* A number of 32 bits at most; ends the program where the cell has no such parameter. */
unsigned blif_number(const struct blif *b, const struct blif_cell *c, const char *name);
/* What a memory is called in the source. @return to be freed with g_free() */
char *blif_memory_name(const struct blif *b, const struct blif_cell *c);

/* $false, $true, or $undef, which is neither: 0, 1, 'x'; or -1: no constant. */
int blif_constant(const struct blif_net *net);

/* Ends the program: "netlist: WHAT NAME". */
G_NORETURN void blif_die(const char *what, const char *name);

#ifdef __cplusplus
}
#endif
#endif
