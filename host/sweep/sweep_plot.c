/* sweep_plot.c - draws sweep.svg, a chart of one column of a sweep: a group of bars for each value
 * of the first axis that varies, or one group around the first values, and a bar for each point.
 * Sizes are pixels. sweep_output.c calls sweep_write_svg() on the main thread of `heddle sweep`;
 * everything else serves that, writes to the open file p->f and leaves errors to fclose(). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/axis.h"
#include "common/svg.h"
#include "sweep/sweep_output.h"

enum { LEFT = 80, HEIGHT = 300, TOP = 56, LEGEND_ROW = 18, MOST_WIDTH = 4000, LABEL = 60 };
static const char *const colours[] = {"#2b6cb0", "#d97706", "#2e8b57", "#805ad5", "#c53030",
                                      "#63b3ed", "#f2c14e", "#90a4ae", "#b7791f", "#38b2ac"};
enum { NUM_COLOURS = sizeof colours / sizeof *colours };

/* The picture while it is drawn. */
struct picture {
    const struct sweep_output *o;
    FILE *f;
    unsigned axis, groups, bars; /* axis of the groups; bars per group */
    unsigned legend;             /* first axis of the legend; behind the groups' axis */
    unsigned stride;             /* points from one group to the next */
    double bar_width;
    double scale; /* factor from values to `unit` */
    const char *unit;
    unsigned top, width; /* of the field with the bars */
    struct axis values;  /* upwards, in `unit` */
};

/* Index of the point that a bar shows. */
static unsigned bar_point(const struct picture *p, unsigned group, unsigned bar) {
    /* axes before the groups' axis have one value; those after it vary faster */
    return group * p->stride + bar;
}

/* Value of a point in p->unit; NAN: it is not done. */
static double value_at(const struct picture *p, unsigned point) {
    const struct sweep_result *r = &p->o->results[point];
    return sweep_result_value(r, p->o->column) * p->scale;
}

/* Chooses the unit of times so that the largest value is below 1000; sets scale and unit. */
static void choose_unit(struct picture *p, double most) {
    static const char *const times[] = {"ps", "ns", "us", "ms", "s"};
    unsigned i = 0;
    p->scale = 1;
    p->unit = sweep_more_column(p->o->more, p->o->column).unit;
    if (strcmp(p->unit, "ps")) return;
    for (; i < 4 && most * p->scale >= 1000; i++) p->scale /= 1000;
    p->unit = times[i];
}

/* Draws the horizontal lines and their numbers. */
static void draw_scale(const struct picture *p) {
    double value;
    for (unsigned i = 0; axis_tick(&p->values, i, &value); i++) {
        double y = axis_at(&p->values, value);
        fprintf(p->f,
                "<line x1=\"%d\" x2=\"%u\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#d9d9d9\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n",
                LEFT, LEFT + p->width, y, y, LEFT - 8, y + 4, value);
    }
}

/* Draws a bar with its title and, if it is wide enough, its value; x for a point that is not
 * done. */
static void draw_bar(const struct picture *p, unsigned group, unsigned bar) {
    unsigned point = bar_point(p, group, bar);
    double value = value_at(p, point), y = axis_at(&p->values, value);
    double x = LEFT + p->bar_width * (group * (p->bars + 1) + bar + 0.5);
    if (isnan(value)) {
        fprintf(p->f,
                "<text x=\"%.1f\" y=\"%u\" text-anchor=\"middle\" fill=\"#c53030\">x</text>\n",
                x + p->bar_width / 2, p->top + HEIGHT - 3);
        return;
    }
    char title[400];
    sweep_label(p->o->sweep, &p->o->sweep->points[point], 0, p->o->sweep->num_axes, true, title,
                sizeof title);
    fprintf(p->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>",
            x, y, p->bar_width * 0.95, p->values.from - y, colours[bar % NUM_COLOURS]);
    svg_text(p->f, title, sizeof title);
    fprintf(p->f, ": %.6g %s</title></rect>\n", value, p->unit);
    if (p->bar_width >= 30)
        fprintf(p->f,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"10\">%.4g</text>\n",
                x + p->bar_width / 2, y - 3, value);
}

/* Draws the bars of a group and its label. */
static void draw_group(const struct picture *p, unsigned group) {
    const struct sweep *s = p->o->sweep;
    char label[200];
    for (unsigned bar = 0; bar < p->bars; bar++) draw_bar(p, group, bar);
    sweep_label(s, &s->points[bar_point(p, group, 0)], p->axis, p->legend, false, label,
                sizeof label);
    fprintf(p->f, "<text x=\"%.1f\" y=\"%u\" text-anchor=\"middle\">",
            LEFT + p->bar_width * (group * (p->bars + 1) + 0.5 + p->bars / 2.0),
            p->top + HEIGHT + 18);
    svg_text(p->f, label, LABEL);
    fputs("</text>\n", p->f);
}

/* Draws a line for each bar of a group, if there are several. */
static void draw_legend(const struct picture *p) {
    const struct sweep *s = p->o->sweep;
    for (unsigned bar = 0; bar < p->bars && p->bars > 1; bar++) {
        char label[200];
        unsigned y = TOP + bar * LEGEND_ROW;
        sweep_label(s, &s->points[bar], p->legend, s->num_axes, true, label, sizeof label);
        fprintf(p->f,
                "<rect x=\"%d\" y=\"%u\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" "
                "y=\"%u\">",
                LEFT, y, colours[bar % NUM_COLOURS], LEFT + 18, y + 11);
        svg_text(p->f, label, 100);
        fputs("</text>\n", p->f);
    }
}

/* Draws the program, the meaning of the column, and the keys under the groups. */
static void draw_titles(const struct picture *p) {
    const struct sweep *s = p->o->sweep;
    const char *program = strrchr(p->o->inputs->program, '/');
    fputs("<text x=\"16\" y=\"24\" font-size=\"15\">", p->f);
    svg_text(p->f, program ? program + 1 : p->o->inputs->program, LABEL);
    for (const char *const *a = p->o->inputs->arguments; *a; a++) {
        fputc(' ', p->f);
        svg_text(p->f, *a, LABEL);
    }
    fputs("</text>\n<text x=\"16\" y=\"43\">", p->f);
    svg_text(p->f, sweep_more_column(p->o->more, p->o->column).meaning, 100);
    fprintf(p->f, ", in %s</text>\n", p->unit);
    fprintf(p->f, "<text x=\"%.1f\" y=\"%u\" text-anchor=\"middle\">", LEFT + p->width / 2.0,
            p->top + HEIGHT + 38);
    for (unsigned k = 0; p->axis < p->legend && k < s->axes[p->axis].num_keys; k++) {
        if (k) fputs(", ", p->f);
        svg_text(p->f, s->axes[p->axis].keys[k], LABEL);
    }
    fputs("</text>\n", p->f);
}

/* Chooses the scale and draws the chart of column o->column into `f`. @return false: no point has a
 * value above 0, and nothing was written. */
bool sweep_write_svg(const struct sweep_output *o, FILE *f) {
    const struct sweep *s = o->sweep;
    struct picture p = {.o = o, .f = f, .scale = 1};
    double most = 0;
    for (unsigned i = 0; i < s->num_points; i++) most = fmax(most, value_at(&p, i));
    if (most <= 0) return false;
    choose_unit(&p, most);
    p.groups = 1; /* around the first values: one group, whose legend has all axes */
    if (!s->around && s->num_axes) {
        while (p.axis + 1 < s->num_axes && s->axes[p.axis].num_values == 1) p.axis++;
        p.groups = s->axes[p.axis].num_values;
        p.legend = p.axis + 1;
    }
    p.bars = p.stride = s->num_points / p.groups;
    p.bar_width = fmin(40, fmax(6, 640.0 / (p.groups * (p.bars + 1))));
    p.width = (unsigned)(p.bar_width * (p.groups * (p.bars + 1)));
    if (p.width > MOST_WIDTH) { /* too many points to be told apart: squeeze them */
        p.width = MOST_WIDTH;
        p.bar_width = (double)MOST_WIDTH / (p.groups * (p.bars + 1));
    }
    p.top = TOP + (p.bars > 1 ? p.bars * LEGEND_ROW : 0) + 16;
    p.values = axis_linear(most * p.scale, 6, p.top + HEIGHT, p.top);
    unsigned width = LEFT + p.width + 40;
    svg_begin(f, width < 480 ? 480 : width, p.top + HEIGHT + 56);
    draw_titles(&p);
    draw_legend(&p);
    draw_scale(&p);
    for (unsigned g = 0; g < p.groups; g++) draw_group(&p, g);
    fputs("</svg>\n", f);
    return true;
}
