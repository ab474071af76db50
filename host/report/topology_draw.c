/* topology_draw.c - see topology_draw.h. */
#include "report/topology_draw.h"

#include <string.h>

#include "common/svg.h"

void topology_box(FILE *f, struct rect r, const char *fill, const char *class) {
    fprintf(f,
            "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"4\" fill=\"%s\" "
            "stroke=\"#4a5568\"/>\n",
            class, r.x, r.y, r.width, r.height, fill);
}

void topology_line(FILE *f, struct rect r, unsigned number, const char *text) {
    enum { MARGIN = 10, LETTER = 64 /* tenths of a pixel: of a wide text in this size */ };
    const unsigned room = r.width - 2 * MARGIN, wide = (unsigned)(strlen(text) * LETTER / 10);
    fprintf(f, "<text x=\"%u\" y=\"%u\"", r.x + MARGIN, r.y + 18 + 18 * number);
    if (wide > room) /* fonts differ: what may not fit is drawn narrower */
        fprintf(f, " textLength=\"%u\" lengthAdjust=\"spacingAndGlyphs\"", room);
    fputc('>', f);
    svg_text(f, text, 160);
    fputs("</text>\n", f);
}

void topology_label(FILE *f, unsigned x, unsigned y, const char *text) {
    fprintf(f, "<text x=\"%u\" y=\"%u\" font-size=\"10\" fill=\"#4a5568\">%s</text>\n", x, y, text);
}
