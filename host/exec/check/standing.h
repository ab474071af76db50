/* standing.h - where the warps of a launch stand that ends before its time: how many wait or run at
 * the same instruction, and look at the same word, with the first of them as an example.
 *
 * The caller allocates a struct exec_standing, all zeros, and passes it to exec_launch_cancel();
 * the executor or an SM group adds the resident warps. Threads: one at a time. */
#ifndef HEDDLE_EXEC_STANDING_H
#define HEDDLE_EXEC_STANDING_H

#include <stdint.h>

struct exec_cta;
struct exec_warp;

enum { EXEC_STANDING_PLACES = 16 };

struct exec_standing {
    uint64_t warps;  /* resident warps that have not exited */
    uint64_t ctas;   /* resident CTAs, but for those whose warps have all exited */
    uint64_t others; /* of these, warps at places beyond the ones below */
    unsigned num_places;
    struct exec_standing_place { /* in the order in which their first warps were added */
        uint32_t pc, status;     /* index of an instruction; exec_status */
        uint64_t warps;
        uint64_t polled; /* the word that their loop reads; 0: none is known */
        char text[480];  /* about the first: "CTA (0,0,0), warp 1 waits at ..." */
    } place[EXEC_STANDING_PLACES];
    const struct exec_cta *last; /* of the newest warp */
};

/* Adds a warp; one that has exited is not counted. The warps of a CTA must come together. */
void exec_standing_add(struct exec_standing *s, const struct exec_warp *warp);

#endif
