/* test_read_ncu.c - Nsight Compute's CSV: both pages, its units, and every way to be wrong. Kernels
 * and numbers are invented; names, units and layout are those that ncu prints. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile_text.h"

#define FIXED                                                                           \
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\"," \
    "\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\""
#define NO_UNITS "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\""
#define K "\"77\",\"app\",\"127.0.0.1\""
#define REST "\"1\",\"7\",\"(256, 1, 1)\",\"(40, 2, 1)\",\"0\",\"8.0\""
#define DURATION_ONLY FIXED ",\"gpu__time_duration.sum\"\n"
#define IN_US NO_UNITS ",\"us\"\n"

/* A row of the details page. */
struct row {
    const char *id, *kernel, *metric, *unit, *value;
};
#define ROWS(...) ((const struct row[]){__VA_ARGS__, {NULL, NULL, NULL, NULL, NULL}})

static char page[4096];

static const char *details(const struct row *rows) {
    size_t n = (size_t)snprintf(page, sizeof page,
                                FIXED ",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
                                      "Value\"\n");
    for (; rows->id; rows++)
        n += (size_t)snprintf(page + n, sizeof page - n,
                              "\"%s\"," K ",\"%s\"," REST ",\"Section\",\"%s\",\"%s\",\"%s\"\n",
                              rows->id, rows->kernel, rows->metric, rows->unit, rows->value);
    return page;
}

/* A raw page with a duration and one other column. */
static const char *raw(const char *metric, const char *unit, const char *us, const char *value) {
    snprintf(page, sizeof page,
             FIXED ",\"gpu__time_duration.sum\",\"%s\"\n" NO_UNITS ",\"us\",\"%s\"\n\"0\"," K
                   ",\"k\"," REST ",\"%s\",\"%s\"\n",
             metric, unit, us, value);
    return page;
}

/* A details page with fewer columns, one kernel for each capability. */
static const char *capabilities(const char *first, const char *second) {
    snprintf(page, sizeof page,
             "\"ID\",\"Kernel Name\",\"CC\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
             "\"0\",\"k\",\"%s\",\"Duration\",\"us\",\"1.5\"\n"
             "\"1\",\"k\",\"%s\",\"Duration\",\"us\",\"1.5\"\n",
             first, second);
    return page;
}

Test(read_ncu, raw_page) {
    struct profile_text p = profile_good(
        "==PROF== Connected to process 77 (/usr/bin/app)\n"
        "it says \"hello\", and more\n"
        "==PROF== Profiling \"add\" - 0: 0%....50%....100% - 8 passes\n" FIXED
        ",\"gpu__time_duration.sum\",\"dram__bytes_read.sum\",\"launch__registers_per_thread\","
        "\"launch__func_cache_config\",\"smsp__inst_executed.sum\"\n" NO_UNITS
        ",\"usecond\",\"Mbyte\",\"register/thread\",\"\",\"inst\"\n"
        "\"0\"," K ",\"add(int, int)\"," REST
        ",\"12.25\",\"1,234.50\",\"32\",\"CachePreferNone\",\"1,048,576\"\n"
        "\"1\"," K ",\"scale\"," REST ",\"1,000.5\",\"0.00\",\"16\",\"CachePreferNone\",\"n/a\"\n"
        "==PROF== Disconnected from process 77\n");
    cr_assert_eq(p.kernels.count, 2);
    cr_assert_str_eq(p.kernels.at[0].name, "add(int, int)");
    cr_assert_eq(p.kernels.at[1].launch, 1);
    cr_assert_eq(p.gpu.capability, 80);
    profile_metric(&p, 0, METRIC_TIME, 12.25);
    profile_metric(&p, 1, METRIC_TIME, 1000.5);
    profile_metric(&p, 0, METRIC_DRAM_READ, 1234.5e6);
    profile_metric(&p, 1, METRIC_DRAM_READ, 0);
    profile_metric(&p, 0, METRIC_REGISTERS, 32);
    profile_metric(&p, 0, METRIC_CTAS, 80);
    profile_metric(&p, 0, METRIC_CTA_THREADS, 256);
    profile_metric(&p, 0, METRIC_WARP_INST, 1048576);
    profile_metric(&p, 1, METRIC_WARP_INST, NAN);
    profile_metric(&p, 0, METRIC_DRAM_WRITE, NAN);
    profile_metric(&p, 0, METRIC_FOOTPRINT, NAN);
    project_kernels_clear(&p.kernels);
}

Test(read_ncu, raw_page_with_the_columns_of_2020) {
    struct profile_text p = profile_good(
        "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\","
        "\"Context\",\"Stream\",\"device__attribute_compute_capability_major\","
        "\"device__attribute_compute_capability_minor\",\"device__attribute_display_name\","
        "\"gpu__time_duration.sum\",\"launch__grid_size\"\r\n"
        "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"nsecond\",\"\"\r\n"
        "\"0\",\"5\",\"app\",\"host\",\"k\",\"2020-May-29 12:02:46\",\"1\",\"7\",\"7\",\"0\","
        "\"Tesla V100-SXM2-16GB\",\"5,120\",\"160\"\r\n");
    cr_assert_str_eq(p.gpu.name, "Tesla V100-SXM2-16GB");
    cr_assert_eq(p.gpu.capability, 70);
    profile_metric(&p, 0, METRIC_TIME, 5.12);
    profile_metric(&p, 0, METRIC_CTAS, 160);
    project_kernels_clear(&p.kernels);
}

Test(read_ncu, details_page_with_labels) {
    struct profile_text p = profile_good(
        details(ROWS({"0", "k", "Duration", "ns", "2,848"},
                     {"0", "k", "Registers Per Thread", "register/thread", "40"},
                     {"0", "k", "Static Shared Memory Per Block", "Kbyte/block", "4.10"},
                     {"0", "k", "Dynamic Shared Memory Per Block", "byte/block", "0"},
                     {"0", "k", "Block Size", "", "256"},
                     {"0", "k", "Achieved Active Warps Per SM", "warp", "30.72"},
                     {"1", "k", "Duration", "us", "3.25"})));
    cr_assert_eq(p.kernels.count, 2);
    profile_metric(&p, 0, METRIC_TIME, 2.848);
    profile_metric(&p, 1, METRIC_TIME, 3.25);
    profile_metric(&p, 0, METRIC_REGISTERS, 40);
    profile_metric(&p, 1, METRIC_REGISTERS, NAN);
    profile_metric(&p, 0, METRIC_CTA_SHARED, 4100);
    profile_metric(&p, 0, METRIC_RESIDENT_WARPS, 30.72);
    profile_metric(&p, 0, METRIC_CTAS, 80);
    project_kernels_clear(&p.kernels);
}

/* The clock of the SMs, MHz, by each of its names. */
Test(read_ncu, clock_of_the_sms) {
    static const struct {
        const char *metric, *unit, *value;
        double mhz;
    } of[] = {
        {"smsp__cycles_elapsed.avg.per_second", "cycle/nsecond", "1.0953", 1095.3},
        {"sm__cycles_elapsed.avg.per_second", "Ghz", "1.41", 1410},
        {"gpc__cycles_elapsed.avg.per_second", "Mhz", "895.25", 895.25},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct profile_text p = profile_good(raw(of[i].metric, of[i].unit, "12.5", of[i].value));
        profile_metric(&p, 0, METRIC_CLOCK, of[i].mhz);
        project_kernels_clear(&p.kernels);
    }
    struct profile_text p = profile_good(details(ROWS(
        {"0", "k", "Duration", "us", "2.5"}, {"0", "k", "SM Frequency", "cycle/nsecond", "1.09"},
        {"1", "k", "Duration", "us", "3.25"})));
    profile_metric(&p, 0, METRIC_CLOCK, 1090);
    profile_metric(&p, 1, METRIC_CLOCK, NAN);
    project_kernels_clear(&p.kernels);
}

/* Rows of metrics end before the columns of rules in some versions. */
Test(read_ncu, details_page_with_rules_and_short_rows) {
    struct profile_text p = profile_good(
        "\"ID\",\"Kernel Name\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\","
        "\"Metric Value\",\"Rule Name\",\"Rule Type\",\"Rule Description\"\n"
        "\"0\",\"k\",\"8.0\",\"GPU Speed Of Light Throughput\",\"Duration\",\"ns\",\"2,848\",\n"
        "\"0\",\"k\",\"8.0\",\"SpeedOfLight\",\"\",\"\",\"\",\"SOLBottleneck\",\"OPT\",\"Two\n"
        "lines, with \"\"quotes\"\"\"\n"
        "\"0\",\"k\",\"8.0\",\"Occupancy\",\"Registers Per Thread\",\"register/thread\",\"40\"\n");
    cr_assert_eq(p.kernels.count, 1);
    profile_metric(&p, 0, METRIC_TIME, 2.848);
    profile_metric(&p, 0, METRIC_REGISTERS, 40);
    project_kernels_clear(&p.kernels);
}

Test(read_ncu, metrics_without_a_page) {
    struct profile_text p = profile_good(
        "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Kernel Time\","
        "\"Context\",\"Stream\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
        "\"0\",\"5\",\"app\",\"host\",\"k\",\"2020-Apr-07 17:01:05\",\"1\",\"7\",\"Command line "
        "profiler metrics\",\"gpu__time_duration.sum\",\"msecond\",\"1.50\"\n"
        "\"0\",\"5\",\"app\",\"host\",\"k\",\"2020-Apr-07 17:01:05\",\"1\",\"7\",\"Command line "
        "profiler "
        "metrics\",\"sm__sass_thread_inst_executed_op_hfma_pred_on.sum\",\"inst\",\"7\"\n");
    profile_metric(&p, 0, METRIC_TIME, 1500);
    profile_metric(&p, 0, METRIC_FP16_FMA, 14);
    cr_assert_eq(p.gpu.capability, 0);
    project_kernels_clear(&p.kernels);
}

Test(read_ncu, forms_in_their_order) {
    struct profile_text p = profile_good(
        details(ROWS({"0", "k", "gpu__time_duration.sum", "us", "100.5"},
                     {"0", "k", "sm__inst_executed.sum", "inst", "1000"},
                     {"0", "k", "smsp__thread_inst_executed_per_inst_executed.ratio", "", "24"},
                     {"0", "k", "dram__sectors_read.sum", "sector", "10"},
                     {"0", "k", "dram__bytes_write.sum.per_second", "Gbyte/s", "2.5"},
                     {"0", "k", "lts__t_bytes.sum", "byte", "999"},
                     {"0", "k", "lts__t_sectors_srcunit_tex.sum", "sector", "4"})));
    profile_metric(&p, 0, METRIC_THREAD_INST, 24000);
    profile_metric(&p, 0, METRIC_DRAM_READ, 320);
    profile_metric(&p, 0, METRIC_DRAM_WRITE, 2.5e9 * 100.5e-6);
    profile_metric(&p, 0, METRIC_L2_BYTES, 128);
    project_kernels_clear(&p.kernels);
}

Test(read_ncu, rates_of_the_roofline_set) {
    const char *fused = "derived__smsp__sass_thread_inst_executed_op_hfma_pred_on_x4";
    const char *added = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed";
    struct profile_text p = profile_good(
        details(ROWS({"0", "k", "gpu__time_duration.sum", "us", "10.00"},
                     {"0", "k", "smsp__cycles_elapsed.avg.per_second", "cycle/nsecond", "1.40"},
                     {"0", "k", fused, "", "8.00"}, {"0", "k", added, "inst/cycle", "0.50"})));
    profile_metric(&p, 0, METRIC_FP16_FMA, 4 * 14000);
    profile_metric(&p, 0, METRIC_FP32_ADD, 0.5 * 14000);
    project_kernels_clear(&p.kernels);
}

/* What set `full` of 2025.3 has of L1 and of matrix instructions on an H100: sectors by operation,
 * for surfaces too, and half precision of all accumulators together. */
Test(read_ncu, sectors_of_the_full_set_on_an_h100) {
    static const char *const sectors[] = {
        "lsu_mem_global_op_ld",   "lsu_mem_global_op_st",    "lsu_mem_global_op_red",
        "lsu_mem_global_op_atom", "lsu_mem_local_op_ld",     "lsu_mem_local_op_st",
        "tex_mem_texture",        "tex_mem_surface_op_ld",   "tex_mem_surface_op_st",
        "tex_mem_surface_op_red", "tex_mem_surface_op_atom",
    };
    enum { COUNT = sizeof sectors / sizeof *sectors };
    char text[4096], units[512], values[512];
    size_t n = (size_t)snprintf(text, sizeof text, FIXED), u = 0, v = 0;
    for (size_t i = 0; i < COUNT; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, ",\"l1tex__t_sectors_pipe_%s.sum\"",
                              sectors[i]);
        u += (size_t)snprintf(units + u, sizeof units - u, ",\"sector\"");
        v += (size_t)snprintf(values + v, sizeof values - v, ",\"%zu.000000\"", i + 1);
    }
    snprintf(text + n, sizeof text - n,
             ",\"sm__ops_path_tensor_src_fp16.sum\",\"sm__ops_path_tensor_src_bf16_dst_fp32."
             "sum\"\n" NO_UNITS "%s,\"\",\"\"\n\"0\"," K ",\"k\"," REST "%s,\"4096\",\"512\"\n",
             units, values);
    struct profile_text p = profile_good(text);
    profile_metric(&p, 0, METRIC_L1_BYTES, 32.0 * COUNT * (COUNT + 1) / 2);
    profile_metric(&p, 0, METRIC_TENSOR_FP16, 4608);
    project_kernels_clear(&p.kernels);
}

Test(read_ncu, share_of_memory_in_the_waiting_time) {
    const char *memory = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
    const char *units = "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio";
    const char *fixed = "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio";
    struct profile_text p = profile_good(
        details(ROWS({"0", "k", memory, "inst", "6.00"}, {"0", "k", units, "inst", "0.50"},
                     {"0", "k", fixed, "inst", "1.50"}, {"1", "k", memory, "inst", "0.00"},
                     {"1", "k", units, "inst", "0.00"}, {"1", "k", fixed, "inst", "0.00"})));
    profile_metric(&p, 0, METRIC_MEMORY_WAIT, 0.75);
    profile_metric(&p, 1, METRIC_MEMORY_WAIT, NAN);
    project_kernels_clear(&p.kernels);
}

/* Matrix instructions say something by themselves only where their size is known, or none ran. */
static void tensor(const char *capability, const char *metric, const char *value, double expected) {
    char text[1024];
    snprintf(text, sizeof text,
             "\"ID\",\"Kernel Name\",\"CC\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
             "\"0\",\"k\",\"%s\",\"%s\",\"inst\",\"%s\"\n",
             capability, metric, value);
    struct profile_text p = profile_good(text);
    profile_metric(&p, 0, METRIC_TENSOR_FP16, expected);
    project_kernels_clear(&p.kernels);
}

Test(read_ncu, tensor_operations_by_compute_capability) {
    tensor("7.0", "sm__inst_executed_pipe_tensor.sum", "10", 5120);
    tensor("7.5", "sm__inst_executed_pipe_tensor_op_hmma.sum", "10", 20480);
    tensor("8.0", "sm__inst_executed_pipe_tensor_op_hmma.sum", "10", NAN);
    tensor("8.0", "sm__inst_executed_pipe_tensor_op_hmma.sum", "0", 0);
    tensor("9.0", "sm__inst_executed_pipe_tensor.sum", "0", 0);
    struct profile_text p = profile_good(
        details(ROWS({"0", "k", "sm__ops_path_tensor_src_fp16_dst_fp16.sum", "", "4,096"},
                     {"0", "k", "sm__ops_path_tensor_src_fp16_dst_fp32.sum", "", "0"},
                     {"0", "k", "sm__ops_path_tensor_src_bf16_dst_fp32.sum", "", "1"})));
    profile_metric(&p, 0, METRIC_TENSOR_FP16, 4097);
    project_kernels_clear(&p.kernels);
}

Test(read_ncu, numbers_of_another_language) {
    profile_bad(raw("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "117.344", "65,77"),
                "f.csv:3: '65,77' is not an English number (decimal comma, or thousands without "
                "commas): run the profiler with LC_ALL=C");
    profile_bad(raw("dram__bytes_read.sum", "byte", "117.34", "27.595.520"),
                "f.csv:3: '27.595.520' is not an English number (decimal comma, or thousands "
                "without commas): run the profiler with LC_ALL=C");
    profile_bad(raw("smsp__inst_executed.sum", "inst", "12.25", "27.595"),
                "f.csv:3: kernel k: '27.595' for smsp__inst_executed.sum is not whole: run the "
                "profiler with LC_ALL=C if its point separates thousands");
    profile_bad(raw("launch__grid_size", "", "117.344", "80"),
                "f.csv:3: '117.344' has a fraction in some languages and thousands in others, and "
                "no other value tells which: run ncu with LC_ALL=C and --print-units base");
    profile_bad(details(ROWS({"0", "k", "Memory Throughput", "%", "1.234,5"})),
                "f.csv:2: '1.234,5' is not an English number (decimal comma, or thousands without "
                "commas): run the profiler with LC_ALL=C");
    profile_bad("\"ID\";\"Process ID\";\"Kernel Name\"\n",
                "f.csv:1: columns are separated by semicolons: save what ncu prints as it is, and "
                "run it with LC_ALL=C");
}

Test(read_ncu, a_number_of_two_languages_with_evidence) {
    struct profile_text p = profile_good(
        raw("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", "117.344", "65.77"));
    profile_metric(&p, 0, METRIC_TIME, 117.344);
    project_kernels_clear(&p.kernels);
}

Test(read_ncu, values_that_are_none) {
    profile_bad(raw("smsp__inst_executed.sum", "inst", "12.25", "LaunchFailed"),
                "f.csv:3: kernel k: 'LaunchFailed' for smsp__inst_executed.sum is not a number");
    profile_bad(raw("smsp__inst_executed.sum", "inst", "-12.25", "1"),
                "f.csv:3: kernel k: '-12.25' for gpu__time_duration.sum is negative");
    profile_bad(raw("dram__bytes_read.sum", "furlong", "12.25", "1"),
                "f.csv:2: unknown unit 'furlong' of dram__bytes_read.sum");
    profile_bad(details(ROWS({"0", "k", "Duration", "fortnight", "1"})),
                "f.csv:2: unknown unit 'fortnight' of Duration");
    profile_bad(
        details(ROWS({"0", "k", "Duration", "us", "1.5"}, {"0", "k", "Duration", "us", "1.6"})),
        "f.csv:3: kernel k: two different values of Duration");
    profile_bad(details(ROWS({"0", "k", "Grid Size", "", "79"})),
                "f.csv:2: kernel k: two different values of Grid Size");
}

Test(read_ncu, rows_cut_short) {
    profile_bad(DURATION_ONLY "\"0\"," K ",\"k\"," REST ",\"12.25\"\n",
                "f.csv:2: the row of units is missing");
    profile_bad(DURATION_ONLY, "f.csv:2: the row of units is missing");
    profile_bad(DURATION_ONLY NO_UNITS "\n",
                "f.csv:2: 11 values where 12 are needed: the file is cut short or damaged");
    profile_bad(DURATION_ONLY IN_US "\"0\"," K ",\"k\"," REST "\n",
                "f.csv:3: 11 values where 12 are needed: the file is cut short or damaged");
    profile_bad(DURATION_ONLY IN_US "\"0\"," K ",\"k\"," REST ",\"12.25\",\"7\"\n",
                "f.csv:3: 13 values where 12 are needed: the file is cut short or damaged");
    profile_bad(DURATION_ONLY IN_US "\"0\"," K ",\"k\"," REST ",\"12.",
                "f.csv:3: a quote is not closed: the file is cut short");
    profile_bad(DURATION_ONLY IN_US, "f.csv: column names, but no kernel");
    profile_bad("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
                "\"0\",\"k\",\"Duration\"\n",
                "f.csv:2: 3 values where 5 are needed: the file is cut short or damaged");
}

Test(read_ncu, wrong_column_names) {
    profile_bad("\"ID\",\"Metric Name\"\n", "f.csv:1: no column \"Kernel Name\"");
    profile_bad("\"ID\",\"Kernel Name\",\"Metric Name\"\n",
                "f.csv:1: \"Metric Name\" without \"Metric Unit\" or \"Metric Value\" behind it");
    profile_bad(FIXED ",\"launch__grid_size\",\"launch__grid_size\"\n",
                "f.csv:1: two columns \"launch__grid_size\"");
    profile_bad(DURATION_ONLY IN_US DURATION_ONLY,
                "f.csv:3: a second row of column names: give each profile in a file of its own");
    profile_bad("==PROF== Connected to process 77\n==WARNING== No kernels were profiled.\n",
                "f.csv: no row of column names (it starts with \"ID\") by ncu --csv");
}

Test(read_ncu, kernels_that_cannot_be_told_apart) {
    profile_bad(details(ROWS({"0", "k", "Duration", "us", "1.5"}, {"1", "k", "Duration", "us", "1"},
                             {"0", "k", "Registers Per Thread", "register/thread", "8"})),
                "f.csv:4: a second kernel with this ID");
    profile_bad(details(ROWS({"0", "k", "Duration", "us", "1.5"},
                             {"0", "l", "Registers Per Thread", "register/thread", "8"})),
                "f.csv:3: two kernels with the same ID");
    profile_bad(DURATION_ONLY IN_US "\"3\"," K ",\"k\"," REST ",\"1\"\n"
                                    "\"3\"," K ",\"k\"," REST ",\"1\"\n",
                "f.csv:4: a second kernel with this ID");
    profile_bad(details(ROWS({"x", "k", "Duration", "us", "1.5"})),
                "f.csv:2: 'x' is not the ID of a kernel");
    profile_bad(
        capabilities("8.0", "9.0"),
        "f.csv:3: a kernel on another kind of GPU: profile each kind by itself (--devices)");
    profile_bad(capabilities("Ampere", "8.0"), "f.csv:2: 'Ampere' is not a compute capability");
}

Test(read_ncu, errors_of_the_profiler) {
    profile_bad("==PROF== Connected to process 77\n==ERROR== LaunchFailed\n" DURATION_ONLY,
                "f.csv:2: Nsight Compute reports an error, so the profile may lack kernels (remove "
                "the line if it lacks none): ==ERROR== LaunchFailed");
    profile_bad(DURATION_ONLY IN_US "\"3\"," K ",\"k\"," REST ",\"1\"\n==ERROR== It failed\n",
                "f.csv:4: Nsight Compute reports an error, so the profile may lack kernels (remove "
                "the line if it lacks none): ==ERROR== It failed");
}

static void command(const enum project_metric *metrics, size_t count, const char *expected) {
    bool missing[NUM_PROJECT_METRICS] = {false};
    char *text = NULL;
    size_t size;
    for (size_t i = 0; i < count; i++) missing[metrics[i]] = true;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(read_ncu_command(out, missing), *expected != '\0');
    fclose(out);
    cr_assert_str_eq(text, expected);
    free(text);
}

Test(read_ncu, command_line_for_missing_metrics) {
    const enum project_metric three[] = {METRIC_CTA_SHARED, METRIC_TIME, METRIC_L2_BYTES};
    const enum project_metric none[] = {METRIC_FOOTPRINT};
    command(three, 3,
            "LC_ALL=C ncu --csv --page raw --metrics gpu__time_duration.sum,"
            "launch__shared_mem_per_block_static,launch__shared_mem_per_block_dynamic,"
            "lts__t_sectors_srcunit_tex.sum --log-file profile.csv PROGRAM");
    command(none, 1, "");
}

Test(read_ncu, missing_metrics_by_model) {
    bool missing[NUM_PROJECT_METRICS];
    struct profile_text p = profile_good(raw("smsp__inst_executed.sum", "inst", "12.25", "5"));
    cr_assert(project_missing(missing, &p.kernels, NEED_PAPER));
    cr_assert(missing[METRIC_L1_BYTES]);
    cr_assert_not(missing[METRIC_TIME]);
    cr_assert_not(missing[METRIC_REGISTERS]);
    cr_assert(project_missing(missing, &p.kernels, NEED_HEDDLE));
    cr_assert(missing[METRIC_REGISTERS]);
    cr_assert_not(missing[METRIC_FOOTPRINT]);
    project_kernels_clear(&p.kernels);
}
