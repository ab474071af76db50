/* design.h - what netsim makes of a netlist: flat arrays, nodes in order of level. Private to
 * tests/synthesis/netsim.
 *
 * A net that changes flips a bit in each of its sinks and queues their nodes. Nodes: LUTs, carry
 * chains, reads of memories without a clock (each has a level, and looks at at most 16 bits), then
 * flip-flops (looked at at the edge), then wide sinks: addresses, data, enables of memories and the
 * output ports, bits in the array `wide`. */
#ifndef SYNTHESIS_NETSIM_DESIGN_H
#define SYNTHESIS_NETSIM_DESIGN_H

#include "tests/synthesis/blif.h"
#include "tests/synthesis/netsim/netsim.h"

enum { SINK_BITS = 10, NO_MEMORY = 0xffff };
#define NONE 0xffffffffu

/* Which input of which node. */
struct sink {
    uint32_t node : 32 - SINK_BITS, bit : SINK_BITS;
};
struct node {
    uint64_t table; /* LUT, flip-flop: rows */
    uint32_t out;   /* first in `outs`: net of each bit */
    uint16_t in;    /* inputs as they are */
    uint16_t level;
};
/* Part of a wide array: a pin of a memory's port, or a port of the design. */
struct wide {
    uint32_t first; /* word of the simulation's `wide` */
    uint16_t bits;
    uint16_t memory; /* that a change wakes at the next edge; NO_MEMORY */
    uint32_t owner;  /* memory that it belongs to; NO_MEMORY: a port of the design */
};
struct read_port {
    uint32_t addr, en, srst; /* wide sinks; of an asynchronous one the node is `node` */
    uint32_t node;           /* NONE: clocked */
    uint32_t out;            /* in outs, a bit of data each */
    uint32_t data;           /* first word of the simulation's `data` */
    uint32_t width;
    uint16_t memory;
    bool ce_over_srst;
    uint64_t transparent, collision; /* by write port */
    const char *init, *srst_value;   /* digits, most significant first */
};
struct write_port {
    uint32_t addr, en, data; /* wide sinks */
    uint64_t over;           /* write ports before it that it wins over at the same place */
};
struct memory {
    char *name;
    uint32_t width, words, size, offset; /* words of 64 bits in a word of it */
    uint32_t address_bits;
    size_t first; /* in the simulation's `store` */
    uint32_t first_read, reads, first_write, writes;
    const char *init; /* digits of all words, most significant first */
    bool clocked;     /* has a clocked read */
};
/* Flip-flops whose nets have the same name but for a number at its end. */
struct signal {
    char *name;
    uint32_t bits, first; /* first: word of the simulation's `signals` */
};
struct port {
    const char *name;
    bool output;
    uint16_t width;
    uint32_t wide; /* output: sink; input: words of `wide` for its value */
    uint32_t out;  /* input: in outs */
};

struct netsim_design {
    struct blif *b;
    /* nodes [0, luts) are LUTs, [luts, carries) carry chains, [carries, readers) reads of memories,
     * [readers, nodes) flip-flops; their numbers and those of wide sinks follow each other */
    uint32_t luts, carries, readers, nodes;
    struct node *node;
    uint32_t *sink_first; /* by net, one more than nets */
    struct sink *sinks;
    GArray *outs;      /* uint32_t, nets */
    uint32_t *reader;  /* by node - carries: its read port */
    uint32_t *cell;    /* by node: cell of the netlist */
    uint64_t *seen;    /* by LUT: rows looked up */
    uint8_t *inputs;   /* by node: number of inputs of a LUT */
    char *init;        /* by flip-flop: 0, 1, x */
    uint32_t *place;   /* by flip-flop: its bit among those of all signals */
    GArray *signals;   /* struct signal */
    uint64_t *present; /* by bit of a signal: it is a flip-flop */
    uint32_t signal_words;
    uint32_t read_nodes;   /* of memories added so far */
    uint8_t carry[1024];   /* by inputs: O, CO */
    uint32_t levels;       /* of nodes in front of flip-flops */
    uint32_t *level_first; /* by level, one more: places in the queue */
    GArray *wides, *read_ports, *write_ports, *memories, *ports; /* the structures above */
    uint32_t wide_words, data_words;
    size_t store_words;
    GArray *constant; /* struct constant_sink: what hangs on 1 or x */
};

/* A sink that hangs on no net, but on 1 or x. */
struct constant_sink {
    struct sink sink;
    char value; /* 1 or 'x' */
};

#define WIDE(d, i) (&g_array_index((d)->wides, struct wide, i))
#define READ_PORT(d, i) (&g_array_index((d)->read_ports, struct read_port, i))
#define WRITE_PORT(d, i) (&g_array_index((d)->write_ports, struct write_port, i))
#define MEMORY(d, i) (&g_array_index((d)->memories, struct memory, i))
#define PORT(d, i) (&g_array_index((d)->ports, struct port, i))

#define MEMORY_WIDTH(d, node) (READ_PORT(d, (d)->reader[(node) - (d)->carries])->width)

/* design_signals.c: finds the signals of the flip-flops. */
void design_find_signals(struct netsim_design *d);
void design_free_signals(struct netsim_design *d);

/* design_memory.c: appends a $mem_v2 with its ports; its pins become sinks by way of `joined`. */
struct design_build;
void design_add_memory(struct design_build *w, uint32_t cell);

/* Of the builder (design.c): a new wide sink (memory, owner: as in struct wide), and what is joined
 * to it. */
struct design_build {
    struct netsim_design *d;
    uint32_t *alias;  /* by net: the net that drives it through wires */
    GArray *joined;   /* struct { net, sink } */
    uint32_t clock;   /* net */
    uint32_t *drives; /* by net: node that drives it, NONE */
};
uint32_t design_new_wide(struct design_build *w, uint32_t bits, uint16_t memory, uint16_t owner);
void design_join(struct design_build *w, unsigned net, uint32_t node, uint32_t bit);
/* The net of a pin NAME[bit] of a cell. Ends the program if it has none. */
unsigned design_pin(const struct design_build *w, uint32_t cell, const char *name, int bit);
/* A node's next output is the net. */
void design_drive(struct design_build *w, unsigned net, uint32_t node);
void design_check_clock(const struct design_build *w, unsigned net, const char *name);
/* Ends the program if the cell has a parameter beside those in `known`, with spaces around each. */
void design_check_params(const struct design_build *w, uint32_t cell, const char *known);
/* Ends the program, with the cell's type and name. */
G_NORETURN void design_die(const struct design_build *w, uint32_t cell, const char *what,
                           const char *name);

#endif
