/* report_text.c - the report as a person reads it at the end of a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

enum { MOST_LINES = 24 }; /* more launches than this: one line a kernel */

/* "1.5 MB" */
static void human_bytes(char *out, size_t size, double bytes) {
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB"};
    unsigned i = 0;
    for (; bytes >= 1000 && i < 4; i++) bytes /= 1000;
    snprintf(out, size, i ? "%.1f %s" : "%.0f %s", bytes, unit[i]);
}

/* "3.8 us" of target time */
static void human_time(char *out, size_t size, double ps) {
    static const char *const unit[] = {"ps", "ns", "us", "ms", "s"};
    unsigned i = 0;
    for (; ps >= 1000 && i < 4; i++) ps /= 1000;
    snprintf(out, size, i ? "%.2f %s" : "%.0f %s", ps, unit[i]);
}

static void percent(char *out, size_t size, double rate) {
    if (isfinite(rate))
        snprintf(out, size, "%.1f%%", 100 * rate);
    else
        snprintf(out, size, "-");
}

static void shape(char *out, size_t size, const uint32_t v[3]) {
    if (v[2] > 1)
        snprintf(out, size, "%ux%ux%u", v[0], v[1], v[2]);
    else if (v[1] > 1)
        snprintf(out, size, "%ux%u", v[0], v[1]);
    else
        snprintf(out, size, "%u", v[0]);
}

static void print_line(const struct report *r, const struct gpu_kernel_record *k,
                       const char *number, const char *grid, const char *block, double time_ps,
                       FILE *out) {
    char time[32], ipc[16] = "-", l1[16], l2[16], read[24], written[24], rate[24] = "-";
    double bandwidth = kernel_bandwidth(k, r->config->clock_core_mhz);
    human_time(time, sizeof time, time_ps);
    percent(l1, sizeof l1, hit_rate(k->l1_hits, k->l1_accesses));
    percent(l2, sizeof l2, hit_rate(k->l2_hits, k->l2_accesses));
    human_bytes(read, sizeof read, (double)k->dram_read_bytes);
    human_bytes(written, sizeof written, (double)k->dram_write_bytes);
    if (isfinite(kernel_ipc(k))) snprintf(ipc, sizeof ipc, "%.2f", kernel_ipc(k));
    if (isfinite(bandwidth)) snprintf(rate, sizeof rate, "%.1f", bandwidth * 1e-9);
    if (k->untimed && !k->cycles) {
        fprintf(out, "%5s  %-24.24s %9s %7s %11s %9s %11s %10s %11llu\n", number,
                k->name ? k->name : "", grid, block, "not timed", "-", "-", "-",
                (unsigned long long)k->warp_inst);
        return;
    }
    fprintf(out, "%5s  %-24.24s %9s %7s %11llu %9llu %11llu %10s %11llu %6s %6s %6s %9s %9s %6s\n",
            number, k->name ? k->name : "", grid, block, (unsigned long long)k->cycles,
            (unsigned long long)k->launch_cycles,
            (unsigned long long)(k->cycles - k->launch_cycles), time,
            (unsigned long long)k->warp_inst, ipc, l1, l2, read, written, rate);
}

static void print_launches(const struct report *r, FILE *out) {
    for (size_t i = 0; i < r->num_kernels; i++) {
        const struct gpu_kernel_record *k = &r->kernels[i];
        char number[24], grid[40], block[40];
        snprintf(number, sizeof number, "%llu", (unsigned long long)k->launch);
        shape(grid, sizeof grid, k->grid);
        shape(block, sizeof block, k->block);
        print_line(r, k, number, grid, block, (double)(k->end_ps - k->start_ps), out);
    }
}

/* One line a kernel name, in the order of the first launch; "12x" instead of the number. */
static void print_by_name(const struct report *r, FILE *out) {
    unsigned char *done = calloc(r->num_kernels, 1);
    if (!done) return;
    for (size_t i = 0; i < r->num_kernels; i++) {
        if (done[i]) continue;
        struct report part = *r;
        struct gpu_kernel_record *same = calloc(r->num_kernels - i, sizeof *same), sum;
        if (!same) break;
        part.kernels = same;
        part.num_kernels = 0;
        for (size_t j = i; j < r->num_kernels; j++) {
            if (done[j] || strcmp(r->kernels[j].name, r->kernels[i].name)) continue;
            done[j] = 1;
            same[part.num_kernels++] = r->kernels[j];
        }
        report_sum(&part, &sum);
        sum.name = r->kernels[i].name;
        char times[24], block[40];
        snprintf(times, sizeof times, "%zux", part.num_kernels);
        shape(block, sizeof block, r->kernels[i].block);
        print_line(r, &sum, times, "", block, (double)sum.end_ps, out);
        free(same);
    }
    free(done);
}

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

void report_print(const struct report *r, const char *directory, FILE *out) {
    struct gpu_kernel_record sum;
    char rss[32], time[32];
    report_sum(r, &sum);
    fprintf(out, "\nHeddle %s: %s on %s, %llu SMs at %g MHz, timing %s\n", r->version, r->program,
            r->config->gpu_name, (unsigned long long)r->config->sm_count, r->config->clock_core_mhz,
            r->timing);
    if (r->num_kernels) {
        fprintf(out, "%5s  %-24s %9s %7s %11s %9s %11s %10s %11s %6s %6s %6s %9s %9s %6s\n", "#",
                "kernel", "grid", "block", "cycles", "launch", "execution", "time", "warp inst",
                "IPC", "L1", "L2", "DRAM rd", "DRAM wr", "GB/s");
        if (r->num_kernels > MOST_LINES)
            print_by_name(r, out);
        else
            print_launches(r, out);
        if (r->num_kernels > 1) {
            sum.name = "all";
            char times[24];
            snprintf(times, sizeof times, "%zux", r->num_kernels);
            print_line(r, &sum, times, "", "", (double)sum.end_ps, out);
        }
    } else {
        fprintf(out, "No kernel was run.\n");
    }
    print_calls(r, out);
    for (size_t i = 0; i < r->num_notes; i++) fprintf(out, "Note: %s\n", r->notes[i]);
    human_bytes(rss, sizeof rss, (double)report_peak_rss());
    human_time(time, sizeof time, (double)r->statistics[STATISTIC_HOST_TIME]);
    fprintf(out,
            "Target time %s. Wall time %.2f s (start-up %.2f, simulation %.2f); %.0f warp "
            "instructions/s, %.0f PTX warp instructions/s; peak memory %s\n",
            time, r->wall_s, r->startup_s, r->simulate_s,
            r->wall_s > 0 ? (double)sum.warp_inst / r->wall_s : 0.0,
            r->wall_s > 0 ? (double)sum.ptx_warp_inst / r->wall_s : 0.0, rss);
    if (directory)
        fprintf(out, "Written: %s/report.json, kernels.csv, statistics.csv\n", directory);
}
