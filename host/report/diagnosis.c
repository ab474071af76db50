/* diagnosis.c - finds what makes a kernel slow, by the rules of tables/diagnosis.def; contracts in
 * diagnosis.h. report_object.c and report_text.c call it on the main thread of `heddle run`. */
#include "report/diagnosis.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/occupancy.h"

/* ---- facts */

/* A number in place of one that is undefined. */
static double defined(double x) {
    return isfinite(x) ? x : 0;
}

static double share(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

/* A part of the sub-core cycles that have a warp. */
static double warped(const struct gpu_kernel_record *k, uint64_t cycles) {
    return share((double)cycles, (double)(k->sub_core_cycles - k->wait[0]));
}
static double waited(const struct gpu_kernel_record *k, unsigned counter) {
    return warped(k, k->wait[counter - CORE_COUNTER_WAIT_NO_WARP]);
}

/* Sectors of global loads and stores, and those in excess. */
static double global_sectors(const struct gpu_kernel_record *k) {
    return (double)(k->access_sectors[EXEC_ACCESS_GLOBAL_LOAD] +
                    k->access_sectors[EXEC_ACCESS_GLOBAL_STORE]);
}
static double global_excess(const struct gpu_kernel_record *k) {
    return (double)(k->access_excess[EXEC_ACCESS_GLOBAL_LOAD] +
                    k->access_excess[EXEC_ACCESS_GLOBAL_STORE]);
}

static double cta_lanes(const struct gpu_kernel_record *k) {
    enum { WARP = 32 };
    const unsigned threads = k->block[0] * k->block[1] * k->block[2];
    return share(threads, (threads + WARP - 1) / WARP * WARP);
}

/* The arithmetic pipe that is occupied most. */
static mir_pipe busiest(const struct gpu_kernel_record *k) {
    static const mir_pipe pipes[] = {MIR_PIPE_INT,  MIR_PIPE_FP32, MIR_PIPE_FP64,
                                     MIR_PIPE_FP16, MIR_PIPE_SFU,  MIR_PIPE_TENSOR};
    mir_pipe most = pipes[0];
    for (size_t i = 1; i < sizeof pipes / sizeof *pipes; i++)
        if (k->pipe_cycles[pipes[i]] > k->pipe_cycles[most]) most = pipes[i];
    return most;
}
static double busiest_pipe(const struct gpu_kernel_record *k) {
    return pipe_utilization(k, busiest(k));
}
static const char *busiest_pipe_name(const struct gpu_kernel_record *k) {
    return pipe_name(busiest(k));
}

struct facts {
#define FACT(name, value, meaning) double name;
#include "tables/diagnosis.def"
};

static struct facts facts_of(const struct report *r, const struct gpu_kernel_record *k) {
    struct facts facts, *f = &facts;
#define FACT(name, value, meaning) f->name = defined(value);
#include "tables/diagnosis.def"
    return facts;
}

/* ---- rules */

/* Places that rules name: an instruction by a count, or the kernel. */
enum { PLACE_KERNEL = CODE_SPOTS };
enum {
#define CODE_COUNT(member, unit, meaning) PLACE_##member = CODE_SPOT_##member,
#include "tables/code_counts.def"
};

/* The place that a rule names; NULL: it is not known. Of an instruction without a source line,
 * which the compiler has added, it is the place of the next one that has a line. */
static const struct code_place *place_of(const struct gpu_kernel_record *k, unsigned place) {
    const uint32_t at = place == PLACE_KERNEL ? 0 : k->spot[place];
    const struct code_profile *p = k->code;
    if (!p || at >= p->num_inst) return NULL;
    for (uint32_t i = at; i < p->num_inst; i++)
        if (p->place[i].file) return &p->place[i];
    return &p->place[at];
}

/* Enters a diagnosis into the list by its weight, of equals the earlier one first. @return its
 * element, to be filled in; NULL: the list has no room for one so light. */
static struct diagnosis *enter(struct diagnosis *list, unsigned *count, double weight) {
    unsigned at = *count;
    while (at && list[at - 1].weight < weight) at--;
    if (at == DIAGNOSES) return NULL;
    if (*count < DIAGNOSES) ++*count;
    memmove(&list[at + 1], &list[at], (*count - 1 - at) * sizeof *list);
    return &list[at];
}

unsigned diagnosis_find(const struct report *r, const struct gpu_kernel_record *k,
                        struct diagnosis out[DIAGNOSES]) {
    if (!k->sub_core_cycles) return 0;
    const struct facts facts = facts_of(r, k), *f = &facts;
    struct diagnosis *d;
    unsigned count = 0;
#define RULE(id, condition, weight_, place_, text_, evidence_, ...)                               \
    if ((condition) && (d = enter(out, &count, weight_))) {                                       \
        *d = (struct diagnosis){                                                                  \
            .rule = #id, .text = text_, .place = place_of(k, PLACE_##place_), .weight = weight_}; \
        snprintf(d->evidence, sizeof d->evidence, evidence_, __VA_ARGS__);                        \
    }
#include "tables/diagnosis.def"
    return count;
}

/* ---- output */

/* Writes the name of a rule, in lower case. */
static void rule_name(char *out, size_t size, const char *rule) {
    size_t n = 0;
    for (; rule[n] && n + 1 < size; n++) out[n] = (char)tolower((unsigned char)rule[n]);
    out[n] = '\0';
}

json_t *diagnosis_array(const struct report *r, const struct gpu_kernel_record *k) {
    struct diagnosis list[DIAGNOSES];
    json_t *array = json_array();
    const unsigned count = diagnosis_find(r, k, list);
    for (unsigned i = 0; i < count; i++) {
        const struct diagnosis *d = &list[i];
        const struct code_place *at = d->place;
        char rule[32];
        json_t *o = json_object();
        rule_name(rule, sizeof rule, d->rule);
        json_object_set_new(o, "rule", json_string(rule));
        json_object_set_new(o, "text", json_string(d->text));
        json_object_set_new(o, "file", at && at->file ? json_string(at->file) : json_null());
        json_object_set_new(o, "line", at && at->file ? report_integer(at->line) : json_null());
        json_object_set_new(o, "ptx_line", at ? report_integer(at->ptx_line) : json_null());
        json_object_set_new(o, "evidence", json_string(d->evidence));
        json_array_append_new(array, o);
    }
    return array;
}

/* Prints where an instruction comes from: the last part of its file's name, or its PTX line. */
static void print_place(const struct code_place *at, FILE *out) {
    if (!at) return;
    const char *slash = at->file ? strrchr(at->file, '/') : NULL;
    if (at->file)
        fprintf(out, " at %s:%u", slash ? slash + 1 : at->file, at->line);
    else
        fprintf(out, " at PTX line %u", at->ptx_line);
}

void diagnosis_print(const struct report *r, FILE *out) {
    struct report_sums list;
    unsigned shown = 0;
    report_sums(r, &list);
    for (size_t i = 0; i < list.count && shown < REPORT_MOST_LINES; i++) {
        struct diagnosis d[DIAGNOSES];
        const unsigned count = diagnosis_find(r, &list.of[i].k, d);
        if (count && !shown++) fputs("Diagnosis (docs/diagnosis.md)\n", out);
        for (unsigned n = 0; n < count; n++) {
            fprintf(out, "  %s", list.of[i].k.name);
            print_place(d[n].place, out);
            fprintf(out, ": %s\n    %s\n", d[n].text, d[n].evidence);
        }
    }
    free(list.of);
}

void diagnosis_print_page(FILE *out) {
    static const struct {
        const char *id, *condition, *weight, *place, *text;
    } rules[] = {
#define RULE(id, condition, weight, place, text, evidence, ...) \
    {#id, #condition, #weight, #place, text},
#include "tables/diagnosis.def"
    };
    static const struct {
        const char *name, *meaning;
    } facts[] = {
#define FACT(name, value, meaning) {#name, meaning},
#include "tables/diagnosis.def"
    };
    fputs("# Diagnoses\n\n"
          "Made from `host/tables/diagnosis.def`; a test fails when page and table differ.\n\n"
          "The report says of each kernel that was timed what makes it slow, by the rules below. "
          "Of the rules that hold, it tells the two of most weight: on the terminal, and as "
          "`diagnosis` of each launch and group in `report.json`, with `rule`, `text`, `file` and "
          "`line` of the instruction that is named (null without `-lineinfo`), its `ptx_line`, and "
          "the `evidence`. [The how-to](how-to/slow-kernel.md) begins with such a line.\n\n"
          "## Rules\n\n"
          "The weight is the share of the execution's cycles that the cause explains. The place is "
          "the instruction with most of this count ([instructions.csv](report.md#files)), or the "
          "kernel's first.\n\n",
          out);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        char rule[32];
        rule_name(rule, sizeof rule, rules[i].id);
        fprintf(out, "### `%s`\n\n%s\n\n- holds if `%s`\n- weight `%s`\n- place: %s%s%s\n\n", rule,
                rules[i].text, rules[i].condition, rules[i].weight,
                strcmp(rules[i].place, "KERNEL") ? "`" : "the ",
                strcmp(rules[i].place, "KERNEL") ? rules[i].place : "kernel's first instruction",
                strcmp(rules[i].place, "KERNEL") ? "`" : "");
    }
    fputs("## Facts\n\n"
          "Members of `f` above. A fact that is undefined, such as a ratio of nothing, is 0.\n\n"
          "| fact | meaning |\n|---|---|\n",
          out);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        fprintf(out, "| `%s` | %s |\n", facts[i].name, facts[i].meaning);
}
