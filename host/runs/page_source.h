/* page_source.h - the source view on the page of a run: what each source line, PTX line and machine
 * instruction of its kernels did (annotate/source_view.h). Threads: any. */
#ifndef HEDDLE_RUNS_PAGE_SOURCE_H
#define HEDDLE_RUNS_PAGE_SOURCE_H

#include <jansson.h>

#include "runs/run_load.h"

/* Adds to the page's data the member `source`:
 *   note     why there is nothing to show, or null; the other members are missing then
 *   issues   whether the counts of issues and waits are known
 *   counts   rows of name, unit, meaning
 *   all      how many kernels the run has; the list leaves out those that would make the page large
 *   kernels  most time first: name, device, launches, cycles, module, and `instructions`: rows of
 *            the machine instruction's text, file (null: unknown), line, PTX line (0: none), and
 *            its counts that are not 0: place, value, place, value, ...
 *   files    path, why its text is missing (or null), and `lines`: number, text, number, text, ...
 *            of lines near those that the kernels have
 *   modules  for each the lines of PTX that instructions are of: number, text, ... */
void page_add_source(const struct run_file *run, json_t *page);

#endif
