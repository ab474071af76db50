/* topology_draw.h - boxes, texts and lines of the picture of the simulated machine. Sizes are
 * pixels. */
#ifndef HEDDLE_REPORT_TOPOLOGY_DRAW_H
#define HEDDLE_REPORT_TOPOLOGY_DRAW_H

#include <stdio.h>

#include "report/topology.h"

/* A rectangle of the picture. */
struct rect {
    unsigned x, y, width, height;
};

enum {
    TOPOLOGY_GAP = 24,
    TOPOLOGY_BOX = 44,  /* height of a box with two lines of text */
    TOPOLOGY_ROOM = 46, /* height for lines and their labels between rows */
};

void topology_box(FILE *f, struct rect r, const char *fill, const char *class);
/* Line `number` of a box's text, which stays within the box. */
void topology_line(FILE *f, struct rect r, unsigned number, const char *text);
/* A small text. */
void topology_label(FILE *f, unsigned x, unsigned y, const char *text);

#endif
