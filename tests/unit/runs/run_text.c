/* run_text.c - reports for tests; see run_text.h. */
#define _GNU_SOURCE
#include "run_text.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *run_text_group(const char *name, unsigned grid, unsigned launches, unsigned cycles,
                           unsigned memory, const char *more) {
    static char texts[8][2000];
    static unsigned next;
    char *out = texts[next++ % 8];
    const unsigned sub = 1000 * launches;
    snprintf(out, sizeof texts[0],
             "{\"name\":\"%s\",\"device\":0,\"grid\":[%u,1,1],\"block\":[256,1,1],\"launches\":%u,"
             "\"timed\":true,\"estimated\":false,\"cycles\":%u,\"launch_cycles\":%u,"
             "\"time_ps\":%llu,\"registers\":32,\"shared_bytes\":0,\"sub_core_cycles\":%u,"
             "\"cpi_stack\":{\"issued\":%u,\"memory\":%u,\"no_warp\":%u}%s}",
             name, grid, launches, cycles * launches, 100 * launches, 1000ull * cycles * launches,
             sub, sub / 2, memory * launches, sub / 2 - memory * launches, more);
    return out;
}

void run_text_put(const char *directory, const char *name, const char *text) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "w");
    cr_assert(f, "%s", path);
    fputs(text, f);
    cr_assert_eq(fclose(f), 0);
}

const char *run_text_write(const char *run, const char *groups, const char *more) {
    static char paths[4][60];
    static unsigned next;
    char *path = paths[next++ % 4], *text;
    strcpy(path, "/tmp/heddle-runs-XXXXXX");
    cr_assert(mkdtemp(path));
    cr_assert(
        asprintf(&text,
                 "{\"run\":{\"program\":\"p\",\"gpu\":\"G\",\"gpu_file\":\"g.ini\",\"timing\":"
                 "\"rtl\",\"heddle_version\":\"1\"%s},\n\"kernel_groups\":[%s]%s}",
                 run, groups, more) > 0);
    run_text_put(path, "report.json", text);
    free(text);
    return path;
}

struct run_file run_text_load(const char *directory) {
    struct run_file r;
    struct heddle_diag diag = {0};
    cr_assert_eq(run_file_load(&r, directory, &diag), HEDDLE_OK, "%s", diag.text);
    return r;
}

void run_text_remove(const char *directory) {
    char path[512];
    DIR *d = opendir(directory);
    cr_assert(d);
    for (struct dirent *e; (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
        unlink(path);
    }
    closedir(d);
    cr_expect_eq(rmdir(directory), 0, "%s", directory);
}
