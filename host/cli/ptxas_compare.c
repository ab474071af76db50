/* ptxas_compare.c - `heddle ptx --compare-ptxas`: collects a row for each kernel (code of Heddle
 * and of ptxas), then prints a table or CSV on standard output. cmd_ptx.c calls
 * ptxas_compare_files() on the main thread of `heddle`; everything else serves that. "ours" is
 * Heddle's code, "theirs" ptxas's. Functions that take a GArray append to or read its struct
 * row. */
#include "cli/ptxas_compare.h"

#include <glib.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/compile.h"
#include "cli/kernel_choice.h"
#include "cli/ptxas.h"
#include "common/readable_name.h"

/* Counts of one kernel's code. `instructions` leaves out NOPs, which both compilers use only as
 * marks, and ptxas's subroutines; `subroutines` counts the instructions of those. `memory`: loads,
 * stores and atomics, without local memory. */
struct counts {
    uint32_t instructions, memory, registers, spill_bytes, subroutines;
};

/* One kernel of the table. */
struct row {
    char *file, *kernel;
    struct counts ours, theirs;
    bool repeats; /* ptxas's code has more memory accesses: it unrolled loops or copied code */
};

/* Row i of the table. */
static const struct row *row_at(const GArray *table, guint i) {
    return &g_array_index(table, struct row, i);
}
/* GLib's clear function of the table, called when the table is freed: frees the texts of a row. */
static void clear_row(void *row) {
    g_free(((struct row *)row)->file);
    g_free(((struct row *)row)->kernel);
}

/* ---- collecting ----------------------------------------------------------------------------- */

/* @return the counts of Heddle's code of a kernel: instructions without NOPs, memory accesses
 * without local memory, registers, spilled bytes. */
static struct counts count_ours(const struct mir_function *f) {
    struct counts c = {.registers = f->num_regs, .spill_bytes = f->spill_bytes};
    for (uint32_t i = 0; i < f->num_inst; i++) {
        const struct mir_inst *in = &f->code[i];
        if (in->op == MIR_NOP) continue;
        mir_mem m = mir_op_mem(in->op);
        bool access = m == MIR_MEM_LOAD || m == MIR_MEM_STORE || m == MIR_MEM_RED ||
                      m == MIR_MEM_ATOM;
        c.instructions++;
        c.memory += access && in->op != MIR_LDL && in->op != MIR_STL;
    }
    return c;
}

/* ptxas's counts in the same form. */
static struct counts count_theirs(const struct ptxas_kernel *k) {
    return (struct counts){.instructions = k->code.instructions,
                           .memory = k->code.memory,
                           .registers = k->registers,
                           .spill_bytes = k->spill_bytes,
                           .subroutines = k->code.subroutines};
}

/* Adds a row for each kernel of the module, or for those that `only` names (NULL: all), to table t.
 * @return 0, or EXIT_HEDDLE after printing an error: a kernel is missing. */
static int add_rows(GArray *t, const char *file, const struct mir_module *m,
                    const struct ptxas_result *theirs, const char *only) {
    bool *chosen = kernel_choose(m, file, only);
    int status = chosen ? 0 : EXIT_HEDDLE;
    if (chosen && !m->num_functions) status = cli_error("%s has no kernels", file);
    for (uint32_t i = 0; i < m->num_functions && !status; i++) {
        const struct mir_function *f = &m->functions[i];
        if (!chosen[i]) continue;
        const struct ptxas_kernel *k = ptxas_find(theirs, f->name);
        if (!k) {
            status = cli_error("%s: ptxas says nothing of kernel %s", file, f->name);
            break;
        }
        struct row r = {.file = g_path_get_basename(file),
                        .kernel = g_strdup(f->name),
                        .ours = count_ours(f),
                        .theirs = count_theirs(k)};
        r.repeats = r.theirs.memory > r.ours.memory;
        g_array_append_val(t, r);
    }
    g_free(chosen);
    return status;
}

/* Compiles one PTX file with both compilers and adds its rows to t. Prints errors. @return 0 or
 * EXIT_HEDDLE. */
static int compare_file(GArray *t, const struct config *config, const char *file,
                        const struct ptxas_compare_options *o) {
    struct heddle_diag diag = {0};
    struct mir_module *m = NULL;
    struct ptxas_result theirs = {0};
    char *text = NULL;
    size_t bytes = 0;
    int status = 0;
    if (!compile_read(file, &text, &bytes)) {
        status = EXIT_HEDDLE;
    } else if (compile_ptx(config, &m, text, bytes, file, &diag) ||
               ptxas_run(o->ptxas, file, text, &theirs, &diag)) {
        status = cli_error("%s", diag.text);
    } else {
        status = add_rows(t, file, m, &theirs, o->kernel);
    }
    ptxas_result_clear(&theirs);
    mir_module_free(m);
    g_free(text);
    return status;
}

/* ---- printing ------------------------------------------------------------------------------- */

/* ours / theirs; 0 if theirs is 0. */
static double ratio(uint32_t ours, uint32_t theirs) {
    return theirs ? (double)ours / theirs : 0;
}

/* Prints the whole table as CSV on standard output: a head, then a line for each kernel. */
static void print_csv(const GArray *t) {
    printf("file,kernel,instructions,ptxas_instructions,instruction_ratio,registers,"
           "ptxas_registers,register_ratio,spill_bytes,ptxas_spill_bytes,memory,ptxas_memory,"
           "ptxas_subroutine_instructions,ptxas_repeats\n");
    for (uint32_t i = 0; i < t->len; i++) {
        const struct row *r = row_at(t, i);
        const struct counts *a = &r->ours, *b = &r->theirs;
        printf("%s,%s,%u,%u,%.4f,%u,%u,%.4f,%u,%u,%u,%u,%u,%d\n", r->file, r->kernel,
               a->instructions, b->instructions, ratio(a->instructions, b->instructions),
               a->registers, b->registers, ratio(a->registers, b->registers), a->spill_bytes,
               b->spill_bytes, a->memory, b->memory, b->subroutines, r->repeats);
    }
}

static json_t *counts_object(const struct counts *c) {
    return json_pack("{s:I, s:I, s:I, s:I, s:I}", "instructions", (json_int_t)c->instructions,
                     "memory", (json_int_t)c->memory, "registers", (json_int_t)c->registers,
                     "spill_bytes", (json_int_t)c->spill_bytes, "subroutine_instructions",
                     (json_int_t)c->subroutines);
}

/* Prints the whole table as a JSON array on standard output. */
static void print_json(const GArray *t) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < t->len; i++) {
        const struct row *r = row_at(t, i);
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:o, s:o, s:b}", "file", r->file, "kernel",
                                        r->kernel, "heddle", counts_object(&r->ours), "ptxas",
                                        counts_object(&r->theirs), "ptxas_repeats", r->repeats));
    }
    json_dumpf(list, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(list);
}

/* Prints a head and a line for each kernel on standard output; "*" marks rows that repeat. */
static void print_rows(const GArray *t) {
    printf("%-40s %14s %14s %6s %12s %6s %14s %8s\n", "kernel", "instructions", "ptxas", "ratio",
           "registers", "ratio", "spilled bytes", "memory");
    for (uint32_t i = 0; i < t->len; i++) {
        const struct row *r = row_at(t, i);
        const struct counts *a = &r->ours, *b = &r->theirs;
        char *name = readable_name(r->kernel), theirs[32], regs[32], spills[32], memory[32];
        snprintf(theirs, sizeof theirs, b->subroutines ? "%u (+%u)" : "%u", b->instructions,
                 b->subroutines);
        snprintf(regs, sizeof regs, "%u : %u", a->registers, b->registers);
        snprintf(spills, sizeof spills, "%u : %u", a->spill_bytes, b->spill_bytes);
        snprintf(memory, sizeof memory, "%u : %u%s", a->memory, b->memory, r->repeats ? " *" : "");
        printf("%-40.40s %14u %14s %6.3f %12s %6.3f %14s %8s\n", name, a->instructions, theirs,
               ratio(a->instructions, b->instructions), regs, ratio(a->registers, b->registers),
               spills, memory);
        g_free(name);
    }
}

/* Prints the arithmetic and geometric mean ratios of instructions and registers on standard output,
 * over all kernels, or over those without `repeats`; nothing if there is none. */
static void print_means(const GArray *t, bool all) {
    double sum[2] = {0}, product[2] = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->len; i++) {
        const struct row *r = row_at(t, i);
        if (!all && r->repeats) continue;
        double x[2] = {ratio(r->ours.instructions, r->theirs.instructions),
                       ratio(r->ours.registers, r->theirs.registers)};
        for (unsigned k = 0; k < 2; k++) {
            sum[k] += x[k];
            product[k] += log(x[k] > 0 ? x[k] : 1);
        }
        n++;
    }
    if (!n) return;
    printf("%-40s %4u kernels: instructions %.3f (geometric %.3f), registers %.3f (geometric "
           "%.3f)\n",
           all ? "mean ratio" : "mean ratio, those without * alone", n, sum[0] / n,
           exp(product[0] / n), sum[1] / n, exp(product[1] / n));
}

/* Prints rows, means and the number of kernels that spill. */
static void print_table(const GArray *t) {
    uint32_t spills = 0, repeats = 0;
    print_rows(t);
    for (uint32_t i = 0; i < t->len; i++) {
        const struct row *r = row_at(t, i);
        spills += r->ours.spill_bytes && !r->theirs.spill_bytes;
        repeats += r->repeats;
    }
    printf("\n");
    print_means(t, true);
    if (repeats) print_means(t, false);
    if (repeats)
        printf("* ptxas's code has more accesses to memory: it unrolled loops or copied code\n");
    if (t->len) printf("kernels that spill and ptxas's do not: %u\n", spills);
}

/* Loads the GPU, compares the n files, reporting those that cannot be compared, and prints the
 * table or CSV on standard output. @return the exit status: 0, or EXIT_HEDDLE if a file was not
 * compared. */
int ptxas_compare_files(char *const *files, int n, const struct ptxas_compare_options *o) {
    struct cli_paths paths;
    struct heddle_diag diag = {0};
    struct config *config = NULL;
    int status = 0, left_out = 0;
    if (!cli_find_paths(&paths)) return cli_error("cannot find out where Heddle is installed");
    if (config_load(&config, o->gpu, paths.gpus, NULL, 0, &diag)) return cli_error("%s", diag.text);
    GArray *t = g_array_new(FALSE, FALSE, sizeof(struct row));
    g_array_set_clear_func(t, clear_row);
    for (int i = 0; i < n; i++) {
        int bad = compare_file(t, config, files[i], o);
        if (bad) status = bad;
        left_out += bad != 0;
    }
    if (o->json)
        print_json(t);
    else if (o->csv)
        print_csv(t);
    else if (t->len)
        print_table(t);
    if (left_out && n > 1) cli_error("%d of %d files were not compared", left_out, n);
    g_array_unref(t);
    config_free(config);
    return status;
}
