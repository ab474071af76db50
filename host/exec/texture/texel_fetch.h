/* texel_fetch.h - reads texels: value and addresses of one lane's fetch. Private to exec/. */
#ifndef HEDDLE_EXEC_TEXEL_FETCH_H
#define HEDDLE_EXEC_TEXEL_FETCH_H

#include "exec/exec.h"
#include "exec/texture/texture.h"

/* One lane's fetch. `touched` has room for EXEC_RECORD_TEXELS addresses. */
struct fetch {
    const struct texture *texture;
    const struct exec_memory *memory;
    double at[3];   /* coordinates, as the instruction has them */
    bool integer;   /* they are integers: neither normalized nor filtered */
    uint32_t layer; /* of a layered texture, cube of an array of cubes */
    double lod;
    unsigned texels;      /* out: addresses that the fetch may touch, the same for all lanes */
    uint64_t *touched;    /* out: theirs, 0: none (outside, or the border) */
    unsigned touched_gap; /* from address to address, in elements */
    uint64_t missing;     /* out: an address that is no allocated memory, or 0 */
};

/* The value at the coordinates: 32 bits a channel. */
void exec_texture_fetch(struct fetch *f, uint32_t value[4]);
/* Channel `component` of the four texels of a linear filter. */
void exec_texture_gather(struct fetch *f, unsigned component, uint32_t value[4]);
/* Level of detail for coordinates that change by dx and dy. */
double exec_texture_lod(const struct texture *t, const double dx[3], const double dy[3]);

#endif
