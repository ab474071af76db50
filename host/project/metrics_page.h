/* metrics_page.h - docs/projection-metrics.md, from the tables of metrics. */
#ifndef HEDDLE_PROJECT_METRICS_PAGE_H
#define HEDDLE_PROJECT_METRICS_PAGE_H

#include <stdio.h>

/* Prints the page; errors of `out` are the caller's to check. */
void metrics_page_print(FILE *out);

#endif
