/* findings.h - what the checks of all kernels of a run have found while they went on: one entry for
 * each place, up to a limit. Plain data; the server owns it. Threads: the server's. */
#ifndef HEDDLE_CUDA_BASE_FINDINGS_H
#define HEDDLE_CUDA_BASE_FINDINGS_H

#include <stdint.h>

#include "common/error.h"

struct server;
struct gpu_finding;

enum { FINDINGS_MOST = 100 };

/* A place: an instruction of a kernel, a kind and of a race the other instruction. */
struct finding {
    char *kernel, *text; /* text: the first example of the first launch that has one */
    heddle_err kind;
    uint32_t pc, other_pc, ptx_line;
    uint64_t count;
};

/* The findings of a run; begins as zeros. */
struct findings {
    struct finding place[FINDINGS_MOST]; /* [num], in the order in which they were found */
    unsigned num;
    uint64_t total;  /* of all places */
    uint64_t beyond; /* of these, at places for which there was no room */
};

/* Adds a finding of a kernel; the run's first one is reported on standard error. */
void findings_add(struct server *s, const struct gpu_finding *f);
/* Frees the texts. */
void findings_clear(struct findings *f);

#endif
