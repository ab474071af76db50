/* page.h - self-contained HTML pages: of a run (`heddle report`, docs/report-page.md) and of a
 * comparison; and the page of a run that goes on. A page has its style, its script and its data
 * inside; it loads nothing, but the last asks its server.
 *
 * Threads: any, one at a time. Write errors show when the file is closed. */
#ifndef HEDDLE_RUNS_PAGE_H
#define HEDDLE_RUNS_PAGE_H

#include <jansson.h>
#include <stdio.h>

#include "runs/compare.h"
#include "runs/run_load.h"

/* Writes the page of a run. */
void page_write_run(const struct run_file *run, FILE *out);
/* Writes the page of a comparison. */
void page_write_comparison(const struct comparison *c, FILE *out);
/* Writes a page that asks its server for what it shows (monitor/monitor.h): with the data that
 * stay, a style and up to five scripts beside those of all pages, NULL after the last. */
void page_write_live(const char *title, const json_t *data, const char *style,
                     const char *const *scripts, FILE *out);

/* The data of a run's page, and the parts of the CPI stack with their meanings and colours, which
 * every page has: new values, the caller's. */
json_t *page_run_data(const struct run_file *run);
json_t *page_cpi_parts(void);

#endif
