/* expansions.c - makes host/tables/sass_expansions.def from what ptxas makes of single operations.
 *
 *   expansions table PTXAS NVCC > sass_expansions.def
 *   expansions check PTXAS     compares the rows of PTX forms with the table; 77: another ptxas
 *   expansions ptx CAPABILITY  prints the kernels of the PTX forms
 *   expansions cuda            prints those of the functions
 *
 * A row is the machine instructions of a kernel that holds the operation, less those of a kernel
 * that does not (kernels.h), along the fast and the slow way (project/sass.h).
 *
 * A developer runs it by hand, a test its check. One thread; every error ends the process (fail()),
 * so that functions return no errors. */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "project/isa.h"
#include "project/ptx_assemble.h"

enum { SKIPPED = 77 };

/* Volta has no row: CUDA 13 assembles for 7.5 and later. */
static const unsigned capabilities[] = {75, 80, 86, 89, 90, 100};
enum { NUM_CAPABILITIES = sizeof capabilities / sizeof *capabilities };

/* Of this tool, for messages; paths of the other two from the command line. */
static const char *program = "expansions", *ptxas, *nvcc;

/* Prints the error on standard error and ends the process with status 1. */
_Noreturn static void fail(const char *why) {
    fprintf(stderr, "%s: %s\n", program, why);
    exit(1);
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* A cubin; the bytes are owned. */
struct cubin {
    uint8_t *bytes;
    size_t size;
};

/* @return the cubin of a PTX module, whose bytes the caller frees. `what` stands in messages. */
static struct cubin assemble(const char *text, unsigned capability, const char *what) {
    struct cubin c;
    struct heddle_diag diag;
    if (ptx_assemble(&c.bytes, &c.size, ptxas, what, text, capability, false, &diag))
        fail(diag.text);
    return c;
}

/* @return instructions of kernel KERNEL_i on a way. */
static struct sass_counts count(const struct cubin *c, const char *kernel, unsigned i,
                                enum sass_way way) {
    struct sass_code code;
    struct sass_counts counts = {0};
    struct heddle_diag diag;
    gchar *name = g_strdup_printf("%s_%u", kernel, i);
    heddle_err e = sass_read(&code, c->bytes, c->size, name, &diag);
    if (!e) e = sass_count(&code, way, &counts, &diag);
    if (e) fail(diag.text);
    sass_free(&code);
    g_free(name);
    return counts;
}

/* @return instructions of operation i on a way: those of the kernel with it less those of the
 * kernel without it. */
static struct sass_counts measure(const struct cubin *c, unsigned i, enum sass_way way) {
    struct sass_counts with = count(c, "with", i, way), without = count(c, "without", i, way);
    for (int k = 0; k < SASS_KINDS; k++) with.of[k] -= without.of[k];
    return with;
}

/* A control that is not itself shows that the opcodes are misread: nothing is written then. */
static void check_control(const struct form *f, const struct sass_counts *is, unsigned capability) {
    for (int k = 0; k < SASS_KINDS; k++) {
        int want = k == (int)f->kind ? f->n : 0;
        if (is->of[k] == want) continue;
        gchar *why = g_strdup_printf("%s on %u is %d instructions of %s, not %d: see "
                                     "host/tables/sass_opcodes.def",
                                     f->name, capability, is->of[k],
                                     sass_kind_name((enum sass_kind)k), want);
        fail(why);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Appends a row to `rows`, with a copy of the form's name, which lives until the process ends. */
static void add_row(GArray *rows, const char *form, unsigned capability, enum sass_way way,
                    const struct sass_counts *counts) {
    struct isa_expansion row = {g_strdup(form), capability, way, *counts};
    g_array_append_val(rows, row);
}

/* Appends the row of the fast way, and that of the slow way where it differs. */
static void add_ways(GArray *rows, const struct sass_counts *fast, const struct sass_counts *slow,
                     const char *form, unsigned capability) {
    add_row(rows, form, capability, SASS_FAST, fast);
    if (memcmp(fast, slow, sizeof *fast) != 0) add_row(rows, form, capability, SASS_SLOW, slow);
}

/* Instructions of the kinds up to `last`. */
static int sum(const struct sass_counts *c, enum sass_kind last) {
    int n = 0;
    for (int k = 0; k <= (int)last; k++) n += c->of[k];
    return n;
}

/* Of some functions, special operands have the shortest way (the logarithm of 0). It then has less
 * than a third of the longest way's floating-point operations, and the longest one is the usual
 * one. Ways of as many instructions are the same way, with its guards on and off. */
static const struct sass_counts *usual(const struct sass_counts *fast,
                                       const struct sass_counts *slow) {
    bool special = 3 * sum(fast, SASS_FP64_FMA) < sum(slow, SASS_FP64_FMA) &&
                   sum(fast, SASS_OTHER) != sum(slow, SASS_OTHER);
    return special ? slow : fast;
}

/* Assembles all PTX forms for a capability, checks the controls, and appends the rows of the
 * others. */
static void add_forms(GArray *rows, unsigned capability) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    write_ptx(out, capability);
    fclose(out);
    struct cubin c = assemble(text, capability, "the PTX forms");
    for (unsigned i = 0; i < num_forms; i++) {
        if (forms[i].since > capability) continue;
        if (forms[i].control) {
            struct sass_counts is = measure(&c, i, SASS_FAST);
            check_control(&forms[i], &is, capability);
        } else {
            struct sass_counts fast = measure(&c, i, SASS_FAST), slow = measure(&c, i, SASS_SLOW);
            add_ways(rows, &fast, &slow, forms[i].name, capability);
        }
    }
    free(c.bytes);
    free(text);
}

/* @return PTX of the CUDA functions, made by nvcc in a temporary folder, for the lowest capability:
 * all GPUs get the same. The caller frees it with g_free(). */
static gchar *compile_functions(bool fast_math) {
    GError *error = NULL;
    gchar *folder = g_dir_make_tmp("heddle-sass-XXXXXX", &error), *text = NULL;
    if (!folder) fail(error->message);
    gchar *cu = g_build_filename(folder, "in.cu", NULL),
          *ptx = g_build_filename(folder, "out", NULL);
    FILE *out = fopen(cu, "w");
    if (!out) fail("cannot write a file of temporary");
    write_cuda(out);
    fclose(out);
    gchar *arch = g_strdup_printf("-arch=compute_%u", capabilities[0]);
    gchar *argv[] = {(gchar *)nvcc,
                     (gchar *)"-ptx",
                     arch,
                     cu,
                     (gchar *)"-o",
                     ptx,
                     fast_math ? (gchar *)"-use_fast_math" : NULL,
                     NULL};
    gint status = 0;
    if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, &status,
                      &error))
        fail(error->message);
    if (status != 0 || !g_file_get_contents(ptx, &text, NULL, NULL)) fail("nvcc makes no PTX");
    g_remove(cu);
    g_remove(ptx);
    g_rmdir(folder);
    g_free(arch);
    g_free(ptx);
    g_free(cu);
    g_free(folder);
    return text;
}

/* Appends the rows of the CUDA functions for all capabilities; with fast_math only those of
 * floats. */
static void add_functions(GArray *rows, bool fast_math) {
    gchar *text = compile_functions(fast_math);
    for (unsigned a = 0; a < NUM_CAPABILITIES; a++) {
        struct cubin c = assemble(text, capabilities[a], "the CUDA functions");
        for (unsigned i = 0; i < num_functions; i++) {
            if (fast_math && strcmp(functions[i].type, "float") != 0) continue;
            struct sass_counts fast = measure(&c, i, SASS_FAST), slow = measure(&c, i, SASS_SLOW);
            gchar *name = g_strdup_printf("%s%s", functions[i].name, fast_math ? ".fast" : "");
            add_ways(rows, usual(&fast, &slow), &slow, name, capabilities[a]);
            g_free(name);
        }
        free(c.bytes);
    }
    g_free(text);
}

/* Order of the table: form, capability, way; isa_find() needs it. */
static gint compare_rows(gconstpointer a, gconstpointer b) {
    const struct isa_expansion *x = a, *y = b;
    int names = strcmp(x->form, y->form);
    if (names) return names;
    if (x->capability != y->capability) return x->capability < y->capability ? -1 : 1;
    return (int)x->way - (int)y->way;
}

/* ---- commands -------------------------------------------------------------------------------- */

static const char head[] =
    "/* sass_expansions.def - what special operations become in machine code, by compute "
    "capability:\n"
    " * one row an operation, capability and way.\n"
    " *\n"
    " * EXPANSION(\"form\", capability, WAY, half precision add, mul, fma, single precision add, "
    "mul,\n"
    " *           fma, double precision add, mul, fma, mufu, integer, other)\n"
    " *   form        a PTX instruction without its operands, or a function of CUDA's "
    "mathematical\n"
    " *               library (NAME, or NAME.fast with -use_fast_math)\n"
    " *   capability  75 is compute capability 7.5. It stands for Volta as well: CUDA 13 no\n"
    " *               longer assembles for 7.0, whose arithmetic instructions are the same\n"
    " *   WAY         FAST: the shortest way, guarded instructions count as other; SLOW: the "
    "longest\n"
    " *               one, each loop run once. No row SLOW: the two are the same. A function "
    "whose\n"
    " *               shortest way has less than a third of the longest one's\n"
    " *               floating-point operations has the longest one as FAST: the shortest is\n"
    " *               of special operands (the logarithm of 0)\n"
    " *   other       instructions that are in no other column: moves, comparisons of floats,\n"
    " *               conversions, branches, accesses of memory, the uniform datapath\n"
    " * Counts are instructions of a thread, with the operation less without it.\n"
    " *\n"
    " * Made by tools/expansions with ptxas %s, default options (-O3), one operation a kernel;\n"
    " * functions: PTX by nvcc %s for compute_75. Method and limits:\n"
    " * docs/projection-instruction-sets.md. Do not edit: make it again. */\n"
    "/* clang-format off */\n";

/* @return the rows of all PTX forms, for all capabilities; they live until the process ends. */
static GArray *measure_forms(void) {
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(struct isa_expansion));
    for (unsigned a = 0; a < NUM_CAPABILITIES; a++) add_forms(rows, capabilities[a]);
    return rows;
}

/* @return the version of ptxas or nvcc, which lives until the process ends. */
static char *version_of(const char *tool) {
    char *version;
    struct heddle_diag diag;
    if (ptx_assemble_version(&version, tool, &diag)) fail(diag.text);
    return version;
}

/* Prints a row as the table has it. */
static void print_row(FILE *out, const struct isa_expansion *r) {
    fprintf(out, "EXPANSION(\"%s\", %u, %s", r->form, r->capability,
            r->way == SASS_FAST ? "FAST" : "SLOW");
    for (int k = 0; k < SASS_KINDS; k++) fprintf(out, ", %d", r->counts.of[k]);
    fprintf(out, ")\n");
}

/* Measures everything and prints the table on standard output, which only happens if all controls
 * are right. @return the exit status. */
static int write_table(void) {
    char *assembler = version_of(ptxas), *compiler = version_of(nvcc);
    GArray *rows = measure_forms();
    add_functions(rows, false);
    add_functions(rows, true);
    g_array_sort(rows, compare_rows);
    printf(head, assembler, compiler);
    printf("#ifdef EXPANSIONS_PTXAS\nEXPANSIONS_PTXAS(\"%s\")\n#endif\n#ifdef EXPANSION\n",
           assembler);
    for (guint i = 0; i < rows->len; i++)
        print_row(stdout, &g_array_index(rows, struct isa_expansion, i));
    printf("#endif\n#undef EXPANSION\n#undef EXPANSIONS_PTXAS\n");
    return 0;
}

/* Measures the PTX forms and compares them with the table in this build; prints the differences.
 * @return the exit status: 0, 1: rows differ, SKIPPED: the table is of another ptxas. */
static int check_table(void) {
    char *assembler = version_of(ptxas);
    GArray *rows = measure_forms(); /* checks the controls, whatever the version */
    if (strcmp(assembler, isa_expansions_ptxas) != 0) {
        printf("skipped: ptxas %s, the table is of %s\n", assembler, isa_expansions_ptxas);
        return SKIPPED;
    }
    unsigned wrong = 0;
    for (guint i = 0; i < rows->len; i++) {
        const struct isa_expansion *r = &g_array_index(rows, struct isa_expansion, i);
        const struct isa_expansion *t = isa_find(r->form, r->capability, r->way);
        if (t && memcmp(&t->counts, &r->counts, sizeof r->counts) == 0) continue;
        printf(t ? "ptxas now: " : "the table lacks: ");
        print_row(stdout, r);
        wrong++;
    }
    printf("rows compared with ptxas %s: %u, wrong: %u\n", assembler, rows->len, wrong);
    return wrong != 0;
}

/* Runs the command of the file's head. @return the exit status: 0; 1: an error, or the table is
 * wrong; SKIPPED. */
int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "table") == 0) {
        ptxas = argv[2];
        nvcc = argv[3];
        return write_table();
    }
    if (argc == 3 && strcmp(argv[1], "check") == 0) {
        ptxas = argv[2];
        return check_table();
    }
    if (argc == 3 && strcmp(argv[1], "ptx") == 0) {
        write_ptx(stdout, (unsigned)strtoul(argv[2], NULL, 10));
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "cuda") == 0) {
        write_cuda(stdout);
        return 0;
    }
    fail("table PTXAS NVCC | check PTXAS | ptx CAPABILITY | cuda");
}
