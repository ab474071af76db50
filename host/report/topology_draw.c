/* topology_draw.c - see topology_draw.h. */
#include "report/topology_draw.h"

#include "common/svg.h"

void topology_box(FILE *f, struct rect r, const char *fill, const char *class) {
    fprintf(f,
            "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"4\" fill=\"%s\" "
            "stroke=\"#4a5568\"/>\n",
            class, r.x, r.y, r.width, r.height, fill);
}

void topology_line(FILE *f, struct rect r, unsigned number, const char *text) {
    fprintf(f, "<text x=\"%u\" y=\"%u\">", r.x + 10, r.y + 18 + 18 * number);
    svg_text(f, text, 160);
    fputs("</text>\n", f);
}

void topology_label(FILE *f, unsigned x, unsigned y, const char *text) {
    fprintf(f, "<text x=\"%u\" y=\"%u\" font-size=\"10\" fill=\"#4a5568\">%s</text>\n", x, y, text);
}
