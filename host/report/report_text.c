/* report_text.c - prints the report as text at the end of a run: a table of launches, the CPI
 * stack, the instruction mix, calls, notes and times. cli/run_report.c calls report_print() on the
 * main thread of `heddle run`; everything else serves that.
 *
 * Functions that format a value write it as text into out[size]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "report/diagnosis.h"
#include "report/report_internal.h"

enum { MOST_LINES = 24 }; /* with more launches, the table has one line for each kernel name */

/* Formats "1.5 MB". */
static void human_bytes(char *out, size_t size, double bytes) {
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB"};
    unsigned i = 0;
    for (; bytes >= 1000 && i < 4; i++) bytes /= 1000;
    snprintf(out, size, i ? "%.1f %s" : "%.0f %s", bytes, unit[i]);
}

/* Formats "3.8 us". */
static void human_time(char *out, size_t size, double ps) {
    static const char *const unit[] = {"ps", "ns", "us", "ms", "s"};
    unsigned i = 0;
    for (; ps >= 1000 && i < 4; i++) ps /= 1000;
    snprintf(out, size, i ? "%.2f %s" : "%.0f %s", ps, unit[i]);
}

/* Formats a ratio in percent, "-" if it is undefined. */
static void percent(char *out, size_t size, double rate) {
    if (isfinite(rate))
        snprintf(out, size, "%.1f%%", 100 * rate);
    else
        snprintf(out, size, "-");
}

/* ---- the table: cells of text. Columns without a value in any line are left out. */

enum column {
    NUMBER,
    GPU,
    KERNEL,
    GRID,
    BLOCK,
    CYCLES,
    LAUNCH,
    EXECUTION,
    TIME,
    INSTRUCTIONS,
    IPC,
    L1,
    L2,
    DRAM_READ,
    DRAM_WRITTEN,
    BANDWIDTH,
    FAULTS,
    MIGRATED,
    NUM_COLUMNS
};
enum { CELL = 48, MOST_OF_A_NAME = 40 };
static const char *const heads[NUM_COLUMNS] = {
    "#",         "GPU", "kernel", "grid", "block",   "cycles",  "launch", "execution", "time",
    "warp inst", "IPC", "L1",     "L2",   "DRAM rd", "DRAM wr", "GB/s",   "faults",    "migrated"};

/* A line of the table. "-": no value. */
struct line {
    char cell[NUM_COLUMNS][CELL];
};
/* The table: its lines, owned. */
struct table {
    struct line *line;
    size_t count;
};

/* Stores a number in a cell. */
static void put(struct line *l, enum column c, uint64_t x) {
    snprintf(l->cell[c], CELL, "%llu", (unsigned long long)x);
}

/* Stores the GPU's number, or with --nodes that of the node and that of the GPU there. One GPU has
 * no number. */
static void put_gpu(struct line *l, const struct report *r, uint32_t device) {
    const unsigned each = r->num_nodes ? r->gpus / r->num_nodes : 0;
    if (each)
        snprintf(l->cell[GPU], CELL, "%u.%u", device / each, device % each);
    else if (r->gpus > 1)
        put(l, GPU, device);
}

/* Appends a line for a launch or a sum, which took time_ps. The caller fills in NUMBER, GRID and
 * BLOCK. */
static struct line *add_line(struct table *t, const struct report *r,
                             const struct gpu_kernel_record *k, double time_ps) {
    struct line *l = &t->line[t->count++];
    double bandwidth = kernel_bandwidth(k, r->config->clock_core_mhz);
    const char *name = k->name ? k->name : "";
    for (unsigned c = 0; c < NUM_COLUMNS; c++) snprintf(l->cell[c], CELL, "-");
    const size_t length = strlen(name); /* names differ at their ends */
    if (length > MOST_OF_A_NAME)
        snprintf(l->cell[KERNEL], CELL, "..%s", name + length - (MOST_OF_A_NAME - 2));
    else
        snprintf(l->cell[KERNEL], CELL, "%s", name);
    put(l, INSTRUCTIONS, k->warp_inst);
    if (!k->cycles && k->untimed) snprintf(l->cell[CYCLES], CELL, "not timed");
    if (!k->cycles) return l; /* timing off */
    snprintf(l->cell[CYCLES], CELL, k->estimated ? "~%llu" : "%llu", (unsigned long long)k->cycles);
    put(l, LAUNCH, k->launch_cycles);
    put(l, EXECUTION, k->cycles - k->launch_cycles);
    human_time(l->cell[TIME], CELL, time_ps);
    if (isfinite(kernel_ipc(k))) snprintf(l->cell[IPC], CELL, "%.2f", kernel_ipc(k));
    percent(l->cell[L1], CELL, hit_rate(k->l1_hits, k->l1_accesses));
    percent(l->cell[L2], CELL, hit_rate(k->l2_hits, k->l2_accesses));
    human_bytes(l->cell[DRAM_READ], CELL, (double)k->dram_read_bytes);
    human_bytes(l->cell[DRAM_WRITTEN], CELL, (double)k->dram_write_bytes);
    if (isfinite(bandwidth)) snprintf(l->cell[BANDWIDTH], CELL, "%.1f", bandwidth * 1e-9);
    if (!k->page_faults) return l;
    put(l, FAULTS, k->page_faults);
    human_bytes(l->cell[MIGRATED], CELL, (double)k->migrated_in_bytes);
    return l;
}

/* Prints a line; columns of width 0 are left out. */
static void print_cells(const char (*cell)[CELL], const int *width, FILE *out) {
    const char *gap = "";
    for (unsigned c = 0; c < NUM_COLUMNS; c++) {
        if (!width[c]) continue;
        fprintf(out, c == KERNEL ? "%s%-*s" : "%s%*s", gap, width[c], cell[c]);
        gap = "  ";
    }
    fputc('\n', out);
}

/* Prints the head and all lines, each column as wide as its widest cell; columns without a value
 * are left out, except the kernel's name. */
static void print_table(const struct table *t, FILE *out) {
    struct line head;
    int width[NUM_COLUMNS];
    for (unsigned c = 0; c < NUM_COLUMNS; c++) {
        bool some = c == KERNEL;
        snprintf(head.cell[c], CELL, "%s", heads[c]);
        width[c] = (int)strlen(heads[c]);
        for (size_t i = 0; i < t->count; i++) {
            const char *text = t->line[i].cell[c];
            some = some || (*text && strcmp(text, "-"));
            if ((int)strlen(text) > width[c]) width[c] = (int)strlen(text);
        }
        if (!some) width[c] = 0;
    }
    print_cells((const char(*)[CELL])head.cell, width, out);
    for (size_t i = 0; i < t->count; i++)
        print_cells((const char(*)[CELL])t->line[i].cell, width, out);
}

/* Appends a line for each launch. */
static void add_launches(const struct report *r, struct table *t) {
    for (size_t i = 0; i < r->launches->num_kernels; i++) {
        const struct gpu_kernel_record *k = &r->launches->kernels[i];
        struct line *l = add_line(t, r, k, (double)(k->end_ps - k->start_ps));
        put(l, NUMBER, k->launch);
        put_gpu(l, r, k->device);
        report_shape(l->cell[GRID], CELL, k->grid);
        report_shape(l->cell[BLOCK], CELL, k->block);
    }
}

/* Appends a line for each kernel name on each GPU, with "12x" for the number of launches. */
static void add_names(const struct report *r, const struct report_sums *names, struct table *t) {
    for (size_t i = 0; i < names->count; i++) {
        const struct report_name *name = &names->of[i];
        struct line *l = add_line(t, r, &name->k, (double)name->k.end_ps);
        snprintf(l->cell[NUMBER], CELL, "%llux", (unsigned long long)name->launches);
        put_gpu(l, r, name->k.device);
        snprintf(l->cell[GRID], CELL, "various");
        snprintf(l->cell[BLOCK], CELL, "various");
        if (!name->grids) report_shape(l->cell[GRID], CELL, name->k.grid);
        if (!name->blocks) report_shape(l->cell[BLOCK], CELL, name->k.block);
    }
}

/* Prints the table: a line for each launch, or for each kernel name if there are more than
 * MOST_LINES launches, and their sum. Allocates and frees the lines. */
static void print_kernels(const struct report *r, const struct gpu_kernel_record *sum, FILE *out) {
    const uint64_t launches = r->launches->count;
    struct report_sums names;
    report_gpu_sums(r, &names);
    const bool by_name = launches > MOST_LINES;
    const size_t lines = (by_name ? names.count : launches) + 1;
    struct table t = {heddle_alloc_array(lines, sizeof *t.line, "table of kernels"), 0};
    if (by_name)
        add_names(r, &names, &t);
    else
        add_launches(r, &t);
    free(names.of);
    if (launches > 1) {
        struct gpu_kernel_record all = *sum;
        all.name = "all";
        struct line *l = add_line(&t, r, &all, (double)sum->end_ps);
        snprintf(l->cell[NUMBER], CELL, "%llux", (unsigned long long)launches);
        l->cell[GRID][0] = l->cell[BLOCK][0] = '\0';
    }
    print_table(&t, out);
    free(t.line);
}

/* Prints why there is no table: no launch has ended. */
static void print_no_kernels(const struct report *r, FILE *out) {
    uint64_t launches = 0;
    for (size_t i = 0; i < r->num_calls; i++)
        if (r->calls[i].sm && !r->calls[i].refused && strstr(r->calls[i].name, "Launch"))
            launches += r->calls[i].count;
    if (launches || r->num_interrupted)
        fprintf(out, "No kernel has ended: %s.\n",
                r->num_interrupted ? "those that ran were given up" : "launches failed");
    else
        fprintf(out, "No kernel was run.\n");
}

/* Prints how many CUDA calls were made and reached the scheduler and the SMs, and names the calls
 * that are not supported. */
static void print_calls(const struct report *r, FILE *out) {
    uint64_t all = 0, scheduler = 0, sm = 0;
    unsigned refused = 0;
    for (size_t i = 0; i < r->num_calls; i++) {
        all += r->calls[i].count;
        if (r->calls[i].scheduler) scheduler += r->calls[i].count;
        if (r->calls[i].sm) sm += r->calls[i].count;
        refused += r->calls[i].refused;
    }
    fprintf(out, "CUDA calls: %llu, of which %llu reached the scheduler and %llu the SMs\n",
            (unsigned long long)all, (unsigned long long)scheduler, (unsigned long long)sm);
    if (!refused) return;
    fprintf(out, "Not supported, returned cudaErrorNotSupported:");
    for (size_t i = 0; i < r->num_calls; i++)
        if (r->calls[i].refused)
            fprintf(out, " %s (%llux)", r->calls[i].name, (unsigned long long)r->calls[i].count);
    fputc('\n', out);
}

/* A statistic of all nodes together. */
static double of_nodes(const struct report *r, unsigned row) {
    double sum = 0;
    for (unsigned i = 0; i < r->num_nodes; i++) sum += (double)r->nodes[i].statistic[row];
    return sum;
}

/* Prints what warps waited for that used the network from inside a kernel. */
static void print_waits(const struct report *r, FILE *out) {
    static const struct {
        const char *text;
        unsigned count, ps;
    } wait[] = {
#define WAIT(text, count, ps) {text, NODE_STATISTIC_waits_##count, NODE_STATISTIC_waits_##ps}
        WAIT("a place in a queue", slots, slot),
        WAIT("packing a command", commands, packing),
        WAIT("its service", services, service),
        WAIT("words that others write", looks, memory),
#undef WAIT
    };
    if (!r->has_network ||
        !(of_nodes(r, NODE_STATISTIC_waits_commands) + of_nodes(r, NODE_STATISTIC_waits_looks)))
        return;
    fprintf(out, "Waits of warps for the network    number      together          each\n");
    for (unsigned i = 0; i < sizeof wait / sizeof *wait; i++) {
        const double count = of_nodes(r, wait[i].count), ps = of_nodes(r, wait[i].ps);
        char together[32], each[32] = "-";
        human_time(together, sizeof together, ps);
        if (count > 0) human_time(each, sizeof each, ps / count);
        fprintf(out, "  %-26s %11.0f %13s %13s\n", wait[i].text, count, together, each);
    }
}

/* Prints the places where the checks of kernels found something. */
static void print_findings(const struct report *r, FILE *out) {
    if (!r->found) return;
    fprintf(out, "Findings of the checks (docs/errors.md), each place with its first example:\n");
    for (size_t i = 0; i < r->num_findings; i++)
        fprintf(out, "%10llu x %s\n", (unsigned long long)r->findings[i].count,
                r->findings[i].text);
    if (r->found_beyond)
        fprintf(out, "%10llu x at more places than the %zu listed\n",
                (unsigned long long)r->found_beyond, r->num_findings);
}

/* Prints the whole report to `out`, without checking for write errors. `directory`: where its files
 * are; NULL: none were written. */
void report_print(const struct report *r, const char *directory, FILE *out) {
    struct gpu_kernel_record sum;
    char rss[32], time[32];
    report_sum(r, &sum);
    fprintf(out, "\nHeddle %s: %s on %s, %llu SMs at %g MHz, timing %s%s\n", r->version, r->program,
            r->config->gpu_name, (unsigned long long)r->config->sm_count, r->config->clock_core_mhz,
            r->timing, r->sampling ? ", sampled" : "");
    if (r->launches->count) {
        print_kernels(r, &sum, out);
        stopped_print(r, out);
        cpi_print(r, out);
        counters_print(r, out);
        mix_print(r, out);
        power_print(r, out);
        diagnosis_print(r, out);
        report_sample_print(r, out);
    } else {
        print_no_kernels(r, out);
    }
    print_waits(r, out);
    print_calls(r, out);
    interrupted_print(r, out);
    print_findings(r, out);
    for (size_t i = r->num_said; i < r->num_notes; i++) fprintf(out, "Note: %s\n", r->notes[i]);
    const double wall = report_wall_s(r);
    human_bytes(rss, sizeof rss, (double)report_peak_rss());
    human_time(time, sizeof time, (double)r->statistics[STATISTIC_HOST_TIME]);
    fprintf(out,
            "Target time %s. Wall time %.2f s (start-up %.2f, simulation %.2f); %.0f warp "
            "instructions/s, %.0f PTX warp instructions/s; peak memory %s\n",
            time, wall, r->startup_s, r->simulate_s, report_rate(&sum, wall),
            report_ptx_rate(&sum, wall), rss);
    if (directory)
        fprintf(out,
                "Written: %s/report.json, %skernels.csv.zst, copies.csv.zst, statistics.csv, "
                "cpi_stack.csv, cpi_stack.svg, instruction_mix.csv, instructions.csv, "
                "code.txt.zst%s%s\n",
                directory, report_has_all(r->launches) ? "kernels.csv, " : "",
                r->sampling ? ", sampling.csv" : "", r->has_timeline ? ", trace.json" : "");
}
