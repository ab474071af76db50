/* group_configure.c - the parameters that an SM group gives its core, once, at its creation on the
 * driving thread. */
#include "common/error.h"
#include "timing/group_internal.h"

/* Tells the core which lines are outside the GPU, eight pieces at a time; those with one last. Says
 * nothing if there are none. @return the core's error. */
static heddle_err configure_outside(struct timing_group *g) {
    const uint64_t *outside = g->config->outside;
    uint64_t any = 0;
    heddle_err e = HEDDLE_OK;
    for (unsigned i = 0; i < GROUP_OUTSIDE_WORDS; i++) any |= outside[i];
    for (unsigned some = 0; any && some < 2; some++)
        for (unsigned i = 0; i < GROUP_PIECES / 8 && !e; i++) {
            const uint32_t pieces = outside[i / 8] >> i % 8 * 8 & 0xff;
            if ((pieces != 0) == some)
                e = core_set_param(g->core, CORE_PARAM_OUTSIDE, i << 8 | pieces);
        }
    return e;
}

/* Appends the GPU's parameters, the group's number and the class table to the core's batch. @return
 * the core's error, with a general text in diag. */
heddle_err group_configure(struct timing_group *g, struct heddle_diag *diag) {
    group_watch_begin(g);
    const struct timing_config *c = g->config;
    heddle_err e = HEDDLE_OK;
    for (uint32_t i = 0; i < c->num_params && !e; i++)
        e = core_set_param(g->core, c->param[i].number, c->param[i].value);
    if (!e) e = configure_outside(g);
    if (!e) e = core_set_param(g->core, CORE_PARAM_INSTANCE, g->index);
    for (uint32_t i = 0; i < MIR_CLASS_COUNT && !e; i++)
        e = core_set_class(g->core, i, c->cls[i].pipe, c->cls[i].interval, c->cls[i].latency,
                           c->cls[i].flags);
    if (e) heddle_fail(diag, e, "the timing core took no parameters: %s", heddle_err_text(e));
    return e;
}
