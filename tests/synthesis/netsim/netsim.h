/* netsim.h - simulates a netlist that yosys has mapped for the U55C (rtl/syn): LUTs, carry chains,
 * flip-flops, and memories that stayed arrays ($mem_v2).
 *
 * One clock, rising; two values. Where the netlist says x (a register or memory without a value at
 * the beginning, a place outside a memory, a collision that is not ordered) there is a value of a
 * sequence that follows from the seed: what must not depend on it can be run with several seeds.
 * With seed 0 each such value is 0, as in a Verilated model.
 *
 * A design is a netlist made ready, a simulation is a state of it. What is not known ends the
 * program with status 1 and names it: cells, pins, parameters, several clocks, a combinational
 * loop. One thread per design with all its simulations. */
#ifndef SYNTHESIS_NETSIM_H
#define SYNTHESIS_NETSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct netsim_design;
struct netsim;

/* FILE.blif: write_blif -cname -param of one flat module. @param clock port of the clock.
 * @return to be freed with netsim_design_free(), after its simulations */
struct netsim_design *netsim_design_read(const char *path, const char *clock);
void netsim_design_free(struct netsim_design *d);

/* A port by name. Ends the program if the design has none with this direction and width.
 * @return its number, by which netsim_put() and netsim_get() know it */
unsigned netsim_port(const struct netsim_design *d, const char *name, bool output, unsigned width);
/* How many ports there are, beside the clock. */
unsigned netsim_num_ports(const struct netsim_design *d);

/* Rows of truth tables of LUTs: their number, and how many of them stood at a rising edge, outside
 * of resets. */
void netsim_rows(const struct netsim_design *d, size_t *rows, size_t *reached);
/* One of them. */
struct netsim_row {
    uint32_t lut, row;
};
/* The row `number` of those that stood at an edge. */
struct netsim_row netsim_row_at(const struct netsim_design *d, size_t number);
/* The name of its LUT's output, freed with the design. */
const char *netsim_row_name(const struct netsim_design *d, struct netsim_row row);
/* Inverts it in simulations to come. */
void netsim_design_invert(struct netsim_design *d, struct netsim_row row);

/* @return to be freed with netsim_free(); all inputs are 0 */
struct netsim *netsim_new(struct netsim_design *d, uint64_t seed);
/* The same state once more. @return to be freed with netsim_free() */
struct netsim *netsim_copy(const struct netsim *s);
void netsim_free(struct netsim *s);

/* The value of an input, lowest word first; seen at the next netsim_settle() or netsim_clock(). */
void netsim_put(struct netsim *s, unsigned port, const uint32_t *words);
/* Outputs become what follows from inputs and registers. */
void netsim_settle(struct netsim *s);
/* A rising edge, after settling; what follows from the new registers is settled, too. */
void netsim_clock(struct netsim *s);
/* The value of an output, lowest word first, as it was settled last. */
const uint64_t *netsim_get(const struct netsim *s, unsigned port);

/* Rows that stand at edges do not count from now on, or count. */
void netsim_in_reset(struct netsim *s, bool in_reset);
/* Inverts a row in this simulation; seen at the next netsim_settle() or netsim_clock(). */
void netsim_invert(struct netsim *s, struct netsim_row row);
/* Whether its LUT looks at it, as the simulation was settled last. */
bool netsim_row_stands(const struct netsim *s, struct netsim_row row);
/* Of a row that stands: whether an output is another one if the row is inverted, or what a
 * flip-flop or a memory does at the next edge. Only after settling. */
bool netsim_row_matters(struct netsim *s, struct netsim_row row);

/* The flip-flops by the names that the source has for them, as words of bits: `name` is a signal,
 * or an element NAME[INDEX] of an array, behind the names of instances (INSTANCE.NAME). */
struct netsim_signal {
    const char *name;
    uint32_t bits;
    const uint64_t *present; /* of these bits, those that are flip-flops */
};
unsigned netsim_num_signals(const struct netsim_design *d);
struct netsim_signal netsim_signal_at(const struct netsim_design *d, unsigned signal);
/* Its bits; those that are not present are 0. */
const uint64_t *netsim_signal_value(const struct netsim *s, unsigned signal);

/* The memories, by such names; words [offset, offset + size) of `width` bits. */
struct netsim_memory {
    const char *name;
    uint32_t width, size, offset;
};
unsigned netsim_num_memories(const struct netsim_design *d);
struct netsim_memory netsim_memory_at(const struct netsim_design *d, unsigned memory);
const uint64_t *netsim_memory_word(const struct netsim *s, unsigned memory, uint32_t address);

/* What has been done: rising edges, cells evaluated. */
struct netsim_work {
    uint64_t clocks, evaluated;
};
struct netsim_work netsim_worked(const struct netsim *s);

#ifdef __cplusplus
}
#endif
#endif
