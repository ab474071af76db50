/* page_calls.c - counts and times of the CUDA calls; see page_calls.h. */
#include "runs/page_calls.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 64 << 20 }; /* of api.json, which is read as a whole */

/* The calls of one name in the trace. */
struct timed_call {
    uint64_t count;
    double sum_ps, longest_ps;
};

/* Sums the trace by name. @return false: an entry is malformed. */
static bool sum_trace(const json_t *trace, GHashTable *by_name, bool *unnamed) {
    size_t i;
    const json_t *o;
    json_array_foreach(trace, i, o) {
        const char *name = run_text(o, "name");
        if (json_object_get(json_object_get(o, "args"), "more_answered_in_program")) {
            *unnamed = true;
            continue;
        }
        const double ps = round(run_number(o, "dur") * 1e6);
        if (!*name || !(ps >= 0)) return false;
        struct timed_call *t = g_hash_table_lookup(by_name, name);
        if (!t) {
            t = g_new0(struct timed_call, 1);
            g_hash_table_insert(by_name, g_strdup(name), t);
        }
        t->count++;
        t->sum_ps += ps;
        if (ps > t->longest_ps) t->longest_ps = ps;
    }
    return true;
}

/* How often the report counts a call; 0: not at all. */
static uint64_t counted(const json_t *calls, const char *name) {
    size_t i;
    const json_t *c;
    json_array_foreach(calls, i, c) {
        if (!strcmp(run_text(c, "name"), name))
            return (uint64_t)json_integer_value(json_object_get(c, "count"));
    }
    return 0;
}

/* Whether the trace can be that of the run: it has each call that the report counts as often, or
 * more often, since a long call takes several entries, and no other call. */
static bool is_of_run(const json_t *calls, GHashTable *by_name, bool unnamed) {
    size_t i;
    const json_t *c;
    GHashTableIter all;
    void *name;
    json_array_foreach(calls, i, c) {
        const struct timed_call *t = g_hash_table_lookup(by_name, run_text(c, "name"));
        if (!unnamed && (t ? t->count : 0) < counted(calls, run_text(c, "name"))) return false;
    }
    g_hash_table_iter_init(&all, by_name);
    while (g_hash_table_iter_next(&all, &name, NULL))
        if (!counted(calls, name)) return false;
    return true;
}

/* Reads api.json beside the report. @return NULL: the times are in by_name; else why not, a text
 * that the caller frees. */
static char *read_trace(const struct run_file *run, GHashTable *by_name) {
    json_error_t error;
    struct stat s;
    char *why = NULL, *path = g_build_filename(run->directory, "api.json", NULL);
    json_t *trace = NULL;
    const json_t *events = NULL;
    bool unnamed = false;
    if (stat(path, &s)) {
        why = errno == ENOENT
                  ? g_strdup("The run did not record the times of calls: heddle run --trace-api")
                  : g_strdup_printf("api.json cannot be read: %s", strerror(errno));
    } else if (s.st_size > MOST_BYTES) {
        why = g_strdup("api.json has more than 64 MiB: the page leaves its times out");
    } else if (!(trace = json_load_file(path, 0, &error)) ||
               !(events = json_object_get(trace, "traceEvents")) || !json_is_array(events) ||
               !sum_trace(events, by_name, &unnamed)) {
        why = g_strdup("api.json is damaged");
    } else if (!is_of_run(json_object_get(run->root, "cuda_calls"), by_name, unnamed)) {
        why = g_strdup("api.json is of another run: it has other calls than report.json");
    }
    json_decref(trace);
    g_free(path);
    return why;
}

void page_add_calls(const struct run_file *run, json_t *page) {
    static const char *const members[] = {"name", "count", "scheduler", "sm", "supported"};
    GHashTable *by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    char *why = read_trace(run, by_name);
    json_t *rows = json_array();
    size_t i;
    const json_t *c;
    json_array_foreach(json_object_get(run->root, "cuda_calls"), i, c) {
        const struct timed_call *t = why ? NULL : g_hash_table_lookup(by_name, run_text(c, "name"));
        json_t *row = json_array();
        for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
            json_t *v = json_object_get(c, members[k]);
            json_array_append_new(row, v ? json_incref(v) : json_null());
        }
        json_array_append_new(row, t ? json_real(t->sum_ps) : json_null());
        json_array_append_new(row, t ? json_real(t->longest_ps) : json_null());
        json_array_append_new(rows, row);
    }
    json_object_set_new(page, "calls", rows);
    json_object_set_new(page, "calls_note", why ? json_string(why) : json_null());
    g_free(why);
    g_hash_table_unref(by_name);
}
