/* test_read_profile.c - which profiler wrote a file, and files that none of them wrote. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile_text.h"

static void bad_bytes(const char *bytes, size_t size, const char *message) {
    struct project_kernels kernels = {0};
    struct heddle_diag diag = {0};
    char *copy = malloc(size + 1);
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    cr_assert_eq(project_read_text(&kernels, NULL, copy, size, "f", &diag), HEDDLE_ERR_CONFIG);
    cr_assert_str_eq(diag.text, message);
    free(copy);
}

Test(read_profile, files_that_are_no_text) {
    bad_bytes("", 0, "f: the file is empty");
    bad_bytes("NVR\0\1\2", 6,
              "f: a report of Nsight Compute: run ncu --import FILE --csv --page raw");
    bad_bytes("SQLite format 3\0\1", 17,
              "f: a database of nvprof or Nsight Systems: run the program under ncu --csv --page "
              "raw");
    bad_bytes("\xFF\xFE\"\0I\0", 6,
              "f: UTF-16 (PowerShell's >): let ncu write the file, with --log-file");
    bad_bytes("\x1F\x8B\x08", 3, "f: compressed by gzip: unpack it first");
    bad_bytes("a\0b", 3,
              "f: not a text; if it is a report of Nsight Compute, run ncu --import FILE --csv "
              "--page raw");
}

Test(read_profile, texts_by_nobody) {
    profile_bad("time,size\n1,2\n",
                "f.csv: neither Nsight Compute's CSV (ncu --csv --page raw), nor nvprof's (nvprof "
                "--csv --print-gpu-trace), nor a table of metrics, whose first column is 'name' "
                "(docs/projection-metrics.md)");
}

static void gpu_of(const char *text, const char *expected) {
    char path[] = "profile-XXXXXX", gpu[64];
    struct project_kernels kernels = {0};
    struct heddle_diag diag = {.text = ""};
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    heddle_err e = project_read_file(&kernels, gpu, sizeof gpu, path, &diag);
    unlink(path);
    cr_assert_eq(e, HEDDLE_OK, "%s", diag.text);
    cr_assert_eq(kernels.count, 1);
    cr_assert_str_eq(gpu, expected);
    project_kernels_clear(&kernels);
}

Test(read_profile, what_a_file_says_of_the_gpu) {
    gpu_of("\xEF\xBB\xBF\"ID\",\"Kernel Name\",\"launch__grid_size\"\n\"\",\"\",\"\"\n0,k,1\n", "");
    gpu_of("\"ID\",\"Kernel Name\",\"CC\"\n\"\",\"\",\"\"\n0,k,10.3\n", "compute capability 10.3");
    gpu_of("\"ID\",\"Kernel Name\",\"CC\",\"device__attribute_display_name\"\n,,,\n0,k,8.0,A\n",
           "A");
}

Test(read_profile, a_file_that_is_not_there) {
    char gpu[8];
    struct project_kernels kernels = {0};
    struct heddle_diag diag = {0};
    cr_assert_eq(project_read_file(&kernels, gpu, sizeof gpu, "none.csv", &diag), HEDDLE_ERR_IO);
    cr_assert_str_eq(diag.text, "none.csv: cannot open: No such file or directory");
}
