/* source_view.h - what each source line and each instruction of a run's kernels did, read from a
 * report directory: the module behind `heddle annotate`, and of use to whatever shows a run.
 *
 * A view is made of report.json, instructions.csv and code.txt.zst (docs/report.md) alone, so that
 * it can be had later and elsewhere; only a source file that the run left out is read from its
 * path. It is plain data: kernels, each with its instructions and its lines; modules with their PTX
 * text; source files with their text. Numbers are indices into the arrays of the view,
 * SOURCE_NOWHERE stands for none. Everything belongs to the view and lives as long as it.
 *
 * Counts are exact: they are of all timed launches of a kernel. Units: tables/code_counts.def.
 * Threads: one at a time for a view. Out of memory ends the process. */
#ifndef HEDDLE_ANNOTATE_SOURCE_VIEW_H
#define HEDDLE_ANNOTATE_SOURCE_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

#define SOURCE_NOWHERE UINT32_MAX

/* The counts of an instruction, of a line, of a kernel; and their rows in the table. */
struct source_counts {
#define CODE_COUNT(member, unit, meaning) uint64_t member;
#include "tables/code_counts.def"
};
struct source_count_row {
    const char *name, *unit, *meaning;
};
enum {
#define CODE_COUNT(member, unit, meaning) SOURCE_COUNT_##member,
#include "tables/code_counts.def"
    SOURCE_COUNTS
};
extern const struct source_count_row source_count_rows[SOURCE_COUNTS];
/* A count by its number. */
static inline uint64_t source_count_of(const struct source_counts *c, unsigned number) {
    return ((const uint64_t *)c)[number];
}

/* The causes of waits, in the order of the table: their columns are named wait_CAUSE. */
enum {
    SOURCE_FIRST_WAIT = SOURCE_COUNT_wait_stall,
    SOURCE_WAITS = SOURCE_COUNT_wait_constant - SOURCE_COUNT_wait_stall + 1
};
/* The cause's name, as in report.json: "memory". */
const char *source_wait_name(unsigned wait);
/* Sub-core cycles of an instruction, line or kernel: those in which it issued, and those in which
 * nothing issued because it waited. */
uint64_t source_cycles(const struct source_counts *c);
/* The wait with the most cycles, from 0; SOURCE_NOWHERE: there was none. */
uint32_t source_top_wait(const struct source_counts *c);
/* Ratios, NAN where nothing was counted: threads of a warp instruction, of 32; sectors of an
 * access to global, local or texture memory; share of shared memory's cycles that are bank
 * conflicts; share of the sectors that loads look up in L1 and find there. */
double source_lanes(const struct source_counts *c);
double source_sectors_per_request(const struct source_counts *c);
double source_conflicts(const struct source_counts *c);
double source_l1_hit_rate(const struct source_counts *c);

/* Whether the text of a source file is there, and why not. */
enum source_state {
    SOURCE_THERE,   /* its text is that of the run, or, if the run left it out, unchanged since */
    SOURCE_MISSING, /* the file was not there, or could not be read */
    SOURCE_NEWER,   /* it was changed after the program was built: its lines may be others */
    SOURCE_LARGE,   /* larger than what a run keeps */
    SOURCE_LEFT_OUT /* the run has no sources (--no-sources), and the file cannot be read now */
};
/* The state in words that go behind the file's name; NULL for SOURCE_THERE. */
const char *source_state_text(enum source_state state);

/* Text in lines. line[i] is line i + 1, without its newline. */
struct source_text {
    char **line;
    uint32_t count;
};
/* A source file that instructions come from. */
struct source_file {
    const char *path; /* as in the program's line table */
    enum source_state state;
    struct source_text text; /* of SOURCE_THERE alone */
};
/* A PTX module: its text, of no lines if it is not known. */
struct source_module {
    struct source_text ptx;
};
/* An instruction of a kernel; its number is its place in source_kernel.inst. */
struct source_inst {
    const char *text;    /* MIR, as `heddle ptx` prints it */
    const char *op;      /* its operation */
    uint32_t file, line; /* of the source; file SOURCE_NOWHERE and line 0: unknown */
    uint32_t ptx_line;   /* line in the text of the kernel's module; 0: none */
    uint32_t of_line;    /* its line in source_kernel.line */
    struct source_counts count;
};
/* A source line of a kernel, with the sums of its instructions. */
struct source_line {
    uint32_t file, line; /* as above; one line of each kernel may be the unknown one */
    uint32_t num_inst;
    const uint32_t *inst; /* [num_inst] ascending */
    struct source_counts count;
};
/* A kernel on a GPU, over all its timed launches. */
struct source_kernel {
    const char *name;   /* as the report has it */
    const char *symbol; /* as the PTX has it */
    uint32_t device, module;
    uint32_t of_code;  /* its number in instructions.csv: kernel_groups[].code of report.json */
    uint64_t launches; /* that were counted */
    uint64_t stopped, ctas_done, ctas; /* launches that were stopped before their end: how many,
                                        * CTAs of them that had ended, and that there were */
    uint64_t cycles, time_ps;          /* of these launches, launch overhead included */
    uint64_t sub_core_cycles;          /* of their executions, all sub-cores; 0: unknown */
    double occupancy, theoretical_occupancy; /* of 1; NAN: unknown */
    uint32_t grid[3], block[3];              /* of the first launch */
    bool shapes;                             /* there are launches of other shapes */
    struct source_inst *inst;                /* [num_inst] */
    struct source_line *line; /* [num_lines] by file and line, the unknown one last */
    uint32_t *hottest;        /* [num_lines] the lines, most cycles first */
    uint32_t num_inst, num_lines;
    struct source_counts count; /* of the whole kernel */
};
/* A run. */
struct source_view {
    const char *directory, *program, *gpu;
    bool has_waits; /* the backend told of each issue: wait_* and issued are counted. Otherwise all
                     * of them are 0, and `warps` is the best that is known of a line's weight. */
    struct source_kernel *kernel; /* [num_kernels] most time first */
    struct source_module *module; /* [num_modules] */
    struct source_file *file;     /* [num_files] */
    uint32_t num_kernels, num_modules, num_files;
    struct arena *arena; /* owns the texts and the arrays of kernels */
};

/* Reads a run: a report directory, or its report.json. *out is the caller's. @return HEDDLE_ERR_IO,
 * with text in diag: a file is missing, damaged or of another version, or the run has no counts;
 * *out is then NULL. */
heddle_err source_view_read(struct source_view **out, const char *run, struct heddle_diag *diag);
void source_view_free(struct source_view *v); /* accepts NULL */

/* Finds the kernels that `name` means: a number from 0 in the view's order; else a whole name
 * (readable or mangled, with or without parameters); else a part of one. Writes their indices to
 * found[num_kernels]. @return how many; 0: none. */
uint32_t source_view_find(const struct source_view *v, const char *name, uint32_t *found);

/* The view as a new JSON object (docs/annotate.md); `kernels` are indices, n of them. */
json_t *source_view_json(const struct source_view *v, const uint32_t *kernels, uint32_t n);

#endif
