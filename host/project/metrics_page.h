/* metrics_page.h - docs/projection-metrics.md, from the tables of metrics. */
#ifndef HEDDLE_PROJECT_METRICS_PAGE_H
#define HEDDLE_PROJECT_METRICS_PAGE_H

#include <stdio.h>

void metrics_page_print(FILE *out);

#endif
