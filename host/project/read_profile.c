/* read_profile.c - finds out which profiler wrote a file and has the file read by the reader of its
 * format; see read_profile.h. project_input.c calls project_read_file() and project_missing() on
 * the main thread of `heddle project`. Errors have a text in *diag that names the file. */
#include "project/read_profile.h"

#include <stdlib.h>
#include <string.h>

#include "project/csv_reader.h"
#include "project/profiler_value.h"
#include "project/read_nvprof.h"
#include "project/read_table.h"

/* Files that are no text, by their first bytes. */
static const struct {
    const char *magic;
    size_t size;
    const char *what;
} binaries[] = {
    {"NVR\0", 4, "a report of Nsight Compute: run ncu --import FILE --csv --page raw"},
    {"SQLite format 3", 15,
     "a database of nvprof or Nsight Systems: run the program under ncu --csv --page raw"},
    {"\xFF\xFE", 2, "UTF-16 (PowerShell's >): let ncu write the file, with --log-file"},
    {"\xFE\xFF", 2, "UTF-16: let ncu write the file, with --log-file"},
    {"\x1F\x8B", 2, "compressed by gzip: unpack it first"},
    {"PK\x03\x04", 4, "a ZIP archive or a spreadsheet: give what ncu --csv printed"},
};

/* @return HEDDLE_ERR_CONFIG: the file is empty or no text; the message says how to convert known
 * kinds of files. */
static heddle_err check_text(const char *text, size_t size, const char *file,
                             struct heddle_diag *diag) {
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (size >= binaries[i].size && !memcmp(text, binaries[i].magic, binaries[i].size))
            return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: %s", file, binaries[i].what);
    if (size == 0) return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: the file is empty", file);
    if (memchr(text, '\0', size))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: not a text; if it is a report of Nsight Compute, run ncu --import "
                           "FILE --csv --page raw",
                           file);
    return HEDDLE_OK;
}

/* How the lines begin that tell who wrote a file. */
static const struct {
    const char *begin;
    enum profiler profiler;
} signs[] = {
    {"\"ID\"", PROFILER_NCU},
    {"ID,", PROFILER_NCU},
    {"ID;", PROFILER_NCU},
    {"==PROF==", PROFILER_NCU},
    {"==ERROR==", PROFILER_NCU},
    {"==WARNING==", PROFILER_NCU},
    {"\"Start\",", PROFILER_NVPROF},
    {"\"Device\",", PROFILER_NVPROF},
    {"\"Time(%)\",", PROFILER_NVPROF},
    {"\"Type\",\"Time(%)\"", PROFILER_NVPROF},
};

/* *profiler: who wrote the text, by the first line that begins like one of its rows or messages.
 * @return false: there is none; *profiler is then not set. */
static bool find_profiler(enum profiler *profiler, const char *text) {
    if (!strncmp(text, "\xEF\xBB\xBF", 3)) text += 3;
    for (; text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
            const char *line = text + strspn(text, " \t");
            if (strncmp(line, signs[i].begin, strlen(signs[i].begin)) != 0) continue;
            *profiler = signs[i].profiler;
            return true;
        }
    return false;
}

/* Replaces what is in *out by the kernels of the `size` bytes of text, which is overwritten;
 * text[size] is NUL. *gpu, unless NULL: where they ran, as far as the text says. @return
 * HEDDLE_ERR_CONFIG; *out is then empty. */
heddle_err project_read_text(struct project_kernels *out, struct project_gpu *gpu, char *text,
                             size_t size, const char *file, struct heddle_diag *diag) {
    enum profiler profiler;
    project_kernels_clear(out);
    heddle_err e = check_text(text, size, file, diag);
    if (e) return e;
    if (read_table_begins(text)) return read_table_text(out, gpu, text, size, file, diag);
    if (!find_profiler(&profiler, text))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: neither Nsight Compute's CSV (ncu --csv --page raw), nor nvprof's "
                           "(nvprof --csv --print-gpu-trace), nor a table of metrics, whose first "
                           "column is 'name' (docs/projection-metrics.md)",
                           file);
    return profiler == PROFILER_NCU ? read_ncu_text(out, gpu, text, size, file, diag)
                                    : read_nvprof_text(out, gpu, text, size, file, diag);
}

/* Loads the file, reads its kernels into *out as project_read_text() does, and copies what it says
 * of the GPU into `gpu` (`size` bytes). @return HEDDLE_ERR_IO, HEDDLE_ERR_NOMEM: of csv_load();
 * HEDDLE_ERR_CONFIG. *out is then empty, `gpu` unchanged. */
heddle_err project_read_file(struct project_kernels *out, char *gpu, size_t size, const char *path,
                             struct heddle_diag *diag) {
    char *text;
    size_t length;
    struct project_gpu found = {0};
    project_kernels_clear(out);
    heddle_err e = csv_load(&text, &length, path, diag);
    if (e) return e;
    e = project_read_text(out, &found, text, length, path, diag);
    free(text);
    if (e) return e;
    if (!*found.name && found.capability)
        snprintf(found.name, sizeof found.name, "compute capability %d.%d", found.capability / 10,
                 found.capability % 10);
    snprintf(gpu, size, "%s", found.name);
    return HEDDLE_OK;
}

/* Marks in `missing` each metric of `need` or a lesser need that some kernel lacks; overwrites all
 * of `missing`. @return whether there is one. */
bool project_missing(bool missing[NUM_PROJECT_METRICS], const struct project_kernels *kernels,
                     enum project_need need) {
    bool any = false;
    for (int m = 0; m < NUM_PROJECT_METRICS; m++) {
        missing[m] = false;
        for (size_t i = 0; i < kernels->count && !missing[m]; i++)
            missing[m] = project_metric_rows[m].need <= need && !kernels->at[i].known[m];
        any |= missing[m];
    }
    return any;
}
