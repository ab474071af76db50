/* report_json.c - the files of a report: report.json, kernels.csv, statistics.csv. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/report_internal.h"

const struct statistic_row statistic_rows[NUM_STATISTICS] = {
#define STATISTIC(id, name, unit, scope, meaning) {name, unit, scope, meaning},
#include "tables/statistics.def"
};

uint64_t report_peak_rss(void) {
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) == 0 ? (uint64_t)u.ru_maxrss * 1024 : 0;
}

static json_t *number(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}
static json_t *count(uint64_t x) {
    return json_integer((json_int_t)x);
}
static json_t *triple(const uint32_t v[3]) {
    return json_pack("[i,i,i]", v[0], v[1], v[2]);
}

static json_t *run_object(const struct report *r) {
    struct gpu_kernel_record sum;
    report_sum(r, &sum);
    json_t *o = json_object();
    json_object_set_new(o, "heddle_version", json_string(r->version));
    json_object_set_new(o, "program", json_string(r->program));
    json_object_set_new(o, "gpu", json_string(r->config->gpu_name));
    json_object_set_new(o, "gpu_file", json_string(r->config->file));
    json_object_set_new(o, "timing", json_string(r->timing));
    json_object_set_new(o, "sms", count(r->config->sm_count));
    json_object_set_new(o, "sm_groups", count(r->sm_groups));
    json_object_set_new(o, "threads", count(r->threads));
    json_object_set_new(o, "wall_s", number(r->wall_s));
    json_object_set_new(o, "startup_s", number(r->startup_s));
    json_object_set_new(o, "simulate_s", number(r->simulate_s));
    json_object_set_new(o, "ptx_warp_instructions", count(sum.ptx_warp_inst));
    json_object_set_new(o, "warp_instructions", count(sum.warp_inst));
    json_object_set_new(o, "warp_instructions_per_s",
                        number(r->wall_s > 0 ? (double)sum.warp_inst / r->wall_s : NAN));
    json_object_set_new(o, "core_clocks", count(r->statistics[STATISTIC_CORE_CLOCKS]));
    json_object_set_new(o, "peak_rss_bytes", count(report_peak_rss()));
    json_object_set_new(o, "exit_status", json_integer(r->exit_status));
    json_object_set_new(o, "ended", json_string(r->ended));
    json_t *notes = json_array();
    for (size_t i = 0; i < r->num_notes; i++)
        json_array_append_new(notes, json_string(r->notes[i]));
    json_object_set_new(o, "notes", notes);
    json_object_set_new(o, "sampling", report_sample_object(r));
    return o;
}

static json_t *kernel_object(const struct report *r, const struct gpu_kernel_record *k) {
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)k->issue_hash);
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(k->name));
    json_object_set_new(o, "launch", count(k->launch));
    json_object_set_new(o, "device", count(k->device));
    json_object_set_new(o, "stream", count(k->stream));
    json_object_set_new(o, "timed", json_boolean(!k->untimed && strcmp(r->timing, "none")));
    json_object_set_new(o, "estimated", json_boolean(k->estimated));
    json_object_set_new(o, "grid", triple(k->grid));
    json_object_set_new(o, "block", triple(k->block));
    json_object_set_new(o, "registers", count(k->regs));
    json_object_set_new(o, "shared_bytes", count(k->shared_bytes));
    json_object_set_new(o, "cycles", count(k->cycles));
    json_object_set_new(o, "launch_cycles", count(k->launch_cycles));
    json_object_set_new(o, "start_ps", count(k->start_ps));
    json_object_set_new(o, "end_ps", count(k->end_ps));
    json_object_set_new(o, "ptx_warp_instructions", count(k->ptx_warp_inst));
    json_object_set_new(o, "warp_instructions", count(k->warp_inst));
    json_object_set_new(o, "thread_instructions", count(mir_all_kinds(k->thread_inst)));
    json_object_set_new(o, "instruction_mix", mix_object(k));
    json_object_set_new(o, "ipc", number(kernel_ipc(k)));
    json_object_set_new(o, "l1_hit_rate", number(hit_rate(k->l1_hits, k->l1_accesses)));
    json_object_set_new(o, "l2_hit_rate", number(hit_rate(k->l2_hits, k->l2_accesses)));
    json_object_set_new(o, "l1_accesses", count(k->l1_accesses));
    json_object_set_new(o, "l2_accesses", count(k->l2_accesses));
    json_object_set_new(o, "dram_read_bytes", count(k->dram_read_bytes));
    json_object_set_new(o, "dram_write_bytes", count(k->dram_write_bytes));
    json_object_set_new(o, "dram_bytes_per_s",
                        number(kernel_bandwidth(k, r->config->clock_core_mhz)));
    json_object_set_new(o, "issue_hash", json_string(hash));
    json_t *stack = k->sub_core_cycles ? json_object() : json_null();
    for (unsigned p = 0; k->sub_core_cycles && p < CPI_PARTS; p++)
        json_object_set_new(stack, cpi_name(p), count(cpi_cycles(k, p)));
    json_object_set_new(o, "sub_core_cycles", count(k->sub_core_cycles));
    json_object_set_new(o, "cpi_stack", stack);
    json_object_set_new(o, "wall_s", number(k->wall_s));
    return o;
}

static json_t *whole(const struct report *r) {
    json_t *root = json_object(), *list = json_array();
    json_object_set_new(root, "run", run_object(r));
    for (size_t i = 0; i < r->num_kernels; i++)
        json_array_append_new(list, kernel_object(r, &r->kernels[i]));
    json_object_set_new(root, "kernels", list);
    list = json_array();
    for (size_t i = 0; i < r->num_calls; i++) {
        const struct report_call *c = &r->calls[i];
        json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:I, s:b}", "name", c->name, "count",
                                              (json_int_t)c->count, "scheduler",
                                              (json_int_t)(c->scheduler ? c->count : 0), "sm",
                                              (json_int_t)(c->sm ? c->count : 0), "supported",
                                              !c->refused));
    }
    json_object_set_new(root, "cuda_calls", list);
    list = json_array();
    for (unsigned i = 0; i < NUM_STATISTICS; i++) {
        const struct statistic_row *s = &statistic_rows[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:s, s:s}", "name", s->name, "unit",
                                              s->unit, "value", (json_int_t)r->statistics[i],
                                              "scope", s->scope, "meaning", s->meaning));
    }
    json_object_set_new(root, "statistics", list);
    return root;
}

/* A ratio in a CSV cell: empty when it does not exist. */
static void cell(FILE *f, double x) {
    if (isfinite(x)) fprintf(f, "%.6g", x);
    fputc(',', f);
}

static void write_kernels(const struct report *r, FILE *f) {
    fputs("launch,name,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,registers,shared_bytes,"
          "cycles,launch_cycles,start_ps,end_ps,ptx_warp_instructions,warp_instructions,"
          "thread_instructions,ipc,l1_hit_rate,l2_hit_rate,dram_bytes_per_s,dram_read_bytes,"
          "dram_write_bytes,issue_hash,estimated\n",
          f);
    for (size_t i = 0; i < r->num_kernels; i++) {
        const struct gpu_kernel_record *k = &r->kernels[i];
        fprintf(f, "%llu,", (unsigned long long)k->launch);
        report_csv_name(k->name, f);
        fprintf(f, ",%u,%u,%u,%u,%u,%u,%u,%u,%u,", k->stream, k->grid[0], k->grid[1], k->grid[2],
                k->block[0], k->block[1], k->block[2], k->regs, k->shared_bytes);
        fprintf(f, "%llu,%llu,%llu,%llu,%llu,%llu,%llu,", (unsigned long long)k->cycles,
                (unsigned long long)k->launch_cycles, (unsigned long long)k->start_ps,
                (unsigned long long)k->end_ps, (unsigned long long)k->ptx_warp_inst,
                (unsigned long long)k->warp_inst,
                (unsigned long long)mir_all_kinds(k->thread_inst));
        cell(f, kernel_ipc(k));
        cell(f, hit_rate(k->l1_hits, k->l1_accesses));
        cell(f, hit_rate(k->l2_hits, k->l2_accesses));
        cell(f, kernel_bandwidth(k, r->config->clock_core_mhz));
        fprintf(f, "%llu,%llu,%016llx,%d\n", (unsigned long long)k->dram_read_bytes,
                (unsigned long long)k->dram_write_bytes, (unsigned long long)k->issue_hash,
                k->estimated);
    }
}

static void write_statistics(const struct report *r, FILE *f) {
    fputs("name,unit,value,scope,meaning\n", f);
    for (unsigned i = 0; i < NUM_STATISTICS; i++)
        fprintf(f, "%s,%s,%llu,%s,\"%s\"\n", statistic_rows[i].name, statistic_rows[i].unit,
                (unsigned long long)r->statistics[i], statistic_rows[i].scope,
                statistic_rows[i].meaning);
}

/* Makes the directory and those above it. */
static int make_directory(const char *path, bool *made) {
    char part[1024];
    *made = false;
    if ((size_t)snprintf(part, sizeof part, "%s", path) >= sizeof part) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (char *p = part + 1; *p; p++) {
        if (*p != '/') continue;
        *p = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) return -1;
        *p = '/';
    }
    *made = mkdir(part, 0777) == 0;
    if (*made) return 0;
    struct stat st;
    if (errno != EEXIST || stat(part, &st) != 0) return -1;
    errno = ENOTDIR;
    return S_ISDIR(st.st_mode) ? 0 : -1;
}

heddle_err report_prepare(const char *directory, bool *made, struct heddle_diag *diag) {
    char path[1200];
    bool is_new;
    if (make_directory(directory, &is_new) != 0)
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot make the report's directory %s: %s",
                           directory, strerror(errno));
    snprintf(path, sizeof path, "%s/.heddle-%ld", directory, (long)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot write the report into %s: %s", directory,
                           strerror(errno));
    close(fd);
    unlink(path);
    if (made) *made = is_new;
    return HEDDLE_OK;
}

static heddle_err write_csv(const struct report *r, const char *directory, const char *name,
                            void (*write)(const struct report *, FILE *),
                            struct heddle_diag *diag) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "we");
    if (f) write(r, f);
    if (!f || fclose(f) != 0)
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    return HEDDLE_OK;
}

heddle_err report_write(const struct report *r, const char *directory, struct heddle_diag *diag) {
    char path[1200];
    heddle_err prepared = report_prepare(directory, NULL, diag);
    if (prepared) return prepared;
    snprintf(path, sizeof path, "%s/report.json", directory);
    json_t *root = whole(r);
    int failed = !root || json_dump_file(root, path, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) != 0;
    json_decref(root);
    if (failed)
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    heddle_err e = write_csv(r, directory, "kernels.csv", write_kernels, diag);
    if (!e) e = write_csv(r, directory, "statistics.csv", write_statistics, diag);
    if (!e) e = write_csv(r, directory, "cpi_stack.csv", cpi_write_csv, diag);
    if (!e) e = write_csv(r, directory, "instruction_mix.csv", mix_write_csv, diag);
    if (!e && r->sampling)
        e = write_csv(r, directory, "sampling.csv", report_sample_write_csv, diag);
    return e ? e : write_csv(r, directory, "cpi_stack.svg", cpi_write_svg, diag);
}

void report_print_page(FILE *out) {
    fprintf(out,
            "# Statistics\n\n"
            "Made from `host/tables/statistics.def`; a test fails when page and table differ.\n"
            "They are in `report.json` and `statistics.csv` of every run.\n\n"
            "| name | unit | scope | meaning |\n|---|---|---|---|\n");
    for (unsigned i = 0; i < NUM_STATISTICS; i++)
        fprintf(out, "| `%s` | %s | %s | %s |\n", statistic_rows[i].name, statistic_rows[i].unit,
                statistic_rows[i].scope, statistic_rows[i].meaning);
}
