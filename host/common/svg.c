/* svg.c - frame and text of SVG pictures. The report (report_cpi.c, topology.c), the sweep
 * (sweep_plot.c) and projection (host/project) call it on the main thread of `heddle`. Errors are
 * left to fclose(). */
#include "common/svg.h"

#include <stdbool.h>
#include <string.h>

/* Writes the head of a picture of `width` x `height` pixels and its white background; the caller
 * ends the picture with "</svg>". */
void svg_begin(FILE *f, unsigned width, unsigned height) {
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height);
}

/* Bytes of the UTF-8 character at s, or 0 when no character stands there that XML may hold. */
static size_t character_length(const char *s) {
    const unsigned char *c = (const unsigned char *)s;
    if (c[0] < 0x80) return c[0] >= ' ' && c[0] != 0x7f;
    size_t n = c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : (c[0] & 0xf0) == 0xe0 ? 3 : 4;
    if (c[0] < 0xc2 || c[0] > 0xf4) return 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool surrogate = c[0] == 0xed && c[1] >= 0xa0;
    bool none = (c[0] == 0xf4 && c[1] >= 0x90) || (c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe);
    return overlong || surrogate || none ? 0 : n;
}

/* Writes a text with XML escapes, cut between two characters to at most `most` bytes of `s`, with
 * ".." behind a text that was cut. A byte that XML cannot hold becomes "?". */
void svg_text(FILE *f, const char *s, size_t most) {
    size_t i = 0;
    while (s[i]) {
        size_t n = character_length(s + i), bytes = n ? n : 1;
        if (i + bytes > most) {
            fputs("..", f);
            return;
        }
        if (!n)
            fputc('?', f);
        else if (n > 1)
            fwrite(s + i, 1, n, f);
        else
            switch (s[i]) {
            case '<': fputs("&lt;", f); break;
            case '>': fputs("&gt;", f); break;
            case '&': fputs("&amp;", f); break;
            case '"': fputs("&quot;", f); break;
            default: fputc(s[i], f);
            }
        i += bytes;
    }
}

void svg_text_end(FILE *f, const char *s, size_t most) {
    const size_t length = strlen(s);
    const char *from = length > most ? s + length - most : s;
    while (((unsigned char)*from & 0xc0) == 0x80) from++; /* not in the middle of a character */
    if (from > s) fputs("..", f);
    svg_text(f, from, most);
}
