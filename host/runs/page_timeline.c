/* page_timeline.c - reads trace.json line by line, since it may be large, and keeps what fits a
 * page; see page_timeline.h. Each event of Heddle's file is a line (timeline/event_file.h). */
#include "runs/page_timeline.h"

#include <errno.h>
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SPANS = 8000,   /* of all rows: the longest */
    MOST_CTAS = 12000,   /* of all GPUs, one by one; else only the means */
    MOST_POINTS = 12000, /* of all counters */
    PARTS = 400,         /* of the time, for means */
    MEAN_STEPS = 75,     /* characters from '0' on */
    TRACK_LANES = 32,    /* as EVENT_LANES of timeline/event_tracks.h */
};

/* A span or a CTA. */
struct span {
    gint64 begin, duration; /* ps */
    guint name;
    guint lane, launch, cta;
};
/* A track, or all lanes of an SM. */
struct row {
    gint64 process, thread;
    GArray *spans; /* struct span */
    guint left;    /* spans that are left out */
};
/* A counter. */
struct counter {
    gint64 process;
    char *name, *unit;
    GArray *points; /* pairs of time and value, gdouble */
};

/* What is read. Lists are in the order of the file. */
struct reader {
    GHashTable *names;     /* text: number, from 1 */
    GPtrArray *name_list;  /* borrowed texts */
    GHashTable *processes; /* pid: name */
    GHashTable *threads;   /* pid and tid: name */
    GHashTable *row_of, *counter_of;
    GPtrArray *rows, *counters; /* struct row, struct counter */
    json_t *instants;
    gsize num_spans, num_ctas, num_points;
};

static gint64 *key_of(gint64 process, gint64 thread) {
    gint64 *key = g_new(gint64, 1);
    *key = process << 32 | thread;
    return key;
}

static gint64 ps_of(const json_t *event, const char *member) {
    return (gint64)llround(run_number(event, member) * 1e6);
}

/* The process of a GPU that has CTAs. */
static bool has_ctas(const struct reader *r, gint64 process) {
    const char *name = g_hash_table_lookup(r->processes, &(gint64){process << 32});
    return name && g_str_has_suffix(name, ": CTAs by SM");
}

static guint name_number(struct reader *r, const char *text) {
    gpointer number = g_hash_table_lookup(r->names, text);
    if (!number) {
        char *own = g_strdup(text);
        g_ptr_array_add(r->name_list, own);
        number = GUINT_TO_POINTER(r->name_list->len);
        g_hash_table_insert(r->names, own, number);
    }
    return GPOINTER_TO_UINT(number) - 1;
}

static struct row *row_of(struct reader *r, gint64 process, gint64 thread) {
    gint64 *key = key_of(process, thread);
    struct row *row = g_hash_table_lookup(r->row_of, key);
    if (row) {
        g_free(key);
        return row;
    }
    row = g_new0(struct row, 1);
    *row = (struct row){process, thread, g_array_new(FALSE, FALSE, sizeof(struct span)), 0};
    g_ptr_array_add(r->rows, row);
    g_hash_table_insert(r->row_of, key, row);
    return row;
}

static void add_span(struct reader *r, const json_t *event) {
    const gint64 process = (gint64)run_number(event, "pid");
    const gint64 thread = (gint64)run_number(event, "tid");
    const json_t *arguments = json_object_get(event, "args");
    struct span s = {.begin = ps_of(event, "ts"),
                     .duration = ps_of(event, "dur"),
                     .name = name_number(r, run_text(event, "name"))};
    if (!has_ctas(r, process)) {
        r->num_spans++;
        g_array_append_val(row_of(r, process, thread)->spans, s);
        return;
    }
    r->num_ctas++;
    s.lane = (guint)(thread % TRACK_LANES);
    s.launch = (guint)run_number(arguments, "launch");
    s.cta = (guint)run_number(arguments, "cta");
    g_array_append_val(row_of(r, process, thread / TRACK_LANES)->spans, s);
}

static void add_count(struct reader *r, const json_t *event) {
    const gint64 process = (gint64)run_number(event, "pid");
    const char *name = run_text(event, "name"), *series;
    json_t *value;
    json_object_foreach(json_object_get(event, "args"), series, value) {
        char *key = g_strdup_printf("%lld %s", (long long)process, name);
        struct counter *c = g_hash_table_lookup(r->counter_of, key);
        if (!c) {
            c = g_new0(struct counter, 1);
            *c = (struct counter){process, g_strdup(name), g_strdup(series),
                                  g_array_new(FALSE, FALSE, sizeof(gdouble))};
            g_ptr_array_add(r->counters, c);
            g_hash_table_insert(r->counter_of, g_strdup(key), c);
        }
        const gdouble pair[2] = {(gdouble)ps_of(event, "ts"), json_number_value(value)};
        g_array_append_vals(c->points, pair, 2);
        r->num_points++;
        g_free(key);
    }
}

/* A name of a process or a track. */
static void add_name(struct reader *r, const json_t *event) {
    const char *kind = run_text(event, "name");
    const char *name = run_text(json_object_get(event, "args"), "name");
    const gint64 process = (gint64)run_number(event, "pid");
    if (!strcmp(kind, "process_name"))
        g_hash_table_insert(r->processes, key_of(process, 0), g_strdup(name));
    else if (!strcmp(kind, "thread_name"))
        g_hash_table_insert(r->threads, key_of(process, (gint64)run_number(event, "tid")),
                            g_strdup(name));
}

/* Takes an event. @return false: it is none of Heddle's. */
static bool add_event(struct reader *r, const json_t *event) {
    const char *kind = run_text(event, "ph");
    if (!strcmp(kind, "X") && run_number(event, "ts") >= 0 && run_number(event, "dur") >= 0)
        add_span(r, event);
    else if (!strcmp(kind, "C") && run_number(event, "ts") >= 0)
        add_count(r, event);
    else if (!strcmp(kind, "M"))
        add_name(r, event);
    else if (!strcmp(kind, "i") && run_number(event, "ts") >= 0)
        json_array_append_new(r->instants,
                              json_pack("{s:I, s:s}", "at", (json_int_t)ps_of(event, "ts"), "name",
                                        run_text(event, "name")));
    else
        return false;
    return true;
}

/* Reads the lines. @return false: the file is not Heddle's, or is damaged. */
static bool read_lines(struct reader *r, FILE *f) {
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    bool good = getline(&line, &room, f) > 0 && g_str_has_prefix(line, "{\"displayTimeUnit\"");
    bool ended = false;
    while (good && !ended && (n = getline(&line, &room, f)) > 0) {
        ended = !strcmp(line, "]}\n");
        if (ended) break;
        while (n && strchr(",\n", line[n - 1])) n--;
        json_t *event = json_loadb(line, (size_t)n, 0, NULL);
        good = json_is_object(event) && add_event(r, event);
        json_decref(event);
    }
    free(line);
    return good && ended;
}

/* ---- what fits the page */

/* Longest first; then the earliest. */
static gint by_duration(gconstpointer a, gconstpointer b) {
    const gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Leaves out the shortest spans of rows that are not SMs. */
static void cut_spans(struct reader *r) {
    if (r->num_spans <= MOST_SPANS) return;
    gint64 *durations = g_new(gint64, r->num_spans);
    gsize n = 0;
    for (guint i = 0; i < r->rows->len; i++) {
        const struct row *row = r->rows->pdata[i];
        if (has_ctas(r, row->process)) continue;
        for (guint k = 0; k < row->spans->len; k++)
            durations[n++] = g_array_index(row->spans, struct span, k).duration;
    }
    qsort(durations, n, sizeof *durations, by_duration);
    const gint64 least = durations[MOST_SPANS - 1];
    gsize equal = 0; /* of the least duration that still have room */
    while (equal < MOST_SPANS && durations[MOST_SPANS - 1 - equal] == least) equal++;
    g_free(durations);
    for (guint i = 0; i < r->rows->len; i++) {
        struct row *row = r->rows->pdata[i];
        if (has_ctas(r, row->process)) continue;
        guint kept = 0;
        for (guint k = 0; k < row->spans->len; k++) {
            const struct span s = g_array_index(row->spans, struct span, k);
            if (s.duration < least || (s.duration == least && !equal)) continue;
            if (s.duration == least) equal--;
            g_array_index(row->spans, struct span, kept++) = s;
        }
        row->left = row->spans->len - kept;
        g_array_set_size(row->spans, kept);
    }
}

static const char *process_name(const struct reader *r, gint64 process) {
    const char *name = g_hash_table_lookup(r->processes, &(gint64){process << 32});
    return name ? name : "";
}

static void put(json_t *list, gint64 number) {
    json_array_append_new(list, json_integer((json_int_t)number));
}

/* A row of spans. */
static json_t *row_object(const struct reader *r, const struct row *row) {
    const gint64 key = row->process << 32 | row->thread;
    const char *name = g_hash_table_lookup(r->threads, &key);
    json_t *spans = json_array();
    gint64 at = 0;
    for (guint i = 0; i < row->spans->len; i++) {
        const struct span *s = &g_array_index(row->spans, struct span, i);
        put(spans, s->begin - at);
        put(spans, s->duration);
        put(spans, s->name);
        at = s->begin + s->duration;
    }
    return json_pack("{s:s, s:s, s:o, s:i}", "group", process_name(r, row->process), "name",
                     name ? name : "", "spans", spans, "left", (int)row->left);
}

/* A counter; each `step` points become their mean. */
static json_t *counter_object(const struct reader *r, const struct counter *c, guint step) {
    json_t *points = json_array();
    for (guint i = 0; i < c->points->len; i += 2 * step) {
        gdouble sum = 0;
        guint n = 0;
        for (guint k = i; k < c->points->len && n < step; k += 2, n++)
            sum += g_array_index(c->points, gdouble, k + 1);
        put(points, (gint64)g_array_index(c->points, gdouble, i));
        json_array_append_new(points, json_real(sum / n));
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "group", process_name(r, c->process), "name", c->name,
                     "unit", c->unit, "points", points);
}

/* Adds a CTA to the means of its SM. */
static void add_to_parts(gdouble *parts, const struct span *s, gint64 from, gdouble length) {
    const gdouble begin = (gdouble)(s->begin - from) / length;
    const gdouble end = begin + (gdouble)s->duration / length;
    for (guint p = (guint)begin; p < PARTS && p < end; p++)
        parts[p] += fmin(end, p + 1.0) - fmax(begin, p);
}

/* The SMs of a GPU; `one_by_one`: with each CTA. */
static json_t *sms_object(const struct reader *r, gint64 process, bool one_by_one) {
    gint64 from = G_MAXINT64, to = 0;
    gdouble most = 0;
    json_t *names = json_array(), *heat = json_array(), *ctas = one_by_one ? json_array() : NULL;
    GPtrArray *sms = g_ptr_array_new(); /* struct row, by number */
    for (guint i = 0; i < r->rows->len; i++) {
        struct row *row = r->rows->pdata[i];
        if (row->process != process) continue;
        if (row->thread >= sms->len) g_ptr_array_set_size(sms, (gint)row->thread + 1);
        sms->pdata[row->thread] = row;
        for (guint k = 0; k < row->spans->len; k++) {
            const struct span *s = &g_array_index(row->spans, struct span, k);
            from = MIN(from, s->begin);
            to = MAX(to, s->begin + s->duration);
        }
    }
    const gdouble length = fmax(1, (gdouble)(to - from) / PARTS);
    gdouble *parts = g_new0(gdouble, (gsize)sms->len * PARTS);
    for (guint sm = 0; sm < sms->len; sm++) {
        const struct row *row = sms->pdata[sm];
        for (guint k = 0; row && k < row->spans->len; k++) {
            const struct span *s = &g_array_index(row->spans, struct span, k);
            add_to_parts(&parts[(gsize)sm * PARTS], s, from, length);
            if (!ctas) continue;
            const gint64 all[] = {s->begin, s->duration, sm, s->lane, s->launch, s->cta, s->name};
            for (gsize n = 0; n < G_N_ELEMENTS(all); n++) put(ctas, all[n]);
        }
    }
    for (gsize i = 0; i < (gsize)sms->len * PARTS; i++) most = fmax(most, parts[i]);
    for (guint sm = 0; sm < sms->len; sm++) {
        char text[PARTS + 1] = "", name[20];
        for (guint p = 0; p < PARTS; p++) {
            const gdouble mean = parts[(gsize)sm * PARTS + p];
            /* a part with any CTA is not shown as empty */
            const guint step = mean > 0 ? 1 + (guint)(mean / most * (MEAN_STEPS - 1)) : 0;
            text[p] = (char)('0' + (step == '\\' - '0' ? step + 1 : step));
        }
        snprintf(name, sizeof name, "SM %u", sm);
        json_array_append_new(names, json_string(name));
        json_array_append_new(heat, json_string(text));
    }
    g_free(parts);
    g_ptr_array_free(sms, TRUE);
    return json_pack("{s:s, s:I, s:I, s:f, s:i, s:o, s:o, s:o}", "group", process_name(r, process),
                     "from", (json_int_t)from, "to", (json_int_t)to, "most", most, "steps",
                     MEAN_STEPS, "names", names, "heat", heat, "ctas", ctas ? ctas : json_null());
}

/* Adds an object for each GPU that has CTAs, in the order of the file. */
static json_t *all_sms(const struct reader *r) {
    json_t *list = json_array();
    GHashTable *seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (guint i = 0; i < r->rows->len; i++) {
        const struct row *row = r->rows->pdata[i];
        if (!has_ctas(r, row->process) || !g_hash_table_add(seen, key_of(row->process, 0)))
            continue;
        json_array_append_new(list, sms_object(r, row->process, r->num_ctas <= MOST_CTAS));
    }
    g_hash_table_unref(seen);
    return list;
}

static json_t *timeline_object(struct reader *r) {
    json_t *names = json_array(), *rows = json_array(), *counters = json_array();
    const guint step = 1 + (guint)(r->num_points / (MOST_POINTS + 1));
    cut_spans(r);
    for (guint i = 0; i < r->name_list->len; i++)
        json_array_append_new(names, json_string(r->name_list->pdata[i]));
    for (guint i = 0; i < r->rows->len; i++) {
        const struct row *row = r->rows->pdata[i];
        if (!has_ctas(r, row->process)) json_array_append_new(rows, row_object(r, row));
    }
    for (guint i = 0; i < r->counters->len; i++)
        json_array_append_new(counters, counter_object(r, r->counters->pdata[i], step));
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:O}", "names", names, "rows", rows, "sms",
                     all_sms(r), "counters", counters, "ctas", (json_int_t)r->num_ctas, "instants",
                     r->instants);
}

static void free_row(gpointer p) {
    struct row *row = p;
    g_array_free(row->spans, TRUE);
    g_free(row);
}
static void free_counter(gpointer p) {
    struct counter *c = p;
    g_array_free(c->points, TRUE);
    g_free(c->name);
    g_free(c->unit);
    g_free(c);
}

void page_add_timeline(const struct run_file *run, json_t *page) {
    char *path = g_build_filename(run->directory, "trace.json", NULL);
    FILE *f = fopen(path, "re");
    json_t *timeline = NULL;
    const char *note = NULL;
    char other[200];
    struct reader r = {
        .names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .name_list = g_ptr_array_new(),
        .processes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free),
        .threads = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free),
        .row_of = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
        .counter_of = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .rows = g_ptr_array_new_with_free_func(free_row),
        .counters = g_ptr_array_new_with_free_func(free_counter),
        .instants = json_array(),
    };
    if (!f && errno == ENOENT) {
        note = "The run has no timeline: heddle run --timeline";
    } else if (!f) {
        snprintf(other, sizeof other, "trace.json cannot be read: %s", strerror(errno));
        note = other;
    } else if (!read_lines(&r, f)) {
        note = "trace.json is damaged, or not of heddle run --timeline";
    } else {
        timeline = timeline_object(&r);
    }
    json_object_set_new(page, "timeline", timeline ? timeline : json_null());
    json_object_set_new(page, "timeline_note", note ? json_string(note) : json_null());
    if (f) fclose(f);
    json_decref(r.instants);
    g_ptr_array_free(r.rows, TRUE);
    g_ptr_array_free(r.counters, TRUE);
    g_hash_table_unref(r.row_of);
    g_hash_table_unref(r.counter_of);
    g_hash_table_unref(r.threads);
    g_hash_table_unref(r.processes);
    g_hash_table_unref(r.names);
    g_ptr_array_free(r.name_list, TRUE);
    g_free(path);
}
