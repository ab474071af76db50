/* status_file.c - see status_file.h. */
#include "cli/status_file.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "common/output_file.h"
#include "common/wall_time.h"

static const double FIRST_S = 5, EVERY_S = 2;

void status_file_begin(struct status_file *s, const char *directory, double begin) {
    snprintf(s->path, sizeof s->path, "%s/status.json", directory);
    s->begin = begin;
    s->next = begin + FIRST_S;
    s->written = false;
    unlink(s->path); /* of a run that was killed */
}

static json_t *seconds(double s) {
    return s < 0 ? json_null() : json_real(round(s * 10) / 10);
}

void status_file_show(struct status_file *s, const struct gpu_progress *p, double left_s) {
    struct heddle_diag diag;
    struct output_file o;
    const double now = wall_seconds();
    if (!s->path[0] || now < s->next) return;
    s->next = now + EVERY_S;
    if (output_file_open(&o, s->path, OUTPUT_OWN, &diag)) return;
    /* a name that is no UTF-8 is no JSON text: null */
    json_t *name = json_string(p->kernel);
    json_t *root = json_pack(
        "{s:s, s:i, s:o, s:{s:I, s:o, s:I, s:I, s:I, s:I, s:o, s:o}}", "state", "running", "pid",
        (int)getpid(), "wall_s", seconds(now - s->begin), "kernel", "launch", (json_int_t)p->launch,
        "name", name ? name : json_null(), "ctas_done", (json_int_t)p->ctas_done, "ctas",
        (json_int_t)p->ctas, "cycles", (json_int_t)p->cycles, "warp_instructions",
        (json_int_t)p->warp_inst, "wall_s", seconds(p->wall_s), "left_s", seconds(left_s));
    json_dumpf(root, o.f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', o.f);
    json_decref(root);
    if (output_file_commit(&o, false, &diag) == HEDDLE_OK) s->written = true;
}

void status_file_end(struct status_file *s) {
    if (s->written) unlink(s->path);
    s->path[0] = 0;
}
