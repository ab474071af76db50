/* system.c - see system.h. `heddle run` creates one for all its GPUs; gpu_build.c creates one for a
 * GPU without. */
#include "sched/system.h"

#include <stdlib.h>

#include "common/memory.h"
#include "fabric/fabric.h"

struct system {
    struct fabric *fabric;
    uint32_t host;
};

/* Creates the fabric and adds the CPU to it as an empty place. */
struct system *system_create(unsigned threads) {
    struct system *s = heddle_alloc(sizeof *s, "the system");
    s->fabric = fabric_create(threads);
    s->host = fabric_add(s->fabric, "CPU", NULL, NULL, 0);
    return s;
}

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
