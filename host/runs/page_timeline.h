/* page_timeline.h - what a run did over time, on its page: from trace.json beside the report
 * (heddle run --timeline, docs/timeline.md). Threads: any. */
#ifndef HEDDLE_RUNS_PAGE_TIMELINE_H
#define HEDDLE_RUNS_PAGE_TIMELINE_H

#include <jansson.h>

#include "runs/run_load.h"

/* Adds to the page's data: `timeline`, or null, and `timeline_note`, which says why it is null or
 * what it leaves out, or null. Times are ps, as whole numbers:
 *   names     texts of spans, by number
 *   rows      of spans: {group, name, spans: [begin less the end before, duration, name, ...],
 *             left}, tracks of trace.json but for CTAs; left: shorter ones that are left out
 *   sms       for each GPU: {group, from, to, names, ctas: [begin, duration, SM, lane, launch, CTA,
 *             ...] or null, heat: a text for each SM}; heat[i]: mean resident CTAs of equal parts
 *             of from..to, as a character from "0" on, of which `step` are one more each
 *   counters  {group, name, unit, points: [time, value, ...]}
 *   instants  {at, name}: what trace.json says of itself */
void page_add_timeline(const struct run_file *run, json_t *page);

#endif
