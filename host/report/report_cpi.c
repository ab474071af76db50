/* report_cpi.c - the CPI stack, the sub-core cycles of each kernel by cause: table, CSV and
 * picture. report_json.c and report_text.c call it on the main thread of `heddle run`, when the
 * program has ended.
 *
 * A row stands for a kernel with one grid and block on a GPU, and sums its launches. Its parts add
 * up to the cycles of all sub-cores of the GPU from the first CTA's start to the last one's end.
 * Functions read the report, allocate and free their sums, and write to the open file that they are
 * given; write errors show at its fclose(). */
#include <stdlib.h>
#include <string.h>

#include "common/svg.h"
#include "report/report_internal.h"

/* Names and texts of the core's counters, by number. */
static const struct {
    const char *name, *meaning;
} counters[] = {
#define CONSTANT(name, value, meaning)
#define ARG(number, offset, name, bits, buffer, meaning)
#define REG(offset, name, meaning)
#define COUNTER(number, name, meaning) [number] = {#name, meaning},
#include "tables/core_regs.def"
};
/* Colours of the parts in the picture. */
static const struct {
    const char *part, *colour;
} colours[] = {
#define COLOUR(part, colour) {part, colour},
#include "tables/cpi_colours.def"
};
_Static_assert(sizeof colours / sizeof *colours == CPI_PARTS, "a colour for each part");

/* Index into gpu_kernel_record.wait of a part > 0: no_warp, wait 0, is the last part. */
static unsigned wait_of(unsigned part) {
    return part % CORE_NUM_WAITS;
}

/* Name of a part: "issued", or that of its counter without "wait_". */
const char *cpi_name(unsigned part) {
    return part ? counters[CORE_COUNTER_WAIT_NO_WARP + wait_of(part)].name + strlen("wait_")
                : "issued";
}

/* Description of a part, from tables/core_regs.def. */
const char *cpi_meaning(unsigned part) {
    return part ? counters[CORE_COUNTER_WAIT_NO_WARP + wait_of(part)].meaning
                : "a warp instruction was issued";
}

/* Colour of a part, "#rrggbb". */
const char *cpi_colour(unsigned part) {
    unsigned i = 0;
    while (i + 1 < CPI_PARTS && strcmp(colours[i].part, cpi_name(part))) i++;
    return colours[i].colour;
}

/* Sub-core cycles of a part. */
uint64_t cpi_cycles(const struct gpu_kernel_record *k, unsigned part) {
    return part ? k->wait[wait_of(part)] : k->issued;
}

/* Fills *list with the sums of the kernels that were timed, one for each configuration; the caller
 * frees list->of. */
static void get_stacks(const struct report *r, struct report_sums *list) {
    report_configurations(r, list);
    size_t timed = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->of[i].k.sub_core_cycles) list->of[timed++] = list->of[i];
    list->count = timed;
}

/* ---- terminal: parts that are 0 for all kernels have no column */

/* Characters of a part's column. */
static int cell_width(unsigned part) {
    enum { LEAST = 7 };
    const int name = (int)strlen(cpi_name(part));
    return name > LEAST ? name : LEAST;
}

/* Prints the stacks as percentages, at most REPORT_MOST_LINES kernels; nothing if none was
 * timed. */
void cpi_print(const struct report *r, FILE *out) {
    struct report_sums stacks;
    bool some[CPI_PARTS] = {false};
    get_stacks(r, &stacks);
    const struct report_name *k = stacks.of;
    size_t count = stacks.count, shown = count < REPORT_MOST_LINES ? count : REPORT_MOST_LINES;
    for (size_t i = 0; i < count; i++)
        for (unsigned p = 0; p < CPI_PARTS; p++) some[p] |= cpi_cycles(&k[i].k, p) != 0;
    if (count) {
        report_print_name("CPI stack, % of cycles", out);
        for (unsigned p = 0; p < CPI_PARTS; p++)
            if (some[p]) fprintf(out, "  %*s", cell_width(p), cpi_name(p));
        fputc('\n', out);
    }
    for (size_t i = 0; i < shown; i++) {
        char *name = report_configuration_name(r, &stacks, i);
        report_print_name(name, out);
        free(name);
        for (unsigned p = 0; p < CPI_PARTS; p++)
            if (some[p])
                fprintf(out, "  %*.1f", cell_width(p),
                        100.0 * (double)cpi_cycles(&k[i].k, p) / (double)k[i].k.sub_core_cycles);
        fputc('\n', out);
    }
    if (count > shown) fprintf(out, "%zu kernels more: cpi_stack.csv\n", count - shown);
    free(stacks.of);
}

/* Writes cpi_stack.csv: sub-core cycles by part, a line for each configuration that was timed. */
void cpi_write_csv(const struct report *r, FILE *f) {
    struct report_sums stacks;
    get_stacks(r, &stacks);
    const struct report_name *k = stacks.of;
    fputs("name,sub_core_cycles", f);
    for (unsigned p = 0; p < CPI_PARTS; p++) fprintf(f, ",%s", cpi_name(p));
    fputs(",device,grid,block\n", f);
    for (size_t i = 0; i < stacks.count; i++) {
        char grid[40], block[40];
        report_shape(grid, sizeof grid, k[i].k.grid);
        report_shape(block, sizeof block, k[i].k.block);
        report_csv_name(k[i].k.name, f);
        fprintf(f, ",%llu", (unsigned long long)k[i].k.sub_core_cycles);
        for (unsigned p = 0; p < CPI_PARTS; p++)
            fprintf(f, ",%llu", (unsigned long long)cpi_cycles(&k[i].k, p));
        fprintf(f, ",%u,%s,%s\n", k[i].k.device, grid, block);
    }
    free(stacks.of);
}

/* ---- picture: a bar for each kernel */

/* Writes cpi_stack.svg: a bar for each kernel, and a legend. */
void cpi_write_svg(const struct report *r, FILE *f) {
    enum {
        LEFT = 250,
        BAR = 700,
        ROW = 26,
        WIDTH = LEFT + BAR + 40,
        NAME = 32,
        LEGEND = 44, /* its first row */
        LEGEND_ROW = 22,
        IN_ROW = 6,
        TOP = LEGEND + (CPI_PARTS + IN_ROW - 1) / IN_ROW * LEGEND_ROW + 8
    };
    struct report_sums stacks;
    get_stacks(r, &stacks);
    const struct report_name *k = stacks.of;
    size_t count = stacks.count;
    svg_begin(f, WIDTH, (unsigned)(TOP + ROW * (count + 1) + 16));
    fputs("<text x=\"16\" y=\"24\" font-size=\"15\">CPI stack: cycles of the sub-cores of ", f);
    svg_text(f, r->config->gpu_name, 64);
    fputs("</text>\n", f);
    for (unsigned p = 0; p < CPI_PARTS; p++) {
        unsigned x = 16 + p % IN_ROW * 150, y = LEGEND + p / IN_ROW * LEGEND_ROW;
        fprintf(f,
                "<rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%u\" "
                "y=\"%u\">%s<title>%s</title></text>\n",
                x, y, cpi_colour(p), x + 18, y + 11, cpi_name(p), cpi_meaning(p));
    }
    for (size_t i = 0; i < count; i++) {
        double x = LEFT;
        size_t y = TOP + ROW * i;
        fprintf(f, "<text x=\"%d\" y=\"%zu\" text-anchor=\"end\">", LEFT - 8, y + 15);
        char *name = report_configuration_name(r, &stacks, i);
        svg_text_end(f, name, NAME);
        fputs("<title>", f);
        svg_text(f, name, strlen(name));
        fputs("</title></text>\n", f);
        free(name);
        for (unsigned p = 0; p < CPI_PARTS; p++) {
            double share = (double)cpi_cycles(&k[i].k, p) / (double)k[i].k.sub_core_cycles;
            if (share <= 0) continue;
            fprintf(f,
                    "<rect x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"20\" fill=\"%s\"><title>"
                    "%s %.1f %%</title></rect>\n",
                    x, y, share * BAR, cpi_colour(p), cpi_name(p), 100 * share);
            x += share * BAR;
        }
    }
    for (unsigned percent = 0; percent <= 100; percent += 25)
        fprintf(f, "<text x=\"%u\" y=\"%zu\" text-anchor=\"middle\">%u %%</text>\n",
                LEFT + BAR * percent / 100, TOP + ROW * count + 16, percent);
    fputs("</svg>\n", f);
    free(stacks.of);
}
