/* report_sample.c - the part of the report on kernel sampling: the report of --compare is read and
 * checked, launches are summed into rows with a confidence interval, and rows are printed and
 * written. cli/sampling.c calls the first part, the other files of host/report the rest, all on the
 * main thread of `heddle run`. Functions that return heddle_err explain an error in *diag; out of
 * memory ends the process. */
#include "report/report_sample.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "common/interval.h"
#include "common/memory.h"
#include "report/report_internal.h"

/* ---- a report in full detail */

/* What heddle_alloc() calls this memory when there is none left. */
static const char REPORT[] = "the report to compare with";

/* A launch of the report of --compare. */
struct full_launch {
    char *name;
    uint64_t device, launch;
};
/* All launches of a name on a GPU. */
struct full_name {
    char *name;
    uint64_t device, launches, cycles;
};
/* The report of --compare; everything is owned. */
struct report_full {
    char *directory, *gpu;
    struct full_launch *launch; /* that the report lists, in its order */
    struct full_name *of_name;
    size_t count, num_names, cap_names;
    uint64_t launches; /* all */
};

/* An integer member, 0 if there is none. */
static uint64_t member(const json_t *o, const char *name) {
    return (uint64_t)json_integer_value(json_object_get(o, name));
}

/* A text member, "" if there is none. */
static const char *text(const json_t *o, const char *name) {
    const char *s = json_string_value(json_object_get(o, name));
    return s ? s : "";
}

/* The launches of a name on a GPU; NULL: none. */
static struct full_name *name_of(const struct report_full *f, uint64_t device, const char *name) {
    for (size_t i = 0; i < f->num_names; i++)
        if (f->of_name[i].device == device && !strcmp(f->of_name[i].name, name))
            return &f->of_name[i];
    return NULL;
}

/* Adds launches of a name on a GPU. */
static void add_launches(struct report_full *f, uint64_t device, const char *name,
                         uint64_t launches, uint64_t cycles) {
    struct full_name *n = name_of(f, device, name);
    if (!n) {
        f->of_name = heddle_grow(f->of_name, &f->cap_names, f->num_names + 1, sizeof *f->of_name,
                                 REPORT);
        n = &f->of_name[f->num_names++];
        *n = (struct full_name){.name = heddle_copy_text(name, REPORT), .device = device};
    }
    n->launches += launches;
    n->cycles += cycles;
    f->launches += launches;
}

/* @return HEDDLE_ERR_ARGUMENT unless the launch or group `k` was timed; `launch`: its member with a
 * number. */
static heddle_err check_timed(const json_t *k, const char *launch, const char *path,
                              struct heddle_diag *diag) {
    if (json_is_true(json_object_get(k, "timed")) && !json_is_true(json_object_get(k, "estimated")))
        return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                       "--compare: %s: launch %llu (%s) was not timed; compare with the "
                       "report of a run without --sample, --kernels and --launches",
                       path, (unsigned long long)member(k, launch), text(k, "name"));
}

/* Reads the launches that the report in file `path` lists into f->launch, and the sums of all into
 * f->of_name: those of `groups`, or without groups those of the list. @return HEDDLE_ERR_ARGUMENT
 * if one was not timed; report_full_free() frees what was read. */
static heddle_err read_launches(struct report_full *f, const json_t *list, const json_t *groups,
                                const char *path, struct heddle_diag *diag) {
    heddle_err e = HEDDLE_OK;
    f->launch = heddle_alloc_array(json_array_size(list), sizeof *f->launch, REPORT);
    for (size_t i = 0; i < json_array_size(list) && !e; i++) {
        const json_t *k = json_array_get(list, i);
        struct full_launch *l = &f->launch[f->count++];
        *l = (struct full_launch){heddle_copy_text(text(k, "name"), REPORT), member(k, "device"),
                                  member(k, "launch")};
        if (!groups) add_launches(f, l->device, l->name, 1, member(k, "cycles"));
        e = check_timed(k, "launch", path, diag);
    }
    for (size_t i = 0; i < json_array_size(groups) && !e; i++) {
        const json_t *g = json_array_get(groups, i);
        add_launches(f, member(g, "device"), text(g, "name"), member(g, "launches"),
                     member(g, "cycles"));
        e = check_timed(g, "first_launch", path, diag);
    }
    return e;
}

/* Reads DIRECTORY/report.json into a new *out, which report_full_free() frees. @return
 * HEDDLE_ERR_ARGUMENT, with *out NULL: no such file, no report, or a launch was not timed. */
heddle_err report_full_load(struct report_full **out, const char *directory,
                            struct heddle_diag *diag) {
    char path[1200];
    json_error_t bad;
    *out = NULL;
    snprintf(path, sizeof path, "%s/report.json", directory);
    json_t *root = json_load_file(path, 0, &bad);
    const json_t *list = json_object_get(root, "kernels");
    if (!root || !json_is_array(list)) {
        json_decref(root);
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--compare: %s: %s", path,
                           root ? "no report of a run" : bad.text);
    }
    struct report_full *f = heddle_alloc(sizeof *f, REPORT);
    f->directory = heddle_copy_text(directory, REPORT);
    f->gpu = heddle_copy_text(text(json_object_get(root, "run"), "gpu"), REPORT);
    heddle_err e = read_launches(f, list, json_object_get(root, "kernel_groups"), path, diag);
    json_decref(root);
    if (e)
        report_full_free(f);
    else
        *out = f;
    return e;
}

/* Frees the launches with their names, and the texts. Accepts NULL. */
void report_full_free(struct report_full *f) {
    if (!f) return;
    for (size_t i = 0; i < f->count; i++) free(f->launch[i].name);
    for (size_t i = 0; i < f->num_names; i++) free(f->of_name[i].name);
    free(f->of_name);
    free(f->launch);
    free(f->directory);
    free(f->gpu);
    free(f);
}

/* The launch of the other report with the same device and number; `guess`: its likely index. */
static const struct full_launch *find(const struct report_full *f,
                                      const struct gpu_kernel_record *k, size_t guess) {
    for (size_t n = 0; n < f->count; n++) { /* the order is mostly the same */
        const struct full_launch *l = &f->launch[(guess + n) % f->count];
        if (l->device == k->device && l->launch == k->launch) return l;
    }
    return NULL;
}

/* Adds up the launches of this run that have the name on the GPU. */
static uint64_t count_of(const struct report_launches *l, const struct full_name *n) {
    uint64_t sum = 0;
    for (size_t i = 0; i < l->num_groups; i++)
        if (l->group[i].sum.device == n->device && !strcmp(l->group[i].sum.name, n->name))
            sum += l->group[i].launches;
    return sum;
}

/* Checks that the GPU and the launches of both reports are the same: how many there are of each
 * name on each GPU, and device, number and name of those that both list. @return
 * HEDDLE_ERR_ARGUMENT: diag says what differs. */
heddle_err report_full_check(const struct report_full *f, const struct report *r,
                             struct heddle_diag *diag) {
    const struct report_launches *own = r->launches;
    if (strcmp(f->gpu, r->config->gpu_name) != 0)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--compare %s: that is of %s, this of %s",
                           f->directory, f->gpu, r->config->gpu_name);
    if (f->launches != own->count)
        return heddle_fail(
            diag, HEDDLE_ERR_ARGUMENT, "--compare %s: there are %llu launches in it, here are %llu",
            f->directory, (unsigned long long)f->launches, (unsigned long long)own->count);
    for (size_t i = 0; i < own->num_kernels; i++) {
        const struct gpu_kernel_record *k = &own->kernels[i];
        const struct full_launch *l = find(f, k, i);
        if (!l || strcmp(l->name, k->name) != 0)
            return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                               "--compare %s: launch %llu is %s in it, %s here", f->directory,
                               (unsigned long long)k->launch, l ? l->name : "missing", k->name);
    }
    for (size_t i = 0; i < f->num_names; i++) {
        const struct full_name *n = &f->of_name[i];
        const uint64_t here = count_of(own, n);
        if (here != n->launches)
            return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                               "--compare %s: there are %llu launches of %s in it, here are %llu",
                               f->directory, (unsigned long long)n->launches, n->name,
                               (unsigned long long)here);
    }
    return HEDDLE_OK;
}

/* ---- rows */

/* Arguments of interval_half_width() for a row (common/interval.h): sum of the variances, and sum
 * of variance^2 / degrees of freedom. */
struct spread {
    double sum, square;
};

/* Adds the variance of a stratum's estimates. */
static void add_stratum(const struct report_stratum *s, struct spread *to) {
    const struct sample_result *x = &s->result;
    to->sum += x->variance;
    if (x->variance > 0) to->square += x->variance * x->variance / x->freedom;
}

/* The stratum of a launch; NULL: none. */
static const struct report_stratum *stratum_of(const struct report_sampling *s,
                                               const struct gpu_kernel_record *k) {
    for (size_t n = 0; n < s->num_strata; n++) { /* the first GPU's are in order */
        const struct report_stratum *x = &s->strata[(k->stratum + n) % s->num_strata];
        if (x->device == k->device && x->number == k->stratum) return x;
    }
    return NULL;
}

/* Adds a group of launches to its row, and its stratum's variance to the row's spread if it is the
 * first group of that stratum; `seen`: a flag for each stratum. */
static void add_group(const struct report *r, const struct report_group *g, struct sample_row *row,
                      struct spread *spread, unsigned char *seen) {
    const struct report_sampling *s = r->sampling;
    const struct gpu_kernel_record *k = &g->sum;
    const struct report_stratum *stratum = stratum_of(s, k);
    row->launches += g->launches;
    row->timed += k->estimated ? 0 : g->launches;
    row->cycles += k->cycles;
    if (k->estimated) row->estimated_cycles += k->cycles - k->launch_cycles;
    if (!stratum || seen[stratum - s->strata]) return;
    seen[stratum - s->strata] = 1;
    add_stratum(stratum, spread);
}

/* The cycles of all launches of a name in the report of --compare, on all GPUs; 0: without. */
static uint64_t full_cycles(const struct report_sampling *s, const char *name) {
    uint64_t sum = 0;
    for (size_t i = 0; s->full && i < s->full->num_names; i++)
        if (!strcmp(s->full->of_name[i].name, name)) sum += s->full->of_name[i].cycles;
    return sum;
}

static const char ROWS[] = "rows of a sampled run";

/* @return a new array of rows, a row for each kernel name and a last one for all, with confidence
 * intervals, that the caller frees; *count: rows. r->sampling must not be NULL. */
struct sample_row *report_sample_rows(const struct report *r, size_t *count) {
    const struct report_sampling *s = r->sampling;
    const struct report_launches *l = r->launches;
    struct sample_row *rows = heddle_alloc_array(l->num_groups + 1, sizeof *rows, ROWS);
    struct spread *spread = heddle_alloc_array(l->num_groups + 1, sizeof *spread, ROWS);
    unsigned char *seen = heddle_alloc_array(s->num_strata, 1, ROWS);
    size_t n = 0;
    for (size_t i = 0; i < l->num_groups; i++) {
        const char *name = l->group[i].sum.name;
        size_t at = 0;
        while (at < n && strcmp(rows[at].name, name) != 0) at++;
        if (at == n) {
            rows[n].full_cycles = full_cycles(s, name);
            rows[n++].name = name;
        }
        add_group(r, &l->group[i], &rows[at], &spread[at], seen);
    }
    struct sample_row *all = &rows[n];
    struct spread whole = {0, 0};
    all->name = "all";
    for (size_t i = 0; i < n; i++) {
        all->launches += rows[i].launches;
        all->timed += rows[i].timed;
        all->cycles += rows[i].cycles;
        all->estimated_cycles += rows[i].estimated_cycles;
        all->full_cycles += rows[i].full_cycles;
        whole.sum += spread[i].sum;
        whole.square += spread[i].square;
        rows[i].half_width = interval_half_width(spread[i].sum, spread[i].square);
    }
    all->half_width = interval_half_width(whole.sum, whole.square);
    *count = n + 1;
    free(spread);
    free(seen);
    return rows;
}

/* ---- output */

/* Percent of `part` in `whole`. */
static double percent_of(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

/* Error of a row against the run in full detail, percent. */
static double error_of(const struct sample_row *row) {
    return percent_of((double)row->cycles - (double)row->full_cycles, (double)row->full_cycles);
}

/* Prints a row of the table: launches, cycles, the interval's half width in cycles and percent, and
 * with --compare the cycles in full detail and the error. */
static void print_row(const struct report *r, const struct sample_row *row, FILE *out) {
    enum { NAME = 34 };
    bool cut = strlen(row->name) > NAME;
    char plus_minus[48], share[24];
    snprintf(plus_minus, sizeof plus_minus, "%.0f", row->half_width);
    snprintf(share, sizeof share, "%.2f%%", percent_of(row->half_width, (double)row->cycles));
    fprintf(out, "%-*.*s%s  %8llu  %8llu  %12llu  %10s  %8s", cut ? NAME - 2 : NAME,
            cut ? NAME - 2 : NAME, row->name, cut ? ".." : "", (unsigned long long)row->launches,
            (unsigned long long)row->timed, (unsigned long long)row->cycles, plus_minus, share);
    if (r->sampling->full)
        fprintf(out, "  %12llu  %+7.2f%%", (unsigned long long)row->full_cycles, error_of(row));
    fputc('\n', out);
}

/* Prints whether there are estimates, and the table, at most 24 kernels; nothing without
 * --sample. */
void report_sample_print(const struct report *r, FILE *out) {
    enum { MOST_LINES = 24 };
    size_t count;
    if (!r->sampling || !r->launches->count) return;
    struct sample_row *rows = report_sample_rows(r, &count);
    const struct sample_row *all = &rows[count - 1];
    if (all->timed == all->launches)
        fprintf(out, "Kernel sampling: all %llu launches were timed, nothing is an estimate.\n",
                (unsigned long long)all->launches);
    else
        fprintf(out,
                "ESTIMATE by kernel sampling: %llu of %llu launches were timed, the others carried "
                "out functionally;\ntheir cycles (~) and all times are estimated from those, their "
                "counters are not there.\n",
                (unsigned long long)all->timed, (unsigned long long)all->launches);
    fprintf(out, "%-34s  %8s  %8s  %12s  %10s  %8s%s\n", "sampled kernel", "launches", "timed",
            "cycles", "+- 95 %", "", r->sampling->full ? "   full detail     error" : "");
    for (size_t i = 0; i + 1 < count && i < MOST_LINES; i++) print_row(r, &rows[i], out);
    if (count - 1 > MOST_LINES)
        fprintf(out, "%zu kernels more: sampling.csv\n", count - 1 - MOST_LINES);
    print_row(r, all, out);
    free(rows);
}

/* Writes sampling.csv, a line for each row; r->sampling must not be NULL. */
void report_sample_write_csv(const struct report *r, FILE *f) {
    size_t count;
    struct sample_row *rows = report_sample_rows(r, &count);
    fputs("name,launches,timed,cycles,estimated_execution_cycles,half_width_95_cycles,"
          "full_detail_cycles,error_percent\n",
          f);
    for (size_t i = 0; i < count; i++) {
        fputc('"', f);
        for (const char *c = rows[i].name; *c; c++) fprintf(f, *c == '"' ? "\"\"" : "%c", *c);
        fprintf(f, "\",%llu,%llu,%llu,%llu,%.0f,", (unsigned long long)rows[i].launches,
                (unsigned long long)rows[i].timed, (unsigned long long)rows[i].cycles,
                (unsigned long long)rows[i].estimated_cycles, rows[i].half_width);
        if (r->sampling->full)
            fprintf(f, "%llu,%.4f\n", (unsigned long long)rows[i].full_cycles, error_of(&rows[i]));
        else
            fputs(",\n", f);
    }
    free(rows);
}

/* A row as a new JSON object. */
static json_t *row_object(const struct report *r, const struct sample_row *row) {
    bool full = r->sampling->full != NULL;
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:o, s:o}", "name", row->name, "launches",
                     (json_int_t)row->launches, "timed", (json_int_t)row->timed, "cycles",
                     (json_int_t)row->cycles, "estimated_execution_cycles",
                     (json_int_t)row->estimated_cycles, "half_width_95_cycles", row->half_width,
                     "full_detail_cycles",
                     full ? json_integer((json_int_t)row->full_cycles) : json_null(),
                     "error_percent", full ? json_real(error_of(row)) : json_null());
}

/* The member "sampling" of report.json, a new object that the caller owns; null without --sample.
 * Allocates and frees its rows. */
json_t *report_sample_object(const struct report *r) {
    const struct report_sampling *s = r->sampling;
    size_t count;
    if (!s) return json_null();
    struct sample_row *rows = report_sample_rows(r, &count);
    const int estimate = rows[count - 1].timed < rows[count - 1].launches;
    json_t *o = json_pack("{s:b, s:{s:i, s:i, s:f, s:i}, s:o}", "estimate", estimate, "options",
                          "first", (int)s->options.first, "gap", (int)s->options.gap, "tolerance",
                          s->options.tolerance, "warm", (int)s->options.warm, "compared_with",
                          s->full ? json_string(s->full->directory) : json_null());
    json_t *list = json_array();
    for (size_t i = 0; i + 1 < count; i++) json_array_append_new(list, row_object(r, &rows[i]));
    json_object_set_new(o, "all", row_object(r, &rows[count - 1]));
    json_object_set_new(o, "kernels", list);
    free(rows);
    return o;
}
