/* test_report.c - host/report: report.json has the names that tools rely on, with the right values;
 * the CSV files and the text on the terminal. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/packed_lines.h"
#include "report/report.h"

/* Gives the report these launches, in place of those that it has. */
static void take(struct report *r, const struct gpu_kernel_record *k, size_t n) {
    struct heddle_diag diag = {0};
    report_launches_free((struct report_launches *)(uintptr_t)r->launches);
    struct report_launches *l = report_launches_create(r->config, r->timing);
    for (size_t i = 0; i < n; i++) report_launches_add(l, &k[i]);
    cr_assert_eq(report_launches_end(l, &diag), HEDDLE_OK);
    r->launches = l;
}

/* Frees what make() made. */
static void done(struct report *r, struct config *c) {
    report_launches_free((struct report_launches *)(uintptr_t)r->launches);
    config_free(c);
}

/* Makes a report of a run with two kernels, calls and a note, for done(). */
static void make(struct report *r, struct config **c, struct gpu_kernel_record *k,
                 struct report_call *calls) {
    static const char *const notes[] = {"a note"};
    struct heddle_diag diag = {0};
    cr_assert_eq(config_load(c, "v100", GPUS, NULL, 0, &diag), HEDDLE_OK, "%s", diag.text);
    k[0] = (struct gpu_kernel_record){
        .name = "first \"quoted\"",
        .launch = 0,
        .grid = {4, 1, 1},
        .block = {256, 1, 1},
        .start_ps = 100,
        .end_ps = 1100,
        .cycles = 1500,
        .launch_cycles = 500,
        .counted_cycles = 1000,
        .warp_inst = 2000,
        .ptx_warp_inst = 3000,
        .thread_inst = {[MIR_KIND_FP32_ADD] = 48000, [MIR_KIND_MISC] = 8000},
        .l1_hits = 1,
        .l1_accesses = 4,
        .dram_read_bytes = 640,
        .issue_hash = 0xabc,
        .resident_ctas = 2,
        .sm_cycles = 250,
        .warp_cycles = 2000,
        .access_requests = {[EXEC_ACCESS_GLOBAL_LOAD] = 10},
        .access_sectors = {[EXEC_ACCESS_GLOBAL_LOAD] = 40},
        .conflict_passes = 7,
        .branches = 12,
        .divergent_branches = 3,
        .sub_core_cycles = 1000,
        .issued = 500,
        .wait = {100, 150, 250}};
    k[1] = (struct gpu_kernel_record){
        .name = "second", .launch = 1, .grid = {1, 2, 3}, .block = {8, 8, 1}, .warp_inst = 10};
    calls[0] = (struct report_call){"cudaMalloc", 3, true, false, false};
    calls[1] = (struct report_call){"cudaLaunchKernel", 2, true, true, false};
    calls[2] = (struct report_call){"cudaMallocManaged", 1, false, false, true};
    *r = (struct report){.version = "1",
                         .program = "p",
                         .timing = "rtl",
                         .config = *c,
                         .sm_groups = 2,
                         .threads = 1,
                         .wall_s = 2.0,
                         .exit_status = 3,
                         .ended = "exit 3",
                         .calls = calls,
                         .num_calls = 3,
                         .notes = notes,
                         .num_notes = 1};
    r->statistics[STATISTIC_CORE_CLOCKS] = 77;
    take(r, k, 2);
}

static json_int_t integer(json_t *o, const char *name) {
    json_t *v = json_object_get(o, name);
    cr_expect(json_is_integer(v), "%s is missing or no integer", name);
    return json_integer_value(v);
}

Test(report, json) {
    struct report r;
    struct config *c;
    struct gpu_kernel_record k[2];
    struct report_call calls[3];
    struct heddle_diag diag = {0};
    char directory[] = "/tmp/heddle-report-XXXXXX", path[128];
    json_error_t error;
    cr_assert(mkdtemp(directory));
    make(&r, &c, k, calls);
    cr_assert_eq(report_write(&r, directory, &diag), HEDDLE_OK, "%s", diag.text);
    snprintf(path, sizeof path, "%s/report.json", directory);
    json_t *root = json_load_file(path, 0, &error), *run = json_object_get(root, "run");
    cr_assert(root, "%s", error.text);
    static const char *const names[] = {"heddle_version",
                                        "gpu",
                                        "sm_groups",
                                        "threads",
                                        "wall_s",
                                        "startup_s",
                                        "simulate_s",
                                        "ptx_warp_instructions",
                                        "warp_instructions",
                                        "warp_instructions_per_s",
                                        "core_clocks",
                                        "peak_rss_bytes",
                                        "exit_status"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_expect(json_object_get(run, names[i]), "run.%s is missing", names[i]);
    cr_expect_eq(integer(run, "ptx_warp_instructions"), 3000);
    cr_expect_eq(integer(run, "warp_instructions"), 2010);
    cr_expect_eq(integer(run, "core_clocks"), 77);
    cr_expect_eq(integer(run, "exit_status"), 3);
    cr_expect_float_eq(json_real_value(json_object_get(run, "warp_instructions_per_s")), 1005,
                       1e-6);

    json_t *first = json_array_get(json_object_get(root, "kernels"), 0);
    static const char *const of_kernel[] = {"name",
                                            "launch",
                                            "stream",
                                            "grid",
                                            "block",
                                            "cycles",
                                            "launch_cycles",
                                            "start_ps",
                                            "end_ps",
                                            "ptx_warp_instructions",
                                            "warp_instructions",
                                            "thread_instructions",
                                            "ipc",
                                            "l1_hit_rate",
                                            "l2_hit_rate",
                                            "dram_read_bytes",
                                            "dram_write_bytes",
                                            "issue_hash"};
    for (unsigned i = 0; i < sizeof of_kernel / sizeof of_kernel[0]; i++)
        cr_expect(json_object_get(first, of_kernel[i]), "kernel.%s is missing", of_kernel[i]);
    cr_expect_eq(json_array_size(json_object_get(root, "kernels")), 2u);
    cr_expect_float_eq(json_real_value(json_object_get(first, "ipc")), 2.0, 1e-9);
    cr_expect_float_eq(json_real_value(json_object_get(first, "l1_hit_rate")), 0.25, 1e-9);
    cr_expect(json_is_null(json_object_get(first, "l2_hit_rate")), "no access, no rate");
    cr_expect_str_eq(json_string_value(json_object_get(first, "issue_hash")), "0000000000000abc");
    const json_t *occupancy = json_object_get(first, "occupancy");
    cr_expect_float_eq(json_real_value(json_object_get(occupancy, "theoretical")), 0.25, 1e-9);
    cr_expect_float_eq(json_real_value(json_object_get(occupancy, "achieved")), 0.125, 1e-9);
    cr_expect_str_eq(json_string_value(json_object_get(occupancy, "limiter")), "warps");
    const json_t *sectors = json_object_get(first, "sectors_per_request");
    cr_expect_float_eq(json_real_value(json_object_get(sectors, "global_load")), 4, 1e-9);
    cr_expect(json_is_null(json_object_get(sectors, "global_store")), "no store, no ratio");
    cr_expect_eq(integer(first, "bank_conflict_cycles"), 7);
    cr_expect(json_is_array(json_object_get(first, "diagnosis")));

    json_t *call = json_array_get(json_object_get(root, "cuda_calls"), 1);
    cr_expect_eq(integer(call, "count"), 2);
    cr_expect_eq(integer(call, "scheduler"), 2);
    cr_expect_eq(integer(call, "sm"), 2);
    call = json_array_get(json_object_get(root, "cuda_calls"), 0);
    cr_expect_eq(integer(call, "sm"), 0);
    json_t *statistics = json_object_get(root, "statistics");
    cr_expect_eq(json_array_size(statistics), (size_t)NUM_STATISTICS);
    cr_expect(json_object_get(json_array_get(statistics, 0), "unit"));
    json_decref(root);
    static const char *const files[] = {"report.json", "kernels.csv", "statistics.csv"};
    for (unsigned i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, files[i]);
        unlink(path);
    }
    rmdir(directory);
    done(&r, c);
}

/* Returns the text of DIRECTORY/NAME and removes the file. The caller frees the text. */
static char *take_file(const char *directory, const char *name) {
    char path[160], *text = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "r");
    cr_assert(f, "%s", path);
    cr_assert_gt(getdelim(&text, &room, '\0', f), 0, "%s is empty", path);
    fclose(f);
    unlink(path);
    return text;
}

/* @return how many capacities kernel i's curve in report.json has, or -1 when the curve is null. */
static int points(const json_t *root, size_t i, const char *curve) {
    const json_t *k = json_array_get(json_object_get(root, "kernels"), i);
    const json_t *o = json_object_get(k, curve);
    cr_assert(o, "kernel %zu has no %s", i, curve);
    return json_is_null(o) ? -1 : (int)json_array_size(json_object_get(o, "capacity_bytes"));
}

Test(report, curves_of_every_timed_launch) {
    struct report r;
    struct config *c;
    struct gpu_kernel_record k[4];
    struct report_call calls[3];
    struct heddle_diag diag = {0};
    char directory[] = "/tmp/heddle-report-XXXXXX";
    cr_assert(mkdtemp(directory));
    make(&r, &c, k, calls);
    k[1].cycles = k[1].launch_cycles = 500; /* an empty kernel: no cycle of execution */
    k[2] = k[3] = k[0];
    k[2].untimed = true;
    k[3].estimated = true;
    take(&r, k, 4);
    cr_assert_eq(report_write(&r, directory, &diag), HEDDLE_OK, "%s", diag.text);
    char *text = take_file(directory, "report.json");
    json_t *root = json_loads(text, 0, NULL);
    static const char *const curves[] = {"l1_curve", "l2_curve"};
    for (unsigned i = 0; i < 2; i++) {
        int full = points(root, 0, curves[i]);
        cr_expect_gt(full, 1, "%s", curves[i]);
        cr_expect_eq(points(root, 1, curves[i]), full, "%s of an empty kernel", curves[i]);
        cr_expect_eq(points(root, 2, curves[i]), -1, "%s of an untimed launch", curves[i]);
        cr_expect_eq(points(root, 3, curves[i]), -1, "%s of an estimate", curves[i]);
    }
    json_decref(root);
    free(text);
    free(take_file(directory, "kernels.csv"));
    free(take_file(directory, "statistics.csv"));
    rmdir(directory);
    done(&r, c);
}

Test(report, csv) {
    struct report r;
    struct config *c;
    struct gpu_kernel_record k[2];
    struct report_call calls[3];
    struct heddle_diag diag = {0};
    char directory[] = "/tmp/heddle-report-XXXXXX";
    cr_assert(mkdtemp(directory));
    make(&r, &c, k, calls);
    cr_assert_eq(report_write(&r, directory, &diag), HEDDLE_OK, "%s", diag.text);
    char *text = take_file(directory, "kernels.csv");
    cr_expect_str_eq(
        text,
        "launch,name,stream,grid_x,grid_y,grid_z,block_x,block_y,block_z,registers,shared_bytes,"
        "cycles,launch_cycles,start_ps,end_ps,ptx_warp_instructions,warp_instructions,"
        "thread_instructions,ipc,l1_hit_rate,l2_hit_rate,dram_bytes_per_s,dram_read_bytes,"
        "dram_write_bytes,issue_hash,estimated,device,shared_config,resident_ctas,"
        "achieved_occupancy,l1_throughput,l2_throughput,dram_throughput,"
        "sectors_per_global_load,sectors_per_global_store,bank_conflict_cycles,spill_requests,"
        "divergent_branches,branch_efficiency,fetch_misses,constant_misses,energy_nj,average_w,"
        "stopped,ctas_done\n"
        "0,\"first \"\"quoted\"\"\",0,4,1,1,256,1,1,0,0,1500,500,100,1100,3000,2000,56000,"
        "2,0.25,,8.832e+08,640,0,0000000000000abc,0,0,0,2,0.125,1.25e-05,0,0.000983466,4,,7,"
        "0,3,0.75,0,0,60240,55.4208,0,0\n"
        "1,\"second\",0,1,2,3,8,8,1,0,0,0,0,0,0,0,10,0,,,,,0,0,0000000000000000,0,0,0,0,,,,,,,"
        "0,0,0,,0,0,,,0,0\n");
    free(text);
    text = take_file(directory, "statistics.csv");
    cr_expect(strstr(text, "name,unit,value,scope,meaning\ncore_clocks,clocks,77,simulation,\""),
              "%s", text);
    unsigned lines = 0;
    for (const char *p = text; (p = strchr(p, '\n')); p++) lines++;
    cr_expect_eq(lines, 1u + NUM_STATISTICS);
    free(text);
    free(take_file(directory, "report.json"));
    text = take_file(directory, "cpi_stack.csv"); /* it omits a kernel that was not timed */
    cr_expect_str_eq(
        text, "name,sub_core_cycles,issued,stall,memory,shared,sfu,pipe,lg_throttle,mio_throttle,"
              "barrier,membar,drain,sleep,register,fetch,constant,no_warp,device,grid,block\n"
              "\"first \"\"quoted\"\"\",1000,500,150,250,0,0,0,0,0,0,0,0,0,0,0,0,100,0,4,"
              "256\n");
    free(text);
    text = take_file(directory, "instruction_mix.csv");
    cr_expect_str_eq(text, "name,warp_instructions,int,fp16,fp32,fp64,tensor,special,memory,"
                           "control,misc,inactive\n"
                           "\"first \"\"quoted\"\"\",2000,0,0,48000,0,0,0,0,0,8000,8000\n"
                           "\"second\",10,0,0,0,0,0,0,0,0,0,320\n");
    free(text);
    text = take_file(directory, "cpi_stack.svg");
    cr_expect(
        strstr(text, "first &quot;quoted&quot;<title>first &quot;quoted&quot;</title></text>"),
        "%s", text);
    cr_expect(strstr(text, "width=\"350.0\" height=\"20\" fill=\"#009e73\"><title>issued 50.0 %"),
              "%s", text);
    free(text);
    text = take_file(directory, "instructions.csv");
    cr_expect_eq(strncmp(text, "device,kernel,instruction,operation,file,line,ptx_line,warps,", 61),
                 0, "%s", text);
    free(text);
    free(take_file(directory, "code.txt.zst")); /* tests/unit/annotate reads it */
    cr_expect_eq(rmdir(directory), 0);
    done(&r, c);
}

Test(report, table) {
    struct report r;
    struct config *c;
    struct gpu_kernel_record k[2];
    struct report_call calls[3];
    char *text = NULL;
    size_t size = 0;
    make(&r, &c, k, calls);
    FILE *f = open_memstream(&text, &size);
    report_print(&r, "DIR", f);
    fclose(f);
    static const char *const parts[] = {
        "Heddle 1: p on Tesla V100 (simulated), 80 SMs at 1380 MHz, timing rtl",
        "first \"quoted\"",
        "1x2x3",
        "25.0%",
        "CUDA calls: 6, of which 5 reached the scheduler and 2",
        "Not supported, returned cudaErrorNotSupported: cudaMallocManaged (1x)",
        "Note: a note",
        "Written: DIR/report.json, kernels.csv, kernels.csv.zst, copies.csv.zst, statistics.csv"};
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        cr_expect(strstr(text, parts[i]), "'%s' is not in:\n%s", parts[i], text);
    free(text);
    done(&r, c);
}

/* Returns the report as printed on the terminal; the caller frees it. (noinline: if it is inlined,
 * gcc 12 takes the result for the address of `text`.) */
__attribute__((noinline)) static char *printed(struct report *r) {
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    report_print(r, NULL, f);
    fclose(f);
    return text;
}

/* Columns are as wide as their contents; a column without a value is omitted. */
Test(report, columns) {
    struct report r;
    struct config *c;
    struct gpu_kernel_record k[2];
    struct report_call calls[3];
    make(&r, &c, k, calls);
    k[1].name = "a_name_that_is_longer_than_the_column_of_names_may_be";
    memcpy(k[1].grid, (const uint32_t[]){2147483647, 65535, 65535}, sizeof k[1].grid);
    take(&r, k, 2);
    char *text = printed(&r), *line = strstr(text, "#  kernel");
    cr_assert(line, "%s", text);
    while (line[-1] != '\n') line--;
    size_t width = strcspn(line, "\n");
    for (unsigned i = 0; i < 4; i++, line += width + 1)
        cr_expect_eq(strcspn(line, "\n"), width, "line %u of the table:\n%s", i, text);
    cr_expect_eq(strncmp(line, "CPI stack", 9), 0, "four lines:\n%s", text);
    cr_expect(strstr(text, "issued    stall   memory  no_warp\n"), "%s", text);
    cr_expect(strstr(text, "   50.0     15.0     25.0     10.0\n"), "%s", text);
    cr_expect(strstr(text, "Instructions, % of lanes          fp32      misc  inactive\n"), "%s",
              text);
    cr_expect(strstr(text, "      75.0      12.5      12.5\n"), "%s", text);
    cr_expect(strstr(text, "  ..longer_than_the_column_of_names_may_be "), "%s", text);
    cr_expect(strstr(text, " 2147483647x65535x65535 "), "%s", text);
    cr_expect(strstr(text, " cycles "), "%s", text);
    free(text);
    k[0].cycles = k[0].launch_cycles = k[0].sub_core_cycles = 0;
    take(&r, k, 2);
    text = printed(&r);
    cr_expect_not(strstr(text, " cycles "), "%s", text);
    cr_expect_not(strstr(text, "CPI stack"), "%s", text);
    cr_expect(strstr(text, " warp inst\n"), "%s", text);
    free(text);
    done(&r, c);
}

/* Many launches: one line per kernel name. */
Test(report, many_launches) {
    enum { MANY = 1000 };
    static struct gpu_kernel_record k[MANY];
    struct report r;
    struct config *c;
    struct report_call calls[3];
    make(&r, &c, k, calls);
    for (unsigned i = 2; i < MANY; i++) k[i] = k[i % 2];
    k[3].grid[0] = 7;
    take(&r, k, MANY);
    char *text = printed(&r);
    cr_expect(strstr(text, " 500x  first \"quoted\"        4    256  750000"), "%s", text);
    cr_expect(strstr(text, " 500x  second          various    8x8 "), "%s", text);
    cr_expect(strstr(text, "1000x  all  "), "%s", text);
    free(text);
    done(&r, c);
}

/* The CPI stack has a row for each configuration of a kernel on each GPU, and its picture nothing
 * that lies on something else. */
Test(report, configurations) {
    struct report r;
    struct config *c;
    struct gpu_kernel_record k[4];
    struct report_call calls[3];
    struct heddle_diag diag = {0};
    char directory[] = "/tmp/heddle-report-XXXXXX";
    cr_assert(mkdtemp(directory));
    make(&r, &c, k, calls);
    for (unsigned i = 1; i < 4; i++) k[i] = k[0];
    k[1].grid[0] = 9;
    k[2].block[1] = 2;
    k[3].device = 1;
    r.gpus = 2;
    take(&r, k, 4);
    char *text = printed(&r);
    cr_expect(strstr(text, "\nfirst \"quoted\" 4 x 256 GPU 0 "), "%s", text);
    cr_expect(strstr(text, "\nfirst \"quoted\" 9 x 256 GPU 0 "), "%s", text);
    cr_expect(strstr(text, "\n..t \"quoted\" 4 x 256x2 GPU 0 "), "%s", text);
    cr_expect(strstr(text, "\nfirst \"quoted\" 4 x 256 GPU 1 "), "%s", text);
    cr_expect(strstr(text, "#  GPU  kernel"), "%s", text);
    free(text);
    cr_assert_eq(report_write(&r, directory, &diag), HEDDLE_OK, "%s", diag.text);
    text = take_file(directory, "cpi_stack.csv");
    cr_expect(strstr(text, ",100,0,4,256\n") && strstr(text, ",100,0,9,256\n") &&
                  strstr(text, ",100,0,4,256x2\n") && strstr(text, ",100,1,4,256\n"),
              "%s", text);
    free(text);
    text = take_file(directory, "cpi_stack.svg");
    unsigned legend = 0, bar = 0;
    for (const char *p = text; (p = strstr(p, "<rect x=")) && !bar; p++) {
        unsigned y = 0, height = 0; /* a legend's square is 12 high, a bar 20 */
        sscanf(p, "<rect x=\"%*[0-9.]\" y=\"%u\" width=\"%*[0-9.]\" height=\"%u\"", &y, &height);
        *(height == 12 ? &legend : &bar) = height == 12 ? y + height : y;
    }
    cr_expect(legend > 60 && legend < bar, "the legend ends at %u, bars begin at %u", legend, bar);
    free(text);
    static const char *const others[] = {"report.json", "kernels.csv", "statistics.csv",
                                         "instruction_mix.csv", "instructions.csv"};
    for (unsigned i = 0; i < 5; i++) free(take_file(directory, others[i]));
    rmdir(directory);
    done(&r, c);
}

/* A run whose kernels have not ended did run some. */
Test(report, no_kernel_has_ended) {
    struct report r;
    struct config *c;
    struct gpu_kernel_record k[2];
    struct report_call calls[3];
    make(&r, &c, k, calls);
    take(&r, k, 0);
    char *text = printed(&r);
    cr_expect(strstr(text, "\nNo kernel has ended: launches failed.\n"), "%s", text);
    free(text);
    static const struct exec_standing nowhere;
    const struct gpu_interruption stopped = {.kernel = "endless", .ctas = 1, .standing = &nowhere};
    const struct gpu_interruption *const list[] = {&stopped};
    r.interrupted = list;
    r.num_interrupted = 1;
    text = printed(&r);
    cr_expect(strstr(text, "\nNo kernel has ended: those that ran were given up.\n"), "%s", text);
    free(text);
    r.num_interrupted = 0;
    calls[1].count = 0;
    text = printed(&r);
    cr_expect(strstr(text, "\nNo kernel was run.\n"), "%s", text);
    free(text);
    done(&r, c);
}

Test(report, directory_that_is_not_there) {
    struct report r;
    struct config *c;
    struct gpu_kernel_record k[2];
    struct report_call calls[3];
    struct heddle_diag diag = {0};
    make(&r, &c, k, calls);
    cr_expect_eq(report_write(&r, "/proc/nothing", &diag), HEDDLE_ERR_IO);
    cr_expect_str_eq(diag.text,
                     "cannot write /proc/nothing/kernels.csv: No such file or directory");
    done(&r, c);
}

/* ---- more launches than report.json lists */

/* Launch number i of a run of five shapes of two kernels on two GPUs. */
static struct gpu_kernel_record launch_of(uint64_t i) {
    struct gpu_kernel_record k = {.name = i % 3 ? "often, \"quoted\"" : "seldom",
                                  .launch = i / 2,
                                  .device = (uint32_t)(i % 2),
                                  .grid = {(uint32_t)(1 + i % 5), 1, 1},
                                  .block = {32, 1, 1},
                                  .start_ps = 1000 * i,
                                  .end_ps = 1000 * i + 10 + i % 7,
                                  .cycles = 100 + i % 11,
                                  .launch_cycles = 50,
                                  .warp_inst = i,
                                  .thread_inst = {[MIR_KIND_MISC] = 3 * i}};
    return k;
}

/* Sum of a member over the objects of a list of the report. */
static json_int_t sum_of(const json_t *root, const char *list, const char *name) {
    const json_t *o;
    size_t i;
    json_int_t sum = 0;
    json_array_foreach(json_object_get(root, list), i, o)
        sum += json_integer_value(json_object_get(o, name));
    return sum;
}

Test(report, more_launches_than_are_listed, .timeout = 60) {
    enum { MANY = 12000 };
    struct report r;
    struct config *c;
    struct gpu_kernel_record k[2];
    struct report_call calls[3];
    struct heddle_diag diag = {0};
    char directory[] = "/tmp/heddle-report-XXXXXX", path[100], *line;
    cr_assert(mkdtemp(directory));
    make(&r, &c, k, calls);
    report_launches_free((struct report_launches *)(uintptr_t)r.launches);
    struct report_launches *l = report_launches_create(c, "rtl");
    cr_assert_eq(report_launches_open(l, directory, &diag), HEDDLE_OK, "%s", diag.text);
    json_int_t cycles = 0, inst = 0, threads = 0, time_ps = 0;
    for (uint64_t i = 0; i < MANY; i++) {
        const struct gpu_kernel_record one = launch_of(i);
        report_launches_add(l, &one);
        cycles += (json_int_t)one.cycles;
        inst += (json_int_t)one.warp_inst;
        threads += (json_int_t)one.thread_inst[MIR_KIND_MISC];
        time_ps += (json_int_t)(one.end_ps - one.start_ps);
        report_launches_copy(l, &(struct gpu_copy_record){GPU_MEMSET, 0, 1, i, i, i + 1});
    }
    cr_assert_eq(report_launches_end(l, &diag), HEDDLE_OK, "%s", diag.text);
    r.launches = l;
    snprintf(path, sizeof path, "%s/kernels.csv", directory);
    FILE *f = fopen(path, "w"); /* an earlier run had less */
    cr_assert(f && fclose(f) == 0);
    cr_assert_eq(report_write(&r, directory, &diag), HEDDLE_OK, "%s", diag.text);
    cr_expect_neq(access(path, F_OK), 0, "kernels.csv would be incomplete");
    char *text = take_file(directory, "report.json");
    json_t *root = json_loads(text, 0, NULL), *list = json_object_get(root, "kernels");
    free(text);
    cr_expect_eq(json_array_size(list), 4 * REPORT_KEPT);
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_int_t n = (json_int_t)(i % (2 * REPORT_KEPT));
        if (n >= REPORT_KEPT) n += MANY / 2 - 2 * REPORT_KEPT;
        cr_expect_eq(integer(json_array_get(list, i), "launch"), n);
        cr_expect_eq(integer(json_array_get(list, i), "device"), i / (2 * REPORT_KEPT));
    }
    /* the sums of the groups are those of all launches */
    cr_expect_eq(json_array_size(json_object_get(root, "kernel_groups")), 20);
    cr_expect_eq(sum_of(root, "kernel_groups", "launches"), MANY);
    cr_expect_eq(sum_of(root, "kernel_groups", "cycles"), cycles);
    cr_expect_eq(sum_of(root, "kernel_groups", "warp_instructions"), inst);
    cr_expect_eq(sum_of(root, "kernel_groups", "thread_instructions"), threads);
    cr_expect_eq(sum_of(root, "kernel_groups", "time_ps"), time_ps);
    json_t *run = json_object_get(root, "run"), *file = json_object_get(root, "kernels_file");
    cr_expect_eq(integer(run, "launches"), MANY);
    cr_expect_eq(integer(run, "copies"), MANY);
    cr_expect_eq(integer(run, "warp_instructions"), inst);
    cr_expect_eq(json_array_size(json_object_get(root, "copies")), 2 * REPORT_KEPT);
    /* the file has every launch */
    struct packed_reader *reader;
    snprintf(path, sizeof path, "%s/kernels.csv.zst", directory);
    cr_assert_eq(packed_reader_open(&reader, path, &diag), HEDDLE_OK, "%s", diag.text);
    cr_assert_eq(packed_reader_line(reader, &line, &diag), HEDDLE_OK);
    cr_expect(strstr(line, "average_w,stopped,ctas_done,object"), "%s", line);
    for (uint64_t i = 0; i < MANY; i++) {
        const struct gpu_kernel_record one = launch_of(i);
        cr_assert_eq(packed_reader_line(reader, &line, &diag), HEDDLE_OK, "%s", diag.text);
        cr_assert_not_null(line);
        cr_assert_eq(strtoull(line, NULL, 10), one.launch);
        json_t *object = NULL;
        char *cell = strchr(line, '{');
        if (cell) {
            unsigned at = 0;
            bool quoted = false;
            for (const char *p = line; p < cell; p++) {
                quoted ^= *p == '"';
                at += *p == ',' && !quoted;
            }
            object = json_loads(packed_cell(line, at), 0, NULL);
            cr_assert_not_null(object);
            cr_assert_str_eq(json_string_value(json_object_get(object, "name")), one.name);
            cr_assert_eq(integer(object, "warp_instructions"), one.warp_inst);
            json_decref(object);
        }
        cr_assert_eq(cell != NULL, one.launch >= REPORT_KEPT);
    }
    cr_assert_eq(packed_reader_line(reader, &line, &diag), HEDDLE_OK);
    cr_expect_null(line);
    cr_expect_eq(packed_reader_lines(reader), MANY + 1);
    cr_expect_eq(integer(file, "rows"), MANY);
    cr_expect_eq(strtoull(json_string_value(json_object_get(file, "crc32c")), NULL, 16),
                 packed_reader_sum(reader));
    packed_reader_close(reader);
    json_decref(root);
    snprintf(path, sizeof path, "rm -r %s", directory);
    cr_expect_eq(system(path), 0);
    done(&r, c);
}
