/* compnet_plot.c - draws a picture of series: lines with marks over linear or logarithmic axes, or
 * bars over labels. */
#include <math.h>
#include <string.h>

#include "common/axis.h"
#include "common/output_file.h"
#include "common/svg.h"
#include "compnet/compnet.h"

enum { WIDTH = 640, HEIGHT = 420, LEFT = 80, RIGHT = 130, TOP = 48, BOTTOM = 56 };
static const char *const colours[COMPNET_SERIES] = {"#c53030", "#d97706", "#2b6cb0",
                                                    "#2e8b57", "#805ad5", "#90a4ae"};

/* The axis of all values along x or y. */
static struct axis axis_of(const struct compnet_picture *p, bool is_x) {
    double low = INFINITY, high = 0;
    for (unsigned s = 0; s < p->num_series; s++)
        for (unsigned i = 0; i < p->series[s].count; i++) {
            const double v = is_x ? p->series[s].x[i] : p->series[s].y[i];
            if (v > 0) low = fmin(low, v);
            high = fmax(high, v);
        }
    if (!(high > 0)) low = high = 1;
    const double from = is_x ? LEFT : HEIGHT - BOTTOM, to = is_x ? WIDTH - RIGHT : TOP;
    if (is_x ? p->log_x : p->log_y)
        return axis_logarithmic(low, high > low ? high : 2 * low, from, to);
    return axis_linear(high, 8, from, to);
}

static void draw_ticks(FILE *f, const struct axis *a, bool is_x) {
    double v;
    for (unsigned i = 0; axis_tick(a, i, &v); i++) {
        const double at = axis_at(a, v);
        if (is_x)
            fprintf(f,
                    "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#e2e2e2\"/>"
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                    at, at, TOP, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 16, v);
        else
            fprintf(f,
                    "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e2e2e2\"/>"
                    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                    LEFT, WIDTH - RIGHT, at, at, LEFT - 6, at + 4, v);
    }
}

static void draw_name(FILE *f, const struct compnet_series *s, unsigned number) {
    fprintf(f, "<text x=\"%d\" y=\"%u\" fill=\"%s\">", WIDTH - RIGHT + 12, TOP + 12 + 18 * number,
            colours[number]);
    svg_text(f, s->name, strlen(s->name));
    fprintf(f, "</text>\n");
}

/* The labels share the width; the bars of one stand side by side over it. */
static void draw_bars(FILE *f, const struct compnet_picture *p, const struct axis *y) {
    const unsigned labels = p->series[0].count;
    const double place = (double)(WIDTH - RIGHT - LEFT) / labels;
    const double wide = 0.8 * place / p->num_series;
    for (unsigned i = 0; i < labels; i++) {
        const char *label = p->labels[(unsigned)p->series[0].x[i]];
        fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", LEFT + (i + 0.5) * place,
                HEIGHT - BOTTOM + 16);
        svg_text(f, label, strlen(label));
        fprintf(f, "</text>\n");
        for (unsigned s = 0; s < p->num_series; s++) {
            const double top = axis_at(y, p->series[s].y[i]);
            fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
                    LEFT + (i + 0.1) * place + s * wide, top, wide, HEIGHT - BOTTOM - top,
                    colours[s]);
        }
    }
}

static void draw_series(FILE *f, const struct compnet_series *s, unsigned number,
                        const struct axis *x, const struct axis *y) {
    const char *colour = colours[number];
    fprintf(f, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (unsigned i = 0; i < s->count; i++)
        fprintf(f, "%.1f,%.1f ", axis_at(x, s->x[i]), axis_at(y, s->y[i]));
    fprintf(f, "\"/>\n");
    for (unsigned i = 0; i < s->count; i++)
        fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", axis_at(x, s->x[i]),
                axis_at(y, s->y[i]), colour);
}

heddle_err compnet_draw(const struct compnet *c, const struct compnet_picture *p,
                        struct heddle_diag *diag) {
    gchar *path = g_build_filename(c->out, p->file, NULL);
    struct output_file file;
    heddle_err e = output_file_open(&file, path, OUTPUT_OWN, diag);
    g_free(path);
    if (e) return e;
    const struct axis x = axis_of(p, true), y = axis_of(p, false);
    svg_begin(file.f, WIDTH, HEIGHT);
    fprintf(file.f, "<text x=\"%d\" y=\"20\" font-weight=\"bold\">", LEFT);
    svg_text(file.f, p->title, strlen(p->title));
    fprintf(file.f, "</text>\n");
    if (!p->labels) draw_ticks(file.f, &x, true);
    draw_ticks(file.f, &y, false);
    if (p->labels) draw_bars(file.f, p, &y);
    for (unsigned s = 0; s < p->num_series; s++) {
        if (!p->labels) draw_series(file.f, &p->series[s], s, &x, &y);
        draw_name(file.f, &p->series[s], s);
    }
    fprintf(file.f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, p->x);
    fprintf(file.f, "<text x=\"8\" y=\"%d\">%s</text>\n</svg>\n", TOP - 10, p->y);
    return output_file_commit(&file, false, diag);
}
