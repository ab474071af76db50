/* status_file.c - see status_file.h. */
#include "cli/status_file.h"

#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "common/output_file.h"
#include "common/wall_time.h"

static const double FIRST_S = 5, EVERY_S = 2;

void status_file_begin(struct status_file *s, const char *directory, double begin) {
    snprintf(s->path, sizeof s->path, "%s/status.json", directory);
    s->next = begin + FIRST_S;
    s->written = false;
    unlink(s->path); /* of a run that was killed */
}

void status_file_show(struct status_file *s, const struct run_status *status) {
    struct heddle_diag diag;
    struct output_file o;
    const double now = wall_seconds();
    if (!s->path[0] || now < s->next) return;
    s->next = now + EVERY_S;
    if (output_file_open(&o, s->path, OUTPUT_OWN, &diag)) return;
    json_t *root = run_status_object(status, "running");
    json_dumpf(root, o.f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', o.f);
    json_decref(root);
    if (output_file_commit(&o, false, &diag) == HEDDLE_OK) s->written = true;
}

void status_file_end(struct status_file *s) {
    if (s->written) unlink(s->path);
    s->path[0] = 0;
}
