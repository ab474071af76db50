/* system.c - see system.h. */
#include "sched/system.h"

#include <stdlib.h>

#include "fabric/fabric.h"

struct system {
    struct fabric *fabric;
    uint32_t host;
};

heddle_err system_create(struct system **out, unsigned threads, struct heddle_diag *diag) {
    struct system *s = calloc(1, sizeof *s);
    heddle_err e = s ? fabric_create(&s->fabric, threads) : HEDDLE_ERR_NOMEM;
    *out = NULL;
    if (e) {
        free(s);
        return heddle_fail(diag, e, "the fabric could not be made: %s", heddle_err_text(e));
    }
    s->host = fabric_add(s->fabric, "CPU", NULL, NULL, 0);
    *out = s;
    return HEDDLE_OK;
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
