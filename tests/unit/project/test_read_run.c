/* test_read_run.c - profiles from reports of heddle run: which number becomes which metric, and the
 * message of each report that is refused. The tests change one good report. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "project/isa.h"
#include "project/read_run.h"

/* All that projection reads of a report. 10,000 cycles take 8 us, 2,500 of them are launch
 * overhead. */
static const char good[] =
    "{'run': {'gpu_file': '/opt/share/gpus/v100.ini', 'sms': 80}, 'kernels': [{"
    "'name': 'axpy(float*)', 'launch': 7, 'timed': true, 'estimated': false,"
    "'device': 1, 'stream': 3, 'grid': [100, 2, 1], 'block': [32, 8, 1], 'registers': 24, "
    "'shared_bytes': 4096,"
    "'cycles': 10000, 'launch_cycles': 2500, 'start_ps': 1000000, 'end_ps': 9000000,"
    "'warp_instructions': 5000, 'thread_instructions': 150000,"
    "'l1_requests': 400, 'l1_lines': 500, 'l1_accesses': 1000, 'l2_accesses': 700, "
    "'dram_read_bytes': 9600, 'dram_write_bytes': 3200,"
    "'shared_traffic_bytes': 6400, 'shared_passes': 60, 'memory_waits': 1600,"
    "'atomic_turns': 70,"
    "'warp_cycles': 9600000,"
    "'cpi_stack': {'issued': 5, 'memory': 30, 'stall': 6, 'shared': 3, 'sfu': 1, 'pipe': 99},"
    "'l2_curve': {'capacity_bytes': [6000, 12000], 'read_bytes': [9600, 320],"
    " 'write_bytes': [3200, 0]},"
    "'l1_curve': {'own_bytes': 128, 'capacity_bytes': [64, 128], 'bytes': [900, 800]},"
    "'special': [], 'instruction_mix': {'fp32': 9, 'tensor': 32},"
    "'operations': {'fp16_add': 1, 'fp16_mul': 2, 'fp16_fma': 3, 'fp32_add': 4, 'fp32_mul': 5,"
    " 'fp32_fma': 6, 'fp64_add': 7, 'fp64_mul': 8, 'fp64_fma': 9, 'tensor_fp16': 10,"
    " 'tensor_tf32': 0, 'tensor_fp64': 11, 'integer': 12, 'special': 13}}],"
    "'copies': [{'kind': 'host to device', 'device': 1, 'stream': 2, 'bytes': 4096,"
    " 'start_ps': 200000, 'end_ps': 700000}]}";

static char directory[] = "/tmp/heddle-run-XXXXXX", path[64];
static json_t *report, *launch, *copy; /* the good report, to be changed; its launch and copy */
static struct project_kernels kernels;
static struct run_source source;
static struct heddle_diag diag;

/* A value from a text in which ' stands for ". */
static json_t *value(const char *text) {
    char copy[sizeof good];
    cr_assert_lt(strlen(text), sizeof copy);
    strcpy(copy, text);
    for (char *c = copy; *c; c++)
        if (*c == '\'') *c = '"';
    json_error_t error;
    json_t *v = json_loads(copy, JSON_DECODE_ANY, &error);
    cr_assert(v, "%s: %s", error.text, copy);
    return v;
}

static void set_up(void) {
    cr_assert_not_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/report.json", directory);
    report = value(good);
    launch = json_array_get(json_object_get(report, "kernels"), 0);
    copy = json_array_get(json_object_get(report, "copies"), 0);
}
static void tear_down(void) {
    json_decref(report);
    project_kernels_clear(&kernels);
    unlink(path);
    cr_expect_eq(rmdir(directory), 0);
}
TestSuite(read_run, .init = set_up, .fini = tear_down);

/* Sets a member of an object, or removes it for NULL. */
static void change(json_t *object, const char *name, const char *text) {
    cr_assert_eq(
        text ? json_object_set_new(object, name, value(text)) : json_object_del(object, name), 0);
}

static heddle_err read_report(void) {
    project_kernels_clear(&kernels);
    cr_assert_eq(json_dump_file(report, path, 0), 0);
    return read_run(&kernels, &source, directory, &diag);
}

static void expect_good(void) {
    cr_assert_eq(read_report(), HEDDLE_OK, "%s", diag.text);
}

/* The message must be the path of the report and then `text`. */
static void expect_text(const char *text) {
    cr_assert(!strncmp(diag.text, path, strlen(path)), "%s", diag.text);
    cr_assert_str_eq(diag.text + strlen(path), text);
}
static void expect_bad(const char *text) {
    cr_assert_eq(read_report(), HEDDLE_ERR_ARGUMENT, "no error, or another one than%s", text);
    expect_text(text);
}

/* The report with one change to an object, which it then gets back. */
static void expect_bad_of(json_t *object, const char *name, const char *changed, const char *text) {
    json_t *before = json_incref(json_object_get(object, name));
    change(object, name, changed);
    expect_bad(text);
    json_object_set_new(object, name, before);
}
static void expect_bad_with(const char *name, const char *changed, const char *text) {
    expect_bad_of(launch, name, changed, text);
}

static void expect_metric(enum project_metric m, double want) {
    const struct project_kernel *k = &kernels.at[0];
    cr_expect(k->known[m], "%s is unknown", project_metric_rows[m].name);
    cr_expect_float_eq(k->of[m], want, 1e-9 * want, "%s is %.12g", project_metric_rows[m].name,
                       k->of[m]);
}

Test(read_run, numbers_become_metrics) {
    static const struct {
        enum project_metric metric;
        double value;
    } want[] = {
        {METRIC_TIME, 8},
        {METRIC_LAUNCH, 2}, /* a quarter of the cycles */
        {METRIC_CTAS, 200},
        {METRIC_CTA_THREADS, 256},
        {METRIC_REGISTERS, 24},
        {METRIC_CTA_SHARED, 4096},
        {METRIC_RESIDENT_WARPS, 16}, /* 9.6e6 of 80 SMs in 7,500 cycles */
        {METRIC_MEMORY_WAIT, 0.75},  /* 30 of 40 */
        {METRIC_MEMORY_WAITS, 1600},
        {METRIC_ATOMIC_TURNS, 70},
        {METRIC_WARP_INST, 5000},
        {METRIC_THREAD_INST, 150000},
        {METRIC_L1_BYTES, 32000}, /* sectors of 32 bytes */
        {METRIC_L1_REQUESTS, 400},
        {METRIC_L1_LINES, 500},
        {METRIC_L2_BYTES, 22400},
        {METRIC_DRAM_READ, 9600},
        {METRIC_DRAM_WRITE, 3200},
        {METRIC_SHARED_BYTES, 6400},
        {METRIC_SHARED_PASSES, 60},
        {METRIC_FP16_ADD, 1},
        {METRIC_FP16_MUL, 2},
        {METRIC_FP16_FMA, 3},
        {METRIC_FP32_ADD, 4},
        {METRIC_FP32_MUL, 5},
        {METRIC_FP32_FMA, 6},
        {METRIC_FP64_ADD, 7},
        {METRIC_FP64_MUL, 8},
        {METRIC_FP64_FMA, 9},
        {METRIC_TENSOR_FP16, 10},
        {METRIC_TENSOR_FP64, 11},
        {METRIC_INTEGER, 12},
        {METRIC_SPECIAL, 13},
    };
    expect_good();
    cr_assert_eq(kernels.count, 1);
    cr_assert_str_eq(kernels.at[0].name, "axpy(float*)");
    cr_assert_eq(kernels.at[0].launch, 7);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        expect_metric(want[i].metric, want[i].value);
    cr_assert_str_eq(source.gpu, "v100");
    cr_assert_eq(source.untimed, 0);
    cr_assert_eq(kernels.at[0].num_l2, 2);
    cr_assert_eq(kernels.at[0].l2[1].capacity, 12000);
    cr_assert_eq(kernels.at[0].l2[1].read, 320);
    cr_assert_eq(kernels.at[0].l2[0].write, 3200);
}

/* Launches and copies, with their times in us. */
Test(read_run, steps_of_the_timeline) {
    expect_good();
    cr_assert_eq(kernels.num_steps, 2);
    const struct project_step *of_launch = &kernels.steps[0], *of_copy = &kernels.steps[1];
    cr_assert_eq(of_launch->kind, STEP_KERNEL);
    cr_assert_eq(of_launch->kernel, 0);
    cr_assert_eq(of_launch->device, 1);
    cr_assert_eq(of_launch->stream, 3);
    cr_assert_float_eq(of_launch->begin_us, 1, 1e-9);
    cr_assert_float_eq(of_launch->end_us, 9, 1e-9);
    cr_assert_eq(of_copy->kind, STEP_TO_DEVICE);
    cr_assert_eq(of_copy->stream, 2);
    cr_assert_eq(of_copy->bytes, 4096);
    cr_assert_float_eq(of_copy->begin_us, 0.2, 1e-9);
    cr_assert_float_eq(of_copy->end_us, 0.7, 1e-9);
}

Test(read_run, every_kind_of_copy) {
    static const struct {
        const char *name;
        enum project_step_kind kind;
    } kinds[] = {{"'device to host'", STEP_TO_HOST},
                 {"'device to device'", STEP_DEVICE},
                 {"'fill'", STEP_FILL}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        change(copy, "kind", kinds[i].name);
        expect_good();
        cr_assert_eq(kernels.steps[1].kind, kinds[i].kind);
    }
}

Test(read_run, copies_that_are_wrong) {
    expect_bad_of(copy, "kind", "'sideways'", ": copies[0].kind: the kind of a copy is expected");
    expect_bad_of(copy, "kind", NULL, ": copies[0].kind: the kind of a copy is expected");
    expect_bad_of(copy, "bytes", NULL, ": copies[0].bytes: a number is expected");
    expect_bad_of(copy, "start_ps", "-1", ": copies[0].start_ps: it is negative");
    change(report, "copies", NULL);
    expect_bad(": 'copies' is missing: the report is of an older Heddle, run the program again");
}

/* The GPU's name is its file's, up to the first point. */
Test(read_run, a_gpu_of_ones_own) {
    change(json_object_get(report, "run"), "gpu_file", "'half.v100.ini'");
    expect_good();
    cr_assert_str_eq(source.gpu, "half");
}

/* Nothing waited for memory or a unit, so memory has no share of that. */
Test(read_run, no_waits_have_no_share) {
    change(launch, "cpi_stack", "{'issued': 5, 'memory': 0}");
    expect_good();
    cr_assert_not(kernels.at[0].known[METRIC_MEMORY_WAIT]);
}

/* No metric counts matrix instructions of TF32 or of integers, so tensor operations are unknown. */
Test(read_run, tensor_operations_that_no_metric_counts) {
    json_t *counts = json_object_get(launch, "operations");
    change(counts, "tensor_tf32", "1024");
    expect_good();
    cr_assert_not(kernels.at[0].known[METRIC_TENSOR_FP16]);
    cr_assert_eq(kernels.at[0].of[METRIC_TENSOR_FP16], 0);
    change(counts, "tensor_tf32", "0");
    change(counts, "tensor_fp16", "0");
    change(counts, "tensor_fp64", "0");
    expect_good(); /* of integers */
    cr_assert_not(kernels.at[0].known[METRIC_TENSOR_FP16]);
    change(launch, "instruction_mix", "{'tensor': 0}");
    expect_good();
    expect_metric(METRIC_TENSOR_FP16, 0);
}

Test(read_run, launches_without_a_time_are_counted) {
    json_t *other = json_deep_copy(launch);
    change(other, "timed", "false");
    json_array_append_new(json_object_get(report, "kernels"), other);
    expect_good();
    cr_assert_eq(kernels.count, 1);
    cr_assert_eq(source.untimed, 1);
}

Test(read_run, no_launch_has_a_time) {
    change(launch, "timed", "false");
    expect_bad(": no launch was timed: run the program again without --timing none");
}

Test(read_run, no_kernel) {
    change(report, "kernels", "[]");
    expect_bad(": no kernel was run");
}

Test(read_run, an_estimate) {
    change(launch, "estimated", "true");
    expect_bad(": kernels[0].estimated: the launch is an estimate without counters: run the "
               "program again without --sample");
}

/* The launch that is wrong is named by its place in the list. */
Test(read_run, the_second_launch) {
    json_t *other = json_deep_copy(launch);
    change(other, "registers", NULL);
    json_array_append_new(json_object_get(report, "kernels"), other);
    expect_bad(": kernels[1].registers: a number is expected");
}

Test(read_run, every_number_must_be_there) {
    static const char *const names[] = {
        "device",
        "stream",
        "launch",
        "cycles",
        "launch_cycles",
        "start_ps",
        "end_ps",
        "warp_cycles",
        "registers",
        "shared_bytes",
        "l1_requests",
        "l1_lines",
        "l1_accesses",
        "l2_accesses",
        "warp_instructions",
        "thread_instructions",
        "dram_read_bytes",
        "dram_write_bytes",
        "shared_traffic_bytes",
        "shared_passes",
        "memory_waits",
        "atomic_turns",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[100];
        snprintf(text, sizeof text, ": kernels[0].%s: a number is expected", names[i]);
        expect_bad_with(names[i], NULL, text);
        expect_bad_with(names[i], "'12'", text);
        snprintf(text, sizeof text, ": kernels[0].%s: it is negative", names[i]);
        expect_bad_with(names[i], "-1", text);
    }
    expect_good(); /* the changes were undone */
}

Test(read_run, every_count_of_operations_must_be_there) {
    json_t *counts = json_object_get(launch, "operations");
    change(counts, "fp64_fma", NULL);
    expect_bad(": kernels[0].fp64_fma: a number is expected");
    change(counts, "fp64_fma", "-3");
    expect_bad(": kernels[0].fp64_fma: it is negative");
}

Test(read_run, other_values_that_are_wrong) {
    expect_bad_with("name", "3", ": kernels[0].name: a text is expected");
    expect_bad_with("timed", "1", ": kernels[0].timed: true or false is expected");
    expect_bad_with("estimated", NULL, ": kernels[0].estimated: true or false is expected");
    expect_bad_with("cycles", "0", ": kernels[0].cycles: it took no time");
    expect_bad_with("grid", "[100, 2]", ": kernels[0].grid: three numbers are expected");
    expect_bad_with("grid", "12", ": kernels[0].grid: three numbers are expected");
    expect_bad_with("block", "[32, 0, 1]", ": kernels[0].block: it is empty");
    expect_bad_with("block", "[-32, -1, 1]", ": kernels[0].block: it is empty");
    expect_bad_with("block", "['32', 1, 1]", ": kernels[0].block: it is empty");
}

Test(read_run, an_older_report) {
    expect_bad_with("operations", NULL,
                    ": kernels[0].operations: it is missing: the report is of an older Heddle, run "
                    "the program again");
    expect_bad_with("l2_curve", NULL,
                    ": kernels[0].l2_curve: it is missing: the report is of an older Heddle, run "
                    "the program again");
}

Test(read_run, curve_of_l1) {
    json_t *curve = json_object_get(launch, "l1_curve");
    change(curve, "own_bytes", "0");
    expect_bad(": kernels[0].l1_curve: it is malformed");
    change(curve, "own_bytes", "128");
    change(curve, "bytes", "[900, '800']");
    expect_bad(": kernels[0].l1_curve: it is malformed");
    change(curve, "bytes", "[900, 800]");
    change(curve, "capacity_bytes", "[128, 64]");
    expect_bad(": kernels[0].l1_curve: its capacities do not grow");
    expect_bad_with("l1_curve", NULL,
                    ": kernels[0].l1_curve: it is missing: the report is of an older Heddle, run "
                    "the program again");
}

Test(read_run, curves_that_are_wrong) {
    static const char malformed[] = ": kernels[0].l2_curve: it is malformed";
    static const char order[] = ": kernels[0].l2_curve: its capacities do not grow";
    json_t *curve = json_object_get(launch, "l2_curve");
    change(curve, "read_bytes", "[9600]");
    expect_bad(malformed);
    change(curve, "read_bytes", "[9600, '320']");
    expect_bad(malformed);
    change(curve, "read_bytes", "[9600, -320]");
    expect_bad(malformed);
    change(curve, "read_bytes", "[9600, 320, 1]");
    expect_bad(malformed);
    change(curve, "read_bytes", "[9600, 320]");
    change(curve, "write_bytes", NULL);
    expect_bad(malformed);
    change(curve, "write_bytes", "[0, 0]");
    change(curve, "capacity_bytes", "[12000, 6000]");
    expect_bad(order);
    change(curve, "capacity_bytes", "[6000, 6000]");
    expect_bad(order);
}

Test(read_run, other_json) {
    json_t *run = json_object_get(report, "run");
    static const char text[] = " is no report of heddle run";
    change(run, "sms", "0");
    expect_bad(text);
    change(run, "sms", "80");
    change(run, "gpu_file", NULL);
    expect_bad(text);
    change(run, "gpu_file", "'v100.ini'");
    change(report, "kernels", "{}");
    expect_bad(text);
    change(report, "run", NULL);
    expect_bad(text);
}

/* A report that is cut short: the parser names the line. */
Test(read_run, no_json) {
    FILE *f = fopen(path, "w");
    cr_assert(f);
    fputs("{\n  \"run\": {},\n  \"kernels\": [\n", f);
    fclose(f);
    cr_assert_eq(read_run(&kernels, &source, directory, &diag), HEDDLE_ERR_IO);
    expect_text(":4: ']' expected near end of file");
}

Test(read_run, no_file) {
    cr_assert_eq(read_run(&kernels, &source, directory, &diag), HEDDLE_ERR_IO);
    expect_text(": a report of heddle run is expected: No such file or directory");
}

Test(read_run, special_operations_are_listed) {
    expect_good();
    cr_assert(kernels.at[0].special_known);
    cr_assert_eq(kernels.at[0].num_special, 0);
    change(launch, "special",
           "[{'form': 'div.rn.f32', 'warps': 4, 'threads': 90, 'slow_threads': 2},"
           " {'form': 'sqrt.rn.f64', 'warps': 1, 'threads': 30, 'slow_threads': 0}]");
    expect_good();
    const struct project_kernel *k = &kernels.at[0];
    cr_assert_eq(k->num_special, 2);
    cr_assert_str_eq(k->special[0].form, "div.rn.f32");
    cr_assert_eq(k->special[0].warps, 4);
    cr_assert_eq(k->special[0].threads, 90);
    cr_assert_eq(k->special[0].slow, 2);
    cr_assert_str_eq(k->special[1].form, "sqrt.rn.f64");
}

Test(read_run, refuses_a_malformed_list_of_special_operations) {
    static const char unknown[] =
        ": kernels[0].special: a form is not in this Heddle's table: the report is of another "
        "Heddle, run the program again";
    expect_bad_with("special", NULL,
                    ": kernels[0].special: it is missing: the report is of an older Heddle, run "
                    "the program again");
    expect_bad_with("special",
                    "[{'form': 'div.rn.f8', 'warps': 4, 'threads': 90, 'slow_threads': 2}]",
                    unknown);
    expect_bad_with("special", "[3]", unknown);
    expect_bad_with("special", "[{'form': 'div.rn.f32', 'warps': 4, 'threads': 90}]",
                    ": kernels[0].slow_threads: a number is expected");
    expect_bad_with("special",
                    "[{'form': 'div.rn.f32', 'warps': -4, 'threads': 90, 'slow_threads': 2}]",
                    ": kernels[0].warps: it is negative");
}
