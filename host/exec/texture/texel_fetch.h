/* texel_fetch.h - reads texels: value and addresses of one lane's fetch. Private to exec/.
 *
 * The functions read the texture and device memory, check that texels are allocated, and write the
 * fetch's outputs and `value`. They record no fault: the caller looks at `missing`. */
#ifndef HEDDLE_EXEC_TEXEL_FETCH_H
#define HEDDLE_EXEC_TEXEL_FETCH_H

#include "exec/exec.h"
#include "exec/texture/texture.h"

/* One lane's fetch. `touched` has room for EXEC_RECORD_TEXELS addresses, touched_gap apart. */
struct fetch {
    const struct texture *texture;
    const struct exec_memory *memory;
    double at[3];         /* coordinates, as the instruction gives them */
    bool integer;         /* the coordinates count texels: neither normalized nor filtered */
    uint32_t layer;       /* layer of an array, or cube of an array of cubes */
    double lod;           /* level of detail, before the sampler's bias and bounds */
    unsigned texels;      /* out: number of addresses, the same for all lanes */
    uint64_t *touched;    /* out: addresses of texels, 0: none (border, or level not read) */
    unsigned touched_gap; /* elements from one address to the next */
    uint64_t missing;     /* in: 0; out: an address that is not allocated, or 0 */
};

/* Fills `value` with the value at the coordinates, nearest or filtered: 32 bits a channel, missing
 * channels 0, 0, 1. */
void exec_texture_fetch(struct fetch *f, uint32_t value[4]);
/* Fills `value` with channel `component` of the four texels of a linear filter on level 0: (0,1)
 * (1,1) (1,0) (0,0). */
void exec_texture_gather(struct fetch *f, unsigned component, uint32_t value[4]);
/* @return the level of detail for coordinates that change by dx and dy from pixel to pixel;
 * -HUGE_VAL when they do not change. */
double exec_texture_lod(const struct texture *t, const double dx[3], const double dy[3]);

#endif
