/* project_table.c - prints the results of a projection as tables for people and as CSV; see
 * project_output.h. cmd_project.c calls it on the main thread of `heddle project`. Functions read
 * the results, write to `f` without checking for errors, and keep nothing. Times are in
 * microseconds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "project/project_output.h"

enum { NAME_WIDTH = 34 };

/* A line of the table: one launch, or all launches of one kernel. */
struct line {
    const char *name;
    size_t count, first; /* launches, and the first of them */
    double measured, low, centre, high, confidence;
    double on_target; /* measured there; NAN: not given for all launches */
    bool same;        /* the launches have the same bounds */
};

/* Adds launch i, projected to `target`, to line *l: its times, the least confidence, and whether
 * its bounds are those of the line's first launch. One launch without a measured time makes
 * on_target NAN. */
static void add(struct line *l, const struct project_results *r, size_t i, size_t target) {
    const struct projection *p = project_result(r, i, target);
    const struct projection *first = project_result(r, l->first, target);
    l->count++;
    l->measured += r->kernels->at[i].of[METRIC_TIME];
    l->low += p->low_us;
    l->centre += p->centre_us;
    l->high += p->high_us;
    double on_target = project_measured(r, i, target);
    l->on_target += on_target > 0 ? on_target : NAN;
    if (p->confidence < l->confidence) l->confidence = p->confidence;
    l->same &= p->source_bound == first->source_bound && p->target_bound == first->target_bound;
}

/* Fills `lines`, which has room for every launch, for a target: a line per launch, or per kernel's
 * name when there are more than PROJECT_MOST_LINES launches; refused launches have none. @return
 * the number of lines. */
static size_t make_lines(struct line *lines, const struct project_results *r, size_t target) {
    bool merge = r->kernels->count > PROJECT_MOST_LINES;
    size_t count = 0;
    for (size_t i = 0; i < r->kernels->count; i++) {
        if (r->refused[i].err) continue;
        const char *name = r->kernels->at[i].name;
        size_t n = merge ? 0 : count;
        while (n < count && strcmp(lines[n].name, name)) n++;
        if (n == count)
            lines[count++] = (struct line){.name = name, .first = i, .confidence = 1, .same = true};
        add(&lines[n], r, i, target);
    }
    return count;
}

/* Prints the name of a line, padded or cut to NAME_WIDTH characters, with "x N" for N launches. */
static void print_name(FILE *f, const struct line *l) {
    char name[128];
    if (l->count > 1)
        snprintf(name, sizeof name, "%.90s x %zu", l->name, l->count);
    else
        snprintf(name, sizeof name, "%.120s", l->name);
    if (strlen(name) > NAME_WIDTH) memcpy(name + NAME_WIDTH - 2, "..", 3);
    fprintf(f, "%-*s", NAME_WIDTH, name);
}

/* Prints the times of a line and the speed-up, measured over centre (0 without a centre). */
static void print_numbers(FILE *f, double measured, double low, double centre, double high) {
    fprintf(f, "  %11.2f  %11.2f  %11.2f  %11.2f  %7.2f", measured, low, centre, high,
            centre > 0 ? measured / centre : 0);
}

/* Prints what was measured on the target, and the error of the centre. */
static void print_on_target(FILE *f, double centre, double measured) {
    if (measured > 0)
        fprintf(f, "  %11.2f  %+7.1f", measured, project_error(centre, measured));
    else
        fprintf(f, "  %11s  %7s", "-", "-");
}

/* Prints the line of a sum: its name, the measured time on the source, the projected times, and
 * with --measured the time on the target. */
static void print_total(const struct project_results *r, const char *name, double measured_us,
                        const struct project_total *total, FILE *f) {
    fprintf(f, "%-*s", NAME_WIDTH, name);
    print_numbers(f, measured_us, total->low_us, total->centre_us, total->high_us);
    if (r->measured_target) print_on_target(f, total->centre_us, total->measured_target_us);
    fputc('\n', f);
}

/* Prints the table of a target: a head, its lines, and the sums; with --measured also the times of
 * the target. Uses `lines`, which has room for every launch. */
static void print_target(const struct project_results *r, size_t target, struct line *lines,
                         FILE *f) {
    const struct capability *gpu = r->targets[target];
    size_t count = make_lines(lines, r, target);
    fprintf(f, "\n%s -> %s (%s)\n", r->source->name, gpu->name, gpu->title);
    fprintf(f, "%-*s  %11s  %11s  %11s  %11s  %7s", NAME_WIDTH, "kernel", "measured us", "low us",
            "centre us", "high us", "speedup");
    if (r->measured_target) fprintf(f, "  %11s  %7s", "on target", "error %");
    fprintf(f, "  %-18s %s\n", "bound", "confidence");
    for (size_t i = 0; i < count; i++) {
        const struct line *l = &lines[i];
        const struct projection *p = project_result(r, l->first, target);
        char bound[40];
        snprintf(bound, sizeof bound, "%s -> %s%s", project_bound_name(p->source_bound),
                 project_bound_name(p->target_bound), l->same ? "" : " *");
        print_name(f, l);
        print_numbers(f, l->measured, l->low, l->centre, l->high);
        if (r->measured_target) print_on_target(f, l->centre, l->on_target);
        fprintf(f, "  %-18s %.2f\n", bound, l->confidence);
    }
    print_total(r, "all kernels", r->measured_us, &r->total[target], f);
    if (r->application_us > 0)
        print_total(r, "application", r->application_us, &r->application[target], f);
}

/* Prints a table for each target to `f`. Allocates and frees the lines. */
void project_print(const struct project_results *r, FILE *f) {
    struct line *lines = heddle_alloc_array(r->kernels->count, sizeof *lines, "lines of a table");
    fprintf(f, "Projection of %zu launches, model %s\n", r->kernels->count - r->num_refused,
            project_model_name(r->model));
    for (size_t t = 0; t < r->num_targets; t++) print_target(r, t, lines, f);
    if (r->application_us > 0)
        fprintf(f, "\napplication: from its first kernel or copy to the end of its last one, with "
                   "the program's own time between them.\n");
    if (r->kernels->count > PROJECT_MOST_LINES)
        fprintf(f, "\nLaunches of a kernel are added up; * marks those whose bounds differ. --csv "
                   "has each launch.\n");
    free(lines);
}

/* Quotes a name for CSV. */
static void csv_name(const char *name, FILE *f) {
    fputc('"', f);
    for (; *name; name++) {
        if (*name == '"') fputc('"', f);
        fputc(*name, f);
    }
    fputc('"', f);
}

/* Writes a head and a row for each launch and target; refused launches have none. */
void project_write_csv(const struct project_results *r, FILE *f) {
    fputs("launch,name,from,to,model,measured_us,low_us,centre_us,high_us,source_bound,bound,"
          "confidence,measured_target_us,error_percent\n",
          f);
    for (size_t i = 0; i < r->kernels->count; i++) {
        const struct project_kernel *k = &r->kernels->at[i];
        for (size_t t = 0; t < r->num_targets && !r->refused[i].err; t++) {
            const struct projection *p = project_result(r, i, t);
            fprintf(f, "%llu,", (unsigned long long)k->launch);
            csv_name(k->name, f);
            fprintf(f, ",%s,%s,%s,%.6g,%.6g,%.6g,%.6g,%s,%s,%.3g,", r->source->name,
                    r->targets[t]->name, project_model_name(r->model), k->of[METRIC_TIME],
                    p->low_us, p->centre_us, p->high_us, project_bound_name(p->source_bound),
                    project_bound_name(p->target_bound), p->confidence);
            double measured = project_measured(r, i, t);
            if (measured > 0)
                fprintf(f, "%.6g,%.4g\n", measured, project_error(p->centre_us, measured));
            else
                fputs(",\n", f);
        }
    }
}
