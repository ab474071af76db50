/* trace_text.c - see trace_text.h. */
#define _GNU_SOURCE
#include "trace_text.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *trace_directory(void) {
    char *directory = strdup("/tmp/heddle-trace-XXXXXX");
    cr_assert(directory && mkdtemp(directory));
    return directory;
}

void trace_remove(char *directory) {
    char path[200];
    snprintf(path, sizeof path, "%s/trace.json", directory);
    unlink(path);
    cr_expect_eq(rmdir(directory), 0);
    free(directory);
}

json_t *trace_load(const char *directory) {
    char path[200];
    json_error_t error;
    unsigned files = 0;
    DIR *d = opendir(directory);
    for (struct dirent *entry; (entry = readdir(d));) files += entry->d_name[0] != '.';
    closedir(d);
    cr_expect_eq(files, 1);
    snprintf(path, sizeof path, "%s/trace.json", directory);
    json_t *root = json_load_file(path, 0, &error);
    cr_assert(root, "%s: %s", path, error.text);
    json_t *events = json_incref(json_object_get(root, "traceEvents"));
    cr_assert(json_is_array(events));
    json_decref(root);
    return events;
}

const json_t *trace_event(const json_t *events, const char *kind, const char *name, unsigned n) {
    size_t i;
    const json_t *e;
    json_array_foreach(events, i, e) {
        if (strcmp(trace_text(e, "ph"), kind) || (name && strcmp(trace_text(e, "name"), name)))
            continue;
        if (!n--) return e;
    }
    return NULL;
}

unsigned trace_count(const json_t *events, const char *kind, const char *name) {
    unsigned n = 0;
    while (trace_event(events, kind, name, n)) n++;
    return n;
}

double trace_number(const json_t *event, const char *member) {
    const json_t *v = json_object_get(event, member);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

const char *trace_text(const json_t *event, const char *member) {
    const char *s = json_string_value(json_object_get(event, member));
    return s ? s : "";
}

double trace_argument(const json_t *event, const char *member) {
    return trace_number(json_object_get(event, "args"), member);
}
