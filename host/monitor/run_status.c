/* run_status.c - see run_status.h. */
#include "monitor/run_status.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

void run_status_take(struct run_status *s, const struct gpu_progress *p, double left_s) {
    s->has_kernel = true;
    s->kernel = *p;
    s->left_s = left_s;
    snprintf(s->name, sizeof s->name, "%s", p->kernel);
    s->kernel.kernel = NULL;
}

/* Tenths of a second; null: unknown. */
static json_t *seconds(double s) {
    return s < 0 ? json_null() : json_real(round(s * 10) / 10);
}

static json_t *kernel_object(const struct run_status *s) {
    const struct gpu_progress *p = &s->kernel;
    /* a name that is no UTF-8 is no JSON text: null */
    json_t *name = json_string(s->name);
    return json_pack("{s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:o, s:o}", "device",
                     (json_int_t)p->device, "launch", (json_int_t)p->launch, "name",
                     name ? name : json_null(), "ctas_done", (json_int_t)p->ctas_done, "ctas",
                     (json_int_t)p->ctas, "cycles", (json_int_t)p->cycles, "warp_instructions",
                     (json_int_t)p->warp_inst, "wall_s", seconds(p->wall_s), "left_s",
                     seconds(s->left_s));
}

json_t *run_status_object(const struct run_status *s, const char *state) {
    return json_pack("{s:s, s:i, s:o, s:o, s:I, s:o}", "state", state, "pid", (int)getpid(),
                     "wall_s", seconds(s->wall_s), "paused_s", seconds(s->paused_s),
                     "launches_ended", (json_int_t)s->launches_ended, "kernel",
                     s->has_kernel ? kernel_object(s) : json_null());
}
