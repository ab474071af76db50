/* system.c - owns the fabric of a simulated system and the CPU's place on it; contracts in
 * system.h.
 *
 * `heddle run` creates one on the server's thread for all its GPUs; gpu_build.c creates one for a
 * GPU without. No function may run while a GPU of the system is simulated, except the two that read
 * numbers. */
#include "sched/system.h"

#include <stdlib.h>

#include "common/memory.h"
#include "fabric/fabric.h"

/* A system; `host`: component number of the CPU. */
struct system {
    struct fabric *fabric;
    uint32_t host;
};

/* Creates the fabric, with a pool of `threads` threads, and adds the CPU to it as an empty place.
 * Ends the process when memory is out. */
struct system *system_create(unsigned threads) {
    struct system *s = heddle_alloc(sizeof *s, "the system");
    s->fabric = fabric_create(threads);
    s->host = fabric_add(s->fabric, "CPU", NULL, NULL, 0);
    return s;
}

/* Frees the fabric, which ends its threads. Its GPUs are freed before. Accepts NULL. */
void system_free(struct system *s) {
    if (!s) return;
    fabric_free(s->fabric);
    free(s);
}

struct fabric *system_fabric(const struct system *s) {
    return s->fabric;
}

uint32_t system_host(const struct system *s) {
    return s->host;
}
