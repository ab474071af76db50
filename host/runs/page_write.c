/* page_write.c - fills the template of a page: its title, style, script and data; see page.h.
 *
 * The texts come from host/runs/page, and tools/gen/gen_text.c puts them into the program. The
 * template has marks "@connect@", "@title@", "@style@", "@data@" and "@script@". */
#include "runs/page.h"

#include <stdlib.h>
#include <string.h>

/* Generated from files of host/runs/page. */
extern const char page_template_html[], page_style_css[], page_base_js[], page_table_js[],
    page_bars_js[], page_kernels_js[], page_roofline_js[], page_memory_js[], page_source_js[],
    page_timeline_js[], page_details_js[], page_run_js[], page_compare_js[];

/* Writes a text for HTML. */
static void put_text(const char *s, FILE *out) {
    for (; *s; s++) {
        switch (*s) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*s, out);
        }
    }
}

/* json_dump_callback_t: writes JSON for the inside of a <script>. "<", ">" and "&" stand only in
 * its strings, where \u says the same, and no string can end the element. */
static int put_json(const char *text, size_t size, void *file) {
    FILE *out = file;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '<' || text[i] == '>' || text[i] == '&')
            fprintf(out, "\\u%04x", (unsigned char)text[i]);
        else
            fputc(text[i], out);
    }
    return 0;
}

/* Writes scripts, an element each, up to NULL. */
static void put_scripts(const char *const *scripts, FILE *out) {
    for (; *scripts; scripts++) fprintf(out, "<script>\n%s</script>\n", *scripts);
}

/* Writes a page. `style`: beside that of all pages, may be NULL; `live`: it asks its server. */
static void put_page(const char *title, const json_t *data, const char *style,
                     const char *const *scripts, bool live, FILE *out) {
    static const char *const marks[] = {"@connect@", "@title@", "@style@", "@data@", "@script@"};
    const char *at = page_template_html;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *mark = strstr(at, marks[i]);
        if (!mark) abort(); /* the template is part of the program */
        fwrite(at, 1, (size_t)(mark - at), out);
        at = mark + strlen(marks[i]);
        switch (i) {
        case 0: fputs(live ? "; connect-src 'self'" : "", out); break;
        case 1: put_text(title, out); break;
        case 2:
            fputs(page_style_css, out);
            if (style) fputs(style, out);
            break;
        case 3:
            json_dump_callback(data, put_json, out, JSON_COMPACT | JSON_REAL_PRECISION(7));
            break;
        default: put_scripts(scripts, out);
        }
    }
    fputs(at, out);
}

void page_write_run(const struct run_file *run, FILE *out) {
    const char *const scripts[] = {page_base_js,
                                   page_table_js,
                                   page_bars_js,
                                   page_kernels_js,
                                   page_roofline_js,
                                   page_memory_js,
                                   page_source_js,
                                   page_timeline_js,
                                   page_details_js,
                                   page_run_js,
                                   NULL};
    json_t *data = page_run_data(run);
    char *title = g_strdup_printf("%s on %s - Heddle", run_text(run->run, "program"),
                                  run_text(run->run, "gpu"));
    put_page(title, data, NULL, scripts, false, out);
    g_free(title);
    json_decref(data);
}

void page_write_live(const char *title, const json_t *data, const char *style,
                     const char *const *scripts, FILE *out) {
    const char *all[8] = {page_base_js, page_bars_js};
    for (size_t i = 2; *scripts && i + 1 < sizeof all / sizeof *all; i++) all[i] = *scripts++;
    put_page(title, data, style, all, true, out);
}

void page_write_comparison(const struct comparison *c, FILE *out) {
    const char *const scripts[] = {page_base_js, page_table_js, page_bars_js, page_compare_js,
                                   NULL};
    json_t *data = compare_object(c);
    json_object_set_new(data, "cpi", page_cpi_parts());
    char *title = g_strdup_printf("%s and %s - Heddle", c->run[0]->directory, c->run[1]->directory);
    put_page(title, data, NULL, scripts, false, out);
    g_free(title);
    json_decref(data);
}
