/* interval_plot.c - draws measured times and projected intervals as one bar chart, an SVG file; see
 * interval_plot.h. plot_files.c calls interval_plot() on the main thread of `heddle project`. Sizes
 * are pixels, times microseconds. The draw functions write to c->f without checking for errors, at
 * row c->y; those that take a non-const chart move c->y to the next row.
 *
 * Each kernel is a block: its name, a bar for its time on the source, and a row for each target
 * with the interval, the centre, and a bar where the time was measured there. Rows bear the names
 * of the GPUs, and colours tell only measured from projected. */
#include "project/interval_plot.h"

#include <math.h>
#include <stdlib.h>

#include "common/axis.h"
#include "common/memory.h"
#include "common/svg.h"
#include "project/kernel_groups.h"
#include "project/plot_number.h"

enum {
    LEFT = 150,
    FIELD = 640,
    WIDTH = LEFT + FIELD + 270,
    TOP = 112,
    NAME_ROW = 20,
    BAR = 14,       /* thickness of bars */
    ROW = 18,       /* of a bar or an interval */
    BLOCK_GAP = 12, /* between kernels */
    NAME = 100,     /* bytes of a kernel's name */
    GPU_NAME = 18,  /* bytes of a GPU's */
};
/* Of Okabe and Ito's colours, which people with colour blindness tell apart. */
#define SOURCE_COLOUR "#999999"
#define INTERVAL_COLOUR "#0072b2"
#define CENTRE_COLOUR "#d55e00"
#define MEASURED_COLOUR "#e69f00"
/* A logarithmic axis from this ratio of the greatest time to the least. */
static const double greatest_spread = 30;

/* A kernel, the other kernels, or the application. */
struct block {
    const char *name;
    char more[48]; /* behind the name */
    size_t launches;
    double measured_us;
    struct project_total *on; /* [target], owned */
};

/* The chart while it is drawn. */
struct chart {
    const struct project_results *r;
    FILE *f;
    struct block *blocks; /* owned */
    size_t count;         /* of blocks */
    struct axis time;
    double y; /* of the next row */
};

/* ---- what to show */

/* Names a block; the name is borrowed. Several launches or kernels (`what`) add their number to the
 * name. */
static void set_name(struct block *b, const char *name, size_t count, const char *what) {
    b->name = name;
    if (count > 1) snprintf(b->more, sizeof b->more, " (%zu %s)", count, what);
}

/* Adds launch i to a block, whose list `on` exists. A block has a measured time on a target only
 * while all its launches have one; NAN marks one that lacks it. */
static void add_launch(struct block *b, const struct project_results *r, size_t i) {
    b->launches++;
    b->measured_us += r->kernels->at[i].of[METRIC_TIME];
    for (size_t t = 0; t < r->num_targets; t++) {
        const struct projection *p = project_result(r, i, t);
        double measured = project_measured(r, i, t);
        b->on[t].low_us += p->low_us;
        b->on[t].centre_us += p->centre_us;
        b->on[t].high_us += p->high_us;
        b->on[t].measured_target_us += measured > 0 ? measured : NAN;
    }
}

/* Makes c->blocks: a block for each of the first INTERVAL_PLOT_KERNELS groups, one for all others
 * if there are any, and the application last, which has all launches. free_blocks() frees them. */
static void make_blocks(struct chart *c, const struct kernel_groups *groups) {
    const struct project_results *r = c->r;
    size_t shown = groups->count;
    if (shown > INTERVAL_PLOT_KERNELS) shown = INTERVAL_PLOT_KERNELS;
    bool others = groups->count > shown;
    c->count = shown + others + 1;
    c->blocks = heddle_alloc_array(c->count, sizeof *c->blocks, "blocks of a chart");
    for (size_t i = 0; i < c->count; i++)
        c->blocks[i].on = heddle_alloc_array(r->num_targets, sizeof *c->blocks[i].on,
                                             "times of a chart");
    for (size_t i = 0; i < r->kernels->count; i++) {
        if (groups->of[i] == NO_GROUP) continue;
        add_launch(&c->blocks[groups->of[i] < shown ? groups->of[i] : shown], r, i);
        add_launch(&c->blocks[c->count - 1], r, i);
    }
    for (size_t i = 0; i < shown; i++)
        set_name(&c->blocks[i], groups->at[i].name, groups->at[i].count, "launches");
    if (others) set_name(&c->blocks[shown], "others", groups->count - shown, "kernels");
    struct block *all = &c->blocks[c->count - 1];
    set_name(all, "application: all kernels", all->launches, "launches");
}

/* Frees the blocks and their times; names are borrowed. */
static void free_blocks(struct chart *c) {
    for (size_t i = 0; i < c->count; i++) free(c->blocks[i].on);
    free(c->blocks);
}

/* Sets c->time, the axis of times: linear from 0, or logarithmic where the greatest time is more
 * than greatest_spread times the least. A logarithmic one begins below the least time, so that its
 * bar shows. */
static void make_axis(struct chart *c) {
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct block *b = &c->blocks[i];
        least = fmin(least, b->measured_us);
        most = fmax(most, b->measured_us);
        for (size_t t = 0; t < c->r->num_targets; t++) {
            least = fmin(least, fmin(b->on[t].low_us, b->on[t].measured_target_us));
            most = fmax(most, fmax(b->on[t].high_us, b->on[t].measured_target_us));
        }
    }
    c->time = most / least > greatest_spread ? axis_logarithmic(least / 2, most, LEFT, LEFT + FIELD)
                                             : axis_linear(most, 8, LEFT, LEFT + FIELD);
}

/* Height of a block: rows for the source, for each target, for each time measured there. */
static double block_height(const struct chart *c, const struct block *b) {
    size_t rows = 1 + c->r->num_targets;
    for (size_t t = 0; t < c->r->num_targets; t++) rows += b->on[t].measured_target_us > 0;
    return NAME_ROW + ROW * (double)rows + BLOCK_GAP;
}

/* ---- drawing */

/* Draws the grid from above TOP to `bottom`, with the times above and below it. */
static void draw_axis(const struct chart *c, double bottom) {
    double value;
    for (unsigned i = 0; axis_tick(&c->time, i, &value); i++) {
        double x = axis_at(&c->time, value);
        fprintf(c->f,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\" stroke=\"#e4e4e4\"/>"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%.6g</text>\n",
                x, x, TOP - 6, bottom, x, TOP - 12, value, x, bottom + 16, value);
    }
    fprintf(c->f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">time, us</text>\n",
            LEFT + FIELD / 2, bottom + 34);
}

/* Writes a GPU's name at the left of the row. */
static void draw_row_name(const struct chart *c, const char *name) {
    fprintf(c->f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" font-size=\"11\" fill=\"#555\">",
            LEFT - 8, c->y + 11);
    svg_text(c->f, name, GPU_NAME);
    fputs("</text>\n", c->f);
}

/* Draws a bar from the left end of the axis to the time. `what`: its class in the SVG. */
static void draw_bar(const struct chart *c, const char *what, double us, const char *colour) {
    fprintf(c->f,
            "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
            what, LEFT, c->y, axis_at(&c->time, us) - LEFT, BAR, colour);
}

/* Draws an interval as a line with ends, and its centre as a higher line. The three are pixels. */
static void draw_segment(const struct chart *c, double left, double centre, double right) {
    double y = c->y + BAR / 2.0;
    fprintf(c->f,
            "<path class=\"interval\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f %.1fv8\" "
            "stroke=\"" INTERVAL_COLOUR "\" stroke-width=\"2.5\" fill=\"none\"/>\n",
            left, y, right, left, y - 4, right, y - 4);
    fprintf(c->f,
            "<path class=\"centre\" d=\"M%.1f %.1fv14\" stroke=\"" CENTRE_COLOUR
            "\" stroke-width=\"2.5\"/>\n",
            centre, y - 7);
}

/* Opens the text at the right of the row; the caller writes and closes it. */
static void begin_numbers(const struct chart *c) {
    fprintf(c->f, "<text x=\"%d\" y=\"%.1f\" font-size=\"11\">", LEFT + FIELD + 14, c->y + 11);
}

/* Draws a block's row of a target, and a second one where its time was measured there. */
static void draw_target(struct chart *c, const struct block *b, size_t target) {
    const struct project_total *t = &b->on[target];
    draw_row_name(c, c->r->targets[target]->name);
    draw_segment(c, axis_at(&c->time, t->low_us), axis_at(&c->time, t->centre_us),
                 axis_at(&c->time, t->high_us));
    begin_numbers(c);
    fprintf(c->f, "%s to %s, centre %s</text>\n", plot_number(t->low_us).text,
            plot_number(t->high_us).text, plot_number(t->centre_us).text);
    c->y += ROW;
    if (!(t->measured_target_us > 0)) return;
    begin_numbers(c);
    fprintf(c->f, "%s measured, error %+.1f %%</text>\n", plot_number(t->measured_target_us).text,
            project_error(t->centre_us, t->measured_target_us));
    draw_bar(c, "measured", t->measured_target_us, MEASURED_COLOUR);
    c->y += ROW;
}

/* Draws a block from c->y on: name, source, targets; moves c->y behind it. */
static void draw_block(struct chart *c, const struct block *b) {
    fprintf(c->f, "<text x=\"16\" y=\"%.1f\" font-weight=\"bold\">", c->y + 13);
    svg_text(c->f, b->name, NAME);
    fprintf(c->f, "%s</text>\n", b->more);
    c->y += NAME_ROW;
    draw_row_name(c, c->r->source->name);
    draw_bar(c, "source", b->measured_us, SOURCE_COLOUR);
    begin_numbers(c);
    fprintf(c->f, "%s measured</text>\n", plot_number(b->measured_us).text);
    c->y += ROW;
    for (size_t t = 0; t < c->r->num_targets; t++) draw_target(c, b, t);
    c->y += BLOCK_GAP;
}

/* Draws an entry of the legend at x. */
static void draw_key(const struct chart *c, int x, const char *text, const char *colour) {
    fprintf(c->f,
            "<rect x=\"%d\" y=\"58\" width=\"26\" height=\"12\" fill=\"%s\"/><text x=\"%d\" "
            "y=\"68\">%s</text>\n",
            x, colour, x + 34, text);
}

/* Writes the two lines of the title and the legend. Changes c->y. */
static void draw_titles(struct chart *c) {
    fputs("<text x=\"16\" y=\"26\" font-size=\"16\" font-weight=\"bold\">Times on ", c->f);
    svg_text(c->f, c->r->source->name, GPU_NAME);
    fputs(" and projected times</text>\n", c->f);
    fprintf(c->f, "<text x=\"16\" y=\"45\">model %s; in us%s", project_model_name(c->r->model),
            c->time.logarithmic ? "; the axis is logarithmic, bars start at its left end" : "");
    if (c->r->num_refused)
        fprintf(c->f, "; launches that were not projected and are left out: %zu",
                c->r->num_refused);
    fputs("</text>\n", c->f);
    draw_key(c, 16, "measured on the source", SOURCE_COLOUR);
    c->y = 57;
    draw_segment(c, 214, 230, 254);
    fputs("<text x=\"264\" y=\"68\">projected: lowest, centre, highest</text>\n", c->f);
    if (c->r->measured_target) draw_key(c, 490, "measured on the target", MEASURED_COLOUR);
}

/* Writes the SVG to `f`: groups the launches, makes the blocks, draws them and frees both. At least
 * one kernel was projected. Errors of `f` are the caller's to check. */
void interval_plot(FILE *f, const struct project_results *r) {
    struct chart c = {.r = r, .f = f};
    struct kernel_groups groups;
    kernel_groups_make(&groups, r);
    make_blocks(&c, &groups);
    make_axis(&c);
    double bottom = TOP;
    for (size_t i = 0; i < c.count; i++) bottom += block_height(&c, &c.blocks[i]);
    svg_begin(f, WIDTH, (unsigned)bottom + 48);
    draw_titles(&c);
    draw_axis(&c, bottom);
    c.y = TOP;
    for (size_t i = 0; i < c.count; i++) draw_block(&c, &c.blocks[i]);
    fputs("</svg>\n", f);
    free_blocks(&c);
    kernel_groups_clear(&groups);
}
