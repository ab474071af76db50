/* svg.c - frame and text of SVG pictures, for the reports and the sweep. Errors are left to
 * fclose(). */
#include "report/svg.h"

#include <string.h>

/* Writes the head of a picture and its white background. */
void svg_begin(FILE *f, unsigned width, unsigned height) {
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height);
}

/* Writes a text with XML escapes, cut to `most` bytes. */
void svg_text(FILE *f, const char *s, size_t most) {
    for (size_t i = 0; i < most && s[i]; i++) switch (s[i]) {
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '&': fputs("&amp;", f); break;
        case '"': fputs("&quot;", f); break;
        default: fputc(s[i], f);
        }
    if (strlen(s) > most) fputs("..", f);
}
