/* roofline_plot.c - draws the rooflines of a kernel on the source GPU and on a target side by side,
 * an SVG file; see roofline_plot.h. plot_files.c calls roofline_plot() on the main thread of
 * `heddle project`. Sizes are pixels. The draw functions write to g->f without checking for errors,
 * in the coordinates of the panel's axes; those that take a non-const panel move g->legend to the
 * next row of the legend. Nothing is allocated.
 *
 * Two panels have the same axes, so that a place means the same in both. A kernel that streams has
 * the same ceiling and intensity at all levels. So that all three stay visible, lines and points of
 * the outer levels are smaller and lie on top. */
#include "project/roofline_plot.h"

#include <math.h>

#include "common/axis.h"
#include "common/svg.h"
#include "project/plot_number.h"
#include "project/roofs.h"

enum {
    WIDTH = 1080,
    HEIGHT = 662,
    PANEL_TOP = 96,
    PANEL_HEIGHT = 330,
    PANEL_WIDTH = 430,
    SOURCE_LEFT = 78,
    TARGET_LEFT = 610,
    LEGEND_TOP = PANEL_TOP + PANEL_HEIGHT + 66,
    LEGEND_ROW = 19,
    NAME = 105,    /* bytes of the kernel's name */
    GPU_NAME = 56, /* bytes of a GPU's */
};
/* Of Okabe and Ito's colours, which people with colour blindness tell apart. */
static const char *const colours[ROOFLINE_LEVELS] = {"#d55e00", "#0072b2", "#009e73"};
static const char *const names[ROOFLINE_LEVELS] = {"L1", "L2", "DRAM"};
static const double widths[ROOFLINE_LEVELS] = {8, 4.5, 1.5};
static const enum capability_rate rates[ROOFLINE_LEVELS] = {RATE_L1, RATE_L2, RATE_DRAM};
#define AREA_COLOUR "#cc79a7"
#define MEASURED_COLOUR "#b8860b"
/* Space between what is drawn and the ends of the axes, as a factor. */
static const double margin = 2.5;
static const double giga = 1e9;

/* One GPU's side of the picture. Performances are in 1e9 operations/s, bandwidths in GB/s. */
struct panel {
    FILE *f;
    const struct projection *p;
    const struct project_roofs *roofs;
    const struct capability *gpu;
    double performance, bandwidth[ROOFLINE_LEVELS];
    double plain_performance, plain_bandwidth[ROOFLINE_LEVELS]; /* rates of the GPU as such */
    double least, most; /* intensities; least > most: no byte passes any level */
    struct axis x, y;
    int left, legend; /* legend: y of its next row */
    const char *operation, *per_second;
};

/* @return whether bytes pass the level, so that it has a roof to draw. */
static bool has_level(const struct panel *g, int level) {
    return isfinite(g->roofs->intensity[level]) && g->roofs->bandwidth[level] > 0;
}

/* @return whether bytes pass any level: describe() has set g->least and g->most. */
static bool has_bytes(const struct panel *g) {
    return g->least <= g->most;
}

/* ---- what both panels have to show */

/* Fills the panel's ceilings, plain rates, units and range of intensities for kernel k. g->p,
 * g->roofs and g->gpu are set. */
static void describe(struct panel *g, const struct project_kernel *k,
                     const struct capability *source) {
    enum capability_origin origin;
    bool flop = g->p->operations == OPERATIONS_FLOP;
    g->operation = flop ? "FLOP" : "instructions";
    g->per_second = flop ? "GFLOP/s" : "Ginst/s";
    g->performance = g->roofs->performance / giga;
    g->plain_performance = roofs_plain_performance(k, g->gpu, source) / giga;
    g->least = INFINITY;
    for (int i = 0; i < ROOFLINE_LEVELS; i++) {
        g->bandwidth[i] = g->roofs->bandwidth[i] / giga;
        g->plain_bandwidth[i] = capability_rate(g->gpu, source, rates[i], &origin) / giga;
        if (!has_level(g, i)) continue;
        g->least = fmin(g->least, g->roofs->intensity[i]);
        g->most = fmax(g->most, g->roofs->intensity[i]);
    }
}

/* Widens the ranges that the axes must show by those of a panel: intensities and ridge points
 * (*x_low, *x_high), ceilings (*y_high). */
static void widen(const struct panel *g, double *x_low, double *x_high, double *y_high) {
    *y_high = fmax(*y_high, fmax(g->performance, g->plain_performance));
    for (int i = 0; i < ROOFLINE_LEVELS; i++) {
        if (!has_level(g, i)) continue;
        double ridge = g->performance / g->bandwidth[i];
        *x_low = fmin(*x_low, fmin(ridge, g->roofs->intensity[i]));
        *x_high = fmax(*x_high, fmax(ridge, g->roofs->intensity[i]));
    }
}

/* Gives both panels the same axes, from what both have to show and the performances in them. */
static void make_axes(struct panel *source, struct panel *target, double least_performance,
                      double most_performance) {
    double x_low = INFINITY, x_high = 0, y_high = most_performance;
    widen(source, &x_low, &x_high, &y_high);
    widen(target, &x_low, &x_high, &y_high);
    if (x_low > x_high) x_low = x_high = 1;
    struct panel *both[] = {source, target};
    for (int i = 0; i < 2; i++) {
        struct panel *g = both[i];
        g->x = axis_logarithmic(x_low / margin, x_high * margin, g->left, g->left + PANEL_WIDTH);
        g->y = axis_logarithmic(least_performance / margin, y_high * margin,
                                PANEL_TOP + PANEL_HEIGHT, PANEL_TOP);
    }
}

/* ---- the field */

/* Draws the panel's grid, frame and the names of its axes. */
static void draw_axes(const struct panel *g) {
    double value;
    for (unsigned i = 0; axis_tick(&g->x, i, &value); i++) {
        double x = axis_at(&g->x, value);
        fprintf(g->f,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#e4e4e4\"/><text "
                "x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n",
                x, x, PANEL_TOP, PANEL_TOP + PANEL_HEIGHT, x, PANEL_TOP + PANEL_HEIGHT + 17, value);
    }
    for (unsigned i = 0; axis_tick(&g->y, i, &value); i++) {
        double y = axis_at(&g->y, value);
        fprintf(g->f,
                "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e4e4e4\"/><text "
                "x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n",
                g->left, g->left + PANEL_WIDTH, y, y, g->left - 6, y + 4, value);
    }
    fprintf(g->f,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#555\"/>\n",
            g->left, PANEL_TOP, PANEL_WIDTH, PANEL_HEIGHT);
    fprintf(g->f,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">operational intensity, %s/byte</text>\n"
            "<text transform=\"translate(%d %d) rotate(-90)\" text-anchor=\"middle\">"
            "performance, %s</text>\n",
            g->left + PANEL_WIDTH / 2, PANEL_TOP + PANEL_HEIGHT + 36, g->operation, g->left - 58,
            PANEL_TOP + PANEL_HEIGHT / 2, g->per_second);
}

/* Draws a line between two points of the axes. `what`: its class in the SVG; `style`: its
 * attributes. */
static void draw_line(const struct panel *g, const char *what, double x1, double y1, double x2,
                      double y2, const char *style) {
    fprintf(g->f, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", what,
            axis_at(&g->x, x1), axis_at(&g->y, y1), axis_at(&g->x, x2), axis_at(&g->y, y2), style);
}

/* *x1, *x2: intensities between which a bandwidth's line is visible under a performance. @return
 * false: nowhere. */
static bool slope(const struct panel *g, double bandwidth, double performance, double *x1,
                  double *x2) {
    *x1 = fmax(g->x.low, g->y.low / bandwidth);
    *x2 = fmin(g->x.high, performance / bandwidth);
    return bandwidth > 0 && *x1 < *x2;
}

/* A level's name along its line, near the ridge point: above the line, and below that of DRAM,
 * which is the lowest. Names of lines that coincide stand one behind the other. */
static void draw_level_name(const struct panel *g, int level, double x1, double x2) {
    double bandwidth = g->bandwidth[level];
    double left = axis_at(&g->x, x1), y = axis_at(&g->y, x1 * bandwidth);
    double right = axis_at(&g->x, x2), top = axis_at(&g->y, x2 * bandwidth);
    double length = hypot(right - left, y - top), along = length - 44 - 40 * level;
    if (along < 0) return;
    double dx = (right - left) / length, dy = (top - y) / length;
    double above = level == ROOFLINE_DRAM ? -15 : 7;
    fprintf(g->f,
            "<text transform=\"translate(%.1f %.1f) rotate(%.1f)\" fill=\"%s\" stroke=\"white\" "
            "stroke-width=\"3\" paint-order=\"stroke\" font-weight=\"bold\" font-size=\"11\">%s"
            "</text>\n",
            left + along * dx + above * dy, y + along * dy - above * dx,
            atan2(dy, dx) * 180 / acos(-1), colours[level], names[level]);
}

/* The GPU's plain rates, where they are not the kernel's ceilings. */
static void draw_plain_rates(const struct panel *g) {
    double x1, x2;
    const char *style = "stroke=\"#aaa\" stroke-dasharray=\"5 4\"";
    for (int i = 0; i < ROOFLINE_LEVELS; i++)
        if (slope(g, g->plain_bandwidth[i], g->plain_performance, &x1, &x2))
            draw_line(g, "plain", x1, x1 * g->plain_bandwidth[i], x2, x2 * g->plain_bandwidth[i],
                      style);
    double ridge = g->plain_performance / g->plain_bandwidth[ROOFLINE_L1];
    if (ridge < g->x.high)
        draw_line(g, "plain", fmax(ridge, g->x.low), g->plain_performance, g->x.high,
                  g->plain_performance, style);
}

/* The kernel's ceilings: each bandwidth up to its ridge point, then the performance. */
static void draw_ceilings(const struct panel *g) {
    double x1, x2, ridge = g->x.high;
    for (int i = 0; i < ROOFLINE_LEVELS; i++)
        if (has_level(g, i)) ridge = fmin(ridge, g->performance / g->bandwidth[i]);
    if (!has_bytes(g)) ridge = g->x.low;
    draw_line(g, "performance", ridge, g->performance, g->x.high, g->performance,
              "stroke=\"#333\" stroke-width=\"2.5\"");
    for (int i = 0; i < ROOFLINE_LEVELS; i++) {
        char style[80];
        if (!has_level(g, i) || !slope(g, g->bandwidth[i], g->performance, &x1, &x2)) continue;
        snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"%g\"", colours[i], widths[i]);
        draw_line(g, names[i], x1, x1 * g->bandwidth[i], x2, x2 * g->bandwidth[i], style);
    }
    for (int i = 0; i < ROOFLINE_LEVELS; i++)
        if (has_level(g, i) && slope(g, g->bandwidth[i], g->performance, &x1, &x2))
            draw_level_name(g, i, x1, x2);
}

/* A level's mark: circle, square, triangle. */
static void draw_mark(const struct panel *g, int level, double x, double y) {
    fprintf(g->f, "<path class=\"mark\" transform=\"translate(%.1f %.1f)\" d=\"", x, y);
    switch (level) {
    case ROOFLINE_L1: fputs("M-7 0a7 7 0 1 0 14 0a7 7 0 1 0 -14 0z", g->f); break;
    case ROOFLINE_L2: fputs("M-4.5 -4.5h9v9h-9z", g->f); break;
    default: fputs("M0 -4.2l4 7h-8z", g->f); break;
    }
    fprintf(g->f, "\" fill=\"%s\" stroke=\"white\"/>\n", colours[level]);
}

/* Draws the mark of a projection's centre at a pixel. */
static void draw_centre(const struct panel *g, double x, double y) {
    fprintf(g->f,
            "<path class=\"centre\" transform=\"translate(%.1f %.1f)\" d=\"M0 -6l6 6l-6 6l-6 -6z\" "
            "stroke=\"white\"/>\n",
            x, y);
}

/* *left, *right: pixels of the intensities, or of the whole axis when no byte passes any level. */
static void span(const struct panel *g, double *left, double *right) {
    *left = axis_at(&g->x, has_bytes(g) ? g->least : g->x.low);
    *right = axis_at(&g->x, has_bytes(g) ? g->most : g->x.high);
}

/* Draws a horizontal line at a performance, over the intensities and `beyond` pixels more at each
 * end. */
static void draw_flat(const struct panel *g, const char *what, double performance, double beyond,
                      const char *style) {
    double left, right, y = axis_at(&g->y, performance);
    span(g, &left, &right);
    fprintf(g->f, "<line class=\"%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" %s/>\n", what,
            fmax(left - beyond, g->x.from), fmin(right + beyond, g->x.to), y, y, style);
}

/* The kernel as it ran: a point for each level, below its roof. */
static void draw_points(const struct panel *g) {
    double achieved = g->p->achieved / giga;
    draw_flat(g, "achieved", achieved, 0, "stroke=\"#555\"");
    for (int i = 0; i < ROOFLINE_LEVELS; i++) {
        char style[80];
        double x = g->roofs->intensity[i];
        if (!has_level(g, i)) continue;
        snprintf(style, sizeof style, "stroke=\"%s\" stroke-dasharray=\"2 3\"", colours[i]);
        draw_line(g, "distance", x, achieved, x, g->roofs->roof[i] / giga, style);
    }
    for (int i = 0; i < ROOFLINE_LEVELS; i++)
        if (has_level(g, i))
            draw_mark(g, i, axis_at(&g->x, g->roofs->intensity[i]), axis_at(&g->y, achieved));
}

/* Draws the projection: an area of intensities and performances (1e9/s), and its centre. One that
 * is too thin to be seen is drawn a few pixels thick. */
static void draw_area(const struct panel *g, double low, double centre, double high) {
    enum { THIN = 20, FLAT = 6 };
    double left, right, top = axis_at(&g->y, high), bottom = axis_at(&g->y, low);
    span(g, &left, &right);
    double thicker = fmax(0, (THIN - (right - left)) / 2);
    double higher = fmax(0, (FLAT - (bottom - top)) / 2);
    fprintf(g->f,
            "<rect class=\"area\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
            "fill=\"" AREA_COLOUR "\" fill-opacity=\"0.45\" stroke=\"" AREA_COLOUR "\"/>\n",
            left - thicker, top - higher, right - left + 2 * thicker, bottom - top + 2 * higher);
    draw_centre(g, (left + right) / 2, axis_at(&g->y, centre));
}

/* ---- legends */

/* Moves the legend down by a row and opens its text, which the caller writes and closes. */
static void begin_row(struct panel *g) {
    g->legend += LEGEND_ROW;
    fprintf(g->f, "<text x=\"%d\" y=\"%d\" font-size=\"11\">", g->left + 44, g->legend);
}

/* Draws the sample of a line at the left of the legend's row. */
static void draw_swatch(const struct panel *g, const char *style) {
    fprintf(g->f, "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" %s/>\n", g->left, g->left + 34,
            g->legend - 4, g->legend - 4, style);
}

/* Writes a text that ends `right` pixels from the panel's left side. */
static void draw_cell(const struct panel *g, int right, const char *text) {
    fprintf(g->f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" font-size=\"11\">%s</text>\n",
            g->left + right, g->legend, text);
}

enum { BANDWIDTH_COLUMN = 210, INTENSITY_COLUMN = 322, ROOF_COLUMN = PANEL_WIDTH };

/* Draws a level's row of the legend. */
static void draw_level_row(struct panel *g, int level) {
    char style[80];
    begin_row(g);
    fprintf(g->f, "%s%s</text>\n", names[level],
            has_level(g, level) ? "" : ": no byte passes, left out");
    if (!has_level(g, level)) return;
    snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"%g\"", colours[level],
             widths[level]);
    draw_swatch(g, style);
    draw_mark(g, level, g->left + 17, g->legend - 4);
    draw_cell(g, BANDWIDTH_COLUMN, plot_number(g->bandwidth[level]).text);
    draw_cell(g, INTENSITY_COLUMN, plot_number(g->roofs->intensity[level]).text);
    draw_cell(g, ROOF_COLUMN, plot_number(g->roofs->roof[level] / giga).text);
}

/* Draws the legend of ceilings and of the GPU's plain rates from LEGEND_TOP on. */
static void draw_legend(struct panel *g) {
    char text[60];
    g->legend = LEGEND_TOP - LEGEND_ROW;
    begin_row(g);
    fputs("ceilings of the kernel</text>\n", g->f);
    draw_cell(g, BANDWIDTH_COLUMN, "GB/s");
    snprintf(text, sizeof text, "%s/byte", g->operation);
    draw_cell(g, INTENSITY_COLUMN, text);
    snprintf(text, sizeof text, "roof, %s", g->per_second);
    draw_cell(g, ROOF_COLUMN, text);
    for (int i = 0; i < ROOFLINE_LEVELS; i++) draw_level_row(g, i);
    begin_row(g);
    fputs("performance</text>\n", g->f);
    draw_swatch(g, "stroke=\"#333\" stroke-width=\"2.5\"");
    draw_cell(g, ROOF_COLUMN, plot_number(g->performance).text);
    begin_row(g);
    fputs("GPU itself: L1, L2, DRAM ", g->f);
    for (int i = 0; i < ROOFLINE_LEVELS; i++)
        fprintf(g->f, "%s%s", i ? ", " : "", plot_number(g->plain_bandwidth[i]).text);
    fprintf(g->f, " GB/s; %s %s</text>\n", plot_number(g->plain_performance).text, g->per_second);
    draw_swatch(g, "stroke=\"#aaa\" stroke-dasharray=\"5 4\"");
}

/* Adds a row with a performance (1e9/s) and a time to the legend. */
static void draw_measured_row(struct panel *g, const char *what, double performance, double us) {
    begin_row(g);
    fprintf(g->f, "%s: %s %s, %s us</text>\n", what, plot_number(performance).text, g->per_second,
            plot_number(us).text);
}

/* Adds the rows of the projection to the legend. `operations`: as of target_operations(). */
static void draw_projected_rows(struct panel *g, double operations) {
    const struct projection *p = g->p;
    begin_row(g);
    fprintf(g->f, "projected: %s to %s %s, %s to %s us</text>\n",
            plot_number(operations / p->high_us).text, plot_number(operations / p->low_us).text,
            g->per_second, plot_number(p->low_us).text, plot_number(p->high_us).text);
    fprintf(g->f,
            "<rect x=\"%d\" y=\"%d\" width=\"34\" height=\"11\" fill=\"" AREA_COLOUR
            "\" fill-opacity=\"0.45\" stroke=\"" AREA_COLOUR "\"/>\n",
            g->left, g->legend - 10);
    draw_measured_row(g, "centre", operations / p->centre_us, p->centre_us);
    draw_centre(g, g->left + 17, g->legend - 4);
}

/* ---- the picture */

/* Operations of the kernel on the target, in thousands: what performances in 1e9/s are to be
 * divided by for microseconds. Its instruction set may need more of them for the same bytes, which
 * shows in the intensity at L1, whose bytes are the program's own. */
static double target_operations(const struct projection *p, double measured_us) {
    double ratio = p->target.intensity[ROOFLINE_L1] / p->source.intensity[ROOFLINE_L1];
    return p->achieved / giga * measured_us * (isfinite(ratio) && ratio > 0 ? ratio : 1);
}

/* Writes the kernel's name, what bounds it on both GPUs, and the names of the GPUs over their
 * panels. */
static void draw_title(FILE *f, const struct project_results *r, const struct project_kernel *k,
                       const struct projection *p, const struct panel *source,
                       const struct panel *target) {
    fputs("<text x=\"20\" y=\"26\" font-size=\"16\" font-weight=\"bold\">", f);
    svg_text(f, k->name, NAME);
    fprintf(f, "</text>\n<text x=\"20\" y=\"47\">launch %llu; model %s; bound by %s on ",
            (unsigned long long)k->launch, project_model_name(r->model),
            project_bound_name(p->source_bound));
    svg_text(f, source->gpu->name, GPU_NAME);
    fprintf(f, ", by %s on ", project_bound_name(p->target_bound));
    svg_text(f, target->gpu->name, GPU_NAME);
    fputs("</text>\n", f);
    for (const struct panel *g = source; g; g = g == source ? target : NULL) {
        fprintf(f, "<text x=\"%d\" y=\"%d\" font-size=\"14\">%s: ", g->left, PANEL_TOP - 12,
                g == source ? "source" : "target");
        svg_text(f, *g->gpu->title ? g->gpu->title : g->gpu->name, GPU_NAME);
        fputs("</text>\n", f);
    }
}

/* Draws the field of a panel: axes, plain rates, ceilings. */
static void draw_panel(struct panel *g) {
    draw_axes(g);
    draw_plain_rates(g);
    draw_ceilings(g);
}

/* Writes the SVG to `f`: both panels, the point of the measured kernel on the left, the
 * projection's area on the right, and the time measured there if one was given. The kernel was
 * projected to the target. Errors of `f` are the caller's to check. */
void roofline_plot(FILE *f, const struct project_results *r, size_t kernel, size_t target) {
    const struct project_kernel *k = &r->kernels->at[kernel];
    const struct projection *p = project_result(r, kernel, target);
    double measured_us = k->of[METRIC_TIME], measured_target = project_measured(r, kernel, target);
    double operations = target_operations(p, measured_us), achieved = p->achieved / giga;
    double low = operations / p->high_us, high = operations / p->low_us;
    double on_target = measured_target > 0 ? operations / measured_target : low;
    struct capability room;
    const struct capability *source = project_source(&room, r, kernel);
    struct panel left = {.f = f, .p = p, .roofs = &p->source, .gpu = source, .left = SOURCE_LEFT};
    struct panel right = {
        .f = f, .p = p, .roofs = &p->target, .gpu = r->targets[target], .left = TARGET_LEFT};
    describe(&left, k, source);
    describe(&right, k, source);
    make_axes(&left, &right, fmin(fmin(achieved, low), on_target),
              fmax(fmax(achieved, high), on_target));
    svg_begin(f, WIDTH, HEIGHT);
    draw_title(f, r, k, p, &left, &right);
    draw_panel(&left);
    draw_points(&left);
    draw_legend(&left);
    draw_measured_row(&left, "measured", achieved, measured_us);
    draw_swatch(&left, "stroke=\"#555\"");
    draw_panel(&right);
    draw_area(&right, low, operations / p->centre_us, high);
    draw_legend(&right);
    draw_projected_rows(&right, operations);
    if (measured_target > 0) {
        const char *style = "stroke=\"" MEASURED_COLOUR "\" stroke-width=\"3\"";
        draw_flat(&right, "measured", on_target, 12, style);
        draw_measured_row(&right, "measured on the target", on_target, measured_target);
        draw_swatch(&right, style);
    }
    fputs("</svg>\n", f);
}
