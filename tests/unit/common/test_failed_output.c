/* test_failed_output.c - host/common: output files when a write or the compressor fails: an error
 * with the cause, the older file as it was, and no other file. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <criterion/criterion.h>
#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "common/output_file.h"
#include "common/packed_lines.h"

static char directory[] = "/dev/shm/heddle-failed-XXXXXX";
static char path[64];
static unsigned good_calls = ~0u; /* of the compressor, before it fails for ever */

/* Stands before the library's. */
size_t ZSTD_compressStream2(ZSTD_CCtx *context, ZSTD_outBuffer *to, ZSTD_inBuffer *from,
                            ZSTD_EndDirective how) {
    union { /* ISO C converts no pointer to data into one to a function */
        void *data;
        size_t (*function)(ZSTD_CCtx *, ZSTD_outBuffer *, ZSTD_inBuffer *, ZSTD_EndDirective);
    } next = {dlsym(RTLD_NEXT, "ZSTD_compressStream2")};
    if (!good_calls) return (size_t)-ZSTD_error_memory_allocation;
    good_calls--;
    return next.function(context, to, from, how);
}

static void write_old(void) {
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs("old", f) >= 0 && fclose(f) == 0);
}

static void set_up(void) {
    cr_assert(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/file", directory);
    write_old();
}
static void tear_down(void) {
    char command[80];
    snprintf(command, sizeof command, "rm -r %s", directory);
    cr_assert_eq(system(command), 0);
}
TestSuite(failed_output, .init = set_up, .fini = tear_down, .timeout = 60);

/* Whether the older file is there, and nothing else. */
static bool is_as_before(void) {
    char text[10] = "";
    unsigned files = 0;
    FILE *f = fopen(path, "r");
    if (!f) return false;
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    DIR *d = opendir(directory);
    for (struct dirent *e; (e = readdir(d));) files += e->d_name[0] != '.';
    closedir(d);
    return n == 3 && !memcmp(text, "old", 3) && files == 1;
}

/* Whether the message is "cannot write FILE: " and the cause. */
static bool says(const struct heddle_diag *diag, const char *cause) {
    char want[300];
    snprintf(want, sizeof want, "cannot write %s: %s", path, cause);
    return !strcmp(diag->text, want);
}

Test(failed_output, a_compressor_that_fails) {
    enum { LINES = 9000 }; /* several blocks */
    for (unsigned calls = 0;; calls++) {
        struct heddle_diag diag = {0};
        struct packed_writer *w;
        uint64_t lines;
        uint32_t sum;
        good_calls = ~0u;
        cr_assert_eq(packed_writer_open(&w, path, &diag), HEDDLE_OK, "%s", diag.text);
        good_calls = calls;
        for (unsigned i = 0; i < LINES; i++)
            packed_writer_put(w, "a line that is as long as many are\n", 35);
        heddle_err e = packed_writer_commit(w, &lines, &sum, &diag);
        if (!e) {
            cr_expect_geq(calls, 5); /* each block was the one that failed */
            cr_expect_eq(lines, LINES);
            break;
        }
        cr_expect(says(&diag, "Allocation error : not enough memory"), "%s", diag.text);
        cr_expect(is_as_before(), "after %u calls", calls);
    }
}

/* A file of at most 8 KiB. */
static void limit_files(void) {
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){8192, 8192}), 0);
}

Test(failed_output, a_write_that_failed_long_before_the_commit) {
    static char block[1 << 16];
    struct heddle_diag diag = {0};
    struct output_file o;
    limit_files();
    cr_assert_eq(output_file_open(&o, path, OUTPUT_OWN, &diag), HEDDLE_OK, "%s", diag.text);
    setvbuf(o.f, NULL, _IONBF, 0); /* nothing is left that the commit would write */
    fwrite(block, 1, sizeof block, o.f);
    cr_expect_eq(output_file_commit(&o, false, &diag), HEDDLE_ERR_IO);
    cr_expect(says(&diag, "File too large; raise the limit of files (ulimit -f)"), "%s", diag.text);
    cr_expect(is_as_before());
}

Test(failed_output, a_write_that_fails_at_the_commit) {
    static char block[9000];
    for (unsigned durable = 0; durable < 2; durable++) {
        struct heddle_diag diag = {0};
        struct output_file o;
        limit_files();
        cr_assert_eq(output_file_open(&o, path, OUTPUT_OWN, &diag), HEDDLE_OK, "%s", diag.text);
        setvbuf(o.f, NULL, _IOFBF, 1 << 16);
        fwrite(block, 1, sizeof block, o.f);
        cr_expect_eq(output_file_commit(&o, durable, &diag), HEDDLE_ERR_IO);
        cr_expect(says(&diag, "File too large; raise the limit of files (ulimit -f)"), "%s",
                  diag.text);
        cr_expect(is_as_before());
    }
}

Test(failed_output, a_device_is_written_to_in_place) {
    struct heddle_diag diag = {0};
    struct output_file o;
    struct stat st;
    cr_assert_eq(output_file_open(&o, "/dev/null", OUTPUT_DEVICE, &diag), HEDDLE_OK);
    fputs("text", o.f);
    cr_expect_eq(output_file_commit(&o, false, &diag), HEDDLE_OK, "%s", diag.text);
    cr_expect(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
    cr_assert_eq(output_file_open(&o, "/dev/full", OUTPUT_DEVICE, &diag), HEDDLE_OK);
    for (unsigned i = 0; i < 10000; i++) fputs("text", o.f);
    cr_expect_eq(output_file_commit(&o, false, &diag), HEDDLE_ERR_IO);
    cr_expect_str_eq(diag.text, "cannot write /dev/full: No space left on device");
    cr_assert_eq(output_file_open(&o, path, OUTPUT_DEVICE, &diag), HEDDLE_OK);
    output_file_abandon(&o);
    cr_expect(is_as_before());
}
