/* test_capability.c - the GPUs' files: all of them load, and what a wrong line says. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "project/capability.h"

Test(capability, every_file_loads) {
    glob_t files;
    cr_assert_eq(glob(CAPABILITIES "/*.ini", 0, NULL, &files), 0);
    cr_assert_geq(files.gl_pathc, 1);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct capability *c;
        struct heddle_diag diag = {0};
        cr_assert_eq(capability_load(&c, files.gl_pathv[i], CAPABILITIES, &diag), HEDDLE_OK, "%s",
                     diag.text);
        for (int r = 0; r < NUM_RATES; r++)
            if (c->max[r].known && c->peak[r].known)
                cr_assert_leq(c->max[r].value, 1.02 * c->peak[r].value, "%s: %s", c->name,
                              capability_rate_key((enum capability_rate)r));
        capability_free(c);
    }
    globfree(&files);
}

/* Loads a file with these lines behind a whole one's. */
static void fails(const char *lines, const char *says) {
    char path[] = "/tmp/heddle-capability-XXXXXX.ini";
    int fd = mkstemps(path, 4);
    FILE *f = fdopen(fd, "w");
    fprintf(f, "base = v100\n%s\n", lines);
    fclose(f);
    struct capability *c;
    struct heddle_diag diag = {0};
    cr_expect_eq(capability_load(&c, path, CAPABILITIES, &diag), HEDDLE_ERR_CONFIG);
    unlink(path);
    cr_expect_null(c);
    cr_expect(strstr(diag.text, says), "%s", diag.text);
}

Test(capability, wrong_lines_have_messages) {
    fails("[l2]\nsiez = 1 ; bytes | vendor | x",
          "ini:3: unknown key 'l2.siez', did you mean 'l2.size'?");
    fails("[sm]\ncount = many ; SMs | vendor | x", "ini:3: sm.count = many is not a number");
    fails("[sm]\ncount = 0 ; SMs | vendor | x", "sm.count = 0 is out of range: 1 to 1024 SMs");
    fails("[sm]\ncount = 80", "sm.count has no remark '; unit | status | source'");
    fails("[sm]\ncount = 80 ; cores | vendor | x", "sm.count is in SMs, not in 'cores'");
    fails("[sm]\ncount = 80 ; SMs | rumour | x", "status 'rumour' is none of vendor, measured");
}

Test(capability, unknown_gpu_names_the_known_ones) {
    struct capability *c;
    struct heddle_diag diag = {0};
    cr_assert_eq(capability_load(&c, "v1000", CAPABILITIES, &diag), HEDDLE_ERR_CONFIG);
    cr_assert(strstr(diag.text, "GPU 'v1000': cannot open"));
    cr_assert(strstr(diag.text, "v100"));
}
