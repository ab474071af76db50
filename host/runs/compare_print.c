/* compare_print.c - a comparison as text for a terminal, and the lines of --fail-above; see
 * compare.h. Write errors show when the caller flushes the file. */
#include <math.h>
#include <string.h>

#include "runs/compare.h"

enum { MOST_KERNELS = 24, MOST_FIGURES = 5, FIGURES = 46 /* columns right of the names */ };

/* A change in percent, "+3.1 %"; "-" if it is undefined. */
static const char *percent(double change, char out[24]) {
    if (isfinite(change))
        snprintf(out, 24, "%+.1f %%", 100 * change);
    else
        strcpy(out, "-");
    return out;
}

/* A figure: whole if it is large, else with four digits; "-" if it is undefined. */
static const char *figure(double x, char out[32]) {
    if (!isfinite(x))
        strcpy(out, "-");
    else if (fabs(x) >= 10000 || x == floor(x))
        snprintf(out, 32, "%.0f", x);
    else
        snprintf(out, 32, "%.4g", x);
    return out;
}

/* Columns of a text in UTF-8. */
static int columns_of(const char *text) {
    return (int)g_utf8_strlen(text, -1);
}

/* Prints words one after another, in lines of at most `width` columns behind `indent` blanks. */
struct line {
    FILE *out;
    int width, indent, at;
};
static void put_word(struct line *l, const char *word) {
    const int n = columns_of(word);
    if (l->at > l->indent && l->at + 2 + n > l->width) {
        fprintf(l->out, "\n%*s", l->indent, "");
        l->at = l->indent;
    }
    if (l->at > l->indent) {
        fputs("  ", l->out);
        l->at += 2;
    }
    fputs(word, l->out);
    l->at += n;
}
/* Begins a line with a head of `indent` columns. */
static struct line begin_line(const char *head, int indent, unsigned width, FILE *out) {
    fprintf(out, "%-*s", indent, head);
    return (struct line){.out = out, .width = (int)width, .indent = indent, .at = indent};
}

/* ---- kernels */

/* By how many cycles of a launch a part changed. */
static double part_change(const struct compare_figure *p) {
    return p->of[1] - p->of[0];
}

/* Whether a part is spent outside of what warps do: the launch overhead, and sub-cores without a
 * warp, which a small grid has most of. */
static bool is_outside(const struct compare_figure *p) {
    return !strcmp(p->name, "launch") || !strcmp(p->name, "no_warp");
}

/* The least change of a part that is shown: a hundredth of the kernel's cycles; for what warps do,
 * a tenth of all that changed there, however small it is beside no_warp. INFINITY: none is
 * shown. */
static double least_change(const struct compare_kernel *k, bool outside) {
    const double hundredth = 0.01 * fmax(k->cycles[0], k->cycles[1]);
    double all[2] = {0, 0};
    for (guint i = 0; i < k->parts->len; i++) {
        const struct compare_figure *p = &g_array_index(k->parts, struct compare_figure, i);
        all[is_outside(p)] += fabs(part_change(p));
    }
    if (!(all[0] + all[1] >= hundredth)) return INFINITY;
    return outside ? hundredth : 0.1 * all[0];
}

/* Prints the parts that changed, most first. */
static void print_parts(const struct compare_kernel *k, unsigned width, FILE *out) {
    const double least[2] = {least_change(k, false), least_change(k, true)};
    bool shown[64] = {false};
    struct line l = {0};
    for (unsigned n = 0; n < MOST_FIGURES; n++) {
        const struct compare_figure *most = NULL;
        guint at = 0;
        for (guint i = 0; i < k->parts->len && i < 64; i++) {
            const struct compare_figure *p = &g_array_index(k->parts, struct compare_figure, i);
            const double by = fabs(part_change(p));
            if (shown[i] || !(by >= least[is_outside(p)]) || by <= 0) continue;
            if (most && by <= fabs(part_change(most))) continue;
            most = p;
            at = i;
        }
        if (!most) break;
        char word[80];
        const double by = part_change(most);
        shown[at] = true;
        if (!n) l = begin_line("    cycles went to", 20, width, out);
        if (fabs(by) < 10)
            snprintf(word, sizeof word, "%s %+.2g", most->name, by);
        else
            snprintf(word, sizeof word, "%s %+.0f", most->name, by);
        put_word(&l, word);
    }
    if (l.out) fputc('\n', out);
}

/* Prints the counters that moved most, without those that only follow the cycles. */
static void print_counters(const struct compare_kernel *k, unsigned width, FILE *out) {
    struct line l = {0};
    guint shown = 0;
    char word[300];
    if (k->counters->len) l = begin_line("    counters", 20, width, out);
    for (guint i = 0; i < k->counters->len && shown < MOST_FIGURES; i++) {
        const struct compare_figure *f = &g_array_index(k->counters, struct compare_figure, i);
        char a[32], b[32];
        if (f->follows) break;
        snprintf(word, sizeof word, "%s %s -> %s", f->name, figure(f->of[0], a),
                 figure(f->of[1], b));
        put_word(&l, word);
        shown++;
    }
    if (k->counters->len > shown) {
        snprintf(word, sizeof word, "(%u %s: --json)", k->counters->len - shown,
                 shown ? "more" : "that follow the cycles");
        put_word(&l, word);
    }
    if (l.out) fputc('\n', out);
}

/* Prints a line of figures behind a name, which gets a line of its own if it is long. */
static void print_row(const char *name, const char *launches, const double of[2],
                      const char *const mark[2], double change, unsigned width, FILE *out) {
    const int room = (int)width - FIGURES;
    char a[34], b[34], text[32], c[24];
    snprintf(a, sizeof a, "%s%s", mark[0], figure(of[0], text));
    snprintf(b, sizeof b, "%s%s", mark[1], figure(of[1], text));
    if (columns_of(name) > room)
        fprintf(out, "%s\n%*s", name, room, "");
    else
        fprintf(out, "%s%*s", name, room - columns_of(name), "");
    fprintf(out, " %11s %11s %11s %9s\n", launches, a, b, percent(change, c));
}

/* Prints a kernel of both runs. */
static void print_kernel(const struct comparison *c, const struct compare_kernel *k, unsigned width,
                         FILE *out) {
    char launches[48];
    if (k->launches[0] == k->launches[1])
        snprintf(launches, sizeof launches, "%llu", (unsigned long long)k->launches[0]);
    else
        snprintf(launches, sizeof launches, "%llu, %llu", (unsigned long long)k->launches[0],
                 (unsigned long long)k->launches[1]);
    const char *const mark[2] = {k->estimated[0] ? "~" : "", k->estimated[1] ? "~" : ""};
    char *name = strcmp(k->shape[0], k->shape[1]) == 0
                     ? g_strdup_printf("%s  %s", k->name, k->shape[0])
                     : g_strdup_printf("%s  %s | %s", k->name, k->shape[0], k->shape[1]);
    print_row(name, launches, c->by_time ? k->time_us : k->cycles, mark, k->change, width, out);
    g_free(name);
    print_parts(k, width, out);
    print_counters(k, width, out);
}

/* Prints the kernels that one of the runs has alone. */
static void print_only(const struct comparison *c, unsigned side, unsigned width, FILE *out) {
    const GPtrArray *list = c->only[side];
    if (!list->len) return;
    struct line l = begin_line(side ? "Only in B:" : "Only in A:", 11, width, out);
    for (guint i = 0; i < list->len && i < MOST_KERNELS; i++) {
        const struct compare_kernel *k = list->pdata[i];
        char *word = g_strdup_printf("%s (%s, %llu launch%s)", k->name, k->shape[side],
                                     (unsigned long long)k->launches[side],
                                     k->launches[side] == 1 ? "" : "es");
        put_word(&l, word);
        g_free(word);
    }
    if (list->len > MOST_KERNELS) {
        char word[80];
        snprintf(word, sizeof word, "(%u more: --json)", list->len - MOST_KERNELS);
        put_word(&l, word);
    }
    fputc('\n', out);
}

/* ---- the whole */

/* Prints what else differs. */
static void print_facts(const struct comparison *c, FILE *out) {
    fprintf(out, "A: %s\nB: %s\n", c->run[0]->directory, c->run[1]->directory);
    if (!c->facts->len) fputs("Same program, GPU, parameters and Heddle.\n", out);
    for (guint i = 0; i < c->facts->len; i++) {
        const struct compare_fact *f = &g_array_index(c->facts, struct compare_fact, i);
        fprintf(out, "%s %s: %s -> %s%s%s\n", i ? "         " : "Different", f->name, f->of[0],
                f->of[1], *f->unit ? " " : "", f->unit);
    }
    if (c->by_time)
        fputs("The clocks of the SMs differ: changes are those of times, not of cycles.\n", out);
    fputc('\n', out);
}

void compare_print(const struct comparison *c, unsigned width, FILE *out) {
    static const char *const plain[2] = {"", ""};
    const unsigned columns = width < 72 ? 72 : width;
    print_facts(c, out);
    fprintf(out, "%-*s %11s %11s %11s %9s\n", (int)columns - FIGURES, "Kernel", "launches",
            c->by_time ? "us A" : "cycles A", c->by_time ? "us B" : "cycles B", "change");
    for (guint i = 0; i < c->kernels->len && i < MOST_KERNELS; i++)
        print_kernel(c, c->kernels->pdata[i], columns, out);
    if (c->kernels->len > MOST_KERNELS)
        fprintf(out, "(%u kernels with less time in A: --json)\n", c->kernels->len - MOST_KERNELS);
    print_row("Total, all launches", "", c->by_time ? c->time_us : c->cycles, plain, c->change,
              columns, out);
    if (!isfinite(c->cycles[0]) || !isfinite(c->cycles[1]))
        fprintf(out, "No launch of %s was timed: there are no cycles to compare.\n",
                isfinite(c->cycles[1])   ? "A"
                : isfinite(c->cycles[0]) ? "B"
                                         : "either run");
    else if (c->timed[0] < c->launches[0] || c->timed[1] < c->launches[1])
        fprintf(out, "Timed launches: %llu of %llu in A, %llu of %llu in B; the total is theirs.\n",
                (unsigned long long)c->timed[0], (unsigned long long)c->launches[0],
                (unsigned long long)c->timed[1], (unsigned long long)c->launches[1]);
    for (unsigned side = 0; side < 2; side++) print_only(c, side, columns, out);
}

unsigned compare_slower(const struct comparison *c, double most, FILE *out) {
    unsigned count = 0;
    char text[24];
    for (guint i = 0; i < c->kernels->len; i++) {
        const struct compare_kernel *k = c->kernels->pdata[i];
        if (!(k->change > most)) continue;
        fprintf(out, "slower by more than %g %%: %s %s, %s\n", 100 * most, k->name, k->shape[1],
                percent(k->change, text));
        count++;
    }
    if (c->change > most) {
        fprintf(out, "slower by more than %g %%: all launches together, %s\n", 100 * most,
                percent(c->change, text));
        count++;
    }
    return count;
}
