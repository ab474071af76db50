/* test_read_figures.c - what micro_capability prints, read into a GPU's capabilities: values and
 * sources, and each message for wrong lines. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "project/read_figures.h"

#define SAYS "micro_capability: "
#define PASS SAYS "PASS all\n"

static struct capability c;
static struct heddle_diag diag;
static char path[] = "/tmp/heddle-figures-XXXXXX";

static void set_up(void) {
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
}
static void tear_down(void) {
    unlink(path);
}
TestSuite(read_figures, .init = set_up, .fini = tear_down);

static heddle_err read_bytes(const char *text, size_t size) {
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(text, 1, size, f), size);
    fclose(f);
    memset(&c, 0, sizeof c);
    return read_figures(&c, path, "simulated, models/gpus/v100.ini: micro_capability", &diag);
}

/* The message follows the path of the file. */
static void refuse(const char *text, const char *message) {
    cr_expect_eq(read_bytes(text, strlen(text)), HEDDLE_ERR_CONFIG);
    cr_assert_eq(strncmp(diag.text, path, strlen(path)), 0, "%s", diag.text);
    cr_expect_str_eq(diag.text + strlen(path), message);
}

Test(read_figures, values) {
    static const char text[] =
        "heddle: CUDA calls of micro_capability go to the simulator\n" /* of others: left out */
        SAYS "NAME Tesla V100 (simulated)\n" SAYS
        "VALUE fp32.fma_max 14.1312 TFLOP/s 4 chains, one behind the other\r\n" SAYS
        "VALUE launch.gap 2.18 us in a stream\n"
        "\n" SAYS "VALUE sm.shared_reserved 0 bytes cudaDeviceGetAttribute()\n" PASS
        "heddle: done\n";
    cr_assert_eq(read_bytes(text, sizeof text - 1), HEDDLE_OK, "%s", diag.text);
    cr_expect_str_eq(c.title, "Tesla V100 (simulated)");
    const struct capability_value *fma = &c.max[RATE_FP32_FMA];
    cr_expect(fma->known);
    cr_expect_float_eq(fma->value, 14.1312e12, 1);
    cr_expect_str_eq(fma->remark.status, "measured");
    cr_expect_str_eq(fma->remark.source, "simulated, models/gpus/v100.ini: micro_capability, 4 "
                                         "chains, one behind the other");
    cr_expect_not(c.peak[RATE_FP32_FMA].known);
    cr_expect_eq(c.property[GPU_LAUNCH_GAP].value, 2.18);
    cr_expect(c.property[GPU_SHARED_RESERVED].known);
    cr_expect_eq(c.property[GPU_SHARED_RESERVED].value, 0);
    cr_expect_not(c.property[GPU_SMS].known);
}

Test(read_figures, malformed_values) {
    static const char *const cut[] = {"VALUE ",
                                      "VALUE sm.count",
                                      "VALUE sm.count 80",
                                      "VALUE sm.count 80 SMs",
                                      "VALUE sm.count 80 SMs ",
                                      "VALUE sm.count  80 SMs of the device",
                                      "VALUE  sm.count 80 SMs"};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        char text[200];
        snprintf(text, sizeof text, SAYS "NAME x\n" SAYS "%s\n" PASS, cut[i]);
        refuse(text, strcmp(cut[i], "VALUE ") ? ":2: 'VALUE key value unit how' expected"
                                              : ":2: 'VALUE' is none of NAME, VALUE, PASS, FAIL "
                                                "with a text");
    }
    refuse(SAYS "VALUE sm.cuont 80 SMs asked\n" PASS,
           ":1: unknown key 'sm.cuont', did you mean 'sm.count'?");
    refuse(SAYS "VALUE fp32.fma 14 TFLOP/s chains\n" PASS,
           ":1: unknown key 'fp32.fma', did you mean 'fp32.fma_max'?");
    refuse(SAYS "VALUE sm.count 80 TFLOP/s asked\n" PASS,
           ":1: sm.count is in SMs, not in 'TFLOP/s'");
    refuse(SAYS "VALUE sm.count 8x SMs asked\n" PASS, ":1: sm.count = 8x is not a number");
    refuse(SAYS "VALUE bandwidth.l1_max nan GB/s read\n" PASS,
           ":1: bandwidth.l1_max = nan is not a number");
    refuse(SAYS "VALUE bandwidth.l1_max 13,5 GB/s read\n" PASS,
           ":1: bandwidth.l1_max = 13,5 is not a number");
    refuse(SAYS "VALUE bandwidth.l1_max -3 GB/s read\n" PASS,
           ":1: bandwidth.l1_max = -3 is out of range: 0 to 1000000 GB/s");
    refuse(SAYS "VALUE sm.count 80 SMs asked\n" SAYS "VALUE sm.count 80 SMs asked\n" PASS,
           ":2: sm.count is there twice");
}

Test(read_figures, program_that_fails) {
    refuse("", ": the line 'micro_capability: PASS' is missing: the benchmark did not come to its "
               "end");
    refuse(SAYS "VALUE sm.count 80 SMs asked\n", ": the line 'micro_capability: PASS' is missing: "
                                                 "the benchmark did not come to its end");
    refuse(SAYS "FAIL launch.gap is -1 us\n" PASS, ":1: the benchmark failed: launch.gap is -1 us");
    refuse(SAYS "FIGURE l1.read 13 GB/s\n" PASS,
           ":1: 'FIGURE l1.read 13 GB/s' is none of NAME, VALUE, PASS, FAIL with a text");
    refuse(PASS SAYS "VALUE sm.count 80 SMs asked\n", ":2: PASS was to be the last line");
    refuse(PASS PASS, ":2: PASS was to be the last line");
}

Test(read_figures, no_text) {
    static const char zero[] = SAYS "NAME x\n\0" PASS;
    cr_expect_eq(read_bytes(zero, sizeof zero - 1), HEDDLE_ERR_CONFIG);
    cr_expect_str_eq(diag.text + strlen(path), ": it is no text: byte 26 is 0");
    cr_expect_eq(read_figures(&c, "/does/not/exist", "x", &diag), HEDDLE_ERR_IO);
    cr_expect_not_null(strstr(diag.text, "/does/not/exist"), "%s", diag.text);
}
