/* compnet.c - points, series, claims; contracts in compnet.h. */
#include "compnet/compnet.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

const struct compnet_claim_row compnet_claims[COMPNET_CLAIMS] = {
#define CLAIM(name, id, figure, kind, low, high, text) \
    {id, text, figure, COMPNET_##kind, low, high},
#include "tables/compnet_claims.def"
};

const char *const compnet_designs[COMPNET_DESIGNS] = {"dgpu", "apu", "compnet", "inter-kernel",
                                                      "cpu"};

/* ---- points */

static void add_all(GPtrArray *list, const char *option, const char *const *values) {
    for (unsigned i = 0; values && values[i]; i++) {
        if (option) g_ptr_array_add(list, (gpointer)option);
        g_ptr_array_add(list, (gpointer)values[i]);
    }
}

/* Reads the report of a point. */
static heddle_err load_report(struct compnet_result *r, const char *directory,
                              struct heddle_diag *diag) {
    json_error_t error;
    gchar *file = g_build_filename(directory, "report.json", NULL);
    r->report = json_load_file(file, 0, &error);
    heddle_err e = HEDDLE_OK;
    if (!r->report) e = heddle_fail(diag, HEDDLE_ERR_IO, "%s: %s", file, error.text);
    g_free(file);
    return e;
}

heddle_err compnet_run(struct compnet *c, const struct compnet_point *p,
                       struct compnet_result *result, struct heddle_diag *diag) {
    GPtrArray *argv = g_ptr_array_new();
    gchar *directory = g_strdup_printf("%s/points/%u", c->out, c->points++);
    gchar *nodes = g_strdup_printf("%u", p->nodes);
    gchar *program = g_build_filename(c->apps, p->program, NULL);
    const char *const head[] = {c->heddle,
                                "run",
                                "--quiet",
                                "--gpu",
                                "compnet-gcn",
                                "--node",
                                "paper",
                                "--nodes",
                                nodes,
                                "--design",
                                compnet_designs[p->design],
                                "--out",
                                directory,
                                NULL};
    *result = (struct compnet_result){0};
    add_all(argv, NULL, head);
    if (p->one_thread) add_all(argv, "--threads", (const char *const[]){"1", NULL});
    add_all(argv, "--set", p->sets);
    add_all(argv, "--set-node", p->node_sets);
    add_all(argv, "--set-node", (const char *const *)c->node_sets);
    g_ptr_array_add(argv, (gpointer) "--");
    g_ptr_array_add(argv, program);
    add_all(argv, NULL, p->arguments);
    g_ptr_array_add(argv, NULL);
    gchar *line = g_strjoinv(" ", (gchar **)argv->pdata);
    if (!c->quiet) fprintf(stderr, "%s\n", line);

    gchar **environment = g_get_environ();
    gchar *queues = g_strdup_printf("%u", p->queues);
    if (p->queues) environment = g_environ_setenv(environment, "HEDDLE_SHMEM_QUEUES", queues, TRUE);

    gchar *errors = NULL;
    GError *error = NULL;
    int status = 0;
    heddle_err e = HEDDLE_OK;
    if (g_mkdir_with_parents(directory, 0777))
        e = heddle_fail(diag, HEDDLE_ERR_IO, "%s: %s", directory, strerror(errno));
    else if (!g_spawn_sync(NULL, (gchar **)argv->pdata, environment, 0, NULL, NULL, &result->output,
                           &errors, &status, &error) ||
             !g_spawn_check_wait_status(status, &error))
        e = heddle_fail(diag, HEDDLE_ERR_IO, "%s: %s: %s", line, error->message,
                        errors ? errors : "");
    if (!e) e = load_report(result, directory, diag);
    if (e) compnet_result_clear(result);
    g_clear_error(&error);
    g_free(errors);
    g_strfreev(environment);
    g_free(queues);
    g_free(line);
    g_free(program);
    g_free(nodes);
    g_free(directory);
    g_ptr_array_unref(argv);
    return e;
}

void compnet_result_clear(struct compnet_result *r) {
    json_decref(r->report);
    g_free(r->output);
    *r = (struct compnet_result){0};
}

double compnet_sum(const struct compnet_result *r, const char *part, const char *member) {
    const json_t *list = json_object_get(json_object_get(r->report, "nodes"), "list");
    double sum = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        sum += json_number_value(
            json_object_get(json_object_get(json_array_get(list, i), part), member));
    return sum;
}

double compnet_statistic(const struct compnet_result *r, const char *name) {
    const json_t *list = json_object_get(r->report, "statistics");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        const char *its = json_string_value(json_object_get(row, "name"));
        if (its && !strcmp(its, name)) return json_number_value(json_object_get(row, "value"));
    }
    return NAN;
}

/* ---- series */

struct compnet_picture *compnet_add_picture(struct compnet *c, const struct compnet_picture *p) {
    g_assert(c->num_pictures < G_N_ELEMENTS(c->picture));
    c->picture[c->num_pictures] = *p;
    return &c->picture[c->num_pictures++];
}

struct compnet_series *compnet_add_series(struct compnet_picture *p, const char *name) {
    g_assert(p->num_series < COMPNET_SERIES);
    struct compnet_series *s = &p->series[p->num_series++];
    s->name = name;
    return s;
}

void compnet_add(struct compnet_series *s, double x, double y) {
    g_assert(s->count < COMPNET_POINTS);
    s->x[s->count] = x;
    s->y[s->count++] = y;
}

void compnet_add_input(struct compnet *c, const struct compnet_input *input) {
    g_assert(c->num_inputs < G_N_ELEMENTS(c->input));
    c->input[c->num_inputs++] = *input;
}

/* ---- claims */

bool compnet_would_hold(enum compnet_claim claim, double value) {
    return value >= compnet_claims[claim].low && value <= compnet_claims[claim].high;
}

bool compnet_holds(const struct compnet *c, enum compnet_claim claim) {
    return compnet_would_hold(claim, c->value[claim]);
}

/* The band of a claim, in words. */
static const char *band(const struct compnet_claim_row *row, char *text, size_t size) {
    if (row->high >= 1e9)
        g_snprintf(text, size, ">= %g", row->low);
    else if (row->low == 0)
        g_snprintf(text, size, "<= %g", row->high);
    else
        g_snprintf(text, size, "%g to %g", row->low, row->high);
    return text;
}

static void print_picture(const struct compnet_picture *p, FILE *out) {
    fprintf(out, "\n%s (%s)\n%24s", p->title, p->file, p->x);
    for (unsigned s = 0; s < p->num_series; s++) fprintf(out, " %16s", p->series[s].name);
    fprintf(out, "\n");
    for (unsigned i = 0; i < p->series[0].count; i++) {
        if (p->labels)
            fprintf(out, "%24s", p->labels[(unsigned)p->series[0].x[i]]);
        else
            fprintf(out, "%24g", p->series[0].x[i]);
        for (unsigned s = 0; s < p->num_series; s++) fprintf(out, " %16.4g", p->series[s].y[i]);
        fprintf(out, "\n");
    }
    fprintf(out, "%24s %s\n", "", p->y);
}

void compnet_print(const struct compnet *c, FILE *out) {
    char text[40];
    for (unsigned i = 0; i < c->num_pictures; i++) print_picture(&c->picture[i], out);
    for (unsigned i = 0; i < c->num_inputs; i++) {
        const struct compnet_input *n = &c->input[i];
        fprintf(out, "%s%-14s %-34s %12.8g  %-9s %s\n", i ? "" : "\ninput of\n", n->of, n->what,
                n->value, n->status, n->source);
    }
    fprintf(out, "\n%-11s %-5s %12s  %-16s %s\n", "claim", "kind", "value", "band", "holds");
    for (unsigned i = 0; i < COMPNET_CLAIMS; i++) {
        const struct compnet_claim_row *row = &compnet_claims[i];
        const char *kind = row->kind == COMPNET_HARD ? "hard" : "soft";
        if (isnan(c->value[i])) {
            if (!c->why[i]) continue; /* its figure was not asked for */
            fprintf(out, "%-11s %-5s %12s  %-16s %-9s %s: %s\n", row->id, kind, "-",
                    band(row, text, sizeof text), "unknown", row->text, c->why[i]);
        } else {
            fprintf(out, "%-11s %-5s %12.4g  %-16s %-9s %s%s%s\n", row->id, kind, c->value[i],
                    band(row, text, sizeof text), compnet_holds(c, i) ? "yes" : "NO", row->text,
                    *c->note[i] ? "; " : "", c->note[i]);
        }
    }
}

void compnet_print_json(const struct compnet *c, FILE *out) {
    json_t *claims = json_array(), *figures = json_array(), *inputs = json_array();
    for (unsigned i = 0; i < COMPNET_CLAIMS; i++) {
        const struct compnet_claim_row *row = &compnet_claims[i];
        const bool known = !isnan(c->value[i]);
        if (!known && !c->why[i]) continue;
        json_t *o = json_pack("{s:s, s:o, s:f, s:f, s:s, s:o, s:s}", "id", row->id, "value",
                              known ? json_real(c->value[i]) : json_null(), "low", row->low, "high",
                              row->high, "kind", row->kind == COMPNET_HARD ? "hard" : "soft",
                              "holds", known ? json_boolean(compnet_holds(c, i)) : json_null(),
                              "text", row->text);
        if (!known) json_object_set_new(o, "why", json_string(c->why[i]));
        if (*c->note[i]) json_object_set_new(o, "note", json_string(c->note[i]));
        json_array_append_new(claims, o);
    }
    for (unsigned i = 0; i < c->num_pictures; i++) {
        const struct compnet_picture *p = &c->picture[i];
        json_t *series = json_object();
        for (unsigned s = 0; s < p->num_series; s++) {
            json_t *points = json_array();
            for (unsigned k = 0; k < p->series[s].count; k++)
                json_array_append_new(points,
                                      json_pack("[f, f]", p->series[s].x[k], p->series[s].y[k]));
            json_object_set_new(series, p->series[s].name, points);
        }
        json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:o}", "file", p->file, "title", p->title, "x",
                              p->x, "y", p->y, "series", series);
        if (p->labels) {
            json_t *labels = json_array();
            for (unsigned k = 0; k < p->series[0].count; k++)
                json_array_append_new(labels, json_string(p->labels[k]));
            json_object_set_new(o, "labels", labels);
        }
        json_array_append_new(figures, o);
    }
    for (unsigned i = 0; i < c->num_inputs; i++) {
        const struct compnet_input *n = &c->input[i];
        json_array_append_new(inputs, json_pack("{s:s, s:s, s:f, s:s, s:s}", "of", n->of, "what",
                                                n->what, "value", n->value, "status", n->status,
                                                "source", n->source));
    }
    json_t *root = json_pack("{s:o, s:o, s:o}", "claims", claims, "figures", figures, "inputs",
                             inputs);
    json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    fprintf(out, "\n");
    json_decref(root);
}
