/* annotate_cells.c - the parts of a line that annotate_head.c and annotate_lines.c print: cells of
 * counts, texts, colours; contracts in annotate_internal.h. */
#include <math.h>
#include <string.h>

#include "annotate/annotate_internal.h"

uint64_t annotate_weight(const struct annotate_page *p, const struct source_counts *c) {
    return p->has.waits ? source_cycles(c) : c->warps;
}

double annotate_share(uint64_t part, uint64_t whole) {
    return whole ? 100 * (double)part / (double)whole : 0;
}

/* A count in 6 columns. */
static void put_count(char out[16], uint64_t n) {
    static const char unit[] = "kMGTP";
    double x = (double)n;
    int u = -1;
    while (x >= 99999.5 && u < 4) {
        x /= 1000;
        u++;
    }
    if (u < 0)
        snprintf(out, 16, "%6llu", (unsigned long long)n);
    else
        snprintf(out, 16, "%5.0f%c", x, unit[u]);
}

/* A cell of a ratio: empty where there is none. */
static int put_ratio(char *out, size_t size, const char *form, double x) {
    return isfinite(x) ? snprintf(out, size, form, x) : snprintf(out, size, "%6s", "");
}

unsigned annotate_heads(const struct annotate_page *p, bool brief, char out[CELLS]) {
    int n = snprintf(out, CELLS, "%6s ", "%");
    if (p->has.waits) n += snprintf(out + n, CELLS - (size_t)n, "%-18s ", "most of it, %");
    n += snprintf(out + n, CELLS - (size_t)n, "%6s ", "warps");
    if (brief) return (unsigned)n;
    n += snprintf(out + n, CELLS - (size_t)n, "%6s", "lanes");
    if (p->has.sectors) n += snprintf(out + n, CELLS - (size_t)n, "%6s", "s/req");
    if (p->has.l1) n += snprintf(out + n, CELLS - (size_t)n, "%6s", "L1 %");
    if (p->has.conflicts) n += snprintf(out + n, CELLS - (size_t)n, "%6s", "bank%");
    return (unsigned)(n + snprintf(out + n, CELLS - (size_t)n, " "));
}

unsigned annotate_cells(const struct annotate_page *p, const struct source_counts *c, bool brief,
                        char out[CELLS]) {
    char count[16];
    int n = snprintf(out, CELLS, "%6.1f ", annotate_share(annotate_weight(p, c), p->all));
    if (p->has.waits) {
        /* issues count as a cause among the others */
        const uint32_t top = source_top_wait(c);
        uint64_t most = top == SOURCE_NOWHERE ? 0 : source_count_of(c, SOURCE_FIRST_WAIT + top);
        const char *name = top == SOURCE_NOWHERE ? "" : source_wait_name(top);
        if (c->issued >= most) {
            most = c->issued;
            name = most ? "issued" : "";
        }
        if (most)
            n += snprintf(out + n, CELLS - (size_t)n, "%-12s %5.1f ", name,
                          annotate_share(most, p->all));
        else
            n += snprintf(out + n, CELLS - (size_t)n, "%-18s ", "");
    }
    put_count(count, c->warps);
    n += snprintf(out + n, CELLS - (size_t)n, "%s ", count);
    if (brief) return (unsigned)n;
    n += put_ratio(out + n, CELLS - (size_t)n, "%6.1f", source_lanes(c));
    if (p->has.sectors)
        n += put_ratio(out + n, CELLS - (size_t)n, "%6.1f", source_sectors_per_request(c));
    if (p->has.l1) n += put_ratio(out + n, CELLS - (size_t)n, "%6.1f", 100 * source_l1_hit_rate(c));
    if (p->has.conflicts)
        n += put_ratio(out + n, CELLS - (size_t)n, "%6.1f", 100 * source_conflicts(c));
    return (unsigned)(n + snprintf(out + n, CELLS - (size_t)n, " "));
}

/* Bytes of the character that begins at `s`, which may be cut short. */
static unsigned character(const char *s) {
    unsigned n = 1;
    while (((unsigned char)s[n] & 0xc0) == 0x80) n++;
    return n;
}

void annotate_text(const struct annotate_page *p, const char *text, unsigned room) {
    unsigned column = 0;
    for (const char *s = text; *s && column < room;) {
        if (*s == '\t') {
            do fputc(' ', p->out);
            while (++column % 4 && column < room);
            s++;
        } else if ((unsigned char)*s < ' ') { /* would move the cursor */
            s++;
        } else {
            const unsigned n = character(s);
            fwrite(s, 1, n, p->out);
            s += n;
            column++;
        }
    }
}

void annotate_colour(const struct annotate_page *p, uint64_t weight) {
    const double percent = annotate_share(weight, p->all);
    if (p->o->colour && percent >= 10)
        fputs("\033[1;31m", p->out);
    else if (p->o->colour && percent >= 3)
        fputs("\033[33m", p->out);
}

void annotate_plain(const struct annotate_page *p) {
    if (p->o->colour) fputs("\033[0m", p->out);
}

const char *annotate_source(const struct annotate_page *p, uint32_t file, uint32_t line) {
    if (file == SOURCE_NOWHERE) return NULL;
    const struct source_file *f = &p->v->file[file];
    return f->state == SOURCE_THERE && line && line <= f->text.count ? f->text.line[line - 1]
                                                                     : NULL;
}

const char *annotate_ptx(const struct annotate_page *p, uint32_t ptx_line) {
    const struct source_text *t = &p->v->module[p->k->module].ptx;
    if (!ptx_line || ptx_line > t->count) return NULL;
    const char *text = t->line[ptx_line - 1];
    return text + strspn(text, " \t");
}

const char *annotate_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void annotate_missing(const struct annotate_page *p) {
    for (uint32_t f = 0; f < p->v->num_files; f++) {
        const char *why = source_state_text(p->v->file[f].state);
        bool used = false;
        for (uint32_t i = 0; i < p->k->num_lines; i++) used |= p->k->line[i].file == f;
        if (used && why) fprintf(p->out, "No text of %s: %s\n", p->v->file[f].path, why);
    }
}
