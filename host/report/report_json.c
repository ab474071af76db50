/* report_json.c - writes the files of a report. report.json, kernels.csv and statistics.csv are
 * made here; other report_*.c make the rest. On the main thread of `heddle run`, cli/run_report.c
 * calls report_write() after the program has ended, and cmd_run.c report_prepare() before it
 * starts.
 *
 * Functions that return json_t return a new object that the caller owns. Functions with a FILE
 * write to it and leave errors to fclose(). */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/output_file.h"
#include "report/report_internal.h"

const struct statistic_row statistic_rows[NUM_STATISTICS] = {
#define STATISTIC(id, name, unit, scope, meaning) {name, unit, scope, meaning},
#include "tables/statistics.def"
};
const struct service_energy_row service_energy_rows[NUM_SERVICE_ENERGIES] = {
#define ENERGY(member, meaning) {#member, meaning},
#include "tables/service_energy.def"
};

const struct node_statistic_row node_statistic_rows[NUM_NODE_STATISTICS] = {
#define NODE_STATISTIC(part, member, unit, meaning) {#part, #member, unit, meaning},
#include "tables/node_statistics.def"
};

/* Peak memory of this process in bytes, from getrusage(). */
uint64_t report_peak_rss(void) {
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) == 0 ? (uint64_t)u.ru_maxrss * 1024 : 0;
}

/* The object "run": program, GPU, options, totals and times of the run, and this process's memory
 * (getrusage()). */
static json_t *run_object(const struct report *r) {
    struct gpu_kernel_record sum;
    const double wall = report_wall_s(r);
    report_sum(r, &sum);
    json_t *o = json_object();
    json_object_set_new(o, "heddle_version", json_string(r->version));
    json_object_set_new(o, "program", json_string(r->program));
    json_object_set_new(o, "gpu", json_string(r->config->gpu_name));
    json_object_set_new(o, "gpu_file", json_string(r->config->file));
    json_object_set_new(o, "timing", json_string(r->timing));
    json_object_set_new(o, "sms", report_integer(r->config->sm_count));
    json_object_set_new(o, "sm_groups", report_integer(r->sm_groups));
    json_object_set_new(o, "threads", report_integer(r->threads));
    json_object_set_new(o, "wall_s", report_number(wall));
    json_object_set_new(o, "startup_s", report_number(r->startup_s));
    json_object_set_new(o, "simulate_s", report_number(r->simulate_s));
    json_object_set_new(o, "launches", report_integer(r->launches->count));
    json_object_set_new(o, "copies", report_integer(r->launches->num_all_copies));
    json_object_set_new(o, "ptx_warp_instructions", report_integer(sum.ptx_warp_inst));
    json_object_set_new(o, "warp_instructions", report_integer(sum.warp_inst));
    json_object_set_new(o, "warp_instructions_per_s", report_number(report_rate(&sum, wall)));
    json_object_set_new(o, "core_clocks", report_integer(r->statistics[STATISTIC_CORE_CLOCKS]));
    json_object_set_new(o, "peak_rss_bytes", report_integer(report_peak_rss()));
    json_object_set_new(o, "exit_status", json_integer(r->exit_status));
    json_object_set_new(o, "ended", json_string(r->ended));
    json_t *notes = json_array();
    for (size_t i = 0; i < r->num_notes; i++)
        json_array_append_new(notes, json_string(r->notes[i]));
    json_object_set_new(o, "notes", notes);
    json_object_set_new(o, "interrupted", interrupted_array(r));
    json_object_set_new(o, "findings", report_integer(r->found));
    json_object_set_new(o, "findings_not_listed", report_integer(r->found_beyond));
    json_object_set_new(o, "sampling", report_sample_object(r));
    return o;
}

/* A copy or fill. */
static json_t *copy_object(const struct gpu_copy_record *c) {
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "kind", report_copy_kind(c->kind), "device",
                     (json_int_t)c->device, "stream", (json_int_t)c->stream, "bytes",
                     (json_int_t)c->bytes, "start_ps", (json_int_t)c->start_ps, "end_ps",
                     (json_int_t)c->end_ps);
}

/* The places where the checks of kernels found something. */
static json_t *findings_array(const struct report *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->num_findings; i++) {
        const struct report_finding *f = &r->findings[i];
        json_t *o = json_object();
        json_object_set_new(o, "kind", json_string(f->kind));
        json_object_set_new(o, "kernel", json_string(f->kernel));
        json_object_set_new(o, "count", report_integer(f->count));
        json_object_set_new(o, "first", json_string(f->text));
        json_array_append_new(list, o);
    }
    return list;
}

/* The sum of the launches of a kernel with the same shape: as a launch, without what is of one
 * launch alone. */
static json_t *group_object(const struct report *r, const struct report_group *g) {
    static const char *const of_one[] = {"launch", "stream", "start_ps", "end_ps", "issue_hash"};
    json_t *o = report_kernel_object(r, &g->sum);
    for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++) json_object_del(o, of_one[i]);
    json_object_set_new(o, "launches", report_integer(g->launches));
    json_object_set_new(o, "first_launch", report_integer(g->sum.launch));
    json_object_set_new(o, "time_ps", report_integer(g->sum.end_ps));
    json_object_set_new(o, "code", report_code_number(&r->written->counted, &g->sum));
    return o;
}

/* The node of a device. */
static json_int_t node_of(const struct report *r, uint32_t device) {
    return (json_int_t)(device / (r->gpus / r->num_nodes));
}

/* The object of a launch, a sum of launches or a copy of the device, with its node if there are
 * nodes. */
static json_t *with_node(const struct report *r, json_t *o, uint32_t device) {
    if (r->num_nodes) json_object_set_new(o, "node", json_integer(node_of(r, device)));
    return o;
}

/* The statistics of a part of a node, or of the network; with `sum`, of all nodes together. */
static json_t *part_object(const struct report *r, const char *part, unsigned node, bool sum) {
    json_t *o = json_object();
    for (unsigned i = 0; i < NUM_NODE_STATISTICS; i++) {
        const struct node_statistic_row *s = &node_statistic_rows[i];
        uint64_t value = 0;
        if (strcmp(s->part, part)) continue;
        for (unsigned n = 0; n < r->num_nodes; n++)
            if (sum || n == node) value += r->nodes[n].statistic[i];
        json_object_set_new(o, s->name, report_integer(value));
    }
    return o;
}

/* The energy of a node's service threads, in nJ. */
static json_t *energy_object(const struct report_node *n) {
    json_t *o = json_object();
    double sum = 0;
    for (unsigned i = 0; i < NUM_SERVICE_ENERGIES; i++) {
        json_object_set_new(o, service_energy_rows[i].name, json_real(n->energy[i]));
        sum += n->energy[i];
    }
    json_object_set_new(o, "sum", json_real(sum));
    return o;
}

/* The nodes of the run. */
static json_t *nodes_object(const struct report *r) {
    const unsigned devices = r->gpus / r->num_nodes;
    json_t *list = json_array();
    for (unsigned i = 0; i < r->num_nodes; i++) {
        const struct report_node *n = &r->nodes[i];
        json_t *o = json_object(), *own = json_array();
        uint64_t launches = 0, copies = 0;
        for (unsigned d = i * devices; d < (i + 1) * devices; d++) {
            launches += report_launches_on(r->launches, d);
            copies += report_launches_copies_on(r->launches, d);
            json_array_append_new(own, json_integer((json_int_t)d));
        }
        json_object_set_new(o, "node", json_integer((json_int_t)i));
        json_object_set_new(o, "program", json_string(n->program));
        json_object_set_new(o, "exit_status", json_integer(n->exit_status));
        json_object_set_new(o, "ended", json_string(n->ended));
        json_object_set_new(o, "devices", own);
        json_object_set_new(o, "end_ps", report_integer(n->end_ps));
        json_object_set_new(o, "launches", report_integer(launches));
        json_object_set_new(o, "copies", report_integer(copies));
        if (r->has_network) {
            json_object_set_new(o, "waits", part_object(r, "waits", i, false));
            json_object_set_new(o, "cp", part_object(r, "cp", i, false));
            json_object_set_new(o, "nic", part_object(r, "nic", i, false));
            json_object_set_new(o, "energy", energy_object(n));
        }
        json_array_append_new(list, o);
    }
    json_t *sets = json_array();
    for (unsigned i = 0; r->node_sets && r->node_sets[i]; i++)
        json_array_append_new(sets, json_string(r->node_sets[i]));
    return json_pack("{s:I, s:s, s:s, s:o, s:o}", "count", (json_int_t)r->num_nodes, "name",
                     r->node, "design", r->design, "set", sets, "list", list);
}

/* What identifies a compressed file of the report; null: there is none. */
static json_t *file_object(const char *name, const struct report_packed *p) {
    char sum[16];
    snprintf(sum, sizeof sum, "%08x", p->sum);
    return p->ended ? json_pack("{s:s, s:I, s:s}", "name", name, "rows", (json_int_t)p->rows,
                                "crc32c", sum)
                    : json_null();
}

/* The same of instructions.csv. */
static json_t *instructions_object(const struct report_instructions *i) {
    json_t *o = file_object("instructions.csv", &i->file);
    json_object_set_new(o, "issues", json_boolean(i->issues));
    return o;
}

/* The whole report. "run" comes last into the object, since it has the wall time. */
static json_t *whole(const struct report *r) {
    const struct report_launches *l = r->launches;
    json_t *root = json_object(), *list = json_array();
    json_object_set_new(root, "run", json_null());
    json_object_set(root, "inputs", r->inputs ? r->inputs : json_null());
    json_object_set(root, "host", r->host ? r->host : json_null());
    if (r->num_nodes) json_object_set_new(root, "nodes", nodes_object(r));
    if (r->has_network) {
        json_t *network = part_object(r, "network", 0, false);
        json_object_set_new(network, "name", json_string(r->network));
        json_object_set_new(root, "network", network);
        json_object_set_new(root, "waits", part_object(r, "waits", 0, true));
        json_object_set_new(root, "cp", part_object(r, "cp", 0, true));
    }
    for (size_t i = 0; i < l->num_kernels; i++)
        json_array_append_new(
            list, with_node(r, report_kernel_object(r, &l->kernels[i]), l->kernels[i].device));
    json_object_set_new(root, "kernels", list);
    json_object_set_new(root, "kernels_file", file_object("kernels.csv.zst", &l->kernels_file));
    list = json_array();
    for (size_t i = 0; i < l->num_groups; i++)
        json_array_append_new(list,
                              with_node(r, group_object(r, &l->group[i]), l->group[i].sum.device));
    json_object_set_new(root, "kernel_groups", list);
    list = json_array();
    for (size_t i = 0; i < l->num_copies; i++)
        json_array_append_new(list, with_node(r, copy_object(&l->copies[i]), l->copies[i].device));
    json_object_set_new(root, "copies", list);
    json_object_set_new(root, "copies_file", file_object("copies.csv.zst", &l->copies_file));
    json_object_set_new(root, "instructions_file", instructions_object(&r->written->instructions));
    json_object_set_new(root, "code_file", file_object("code.txt.zst", &r->written->code));
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
    json_object_set_new(root, "findings", findings_array(r));
    list = json_array();
    for (unsigned i = 0; i < NUM_STATISTICS; i++) {
        const struct statistic_row *s = &statistic_rows[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:s, s:s}", "name", s->name, "unit",
                                              s->unit, "value", (json_int_t)r->statistics[i],
                                              "scope", s->scope, "meaning", s->meaning));
    }
    json_object_set_new(root, "statistics", list);
    json_object_set_new(root, "power", power_run_object(r));
    json_object_set_new(root, "peaks", report_peaks_object(r->config));
    json_object_set_new(root, "parameters", report_parameters_array(r->config));
    json_object_set_new(root, "run", run_object(r));
    return root;
}

/* Writes report.json. */
static void write_json(const struct report *r, FILE *f) {
    json_t *root = whole(r);
    json_dumpf(root, f, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    json_decref(root);
}

/* Writes kernels.csv: a line for each launch. */
static void write_kernels(const struct report *r, FILE *f) {
    char head[REPORT_ROW];
    report_csv_head(head, sizeof head);
    fputs(head, f);
    fputc('\n', f);
    for (size_t i = 0; i < r->launches->num_kernels; i++) {
        const struct gpu_kernel_record *k = &r->launches->kernels[i];
        const size_t name = 2 * strlen(k->name) + 2;
        char *row = heddle_alloc(REPORT_ROW + 2 * name + 4, "a line of kernels.csv");
        char *quoted = row + REPORT_ROW + name + 1;
        report_csv_quote(k->name, quoted);
        const size_t length = report_csv_row(r, k, quoted, row);
        fwrite(row, 1, length, f);
        fputc('\n', f);
        free(row);
    }
}

/* Writes statistics.csv. */
static void write_statistics(const struct report *r, FILE *f) {
    fputs("name,unit,value,scope,meaning\n", f);
    for (unsigned i = 0; i < NUM_STATISTICS; i++)
        fprintf(f, "%s,%s,%llu,%s,\"%s\"\n", statistic_rows[i].name, statistic_rows[i].unit,
                (unsigned long long)r->statistics[i], statistic_rows[i].scope,
                statistic_rows[i].meaning);
}

/* Creates and removes a file in the directory, to see that it is writable. */
heddle_err report_prepare(const char *directory, struct heddle_diag *diag) {
    char path[1200];
    snprintf(path, sizeof path, "%s/.heddle-%ld", directory, (long)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot write the report into %s: %s", directory,
                           strerror(errno));
    close(fd);
    unlink(path);
    unsigned n = 0;
    do snprintf(path, sizeof path, "%s/snapshot-%u.json", directory, ++n);
    while (unlink(path) == 0);
    return HEDDLE_OK;
}

/* Writes the file `name` of the directory with the function `write`. @return HEDDLE_ERR_IO, with
 * text in diag. */
static heddle_err write_file(const struct report *r, const char *directory, const char *name,
                             void (*write)(const struct report *, FILE *),
                             struct heddle_diag *diag) {
    char path[1200];
    struct output_file o;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    heddle_err e = output_file_open(&o, path, OUTPUT_OWN, diag);
    if (e) return e;
    write(r, o.f);
    return output_file_commit(&o, false, diag);
}

/* Removes the file `name` of an earlier run. */
static void remove_file(const char *directory, const char *name) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    unlink(path);
}

/* Writes instructions.csv. */
static heddle_err write_instructions(const char *directory, struct report_written *w,
                                     struct heddle_diag *diag) {
    char path[1200];
    struct output_file o;
    snprintf(path, sizeof path, "%s/instructions.csv", directory);
    heddle_err e = output_file_open(&o, path, OUTPUT_OWN, diag);
    if (e) return e;
    report_instructions_write(&w->counted, o.f, &w->instructions);
    return output_file_commit(&o, false, diag);
}

/* Writes all files of the report into the directory; sampling.csv only for a sampled run. @return
 * HEDDLE_ERR_IO, with text in diag, at the first file that fails; later ones are not written.
 * kernels.csv is there only if it has all launches. */
heddle_err report_write(const struct report *r, const char *directory, struct heddle_diag *diag) {
    const bool has_all = report_has_all(r->launches);
    heddle_err e = HEDDLE_OK;
    if (!has_all) remove_file(directory, "kernels.csv");
    if (!r->sampling) remove_file(directory, "sampling.csv");
    if (!r->traced) remove_file(directory, "api.txt");
    if (!r->traced) remove_file(directory, "api.json");
    if (!r->has_timeline) remove_file(directory, "trace.json");
    remove_file(directory, "report.html"); /* `heddle report` makes it */
    if (has_all) e = write_file(r, directory, "kernels.csv", write_kernels, diag);
    if (!e) e = write_file(r, directory, "statistics.csv", write_statistics, diag);
    if (!e) e = write_file(r, directory, "cpi_stack.csv", cpi_write_csv, diag);
    if (!e) e = write_file(r, directory, "instruction_mix.csv", mix_write_csv, diag);
    struct report_written written = {0};
    report_counted_list(r, &written.counted);
    if (!e) e = write_instructions(directory, &written, diag);
    if (!e) e = report_code_write(r, &written.counted, directory, &written.code, diag);
    if (!e && r->sampling)
        e = write_file(r, directory, "sampling.csv", report_sample_write_csv, diag);
    if (!e) e = write_file(r, directory, "cpi_stack.svg", cpi_write_svg, diag);
    /* last: it has the wall time and the memory of all that */
    struct report last = *r;
    last.written = &written;
    if (!e) e = write_file(&last, directory, "report.json", write_json, diag);
    report_counted_free(&written.counted);
    return e;
}

heddle_err report_write_snapshot(const struct report *r, const char *directory, const char *name,
                                 struct heddle_diag *diag) {
    struct report_written written = {.counted = {0}};
    struct report now = *r;
    report_counted_list(r, &written.counted);
    now.written = &written;
    const heddle_err e = write_file(&now, directory, name, write_json, diag);
    report_counted_free(&written.counted);
    return e;
}
