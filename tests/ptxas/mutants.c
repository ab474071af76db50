/* mutants.c - Heddle's verdicts on faulty PTX beside those of NVIDIA's ptxas.
 *
 *   mutants --ptxas FILE --count N [--modules N] [--seed S] [--show] [--save LIST]
 *           --forms FOLDER FILE.ptx...
 *   mutants --replay LIST [--show]
 *
 * The first puts N faults into statements, and --modules N into the text of whole modules, asks
 * both, and prints a table of verdicts by kind of fault. --save writes the mutants of forms with
 * the verdict of ptxas; --replay asks Heddle alone about them. A *harmful* difference is a mutant
 * that Heddle accepts and ptxas does not. @return 1: there is one */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptxas/frames.h"
#include "ptxas/mutate.h"

/* How often each pair of verdicts occurred. */
enum { BOTH_ACCEPT, BOTH_REFUSE, HEDDLE_REFUSES, LET_PASS, PTXAS_REFUSES, VERDICTS };

/* What Heddle lets pass by intent (docs/ptx-forms.md): versions newer than this ptxas. */
static const char *const let_pass[] = {"Unsupported .version", PTXAS_CRASHED};

struct options {
    char *ptxas, *forms, *save, *replay;
    int count, modules, seed;
    gboolean show;
};

struct tally {
    unsigned n[FAULT_COUNT][VERDICTS];
    FILE *save;
    bool show;
};

/* Is it one of the refusals that Heddle does not repeat? */
static bool is_let_pass(const char *ptxas) {
    for (unsigned i = 0; i < G_N_ELEMENTS(let_pass); i++)
        if (strstr(ptxas, let_pass[i])) return true;
    return false;
}

/* Counts a mutant and prints it where the verdicts differ. */
static void count(struct tally *t, enum fault f, const char *source, const char *mutant,
                  const char *ptxas, const char *heddle) {
    unsigned v = heddle ? ptxas ? BOTH_REFUSE : HEDDLE_REFUSES : BOTH_ACCEPT;
    if (ptxas && !heddle) v = is_let_pass(ptxas) ? LET_PASS : PTXAS_REFUSES;
    t->n[f][v]++;
    if (!t->show || v < HEDDLE_REFUSES || v == LET_PASS) return;
    char *why = g_strdup(v == PTXAS_REFUSES ? ptxas : heddle);
    const char *text = strstr(why, "error: ");
    why[strcspn(why, "\n")] = '\0';
    printf("%s\t%s\t%s\t%s\t%s\n", v == PTXAS_REFUSES ? "HARMFUL" : "limit", fault_text(f), source,
           mutant, text ? text + 7 : why);
    g_free(why);
}

/* Mutates statements of one source, `n` of them, and judges them. */
static void run_source(const struct options *o, struct tally *t, struct dice *d, struct source *s,
                       unsigned n, bool forms) {
    char **mutant = g_new0(char *, n), **message = g_new0(char *, n);
    enum fault *fault = g_new0(enum fault, n);
    unsigned k = 0;
    for (unsigned tries = 0; k < n && tries < 20 * n && s->statement->len; tries++) {
        const char *from = s->statement->pdata[dice_roll(d, s->statement->len)];
        fault[k] = (enum fault)dice_roll(d, FAULT_MODULE);
        mutant[k] = mutate_statement(d, from, fault[k]);
        if (mutant[k]) k++;
    }
    judge_ptxas(o->ptxas, &s->frame, mutant, k, message);
    for (unsigned i = 0; i < k; i++) {
        char *heddle = judge_heddle(&s->frame, mutant[i]);
        count(t, fault[i], s->name, mutant[i], message[i], heddle);
        if (forms && t->save) fprintf(t->save, "%c %s\n", message[i] ? '-' : '+', mutant[i]);
        g_free(heddle);
        g_free(mutant[i]);
        g_free(message[i]);
    }
    g_free(mutant);
    g_free(message);
    g_free(fault);
}

/* Mutates declarations and directives of whole modules. */
static void run_modules(const struct options *o, struct tally *t, struct dice *d,
                        const GPtrArray *all) {
    for (int i = 0; i < o->modules; i++) {
        const struct source *s = all->pdata[dice_roll(d, all->len)];
        enum fault f = FAULT_MODULE + dice_roll(d, FAULT_COUNT - FAULT_MODULE);
        char *text = g_strconcat(s->frame.before, s->frame.after, NULL);
        char *mutant = mutate_module(d, text, f);
        if (mutant) {
            char *ptxas = judge_ptxas_module(o->ptxas, mutant, s->frame.target);
            char *heddle = judge_heddle_module(mutant);
            gchar **old = g_strsplit(text, "\n", -1), **new = g_strsplit(mutant, "\n", -1);
            unsigned k = 0;
            while (old[k] && new[k] && !strcmp(old[k], new[k])) k++;
            count(t, f, s->name, new[k] ? new[k] : "", ptxas, heddle);
            g_strfreev(old);
            g_strfreev(new);
            g_free(ptxas);
            g_free(heddle);
        }
        g_free(mutant);
        g_free(text);
    }
}

static unsigned print(const struct tally *t) {
    unsigned sum[VERDICTS] = {0};
    printf("%-24s %8s %8s %8s %8s %8s\n", "fault", "accept", "refuse", "limit", "let pass",
           "HARMFUL");
    for (unsigned f = 0; f < FAULT_COUNT; f++) {
        printf("%-24s", fault_text(f));
        for (unsigned v = 0; v < VERDICTS; v++) {
            printf(" %8u", t->n[f][v]);
            sum[v] += t->n[f][v];
        }
        printf("\n");
    }
    printf("%-24s %8u %8u %8u %8u %8u\n", "all", sum[0], sum[1], sum[2], sum[3], sum[4]);
    return sum[PTXAS_REFUSES];
}

/* Asks Heddle about the mutants of a list. @return how many it accepts and ptxas does not */
static unsigned replay(const struct options *o, struct tally *t) {
    struct frame f = forms_frame();
    FILE *file = fopen(o->replay, "r");
    char line[4096];
    if (!file) {
        fprintf(stderr, "cannot read %s\n", o->replay);
        exit(2);
    }
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || !line[0]) continue;
        char *heddle = judge_heddle(&f, line + 2);
        count(t, FAULT_TYPE, o->replay, line + 2, line[0] == '-' ? "as the list says" : NULL,
              heddle);
        g_free(heddle);
    }
    fclose(file);
    unsigned *n = t->n[FAULT_TYPE];
    printf("both accept %u, both refuse %u, Heddle alone refuses %u, ptxas alone refuses %u\n",
           n[0], n[1], n[2], n[PTXAS_REFUSES]);
    if (n[BOTH_ACCEPT] < 50 || n[BOTH_REFUSE] < 50) {
        fprintf(stderr, "%s holds too few mutants\n", o->replay);
        exit(2);
    }
    return n[PTXAS_REFUSES];
}

int main(int argc, char **argv) {
    struct options o = {.seed = 1};
    struct tally t = {0};
    GOptionEntry entries[] = {
        {"ptxas", 0, 0, G_OPTION_ARG_FILENAME, &o.ptxas, "NVIDIA's assembler", "FILE"},
        {"forms", 0, 0, G_OPTION_ARG_FILENAME, &o.forms, "folder of forms", "FOLDER"},
        {"count", 0, 0, G_OPTION_ARG_INT, &o.count, "faults in statements", "N"},
        {"modules", 0, 0, G_OPTION_ARG_INT, &o.modules, "faults in modules", "N"},
        {"seed", 0, 0, G_OPTION_ARG_INT, &o.seed, "of the faults", "N"},
        {"show", 0, 0, G_OPTION_ARG_NONE, &o.show, "print each difference", NULL},
        {"save", 0, 0, G_OPTION_ARG_FILENAME, &o.save, "list of mutants to write", "FILE"},
        {"replay", 0, 0, G_OPTION_ARG_FILENAME, &o.replay, "list of mutants to check", "FILE"},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    GOptionContext *c = g_option_context_new("FILE.ptx...");
    g_option_context_add_main_entries(c, entries, NULL);
    GError *error = NULL;
    if (!g_option_context_parse(c, &argc, &argv, &error)) {
        fprintf(stderr, "%s\n", error->message);
        return 2;
    }
    t.show = o.show;
    if (o.replay) return replay(&o, &t) > 0;
    if (!o.ptxas || !o.forms) {
        fprintf(stderr, "--ptxas and --forms are needed\n");
        return 2;
    }
    if (o.save) t.save = fopen(o.save, "w");
    struct dice d = {.state = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(o.seed + 1)};
    GPtrArray *forms = g_ptr_array_new(), *files = g_ptr_array_new();
    sources_of_forms(forms, o.forms);
    for (int i = 1; i < argc; i++) sources_of_file(files, argv[i]);
    /* half of the faults in forms, half in kernels, by their number of statements */
    for (unsigned half = 0; half < 2; half++) {
        GPtrArray *list = half ? files : forms;
        unsigned all = 0;
        for (unsigned i = 0; i < list->len; i++)
            all += ((struct source *)list->pdata[i])->statement->len;
        for (unsigned i = 0; i < list->len; i++) {
            struct source *s = list->pdata[i];
            unsigned n = (unsigned)(o.count / 2 * (double)s->statement->len / all + 0.5);
            run_source(&o, &t, &d, s, n,
                       !half && strcmp(s->name, "older") && strcmp(s->name, "newer"));
        }
    }
    g_ptr_array_add(files, forms->pdata[0]);
    if (o.modules) run_modules(&o, &t, &d, files);
    unsigned harmful = print(&t);
    if (t.save) fclose(t.save);
    return harmful > 0;
}
