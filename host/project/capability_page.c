/* capability_page.c - prints docs/capabilities.md from tables/capabilities.def and the GPUs' files.
 * cmd_config.c calls capability_print_page() on the main thread of `heddle config --page
 * capabilities`. The print_*() functions write to `out` and leave errors to the caller. */
#include "project/capability_page.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "project/capability.h"

/* The rates of capabilities.def. */
static const struct rate_row {
    const char *key, *unit, *meaning;
    double scale;
} rate_rows[NUM_RATES] = {
#define RATE(id, key, unit, scale, meaning) {key, unit, meaning, scale},
#include "tables/capabilities.def"
};

enum need { MAY, MUST };
/* The properties of capabilities.def. */
static const struct property_row {
    const char *key, *unit, *meaning;
    double min, max;
    enum need need;
} property_rows[NUM_GPU_PROPERTIES] = {
#define PROPERTY(id, key, unit, min, max, need, meaning) {key, unit, meaning, min, max, need},
#include "tables/capabilities.def"
};

/* ---- the GPUs */

/* The GPUs of the page; owned. */
struct gpus {
    struct capability **at;
    size_t count;
};

/* By the names without ".ini", whatever the locale: v100 comes before v100-pcie. */
static int by_name(const struct dirent **x, const struct dirent **y) {
    size_t nx = strcspn((*x)->d_name, "."), ny = strcspn((*y)->d_name, ".");
    int order = strncmp((*x)->d_name, (*y)->d_name, nx < ny ? nx : ny);
    return order ? order : (nx > ny) - (nx < ny);
}

/* Loads every GPU's file (*.ini) of the directory, in order of their names. @return
 * HEDDLE_ERR_CONFIG: there is none, or one is wrong; whatever the result, free_gpus() frees
 * *gpus. */
static heddle_err load_gpus(struct gpus *gpus, const char *directory, struct heddle_diag *diag) {
    struct dirent **entry = NULL;
    int n = scandir(directory, &entry, capability_is_file, by_name);
    if (n < 0)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "cannot read %s: %s", directory,
                           strerror(errno));
    if (n == 0) {
        free(entry);
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "no GPU's file (*.ini) in %s", directory);
    }
    heddle_err e = HEDDLE_OK;
    gpus->at = heddle_alloc((size_t)n * sizeof *gpus->at, "the GPUs of a page");
    for (int i = 0; i < n; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", directory, entry[i]->d_name);
        if (!e) e = capability_load(&gpus->at[gpus->count], path, directory, diag);
        if (!e) gpus->count++;
        free(entry[i]);
    }
    free(entry);
    return e;
}

static void free_gpus(struct gpus *gpus) {
    for (size_t i = 0; i < gpus->count; i++) capability_free(gpus->at[i]);
    free(gpus->at);
}

/* Prints a value divided by `scale`, "-" if it is not known. Four digits: more than any measurement
 * has. */
static void print_value(const struct capability_value *v, double scale, FILE *out) {
    if (v->known)
        fprintf(out, v->value / scale < 10000 ? "%.4g" : "%.0f", v->value / scale);
    else
        fputs("-", out);
}

/* "peak / max", each with "-" where it is not known. */
static void print_rate(const struct capability *gpu, enum capability_rate r, FILE *out) {
    fputs(" ", out);
    print_value(&gpu->peak[r], rate_rows[r].scale, out);
    fputs(" / ", out);
    print_value(&gpu->max[r], rate_rows[r].scale, out);
    fputs(" |", out);
}

/* Prints a property divided by `scale`, as a cell of a table. */
static void print_property(const struct capability *gpu, enum capability_property p, double scale,
                           FILE *out) {
    fputs(" ", out);
    print_value(&gpu->property[p], scale, out);
    fputs(" |", out);
}

/* Prints the table of arithmetic rates, a row for each GPU. */
static void print_arithmetic(const struct gpus *gpus, FILE *out) {
    static const enum capability_rate shown[] = {RATE_FP16_FMA, RATE_FP32_FMA, RATE_FP64_FMA,
                                                 RATE_TENSOR_FP16, RATE_INT32};
    enum { SHOWN = sizeof shown / sizeof *shown };
    fputs("\n## The GPUs: arithmetic\n\n"
          "Peak / max; a dash: not known, or the GPU has no such unit.\n\n"
          "| GPU | | SMs | `clock.boost`, MHz |",
          out);
    for (int i = 0; i < SHOWN; i++)
        fprintf(out, " `%s`, %s |", rate_rows[shown[i]].key, rate_rows[shown[i]].unit);
    fputs("\n|---|---|---|---|---|---|---|---|---|\n", out);
    for (size_t i = 0; i < gpus->count; i++) {
        const struct capability *gpu = gpus->at[i];
        fprintf(out, "| `%s` | %s |", gpu->name, gpu->title);
        print_property(gpu, GPU_SMS, 1, out);
        print_property(gpu, GPU_CLOCK, 1, out);
        for (int k = 0; k < SHOWN; k++) print_rate(gpu, shown[k], out);
        fputs("\n", out);
    }
}

/* Prints the table of bandwidths, L2 sizes and latencies, a row for each GPU. */
static void print_memory(const struct gpus *gpus, FILE *out) {
    static const enum capability_rate shown[] = {RATE_L1, RATE_L2, RATE_DRAM, RATE_DRAM_READ};
    static const enum capability_property latencies[] = {GPU_L1_LATENCY, GPU_L2_LATENCY,
                                                         GPU_DRAM_LATENCY};
    enum { SHOWN = sizeof shown / sizeof *shown, LATENCIES = sizeof latencies / sizeof *latencies };
    fputs("\n## The GPUs: memory\n\n| GPU |", out);
    for (int i = 0; i < SHOWN; i++)
        fprintf(out, " `%s`, %s |", rate_rows[shown[i]].key, rate_rows[shown[i]].unit);
    fputs(" `l2.size`, MiB |", out);
    for (int i = 0; i < LATENCIES; i++)
        fprintf(out, " `%s`, %s |", property_rows[latencies[i]].key,
                property_rows[latencies[i]].unit);
    fputs("\n|---|---|---|---|---|---|---|---|---|\n", out);
    for (size_t i = 0; i < gpus->count; i++) {
        const struct capability *gpu = gpus->at[i];
        fprintf(out, "| `%s` |", gpu->name);
        for (int k = 0; k < SHOWN; k++) print_rate(gpu, shown[k], out);
        print_property(gpu, GPU_L2_SIZE, 1 << 20, out);
        for (int k = 0; k < LATENCIES; k++) print_property(gpu, latencies[k], 1, out);
        fputs("\n", out);
    }
}

/* ---- the text */

static const char head[] =
    "# Capabilities of GPUs\n\n"
    "Made from `host/tables/capabilities.def` and `models/capabilities/*.ini`; a test fails when\n"
    "page and tables differ.\n"
    "Projection computes a kernel's time on another GPU from these figures. They describe\n"
    "hardware; the parameters of simulated GPUs are in [gpu-parameters.md](gpu-parameters.md).\n\n"
    "## The file of a GPU\n\n"
    "The file `NAME.ini` in `models/capabilities/` has sections and lines\n\n"
    "```\n"
    "[section]\n"
    "name = value ; unit | status | source\n"
    "```\n\n"
    "A rate has two lines: for `fp32.fma`, `fma_peak` and `fma_max` in section `[fp32]`. A\n"
    "property has one. Every line names the unit of the tables below. `base = NAME` before the\n"
    "first section takes over another GPU's file first; later lines replace its values. Section\n"
    "`[gpu]` also has `name`, a text for reports, and may have `model`: the file of\n"
    "`models/gpus/` that simulates the GPU. Runs of that model count as measured on it. `none`\n"
    "undoes a `model` of the base.\n\n"
    "| status | the value |\n|---|---|\n"
    "| vendor | is from a data sheet, whitepaper or programming guide |\n"
    "| measured | was measured on this hardware by the named source |\n"
    "| derived | is computed from such values; the source says how |\n"
    "| fitted | is a parameter of a model that was fitted to measurements |\n"
    "| guessed | is assumed: another GPU's, or a figure that nobody checked |\n\n"
    "**Peak** is arithmetic (SMs x lanes x clock) or the data sheet, at `clock.boost`. **Max** is\n"
    "the highest value that a microbenchmark reached. Where only the peak is known, projection\n"
    "takes the peak times max over peak of the source GPU. Where neither is known, it reports an\n"
    "error for kernels that need the rate. Two exceptions to \"highest\": `bandwidth.l2_max` of\n"
    "the V100, A100 and H100 PCIe are from one publication, because L2 patterns of different\n"
    "benchmarks are not comparable; and max of separate additions (`*.add`) is half of fused ones\n"
    "where nobody measured it. An integer max counts a multiply-add as one operation.\n\n"
    "## Describe your GPU\n\n"
    "1. Copy the file of the nearest GPU, or start with `base = NAME`.\n"
    "2. Replace the properties: `nvidia-smi -q -d CLOCK`, `cudaGetDeviceProperties()` and the\n"
    "   CUDA programming guide's table of compute capabilities have them.\n"
    "3. Recompute the peaks from SMs, lanes and clock, or copy the data sheet's.\n"
    "4. Measure the max values, or delete the lines: a max of another GPU is wrong, a missing one\n"
    "   is replaced as above. `heddle project --measure` measures most of them, on hardware and\n"
    "   on models ([projection.md](projection.md#measure-a-gpu)).\n"
    "5. Give each line its status and source. Delete what you do not know.\n"
    "6. Pass the file's path in place of a GPU's name. Errors name file, line and key.\n\n";

/* Prints the tables of rates and properties that a file may have. */
static void print_keys(FILE *out) {
    fputs("## Rates\n\n| key | unit | meaning |\n|---|---|---|\n", out);
    for (int i = 0; i < NUM_RATES; i++)
        fprintf(out, "| `%s` | %s | %s |\n", rate_rows[i].key, rate_rows[i].unit,
                rate_rows[i].meaning);
    fputs("\n## Properties\n\nLatencies count cycles of `clock.boost`.\n\n"
          "| key | unit | required | from | to | meaning |\n|---|---|---|---|---|---|\n",
          out);
    for (int i = 0; i < NUM_GPU_PROPERTIES; i++) {
        const struct property_row *row = &property_rows[i];
        fprintf(out, "| `%s` | %s | %s | %.15g | %.15g | %s |\n", row->key, row->unit,
                row->need == MUST ? "yes" : "no", row->min, row->max, row->meaning);
    }
}

/* Prints the page with the figures of every GPU in `directory`, in order of their names. @return
 * HEDDLE_ERR_CONFIG, with text in diag and nothing printed: a file is wrong, or there is none. */
heddle_err capability_print_page(FILE *out, const char *directory, struct heddle_diag *diag) {
    struct gpus gpus = {0};
    heddle_err e = load_gpus(&gpus, directory, diag);
    if (!e) {
        fputs(head, out);
        print_keys(out);
        print_arithmetic(&gpus, out);
        print_memory(&gpus, out);
    }
    free_gpus(&gpus);
    return e;
}
