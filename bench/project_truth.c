/* project_truth.c - how near projection comes to times that were measured on real GPUs.
 *
 *   project_truth DATA GPUS [--csv FILE] [--check FILE]
 *
 * DATA/pairs.csv lists families of kernels and pairs of GPUs, DATA/FAMILY.csv their metrics,
 * DATA/FAMILY-times.csv their times (as for heddle project --measured); GPUS holds the GPUs'
 * capabilities. Each kernel is projected from each GPU of a pair to the other one by both models,
 * and by the default model without each of its terms. Prints tables in Markdown. --csv writes a row
 * for each projection; --check compares the families' errors with a table of recorded ones, and the
 * exit status says whether all hold. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "project/csv_reader.h"
#include "project/project.h"
#include "project/read_profile.h"

/* What is judged: the models, then the default one without term i. */
enum { PAPER, HEDDLE, WITHOUT, NUM_VARIANTS = WITHOUT + NUM_PROJECT_TERMS, MOST_PAIRS = 64 };
enum { FIFTHS = 5 }; /* classes of confidence */

/* Sums over kernels. Errors are relative to the truth. */
struct score {
    unsigned count, inside, ranked, right;
    double size, sign;
};

struct pair {
    char family[64], gpu[2][64];
    double noise;                        /* of the times, as a fraction */
    struct score score[2][NUM_VARIANTS]; /* [from gpu[0] or gpu[1]] */
};

struct truth {
    char kernel[96], gpu[64];
    double us;
};

struct truths {
    struct truth *at;
    size_t count, capacity;
};

struct work {
    const char *data, *gpus;
    FILE *csv;
    struct pair pairs[MOST_PAIRS];
    size_t num_pairs;
    struct score confidence[FIFTHS]; /* the default model's, by fifths of its confidence */
};

static _Noreturn void stop(const char *text) {
    fprintf(stderr, "project_truth: %s\n", text);
    exit(2);
}

/* ---- tables */

/* Reads a table of `columns` columns and hands its rows to `take`, but for comments and header. */
static void read_rows(const char *path, size_t columns, void (*take)(void *user, char **cell),
                      void *user) {
    struct heddle_diag diag;
    struct csv_reader csv;
    char *text, message[640];
    size_t size;
    bool more = true, header = true;
    if (csv_load(&text, &size, path, &diag)) stop(diag.text);
    csv_begin(&csv, text, size, path);
    while (more) {
        while (csv.at < csv.end && *csv.at == '#') csv_skip_line(&csv);
        if (csv_next(&csv, &more, &diag)) stop(diag.text);
        if (!more) break;
        if (csv.count != columns) {
            snprintf(message, sizeof message, "%s:%u: %zu cells are expected", path, csv.row_line,
                     columns);
            stop(message);
        }
        if (!header) take(user, csv.cell);
        header = false;
    }
    csv_end(&csv);
    free(text);
}

static double number(const char *cell) {
    char *end;
    double value = strtod(cell, &end);
    if (end == cell || *end || !(value > 0)) stop("a cell that should be a positive number is not");
    return value;
}

static void take_pair(void *user, char **cell) {
    struct work *w = user;
    if (w->num_pairs == MOST_PAIRS) stop("pairs.csv has too many rows");
    struct pair *p = &w->pairs[w->num_pairs++];
    snprintf(p->family, sizeof p->family, "%s", cell[0]);
    for (int i = 0; i < 2; i++) snprintf(p->gpu[i], sizeof p->gpu[i], "%s", cell[1 + i]);
    p->noise = number(cell[3]) / 100;
}

static void take_truth(void *user, char **cell) {
    struct truths *list = user;
    list->at = heddle_grow(list->at, &list->capacity, list->count + 1, sizeof *list->at, "times");
    struct truth *t = &list->at[list->count++];
    snprintf(t->kernel, sizeof t->kernel, "%s", cell[0]);
    snprintf(t->gpu, sizeof t->gpu, "%s", cell[2]);
    t->us = number(cell[3]);
}

/* The time of a kernel on a GPU, or 0 when it is not known. */
static double time_of(const struct truths *list, const char *kernel, const char *gpu) {
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->at[i].kernel, kernel) && !strcmp(list->at[i].gpu, gpu))
            return list->at[i].us;
    return 0;
}

/* ---- judging */

static const char *variant_name(int v) {
    if (v == PAPER) return "paper";
    return v == HEDDLE ? "heddle" : project_term_rows[v - WITHOUT].name;
}

/* Adds a projection to a score. `before`: the time on the source, `truth`: that on the target. */
static void judge(struct score *s, const struct projection *p, double before, double truth,
                  double noise) {
    double error = p->centre_us / truth - 1;
    s->count++;
    s->size += fabs(error);
    s->sign += error;
    s->inside += p->low_us <= truth && truth <= p->high_us;
    if (fabs(truth / before - 1) <= noise) return;
    s->ranked++;
    s->right += (p->centre_us < before) == (truth < before);
}

/* Projects a kernel by every variant from GPU `from` of the pair to the other one. */
static void project_one(struct work *w, struct pair *pair, int from, const struct project_kernel *k,
                        const struct capability *source, const struct capability *target,
                        double truth) {
    double before = k->of[METRIC_TIME];
    for (int v = 0; v < NUM_VARIANTS; v++) {
        struct project_terms terms = {0};
        struct projection p;
        struct heddle_diag diag;
        if (v >= WITHOUT) terms.off[v - WITHOUT] = true;
        if ((v == PAPER ? project_paper : project_heddle)(k, k, source, target, &terms, &p, &diag))
            stop(diag.text);
        judge(&pair->score[from][v], &p, before, truth, pair->noise);
        if (v == HEDDLE)
            judge(&w->confidence[(int)fmin(p.confidence * FIFTHS, FIFTHS - 1)], &p, before, truth,
                  pair->noise);
        if (!w->csv) continue;
        fprintf(w->csv, "%s,%s,%s,%s,%s%s,%.6g,%.6g,%.6g,%.6g,%.6g,%.1f,%s,%s\n", pair->family,
                k->name, source->name, target->name, v >= WITHOUT ? "without " : "",
                variant_name(v), before, truth, p.low_us, p.centre_us, p.high_us,
                100 * (p.centre_us / truth - 1), project_bound_name(p.source_bound),
                project_bound_name(p.target_bound));
    }
}

static struct capability *load_gpu(const struct work *w, const char *name) {
    struct capability *gpu;
    struct heddle_diag diag;
    if (capability_load(&gpu, name, w->gpus, &diag)) stop(diag.text);
    return gpu;
}

static void project_pair(struct work *w, struct pair *pair, struct project_kernels *kernels,
                         const struct truths *truths) {
    struct capability *gpus[] = {load_gpu(w, pair->gpu[0]), load_gpu(w, pair->gpu[1])};
    for (int from = 0; from < 2; from++) {
        for (size_t i = 0; i < kernels->count; i++) {
            struct project_kernel *k = &kernels->at[i];
            double before = time_of(truths, k->name, pair->gpu[from]);
            double truth = time_of(truths, k->name, pair->gpu[!from]);
            if (before == 0 || truth == 0) continue;
            project_set(k, METRIC_TIME, before);
            project_one(w, pair, from, k, gpus[from], gpus[!from], truth);
        }
        if (pair->score[from][PAPER].count == 0) stop("a pair without kernels is in pairs.csv");
    }
    capability_free(gpus[0]);
    capability_free(gpus[1]);
}

static void project_pairs(struct work *w) {
    for (size_t i = 0; i < w->num_pairs; i++) {
        char path[512], gpu[64];
        struct project_kernels kernels = {0};
        struct truths truths = {0};
        struct heddle_diag diag;
        snprintf(path, sizeof path, "%s/%s.csv", w->data, w->pairs[i].family);
        if (project_read_file(&kernels, gpu, sizeof gpu, path, &diag)) stop(diag.text);
        snprintf(path, sizeof path, "%s/%s-times.csv", w->data, w->pairs[i].family);
        read_rows(path, 4, take_truth, &truths);
        project_pair(w, &w->pairs[i], &kernels, &truths);
        project_kernels_clear(&kernels);
        free(truths.at);
    }
}

/* ---- tables of results */

static void add(struct score *sum, const struct score *s) {
    sum->count += s->count;
    sum->inside += s->inside;
    sum->ranked += s->ranked;
    sum->right += s->right;
    sum->size += s->size;
    sum->sign += s->sign;
}

static struct score family_score(const struct work *w, const char *family, int variant) {
    struct score sum = {0};
    for (size_t i = 0; i < w->num_pairs; i++)
        for (int from = 0; from < 2; from++)
            if (!strcmp(family, w->pairs[i].family)) add(&sum, &w->pairs[i].score[from][variant]);
    return sum;
}

static bool first_of_family(const struct work *w, size_t i) {
    return i == 0 || strcmp(w->pairs[i].family, w->pairs[i - 1].family) != 0;
}

static double percent(double part, double all) {
    return all > 0 ? 100 * part / all : 0;
}

static void print_score(const struct score *s) {
    printf(" %.1f | %+.1f | %.0f |", percent(s->size, s->count), percent(s->sign, s->count),
           percent(s->inside, s->count));
    if (s->ranked)
        printf(" %.0f |", percent(s->right, s->ranked));
    else
        printf(" |");
}

static void print_row(const char *name, const struct score *paper, const struct score *heddle) {
    printf("| %s | %u |", name, heddle->count);
    print_score(paper);
    print_score(heddle);
    printf("\n");
}

static void print_tables(const struct work *w) {
    struct score all[NUM_VARIANTS] = {0};
    printf("| family, pair | projections | paper: MAPE | mean error | inside | ranking "
           "| heddle: MAPE | mean error | inside | ranking |\n|---|---|---|---|---|---|---|---|---|"
           "---|\n");
    for (size_t i = 0; i < w->num_pairs; i++) {
        const struct pair *p = &w->pairs[i];
        for (int from = 0; from < 2; from++) {
            char name[256];
            snprintf(name, sizeof name, "%s, %s to %s", p->family, p->gpu[from], p->gpu[!from]);
            print_row(name, &p->score[from][PAPER], &p->score[from][HEDDLE]);
            for (int v = 0; v < NUM_VARIANTS; v++) add(&all[v], &p->score[from][v]);
        }
    }
    for (size_t i = 0; i < w->num_pairs; i++) {
        if (!first_of_family(w, i)) continue;
        char name[80];
        struct score paper = family_score(w, w->pairs[i].family, PAPER);
        struct score heddle = family_score(w, w->pairs[i].family, HEDDLE);
        snprintf(name, sizeof name, "**%s**", w->pairs[i].family);
        print_row(name, &paper, &heddle);
    }
    print_row("**all**", &all[PAPER], &all[HEDDLE]);
}

static void print_ablation(const struct work *w) {
    printf("\n| MAPE |");
    for (size_t i = 0; i < w->num_pairs; i++)
        if (first_of_family(w, i)) printf(" %s |", w->pairs[i].family);
    printf("\n|---|");
    for (size_t i = 0; i < w->num_pairs; i++)
        if (first_of_family(w, i)) printf("---|");
    printf("\n");
    for (int v = 0; v < NUM_VARIANTS; v++) {
        printf("| %s%s |", v >= WITHOUT ? "without " : "", variant_name(v));
        for (size_t i = 0; i < w->num_pairs; i++) {
            if (!first_of_family(w, i)) continue;
            struct score s = family_score(w, w->pairs[i].family, v);
            printf(" %.1f |", percent(s.size, s.count));
        }
        printf("\n");
    }
}

/* How far off the default model is where it is how confident. */
static void print_confidence(const struct work *w) {
    printf("\n| confidence | projections | MAPE | mean error | inside | ranking |\n"
           "|---|---|---|---|---|---|\n");
    for (int i = FIFTHS - 1; i >= 0; i--) {
        const struct score *s = &w->confidence[i];
        if (s->count == 0) continue;
        printf("| %.1f to %.1f | %u |", 1.0 * i / FIFTHS, 1.0 * (i + 1) / FIFTHS, s->count);
        print_score(s);
        printf("\n");
    }
}

/* ---- recorded errors */

/* Points by which a family's MAPE may exceed the recorded one. */
static const double slack = 0.5;

struct check {
    const struct work *work;
    unsigned rows, failed;
};

/* A row is a family, and the MAPE of each model. */
static void take_record(void *user, char **cell) {
    struct check *c = user;
    c->rows++;
    for (int v = PAPER; v <= HEDDLE; v++) {
        struct score s = family_score(c->work, cell[0], v);
        double error = percent(s.size, s.count), recorded = number(cell[1 + v]);
        if (s.count > 0 && error <= recorded + slack) continue;
        c->failed++;
        printf("%s, --model %s: MAPE %.2f %% of %u projections, recorded is %g\n", cell[0],
               variant_name(v), error, s.count, recorded);
    }
}

static bool check_records(const struct work *w, const char *path) {
    struct check c = {.work = w};
    unsigned families = 0;
    read_rows(path, 3, take_record, &c);
    for (size_t i = 0; i < w->num_pairs; i++) families += first_of_family(w, i);
    if (families != c.rows) printf("%s: %u families are expected\n", path, families);
    return c.failed == 0 && families == c.rows;
}

int main(int argc, char **argv) {
    static struct work w;
    const char *records = NULL;
    char path[512];
    if (argc < 3) stop("usage: project_truth DATA GPUS [--csv FILE] [--check FILE]");
    w.data = argv[1];
    w.gpus = argv[2];
    for (int i = 3; i < argc; i += 2) {
        if (i + 1 == argc) stop("an option without a file");
        if (!strcmp(argv[i], "--check")) {
            records = argv[i + 1];
        } else if (!strcmp(argv[i], "--csv")) {
            w.csv = fopen(argv[i + 1], "w");
            if (!w.csv) stop("cannot write the file of --csv");
            fprintf(w.csv, "family,kernel,source,target,model,source_us,target_us,low_us,centre_us,"
                           "high_us,error_percent,source_bound,target_bound\n");
        } else {
            stop("there are only --csv and --check");
        }
    }
    snprintf(path, sizeof path, "%s/pairs.csv", w.data);
    read_rows(path, 4, take_pair, &w);
    project_pairs(&w);
    print_tables(&w);
    print_ablation(&w);
    print_confidence(&w);
    if (w.csv && fclose(w.csv)) stop("cannot write the file of --csv");
    return records && !check_records(&w, records) ? 1 : 0;
}
