/* test_read_nvprof.c - nvprof's CSV of Volta: a trace of durations and one of metrics. Kernels and
 * numbers are invented. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "profile_text.h"
#include "project/read_nvprof.h"

#define GPU "\"Tesla V100-SXM2-16GB (0)\""
#define TRACE                                                                                  \
    "==9== NVPROF is profiling process 9, command: ./app\n"                                    \
    "==9== Profiling result:\n"                                                                \
    "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block " \
    "Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Throughput\","   \
    "\"SrcMemType\",\"DstMemType\",\"Device\",\"Context\",\"Stream\",\"Name\",\"Correlation_"  \
    "ID\"\n"                                                                                   \
    "ms,us,,,,,,,,KB,KB,KB,GB/s,,,,,,,\n"                                                      \
    "0.1,1.888000,,,,,,,,,,1.003906,0.507097,\"Pageable\",\"Device\"," GPU                     \
    ",\"1\",\"7\",\"[CUDA memcpy HtoD]\",110\n"
#define LAUNCH(duration, name)                                                             \
    "0.2," duration ",40,2,1,256,1,1,32,4.000000,0.500000,,,,," GPU ",\"1\",\"7\",\"" name \
    "\",117\n"
#define METRICS                                                                                 \
    "==9== Profiling result:\n\"Device\",\"Context\",\"Stream\",\"Kernel\",\"Correlation_ID\"," \
    "\"inst_executed\",\"warp_execution_efficiency\",\"dram_read_transactions\"\n"
#define MEASURED(name, inst) GPU ",\"1\",\"7\",\"" name "\",120," inst ",75.000000%,1000\n"

Test(read_nvprof, both_tables) {
    struct profile_text p = profile_good(TRACE LAUNCH("5.25", "add(int*) [117]") LAUNCH(
        "6", "b") METRICS MEASURED("add(int*)", "100") MEASURED("b [12]", "200"));
    cr_assert_eq(p.kernels.count, 2);
    cr_assert_str_eq(p.kernels.at[0].name, "add(int*)");
    cr_assert_str_eq(p.gpu.name, "Tesla V100-SXM2-16GB");
    cr_assert_eq(p.gpu.capability, 70);
    profile_metric(&p, 0, METRIC_TIME, 5.25);
    profile_metric(&p, 0, METRIC_CTAS, 80);
    profile_metric(&p, 0, METRIC_CTA_THREADS, 256);
    profile_metric(&p, 0, METRIC_CTA_SHARED, 4608);
    profile_metric(&p, 1, METRIC_WARP_INST, 200);
    profile_metric(&p, 1, METRIC_THREAD_INST, 200 * 24);
    profile_metric(&p, 1, METRIC_DRAM_READ, 32000);
    profile_metric(&p, 1, METRIC_L2_BYTES, NAN);
    project_kernels_clear(&p.kernels);
}

Test(read_nvprof, metrics_first_by_titles_with_units) {
    struct profile_text p = profile_good(
        "\"Device\",\"Context\",\"Stream\",\"Kernel\",\"Warp Execution Efficiency\",\"Instructions "
        "Executed\"\n,,,,\"%\",\n" GPU
        ",1,7,\"k\",50.0,10\n==9== Profiling result:\n" TRACE LAUNCH("5", "k"));
    profile_metric(&p, 0, METRIC_THREAD_INST, 160);
    profile_metric(&p, 0, METRIC_TIME, 5);
    project_kernels_clear(&p.kernels);
}

Test(read_nvprof, tables_that_do_not_belong_together) {
    profile_bad(
        TRACE LAUNCH("5", "a") METRICS MEASURED("b", "1"),
        "f.csv:9: launch 0 is b here and a in the table before: profile the same run twice");
    profile_bad(TRACE LAUNCH("5", "a") METRICS MEASURED("a", "1") MEASURED("a", "1"),
                "f.csv:10: more launches than in the table before");
    profile_bad(TRACE LAUNCH("5", "a") LAUNCH("5", "a") METRICS MEASURED("a", "1"),
                "f.csv:10: 1 launches in this table, 2 in the one before it: profile the same run "
                "twice");
}

Test(read_nvprof, half_a_profile) {
    profile_bad(TRACE LAUNCH("5", "a"),
                "f.csv: no table of metrics (nvprof --csv --print-gpu-trace --metrics ...); a "
                "profile by nvprof is both tables in one file");
    profile_bad(
        METRICS MEASURED("a", "1"),
        "f.csv: no table of durations (nvprof --csv --print-gpu-trace); a profile by nvprof "
        "is both tables in one file");
    profile_bad(TRACE METRICS, "f.csv: column names, but no kernel");
}

Test(read_nvprof, sums_and_means) {
    const char *message = "f.csv:1: sums or means over launches, which have no duration of each: "
                          "run nvprof with --print-gpu-trace";
    profile_bad("\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric "
                "Description\",\"Min\",\"Max\",\"Avg\"\n",
                message);
    profile_bad("\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n",
                message);
}

Test(read_nvprof, wrong_values) {
    profile_bad(TRACE LAUNCH("5,25", "a"),
                "f.csv:6: 21 values where 20 are needed: the file is cut short or damaged");
    profile_bad(TRACE LAUNCH("x", "a"), "f.csv:6: kernel a: 'x' for Duration is not a number");
    profile_bad(TRACE LAUNCH("5", "a") METRICS MEASURED("a", "<OVERFLOW>"),
                "f.csv:9: kernel a: '<OVERFLOW>' for inst_executed is not a number");
    profile_bad(TRACE LAUNCH("5", "a") METRICS GPU ",\"1\",\"7\",\"a\",120,1\n",
                "f.csv:9: 6 values where 8 are needed: the file is cut short or damaged");
    profile_bad("\"Start\",\"Duration\",\"Grid X\",\"Device\",\"Name\"\n0.1,5,1," GPU ",\"k\"\n",
                "f.csv:2: the row of units is missing");
    profile_bad("\"Start\",\"Duration\",\"Grid X\",\"Device\",\"Name\"\nms,us,,,\n"
                "0.1,5,1,\"Tesla K20c (0)\",\"k\"\n",
                "f.csv:3: 'Tesla K20c' is not a Volta GPU: what nvprof counts on others differs; "
                "use ncu --csv from Volta on");
    profile_bad("==9== Error: unable to profile application.\n" TRACE,
                "f.csv:1: nvprof reports an error, so the profile may lack launches (remove the "
                "line if it lacks none): Error: unable to profile application.");
}
