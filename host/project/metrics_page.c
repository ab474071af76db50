/* metrics_page.c - prints docs/projection-metrics.md from the tables of metrics; see
 * metrics_page.h. tools/gen/gen_projection.c calls metrics_page_print() in its own program.
 * Functions write to `out`, leave its errors to the caller, and keep nothing. */
#include "project/metrics_page.h"

#include "project/metric_forms.h"
#include "project/read_ncu.h"
#include "project/read_nvprof.h"

/* Who needs a metric, as the page says it. */
static const char *const needs[] = {
    [NEED_PAPER] = "both models",
    [NEED_HEDDLE] = "`--model heddle`",
    [NEED_EXTRA] = "none; improves `--model heddle`",
};

/* Prints the table of projection's metrics. */
static void print_metrics(FILE *out) {
    fprintf(out, "## Metrics\n\n| metric | unit | needed by | meaning |\n|---|---|---|---|\n");
    for (int m = 0; m < NUM_PROJECT_METRICS; m++) {
        const struct project_metric_row *row = &project_metric_rows[m];
        fprintf(out, "| `%s` | %s | %s | %s |\n", row->name, row->unit, needs[row->need],
                row->meaning);
    }
}

/* Prints a form as a sum of products, with the GPUs for which it holds. */
static void print_form(FILE *out, const struct metric_form *form, const struct form_value *values) {
    for (int t = 0; t < FORM_TERMS && form->term[t].factor != 0; t++) {
        const struct form_term *term = &form->term[t];
        if (t) fprintf(out, " + ");
        if (term->factor != 1) fprintf(out, "%g × ", term->factor);
        for (int f = 0; f < FORM_FACTORS && term->value[f]; f++)
            fprintf(out, "%s`%s`", f ? " × " : "", values[term->value[f]].name);
    }
    if (form->capability == FORM_ZERO) fprintf(out, ", where 0");
    if (form->capability == FORM_SHARE) fprintf(out, ": the first's share");
    if (form->capability > 0)
        fprintf(out, ", on compute capability %d.%d", form->capability / 10, form->capability % 10);
}

/* Prints a table of forms, a row each, in order of the metrics; a metric without a form gets a row
 * that says so. */
static void print_forms(FILE *out, const struct metric_form *forms, size_t count,
                        const struct form_value *values) {
    fprintf(out, "| metric | from | |\n|---|---|---|\n");
    for (int m = 0; m < NUM_PROJECT_METRICS; m++) {
        bool any = false;
        for (size_t i = 0; i < count; i++) {
            if (forms[i].metric != (enum project_metric)m) continue;
            any = true;
            fprintf(out, "| `%s` | ", project_metric_rows[m].name);
            print_form(out, &forms[i], values);
            fprintf(out, " | %s |\n", forms[i].how == FORM_EXACT ? "exact" : "derived");
        }
        if (!any) fprintf(out, "| `%s` | nothing | unknown |\n", project_metric_rows[m].name);
    }
}

/* Prints the section about Nsight Compute, with the command lines that read_ncu_command() makes. */
static void print_ncu(FILE *out) {
    bool all[NUM_PROJECT_METRICS], needed[NUM_PROJECT_METRICS];
    for (int m = 0; m < NUM_PROJECT_METRICS; m++) {
        all[m] = true;
        needed[m] = project_metric_rows[m].need != NEED_EXTRA;
    }
    fprintf(out, "\n## From Nsight Compute\n\n"
                 "`heddle project` reads what `ncu --csv` prints: the raw page (`--page raw`) and "
                 "the details page (`--page details`, and without `--page`), of versions 2020 to "
                 "2025. All that the models need:\n\n```sh\n");
    read_ncu_command(out, needed);
    fprintf(out, "\n```\n\nAll that they can use (the tensor operations exist from compute "
                 "capability 8.0 on; before, ask for `sm__inst_executed_pipe_tensor.sum` "
                 "instead):\n\n```sh\n");
    read_ncu_command(out, all);
    fprintf(out,
            "\n```\n\n"
            "Compute capability 9.0 has `sm__ops_path_tensor_src_fp16.sum` in place of "
            "`sm__ops_path_tensor_src_fp16_dst_fp16.sum` and "
            "`sm__ops_path_tensor_src_fp16_dst_fp32.sum`. From compute capability 10.0 on, device "
            "memory's metrics are "
            "`dram__bytes_op_read.sum` and `dram__bytes_op_write.sum`.\n\n"
            "The first line of a metric whose values the file has is taken; without one the metric "
            "is unknown. *Exact*: the metric itself. *Derived*: from rounded values, or with an "
            "assumption:\n\n"
            "- Half precision: Nsight Compute counts a thread's instruction once. As in its own "
            "rooflines, each counts as two operations, which is too many where code leaves a half "
            "of the pair unused.\n"
            "- Tensor cores: an instruction of compute capability 7.0 has 512 FLOP, as with "
            "single-precision accumulators (1024 with half-precision ones); of 7.5, 2048. Later "
            "GPUs have instructions of several sizes, so their number says nothing unless it is "
            "0. TF32, FP8 and integer matrix operations have no metric.\n"
            "- `shared_bytes` from wavefronts takes each as full (128 bytes).\n"
            "- `lts__t_bytes` includes traffic that L1 does not cause.\n\n");
    print_forms(out, ncu_forms, ncu_form_count, ncu_values);
    fprintf(out, "\nWhere the values are found:\n\n| value | versions and GPUs |\n|---|---|\n");
    for (size_t i = 1; i < ncu_value_count; i++)
        fprintf(out, "| `%s` | %s |\n", ncu_values[i].name, ncu_values[i].note);
    fprintf(out,
            "\nA value `n/a`, `nan`, `inf` or empty is unknown, and so is a metric that needs it. "
            "These end the reading with file and line: numbers of another language (decimal "
            "comma), and numbers that could be of two languages; text, negative numbers and "
            "fractions of counts; unknown units and a missing row of units; rows cut short; two "
            "kernels with one ID; kernels of two kinds of GPU; lines `==ERROR==`.\n");
}

/* Prints the whole page. */
void metrics_page_print(FILE *out) {
    fprintf(out, "# Metrics of projection\n\n"
                 "Made from `host/tables/project_metrics.def`, `host/tables/ncu_metrics.def` and "
                 "`host/tables/nvprof_metrics.def`; a test fails when page and tables differ.\n\n");
    print_metrics(out);
    fprintf(out, "\n## From a table of your own\n\n"
                 "A text file of comma-separated values, by hand or by any tool: a row for each "
                 "launch, columns named as above. The first column is `name`, the kernel's; a "
                 "column `gpu` may say where it ran, the same in all rows. An empty cell is an "
                 "unknown metric. Lines that begin with `#` are comments. Unknown columns, missing "
                 "cells and cells that are no number end the reading with file and line.\n\n"
                 "```\nname,time,ctas,dram_read\ncopy,12.5,1024,1e9\n```\n\n"
                 "`models/projection/` has such tables.\n");
    print_ncu(out);
    fprintf(out, "\n## From nvprof\n\n"
                 "For Volta, from two runs: one for durations and shapes, one for metrics. Kernel "
                 "*n* of one is kernel *n* of the other; a different name or number of kernels is "
                 "an error.\n\n```sh\n");
    read_nvprof_command(out);
    fprintf(out, "\n```\n\n`l1_bytes` leaves out atomic and texture accesses, which nvprof counts "
                 "in other units. Sums and means over launches (nvprof without "
                 "`--print-gpu-trace`) are refused.\n\n");
    print_forms(out, nvprof_forms, nvprof_form_count, nvprof_values);
}
